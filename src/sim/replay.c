/* Executes the operations of all PEs. */
#include "sim/state.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/streams.h"
#include "sim/surplus.h"

#define SHOWN 16 /* PEs of a cycle in a deadlock */

/* ---- Executing ---- */

/* Whether the order of this operation and those of other threads matters. */
static inline bool is_ordered(const struct replay *replay, const struct thread *self,
                              const struct op *op)
{
    if (__builtin_expect(replay->libraries != NULL, 0))
        return op->kind != OP_START;
    switch ((enum op_kind)op->kind) {
    case OP_ATOMIC:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_FETCHES:
        return true;
    case OP_PUT:
    case OP_GET:
        return replay->options.contention == CONTENTION_FIFO || self->threaded;
    case OP_QUIET:
    case OP_FENCE:
    case OP_TOGETHER:
        return self->threaded; /* threads share what is open */
    default:
        return false;
    }
}

/* A call without cost. */
static void pass_by(struct replay *replay, const struct step *step)
{
    replay_finish(replay, step, step->start, 0);
}

/* shmem_init: time begins on all PEs at once, when the library has started. */
static void start(struct replay *replay, const struct step *step)
{
    struct thread *self = &replay->threads[step->thread];
    const struct stream *stream = &replay->streams.of[step->thread];
    struct step begun = *step;
    if (step->thread < (uint32_t)replay->run->pes &&
        stream->made - stream->count + stream->next == 1)
        begun.start = self->compute = self->path_compute = 0;
    pass_by(replay, &begun);
}

/* By enum op_kind. */
static void (*const execute[])(struct replay *, const struct step *) = {
    [OP_LOCAL] = pass_by,
    [OP_START] = start,
    [OP_PUT] = replay_operation,
    [OP_GET] = replay_operation,
    [OP_ATOMIC] = replay_operation,
    [OP_QUIET] = replay_quiet,
    [OP_FENCE] = replay_fence,
    [OP_TOGETHER] = replay_together,
    [OP_WAIT] = replay_wait,
    [OP_LOCK] = replay_lock,
    [OP_TRY_LOCK] = replay_try_lock,
    [OP_UNLOCK] = replay_unlock,
    [OP_FETCHES] = replay_wait,
    [OP_REST] = pass_by,
    [OP_CYCLE] = replay_wait,
};

static inline void compute(struct thread *self, int64_t burst)
{
    self->time += burst;
    self->compute += burst;
    self->path_compute += burst;
}

static bool has_ended(const struct replay *replay, int64_t thread)
{
    return replay->threads[thread].state == THREAD_ENDED;
}

/* A thread goes on at the time of another thread, if that is later than its own. */
static void go_on_after(struct replay *replay, uint32_t thread, uint32_t other)
{
    struct thread *self = &replay->threads[thread];
    const struct thread *ended = &replay->threads[other];
    if (ended->time <= self->time)
        return;
    replay_follow(replay, thread, ended->path_compute,
                  path_station(&replay->paths, other, ended->time, ended->hop));
    replay->thread_extras[thread].idle += ended->time - self->time;
    self->time = ended->time;
}

/* Whether all threads have ended for which a thread waits before an operation; *burst is then what
 * it computes afterwards (ps). */
static bool have_ended(struct replay *replay, uint32_t thread, const struct op *op, int64_t *burst)
{
    const struct stream *stream = &replay->streams.of[thread];
    const uint32_t ordinal = stream->made - (stream->count - stream->next);
    const int pes = replay->run->pes, home = sim_run_pe(replay->run, (int)thread),
              extra = sim_run_thread(replay->run, home, 1),
              end = extra + sim_run_threads(replay->run, home) - 1;
    uint32_t *left = &replay->thread_extras[thread].to_join;
    bool joins = *left > 0;
    for (int i = extra; joins && i < end; i++)
        if (replay->order.extra[i - pes].join <= ordinal && !has_ended(replay, i))
            return false;
    if (op->flags & OP_LAST && replay_other(replay, home, thread) >= 0)
        return false;
    for (int i = extra; joins && i < end; i++) {
        const struct extra_thread *join = &replay->order.extra[i - pes];
        bool *joined = &replay->thread_extras[i].joined;
        if (*joined || join->join > ordinal)
            continue;
        *joined = true;
        --*left;
        go_on_after(replay, thread, (uint32_t)i);
        *burst = join->burst < *burst ? join->burst : *burst;
    }
    for (int64_t i = home; i >= 0 && op->flags & OP_LAST; i = sim_run_next(replay->run, i))
        go_on_after(replay, thread, (uint32_t)i);
    return true;
}

/* Whether messages have taken time from a PE that has computed until now: then its call is so much
 * later. */
