/* Loops take the right values: steps, factors, multiples and limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ski/loop.h"
#include "unit/unit.h"

static struct loop to(struct value start, struct value end, struct value step)
{
    return (struct loop){.start = start, .end = end, .step = step};
}

static struct loop times(struct value start, struct value end, struct value factor,
                         int64_t multiple)
{
    return (struct loop){.start = start,
                         .end = end,
                         .step = factor,
                         .multiplicative = true,
                         .multiple_of = multiple};
}

static struct loop unlimited(struct loop loop)
{
    loop.unlimited = true;
    loop.end = value_void();
    return loop;
}

#define I value_int
#define R value_real

/* The values separated by blanks, then the variable afterwards. */
static void check(struct loop loop, const char *expected, const char *afterwards)
{
    struct text text = {0};
    struct value v;
    const char *error = loop_begin(&loop);
    char *shown;

    assert_null(error);
    text_append(&text, "%s", "");
    while (loop_next(&loop, &v, &error)) {
        shown = value_text(&v);
        text_append(&text, "%s%s", text.length > 0 ? " " : "", shown);
        free(shown);
    }
    assert_null(error);
    assert_string_equal(text.data, expected);
    text_release(&text);
    shown = value_text(&v);
    assert_string_equal(shown, afterwards);
    free(shown);
}

static void check_refused(struct loop loop, const char *reason)
{
    const char *error = loop_begin(&loop);

    assert_non_null(error);
    assert_non_null(strstr(error, reason));
}

TEST(table)
{
    check(times(I(1), I(12), R(sqrt(2)), 0), "1 2 3 4 6 8 11", "16");
    check(times(I(1), I(23), R(sqrt(2)), 4), "0 4 8 12 16", "24");
    check(to(I(10), I(1), I(-3)), "10 7 4 1", "-2");
    check(times(I(16), I(1), R(0.5), 0), "16 8 4 2 1", "0");
    check(to(I(1), I(3), R(0.5)), "1 2 3", "4");
    check(to(R(1), R(2), R(0.25)), "1.0 1.25 1.5 1.75 2.0", "2.25");
    check(to(I(5), I(1), I(1)), "", "5");
}

TEST(ends)
{
    check(to(I(1), I(1), I(1)), "1", "2");
    check(to(I(1), I(10), I(4)), "1 5 9", "13");
    check(to(I(1), R(2.5), I(1)), "1 2", "3");
    check(to(I(1), R(3.0000000001), I(1)), "1 2 3", "4");
    check(to(I(1), R(2.9999999999), I(1)), "1 2 3", "4");
    check(to(R(1), I(2), R(0.5)), "1.0 1.5 2.0", "2.5");
    check(to(R(0), R(1), R(0.1)),
          "0.0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6000000000000001 0.7000000000000001 0.8 0.9 "
          "1.0",
          "1.1");
    check(to(R(1e-9), R(4e-9), R(1e-9)), "1e-09 2e-09 3.0000000000000004e-09 4e-09", "5e-09");
    check(to(R(1), R(0), R(-0.5)), "1.0 0.5 0.0", "-0.5");
    check(times(R(1), R(16), R(sqrt(2)), 0),
          "1.0 1.4142135623730951 2.0000000000000004 2.8284271247461907 4.000000000000001 "
          "5.6568542494923815 8.000000000000002 11.313708498984763 16.0",
          "22.627416997969526");
}

TEST(signs)
{
    check(times(I(-1), I(-16), I(2), 0), "-1 -2 -4 -8 -16", "-32");
    check(times(I(-16), I(-1), R(0.5), 0), "-16 -8 -4 -2 -1", "0");
    check(times(I(16), I(0), R(0.5), 0), "16 8 4 2 1 0", "0");
    check(times(I(-4), I(0), R(0.5), 0), "-4 -2 -1 0", "0");
    check(times(I(16), I(0), R(0.5), 4), "16 8 4 0", "0");
    check(times(I(5), I(1), I(2), 0), "", "5");
    check(to(I(-3), I(3), I(3)), "-3 0 3", "6");
    check(to(I(-3), I(0), R(0.5)), "-3 -2 -1 0", "1");
}

