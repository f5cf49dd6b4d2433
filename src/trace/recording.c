/* Takes the options of recording from texts, by their table. */
#include "trace/recording.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum row {
    ROW_FOLDER,
    ROW_RING,
    ROW_ONLY,
    ROW_EXCLUDE,
    ROW_QUERIES,
    ROW_RESULTS,
    ROW_VALUES,
    ROW_CALLSITES,
    ROW_COUNTERS,
    ROW_PHASES,
    ROW_LIMIT,
    ROW_SUMMARY,
    ROW_RECORDER,
    ROWS
};

const struct recording_row recording_rows[ROWS] = {
    [ROW_FOLDER] = {RECORDING_FOLDER_OPTION, "SHMEMTRACE_OUTPUT", ARGUMENT_NEEDED, "DIR",
                    "folder of the trace (" RECORDING_FOLDER ")"},
    [ROW_RING] = {"--ring", "SHMEMTRACE_RING", ARGUMENT_OPTIONAL, "SIZE",
                  "keep only the last SIZE (16M) of each thread, in memory; write it at the end"},
    [ROW_ONLY] = {"--only", "SHMEMTRACE_ONLY", ARGUMENT_NEEDED, "LIST",
                  "record only these classes and routines: put,shmem_int_get,barrier*"},
    [ROW_EXCLUDE] = {"--exclude", "SHMEMTRACE_EXCLUDE", ARGUMENT_NEEDED, "LIST",
                     "do not record these"},
    [ROW_QUERIES] = {"--queries", "SHMEMTRACE_QUERIES", ARGUMENT_NONE, NULL,
                     "also record queries, such as shmem_my_pe"},
    [ROW_RESULTS] = {"--results", "SHMEMTRACE_RESULTS", ARGUMENT_NONE, NULL,
                     "keep the results of fetching atomics"},
    [ROW_VALUES] = {"--values", "SHMEMTRACE_VALUES", ARGUMENT_NONE, NULL,
                    "keep what puts of at most 8 bytes write: shmemsim matches waits by it"},
    [ROW_CALLSITES] = {"--callsites", "SHMEMTRACE_CALLSITES", ARGUMENT_NEEDED, "N",
                       "keep where each call comes from: N (1) calls deep, at most 16; 0: not"},
    [ROW_COUNTERS] = {"--hw", "SHMEMTRACE_HW", ARGUMENT_NEEDED, "EVENTS",
                      "count these PAPI events in each phase: PAPI_TOT_INS,PAPI_L1_DCM"},
    [ROW_PHASES] = {"--phase", "SHMEMTRACE_PHASE", ARGUMENT_NEEDED, "LIST",
                    "record only in these phases of the application: 1,4-6"},
    [ROW_LIMIT] = {"--limit", "SHMEMTRACE_LIMIT", ARGUMENT_NEEDED, "SIZE",
                   "stop recording when a PE's file reaches SIZE (1G; none: never)"},
    [ROW_SUMMARY] = {"--summary", "SHMEMTRACE_SUMMARY", ARGUMENT_NONE, NULL,
                     "record sums by routine and peer instead of events"},
    [ROW_RECORDER] = {"--recorder", "SHMEMTRACE_RECORDER", ARGUMENT_NEEDED, "CLOCK",
                      "tsc (the processor's counter) or clock_gettime"},
};
const size_t recording_row_count = ROWS;

void recording_default(struct recording *recording)
{
    *recording =
        (struct recording){.folder = RECORDING_FOLDER, .limit = RECORDING_LIMIT, .callsites = 1};
}

/* Reads a number such as 1.5, with a point in any locale of the traced program. */
static double read_decimal(const char *text, const char **end)
{
    double value = 0, scale = 1;
    for (; isdigit((unsigned char)*text); text++)
        value = 10 * value + (*text - '0');
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++)
            value += (scale /= 10) * (*text - '0');
    *end = text;
    return value;
}

/* Bytes of "300", "64K", "1.5M", "2G"; false for anything else. */
static bool take_size(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    if (!isdigit((unsigned char)*text))
        return false;
    double size = read_decimal(text, &text);
    const char *suffix = *text ? strchr(suffixes, toupper((unsigned char)*text)) : NULL;
    if (suffix) {
        size *= (double)(UINT64_C(1) << 10 * (suffix - suffixes + 1));
        text++;
    }
    if (*text || size < 1 || size > (double)(UINT64_C(1) << 50))
        return false;
    *bytes = (uint64_t)size;
    return true;
}

