/*
 * Errors of scripts, and warnings. They are collected, then printed once: "file:line:column: error:
 * text", the source line and a caret. At most one error per line of the script, and at most
 * DIAG_LIMIT in total.
 */
#ifndef SKAMPI_SKI_DIAG_H
#define SKAMPI_SKI_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "ski/source.h"

#define DIAG_LIMIT 20

struct diag; /* one per run, on one PE */

struct diag *diag_create(const struct source *source);
void diag_release(struct diag *diag);

/* Adds an error unless its line has one already. Position: the offending token. */
void diag_error(struct diag *diag, struct position where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether an error there would be kept; ask before a costly search for a remedy. */
bool diag_wants(const struct diag *diag, struct position where);

/* Adds a warning of something legal that is hardly intended. diag_count() does not count it. */
void diag_warning(struct diag *diag, struct position where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

size_t diag_count(const struct diag *diag);

/* All messages in the order of their places, as one allocated string that the caller frees. */
char *diag_text(const struct diag *diag);

/* All warnings in the order of their places, "file:line:column: warning: text"; the caller frees
 * the string. */
char *diag_warnings(const struct diag *diag);

/* One message about a place, formatted as above; the caller frees it. For run-time errors. */
char *diag_format(const struct source *source, struct position where, const char *message);

/* "file:line:column" of a place; the caller frees it. */
char *diag_place(const struct source *source, struct position where);

#endif