static bool is_interrupted(struct replay *replay, uint32_t number)
{
    struct thread *self = &replay->threads[number];
    int64_t lost = __builtin_expect(replay->libraries != NULL, 0) && self->state == THREAD_CALLS
                       ? sim_operation_lost(replay, replay_pe(replay, number))
                       : 0;
    if (lost == 0)
        return false;
    if (replay->options.comparison) {
        surplus_lost(replay, number, lost);
        return false;
    }
    compute(self, lost);
    queue_set(&replay->queue, number, self->time);
    return true;
}

/* Executes what a thread does until it is blocked, has ended, or its next call is an event. */
static void advance(struct replay *replay, uint32_t number)
{
    struct thread *self = &replay->threads[number];
    struct streams *streams = &replay->streams;
    for (;;) {
        const struct op *op = stream_peek(streams, (int)number);
        if (!op) {
            sim_operation_last(replay, number);
            self->state = THREAD_ENDED;
            for (int64_t i = replay_pe(replay, number); i >= 0; i = sim_run_next(replay->run, i))
                if (replay->threads[i].state == THREAD_JOIN) /* may wait for this end */
                    replay_make_ready(replay, (uint32_t)i);
            return;
        }
        if (self->state != THREAD_CALLS) {
            int64_t burst = op->burst;
            if (__builtin_expect(self->threaded, 0) && !have_ended(replay, number, op, &burst)) {
                self->state = THREAD_JOIN;
                return;
            }
            if (__builtin_expect(replay->options.surplus != NULL, 0))
                burst = surplus_burst(replay, number, burst);
            if (__builtin_expect(replay->libraries != NULL, 0))
                sim_operation_computes(replay, replay_pe(replay, number), burst);
            if (op->kind != OP_REST || !self->fetched)
                compute(self, burst);
            if (__builtin_expect(self->time > LAST_TIME, 0)) {
                replay_too_late(replay, number);
                return;
            }
            if (is_ordered(replay, self, op)) {
                self->state = THREAD_CALLS;
                queue_set(&replay->queue, number, self->time);
                return;
            }
        }
        if (is_interrupted(replay, number) || sim_operation_enter(replay, number, op))
            return;
        self->state = THREAD_READY;
        streams->of[number].next++;
        execute[op->kind](replay, &(struct step){number, op, self->time});
        if (self->state != THREAD_READY || replay->error)
            return;
    }
}

/* Before time goes on, transfers get new shares of their links. */
static void share_links(struct replay *replay)
{
    struct shares *shares = &replay->links.shares;
    uint32_t threads = (uint32_t)replay->run->thread_count;
    if (!sim_shares_are_old(shares) || queue_next(&replay->queue) <= replay->now)
        return;
    sim_shares_solve(shares, replay->now);
    for (size_t i = 0; i < shares->moved.count; i++)
        queue_set(&replay->queue, threads + shares->moved.of[i],
                  shares->flows[shares->moved.of[i]].end);
}

/* Threads that are ready go on; when there is none, the next event happens. */
static void execute_all(struct replay *replay)
{
    const uint32_t threads = (uint32_t)replay->run->thread_count;
    for (uint32_t i = (uint32_t)replay->run->pes; i-- > 0;)
        replay_make_ready(replay, i); /* other threads of a PE begin later */
    while (!replay->error && !replay->streams.error) {
        if (replay->ready) {
            uint32_t thread = replay->ready - 1, state = replay->threads[thread].state;
            replay->ready = replay->threads[thread].next;
            if (state == THREAD_WAITS || state == THREAD_UNDER_WAY)
                replay_goes_on(replay, thread);
            else
                advance(replay, thread);
            continue;
        }
        if (replay->waiting)
            share_links(replay);
        if (!replay->queue.count)
            return;
        const struct queued event = queue_take(&replay->queue);
        replay->now = event.time;
        if (event.number >= threads)
            sim_operation_event(replay, event.number - threads);
        else if (replay->threads[event.number].state == THREAD_ASKS)
            replay_lock_arrives(replay, event.number);
        else
            advance(replay, event.number);
    }
}

/* ---- Deadlocks: who waits for whom ---- */

/* The thread for which a blocked thread waits; -1 if the trace does not tell. */
static int64_t waits_on(const struct replay *replay, uint32_t thread)
{
    switch ((enum thread_state)replay->threads[thread].state) {
    case THREAD_TOGETHER:
    case THREAD_TURN:
        return replay_missing(replay, thread);
    case THREAD_WAITS:
        return replay->waits.slots[replay->threads[thread].blocked_on].writer;
    case THREAD_LOCK:
        return replay_holder(replay, thread);
    case THREAD_BEGIN:
        return replay_pe(replay, thread);
    case THREAD_JOIN:
        return replay_other(replay, replay_pe(replay, thread), thread);
    default:
        return -1;
    }
}

