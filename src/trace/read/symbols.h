/*
 * Functions and lines of source of a program or library: by elfutils' libdw, or by addr2line of
 * binutils, which runs as long as the symbols are open. One process calls this.
 */
#ifndef SKAMPI_TRACE_READ_SYMBOLS_H
#define SKAMPI_TRACE_READ_SYMBOLS_H

#include <stdint.h>

struct symbols;

struct symbol {
    char *function;  /* NULL: not known */
    uint64_t offset; /* from its beginning; 0: not known */
    char *file;      /* NULL: not known */
    unsigned line;
};

/* Opens a file that has the build id ("": any). NULL with what is wrong in *error, which the caller
 * frees. */
struct symbols *symbols_open(const char *path, const char *build_id, char **error);
/* What is at an address of the file. The caller frees its texts. */
struct symbol symbols_at(struct symbols *, uint64_t address);
void symbols_close(struct symbols *);

#endif
