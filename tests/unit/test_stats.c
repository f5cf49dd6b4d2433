/* Statistics of samples are those computed by hand. */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "unit/unit.h"

static void near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", actual, expected);
}

TEST(means)
{
    double x[] = {1, 2, 3, 4, 10};
    near(stats_mean(x, 5), 4);
    near(stats_mean(x, 1), 1);
    assert_true(isnan(stats_mean(x, 0)));
    /* squares about the mean: 9 4 1 0 36 = 50; 50 / (5 * 4) = 2.5 */
    near(stats_standard_error(x, 5), sqrt(2.5));
    assert_true(isnan(stats_standard_error(x, 1)));
    /* The textbook formula loses all digits here. */
    double large[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    near(stats_standard_error(large, 3), sqrt(2.0 / 6));
}

TEST(medians)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    stats_sort(odd, 3);
    stats_sort(even, 4);
    near(stats_median_sorted(odd, 3), 2);
    near(stats_median_sorted(even, 4), 2.5);
    assert_true(isnan(stats_median_sorted(odd, 0)));
}

TEST(order)
{
    double x[] = {3, 1, 2, 1, 3, 0};
    size_t order[6], expected[] = {5, 1, 3, 2, 0, 4};
    stats_sort_order(x, 6, order);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(order[i], expected[i]);
}

TEST(trimming)
{
    /* Nine values: two are left out at each end, by hand. */
    double x[] = {100, 5, 4, 6, 1, 2, 7, 3, 50};
    bool keep[9], expected[] = {0, 1, 1, 1, 0, 0, 1, 1, 0};
    struct stats_trimmed result = stats_trim(x, 9, keep);
    assert_int_equal(result.kept, 5);
    near(result.mean, 5); /* 3 4 5 6 7 */
    near(result.standard_error, sqrt(10.0 / 20));
    for (int i = 0; i < 9; i++)
        assert_int_equal(keep[i], expected[i]);

    struct stats_trimmed few = stats_trim(x, 3, NULL);
    assert_int_equal(few.kept, 3);
    struct stats_trimmed one = stats_trim(x, 1, NULL);
    near(one.mean, 100);
    assert_true(isnan(one.standard_error));
    assert_true(isnan(stats_trim(x, 0, NULL).mean));

    struct stats_trimmed share = stats_trim_share(x, 9, 0.4, keep); /* three at each end */
    assert_int_equal(share.kept, 3);
    near(share.mean, 5); /* 4 5 6 */
    assert_true(keep[1] && keep[2] && keep[3] && !keep[6] && !keep[7]);
    assert_int_equal(stats_trim_share(x, 9, 0, NULL).kept, 9);
    double many[100] = {0};
    assert_int_equal(stats_trim_share(many, 100, 0.29, NULL).kept, 42); /* 0.29 * 100 < 29 */
}

/* Ranks of the exact binomial interval as published tables have them. */
TEST(median_ranks)
{
    static const struct {
        double confidence;
        size_t n, low, high;
    } table[] = {
        {0.95, 6, 1, 6},      {0.95, 9, 2, 8},       {0.95, 10, 2, 9},       {0.95, 15, 4, 12},
        {0.95, 20, 6, 15},    {0.95, 30, 10, 21},    {0.95, 50, 18, 33},     {0.95, 100, 40, 61},
        {0.95, 200, 86, 115}, {0.95, 500, 228, 273}, {0.95, 1000, 469, 532}, {0.99, 8, 1, 8},
        {0.99, 20, 4, 17},    {0.99, 50, 16, 35},    {0.99, 100, 37, 64},
    };
    size_t low, high;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(stats_median_ranks(table[i].n, table[i].confidence, &low, &high));
        assert_int_equal(low, table[i].low);
        assert_int_equal(high, table[i].high);
    }
    assert_false(stats_median_ranks(5, 0.95, &low, &high));
    assert_int_equal(low, 1);
    assert_int_equal(high, 5);
    /* The approximation goes on where the exact ranks end. */
    size_t low_exact, high_exact;
    stats_median_ranks(1024, 0.95, &low_exact, &high_exact);
    stats_median_ranks(1026, 0.95, &low, &high);
    assert_in_range(low, low_exact - 1, low_exact + 2);
    assert_in_range(high, high_exact - 1, high_exact + 4);
}

