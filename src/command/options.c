/* Parses the command line; one table of options serves parsing, help, manual page and completion.
 */
#include "command/options.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/manual.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/text.h"
#include "clock/timer.h"
#include "engine/factors.h"
#include "machine/machine.h"
#include "output/output.h"
#include "settings/table.h"
#include "ski/lexer.h"

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
#define STATE_WAIT 60
/* The precision (share of the median) and the time (seconds a point) of functions that are named on
 * the command line. */
#define PRECISION 0.02
#define POINT_TIME 1
#define SUMMARY_VARIABLE "SKAMPI_SUMMARY"

/* In the order of enum terminal_use. */
static const struct setting_word when_words[] = {
    {"auto", NULL}, {"always", NULL}, {"never", NULL}, {NULL, NULL}};

/* Names of measurement functions and timers, for completion. */
#define FUNCTION_NAMES                                                                             \
    "$(\"$1\" --list -f json 2>/dev/null | sed 's/^.\"name\": \"\\([A-Za-z_0-9]*\\)\".*/\\1/')"
#define TIMER_NAMES "$(\"$1\" --timers 2>/dev/null | awk '$2 ~ /^[0-9-]/ {print $1}')"

const struct manual_option option_rows[OPTIONS] = {
    [OPTION_INPUT] = {"input", 'i', "FILE",
                      .help = "the measurement script; - reads standard input"},
    [OPTION_OUTPUT] =
        {"output", 'o', "FILE",
         .help = "write results to FILE (.sko, .csv or .json); may be repeated; - is standard "
                 "output"},
    [OPTION_FORCE] = {"force",
                      .help = "let -o replace any file, also one that is not a result file"},
    [OPTION_FORMAT] = {"format", 'f', "FORMAT",
                       .help = "format of outputs whose name has no suffix: sko, csv, json, or "
                               "table (for people; of functions on a terminal)",
                       .words = "sko csv json table"},
    [OPTION_COLUMNS] = {"columns", 0, "NAMES",
                        .help = "show further numbers of each result in .sko, such as "
                                "median,p99,min,bandwidth,rate (.csv and .json have them all)"},
    [OPTION_RAW] = {"raw", .help = "also write every single repetition (.csv and .json)"},
    [OPTION_CHECK] = {"check", 'n', .help = "check the script and measure nothing"},
    [OPTION_SOURCE] = {"source", 's', .help = "copy the script into the output"},
    [OPTION_SET] = {"set", 0, "NAME=EXPR",
                    .help = "replace the value of a global variable of the script"},
    [OPTION_SIZES] = {"sizes", 0, "SIZES",
                      .help =
                          "sizes in bytes, for functions on the command line, such as 8, 8,64,1kb, "
                          "8:1mb (doubling) or 8:1mb:*4"},
    [OPTION_PES] = {"pes", 0, "NUMBERS",
                    .help = "numbers of PEs, for functions on the command line, such as 2,4,8 or "
                            "2:64; default: all"},
    [OPTION_ITERATIONS] = {"iterations", 0, "N",
                           .help = "operations timed together, for functions on the command line; "
                                   "0: as many as are needed"},
    [OPTION_PRECISION] = {"precision", 0, "SHARE",
                          .help = "measure functions on the command line until the 95 % interval "
                                  "of the median is within SHARE of it; default: 2%"},
    [OPTION_POINT_TIME] = {"point-time", 0, "TIME",
                           .help =
                               "but each point no longer than TIME, warm-up, references and checks "
                               "of the data included; default: 1s"},
    [OPTION_QUICK] = {"quick", .help = "measure functions on the command line as a script without "
                                       "set_precision() does: a few repetitions"},
    [OPTION_PRINT_SCRIPT] = {"print-script",
                             .help = "print the script that functions on the command line stand "
                                     "for, and measure nothing"},
    [OPTION_TIMER] = {"timer", 0, "NAME",
                      .help = "use this timer instead of the best one; --timers lists them",
                      .words = TIMER_NAMES},
    [OPTION_CLOCK_SYNC] =
        {"clock-sync", 0, "NAME",
         .help = "how clocks are synchronized: default, none, linear, ring, tree or hca",
         .words = "default none linear ring tree hca"},
    [OPTION_VERIFY] =
        {"verify", 0, "WHICH",
         .help = "verify the data of the last or of every repetition; overrides the script",
         .words = "last every"},
    [OPTION_UNIT] = {"unit", 0, "UNIT", .help = "ns, us, ms or s; overrides the script",
                     .words = "ns us ms s"},
    [OPTION_FACTORS] = {"factors", 0, "LIST",
                        .help = "find out what the times depend on: relative, source, target "
                                "(addresses), cycling, before, order (of PEs on processors), "
                                "placement, cache; without LIST: all",
                        .optional = true,
                        .words = "relative source target cycling before order placement cache"},
    [OPTION_ROUNDS] = {"rounds", 0, "N[,TIME]",
                       .help = "measure everything N times in shuffled order, spread over TIME"},
    [OPTION_SEED] = {"seed", 0, "NUMBER", .help = "seed of all random choices"},
    [OPTION_KNOWN] = {"known", 0, "FILE",
                      .help = "results of earlier runs on this machine (JSON): states get the same "
                              "numbers, and intervals cover their states; may be repeated"},
    [OPTION_RESUME] = {"resume", 0, "FILE",
                       .help = "go on where the run that wrote FILE (JSON) ended: its results are "
                               "copied to -o NEW.json, and only what is missing is measured"},
    [OPTION_STATE] =
        {"state", 0, "WHICH",
         .help = "measure only in this state of the machine: fastest, most (the one "
                 "that takes most of the time), a number of --known, or conditions such as "
                 "'hand-over<200ns,addition<300ps'",
         .words = "fastest most"},
    [OPTION_STATE_WAIT] = {"state-wait", 0, "TIME",
                           .help = "wait at most TIME for the state of --state, for each point; "
                                   "default: 1m"},
    [OPTION_TIME_LIMIT] =
        {"time-limit", 0, "TIME",
         .help =
             "end cleanly, with exit status 4, before TIME has passed (90, 30m, 1h30m, 1:30:00)"},
    [OPTION_MEMORY] = {"memory", 0, "LIMIT",
                       .help = "leave out points whose buffers take more than LIMIT (64mb, 2gb) "
                               "on a PE"},
    [OPTION_EXPLAIN] = {"explain",
                        .help =
                            "state in the header which devices UCX uses from PE 0 to other PEs, "
                            "at which sizes it changes its protocol, and the settings of MPI "
                            "and UCX that decide on protocols or differ from their default"},
    [OPTION_STARTUP_LIMIT] = {"startup-limit", 0, "TIME",
                              .help = "end the job if a step of its start or end, such as "
                                      "shmem_init, takes longer; default: " STARTUP_VARIABLE
                                      ", else 5m; 0: no limit"},
    [OPTION_THREADS] = {"threads",
                        .help =
                            "let several threads of a PE call the libraries, as functions named "
                            "_Threads need; others may take longer then"},
    [OPTION_ESTIMATE] = {"estimate",
                         .help = "count the measurements and estimate how long they take"},
    [OPTION_PROGRESS] =
        {"progress",
         .help = "show progress in one line, as on a terminal, instead of a new line every 10 s"},
    [OPTION_SUMMARY] = {"summary", 0, "WHEN",
                        .help = "end with some lines on standard error: what is doubtful or "
                                "missing, files, what to type next; auto, always or never; "
                                "default: " SUMMARY_VARIABLE ", else auto",
                        .words = "auto always never"},
    [OPTION_COLOR] = {"color", 0, "WHEN",
                      .help = "colours on standard error: auto, always or never; default: auto",
                      .words = "auto always never"},
    [OPTION_DEBUG] = {"debug", 'd', "BITS",
                      .help = "print debug messages; BITS is a sum of 8 (batches), 16 (cost of "
                              "verification), 64 (what all PEs do together), 128 (clocks), 256 "
                              "(each collective of PE 0)"},
    [OPTION_LIST] = {"list", 0, "PATTERN",
                     .help =
                         "list measurement functions by family; PATTERN is words, a family or a "
                         "routine such as MPI_Allreduce",
                     .optional = true, .words = FUNCTION_NAMES},
    [OPTION_ALL] = {"all", .help = "with --list: a line for each name, also where they differ only "
                                   "by type or operation"},
    [OPTION_PAIRS] = {"pairs", .help = "with --list: only functions in which pairs of PEs work at "
                                       "the same time, as many as their parameter pairs says"},
    [OPTION_DESCRIBE] = {"describe", 0, "NAME",
                         .help =
                             "describe a measurement function, given by its name or the routine it "
                             "measures",
                         .words = FUNCTION_NAMES},
    [OPTION_TIMERS] = {"timers", .help = "list the timers of this machine and their quality"},
    [OPTION_MAN] = {"man", .help = "print the manual page"},
    [OPTION_COMPLETION] = {"completion", .help = "print the completion for bash"},
    [OPTION_HELP] = {"help", 'h', .help = "print this text"},
    [OPTION_VERSION] = {"version", 'V', .help = "print the version"},
};

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

