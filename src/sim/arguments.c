/* Takes command lines apart, and opens what they name. */
#define _GNU_SOURCE
#include "sim/arguments.h"

#include <dirent.h>
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
#include "sim/surplus.h"
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

void command_help(const struct sim_command *command)
{
    terminal_fold_begin(false);
    printf("Usage: shmemsim %s %s\n%s\n\n", command->name, command->synopsis, command->text);
    manual_help(command->rows, command->count);
    finish_printing();
}

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
    bool *const flags[OWN_OPTIONS] = {[OPTION_POINTERS] = &options->replay.ignore_pointers,
                                      [OPTION_JSON] = &options->json,
                                      [OPTION_FORCED] = &options->force};
    if (row >= OWN_OPTIONS)
        return false;
    if (flags[row])
        *flags[row] = true;
    else if (row == OPTION_MODEL)
        options->replay.model = model_named(value);
    else if (row == OPTION_CONTENTION)
        options->replay.contention = contention_named(value ? value : "fifo");
    else
        *(row == OPTION_OUTPUT ? &options->output : &options->traced_on) = value;
    return true;
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

struct machine *inputs_machine(const struct inputs *inputs,
                               const struct prediction_options *options)
{
    struct machine *machine = machine_open(inputs->machine);
    if (options->replay.model->has_overheads && !machine->has_overhead)
        say("%s describes no overhead, so calls take no time of their processor: add "
            "overhead, have skampi-model describe the machine, or choose --model paper",
            inputs->machine);
    return machine;
}

void inputs_open(const struct inputs *inputs, struct prediction_options *options, struct run *run)
{
    char *error;
    bool damaged;
    if (!run_open(run, inputs->traces, inputs->count, &error, &damaged))
        fail(damaged ? 1 : 2, error);
    if (options->traced_on)
        compare(options, run);
}

void inputs_close(struct prediction_options *options, struct run *run)
{
    surplus_free(options->replay.surplus);
    run_close(run);
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

void output_differs(const char *path, const char *read)
{
    struct stat output;
    if (is_file(path) && stat(path, &output) == 0 && trace_is_in(read, &output))
        fail(2, text_format("%s: is read, too; name another file", path));
}

FILE *sim_output_open(const char *path, const char *machine, struct run *run)
{
    if (!is_file(path))
        return stdout;
    if (machine)
        output_differs(path, machine);
    for (int pe = 0; run && pe < run->pes; pe++)
        output_differs(path, run_path(run, pe));
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

static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    bool empty = directory != NULL;
    for (struct dirent *entry; empty && (entry = readdir(directory));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

bool sim_output_folder(const char *path)
{
    bool made = mkdir(path, 0777) == 0;
    if (!made && errno != EEXIST)
        fail(2, text_format("%s: cannot be made: %s", path, strerror(errno)));
    if (!made && !is_empty(path))
        fail(2, text_format("%s: is there and not an empty folder; name another one, or remove it",
                            path));
    return made;
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
