/* What several rounds say about the next ones: how often it is true, and how wide it is. */
#include <math.h>
#include <stdlib.h>

#include "stats/rounds.h"
#include "stats/stats.h"
#include "unit/unit.h"

#define TRIALS 1000
#define MOST 30

static double uniform(void)
{
    return (rand() + 0.5) / ((double)RAND_MAX + 1);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static double narrow(void)
{
    return exp(0.02 * normal());
}

static double wide(void)
{
    return exp(0.3 * normal());
}

static double skewed(void)
{
    return 1 - 0.05 * log(uniform());
}

/* A barrier on two levels: each round finds one of them. */
static double half_and_half(void)
{
    return (uniform() < 0.5 ? 3 : 1) * narrow();
}

static double one_in_three(void)
{
    return (uniform() < 0.33 ? 3 : 1) * narrow();
}

static double one_in_ten(void)
{
    return (uniform() < 0.1 ? 3 : 1) * narrow();
}

static const struct source {
    double (*draw)(void);
    double widest; /* that the interval may be, in what it would have to be */
} sources[] = {
    {narrow, 2},           {wide, 2}, {skewed, 2}, {half_and_half, 2}, {one_in_three, INFINITY},
    {one_in_ten, INFINITY}};

static double run(const struct source *source, size_t n, double *medians)
{
    double sorted[MOST];
    for (size_t i = 0; i < n; i++)
        sorted[i] = medians[i] = source->draw();
    stats_sort(sorted, n);
    return stats_median_sorted(sorted, n);
}

/* The promise: a later run's median lies inside in 90 % of cases at least, and the interval is not
 * twice as wide as one made from the true distribution. */
TEST(next_time)
{
    srand(1);
    static const size_t sizes[] = {5, 6, 10, 30};
    static double differences[TRIALS];
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int inside = 0;
            double width = 0;
            for (int trial = 0; trial < TRIALS; trial++) {
                double now[MOST], later[MOST], median = run(&sources[s], sizes[k], now);
                struct rounds rounds = rounds_of(now, NULL, sizes[k], 0.95);
                double next = run(&sources[s], sizes[k], later);
                inside += next >= rounds.next_low && next <= rounds.next_high;
                width += log(rounds.next_high / rounds.next_low) / TRIALS;
                differences[trial] = log(next / median);
            }
            stats_sort(differences, TRIALS);
            double needed = stats_quantile_sorted(differences, TRIALS, 0.975) -
                            stats_quantile_sorted(differences, TRIALS, 0.025);
            if (inside < 0.9 * TRIALS || width > sources[s].widest * needed)
                fail_msg("source %zu, %zu rounds: %d of %d inside, %.3g times as wide as needed", s,
                         sizes[k], inside, TRIALS, width / needed);
        }
}

TEST(by_hand)
{
    double medians[] = {1.5, 1.1, 1.3, 1.2, 1.4, 1.6}, within[] = {.1, .2, .3, .4, .5, .6};
    struct rounds rounds = rounds_of(medians, within, 6, 0.95);
    assert_true(fabs(rounds.median - 1.35) < 1e-12);
    assert_true(rounds.low == 1.1 && rounds.high == 1.6); /* ranks 1 and 6 */
    assert_true(fabs(rounds.reached - (1 - 2.0 / 64)) < 1e-12);
    /* quartiles 1.225 and 1.475 */
    assert_true(fabs(rounds.between - 0.25 / 1.35) < 1e-12);
    assert_true(fabs(rounds.within - 0.35 / 1.35) < 1e-12);
    assert_true(rounds.next_low < 1.1 && rounds.next_high > 1.6);
    /* The order of rounds says nothing, and units scale. */
    double other[] = {16, 11, 15, 12, 14, 13};
    struct rounds scaled = rounds_of(other, NULL, 6, 0.95);
    assert_true(fabs(scaled.next_low - 10 * rounds.next_low) < 1e-9);
    assert_true(isnan(scaled.within));
}

TEST(few)
{
    double medians[] = {1, 2, 3, 4};
    struct rounds rounds = rounds_of(medians, NULL, 4, 0.95);
    assert_true(rounds.median == 2.5);
    assert_true(isnan(rounds.next_low) && isnan(rounds.low));
    double same[] = {2, 2, 2, 2, 2};
    rounds = rounds_of(same, NULL, 5, 0.95);
    assert_true(rounds.next_low == 2 && rounds.next_high == 2 && rounds.between == 0);
    assert_true(isnan(rounds_of(NULL, NULL, 0, 0.95).median));
}