/* Stores the place of the value among the words, unless it is none of them. */
static void take_word(struct options *options, const char *said, const struct setting_word *words,
                      const char *value, int *place)
{
    int found = setting_word_find(words, value);
    if (found >= 0) {
        *place = found;
        return;
    }
    char *list = setting_word_list(words, "", "or");
    fail(options, "%s %s: give %s", said, value, list);
    free(list);
}

static void fail_timer(struct options *options, const char *name)
{
    const char *names[64], *closest;
    size_t count = 0;
    for (; count < timer_count() && count < sizeof names / sizeof *names; count++)
        names[count] = timer_at(count)->name;
    closest = closest_name(name, names, count);
    fail(options, "--timer %s: unknown timer%s%s%s --timers lists them", name,
         closest ? ": did you mean " : ";", closest ? closest : "", closest ? "?" : "");
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

static void set_precision(struct options *options, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (*end == '%' && end[1] == '\0')
        value /= 100;
    else if (*end != '\0')
        value = NAN;
    if (end == text || !(value > 0 && value < 1))
        fail(options, "--precision %s: give a share above 0 and below 100%%, such as 2%% or 0.02",
             text);
    options->command.precision = value;
}

static void set_memory(struct options *options, const char *text)
{
    if (!lexer_integer(text, &options->engine.memory) || options->engine.memory == 0)
        fail(options, "--memory %s: give a number of bytes above 0, such as 64mb or 2gb", text);
}

static void set_rounds(struct options *options, const char *text)
{
    char *end;
    long rounds = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS || (*end != '\0' && *end != ',')) {
        fail(options,
             "--rounds %s: give the number of rounds, optionally with the time to spread them "
             "over, such as 10 or 10,5m",
             text);
        return;
    }
    options->engine.rounds = (int)rounds;
    options->engine.rounds_spread = *end == ',' ? duration_of(end + 1) : -1;
    if (isnan(options->engine.rounds_spread) || options->engine.rounds_spread >= LONGEST_TIME)
        fail(options, "--rounds %s: after the comma, give a time, such as 90s, 5m or 1:30:00",
             text);
}

