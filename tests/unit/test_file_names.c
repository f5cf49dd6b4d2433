/* Names of files are kept without their common folder. */
/* LINK: src/sim/file_names.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim/file_names.h"

static void come_back(void **state)
{
    static const char *const given[] = {
        "/tmp/a/pe-0.trace",   "/tmp/a/pe-1.trace", "/tmp/b/pe-2.trace", "pe-3.trace",
        "/tmp/a/b/pe-4.trace", "/pe-5.trace",       "/tmp/a/",           ""};
    enum { COUNT = sizeof given / sizeof *given };
    (void)state;
    struct file_names names;
    file_names_open(&names, COUNT + 1);
    for (size_t i = 0; i < COUNT; i++)
        file_names_set(&names, i, given[i]);
    for (size_t i = COUNT; i-- > 0;)
        assert_string_equal(file_names_get(&names, i), given[i]);
    assert_null(file_names_get(&names, COUNT));
    file_names_close(&names);
    /* The first one without a folder. */
    file_names_open(&names, 2);
    file_names_set(&names, 1, "x");
    file_names_set(&names, 0, "/y/x");
    assert_string_equal(file_names_get(&names, 1), "x");
    assert_string_equal(file_names_get(&names, 0), "/y/x");
    file_names_close(&names);
}

static void are_small(void **state)
{
    (void)state;
    struct file_names names;
    file_names_open(&names, 10000);
    char name[200];
    for (size_t i = 0; i < 10000; i++) {
        snprintf(name, sizeof name,
                 "/a/folder/with/a/long/name/of/more/than/fifty/characters/pe-%05zu.trace", i);
        file_names_set(&names, i, name);
    }
    assert_true(names.kept.length < 10000 * 20);
    assert_string_equal(file_names_get(&names, 9999), name);
    file_names_close(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(come_back), cmocka_unit_test(are_small)};
    return cmocka_run_group_tests_name("file_names", tests, NULL, NULL);
}
