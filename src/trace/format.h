/*
 * The file format, version 4, as docs/trace-format.md describes it: what writers (the tracer,
 * shmemsim) and readers share, and the parts of a file as bytes. Pure, no allocation, safe in
 * signal handlers. A change that old readers would misunderstand needs a new version.
 */
#ifndef SKAMPI_TRACE_FORMAT_H
#define SKAMPI_TRACE_FORMAT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "trace/encode.h"

#define FORMAT_MAGIC "SHMTRACE"
#define FORMAT_VERSION 4
#define FORMAT_OLDEST 1 /* oldest version that readers take: it has no teams and no signals */
#define FORMAT_WITH_COST                                                                           \
    3 /* from here on: the tracer's own cost, values of puts, and which                            \
         operation of a put with signal has which number */
#define FORMAT_NAME "pe-%05d.trace"
/* The command sets it to a value that no other command uses. By it, each job that runs under the
 * command gets a folder of its own. */
#define FORMAT_JOBS_VARIABLE "SHMEMTRACE_JOBS"
/* Later jobs of a command record to FOLDER.2 and so on. Such a folder has a file of this name with
 * the value of the variable, by which the next command knows that it may replace the folder. In the
 * first folder the file says that a job has refused to record. */
#define FORMAT_JOB "%s.%d"
#define FORMAT_JOB_MARK ".job"
/* Prefix of temporary files in a folder: the one with the value of the variable, which the first
 * job of a command makes, and files of PEs whose beginning is being written. */
#define FORMAT_PASSING ".shmemtrace-"
#define FORMAT_CLAIM FORMAT_PASSING "%s"
#define FORMAT_NEW FORMAT_PASSING "new-%05d"

/* ---- File: head, description, ending, blocks ---- */

/* The beginning of a file, before the description. All integers of the file are little-endian. */
struct format_head {
    char magic[8];
    uint32_t version;
    uint32_t description_bytes;
    uint32_t checksum; /* of version, description_bytes and the description */
    uint32_t zero;
};

/* Whether an open file is empty or a trace: nothing else may be overwritten. */
static inline bool format_may_replace(int descriptor)
{
    char magic[sizeof FORMAT_MAGIC - 1];
    ssize_t got;
    do
        got = pread(descriptor, magic, sizeof magic, 0);
    while (got < 0 && errno == EINTR);
    return got == 0 ||
           (got == (ssize_t)sizeof magic && memcmp(magic, FORMAT_MAGIC, sizeof magic) == 0);
}

/* Room for the ending follows the description, so that it can be written even if the disk is full.
 * It is all 0 as long as the program has not ended, or if the tracer could not notice the end. */
#define FORMAT_ENDING_BYTES 256

#define BLOCK_MAGIC UINT32_C(0x4b4c4253) /* "SBLK" */
#define BLOCK_MOST_BYTES (128 * 1024)    /* most bytes of a block's payload */
#define THREADS_MOST 65536 /* most threads of a PE, since readers keep something for each */

enum block_kind { BLOCK_EVENTS = 1, BLOCK_PHASES, BLOCK_PROFILE, BLOCK_TEAMS, BLOCK_MODULES };

struct block_head {
    uint32_t magic;
    uint32_t checksum; /* of everything after this member, including the payload */
    uint32_t bytes;    /* of the payload */
    uint16_t kind;
    uint16_t zero;
    uint32_t thread;
    uint32_t records; /* number of events, or of other records */
    uint64_t first;   /* index of its first event */
    int64_t base;     /* end of the event before, from which the first burst counts (ticks) */
    uint32_t phase;   /* phase at the beginning of the block */
    uint32_t zero_too;
};

/* A moment by a PE's own clock and by the common one. */
struct clock_fix {
    bool known;
    int64_t local, global; /* ticks */
    double rate;           /* global ticks to a local one */
    double bound;          /* error bound (s); NaN: not known */
};

uint32_t format_head_checksum(const struct format_head *, const void *description);
uint32_t format_ending_checksum(const unsigned char bytes[FORMAT_ENDING_BYTES]);

/* What is wrong with a block, as a text; NULL: nothing. rest: bytes of the file from the beginning
 * of the head on. payload: bytes after the head; NULL leaves its checksum unchecked. */
const char *format_block_problem(const struct block_head *, int64_t rest, const void *payload);

/* What a file says of its run. Texts and arrays stay their owner's. */
struct trace_info {
    /* ---- At the beginning, in this order ---- */
    int pe, pes;
    const char *host, *command, *library;
    const char *version; /* of the writer */
    const char *date;
    bool profile;      /* recorded with --summary: profiles instead of events */
    const char *clock; /* how clocks were to be synchronized */
    double ticks_per_second;
    int64_t beginning; /* global ticks that times count from: of all PEs, if start is known */
    struct clock_fix start;
    size_t counters; /* number of hardware counters of each phase (PAPI) */
    const char *const *counter_names;
    size_t objects; /* number of objects in which places lie: "private", "heap", "static", ... */
    const char *const *object_names;
    size_t routines;
    const struct trace_routine *routine;
    const char *selection; /* options by which calls were left out: "--only put"; "" when there were
                              none, and in older files */
    /* The time that the tracer added to each call (seconds): to the burst before it, and to its
     * duration. 0 in files before version 3. */
    double cost_between, cost_inside;

    /* ---- At the end ---- */
    const char *end;  /* "finalize", "exit", "global_exit", "abort", "signal 15", "" */
    uint64_t events;  /* in the file; without an ending, as far as blocks tell */
    uint64_t dropped; /* recorded, but not in the file: lost, or overwritten in the ring */
    uint64_t lost;    /* of the dropped events: because of --limit, a full disk, or no memory */
    int threads;
    struct clock_fix finish; /* its rate is not written */
    int64_t realtime; /* ns since 1970, UTC, when times begin (in a file: at the start's fix),
                         rounded to seconds in older files; 0 if not known */

    /* ---- What follows ---- */
    int format;       /* version of the format */
    bool complete;    /* the file has a regular end */
    bool start_alone; /* the run ended without synchronizing clocks again, so drift is not corrected
                       */
    double clock_bound; /* error bound of the correction (seconds); NaN if clocks were not
                           synchronized at the end */
};

/* ---- Writing ---- */

/* Writes at most what the output has room for; output->full says that there was too little. */
void compose_description(struct output *, const struct trace_info *);

/* The head that stands before a description of this length. */
struct format_head compose_head(const unsigned char *description, uint32_t bytes);

void compose_ending(unsigned char bytes[FORMAT_ENDING_BYTES], const struct trace_info *);

/* A range of a team's members, as a record; of at most this many bytes. */
#define TEAM_MOST_BYTES (6 * 2 * NUMBER_MOST_BYTES)
void compose_team(struct output *, int64_t team, int64_t size, const struct pe_range *);

/* The head of the block that an encoder fills; done: encoder->done, which is read once. Magic and
 * checksum are still missing. */
struct block_head compose_events_head(uint32_t thread, const struct encoder *, uint64_t done);

/* Sets magic and checksum of a block's head. The caller has filled in the rest, and the payload. */
void compose_block_head(struct block_head *, const void *payload);

#endif