static void set_factors(struct options *options, const char *list)
{
    char *error;
    options->engine.factors = factors_parse(list, &error);
    options->engine.factors_listed = list;
    if (error)
        fail(options, "--factors %s: %s", list, error);
    free(error);
}

static void fail_column(struct options *options, const char *name)
{
    const char *names[128], *next;
    size_t count = 0;
    struct text all = {0};
    for (size_t i = 0; (next = column_name(i)); i++)
        if (column_find(next) >= 0) {
            names[count++] = next;
            text_append(&all, "%s%s", count > 1 ? ", " : "", next);
        }
    const char *closest = closest_name(name, names, count);
    fail(options, "--columns %s: there is no such number%s%s; there are %s", name,
         closest ? "; did you mean " : "", closest ? closest : "", all.data);
    text_release(&all);
}

static void set_columns(struct options *options, const char *text)
{
    options->column_count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        char *name = memory_text_part(text, length);
        int found = column_find(name);
        if (found < 0)
            fail_column(options, name);
        options->columns =
            memory_resize(options->columns, (options->column_count + 1) * sizeof *options->columns);
        options->columns[options->column_count++] = found < 0 ? 0 : (size_t)found;
        free(name);
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

static void set_seed(struct options *options, const char *text)
{
    char *end;
    options->engine.seed = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (options->engine.seed == 0 || *end != '\0')
        fail(options, "--seed %s: give a whole number above 0", text);
}

static void set_debug(struct options *options, const char *text)
{
    char *end;
    long bits = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || bits < 0 || bits > INT_MAX)
        fail(options, "-d %s: give a sum of the bits that -h names", text);
    options->engine.debug = (int)bits;
}

