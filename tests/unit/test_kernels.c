/* What kernels compute by themselves: keys, buckets and their sorting, updates of a table at random
 * places, and the tree that sums are made along. */
#include <stdlib.h>
#include <string.h>

#include "measurements/common/kernel.h"
#include "unit/unit.h"

/* ---- Keys ---- */

TEST(buckets_are_in_order)
{
    static const int64_t cases[][2] = {
        {1, 1}, {1000, 7}, {65537, 1024}, {1 << 30, 1 << 20}, {9, 9}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct key_buckets buckets = key_buckets_of(cases[c][0], (int)cases[c][1]);
        int64_t step = cases[c][0] / 5000 + 1;
        int before = 0;
        for (int64_t key = 0; key < cases[c][0]; key += step) {
            int bucket = key_bucket(&buckets, (int32_t)key);
            assert_true(bucket >= before && bucket < buckets.count);
            assert_true(key_bucket_begin(&buckets, bucket) <= key);
            assert_true(key < key_bucket_begin(&buckets, bucket + 1));
            before = bucket;
        }
        assert_int_equal(key_bucket_begin(&buckets, 0), 0);
        assert_int_equal(key_bucket_begin(&buckets, buckets.count), cases[c][0]);
    }
}

TEST(keys_are_frequent_in_the_middle)
{
    int64_t quarter[4] = {0}, sum = 0;
    for (int64_t i = 0; i < 40000; i++) {
        int32_t key = key_of(77, i, 1000);
        assert_true(key >= 0 && key < 1000);
        quarter[key / 250]++;
        sum += key;
    }
    /* The mean of four even numbers: 1/24 of them below a quarter. */
    assert_true(quarter[0] > 1500 && quarter[0] < 1850);
    assert_true(quarter[3] > 1500 && quarter[3] < 1850);
    assert_true(sum / 40000 > 495 && sum / 40000 < 505);
    assert_int_not_equal(key_of(77, 1, 1 << 30), key_of(78, 1, 1 << 30));
    assert_int_equal(key_of(1, 2, 1), 0);
}

TEST(partition)
{
    int first[4];
    key_partition((const long[]){5, 1, 1, 1, 1, 0}, 6, 3, first);
    assert_memory_equal(first, ((const int[]){0, 1, 2, 6}), sizeof first);
    key_partition((const long[]){2, 2, 2, 2, 2, 2}, 6, 3, first);
    assert_memory_equal(first, ((const int[]){0, 2, 4, 6}), sizeof first);
    key_partition((const long[]){0, 0, 0}, 3, 3, first); /* no keys at all */
    assert_memory_equal(first, ((const int[]){0, 0, 0, 3}), sizeof first);
    key_partition((const long[]){1}, 1, 3, first);
    assert_int_equal(first[3], 1);
}

/* Nobody gets more than a share and a bucket. */
TEST(partition_is_even)
{
    long totals[64];
    int first[8];
    for (int most = 1; most < 2000; most *= 3) {
        int64_t all = 0;
        long largest = 0;
        for (int b = 0; b < 64; b++) {
            totals[b] = key_of(5, b, most);
            all += totals[b];
            largest = totals[b] > largest ? totals[b] : largest;
        }
        key_partition(totals, 64, 7, first);
        int64_t sum = 0;
        for (int pe = 0; pe < 7; pe++) {
            int64_t got = 0;
            assert_true(first[pe] <= first[pe + 1]);
            for (int b = first[pe]; b < first[pe + 1]; b++)
                got += totals[b];
            assert_true(got <= all / 7 + 1 + largest);
            sum += got;
        }
        assert_int_equal(sum, all);
    }
}

TEST(sorting)
{
    static const int32_t keys[] = {9, 2, 7, 2, 0, 5};
    struct key_buckets buckets = key_buckets_of(10, 2);
    long sizes[] = {4, 2}, starts[2]; /* 5 is the last key of the first half: rounding */
    int32_t sorted[6], counts[10], ranked[6];
    key_sort_by_bucket(&buckets, keys, 6, sizes, starts, sorted);
    assert_memory_equal(sorted, ((const int32_t[]){2, 2, 0, 5, 9, 7}), sizeof sorted);
    assert_true(key_rank(keys, 6, 0, 10, counts, ranked));
    assert_memory_equal(ranked, ((const int32_t[]){0, 2, 2, 5, 7, 9}), sizeof ranked);
    assert_false(key_rank(keys, 6, 0, 9, counts, ranked));
    assert_false(key_rank(keys, 6, 1, 10, counts, ranked));
    assert_true(key_rank(keys, 0, 4, 4, counts, ranked));
}

/* ---- Random access ---- */

TEST(places_are_even)
{
    int64_t hits[3][5] = {{0}};
    for (int64_t i = 0; i < 30000; i++) {
        struct random_access change = kernel_random_access_of(11, i, 3, 5);
        assert_true(change.rank >= 0 && change.rank < 3 && change.word >= 0 && change.word < 5);
        hits[change.rank][change.word]++;
    }
    for (int place = 0; place < 15; place++)
        assert_true((&hits[0][0])[place] > 1850 && (&hits[0][0])[place] < 2150);
}

/* Both ranks' tables together hold each change once; the same changes again undo them. */
TEST(changes_of_a_table)
{
    uint64_t table[2][4] = {{0}}, all = 0, found = 0;
    for (int64_t i = 0; i < 99; i++)
        all ^= kernel_random_access_of(3, i, 2, 4).value;
    for (int rank = 0; rank < 2; rank++)
        kernel_random_access_serial(table[rank], rank, 2, 4, 3, 99);
    for (int word = 0; word < 8; word++)
        found ^= (&table[0][0])[word];
    assert_true(found == all);
    struct random_access last = kernel_random_access_of(3, 98, 2, 4);
    table[last.rank][last.word] ^= last.value;
    for (int rank = 0; rank < 2; rank++)
        kernel_random_access_serial(table[rank], rank, 2, 4, 3, 98);
    for (int word = 0; word < 8; word++)
        assert_true((&table[0][0])[word] == 0);
}

/* ---- The tree ---- */

TEST(levels)
{
    static const int wanted[][2] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {7, 3}, {100000, 17}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(kernel_tree_levels(wanted[i][0]), wanted[i][1]);
    assert_int_equal(kernel_tree_sum_longs(1, 100), 1);
    assert_int_equal(kernel_tree_sum_longs(3, 100), 3 + 200);
}
