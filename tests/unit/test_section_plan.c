/* Calls that move a section of an array are planned right: how many there are of each, and that
 * they move every byte of it once and no other; what is refused; pairs at half of a set. */
#include <stdlib.h>
#include <string.h>

#include "measurements/common/pairs_pattern.h"
#include "measurements/common/section_plan.h"
#include "unit/unit.h"

#define ALGORITHMS (SECTION_LAST_DIMENSION + 1)
#define MOST_BYTES 65536

/* ---- Sections made by chance ---- */

static unsigned below(unsigned limit)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % limit;
}

/* Odd extents and gaps, also none; each dimension beyond what lies along those before it. */
static struct section random_section(void)
{
    static const int64_t elements[] = {1, 2, 4, 8, 16, 3, 12, 24, 5};
    int dimensions = 1 + (int)below(4);
    int64_t extents[4], strides[SECTION_SIDES][4];
    for (int side = 0; side < SECTION_SIDES; side++) {
        int64_t span = 1;
        for (int d = 0; d < dimensions; d++) {
            extents[d] = side == 0 ? (int64_t)below(8) : extents[d];
            strides[side][d] = span + (below(2) ? 0 : (int64_t)below(5));
            span = strides[side][d] * (extents[d] > 0 ? extents[d] : 1);
        }
    }
    struct section section;
    assert_null(
        section_make(&section, elements[below(9)], dimensions, extents, strides[0], strides[1]));
    return section;
}

/* ---- What the calls do ---- */

struct memory {
    unsigned char source[MOST_BYTES], target[MOST_BYTES], wanted[MOST_BYTES];
    unsigned char writes[MOST_BYTES]; /* to each byte of the target */
};

static void move_bytes(struct memory *memory, size_t target, size_t source, size_t bytes,
                       size_t alignment)
{
    assert_true(alignment < 2 || (target % alignment == 0 && source % alignment == 0));
    memcpy(memory->target + target, memory->source + source, bytes);
    for (size_t i = 0; i < bytes; i++)
        memory->writes[target + i]++;
}

static void do_call(struct memory *memory, const struct section_plan *plan,
                    const struct section_calls *calls, size_t target, size_t source)
{
    size_t count = calls->routine == SECTION_STRIDED ? plan->count : 1;
    for (size_t i = 0; i < count; i++)
        move_bytes(memory, target + i * plan->strides[SECTION_TARGET],
                   source + i * plan->strides[SECTION_SOURCE], calls->width,
                   calls->routine == SECTION_MEM ? 1 : calls->width);
    if (calls->routine == SECTION_STRIDED && count > 1)
        for (int side = 0; side < SECTION_SIDES; side++)
            assert_int_equal(plan->strides[side] % calls->width, 0);
}

/* Returns how many calls it makes. */
static size_t do_plan(struct memory *memory, const struct section_plan *plan)
{
    size_t done = 0;
    if (plan->empty)
        return 0;
    struct section_walk walk = section_first(plan);
    do
        for (int i = 0; i < plan->kinds; i++)
            for (size_t k = 0; k < plan->calls[i].number; k++, done++) {
                size_t first = plan->calls[i].first + k * plan->calls[i].width;
                do_call(memory, plan, &plan->calls[i], walk.offsets[SECTION_TARGET] + first,
                        walk.offsets[SECTION_SOURCE] + first);
            }
    while (section_next(&walk, 0));
    return done;
}

static void prepare(struct memory *memory, const struct section *section)
{
    assert_true(section_span(section, SECTION_SOURCE) <= MOST_BYTES);
    assert_true(section_span(section, SECTION_TARGET) <= MOST_BYTES);
    for (size_t i = 0; i < MOST_BYTES; i++)
        memory->source[i] = (unsigned char)below(255);
    memset(memory->target, 255, MOST_BYTES);
    memset(memory->wanted, 255, MOST_BYTES);
    memset(memory->writes, 0, MOST_BYTES);
    for (size_t i = 0; i < section_elements(section); i++)
        memcpy(memory->wanted + section_offset(section, SECTION_TARGET, i),
               memory->source + section_offset(section, SECTION_SOURCE, i), section->element);
}

