/*
 * The notes about the measurement in progress. Any PE; only those of the set's rank 0 reach the
 * output.
 */
#ifndef SKAMPI_ENGINE_NOTES_H
#define SKAMPI_ENGINE_NOTES_H

#include <stddef.h>

struct notes {
    char **text;
    size_t count;
};

/* Takes the text over. A text that is already there is kept once. */
void notes_add(struct notes *, char *text);
void notes_clear(struct notes *);

#endif
