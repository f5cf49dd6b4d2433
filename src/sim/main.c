/* The program shmemsim: predicts how long a traced program would take on another machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/manual.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/replay.h"
#include "sim/report.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

#define WINDOW_BYTES (128 * 1024 * 1024)

enum key {
    KEY_MODEL,
    KEY_CONTENTION,
    KEY_PER_PE,
    KEY_JSON,
    KEY_OUTPUT,
    KEY_TRACE,
    KEY_MODELS,
    KEY_HELP,
    KEY_VERSION,
    KEY_MAN,
    KEY_COMPLETION,
    KEYS
};

static const struct manual_option rows[KEYS] = {
    [KEY_MODEL] = {"model", 'm', "NAME", "what calls cost: paper (default) or loggp", false,
                   "paper loggp", NULL},
    [KEY_CONTENTION] = {.name = "contention",
                        .letter = 'c',
                        .help = "links of nodes and buses are busy: transfers wait for them"},
    [KEY_PER_PE] = {.name = "per-pe", .help = "calls, time and sizes of each routine on each PE"},
    [KEY_JSON] = {.name = "json", .help = "one JSON object with everything"},
    [KEY_OUTPUT] = {.name = "output",
                    .letter = 'o',
                    .value = "FILE",
                    .help = "write to FILE instead of standard output"},
    [KEY_TRACE] = {.name = "trace",
                   .value = "DIR",
                   .help = "write the predicted run as a trace to the new or empty folder DIR"},
    [KEY_MODELS] = {.name = "models", .help = "list the models"},
    [KEY_HELP] = {.name = "help", .letter = 'h', .help = "this text"},
    [KEY_VERSION] = {.name = "version", .letter = 'V', .help = "print the version"},
    [KEY_MAN] = {.name = "man", .help = "print the manual page"},
    [KEY_COMPLETION] = {.name = "completion", .help = "print a script for completion in bash"},
};

struct options {
    struct replay_options replay;
    bool json;
    const char *machine, *output, *trace;
    char *const *traces;
    size_t trace_count;
};

/* ---- What is printed without a trace ---- */

static void print_help(void)
{
    puts("Usage: shmemsim [OPTION]... MACHINE [TRACE]...\n"
         "Predicts how long a program that shmemtrace has recorded would take on another machine.\n"
         "\n"
         "MACHINE is a text file, see docs/tools/shmemsim.md; TRACE a folder that shmemtrace has\n"
         "written (shmemtrace.out), or all files of one.\n");
    manual_help(rows, KEYS);
    puts("\nExit status: 0 predicted; 1 damaged trace, deadlock, failed write; 2 wrong usage, "
         "machine\ndescription or a trace that cannot be replayed.");
}

static void print_models(void)
{
    const struct model *model;
    for (size_t i = 0; (model = model_number(i)); i++)
        printf("%-8s %s\n", model->name, model->help);
}

static void print_manual(void)
{
    manual_page("shmemsim", SKAMPI_VERSION, "predicts run times of OpenSHMEM programs");
    manual_synopsis("shmemsim", "[option]... machine [trace]...");
    manual_section("DESCRIPTION");
    manual_text("Replays a trace of shmemtrace on a described machine: computing takes the time "
                "that it took, divided by the ratio of the processors; communication takes what "
                "the model says.\nThe machine description, and what the models say, are described "
                "in docs/tools/shmemsim.md.");
    manual_section("OPTIONS");
    manual_items(rows, KEYS);
    manual_section("EXIT STATUS");
    manual_text("0 predicted; 1 damaged trace, deadlock, failed write; 2 wrong usage, machine "
                "description or a trace that cannot be replayed.");
    manual_section("EXAMPLES");
    manual_example("shmemtrace oshrun -np 4 ./app\nshmemsim cluster.txt\nshmemsim --model loggp "
                   "--json cluster.txt shmemtrace.out");
    manual_section("SEE ALSO");
    manual_text("shmemtrace(1), skampi(1)");
}

/* ---- Options ---- */

static _Noreturn void fail(int status, const char *text)
{
    fprintf(stderr, "shmemsim: %s\n", text);
    exit(status);
}

static void exhausted(const char *text)
{
    fail(1, text);
}

static _Noreturn void finish_printing(void)
{
    exit(fflush(stdout) || ferror(stdout) ? 1 : 0);
}

