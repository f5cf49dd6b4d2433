/* LINK: src/trace/read/distribution.c */
/* What summaries of traces rest on: numbering, and distributions in little memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "trace/read/summary.h"
#include "unit/unit.h"

TEST(keys_keep_their_numbers)
{
    struct table table = {0};
    char key[32];
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 5000; i++) {
            snprintf(key, sizeof key, "routine_%zu", i);
            assert_int_equal(table_text(&table, key), i);
        }
    assert_int_equal(table.count, 5000);
    assert_string_equal(table_key(&table, 4321), "routine_4321");
    table_free(&table);
}

TEST(keys_of_different_lengths_differ)
{
    struct table table = {0};
    const int64_t numbers[] = {0, 0};
    assert_int_equal(table_number(&table, numbers, 8), 0);
    assert_int_equal(table_number(&table, numbers, 16), 1);
    assert_int_equal(table_number(&table, numbers, 8), 0);
    table_free(&table);
}

TEST(a_cleared_table_begins_again)
{
    struct table table = {0};
    for (int64_t i = 0; i < 300; i++)
        table_number(&table, &i, sizeof i);
    table_clear(&table);
    int64_t key = 299;
    assert_int_equal(table_number(&table, &key, sizeof key), 0);
    assert_int_equal(table.count, 1);
    table_free(&table);
}

TEST(values_begin_as_zeros)
{
    struct table table = {0};
    for (int round = 0; round < 2; round++) {
        for (int pass = 0; pass < 2; pass++)
            for (int64_t i = 0; i < 300; i++) {
                int64_t *value = table_value(&table, &i, sizeof i, sizeof *value);
                assert_int_equal(*value, pass * i);
                *value += i;
            }
        assert_int_equal(((int64_t *)table.values)[299], 2 * 299);
        table_clear(&table);
    }
    table_free(&table);
}

static void close_to(double value, double wanted, double relative)
{
    if (!(fabs(value - wanted) <= relative * wanted))
        fail_msg("%g is not within %g of %g", value, relative, wanted);
}

TEST(sums_are_exact)
{
    struct distribution d = {0};
    for (int i = 1; i <= 4; i++)
        distribution_add(&d, 1e-6 * i);
    close_to(distribution_mean(&d), 2.5e-6, 1e-12);
    close_to(distribution_deviation(&d), 1e-6 * sqrt(5.0 / 3), 1e-9);
    close_to(d.min, 1e-6, 0);
    close_to(d.max, 4e-6, 0);
}

TEST(quantiles_are_within_their_step)
{
    for (double scale = 1e-8; scale < 30; scale *= 7) {
        struct distribution d = {0};
        for (int i = 1; i <= 1000; i++)
            distribution_add(&d, scale * i);
        close_to(distribution_quantile(&d, 0.5), 500 * scale, 0.07);
        close_to(distribution_quantile(&d, 0.95), 950 * scale, 0.07);
        close_to(distribution_quantile(&d, 1), 1000 * scale, 1e-9);
        close_to(distribution_middle(&d), 500 * scale, 0.07);
    }
}

TEST(equal_times_have_exact_quantiles)
{
    struct distribution d = {0};
    for (int i = 0; i < 7; i++)
        distribution_add(&d, 123e-9);
    close_to(distribution_quantile(&d, 0.05), 123e-9, 1e-12);
    close_to(distribution_middle(&d), 123e-9, 1e-12);
}

TEST(strange_times_do_no_harm)
{
    struct distribution d = {0};
    const double times[] = {0, -1, 1e300, INFINITY, NAN, 1e-12};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        distribution_add(&d, times[i]);
    assert_int_equal(d.count, 6);
    struct distribution none = {0};
    assert_true(isnan(distribution_quantile(&none, 0.5)) && isnan(distribution_mean(&none)) &&
                isnan(distribution_middle(&none)) && isnan(distribution_deviation(&none)));
}