TEST(multiples)
{
    check(times(I(1), I(8), I(2), 4), "0 4 8", "16");
    check(times(I(6), I(30), I(2), 4), "4 12 24", "48");
    check(times(I(7), I(30), I(2), 4), "8 12 28", "56");
    check(times(I(-2), I(-8), I(2), 4), "-4 -8", "-16");
    check(times(R(3), R(20), I(2), 4), "4.0 12.0", "24.0");
    check(times(R(1), R(9), R(1.5), 3), "0.0 3.0 6.0 9.0", "12.0");
}

TEST(classic_end_is_included)
{
    struct loop loop = times(I(1), I(131072), R(sqrt(2)), 0);
    struct value v;
    const char *error;
    int64_t last = 0;
    int count = 0;

    assert_null(loop_begin(&loop));
    for (; loop_next(&loop, &v, &error); count++)
        last = v.integer;
    assert_int_equal(last, 131072);
    assert_int_equal(count, 34);
    assert_int_equal(v.integer, 185364);
}

TEST(never_ending)
{
    check_refused(to(I(1), I(5), I(0)), "step 0");
    check_refused(to(I(5), I(1), R(0)), "step 0");
    check_refused(times(I(1), I(5), I(1), 0), "step *1");
    check_refused(times(I(1), I(5), R(1), 0), "step *1");
    check_refused(times(I(1), I(5), I(0), 0), "must be > 0");
    check_refused(times(I(1), I(5), R(-2), 0), "must be > 0");
    check_refused(times(I(0), I(5), I(2), 0), "starts at 0");
    check_refused(times(I(8), I(-1), R(0.5), 0), "never reaches this end");
    check_refused(times(I(-8), I(1), R(0.5), 0), "never reaches this end");
    check_refused(times(R(8), R(0), R(0.5), 0), "never reaches this end");
    check_refused(unlimited(to(I(8), I(0), I(-1))), "upward");
    check_refused(unlimited(times(I(8), I(0), R(0.5), 0)), "must grow");
    check_refused(unlimited(times(I(-8), I(0), I(2), 0)), "must grow");
    check_refused(times(I(8), I(9), I(2), -1), "multipleof");
    check_refused(to(R(NAN), I(9), I(2)), "numbers");
    check_refused(to(I(1), R(INFINITY), I(2)), "numbers");
    check_refused(to(I(1), I(9), value_void()), "numbers");
}

/* Goes on until the loop ends; how many values there were. */
static int exhaust(struct loop loop, struct value *v, const char **error)
{
    int count = 0;

    assert_null(loop_begin(&loop));
    while (loop_next(&loop, v, error)) {
        count++;
        assert_true(count < 2000);
    }
    return count;
}

TEST(overflow)
{
    struct value v;
    const char *error;

    /* A limited loop ends there like behind any other end. */
    check(to(I(INT64_MAX - 1), I(INT64_MAX), I(1)), "9223372036854775806 9223372036854775807",
          "9223372036854775807");
    check(to(I(INT64_MIN + 1), I(INT64_MIN), I(-2)), "-9223372036854775807",
          "-9223372036854775807");
    assert_int_equal(exhaust(times(I(1), I(INT64_MAX), I(2), 0), &v, &error), 63);
    assert_null(error);
    assert_int_equal(exhaust(times(I(1), I(INT64_MAX), R(2), 0), &v, &error), 63);
    assert_null(error);
    assert_int_equal(exhaust(times(R(1), R(1e308), R(1e100), 0), &v, &error), 4);
    assert_null(error);
    /* One without end has not been ended by what should have done it. */
    assert_int_equal(exhaust(unlimited(times(I(1), I(0), I(2), 0)), &v, &error), 63);
    assert_non_null(strstr(error, "overflow"));
    assert_int_equal(exhaust(unlimited(times(R(1), I(0), R(1e100), 0)), &v, &error), 4);
    assert_non_null(strstr(error, "overflow"));
    assert_int_equal(exhaust(times(I(1), R(1e300), I(2), 0), &v, &error), 63);
    assert_non_null(strstr(error, "overflow"));
    assert_int_equal(exhaust(times(I(INT64_MAX), I(0), R(0.001), 1000), &v, &error), 0);
    assert_null(error);
}

