/*
 * How to record: options of the command, each with a variable of the environment by which the
 * command tells the library. One table for both. Pure.
 */
#ifndef SKAMPI_TRACE_SETTINGS_H
#define SKAMPI_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

#define SETTINGS_FOLDER "shmemtrace.out"
#define SETTINGS_FOLDER_OPTION "-o"
#define SETTINGS_RING (UINT64_C(16) << 20)
#define SETTINGS_LIMIT (UINT64_C(1) << 30)
#define SETTINGS_RING_LEAST (UINT64_C(256) << 10)
#define SETTINGS_PHASES 16
#define SETTINGS_COUNTERS 8

struct phase_range {
    uint32_t first, last;
};

struct settings {
    const char *folder;
    uint64_t ring;              /* bytes a thread; 0: write as it comes */
    uint64_t limit;             /* bytes a PE; 0: none */
    const char *only, *exclude; /* lists of classes and names; NULL: none */
    bool queries, results, summary, clock_gettime;
    const char *counters; /* names of PAPI's events, separated by commas; NULL: none */
    struct phase_range phases[SETTINGS_PHASES];
    size_t phase_count; /* 0: all */
};

enum setting_argument { SETTING_NONE, SETTING_OPTIONAL, SETTING_NEEDED };

struct setting_row {
    const char *option;   /* --ring */
    const char *variable; /* SHMEMTRACE_RING */
    enum setting_argument argument;
    const char *placeholder; /* SIZE */
    const char *help;
};
extern const struct setting_row setting_rows[];
extern const size_t setting_row_count;

void settings_default(struct settings *);

/* Sets what row i is about; the text must live as long as the settings. Where the argument is
 * optional, "1" stands for none; for those without, "0" is off and "1" on. NULL, or what is wrong
 * with the text: completes "VARIABLE=TEXT: " or "--option TEXT: ". */
const char *settings_set(struct settings *, size_t row, const char *text);

/* All variables of the environment. False: the text to be shown (one line, without name of the
 * program) is in problem. */
bool settings_from_environment(struct settings *, char *problem, size_t problem_size);

/* Whether a list (--only, --exclude) names the routine: its class, its name, or a beginning of that
 * with a * behind; names without shmem_ will do. */
bool settings_names(const char *list, const struct trace_routine *);

/* The first word of a list that is neither a class nor names one of the routines, copied into word;
 * false: there is none. */
bool settings_unknown_name(const char *list, const struct trace_routine *routines, size_t count,
                           char *word, size_t word_size);

/* Whether events of the phase are recorded. */
bool settings_wants_phase(const struct settings *, uint32_t phase);

/* "put", "get", ...: lower-case names of the classes, by enum trace_class. */
extern const char *const trace_class_names[TRACE_CLASSES];

#endif
