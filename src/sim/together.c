/* Collective calls: all PEs of a set leave together, when the last one has come. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

struct set_state {
    bool known;
    int64_t size, come;
    struct way way; /* the slowest between its PEs */
    int64_t latest;
    uint32_t last; /* the PE that came then */
    uint16_t routine;
    uint64_t bytes;
};

/* The slowest way between PEs of a set. O(PEs) for a new set. */
static struct way slowest_way(const struct replay *replay, const struct trace_set *set)
{
    int first = replay->pes[set_pe(set, 0)].node, before = first;
    struct way slowest = machine_kind(replay->machine, first)->inside;
    bool several = false;
    for (int64_t i = 1; i < set->size; i++) {
        int node = replay->pes[set_pe(set, i)].node;
        if (node == before)
            continue;
        const struct way *way = machine_way(replay->machine, before, node);
        if (!several)
            slowest = *way;
        several = true;
        slowest.latency = way->latency > slowest.latency ? way->latency : slowest.latency;
        slowest.overhead = way->overhead > slowest.overhead ? way->overhead : slowest.overhead;
        slowest.per_byte = way->per_byte > slowest.per_byte ? way->per_byte : slowest.per_byte;
        before = node;
    }
    return slowest;
}

static struct set_state *state_of(struct replay *replay, uint32_t number)
{
    while (number >= replay->set_room) {
        size_t room = 2 * replay->set_room + 8;
        replay->sets = memory_resize_array(replay->sets, room, sizeof *replay->sets);
        for (size_t i = replay->set_room; i < room; i++)
            replay->sets[i] = (struct set_state){0};
        replay->set_room = room;
    }
    struct set_state *state = &replay->sets[number];
    if (!state->known) {
        struct trace_set set = set_of(&replay->run->reader.sets, number);
        *state = (struct set_state){.known = true, .size = set.size};
        state->way = slowest_way(replay, &set);
    }
    return state;
}

static int64_t cost(struct replay *replay, const struct set_state *state,
                    enum collective collective)
{
    const struct together together = {
        .collective = collective,
        .rule = replay->machine->collectives[collective],
        .way = &state->way,
        .pes = state->size,
        .bytes = state->bytes,
    };
    if (collective_extrapolates(&together))
        replay->extrapolated += (uint64_t)state->size;
    return replay->model->collective(&together);
}

/* ---- Threads ---- */

/* The collective calls of a PE with one set that have ended. */
static uint32_t *turns_done(struct replay *replay, uint32_t home, uint32_t set)
{
    const struct {
        uint32_t home, set;
    } key = {home, set};
    size_t before = replay->turn_numbers.count,
           number = table_number(&replay->turn_numbers, &key, sizeof key);
    if (number >= replay->turn_room) {
        replay->turn_room = 2 * replay->turn_room + 16;
        replay->turns_done =
            memory_resize_array(replay->turns_done, replay->turn_room, sizeof(uint32_t));
    }
    if (number == before)
        replay->turns_done[number] = 0;
    return &replay->turns_done[number];
}

static uint32_t turn_of(const struct replay *replay, uint32_t line)
{
    return replay->threads.turns[replay->thread_states[line].next_turn];
}

/* The line of a PE that is in a collective call with a set, or -1. */
static int64_t line_in(const struct replay *replay, uint32_t set, int64_t home)
{
    for (int i = 0; i < run_threads(replay->run, (int)home); i++) {
        int line = run_line(replay->run, (int)home, i);
        const struct pe *pe = &replay->pes[line];
        if (pe->state == PE_TOGETHER && pe->blocked_on == set)
            return line;
    }
    return -1;
}

/* ---- Coming and leaving ---- */

/* When a PE enters a collective: after everything that a barrier completes. */
static int64_t arrival(const struct replay *replay, uint32_t line, const struct op *op)
{
    int64_t time = replay->pes[line].time, known = replay_home(replay, line)->known;
    return op->flags & OP_QUIETS && known > time ? known : time;
}

static bool come(struct replay *replay, const struct step *step, int64_t come);

/* Wakes another thread of the PE, which has waited for its turn with the set. */
static void next_turn(struct replay *replay, uint32_t home, uint32_t set, int64_t time)
{
    uint32_t done = ++*turns_done(replay, home, set);
    for (int i = 0; i < run_threads(replay->run, (int)home); i++) {
        uint32_t line = (uint32_t)run_line(replay->run, (int)home, i);
        const struct pe *pe = &replay->pes[line];
        if (pe->state != PE_TURN || pe->blocked_on != set || turn_of(replay, line) != done)
            continue;
        const struct step step = replay_blocked(replay, line);
        int64_t there = arrival(replay, line, step.op);
        /* If it is the last one, it goes on at once. */
        if (come(replay, &step, there > time ? there : time))
            replay_make_ready(replay, line);
        return;
    }
}

