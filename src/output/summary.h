/*
 * What a run came to, for people who read its last lines: results, what is doubtful and missing and
 * why, files, and what to type next. The output PE.
 */
#ifndef SKAMPI_OUTPUT_SUMMARY_H
#define SKAMPI_OUTPUT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "output/record.h"

struct summary_tally {
    int64_t points, doubtful, flags[RESULT_FLAGS];
};

/* All 0 at first. */
/* What people type next; parts of commands. */
struct summary_next {
    const char *tools;  /* what comes before the name of a program such as skampi-table */
    const char *again;  /* starts the run again, but for its outputs */
    const char *rounds; /* and but for its rounds and its time limit */
};

struct summary {
    /* measured once; in the first round; over all rounds, which take the place of the first */
    struct summary_tally alone, first, rounds;
    int64_t missing[RESULT_MISSING];
    char *examples[RESULT_MISSING]; /* the first of each kind, with its reason */
    int states, states_here;        /* of the machine: most of any set, of the last set */
    char *set;
};

void summary_count(struct summary *, const struct record *);
void summary_free(struct summary *);

/* Some lines; the caller frees them. files: `count` names of what was written. */
char *summary_text(const struct summary *, const struct record_end *end, const char *const *files,
                   size_t count, const struct summary_next *next);

#endif
