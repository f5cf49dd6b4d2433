/*
 * Collectives made of one-sided operations, to compare with the library's and with MPI's: barrier,
 * broadcast, collect and reduction by the steps of made_plan.h.
 *
 * Each step is carried out by one of two means:
 *
 *   put      putmem, fence, and a put of the message's number; the receiver waits by wait_until
 *   pointer  the same as copies and stores through shmem_ptr; the receiver loads until it is there
 *
 * A call may follow another one without a barrier.
 */
#include "measurements/common/collective.h"
#include "measurements/common/made_plan.h"

#include <string.h>

#define TURNS 2 /* landing places: see made_plan.h */

/* Words of arguments. */
enum { BY_PUT, BY_POINTER };
enum { ASKED, READY };
enum { SEPARATE, IN_PLACE };

/* What tells the functions apart, after what all collectives share. */
struct made_routine {
    struct routine routine; /* first: the common hooks find it there */
    enum made_collective collective;
};

/* ---- Arguments ---- */

/* A segment is whole elements, one at least. */
static struct made_task task_of(const struct run *run)
{
    const struct made_routine *made = run->function->variant;
    size_t element = made->routine.element > 0 ? made->routine.element : 1;
    size_t bytes = (size_t)run_integer(run, "count", 0);
    size_t segment = (size_t)run_integer(run, "segment", 0);
    return (struct made_task){
        .collective = made->collective,
        .algorithm = made_find(made->collective, run_argument(run, "algorithm")->string),
        .size = run->size,
        .root = (int)run_integer(run, "root", 0),
        .elements = ROUND_UP(bytes, element) / element,
        .segment = ROUND_UP(segment, element) / element,
    };
}

/* Any set can be used, but barriers in between need an active set. */
static const char *check_made(const struct run *run)
{
    size_t size = (size_t)run->size;
    size_t most = PTRDIFF_MAX / 8 / TURNS / size;
    if ((size_t)run_integer(run, "count", 0) > most ||
        (size_t)run_integer(run, "segment", 0) > most)
        return "count or segment is more than can be addressed";
    struct made_task task = task_of(run);
    if (made_pieces(&task) > MADE_MOST_PIECES)
        return "count makes more than 65536 segments: choose a larger segment";
    return NULL;
}

static const char *check_separated(const struct run *run)
{
    const char *reason = check_made(run);
    return reason ? reason : collective_check(run);
}

/* ---- Memory: after that of the collectives, words, permissions, and landing places in turns ----
 */

/* Each word has a cache line: different PEs write to them. */
static size_t words_bytes(const struct made_needs *needs)
{
    return 2 * (size_t)needs->words * LINE;
}

static size_t landing_bytes(const struct made_needs *needs)
{
    return ROUND_UP(needs->landing * sizeof(long), LINE);
}

static void demand_made(struct run *run)
{
    struct made_task task = task_of(run);
    collective_demand(run);
    /* A loop over segments to ... ends where they are larger than any block may be. */
    run->demand.own = (size_t)run_integer(run, "segment", 0);
    struct made_needs needs = made_needs(&task);
    run->demand.scratch =
        ROUND_UP(run->demand.scratch, LINE) + words_bytes(&needs) + TURNS * landing_bytes(&needs);
}

struct made_state {
    struct collective_state collective; /* first: the common hooks find it there */
    struct made_task task;
    struct made_needs needs;
    struct made_plan plan;
    bool by_pointer, asks, in_place;
    long calls;
    long *words, *permissions;
    unsigned char *landing;
    int *pes;           /* of the ranks */
    ptrdiff_t *offsets; /* from a symmetric address to that of a rank's memory, by pointer */
    const unsigned char *filled; /* target that got data last, and calls on it since then */
    int64_t calls_since;
};

#if SKAMPI_SHMEM

#include <sched.h>
#include <shmem.h>
#include <stdlib.h>

static struct made_state *state_of(const struct run *run)
{
    return run->state;
}

/* ---- One call ---- */

/* A rank looks at a flag this many times before it yields: the sender may need this processor. */
#define LOADS_PER_YIELD 1000

static void *there(const struct made_state *state, void *symmetric, int rank)
{
    return (unsigned char *)symmetric + state->offsets[rank];
}

