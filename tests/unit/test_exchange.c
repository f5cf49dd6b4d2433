/* Exchanges of time stamps tell what is wrong with clocks that are wrong in known ways. */
#include <math.h>
#include <stdlib.h>

#include "clock/sync.h"
#include "unit/unit.h"

static double uniform(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

TEST(maps)
{
    srand(1);
    for (int i = 0; i < 1000; i++) {
        struct clock_map map = {rand() * (int64_t)1000000, rand() * (int64_t)1000000,
                                1 + uniform(-1e-3, 1e-3)};
        struct clock_map outer = {map.to + rand(), rand() * (int64_t)777777,
                                  1 + uniform(-1e-3, 1e-3)};
        int64_t reading = map.from + rand();
        int64_t there = clock_map_apply(&map, reading);
        assert_true(llabs(clock_map_invert(&map, there) - reading) <= 1);
        struct clock_map both = clock_map_compose(&map, &outer);
        int64_t two_steps = clock_map_apply(&outer, there);
        assert_true(llabs(clock_map_apply(&both, reading) - two_steps) <= 2);
    }
    struct clock_map same = clock_map_identity();
    assert_true(clock_map_apply(&same, INT64_MAX / 2) == INT64_MAX / 2);
}

/* After long uptimes no nanosecond is lost: ticks of a 3 GHz counter after a year. */
TEST(large_readings)
{
    int64_t year = (int64_t)3000000000 * 86400 * 365;
    struct clock_map map = {year, year + 5, 1};
    assert_true(clock_map_apply(&map, year + 1) == year + 6);
    struct bounds bounds;
    bounds_begin(&bounds, 1);
    for (int i = 0; i < 10; i++)
        bounds_add(&bounds, year + 100 * i, year + 100 * i + 35, year + 100 * i + 50);
    struct clock_map found = bounds_map(&bounds);
    /* The remote clock is ahead by something between 35 - 50 and 35. */
    assert_in_range(clock_map_apply(&found, year) - year + 100, 84, 136);
}

/* One exchange of clocks with a known offset and rate, over a link with the given delays. */
static void exchange(struct bounds *bounds, double *now, double offset, double rate, double there,
                     double back)
{
    double before = *now, remote = (before + there) * rate + offset, after = before + there + back;
    bounds_add(bounds, (int64_t)before, (int64_t)remote, (int64_t)ceil(after));
    *now = after + uniform(0, 500);
}

/* Whatever the delays, symmetric or not, with outliers: the truth lies inside the stated bounds. */
TEST(truth_is_inside)
{
    srand(2);
    for (int trial = 0; trial < 2000; trial++) {
        double offset = uniform(-1e9, 1e9), now = 1e9 + uniform(0, 1e9);
        double there = uniform(10, 2000), back = uniform(10, 2000);
        struct bounds bounds;
        bounds_begin(&bounds, 1);
        for (int i = 0; i < 50; i++) {
            double late = rand() % 10 == 0 ? uniform(0, 100000) : 0; /* an interruption */
            exchange(&bounds, &now, offset, 1, there + uniform(0, 20) + late,
                     back + uniform(0, 20));
        }
        struct clock_map map = bounds_map(&bounds);
        double off = fabs((double)clock_map_apply(&map, (int64_t)now) - (now + offset));
        if (off > bounds_half(&bounds) + 2)
            fail_msg("off by %g, stated bound %g", off, bounds_half(&bounds));
        /* and the bounds are no wider than the best exchange */
        assert_true(bounds_half(&bounds) <= (there + back) / 2 + 25);
    }
}

/* Counters with different rates. */
TEST(rates)
{
    srand(3);
    double offset = 12345, rate = 1.25, now = 1e6;
    struct bounds bounds;
    bounds_begin(&bounds, rate);
    for (int i = 0; i < 100; i++)
        exchange(&bounds, &now, offset, rate, 100, 100);
    struct clock_map map = bounds_map(&bounds);
    assert_true(fabs((double)clock_map_apply(&map, 2000000) - (2000000 * rate + offset)) <
                bounds_half(&bounds) * rate + 3);
}

TEST(smallest_round_trip)
{
    struct bounds bounds;
    bounds_begin(&bounds, 1);
    bounds_add(&bounds, 0, 50, 100);
    bounds_add(&bounds, 200, 230, 260);
    bounds_add(&bounds, 300, 350, 400);
    bounds_add(&bounds, 500, 550, 600);
    assert_true(bounds.smallest == 60);
    assert_int_equal(bounds.since_improved, 2);
    /* A contradiction: the clock was set; the newest counts. */
    bounds_add(&bounds, 700, 100700, 800);
    struct clock_map map = bounds_map(&bounds);
    assert_true(llabs(clock_map_apply(&map, 750) - 100700) <= 60);
}

static void fill(struct drift_point *points, size_t n, double spread, double slope, double noise)
{
    for (size_t i = 0; i < n; i++) {
        points[i].time = spread * (double)i / (double)(n - 1);
        points[i].offset = 3 + slope * points[i].time + uniform(-noise, noise);
    }
}

TEST(drifts)
{
    srand(4);
    struct drift_point points[50], again[50];
    fill(points, 50, 1, 100e-6, 20e-9);
    struct drift fit = drift_fit(points, 50);
    assert_true(fit.significant);
    assert_true(fabs(fit.slope - 100e-6) < 0.02e-6);
    assert_true(fabs(fit.intercept - 3) < 20e-9);
    fill(again, 50, 1, 100e-6, 20e-9);
    struct drift second = drift_fit(again, 50);
    assert_true(drift_confirmed(&fit, &second));
    fill(again, 50, 1, -100e-6, 20e-9);
    second = drift_fit(again, 50);
    assert_false(drift_confirmed(&fit, &second));
    assert_false(drift_fit(points, 3).significant);
}

/* Without drift one fit in a hundred sees one; two in a row see the same one far more rarely. */
TEST(no_drift)
{
    srand(5);
    int once = 0, twice = 0;
    struct drift_point points[20];
    for (int trial = 0; trial < 5000; trial++) {
        fill(points, 20, 1, 0, 50e-9);
        struct drift first = drift_fit(points, 20);
        fill(points, 20, 1, 0, 50e-9);
        struct drift second = drift_fit(points, 20);
        once += first.significant;
        twice += drift_confirmed(&first, &second);
    }
    assert_in_range(once, 10, 120); /* 50 expected */
    assert_true(twice <= 3);
}
