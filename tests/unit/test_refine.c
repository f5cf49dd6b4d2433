/* Refinement finds the points that curves of known shape need. */
#include <math.h>
#include <stdlib.h>

#include "ski/refine.h"
#include "unit/unit.h"

static double latency_with_kink(double x)
{
    return x <= 1000 ? 100 + 0.01 * x : 100 + 0.01 * 1000 + 3 * (x - 1000);
}

static double jump(double x)
{
    return x < 3000 ? 100 : 1000;
}

static double straight(double x)
{
    return 5 + 2 * x;
}

/* Runs a sweep and its refinement; returns the extra points in extra[]. */
static size_t refined(const struct refine_rules *rules, double (*curve)(double), double from,
                      double to, double step, double *extra, struct refine **kept)
{
    struct refine *refine = refine_create(rules);
    for (double x = from; x <= to; x = rules->logarithmic ? x * step : x + step)
        refine_add(refine, rules->integers ? round(x) : x, curve(x));
    refine_start(refine);
    size_t sweep = refine_count(refine), count = 0;
    double x;
    while (refine_next(refine, &x)) {
        extra[count++] = x;
        refine_add(refine, x, curve(x));
        assert_int_equal(refine_count(refine), sweep + count); /* never a point twice */
    }
    if (kept)
        *kept = refine;
    else
        refine_release(refine);
    return count;
}

static size_t within(const double *x, size_t n, double low, double high)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] >= low && x[i] <= high;
    return count;
}

TEST(kink)
{
    double extra[100];
    struct refine_rules rules = {.integers = true, .factor = 2, .tolerance = 0};
    size_t n = refined(&rules, latency_with_kink, 0, 4000, 200, extra, NULL);
    assert_in_range(n, 8, 21);
    /* The sweep's steps are 200: the neighbourhood of the kink is two of them each way. */
    assert_true(within(extra, n, 600, 1400) * 10 >= n * 8);
}

TEST(jump_logarithmic)
{
    double extra[100];
    struct refine_rules rules = {
        .integers = true, .logarithmic = true, .factor = 2, .tolerance = 0};
    size_t n = refined(&rules, jump, 1, 1 << 20, 4, extra, NULL);
    assert_in_range(n, 8, 11);
    assert_true(within(extra, n, 256, 16384 * 2) * 10 >= n * 8);
}

TEST(tolerance)
{
    double extra[1000];
    struct refine *refine;
    struct refine_rules rules = {.factor = 20, .tolerance = 0.05};
    size_t n = refined(&rules, latency_with_kink, 0, 4000, 200, extra, &refine);
    assert_true(refine_error(refine) <= 0.05);
    assert_in_range(n, 1, 100); /* far fewer than the 400 points that the factor alone would add */
    refine_release(refine);
    rules.tolerance = 0.0005;
    assert_true(refined(&rules, latency_with_kink, 0, 4000, 200, extra, NULL) > n);
    rules.factor = 1;
    assert_int_equal(refined(&rules, latency_with_kink, 0, 4000, 200, extra, NULL), 0);
}

TEST(straight_line)
{
    double extra[100];
    struct refine_rules rules = {.factor = 2, .tolerance = 1e-9};
    assert_int_equal(refined(&rules, straight, 0, 100, 10, extra, NULL), 0);
}

TEST(candidates_run_out)
{
    double extra[100];
    struct refine_rules rules = {.integers = true, .multiple_of = 8, .factor = 100, .tolerance = 0};
    size_t n = refined(&rules, latency_with_kink, 960, 1056, 32, extra, NULL);
    assert_true(n <= 9); /* multiples of 8 strictly between */
    for (size_t i = 0; i < n; i++)
        assert_true(fmod(extra[i], 8) == 0);
}

TEST(few_and_strange_points)
{
    struct refine_rules rules = {.factor = 2, .tolerance = 0};
    struct refine *refine = refine_create(&rules);
    double x;
    refine_start(refine);
    assert_false(refine_next(refine, &x));
    refine_add(refine, 1, 5);
    refine_add(refine, NAN, 5);
    refine_add(refine, 2, NAN);
    refine_add(refine, 1, 7);
    assert_int_equal(refine_count(refine), 1);
    refine_start(refine);
    assert_false(refine_next(refine, &x));
    refine_release(refine);
    refine_release(NULL);
}

/* A point that cannot be measured is not asked for again. */
TEST(skipped)
{
    struct refine_rules rules = {.factor = 10, .tolerance = 0};
    struct refine *refine = refine_create(&rules);
    refine_add(refine, 0, 1);
    refine_add(refine, 1, 1);
    refine_add(refine, 2, 50);
    refine_add(refine, 3, 1);
    refine_start(refine);
    double x;
    size_t asked = 0;
    while (refine_next(refine, &x)) {
        refine_skip(refine, x);
        assert_true(++asked <= 3);
    }
    assert_int_equal(asked, 3);
    refine_release(refine);
}