/* "PE 3", or "PE 3 thread 1" where PEs have several. */
static void add_thread(struct text *text, const struct replay *replay, uint32_t thread)
{
    text_append(text, "PE %" PRIu32, replay_pe(replay, thread));
    if (replay->threads[thread].threaded)
        text_append(text, " thread %d", sim_run_index(replay->run, (int)thread));
}

/* NULL: all threads have ended. */
static char *explain_deadlock(const struct replay *replay)
{
    const uint32_t threads = (uint32_t)replay->run->thread_count;
    struct text text = {0};
    uint64_t blocked = 0;
    int64_t first = 0, next;
    for (uint32_t i = threads; i-- > 0;)
        if (!has_ended(replay, i)) {
            blocked++;
            first = i;
        }
    if (!blocked)
        return NULL;
    bool *seen = memory_zeroed(threads, sizeof *seen);
    /* Follow the chain of waiting threads until it is inside the cycle, or ends. */
    for (; !seen[first] && (next = waits_on(replay, (uint32_t)first)) >= 0 &&
           !has_ended(replay, next);
         first = next)
        seen[first] = true;
    text_append(&text, "deadlock: %" PRIu64 " of %" PRIu32 " %s wait for ever", blocked, threads,
                replay->run->thread_count > replay->run->pes ? "threads" : "PEs");
    uint32_t thread = (uint32_t)first;
    for (int i = 0;; i++, thread = (uint32_t)next) {
        const struct thread *self = &replay->threads[thread];
        bool between = self->state == THREAD_BEGIN || self->state == THREAD_JOIN;
        next = waits_on(replay, thread);
        text_append(&text, "%s ", i ? ";" : ":");
        add_thread(&text, replay, thread);
        text_append(&text, " %s%s at %.9f s waits for ", between ? "between " : "in ",
                    between
                        ? "calls"
                        : sim_run_routine(replay->run, replay_blocked(replay, thread).op->routine),
                    (double)self->time / PS_PER_SECOND);
        if (next < 0) {
            text_append(&text, "nobody that the trace tells");
            break;
        }
        const bool ended = has_ended(replay, next), last = i + 1 == SHOWN;
        add_thread(&text, replay, (uint32_t)next);
        if (ended || next == first || last) {
            text_append(&text, "%s", ended ? ", which has ended" : next == first ? "" : "; ...");
            break;
        }
    }
    free(seen);
    return text_take(&text);
}

/* ---- Beginning and end ---- */

/* Puts the PEs on nodes, and sets the speed of the processors there. */
static void place(struct replay *replay, double *speed)
{
    const int pes = replay->run->pes;
    int *nodes = memory_zeroed((size_t)pes, sizeof *nodes);
    replay->error = sim_machine_place(replay->machine, pes, nodes);
    for (int i = 0; i < replay->run->thread_count && !replay->error; i++) {
        const int pe = sim_run_pe(replay->run, i);
        replay->threads[i].node = (uint32_t)nodes[pe] & MOST_NODE;
        replay->several = replay->several || nodes[pe] != nodes[0];
        speed[pe] = sim_machine_kind(replay->machine, nodes[pe])->ratio;
    }
    free(nodes);
}

/* docs/tools/shmemsim.md says so: with what struct run has of each PE; not what few runs need. */
_Static_assert(sizeof(struct thread) + sizeof(struct stream) + sizeof(struct queued) +
                       sizeof(double) + sizeof(float) + sizeof(uint64_t) + 3 * sizeof(uint32_t) +
                       sizeof(uint16_t) <
                   200,
               "a PE takes less than 200 bytes");

static void allocate(struct replay *replay)
{
    size_t threads = (size_t)replay->run->thread_count, routines = replay->run->names.count;
    replay->threads = memory_zeroed(threads, sizeof *replay->threads);
    for (int i = 0; i < replay->run->thread_count; i++)
        replay->threads[i].threaded = sim_run_threads(replay->run, sim_run_pe(replay->run, i)) > 1;
    replay->libraries =
        libraries_open(replay->machine, replay->options.model, (size_t)replay->run->pes);
    replay->connects = sim_machine_has(replay->machine).connecting || replay->options.comparison;
    if (replay->options.contention == CONTENTION_FAIR)
        replay->waiting = memory_zeroed(threads, sizeof *replay->waiting);
    if (replay->libraries || replay->waiting) {
        replay->open = memory_zeroed((size_t)replay->run->pes, sizeof *replay->open);
        replay->rests = memory_zeroed(threads, sizeof *replay->rests);
    }
    queue_grow(&replay->queue, threads);
    replay->sums = memory_zeroed(routines, sizeof *replay->sums);
    if (replay->options.per_pe)
        replay->pe_sums = memory_zeroed(routines, sizeof *replay->pe_sums);
}