TEST(too_slow)
{
    struct value v;
    const char *error;

    assert_int_equal(exhaust(to(I(1), I(5), R(1e-30)), &v, &error), 1);
    assert_non_null(strstr(error, "too small"));
    assert_int_equal(exhaust(to(R(1e25), R(2e25), R(1)), &v, &error), 1);
    assert_non_null(strstr(error, "too small"));
    assert_int_equal(exhaust(times(I(1), I(5), R(1 + 1e-15), 0), &v, &error), 1);
    assert_non_null(strstr(error, "too small"));
}

TEST(without_end)
{
    struct loop loop = unlimited(to(I(1), I(0), I(2)));
    struct value v;
    const char *error;

    assert_null(loop_begin(&loop));
    for (int i = 0; i < 1000; i++) {
        assert_true(loop_next(&loop, &v, &error));
        assert_int_equal(v.integer, 1 + 2 * i);
    }
}

TEST(names_are_dropped)
{
    struct value start = value_int(1), v;
    struct loop loop;
    const char *error;

    start.constant = "ONE";
    loop = to(start, I(2), I(1));
    assert_null(loop_begin(&loop));
    assert_true(loop_next(&loop, &v, &error));
    assert_null(v.constant);
}

/* ---- Properties, for random parameters ---- */

static uint64_t seed = 42;

static int64_t draw(int64_t low, int64_t high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((seed >> 33) % (uint64_t)(high - low + 1));
}

static double number(struct value v)
{
    return v.type == TYPE_INT ? (double)v.integer : v.real;
}

static void random_value(struct value *v, int64_t low, int64_t high)
{
    *v = value_int(draw(low, high));
    if (draw(0, 2) == 0)
        *v = value_real((double)v->integer + (double)draw(0, 99) / 100);
}

/* Strictly monotone towards the end, within the end, of the type of the start; the value
 * afterwards is the first beyond. Returns the number of values. */
static int check_properties(struct loop loop)
{
    bool downward = loop.multiplicative ? (number(loop.start) > 0) != (number(loop.step) > 1)
                                        : number(loop.step) < 0;
    double slack = 1e-5 * fabs(number(loop.end)) + 1e-5, previous = 0;
    const char *error;
    struct value v;
    int count = 0;

    if (loop_begin(&loop))
        return 0;
    for (; loop_next(&loop, &v, &error); count++) {
        double x = number(v);

        assert_int_equal(v.type, loop.start.type);
        if (loop.multiple_of > 0)
            assert_true(fmod(x, (double)loop.multiple_of) == 0);
        else if (count == 0)
            assert_true(x == number(loop.start));
        if (count > 0)
            assert_true(downward ? x < previous : x > previous);
        assert_true(downward ? x >= number(loop.end) - slack : x <= number(loop.end) + slack);
        previous = x;
    }
    assert_null(error);
    if (number(v) != 0 || !loop.multiplicative)
        assert_true(downward ? number(v) < number(loop.end) : number(v) > number(loop.end));
    return count;
}

TEST(properties_of_additive_loops)
{
    int count = 0;

    for (int i = 0; i < 20000; i++) {
        struct loop loop = {0};

        random_value(&loop.start, -200, 200);
        random_value(&loop.end, -200, 200);
        random_value(&loop.step, -20, 20);
        count += check_properties(loop);
    }
    assert_true(count > 100000);
}

TEST(properties_of_multiplicative_loops)
{
    int count = 0;

    for (int i = 0; i < 20000; i++) {
        struct loop loop = {.multiplicative = true, .multiple_of = draw(0, 1) * draw(1, 9)};

        random_value(&loop.start, -100, 100);
        random_value(&loop.end, -100000, 100000);
        loop.step = draw(0, 1) ? value_int(draw(2, 5)) : value_real((double)draw(10, 400) / 100);
        count += check_properties(loop);
    }
    assert_true(count > 50000);
}

