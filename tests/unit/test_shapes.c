/* Shapes that measurement functions share do what they should: pairs, rings, data patterns and
 * their verification. */
#include <string.h>

#include "measurements/common/shapes.h"
#include "unit/unit.h"

#define MOST 6

/* PEs of the sets are 10 more than the ranks. */
static struct partner partner_of(enum shape shape, int rank, int size, int therank)
{
    struct pe_set *set = pe_set_strided(10, 1, size);
    struct run run = {.rank = rank, .size = size, .set = set};
    struct partner partner = shape_partner(&run, shape, therank);
    pe_set_release(set);
    return partner;
}

/* Each rank works on those that say that it does, and on nobody else; returns how many acts of work
 * there are. */
static int check_both_sides(enum shape shape, int size, int therank)
{
    int works[MOST][MOST] = {{0}}, all = 0;
    for (int rank = 0; rank < size; rank++) {
        struct partner partner = partner_of(shape, rank, size, therank);
        assert_int_equal(partner.acting, partner.targets > 0);
        if (partner.acting)
            assert_int_equal(partner.pe, partner.rank + 10);
        for (int i = 0; i < partner.targets; i++)
            works[rank][partner.rank + i]++;
        for (int i = 0; i < partner.sources; i++)
            works[partner.source + i][rank]--;
        assert_int_equal(partner.source == -1, partner.sources == 0);
        all += partner.targets;
    }
    for (int from = 0; from < MOST; from++)
        for (int to = 0; to < MOST; to++)
            assert_int_equal(works[from][to], 0);
    return all;
}

TEST(shapes_agree_on_who_works_on_whom)
{
    for (int size = 1; size <= MOST; size++) {
        assert_int_equal(check_both_sides(SHAPE_RING, size, 0), size);
        assert_int_equal(check_both_sides(SHAPE_PAIR, size, 0), 1);
        assert_int_equal(check_both_sides(SHAPE_ALL_TO_ONE, size, 0), size - 1);
        assert_int_equal(check_both_sides(SHAPE_ONE_TO_ALL, size, 0), size - 1);
        for (int therank = 0; therank < size; therank++)
            assert_int_equal(check_both_sides(SHAPE_SINGLE, size, therank), 1);
        for (int pairs = 0; pairs <= size / 2; pairs++)
            assert_int_equal(check_both_sides(SHAPE_HALF, size, pairs), pairs);
    }
}

TEST(shapes_have_the_right_direction)
{
    assert_int_equal(partner_of(SHAPE_RING, 4, 5, 0).rank, 0);
    assert_int_equal(partner_of(SHAPE_RING, 0, 5, 0).source, 4);
    assert_int_equal(partner_of(SHAPE_PAIR, 0, 5, 0).rank, 1);
    assert_true(partner_of(SHAPE_SINGLE, 3, 5, 3).acting);
    assert_int_equal(partner_of(SHAPE_SINGLE, 4, 5, 3).source, 3);
    assert_int_equal(partner_of(SHAPE_ALL_TO_ONE, 3, 5, 0).rank, 0);
    assert_int_equal(partner_of(SHAPE_ALL_TO_ONE, 0, 5, 0).sources, 4);
    assert_int_equal(partner_of(SHAPE_ONE_TO_ALL, 0, 5, 0).targets, 4);
    assert_int_equal(partner_of(SHAPE_ONE_TO_ALL, 0, 5, 0).rank, 1);
    assert_int_equal(partner_of(SHAPE_HALF, 1, 5, 2).rank, 3);
    assert_int_equal(partner_of(SHAPE_HALF, 3, 5, 2).source, 1);
    assert_false(partner_of(SHAPE_HALF, 1, 5, 1).acting);
}

TEST(patterns_differ_between_ranks_and_positions)
{
    unsigned char memory[600], other[600];
    pattern_fill(memory, sizeof memory, 1);
    pattern_fill(other, sizeof other, 2);
    assert_true(pattern_check(memory, sizeof memory, 1));
    assert_false(pattern_check(memory, sizeof memory, 2));
    assert_false(pattern_check(memory + 1, sizeof memory - 1, 1));
    int alike = 0;
    for (size_t i = 0; i < sizeof memory; i++) {
        alike += memory[i] == other[i];
        assert_true(memory[i] < 0x80); /* no poison, no guard */
    }
    assert_true(alike < 30);
    memory[599] ^= 1;
    assert_false(pattern_check(memory, sizeof memory, 1));
    assert_true(pattern_check(memory, 599, 1));
    for (size_t at = 0; at < 24; at++)
        for (size_t bytes = 0; bytes < 24; bytes++) { /* at any address, of any length */
            pattern_fill(other + at, bytes, 7);
            assert_true(pattern_check(other + at, bytes, 7));
            for (size_t i = 0; i < bytes; i++) {
                other[at + i] ^= 0x40;
                assert_false(pattern_check(other + at, bytes, 7));
                other[at + i] ^= 0x40;
            }
        }
}

TEST(strided_patterns_have_gaps)
{
    enum { ELEMENT = 2, STRIDE = 3, COUNT = 4, BYTES = ELEMENT * STRIDE * COUNT };
    unsigned char filled[BYTES], memory[BYTES];
    data_poison(memory, BYTES);
    pattern_fill(filled, BYTES, 5);
    for (int i = 0; i < COUNT; i++)
        memcpy(memory + i * ELEMENT * STRIDE, filled + i * ELEMENT * STRIDE, ELEMENT);
    assert_true(pattern_check_strided(memory, ELEMENT, STRIDE, COUNT, 5));
    assert_false(pattern_check_strided(memory, ELEMENT, STRIDE, COUNT, 4));
    assert_false(pattern_check_strided(memory, ELEMENT, STRIDE - 1, COUNT, 5));
    assert_false(pattern_check_strided(filled, ELEMENT, STRIDE, COUNT, 5));
    for (int i = 0; i < BYTES; i++) {
        unsigned char was = memory[i];
        memory[i] ^= 0x80;
        assert_false(pattern_check_strided(memory, ELEMENT, STRIDE, COUNT, 5));
        memory[i] = was;
    }
    assert_true(pattern_check_strided(memory, ELEMENT, STRIDE, 0, 4));
}

TEST(arguments_have_names)
{
    struct measurement function = {.parameters = {COUNT_BYTES, ITERATIONS}};
    struct value arguments[] = {{.integer = 7}, {.integer = 9}};
    const struct run run = {.function = &function, .arguments = arguments};
    assert_int_equal(run_integer(&run, "count", -1), 7);
    assert_int_equal(run_integer(&run, "iterations", -1), 9);
    assert_int_equal(run_integer(&run, "stride", -1), -1);
}
