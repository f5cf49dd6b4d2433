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

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

/* Of a block while it is in use. */
struct part {
    unsigned char *block; /* NULL: not in use */
    size_t bytes;
    int number; /* of the allocation */
};

/* Where blocks come from. */
struct supply {
    bool segment;
    unsigned char *(*take)(struct run *, const struct part *); /* NULL: there is no memory */
    void (*give)(struct run *, const struct part *);
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

static unsigned char *take_malloc(struct run *run, const struct part *part)
{
    (void)run;
    return shmem_malloc(part->bytes);
}

static void give_malloc(struct run *run, const struct part *part)
{
    (void)run;
    shmem_free(part->block);
}

static unsigned char *take_part(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    size_t offset = free_list_take(&state->list, part->bytes);
    return offset == FREE_LIST_NONE ? NULL : state->memory + offset;
}

static void give_part(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    free_list_give(&state->list, (size_t)(part->block - state->memory), part->bytes);
}

/* The language wants it: no PE goes on before all PEs have the block, or have given it back. */
static unsigned char *take_part_together(struct run *run, const struct part *part)
{
    unsigned char *block = take_part(run, part);
    shmem_barrier_all();
    return block;
}

static void give_part_together(struct run *run, const struct part *part)
{
    shmem_barrier_all();
    give_part(run, part);
}

/* The sequence without memory: what drawing it costs. */
static unsigned char *take_nothing(struct run *run, const struct part *part)
{
    (void)part;
    return run->state;
}

static void give_nothing(struct run *run, const struct part *part)
{
    (void)run;
    (void)part;
}

static const struct supply from_malloc = {false, take_malloc, give_malloc};
static const struct supply from_segment = {true, take_part, give_part};
static const struct supply from_segment_together = {true, take_part_together, give_part_together};
static const struct supply from_nowhere = {false, take_nothing, give_nothing};

static const struct supply *supply_of(const struct run *run)
{
    return run->function->variant;
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

static void give_back(struct run *run, const struct supply *supply, struct part *part)
{
    if (part->block)
        supply->give(run, part);
    part->block = NULL;
}

/* Visits parts at random: those in use are given back, the others taken, and at the end all are
 * given back. Once there is no memory nothing more is taken: false. */
static bool sequence(struct run *run, const struct supply *supply, int64_t allocations)
{
    struct segment_state *state = run->state;
    uint64_t draws = state->seed;
    bool good = true;
    if (supply->segment)
        free_list_start(&state->list, state->entries, (int)state->blocks, state->bytes);
    for (int64_t taken = 0; good && taken < allocations;) {
        struct part *part = &state->parts[random_up_to(&draws, (uint64_t)state->blocks - 1)];
        if (part->block) {
            give_back(run, supply, part);
            continue;
        }
        part->bytes = draw_size(&draws, (size_t)state->size);
        part->number = (int)taken++;
        part->block = supply->take(run, part);
        good = part->block != NULL;
    }
    for (int64_t i = 0; i < state->blocks; i++)
        give_back(run, supply, &state->parts[i]);
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
    if (supply_of(run)->segment)
        state->memory = shmem_malloc(state->bytes);
    if (supply_of(run)->segment && !state->memory)
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

static double time_of(struct run *run, const struct supply *supply, bool *good)
{
    const struct segment_state *state = run->state;
    int64_t start = timer_now();
    *good = sequence(run, supply, state->allocations);
    return run_elapsed(run, start, timer_now()) / (double)state->allocations;
}

static double draws_alone(struct run *run)
{
    bool good;
    return time_of(run, &from_nowhere, &good);
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

static unsigned char *take_counted(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    unsigned char *block = supply_of(run)->take(run, part);
    if (!block)
        return NULL;
    state->in_use += part->bytes;
    if (state->in_use > state->most_in_use)
        state->most_in_use = state->in_use;
    if (!state->low || block < state->low)
        state->low = block;
    if (block + part->bytes > state->high)
        state->high = block + part->bytes;
    return block;
}

static void give_counted(struct run *run, const struct part *part)
{
    struct segment_state *state = run->state;
    state->in_use -= part->bytes;
    supply_of(run)->give(run, part);
}

static double run_span(struct run *run)
{
    struct segment_state *state = run->state;
    const struct supply counted = {supply_of(run)->segment, take_counted, give_counted};
    state->in_use = state->most_in_use = 0;
    state->low = state->high = NULL;
    run_start(run);
    bool good = sequence(run, &counted, state->allocations);
    run_stop(run);
    return good ? (double)(state->high - state->low) : NAN;
}

static void note_span(struct run *run)
{
    const struct segment_state *state = run->state;
    if (run->rank == 0 && state->most_in_use > 0) {
        size_t span = (size_t)(state->high - state->low);
        run_note(run,
                 "fragmentation: at most %zu bytes are in use, and blocks span %.3g times that",
                 state->most_in_use, (double)span / (double)state->most_in_use);
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
static unsigned char *take_verified(struct run *run, const struct part *part)
{
    unsigned char *block = supply_of(run)->take(run, part), source[VERIFIED_BYTES];
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
    return block;
}

/* Checks that nobody has written to a block since it was filled, and gives it back. */
static void give_verified(struct run *run, const struct part *part)
{
    int tag = tag_of(run, part, (run->rank + run->size - 1) % run->size);
    size_t bytes = verified(part);
    data_verify(run, "a block in use", part->block + part->bytes - bytes, bytes, tag);
    if (part->bytes >= 2 * bytes)
        data_verify(run, "a block in use", part->block, bytes, tag);
    run_barrier(run);
    supply_of(run)->give(run, part);
}

static void fill(struct run *run)
{
    (void)run; /* blocks are filled as they are taken */
}

static bool verify(struct run *run)
{
    struct segment_state *state = run->state;
    const struct supply *supply = supply_of(run);
    const struct supply checked = {supply->segment, take_verified, give_verified};
    int64_t allocations = state->allocations;
    if (allocations > VERIFIED_ALLOCATIONS)
        allocations = VERIFIED_ALLOCATIONS;
    bool good = sequence(run, &checked, allocations);
    if (supply->segment && !free_list_is_whole(&state->list, state->bytes))
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
     .routine = "shmem_malloc shmem_free", .like = {&times}, .variant = WITH_SHMEM(&from_malloc),
     .timed = "malloc and free of a block, the mean of all", .cost = "allocate + free"},
    {"Shmem_Segment_Sequence", "the same sequence on a segment with a free list, without messages",
     .calls = "", .like = {&times}, .variant = WITH_SHMEM(&from_segment),
     .timed = "taking a block and giving it back, the mean of all"},
    {"Shmem_Segment_Sequence_Barrier",
     "the same sequence on a segment with a free list, with a barrier for each block taken or "
     "given back",
     .calls = "shmem_barrier_all", .like = {&times}, .variant = WITH_SHMEM(&from_segment_together),
     .timed = "taking a block and giving it back, with two barriers, the mean of all",
     .cost = "2 * barrier"},
    {"Shmem_Malloc_Sequence_Span",
     "memory in which a random sequence of malloc and free takes place",
     .routine = "shmem_malloc shmem_free", .like = {&spans}, .variant = WITH_SHMEM(&from_malloc)},
    {"Shmem_Segment_Sequence_Span", "memory of the segment that the same sequence needs",
     .calls = "", .like = {&spans}, .variant = WITH_SHMEM(&from_segment)},
    {.name = NULL},
};
