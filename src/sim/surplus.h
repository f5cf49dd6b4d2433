/*
 * What calls took in the trace beyond what a description of its machine says (traced_on.h finds
 * it). A prediction adds the surplus of its class to each call, as time of the processor. One
 * process.
 */
#ifndef SKAMPI_SIM_SURPLUS_H
#define SKAMPI_SIM_SURPLUS_H

#include <stdio.h>

#include "sim/run.h"

enum surplus_kind {
    SURPLUS_CALL,
    SURPLUS_OPEN, /* a quiet or fence that waited for what was open */
    SURPLUS_FIRST /* the first put, get or atomic of a PE to another one, whatever the routine */
};

/* Calls that are compared with each other: those of a routine, inside nodes or between them, whose
 * bytes have as many binary digits. */
struct surplus_class {
    uint16_t routine; /* of all files; UINT16_MAX for SURPLUS_FIRST */
    uint8_t kind;
    uint8_t between; /* 1: to another node */
    uint32_t digits; /* of the bytes: they are 2^(digits - 1) or more; 0: none */
};

/* Whether a surplus applies. */
enum surplus_state {
    SURPLUS_APPLIES,
    SURPLUS_WAITS,  /* no: all calls of the class waited for others */
    SURPLUS_FEW,    /* no: one call says too little */
    SURPLUS_UNCLEAR /* no: it is less than its standard error */
};

struct quartiles {
    double low, median, high;
};

/* Times are ps. */
struct surplus_row {
    struct surplus_class class;
    uint64_t calls, compared; /* all, and those that waited for nobody */
    struct quartiles took;    /* in the trace */
    double described;         /* median of what the description says */
    double surplus;           /* of each call */
    enum surplus_state state;
};

struct surplus {
    const char *machine;  /* file of the description of the machine of the trace */
    struct table classes; /* also those that only another machine has, which have no row */
    struct surplus_row *rows;
    size_t count;
    int64_t recorded;  /* ps that the run took in the trace */
    int64_t described; /* ps that it takes by the description */
    int64_t adjusted;  /* ps that it takes with the surplus of each call */
};

struct replay;
struct replay_options;
struct step;
/* repeat.c: compares a trace with the description of the machine on which it was recorded, by
 * classes of calls. Replays the trace on that machine, on which the ratio of processors is 1. path
 * is the file of the description, options are those of the prediction. NULL: *error, to be freed,
 * says why the trace cannot be replayed there; *damaged says whether it is damaged, or ends in a
 * deadlock. */
struct surplus *traced_on(struct run *, const char *path, struct machine *,
                          const struct replay_options *options, char **error, bool *damaged);
void surplus_free(struct surplus *);
/* report_surplus.c: for people, and as a member of JSON with a comma behind it. */
void report_surplus_text(FILE *, const struct run *, const struct surplus *);
void report_surplus_json(FILE *, const struct run *, const struct surplus *);

/* ---- For the parts of the replay ---- */

struct sample {
    double took, takes; /* ps: in the trace, in the replay */
};

/* Calls of a class that waited for nobody: all, or each second one, each fourth one, ... */
struct samples {
    uint64_t calls, compared, every;
    bool waits; /* some may have waited in the trace, although they do not in the replay */
    struct sample *of;
    size_t count;
};

/* What a replay on the machine of the trace notes. */
struct comparison {
    struct samples *samples; /* by number of the class */
    size_t room;
    int64_t left; /* PEs that have left a collective which not all PEs have left */
    struct sample least;
};

/* The surplus of a call (ps), 0 where nothing is known. open: it has waited for what was open. */
int64_t surplus_of(const struct replay *, const struct step *, bool open);
/* When a call ends that would leave then, after waiting (ps). Notes it if that is wanted. */
int64_t surplus_end(struct replay *, const struct step *, int64_t leaves, int64_t waited);
struct samples *samples_of(struct comparison *, size_t number);

#endif
