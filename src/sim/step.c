/* What every operation ends with: times, sums, and PEs that can go on. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"

void replay_follow(struct replay *replay, uint32_t number, int64_t compute, uint32_t hop)
{
    struct pe *pe = &replay->pes[number];
    path_keep(&replay->paths, hop);
    path_drop(&replay->paths, pe->hop);
    pe->hop = hop;
    pe->path_compute = compute;
}

struct step replay_blocked(const struct replay *replay, uint32_t pe)
{
    const struct stream *stream = &replay->streams.of[pe];
    return (struct step){pe, &stream->ops[stream->next - 1], replay->pes[pe].time};
}

int64_t *replay_served(struct replay *replay, uint32_t pe)
{
    if (__builtin_expect(!replay->served, 0))
        replay->served = memory_zeroed((size_t)replay->run->pes, sizeof *replay->served);
    return &replay->served[pe];
}

static struct pe_sum *sum_of(struct replay *replay, const struct step *step)
{
    struct pe_sum **sums = &replay->pe_sums[step->op->routine];
    if (!*sums)
        *sums = memory_zeroed((size_t)replay->run->pes, sizeof **sums);
    return &(*sums)[replay_pe(replay, step->pe)];
}

static inline bool moves_data(const struct op *op)
{
    return op->kind == OP_PUT || op->kind == OP_GET || op->kind == OP_ATOMIC ||
           op->kind == OP_FETCHES;
}

/* Lines that begin when their PE's first line has executed an operation. */
static void begin_lines(struct replay *replay, uint32_t first)
{
    const struct pe *parent = &replay->pes[first];
    uint32_t ordinal = replay_ordinal(replay, first),
             *next = &replay->thread_states[first].next_fork;
    while (*next < replay->threads.first_fork[first + 1] &&
           replay->threads.forks[*next].ordinal <= ordinal) {
        uint32_t line = replay->threads.forks[(*next)++].line;
        replay->pes[line].time = replay->thread_states[line].idle = parent->time;
        replay_follow(replay, line, parent->path_compute,
                      path_station(&replay->paths, first, parent->time, parent->hop));
        replay_make_ready(replay, line);
    }
}

void replay_finish(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    struct pe *pe = &replay->pes[step->pe];
    if (__builtin_expect(replay->answers_until != NULL, 0) && call_serves(op, step->pe)) {
        /* A call ends when the library has handled what has come. */
        if (serves_inside(replay, step->pe) && replay->handled[step->pe] > leaves)
            leaves = replay->handled[step->pe];
        replay->answers_until[step->pe] = leaves;
    }
    struct routine_sum *sum = &replay->sums[op->routine];
    uint64_t calls = op->kind == OP_REST || op->kind == OP_CYCLE ? 0 : 1;
    sum->calls += calls;
    sum->time += (double)(leaves - step->start);
    sum->waiting += (double)waited;
    if (__builtin_expect(replay->streams.simulated != NULL, 0))
        simulated_time(replay->streams.simulated, step->pe,
                       (size_t)(op - replay->streams.of[step->pe].ops), step->start, leaves,
                       op->kind == OP_FETCHES && pe->fetched ? waited : -1);
    pe->time = leaves;
    pe->waiting += waited;
    if (__builtin_expect(pe->threaded, 0) && step->pe < (uint32_t)replay->run->pes)
        begin_lines(replay, step->pe);
    bool off = false;
    if (moves_data(op)) {
        off = pe->node != replay->pes[op->peer].node;
        sum->moves[off]++;
        sum->bytes[off] += (double)op->bytes;
    }
    if (__builtin_expect(replay->per_pe, 0)) {
        struct pe_sum *own = sum_of(replay, step);
        own->calls += calls;
        own->time += leaves - step->start;
        if (moves_data(op)) {
            own->moves[off]++;
            own->bytes[off] += (double)op->bytes;
        }
    }
}

void replay_make_ready(struct replay *replay, uint32_t pe)
{
    replay->pes[pe].state = PE_READY;
    replay->pes[pe].next = replay->ready;
    replay->ready = pe + 1;
}

void replay_retry(struct replay *replay, uint32_t pe)
{
    replay_make_ready(replay, pe);
    replay->pes[pe].state = PE_ORDERED;
}

void replay_release(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    replay_finish(replay, step, leaves, waited);
    replay_make_ready(replay, step->pe);
}

void replay_too_late(struct replay *replay, uint32_t pe)
{
    if (!replay->error)
        replay->error =
            text_format("PE %u ends after more than %.0f days, which is more than can be "
                        "counted in ps: the description's times are too long for this "
                        "trace, or processors too slow",
                        pe, (double)LAST_TIME / PS_PER_SECOND / 86400);
}
