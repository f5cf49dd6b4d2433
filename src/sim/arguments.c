/* Takes command lines apart, and opens what they name. */
#define _GNU_SOURCE
#include "sim/arguments.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command_line.h"
#include "base/kind.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/traced_on.h"
#include "trace/read/pack.h"
#include "trace/read/read.h"

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    terminal_line("shmemsim", format, arguments);
    va_end(arguments);
}

_Noreturn void fail(int status, const char *text)
{
    say("%s", text);
    exit(status);
}

_Noreturn void finish_printing(void)
{
    terminal_fold_end();
    exit(fflush(stdout) || ferror(stdout) ? 1 : 0);
}

/* ---- Options ---- */

int arguments_parse(const struct manual_option *rows, size_t count, const char *program, int argc,
                    char **argv, void (*take)(void *context, size_t row, const char *value),
                    void *context)
{
    char *error, *help = text_format("%s -h", program);
    int first = command_line_parse(rows, count, help, argc, argv, take, context, &error);
    if (error)
        fail(2, error);
    free(help);
    return first;
}

static const struct model *model_named(const char *name)
{
    const struct model *model = model_find(name);
    if (!model)
        fail(2, text_format("--model %s: there are loggp and paper; --models says more", name));
    return model;
}

static enum contention contention_named(const char *name)
{
    enum contention contention = contention_find(name);
    if (contention == CONTENTION_NONE)
        fail(2, text_format("--contention=%s: there are fifo and fair", name));
    return contention;
}

bool arguments_take(struct prediction_options *options, size_t row, const char *value)
{
    switch (row) {
    case OPTION_MODEL:
        options->replay.model = model_named(value);
        return true;
    case OPTION_CONTENTION:
        options->replay.contention = contention_named(value ? value : "fifo");
        return true;
    case OPTION_POINTERS:
        options->replay.ignore_pointers = true;
        return true;
    case OPTION_TRACED_ON:
        options->traced_on = value;
        return true;
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_FORCED:
        options->force = true;
        return true;
    default:
        return false;
    }
}

/* ---- Inputs ---- */

struct inputs arguments_inputs(const char *help, int argc, char **argv, int at)
{
    static char default_trace[] = "shmemtrace.out";
    static char *const default_traces[] = {default_trace};
    if (at == argc)
        fail(2, text_format("name a machine description; %s -h says more", help));
    if (trace_is(argv[at]))
        fail(2, text_format("%s is a trace: the machine description comes first, %s %s %s",
                            argv[at], help, at + 1 < argc ? argv[at + 1] : "MACHINE", argv[at]));
    struct inputs inputs = {argv[at], default_traces, 1};
    if (at + 1 < argc) {
        inputs.traces = argv + at + 1;
        inputs.count = (size_t)(argc - at - 1);
    }
    return inputs;
}

bool inputs_are_runs(const struct inputs *inputs)
{
    char *error = NULL;
    bool damaged;
    struct run run;
    bool whole = inputs->count > 1 && run_open(&run, inputs->traces, 1, &error, &damaged);
    free(error);
    if (whole)
        run_close(&run);
    return whole;
}

void inputs_open_run(struct run *run, char *const *traces, size_t count)
{
    char *error;
    bool damaged;
    if (!run_open(run, traces, count, &error, &damaged))
        fail(damaged ? 1 : 2, error);
}

struct machine *machine_open(const char *path)
{
    char *error = kind_misfit(path, "shmemsim");
    if (error)
        fail(2, text_format("%s: is no machine description: %s", path, error));
    struct machine *machine = machine_read(path, NULL, &error);
    if (!machine) {
        terminal_say(error);
        exit(2);
    }
    return machine;
}

/* Compares the trace with the machine on which it was recorded. */
static void compare(struct prediction_options *options, struct run *run)
{
    char *error;
    bool damaged;
    struct machine *machine = machine_open(options->traced_on);
    options->replay.surplus =
        traced_on(run, options->traced_on, machine, &options->replay, &error, &damaged);
    machine_free(machine);
    if (!options->replay.surplus)
        fail(damaged ? 1 : 2, text_format("%s: %s", options->traced_on, error));
}

struct machine *inputs_open(const struct inputs *inputs, struct prediction_options *options,
                            struct run *run)
{
    static bool told;
    struct machine *machine = machine_open(inputs->machine);
    if (options->replay.model == &loggp_model && !machine->has_overhead && !told)
        say("%s describes no overhead, so calls take no time of their processor: add "
            "overhead, have skampi-model describe the machine, or choose --model paper",
            inputs->machine);
    told = true;
    inputs_open_run(run, inputs->traces, inputs->count);
    if (options->traced_on)
        compare(options, run);
    return machine;
}

/* ---- Output ---- */

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

void output_check(const char *path, bool force)
{
    char *replaced = NULL,
         *refused = is_file(path) ? kind_refuse_replacing(path, force, &replaced) : NULL;
    if (refused)
        fail(2, refused);
    free(replaced);
}

FILE *sim_output_open(const char *path, const char *machine, struct file_names *files)
{
    struct stat output;
    if (!is_file(path))
        return stdout;
    bool there = stat(path, &output) == 0, read = there && machine && trace_is_in(machine, &output);
    for (size_t i = 0; there && !read && files && i < files->count; i++)
        read = trace_is_in(file_names_get(files, i), &output);
    if (read)
        fail(2, text_format("%s: is read, too; name another file", path));
    char *replaced;
    kind_refuse_replacing(path, true, &replaced);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(2, text_format("%s: cannot be written: %s", path, strerror(errno)));
    if (replaced)
        say("%s", replaced);
    free(replaced);
    return file;
}

void sim_output_close(FILE *out, const char *path)
{
    if (!fflush(out) && !ferror(out) && (!is_file(path) || !fclose(out)))
        return;
    if (errno == EPIPE) /* whoever reads from the pipe has enough; the status says the rest */
        return;
    fail(1, text_format("%s: cannot be written: %s", is_file(path) ? path : "standard output",
                        strerror(errno)));
}
