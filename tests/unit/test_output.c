/* Every format of output has, record by record, the numbers computed by hand. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "output/output.h"
#include "output/result.h"
#include "unit/unit.h"

static void number(double value, const char *expected)
{
    char text[64];
    assert_string_equal(output_number(text, sizeof text, value), expected);
}

/* At least four significant digits, at least one decimal. */
TEST(numbers)
{
    number(0, "0.0");
    number(12345.67, "12345.7");
    number(1234.5, "1234.5");
    number(123.45, "123.5");
    number(12.3456, "12.35");
    number(1.23456, "1.235");
    number(0.0123456, "0.01235");
    number(-0.0123456, "-0.01235");
    number(1.5e-9, "0.000000001500");
    number(2.5e-15, "2.500e-15");
    number(-1e-30, "-1.000e-30");
    number(NAN, "---");
}

TEST(columns)
{
    size_t index[8];
    bool sorted;
    assert_int_equal(output_columns(4, 16, (size_t[16]){0}, &sorted), 4);
    assert_false(sorted);
    assert_int_equal(output_columns(4, 0, index, &sorted), 0);
    assert_int_equal(output_columns(5, 1, index, &sorted), 1);
    assert_int_equal(index[0], 2);
    assert_true(sorted);
    assert_int_equal(output_columns(10, 3, index, &sorted), 3);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[1], 5);
    assert_int_equal(index[2], 9);
}

/* ---- JSON values ---- */

static void written(FILE *stream, char **text, const char *expected)
{
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(*text, expected);
    free(*text);
}

static void string(const char *value, const char *expected)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_string(stream, value);
    written(stream, &text, expected);
}

