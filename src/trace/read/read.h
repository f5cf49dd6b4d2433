/*
 * Reading traces, block by block: memory does not grow with them. A trace is a folder with one file
 * a PE (pe-00000.trace, ...), or a pack of them (pack.h). One process calls this; nothing here
 * prints or ends the program.
 */
#ifndef SKAMPI_TRACE_READ_READ_H
#define SKAMPI_TRACE_READ_READ_H

#include <stddef.h>

#include "trace/event.h"
#include "trace/pe_ranges.h"

struct trace_file;
struct trace_cursor;

/* What the file says of itself. Texts live as long as the file is open. */
struct trace_info {
    int pe, pes;
    int threads;
    const char *host, *command, *library, *version, *date;
    double ticks_per_second;
    const char *clock;  /* how clocks were to be synchronized */
    bool start_alone;   /* ended without synchronizing them again, so drift is not corrected */
    double clock_bound; /* s, error bound of the correction; NaN: not synchronized at the end */
    bool synchronized;  /* clocks were, at the start; only then is the beginning that of all PEs */
    int64_t beginning;  /* global ticks that times count from */
    int64_t realtime; /* ns since 1970, UTC, of the beginning; to the second where the file says no
                         more, 0: not known */
    bool complete;    /* the file was ended in order */
    const char *end;  /* "finalize", "exit", "global_exit", "abort", "signal 15", "" */
    uint64_t events;  /* recorded, as far as the file tells without reading it all */
    uint64_t dropped; /* not in the file: lost, or overwritten in the ring */
    uint64_t lost;    /* of these: for want of room, by --limit or on the disk, or of memory */
    bool profile;     /* recorded with --summary: profiles instead of events */
    size_t counters;  /* hardware counters a phase (PAPI) */
    const char *const *counter_names;
    size_t routines;
    const char *selection; /* options by which calls were left out: "--only put"; "" when there were
                              none, and in older files */
    int format;            /* its version */
    /* What the tracer added to each call, in s: to the burst before it, and to its duration. 0 in
     * files before version 3. */
    double cost_between, cost_inside;
    size_t objects; /* names of what places lie in: "private", "heap", "static", libraries */
    const char *const *object_names;
};

/* NULL, and a text to be freed in *error (file, what is wrong, what to do), when it cannot be read
 * at all. What is damaged behind the header is told by trace_next. */
struct trace_file *trace_open(const char *path, char **error);
void trace_close(struct trace_file *);
const struct trace_info *trace_info(const struct trace_file *);
/* Where its first block begins, in bytes. */
int64_t trace_blocks(const struct trace_file *);
const struct trace_routine *trace_routine(const struct trace_file *, uint32_t routine);

/* Seconds since the beginning that all PEs of the trace have in common, corrected by offset and
 * drift; of a time in ticks of this PE. */
double trace_seconds(const struct trace_file *, int64_t ticks);

/* Events of one thread, or of all (-1: in the order of their blocks), in order. A file may have
 * several cursors; none keeps the file open, or more than a block in memory. */
struct trace_cursor *trace_events(struct trace_file *, int thread);
/* 1: *event is the next; 0: no more; -1: damaged from here on, trace_problem tells where and how.
 * Numbers of routines and threads are in range. */
int trace_next(struct trace_cursor *, struct trace_event *event);
const char *trace_problem(const struct trace_cursor *);

/* What hardware counters counted in a stretch of one phase. */
struct trace_phase {
    uint32_t phase, thread;
    int64_t start, end;      /* ticks */
    const int64_t *counters; /* info.counters of them, valid until the next call */
};
/* All calls of a routine by a thread in a phase to one peer. */
struct trace_profile {
    uint32_t routine, thread, phase;
    int64_t peer; /* -1: none */
    uint64_t calls, bytes;
    int64_t ticks, max_ticks; /* inside the routine: all calls, the longest */
};
/* Some members of a team, which lie within it; those of one team follow each other in order. */
struct trace_team {
    int64_t team; /* its number, as in events of this PE */
    int64_t size; /* all of its members */
    struct pe_range range;
};
/* As trace_next; a cursor is used for one of the four. */
int trace_next_phase(struct trace_cursor *, struct trace_phase *);
int trace_next_profile(struct trace_cursor *, struct trace_profile *);
int trace_next_team(struct trace_cursor *, struct trace_team *);
void trace_cursor_free(struct trace_cursor *);

/* Whether that is a trace: a folder of one, a pack, or a file of a PE. */
bool trace_is(const char *path);
/* Files of the PEs of a trace, a folder or a pack, sorted; a single file is a trace of itself.
 * Count, or -1 and a text to be freed in *error. Each name and the array are to be freed. */
long trace_files(const char *path, char ***files, char **error);

#endif