static void set_input(struct options *options, const char *path)
{
    if (options->input)
        fail(options,
             "-i %s: there is a script already, %s: run one after the other, or "
             "@include both in a third",
             path, options->input);
    options->input = path;
}

static void set_format(struct options *options, const char *name)
{
    options->format = output_format_find(name);
    if (options->format < 0)
        fail(options, "--format %s: give sko, csv, json or table", name);
}

static void set_unit(struct options *options, const char *name)
{
    options->engine.unit = numbers_unit(name);
    if (options->engine.unit == 0)
        fail(options, "--unit %s: give ns, us, ms or s", name);
}

/* Whether it is usable here is known only after the library has started. */
static void set_timer(struct options *options, const char *name)
{
    if (!timer_find(name))
        fail_timer(options, name);
    options->engine.timer = name;
}

static void add(struct option_list *list, const char *value)
{
    list->of = memory_resize(list->of, (list->count + 1) * sizeof *list->of);
    list->of[list->count++] = value;
}

static void add_override(struct options *options, const char *text)
{
    add(&options->overrides, text);
    if (!strchr(text, '='))
        fail(options, "--set %s: give NAME=EXPR", text);
}

static void set_list(struct options *options, const char *word)
{
    options->information = INFORM_LIST;
    if (word)
        add(&options->listed, word);
}

static void set_described(struct options *options, const char *name)
{
    options->information = INFORM_DESCRIBE;
    options->name = name;
}

/* How an option is taken: into a member of struct options, or by a function. */
struct taking {
    enum { TAKE_FLAG, TAKE_TEXT, TAKE_LIST, TAKE_WORD, TAKE_TIME, TAKE_INFORMATION, TAKE_BY } how;
    size_t place;                     /* of the member; of TAKE_INFORMATION: which one */
    const char *instead;              /* TAKE_TIME: what to give in place of a wrong one */
    bool above_0;                     /* TAKE_TIME: no time is wrong, too */
    const struct setting_word *words; /* TAKE_WORD: in the order of the enum */
    void (*by)(struct options *, const char *value);
    bool decides; /* times with this option are not to be mixed with times without it, under one
                     header */
};

#define PLACE(member) offsetof(struct options, member)

