/* Takes command lines apart, and opens what they name. */
#define _GNU_SOURCE
#include "sim/arguments.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/kind.h"
#include "base/manual.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/surplus.h"
#include "trace/read/files.h"
#include "trace/read/pack.h"

void sim_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    terminal_line("shmemsim", format, arguments);
    va_end(arguments);
}

_Noreturn void sim_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    terminal_line("shmemsim", format, arguments);
    va_end(arguments);
    exit(status);
}

_Noreturn void finish_printing(void)
{
    terminal_fold_end();
    exit(fflush(stdout) || ferror(stdout) ? 1 : 0);
}

/* ---- Options ---- */

static void take_option(void *context, size_t row, const char *value)
{
    struct arguments *arguments = context;
    memory_append(arguments->given, arguments->given_count,
                  (struct given_option){&arguments->command->rows[row], value});
}

int sim_arguments_run(const struct sim_command *command, int argc, char **argv)
{
    struct arguments arguments = {.command = command};
    arguments.program =
        command->name ? text_format("shmemsim %s", command->name) : memory_text("shmemsim");
    char *error, *help = text_format("%s -h", arguments.program);
    int first = manual_parse_command_line(command->rows, command->count, help, argc, argv,
                                          take_option, &arguments, &error);
    if (error)
        sim_fail(2, "%s", error);
    free(help);
    if (command->name && sim_arguments_given(&arguments, "help")) {
        terminal_fold_begin(false);
        printf("Usage: shmemsim %s %s\n%s\n\n", command->name, command->synopsis, command->text);
        manual_help(command->rows, command->count);
        finish_printing();
    }
    arguments.words = argv + first;
    arguments.word_count = (size_t)(argc - first);
    int status = command->run(&arguments);
    free(arguments.given);
    free(arguments.program);
    return status;
}

const struct given_option *sim_arguments_given(const struct arguments *arguments,
                                               const char *option)
{
    for (size_t i = arguments->given_count; i-- > 0;)
        if (strcmp(arguments->given[i].option->name, option) == 0)
            return &arguments->given[i];
    return NULL;
}

const char *sim_arguments_value(const struct arguments *arguments, const char *option)
{
    const struct given_option *given = sim_arguments_given(arguments, option);
    return given ? given->value : NULL;
}

/* ---- Predictions ---- */

static void take_paths(struct prediction *prediction, const struct arguments *arguments)
{
    static char default_trace[] = "shmemtrace.out";
    static char *const default_traces[] = {default_trace};
    char *const *words = arguments->words;
    bool several = arguments->word_count > 1;
    if (arguments->word_count == 0)
        sim_fail(2, "name a machine description; %s -h says more", arguments->program);
    if (trace_is(words[0]))
        sim_fail(2, "%s is a trace: the machine description comes first, %s %s %s", words[0],
                 arguments->program, several ? words[1] : "MACHINE", words[0]);
    prediction->machine = words[0];
    prediction->traces = several ? words + 1 : default_traces;
    prediction->trace_count = several ? arguments->word_count - 1 : 1;
}

struct prediction sim_arguments_prediction(const struct arguments *arguments, const char *writes)
{
    struct prediction prediction = {.replay.model = models,
                                    .json = sim_arguments_given(arguments, "json"),
                                    .output = sim_arguments_value(arguments, "output"),
                                    .traced_on = sim_arguments_value(arguments, "traced-on")};
    struct replay_options *replay = &prediction.replay;
    const char *model = sim_arguments_value(arguments, "model");
    const struct given_option *contention = sim_arguments_given(arguments, "contention");
    replay->ignore_pointers = sim_arguments_given(arguments, "ignore-pointers");
    replay->per_pe = sim_arguments_given(arguments, "per-pe");
    if (model && !(replay->model = model_find(model)))
        sim_fail(2, "--model %s: there are loggp and paper; --models says more", model);
    if (contention)
        replay->contention = contention_find(contention->value ? contention->value : "fifo");
    if (contention && replay->contention == CONTENTION_NONE)
        sim_fail(2, "--contention=%s: there are fifo and fair", contention->value);
    take_paths(&prediction, arguments);
    sim_output_check(arguments, writes ? writes : prediction.output);
    return prediction;
}

