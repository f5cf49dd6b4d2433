/*
 * Symmetric memory: malloc, calloc, align, realloc and free. Each contains a barrier over all PEs
 * of the job, so that its time counts from the last PE's call: in a row, calls start as the barrier
 * in the one before lets PEs go; the _Synchro forms start a single call by the clock.
 */
#include <stdint.h>
#include <string.h>

#include "measurements/common/openshmem.h"
#include "measurements/common/shapes.h"

/* What a call asks for. */
struct request {
    size_t size, number; /* number blocks of size bytes (calloc), otherwise one */
    size_t alignment;
};

enum routine { MALLOC, CALLOC, ALIGN, REALLOC, FREE };

/* For functions without the parameter. The classic free is measured on a block of four bytes; an
 * alignment must be at least the size of a pointer. */
#define SMALL_BYTES 4

static struct request request_of(const struct run *run)
{
    struct request request = {.size = (size_t)run_integer(run, "size", SMALL_BYTES),
                              .number = (size_t)run_integer(run, "nb", 1),
                              .alignment = (size_t)run_integer(run, "alignment", LINE)};
    return request;
}

static size_t bytes_of(const struct request *request)
{
    return request->size * request->number;
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

/* Blocks timed in a row before all are freed again, untimed; fewer where they are larger than that
 * together. */
#define BURST 16
#define BURST_BYTES ((size_t)16 << 20)
/* Bytes of each block that set-up verifies. */
#define VERIFIED_BYTES 4096
#define DIRT 0xa5

struct bursts {
    struct request request;
    void *block[BURST];
};

static enum routine routine_of(const struct run *run)
{
    return *(const enum routine *)run->function->variant;
}

/* Bytes that are there before the call; 0: none. */
static size_t bytes_before(enum routine routine, const struct request *request)
{
    return routine == REALLOC ? (request->size + 1) / 2 : routine == FREE ? request->size : 0;
}

/* What is timed. The new block; NULL: there is no memory, or it was freed. */
static void *call_routine(enum routine routine, void *block, const struct request *request)
{
    void *larger;
    switch (routine) {
    case MALLOC:
        return shmem_malloc(request->size);
    case CALLOC:
        return shmem_calloc(request->number, request->size);
    case ALIGN:
        return shmem_align(request->alignment, request->size);
    case REALLOC:
        larger = shmem_realloc(block, request->size);
        if (!larger)
            shmem_free(block); /* what cannot grow is still there */
        return larger;
    case FREE:
        shmem_free(block);
        break;
    }
    return NULL;
}

/* ---- Verification ---- */

static size_t verified(size_t bytes)
{
    return bytes < VERIFIED_BYTES ? bytes : VERIFIED_BYTES;
}

/* Whether the block is zeroed, aligned or filled as the routine promises. */
static bool keeps_promise(enum routine routine, const unsigned char *block,
                          const struct request *request)
{
    bool zero = true;
    for (size_t i = 0; routine == CALLOC && i < bytes_of(request); i++)
        zero = zero && block[i] == 0;
    if (routine == ALIGN)
        return (uintptr_t)block % request->alignment == 0;
    return zero &&
           (routine != REALLOC || pattern_check(block, verified(bytes_before(routine, request)),
                                                (uint64_t)shmem_my_pe()));
}

/* What the PE before puts to the end of its own block must arrive here: the block is symmetric, and
 * no shorter than asked for. Collective over the set, also where something has failed already. */
static bool is_symmetric(struct run *run, unsigned char *block, size_t bytes)
{
    size_t part = verified(bytes), last = bytes - part;
    int next = (run->rank + 1) % run->size, before = (run->rank + run->size - 1) % run->size;
    unsigned char source[VERIFIED_BYTES];
    pattern_fill(source, part, data_key(run, run->rank));
    run_barrier(run);
    shmem_putmem(block + last, source, part, pe_set_member(run->set, next));
    shmem_quiet();
    run_barrier(run);
    return data_verify(run, "the data that the rank before put into its block", block + last, part,
                       before);
}

static bool no_memory(struct run *run)
{
    const struct bursts *bursts = run->state;
    return run_fail(run,
                    "no symmetric memory for %zu bytes: make the heap larger "
                    "(SHMEM_SYMMETRIC_SIZE) or ask for less",
                    bytes_of(&bursts->request));
}

static bool set_up(struct run *run)
{
    struct bursts *bursts = run->state;
    bursts->request = request_of(run);
    return true;
}

static void fill(struct run *run)
{
    const struct request *request = &((const struct bursts *)run->state)->request;
    if (bytes_before(routine_of(run), request) > 0)
        return;
    /* Memory that was just written: zeros are not there by chance. */
    void *block = shmem_malloc(bytes_of(request));
    if (block)
        memset(block, DIRT, bytes_of(request));
    shmem_free(block);
}

/* Checks that blocks are as the standard promises after the timed calls, too. */
static bool verify(struct run *run)
{
    enum routine routine = routine_of(run);
    const struct request *request = &((const struct bursts *)run->state)->request;
    size_t bytes = bytes_of(request), before = bytes_before(routine, request);
    unsigned char *block = before > 0 ? shmem_malloc(before) : NULL;
    if (before > 0 && !block)
        return no_memory(run);
    if (routine == FREE)
        is_symmetric(run, block, bytes);
    else if (before > 0)
        pattern_fill(block, verified(before), (uint64_t)shmem_my_pe());
    block = call_routine(routine, block, request);
    if (routine == FREE)
        return true;
    if (!block)
        return no_memory(run);
    if (!keeps_promise(routine, block, request))
        run_fail(
            run,
            "rank %d got a block that is not aligned, zeroed or filled as the routine promises",
            run->rank);
    is_symmetric(run, block, bytes);
    shmem_free(block);
    return true;
}

/* ---- Timing ---- */

/* Blocks that are there before the timed calls; false: not all of them. */
static bool prepare(struct run *run, int64_t count)
{
    struct bursts *bursts = run->state;
    size_t before = bytes_before(routine_of(run), &bursts->request);
    for (int64_t i = 0; i < count; i++) {
        bursts->block[i] = before > 0 ? shmem_malloc(before) : NULL;
        if (before > 0 && !bursts->block[i])
            return no_memory(run);
    }
    return true;
}

static void call(struct run *run, int64_t count)
{
    enum routine routine = routine_of(run);
    struct bursts *bursts = run->state;
    for (int64_t i = 0; i < count; i++)
        bursts->block[i] = call_routine(routine, bursts->block[i], &bursts->request);
}

/* Frees what the calls returned; false: not all of them returned memory. */
static bool release(struct run *run, int64_t count)
{
    struct bursts *bursts = run->state;
    bool good = true;
    for (int64_t i = 0; i < count; i++) {
        if (bursts->block[i])
            shmem_free(bursts->block[i]);
        else if (routine_of(run) != FREE)
            good = no_memory(run);
        bursts->block[i] = NULL;
    }
    return good;
}

/* Bursts of about the same length: a short last one would be hard to time. */
static double run_row(struct run *run)
{
    const struct bursts *blocks = run->state;
    int64_t most = (int64_t)(BURST_BYTES / bytes_of(&blocks->request)), all = run->iterations;
    most = most < 1 ? 1 : most < BURST ? most : BURST;
    int64_t bursts = (all + most - 1) / most;
    double seconds = 0;
    bool good = true;
    run_start(run);
    for (int64_t burst = 0; good && burst < bursts; burst++) {
        int64_t count = all / bursts + (burst < all % bursts);
        good = prepare(run, count);
        if (good) {
            shmem_barrier_all();
            int64_t start = timer_now();
            call(run, count);
            seconds += run_elapsed(run, start, timer_now());
        }
        good = release(run, count) && good;
    }
    run_stop(run);
    return good ? seconds / (double)all : NAN;
}

static double run_synchro(struct run *run)
{
    bool good = prepare(run, 1);
    int64_t started = run_start(run);
    if (good)
        call(run, 1);
    double seconds = run_elapsed(run, started, run_stop(run));
    return release(run, 1) && good ? seconds : NAN;
}

#endif

static const char *check(const struct run *run)
{
    struct request request = request_of(run);
    if (request.number > SIZE_MAX / request.size)
        return "nb times size is more than can be addressed";
    if (request.alignment & (request.alignment - 1))
        return "alignment must be a power of two";
    return memory_refusal(run);
}

static void demand(struct run *run)
{
    struct request request = request_of(run);
    run->demand.own = run->demand.reported = bytes_of(&request);
}

/* clang-format off */
#define SIZE {"size", PARAMETER_INT, "bytes", "size of the block", .size = true, .minimum = 1, .example = "1024"}
#define NUMBER {"nb", PARAMETER_INT, "", "number of blocks of that size in one piece", .minimum = 1, .example = "4"}
#define ALIGNMENT {"alignment", PARAMETER_INT, "bytes", "alignment of the block's address", .minimum = sizeof(void *), .allowed = "a power of two", .example = "64"}
/* clang-format on */

static const struct measurement in_a_row = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .who = "all",
    SHMEM_STATE(struct bursts),
    .check = check,
    .demand = demand,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_row),
};
static const struct measurement by_the_clock = {
    .timing = TIMING_WHOLE,
    .run = WITH_SHMEM(run_synchro),
    .like = {&in_a_row},
};

