/* Series with known changes, and without, show how often the tests are wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/series.h"
#include "stats/stats.h"
#include "unit/unit.h"

#define MOST 400
#define P 0.01
#define LEAST 0.05

static double uniform(void)
{
    return (rand() + 0.5) / ((double)RAND_MAX + 1);
}

/* Times as they are here: a narrow bulk, a tail, and now and then an interruption. */
static double noise(void)
{
    double x = 1 + 0.02 * sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
    return uniform() < 0.02 ? x * (1 + 50 * uniform()) : x;
}

TEST(autocorrelation)
{
    double x[] = {1, 2, 3, 4, 5};
    /* about the mean: -2 -1 0 1 2; products 2 + 0 + 0 + 2 = 4, squares 10 */
    assert_true(fabs(series_autocorrelation(x, 5) - 0.4) < 1e-12);
    double y[] = {1, -1, 1, -1};
    assert_true(fabs(series_autocorrelation(y, 4) + 0.75) < 1e-12);
    double z[] = {2, 2, 2, 2};
    assert_true(series_autocorrelation(z, 4) == 0);
    assert_true(isnan(series_autocorrelation(z, 2)));
    assert_true(fabs(series_effective_size(30, 0.5) - 10) < 1e-12);
    assert_true(series_effective_size(30, -0.5) == 30);
}

/* By hand: 12 values with a step in the middle; ranks 1..6 first, so U_6 = 2 * 21 - 6 * 13 = -36,
 * and p = 2 exp(-6 * 1296 / (1728 + 144)) before the correction, which only makes it larger. */
TEST(one_step)
{
    double x[] = {1.01, 1.04, 1.02, 1.06, 1.03, 1.05, 2.02, 2.06, 2.01, 2.05, 2.03, 2.04};
    struct series_change change = series_change(x, 12);
    assert_int_equal(change.at, 6);
    assert_true(change.p >= 2 * exp(-6 * 1296.0 / (1728 + 144)) - 1e-12);
    assert_true(change.p < 0.05);
    assert_true(fabs(change.before - 1.035) < 1e-12);
    assert_true(fabs(change.after - 2.035) < 1e-12);
    assert_true(series_change(x, 11).p == 1);
}

/* Share of 1000 series made by fill() that have a change at 1 %. */
static double alarms(size_t n, void (*fill)(double *, size_t))
{
    double x[MOST];
    int found = 0;
    for (int trial = 0; trial < 1000; trial++) {
        fill(x, n);
        found += series_change(x, n).p <= P;
    }
    return found / 1000.0;
}

static void steady(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = noise();
}

static void correlated(double *x, size_t n)
{
    double memory = 0;
    for (size_t i = 0; i < n; i++) {
        memory = 0.6 * memory + noise() - 1;
        x[i] = 1 + memory;
    }
}

static void stepping(double *x, size_t n)
{
    size_t at = n / 4 + (size_t)(uniform() * (double)n / 2);
    for (size_t i = 0; i < n; i++)
        x[i] = (i < at ? 1 : 1.1) * noise();
}

TEST(false_and_true_alarms)
{
    srand(1);
    static const size_t sizes[] = {12, 20, 33, 100, 400};
    for (size_t i = 0; i < 5; i++) {
        assert_true(alarms(sizes[i], steady) <= 0.02);
        /* Correlation can only be estimated: not quite what was promised for independent ones. */
        assert_true(alarms(sizes[i], correlated) <= 0.10);
        if (sizes[i] >= 33)
            assert_true(alarms(sizes[i], stepping) >= 0.9);
    }
}

TEST(warm_up)
{
    srand(3);
    double x[MOST];
    int right = 0, wrong = 0, levels = 0;
    for (int trial = 0; trial < 500; trial++) {
        for (size_t i = 0; i < 100; i++)
            x[i] = (1 + 2 * exp(-(double)i / 5)) * noise();
        size_t cut = series_warm_up(x, 100, P, LEAST);
        double rest[MOST];
        for (size_t i = cut; i < 100; i++)
            rest[i - cut] = x[i];
        stats_sort(rest, 100 - cut);
        right += cut >= 8 && cut < 50 && fabs(stats_median_sorted(rest, 100 - cut) - 1) < 0.01;
        steady(x, 100);
        wrong += series_warm_up(x, 100, P, LEAST) > 0;
        /* Slow at the end is no warm-up. */
        for (size_t i = 0; i < 100; i++)
            x[i] = (i < 30 || i >= 80 ? 3 : 1) * noise();
        levels += series_warm_up(x, 100, P, LEAST) > 0;
    }
    assert_true(right >= 400);
    assert_true(wrong <= 10);
    assert_true(levels <= 10);
    /* Of 33 repetitions 5 warm up, which is found; a single slow one, and faster ones at
     * the beginning, are no warm-up. */
    for (size_t i = 0; i < 33; i++)
        x[i] = (i < 5 ? 1.5 : 1) * noise();
    size_t few = series_warm_up(x, 33, P, LEAST);
    assert_true(few >= 5 && few <= 8); /* the next ones may be slow by chance */
    x[1] = x[2] = x[3] = x[4] = 1;
    assert_int_equal(series_warm_up(x, 33, P, LEAST), 0);
    for (size_t i = 0; i < 33; i++)
        x[i] = (i < 5 ? 0.5 : 1) * noise();
    assert_int_equal(series_warm_up(x, 33, P, LEAST), 0);
    assert_int_equal(series_warm_up(x, 7, P, LEAST), 0);
}

/* What chance makes is no correlation. */
TEST(correlation)
{
    double x[MOST];
    int found = 0;
    srand(5);
    for (int trial = 0; trial < 1000; trial++) {
        for (size_t i = 0; i < 40; i++)
            x[i] = noise();
        found += series_correlation(x, 40) > 0;
    }
    assert_true(found > 10 && found < 80);
    for (size_t i = 0; i < 40; i++)
        x[i] = (double)i;
    assert_true(series_correlation(x, 40) > 0.8);
}

static size_t levels_of(double (*sample)(void), size_t n, struct series_level *levels)
{
    double x[MOST];
    for (size_t i = 0; i < n; i++)
        x[i] = sample();
    stats_sort(x, n);
    return series_levels(x, n, LEAST, levels, 4);
}

static double two_levels(void)
{
    return (uniform() < 0.3 ? 3 : 1) * noise();
}

static double three_levels(void)
{
    double u = uniform();
    return (u < 0.3 ? 3 : u < 0.6 ? 2 : 1) * noise();
}

static double wide(void)
{
    return exp(sqrt(-2 * log(uniform())) * cos(6.28318530717958647692 * uniform()));
}

TEST(level)
{
    srand(4);
    struct series_level levels[4];
    int two = 0, three = 0, one = 0, none = 0;
    for (int trial = 0; trial < 500; trial++) {
        size_t count = levels_of(two_levels, 100, levels);
        two += count == 2 && fabs(levels[0].value - 1) < 0.02 && fabs(levels[1].value - 3) < 0.06 &&
               abs((int)levels[1].count - 30) < 16 && levels[0].count + levels[1].count == 100;
        three += levels_of(three_levels, 200, levels) == 3;
        one += levels_of(noise, 100, levels) == 1;
        none += levels_of(wide, 50, levels) == 1;
    }
    assert_true(two >= 485);
    assert_true(three >= 470);
    assert_true(one >= 490);
    assert_true(none >= 480);
    double single[] = {5};
    assert_int_equal(series_levels(single, 1, LEAST, levels, 4), 1);
    assert_int_equal(series_levels(single, 0, LEAST, levels, 4), 0);
}