TEST(json_strings)
{
    string("", "\"\"");
    string("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"");
    string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    string("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
    static const char *const bad[] = {"\x80",             /* a continuation alone */
                                      "\xC3",             /* cut off */
                                      "\xC0\xAF",         /* overlong */
                                      "\xE0\x80\xAF",     /* the same */
                                      "\xF0\x80\x80\xAF", /* the same */
                                      "\xED\xA0\x80",     /* a surrogate */
                                      "\xF4\x90\x80\x80", /* above U+10FFFF */
                                      "\xF5\x80\x80\x80",
                                      "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char expected[64] = "\"<";
        for (size_t j = 0; j < strlen(bad[i]); j++)
            strcat(expected, JSON_REPLACEMENT);
        strcat(expected, ">\"");
        char value[16];
        snprintf(value, sizeof value, "<%s>", bad[i]);
        string(value, expected);
    }
}

static void json_is(double value, const char *expected)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_number(stream, value);
    written(stream, &text, expected);
}

TEST(json_numbers)
{
    json_is(0, "0");
    json_is(0.1, "0.1");
    json_is(-1.5e-6, "-1.5e-06");
    json_is(1e9, "1000000000");
    json_is(1.0 / 3, "0.3333333333333333");
    json_is(0.1 + 0.2, "0.30000000000000004");
    json_is(NAN, "null");
    json_is(INFINITY, "null");
    json_is(-INFINITY, "null");
    static const char *const good[] = {"0", "-0", "8", "2.50", "1e9", "1E-09", "-12.5e+3"};
    static const char *const bad[] = {"",   "-",  "+1",   "01",  "1.",  ".5",    "1e",  "1e+",
                                      " 1", "1 ", "0x10", "nan", "inf", "1e999", "1,5", "[1]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(json_is_number(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(json_is_number(bad[i]));
}

TEST(json_objects)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_print(stream, "{'a':%s,'c':%f,'d':%d,'e':%u,'f':[%zu,%f]}", "it's \"q\"", 0.5, -3, 4U,
               (size_t)5, NAN);
    written(stream, &text, "{\"a\":\"it's \\\"q\\\"\",\"c\":0.5,\"d\":-3,\"e\":4,\"f\":[5,null]}");
}

/* ---- Files ---- */

static char path[] = "/tmp/skampi-test-output-XXXXXX";

/* One .sko of that name. */
static struct output *open_sko(const char *name)
{
    char *error;
    struct output *output = output_open(
        &(struct output_target){.path = name, .format = OUTPUT_SKO, .force = true}, 1, &error);
    assert_non_null(output);
    return output;
}

static char *contents(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* The classic field order; notes behind; conditions only where they change. */
TEST(results)
{
    const char *notes[] = {"something"};
    struct output *output = open_sko(path);
    struct result_variable variables[] = {{"a", "2"}, {"count", "8"}};
    double per_pe[] = {1048.7e-6, NAN};
    struct result result = {.point = {.variables = variables,
                                      .variable_count = 2,
                                      .bytes = 32,
                                      .pes = 2,
                                      .is_time = true,
                                      .unit = 1e6},
                            .statistics.time = 1048.7e-6,
                            .statistics.standard_error = 306.9e-6,
                            .statistics.valid = 36,
                            .per_pe = per_pe,
                            .notes = notes,
                            .note_count = 1,
                            .conditions = "here",
                            .settings = settings_default()};
    output_begin_block(output, "one", 1, NULL);
    output_result(output, &result);
    result.note_count = 0;
    result.counters = (const struct result_counter[]){{"CYCLES", 1234.5, 1000}, {"MISSES", 2, NAN}};
    result.counter_count = 2;
    output_result(output, &result);
    output_put(output, &(struct record){.kind = RECORD_BLOCK_END,
                                        .block_end = &(struct output_block){
                                            .name = "one", .number = 1, .duration = 7.874}});
    assert_null(output_close(output));
    assert_string_equal(contents(),
                        "# begin result \"one\"\n"
                        "a= 2 count= 8       32    1048.7     306.9       36    1048.7     ---   \n"
                        "# note: something\n"
                        "# note: conditions: here\n"
                        "a= 2 count= 8       32    1048.7     306.9       36    1048.7     ---   \n"
                        "# counters: CYCLES= 1234.5 MISSES= 2.000 per operation, most of any PE; "
                        "mean of PEs: 1000.0 ---\n"
                        "# end result \"one\"\n"
                        "# duration = 7.87 sec\n\n");
    unlink(path);
}

/* Of one point over all rounds, and levels. */
TEST(rounds)
{
    const char *notes[] = {"something"};
    struct result_variable variables[] = {{"count", "8"}};
    struct result_level levels[] = {{150.2e-9, 0.62}, {450.1e-9, 0.38}};
    struct result_rounds result = {.point = {.variables = variables,
                                             .variable_count = 1,
                                             .bytes = 8,
                                             .pes = 2,
                                             .is_time = true,
                                             .unit = 1e9},
                                   .found.count = 5,
                                   .found.median = 160e-9,
                                   .found.low = 150e-9,
                                   .found.high = 180e-9,
                                   .found.reached = 0.9375,
                                   .found.next_low = 140e-9,
                                   .found.next_high = NAN,
                                   .found.confidence = 0.95,
                                   .found.between = 0.123,
                                   .found.within = NAN,
                                   .levels = levels,
                                   .level_count = 2,
                                   .notes = notes,
                                   .note_count = 1};
    struct output *output = open_sko(path);
    output_rounds(output, &result);
    result.found.low = result.found.high = NAN;
    result.level_count = result.note_count = 0;
    output_rounds(output, &result);
    assert_null(output_close(output));
    assert_string_equal(
        contents(),
        "count= 8        8     160.0     15.00        5\n"
        "# rounds: median 160.0 ns, 93.8 % interval [150.0, 180.0], 95 % prediction interval "
        "[140.0, ---], spread between rounds 12.3 %, within rounds ---\n"
        "# levels: 150.2 ns 62 % of time, 450.1 ns 38 %\n"
        "# note: something\n"
        "count= 8        8     160.0       ---        5\n"
        "# rounds: median 160.0 ns, 93.8 % interval [---, ---], 95 % prediction interval "
        "[140.0, ---], spread between rounds 12.3 %, within rounds ---\n");
    unlink(path);
}

/* ---- Several sinks ---- */

static const char *const suffixes[] = {"sko", "csv", "json"};

static char *sink_path(int format)
{
    static char text[64];
    snprintf(text, sizeof text, "%s.%s", path, suffixes[format]);
    return text;
}

static char *sink_contents(int format)
{
    static char text[16384];
    FILE *file = fopen(sink_path(format), "r");
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    unlink(sink_path(format));
    return text;
}

/* An output in all formats; with a fourth sink that is full where asked for. */
static struct output *open_all(bool full)
{
    char *paths[3], *error;
    struct output_target targets[4] = {{.path = "/dev/full", .format = OUTPUT_SKO}};
    for (int i = 0; i < 3; i++) {
        paths[i] = strdup(sink_path(i));
        assert_int_equal(output_format_of(paths[i]), i);
        targets[i + full] =
            (struct output_target){.path = paths[i], .format = (enum output_format)i};
    }
    struct output *output = output_open(targets, full ? 4 : 3, &error);
    assert_non_null(output);
    for (int i = 0; i < 3; i++)
        free(paths[i]);
    return output;
}

static struct result_variable at_count[] = {{"count", "8"}};

static void put_small_header(struct output *output)
{
    const struct header header = {.version = "v",
                                  .command_line = "c",
                                  .script = "s",
                                  .checksum = "0",
                                  .library = "l",
                                  .timer = "t",
                                  .clock_source = "c"};
    output_put(output, &(struct record){.kind = RECORD_HEADER, .header = &header});
}

static struct result small_result(void)
{
    return (struct result){.point = {.block = "b",
                                     .block_number = 1,
                                     .function = "F",
                                     .text = "F()",
                                     .variables = at_count,
                                     .variable_count = 1,
                                     .placement = "on one node",
                                     .bytes = 8,
                                     .pes = 1,
                                     .is_time = true,
                                     .unit = 1e6},
                           .round = 1,
                           .statistics.time = 1e-6,
                           .statistics.standard_error = NAN,
                           .statistics.valid = 4,
                           .buffers = "none",
                           .conditions = "here",
                           .settings = settings_default()};
}

static void in_order(const char *text, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(text, parts[i]);
        if (!found)
            fail_msg("no %s in its place in:\n%s", parts[i], text);
        text = found + strlen(parts[i]);
    }
}
#define IN_ORDER(text, ...)                                                                        \
    in_order(text, (const char *const[]){__VA_ARGS__},                                             \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* In the order of keys in every format, also when the run ends before they are released. */
TEST(held)
{
    for (int ended = 0; ended < 2; ended++) {
        struct output *output = open_all(false);
        struct result result = small_result();
        put_small_header(output);
        output_hold(output);
        static const char *const values[] = {"16", "8", "12"};
        static const double keys[] = {16, 8, 12};
        for (int i = 0; i < 3; i++) {
            at_count[0].value = values[i];
            output_key(output, keys[i]);
            output_result(output, &result);
        }
        output_comment(output, "at once");
        if (ended)
            output_last_words(output, 143, "over", "why \"so\"");
        else
            output_release(output);
        assert_null(output_close(output));
        IN_ORDER(sink_contents(OUTPUT_SKO), "# at once\n", "count= 8 ", "conditions: here\n",
                 "count= 12 ", "count= 16 ", ended ? "# over\n" : "\n");
        IN_ORDER(sink_contents(OUTPUT_CSV), "record,block", "count=8,", "count=12,", "count=16,");
        IN_ORDER(sink_contents(OUTPUT_JSON), "{\"record\":\"header\"", "at once", "{\"count\":8}",
                 "{\"count\":12}", "{\"count\":16}",
                 ended ? "{\"record\":\"end\",\"status\":143," : "\n",
                 ended ? "\"results\":3,\"missing\":null,\"missing_at_least\":0,"
                         "\"reason\":\"why \\\"so\\\"\"}\n"
                       : "");
    }
}

/* A heading where columns change, values in the unit that suits them, and what is doubtful. */
TEST(table)
{
    char *error;
    struct output *output = output_open(
        &(struct output_target){.path = path, .format = OUTPUT_TABLE, .force = true}, 1, &error);
    struct result result = small_result();
    at_count[0].value = "8";
    result.rates.bandwidth = 8e6;
    result.rates.rate = NAN;
    result.statistics.median = 1.2345e-6;
    result.statistics.median_low = 1.2222e-6;
    result.statistics.median_high = 1.2468e-6;
    result.notes = (const char *const[]){"iterations chosen: 12"};
    result.note_count = 1;
    output_result(output, &result);
    result.statistics.flags = 1u << RESULT_IMPRECISE | 1u << RESULT_FEW_VALID;
    result.statistics.median_low = result.statistics.median_high = NAN;
    output_result(output, &result);
    result.round = 2; /* belongs to what follows */
    output_result(output, &result);
    result.round = 1;
    result.point.variable_count = 0;
    result.rates.bandwidth = NAN;
    output_result(output, &result);
    struct result_state_rounds states[] = {
        {.state = 1, .found.median = 1e-6, .found.low = 0.9e-6, .found.high = 1.1e-6},
        {.state = 2, .found.median = 3e-6, .found.low = 2.9e-6, .found.high = 3.1e-6}};
    output_rounds(output, &(struct result_rounds){.point = result.point,
                                                  .rates = result.rates,
                                                  .found.median = 2e-6,
                                                  .found.low = 1e-6,
                                                  .found.high = 7e-6,
                                                  .states = states,
                                                  .state_count = 2});
    output_missing_more(output, MISSING_TOO_LARGE, NULL, 0, "F(3)", "and more", 12);
    assert_true(output_tell(output, "\033[1mskampi\033[0m: a summary\n  next a command that is not "
                                    "folded, although it is longer than the eighty columns\n"));
    assert_null(output_close(output));
    assert_string_equal(
        contents(), "\nb, 1 PE\n"
                    "     count     bytes        time        ±   bandwidth\n"
                    "         8         8    1.234 us      1 %      8 MB/s\n"
                    "         8         8      1.2 us        ?      8 MB/s  ! few_valid +1\n"
                    "\nb, 1 PE\n"
                    "     bytes        time        ±\n"
                    "         8      1.2 us        ?  ! few_valid +1\n"
                    "\nb, 1 PE, all rounds\n"
                    "     bytes        time        ±\n"
                    "         8        2 us  > 100 %\n"
                    "          in state 1: 1 us, in state 2: 3 us\n"
                    "  F(3): too_large (12 points): and more\n"
                    "\nskampi: a summary\n"
                    "  next a command that is not folded, although it is longer than the eighty "
                    "columns\n");
    unlink(path);
}

/* One that is full is told of; the others have everything, and that it failed. */
TEST(one_full)
{
    struct output *output = open_all(true);
    struct result result = small_result();
    output_comment(output, "first");
    assert_string_equal(output_failed(output),
                        "/dev/full cannot be written: No space left on device");
    output_result(output, &result);
    output_end(output, 0, NULL, 2, 1);
    char *failure = output_close(output);
    assert_string_equal(failure, "/dev/full cannot be written: No space left on device");
    free(failure);
    IN_ORDER(sink_contents(OUTPUT_SKO), "# first\n", "count= ", "# Finished at");
    IN_ORDER(sink_contents(OUTPUT_CSV), "result,b,1,F,F(),");
    IN_ORDER(sink_contents(OUTPUT_JSON), "first", "{\"record\":\"result\"",
             "{\"record\":\"end\",\"status\":1,",
             "\"reason\":\"/dev/full cannot be written: No space left on device\"}\n");
}

/* Cells that have to be quoted or escaped, and those that are empty. */
TEST(csv_cells)
{
    struct output *output = open_all(false);
    struct result_argument arguments[] = {
        {.name = "n", .unit = "bytes", .type = RESULT_INTEGER, .integer = -3},
        {.name = "r", .unit = "", .type = RESULT_REAL, .real = NAN},
        {.name = "s", .unit = "a;b", .type = RESULT_STRING, .string = "1.5"},
        {.name = "a", .type = RESULT_INTEGERS, .integer = 2, .array = (const int64_t[]){1, 2}}};
    struct result result = small_result();
    struct result_variable variables[] = {{"x", "hidden"}, {"x", "a=b;c\\,\"d\""}, {"y", "null"}};
    result.point.block = "two\nlines, \"quoted\" \xFF";
    result.point.arguments = arguments;
    result.point.argument_count = 4;
    result.point.variables = variables;
    result.point.variable_count = 3;
    const char *notes[] = {"one;", "two"};
    result.notes = notes;
    result.note_count = 2;
    result.subtracted = (struct result_subtracted){"a put", 1e-8, 0.5};
    result.arrival = "one";
    result.arrival_skew = 0.02;
    result.statistics.not_cold = 3;
    result.statistics.flags = 1u << RESULT_LEVEL_SHIFT | 1u << RESULT_FEW_VALID;
    result.statistics.levels[0] = (struct result_level){1.5e-7, 0.62};
    result.statistics.levels[1] = (struct result_level){NAN, 0.38};
    result.statistics.level_count = 2;
    result.per_pe = (const double[]){NAN};
    output_result(output, &result);
    output_end(output, 0, NULL, 2, 1);
    assert_null(output_close(output));
    char *text = sink_contents(OUTPUT_CSV);
    IN_ORDER(text, "result,\"two\nlines, \"\"quoted\"\" " JSON_REPLACEMENT "\",1,F,F(),",
             "\"n=-3;r=null;s='1.5;a=[1, 2]\",n=bytes;s=a\\;b,",
             "\"x=a\\=b\\;c\\\\,\"\"d\"\";y='null\",1,,on one node,8,time,"
             "\"\"\"two\\nlines, \\\"\"quoted\\\"\" " JSON_REPLACEMENT
             "\"\" x=\"\"a=b;c\\\\,\\\"\"d\\\"\"\"\" y=\"\"null\"\": F(); 1 PE on one "
             "node\",,a put,1e-08,0.5,one,0.02,3,1,0,1e-06,,0,",
             ",level_shift;few_valid,one\\;;two,1.5e-07:0.62;nan:0.38,,nan,,,,,,,,,,,,,\n");
    unlink(sink_path(OUTPUT_SKO));
    unlink(sink_path(OUTPUT_JSON));
}

/* What takes the place of results, in every format; how much of it there is. */
TEST(missing)
{
    at_count[0].value = "8";
    for (int ended = 0; ended < 2; ended++) {
        struct output *output = open_all(false);
        put_small_header(output);
        output_missing(output, MISSING_REFUSED,
                       &(struct result_point){.block = "b",
                                              .block_number = 1,
                                              .text = "F(n=1, m=2)",
                                              .variables = at_count,
                                              .variable_count = 1,
                                              .pes = 2,
                                              .members = "0-1",
                                              .placement = "on one node",
                                              .synchronization = "barrier",
                                              .number = 2},
                       "a \"set\"");
        output_missing_more(output, MISSING_TOO_LARGE, NULL, 0, "F(n=3)", "and more", 12);
        if (ended)
            output_end(output, 3, NULL, 1, 0.5);
        else
            output_last_words(output, 143, "said", "why");
        assert_null(output_close(output));
        IN_ORDER(
            sink_contents(OUTPUT_SKO), "# not measurable: F(n=1, m=2): a \"set\"\n",
            "# point: \"b\" count=8: F(n=1, m=2); 2 PEs 0-1 on one node; barrier start; no. 2\n",
            "# too large: F(n=3): and more\n");
        IN_ORDER(
            sink_contents(OUTPUT_JSON), "\"missing\",\"kind\":\"not_measurable\",",
            "\"point\":\"\\\"b\\\" count=8: F(n=1, m=2); 2 PEs 0-1 on one node; barrier start; "
            "no. 2\",\"block\":\"b\",\"number\":1,",
            "\"variables\":{\"count\":8},", "\"reason\":\"a \\\"set\\\"\"}\n",
            "\"kind\":\"too_large\",\"call\":", "\"points\":12}\n", "{\"record\":\"end\",",
            ended ? "\"missing\":13}" : "\"missing\":null,\"missing_at_least\":13,");
        const char *csv = sink_contents(OUTPUT_CSV);
        IN_ORDER(csv,
                 ",kind,reason,points,hand_over_low,hand_over_high,addition_low,"
                 "addition_high,share\n",
                 "missing,b,1,,\"F(n=1, m=2)\",,,count=8,,", ",\"\"\"b\"\" count=8: F(n=1",
                 ",,not_measurable,\"a \"\"set\"\"\",1,,,,,\n", "missing,,0,,F(n=3),,",
                 ",,too_large,and more,12,,,,,\n");
        int cells[3] = {0}, row = 0;
        for (; *csv; csv++) {
            if (*csv == '\n')
                row++;
            else if (row < 3 && *csv == ',')
                cells[row]++;
        }
        assert_int_equal(cells[1], cells[0] + 2); /* two of them in quotes */
        assert_int_equal(cells[2], cells[0]);
    }
}

/* What is known only when the library has ended. */
TEST(library_end)
{
    struct output *output = open_sko(path);
    output_comment(output, "before");
    output_library_end(output, (double[]){0.25, NAN}, 2);
    assert_null(output_close(output));
    assert_string_equal(contents(),
                        "# before\n"
                        "# end of the library, seconds on the PEs of PE 0's node: 0.25 ---\n");
    unlink(path);
}

/* Other threads may go on for a while; nothing comes behind the last line. */
TEST(last_words)
{
    struct output *output = open_sko(path);
    output_comment(output, "before");
    output_last_words(output, 5, "the end", "because");
    output_comment(output, "behind");
    output_last_words(output, 5, "another end", "because");
    assert_null(output_close(output));
    assert_string_equal(contents(), "# before\n# the end\n");
    unlink(path);
}

static void point_is(const struct result_point *point, const char *expected)
{
    char *text = output_point_text(point);
    assert_string_equal(text, expected);
    free(text);
}

/* What identifies a point: what is stated about it, in a form in which no two of them are equal. */
TEST(points)
{
    struct result_variable variables[] = {{"n", "1"}, {"n", "2.50"}, {"x", "a b"}, {"z", "-0"}};
    char *settings[] = {"set_cache_state(\"cold\")", "set_verify(\"every\")"};
    struct result_point point = {.block = "a \"b\"",
                                 .text = "F(1)",
                                 .variables = variables,
                                 .variable_count = 4,
                                 .members = "0,2",
                                 .placement = "on several nodes",
                                 .pes = 2,
                                 .synchronization = "window",
                                 .window_rule = "classic",
                                 .run_time = "local",
                                 .number = 1};
    point_is(&point, "\"a \\\"b\\\"\" n=2.5 x=\"a b\" z=0: F(1); 2 PEs 0,2 on several nodes; "
                     "window start");
    point.variable_count = 0;
    point.window_rule = "mpiperf";
    point.run_time = "global";
    point.settings = settings;
    point.setting_count = 2;
    point.number = 3;
    point_is(&point, "\"a \\\"b\\\"\": F(1); 2 PEs 0,2 on several nodes; window start (mpiperf); "
                     "global run time; set_cache_state(\"cold\"); set_verify(\"every\"); no. 3");
}

/* Of a loop variable: in quotes where it is no word, so that it can be read again. */
TEST(values_in_sko)
{
    static const char *const values[][2] = {{"8", "v= 8 "},
                                            {"a=b", "v= a=b "},
                                            {"", "v= \"\" "},
                                            {"x= 5", "v= \"x= 5\" "},
                                            {"\"a\"", "v= \"\\\"a\\\"\" "},
                                            {"\xC3\xA4", "v= \"\xC3\xA4\" "}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct output *output = open_sko(path);
        struct result result = small_result();
        struct result_variable variable = {"v", values[i][0]};
        result.point.variables = &variable;
        result.point.number = 2;
        output_result(output, &result);
        assert_null(output_close(output));
        assert_ptr_equal(strstr(contents(), values[i][1]), contents());
        assert_non_null(strstr(contents(), "\n# call: F(); no. 2\n"));
        unlink(path);
    }
}

/* All rounds made are listed, also where one of them has no result. */
TEST(rounds_in_json)
{
    double medians[] = {1, NAN, 3, 2};
    struct result_rounds result = {.point = {.block = "b",
                                             .function = "F",
                                             .text = "F()",
                                             .placement = "",
                                             .unit = 1,
                                             .is_time = true},
                                   .found.count = 3,
                                   .found.median = 2,
                                   .medians = medians,
                                   .made = 4};
    char *error;
    struct output *output =
        output_open(&(struct output_target){.path = path, .format = OUTPUT_JSON}, 1, &error);
    assert_non_null(output);
    output_rounds(output, &result);
    assert_null(output_close(output));
    assert_non_null(strstr(contents(), "\"medians\":[1,null,3,2]"));
    unlink(path);
}

TEST(failures)
{
    char *error;
    assert_null(output_open(&(struct output_target){.path = "/dev/null/file"}, 1, &error));
    assert_string_equal(error, "cannot write /dev/null/file: Not a directory");
    free(error);
    FILE *foreign = fopen(path, "w");
    fputs("mine", foreign);
    fclose(foreign);
    assert_null(output_open(&(struct output_target){.path = path}, 1, &error));
    assert_non_null(strstr(error, "is there already"));
    assert_string_equal(contents(), "mine");
    free(error);
    unlink(path);
    struct output *full = open_sko("/dev/full");
    assert_null(output_failed(full));
    output_comment(full, "x");
    assert_string_equal(output_failed(full),
                        "/dev/full cannot be written: No space left on device");
    char *failure = output_close(full);
    assert_string_equal(failure, "/dev/full cannot be written: No space left on device");
    free(failure);
}

/* What happens to the file behind the last record is noticed when it is closed. */
TEST(lost)
{
    struct output *output = open_sko(path);
    output_comment(output, "x");
    assert_int_equal(truncate(path, 1), 0);
    char *failure = output_close(output);
    assert_non_null(failure);
    assert_non_null(strstr(failure, "cut it short"));
    free(failure);
    output = open_sko(path);
    output_comment(output, "x");
    assert_int_equal(unlink(path), 0);
    failure = output_close(output);
    assert_non_null(failure);
    assert_non_null(strstr(failure, "removed"));
    free(failure);
}

/* A name that nobody else uses. */
static int choose_path(void **state)
{
    int file = mkstemp(path);
    return file < 0 || close(file) != 0 || unlink(path) != 0;
}

TEST_GROUP(choose_path, NULL)
