/*
 * The time limit of the run, and what it cut off.
 */
#ifndef SKAMPI_ENGINE_LIMIT_H
#define SKAMPI_ENGINE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "output/output.h"

struct limit {
    double seconds; /* of the command line */
    double ends;    /* wall_seconds(); infinite: there is no limit */
    bool over;      /* it has ended */
    bool cut_short; /* a measurement has been ended by it */
    size_t skipped; /* measurements that it left out */
    bool endless;   /* one of them in a loop to ..., which would have gone on */
    size_t rounds;  /* of single points that are missing */
};

/* Whether the time limit has ended, the same on all PEs; collective over the world. */
bool limit_over(struct limit *);
/* More measurements may be missing than were counted. */
bool limit_unknown(const struct limit *);
/* What the limit cut off, for the end record; the caller frees it. */
char *limit_text(const struct limit *);
/* The same on standard error; PE 0. */
void limit_tell(const struct limit *, struct output *);

#endif
