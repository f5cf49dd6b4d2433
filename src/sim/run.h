/*
 * A recorded run: the files of all PEs, of which only the beginnings are checked. No file stays
 * open. One process.
 */
#ifndef SKAMPI_SIM_RUN_H
#define SKAMPI_SIM_RUN_H

#include "sim/op.h"
#include "trace/read/reader.h"

/* What files with the same table of routines share. */
struct program {
    struct trace_file *file; /* one of them */
    const struct trace_routine *routines;
    struct routine_kind *kinds;
    size_t count;
    int format; /* version */
};

/* What is known of the file of a PE. */
struct run_file {
    char *path;
    double ps_per_tick; /* of the trace */
    double cost_ps;     /* what the tracer added to each burst */
    uint64_t events;    /* that the file states */
    int64_t blocks;     /* offset of the first block */
    size_t program;
    uint32_t extra_threads;
};

struct run {
    int pes;
    struct run_file *files; /* by PE */
    /* Threads of all PEs are numbered: first the first thread of each PE, from 0 to pes - 1, then
     * the extra threads, those of a PE together. Where each PE has one thread, the number of a
     * thread is that of its PE. */
    int thread_count;
    uint32_t *first_extra; /* by PE, and one more: its first extra thread; NULL: there is none */
    uint32_t *extra_pe;    /* by extra thread: its PE */
    struct program *programs;
    size_t program_count, most_routines;
    struct table names;         /* routines of all files; op.routine is a number of this table */
    char *command;              /* the traced command */
    struct reader reader;       /* holds the sets of PEs, of which 0 is all PEs */
    struct source_teams *teams; /* by PE; NULL: none were read */
};

/* Opens the trace in a folder, or the trace that consists of these files, in any order. False with
 * *error, which the caller frees; *damaged says whether a damaged file is the reason. */
bool sim_run_open(struct run *, char *const *paths, size_t count, char **error, bool *damaged);
void sim_run_close(struct run *);

static inline int sim_run_pe(const struct run *run, int thread)
{
    return __builtin_expect(thread < run->pes, 1) ? thread : (int)run->extra_pe[thread - run->pes];
}

/* Which thread of its PE a thread is: 0 for the first one. */
static inline int sim_run_index(const struct run *run, int thread)
{
    return thread < run->pes ? 0
                             : thread - (int)run->first_extra[run->extra_pe[thread - run->pes]] + 1;
}

/* The number of a thread, from its PE and its index there. */
static inline int sim_run_thread(const struct run *run, int pe, int index)
{
    return index == 0 ? pe : (int)run->first_extra[pe] + index - 1;
}

static inline const struct program *sim_run_program(const struct run *run, int pe)
{
    return &run->programs[run->files[pe].program];
}

/* How many threads a PE has. */
static inline int sim_run_threads(const struct run *run, int pe)
{
    return run->first_extra ? 1 + (int)(run->first_extra[pe + 1] - run->first_extra[pe]) : 1;
}

/* The next thread of the same PE, beginning with its first one; -1: there is none. */
static inline int64_t sim_run_next(const struct run *run, int64_t thread)
{
    const int pe = sim_run_pe(run, (int)thread);
    const int64_t next = thread == pe && run->first_extra ? run->first_extra[pe] : thread + 1;
    return run->first_extra && next < run->first_extra[pe + 1] ? next : -1;
}

static inline const char *sim_run_path(const struct run *run, int pe)
{
    return run->files[pe].path;
}

static inline const char *sim_run_routine(const struct run *run, uint16_t routine)
{
    return table_key(&run->names, routine);
}

/* The set of a collective call; -1 if the trace does not tell, -2 if the PE is not a member or the
 * set is impossible. */
int64_t sim_run_set(struct run *, int pe, const struct trace_event *);

#endif
