/*
 * The command line. Every PE parses it before the library is started; nothing is printed
 * until it is known who prints.
 */
#ifndef SKAMPI_OPTIONS_H
#define SKAMPI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/manual.h"
#include "base/terminal.h"
#include "command/command.h"
#include "engine/start.h"

enum information {
    INFORM_NOTHING,
    INFORM_HELP,
    INFORM_VERSION,
    INFORM_LIST,
    INFORM_DESCRIBE,
    INFORM_TIMERS,
    INFORM_MAN,
    INFORM_COMPLETION,
    INFORM_SCRIPT, /* that the command line stands for; main.c prints it */
    INFORM_START   /* what to type, for whoever types nothing */
};

/* Every option, the index of its row in option_rows. */
enum option_key {
    OPTION_INPUT,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_FORMAT,
    OPTION_COLUMNS,
    OPTION_RAW,
    OPTION_CHECK,
    OPTION_SOURCE,
    OPTION_SET,
    OPTION_SIZES,
    OPTION_PES,
    OPTION_ITERATIONS,
    OPTION_PRECISION,
    OPTION_POINT_TIME,
    OPTION_QUICK,
    OPTION_PRINT_SCRIPT,
    OPTION_TIMER,
    OPTION_CLOCK_SYNC,
    OPTION_VERIFY,
    OPTION_UNIT,
    OPTION_FACTORS,
    OPTION_ROUNDS,
    OPTION_SEED,
    OPTION_KNOWN,
    OPTION_RESUME,
    OPTION_STATE,
    OPTION_STATE_WAIT,
    OPTION_TIME_LIMIT,
    OPTION_MEMORY,
    OPTION_EXPLAIN,
    OPTION_STARTUP_LIMIT,
    OPTION_THREADS,
    OPTION_ESTIMATE,
    OPTION_PROGRESS,
    OPTION_SUMMARY,
    OPTION_COLOR,
    OPTION_DEBUG,
    OPTION_LIST,
    OPTION_ALL,
    OPTION_PAIRS,
    OPTION_DESCRIBE,
    OPTION_TIMERS,
    OPTION_MAN,
    OPTION_COMPLETION,
    OPTION_HELP,
    OPTION_VERSION,
    OPTIONS
};

/* One table for parsing, --help, the manual page and completion. */
extern const struct manual_option option_rows[OPTIONS];

/* Values of an option that may be repeated. */
struct option_list {
    const char **of;
    size_t count;
};

struct options {
    struct engine_options engine; /* what the engine has to know of them; main adds the rest */
    const char *input;
    struct option_list outputs; /* of -o; none: standard output, as "-" */
    bool force;                 /* they replace any file */
    int format; /* enum output_format, of outputs whose name has no suffix; -1: not given */
    bool check_only, show_source, progress, threads;
    enum terminal_use summary, color;
    size_t *columns; /* of --columns, for output_show_columns() */
    size_t column_count;
    struct option_list known; /* files of --known: engine.known */
    const char *resume;       /* file of --resume; NULL: none */
    double startup_limit;     /* seconds that each step of the start and the end may take; 0: any */
    struct option_list overrides; /* NAME=EXPR of --set */
    enum information information;
    const char *name;          /* of --describe */
    struct option_list listed; /* words and patterns of --list */
    bool list_all;             /* unfolded */
    bool list_pairs;           /* only functions of pairs */
    bool quick;
    struct command_words command; /* what is measured where there is no input */
    char *error;                  /* what is wrong with the command line, or NULL */
    struct text again;            /* the command line without outputs, */
    struct text other_rounds;     /* and without rounds and the time limit */
    struct text deciding;         /* options that both runs of --resume must have */
};

void options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);
void options_print_error(const struct options *options);

/* Prints the requested information to standard output, without measuring; returns the exit
 * status. In inform.c. */
int options_inform(const struct options *options);

const char *options_inputs_directory(void);
const char *options_version(void);

/* Directories where a script named without a path is searched for after the current one: inputs/
 * beside the program, the installed inputs. At most two; returns how many. */
size_t options_search_path(const char **directories);

#endif