static int64_t last_of(struct loop loop)
{
    const char *error;
    struct value v;
    int64_t last = INT64_MIN;

    assert_null(loop_begin(&loop));
    while (loop_next(&loop, &v, &error))
        last = (int64_t)llround(number(v));
    return last;
}

TEST(an_end_that_is_hit_is_included)
{
    for (int i = 0; i < 5000; i++) {
        int64_t start = draw(-50, 50), step = draw(0, 1) ? draw(1, 9) : -draw(1, 9);
        int64_t end = start + step * draw(0, 200);
        double fine = (double)step / 7;

        assert_int_equal(last_of(to(I(start), I(end), I(step))), end);
        assert_int_equal(last_of(to(R((double)start), R((double)end), R((double)step))), end);
        assert_int_equal(last_of(to(R((double)start), R((double)end), R(fine))), end);
        assert_int_equal(last_of(to(I(start), I(end), R(fine))), end);
    }
    for (int root = 1; root <= 12; root++)
        for (int power = 1; power <= 30; power++) {
            double factor = pow(2, 1.0 / root);
            int64_t end = (int64_t)1 << power;

            assert_int_equal(last_of(times(I(1), I(end), R(factor), 0)), end);
            assert_int_equal(last_of(times(R(1), R((double)end), R(factor), 0)), end);
            assert_int_equal(last_of(times(I(end), I(1), R(1 / factor), 0)), 1);
            assert_int_equal(last_of(times(R((double)end), R(1), R(1 / factor), 0)), 1);
        }
}

/* The rounds' parts lie side by side from 0 to 1. */
TEST(shares)
{
    struct loop loops[] = {to(I(0), I(9), I(1)), to(I(10), I(-10), I(-5)), to(R(0), R(1), R(0.1)),
                           times(I(1), I(1024), I(2), 0), times(R(1), R(0.01), R(0.5), 0)};

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct value v;
        const char *error;
        double begin, width, end = 0;

        assert_null(loop_begin(&loops[i]));
        while (loop_next(&loops[i], &v, &error)) {
            loop_share(&loops[i], &begin, &width);
            assert_true(fabs(begin - end) < 1e-9 && width > 0);
            end = begin + width;
        }
        assert_true(fabs(end - 1) < 1e-9);
    }
    struct loop endless = {.start = I(1), .step = I(1), .unlimited = true};
    struct value v;
    const char *error;
    double begin, width;

    assert_null(loop_begin(&endless));
    assert_true(loop_next(&endless, &v, &error));
    loop_share(&endless, &begin, &width);
    assert_true(begin >= 0 && begin + width <= 1);
}

static void check_remaining(struct loop loop, int skipped, int64_t remaining)
{
    struct value v;
    const char *error = loop_begin(&loop);

    assert_null(error);
    for (int i = 0; i < skipped; i++)
        assert_true(loop_next(&loop, &v, &error));
    assert_int_equal(loop_remaining(&loop), remaining);
}

/* Behind the visible value, without walking there where that is far. */
TEST(what_remains)
{
    check_remaining(to(I(1), I(10), I(1)), 1, 9);
    check_remaining(to(I(1), I(10), I(2)), 5, 0);
    check_remaining(to(I(10), I(-10), I(-4)), 2, 4);
    check_remaining(to(I(8), I(64LL << 30), I(8)), 3, (8LL << 30) - 3);
    check_remaining(to(I(INT64_MIN), I(INT64_MAX), I(1)), 1, INT64_MAX);
    check_remaining(to(I(INT64_MAX), I(INT64_MIN), I(-1)), 2, INT64_MAX);
    check_remaining(times(I(1), I(64LL << 30), I(2), 0), 21, 16);
    check_remaining(times(I(1), I(100), R(1.4142135623730951), 4), 2, 8);
    check_remaining(to(R(0), R(1), R(0.25)), 1, 4);
    check_remaining(to(R(0), R(1e9), R(1)), 1, 1000000000);
}
