/* Results of earlier runs are read: states of several files get common numbers, points are found,
 * damaged files refused. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "known/known.h"
#include "unit/unit.h"

#if SKAMPI_JANSSON

/* The state with that number of a set of PEs, or NULL. */
static const struct known_state *known_state_find(const struct earlier_runs *known,
                                                  const char *members, int pes, int number)
{
    for (size_t i = 0; i < known->state_count; i++) {
        const struct known_state *state = &known->states[i];
        if (state->number == number && state->pes == pes &&
            strcmp(state->members, members ? members : "") == 0)
            return state;
    }
    return NULL;
}

#define HEADER                                                                                     \
    "{\"record\":\"header\",\"schema\":1,\"program\":\"skampi\",\"version\":\"0.1\","              \
    "\"library\":\"Open MPI\",\"pes\":2,\"nodes\":[{\"name\":\"n1\",\"pes\":2}]}\n"
#define END "{\"record\":\"end\",\"status\":0}\n"
#define RANGE(name, value, low, high)                                                              \
    "\"" name "\":{\"value\":" #value ",\"low\":" #low ",\"high\":" #high "}"
#define STATE_OF(number, controls, share, seconds)                                                 \
    "{\"record\":\"state\",\"state\":" #number ",\"members\":\"0-1\",\"pes\":2," controls          \
    ",\"share\":" #share ",\"seconds\":" #seconds ",\"known\":false,\"new\":false}\n"
#define STATE(number, value, low, high, share, seconds)                                            \
    STATE_OF(number, RANGE("hand_over", value, low, high), share, seconds)
/* Of both controls. */
#define BOTH(number, value, low, high, addition, addition_low, addition_high)                      \
    STATE_OF(number,                                                                               \
             RANGE("hand_over", value, low, high) "," RANGE("addition", addition, addition_low,    \
                                                            addition_high),                        \
             0.25, 10)
#define ENTRY(number, rounds, median, low, high)                                                   \
    "{\"state\":" #number ",\"rounds\":" #rounds ",\"median\":" #median ",\"next_low\":" #low      \
    ",\"next_high\":" #high "}"
#define POINT(variables, states)                                                                   \
    "{\"record\":\"rounds\",\"block\":\"b\",\"number\":1,\"function\":\"F\",\"call\":\"F(8)\","    \
    "\"variables\":" variables ",\"pe_set\":{\"size\":2,\"members\":\"0-1\"},\"states\":[" states  \
    "],\"round_states\":[1]}\n"

#define TWO_STATES STATE(1, 61e-9, null, 100e-9, 0.75, 30) STATE(2, 164e-9, 100e-9, null, 0.25, 10)

static char paths[32][32];
static size_t path_count;