static void take_option(struct options *options, enum key key, const char *value)
{
    switch (key) {
    case KEY_MODEL:
        options->replay.model = model_find(value);
        if (!options->replay.model)
            fail(2,
                 text_format("--model %s: there are paper and loggp; --models says more", value));
        return;
    case KEY_CONTENTION:
        options->replay.contention = true;
        return;
    case KEY_PER_PE:
        options->replay.per_pe = true;
        return;
    case KEY_JSON:
        options->json = true;
        return;
    case KEY_OUTPUT:
        options->output = value;
        return;
    case KEY_TRACE:
        options->trace = value;
        return;
    case KEY_MODELS:
        print_models();
        break;
    case KEY_HELP:
        print_help();
        break;
    case KEY_VERSION:
        puts("shmemsim " SKAMPI_VERSION);
        break;
    case KEY_MAN:
        print_manual();
        break;
    default:
        manual_completion("shmemsim", rows, KEYS, NULL, 0);
    }
    finish_printing();
}

static struct options parse(int argc, char **argv)
{
    static char default_trace[] = "shmemtrace.out";
    static char *const default_traces[] = {default_trace};
    struct options options = {.replay = {.model = &paper_model, .window_bytes = WINDOW_BYTES}};
    struct option table[KEYS + 1] = {{0}};
    char letters[2 * KEYS + 2] = ":", *letter = letters + 1;
    for (int i = 0; i < KEYS; i++) {
        table[i] = (struct option){rows[i].name, rows[i].value ? required_argument : no_argument,
                                   NULL, 256 + i};
        if (rows[i].letter)
            *letter++ = rows[i].letter;
        if (rows[i].letter && rows[i].value)
            *letter++ = ':';
    }
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
        if (c == ':')
            fail(2, text_format("option %s needs a value", argv[optind - 1]));
        if (c == '?')
            fail(2, text_format("unknown option %s; shmemsim -h lists them", argv[optind - 1]));
        for (int i = 0; i < KEYS; i++)
            if (c == 256 + i || c == rows[i].letter) {
                take_option(&options, (enum key)i, optarg);
                break;
            }
    }
    if (optind == argc)
        fail(2, "name a machine description; shmemsim -h says more");
    options.machine = argv[optind++];
    options.traces = optind < argc ? argv + optind : default_traces;
    options.trace_count = optind < argc ? (size_t)(argc - optind) : 1;
    return options;
}

/* ---- Predicting ---- */

static void write_failed(const char *name)
{
    if (errno == EPIPE) /* whoever reads from the pipe has enough */
        exit(128 + SIGPIPE);
    fail(1, text_format("%s: cannot be written: %s", name, strerror(errno)));
}

/* NULL when it is the machine description or a file of the trace. */
static FILE *create(const struct options *options, const struct run *run)
{
    struct stat output, input;
    bool there = stat(options->output, &output) == 0;
    bool read = there && stat(options->machine, &input) == 0 && input.st_dev == output.st_dev &&
                input.st_ino == output.st_ino;
    for (int i = 0; there && !read && i < run->pes; i++)
        read = stat(run->paths[i], &input) == 0 && input.st_dev == output.st_dev &&
               input.st_ino == output.st_ino;
    if (read)
        fail(2, text_format("%s: is read, too; name another file", options->output));
    FILE *file = fopen(options->output, "w");
    if (!file)
        fail(2, text_format("%s: cannot be written: %s", options->output, strerror(errno)));
    return file;
}

static void print_report(const struct options *options, const struct replay *replay,
                         const struct run *run)
{
    bool file = options->output && strcmp(options->output, "-") != 0;
    FILE *out = file ? create(options, run) : stdout;
    const char *name = file ? options->output : "standard output";
    struct report report = report_make(replay, options->machine);
    (options->json ? report_json : report_text)(out, &report);
    free(report.path);
    if (fflush(out) || ferror(out) || (file && fclose(out)))
        write_failed(name);
}

int main(int argc, char **argv)
{
    memory_on_exhausted(exhausted);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails says so */
    struct options options = parse(argc, argv);
    struct run run;
    struct replay replay;
    char *error;
    bool damaged;
    struct machine *machine = machine_read(options.machine, &error);
    if (!machine) {
        fputs(error, stderr);
        free(error);
        return 2;
    }
    if (!run_open(&run, options.traces, options.trace_count, &error, &damaged))
        fail(damaged ? 1 : 2, error);
    if (options.trace && !(options.replay.simulated = simulated_open(options.trace, &error)))
        fail(2, error);
    bool good = replay_run(&replay, &run, machine, &options.replay);
    if (good)
        print_report(&options, &replay, &run);
    else
        fprintf(stderr, "shmemsim: %s\n", replay.error);
    if (!good && options.trace)
        simulated_discard(options.replay.simulated);
    int status = good ? 0 : replay.found ? 1 : 2;
    replay_close(&replay);
    simulated_close(options.replay.simulated);
    run_close(&run);
    machine_free(machine);
    return status;
}
