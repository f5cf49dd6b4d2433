/* The lines at the end of a run: what they count, what they advise, and their colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "output/summary.h"
#include "unit/unit.h"

#define BELOW_RESOLUTION                                                                           \
    "  doubtful    1 below_resolution: the timed region, or what is subtracted from it, is too "   \
    "short for the timer; choose a finer timer (--timers); if the function has iterations, time "  \
    "more operations together\n"

static void add_result(struct summary *summary, unsigned flags, size_t round)
{
    struct result result = {.round = round, .statistics.flags = flags};
    summary_count(summary, &(struct record){.kind = RECORD_RESULT, .result = &result});
}

static void add_missing(struct summary *summary, enum result_missing kind, int64_t points,
                        const char *call)
{
    struct record_missing missing = {kind, "b", 1, call, "why", NULL, points};
    summary_count(summary, &(struct record){.kind = RECORD_MISSING, .missing = &missing});
}

static void add_state(struct summary *summary, const char *set, double share)
{
    struct result_state state = {.members = set, .share = share};
    summary_count(summary, &(struct record){.kind = RECORD_STATE, .state = &state});
}

static void expect(struct summary *summary, int status, const char *const *files, size_t count,
                   const char *expected)
{
    struct record_end end = {.status = status, .duration = 12.34, .timed = 3.4};
    const struct summary_next next = {"./skampi", "oshrun -np 2 ./skampi --rounds 3 -i a.ski",
                                      "oshrun -np 2 ./skampi -i a.ski"};
    char *text = summary_text(summary, &end, files, count, &next);
    assert_string_equal(text, expected);
    free(text);
    summary_free(summary);
}

TEST(all_well)
{
    struct summary summary = {0};
    add_result(&summary, 1u << RESULT_WARM_UP, 1);
    add_state(&summary, "0-1", 1);
    expect(&summary, 0, (const char *[]){"a.sko", "a.json"}, 2,
           "skampi: 1 result, in 12.3 s (3.4 s in timed regions)\n"
           "  written to  a.sko, a.json\n"
           "  next        ./skampi table a.json\n");
}

TEST(doubts)
{
    struct summary summary = {0};
    add_result(&summary, 1u << RESULT_LEVEL_SHIFT | 1u << RESULT_BELOW_RESOLUTION, 1);
    add_result(&summary, 1u << RESULT_LEVEL_SHIFT, 1);
    add_result(&summary, 0, 1);
    add_missing(&summary, MISSING_UNSUPPORTED, 1, "F(1)");
    add_missing(&summary, MISSING_UNSUPPORTED, 4, "F(2)");
    add_state(&summary, "0-1", 0.5);
    add_state(&summary, "0-1", 0.5);
    add_state(&summary, "0-1", 0); /* seen by earlier runs only */
    add_state(&summary, "0", 1);
    expect(
        &summary, 3, (const char *[]){"standard output"}, 1,
        "skampi: 3 results, 2 of them doubtful, 5 missing, in 12.3 s (3.4 s in timed regions)\n"
        "  doubtful    2 level_shift: the time changed its level while it was measured, so one "
        "number does not describe it; measure with --rounds, or see each level with "
        "set_levels(1)\n" BELOW_RESOLUTION "  missing     5 unsupported: F(1): why\n"
        "  states      the machine was in 2 states (speeds); --rounds 10,60s measures each point "
        "in each of them\n"
        "  written to  standard output\n"
        "  next        oshrun -np 2 ./skampi -i a.ski --rounds 10,60s -o results.json\n");
}

static void add_followed(struct summary *summary, unsigned flags)
{
    struct result result = {.round = 1, .rounds_follow = true, .statistics.flags = flags};
    summary_count(summary, &(struct record){.kind = RECORD_RESULT, .result = &result});
}

/* Points over rounds take the place of their first results; others stay. */
TEST(rounds)
{
    struct summary summary = {0};
    struct result_rounds good = {0}, unstable = {.flags = 1u << RESULT_UNSTABLE};
    add_followed(&summary, 1u << RESULT_LEVEL_SHIFT);
    add_followed(&summary, 1u << RESULT_NEGATIVE);
    add_result(&summary, 1u << RESULT_BELOW_RESOLUTION, 1);
    add_result(&summary, 1u << RESULT_NEGATIVE, 2);
    summary_count(&summary, &(struct record){.kind = RECORD_ROUNDS, .rounds = &good});
    summary_count(&summary, &(struct record){.kind = RECORD_ROUNDS, .rounds = &unstable});
    expect(&summary, 0, (const char *[]){"a.csv"}, 1,
           "skampi: 3 results, 2 of them doubtful, in 12.3 s (3.4 s in timed "
           "regions)\n" BELOW_RESOLUTION
           "  doubtful    1 unstable: rounds differ by more than the samples inside them explain: "
           "the machine changes over time; read the values by state and the prediction interval, "
           "or measure on a quiet machine\n"
           "  written to  a.csv\n"
           "  next        ./skampi report a.csv -o report.html\n");
}

