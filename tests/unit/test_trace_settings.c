/* LINK: src/trace/settings.c */
/* Options of the tracer, from the command line and the environment, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/settings.h"

/* What setting an option to a text says; NULL: it is right. */
static const char *set(struct settings *settings, const char *option, const char *text)
{
    size_t row = 0;
    while (row < setting_row_count && strcmp(setting_rows[row].option, option) != 0)
        row++;
    assert_true(row < setting_row_count);
    return settings_set(settings, row, text);
}

static void sizes(void **state)
{
    static const char *const wrong[] = {"", "M", "-1M", "1X", "1MB", "4 M", "0.1", "1e30", "nan"};
    struct settings settings;
    (void)state;
    settings_default(&settings);
    assert_int_equal(settings.ring, 0);
    settings_default(&settings);
    assert_int_equal(settings.limit, SETTINGS_LIMIT);
    assert_null(set(&settings, "--limit", "none"));
    assert_int_equal(settings.limit, 0);
    assert_null(set(&settings, "--limit", "300"));
    assert_int_equal(settings.limit, 300);
    assert_null(set(&settings, "--limit", "1.5m"));
    assert_int_equal(settings.limit, 3 << 19);
    assert_null(set(&settings, "--limit", "2G"));
    assert_int_equal(settings.limit, INT64_C(2) << 30);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(set(&settings, "--limit", wrong[i]));
    assert_null(set(&settings, "--ring", "1"));
    assert_int_equal(settings.ring, SETTINGS_RING);
    assert_null(set(&settings, "--ring", "1M"));
    assert_int_equal(settings.ring, 1 << 20);
    assert_non_null(set(&settings, "--ring", "1K"));
}

static void phases(void **state)
{
    static const char *const wrong[] = {"",   ",",  "1,",  "a",          "3-1",
                                        "1-", "-1", "1 2", "99999999999"};
    struct settings settings;
    (void)state;
    settings_default(&settings);
    assert_true(settings_wants_phase(&settings, 7));
    assert_null(set(&settings, "--phase", "1,4-6"));
    for (uint32_t phase = 0; phase < 8; phase++)
        assert_int_equal(settings_wants_phase(&settings, phase),
                         phase == 1 || (phase >= 4 && phase <= 6));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(set(&settings, "--phase", wrong[i]));
    assert_non_null(set(&settings, "--phase", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"));
}

static void others(void **state)
{
    struct settings settings;
    (void)state;
    settings_default(&settings);
    assert_string_equal(settings.folder, "shmemtrace.out");
    assert_null(set(&settings, "--recorder", "clock_gettime"));
    assert_true(settings.clock_gettime);
    assert_null(set(&settings, "--recorder", "tsc"));
    assert_false(settings.clock_gettime);
    assert_non_null(set(&settings, "--recorder", "sundial"));
    assert_non_null(set(&settings, "-o", ""));
    assert_non_null(set(&settings, "--queries", "yes"));
    assert_non_null(set(&settings, "--only", "put,,get"));
    assert_non_null(set(&settings, "--only", ""));
    assert_null(set(&settings, "--hw", "PAPI_TOT_INS"));
    assert_non_null(set(&settings, "--hw", "A,B,C,D,E,F,G,H,I"));
}

static void environment(void **state)
{
    struct settings settings;
    char problem[100];
    (void)state;
    setenv("SHMEMTRACE_LIMIT", "5M", 1);
    setenv("SHMEMTRACE_RESULTS", "1", 1);
    assert_true(settings_from_environment(&settings, problem, sizeof problem));
    assert_true(settings.limit == 5 << 20 && settings.results && !settings.queries);
    setenv("SHMEMTRACE_LIMIT", "much", 1);
    assert_false(settings_from_environment(&settings, problem, sizeof problem));
    assert_string_equal(problem, "SHMEMTRACE_LIMIT=much: give a size such as 500M");
}

static void lists(void **state)
{
    static const struct trace_routine routines[] = {
        {"shmem_long_put", TRACE_PUT, TRACE_SIGNED, 8, 0},
        {"shmem_barrier_all", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
        {"start_pes", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    };
    char word[20];
    (void)state;
    assert_true(settings_names("get,put", &routines[0]));
    assert_true(settings_names("shmem_long_put", &routines[0]));
    assert_true(settings_names("long_put", &routines[0]));
    assert_true(settings_names("long_*", &routines[0]));
    assert_true(settings_names("shmem_*", &routines[0]));
    assert_true(settings_names("*", &routines[2]));
    assert_false(settings_names("long_p", &routines[0]));
    assert_false(settings_names("long_putt", &routines[0]));
    assert_false(settings_names("put", &routines[1]));
    assert_false(settings_names(NULL, &routines[1]));
    assert_false(
        settings_unknown_name("atomic,barrier*,start_pes", routines, 3, word, sizeof word));
    assert_true(settings_unknown_name("put,long_pot,x", routines, 3, word, sizeof word));
    assert_string_equal(word, "long_pot");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),       cmocka_unit_test(phases), cmocka_unit_test(others),
        cmocka_unit_test(environment), cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests_name("trace_settings", tests, NULL, NULL);
}