static const struct taking takings[OPTIONS] = {
    [OPTION_INPUT] = {TAKE_BY, .by = set_input},
    [OPTION_OUTPUT] = {TAKE_LIST, .place = PLACE(outputs)},
    [OPTION_FORCE] = {TAKE_FLAG, .place = PLACE(force)},
    [OPTION_FORMAT] = {TAKE_BY, .by = set_format},
    [OPTION_COLUMNS] = {TAKE_BY, .by = set_columns},
    [OPTION_RAW] = {TAKE_FLAG, .place = PLACE(engine.raw), .decides = true},
    [OPTION_CHECK] = {TAKE_FLAG, .place = PLACE(check_only)},
    [OPTION_SOURCE] = {TAKE_FLAG, .place = PLACE(show_source)},
    [OPTION_SET] = {TAKE_BY, .by = add_override, .decides = true},
    [OPTION_SIZES] = {TAKE_TEXT, .place = PLACE(command.sizes)},
    [OPTION_PES] = {TAKE_TEXT, .place = PLACE(command.pes)},
    [OPTION_ITERATIONS] = {TAKE_TEXT, .place = PLACE(command.iterations)},
    [OPTION_PRECISION] = {TAKE_BY, .by = set_precision},
    [OPTION_POINT_TIME] = {TAKE_TIME, .place = PLACE(command.point_time),
                           .instead = " above 0, such as 0.5s, 10 or 1m", .above_0 = true},
    [OPTION_QUICK] = {TAKE_FLAG, .place = PLACE(quick)},
    [OPTION_PRINT_SCRIPT] = {TAKE_INFORMATION, .place = INFORM_SCRIPT},
    [OPTION_TIMER] = {TAKE_BY, .by = set_timer, .decides = true},
    [OPTION_CLOCK_SYNC] = {TAKE_WORD, .place = PLACE(engine.clock_sync),
                           .words = setting_clock_sync_words, .decides = true},
    [OPTION_VERIFY] = {TAKE_WORD, .place = PLACE(engine.verify), .words = setting_verify_words,
                       .decides = true},
    [OPTION_UNIT] = {TAKE_BY, .by = set_unit, .decides = true},
    [OPTION_FACTORS] = {TAKE_BY, .by = set_factors},
    [OPTION_ROUNDS] = {TAKE_BY, .by = set_rounds},
    [OPTION_SEED] = {TAKE_BY, .by = set_seed},
    [OPTION_KNOWN] = {TAKE_LIST, .place = PLACE(known)},
    [OPTION_RESUME] = {TAKE_TEXT, .place = PLACE(resume)},
    [OPTION_STATE] = {TAKE_TEXT, .place = PLACE(engine.state), .decides = true},
    [OPTION_STATE_WAIT] = {TAKE_TIME, .place = PLACE(engine.state_wait),
                           .instead = ", such as 90s, 5m or 1:30:00; 0 waits for none"},
    [OPTION_TIME_LIMIT] = {TAKE_TIME, .place = PLACE(engine.time_limit),
                           .instead = " above 0, such as 90s, 30m, 1h30m or 1:30:00",
                           .above_0 = true},
    [OPTION_MEMORY] = {TAKE_BY, .by = set_memory, .decides = true},
    [OPTION_EXPLAIN] = {TAKE_FLAG, .place = PLACE(engine.explain)},
    [OPTION_STARTUP_LIMIT] = {TAKE_TIME, .place = PLACE(startup_limit),
                              .instead = ", such as 90s, 10m or 1:30:00; 0 is any time"},
    [OPTION_THREADS] = {TAKE_FLAG, .place = PLACE(threads), .decides = true},
    [OPTION_ESTIMATE] = {TAKE_FLAG, .place = PLACE(engine.estimate)},
    [OPTION_PROGRESS] = {TAKE_FLAG, .place = PLACE(progress)},
    [OPTION_SUMMARY] = {TAKE_WORD, .place = PLACE(summary), .words = when_words},
    [OPTION_COLOR] = {TAKE_WORD, .place = PLACE(color), .words = when_words},
    [OPTION_DEBUG] = {TAKE_BY, .by = set_debug},
    [OPTION_LIST] = {TAKE_BY, .by = set_list},
    [OPTION_ALL] = {TAKE_FLAG, .place = PLACE(list_all)},
    [OPTION_PAIRS] = {TAKE_FLAG, .place = PLACE(list_pairs)},
    [OPTION_DESCRIBE] = {TAKE_BY, .by = set_described},
    [OPTION_TIMERS] = {TAKE_INFORMATION, .place = INFORM_TIMERS},
    [OPTION_MAN] = {TAKE_INFORMATION, .place = INFORM_MAN},
    [OPTION_COMPLETION] = {TAKE_INFORMATION, .place = INFORM_COMPLETION},
    [OPTION_HELP] = {TAKE_INFORMATION, .place = INFORM_HELP},
    [OPTION_VERSION] = {TAKE_INFORMATION, .place = INFORM_VERSION},
};

/* said: the option, or the environment variable, that has the value. */
static void take(struct options *options, enum option_key key, const char *said, const char *value)
{
    const struct taking *taking = &takings[key];
    void *member = (char *)options + taking->place;
    double seconds;
    switch (taking->how) {
    case TAKE_FLAG:
        *(bool *)member = true;
        break;
    case TAKE_TEXT:
        *(const char **)member = value;
        break;
    case TAKE_LIST:
        add(member, value);
        break;
    case TAKE_WORD:
        take_word(options, said, taking->words, value, member);
        break;
    case TAKE_TIME:
        seconds = duration_of(value);
        if (!(seconds >= 0 && seconds < LONGEST_TIME) || (taking->above_0 && seconds == 0))
            fail(options, "%s %s: give a time%s", said, value, taking->instead);
        *(double *)member = seconds;
        break;
    case TAKE_INFORMATION:
        options->information = (enum information)taking->place;
        break;
    case TAKE_BY:
        taking->by(options, value);
        break;
    }
}

