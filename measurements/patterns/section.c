/*
 * Sections of arrays, put and got by the algorithms that runtimes of languages choose from, and
 * blocks at distances of their own on both sides (one dimension).
 */
#include <string.h>

#include "measurements/common/section_plan.h"
#include "measurements/common/shapes.h"

/* What a descriptor's .variant points to. */
struct section_kind {
    bool get;
    /* The section and how it is to be moved, from the arguments; NULL, or why not. */
    const char *(*read)(const struct run *, struct section *, enum section_algorithm *);
};

/* At the beginning of run->scratch; the data that are packed follow it. */
struct section_scratch {
    long arrived; /* turns that the other one of the pair has made its data ready for */
    long done;    /* ... and that it has finished */
    long unused[6];
    unsigned char packed[];
};

struct section_state {
    struct section section;
    enum section_algorithm algorithm;
    struct section_plan plan; /* of this repetition */
    struct section_plan pack, unpack;
    struct partner partner;
    int pe;    /* of the other one of the pair */
    long turn; /* of packing, so far: flags only grow */
};

/* ---- Arguments ---- */

static const char *read_section(const struct run *run, struct section *section,
                                enum section_algorithm *algorithm)
{
    const struct int_array *extents = run_argument(run, "extents")->array;
    const struct int_array *source = run_argument(run, "source_strides")->array;
    const struct int_array *target = run_argument(run, "target_strides")->array;
    *algorithm = (enum section_algorithm)run_word(run, "algorithm");
    if (source->count != extents->count || target->count != extents->count)
        return "extents, source_strides and target_strides must have an item for each dimension";
    return section_make(section, run_argument(run, "element_bytes")->integer,
                        extents->count > SECTION_DIMENSIONS ? SECTION_DIMENSIONS + 1
                                                            : (int)extents->count,
                        extents->items, source->items, target->items);
}

/* In the order of its words. */
static const enum section_algorithm way_algorithms[] = {SECTION_ELEMENTS, SECTION_LAST_DIMENSION,
                                                        SECTION_RUNS};

/* Blocks that follow each other: the second of two dimensions. */
static const char *read_strided(const struct run *run, struct section *section,
                                enum section_algorithm *algorithm)
{
    int64_t element = run_argument(run, "element_bytes")->integer;
    int64_t block = run_argument(run, "block")->integer;
    int64_t source = run_argument(run, "source_stride")->integer;
    int64_t target = run_argument(run, "target_stride")->integer;
    *algorithm = way_algorithms[run_word(run, "way")];
    if (element > 16 || (element & (element - 1)) != 0)
        return "element_bytes must be 1, 2, 4, 8 or 16";
    if (source < block || target < block)
        return "source_stride and target_stride must be at least block: blocks may not overlap";
    return section_make(section, element, 2,
                        (const int64_t[]){block, run_argument(run, "count")->integer},
                        (const int64_t[]){1, source}, (const int64_t[]){1, target});
}

static const char *check(const struct run *run)
{
    const struct section_kind *kind = run->function->variant;
    struct section section;
    enum section_algorithm algorithm;
    const char *reason = kind->read(run, &section, &algorithm);
    return reason ? reason : shape_check_pairs(run);
}

/* Loops to ... end by the larger side. */
static void demand_sides(struct run *run, size_t source, size_t target)
{
    const struct section_kind *kind = run->function->variant;
    run->demand.local = kind->get ? target : source;
    run->demand.remote = kind->get ? source : target;
    run->demand.own = source > target ? source : target;
}

static void demand_section(struct run *run)
{
    struct section section = {0};
    enum section_algorithm algorithm = SECTION_RUNS;
    if (read_section(run, &section, &algorithm))
        return; /* refused, or it would be */
    demand_sides(run, section_span(&section, SECTION_SOURCE),
                 section_span(&section, SECTION_TARGET));
    run->demand.reported = section_elements(&section) * section.element;
    if (algorithm == SECTION_PACK)
        run->demand.scratch = sizeof(struct section_scratch) + run->demand.reported;
}

