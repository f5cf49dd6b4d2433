/*
 * Results of a run that did not come to its end (--resume): which points it measured, and their
 * records. PE 0.
 */
#ifndef SKAMPI_KNOWN_RESUME_H
#define SKAMPI_KNOWN_RESUME_H

#include <stdbool.h>

/* What must be equal in both runs. */
struct resume_facts {
    const char *checksum; /* of the script */
    const char *options;  /* that decide what results are; "": none */
    const char *software; /* known_software() */
    const char *version;  /* of skampi */
    int pes;
    const char *const *nodes; /* names, in the order of their lowest PE */
    int node_count;
};

struct resume;

/* Reads the file (JSON Lines); a last line without its end is left out, since the run may have been
 * killed while it wrote it. NULL and *error (for the user; the caller frees it) if the file cannot
 * be read, or if its run differs from this one in a fact. */
struct resume *resume_read(const char *path, const struct resume_facts *here, char **error);
void resume_free(struct resume *);

/* Whether the file has the point with this point_text(): then *record is its record with its
 * newline, for the caller to free, *time its time (seconds; NaN: none) and *flags its flags (bits
 * 1 << enum result_flag). */
bool resume_take(struct resume *, const char *key, char **record, double *time, unsigned *flags);

#endif
