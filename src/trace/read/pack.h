/*
 * Packs: the files of a trace in one, with an index in front. A file in a pack is named as if the
 * pack were a folder: app.pack/pe-00003.trace. Readers give each name to place_find(); nothing is
 * kept open. Nothing here prints or ends the program.
 */
#ifndef SKAMPI_TRACE_READ_PACK_H
#define SKAMPI_TRACE_READ_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PACK_MAGIC "SHMTPACK"
#define PACK_VERSION 1
#define PACK_MOST_FILES (1 << 24)

/* The head of a pack. The index follows, then the files, one after the other. Little-endian. */
struct pack_head {
    char magic[8];
    uint32_t version;
    uint32_t files;
    uint64_t bytes; /* of the pack */
    uint32_t zero;
    uint32_t checksum; /* of all before it */
};
/* A row of the index, in the order of the numbers in the names of files. */
struct pack_entry {
    uint64_t at, bytes;
    uint32_t number;
    uint32_t checksum; /* of all before it */
};

/* The place of the bytes of a trace's file. */
struct place {
    char *path;    /* file that holds the bytes; the caller frees it */
    int64_t at;    /* offset in that file */
    int64_t bytes; /* number of bytes; -1: up to the end */
};
/* Finds a file. NULL, or what is wrong, which the caller frees. Does not check that a file outside
 * of packs exists. */
char *place_find(const char *name, struct place *);

/* Reads bytes of an open file. Returns their number, which is less at the end; -1: errno says why.
 */
ssize_t place_read(int descriptor, void *data, size_t bytes, int64_t at);

#define TRACE_DAMAGED -2 /* instead of a count of files: the pack is damaged */
#define PACK_NONE -3
/* Names of all files in a pack, as trace_files() gives them. PACK_NONE if the path is no pack. */
long pack_files(const char *path, char ***files, char **error);

/* Writes a pack of so many files of a trace, at least one, which are in the order of their numbers,
 * to a stream of that name. NULL, or what is wrong, which the caller frees; then *status is 1 if
 * writing has failed or a file has become shorter, 2 if one cannot be read, and the caller removes
 * what was written. Not for several threads. */
char *pack_write(FILE *, const char *name, char *const *files, size_t count, int *status);
/* The other way: writes a file of a pack to a new file, with the same results. */
char *pack_unpack(const char *file, const char *name, int *status);

/* Whether writing to `file` would change this file of a trace. */
bool trace_is_in(const char *name, const struct stat *file);

/* A file of a trace, mapped. */
struct trace_map {
    const unsigned char *data;
    int64_t size;
    void *mapped;
    size_t mapped_bytes;
};
/* Maps a file. NULL, or what is wrong, which the caller frees. Empty files cannot be mapped. */
char *trace_map(const char *name, struct trace_map *);
void trace_unmap(struct trace_map *);

#endif
