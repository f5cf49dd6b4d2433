/* Reads traces block by block, in memory that does not grow with their length. A trace is a folder
 * with one file for each PE (pe-00000.trace, ...), or a pack of them (pack.h). One process calls
 * this; nothing here prints or ends the program. */
#ifndef SKAMPI_TRACE_READ_READ_H
#define SKAMPI_TRACE_READ_READ_H

#include <stddef.h>

#include "trace/format.h"

struct trace_file;
struct trace_cursor;

/* Opens a file. NULL if it cannot be read at all, with a text in *error (file, what is wrong, what
 * to do), which the caller frees. trace_next() reports damage after the head. */
struct trace_file *trace_open(const char *path, char **error);
void trace_close(struct trace_file *);
/* Its texts live as long as the file is open. */
const struct trace_info *trace_info(const struct trace_file *);
/* Offset of the first block (bytes). */
int64_t trace_blocks(const struct trace_file *);
const struct trace_routine *trace_routine(const struct trace_file *, uint32_t routine);

/* The program, or a library that it has loaded. */
struct trace_module {
    const char *path;      /* "" if it is not known */
    const char *build_id;  /* hexadecimal; "" if it has none */
    uint64_t bias;         /* added to addresses of the file */
    uint64_t begin, bytes; /* where it was in memory */
};
/* The module in which an address lies; NULL if it is not known. What was loaded later counts.
 * Lives as long as the file is open. */
const struct trace_module *trace_module_at(struct trace_file *, uint64_t address);

/* The return addresses of a call site, an event's: the innermost first, *depth of them; NULL and 0
 * if they are not known. A file numbers its sites from 1 on, in the order in which cursors meet
 * them while it is open. Valid until the next event is read. */
const uint64_t *trace_site(const struct trace_file *, uint32_t site, size_t *depth);

/* Converts ticks of this PE to seconds since the common beginning of all PEs, corrected by offset
 * and drift. */
double trace_seconds(const struct trace_file *, int64_t ticks);

/* A cursor over the events of one thread, or of all threads (-1, in the order of blocks). A file
 * may have several cursors. None keeps the file open, or more than one block in memory. */
struct trace_cursor *trace_events(struct trace_file *, int thread);
/* Returns 1 with the next event, 0 at the end, -1 if the file is damaged from here on;
 * trace_problem() then says where and how. Checks that numbers of routines and threads are in
 * range. */
int trace_next(struct trace_cursor *, struct trace_event *event);
const char *trace_problem(const struct trace_cursor *);

/* The counts of hardware counters in a stretch of one phase. */
struct trace_phase {
    uint32_t phase;
    int64_t start, end;      /* ticks */
    const int64_t *counters; /* info.counters of them, valid until the next call */
};
/* All calls of a routine by a thread in a phase to one peer. */
struct trace_profile {
    uint32_t routine, phase;
    int64_t peer; /* -1: none */
    uint64_t calls, bytes;
    int64_t ticks, max_ticks; /* inside the routine: sum over all calls, and the longest call */
};
/* A range of members of a team. The ranges of one team follow each other in order. */
struct trace_team {
    int64_t team; /* its number, as in events of this PE */
    int64_t size; /* all of its members */
    struct pe_range range;
};
struct trace_record {
    uint32_t thread;
    union { /* by the kind of its block */
        struct trace_phase phase;
        struct trace_profile profile;
        struct trace_team team;
        struct trace_module module;
    };
};
/* Like trace_next(), for records of another kind than events. Use a cursor for only one kind. */
int trace_next_record(struct trace_cursor *, enum block_kind, struct trace_record *);
void trace_cursor_free(struct trace_cursor *);

/* ---- Visits: threads of many files in turn, some events of each at a time ---- */

/* What a visit needs to know of a file. Open files (struct trace_file) would take too much memory.
 */
struct trace_visit {
    const char *path;
    const struct trace_routine *routines;
    size_t routine_count;
    int thread;
    int threads; /* of the file */
};
/* Where the next visit of a thread goes on. Begin with {.block = trace_blocks()}. */
struct trace_mark {
    int64_t block; /* where the current block begins, or the next one if nothing is left */
    struct trace_rest *rest; /* of an unfinished block */
};

/* One cursor for all visits. No file has more routines. */
struct trace_cursor *trace_visitor(size_t most_routines);
/* Maps the file until trace_leave(), which keeps the place in the mark. NULL, or why the file
 * cannot be read, which the caller frees. *visit need not stay, what it points to does. */
char *trace_visit(struct trace_cursor *, const struct trace_visit *visit,
                  const struct trace_mark *mark);
void trace_leave(struct trace_cursor *, struct trace_mark *mark);
/* Frees what a mark holds, at the end of a thread. */
void trace_forget(struct trace_mark *);
/* Like trace_next(), for callers that need few values of many events. */
int trace_next_raw(struct trace_cursor *, struct raw_event *);

#endif
