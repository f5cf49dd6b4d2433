/*
 * Fuzz target: any bytes are a script that is read, checked and, when it has no error, run with the
 * stub engine on the first and on the last PE of a job. Besides what the sanitizers find, what the
 * user sees and what PEs have to have in common must be right.
 *
 * The bytes may begin with lines that say more:
 *   #pes N         the job has N PEs
 *   #node N        of which N share a node
 *   #set NAME=EXPR as --set NAME=EXPR
 * and any line "#file NAME" begins the text of a file that the script may include.
 *
 * FUZZ_OUTCOME=1 in the environment: says what became of each script. FUZZ_PLANT=overflow,
 * undefined or leak: has a defect itself, to be found.
 */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/lexer.h"
#include "ski/script.h"
#include "support/stub/stub_engine.h"

/* A legal script may run for years; no more than so much of it is looked at. */
#define STEP_LIMIT 300
#define SECONDS_LIMIT 3 /* of the processor */
#define PES_LIMIT 64
#define SETS_LIMIT 8

struct input {
    int pes, pes_per_node;
    char *sets[SETS_LIMIT];
    size_t set_count;
    struct source *source;
};

/* What one PE did. */
struct outcome {
    int status; /* 0: reached the end */
    uint64_t agreed;
    bool stopped;
};

static bool show_outcome;
static const char *plant = "";

/* Something is wrong that no sanitizer sees. */
__attribute__((format(printf, 2, 3))) static void expect(bool holds, const char *format, ...)
{
    va_list list;

    if (holds)
        return;
    va_start(list, format);
    fputs("fuzz_ski: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    abort();
}

/* ---- The input ---- */

static const char *line_end(const char *text, const char *end)
{
    const char *found = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;

    return found ? found : end;
}

static bool starts_with(const char *text, const char *end, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(end - text) >= length && memcmp(text, word, length) == 0;
}

static char *copy_bytes(const char *begin, const char *end)
{
    return text_format("%.*s", (int)(end - begin), begin);
}

static int number_between(const char *text, int low, int high)
{
    long number = strtol(text, NULL, 10);

    return number < low ? low : number > high ? high : (int)number;
}

/* False when the line is no such line. */
static bool read_first_line(struct input *input, const char *begin, const char *end)
{
    char *line;

    if (!starts_with(begin, end, "#pes ") && !starts_with(begin, end, "#node ") &&
        !starts_with(begin, end, "#set "))
        return false;
    line = copy_bytes(begin, end);
    if (starts_with(begin, end, "#pes "))
        input->pes = number_between(line + strlen("#pes "), 1, PES_LIMIT);
    else if (starts_with(begin, end, "#node "))
        input->pes_per_node = number_between(line + strlen("#node "), 1, PES_LIMIT);
    else if (input->set_count < SETS_LIMIT)
        input->sets[input->set_count++] = text_format("%s", line + strlen("#set "));
    free(line);
    return true;
}

/* The form of source_pack(); an unpacked source is one that reads no files. */
static void pack_file(struct text *packed, uint64_t kind, const char *name, size_t name_length,
                      const char *text, size_t length)
{
    uint64_t header[3] = {kind, name_length, length};

    text_append_bytes(packed, (const char *)header, sizeof header);
    text_append_bytes(packed, name, name_length);
    text_append_bytes(packed, text, length);
}

static struct source *read_scripts(const char *text, const char *end)
{
    static const char mark[] = "\n#file ", main_file[] = "t.ski";
    enum { MAIN, INCLUDED } kind = MAIN;
    const char *name = main_file, *name_end = main_file + strlen(main_file);
    struct text packed = {0};
    struct source *source;

    while (true) {
        const char *next = memmem(text, (size_t)(end - text), mark, strlen(mark));
        const char *stop = next ? next + 1 : end;

        pack_file(&packed, kind, name, strnlen(name, (size_t)(name_end - name)), text,
                  (size_t)(stop - text));
        if (!next)
            break;
        kind = INCLUDED;
        name = next + strlen(mark);
        name_end = line_end(name, end);
        text = name_end < end ? name_end + 1 : end;
    }
    source = source_unpack(packed.data, packed.length);
    text_release(&packed);
    return source;
}

static void input_read(struct input *input, const char *text, const char *end)
{
    *input = (struct input){.pes = 3, .pes_per_node = 2};
    while (text < end && read_first_line(input, text, line_end(text, end)))
        text = line_end(text, end) < end ? line_end(text, end) + 1 : end;
    input->source = read_scripts(text, end);
}

static void input_release(struct input *input)
{
    for (size_t i = 0; i < input->set_count; i++)
        free(input->sets[i]);
    source_release(input->source);
}

/* ---- What is looked at ---- */

/* The form of messages; a terminal must survive what they quote. */
static void check_message(const char *message)
{
    bool located = strstr(message, ": error: ");

    expect(located && message[strlen(message) - 1] == '\n', "odd message: %s", message);
    for (const char *c = message; *c != '\0'; c++)
        expect(!iscntrl((unsigned char)*c) || *c == '\n' || *c == '\t',
               "control character 0x%02x in a message: %s", (unsigned int)*c, message);
}

/* Each line of the output has its meaning, whatever strings a script has. */
static void check_log(const char *log)
{
    static const char *const beginnings[] = {"measure ", "#P[",     "begin ",     "end",
                                             "flush",    "key",     "accounting", "sort",
                                             "count",    "arrange", "since ",     "missing "};
    const char *end = log + strlen(log);

    for (const char *line = log, *next; line < end; line = next) {
        bool known = false;

        next = line_end(line, end) + 1;
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            known = known || starts_with(line, end, beginnings[i]);
        expect(known, "a line of the output is none: %.*s", (int)(next - line - 1), line);
    }
}

/* Where the blocks' texts (for -s) are shown, they are the script with its includes. */
static void check_source_text(const struct tree *tree)
{
    struct text shown = {0};
    struct source *source;
    struct tree *again;
    struct diag *diag;

    for (size_t i = 0; i < tree->top.count; i++)
        if (tree->top.items[i]->kind == STMT_BLOCK)
            text_append(&shown, "%s", tree->top.items[i]->source_text);
    if (shown.length == 0)
        return;
    source = source_from_text("shown", shown.data, shown.length);
    diag = diag_create(source);
    again = parse_script(source, diag);
    tree_check(again, diag);
    if (diag_count(diag) > 0) {
        char *errors = diag_text(diag);

        expect(false, "the text shown is none that could be run:\n%s", errors);
    }
    expect(again->block_count == tree->block_count, "the text shown has %zu blocks instead of %zu",
           again->block_count, tree->block_count);
    tree_release(again);
    diag_release(diag);
    source_release(source);
    text_release(&shown);
}

/* ---- Running ---- */

static int64_t steps_left;
static struct timespec started;
static bool stopped;

static bool goes_on(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    if (--steps_left < 0 || now.tv_sec - started.tv_sec > SECONDS_LIMIT)
        stopped = true;
    return !stopped;
}

struct run_arguments {
    const struct tree *tree;
    const struct source *source;
    struct engine *engine;
};

static void run_body(void *argument)
{
    const struct run_arguments *run = argument;

    script_run(run->tree, run->source, run->engine, false);
}

static struct outcome run_on(const struct input *input, const struct tree *tree, int pe)
{
    struct run_arguments run = {tree, input->source, stub_engine_create(pe, input->pes)};
    struct outcome outcome = {0};

    stub_engine_pes_per_node(run.engine, input->pes_per_node);
    stub_engine_predictable(run.engine);
    steps_left = STEP_LIMIT;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &started);
    stopped = false;
    if (!stub_engine_try(run.engine, run_body, &run)) {
        outcome.status = stub_engine_status(run.engine);
        expect(outcome.status == 1 || outcome.status == 2, "status %d", outcome.status);
        check_message(stub_engine_message(run.engine));
    }
    outcome.agreed = stub_engine_agreed(run.engine);
    outcome.stopped = stopped;
    check_log(stub_engine_log(run.engine));
    if (show_outcome && pe == 0)
        fprintf(stderr, "outcome: %s\n",
                outcome.stopped       ? "stopped\n"
                : outcome.status == 0 ? "ran to its end"
                                      : stub_engine_message(run.engine));
    stub_engine_release(run.engine);
    return outcome;
}