/* As a shell reads it, so that it can be copied from the output. */
static char *join(int argc, char **argv)
{
    struct text text = {0};
    for (int i = 0; i < argc; i++) {
        text_append(&text, "%s", i ? " " : "");
        text_append_word(&text, argv[i]);
    }
    char *joined = text_take(&text);
    for (char *c = joined; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' '; /* the header's lines must stay comments */
    return joined;
}

/* Appends the option to what starts the run again, unless it would be another one's. */
static void repeat(struct options *options, enum option_key key, const char *value)
{
    const struct manual_option *row = &option_rows[key];
    struct text word = {0};

    if (key == OPTION_OUTPUT || key == OPTION_RESUME)
        return;
    if (row->letter)
        text_append(&word, " -%c", row->letter);
    else
        text_append(&word, " --%s", row->name);
    text_append(&word, "%s", !value ? "" : row->optional ? "=" : " ");
    if (value)
        text_append_word(&word, value);
    text_append_bytes(&options->again, word.data, word.length);
    if (takings[key].decides)
        text_append_bytes(&options->deciding, word.data, word.length);
    if (key != OPTION_ROUNDS && key != OPTION_TIME_LIMIT && key != OPTION_FACTORS)
        text_append_bytes(&options->other_rounds, word.data, word.length);
    text_release(&word);
}

/* Puts the program and the words before the options; each begins with a blank. */
static void begin_repeat(struct options *options, const char *program, char **words, int count)
{
    struct text *texts[] = {&options->again, &options->other_rounds};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *behind = text_take(texts[i]);
        for (int k = -1; k < count; k++) {
            text_append(texts[i], " ");
            text_append_word(texts[i], k < 0 ? program : words[k]);
        }
        text_append(texts[i], "%s", behind);
        free(behind);
    }
}

static void take_row(void *context, size_t row, const char *value)
{
    char *said = text_format("--%s", option_rows[row].name);
    take(context, (enum option_key)row, said, value);
    repeat(context, (enum option_key)row, value);
    free(said);
}

/* A name without a suffix is .sko; an unknown suffix needs a format. */
static void check_suffixes(struct options *options)
{
    for (size_t i = 0; i < options->outputs.count && options->format < 0; i++) {
        const char *path = options->outputs.of[i], *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
        if (dot && dot != name && dot[1] != '\0' && output_format_of(path) < 0)
            fail(options,
                 "-o %s: unknown suffix: use .sko, .csv or .json, or choose the format with -f",
                 path);
    }
}

static void check_state(struct options *options, bool waits)
{
    bool numbered;
    char *wrong = machine_state_wrong(options->engine.state, &numbered);
    if (wrong)
        fail(options, "--state %s: %s", options->engine.state, wrong);
    else if (numbered && options->known.count == 0)
        fail(options,
             "--state %s: numbers are those of earlier runs: name their results with --known FILE",
             options->engine.state);
    else if (waits && !options->engine.state)
        fail(options, "--state-wait: say with --state which state to wait for");
    free(wrong);
}

/* Records of the earlier run are copied as they are, so that everything must be JSON. */
static void check_resume(struct options *options)
{
    bool json = options->outputs.count > 0;
    for (size_t i = 0; i < options->outputs.count; i++) {
        int format = strcmp(options->outputs.of[i], "-") == 0
                         ? -1
                         : output_format_of(options->outputs.of[i]);
        json = json && (format < 0 ? options->format : format) == OUTPUT_JSON;
    }
    const char *other = options->engine.rounds > 1 ? "--rounds"
                        : options->engine.factors  ? "--factors"
                        : options->engine.estimate ? "--estimate"
                                                   : NULL;
    if (!json)
        fail(options,
             "--resume %s: the results go to JSON alone: add -o NEW.json; skampi convert "
             "makes other formats of it",
             options->resume);
    if (other)
        fail(options,
             "--resume beside %s: leave one of them out; only points that are measured "
             "once can be taken from a file; skampi campaign goes on with launches",
             other);
}

/* What is left on the command line are words of --list, or functions to measure. */
static void take_words(struct options *options, char **words, size_t count)
{
    bool measures = options->information == INFORM_NOTHING || options->information == INFORM_SCRIPT;
    if (options->information == INFORM_LIST)
        while (count-- > 0)
            add(&options->listed, *words++);
    else if (!measures && count > 0)
        fail(options, "unexpected argument %s", *words);
    else
        options->command.words = (const char *const *)words, options->command.count = count;
}

