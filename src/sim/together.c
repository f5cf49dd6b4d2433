/* Collective calls: PEs leave when all others have come. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

struct set_state {
    int64_t size, come;     /* size 0: nobody has come yet */
    struct way way;         /* the slowest between its PEs */
    int64_t latest, second; /* when the last two came (ps) */
    uint32_t last;          /* the PE that came then */
    uint16_t routine;
    uint64_t bytes;
};

/* The slowest way between PEs of a set. O(PEs) for a new set. */
static struct way slowest_way(const struct replay *replay, const struct trace_set *set)
{
    int first = replay->threads[set_pe(set, 0)].node, before = first;
    struct way slowest = sim_machine_kind(replay->machine, first)->way;
    bool several = false;
    for (int64_t i = 1; i < set->size; i++) {
        int node = replay->threads[set_pe(set, i)].node;
        if (node == before)
            continue;
        const struct way *way = sim_machine_way(replay->machine, before, node);
        if (!several)
            slowest = *way;
        several = true;
        slowest.latency = later(way->latency, slowest.latency);
        slowest.overhead = later(way->overhead, slowest.overhead);
        slowest.per_byte = way->per_byte > slowest.per_byte ? way->per_byte : slowest.per_byte;
        before = node;
    }
    return slowest;
}

/* Sets when all others leave, and the PE that came last. That one leaves earlier, if it finds the
 * messages of the others. */
static void find_ends(struct replay *replay, const struct set_state *state,
                      enum collective collective, int64_t *others, int64_t *last)
{
    const struct collective_operation together = {replay->machine->collectives[collective],
                                                  &state->way, state->size, state->bytes};
    if (sim_collective_extrapolates(&together))
        replay->extrapolated += (uint64_t)state->size;
    int64_t time = sim_collective_time(replay->options.model, &together, false);
    *others = state->latest + time;
    *last = later(state->second + time,
                  state->latest + sim_collective_time(replay->options.model, &together, true));
}

/* ---- Threads ---- */

/* The thread of a PE that is in a collective call with a set, or -1. */
static int64_t thread_in(const struct replay *replay, uint32_t set, int64_t home)
{
    for (int64_t thread = home; thread >= 0; thread = sim_run_next(replay->run, thread))
        if (replay->threads[thread].state == THREAD_TOGETHER &&
            replay->threads[thread].blocked_on == set)
            return thread;
    return -1;
}

/* ---- Coming and leaving ---- */

/* When a PE enters a collective: after everything that a barrier completes. */
static int64_t arrival(const struct replay *replay, uint32_t thread, const struct op *op)
{
    int64_t time = replay->threads[thread].time, known = replay_home(replay, thread)->context.known;
    return op->flags & OP_QUIETS && known > time ? known : time;
}

static void come(struct replay *replay, const struct step *step, int64_t come);

/* Wakes another thread of the PE, if it has waited for its turn with the set, which has come. */
static void next_turn(struct replay *replay, uint32_t home, uint32_t set, int64_t time)
{
    uint32_t turn = ++*sim_thread_order_next(&replay->order, home, set);
    uint32_t thread = replay->order.turns[turn];
    const struct thread *self = &replay->threads[thread];
    if (self->state != THREAD_TURN || self->blocked_on != set || replay_pe(replay, thread) != home)
        return;
    const struct step step = replay_blocked(replay, thread);
    int64_t there = arrival(replay, thread, step.op);
    come(replay, &step, later(there, time));
    if (self->state == THREAD_TURN) /* it was the last one, and goes on at once */
        replay_make_ready(replay, thread);
}

