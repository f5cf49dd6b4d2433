#define _GNU_SOURCE /* asprintf, getopt_long */
#include "options.h"

#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock/timer.h"
#include "engine/measurement.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif
#ifndef SKAMPI_REVISION
#define SKAMPI_REVISION ""
#endif
#ifndef SKAMPI_INPUTS_DIR
#define SKAMPI_INPUTS_DIR "/usr/local/share/skampi/inputs"
#endif

#define STATUS_BAD 2

enum {
    LONG_LIST = 256,
    LONG_DESCRIBE,
    LONG_SET,
    LONG_TIMER,
    LONG_UNIT,
    LONG_TIMERS,
    LONG_PROGRESS,
    LONG_ESTIMATE
};

/* One table for parsing and for -h. */
static const struct option_row {
    const char *name;
    int key; /* a letter: also the short option */
    int argument;
    const char *value, *meaning;
} rows[] = {
    {"input", 'i', required_argument, "FILE", "the measurement script; - is standard input"},
    {"output", 'o', required_argument, "FILE", "where results go; default: standard output"},
    {"check", 'n', no_argument, NULL, "check the script, measure nothing"},
    {"source", 's', no_argument, NULL, "copy the script into the output"},
    {"set", LONG_SET, required_argument, "NAME=EXPR", "give a global of the script another value"},
    {"timer", LONG_TIMER, required_argument, "NAME", "the timer to use; see --timers"},
    {"unit", LONG_UNIT, required_argument, "UNIT", "ns, us, ms or s, whatever the script says"},
    {"estimate", LONG_ESTIMATE, no_argument, NULL,
     "say how many measurements there are and how long they take"},
    {"progress", LONG_PROGRESS, no_argument, NULL, "show progress although no terminal is seen"},
    {"debug", 'd', required_argument, "BITS", "messages on standard error: 8 batches, 128 clocks"},
    {"list", LONG_LIST, optional_argument, "PATTERN",
     "the measurement functions, and how to call them"},
    {"describe", LONG_DESCRIBE, required_argument, "NAME", "everything about one of them"},
    {"timers", LONG_TIMERS, no_argument, NULL, "the timers of this machine, with their qualities"},
    {"help", 'h', no_argument, NULL, "this text"},
    {"version", 'V', no_argument, NULL, "the version"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct {
    const char *name;
    double per_second;
} units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};

static void fail(struct options *options, const char *format, const char *what)
{
    if (!options->error && asprintf(&options->error, format, what) < 0)
        abort();
}

static void set_unit(struct options *options, const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0) {
            options->unit = units[i].per_second;
            return;
        }
    fail(options, "--unit %s: give ns, us, ms or s", name);
}

static void set_timer(struct options *options, const char *name)
{
    struct timer *timer = timer_find(name);
    if (!timer)
        fail(options, "--timer %s: there is no such timer; --timers lists them", name);
    else if (timer->unusable())
        fail(options, "--timer: %s", timer->unusable());
    options->timer = name;
}

static void set_debug(struct options *options, const char *text)
{
    char *end;
    long bits = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || bits < 0 || bits > INT_MAX)
        fail(options, "-d %s: give a sum of the bits that -h names", text);
    options->debug = (int)bits;
}

static void take(struct options *options, int key, const char *value)
{
    switch (key) {
    case 'i':
        options->input = value;
        break;
    case 'o':
        options->output = value;
        break;
    case 'n':
        options->check_only = true;
        break;
    case 's':
        options->show_source = true;
        break;
    case 'd':
        set_debug(options, value);
        break;
    case 'h':
        options->information = INFORM_HELP;
        break;
    case 'V':
        options->information = INFORM_VERSION;
        break;
    case LONG_LIST:
        options->information = INFORM_LIST;
        options->name = value;
        break;
    case LONG_DESCRIBE:
        options->information = INFORM_DESCRIBE;
        options->name = value;
        break;
    case LONG_TIMERS:
        options->information = INFORM_TIMERS;
        break;
    case LONG_SET:
        options->overrides[options->override_count++] = value;
        if (!strchr(value, '='))
            fail(options, "--set %s: give NAME=EXPR", value);
        break;
    case LONG_TIMER:
        set_timer(options, value);
        break;
    case LONG_UNIT:
        set_unit(options, value);
        break;
    case LONG_ESTIMATE:
        options->estimate = true;
        break;
    case LONG_PROGRESS:
        options->progress = true;
        break;
    }
}

