/* The free list that sub-allocates a segment: first fit, holes that merge, and random sequences
 * against a model that knows each line of the segment. */
#include <string.h>

#include "measurements/common/free_list.h"
#include "stats/random.h"
#include "unit/unit.h"

#define LINE ((size_t)FREE_LIST_LINE)
#define PARTS 24
#define LINES 64

struct segment {
    struct free_list list;
    struct hole entries[PARTS + 1];
};

static void start(struct segment *segment, int parts, size_t lines)
{
    free_list_start(&segment->list, segment->entries, parts, lines * LINE);
}

TEST(rounds_up)
{
    assert_int_equal(free_list_rounded(0), LINE);
    assert_int_equal(free_list_rounded(1), LINE);
    assert_int_equal(free_list_rounded(LINE), LINE);
    assert_int_equal(free_list_rounded(LINE + 1), 2 * LINE);
}

TEST(fills_exactly)
{
    struct segment segment;
    start(&segment, 3, 4);
    assert_int_equal(free_list_take(&segment.list, 1), 0);
    assert_int_equal(free_list_take(&segment.list, 2 * LINE), LINE);
    assert_true(free_list_take(&segment.list, 2 * LINE) == FREE_LIST_NONE);
    assert_int_equal(free_list_take(&segment.list, LINE), 3 * LINE);
    assert_true(free_list_take(&segment.list, 1) == FREE_LIST_NONE);
    free_list_give(&segment.list, LINE, 2 * LINE);
    free_list_give(&segment.list, 3 * LINE, LINE);
    free_list_give(&segment.list, 0, 1);
    assert_true(free_list_is_whole(&segment.list, 4 * LINE));
}

/* Three neighbours, given back in each order. */
TEST(merges_in_any_order)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct segment segment;
        size_t order[3];
        uint64_t draws = seed;
        start(&segment, 3, 3);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(free_list_take(&segment.list, LINE), i * LINE);
        assert_false(free_list_is_whole(&segment.list, 3 * LINE));
        random_order(&draws, order, 3);
        for (size_t i = 0; i < 3; i++)
            free_list_give(&segment.list, order[i] * LINE, LINE);
        assert_true(free_list_is_whole(&segment.list, 3 * LINE));
    }
}

TEST(uses_the_first_that_fits)
{
    struct segment segment;
    start(&segment, 5, 12);
    size_t sizes[] = {2, 1, 4, 1, 2}, at[5];
    for (int i = 0; i < 5; i++)
        at[i] = free_list_take(&segment.list, sizes[i] * LINE);
    free_list_give(&segment.list, at[0], 2 * LINE);
    free_list_give(&segment.list, at[2], 4 * LINE);
    assert_int_equal(free_list_take(&segment.list, 3 * LINE), at[2]);
    assert_int_equal(free_list_take(&segment.list, LINE), 0);
    assert_int_equal(free_list_take(&segment.list, LINE), LINE);
}

/* The first run of so many free lines; LINES: there is none. */
static size_t first_fit(const unsigned char *used, size_t lines)
{
    for (size_t at = 0; at + lines <= LINES; at++)
        if (!memchr(used + at, 1, lines))
            return at;
    return LINES;
}

/* Parts are so large that some find no room. */
TEST(random_sequences)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct segment segment;
        unsigned char used[LINES] = {0};
        size_t offsets[PARTS], sizes[PARTS] = {0};
        uint64_t draws = seed;
        int refused = 0;
        start(&segment, PARTS, LINES);
        for (int step = 0; step < 2000; step++) {
            size_t i = random_up_to(&draws, PARTS - 1);
            if (sizes[i] > 0) {
                size_t lines = free_list_rounded(sizes[i]) / LINE;
                free_list_give(&segment.list, offsets[i], sizes[i]);
                memset(used + offsets[i] / LINE, 0, lines);
                sizes[i] = 0;
                continue;
            }
            size_t bytes = 1 + random_up_to(&draws, 10 * LINE);
            size_t lines = free_list_rounded(bytes) / LINE, wanted = first_fit(used, lines);
            offsets[i] = free_list_take(&segment.list, bytes);
            if (wanted == LINES) {
                assert_true(offsets[i] == FREE_LIST_NONE);
                refused++;
                continue;
            }
            assert_int_equal(offsets[i], wanted * LINE);
            memset(used + wanted, 1, lines);
            sizes[i] = bytes;
        }
        assert_true(refused > 0);
        for (int i = 0; i < PARTS; i++)
            if (sizes[i] > 0)
                free_list_give(&segment.list, offsets[i], sizes[i]);
        assert_true(free_list_is_whole(&segment.list, LINES * LINE));
    }
}
