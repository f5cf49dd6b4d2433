/*
 * A recorded run: the files of all PEs, of which only the beginnings are checked. No file stays
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
    uint32_t *further; /* index of each PE's first additional line, pes + 1 entries; NULL if no PE
                          has any */
    uint32_t *pe_of;   /* of these lines */
    struct file_names paths; /* by PE */
    uint16_t *programs_of;   /* by PE */
    double *ps_per_tick;     /* by PE: of the trace */
    float *cost_ps;          /* by PE: what the tracer added to each burst */
    uint64_t *events;        /* by PE: number of events that the file states */
    uint32_t *blocks;        /* by PE: offset of the first block in the file */
    struct program *programs;
    size_t program_count, most_routines;
    struct table names;      /* routines of all files; op.routine is a number of this table */
    char *command;           /* the traced command */
    struct reader reader;    /* holds the sets of PEs, of which 0 is all PEs */
    struct source **sources; /* by PE; NULL for PEs without teams */
};

/* Opens the trace in a folder, or the trace that consists of these files, in any order. False with
 * *error, which the caller frees; *damaged says whether a damaged file is the reason. */
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

/* The line of a thread of a PE. */
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

/* The file of a PE. Valid until the next call. */
static inline const char *run_path(struct run *run, int pe)
{
    return file_names_get(&run->paths, (size_t)pe);
}

static inline const char *run_routine(const struct run *run, uint16_t routine)
{
    return table_key(&run->names, routine);
}

/* The set of a collective call; -1 if the trace does not tell, -2 if the PE is not a member or the
 * set is impossible. */
int64_t run_set(struct run *, int pe, const struct trace_event *);

#endif