TEST(every_byte_is_moved_once)
{
    struct memory *memory = malloc(sizeof *memory);
    for (int round = 0; round < 150; round++) {
        struct section section = random_section();
        for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
            if (algorithm == SECTION_PACK)
                continue;
            size_t alignment = (size_t)1 << below(5);
            struct section_plan plan =
                section_plan(&section, (enum section_algorithm)algorithm, alignment);
            prepare(memory, &section);
            size_t calls = section_calls(&plan, SECTION_MEM, 0) +
                           section_calls(&plan, SECTION_BLOCK, 0) +
                           section_calls(&plan, SECTION_STRIDED, 0);
            assert_int_equal(do_plan(memory, &plan), calls);
            assert_memory_equal(memory->target, memory->wanted, MOST_BYTES);
            size_t written = 0;
            for (size_t i = 0; i < MOST_BYTES; i++) {
                assert_true(memory->writes[i] <= 1);
                written += memory->writes[i];
            }
            assert_int_equal(written, section_elements(&section) * section.element);
        }
    }
    free(memory);
}

/* Packed, put and unpacked. */
TEST(packing_keeps_the_elements)
{
    struct memory *memory = malloc(sizeof *memory);
    unsigned char *packed = malloc(MOST_BYTES);
    for (int round = 0; round < 150; round++) {
        struct section section = random_section();
        struct section one = section_packed(&section, SECTION_TARGET);
        struct section other = section_packed(&section, SECTION_SOURCE);
        size_t bytes = section_elements(&section) * section.element;
        assert_int_equal(section_span(&one, SECTION_TARGET), bytes);
        struct section_plan pack = section_plan(&one, SECTION_RUNS, 1);
        struct section_plan unpack = section_plan(&other, SECTION_RUNS, 1);
        struct section_plan put = section_plan(&section, SECTION_PACK, 1);
        assert_int_equal(section_calls(&put, SECTION_MEM, bytes), bytes > 0);
        prepare(memory, &section);
        section_copy(&pack, packed, memory->source);
        section_copy(&unpack, memory->target, packed);
        assert_memory_equal(memory->target, memory->wanted, MOST_BYTES);
    }
    free(packed);
    free(memory);
}

/* ---- How many calls ---- */

static struct section section_2d(int64_t element, int64_t extent, int64_t source, int64_t target)
{
    struct section section;
    assert_null(section_make(&section, element, 3, (const int64_t[]){extent, 5, 3},
                             (const int64_t[]){1, source, 5 * source},
                             (const int64_t[]){1, target, 7 * target}));
    return section;
}

static size_t strided(const struct section *section, enum section_algorithm algorithm,
                      size_t alignment, size_t width)
{
    struct section_plan plan = section_plan(section, algorithm, alignment);
    return section_calls(&plan, SECTION_STRIDED, width);
}

/* Blocks of B bytes: floor(B/16) + floor((B mod 16)/8) + floor((B mod 8)/4) calls where all is a
 * multiple of 16, and so on; otherwise runs. 3 is the extent of the outer dimension. */
TEST(cascades_have_the_stated_number_of_calls)
{
    for (int64_t b = 1; b <= 100; b++) {
        size_t bytes = (size_t)b;
        for (int64_t multiple = 1; multiple <= 32; multiple *= 2) {
            struct section section = section_2d(1, b, 128 + multiple, 256 + 3 * multiple);
            size_t calls = strided(&section, SECTION_CASCADE, 64, 0);
            size_t full = strided(&section, SECTION_CASCADE_FULL, 64, 0);
            struct section_plan plan = section_plan(&section, SECTION_CASCADE, 64);
            size_t runs = section_calls(&plan, SECTION_MEM, bytes);
            if (b % 4 != 0 || multiple < 4) {
                assert_int_equal(calls, 0);
                assert_int_equal(runs, 15);
                assert_int_equal(plan.used, SECTION_RUNS);
            } else {
                size_t wanted = multiple >= 16  ? bytes / 16 + bytes % 16 / 8 + bytes % 8 / 4
                                : multiple == 8 ? bytes / 8 + bytes % 8 / 4
                                                : bytes / 4;
                assert_int_equal(calls, 3 * wanted);
                assert_int_equal(runs, 0);
            }
            size_t w = multiple > 16 ? 16 : (size_t)multiple, rest = bytes % w, wanted = bytes / w;
            for (size_t narrow = w / 2; narrow > 0; narrow /= 2) {
                wanted += rest / narrow;
                rest %= narrow;
            }
            assert_int_equal(full, 3 * wanted);
        }
    }
    /* Addresses count as strides do. */
    struct section section = section_2d(4, 11, 64, 128);
    assert_int_equal(strided(&section, SECTION_CASCADE, 16, 16), 6);
    assert_int_equal(strided(&section, SECTION_CASCADE, 16, 8), 3);
    assert_int_equal(strided(&section, SECTION_CASCADE, 16, 4), 3);
    assert_int_equal(strided(&section, SECTION_CASCADE, 8, 8), 15);
    assert_int_equal(strided(&section, SECTION_CASCADE, 8, 4), 3);
    assert_int_equal(strided(&section, SECTION_CASCADE, 4, 4), 33);
    assert_int_equal(strided(&section, SECTION_CASCADE, 2, 0), 0);
}

