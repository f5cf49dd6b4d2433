#define _GNU_SOURCE /* getopt_long */
#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "output/output.h"
#include "ski/diag.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif
#ifndef SKAMPI_REVISION
#define SKAMPI_REVISION ""
#endif
#ifndef SKAMPI_INPUTS_DIR
#define SKAMPI_INPUTS_DIR "/usr/local/share/skampi/inputs"
#endif

#define MOST_ROUNDS 100000
#define LONGEST_TIME 1e9
/* Seconds that a step of the start may take: the library's start at 10^5 PEs takes minutes. */
#define STARTUP_LIMIT 300
#define STARTUP_VARIABLE "SKAMPI_STARTUP_LIMIT"

enum {
    LONG_LIST = 256,
    LONG_DESCRIBE,
    LONG_SET,
    LONG_TIMER,
    LONG_UNIT,
    LONG_TIMERS,
    LONG_PROGRESS,
    LONG_ROUNDS,
    LONG_SEED,
    LONG_TIME_LIMIT,
    LONG_STARTUP_LIMIT,
    LONG_ESTIMATE,
    LONG_RAW,
    LONG_CLOCK_SYNC,
    LONG_VERIFY,
    LONG_MAN,
    LONG_COMPLETION
};

const struct option_row option_rows[] = {
    {"input", 'i', required_argument, "FILE", "the measurement script; - is standard input"},
    {"output", 'o', required_argument, "FILE",
     "where results go, as .sko, .csv or .json; may be repeated; -: standard output"},
    {"format", 'f', required_argument, "FORMAT", "sko, csv or json, where no suffix says it"},
    {"raw", LONG_RAW, no_argument, NULL, "every single repetition, too, in .csv and .json"},
    {"check", 'n', no_argument, NULL, "check the script, measure nothing"},
    {"source", 's', no_argument, NULL, "copy the script into the output"},
    {"set", LONG_SET, required_argument, "NAME=EXPR", "give a global of the script another value"},
    {"timer", LONG_TIMER, required_argument, "NAME", "the timer to use; see --timers"},
    {"clock-sync", LONG_CLOCK_SYNC, required_argument, "NAME",
     "default, none, linear, ring, tree or hca"},
    {"verify", LONG_VERIFY, required_argument, "WHICH",
     "last or every: which repetitions' data are verified, whatever the script says"},
    {"unit", LONG_UNIT, required_argument, "UNIT", "ns, us, ms or s, whatever the script says"},
    {"rounds", LONG_ROUNDS, required_argument, "N[,TIME]",
     "measure everything N times, in shuffled order, spread over so much time"},
    {"seed", LONG_SEED, required_argument, "NUMBER", "of everything that is random"},
    {"time-limit", LONG_TIME_LIMIT, required_argument, "TIME",
     "end in order before so much time has passed: 90, 30m, 1h30m, 1:30:00; then the status is 4"},
    {"startup-limit", LONG_STARTUP_LIMIT, required_argument, "TIME",
     "how long a step of the start or the end may take, such as shmem_init: 5m "
     "unless " STARTUP_VARIABLE " says otherwise; 0: any time"},
    {"estimate", LONG_ESTIMATE, no_argument, NULL,
     "say how many measurements there are and how long they take"},
    {"progress", LONG_PROGRESS, no_argument, NULL,
     "show progress as on a terminal, not in a line each 10 s"},
    {"debug", 'd', required_argument, "BITS",
     "messages on standard error: 8 batches, 16 what verification took, 128 clocks"},
    {"list", LONG_LIST, optional_argument, "PATTERN",
     "the measurement functions, and how to call them; of a word, or of MPI_Allreduce"},
    {"describe", LONG_DESCRIBE, required_argument, "NAME",
     "everything about one of them; also by what it measures"},
    {"timers", LONG_TIMERS, no_argument, NULL, "the timers of this machine, with their qualities"},
    {"man", LONG_MAN, no_argument, NULL, "this as a manual page"},
    {"completion", LONG_COMPLETION, no_argument, NULL, "completion for bash"},
    {"help", 'h', no_argument, NULL, "this text"},
    {"version", 'V', no_argument, NULL, "the version"},
};
#define ROWS (sizeof option_rows / sizeof *option_rows)
const size_t option_row_count = ROWS;