static void tell(const struct made_state *state, long *word, long number, int rank)
{
    if (state->by_pointer)
        __atomic_store_n((long *)there(state, word, rank), number, __ATOMIC_RELEASE);
    else
        shmem_long_p(word, number, state->pes[rank]);
}

static void await(const struct made_state *state, long *word, long number)
{
    if (!state->by_pointer)
        shmem_long_wait_until(word, SHMEM_CMP_GE, number);
    else
        for (unsigned turn = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) < number; turn++)
            if (turn % LOADS_PER_YIELD == 0)
                sched_yield();
}

static long *word_at(long *words, int word)
{
    return words + (size_t)word * (LINE / sizeof(long));
}

/* Where messages of this call land. */
static unsigned char *landing_of(const struct made_state *state, size_t element)
{
    return state->landing + (size_t)(state->calls % TURNS) * landing_bytes(&state->needs) +
           element * sizeof(long);
}

static long number_of(const struct made_state *state, const struct made_step *step)
{
    return (state->calls - 1) * state->needs.numbers + step->number;
}

static void send(const struct made_state *state, const struct collective_call *call,
                 const struct made_step *step)
{
    size_t element = call->routine->element, bytes = step->range.count * element;
    size_t first = step->range.first * element;
    bool from_source = state->task.collective == MADE_BROADCAST && call->rank == state->task.root;
    if (state->asks && step->permission >= 0)
        await(state, word_at(state->permissions, step->permission), state->calls);
    if (bytes > 0) {
        unsigned char *to = step->adds ? landing_of(state, step->landing) : call->target + first;
        const unsigned char *from = (from_source ? call->source : call->target) + first;
        if (state->by_pointer) {
            memcpy(there(state, to, step->rank), from, bytes);
        } else {
            shmem_putmem(to, from, bytes, state->pes[step->rank]);
            shmem_fence(); /* the number that follows must not be seen before */
        }
    }
    tell(state, word_at(state->words, step->word), number_of(state, step), step->rank);
}

/* Unsigned, so that sums of calls in place may overflow. */
static void add_to(unsigned long *restrict sums, const unsigned long *restrict values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += values[i];
}

static void receive(const struct made_state *state, const struct collective_call *call,
                    const struct made_step *step)
{
    await(state, word_at(state->words, step->word), number_of(state, step));
    if (step->adds)
        add_to((unsigned long *)(void *)call->target + step->range.first,
               (const unsigned long *)(void *)landing_of(state, step->landing), step->range.count);
}

/* What this rank brings is in its target, but for a broadcast; whoever may write there early is
 * told. */
static void enter(const struct made_state *state, const struct collective_call *call)
{
    bool collects = state->task.collective == MADE_COLLECT;
    size_t bytes = state->task.elements * call->routine->element;
    if (!state->in_place && (collects || state->task.collective == MADE_REDUCE) && bytes > 0)
        memcpy(call->target + (collects ? (size_t)call->rank * bytes : 0), call->source, bytes);
    for (size_t i = 0; state->asks && i < state->plan.count; i++) {
        const struct made_step *step = &state->plan.steps[i];
        if (!step->sends && step->permission >= 0)
            tell(state, word_at(state->permissions, step->permission), state->calls, step->rank);
    }
}

static void call_made(const struct collective_call *call)
{
    struct made_state *state = state_of(call->run);
    state->calls++;
    if (call->target == state->filled)
        state->calls_since++;
    enter(state, call);
    for (size_t i = 0; i < state->plan.count; i++) {
        const struct made_step *step = &state->plan.steps[i];
        if (step->sends)
            send(state, call, step);
        else
            receive(state, call, step);
    }
}

/* ---- Set-up ---- */

/* Of a rank's memory; false where loads and stores do not reach it. Symmetric memory is one piece,
 * so that one distance serves all of it. */
static bool find_offset(struct run *run, int rank)
{
    struct made_state *state = state_of(run);
    unsigned char *ends[] = {run->scratch, run->scratch + run->demand.scratch - 1, run->remote,
                             run->remote + run->demand.remote};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        unsigned char *found = shmem_ptr(ends[i], state->pes[rank]);
        if (!found)
            return run_fail(run,
                            "shmem_ptr gives PE %d no pointer to the memory of PE %d: use \"put\", "
                            "or PEs of one node (comm_node)",
                            shmem_my_pe(), state->pes[rank]);
        if (i > 0 && found - ends[i] != state->offsets[rank])
            return run_fail(run, "the symmetric memory of PE %d is not in one piece here",
                            state->pes[rank]);
        state->offsets[rank] = found - ends[i];
    }
    return true;
}

