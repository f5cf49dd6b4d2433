/*
 * Symmetric memory as a runtime can manage it: one segment that is sub-allocated by a free list,
 * against malloc and free of the library for each block. Both do the same sequence of allocations
 * and frees, which looks random and is the same on all PEs and in each repetition.
 */
#include "measurements/common/free_list.h"
#include "measurements/common/openshmem.h"
#include "measurements/common/shapes.h"

/* Bytes in use at most: more would leave too little of the symmetric heap for the engine. */
#define MOST_BYTES ((size_t)64 << 20)

static size_t segment_bytes(const struct run *run)
{
    return free_list_rounded((size_t)run_argument(run, "size")->integer) *
           (size_t)run_argument(run, "blocks")->integer;
}

/* Where blocks come from: nowhere, to find out what drawing the sequence costs. A language wants
 * that no PE goes on before all PEs have the block, or have given it back. */
enum supply { FROM_NOWHERE, FROM_MALLOC, FROM_SEGMENT, FROM_SEGMENT_TOGETHER };

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

/* Of a block while it is in use. */
struct part {
    unsigned char *block; /* NULL: not in use */
    size_t bytes;
    int number; /* of the allocation */
};

struct segment_state {
    int64_t size, blocks, allocations;
    uint64_t seed;
    struct part *parts;
    struct hole *entries;
    unsigned char *memory; /* the segment */
    size_t bytes;
    struct free_list list;
    size_t in_use, most_in_use; /* bytes asked for */
    unsigned char *low, *high;  /* what they lie between */
};

/* Verification looks at this many bytes at each end of a block, and makes this many allocations. */
#define VERIFIED_BYTES 2048
#define VERIFIED_ALLOCATIONS 128
#define SMALLEST 16

/* ---- Supplies ---- */

static enum supply supply_of(const struct run *run)
{
    return *(const enum supply *)run->function->variant;
}

/* NULL: there is no memory. */
static unsigned char *take(struct run *run, enum supply supply, size_t bytes)
{
    struct segment_state *state = run->state;
    if (supply == FROM_NOWHERE)
        return run->state;
    if (supply == FROM_MALLOC)
        return shmem_malloc(bytes);
    size_t offset = free_list_take(&state->list, bytes);
    if (supply == FROM_SEGMENT_TOGETHER)
        shmem_barrier_all();
    return offset == FREE_LIST_NONE ? NULL : state->memory + offset;
}

static void give(struct run *run, enum supply supply, const struct part *part)
{
    struct segment_state *state = run->state;
    if (supply == FROM_SEGMENT_TOGETHER)
        shmem_barrier_all();
    if (supply == FROM_MALLOC)
        shmem_free(part->block);
    else if (supply != FROM_NOWHERE)
        free_list_give(&state->list, (size_t)(part->block - state->memory), part->bytes);
}

/* ---- The sequence ---- */

/* Each power of two is as frequent as any other, so that small blocks are as frequent as large
 * ones. */
static size_t draw_size(uint64_t *draws, size_t largest)
{
    int doublings = 0;
    while ((size_t)SMALLEST << (doublings + 1) <= largest)
        doublings++;
    size_t from = (size_t)SMALLEST << random_up_to(draws, (uint64_t)doublings);
    size_t bytes = from + random_up_to(draws, from - 1);
    return bytes < largest ? bytes : largest;
}

/* Who looks at a part that was just taken, or is about to be given back. */
struct watch {
    void (*taken)(struct run *, const struct part *); /* without a block where there is no memory */
    void (*given)(struct run *, const struct part *);
};
static const struct watch nobody = {NULL, NULL};

static void give_back(struct run *run, enum supply supply, const struct watch *watch,
                      struct part *part)
{
    if (part->block && watch->given)
        watch->given(run, part);
    if (part->block)
        give(run, supply, part);
    part->block = NULL;
}

/* Visits parts at random: those in use are given back, the others taken, and at the end all are
 * given back. Once there is no memory nothing more is taken: false. */
static bool sequence(struct run *run, enum supply supply, int64_t allocations,
                     const struct watch *watch)
{
    struct segment_state *state = run->state;
    uint64_t draws = state->seed;
    bool good = true;
    if (supply >= FROM_SEGMENT)
        free_list_start(&state->list, state->entries, (int)state->blocks, state->bytes);
    for (int64_t taken = 0; good && taken < allocations;) {
        struct part *part = &state->parts[random_up_to(&draws, (uint64_t)state->blocks - 1)];
        if (part->block) {
            give_back(run, supply, watch, part);
            continue;
        }
        part->bytes = draw_size(&draws, (size_t)state->size);
        part->number = (int)taken++;
        part->block = take(run, supply, part->bytes);
        if (watch->taken)
            watch->taken(run, part);
        good = part->block != NULL;
    }
    for (int64_t i = 0; i < state->blocks; i++)
        give_back(run, supply, watch, &state->parts[i]);
    return good || run_fail(run,
                            "no symmetric memory for a block of at most %lld bytes: make the heap "
                            "larger (SHMEM_SYMMETRIC_SIZE) or ask for less",
                            (long long)state->size);
}