TEST(other_algorithms_have_the_stated_number_of_calls)
{
    struct section section;
    assert_null(section_make(&section, 8, 3, (const int64_t[]){5, 9, 7},
                             (const int64_t[]){1, 10, 100}, (const int64_t[]){1, 6, 60}));
    struct section_plan plan = section_plan(&section, SECTION_RUNS, 16);
    assert_int_equal(section_calls(&plan, SECTION_MEM, 40), 63);
    assert_int_equal(strided(&section, SECTION_BEST_DIMENSION, 16, 8), 35);
    assert_int_equal(strided(&section, SECTION_BEST_DIMENSION, 4, 4), 70);
    assert_int_equal(strided(&section, SECTION_LAST_DIMENSION, 16, 8), 45);
    plan = section_plan(&section, SECTION_ELEMENTS, 16);
    assert_int_equal(section_calls(&plan, SECTION_BLOCK, 8), 315);
    /* A gap along the first dimension, on one side alone: runs of one element. */
    assert_null(section_make(&section, 8, 2, (const int64_t[]){5, 9}, (const int64_t[]){1, 10},
                             (const int64_t[]){2, 10}));
    plan = section_plan(&section, SECTION_RUNS, 16);
    assert_int_equal(section_calls(&plan, SECTION_MEM, 8), 45);
    assert_int_equal(strided(&section, SECTION_CASCADE, 16, 8), 9);
    /* Nothing to move: no calls. */
    assert_null(section_make(&section, 8, 2, (const int64_t[]){5, 0}, (const int64_t[]){1, 10},
                             (const int64_t[]){2, 10}));
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        plan = section_plan(&section, (enum section_algorithm)algorithm, 16);
        assert_true(plan.empty && plan.kinds == 0);
    }
}

TEST(calls_in_words)
{
    char text[100];
    struct section section = section_2d(4, 7, 16, 32);
    struct section_plan plan = section_plan(&section, SECTION_CASCADE, 16);
    assert_string_equal(section_calls_text(&plan, false, text, sizeof text),
                        "3 iput128, 3 iput64, 3 iput32");
    assert_string_equal(section_calls_text(&plan, true, text, 12), "3 iget128, ");
    plan = section_plan(&section, SECTION_RUNS, 16);
    assert_string_equal(section_calls_text(&plan, true, text, sizeof text), "15 getmem");
    plan = section_plan(&section, SECTION_ELEMENTS, 16);
    assert_string_equal(section_calls_text(&plan, false, text, sizeof text), "105 put32");
    plan = (struct section_plan){.empty = true};
    assert_string_equal(section_calls_text(&plan, false, text, sizeof text), "none");
}

/* ---- What is no section ---- */

static const char *refusal(int64_t element, int64_t extent, int64_t source, int64_t target)
{
    struct section section;
    const char *reason = section_make(&section, element, 2, (const int64_t[]){3, extent},
                                      (const int64_t[]){2, source}, (const int64_t[]){1, target});
    return reason ? reason : "";
}

TEST(sections_that_are_none)
{
    struct section section;
    const int64_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_string_equal(refusal(8, 4, 5, 3), "");
    assert_string_equal(refusal(8, 1, 1, 1), ""); /* one element overlaps with no other */
    assert_non_null(strstr(refusal(8, 4, 4, 3), "source overlap: the stride of dimension 2 must be "
                                                "at least 5"));
    assert_non_null(strstr(refusal(8, 4, 5, 2), "target overlap"));
    assert_non_null(strstr(refusal(8, -1, 5, 3), "extent of dimension 2 is -1"));
    assert_non_null(strstr(refusal(8, 4, 0, 3), "source's stride of dimension 2 is 0"));
    assert_non_null(strstr(refusal(8, 4, 5, -3), "target's stride of dimension 2 is -3"));
    assert_non_null(strstr(refusal(8, 4, INT64_MAX, 3), "larger than what can be addressed"));
    assert_non_null(strstr(refusal(1, INT64_MAX, 5, 3), "larger than what can be addressed"));
    assert_non_null(strstr(section_make(&section, 8, 0, ones, ones, ones), "1 to 15"));
    assert_non_null(strstr(section_make(&section, 8, 16, ones, ones, ones), "1 to 15"));
    assert_null(section_make(&section, 8, 15, ones, ones, ones));
    /* Rows and columns change places in the target. */
    assert_null(section_make(&section, 8, 2, (const int64_t[]){3, 4}, (const int64_t[]){1, 3},
                             (const int64_t[]){4, 1}));
}