/* Writes a file of that many bytes; returns its name. */
static const char *written(const char *bytes, size_t count)
{
    assert_true(path_count < sizeof paths / sizeof *paths);
    char *path = paths[path_count++];
    strcpy(path, "/tmp/known-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, count), count);
    assert_int_equal(close(file), 0);
    return path;
}

static int remove_files(void **state)
{
    while (path_count > 0)
        unlink(paths[--path_count]);
    return 0;
}

/* Reads files with these texts, up to NULL. */
static struct earlier_runs *reads(const char *const *texts)
{
    const char *names[8];
    size_t count = 0;
    char *error;
    for (; texts[count]; count++)
        names[count] = written(texts[count], strlen(texts[count]));
    struct earlier_runs *known = known_read(names, count, NULL, &error);
    if (!known)
        fail_msg("refused: %s", error ? error : "without a word");
    return known;
}

#define READ(...) reads((const char *const[]){__VA_ARGS__, NULL})

static void is_near(double value, double expected)
{
    if (isinf(expected) ? value != expected : !(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%g is not %g", value, expected);
}

static void has_state(const struct earlier_runs *known, int number, double value, double low,
                      double high)
{
    const struct known_state *state = known_state_find(known, "0-1", 2, number);
    assert_non_null(state);
    is_near(state->ranges[0].value, value);
    is_near(state->ranges[0].low, low);
    is_near(state->ranges[0].high, high);
}

/* Runs of another library, or with other settings, have no states of this one. */
TEST_WITH(another_library, NULL, remove_files)
{
    const char *const settings[] = {"UCX_TLS=tcp", "SKAMPI_X=1", "FI_A=b"};
    char *mine = known_software("L 1", settings, 3), *error;
    assert_string_equal(mine, "L 1\nFI_A=b\nUCX_TLS=tcp\n");
    static const struct {
        const char *library, *settings;
        bool other;
    } cases[] = {{"L 1", "{\"FI_A\":\"b\",\"UCX_TLS\":\"tcp\",\"SKAMPI_Y\":\"2\"}", false},
                 {"L 2", "{\"UCX_TLS\":\"tcp\",\"FI_A\":\"b\"}", true},
                 {"L 1", "{\"UCX_TLS\":\"sm\",\"FI_A\":\"b\"}", true},
                 {"L 1", "null", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_format("{\"record\":\"header\",\"schema\":1,\"pes\":2,\"library\":\"%s\","
                                 "\"environment\":%s}\n" TWO_STATES END,
                                 cases[i].library, cases[i].settings);
        const char *path = written(text, strlen(text));
        struct earlier_runs *known = known_read(&path, 1, mine, &error);
        assert_non_null(known);
        assert_int_equal(known->runs[0].other, cases[i].other);
        assert_int_equal(known->state_count, cases[i].other ? 0 : 2);
        known_free(known);
        free(text);
    }
    free(mine);
}

TEST_WITH(one_file, NULL, remove_files)
{
    struct earlier_runs *known = READ(HEADER TWO_STATES POINT(
        "{\"i\":1}", ENTRY(1, 7, 190e-9, 180e-9, 200e-9) "," ENTRY(2, 3, 490e-9, null, null)) END);
    assert_int_equal(known->state_count, 2);
    has_state(known, 1, 61e-9, 0, 100e-9);
    has_state(known, 2, 164e-9, 100e-9, INFINITY);
    is_near(known->states[0].share, 0.75);
    assert_true(isnan(known->states[0].ranges[1].value));
    assert_null(known_state_find(known, "0-1", 2, 3));
    assert_null(known_state_find(known, "0-2", 2, 1));
    assert_null(known_state_find(known, NULL, 2, 1));

    assert_int_equal(known->run_count, 1);
    assert_int_equal(known->runs[0].pes, 2);
    assert_true(known->runs[0].complete);
    assert_string_equal(known->runs[0].library, "Open MPI");
    assert_int_equal(known->runs[0].node_count, 1);
    assert_string_equal(known->runs[0].nodes[0], "n1");

    assert_int_equal(known->point_count, 1);
    assert_non_null(strstr(known->points[0].key, "F(8)"));
    assert_int_equal(known->points[0].value_count, 2);
    is_near(known->points[0].values[0].next_high, 200e-9);
    assert_int_equal(known->points[0].values[1].rounds, 3);
    assert_true(isnan(known->points[0].values[1].next_low));
    known_free(known);
}

/* What the engine asks with. */
static const struct known_point *found(const struct earlier_runs *known, const char *i,
                                       const char *block, size_t pes)
{
    struct result_variable variables[] = {{"i", "outer"}, {"i", i}, {"word", "a\"b"}};
    struct result_point point = {.block = block,
                                 .text = "F(8)",
                                 .members = "0-1",
                                 .pes = pes,
                                 .variables = variables,
                                 .variable_count = 3};
    return known_find(known, &point);
}

TEST_WITH(points_are_found, NULL, remove_files)
{
    struct earlier_runs *known =
        READ(HEADER TWO_STATES POINT("{\"i\":1e-06,\"word\":\"a\\\"b\"}", ENTRY(1, 5, 1, 0.5, 2))
                 POINT("{\"i\":4,\"word\":\"a\\u0022b\"}", ENTRY(1, 5, 3, 2, 4))
                     POINT("{\"i\":4}", ENTRY(1, 5, 7, 6, 8)) END);
    assert_int_equal(known->point_count, 3);
    is_near(found(known, "0.000001", "b", 2)->values[0].median, 1);
    is_near(found(known, "4", "b", 2)->values[0].median, 3);
    is_near(found(known, "4.0", "b", 2)->values[0].median, 3);
    assert_null(found(known, "5", "b", 2));
    assert_null(found(known, "x", "b", 2));
    assert_null(found(known, "4", "c", 2));
    assert_null(found(known, "4", "b", 3));
    known_free(known);
}

TEST_WITH(near_values_are_one_state, NULL, remove_files)
{
    /* The second file saw them the other way round, and a third one. */
    struct earlier_runs *known =
        READ(HEADER TWO_STATES POINT("{}", ENTRY(1, 5, 10, 8, 12) "," ENTRY(2, 5, 20, 18, 22)) END,
             HEADER STATE(1, 170e-9, null, 300e-9, 0.5, 20) STATE(2, 600e-9, 300e-9, null, 0.5, 20)
                 POINT("{}", ENTRY(1, 7, 24, 19, 29) "," ENTRY(2, 7, 90, 80, 99)) END);
    assert_int_equal(known->state_count, 3);
    has_state(known, 1, 61e-9, 0, 100e-9);
    has_state(known, 2, 167e-9, 100e-9, 300e-9);
    has_state(known, 3, 600e-9, 300e-9, INFINITY);
    is_near(known_state_find(known, "0-1", 2, 2)->share, 30.0 / 80);
    assert_int_equal(known->point_count, 1);
    const struct known_value *values = known->points[0].values;
    assert_int_equal(known->points[0].value_count, 3);
    assert_int_equal(values[1].state, 2);
    assert_int_equal(values[1].rounds, 12);
    is_near(values[1].median, 22);
    is_near(values[1].next_low, 18);
    is_near(values[1].next_high, 29);
    assert_int_equal(values[2].state, 3);
    is_near(values[2].next_high, 99);
    known_free(known);
}

/* A point of this quantity with five rounds in state 1, and others. */
#define ROUNDS(quantity, median)                                                                   \
    "{\"record\":\"rounds\",\"block\":\"b\",\"number\":1,\"function\":\"F\",\"call\":\"F(8)\","    \
    "\"quantity\":\"" quantity "\",\"variables\":{},\"pe_set\":{\"size\":2,\"members\":\"0-1\"},"  \
    "\"states\":[" ENTRY(1, 5, 1, 1, 2) "," ENTRY(                                                 \
        2, 1, 20, null, null) "],\"medians\":[" #median "," #median ",7," #median "," #median      \
                              ",null," #median ",9],\"round_states\":[1,1,0,1,1,1,1,2]}\n"
#define LAUNCH(quantity, median) HEADER TWO_STATES ROUNDS(quantity, median) END

/* Rounds of five launches are 1 % apart from launch to launch, and do not differ within one. */
TEST_WITH(launches_differ, NULL, remove_files)
{
    const char *const launches[] = {LAUNCH("time", 98.019867), LAUNCH("time", 99.004983),
                                    LAUNCH("time", 100), LAUNCH("time", 101.005017),
                                    LAUNCH("time", 102.020134)};
    struct earlier_runs *known =
        READ(launches[0], launches[1], launches[2], launches[3], launches[4]);
    double wanted = sqrt(2.5e-4 / pow(1 - 2.0 / 36, 3));
    assert_true(fabs(known->launch_difference - wanted) < 1e-6);
    known_free(known);
    known = READ(launches[0], launches[1], launches[2], launches[3]);
    assert_true(isnan(known->launch_difference));
    known_free(known);
    /* Counts say nothing, and neither does a point that is in a file again. */
    known = READ(launches[0], launches[1], launches[2], launches[3], LAUNCH("bytes", 102));
    assert_true(isnan(known->launch_difference));
    known_free(known);
    known = READ(launches[0], launches[1], launches[2],
                 HEADER TWO_STATES ROUNDS("time", 101) ROUNDS("time", 102) END);
    assert_true(isnan(known->launch_difference));
    known_free(known);
}

/* One state each, without bounds: only the values can tell. */
TEST_WITH(runs_in_one_state_each, NULL, remove_files)
{
    struct earlier_runs *known = READ(HEADER STATE(1, 60e-9, null, null, 1, 40) END,
                                      HEADER STATE(1, 240e-9, null, null, 1, 40) END,
                                      HEADER STATE(1, 70e-9, null, null, 1, 40) END);
    assert_int_equal(known->state_count, 2);
    has_state(known, 1, 65e-9, 0, sqrt(65e-9 * 240e-9));
    has_state(known, 2, 240e-9, sqrt(65e-9 * 240e-9), INFINITY);
    is_near(known->states[0].share, 2.0 / 3);
    known_free(known);
}

/* 20 %, and no more, where there are no bounds. */
TEST_WITH(at_the_limit, NULL, remove_files)
{
    struct earlier_runs *known = READ(HEADER STATE(1, 100e-9, null, null, 1, 1) END,
                                      HEADER STATE(1, 119.9e-9, null, null, 1, 1) END);
    assert_int_equal(known->state_count, 1);
    known_free(known);
    known = READ(HEADER STATE(1, 100e-9, null, null, 1, 1) END,
                 HEADER STATE(1, 120.1e-9, null, null, 1, 1) END);
    assert_int_equal(known->state_count, 2);
    known_free(known);
}

/* 90 ns is far from 61 ns, but below the bound that the first file has. */
TEST_WITH(bounds_tell, NULL, remove_files)
{
    struct earlier_runs *known =
        READ(HEADER TWO_STATES END, HEADER STATE(1, 90e-9, null, null, 1, 40) END);
    assert_int_equal(known->state_count, 2);
    has_state(known, 1, 75.5e-9, 0, 100e-9);
    has_state(known, 2, 164e-9, 100e-9, INFINITY);
    known_free(known);
}

/* Two states that a run tells apart stay two, though a run before has one near both. */
TEST_WITH(no_state_is_two, NULL, remove_files)
{
    struct earlier_runs *known =
        READ(HEADER STATE(1, 100e-9, null, null, 1, 40) END,
             HEADER STATE(1, 90e-9, null, 100e-9, 0.5, 20) STATE(2, 108e-9, 100e-9, null, 0.5, 20)
                 POINT("{}", ENTRY(1, 5, 10, 8, 12) "," ENTRY(2, 5, 20, 18, 22)) END);
    assert_int_equal(known->state_count, 2);
    has_state(known, 1, 104e-9, 100e-9, INFINITY); /* 108 is nearer to 100 */
    has_state(known, 2, 90e-9, 0, 100e-9);
    assert_int_equal(known->points[0].values[0].state, 1);
    is_near(known->points[0].values[0].median, 20);
    known_free(known);
}

static void has_both(const struct earlier_runs *known, int number, double hand_over,
                     double addition)
{
    const struct known_state *state = known_state_find(known, "0-1", 2, number);
    assert_non_null(state);
    is_near(state->ranges[0].value, hand_over);
    is_near(state->ranges[1].value, addition);
}

/* States are the same if each of their controls is; ranges never overlap. */
TEST_WITH(two_controls, NULL, remove_files)
{
    struct earlier_runs *known =
        READ(HEADER BOTH(1, 60e-9, null, 100e-9, 3e-10, null, 4e-10)
                 BOTH(2, 62e-9, null, 100e-9, 5e-10, 4e-10, null)
                     BOTH(3, 160e-9, 100e-9, null, 3e-10, null, 4e-10) END,
             HEADER BOTH(1, 165e-9, 90e-9, null, 3.1e-10, null, 3.8e-10)
                 BOTH(2, 66e-9, null, 90e-9, 5.1e-10, 3.8e-10, null)
                     BOTH(3, 170e-9, 90e-9, null, 5e-10, 3.8e-10, null) END,
             HEADER BOTH(1, 61e-9, null, null, 3e-10, null, null) END);
    assert_int_equal(known->state_count, 4);
    has_both(known, 1, 60.5e-9, 3e-10);
    has_both(known, 2, 64e-9, 5.05e-10);
    has_both(known, 3, 162.5e-9, 3.05e-10);
    has_both(known, 4, 170e-9, 5e-10);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++) {
            bool apart = false;
            for (size_t kind = 0; kind < STATES_KINDS; kind++) {
                const struct states_range *a = &known->states[i].ranges[kind];
                const struct states_range *b = &known->states[k].ranges[kind];
                assert_true(a->low <= a->value && a->value < a->high);
                apart = apart || a->high <= b->low || b->high <= a->low;
            }
            assert_true(apart);
        }
    known_free(known);
}

/* A file that was itself written with --known says by its number which state it means. */
TEST_WITH(numbers_of_known_states, NULL, remove_files)
{
    struct earlier_runs *known = READ(
        HEADER STATE(1, 100e-9, null, 105e-9, 0.5, 1) STATE(2, 110e-9, 105e-9, null, 0.5, 1) END,
        HEADER "{\"record\":\"state\",\"state\":2,\"members\":\"0-1\",\"pes\":2," RANGE(
            "hand_over", 101e-9, 100.5e-9, null) ",\"share\":1,"
                                                 "\"seconds\":1,\"known\":true}\n" END);
    assert_int_equal(known->state_count, 2);
    is_near(known_state_find(known, "0-1", 2, 1)->ranges[0].value, 100e-9);
    is_near(known_state_find(known, "0-1", 2, 2)->ranges[0].value, 105.5e-9);
    known_free(known);
}

TEST_WITH(sets_are_apart, NULL, remove_files)
{
    struct earlier_runs *known = READ(HEADER STATE(
        1, 60e-9, null, null, 1,
        1) "{\"record\":\"state\",\"state\":1,\"members\":null,\"pes\":"
           "2000," RANGE("hand_over", 60e-9, null,
                         null) ",\"share\":1}\n"
                               "{\"record\":\"state\",\"state\":1,"
                               "\"members\":\"0\",\"pes\":1," RANGE("addition", 1e-9, null,
                                                                    null) ",\"share\":1}\n" END);
    assert_int_equal(known->state_count, 3);
    assert_int_equal(known_state_find(known, NULL, 2000, 1)->number, 1);
    is_near(known_state_find(known, "0", 1, 1)->ranges[1].value, 1e-9);
    assert_true(isnan(known_state_find(known, "0", 1, 1)->ranges[0].value));
    is_near(known_state_find(known, "0", 1, 1)->share, 1); /* though nobody says how long */
    known_free(known);
}

TEST_WITH(what_does_not_matter, NULL, remove_files)
{
    /* A mark at the beginning, ends of lines of another system, empty lines, blanks as Python puts
     * them, records of other kinds even if damaged, unknown members, a last line that was cut. */
    struct earlier_runs *known =
        READ("\xEF\xBB\xBF" HEADER "\r\n\n{\"record\":\"result\",\"samples\":[1,2,\n"
             "{\"record\": \"news\", \"text\": [}\n"
             "{ \"record\" : \"state\", \"state\": 1, \"members\": \"0-1\", \"pes\": 2, "
             "\"hand_over\": {\"value\": 6e-08, \"low\": null, \"high\": null}, \"more\": [1]}\r\n"
             "{\"state\":2,\"record\":\"comment\"}\n" POINT(
                 "{}", "") "{\"record\":\"rounds\",\"block\":\"old\"}\n"
                           "{\"record\":\"rounds\",\"blo");
    assert_int_equal(known->state_count, 1);
    assert_int_equal(known->point_count, 0);
    assert_false(known->runs[0].complete);
    known_free(known);
}

static void refused_bytes(const char *bytes, size_t count, const char *why)
{
    char *error;
    const char *path = written(bytes, count);
    struct earlier_runs *known = known_read(&path, 1, NULL, &error);
    char *expected = text_format("%s%s", path, why);
    if (known || strncmp(error, expected, strlen(expected)) != 0)
        fail_msg("'%.2000s':\n%s\nis not\n%s", bytes, known ? "accepted" : error, expected);
    free(expected);
    free(error);
    remove_files(NULL);
}

static void refused(const char *text, const char *why)
{
    refused_bytes(text, strlen(text), why);
}

TEST_WITH(other_files, NULL, remove_files)
{
    char *error;
    refused("", ": the file is empty");
    refused("\n \n", ": the file is empty");
    refused("# SKaMPI Version 5\n",
            ": --known reads JSON: convert it first: skampi convert -o /tmp");
    refused("record,block\n", ": --known reads JSON: convert it first");
    refused("\"record\",\"block\"\n", ": --known reads JSON: convert it first");
    refused("hello\n", ": not a result of skampi in JSON");
    refused("{}\n", ":1: no record of skampi's JSON Lines");
    refused("{\n}\n", ":1: no record of skampi's JSON Lines");
    refused("{\"record\":\"block\",\"block\":\"b\"}\n", ":1: no header before it");
    refused(TWO_STATES, ":1: no header before it");
    refused("{\"record\":\"header\",\"schema\":2,\"pes\":2}\n", ":1: schema is not 1");
    refused("{\"record\":\"header\",\"schema\":1,\"pes\":0}\n", ":1: pes is no count");
    refused("{\"record\":\"header\",\"schema\":1,\"pes\":1e400}\n", ":1: no record");
    refused("{\"record\":\"header\",\"schema\":1,\"pes\":2,\"nodes\":7}\n", ":1: nodes is no list");
    refused("{\"record\":\"header\",\"schema\":1,\"pes\":2,\"nodes\":[7]}\n", ":1: a node has no");
    refused(HEADER HEADER, ":2: a second header");
    refused(HEADER END, ": no states of the machine: measure again");
    refused(HEADER, ": no states of the machine: the run was cut");
    assert_null(known_read(&(const char *){"/dev/null/a.json"}, 1, NULL, &error));
    assert_string_equal(error, "/dev/null/a.json: cannot be read: Not a directory");
    free(error);
    assert_null(known_read(&(const char *){"/tmp"}, 1, NULL, &error));
    assert_string_equal(error, "/tmp: cannot be read: Is a directory");
    free(error);
    const char *path = written(HEADER TWO_STATES, strlen(HEADER TWO_STATES));
    assert_null(known_read((const char *const[]){path, path}, 2, NULL, &error));
    assert_non_null(strstr(error, "named twice"));
    free(error);
}

TEST_WITH(damaged_states, NULL, remove_files)
{
    static const char *const values[] = {"null", "0", "-6e-8", "\"6e-8\"", "[]", "true", "{}"};
    refused(HEADER STATE(0, 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    refused(HEADER STATE(1.5, 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    refused(HEADER STATE(1000, 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    refused(HEADER STATE(1e300, 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    refused(HEADER STATE(-1, 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    refused(HEADER STATE("1", 6e-8, null, null, 1, 1), ":2: state is no number from 1");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = text_format(HEADER "{\"record\":\"state\",\"state\":1,\"pes\":2,"
                                        "\"hand_over\":{\"value\":%s}}\n",
                                 values[i]);
        refused(text, ":2: the value of a control is no time above 0");
        free(text);
    }
    refused(HEADER STATE(1, NaN, null, null, 1, 1), ":2: no record");
    refused(HEADER STATE(1, 1e999, null, null, 1, 1), ":2: no record");
    refused(HEADER STATE(1, 99999999999999999999, null, null, 2, 1),
            ":2: share is not from 0 to 1");
    refused(HEADER STATE(1, 6e-8, 7e-8, null, 1, 1), ":2: the value is not between its bounds");
    refused(HEADER STATE(1, 6e-8, null, 5e-8, 1, 1), ":2: the value is not between its bounds");
    refused(HEADER STATE(1, 6e-8, -1, null, 1, 1), ":2: low or high is no time");
    refused(HEADER STATE(1, 6e-8, "x", null, 1, 1), ":2: low or high is no time");
    refused(HEADER STATE(1, 6e-8, null, null, -1, 1), ":2: share is not from 0 to 1");
    refused(HEADER STATE(1, 6e-8, null, null, 1, "x"), ":2: seconds is no time");
    refused(HEADER TWO_STATES STATE(2, 6e-8, null, null, 1, 1),
            ":4: a state with this number has been there already");
    refused(HEADER "{\"record\":\"state\",\"state\":1,\"pes\":2,\"value\":1}\n",
            ":2: a state has neither hand_over nor addition");
    refused(HEADER "{\"record\":\"state\",\"state\":1,\"pes\":2,\"addition\":1e-9}\n",
            ":2: hand_over or addition is no object");
    refused(HEADER "{\"record\":\"state\",\"state\":1,\"pes\":2,\"members\":[0,1]," RANGE(
                "addition", 1e-9, null, null) "}\n",
            ":2: members is no text");
    refused(HEADER "{\"record\":\"state\",\"state\":1,\"state\":2}\n", ":2: no record");
    refused(HEADER "{\"record\":\"state\",\"state\":1,\"pe\n" END, ":2: no record");
    refused(HEADER "{\"record\":\"state\"} x\n", ":2: no record");
    refused(HEADER "{\"record\":\"state\",\"members\":\"\\u0000\"}\n", ":2: no record");
    refused(HEADER "{\"record\":\"state\",\"members\":\"\xff\"}\n", ":2: no record");
    refused_bytes(HEADER "\0\n", strlen(HEADER) + 2, ":2: no record");
}

TEST_WITH(damaged_points, NULL, remove_files)
{
    refused(HEADER TWO_STATES POINT("{}", ENTRY(3, 5, 1, 1, 1)) END, ":4: states names a state");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(0, 5, 1, 1, 1)) END, ":4: an entry of states");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, -5, 1, 1, 1)) END, ":4: an entry of states");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, 5, "1", 1, 1)) END, ":4: an entry of states");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, null, 1, 1, 1)) END, ":4: an entry of states");
    refused(HEADER TWO_STATES POINT("{}", "7") END, ":4: an entry of states");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, 5, 1, 2, 1)) END, ":4: next_low and next_high");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, 5, 1, null, 1)) END, ":4: next_low and next_h");
    refused(HEADER TWO_STATES POINT("{}", ENTRY(1, 5, 1, 1, 1) "," ENTRY(1, 5, 1, 1, 1)) END,
            ":4: a state is twice in states");
    refused(HEADER TWO_STATES POINT("7", ENTRY(1, 5, 1, 1, 1)) END, ":4: states is no list");
    refused(HEADER TWO_STATES "{\"record\":\"rounds\",\"states\":7,\"variables\":{}}\n" END,
            ":4: states is no list");
    refused(HEADER TWO_STATES "{\"record\":\"rounds\",\"states\":[1],\"variables\":{}}\n" END,
            ":4: block, call or members is no text");
    refused(HEADER TWO_STATES "{\"record\":\"rounds\",\"block\":\"b\",\"call\":\"c\",\"pe_set\":{},"
                              "\"states\":[1],\"variables\":{}}\n" END,
            ":4: the size of pe_set is no count");
}

