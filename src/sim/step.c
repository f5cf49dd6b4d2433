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
    const uint32_t pes = (uint32_t)replay->run->pes, ordinal = replay_ordinal(replay, first);
    uint32_t *left = &replay->thread_extras[first].to_begin;
    for (int i = 1; *left > 0 && i < run_threads(replay->run, (int)first); i++) {
        uint32_t thread = (uint32_t)run_thread(replay->run, (int)first, i);
        if (replay->threads[thread].state != THREAD_BEGIN ||
            replay->order.extra[thread - pes].fork > ordinal)
            continue;
        --*left;
        replay->threads[thread].time = replay->thread_extras[thread].idle = parent->time;
        replay_follow(replay, thread, parent->path_compute,
                      path_station(&replay->paths, first, parent->time, parent->hop));
        replay_make_ready(replay, thread);
    }
}

/* The library that serves others during a call, or NULL. */
static struct library *library_in(const struct replay *replay, const struct step *step)
{
    uint32_t pe = replay_pe(replay, step->thread);
    bool serves = __builtin_expect(replay->libraries != NULL, 0) && call_serves(step->op, pe);
    return serves ? &replay->libraries->of[pe] : NULL;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the library of a PE handles and its interface sends after `at` is over by so much earlier,
 * but not before `at` (ps). */
static void over_earlier(struct replay *replay, uint32_t pe, int64_t at, int64_t less)
{
    int64_t *busy = &replay->libraries->of[pe].busy, *interface = &replay->threads[pe].interface;
    *busy = earlier(*busy, later(at, *busy - less));
    *interface = earlier(*interface, later(at, *interface - less));
}

/* A call that took less than described says that its PE handles what has come faster, and the PE
 * which answered it, too. Otherwise what they still had to handle would add up over the calls that
 * follow. */
static void end_earlier(struct replay *replay, const struct step *step, int64_t ends, int64_t less)
{
    const struct op *op = step->op;
    if (!replay->libraries)
        return;
    over_earlier(replay, replay_pe(replay, step->thread), ends, less);
    if (op->kind == OP_GET || op->kind == OP_ATOMIC)
        over_earlier(replay, op->peer, ends, less);
}

void replay_finish(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    struct thread *self = &replay->threads[step->thread];
    struct library *library = library_in(replay, step);
    if (library && serves_inside(replay, replay_pe(replay, step->thread)))
        leaves = later(leaves, library->busy); /* it first handles what has come */
    if (__builtin_expect(replay->surplus != NULL, 0)) {
        struct context_times *times = times_of(replay, step->thread, op->context);
        int64_t ends = surplus_end(replay, step, leaves, waited);
        if (times->known > ends && times->known <= leaves) /* it completes that earlier */
            times->known = ends;
        if (ends < leaves)
            end_earlier(replay, step, ends, leaves - ends);
        leaves = ends;
        waited = later(0, waited < leaves - step->start ? waited : leaves - step->start);
    }
    if (__builtin_expect(replay->libraries != NULL, 0))
        replay->libraries->of[replay_pe(replay, step->thread)].called = leaves;
    if (library)
        library->attentive = later(library->attentive, leaves);
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

/* ---- What is open in contexts, and who waits for that ---- */

struct context_key {
    uint32_t pe, context;
};

struct context_state *context_of(struct replay *replay, uint32_t thread, unsigned context)
{
    const struct context_key key = {replay_pe(replay, thread), context};
    size_t number = table_number(&replay->context_numbers, &key, sizeof key);
    memory_extend(replay->contexts, number, &replay->context_room);
    return &replay->contexts[number];
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

void context_begins(struct replay *replay, const struct operation *operation)
{
    open_of(replay, operation->thread, operation->op.context)->count++;
}

/* Threads of the PE look again whether their calls can be made. */
static void wake(struct replay *replay, const struct operation *operation)
{
    int pe = (int)replay_pe(replay, operation->thread);
    for (int i = 0; i < run_threads(replay->run, pe); i++) {
        uint32_t number = (uint32_t)run_thread(replay->run, pe, i);
        struct thread *thread = &replay->threads[number];
        if (thread->state != THREAD_OPEN || thread->blocked_on != operation->op.context)
            continue;
        replay_make_ready(replay, number);
        thread->state = THREAD_CALLS;
    }
}

void context_ends(struct replay *replay, const struct operation *operation)
{
    if (--open_of(replay, operation->thread, operation->op.context)->count == 0)
        wake(replay, operation);
}

/* Whether a call completes all of its context, or of the default one. */
static bool completes(const struct replay *replay, const struct op *op)
{
    return op->kind == OP_QUIET || (op->kind == OP_UNLOCK && !replay->machine->unlock_overtakes) ||
           (op->kind == OP_TOGETHER && op->flags & OP_QUIETS);
}

/* A fence does not wait: the floor of the context keeps what comes later after what came before. */
bool context_blocks(struct replay *replay, uint32_t number, const struct op *op)
{
    if (__builtin_expect(!replay->open, 1) || !completes(replay, op))
        return false;
    unsigned context = op->kind == OP_QUIET ? op->context : 0;
    if (open_of(replay, number, context)->count == 0)
        return false;
    replay->threads[number].state = THREAD_OPEN;
    replay->threads[number].blocked_on = context;
    return true;
}
