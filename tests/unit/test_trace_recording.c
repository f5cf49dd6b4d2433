/* LINK: src/trace/recording.c src/trace/event.c */
#include <stdlib.h>
#include <string.h>

#include "trace/recording.h"
#include "unit/unit.h"

/* What setting an option to a text says; NULL: it is right. */
static const char *set(struct recording *recording, const char *option, const char *text)
{
    size_t row = 0;
    while (row < recording_row_count && strcmp(recording_rows[row].option.name, option) != 0)
        row++;
    assert_true(row < recording_row_count);
    return recording_set(recording, row, text);
}

TEST(sizes)
{
    static const char *const wrong[] = {"", "M", "-1M", "1X", "1MB", "4 M", "0.1", "1e30", "nan"};
    struct recording recording;
    recording_default(&recording);
    assert_int_equal(recording.ring, 0);
    recording_default(&recording);
    assert_int_equal(recording.limit, RECORDING_LIMIT);
    assert_null(set(&recording, "--limit", "none"));
    assert_int_equal(recording.limit, 0);
    assert_null(set(&recording, "--limit", "300"));
    assert_int_equal(recording.limit, 300);
    assert_null(set(&recording, "--limit", "1.5m"));
    assert_int_equal(recording.limit, 3 << 19);
    assert_null(set(&recording, "--limit", "2G"));
    assert_int_equal(recording.limit, INT64_C(2) << 30);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(set(&recording, "--limit", wrong[i]));
    assert_null(set(&recording, "--ring", "1"));
    assert_int_equal(recording.ring, RECORDING_RING);
    assert_null(set(&recording, "--ring", "1M"));
    assert_int_equal(recording.ring, 1 << 20);
    assert_non_null(set(&recording, "--ring", "1K"));
}

TEST(phases)
{
    static const char *const wrong[] = {"",   ",",  "1,",  "a",          "3-1",
                                        "1-", "-1", "1 2", "99999999999"};
    struct recording recording;
    recording_default(&recording);
    assert_true(recording_wants_phase(&recording, 7));
    assert_null(set(&recording, "--phase", "1,4-6"));
    for (uint32_t phase = 0; phase < 8; phase++)
        assert_int_equal(recording_wants_phase(&recording, phase),
                         phase == 1 || (phase >= 4 && phase <= 6));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(set(&recording, "--phase", wrong[i]));
    assert_non_null(set(&recording, "--phase", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"));
}

TEST(others)
{
    struct recording recording;
    recording_default(&recording);
    assert_string_equal(recording.folder, "shmemtrace.out");
    assert_null(set(&recording, "--recorder", "clock_gettime"));
    assert_true(recording.clock_gettime);
    assert_null(set(&recording, "--recorder", "tsc"));
    assert_false(recording.clock_gettime);
    assert_non_null(set(&recording, "--recorder", "sundial"));
    assert_non_null(set(&recording, "-o", ""));
    assert_non_null(set(&recording, "--queries", "yes"));
    assert_non_null(set(&recording, "--only", "put,,get"));
    assert_non_null(set(&recording, "--only", ""));
    assert_null(set(&recording, "--hw", "PAPI_TOT_INS"));
    assert_non_null(set(&recording, "--hw", "A,B,C,D,E,F,G,H,I"));
}

TEST(environment)
{
    struct recording recording;
    char problem[100];
    setenv("SHMEMTRACE_LIMIT", "5M", 1);
    setenv("SHMEMTRACE_RESULTS", "1", 1);
    assert_true(recording_from_environment(&recording, problem, sizeof problem));
    assert_true(recording.limit == 5 << 20 && recording.results && !recording.queries);
    setenv("SHMEMTRACE_LIMIT", "much", 1);
    assert_false(recording_from_environment(&recording, problem, sizeof problem));
    assert_string_equal(problem, "SHMEMTRACE_LIMIT=much: give a size such as 500M");
}

TEST(lists)
{
    static const struct trace_routine routines[] = {
        {"shmem_long_put", TRACE_PUT, TRACE_SIGNED, 8, 0},
        {"shmem_barrier_all", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
        {"start_pes", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    };
    char word[TRACE_WORD_BYTES];
    assert_true(trace_list_names("get,put", &routines[0]));
    assert_true(trace_list_names("shmem_long_put", &routines[0]));
    assert_true(trace_list_names("long_put", &routines[0]));
    assert_true(trace_list_names("long_*", &routines[0]));
    assert_true(trace_list_names("shmem_*", &routines[0]));
    assert_true(trace_list_names("*", &routines[2]));
    assert_false(trace_list_names("long_p", &routines[0]));
    assert_false(trace_list_names("long_putt", &routines[0]));
    assert_false(trace_list_names("put", &routines[1]));
    assert_false(trace_list_names(NULL, &routines[1]));
    assert_false(trace_list_unknown("atomic,barrier*,start_pes", routines, 3, word));
    assert_true(trace_list_unknown("put,long_pot,x", routines, 3, word));
    assert_string_equal(word, "long_pot");
}
