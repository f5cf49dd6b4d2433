/* What every call ends with: times, sums, and PEs that can go on; and what is open in contexts. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/state.h"
#include "sim/surplus.h"

void replay_follow(struct replay *replay, uint32_t number, int64_t compute, uint32_t hop)
{
    struct thread *self = &replay->threads[number];
    const struct hop *before = &replay->paths.hops[hop];
    if (__builtin_expect(replay->paths.profile != NULL, 0))
        sim_profile_follow(replay->paths.profile, number, self->time, before->thread,
                           before->until);
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
    const uint32_t ordinal = replay_ordinal(replay, first);
    uint32_t *left = &replay->thread_extras[first].to_begin;
    for (int64_t thread = first; *left > 0 && (thread = sim_run_next(replay->run, thread)) >= 0;) {
        if (replay->threads[thread].state != THREAD_BEGIN ||
            replay->order.extra[thread - replay->run->pes].fork > ordinal)
            continue;
        --*left;
        replay->threads[thread].time = replay->thread_extras[thread].idle = parent->time;
        replay_follow(replay, (uint32_t)thread, parent->path_compute,
                      path_station(&replay->paths, first, parent->time, parent->hop));
        replay_make_ready(replay, (uint32_t)thread);
    }
}

/* A call that took less than described says that its PE handles what has come faster, and the PE
 * which answered it, too: what their libraries handle and their interfaces send after `ends` is
 * over by so much earlier (ps). Otherwise what they still had to handle would add up over the calls
 * that follow. */
static void end_earlier(struct replay *replay, const struct step *step, int64_t ends, int64_t less)
{
    const struct op *op = step->op;
    const bool answered = op->kind == OP_GET || op->kind == OP_ATOMIC;
    const uint32_t pes[] = {replay_pe(replay, step->thread), op->peer};
    for (int i = 0; i < (answered ? 2 : 1); i++) {
        int64_t *busy[] = {&replay->libraries->of[pes[i]].busy, &replay->threads[pes[i]].interface};
        for (size_t k = 0; k < 2; k++)
            if (*busy[k] > ends)
                *busy[k] = later(ends, *busy[k] - less);
    }
}

void replay_finish(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    struct thread *self = &replay->threads[step->thread];
    const uint32_t pe = replay_pe(replay, step->thread);
    struct library *library =
        __builtin_expect(replay->libraries != NULL, 0) ? &replay->libraries->of[pe] : NULL;
    const bool serves = library && call_serves(op, pe);
    if (serves && serves_inside(replay, pe))
        leaves = later(leaves, library->busy); /* it first handles what has come */
    if (__builtin_expect(replay->options.surplus != NULL, 0)) {
        struct context_times *times = times_of(replay, step->thread, op->context);
        int64_t ends = surplus_end(replay, step, leaves, waited);
        if (times->known > ends && times->known <= leaves) /* it completes that earlier */
            times->known = ends;
        if (ends < leaves && library)
            end_earlier(replay, step, ends, leaves - ends);
        leaves = ends;
        waited = later(0, waited < leaves - step->start ? waited : leaves - step->start);
    }
    if (library)
        library->called = leaves;
    if (serves)
        library->attentive = later(library->attentive, leaves);
    add_call(&replay->sums[op->routine], replay, step, leaves, waited);
    if (__builtin_expect(replay->options.per_pe, 0)) {
        struct call_sum **sums = &replay->pe_sums[op->routine];
        if (!*sums)
            *sums = memory_zeroed((size_t)replay->run->pes, sizeof **sums);
        add_call(&(*sums)[pe], replay, step, leaves, waited);
    }
    if (__builtin_expect(replay->streams.simulated != NULL, 0))
        simulated_time(replay->streams.simulated, step->thread,
                       (size_t)(op - replay->streams.of[step->thread].ops), step->start, leaves,
                       op->kind == OP_FETCHES && self->fetched ? waited : -1);
    if (__builtin_expect(replay->paths.profile != NULL, 0))
        sim_profile_call(replay->paths.profile, step->thread, op->routine, step->start, leaves);
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

/* ---- What is open in contexts, and who waits for that ---- */

struct context_state *context_of(struct replay *replay, uint32_t thread, unsigned context)
{
    const uint32_t key[] = {replay_pe(replay, thread), context};
    size_t number = table_number(&replay->context_numbers, key, sizeof key);
    return memory_element(replay->contexts, number, &replay->context_room);
}

void context_fence(struct replay *replay, uint32_t thread, unsigned context)
{
    struct context_times *times = times_of(replay, thread, context);
    times->floor = later(times->floor, times->arrived);
}

struct open_operations *open_of(struct replay *replay, uint32_t thread, unsigned context)
{
    return context == 0 ? &replay->open[replay_pe(replay, thread)]
                        : &context_of(replay, thread, context)->open;
}

/* When nothing is open any more, threads of the PE look again whether their calls can be made. */
void context_ends(struct replay *replay, const struct operation *operation)
{
    if (--open_of(replay, operation->thread, operation->op.context)->count > 0)
        return;
    for (int64_t number = replay_pe(replay, operation->thread); number >= 0;
         number = sim_run_next(replay->run, number)) {
        struct thread *thread = &replay->threads[number];
        if (thread->state != THREAD_OPEN || thread->blocked_on != operation->op.context)
            continue;
        replay_make_ready(replay, (uint32_t)number);
        thread->state = THREAD_CALLS;
    }
}

/* A quiet completes all of its context, other calls all of the default one. A fence does not wait:
 * the floor of the context keeps what comes later after what came before. */
bool context_blocks(struct replay *replay, uint32_t number, const struct op *op)
{
    if (__builtin_expect(!replay->open, 1))
        return false;
    const unsigned context = op->kind == OP_QUIET ? op->context : 0;
    const bool completes = op->kind == OP_QUIET ||
                           (op->kind == OP_UNLOCK && !replay->machine->unlock_overtakes) ||
                           (op->kind == OP_TOGETHER && op->flags & OP_QUIETS);
    if (!completes || open_of(replay, number, context)->count == 0)
        return false;
    replay->threads[number].state = THREAD_OPEN;
    replay->threads[number].blocked_on = context;
    return true;
}
