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

static const struct manual_option rows[] = {
    PREDICTION_OPTIONS,
    {.name = "per-pe", .help = "calls, time and sizes of each routine on each PE"},
    {.name = "path", .help = "find out where the critical path is, however long it takes"},
    {.name = "tolerance",
     .value = "PERCENT",
     .optional = true,
     .help = "what makes the run so much slower (5), however long it takes"},
    {.name = "errors",
     .help = "find out what errors of the description mean, however long it takes"},
    {.name = "trace",
     .value = "DIR",
     .help = "write the predicted run as a trace to the new or empty folder DIR"},
    {.name = "platform",
     .value = "FILE",
     .help = "write the machine as a platform of SimGrid to FILE, and end"},
    {.name = "models", .help = "list the models"},
    MANUAL_HELP,
    {.name = "version", .letter = 'V', .help = "print the version"},
    {.name = "man", .help = "print the manual page"},
    {.name = "completion", .help = "print a script for completion in bash"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct sim_command *const commands[] = {&what_if_command, &sim_pack_command,
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
    manual_help(rows, ROWS);
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
    manual_items(rows, ROWS);
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
    manual_completion("shmemsim", rows, ROWS, words, COMMANDS);
}

/* ---- Predicting ---- */

/* Predicts a trace alone. Ends the program if it is not of the same program as the first one. */
static double time_of(struct prediction one, const struct machine *machine, const char *first_path,
                      const struct run *first)
{
    struct run run;
    struct replay replay;
    prediction_open(&one, &run);
    if (run.pes != first->pes || strcmp(run.command, first->command) != 0)
        sim_fail(2,
                 "%s: is of \"%s\" on %d PEs, but %s of \"%s\" on %d; give traces of one program",
                 *one.traces, run.command, run.pes, first_path, first->command, first->pes);
    if (!replay_run(&replay, &run, machine, &one.replay))
        sim_fail(replay.found ? 1 : 2, "%s", replay.error);
    double time = (double)replay.threads[repeat_last(&replay)].time;
    replay_close(&replay);
    prediction_close(&one, &run);
    return time;
}

/* Of several traces of one program, that of the median run time is predicted; the lower one of the
 * two in the middle. */
static struct prediction_spread choose_trace(struct prediction *prediction,
                                             const struct machine *machine)
{
    size_t count = prediction->trace_count;
    char *const *traces = prediction->traces, *error = NULL;
    bool damaged;
    struct run first;
    if (count == 1 || !sim_run_open(&first, traces, 1, &error, &damaged)) {
        free(error); /* they may be files of one trace */
        return (struct prediction_spread){.count = 1};
    }
    double *times = memory_zeroed(count, sizeof *times);
    size_t *order = memory_zeroed(count, sizeof *order);
    prediction->trace_count = 1;
    for (size_t i = 0; i < count; i++, prediction->traces++)
        times[i] = time_of(*prediction, machine, *traces, &first);
    stats_sort_order(times, count, order);
    prediction->traces = traces + order[(count - 1) / 2];
    const struct prediction_spread sample = errors_sample(times, count);
    sim_run_close(&first);
    free(order);
    free(times);
    return sample;
}

#define SLOWER 0.05

/* What --tolerance asks for, as a share of the run time. */
static double share_of(const struct given_option *tolerance)
{
    char *end;
    if (!tolerance || !tolerance->value)
        return SLOWER;
    double percent = strtod(tolerance->value, &end);
    if (end == tolerance->value || (*end && strcmp(end, "%") != 0) ||
        !(percent > 0 && percent <= 1000))
        sim_fail(2, "--tolerance=%s: give percent of the run time, such as 5", tolerance->value);
    return percent / 100;
}

static void print_report(FILE *out, const struct arguments *arguments,
                         const struct prediction *prediction,
                         const struct prediction_spread *traces, const struct replay *replay)
{
    struct report report = sim_report_make(replay);
    const struct given_option *slower = sim_arguments_given(arguments, "tolerance");
    report.repeat = repeat_of(replay, &prediction->replay, prediction->machine);
    report.errors = errors_find(&report.repeat, traces, sim_arguments_given(arguments, "errors"));
    report.tolerance = tolerance_find(&report.repeat, share_of(slower), slower);
    if (sim_arguments_given(arguments, "path") || report.repeat.work <= REPEAT_WORK)
        report.profile = repeat_profile(&report.repeat, replay);
    (prediction->json ? sim_report_json : sim_report_text)(out, &report);
    free(report.profile.parts);
    free(report.errors.causes);
    sim_output_close(out, prediction->output);
}

static int predict(const struct arguments *arguments)
{
    static const struct {
        const char *option;
        void (*print)(void);
    } prints[] = {{"models", print_models},
                  {"help", print_help},
                  {"version", print_version},
                  {"man", print_manual},
                  {"completion", print_completion}};
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++)
        if (sim_arguments_given(arguments, prints[i].option)) {
            prints[i].print();
            finish_printing();
        }
    const char *trace = sim_arguments_value(arguments, "trace"),
               *platform = sim_arguments_value(arguments, "platform");
    share_of(sim_arguments_given(arguments, "tolerance"));
    struct prediction prediction = sim_arguments_prediction(arguments, platform);
    if (platform && arguments->word_count > 1)
        sim_fail(2, "--platform reads no trace; leave out %s", arguments->words[1]);
    if (platform) {
        struct machine *machine = sim_machine_open(prediction.machine);
        FILE *out = sim_output_open(platform, prediction.machine, NULL);
        platform_write(out, machine, prediction.machine);
        sim_output_close(out, platform);
        sim_machine_free(machine);
        return 0;
    }
    struct run run;
    struct replay replay;
    struct machine *machine = prediction_machine(&prediction);
    const struct prediction_spread traces = choose_trace(&prediction, machine);
    prediction_open(&prediction, &run);
    if (trace)
        prediction.replay.simulated = simulated_open(trace, sim_output_folder(trace));
    bool good = replay_run(&replay, &run, machine, &prediction.replay);
    if (good)
        print_report(sim_output_open(prediction.output, prediction.machine, &run), arguments,
                     &prediction, &traces, &replay);
    else
        sim_say("%s", replay.error);
    if (!good && trace)
        simulated_discard(prediction.replay.simulated);
    int status = good ? 0 : replay.found ? 1 : 2;
    replay_close(&replay);
    simulated_close(prediction.replay.simulated);
    prediction_close(&prediction, &run);
    sim_machine_free(machine);
    return status;
}

static void exhausted(const char *text)
{
    sim_fail(1, "%s", text);
}

int main(int argc, char **argv)
{
    static const struct sim_command predicting = {.rows = rows, .count = ROWS, .run = predict};
    numbers_use_point();
    memory_on_exhausted(exhausted);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails says so */
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return sim_arguments_run(commands[i], argc - 1, argv + 1);
    return sim_arguments_run(&predicting, argc, argv);
}