/* A run that ends before there are rounds has its first results. */
TEST(no_rounds_yet)
{
    struct summary summary = {0};
    add_followed(&summary, 1u << RESULT_BELOW_RESOLUTION);
    add_result(&summary, 0, 1);
    expect(&summary, 0, (const char *[]){"a.csv"}, 1,
           "skampi: 2 results, 1 of them doubtful, in 12.3 s (3.4 s in timed "
           "regions)\n" BELOW_RESOLUTION "  written to  a.csv\n"
           "  next        ./skampi report a.csv -o report.html\n");
}

/* What is to be typed next is what a shell reads. */
TEST(files_with_blanks)
{
    struct summary summary = {0};
    add_result(&summary, 0, 1);
    expect(&summary, 0, (const char *[]){"it's a.json"}, 1,
           "skampi: 1 result, in 12.3 s (3.4 s in timed regions)\n"
           "  written to  it's a.json\n"
           "  next        ./skampi table 'it'\\''s a.json'\n");
}

/* What a time limit has left out can be measured by --resume, which reads JSON alone. */
TEST(time_limit)
{
    struct summary summary = {0};
    add_result(&summary, 0, 1);
    add_missing(&summary, MISSING_TIME_LIMIT, 3, "F(1)");
    expect(&summary, 4, (const char *[]){"a.sko", "a.json"}, 2,
           "skampi: 1 result, 3 missing, in 12.3 s (3.4 s in timed regions)\n"
           "  missing     3 time_limit: F(1): why\n"
           "  written to  a.sko, a.json\n"
           "  next        oshrun -np 2 ./skampi --rounds 3 -i a.ski --resume a.json -o a-2.json\n");
    summary = (struct summary){0};
    add_result(&summary, 0, 1);
    add_missing(&summary, MISSING_TIME_LIMIT, 3, "F(1)");
    expect(&summary, 4, (const char *[]){"a.sko"}, 1,
           "skampi: 1 result, 3 missing, in 12.3 s (3.4 s in timed regions)\n"
           "  missing     3 time_limit: F(1): why\n"
           "  written to  a.sko\n"
           "  next        ./skampi table a.sko\n");
}

TEST(too_many)
{
    struct summary summary = {0};
    add_missing(&summary, MISSING_TOO_LARGE, INT64_MAX, "F(1)");
    add_missing(&summary, MISSING_TOO_LARGE, 2, "F(2)");
    add_missing(&summary, MISSING_SKIPPED, 2, "F(3)");
    expect(&summary, 3, (const char *[]){"a"}, 1,
           "skampi: 0 results, 9223372036854775807 missing, in 12.3 s (3.4 s in timed regions)\n"
           "  missing     2 skipped: F(3): why\n"
           "  missing     9223372036854775807 too_large: F(1): why\n"
           "  written to  a\n"
           "  next        oshrun -np 2 ./skampi --rounds 3 -i a.ski -o results.json\n");
}

TEST(colours)
{
    struct summary summary = {0};
    terminal_choose(WHEN_ALWAYS, false);
    add_result(&summary, 0, 1);
    expect(&summary, 0, (const char *[]){"a.json"}, 1,
           "skampi: \033[1;32m1 result\033[0m, in 12.3 s (3.4 s in timed regions)\n"
           "  written to  a.json\n"
           "  next        ./skampi table a.json\n");
    terminal_choose(WHEN_NEVER, false);
}

/* Every flag has a name, a meaning and a remedy. */
TEST(flags)
{
    for (int flag = 0; flag < RESULT_FLAGS; flag++) {
        assert_non_null(result_flags[flag].name);
        assert_non_null(result_flags[flag].means);
        assert_non_null(result_flags[flag].remedy);
        if (result_flags[flag].doubt == FLAG_COVERED)
            assert_true(result_flags[flag].doubt != FLAG_FINE);
    }
    assert_true(result_flags[RESULT_UNSTABLE].doubt != FLAG_FINE);
    assert_true(result_flags[RESULT_LEVEL_SHIFT].doubt == FLAG_COVERED);
    assert_false(result_flags[RESULT_WARM_UP].doubt != FLAG_FINE);
    assert_false(result_is_doubtful(1u << RESULT_WARM_UP | 1u << RESULT_LEVELS));
    assert_true(result_is_doubtful(1u << RESULT_WARM_UP | 1u << RESULT_IMPRECISE));
}

/* Unknown, or wider than half of the value; what is exact is precise, also 0. */
TEST(imprecise)
{
    assert_true(result_is_imprecise(53.18, -187.4, 296.7));
    assert_true(result_is_imprecise(53.18, 0, 296.7));
    assert_true(result_is_imprecise(1, NAN, NAN));
    assert_true(result_is_imprecise(NAN, 1, 2));
    assert_true(result_is_imprecise(0, -1, 1));
    assert_true(result_is_imprecise(-1, -1.4, -0.8));
    assert_false(result_is_imprecise(-1, -1.25, -0.75));
    assert_false(result_is_imprecise(1, 0.75, 1.25));
    assert_false(result_is_imprecise(0, 0, 0));
}