void replay_close(struct replay *replay)
{
    for (size_t i = 0; replay->pe_sums && i < replay->run->names.count; i++)
        free(replay->pe_sums[i]);
    free(replay->pe_sums);
    free(replay->threads);
    free(replay->served);
    free(replay->thread_extras);
    queue_free(&replay->queue);
    free(replay->sums);
    free(replay->sets);
    free(replay->locks);
    free(replay->contexts);
    table_free(&replay->lock_numbers);
    table_free(&replay->context_numbers);
    free(replay->paths.hops);
    table_free(&replay->connected);
    links_close(&replay->links);
    libraries_close(replay->libraries);
    free(replay->waiting);
    free(replay->open);
    free(replay->rests);
    free(replay->operations.of);
    waits_free(&replay->waits);
    sim_thread_order_free(&replay->order);
    streams_close(&replay->streams);
    free(replay->error);
}

/* What orders threads, where there are some. */
static bool find_threads(struct replay *replay)
{
    const struct thread_order *order = &replay->order;
    if (replay->run->thread_count == replay->run->pes)
        return true;
    if (!sim_thread_order_find(&replay->order, &replay->streams))
        return false;
    replay->streams.extra = order->extra;
    replay->thread_extras =
        memory_zeroed((size_t)replay->run->thread_count, sizeof *replay->thread_extras);
    for (int thread = replay->run->pes; thread < replay->run->thread_count; thread++) {
        struct thread_extra *first = &replay->thread_extras[sim_run_pe(replay->run, thread)];
        first->to_begin++;
        first->to_join += order->extra[thread - replay->run->pes].join != NO_JOIN;
        replay->threads[thread].state = THREAD_BEGIN;
    }
    return true;
}

/* Begins the trace of the simulated run. Its hosts have the names of the machine's nodes. */
static void begin_simulated(struct replay *replay)
{
    struct simulated_trace *simulated = replay->streams.simulated;
    if (!simulated)
        return;
    char **hosts = memory_zeroed((size_t)replay->run->pes, sizeof *hosts),
         *library = text_format("shmemsim, model %s, contention %s", replay->options.model->name,
                                contention_names[replay->options.contention]);
    for (int i = 0; i < replay->run->pes; i++) {
        int node = (int)replay->threads[i].node;
        hosts[i] = text_format("%s-%d", sim_machine_kind(replay->machine, node)->name, node);
    }
    simulated_begin(simulated, replay->run, replay->streams.window, hosts, library);
    free(library);
}

/* Refuses a run in which PEs on different nodes have pointers to each other's memory. */
static void check_pointers(struct replay *replay)
{
    const struct table *pointed = &replay->streams.pointed;
    for (size_t i = 0; i < pointed->count && !replay->error && !replay->options.ignore_pointers;
         i++) {
        const int *pair = table_key(pointed, i);
        int nodes[] = {(int)replay->threads[pair[0]].node, (int)replay->threads[pair[1]].node};
        if (nodes[0] != nodes[1])
            replay->error = text_format(
                "%s: PE %d has a pointer to memory of PE %d (shmem_ptr), but they are on nodes %d "
                "and %d here, so what moved through it is missing; put them on one node, or give "
                "--ignore-pointers",
                sim_run_path(replay->run, pair[0]), pair[0], pair[1], nodes[0], nodes[1]);
    }
}

static bool conclude(struct replay *replay)
{
    if (!replay->error && replay->streams.error) {
        replay->error = replay->streams.error;
        replay->streams.error = NULL;
        replay->found = replay->streams.damaged;
    }
    if (!replay->error) {
        replay->error = explain_deadlock(replay);
        replay->found = replay->error;
    }
    check_pointers(replay);
    if (replay->streams.simulated && !replay->error) {
        const char *problem = simulated_end(replay->streams.simulated, &replay->threads[0].time,
                                            sizeof *replay->threads);
        replay->found = problem;
        replay->error = problem ? memory_text(problem) : NULL;
    }
    return !replay->error;
}

bool replay_run(struct replay *replay, struct run *run, const struct machine *machine,
                const struct replay_options *options)
{
    double *speed = memory_zeroed((size_t)run->pes, sizeof *speed);
    *replay = (struct replay){
        .run = run, .machine = machine, .options = *options, .paths.profile = options->profile};
    allocate(replay);
    links_open(&replay->links, machine, options->contention);
    place(replay, speed);
    streams_open(&replay->streams, run, speed);
    replay->streams.simulated = options->simulated;
    if (replay->options.comparison)
        streams_note_times(&replay->streams);
    if (replay->error)
        return false;
    begin_simulated(replay);
    if (waits_match(&replay->waits, &replay->streams) && find_threads(replay) &&
        streams_set_clocks(&replay->streams))
        execute_all(replay);
    return conclude(replay);
}