/* An option for functions on the command line, if there is one; NULL: there is none. */
static const char *command_option(const struct options *options)
{
    return options->command.sizes                  ? "--sizes"
           : options->command.pes                  ? "--pes"
           : options->command.iterations           ? "--iterations"
           : options->information == INFORM_SCRIPT ? "--print-script"
                                                   : NULL;
}

static void check_factors(struct options *options)
{
    const char *other = options->engine.estimate     ? "--estimate"
                        : options->engine.rounds > 0 ? "--rounds"
                        : options->engine.state      ? "--state"
                                                     : NULL;
    if (options->engine.factors && other)
        fail(options,
             "--factors beside %s: leave one of them out; --factors measures in blocks of "
             "its own, in whatever state the machine is",
             other);
}

static void check_command(struct options *options)
{
    const char *option = command_option(options);
    bool measures = !options->information || options->information == INFORM_SCRIPT;
    if (options->list_all && options->information != INFORM_LIST)
        fail(options, "--all: it is for --list");
    if (options->list_pairs && options->information != INFORM_LIST)
        fail(options, "--pairs: it is for --list");
    const char *aim = options->command.precision > 0    ? "--precision"
                      : options->command.point_time > 0 ? "--point-time"
                                                        : NULL;
    if (options->quick && aim)
        fail(options, "--quick beside %s: leave one of them out", aim);
    if (options->quick)
        aim = "--quick";
    if (options->input && aim)
        fail(options,
             "%s is for functions on the command line, not for -i %s; a script calls "
             "set_precision()",
             aim, options->input);
    if (options->input && options->command.count > 0)
        fail(options,
             "unexpected argument %s beside -i %s: leave out -i, or write it into the script",
             options->command.words[0], options->input);
    else if (options->input && option)
        fail(options,
             "%s is for functions on the command line, not for -i %s; --set changes what a script "
             "measures",
             option, options->input);
    else if (!options->input && options->command.count == 0 && measures)
        fail(options, "nothing to measure: name a function, such as Shmem_Put_Round, or a script "
                      "with -i FILE; skampi -h lists all options");
}

void options_parse(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->engine.clock_sync = -1;
    options->engine.verify = -1;
    options->engine.rounds_spread = -1;
    options->format = -1;
    options->engine.state_wait = -1;
    options->startup_limit = STARTUP_LIMIT;
    const char *startup = getenv(STARTUP_VARIABLE);
    if (startup)
        take(options, OPTION_STARTUP_LIMIT, STARTUP_VARIABLE, startup);
    const char *summary = getenv(SUMMARY_VARIABLE);
    if (summary && *summary)
        take(options, OPTION_SUMMARY, SUMMARY_VARIABLE, summary);
    options->engine.command_line = join(argc, argv);
    char *error;
    int first = manual_parse_command_line(option_rows, OPTIONS, "skampi -h", argc, argv, take_row,
                                          options, &error);
    if (error)
        fail(options, "%s", error);
    free(error);
    if (argc <= 1)
        options->information = INFORM_START;
    begin_repeat(options, argc > 0 ? argv[0] : "", argv + first, argc - first);
    take_words(options, argv + first, (size_t)(argc - first));
    check_suffixes(options);
    check_state(options, options->engine.state_wait >= 0);
    if (options->resume)
        check_resume(options);
    if (options->engine.state_wait < 0)
        options->engine.state_wait = STATE_WAIT;
    check_factors(options);
    check_command(options);
    options->engine.known = options->known.of;
    options->engine.known_count = options->known.count;
    if (options->command.precision == 0 && !options->quick)
        options->command.precision = PRECISION;
    if (options->command.point_time == 0)
        options->command.point_time = POINT_TIME;
}

void options_release(struct options *options)
{
    free(options->overrides.of);
    free(options->outputs.of);
    free(options->known.of);
    free(options->columns);
    free(options->listed.of);
    free((char *)options->engine.command_line);
    free(options->error);
    text_release(&options->again);
    text_release(&options->deciding);
    text_release(&options->other_rounds);
}

void options_print_error(const struct options *options)
{
    char *text = text_format("skampi: error: %s", options->error);
    terminal_say(text);
    free(text);
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
    size_t count = 0;
    if (beside_find(beside, "inputs"))
        directories[count++] = beside;
    directories[count++] = SKAMPI_INPUTS_DIR;
    return count;
}
