/*
 * A file line by line, however long its lines are. One thread.
 */
#ifndef SKAMPI_KNOWN_LINES_H
#define SKAMPI_KNOWN_LINES_H

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
    size_t length;    /* bytes of the complete line */
    size_t number;    /* from 1 */
    bool ended;       /* the line ends with a newline; the last line of a file may have none */
    size_t room, at, filled;
    char chunk[LINES_CHUNK];
};

/* Reads from a stream that still belongs to the caller. */
struct lines *lines_open(FILE *stream, size_t most_kept, size_t longest);
/* The next line; false at the end, or if length > longest. ferror(stream) says whether reading
 * failed. */
bool lines_next(struct lines *);
void lines_close(struct lines *);

#endif