static bool find_pes(struct run *run)
{
    struct made_state *state = state_of(run);
    state->pes = run_allocate(run, (size_t)run->size, sizeof *state->pes);
    state->offsets = run_allocate(run, (size_t)run->size, sizeof *state->offsets);
    state->plan = made_plan(&state->task, run->rank);
    for (int rank = 0; rank < run->size; rank++)
        state->pes[rank] = pe_set_member(run->set, rank);
    bool good = true;
    for (size_t i = 0; good && state->by_pointer && i < state->plan.count; i++)
        good = find_offset(run, state->plan.steps[i].rank);
    return good;
}

static bool set_up(struct run *run)
{
    struct made_state *state = state_of(run);
    if (!collective_set_up(run))
        return false;
    state->task = task_of(run);
    state->needs = made_needs(&state->task);
    state->by_pointer = run_word(run, "by") == BY_POINTER;
    state->in_place = run_word(run, "buffers") == IN_PLACE;
    state->asks = run_find_argument(run, "target") && run_word(run, "target") == ASKED;
    state->landing = run->scratch + run->demand.scratch - TURNS * landing_bytes(&state->needs);
    state->words = (long *)(void *)(state->landing - words_bytes(&state->needs));
    state->permissions = word_at(state->words, state->needs.words);
    return find_pes(run);
}

static void tear_down(struct run *run)
{
    free(state_of(run)->plan.steps);
}

/* ---- Data ---- */

/* What a rank brings: its own block. */
static unsigned char *brought(const struct made_state *state, const struct collective_call *call)
{
    size_t bytes = state->task.elements * call->routine->element;
    if (!state->in_place)
        return call->source;
    return call->target + (state->task.collective == MADE_COLLECT ? (size_t)call->rank * bytes : 0);
}

static void fill_bytes(const struct collective_call *call)
{
    struct made_state *state = state_of(call->run);
    pattern_fill(brought(state, call), call->elements, data_key(call->run, call->rank));
}

/* The source of a call in place is none. */
static bool check_source(const struct collective_call *call)
{
    const struct made_state *state = state_of(call->run);
    return state->in_place
               ? data_verify_untouched(call->run, "the source, which a call in place does not use,",
                                       call->source, call->run->demand.local)
               : data_verify(call->run, "the source", call->source, call->elements, call->rank);
}

static bool check_broadcast(const struct collective_call *call)
{
    int root = state_of(call->run)->task.root;
    return check_source(call) &&
           (call->rank == root
                ? data_verify_untouched(call->run, "the root's own target", call->target,
                                        call->elements)
                : data_verify(call->run, "the target", call->target, call->elements, root));
}

static bool check_collect(const struct collective_call *call)
{
    bool good = check_source(call);
    for (int from = 0; good && from < call->size; from++)
        good = data_verify(call->run, "a block of the target",
                           call->target + (size_t)from * call->elements, call->elements, from);
    return good;
}

static unsigned long value_of(const struct run *run, int rank, size_t position)
{
    return (run->seed + (unsigned long)rank + 1) * 0x9e3779b97f4a7c15u + position * 0xd1342543u;
}

/* Of all ranks at a position. */
static unsigned long sum_of(const struct run *run, size_t position)
{
    unsigned long n = (unsigned long)run->size;
    return (run->seed * n + n * (n + 1) / 2) * 0x9e3779b97f4a7c15u + n * position * 0xd1342543u;
}

static void fill_longs(const struct collective_call *call)
{
    struct made_state *state = state_of(call->run);
    unsigned long *values = (unsigned long *)(void *)brought(state, call);
    for (size_t i = 0; i < call->elements; i++)
        values[i] = value_of(call->run, call->rank, i);
    state->filled = call->target;
    state->calls_since = 0;
}

static bool check_long(const struct collective_call *call, const char *what, size_t position,
                       unsigned long found, unsigned long wanted)
{
    return found == wanted ||
           run_fail(call->run,
                    "wrong data: element %zu of %s on PE %d (rank %d) is %#lx and should be %#lx",
                    position, what, shmem_my_pe(), call->rank, found, wanted);
}

