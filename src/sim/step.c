/* What every operation ends with: times, sums, and PEs that can go on. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"
#include "sim/surplus.h"

void replay_follow(struct replay *replay, uint32_t number, int64_t compute, uint32_t hop)
{
    struct thread *self = &replay->threads[number];
    const struct hop *before = &replay->paths.hops[hop];
    if (__builtin_expect(replay->paths.profile != NULL, 0))
        profile_follow(replay->paths.profile, number, self->time, before->thread, before->until);
    path_keep(&replay->paths, hop);
    path_drop(&replay->paths, self->hop);
    self->hop = hop;
    self->path_compute = compute;
}

struct step replay_blocked(const struct replay *replay, uint32_t thread)
{
    const struct stream *stream = &replay->streams.of[thread];
    return (struct step){thread, &stream->ops[stream->next - 1], replay->threads[thread].time};
}

static struct call_sum *sum_of_pe(struct replay *replay, const struct step *step)
{
    struct call_sum **sums = &replay->pe_sums[step->op->routine];
    if (!*sums)
        *sums = memory_zeroed((size_t)replay->run->pes, sizeof **sums);
    return &(*sums)[replay_pe(replay, step->thread)];
}

static inline void add_call(struct call_sum *sum, const struct replay *replay,
                            const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    sum->calls += op->kind != OP_REST && op->kind != OP_CYCLE;
    sum->time += (double)(leaves - step->start);
    sum->waiting += (double)waited;
    if (!op_moves(op))
        return;
    bool off = replay->threads[step->thread].node != replay->threads[op->peer].node;
    sum->moves[off]++;
    sum->bytes[off] += (double)op->bytes;
}

/* Threads that begin when their PE's first thread has executed an operation. */
static void begin_threads(struct replay *replay, uint32_t first)
{
    const struct thread *parent = &replay->threads[first];
    uint32_t ordinal = replay_ordinal(replay, first),
             *next = &replay->thread_extras[first].next_fork;
    while (*next < replay->order.first_fork[first + 1] &&
           replay->order.forks[*next].ordinal <= ordinal) {
        uint32_t thread = replay->order.forks[(*next)++].thread;
        replay->threads[thread].time = replay->thread_extras[thread].idle = parent->time;
        replay_follow(replay, thread, parent->path_compute,
                      path_station(&replay->paths, first, parent->time, parent->hop));
        replay_make_ready(replay, thread);
    }
}

/* When a call ends: its library first handles what has come (ps). */
static int64_t end_call(struct replay *replay, const struct step *step, int64_t leaves)
{
    uint32_t pe = replay_pe(replay, step->thread);
    if (!call_serves(step->op, pe))
        return leaves;
    struct library *library = &replay->libraries->of[pe];
    if (serves_inside(replay, pe))
        leaves = later(leaves, library->busy);
    library->attentive = later(library->attentive, leaves);
    return leaves;
}

void replay_finish(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    struct thread *self = &replay->threads[step->thread];
    if (__builtin_expect(replay->surplus != NULL, 0))
        leaves = surplus_end(replay, step, leaves, waited);
    if (__builtin_expect(replay->libraries != NULL, 0))
        leaves = end_call(replay, step, leaves);
    add_call(&replay->sums[op->routine], replay, step, leaves, waited);
    if (__builtin_expect(replay->per_pe, 0))
        add_call(sum_of_pe(replay, step), replay, step, leaves, waited);
    if (__builtin_expect(replay->streams.simulated != NULL, 0))
        simulated_time(replay->streams.simulated, step->thread,
                       (size_t)(op - replay->streams.of[step->thread].ops), step->start, leaves,
                       op->kind == OP_FETCHES && self->fetched ? waited : -1);
    if (__builtin_expect(replay->paths.profile != NULL, 0))
        profile_call(replay->paths.profile, step->thread, op->routine, step->start, leaves);
    self->time = leaves;
    self->waiting += waited;
    if (__builtin_expect(self->threaded, 0) && step->thread < (uint32_t)replay->run->pes)
        begin_threads(replay, step->thread);
}

void replay_wake(struct replay *replay, uint32_t thread)
{
    replay->threads[thread].next = replay->ready;
    replay->ready = thread + 1;
}

void replay_make_ready(struct replay *replay, uint32_t thread)
{
    replay->threads[thread].state = THREAD_READY;
    replay_wake(replay, thread);
}

void replay_release(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    replay_finish(replay, step, leaves, waited);
    replay_make_ready(replay, step->thread);
}

void replay_too_late(struct replay *replay, uint32_t thread)
{
    if (!replay->error)
        replay->error =
            text_format("PE %u ends after more than %.0f days, which is more than can be "
                        "counted in ps: the description's times are too long for this "
                        "trace, or processors too slow",
                        thread, (double)LAST_TIME / PS_PER_SECOND / 86400);
}
