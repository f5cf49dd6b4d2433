/*
 * The text of a script and of everything it includes. The root PE reads files; the others get the
 * same texts by source_pack() / source_unpack(), so that every PE parses the same text.
 */
#ifndef SKAMPI_SKI_SOURCE_H
#define SKAMPI_SKI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The name of the script that functions on the command line stand for, in messages and results. */
#define SOURCE_COMMAND_LINE "<command line>"

struct source;

/* A place in a script: file is an index into the source's files; line and column from 1. Columns
 * count bytes. */
struct position {
    int file;
    int line;
    int column;
};

/* Root only. The main script: path as the user gave it; "-" is standard input. A path without a
 * slash is searched for in the current directory, then in each of search (count directories).
 * NULL with *error (allocated, for the user) when it cannot be read. */
struct source *source_open(const char *path, const char *const *search, size_t count, char **error);

/* The name of the file among those read that has this status, whatever its path; NULL: none. Root
 * only. */
const char *source_read_from(const struct source *source, const struct stat *status);

/* A source that consists of one file in memory, for tests and fuzzing. */
struct source *source_from_text(const char *name, const char *text, size_t length);

void source_release(struct source *source);

/* Index of a text in memory as a file of the source, to which it is added unless it is there
 * already. Expressions of --set are such texts; their file is called "--set". */
int source_add_text(struct source *source, const char *name, const char *text);

/* The file that an @include names, relative to the directory of the main script; read on the root
 * PE on first use, found again later (an unpacked source reads no files). -1 with *error
 * (allocated) when it cannot be read. */
int source_include(struct source *source, const char *path, char **error);

const char *source_name(const struct source *source, int file); /* as messages show it */
const char *source_text(const struct source *source, int file, size_t *length);
/* A line without its end (LF or CRLF), from 1. */
const char *source_line(const struct source *source, int file, int line, size_t *length);
size_t source_file_count(const struct source *source);

/* FNV-1a 64 over the main script and its includes, for the output's header. */
unsigned long long source_checksum(const struct source *source);

/* Everything as bytes (allocated), and back. */
void *source_pack(const struct source *source, size_t *bytes);
struct source *source_unpack(const void *packed, size_t bytes);

#endif