/* In place, each call after the first one sums up equal sums. */
static bool check_longs(const struct collective_call *call)
{
    const struct made_state *state = state_of(call->run);
    const unsigned long *sums = (const unsigned long *)(const void *)call->target;
    const unsigned long *values = (const unsigned long *)(const void *)call->source;
    unsigned long factor = 1;
    bool good = true;
    if (state->in_place && call->target != state->filled && !call->run->untimed)
        return true; /* how many calls there were at that place is not known */
    for (int64_t i = 1; state->in_place && call->target == state->filled && i < state->calls_since;
         i++)
        factor *= (unsigned long)call->size;
    for (size_t i = 0; good && i < call->elements; i++) {
        good = check_long(call, "the result", i, sums[i], factor * sum_of(call->run, i));
        if (good && !state->in_place)
            good = check_long(call, "the source", i, values[i], value_of(call->run, call->rank, i));
    }
    return good;
}

#endif

/* ---- Descriptors ---- */

static const struct made_routine barrier = {.collective = MADE_BARRIER,
                                            .routine = {.call = WITH_SHMEM(call_made)}},
                                 broadcast = {.collective = MADE_BROADCAST,
                                              .routine = {.call = WITH_SHMEM(call_made),
                                                          .fill = WITH_SHMEM(fill_bytes),
                                                          .check = WITH_SHMEM(check_broadcast),
                                                          .element = 1}},
                                 collect = {.collective = MADE_COLLECT,
                                            .routine = {.call = WITH_SHMEM(call_made),
                                                        .fill = WITH_SHMEM(fill_bytes),
                                                        .check = WITH_SHMEM(check_collect),
                                                        .element = 1,
                                                        .target_of_all = true}},
                                 reduce = {.collective = MADE_REDUCE,
                                           .routine = {.call = WITH_SHMEM(call_made),
                                                       .fill = WITH_SHMEM(fill_longs),
                                                       .check = WITH_SHMEM(check_longs),
                                                       .element = sizeof(long)}};

/* clang-format off */
#define BY {"by", PARAMETER_STRING, "", "how data and their numbers are moved: put + wait_until, or stores and loads through shmem_ptr", .words = "put|pointer", .example = "put"}
#define BARRIER_ALGORITHM {"algorithm", PARAMETER_STRING, "", "who tells whom in which step", .words = "flat|binomial|recursive_doubling|dissemination|ring", .example = "dissemination"}
#define BROADCAST_ALGORITHM {"algorithm", PARAMETER_STRING, "", "who sends what to whom in which step", .words = "flat|binomial|scatter_allgather|ring", .example = "binomial"}
#define COLLECT_ALGORITHM {"algorithm", PARAMETER_STRING, "", "who sends what to whom in which step", .words = "flat|binomial|recursive_doubling|ring", .example = "ring"}
#define REDUCE_ALGORITHM {"algorithm", PARAMETER_STRING, "", "who sends what to whom in which step", .words = "flat|binomial|recursive_doubling|reduce_scatter_allgather|ring", .example = "recursive_doubling"}
#define BYTES {"count", PARAMETER_INT, "bytes", "data that the root sends, or each PE's block", .size = true, .example = "1024"}
#define LONGS {"count", PARAMETER_INT, "bytes", "data of each PE, rounded up to complete longs", .size = true, .example = "1024"}
#define SEGMENT {"segment", PARAMETER_INT, "bytes", "of a ring: a larger part goes on in pieces of that size (0: in one piece)", .otherwise = "8192", .example = "8192"}
#define BUFFERS {"buffers", PARAMETER_STRING, "", "where a PE's own data are: in a source of their own, or in the target", .words = "separate|in_place", .otherwise = "separate", .example = "separate"}
#define TARGET {"target", PARAMETER_STRING, "", "whether a PE waits until the next one says that its target is free, or the caller promises it, as the library's routines want", .words = "asked|ready", .otherwise = "asked", .example = "asked"}

static const struct measurement made = {
    .api = API_OPENSHMEM, .calls = "shmem_put shmem_fence shmem_long_p shmem_long_wait_until shmem_ptr", .who = "all",
    .check = check_made, .demand = demand_made, SHMEM_STATE(struct made_state), .setup = WITH_SHMEM(set_up), .teardown = WITH_SHMEM(tear_down)};
