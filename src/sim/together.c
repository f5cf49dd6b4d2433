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

/* What messages between the PEs of a set cost at most. O(PEs) of a new set. */
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

/* When a PE has come: behind all that a barrier completes. */
static int64_t arrival(const struct pe *pe, const struct op *op)
{
    return op->flags & OP_QUIETS && pe->known > pe->time ? pe->known : pe->time;
}

static void release_all(struct replay *replay, struct set_state *state, const struct step *last)
{
    struct trace_set set = set_of(&replay->run->reader.sets, last->op->peer);
    struct pe *latest = &replay->pes[state->last];
    int64_t leaves = state->latest + cost(replay, state, last->op->flags / OP_COLLECTIVE);
    int64_t latest_time = state->latest, compute = latest->path_compute;
    uint32_t station =
        set.size > 1 ? path_station(&replay->paths, state->last, latest_time, latest->hop) : 0;
    path_keep(&replay->paths, station);
    state->come = 0;
    for (int64_t i = 0; i < set.size; i++) {
        uint32_t pe = (uint32_t)set_pe(&set, i);
        struct step step = pe == last->pe ? *last : replay_blocked(replay, pe);
        if (latest_time > arrival(&replay->pes[pe], step.op))
            replay_follow(replay, pe, compute, station);
        if (pe == last->pe)
            replay_finish(replay, &step, leaves, latest_time - step.start);
        else
            replay_release(replay, &step, leaves, latest_time - step.start);
    }
    path_drop(&replay->paths, station);
}

bool replay_together(struct replay *replay, const struct step *step)
{
    uint32_t number = step->op->peer;
    struct set_state *state = state_of(replay, number);
    struct pe *pe = &replay->pes[step->pe];
    int64_t come = arrival(pe, step->op);
    if (state->come > 0 && state->routine != step->op->routine) {
        struct trace_set set = set_of(&replay->run->reader.sets, number);
        replay->error = text_format(
            "PE %u calls %s while PE %u is in %s, both with %s; shmemtrace check tells which calls "
            "do not match",
            step->pe, run_routine(replay->run, step->op->routine), state->last,
            run_routine(replay->run, state->routine), set_name(&set));
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

int64_t replay_missing(const struct replay *replay, uint32_t pe)
{
    uint32_t number = replay->pes[pe].blocked_on;
    struct trace_set set = set_of(&replay->run->reader.sets, number);
    for (int64_t i = 0; i < set.size; i++) {
        int64_t other = set_pe(&set, i);
        const struct pe *member = &replay->pes[other];
        if (member->state != PE_TOGETHER || member->blocked_on != number)
            return other;
    }
    return -1;
}
