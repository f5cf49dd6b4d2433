/*
 * MPI info objects as descriptions: pairs of keys and values, which need no library.
 */
#ifndef SKAMPI_OBJECTS_INFO_H
#define SKAMPI_OBJECTS_INFO_H

#include <stdbool.h>
#include <stddef.h>

struct info;

struct info *info_create(void);              /* empty, one reference */
struct info *info_null(void);                /* MPI_INFO_NULL */
struct info *info_copy(const struct info *); /* a new object with equal pairs */
struct info *info_reference(struct info *);
struct info *
info_keep(struct info *); /* the object itself, which then lives to the end of the program */
void info_release(struct info *); /* NULL is allowed */

/* Adds a key or changes its value. All that share the object see the change. NULL, or what is wrong
 * with key or value (static text). */
const char *info_set(struct info *, const char *key, const char *value);
/* Turns the object into MPI_INFO_NULL. */
void info_clear(struct info *);
/* "{key=value,...}" or "MPI_INFO_NULL"; lives until the object changes. */
const char *info_text(struct info *);

/* Points to the MPI_Info, which is made on first use and after each change; NULL in a build without
 * MPI. Any PE. */
const void *info_handle(struct info *);

#endif