static const struct measurement in_a_row = {
    .like = {&made}, .timing = TIMING_WHOLE, .run = WITH_SHMEM(collective_loop), .timed = "%s"};
static const struct measurement by_the_clock = {
    .like = {&made}, .timing = TIMING_WHOLE, .run = WITH_SHMEM(collective_synchro), .timed = "%s"};
static const struct measurement separated = {
    .like = {&made}, .check = check_separated, .timing = TIMING_PARTS, .run = WITH_SHMEM(collective_loop),
    .reference = WITH_SHMEM(collective_barriers_alone), .subtracted = "a barrier, measured alone", .timed = "%s + barrier"};

static const struct measurement with_data = {.fill = WITH_SHMEM(collective_fill), .verify = WITH_SHMEM(collective_check_data)};
static const struct measurement broadcasting = {
    .like = {&with_data}, .variant = &broadcast, .moves = MOVES_TO_ALL,
    .parameters = {BROADCAST_ALGORITHM, BY, ITERATIONS, BYTES, ROOT, SEGMENT, TARGET}};
static const struct measurement collecting = {
    .like = {&with_data}, .variant = &collect, .moves = MOVES_BLOCKS,
    .parameters = {COLLECT_ALGORITHM, BY, ITERATIONS, BYTES, SEGMENT, BUFFERS, TARGET}};
static const struct measurement reducing = {
    .like = {&with_data}, .variant = &reduce, .moves = MOVES_REDUCED,
    .parameters = {REDUCE_ALGORITHM, BY, ITERATIONS, LONGS, SEGMENT, BUFFERS}};

const struct measurement measurements_made[] = {
    {"Shmem_Made_Barrier", "one barrier by one-sided operations", .like = {&by_the_clock}, .variant = &barrier, .word = "barrier",
     .no_data = true, .synchronizes = true, .parameters = {BARRIER_ALGORITHM, BY}},
    {"Shmem_Made_Barrier_Consecutive", "barriers by one-sided operations, in a row", .like = {&in_a_row}, .variant = &barrier, .word = "barrier",
     .no_data = true, .synchronizes = true, .parameters = {BARRIER_ALGORITHM, BY, ITERATIONS}},
    {"Shmem_Made_Broadcast_Consecutive", "broadcast by one-sided operations, in a row", .like = {&in_a_row, &broadcasting}, .word = "broadcast"},
    {"Shmem_Made_Broadcast_Barrier", "broadcast by one-sided operations, each followed by a barrier", .like = {&separated, &broadcasting}, .word = "broadcast"},
    {"Shmem_Made_Broadcast_Synchro", "broadcast by one-sided operations, once, all PEs starting by the clock", .like = {&by_the_clock, &broadcasting}, .word = "broadcast",
     .parameters = {BROADCAST_ALGORITHM, BY, BYTES, ROOT, SEGMENT, TARGET}},
    {"Shmem_Made_Collect_Consecutive", "blocks of all PEs, concatenated on all, by one-sided operations, in a row", .like = {&in_a_row, &collecting}, .word = "collect"},
    {"Shmem_Made_Collect_Barrier", "blocks of all PEs, concatenated on all, by one-sided operations, each followed by a barrier", .like = {&separated, &collecting}, .word = "collect"},
    {"Shmem_Made_Collect_Synchro", "blocks of all PEs, concatenated on all, by one-sided operations, once, all PEs starting by the clock", .like = {&by_the_clock, &collecting}, .word = "collect",
     .parameters = {COLLECT_ALGORITHM, BY, BYTES, SEGMENT, BUFFERS, TARGET}},
    {"Shmem_Made_Reduce_Sum_Long_Consecutive", "sum of longs over all PEs by one-sided operations, in a row", .like = {&in_a_row, &reducing}, .word = "reduce"},
    {"Shmem_Made_Reduce_Sum_Long_Barrier", "sum of longs over all PEs by one-sided operations, each followed by a barrier", .like = {&separated, &reducing}, .word = "reduce"},
    {"Shmem_Made_Reduce_Sum_Long_Synchro", "sum of longs over all PEs by one-sided operations, once, all PEs starting by the clock", .like = {&by_the_clock, &reducing}, .word = "reduce",
     .parameters = {REDUCE_ALGORITHM, BY, LONGS, SEGMENT, BUFFERS}},
    {.name = NULL},
};
/* clang-format on */