/* Against tables. */
TEST(student)
{
    static const struct {
        double p, degrees, t;
    } table[] = {{0.975, 1, 12.7062},  {0.975, 7, 2.36462}, {0.95, 9, 1.83311},
                 {0.995, 29, 2.75639}, {0.9, 4, 1.53321},   {0.975, 1000, 1.96234}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(fabs(stats_student_quantile(table[i].p, table[i].degrees) - table[i].t) < 1e-4);
        assert_true(fabs(stats_student_quantile(1 - table[i].p, table[i].degrees) + table[i].t) <
                    1e-4);
    }
}

/* The interval of a trimmed mean covers the truth as often as it says, also for skewed samples. */
TEST(trimmed_intervals)
{
    double by_hand[] = {1, 2, 3, 4, 100};
    /* trim 0.2: keep 2 3 4, winsorized 2 2 3 4 4: mean 3, squares 4, variance 1 */
    struct stats_interval result = stats_trimmed_interval(by_hand, 5, 0.2, 0.95);
    assert_int_equal(result.kept, 3);
    near(result.mean, 3);
    near(result.standard_error, 1 / (0.6 * sqrt(5)));
    srand(11);
    int covered = 0, trials = 4000;
    for (int trial = 0; trial < trials; trial++) {
        double x[20];
        for (int i = 0; i < 20; i++) {
            double sum = 0;
            for (int j = 0; j < 12; j++)
                sum += rand() / (RAND_MAX + 1.0);
            x[i] = sum - 6;
        }
        struct stats_interval interval = stats_trimmed_interval(x, 20, 0.25, 0.95);
        covered += fabs(interval.mean) <= interval.half;
    }
    assert_in_range(covered, trials * 93 / 100, trials * 97 / 100);
}

/* As many as independent ones: exactly their ranks; fewer: where their ranks would be. */
TEST(median_intervals)
{
    double x[100], low, high;
    for (int i = 0; i < 100; i++)
        x[i] = i + 1;
    assert_true(stats_median_interval(x, 100, 100, 0.95, &low, &high));
    assert_true(low == 40 && high == 61);
    assert_true(stats_median_interval(x, 10, 10, 0.95, &low, &high));
    assert_true(low == 2 && high == 9);
    assert_true(stats_median_interval(x, 100, 10.7, 0.95, &low, &high));
    assert_true(fabs(low - 2 * 101.0 / 11) < 1e-9 && fabs(high - 9 * 101.0 / 11) < 1e-9);
    assert_true(stats_median_interval(x, 100, 1e9, 0.95, &low, &high) && low == 40);
    assert_false(stats_median_interval(x, 100, 5, 0.95, &low, &high));
    assert_true(isnan(low) && isnan(high));
    assert_false(stats_median_interval(x, 0, 0, 0.95, &low, &high));
    assert_true(stats_endpoint((double[]){5, 7, 20}, 3) == 3 && isnan(stats_endpoint(x, 1)));
}

/* Sides and what was subtracted, in quadrature. */
TEST(wider_intervals)
{
    double z = 1.959963984540054, low = 7, high = 14;
    stats_widen_interval(10, 0, 0.95, &low, &high);
    near(low, 7);
    near(high, 14);
    stats_widen_interval(10, 4 / z, 0.95, &low, &high);
    near(low, 5);
    near(high, 10 + sqrt(32));
    low = high = NAN;
    stats_widen_interval(10, 1, 0.95, &low, &high);
    assert_true(isnan(low) && isnan(high));
}
