/* Options of recording. Each has a variable of the environment, by which the command hands it to
 * the library; both use this one table. Pure. */
#ifndef SKAMPI_TRACE_RECORDING_H
#define SKAMPI_TRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/manual.h"
#include "trace/event.h"

#define RECORDING_FOLDER "shmemtrace.out"
#define RECORDING_FOLDER_OPTION "-o"
#define RECORDING_RING (UINT64_C(16) << 20)
#define RECORDING_LIMIT (UINT64_C(1) << 30)
#define RECORDING_RING_LEAST (UINT64_C(256) << 10)
#define RECORDING_PHASES 16
#define RECORDING_COUNTERS 8

struct recording {
    const char *folder;
    uint64_t ring;  /* bytes for each thread; 0: no ring, calls are written as they come */
    uint64_t limit; /* bytes of each PE's file; 0: no limit */
    const char *only, *exclude; /* lists of classes and names; NULL: none */
    unsigned callsites;         /* return addresses of each call */
    bool queries, results, values, summary, clock_gettime;
    const char *counters; /* names of PAPI's events, separated by commas; NULL: none */
    struct phase_list {
        struct trace_range of[RECORDING_PHASES];
        size_t count; /* 0: all */
    } phases;
};

struct recording_row {
    struct manual_option option; /* its note is the variable in brackets */
    const char *variable;        /* SHMEMTRACE_RING */
    /* Takes a text for a member of struct recording. NULL, or what is wrong. */
    const char *(*set)(void *member, const char *text);
    size_t member; /* its offset */
};
extern const struct recording_row recording_rows[];
extern const size_t recording_row_count;

void recording_default(struct recording *);

/* Sets the option of a row to a text, which must live as long as the struct. "1" stands for a
 * missing optional argument; options without argument are "0" (off) or "1" (on). Returns NULL, or
 * what is wrong, as text after "VARIABLE=TEXT: " or "--option TEXT: ". */
const char *recording_set(struct recording *, size_t row, const char *text);

/* Takes all variables of the environment. False with a message in problem (one line, without the
 * name of the program). */
bool recording_from_environment(struct recording *, char *problem, size_t problem_size);

/* Whether events of the phase are recorded. */
bool recording_wants_phase(const struct recording *, uint32_t phase);

#endif
