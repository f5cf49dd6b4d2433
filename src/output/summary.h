/*
 * The last lines of a run, for people: results, doubtful and missing points with reasons, files,
 * and commands to type next. The output PE.
 */
#ifndef SKAMPI_OUTPUT_SUMMARY_H
#define SKAMPI_OUTPUT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "output/record.h"

struct summary_tally {
    int64_t points, doubtful, flags[RESULT_FLAGS];
};

/* Parts of the commands that people may type next. */
struct summary_next {
    const char *door;   /* skampi as the user typed it, which starts tools, too */
    const char *again;  /* starts the run again, without its outputs */
    const char *rounds; /* starts the run again, without outputs, rounds and time limit */
};

/* All 0 at first. */
struct summary {
    /* points measured once; in the first round; over all rounds, which replaces the first round */
    struct summary_tally alone, first, rounds;
    int64_t differing; /* points over all rounds whose states of the machine differ */
    int64_t missing[RESULT_MISSING];
    char *examples[RESULT_MISSING]; /* the first missing point of each kind, with its reason */
    int states, states_here; /* states of the machine: the most of any set of PEs, and those of the
                                last set */
    char *set;
};

void summary_count(struct summary *, const struct record *);
void summary_free(struct summary *);

/* What was measured, what of it is doubtful or missing, and why; allocates nothing. */
void summary_counts(FILE *, const struct summary *, const struct record_end *end);

/* Whether the line of a summary is a command, which people copy. */
bool summary_is_command(const char *line);

/* All of it, with files and commands to type next; the caller frees them. files has the `count`
 * names of the files written. */
char *summary_text(const struct summary *, const struct record_end *end, const char *const *files,
                   size_t count, const struct summary_next *next);

#endif
