/*
 * What the commands that read traces (dump, summary, check, merge, export) share: options, filters,
 * output, damaged files. They run as one process and end it by exit(): status 2 for wrong use or a
 * trace that cannot be read, 1 for damage, findings and failed writes.
 */
#ifndef SKAMPI_TRACE_READ_READER_H
#define SKAMPI_TRACE_READ_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/manual.h"
#include "base/table.h"
#include "trace/read/read.h"
#include "trace/read/sets.h"
#include "trace/read/sites.h"

#define TRACE_DEFAULT_PATH "shmemtrace.out"
#define READER_OPTIONS 20

struct reader;

struct reader_command {
    const char *name, *summary;
    const struct manual_option *options; /* of this command alone; the last has no name */
    bool filters, window;                /* whether it has --pe, --thread, --only; --from, --to */
    bool output;                         /* whether it has -o: reader_open_output() opens it */
    bool creates;                        /* writes files without that */
    bool profiles;                       /* reads traces that hold no events, too */
    bool findings;                       /* status 1 may also mean that it has found something */
    const char *notes;                   /* printed after the options in the help */
    int (*run)(struct reader *);         /* the exit status; NULL: a program of its own */
};

/* The commands that print what is there; the others have folders of their own. */
extern const struct reader_command dump_command, trace_summary_command, merge_command;

struct reader {
    const struct reader_command *command;
    const char *path;
    char **files; /* one for each PE; NULL: cannot be read */
    size_t count;
    bool *told; /* by file: its damage was reported */
    struct manual_option options[READER_OPTIONS];
    const char *given[READER_OPTIONS]; /* value, "" for those without; NULL: not given */
    struct trace_range *pes, *threads;
    size_t pe_ranges, thread_ranges;
    const char *only;
    bool windowed; /* --from, --to: in seconds, as they are shown */
    double from, to;
    uint64_t kept; /* events that the user has selected */
    FILE *out;
    const char *out_name;
    struct table routines; /* names of the routines of all files, as far as trace_source_number()
                              was called */
    struct sets sets;      /* sets of PEs of all files, as far as trace_source_set() was called */
    struct sites sites;    /* call sites of all files, as far as trace_source_site() was called */
    int status;            /* so far */
    struct trace_file *first;     /* that could be read; it stays open, */
    const struct trace_info *run; /* since it says most of the run */
    bool *has_pe;                 /* by PE of the run: there is a file of it, so far */
    int pes_of_run;               /* the most that a file so far has stated */
    uint64_t lost;                /* lost events of the files opened so far */
    size_t lossy;                 /* files with lost events */
    size_t endless;               /* files that do not say how the program ended */
    bool *seen;                   /* by file: opened before */
    bool chosen;                  /* --pe selects a file that can be read */
    bool thread_chosen;           /* --thread selects a thread of such a file */
};

/* The teams of a PE, read when trace_source_set() first needs them (teams.h). */
struct source_teams {
    bool read;
    size_t count;
    struct source_team {
        int64_t team, order;
        int64_t member; /* the PE's number in it */
        size_t members; /* number of the table */
    } * teams;          /* sorted by team */
};

/* A file of the trace that is being read. */
struct source {
    struct reader *reader;
    size_t index; /* of reader->files */
    const char *path;
    struct trace_file *file;
    const struct trace_info *info;
    struct trace_cursor *cursor, *records; /* of trace_source_event() and trace_source_record() */
    double seconds_per_tick;
    bool *wanted;    /* by routine */
    size_t *numbers; /* by routine: number + 1 in the reader's table; 0: not known yet */
    struct source_teams teams;
    size_t *sites; /* by the file's call site: its number in the reader's; 0: not known yet */
    size_t site_room;
    uint64_t events; /* read so far, wanted or not */
    bool damaged;
};

/* argv[0] is the command's word. Returns the exit status. */
int reader_main(const struct reader_command *, int argc, char **argv);
/* All options of a command, at most READER_OPTIONS; returns how many. */
size_t reader_options(const struct reader_command *, struct manual_option *options);

/* The value that the user gave an option; NULL: none was given. */
const char *reader_given(const struct reader *, const char *option);

/* Takes --from and --to; done before run() of commands that have them. */
void reader_window(struct reader *);