static const struct {
    const char *name;
    double per_second;
} units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};

/* The first error counts. */
static void __attribute__((format(printf, 2, 3)))
fail(struct options *options, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!options->error)
        options->error = text_format_with(format, arguments);
    va_end(arguments);
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

static void fail_timer(struct options *options, const char *name)
{
    const char *names[64], *closest;
    size_t count = 0;
    for (; count < timer_count() && count < sizeof names / sizeof *names; count++)
        names[count] = timer_at(count)->name;
    closest = diag_closest(name, names, count);
    fail(options, "--timer %s: there is no such timer%s%s%s; --timers lists them", name,
         closest ? ": did you mean " : "", closest ? closest : "", closest ? "?" : "");
}

/* Whether it can be used here is known only when the library is started. */
static void set_timer(struct options *options, const char *name)
{
    if (!timer_find(name))
        fail_timer(options, name);
    options->timer = name;
}

/* Seconds of "90", "90s", "1.5m", "1h30m", "2d", "30:00" or "1:30:00"; NaN for anything else. */
static double duration_of(const char *text)
{
    static const struct {
        char letter;
        double seconds;
    } parts[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    double sum = 0;
    bool colons = strchr(text, ':');
    size_t next = 0; /* parts come in this order */
    do {
        char *end;
        if (!isdigit((unsigned char)*text))
            return NAN;
        double value = strtod(text, &end);
        if (colons) {
            sum = sum * 60 + value;
        } else {
            while (next < 4 && *end != '\0' && parts[next].letter != *end)
                next++;
            if (next == 4 || (*end == '\0' && next > 0))
                return NAN;
            sum += *end == '\0' ? value : value * parts[next++].seconds;
        }
        text = *end == '\0' ? end : end + 1;
        if (colons && *end != ':' && *end != '\0')
            return NAN;
        if (colons && *end == ':' && *text == '\0')
            return NAN;
    } while (*text != '\0');
    return sum;
}

static void set_time_limit(struct options *options, const char *text)
{
    options->time_limit = duration_of(text);
    if (!(options->time_limit > 0 && options->time_limit < LONGEST_TIME))
        fail(options, "--time-limit %s: give a time above 0, such as 90s, 30m, 1h30m or 1:30:00",
             text);
}

/* by: the option or the variable that says so. */
static void set_startup_limit(struct options *options, const char *by, const char *text)
{
    char named[128];
    options->startup_limit = duration_of(text);
    snprintf(named, sizeof named, "%s %.60s", by, text);
    if (!(options->startup_limit >= 0 && options->startup_limit < LONGEST_TIME))
        fail(options, "%s: give a time, such as 90s, 10m or 1:30:00; 0 is any time", named);
}

static void set_rounds(struct options *options, const char *text)
{
    char *end;
    long rounds = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS || (*end != '\0' && *end != ',')) {
        fail(options,
             "--rounds %s: give how many rounds, perhaps with the time that they are spread "
             "over: 10 or 10,5m",
             text);
        return;
    }
    options->rounds = (int)rounds;
    options->rounds_spread = *end == ',' ? duration_of(end + 1) : -1;
    if (isnan(options->rounds_spread) || options->rounds_spread >= LONGEST_TIME)
        fail(options, "--rounds %s: behind the comma give a time, such as 90s, 5m or 1:30:00",
             text);
}