static void release_all(struct replay *replay, struct set_state *state, const struct step *last)
{
    uint32_t number = last->op->peer;
    struct trace_set set = set_of(&replay->run->reader.sets, number);
    struct thread *latest = &replay->threads[state->last];
    int64_t others, own, latest_time = state->latest, compute = latest->path_compute;
    uint32_t came_last = state->last;
    uint32_t station =
        set.size > 1 ? path_station(&replay->paths, state->last, latest_time, latest->hop) : 0;
    bool threaded = false;
    find_ends(replay, state, last->op->flags / OP_COLLECTIVE, &others, &own);
    path_keep(&replay->paths, station);
    state->come = 0;
    for (int64_t i = 0; i < set.size; i++) {
        uint32_t home = (uint32_t)set_pe(&set, i), thread = home;
        if (home == replay_pe(replay, last->thread))
            thread = last->thread;
        else if (replay->threads[home].threaded)
            thread = (uint32_t)thread_in(replay, number, home);
        struct step step = thread == last->thread ? *last : replay_blocked(replay, thread);
        threaded = threaded || replay->threads[home].threaded;
        int64_t leaves = thread == came_last ? own : others;
        if (__builtin_expect(replay->libraries != NULL, 0))
            replay->libraries->of[home].trailing = state->way.first_interrupt;
        if (latest_time > arrival(replay, thread, step.op))
            replay_follow(replay, thread, compute, station);
        if (thread == last->thread)
            replay_finish(replay, &step, leaves, latest_time - step.start);
        else
            replay_release(replay, &step, leaves, latest_time - step.start);
    }
    path_drop(&replay->paths, station);
    for (int64_t i = 0; i < set.size && threaded; i++) {
        uint32_t home = (uint32_t)set_pe(&set, i);
        if (replay->threads[home].threaded)
            next_turn(replay, home, number, others);
    }
}

/* A thread enters a collective of a set. */
static void come(struct replay *replay, const struct step *step, int64_t come)
{
    uint32_t number = step->op->peer;
    struct set_state *state = memory_element(replay->sets, number, &replay->set_room);
    struct thread *self = &replay->threads[step->thread];
    if (state->size == 0) {
        const struct trace_set set = set_of(&replay->run->reader.sets, number);
        *state = (struct set_state){.size = set.size, .way = slowest_way(replay, &set)};
    }
    if (state->come > 0 && state->routine != step->op->routine) {
        struct trace_set set = set_of(&replay->run->reader.sets, number);
        replay->error = text_format(
            "PE %u calls %s while PE %u is in %s, both with %s; shmemtrace check tells which calls "
            "do not match",
            replay_pe(replay, step->thread), sim_run_routine(replay->run, step->op->routine),
            replay_pe(replay, state->last), sim_run_routine(replay->run, state->routine),
            set_name(&set));
        replay->found = true;
        return;
    }
    if (state->come == 0 || come > state->latest ||
        (come == state->latest && step->thread < state->last)) {
        state->second = state->come == 0 ? INT64_MIN / 2 : state->latest;
        state->latest = come;
        state->last = step->thread;
    } else {
        state->second = later(state->second, come);
    }
    if (state->come == 0 || step->op->bytes > state->bytes)
        state->bytes = step->op->bytes;
    state->routine = step->op->routine;
    if (++state->come == state->size) {
        release_all(replay, state, step);
        return;
    }
    self->state = THREAD_TOGETHER;
    self->blocked_on = number;
}

void replay_together(struct replay *replay, const struct step *step)
{
    struct thread *self = &replay->threads[step->thread];
    uint32_t number = step->op->peer;
    struct thread_order *order = &replay->order;
    if (__builtin_expect(self->threaded, 0) &&
        order->turns[*sim_thread_order_next(order, replay_pe(replay, step->thread), number)] !=
            step->thread) {
        self->state = THREAD_TURN;
        self->blocked_on = number;
        return;
    }
    come(replay, step, arrival(replay, step->thread, step->op));
}

int64_t replay_other(const struct replay *replay, int64_t pe, int64_t thread)
{
    for (int64_t other = pe; other >= 0; other = sim_run_next(replay->run, other))
        if (other != thread && replay->threads[other].state != THREAD_ENDED)
            return other;
    return -1;
}

int64_t replay_missing(const struct replay *replay, uint32_t thread)
{
    const struct thread *self = &replay->threads[thread];
    uint32_t number = self->blocked_on;
    struct trace_set set = set_of(&replay->run->reader.sets, number);
    if (self->state == THREAD_TURN) {
        uint32_t home = replay_pe(replay, thread);
        int64_t other = thread_in(replay, number, home);
        return other >= 0 ? other : replay_other(replay, home, thread);
    }
    int64_t i = 0;
    while (i + 1 < set.size && thread_in(replay, number, set_pe(&set, i)) >= 0)
        i++;
    int64_t other = replay_other(replay, set_pe(&set, i), -1);
    return other >= 0 ? other : set_pe(&set, i);
}