/* What rounds do not see is added as squares on a logarithmic scale, steps as they are. */
TEST(unseen)
{
    double medians[] = {100, 101, 102, 103, 104, 105, 106}, same[] = {2, 2, 2, 2, 2};
    struct rounds seen = rounds_of(medians, NULL, 7, 0.95), wider = seen;
    rounds_widen(&wider, &(struct rounds_unseen){.launches = 0.01});
    double apart = 1.959964 * sqrt(2) * 0.01;
    assert_true(fabs(log(wider.next_high / seen.median) -
                     hypot(log(seen.next_high / seen.median), apart)) < 1e-6);
    assert_true(fabs(log(seen.median / wider.next_low) -
                     hypot(log(seen.median / seen.next_low), apart)) < 1e-6);
    assert_true(wider.median == seen.median && wider.low == seen.low && wider.high == seen.high);
    wider = seen;
    rounds_widen(&wider, &(struct rounds_unseen){.step = 0.5});
    assert_true(fabs(wider.next_low - (seen.next_low - 0.5)) < 1e-9 &&
                fabs(wider.next_high - (seen.next_high + 0.5)) < 1e-9);
    struct rounds constant = rounds_of(same, NULL, 5, 0.95);
    rounds_widen(&constant, &(struct rounds_unseen){.launches = 0.01});
    assert_true(fabs(log(constant.next_high / 2) - apart) < 1e-6 &&
                fabs(log(2 / constant.next_low) - apart) < 1e-6);
    /* Differences may be below 0: the scale is linear. */
    double mixed[] = {-1, -0.5, 0, 0.5, 1, 1.5};
    struct rounds below = rounds_of(mixed, NULL, 6, 0.95), widened = below;
    rounds_widen(&widened, &(struct rounds_unseen){.launches = 0.01});
    assert_true(fabs(widened.next_high - below.median -
                     hypot(below.next_high - below.median, below.median * apart)) < 1e-6);
    assert_true(widened.next_low < below.next_low);
    struct rounds none = rounds_of(medians, NULL, 4, 0.95);
    rounds_widen(&none, &(struct rounds_unseen){.launches = 0.01, .step = 1});
    assert_true(isnan(none.next_low) && isnan(none.next_high));
}

/* Five launches whose logarithms are 1 % apart, of rounds that differ by nothing; then of six
 * rounds that are 2 % above or below. */
TEST(launches)
{
    struct rounds_launch five[7] = {0};
    for (int i = 0; i < 5; i++)
        for (int round = 0; round < 6; round++)
            rounds_launch_add(&five[i], exp((i - 2) * 0.01));
    double middle = pow(1 - 2.0 / 36, 3); /* median over mean of chi-squared, 4 degrees */
    assert_true(fabs(rounds_between_launches(five, 5) - 2.5e-4 / middle) < 1e-12);
    assert_true(isnan(rounds_between_launches(five, 4)));
    /* Those that are too few, or no times, do not count. */
    for (int round = 0; round < 4; round++) {
        rounds_launch_add(&five[5], 2);
        rounds_launch_add(&five[6], round - 3);
        rounds_launch_add(&five[6], NAN);
    }
    assert_true(five[6].count == 0);
    assert_true(fabs(rounds_between_launches(five, 7) - 2.5e-4 / middle) < 1e-12);
    struct rounds_launch wide[5] = {0};
    for (int i = 0; i < 5; i++)
        for (int round = 0; round < 6; round++)
            rounds_launch_add(&wide[i], exp((i - 2) * 0.01 + (round % 2 ? 0.02 : -0.02)));
    /* 5 x 6 x 0.02 squared over 25 degrees, of which a mean of six rounds has a sixth */
    double within = 30 * 4e-4 / 25;
    assert_true(fabs(rounds_between_launches(wide, 5) - (2.5e-4 / middle - within / 6)) < 1e-12);
}

/* Of points with few rounds, as they are drawn: the deviation is found, whatever rounds differ by.
 */
TEST(launches_drawn)
{
    srand(2);
    static double found[300];
    static const double deviations[] = {0, 0.01, 0.03};
    for (size_t k = 0; k < sizeof deviations / sizeof *deviations; k++) {
        for (size_t point = 0; point < 300; point++) {
            struct rounds_launch drawn[6] = {0};
            for (int i = 0; i < 6; i++) {
                double shift = deviations[k] * normal();
                for (int round = 0; round < 6; round++)
                    rounds_launch_add(&drawn[i], exp(shift + 0.02 * normal()));
            }
            found[point] = rounds_between_launches(drawn, 6);
        }
        stats_sort(found, 300);
        double deviation = sqrt(fmax(0, stats_median_sorted(found, 300)));
        if (fabs(deviation - deviations[k]) > 0.002)
            fail_msg("%g instead of %g", deviation, deviations[k]);
    }
}

TEST(quantiles)
{
    double x[] = {1, 2, 3, 4, 10};
    assert_true(stats_quantile_sorted(x, 5, 0) == 1);
    assert_true(stats_quantile_sorted(x, 5, 1) == 10);
    assert_true(stats_quantile_sorted(x, 5, 0.5) == 3);
    assert_true(fabs(stats_quantile_sorted(x, 5, 0.9) - 7.6) < 1e-12);
    assert_true(isnan(stats_quantile_sorted(x, 0, 0.5)));
    /* squares about the mean of 4: 9 4 1 0 36; 50 / 4 */
    assert_true(fabs(stats_deviation(x, 5) - sqrt(12.5)) < 1e-12);
    assert_true(isnan(stats_deviation(x, 1)));
}
