/*
 * A file line by line, however long its lines are. One thread.
 */
#ifndef SKAMPI_OUTPUT_LINES_H
#define SKAMPI_OUTPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINES_CHUNK (64 * 1024)

struct lines {
    FILE *stream;
    size_t most_kept; /* bytes of a line */
    size_t longest;   /* a longer line ends the reading */
    char *text;       /* of the line without its newline, the first most_kept bytes and a zero */
    size_t kept;      /* bytes in text */
    size_t length;    /* of the complete line */
    size_t number;    /* from 1 */
    bool ended;       /* by a newline; the last line may have none */
    size_t room, at, filled;
    char chunk[LINES_CHUNK];
};

/* The stream stays the caller's. */
struct lines *lines_open(FILE *stream, size_t most_kept, size_t longest);
/* False: there is none, or length > longest; ferror(stream) tells whether reading failed. */
bool lines_next(struct lines *);
void lines_close(struct lines *);

#endif
