/*
 * cmocka, after the headers that it needs, and main(), which runs the tests of the file that
 * includes this:
 *
 *     TEST(name) { ... }
 *     TEST_WITH(name, before, after) { ... }   with functions that run before and after it
 *     TEST_GROUP(before, after)                functions that run before and after all of them
 *
 * The state that test functions are given is used by few: the compiler does not warn of that.
 */
#ifndef SKAMPI_TESTS_UNIT_UNIT_H
#define SKAMPI_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static struct CMUnitTest unit_tests[100]; /* those without a name are none */
static size_t unit_tests_added;
static CMFixtureFunction unit_before, unit_after;

/* Tests add themselves before main() in the order of their lines. */
#define TEST_WITH(test, before, after)                                                             \
    static void test(void **state);                                                                \
    __attribute__((constructor(101 + __LINE__))) static void test##_is_added(void)                 \
    {                                                                                              \
        unit_tests[unit_tests_added++] = (struct CMUnitTest){#test, test, before, after, NULL};    \
    }                                                                                              \
    static void test(void **state)

#define TEST(test) TEST_WITH(test, NULL, NULL)

#define TEST_GROUP(before, after)                                                                  \
    __attribute__((constructor)) static void group_is_set(void)                                    \
    {                                                                                              \
        unit_before = before;                                                                      \
        unit_after = after;                                                                        \
    }

static inline void not_in_this_build(void **state)
{
    skip();
}

int main(void)
{
    if (unit_tests_added == 0)
        unit_tests[0] = (struct CMUnitTest)cmocka_unit_test(not_in_this_build);
    return cmocka_run_group_tests_name(__BASE_FILE__, unit_tests, unit_before, unit_after);
}

#endif
