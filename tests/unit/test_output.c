#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/output.h"

static void number(double value, const char *expected)
{
    char text[64];
    assert_string_equal(output_number(text, sizeof text, value), expected);
}

/* At least four significant digits, at least one decimal. */
static void numbers(void **state)
{
    (void)state;
    number(0, "0.0");
    number(12345.67, "12345.7");
    number(1234.5, "1234.5");
    number(123.45, "123.5");
    number(12.3456, "12.35");
    number(1.23456, "1.235");
    number(0.0123456, "0.01235");
    number(-0.0123456, "-0.01235");
    number(1e-30, "0.000000000000000000");
    number(NAN, "---");
}

static void columns(void **state)
{
    (void)state;
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

static char path[] = "/tmp/skampi-test-output-XXXXXX";

/* One .sko of that name. */
static struct output *open_sko(const char *name)
{
    char *error;
    struct output *output =
        output_open(&(struct output_target){.path = name, .format = OUTPUT_SKO}, 1, &error);
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
static void results(void **state)
{
    (void)state;
    const char *notes[] = {"something"};
    close(mkstemp(path));
    struct output *output = open_sko(path);
    struct result_variable variables[] = {{"a", "2"}, {"count", "8"}};
    double per_pe[] = {1048.7e-6, NAN};
    struct result result = {.point = {.variables = variables,
                                      .variable_count = 2,
                                      .bytes = 32,
                                      .pes = 2,
                                      .is_time = true,
                                      .unit = 1e6},
                            .time = 1048.7e-6,
                            .standard_error = 306.9e-6,
                            .valid = 36,
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
    output_end_block(output, &(struct output_block){.name = "one", .number = 1, .duration = 7.874});
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

/* What is known only when the library has ended. */
static void library_end(void **state)
{
    (void)state;
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
static void last_words(void **state)
{
    (void)state;
    struct output *output = open_sko(path);
    output_comment(output, "before");
    output_last_words(output, 5, "the end", "because");
    output_comment(output, "behind");
    output_last_words(output, 5, "another end", "because");
    assert_null(output_close(output));
    assert_string_equal(contents(), "# before\n# the end\n");
    unlink(path);
}

static void failures(void **state)
{
    (void)state;
    char *error;
    assert_null(output_open(&(struct output_target){.path = "/nonexistent/file"}, 1, &error));
    assert_string_equal(error, "cannot write /nonexistent/file: No such file or directory");
    free(error);
    struct output *full = open_sko("/dev/full");
    assert_null(output_failed(full));
    output_comment(full, "x");
    assert_string_equal(output_failed(full),
                        "/dev/full cannot be written: No space left on device");
    char *failure = output_close(full);
    assert_string_equal(failure, "/dev/full cannot be written: No space left on device");
    free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),     cmocka_unit_test(columns),    cmocka_unit_test(results),
        cmocka_unit_test(library_end), cmocka_unit_test(last_words), cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
