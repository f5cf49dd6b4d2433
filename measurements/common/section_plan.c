/*
 * Which calls move a section of an array.
 */
#include "measurements/common/section_plan.h"

#include <stdio.h>
#include <string.h>

static const char *const side_names[] = {[SECTION_SOURCE] = "source", [SECTION_TARGET] = "target"};

/* ---- Sections ---- */

static char refusal[200];

/* Dimensions in the order of their strides on that side: returns how many have several elements. */
static int by_stride(const struct section *section, enum section_side side, int *order)
{
    int count = 0;
    for (int d = 0; d < section->dimensions; d++) {
        if (section->extents[d] < 2)
            continue;
        int at = count++;
        for (; at > 0 && section->strides[side][order[at - 1]] > section->strides[side][d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    return count;
}

/* Sections of arrays nest: a step along one dimension leads beyond all that lies along those with
 * smaller steps. */
static const char *check_side(const struct section *section, enum section_side side)
{
    int order[SECTION_DIMENSIONS], count = by_stride(section, side, order);
    size_t span = section->element;
    for (int i = 0; i < count; i++) {
        size_t stride = section->strides[side][order[i]], reach;
        if (stride < span) {
            snprintf(refusal, sizeof refusal,
                     "elements of the %s overlap: the stride of dimension %d must be at least %zu",
                     side_names[side], order[i] + 1,
                     (span + section->element - 1) / section->element);
            return refusal;
        }
        if (__builtin_mul_overflow(section->extents[order[i]] - 1, stride, &reach) ||
            __builtin_add_overflow(span, reach, &span) || span > PTRDIFF_MAX)
            return "the section is larger than what can be addressed";
    }
    return NULL;
}

static const char *set_dimension(struct section *section, int d, int64_t extent,
                                 const int64_t strides[])
{
    if (extent < 0) {
        snprintf(refusal, sizeof refusal, "the extent of dimension %d is %lld: give 0 or more",
                 d + 1, (long long)extent);
        return refusal;
    }
    section->extents[d] = (size_t)extent;
    for (int side = 0; side < SECTION_SIDES; side++) {
        if (strides[side] < 1) {
            snprintf(refusal, sizeof refusal,
                     "the %s's stride of dimension %d is %lld: give 1 or more", side_names[side],
                     d + 1, (long long)strides[side]);
            return refusal;
        }
        if (__builtin_mul_overflow((size_t)strides[side], section->element,
                                   &section->strides[side][d]))
            return "the section is larger than what can be addressed";
    }
    return NULL;
}

const char *section_make(struct section *section, int64_t element, int dimensions,
                         const int64_t *extents, const int64_t *source_strides,
                         const int64_t *target_strides)
{
    *section = (struct section){.element = (size_t)element, .dimensions = dimensions};
    if (dimensions < 1 || dimensions > SECTION_DIMENSIONS) {
        snprintf(refusal, sizeof refusal, "extents has %d dimensions: give 1 to %d", dimensions,
                 SECTION_DIMENSIONS);
        return refusal;
    }
    const char *reason = NULL;
    for (int d = 0; d < dimensions && !reason; d++)
        reason = set_dimension(section, d, extents[d],
                               (const int64_t[]){source_strides[d], target_strides[d]});
    for (int side = 0; side < SECTION_SIDES && !reason; side++)
        reason = check_side(section, (enum section_side)side);
    return reason;
}

size_t section_elements(const struct section *section)
{
    size_t count = 1;
    for (int d = 0; d < section->dimensions; d++)
        count *= section->extents[d];
    return count;
}

size_t section_span(const struct section *section, enum section_side side)
{
    size_t span = section->element;
    for (int d = 0; d < section->dimensions; d++) {
        if (section->extents[d] == 0)
            return 0;
        span += (section->extents[d] - 1) * section->strides[side][d];
    }
    return span;
}

size_t section_offset(const struct section *section, enum section_side side, size_t i)
{
    size_t offset = 0;
    for (int d = 0; d < section->dimensions; d++) {
        offset += i % section->extents[d] * section->strides[side][d];
        i /= section->extents[d];
    }
    return offset;
}

struct section section_packed(const struct section *section, enum section_side side)
{
    struct section packed = *section;
    size_t stride = section->element;
    for (int d = 0; d < section->dimensions; d++) {
        packed.strides[side][d] = stride;
        stride *= section->extents[d];
    }
    return packed;
}

size_t section_alignment(uintptr_t bits)
{
    size_t alignment = SECTION_WIDEST;
    while (bits % alignment != 0)
        alignment /= 2;
    return alignment;
}

/* ---- Plans ---- */

static void add_calls(struct section_plan *plan, enum section_routine routine, size_t width,
                      size_t first, size_t number)
{
    if (number > 0)
        plan->calls[plan->kinds++] = (struct section_calls){routine, width, first, number};
}

/* All dimensions from the first one on are loops, except one. */
static void add_loops(struct section_plan *plan, const struct section *section, int first,
                      int except)
{
    for (int d = first; d < section->dimensions; d++) {
        if (d == except)
            continue;
        plan->times[plan->loops] = section->extents[d];
        for (int side = 0; side < SECTION_SIDES; side++)
            plan->steps[side][plan->loops] = section->strides[side][d];
        plan->loops++;
    }
}

/* Each strided call moves what lies along that dimension; without one, a single element. */
static void go_along(struct section_plan *plan, const struct section *section, int d)
{
    bool exists = d < section->dimensions;
    plan->count = exists ? section->extents[d] : 1;
    for (int side = 0; side < SECTION_SIDES; side++)
        plan->strides[side] = exists ? section->strides[side][d] : section->element;
}

/* Blocks of contiguous bytes: how many bytes each has, and the first dimension along which they
 * follow each other. */
static size_t block_of(const struct section *section, int *next)
{
    bool contiguous = section->strides[SECTION_SOURCE][0] == section->element &&
                      section->strides[SECTION_TARGET][0] == section->element;
    *next = contiguous ? 1 : 0;
    return section->element * (contiguous ? section->extents[0] : 1);
}

static void plan_runs(struct section_plan *plan, const struct section *section)
{
    int next;
    size_t block = block_of(section, &next);
    plan->used = SECTION_RUNS;
    add_calls(plan, SECTION_MEM, block, 0, 1);
    add_loops(plan, section, next, -1);
}

/* The alignment of all places at which calls of a plan begin: a number that they are multiples of.
 * The stride of a dimension with a single element is never used. */
static size_t allowed_width(const struct section *section, int first, size_t alignment)
{
    uintptr_t bits = alignment;
    for (int d = first; d < section->dimensions; d++)
        for (int side = 0; side < SECTION_SIDES && section->extents[d] > 1; side++)
            bits |= section->strides[side][d];
    return section_alignment(bits);
}

/* False where bytes would remain that no call of at least that width moves. */
static bool plan_cascade(struct section_plan *plan, const struct section *section, size_t alignment,
                         size_t narrowest)
{
    int next;
    size_t block = block_of(section, &next), width = allowed_width(section, next, alignment);
    if (block % narrowest != 0 || width < narrowest)
        return false;
    size_t done = 0;
    for (; width >= narrowest; width /= 2) {
        size_t number = (block - done) / width;
        add_calls(plan, SECTION_STRIDED, width, done, number);
        done += number * width;
    }
    go_along(plan, section, next);
    add_loops(plan, section, next, next);
    return true;
}

/* An element is moved in one piece, or in as few as its size and its place allow. */
static void plan_along(struct section_plan *plan, const struct section *section, size_t alignment,
                       int dimension)
{
    size_t width = section_alignment(section->element | alignment);
    add_calls(plan, SECTION_STRIDED, width, 0, section->element / width);
    go_along(plan, section, dimension);
    add_loops(plan, section, 0, dimension);
}

/* Calls are all elements by those along the dimension. */
static int longest(const struct section *section)
{
    int best = 0;
    for (int d = 1; d < section->dimensions; d++)
        if (section->extents[d] > section->extents[best])
            best = d;
    return best;
}

struct section_plan section_plan(const struct section *section, enum section_algorithm algorithm,
                                 size_t alignment)
{
    size_t width = section_alignment(section->element | alignment);
    struct section_plan plan = {.used = algorithm, .empty = section_elements(section) == 0};
    if (plan.empty)
        return plan;
    switch (algorithm) {
    case SECTION_RUNS:
        plan_runs(&plan, section);
        break;
    case SECTION_CASCADE:
        if (!plan_cascade(&plan, section, alignment, 4))
            plan_runs(&plan, section);
        break;
    case SECTION_CASCADE_FULL:
        plan_cascade(&plan, section, alignment, 1);
        break;
    case SECTION_BEST_DIMENSION:
        plan_along(&plan, section, alignment, longest(section));
        break;
    case SECTION_PACK:
        add_calls(&plan, SECTION_MEM, section_elements(section) * section->element, 0, 1);
        break;
    case SECTION_ELEMENTS:
        add_calls(&plan, SECTION_BLOCK, width, 0, section->element / width);
        add_loops(&plan, section, 0, -1);
        break;
    case SECTION_LAST_DIMENSION:
        plan_along(&plan, section, alignment, section->dimensions - 1);
        break;
    }
    return plan;
}

static size_t places_of(const struct section_plan *plan)
{
    size_t places = 1;
    for (int d = 0; d < plan->loops; d++)
        places *= plan->times[d];
    return places;
}

size_t section_calls(const struct section_plan *plan, enum section_routine routine, size_t width)
{
    size_t number = 0;
    for (int i = 0; i < plan->kinds; i++)
        if (plan->calls[i].routine == routine && (width == 0 || plan->calls[i].width == width))
            number += plan->calls[i].number;
    return number * places_of(plan);
}

char *section_calls_text(const struct section_plan *plan, bool get, char *text, size_t size)
{
    static const char *const names[] = {
        [SECTION_MEM] = "", [SECTION_BLOCK] = "", [SECTION_STRIDED] = "i"};
    size_t used = 0;
    snprintf(text, size, "none");
    for (int i = 0; i < plan->kinds && used < size; i++) {
        const struct section_calls *calls = &plan->calls[i];
        char width[8] = "mem";
        if (calls->routine != SECTION_MEM)
            snprintf(width, sizeof width, "%zu", 8 * calls->width);
        int more = snprintf(text + used, size - used, "%s%zu %s%s%s", i ? ", " : "",
                            calls->number * places_of(plan), names[calls->routine],
                            get ? "get" : "put", width);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

/* ---- Copies ---- */

/* Pieces at equal distances. Of a known size, copies are moves, which matters for elements. */
static inline void copy_pieces(const struct section_plan *runs, unsigned char *target,
                               const unsigned char *source, size_t bytes)
{
    size_t times = runs->loops > 0 ? runs->times[0] : 1;
    size_t target_step = runs->steps[SECTION_TARGET][0];
    size_t source_step = runs->steps[SECTION_SOURCE][0];
    for (size_t i = 0; i < times; i++)
        memcpy(target + i * target_step, source + i * source_step, bytes);
}

static inline void copy_innermost(const struct section_plan *runs, unsigned char *target,
                                  const unsigned char *source)
{
    switch (runs->calls[0].width) {
    case 4:
        copy_pieces(runs, target, source, 4);
        break;
    case 8:
        copy_pieces(runs, target, source, 8);
        break;
    case 16:
        copy_pieces(runs, target, source, 16);
        break;
    default:
        copy_pieces(runs, target, source, runs->calls[0].width);
    }
}

void section_copy(const struct section_plan *runs, unsigned char *target,
                  const unsigned char *source)
{
    if (runs->empty)
        return;
    struct section_walk walk = section_first(runs);
    do
        copy_innermost(runs, target + walk.offsets[SECTION_TARGET],
                       source + walk.offsets[SECTION_SOURCE]);
    while (section_next(&walk, 1));
}