static bool set_up(struct run *run)
{
    struct segment_state *state = run->state;
    state->size = run_argument(run, "size")->integer;
    state->blocks = run_argument(run, "blocks")->integer;
    state->allocations = run_argument(run, "allocations")->integer;
    state->seed = (uint64_t)run_argument(run, "seed")->integer;
    state->bytes = segment_bytes(run);
    state->parts = run_allocate(run, (size_t)state->blocks, sizeof *state->parts);
    state->entries = run_allocate(run, (size_t)state->blocks + 1, sizeof *state->entries);
    if (supply_of(run) >= FROM_SEGMENT)
        state->memory = shmem_malloc(state->bytes);
    if (supply_of(run) >= FROM_SEGMENT && !state->memory)
        return run_fail(run,
                        "no symmetric memory for a segment of %zu bytes: make the heap larger "
                        "(SHMEM_SYMMETRIC_SIZE) or ask for less",
                        state->bytes);
    return true;
}

static void tear_down(struct run *run)
{
    struct segment_state *state = run->state;
    if (state->memory)
        shmem_free(state->memory);
}

/* ---- Timing ---- */

static double time_of(struct run *run, enum supply supply, bool *good)
{
    const struct segment_state *state = run->state;
    int64_t start = timer_now();
    *good = sequence(run, supply, state->allocations, &nobody);
    return run_elapsed(run, start, timer_now()) / (double)state->allocations;
}

static double draws_alone(struct run *run)
{
    bool good;
    return time_of(run, FROM_NOWHERE, &good);
}

static double run_sequence(struct run *run)
{
    bool good;
    run_start(run);
    shmem_barrier_all();
    double seconds = time_of(run, supply_of(run), &good);
    run_stop(run);
    return good ? seconds : NAN;
}

/* ---- Memory ---- */

static void count_taken(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    if (!part->block)
        return;
    state->in_use += part->bytes;
    if (state->in_use > state->most_in_use)
        state->most_in_use = state->in_use;
    if (!state->low || part->block < state->low)
        state->low = part->block;
    if (part->block + part->bytes > state->high)
        state->high = part->block + part->bytes;
}

static void count_given(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    state->in_use -= part->bytes;
}

static double run_span(struct run *run)
{
    struct segment_state *state = run->state;
    static const struct watch counted = {count_taken, count_given};
    state->in_use = state->most_in_use = 0;
    state->low = state->high = NULL;
    run_start(run);
    bool good = sequence(run, supply_of(run), state->allocations, &counted);
    run_stop(run);
    return good ? (double)(state->high - state->low) : NAN;
}

static void note_span(struct run *run)
{
    const struct segment_state *state = run->state;
    if (run->rank == 0 && state->most_in_use > 0) {
        size_t span = (size_t)(state->high - state->low);
        run_note(run, "fragmentation: at most %zu bytes are in use, and blocks span %s times that",
                 state->most_in_use, plain_number((double)span / (double)state->most_in_use).text);
    }
    tear_down(run);
}

/* ---- Verification ---- */

static size_t verified(const struct part *part)
{
    return part->bytes < VERIFIED_BYTES ? part->bytes : VERIFIED_BYTES;
}

static int tag_of(const struct run *run, const struct part *part, int rank)
{
    return part->number * run->size + rank;
}

/* Both ends, from the rank before: the block is symmetric, and no shorter than asked for. */
static void fill_taken(struct run *run, const struct part *part)
{
    unsigned char *block = part->block, source[VERIFIED_BYTES];
    int next = pe_set_member(run->set, (run->rank + 1) % run->size);
    size_t bytes = verified(part);
    run_barrier(run); /* the next rank has the block, too */
    if (block) {
        pattern_fill(source, bytes, data_key(run, tag_of(run, part, run->rank)));
        shmem_putmem(block + part->bytes - bytes, source, bytes, next);
        if (part->bytes >= 2 * bytes)
            shmem_putmem(block, source, bytes, next);
    }
    shmem_quiet();
    run_barrier(run);
}

