/* Numbers and plurals are written as people read them. */
#include <math.h>

#include "base/numbers.h"
#include "unit/unit.h"

TEST(numbers)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {460, 2, "460"},
        {4.6e2, 1, "500"},
        {1.5, 3, "1.5"},
        {1, 3, "1"},
        {0.0013, 2, "0.0013"},
        {2.5e-15, 2, "2.5e-15"},
        {3.53e-6, 3, "3.53e-6"},
        {0, 4, "0"},
        {-12.345, 3, "-12.3"},
        {999.6, 3, "1000"},
        {0.1, 12, "0.1"},
        {3e20, 2, "3e20"},
        {9999999.6, 12, "9999999.6"},
        {NAN, 2, "---"},
        {INFINITY, 2, "inf"},
        {-INFINITY, 2, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        assert_string_equal(numbers_text(text, cases[i].value, cases[i].digits), cases[i].text);
    }
}

TEST(plurals)
{
    assert_string_equal(numbers_plural(0), "s");
    assert_string_equal(numbers_plural(1), "");
    assert_string_equal(numbers_plural(2), "s");
}

TEST(units)
{
    assert_true(numbers_unit("ns") == 1e9);
    assert_true(numbers_unit("us") == 1e6);
    assert_true(numbers_unit("ms") == 1e3);
    assert_true(numbers_unit("s") == 1);
    assert_true(numbers_unit("") == 0);
    assert_true(numbers_unit("m") == 0);
}

static int compare_numbers(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return ORDER(*x, *y);
}

TEST(sorts)
{
    int numbers[] = {3, 1, 2}, *none = NULL;
    size_t count = 0;
    SORT(none, count, compare_numbers);
    SORT(numbers, sizeof numbers / sizeof *numbers, compare_numbers);
    for (int i = 0; i < 3; i++)
        assert_int_equal(numbers[i], i + 1);
}