/* Every beginning of a file is read or refused, and nothing else happens. */
TEST_WITH(every_cut, NULL, remove_files)
{
    static const char complete[] =
        HEADER TWO_STATES POINT("{\"i\":1}", ENTRY(1, 5, 1, 1, 1) "," ENTRY(2, 5, 1, 1, 1)) END;
    for (size_t length = 0; length < sizeof complete; length++) {
        char *error;
        const char *path = written(complete, length);
        struct earlier_runs *known = known_read(&path, 1, NULL, &error);
        assert_true(known ? !error : error != NULL);
        assert_int_equal(known != NULL,
                         length >= strlen(HEADER STATE(1, 61e-9, null, 100e-9, 0.75, 30)) - 1);
        known_free(known);
        free(error);
        remove_files(NULL);
    }
}

/* Records that matter are short; others may have many samples, but not any number of them. */
TEST_WITH(long_lines, NULL, remove_files)
{
    size_t most = (size_t)17 << 20;
    char *text = malloc(most + 1000), *error;
    size_t length =
        (size_t)sprintf(text, "%s%s", HEADER TWO_STATES, "{\"record\":\"result\",\"x\":\"");
    memset(text + length, 'x', most);
    strcpy(text + length + most, "\"}\n" END);
    const char *path = written(text, strlen(text));
    struct earlier_runs *known = known_read(&path, 1, NULL, &error);
    assert_non_null(known);
    assert_true(known->runs[0].complete);
    known_free(known);
    memcpy(text + strlen(HEADER TWO_STATES), "{\"record\":\"rounds\",\"x\":\"", 24);
    refused(text, ":4: the record is longer than 16 MiB");
    free(text);
    assert_null(known_read(&(const char *){"/dev/zero"}, 1, NULL, &error));
    assert_non_null(strstr(error, "/dev/zero"));
    free(error);
}

#endif
