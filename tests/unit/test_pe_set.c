/* Sets of PEs have the right members, ranks, strides and active sets. */

#include "objects/pe_set.h"
#include "unit/unit.h"

/* A set as its members say, and the same answers from both kinds of look-up. */
static void check_members(const struct pe_set *set, const int *members, int size, int pes)
{
    assert_int_equal(pe_set_size(set), size);
    for (int rank = 0; rank < size; rank++)
        assert_int_equal(pe_set_member(set, rank), members[rank]);
    for (int pe = -2; pe < pes; pe++) {
        int expected = -1;

        for (int rank = 0; rank < size; rank++)
            if (members[rank] == pe)
                expected = rank;
        assert_int_equal(pe_set_rank_of(set, pe), expected);
    }
}

static void check_created(const int *members, int size)
{
    struct pe_set *set = pe_set_create(members, size);

    check_members(set, members, size, 20);
    pe_set_release(set);
}

TEST(members_and_ranks)
{
    check_created((int[]){0, 1, 2, 3}, 4);
    check_created((int[]){3, 2, 1, 0}, 4);
    check_created((int[]){7, 4, 1}, 3);
    check_created((int[]){1, 0}, 2);
    check_created((int[]){5}, 1);
    check_created((int[]){2, 9, 4}, 3);
    check_created((int[]){0, 3, 6, 10}, 4);
    check_created(NULL, 0);
}

TEST(strided)
{
    struct pe_set *set = pe_set_strided(2, 3, 4);

    check_members(set, (int[]){2, 5, 8, 11}, 4, 20);
    pe_set_release(set);
    set = pe_set_strided(4, 7, 0);
    check_members(set, NULL, 0, 20);
    pe_set_release(set);
    set = pe_set_strided(4, 7, -1);
    check_members(set, NULL, 0, 20);
    pe_set_release(set);
}

TEST(equal_sets)
{
    struct pe_set *listed = pe_set_create((int[]){1, 3, 5}, 3), *regular = pe_set_strided(1, 2, 3);
    struct pe_set *turned = pe_set_create((int[]){5, 3, 1}, 3), *fewer = pe_set_strided(1, 2, 2);
    struct pe_set *wild = pe_set_create((int[]){1, 3, 6}, 3);
    struct pe_set *wild_too = pe_set_create((int[]){1, 3, 6}, 3);
    struct pe_set *wilder = pe_set_create((int[]){1, 3, 7}, 3);
    struct pe_set *one = pe_set_strided(4, 1, 1), *one_too = pe_set_strided(4, 9, 1);
    struct pe_set *none = pe_set_strided(4, 2, 0), *none_too = pe_set_create(NULL, 0);

    assert_true(pe_set_equal(listed, regular));
    assert_false(pe_set_equal(listed, turned));
    assert_false(pe_set_equal(listed, fewer));
    assert_false(pe_set_equal(listed, wild));
    assert_true(pe_set_equal(wild, wild_too));
    assert_false(pe_set_equal(wild, wilder));
    assert_true(pe_set_equal(one, one_too));
    assert_true(pe_set_equal(none, none_too));
    assert_false(pe_set_equal(none, one));
    pe_set_release(listed);
    pe_set_release(regular);
    pe_set_release(turned);
    pe_set_release(fewer);
    pe_set_release(wild);
    pe_set_release(wild_too);
    pe_set_release(wilder);
    pe_set_release(one);
    pe_set_release(one_too);
    pe_set_release(none);
    pe_set_release(none_too);
}

static void check_regular(const int *members, int size, bool regular, int first, int stride)
{
    struct pe_set *set = pe_set_create(members, size);
    int found_first = -1, found_stride = 0;

    assert_int_equal(pe_set_regular(set, &found_first, &found_stride), regular);
    if (regular) {
        assert_int_equal(found_first, first);
        assert_int_equal(found_stride, stride);
    }
    pe_set_release(set);
}

TEST(regular_sets)
{
    check_regular((int[]){0, 1, 2}, 3, true, 0, 1);
    check_regular((int[]){1, 4, 7}, 3, true, 1, 3);
    check_regular((int[]){4, 2, 0}, 3, true, 4, -2);
    check_regular((int[]){5}, 1, true, 5, 1);
    check_regular((int[]){0, 1, 3}, 3, false, 0, 0);
    check_regular(NULL, 0, false, 0, 0);
}

static void check_active(const int *members, int size, int start, int log_stride)
{
    struct pe_set *set = pe_set_create(members, size);
    int found_start = -7, found_stride = -7;

    assert_true(pe_set_active(set, &found_start, &found_stride));
    assert_int_equal(found_start, start);
    assert_int_equal(found_stride, log_stride);
    pe_set_release(set);
}

static void check_not_active(const int *members, int size)
{
    struct pe_set *set = pe_set_create(members, size);
    int start, log_stride;

    assert_false(pe_set_active(set, &start, &log_stride));
    pe_set_release(set);
}

TEST(active_sets)
{
    check_active((int[]){0, 1, 2}, 3, 0, 0);
    check_active((int[]){3}, 1, 3, 0);
    check_active((int[]){1, 3, 5}, 3, 1, 1);
    check_active((int[]){2, 10}, 2, 2, 3);
    check_not_active((int[]){0, 3}, 2);
    check_not_active((int[]){0, 3, 6}, 3);
    check_not_active((int[]){1, 0}, 2);
    check_not_active((int[]){4, 2, 0}, 3);
    check_not_active((int[]){0, 1, 3}, 3);
    check_not_active((int[]){0, 4, 2}, 3);
    check_not_active(NULL, 0);
}

TEST(references)
{
    struct pe_set *set = pe_set_create((int[]){4, 1, 3}, 3);

    assert_ptr_equal(pe_set_reference(set), set);
    pe_set_release(set);
    assert_int_equal(pe_set_member(set, 2), 3);
    pe_set_release(set);
    pe_set_release(NULL);
}