/* Blocks with what is between them, also after the last one. */
static size_t strided_bytes(const struct run *run, const char *stride)
{
    size_t block = (size_t)run_argument(run, "block")->integer;
    size_t distance = (size_t)run_argument(run, stride)->integer;
    return (distance > block ? distance : block) * (size_t)run_argument(run, "count")->integer *
           (size_t)run_argument(run, "element_bytes")->integer;
}

static void demand_strided(struct run *run)
{
    demand_sides(run, strided_bytes(run, "source_stride"), strided_bytes(run, "target_stride"));
    run->demand.reported = (size_t)run_argument(run, "block")->integer *
                           (size_t)run_argument(run, "count")->integer *
                           (size_t)run_argument(run, "element_bytes")->integer;
}

#if SKAMPI_SHMEM

#include <shmem.h>
#include <stdlib.h>

#include "measurements/common/openshmem.h"

static bool gets(const struct run *run)
{
    return ((const struct section_kind *)run->function->variant)->get;
}

/* ---- The calls of a plan ---- */

/* The two sides of one operation. */
struct sides {
    unsigned char *target;
    const unsigned char *source;
};

/* What all places of this repetition are multiples of. */
static struct section_plan plan_of(const struct run *run)
{
    const struct section_state *state = run->state;
    size_t alignment = section_alignment((uintptr_t)run->local | (uintptr_t)run->remote |
                                         run->local_step | run->remote_step);
    return section_plan(&state->section, state->algorithm, alignment);
}

static inline void call_blocks(const struct section_calls *calls, block_function *block,
                               size_t count, struct sides at, int pe)
{
    for (size_t i = 0; i < calls->number; i++, at.target += calls->width, at.source += calls->width)
        block(at.target, at.source, count, pe);
}

static inline void call_strided(const struct section_plan *plan, const struct section_calls *calls,
                                strided_function *strided, struct sides at, int pe)
{
    /* The stride of a single element has no meaning, and need not be a multiple of anything. */
    bool one = plan->count < 2;
    ptrdiff_t to = one ? 1 : (ptrdiff_t)(plan->strides[SECTION_TARGET] / calls->width);
    ptrdiff_t from = one ? 1 : (ptrdiff_t)(plan->strides[SECTION_SOURCE] / calls->width);
    for (size_t i = 0; i < calls->number; i++, at.target += calls->width, at.source += calls->width)
        strided(at.target, at.source, to, from, plan->count, pe);
}

/* Every call of the plan; get: by the routines that get. */
static void make_calls(const struct section_plan *plan, bool get, struct sides sides, int pe)
{
    if (plan->empty)
        return;
    struct section_walk walk = section_first(plan);
    do {
        for (int i = 0; i < plan->kinds; i++) {
            const struct section_calls *calls = &plan->calls[i];
            struct sides at = {sides.target + walk.offsets[SECTION_TARGET] + calls->first,
                               sides.source + walk.offsets[SECTION_SOURCE] + calls->first};
            if (calls->routine == SECTION_MEM)
                call_blocks(calls, get ? shmem_getmem : shmem_putmem, calls->width, at, pe);
            else if (calls->routine == SECTION_BLOCK)
                call_blocks(calls, (get ? sized_get : sized_put)[size_log2(calls->width)], 1, at,
                            pe);
            else
                call_strided(plan, calls, (get ? sized_iget : sized_iput)[size_log2(calls->width)],
                             at, pe);
        }
    } while (section_next(&walk, 0));
}

/* ---- Packing: both PEs of the pair take part ---- */

static void tell(const struct run *run, long *flag)
{
    const struct section_state *state = run->state;
    shmem_fence(); /* what is packed or unpacked is there before the flag */
    shmem_long_p(flag, state->turn, state->pe);
}

static void await(const struct run *run, long *flag)
{
    const struct section_state *state = run->state;
    shmem_long_wait_until(flag, SHMEM_CMP_GE, state->turn);
}

/* A put packs, puts, and tells the target, which unpacks and says so. A get asks the owner to pack,
 * gets what it has packed, and unpacks. */
