/*
 * Ranks that load the machine while others, the victims, are measured: who does what, when they
 * begin and end, what they achieve, and whether their data are right; for OpenSHMEM and MPI.
 *
 * Ranks 0, 1, ... of the set are the victims, the ranks after them the aggressors. In each
 * repetition the aggressors flood; when all of them are in the middle of it, they tell rank 0. The
 * victims make one operation, which is timed, and rank 0 tells the aggressors to stop. Both go
 * along a tree of the aggressors whose root is below rank 0. The flood begins before the operation
 * and ends after it, however long each of them takes.
 */
#ifndef SKAMPI_MEASUREMENTS_AGGRESSORS_H
#define SKAMPI_MEASUREMENTS_AGGRESSORS_H

#include "measurements/common/pair_operation.h"

/* clang-format off */
#define VICTIMS {"victims", PARAMETER_INT, "", "ranks 0, 1, ... that make the operation", .minimum = 2, .maximum = INT_MAX, .allowed = "at most the size of the communicator", .example = "2"}
#define AGGRESSORS {"aggressors", PARAMETER_STRING, "", "what the ranks after the victims do meanwhile", .words = "none|puts|gets|incast|incast_apart|memory", .allowed = "one of \"none\" (they wait), \"puts\" and \"gets\" (on the next one of them), \"incast\" (puts to the last victim), \"incast_apart\" (puts to the last rank), \"memory\" (copies too large for any private cache)", .example = "none"}
#define FLOOD {"flood", PARAMETER_INT, "bytes", "each put, get or copy of an aggressor", .minimum = 1, .maximum = INT_MAX, .otherwise = "65536", .example = "65536"}
/* clang-format on */

enum flooding { FLOOD_NONE, FLOOD_PUT, FLOOD_GET, FLOOD_COPY };

/* What aggressors tell rank 0, along their tree, and it tells them. */
enum load_word { LOAD_READY, LOAD_STOP, LOAD_WORDS };

/* An operation of an aggressor on the memory of the run and that of another rank. */
struct flood {
    enum flooding flooding;
    int rank, pe; /* worked on */
    size_t bytes;
    size_t here, there; /* from run->local on, and from run->remote on there */
};

/* The state of a family begins with it. */
struct load {
    struct pair pair;                     /* of ranks 0 and 1; its memory serves all */
    const struct aggressor *aggressor;    /* what the argument says; NULL before set-up */
    int victims, aggressors;              /* ranks that flood */
    int index;                            /* of this rank among the aggressors; -1: it is none */
    int parent, children[2], child_count; /* in the tree: ranks */
    long repetitions;
    struct flood flood;
    struct stream {
        unsigned char *from, *to;
        size_t at, proof; /* the next copy; the first one since the data were filled */
    } stream;
    double moved, seconds; /* by this rank's flood */
};

enum victims_part {
    VICTIM_ALONE,    /* rank 0 */
    VICTIM_ANSWERED, /* rank 0, with the help of rank 1 */
    VICTIMS_TOGETHER /* a collective operation of all of them, that no one leaves before each has
                        entered */
};

enum load_action { LOAD_PUT, LOAD_GET, LOAD_FETCH_ADD, LOAD_TRIP, LOAD_BARRIER, LOAD_SUM };

/* The variant of a function: who of the victims takes part and reports, and in what. */
struct victim {
    enum victims_part part;
    enum load_action action;
};

/* What a library does. All but `operate` are called by any rank on its own. */
struct load_routines {
    void (*operate)(struct run *, enum load_action);   /* the victims', but for those of a pair */
    void (*flood)(struct run *, const struct flood *); /* begins one */
    void (*complete)(struct run *, const struct flood *); /* ends all that it began */
    void (*tell)(struct run *, int rank, enum load_word);
    /* Whether this rank has been told so often since set-up; lets the library make progress. */
    bool (*told)(struct run *, enum load_word, long times);
};

/* Hook: arguments that make no sense, sets that are too small. */
const char *load_check(const struct run *);
/* Hook: the victims' memory, behind it that of the aggressors; no scratch memory. */
void load_demand(struct run *);

/* Set-up; false after run_fail(). */
bool load_open(struct run *);
/* A repetition: seconds of the operation; NAN where this rank does not report. */
double load_run(struct run *, const struct load_routines *);
/* Hooks: the data of all; at the end a note on what the aggressors achieved. */
void load_fill(struct run *);
bool load_verify(struct run *);
void load_tear_down(struct run *);

#endif