static char *join(int argc, char **argv)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        abort();
    for (int i = 0; i < argc; i++)
        fprintf(stream, "%s%s", i ? " " : "", argv[i]);
    if (fclose(stream) != 0)
        abort();
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' '; /* the header's lines must stay comments */
    return text;
}

static bool is_known(int key)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].key == key)
            return true;
    return false;
}

void options_parse(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->overrides = calloc((size_t)argc + 1, sizeof *options->overrides);
    options->command_line = join(argc, argv);
    if (!options->overrides)
        abort();
    struct option table[ROWS + 1] = {{0}};
    char letters[2 * ROWS + 2] = ":";
    for (size_t i = 0; i < ROWS; i++) {
        table[i] = (struct option){rows[i].name, rows[i].argument, NULL, rows[i].key};
        if (rows[i].key < 256) {
            size_t end = strlen(letters);
            letters[end] = (char)rows[i].key;
            letters[end + 1] = rows[i].argument == no_argument ? '\0' : ':';
            letters[end + (rows[i].argument == no_argument ? 1 : 2)] = '\0';
        }
    }
    opterr = 0;
    int key;
    while ((key = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        char text[3] = {'-', (char)optopt, '\0'};
        if (key == ':')
            fail(options, "option %s needs a value", optopt < 256 ? text : argv[optind - 1]);
        else if (key == '?' && is_known(optopt))
            fail(options, "option %s: it takes no value", argv[optind - 1]);
        else if (key == '?')
            fail(options, "unknown or ambiguous option %s; -h lists them",
                 optopt && optopt < 256 ? text : argv[optind - 1]);
        else
            take(options, key, optarg);
    }
    /* --list PATTERN and --list=PATTERN are both what users type. */
    if (options->information == INFORM_LIST && !options->name && optind < argc)
        options->name = argv[optind++];
    if (optind < argc)
        fail(options, "argument %s is not understood; the script is given by -i FILE",
             argv[optind]);
    if (!options->input && options->information == INFORM_NOTHING)
        fail(options, "no script: give one by %s FILE; skampi -h tells more", "-i");
}

void options_release(struct options *options)
{
    free(options->overrides);
    free(options->command_line);
    free(options->error);
}

void options_print_error(const struct options *options)
{
    fprintf(stderr, "skampi: error: %s\n", options->error);
}

const char *options_version(void)
{
    return SKAMPI_REVISION[0] ? SKAMPI_VERSION " rev. " SKAMPI_REVISION : SKAMPI_VERSION;
}

size_t options_search_path(const char **directories)
{
    static char beside[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", beside, sizeof beside - sizeof "/inputs");
    size_t count = 0;
    if (length > 0) {
        beside[length] = '\0';
        char *slash = strrchr(beside, '/');
        strcpy(slash ? slash : beside, "/inputs");
        directories[count++] = beside;
    }
    directories[count++] = SKAMPI_INPUTS_DIR;
    return count;
}

/* ---- What is printed without measuring ---- */

static void print_help(void)
{
    printf("usage: oshrun -np N skampi -i SCRIPT [options]\n"
           "Measures what a script asks for, on all PEs, and prints a table of times.\n\n");
    for (size_t i = 0; i < ROWS; i++) {
        char text[64], letter[4] = "   ";
        if (rows[i].key < 256)
            snprintf(letter, sizeof letter, "-%c,", rows[i].key);
        const char *open = rows[i].argument == optional_argument ? "[" : "";
        snprintf(text, sizeof text, "%s --%s%s%s%s", letter, rows[i].name, rows[i].value ? " " : "",
                 open, rows[i].value ? rows[i].value : "");
        if (*open)
            strcat(text, "]");
        printf("  %-24s  %s\n", text, rows[i].meaning);
    }
    printf("\nA script without a path is looked for in the current directory, in inputs/ beside\n"
           "the program, and in " SKAMPI_INPUTS_DIR ".\n"
           "Exit status: 0 all measured, 1 internal error, failed write or assert, 2 bad option,\n"
           "script or file, 3 something failed or is unsupported, 4 time limit, 5 watchdog,\n"
           "128 + n signal n.\n");
}

static void print_signature(const struct measurement *function)
{
    static const char *const types[] = {"int", "int", "int", "double", "string", "int[]"};
    printf("%s(", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        printf("%s%s %s", i ? ", " : "", types[function->parameters[i].type],
               function->parameters[i].name);
    printf(")");
}

static bool matches(const char *pattern, const char *name)
{
    return !pattern || strstr(name, pattern) || fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

static int print_list(const char *pattern)
{
    const struct measurement *function;
    size_t found = 0;
    for (size_t i = 0; (function = measurement_at(i)); i++) {
        if (!matches(pattern, function->name))
            continue;
        found++;
        print_signature(function);
        printf("\n    %s\n", function->summary);
        if (measurement_unsupported(function))
            printf("    unsupported: %s\n", measurement_unsupported(function));
    }
    if (found > 0)
        return 0;
    fprintf(stderr, "skampi: error: no measurement function matches %s\n", pattern);
    return STATUS_BAD;
}

static int describe(const char *name)
{
    const struct measurement *function = measurement_find(name);
    if (!function) {
        fprintf(stderr, "skampi: error: there is no measurement function %s; --list shows all\n",
                name);
        return STATUS_BAD;
    }
    static const char *const apis[] = {"none", "OpenSHMEM", "MPI"};
    print_signature(function);
    printf("\n%s\n", function->summary);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        printf("  %-12s %s%s%s%s", parameter->name, parameter->meaning,
               *parameter->unit ? " [" : "", parameter->unit, *parameter->unit ? "]" : "");
        if (parameter->type <= PARAMETER_RANK)
            printf(", at least %lld", (long long)parameter->minimum);
        printf("\n");
    }
    printf("timed: %s\n", function->timed);
    printf("who: %s\n", function->who);
    printf("subtracted: %s\n", function->subtracted ? function->subtracted : "nothing");
    printf("synchronization: %s\n",
           function->synchronized ? "as the script chooses (window, barrier, none)" : "none");
    printf("API: %s", apis[function->api]);
    if (function->version_major)
        printf(" %d.%d", function->version_major, function->version_minor);
    printf("\nPEs: at least %d\n", function->minimum_pes > 1 ? function->minimum_pes : 1);
    if (function->cost)
        printf("cost: %s\n", function->cost);
    const char *reason = measurement_unsupported(function);
    printf("supported: %s%s\n", reason ? "no: " : "yes", reason ? reason : "");
    return 0;
}

static int print_timers(void)
{
    printf("%-18s %12s %12s  %s\n", "timer", "step [ns]", "cost [ns]", "usable");
    for (size_t i = 0; i < timer_count(); i++) {
        struct timer *timer = timer_at(i);
        const char *reason = timer->unusable();
        if (!reason) {
            timer->ticks_per_second = timer_calibrate(timer);
            timer_characterize(timer);
            reason = timer->refused;
        }
        if (reason)
            printf("%-18s %12s %12s  no: %s\n", timer->name, "---", "---", reason);
        else
            printf("%-18s %12.1f %12.1f  yes\n", timer->name, timer->resolution * 1e9,
                   timer->cost * 1e9);
    }
    return 0;
}

int options_inform(const struct options *options)
{
    if (options->error) {
        options_print_error(options);
        return STATUS_BAD;
    }
    switch (options->information) {
    case INFORM_HELP:
        print_help();
        break;
    case INFORM_VERSION:
        printf("skampi %s\n", options_version());
        break;
    case INFORM_LIST:
        return print_list(options->name);
    case INFORM_DESCRIBE:
        return describe(options->name);
    case INFORM_TIMERS:
        return print_timers();
    case INFORM_NOTHING:
        break;
    }
    return 0;
}