static void set_seed(struct options *options, const char *text)
{
    char *end;
    options->seed = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (options->seed == 0 || *end != '\0')
        fail(options, "--seed %s: give a whole number above 0", text);
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
        options->outputs[options->output_count++] = value;
        break;
    case 'f':
        options->format = output_format_find(value);
        if (options->format < 0)
            fail(options, "--format %s: give sko, csv or json", value);
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
    case LONG_MAN:
        options->information = INFORM_MAN;
        break;
    case LONG_COMPLETION:
        options->information = INFORM_COMPLETION;
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
    case LONG_VERIFY:
        options->verify = verify_find(value);
        if (options->verify < 0)
            fail(options, "--verify %s: give last or every", value);
        break;
    case LONG_CLOCK_SYNC:
        options->clock_sync = clock_sync_find(value);
        if (options->clock_sync < 0)
            fail(options, "--clock-sync %s: give default, none, linear, ring, tree or hca", value);
        break;
    case LONG_ESTIMATE:
        options->estimate = true;
        break;
    case LONG_ROUNDS:
        set_rounds(options, value);
        break;
    case LONG_SEED:
        set_seed(options, value);
        break;
    case LONG_TIME_LIMIT:
        set_time_limit(options, value);
        break;
    case LONG_STARTUP_LIMIT:
        set_startup_limit(options, "--startup-limit", value);
        break;
    case LONG_RAW:
        options->raw = true;
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
    FILE *stream = memory_stream(&text, &size);
    for (int i = 0; i < argc; i++)
        fprintf(stream, "%s%s", i ? " " : "", argv[i]);
    if (fclose(stream) != 0)
        memory_missing();
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' '; /* the header's lines must stay comments */
    return text;
}

static bool is_known(int key)
{
    for (size_t i = 0; i < ROWS; i++)
        if (option_rows[i].key == key)
            return true;
    return false;
}

static void fail_unknown(struct options *options, const char *option)
{
    const char *names[ROWS], *closest, *begin = option + strspn(option, "-");
    char name[64];
    for (size_t i = 0; i < ROWS; i++)
        names[i] = option_rows[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "="), begin);
    closest = diag_closest(name, names, ROWS);
    fail(options, "unknown or ambiguous option %s%s%s%s -h lists them", option,
         closest ? ": did you mean --" : ";", closest ? closest : "", closest ? "?" : "");
}

/* Names without a suffix are .sko; another suffix is a mistake, or its format is to be given. */
static void check_suffixes(struct options *options)
{
    for (size_t i = 0; i < options->output_count && options->format < 0; i++) {
        const char *path = options->outputs[i], *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
        if (dot && dot != name && dot[1] != '\0' && output_format_of(path) < 0)
            fail(options,
                 "-o %s: no format has that suffix: name it .sko, .csv or .json, or give the "
                 "format by -f sko, csv or json",
                 path);
    }
}

void options_parse(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->clock_sync = -1;
    options->verify = -1;
    options->rounds_spread = -1;
    options->format = -1;
    options->startup_limit = STARTUP_LIMIT;
    const char *startup = getenv(STARTUP_VARIABLE);
    if (startup)
        set_startup_limit(options, STARTUP_VARIABLE, startup);
    options->overrides = memory_zeroed((size_t)argc + 1, sizeof *options->overrides);
    options->command_line = join(argc, argv);
    options->outputs = memory_zeroed((size_t)argc + 1, sizeof *options->outputs);
    struct option table[ROWS + 1] = {{0}};
    char letters[2 * ROWS + 2] = ":";
    for (size_t i = 0; i < ROWS; i++) {
        table[i] =
            (struct option){option_rows[i].name, option_rows[i].argument, NULL, option_rows[i].key};
        if (option_rows[i].key < 256) {
            size_t end = strlen(letters);
            letters[end] = (char)option_rows[i].key;
            letters[end + 1] = option_rows[i].argument == no_argument ? '\0' : ':';
            letters[end + (option_rows[i].argument == no_argument ? 1 : 2)] = '\0';
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
            fail_unknown(options, optopt && optopt < 256 ? text : argv[optind - 1]);
        else
            take(options, key, optarg);
    }
    /* --list PATTERN and --list=PATTERN are both what users type. */
    if (options->information == INFORM_LIST && !options->name && optind < argc)
        options->name = argv[optind++];
    if (optind < argc)
        fail(options, "argument %s is not understood; the script is given by -i FILE",
             argv[optind]);
    check_suffixes(options);
    if (!options->input && options->information == INFORM_NOTHING)
        fail(options, "no script: give one by %s FILE; skampi -h tells more", "-i");
}

void options_release(struct options *options)
{
    free(options->overrides);
    free(options->outputs);
    free(options->command_line);
    free(options->error);
}

void options_print_error(const struct options *options)
{
    fprintf(stderr, "skampi: error: %s\n", options->error);
}

const char *options_inputs_directory(void)
{
    return SKAMPI_INPUTS_DIR;
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