/* PEs do the same things together unless they are told their number. */
static void run_tree(const struct input *input, const struct tree *tree, bool same_everywhere)
{
    struct outcome first = run_on(input, tree, 0), last;

    if (input->pes == 1)
        return;
    last = run_on(input, tree, input->pes - 1);
    if (same_everywhere && !first.stopped && !last.stopped)
        expect(first.status == last.status && first.agreed == last.agreed,
               "PEs 0 and %d part: status %d and %d", input->pes - 1, first.status, last.status);
}

static bool calls(const struct source *source, const char *name)
{
    for (int file = 0; file < (int)source_file_count(source); file++) {
        size_t length;
        const char *text = source_text(source, file, &length);

        if (memmem(text, length, name, strlen(name)))
            return true;
    }
    return false;
}

static void run_input(struct input *input)
{
    struct diag *diag = diag_create(input->source);
    struct tree *tree = parse_script(input->source, diag);

    for (size_t i = 0; i < input->set_count; i++)
        tree_override(tree, input->source, diag, input->sets[i]);
    tree_check(tree, diag);
    if (diag_count(diag) > 0) {
        char *errors = diag_text(diag);

        check_message(errors);
        if (show_outcome)
            fprintf(stderr, "outcome: wrong\n%s", errors);
        free(errors);
    } else {
        if (input->set_count == 0)
            check_source_text(tree);
        run_tree(input, tree,
                 !calls(input->source, "get_comm_rank") &&
                     !calls(input->source, "mpi_processor_names"));
    }
    tree_release(tree);
    diag_release(diag);
}

/* ---- Entry points of libFuzzer ---- */

static void plant_defect(void)
{
    volatile int largest = INT_MAX;
    char *volatile memory;

    if (strcmp(plant, "undefined") == 0)
        largest++;
    if (strcmp(plant, "overflow") != 0 && strcmp(plant, "leak") != 0)
        return;
    memory = malloc(8);
    if (strcmp(plant, "leak") == 0)
        memory = NULL;
    else
        memory[8] = 1;
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;

    input_read(&input, (const char *)data, (const char *)data + size);
    run_input(&input);
    input_release(&input);
    plant_defect();
    return 0;
}

/* All words of the language, for the dictionary. */
static void print_words(void)
{
    for (int kind = 0; kind < TOKEN_KINDS; kind++)
        if (token_keyword((enum token_kind)kind))
            puts(token_keyword((enum token_kind)kind));
    for (size_t i = 0; builtin_at(i); i++)
        puts(builtin_at(i)->name);
    for (size_t i = 0; constant_at(i); i++)
        puts(constant_at(i)->name);
    for (size_t i = 0; measurement_at(i); i++)
        puts(measurement_at(i)->name);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 2 && strcmp((*argv)[1], "--words") == 0) {
        print_words();
        exit(0);
    }
    show_outcome = getenv("FUZZ_OUTCOME");
    if (getenv("FUZZ_PLANT"))
        plant = getenv("FUZZ_PLANT");
    script_goes_on = goes_on;
    return 0;
}
