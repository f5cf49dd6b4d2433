/*
 * What calls took in the trace beyond what a description of its machine says. That is found by a
 * replay on that machine in which each call ends when it did in the trace, so that all PEs wait as
 * they did. A prediction adds its surplus to each call, as time of the processor. One process.
 */
#ifndef SKAMPI_SIM_SURPLUS_H
#define SKAMPI_SIM_SURPLUS_H

#include "sim/run.h"

enum surplus_kind {
    SURPLUS_CALL,
    SURPLUS_OPEN, /* a quiet that waited for what was open */
    SURPLUS_FIRST /* the first put, get or atomic of a PE to another one, whatever the routine */
};

/* Calls that are reported together: those of a routine, inside nodes or between them, whose bytes
 * have as many binary digits. */
struct surplus_class {
    uint16_t routine; /* of all files; UINT16_MAX for SURPLUS_FIRST */
    uint8_t kind;
    uint8_t between; /* 1: to another node */
    uint32_t digits; /* of the bytes: they are 2^(digits - 1) or more; 0: none */
};

struct quartiles {
    double low, median, high;
};

/* Calls of a class, without the time that they waited for other PEs (ps). */
struct surplus_row {
    struct surplus_class class;
    uint64_t calls;
    struct quartiles took; /* in the trace */
    double described;      /* median of what the description says */
    double surplus;        /* mean of what is added to a call */
};

/* Of a call (ps): its surplus, what the description says with all waiting, and what messages took
 * from the computing before it. */
struct extra {
    float more, takes, lost;
};

struct extras {
    struct extra *of; /* by the ordinal of the operation in its thread */
    size_t count, room;
};

struct surplus {
    const char *machine;   /* file of the description of the machine of the trace */
    struct extras *extras; /* by thread */
    int threads;
    struct table classes;
    struct surplus_row *rows; /* of all classes; what matters most comes first */
    int64_t recorded;         /* ps that the run took in the trace */
    int64_t described;        /* ps that it takes by the description */
    int64_t adjusted;         /* ps that it takes with the surplus of each call */
};

struct replay;
struct replay_options;
struct step;
/* repeat.c: compares a trace with the description of the machine on which it was recorded. Replays
 * the trace on that machine, on which the ratio of processors is 1. path is the file of the
 * description, options are those of the prediction. NULL: *error, to be freed, says why the trace
 * cannot be replayed there; *damaged says whether it is damaged, or ends in a deadlock. */
struct surplus *traced_on(struct run *, const char *path, struct machine *,
                          const struct replay_options *options, char **error, bool *damaged);
void surplus_free(struct surplus *);

/* ---- For the parts of the replay ---- */

struct sample {
    double took, takes; /* ps: in the trace, in the replay */
};

/* Calls of a class: all, or each second one, each fourth one, ... */
struct samples {
    uint64_t calls, every;
    double more; /* sum of the surplus of all (ps) */
    struct sample *of;
    size_t count;
};

/* What a replay on the machine of the trace notes: samples by number of the class. */
struct comparison {
    struct samples *samples;
    size_t room;
};

/* When a call ends that would leave then, after waiting (ps): with its surplus, or, while that is
 * found, when it ended in the trace. */
int64_t surplus_end(struct replay *, const struct step *, int64_t leaves, int64_t waited);
/* Before the next call of a thread: notes what messages took from its computing (ps); what its
 * burst is without that. */
void surplus_lost(struct replay *, uint32_t thread, int64_t lost);
int64_t surplus_burst(const struct replay *, uint32_t thread, int64_t burst);

#endif
