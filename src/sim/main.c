/* The program shmemsim: predicts how long a traced program would take on another machine. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/arguments.h"
#include "sim/report.h"
#include "stats/stats.h"

enum key {
    KEY_PER_PE = OWN_OPTIONS,
    KEY_PATH,
    KEY_TOLERANCE,
    KEY_ERRORS,
    KEY_TRACE,
    KEY_PLATFORM,
    KEY_MODELS,
    KEY_HELP,
    KEY_VERSION,
    KEY_MAN,
    KEY_COMPLETION,
    KEYS
};

static const struct manual_option rows[KEYS] = {
    PREDICTION_OPTIONS,
    [KEY_PER_PE] = {.name = "per-pe", .help = "calls, time and sizes of each routine on each PE"},
    [KEY_PATH] = {.name = "path",
                  .help = "find out where the critical path is, however long it takes"},
    [KEY_TOLERANCE] = {.name = "tolerance",
                       .value = "PERCENT",
                       .optional = true,
                       .help = "what makes the run so much slower (5), however long it takes"},
    [KEY_ERRORS] = {.name = "errors",
                    .help = "find out what errors of the description mean, however long it takes"},
    [KEY_TRACE] = {.name = "trace",
                   .value = "DIR",
                   .help = "write the predicted run as a trace to the new or empty folder DIR"},
    [KEY_PLATFORM] = {.name = "platform",
                      .value = "FILE",
                      .help = "write the machine as a platform of SimGrid to FILE, and end"},
    [KEY_MODELS] = {.name = "models", .help = "list the models"},
    [KEY_HELP] = {.name = "help", .letter = 'h', .help = "this text"},
    [KEY_VERSION] = {.name = "version", .letter = 'V', .help = "print the version"},
    [KEY_MAN] = {.name = "man", .help = "print the manual page"},
    [KEY_COMPLETION] = {.name = "completion", .help = "print a script for completion in bash"},
};

struct options {
    struct prediction_options common;
    bool path, tolerance, errors;
    double slower; /* share of the run time, for the tolerance */
    const char *trace, *platform;
};

static const struct sim_command *const commands[] = {&what_if_command, &pack_command,
                                                     &unpack_command};
#define COMMANDS (sizeof commands / sizeof *commands)

/* ---- What is printed without a trace ---- */

static void print_help(void)
{
    terminal_fold_begin(false);
    puts("Usage: shmemsim [OPTION]... MACHINE [TRACE]...");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("       shmemsim %-8s %s\n", commands[i]->name, commands[i]->synopsis);
    puts("Predicts how long a program that shmemtrace has recorded would take on another machine.\n"
         "\n"
         "MACHINE is a text file, see docs/tools/shmemsim.md; TRACE a folder that shmemtrace has\n"
         "written (shmemtrace.out), or all files of one.\n");
    manual_help(rows, KEYS);
    puts("\nCommands; shmemsim COMMAND -h lists their options:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    puts("\nExit status: 0 predicted; 1 damaged trace, deadlock, failed write; 2 wrong usage, "
         "machine\ndescription or a trace that cannot be replayed.");
}

static void print_models(void)
{
    for (const struct model *model = models; model->name; model++)
        printf("%-8s %s\n", model->name, model->help);
}

static void print_version(void)
{
    puts("shmemsim " SKAMPI_VERSION);
}

static void print_manual(void)
{
    manual_page("shmemsim", SKAMPI_VERSION, "predicts run times of OpenSHMEM programs");
    manual_synopsis("shmemsim", "[option]... machine [trace]...");
    for (size_t i = 0; i < COMMANDS; i++)
        manual_synopsis("shmemsim", text_format("%s %s", commands[i]->name, commands[i]->synopsis));
    manual_section("DESCRIPTION");
    manual_text("Replays a trace of shmemtrace on a described machine: computing takes the time "
                "that it took, divided by the ratio of the processors; communication takes what "
                "the model says.\nThe machine description, and what the models say, are described "
                "in docs/tools/shmemsim.md.");
    manual_section("OPTIONS");
    manual_items(rows, KEYS);
    manual_section("COMMANDS");
    for (size_t i = 0; i < COMMANDS; i++) {
        manual_subsection(commands[i]->name);
        manual_text(commands[i]->text);
        manual_items(commands[i]->rows, commands[i]->count);
    }
    manual_section("EXIT STATUS");
    manual_text("0 predicted; 1 damaged trace, deadlock, failed write; 2 wrong usage, machine "
                "description or a trace that cannot be replayed.");
    manual_section("EXAMPLES");
    manual_example("shmemtrace oshrun -np 4 ./app\nshmemsim cluster.txt\nshmemsim --json "
                   "cluster.txt shmemtrace.out");
    manual_section("SEE ALSO");
    manual_text("shmemtrace(1), skampi(1)");
}

static void print_completion(void)
{
    struct manual_command words[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        words[i] =
            (struct manual_command){commands[i]->name, commands[i]->rows, commands[i]->count};
    manual_completion("shmemsim", rows, KEYS, words, COMMANDS);
}

/* ---- Options ---- */

static void exhausted(const char *text)
{
    fail(1, text);
}

#define SLOWER 0.05

static double share_of(const char *value)
{
    char *end;
    double percent = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "%") != 0) || !(percent > 0 && percent <= 1000))
        fail(2, text_format("--tolerance=%s: give percent of the run time, such as 5", value));
    return percent / 100;
}

