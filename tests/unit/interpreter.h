/*
 * What the tests of the interpreter share: scripts run by it, on the stub's engine.
 */
#ifndef SKAMPI_TESTS_UNIT_INTERPRETER_H
#define SKAMPI_TESTS_UNIT_INTERPRETER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ski/diag.h"
#include "ski/script.h"
#include "support/stub/stub_engine.h"
#include "unit/unit.h"

struct script {
    struct source *source;
    struct tree *tree;
    struct engine *engine;
    bool show_source;
};

static inline void run_body(void *argument)
{
    const struct script *script = argument;

    script_run(script->tree, script->source, script->engine, script->show_source);
}

static inline struct script script_create(const char *text, int pe, int pes, int pes_per_node)
{
    struct script script = {.source = source_from_text("t.ski", text, strlen(text)),
                            .engine = stub_engine_create(pe, pes)};
    struct diag *diag = diag_create(script.source);

    script.tree = parse_script(script.source, diag);
    tree_check(script.tree, diag);
    if (diag_count(diag) > 0) {
        char *errors = diag_text(diag);

        fail_msg("%s", errors);
    }
    diag_release(diag);
    stub_engine_pes_per_node(script.engine, pes_per_node);
    return script;
}

static inline void script_release(struct script *script)
{
    tree_release(script->tree);
    source_release(script->source);
    stub_engine_release(script->engine);
}

/* The script runs to its end and leaves this log. */
static inline void check_on(int pe, int pes, int pes_per_node, const char *text, const char *log)
{
    struct script script = script_create(text, pe, pes, pes_per_node);
    bool reached_end = stub_engine_try(script.engine, run_body, &script);

    assert_string_equal(stub_engine_message(script.engine), "");
    assert_true(reached_end);
    assert_string_equal(stub_engine_log(script.engine), log);
    script_release(&script);
}

static inline char *block_around(const char *body)
{
    return text_format("begin measurement \"b\"\n%s\nend measurement\n", body);
}

/* Checks the log of one block that has this inside. */
static inline void check(const char *body, const char *log)
{
    char *text = block_around(body), *whole = text_format("begin b\n%send\n", log);

    check_on(0, 4, 4, text, whole);
    free(text);
    free(whole);
}

/* The whole log but for the "#P[0] " in front of lines. */
static inline void check_printed(const char *body, const char *lines)
{
    struct text log = {0};

    for (const char *line = lines; *line != '\0'; line += strcspn(line, "|") + 1) {
        size_t length = strcspn(line, "|");

        text_append(&log, "#P[0] ");
        text_append_bytes(&log, line, length);
        text_append(&log, "\n");
        if (line[length] == '\0')
            break;
    }
    check(body, log.data);
    text_release(&log);
}

/* The block fails with this status; the message starts with start and contains part. The body
 * begins in line 2. */
static inline void check_fatal(const char *body, int status, const char *start, const char *part)
{
    char *text = block_around(body);
    struct script script = script_create(text, 0, 4, 2);
    const char *message;

    assert_false(stub_engine_try(script.engine, run_body, &script));
    message = stub_engine_message(script.engine);
    assert_int_equal(stub_engine_status(script.engine), status);
    if (strncmp(message, start, strlen(start)) != 0 || !strstr(message, part))
        fail_msg("expected \"%s\" and \"%s\" in: %s", start, part, message);
    script_release(&script);
    free(text);
}

#endif