static void move_packed(const struct run *run, const struct section_plan *plan, struct sides sides)
{
    const struct section_state *state = run->state;
    struct section_scratch *scratch = (struct section_scratch *)(void *)run->scratch;
    struct sides packed = {scratch->packed, scratch->packed};
    bool get = gets(run);
    if (!state->partner.acting) {
        await(run, &scratch->arrived);
        section_copy(get ? &state->pack : &state->unpack, get ? packed.target : sides.target,
                     get ? sides.source : packed.source);
        tell(run, &scratch->done);
    } else if (get) {
        shmem_long_p(&scratch->arrived, state->turn, state->pe);
        await(run, &scratch->done);
        make_calls(plan, true, packed, state->pe);
        section_copy(&state->unpack, sides.target, packed.source);
    } else {
        section_copy(&state->pack, packed.target, sides.source);
        make_calls(plan, false, packed, state->pe);
        tell(run, &scratch->arrived);
        await(run, &scratch->done);
    }
}

/* ---- One operation ---- */

static void move(struct run *run, int64_t iteration)
{
    struct section_state *state = run->state;
    const struct section_plan *plan = &state->plan;
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    struct sides sides = gets(run) ? (struct sides){local, remote} : (struct sides){remote, local};
    if (state->algorithm == SECTION_PACK && !plan->empty) {
        state->turn++;
        move_packed(run, plan, sides);
        return;
    }
    make_calls(plan, gets(run), sides, state->pe);
    if (!gets(run))
        shmem_quiet();
}

/* Of those that are worked on, packing alone needs anything. */
static double run_moves(struct run *run)
{
    struct section_state *state = run->state;
    bool works = state->partner.acting;
    state->plan = plan_of(run);
    double seconds = time_iterations(
        run, works || (state->partner.source >= 0 && state->algorithm == SECTION_PACK), move);
    return works ? seconds : NAN;
}

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    const struct section_kind *kind = run->function->variant;
    struct section_state *state = run->state;
    char text[200];
    kind->read(run, &state->section, &state->algorithm);
    state->partner = shape_partner(run, SHAPE_HALF, run_argument(run, "pairs")->integer);
    int other = state->partner.acting ? state->partner.rank : state->partner.source;
    state->pe = other >= 0 ? pe_set_member(run->set, other) : -1;
    struct section packed = section_packed(&state->section, SECTION_TARGET);
    state->pack = section_plan(&packed, SECTION_RUNS, 1);
    packed = section_packed(&state->section, SECTION_SOURCE);
    state->unpack = section_plan(&packed, SECTION_RUNS, 1);
    const struct section_plan plan = plan_of(run);
    run_note(run, "calls: %s%s", section_calls_text(&plan, gets(run), text, sizeof text),
             plan.used != state->algorithm ? " (runs instead of what was asked for)" : "");
    return true;
}

/* ---- The data ---- */

static void fill(struct run *run)
{
    data_fill(run, gets(run), run->remote);
}

/* What the target's memory must be, made element by element: those of the source's pattern, and
 * poison in between. The caller frees it. */
static unsigned char *expected(const struct run *run, size_t bytes, int from)
{
    const struct section_state *state = run->state;
    const struct section *section = &state->section;
    size_t source_bytes = section_span(section, SECTION_SOURCE);
    size_t elements = section_elements(section);
    unsigned char *image = memory_allocate(bytes), *source = memory_allocate(source_bytes);
    data_poison(image, bytes);
    pattern_fill(source, source_bytes, data_key(run, from));
    for (size_t i = 0; i < elements; i++)
        memcpy(image + section_offset(section, SECTION_TARGET, i),
               source + section_offset(section, SECTION_SOURCE, i), section->element);
    free(source);
    return image;
}

static bool verify_target(struct run *run, const unsigned char *memory, size_t bytes, int from)
{
    if (from < 0)
        return data_verify_untouched(run, "memory that nothing is moved to", memory, bytes);
    unsigned char *image = expected(run, bytes, from);
    bool right = data_verify_equal(run, "the target of the section", memory, image, bytes);
    free(image);
    return right;
}

static bool verify(struct run *run)
{
    const struct section_state *state = run->state;
    const struct demand *all = &run->demand;
    int from = gets(run) ? state->partner.rank : state->partner.source;
    return gets(run) ? verify_target(run, run->local, all->local, from) &&
                           data_verify(run, "the source", run->remote, all->remote, run->rank)
                     : verify_target(run, run->remote, all->remote, from) &&
                           data_verify(run, "the source", run->local, all->local, run->rank);
}

