/*
 * Sections of arrays, put and got by the algorithms that runtimes of languages choose from, and
 * blocks at distances of their own on both sides (one dimension).
 */
#include "measurements/common/section_run.h"

#include <stdio.h>
#include <string.h>

/* ---- Arguments ---- */

static const char *no_such_word(const char *parameter, const char *const names[])
{
    static char text[160];
    int used = snprintf(text, sizeof text, "%s is one of", parameter);
    for (int i = 0; names[i] && used < (int)sizeof text; i++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s \"%s\"", i ? "," : "", names[i]);
    return text;
}

/* Its place among the names, -1: none of them. */
static int place_of(const char *word, const char *const names[])
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

static const char *read_section(const struct run *run, struct section *section,
                                enum section_algorithm *algorithm)
{
    const struct argument *extents = run_argument(run, "extents");
    const struct argument *source = run_argument(run, "source_strides");
    const struct argument *target = run_argument(run, "target_strides");
    int found = place_of(run_argument(run, "algorithm")->string, section_algorithm_names);
    if (found < 0)
        return no_such_word("algorithm", section_algorithm_names);
    *algorithm = (enum section_algorithm)found;
    if (source->integer != extents->integer || target->integer != extents->integer)
        return "extents, source_strides and target_strides must have an item for each dimension";
    return section_make(section, run_argument(run, "element_bytes")->integer,
                        extents->integer > SECTION_DIMENSIONS ? SECTION_DIMENSIONS + 1
                                                              : (int)extents->integer,
                        extents->array, source->array, target->array);
}

static const char *const ways[] = {"elements", "iput", "blocks", NULL};
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
    int found = place_of(run_argument(run, "way")->string, ways);
    if (found < 0)
        return no_such_word("way", ways);
    *algorithm = way_algorithms[found];
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
    return reason ? reason : half_pairs_refusal(run_argument(run, "pairs")->integer, run->set);
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

/* clang-format off */
#define ALGORITHM {"algorithm", PARAMETER_STRING, "", "which calls move the section", .allowed = "one of \"runs\", \"cascade\", \"cascade_full\", \"best_dimension\", \"pack\"", .example = "cascade"}
#define ELEMENT_BYTES {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .example = "8"}
#define EXTENTS {"extents", PARAMETER_INT_ARRAY, "elements", "of each dimension; the first one varies fastest", .allowed = "1 to 15 numbers from 0", .example = "{4, 8}"}
#define SOURCE_STRIDES {"source_strides", PARAMETER_INT_ARRAY, "elements", "distance from one element to the next along each dimension, in the source", .allowed = "as many numbers as extents, such that no elements overlap", .example = "{1, 16}"}
#define TARGET_STRIDES {"target_strides", PARAMETER_INT_ARRAY, "elements", "the same in the target", .allowed = "as many numbers as extents, such that no elements overlap", .example = "{1, 32}"}

#define WAY {"way", PARAMETER_STRING, "", "which calls move the blocks", .allowed = "one of \"elements\", \"iput\", \"blocks\"", .example = "iput"}
#define ELEMENT_SIZE {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .maximum = 16, .allowed = "a power of two", .example = "8"}
#define BLOCK {"block", PARAMETER_INT, "elements", "elements of each block", .minimum = 1, .allowed = "at most both strides", .example = "1"}
#define COUNT {"count", PARAMETER_INT, "", "blocks moved by each operation", .example = "64"}
#define SOURCE_STRIDE {"source_stride", PARAMETER_INT, "elements", "from one block to the next, in the source", .minimum = 1, .allowed = "at least block", .example = "2"}
#define TARGET_STRIDE {"target_stride", PARAMETER_INT, "elements", "the same in the target", .minimum = 1, .allowed = "at least block", .example = "3"}
/* clang-format on */

#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .timing = TIMING_WHOLE, .moves = MOVES_MESSAGE,                          \
    .who = "the first rank of each pair", .minimum_pes = 2, .check = check,                        \
    SHMEM_STATE(struct section_state), .setup = WITH_SHMEM(section_set_up),                        \
    .fill = WITH_SHMEM(section_fill), .verify = WITH_SHMEM(section_verify),                        \
    .run = WITH_SHMEM(section_run)
#define SECTION                                                                                    \
    COMMON, .demand = demand_section,                                                              \
            .parameters = {ALGORITHM,      ELEMENT_BYTES,        EXTENTS,      SOURCE_STRIDES,     \
                           TARGET_STRIDES, ITERATIONS_OR_CHOSEN, PAIRS_AT_HALF}
#define STRIDED                                                                                    \
    COMMON,                                                                                        \
        .demand = demand_strided,                                                                  \
        .parameters = {WAY,           ELEMENT_SIZE,         BLOCK,        COUNT, SOURCE_STRIDE,    \
                       TARGET_STRIDE, ITERATIONS_OR_CHOSEN, PAIRS_AT_HALF}

const struct measurement measurements_section[] = {
    {"Shmem_Section_Put", "put of a section of an array until it is complete at the target",
     .calls = "shmem_put shmem_iput shmem_quiet shmem_long_p shmem_long_wait_until", SECTION,
     .variant = &(const struct section_kind){.get = false, .read = read_section},
     .timed = "the calls + quiet; pack: until the target has said that it has unpacked"},
    {"Shmem_Section_Get", "get of a section of an array",
     .calls = "shmem_get shmem_iget shmem_long_p shmem_long_wait_until", SECTION,
     .variant = &(const struct section_kind){.get = true, .read = read_section},
     .timed = "the calls; pack: from asking the owner to pack until all is unpacked"},
    {"Shmem_Strided_Put", "put of blocks at equal distances until it is complete at the target",
     .calls = "shmem_put shmem_iput shmem_quiet", STRIDED,
     .variant = &(const struct section_kind){.get = false, .read = read_strided},
     .timed = "the calls + quiet"},
    {"Shmem_Strided_Get", "get of blocks at equal distances", .calls = "shmem_get shmem_iget",
     STRIDED, .variant = &(const struct section_kind){.get = true, .read = read_strided},
     .timed = "the calls"},
    {.name = NULL},
};