/* One line on standard error that begins with the command; the second one ends the program. */
void reader_say(const struct reader *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reader_fail(const struct reader *, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* Whether all PEs are meant: a folder or a pack was named, not a file of it. */
bool reader_wants_run(const struct reader *);

/* The status that a command returns: 0, or 1 if something could not be read. Ends the program with
 * 2 if nothing could. */
int reader_status(const struct reader *);

/* Opens reader->out: to be called when nothing can be wrong with options and trace any more, so
 * that no empty file is left of a command that fails, and none is replaced. */
void reader_open_output(struct reader *);
/* Open, check and close a file that a command writes; "-" is standard output, which stays open.
 * They end the program if that fails. */
FILE *reader_create(const struct reader *, const char *path);
void reader_check_written(const struct reader *, FILE *, const char *path);
void reader_close_written(const struct reader *, FILE *, const char *path);

/* Opens the file with that index. NULL if it is not selected, or cannot be read, which is reported.
 */
struct source *reader_source(struct reader *, size_t index);
void trace_source_close(struct source *);
/* The next selected file that can be read: first after NULL. Closes the one before. NULL: all were
 * read. */
struct source *reader_next(struct reader *, struct source *before);
/* The next selected event, from the first one on: of one thread, or of all (-1, in the order of
 * blocks). False at the end, after which the first one is next again. Damage is reported once for
 * each file, however often it is opened; after all threads also if events are missing. */
bool trace_source_event(struct source *, int thread, struct trace_event *);
/* The next selected event of a cursor, for callers that need several cursors. */
bool trace_source_next(struct source *, struct trace_cursor *, struct trace_event *);
/* Call it when all events were read by trace_source_next(), or thread by thread. Reports if they
 * are fewer than the file's ending says. */
void trace_source_ended(struct source *);
/* The next record of that kind, all of which are to be read. False at the end; damage is reported.
 */
bool trace_source_record(struct source *, enum block_kind, struct trace_record *);
bool reader_wants_thread(const struct reader *, long thread);

static inline const struct trace_routine *trace_source_routine(const struct source *source,
                                                               const struct trace_event *event)
{
    return trace_routine(source->file, event->routine);
}

/* The number of the event's routine among those of all files (reader->routines). */
size_t trace_source_number(struct source *, const struct trace_event *);

/* The number of the event's call site among those of all files (reader->sites); 0: not known.
 * sites_text(&reader->sites, number) says where it is, also when the file is closed. */
size_t trace_source_site(struct source *, const struct trace_event *);
/* Its text; NULL: not known. */
const char *trace_source_site_text(struct source *, const struct trace_event *);

/* Which way a call moves data. */
enum transfer { TRANSFER_NONE, TRANSFER_TO_PEER, TRANSFER_FROM_PEER, TRANSFER_BOTH };
enum transfer trace_transfer(const struct trace_routine *);

/* Times in damaged files may be anything: differences and sums wrap around. */
static inline int64_t ticks_between(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

static inline int64_t event_end(const struct trace_event *event)
{
    return (int64_t)((uint64_t)event->start + (uint64_t)event->duration);
}

static inline bool event_has(const struct trace_event *event, enum trace_field field)
{
    return event->fields >> field & 1;
}

static inline int64_t event_value(const struct trace_event *event, enum trace_field field,
                                  int64_t otherwise)
{
    return event_has(event, field) ? event->values[field] : otherwise;
}

/* Whether shmem_ptr gave a pointer to memory of another PE. */
static inline bool event_gives_pointer(const struct source *source, const struct trace_event *event)
{
    return event->flags & TRACE_POINTER && event_has(event, TRACE_PEER) &&
           event->values[TRACE_PEER] != source->info->pe;
}
/* A line of output if there are such calls, and one if there are PEs whose clocks were not
 * synchronized at the end. */
void reader_tell_gaps(const struct reader *, uint64_t pointers, size_t start_alone);

/* ---- teams.c: the sets of PEs that the calls of a file are collective over ---- */

/* What a call is collective over. */
enum set_kind {
    SET_NONE,      /* nothing: it is not collective */
    SET_KNOWN,     /* the set, in which the file's PE is member, or -1 */
    SET_UNKNOWN,   /* a team whose members the trace does not tell */
    SET_IMPOSSIBLE /* an active set that contains PEs which do not exist */
};
struct set_call {
    size_t set;
    int64_t member;
};
enum set_kind trace_source_set(struct source *, const struct trace_event *, struct set_call *);

/* Prints a line for each team of the PE: "# team 1: PEs 0, step 2, 2 of them". */
void trace_source_print_teams(struct source *, FILE *out);

/*
 * ---- merge.c ----
 *
 * The events of all PEs and threads in the order of time. Only one block of each thread is in
 * memory, however long the trace is.
 */

struct merge;

struct merge_event {
    struct source *source;
    const struct trace_event *event;     /* valid until the next call */
    const struct trace_event *following; /* the next event of this thread, or NULL */
    double seconds;                      /* of its start, or of its end */
    bool end;
};

/* With `ends`, each event comes twice, at its start and at its end. */
struct merge *merge_open(struct reader *, bool ends);
bool merge_next(struct merge *, struct merge_event *);
/* The present event comes once more, at that time (seconds): what it has waited for may come until
 * then, if clocks differ. */
void merge_again(struct merge *, double seconds);
void merge_close(struct merge *);

#endif
