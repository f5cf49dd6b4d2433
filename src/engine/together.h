/*
 * What all PEs do together besides measuring: they agree where they are and whether there is time,
 * and bring the text that scripts print on any PE to the output.
 */
#ifndef SKAMPI_ENGINE_TOGETHER_H
#define SKAMPI_ENGINE_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/messages.h"
#include "output/output.h"

/* ---- The time limit of the run, and what it cut off ---- */

struct limit {
    double seconds; /* of the command line */
    double ends;    /* wall_seconds(); infinite: there is no limit */
    bool reached;   /* as of the last limit_agree() */
    bool over;      /* it has ended before something that was to be measured */
    bool cut_short; /* a measurement has been ended by it */
    size_t skipped; /* measurements that it left out */
    bool endless;   /* one of them in a loop to ..., which would have gone on */
    size_t rounds;  /* of single points that are missing */
};

/* All PEs synchronize, and find out whether all have the same tag and whether the time limit has
 * ended. Collective over the world. */
bool limit_agree(struct limit *, uint64_t tag);
/* Whether the time limit has ended for what is to be measured now. The same on all PEs. */
bool limit_over(struct limit *);
/* More measurements may be missing than were counted. */
bool limit_unknown(const struct limit *);
/* What the limit cut off, for the end record; the caller frees it. */
char *limit_text(const struct limit *);
/* Writes limit_text() to standard error; PE 0. */
void limit_tell(const struct limit *, struct output *);

/* ---- Text of scripts ---- */

struct pending_text {
    struct output *output; /* of PE 0, else NULL */
    char *text;            /* of this PE for the next flush; not on PE 0 */
    size_t length;
};

void texts_add(struct pending_text *, struct display *, const char *text);
/* Brings all PEs' text to the output, in the order of PEs; collective over the world. */
void texts_bring(struct pending_text *);
/* As texts_bring(), but without the gather if no PE has text. */
void texts_flush(struct pending_text *);

#endif