/* clang-format off */
static const struct measurement of_malloc = {.routine = "shmem_malloc", .timed = "malloc; free untimed", .cost = "allocate",
    .variant = &(const enum routine){MALLOC}};
static const struct measurement of_calloc = {.routine = "shmem_calloc", .timed = "calloc; free untimed", .cost = "allocate",
    .variant = &(const enum routine){CALLOC}};
static const struct measurement of_align = {.routine = "shmem_align", .timed = "align; free untimed", .cost = "allocate",
    .variant = &(const enum routine){ALIGN}};
static const struct measurement of_realloc = {.routine = "shmem_realloc", .cost = "allocate",
    .timed = "realloc; malloc of half the size and free untimed", .variant = &(const enum routine){REALLOC}};
static const struct measurement of_free = {.routine = "shmem_free", .timed = "free; malloc untimed", .cost = "free",
    .variant = &(const enum routine){FREE}};

const struct measurement measurements_memory[] = {
    {"Shmem_Malloc", "symmetric memory", {&in_a_row, &of_malloc}, .parameters = {ITERATIONS, SIZE}},
    {"Shmem_Malloc_Synchro", "symmetric memory, all PEs starting by the clock", {&by_the_clock, &of_malloc}, .parameters = {SIZE}},
    {"Shmem_Calloc", "zeroed symmetric memory", {&in_a_row, &of_calloc}, .parameters = {ITERATIONS, NUMBER, SIZE}},
    {"Shmem_Calloc_Synchro", "zeroed symmetric memory, all PEs starting by the clock", {&by_the_clock, &of_calloc}, .parameters = {NUMBER, SIZE}},
    {"Shmem_Align", "symmetric memory aligned to 64 bytes", {&in_a_row, &of_align}, .parameters = {ITERATIONS, SIZE}},
    {"Shmem_Align_To", "aligned symmetric memory", {&in_a_row, &of_align}, .parameters = {ITERATIONS, SIZE, ALIGNMENT}},
    {"Shmem_Align_Synchro", "aligned symmetric memory, all PEs starting by the clock", {&by_the_clock, &of_align}, .parameters = {SIZE, ALIGNMENT}},
    {"Shmem_Realloc", "a symmetric block growing to twice its size", {&in_a_row, &of_realloc}, .parameters = {ITERATIONS, SIZE}},
    {"Shmem_Realloc_Synchro", "a symmetric block growing to twice its size, all PEs starting by the clock", {&by_the_clock, &of_realloc}, .parameters = {SIZE}},
    {"Shmem_Free", "freeing a symmetric block of 4 bytes", {&in_a_row, &of_free}, .parameters = {ITERATIONS}},
    {"Shmem_Free_Size", "freeing a symmetric block", {&in_a_row, &of_free}, .parameters = {ITERATIONS, SIZE}},
    {"Shmem_Free_Synchro", "freeing a symmetric block, all PEs starting by the clock", {&by_the_clock, &of_free}, .parameters = {SIZE}},
    {.name = NULL},
};
/* clang-format on */