static void release_all(struct replay *replay, struct set_state *state, const struct step *last)
{
    uint32_t number = last->op->peer;
    struct trace_set set = set_of(&replay->run->reader.sets, number);
    struct pe *latest = &replay->pes[state->last];
    int64_t leaves = state->latest + cost(replay, state, last->op->flags / OP_COLLECTIVE);
    int64_t latest_time = state->latest, compute = latest->path_compute;
    uint32_t station =
        set.size > 1 ? path_station(&replay->paths, state->last, latest_time, latest->hop) : 0;
    bool threaded = false;
    path_keep(&replay->paths, station);
    state->come = 0;
    for (int64_t i = 0; i < set.size; i++) {
        uint32_t home = (uint32_t)set_pe(&set, i), line = home;
        if (home == replay_pe(replay, last->pe))
            line = last->pe;
        else if (replay->pes[home].threaded)
            line = (uint32_t)line_in(replay, number, home);
        struct step step = line == last->pe ? *last : replay_blocked(replay, line);
        threaded = threaded || replay->pes[home].threaded;
        if (replay->thread_states)
            replay->thread_states[line].next_turn++;
        if (latest_time > arrival(replay, line, step.op))
            replay_follow(replay, line, compute, station);
        if (line == last->pe)
            replay_finish(replay, &step, leaves, latest_time - step.start);
        else
            replay_release(replay, &step, leaves, latest_time - step.start);
    }
    path_drop(&replay->paths, station);
    for (int64_t i = 0; i < set.size && threaded; i++) {
        uint32_t home = (uint32_t)set_pe(&set, i);
        if (replay->pes[home].threaded)
            next_turn(replay, home, number, leaves);
    }
}

/* A line enters a collective of a set. False if it is blocked, or after an error. */
static bool come(struct replay *replay, const struct step *step, int64_t come)
{
    uint32_t number = step->op->peer;
    struct set_state *state = state_of(replay, number);
    struct pe *pe = &replay->pes[step->pe];
    if (state->come > 0 && state->routine != step->op->routine) {
        struct trace_set set = set_of(&replay->run->reader.sets, number);
        replay->error = text_format(
            "PE %u calls %s while PE %u is in %s, both with %s; shmemtrace check tells which calls "
            "do not match",
            replay_pe(replay, step->pe), run_routine(replay->run, step->op->routine),
            replay_pe(replay, state->last), run_routine(replay->run, state->routine),
            set_name(&set));
        replay->found = true;
        return false;
    }
    if (state->come == 0 || come > state->latest ||
        (come == state->latest && step->pe < state->last)) {
        state->latest = come;
        state->last = step->pe;
    }
    if (state->come == 0 || step->op->bytes > state->bytes)
        state->bytes = step->op->bytes;
    state->routine = step->op->routine;
    if (++state->come == state->size) {
        release_all(replay, state, step);
        return true;
    }
    pe->state = PE_TOGETHER;
    pe->blocked_on = number;
    return false;
}

bool replay_together(struct replay *replay, const struct step *step)
{
    struct pe *pe = &replay->pes[step->pe];
    uint32_t number = step->op->peer;
    if (__builtin_expect(pe->threaded, 0) &&
        turn_of(replay, step->pe) != *turns_done(replay, replay_pe(replay, step->pe), number)) {
        pe->state = PE_TURN;
        pe->blocked_on = number;
        return false;
    }
    return come(replay, step, arrival(replay, step->pe, step->op));
}

/* A line of a PE by which it can go on. */
static int64_t some_line(const struct replay *replay, int64_t home)
{
    for (int i = 0; i < run_threads(replay->run, (int)home); i++) {
        int line = run_line(replay->run, (int)home, i);
        if (replay->pes[line].state != PE_ENDED)
            return line;
    }
    return home;
}

int64_t replay_missing(const struct replay *replay, uint32_t line)
{
    const struct pe *pe = &replay->pes[line];
    uint32_t number = pe->blocked_on;
    struct trace_set set = set_of(&replay->run->reader.sets, number);
    if (pe->state == PE_TURN) {
        uint32_t home = replay_pe(replay, line);
        int64_t other = line_in(replay, number, home);
        if (other >= 0)
            return other;
        for (int i = 0; i < run_threads(replay->run, (int)home); i++) {
            other = run_line(replay->run, (int)home, i);
            if (other != line && replay->pes[other].state != PE_ENDED)
                return other;
        }
        return -1;
    }
    for (int64_t i = 0; i < set.size; i++) {
        int64_t other = set_pe(&set, i);
        if (line_in(replay, number, other) < 0)
            return some_line(replay, other);
    }
    return -1;
}