/* Checks that nobody has written to a block since it was filled. */
static void verify_given(struct run *run, const struct part *part)
{
    int tag = tag_of(run, part, (run->rank + run->size - 1) % run->size);
    size_t bytes = verified(part);
    data_verify(run, "a block in use", part->block + part->bytes - bytes, bytes, tag);
    if (part->bytes >= 2 * bytes)
        data_verify(run, "a block in use", part->block, bytes, tag);
    run_barrier(run);
}

static void fill(struct run *run)
{
    (void)run; /* blocks are filled as they are taken */
}

static bool verify(struct run *run)
{
    struct segment_state *state = run->state;
    static const struct watch checked = {fill_taken, verify_given};
    int64_t allocations = state->allocations;
    if (allocations > VERIFIED_ALLOCATIONS)
        allocations = VERIFIED_ALLOCATIONS;
    bool good = sequence(run, supply_of(run), allocations, &checked);
    if (supply_of(run) >= FROM_SEGMENT && !free_list_is_whole(&state->list, state->bytes))
        return run_fail(run, "the segment is not whole again when all is freed");
    return good;
}

#endif

static const char *check(const struct run *run)
{
    size_t size = (size_t)run_argument(run, "size")->integer;
    size_t blocks = (size_t)run_argument(run, "blocks")->integer;
    if (size > MOST_BYTES || blocks > MOST_BYTES / free_list_rounded(size))
        return "blocks of that size may need more than 64 MiB together: ask for fewer or smaller "
               "ones";
    return memory_refusal(run);
}

static void demand(struct run *run)
{
    run->demand.own = segment_bytes(run);
    run->demand.reported = (size_t)run_argument(run, "size")->integer;
}

/* clang-format off */
#define SIZE {"size", PARAMETER_INT, "bytes", "size of the largest block", .size = true, .minimum = 16, .example = "4096"}
#define BLOCKS {"blocks", PARAMETER_INT, "", "blocks in use at the same time, at most", .minimum = 1, .example = "32", .allowed = "blocks of that size: at most 64 MiB together"}
#define ALLOCATIONS {"allocations", PARAMETER_INT, "", "length of the sequence", .minimum = 1, .example = "100"}
#define SEQUENCE_SEED {"seed", PARAMETER_INT, "", "another seed, another sequence", .minimum = 0, .example = "1", .otherwise = "1"}
/* clang-format on */

static const struct measurement sequences = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .parameters = {SIZE, BLOCKS, ALLOCATIONS, SEQUENCE_SEED},
    SHMEM_STATE(struct segment_state),
    .check = check,
    .demand = demand,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .who = "all",
};
static const struct measurement times = {
    .like = {&sequences},
    .run = WITH_SHMEM(run_sequence),
    .reference = WITH_SHMEM(draws_alone),
    .teardown = WITH_SHMEM(tear_down),
    .subtracted = "drawing the sequence",
};
static const struct measurement spans = {
    .like = {&sequences},
    .run = WITH_SHMEM(run_span),
    .teardown = WITH_SHMEM(note_span),
    .quantity = QUANTITY_BYTES,
    .timed = "bytes from the lowest to the highest byte ever in use",
};

const struct measurement measurements_segment[] = {
    {"Shmem_Malloc_Sequence", "a random sequence of malloc and free",
     .routine = "shmem_malloc shmem_free", .like = {&times},
     .variant = &(const enum supply){FROM_MALLOC},
     .timed = "malloc and free of a block, the mean of all", .cost = "allocate + free"},
    {"Shmem_Segment_Sequence", "the same sequence on a segment with a free list, without messages",
     .calls = "", .like = {&times}, .variant = &(const enum supply){FROM_SEGMENT},
     .timed = "taking a block and giving it back, the mean of all"},
    {"Shmem_Segment_Sequence_Barrier",
     "the same sequence on a segment with a free list, with a barrier for each block taken or "
     "given back",
     .calls = "shmem_barrier_all", .like = {&times},
     .variant = &(const enum supply){FROM_SEGMENT_TOGETHER},
     .timed = "taking a block and giving it back, with two barriers, the mean of all",
     .cost = "2 * barrier"},
    {"Shmem_Malloc_Sequence_Span",
     "memory in which a random sequence of malloc and free takes place",
     .routine = "shmem_malloc shmem_free", .like = {&spans},
     .variant = &(const enum supply){FROM_MALLOC}},
    {"Shmem_Segment_Sequence_Span", "memory of the segment that the same sequence needs",
     .calls = "", .like = {&spans}, .variant = &(const enum supply){FROM_SEGMENT}},
    {.name = NULL},
};