struct machine *sim_machine_open(const char *path)
{
    char *error = kind_misfit(path, "shmemsim");
    if (error)
        sim_fail(2, "%s: is no machine description: %s", path, error);
    struct machine *machine = sim_machine_read(path, NULL, &error);
    if (!machine) {
        terminal_say(error);
        exit(2);
    }
    return machine;
}

struct machine *prediction_machine(const struct prediction *prediction)
{
    struct machine *machine = sim_machine_open(prediction->machine);
    if (prediction->replay.model->has_overheads && !machine->has_overhead)
        sim_say("%s describes no overhead, so calls take no time of their processor: add "
                "overhead, have skampi model describe the machine, or choose --model paper",
                prediction->machine);
    return machine;
}

void prediction_open(struct prediction *prediction, struct run *run)
{
    char *error;
    bool damaged;
    if (!sim_run_open(run, prediction->traces, prediction->trace_count, &error, &damaged))
        sim_fail(damaged ? 1 : 2, "%s", error);
    if (!prediction->traced_on)
        return;
    struct machine *machine = sim_machine_open(prediction->traced_on);
    prediction->replay.surplus =
        traced_on(run, prediction->traced_on, machine, &prediction->replay, &error, &damaged);
    sim_machine_free(machine);
    if (!prediction->replay.surplus)
        sim_fail(damaged ? 1 : 2, "%s: %s", prediction->traced_on, error);
}

void prediction_close(struct prediction *prediction, struct run *run)
{
    surplus_free(prediction->replay.surplus);
    sim_run_close(run);
}

/* ---- Output ---- */

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

void sim_output_check(const struct arguments *arguments, const char *path)
{
    bool force = sim_arguments_given(arguments, "force");
    char *replaced = NULL,
         *refused = is_file(path) ? kind_refuse_replacing(path, force, &replaced) : NULL;
    if (refused)
        sim_fail(2, "%s", refused);
    free(replaced);
}

void sim_output_differs(const char *path, const char *read)
{
    struct stat output;
    if (is_file(path) && stat(path, &output) == 0 && trace_is_in(read, &output))
        sim_fail(2, "%s: is read, too; name another file", path);
}

FILE *sim_output_open(const char *path, const char *machine, struct run *run)
{
    if (!is_file(path))
        return stdout;
    if (machine)
        sim_output_differs(path, machine);
    for (int pe = 0; run && pe < run->pes; pe++)
        sim_output_differs(path, sim_run_path(run, pe));
    char *replaced;
    kind_refuse_replacing(path, true, &replaced);
    FILE *file = fopen(path, "w");
    if (!file)
        sim_fail(2, "%s: cannot be written: %s", path, strerror(errno));
    if (replaced)
        sim_say("%s", replaced);
    free(replaced);
    return file;
}

bool sim_output_folder(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno != EEXIST)
        sim_fail(2, "%s: cannot be made: %s", path, strerror(errno));
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, NULL);
    if (count != 2) /* . and .. */
        sim_fail(2, "%s: is there and not an empty folder; name another one, or remove it", path);
    while (count-- > 0)
        free(entries[count]);
    free(entries);
    return false;
}

void sim_output_close(FILE *out, const char *path)
{
    if (!fflush(out) && !ferror(out) && (!is_file(path) || !fclose(out)))
        return;
    if (errno == EPIPE) /* whoever reads from the pipe has enough; the status says the rest */
        return;
    sim_fail(1, "%s: cannot be written: %s", is_file(path) ? path : "standard output",
             strerror(errno));
}
