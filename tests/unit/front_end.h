/*
 * What the tests of the language's front end share: scripts in, errors out, and a folder for files.
 */
#ifndef SKAMPI_TESTS_UNIT_FRONT_END_H
#define SKAMPI_TESTS_UNIT_FRONT_END_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ski/diag.h"
#include "ski/script.h"
#include "ski/source.h"
#include "ski/tree.h"
#include "unit/unit.h"

/* Asserts that text is what is expected, and frees it. */
#define assert_text(text, expected)                                                                \
    do {                                                                                           \
        char *owned_ = (text);                                                                     \
        if (strcmp(owned_, (expected)) != 0)                                                       \
            fail_msg("expected:\n%s\nbut it is:\n%s", (expected), owned_);                         \
        free(owned_);                                                                              \
    } while (0)

struct parsed {
    struct source *source;
    struct diag *diag;
    struct tree *tree;
};

static inline struct parsed parse_bytes(const char *script, size_t length)
{
    struct parsed parsed = {.source = source_from_text("t", script, length)};

    parsed.diag = diag_create(parsed.source);
    parsed.tree = parse_script(parsed.source, parsed.diag);
    assert_non_null(parsed.tree);
    return parsed;
}

static inline struct parsed parse(const char *script)
{
    return parse_bytes(script, strlen(script));
}

static inline void release(struct parsed *parsed)
{
    tree_release(parsed->tree);
    diag_release(parsed->diag);
    source_release(parsed->source);
}

/* The errors as "line:column: text" lines; the name of the file only if it is not "t". Source and
 * caret lines are left out. */
static inline char *error_lines(const struct diag *diag)
{
    struct text lines = {0};
    char *all = diag_text(diag), *rest = NULL;

    for (char *line = strtok_r(all, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *error = strstr(line, ": error: ");

        if (error)
            text_append(&lines, "%.*s: %s\n",
                        (int)(error - line) - (strncmp(line, "t:", 2) ? 0 : 2),
                        strncmp(line, "t:", 2) ? line : line + 2, error + strlen(": error: "));
        else if (strncmp(line, "skampi: ", 8) == 0)
            text_append(&lines, "%s\n", line);
    }
    free(all);
    return text_take(&lines);
}

/* Of a group of tests, which run in it; it goes away with them. */
static char folder[] = "/tmp/skampi_unit_XXXXXX";

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static inline int make_folder(void **state)
{
    return !mkdtemp(folder) || chdir(folder) != 0;
}

static inline int remove_folder(void **state)
{
    char *command = text_format("rm -rf '%s'", folder);
    int status = system(command);

    free(command);
    return status;
}

#endif