static void take_option(void *context, size_t key, const char *value)
{
    static void (*const prints[KEYS])(void) = {[KEY_MODELS] = print_models,
                                               [KEY_HELP] = print_help,
                                               [KEY_VERSION] = print_version,
                                               [KEY_MAN] = print_manual,
                                               [KEY_COMPLETION] = print_completion};
    struct options *options = context;
    bool *const flags[KEYS] = {[KEY_PER_PE] = &options->common.replay.per_pe,
                               [KEY_PATH] = &options->path,
                               [KEY_TOLERANCE] = &options->tolerance,
                               [KEY_ERRORS] = &options->errors};
    if (arguments_take(&options->common, key, value))
        return;
    if (prints[key]) {
        prints[key]();
        finish_printing();
    }
    if (flags[key])
        *flags[key] = true;
    else
        *(key == KEY_TRACE ? &options->trace : &options->platform) = value;
    if (key == KEY_TOLERANCE)
        options->slower = value ? share_of(value) : SLOWER;
}

/* ---- Predicting ---- */

/* Predicts a trace alone. Ends the program if it is not of the same program as the first one. */
static double time_of(const struct inputs *inputs, const struct machine *machine,
                      const char *first_path, const struct run *first,
                      const struct options *options)
{
    struct prediction_options common = options->common;
    struct run run;
    struct replay replay;
    inputs_open(inputs, &common, &run);
    if (run.pes != first->pes || strcmp(run.command, first->command) != 0)
        fail(2, text_format(
                    "%s: is of \"%s\" on %d PEs, but %s of \"%s\" on %d; give traces of one "
                    "program",
                    *inputs->traces, run.command, run.pes, first_path, first->command, first->pes));
    if (!replay_run(&replay, &run, machine, &common.replay))
        fail(replay.found ? 1 : 2, replay.error);
    double time = (double)replay.threads[repeat_last(&replay)].time;
    replay_close(&replay);
    inputs_close(&common, &run);
    return time;
}

/* Of several traces of one program, that of the median run time is predicted; the lower one of the
 * two in the middle. */
static struct several_traces choose_trace(struct inputs *inputs, const struct machine *machine,
                                          const struct options *options)
{
    size_t count = inputs->count;
    char *error = NULL;
    bool damaged;
    struct run first;
    if (count == 1 || !run_open(&first, inputs->traces, 1, &error, &damaged)) {
        free(error); /* they may be files of one trace */
        return (struct several_traces){.count = 1};
    }
    double *times = memory_zeroed(count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = time_of(&(struct inputs){inputs->machine, &inputs->traces[i], 1}, machine,
                           *inputs->traces, &first, options);
    run_close(&first);
    size_t *order = memory_zeroed(count, sizeof *order);
    stats_sort_order(times, count, order);
    inputs->traces += order[(count - 1) / 2];
    inputs->count = 1;
    free(order);
    const struct several_traces sample = errors_sample(times, count);
    free(times);
    return sample;
}

static void print_report(FILE *out, const struct options *options, const struct inputs *inputs,
                         const struct several_traces *traces, const struct replay *replay)
{
    struct report report = report_make(replay, inputs->machine);
    const struct repeat repeat = repeat_of(replay, &options->common.replay, inputs->machine);
    struct errors errors = errors_find(&repeat, traces, options->errors);
    struct tolerance tolerance = tolerance_find(&repeat, options->slower, options->tolerance);
    struct profile profile = {0};
    if (options->path || repeat.work <= REPEAT_WORK) {
        profile = repeat_profile(&repeat, replay);
        report.profile = &profile;
    }
    report.errors = &errors;
    report.repeat = &repeat;
    report.tolerance = &tolerance;
    (options->common.json ? report_json : report_text)(out, &report);
    profile_free(&profile);
    errors_free(&errors);
    sim_output_close(out, options->common.output);
}

static int write_platform(const char *path, const char *described)
{
    struct machine *machine = machine_open(described);
    FILE *out = sim_output_open(path, described, NULL);
    platform_write(out, machine, described);
    sim_output_close(out, path);
    machine_free(machine);
    return 0;
}

static int predict(int argc, char **argv)
{
    struct options options = {.common = {.replay = REPLAY_DEFAULTS}, .slower = SLOWER};
    int at = arguments_parse(rows, KEYS, "shmemsim", argc, argv, take_option, &options);
    struct inputs inputs = arguments_inputs("shmemsim", argc, argv, at);
    output_check(options.platform ? options.platform : options.common.output, options.common.force);
    if (options.platform && at + 1 < argc)
        fail(2, text_format("--platform reads no trace; leave out %s", argv[at + 1]));
    if (options.platform)
        return write_platform(options.platform, inputs.machine);
    struct run run;
    struct replay replay;
    struct machine *machine = inputs_machine(&inputs, &options.common);
    const struct several_traces traces = choose_trace(&inputs, machine, &options);
    inputs_open(&inputs, &options.common, &run);
    if (options.trace)
        options.common.replay.simulated =
            simulated_open(options.trace, sim_output_folder(options.trace));
    bool good = replay_run(&replay, &run, machine, &options.common.replay);
    if (good)
        print_report(sim_output_open(options.common.output, inputs.machine, &run), &options,
                     &inputs, &traces, &replay);
    else
        say("%s", replay.error);
    if (!good && options.trace)
        simulated_discard(options.common.replay.simulated);
    int status = good ? 0 : replay.found ? 1 : 2;
    replay_close(&replay);
    simulated_close(options.common.replay.simulated);
    inputs_close(&options.common, &run);
    machine_free(machine);
    return status;
}

int main(int argc, char **argv)
{
    numbers_use_point();
    memory_on_exhausted(exhausted);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails says so */
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    return predict(argc, argv);
}