#endif

/* clang-format off */
#define ALGORITHM {"algorithm", PARAMETER_STRING, "", "which calls move the section", .words = "runs|cascade|cascade_full|best_dimension|pack", .example = "cascade"}
#define ELEMENT_BYTES {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .example = "8"}
#define EXTENTS {"extents", PARAMETER_INT_ARRAY, "elements", "of each dimension; the first one varies fastest", .allowed = "1 to 15 numbers from 0", .example = "{4, 8}"}
#define SOURCE_STRIDES {"source_strides", PARAMETER_INT_ARRAY, "elements", "distance from one element to the next along each dimension, in the source", .allowed = "as many numbers as extents, such that no elements overlap", .example = "{1, 16}"}
#define TARGET_STRIDES {"target_strides", PARAMETER_INT_ARRAY, "elements", "the same in the target", .allowed = "as many numbers as extents, such that no elements overlap", .example = "{1, 32}"}

#define WAY {"way", PARAMETER_STRING, "", "which calls move the blocks", .words = "elements|iput|blocks", .example = "iput"}
#define ELEMENT_SIZE {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .maximum = 16, .allowed = "a power of two", .example = "8"}
#define BLOCK {"block", PARAMETER_INT, "elements", "elements of each block", .minimum = 1, .allowed = "at most both strides", .example = "1"}
#define COUNT {"count", PARAMETER_INT, "", "blocks moved by each operation", .example = "64"}
#define SOURCE_STRIDE {"source_stride", PARAMETER_INT, "elements", "from one block to the next, in the source", .minimum = 1, .allowed = "at least block", .example = "2"}
#define TARGET_STRIDE {"target_stride", PARAMETER_INT, "elements", "the same in the target", .minimum = 1, .allowed = "at least block", .example = "3"}
/* clang-format on */

static const struct measurement moves = {
    .api = API_OPENSHMEM,
    .timing = TIMING_WHOLE,
    .moves = MOVES_MESSAGE,
    .who = "the first rank of each pair",
    .minimum_pes = 2,
    SHMEM_STATE(struct section_state),
    .check = check,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_moves),
};
static const struct measurement of_section = {
    .parameters = {ALGORITHM, ELEMENT_BYTES, EXTENTS, SOURCE_STRIDES, TARGET_STRIDES,
                   ITERATIONS_OR_CHOSEN, PAIRS_AT_HALF},
    .demand = demand_section,
    .like = {&moves},
};
static const struct measurement of_blocks = {
    .parameters = {WAY, ELEMENT_SIZE, BLOCK, COUNT, SOURCE_STRIDE, TARGET_STRIDE,
                   ITERATIONS_OR_CHOSEN, PAIRS_AT_HALF},
    .demand = demand_strided,
    .like = {&moves},
};

const struct measurement measurements_section[] = {
    {"Shmem_Section_Put", "put of a section of an array until it is complete at the target",
     .calls = "shmem_put shmem_iput shmem_quiet shmem_long_p shmem_long_wait_until",
     .like = {&of_section},
     .variant = &(const struct section_kind){.get = false, .read = read_section},
     .timed = "the calls + quiet; pack: until the target has said that it has unpacked"},
    {"Shmem_Section_Get", "get of a section of an array",
     .calls = "shmem_get shmem_iget shmem_long_p shmem_long_wait_until", .like = {&of_section},
     .variant = &(const struct section_kind){.get = true, .read = read_section},
     .timed = "the calls; pack: from asking the owner to pack until all is unpacked"},
    {"Shmem_Strided_Put", "put of blocks at equal distances until it is complete at the target",
     .calls = "shmem_put shmem_iput shmem_quiet", .like = {&of_blocks},
     .variant = &(const struct section_kind){.get = false, .read = read_strided},
     .timed = "the calls + quiet"},
    {"Shmem_Strided_Get", "get of blocks at equal distances", .calls = "shmem_get shmem_iget",
     .like = {&of_blocks},
     .variant = &(const struct section_kind){.get = true, .read = read_strided},
     .timed = "the calls"},
    {.name = NULL},
};
