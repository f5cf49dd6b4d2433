/* Takes the options of recording from texts, by their table. */
#include "trace/recording.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *set_phases(void *list_of_ranges, const char *list)
{
    struct phase_list *phases = list_of_ranges;
    phases->count = 0;
    do {
        if (phases->count == RECORDING_PHASES)
            return "too many ranges; give at most 16";
        if (!trace_list_range(&list, &phases->of[phases->count++]))
            return "give numbers of phases and ranges of them: 1,4-6";
    } while (*list);
    return NULL;
}

static const char *set_counters(void *names, const char *text)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    if (!trace_list_is_valid(text))
        return "give names of PAPI's events, separated by commas; papi_avail lists them";
    if (count > RECORDING_COUNTERS)
        return "give at most 8 events";
    *(const char **)names = text;
    return NULL;
}

static const char *set_ring(void *bytes, const char *text)
{
    uint64_t *ring = bytes;
    *ring = strcmp(text, "0") == 0 ? 0 : RECORDING_RING;
    if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0 || !*text)
        return NULL;
    if (!take_size(text, ring))
        return "give a size such as 4M";
    return *ring < RECORDING_RING_LEAST ? "give at least 256K" : NULL;
}

static const char *set_limit(void *bytes, const char *text)
{
    if (strcmp(text, "none") != 0)
        return take_size(text, bytes) ? NULL : "give a size such as 500M";
    *(uint64_t *)bytes = 0;
    return NULL;
}

static const char *set_flag(void *flag, const char *text)
{
    *(bool *)flag = strcmp(text, "1") == 0;
    return *(bool *)flag || strcmp(text, "0") == 0 ? NULL : "give 0 or 1";
}

static const char *set_callsites(void *calls, const char *text)
{
    struct trace_range depth;
    const char *rest = text;
    if (!trace_list_range(&rest, &depth) || *rest || depth.first != depth.last ||
        depth.last > TRACE_DEPTH_MOST)
        return "give a number from 0 to 16";
    *(unsigned *)calls = depth.last;
    return NULL;
}

static const char *set_list(void *list, const char *text)
{
    *(const char **)list = text;
    return trace_list_is_valid(text) ? NULL
                                     : "give classes and names of routines, separated by commas";
}

static const char *set_folder(void *folder, const char *text)
{
    *(const char **)folder = text;
    return *text ? NULL : "give a folder";
}

static const char *set_recorder(void *slow, const char *text)
{
    *(bool *)slow = strcmp(text, "clock_gettime") == 0;
    return *(bool *)slow || strcmp(text, "tsc") == 0 ? NULL : "give tsc or clock_gettime";
}

/* ---- The options ---- */

#define ROW(name_, value_, optional_, variable_, set_, member, help_)                              \
    {                                                                                              \
        {.name = name_,                                                                            \
         .value = value_,                                                                          \
         .optional = optional_,                                                                    \
         .help = help_,                                                                            \
         .note = "(" variable_ ")"},                                                               \
            variable_, set_, offsetof(struct recording, member)                                    \
    }

const struct recording_row recording_rows[] = {
    ROW(RECORDING_FOLDER_OPTION, "DIR", false, "SHMEMTRACE_OUTPUT", set_folder, folder,
        "folder of the trace (" RECORDING_FOLDER ")"),
    ROW("--ring", "SIZE", true, "SHMEMTRACE_RING", set_ring, ring,
        "keep only the last SIZE (16M) of each thread, in memory; write it at the end"),
    ROW("--only", "LIST", false, "SHMEMTRACE_ONLY", set_list, only,
        "record only these classes and routines: put,shmem_int_get,barrier*"),
    ROW("--exclude", "LIST", false, "SHMEMTRACE_EXCLUDE", set_list, exclude, "do not record these"),
    ROW("--queries", NULL, false, "SHMEMTRACE_QUERIES", set_flag, queries,
        "also record queries, such as shmem_my_pe"),
    ROW("--results", NULL, false, "SHMEMTRACE_RESULTS", set_flag, results,
        "keep the results of fetching atomics"),
    ROW("--values", NULL, false, "SHMEMTRACE_VALUES", set_flag, values,
        "keep what puts of at most 8 bytes write: shmemsim matches waits by it"),
    ROW("--callsites", "N", false, "SHMEMTRACE_CALLSITES", set_callsites, callsites,
        "keep where each call comes from: N (1) calls deep, at most 16; 0: not"),
    ROW("--hw", "EVENTS", false, "SHMEMTRACE_HW", set_counters, counters,
        "count these PAPI events in each phase: PAPI_TOT_INS,PAPI_L1_DCM"),
    ROW("--phase", "LIST", false, "SHMEMTRACE_PHASE", set_phases, phases,
        "record only in these phases of the application: 1,4-6"),
    ROW("--limit", "SIZE", false, "SHMEMTRACE_LIMIT", set_limit, limit,
        "stop recording when a PE's file reaches SIZE (1G; none: never)"),
    ROW("--summary", NULL, false, "SHMEMTRACE_SUMMARY", set_flag, summary,
        "record sums by routine and peer instead of events"),
    ROW("--recorder", "CLOCK", false, "SHMEMTRACE_RECORDER", set_recorder, clock_gettime,
        "tsc (the processor's counter) or clock_gettime"),
};
const size_t recording_row_count = sizeof recording_rows / sizeof *recording_rows;

const char *recording_set(struct recording *recording, size_t row, const char *text)
{
    return recording_rows[row].set((char *)recording + recording_rows[row].member, text);
}

void recording_default(struct recording *recording)
{
    *recording =
        (struct recording){.folder = RECORDING_FOLDER, .limit = RECORDING_LIMIT, .callsites = 1};
}

bool recording_from_environment(struct recording *recording, char *problem, size_t problem_size)
{
    recording_default(recording);
    for (size_t i = 0; i < recording_row_count; i++) {
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
    return trace_ranges_hold(recording->phases.of, recording->phases.count, phase);
}
