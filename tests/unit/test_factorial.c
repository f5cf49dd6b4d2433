/* Experiments in blocks, simulated, name a factor where there is one and seldom where there is
 * none. */
#include <math.h>
#include <stdlib.h>

#include "stats/factorial.h"
#include "stats/random.h"
#include "unit/unit.h"

#define BLOCKS 16
#define MOST 12

static uint64_t seed = 1;

/* Of a skewed distribution, as times have. */
static double noise(void)
{
    return 1 - 0.02 * log(1 - random_share(&seed));
}

/* Levels from `slow` on take `factor` times as long; the machine changes from block to block. */
static void simulate(double *values, size_t levels, size_t slow, double factor)
{
    for (size_t b = 0; b < BLOCKS; b++) {
        double state = 1 + (double)random_up_to(&seed, 3);
        for (size_t l = 0; l < levels; l++)
            values[b * levels + l] = state * noise() * (l >= slow ? factor : 1);
    }
}

TEST(tests_of_known_values)
{
    /* Ranks 1 2 3 in each of 4 blocks: Friedman's statistic is 8, with 2 degrees of freedom. */
    const double three[] = {1, 2, 3, 10, 20, 30, 2, 3, 4, 5, 6, 7};
    assert_true(fabs(factorial_p(three, 4, 3) - exp(-4)) < 1e-12);
    /* 4 levels have the same order in 3 blocks: Friedman's statistic is 9, with 3 degrees of
     * freedom, for which tables state 0.0293. */
    const double four[] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    assert_true(fabs(factorial_p(four, 3, 4) - 0.0293) < 5e-5);
    const double two[] = {1, 2, 1, 2, 1, 2, 1, 2, 2, 1, 3, 3};
    assert_true(fabs(factorial_p(two, 6, 2) - 2 * 6 / 32.0) < 1e-12); /* 4 of 5 signs */
    const double equal[] = {1, 1, 1, 2, 2, 2};
    assert_true(factorial_p(equal, 2, 3) == 1);
    assert_true(factorial_p(equal, 0, 3) == 1);
}

TEST(holm)
{
    double p[] = {0.01, 0.04, 0.03, 0.005};
    factorial_adjust(p, 4);
    assert_true(fabs(p[3] - 0.02) < 1e-12 && fabs(p[0] - 0.03) < 1e-12);
    assert_true(fabs(p[2] - 0.06) < 1e-12 && fabs(p[1] - 0.06) < 1e-12); /* never descending */
}

/* At most 5 % of 2,000 experiments of 12 tests name anything (binomial, 99.9 %). */
TEST(names_nothing)
{
    enum { EXPERIMENTS = 2000, TESTS = 12 };
    size_t wrong = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        double values[BLOCKS * MOST], p[TESTS], least = 1;
        for (size_t t = 0; t < TESTS; t++) {
            size_t levels = t % 3 == 0 ? 2 : MOST;
            simulate(values, levels, levels, 1);
            p[t] = factorial_p(values, BLOCKS, levels);
        }
        factorial_adjust(p, TESTS);
        for (size_t t = 0; t < TESTS; t++)
            least = fmin(least, p[t]);
        wrong += least <= 0.05;
    }
    assert_true(wrong < EXPERIMENTS * 0.05 + 3.1 * sqrt(EXPERIMENTS * 0.05 * 0.95));
}

TEST(names_what_is_there)
{
    size_t found = 0;
    for (int i = 0; i < 200; i++) {
        double values[BLOCKS * MOST], effects[MOST], ratios[BLOCKS];
        bool slow[MOST], right = true;
        simulate(values, MOST, MOST - 1, 1.3);
        factorial_effects(values, BLOCKS, MOST, effects);
        factorial_split(effects, MOST, slow);
        for (size_t l = 0; l < MOST; l++)
            right = right && slow[l] == (l == MOST - 1);
        for (size_t b = 0; b < BLOCKS; b++)
            ratios[b] = values[b * MOST + MOST - 1] / values[b * MOST];
        struct factorial_ratio ratio = factorial_ratio(ratios, BLOCKS, 0.95);
        right = right && ratio.low < ratio.ratio && ratio.ratio < ratio.high &&
                fabs(ratio.ratio / 1.3 - 1) < 0.05;
        found += right && factorial_p(values, BLOCKS, MOST) < 0.05 / 200;
    }
    assert_int_equal(found, 200);
}

TEST(rests)
{
    const int64_t offsets[] = {0, 4, 8, 16, 32, 48, 64, 528, 2048, 4080, 4088};
    bool in[11] = {[3] = true, [5] = true, [7] = true, [9] = true};
    int64_t rest, modulus;
    assert_true(factorial_residue(offsets, in, 11, 4096, &rest, &modulus));
    assert_int_equal(rest, 16);
    assert_int_equal(modulus, 32);
    in[5] = false; /* 48 */
    assert_false(factorial_residue(offsets, in, 11, 4096, &rest, &modulus));
    const bool one[11] = {[8] = true}, none[11] = {false};
    assert_true(factorial_residue(offsets, one, 11, 4096, &rest, &modulus));
    assert_int_equal(rest, 2048);
    assert_int_equal(modulus, 4096);
    assert_false(factorial_residue(offsets, none, 11, 4096, &rest, &modulus));
}
