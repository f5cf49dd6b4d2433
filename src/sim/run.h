/*
 * A recorded run: the files of all PEs, checked as far as their beginnings tell. No file is kept
 * open. One process.
 */
#ifndef SKAMPI_SIM_RUN_H
#define SKAMPI_SIM_RUN_H

#include "sim/file_names.h"
#include "sim/op.h"
#include "trace/read/teams.h"

/* What files with the same table of routines share. */
struct program {
    struct trace_file *file; /* one of them */
    const struct trace_routine *routines;
    struct routine_kind *kinds;
    size_t count;
    int format; /* version */
};

struct run {
    int pes;
    /* A line is a thread of a PE. The first threads of all PEs are the lines 0 to pes - 1, so where
     * PEs have one thread each, lines are PEs. Further threads follow, those of a PE together. */
    int lines;
    int *threads;      /* by PE; NULL: each has one */
    uint32_t *further; /* by PE, and one more: its first line behind those; NULL: there are none */
    uint32_t *pe_of;   /* of these lines */
    struct file_names paths; /* by PE */
    uint16_t *programs_of;   /* by PE */
    double *ps_per_tick;     /* by PE: of the trace */
    float *cost_ps;          /* by PE: what the tracer added to each burst */
    uint64_t *events;        /* by PE: as the file says */
    uint32_t *blocks;        /* by PE: where they begin in the file */
    struct program *programs;
    size_t program_count, most_routines;
    struct table names;      /* of routines of all files; op.routine is the number in it */
    char *command;           /* that was traced */
    struct reader reader;    /* holds the sets of PEs, of which 0 is all PEs */
    struct source **sources; /* by PE, of those with teams */
};

/* The trace of a folder, or of all files of one in any order. False: *error, to be freed, says
 * why; damaged: since a file is. */
bool run_open(struct run *, char *const *paths, size_t count, char **error, bool *damaged);
void run_close(struct run *);

static inline int run_pe(const struct run *run, int line)
{
    return __builtin_expect(line < run->pes, 1) ? line : (int)run->pe_of[line - run->pes];
}

/* The number of a line's thread on its PE. */
static inline int run_thread(const struct run *run, int line)
{
    return line < run->pes ? 0 : line - (int)run->further[run->pe_of[line - run->pes]] + 1;
}

/* The n-th line of a PE. */
static inline int run_line(const struct run *run, int pe, int thread)
{
    return thread == 0 ? pe : (int)run->further[pe] + thread - 1;
}

static inline const struct program *run_program(const struct run *run, int pe)
{
    return &run->programs[run->programs_of[pe]];
}

/* How many threads a PE has. */
static inline int run_threads(const struct run *run, int pe)
{
    return run->threads ? run->threads[pe] : 1;
}

/* The file of a PE; until the next call. */
static inline const char *run_path(struct run *run, int pe)
{
    return file_names_get(&run->paths, (size_t)pe);
}

static inline const char *run_routine(const struct run *run, uint16_t routine)
{
    return table_key(&run->names, routine);
}

/* The set of a collective call, -1: the trace does not tell, -2: the PE is not in it, or it cannot
 * be. */
int64_t run_set(struct run *, int pe, const struct trace_event *);

#endif