static const char *set_phases(struct recording *recording, const char *list)
{
    recording->phase_count = 0;
    do {
        if (recording->phase_count == RECORDING_PHASES)
            return "too many ranges; give at most 16";
        if (!trace_list_range(&list, &recording->phases[recording->phase_count++]))
            return "give numbers of phases and ranges of them: 1,4-6";
    } while (*list);
    return NULL;
}

static const char *set_counters(struct recording *recording, const char *text)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    if (!trace_list_is_valid(text))
        return "give names of PAPI's events, separated by commas; papi_avail lists them";
    if (count > RECORDING_COUNTERS)
        return "give at most 8 events";
    recording->counters = text;
    return NULL;
}

static const char *set_ring(struct recording *recording, const char *text)
{
    recording->ring = strcmp(text, "0") == 0 ? 0 : RECORDING_RING;
    if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0 || !*text)
        return NULL;
    if (!take_size(text, &recording->ring))
        return "give a size such as 4M";
    return recording->ring < RECORDING_RING_LEAST ? "give at least 256K" : NULL;
}

static const char *set_limit(struct recording *recording, const char *text)
{
    if (strcmp(text, "none") == 0) {
        recording->limit = 0;
        return NULL;
    }
    return take_size(text, &recording->limit) ? NULL : "give a size such as 500M";
}

static const char *set_flag(bool *flag, const char *text)
{
    *flag = strcmp(text, "1") == 0;
    return *flag || strcmp(text, "0") == 0 ? NULL : "give 0 or 1";
}

static const char *set_callsites(struct recording *recording, const char *text)
{
    struct trace_range depth;
    const char *rest = text;
    if (!trace_list_range(&rest, &depth) || *rest || depth.first != depth.last ||
        depth.last > TRACE_DEPTH_MOST)
        return "give a number from 0 to 16";
    recording->callsites = depth.last;
    return NULL;
}

static const char *set_list(const char **list, const char *text)
{
    *list = text;
    return trace_list_is_valid(text) ? NULL
                                     : "give classes and names of routines, separated by commas";
}

const char *recording_set(struct recording *recording, size_t row, const char *text)
{
    switch ((enum row)row) {
    case ROW_FOLDER:
        recording->folder = text;
        return *text ? NULL : "give a folder";
    case ROW_RING:
        return set_ring(recording, text);
    case ROW_ONLY:
        return set_list(&recording->only, text);
    case ROW_EXCLUDE:
        return set_list(&recording->exclude, text);
    case ROW_QUERIES:
        return set_flag(&recording->queries, text);
    case ROW_RESULTS:
        return set_flag(&recording->results, text);
    case ROW_VALUES:
        return set_flag(&recording->values, text);
    case ROW_CALLSITES:
        return set_callsites(recording, text);
    case ROW_COUNTERS:
        return set_counters(recording, text);
    case ROW_PHASES:
        return set_phases(recording, text);
    case ROW_LIMIT:
        return set_limit(recording, text);
    case ROW_SUMMARY:
        return set_flag(&recording->summary, text);
    case ROW_RECORDER:
        recording->clock_gettime = strcmp(text, "clock_gettime") == 0;
        return recording->clock_gettime || strcmp(text, "tsc") == 0 ? NULL
                                                                    : "give tsc or clock_gettime";
    case ROWS:
        break;
    }
    return "there is no such option";
}

bool recording_from_environment(struct recording *recording, char *problem, size_t problem_size)
{
    recording_default(recording);
    for (size_t i = 0; i < ROWS; i++) {
        const char *text = getenv(recording_rows[i].variable);
        const char *wrong = text ? recording_set(recording, i, text) : NULL;
        if (wrong) {
            snprintf(problem, problem_size, "%s=%s: %s", recording_rows[i].variable, text, wrong);
            return false;
        }
    }
    return true;
}

bool recording_wants_phase(const struct recording *recording, uint32_t phase)
{
    return trace_ranges_hold(recording->phases, recording->phase_count, phase);
}
