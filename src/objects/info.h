/*
 * MPI info objects as descriptions: pairs of keys and values, the same with every library and
 * without any.
 */
#ifndef SKAMPI_OBJECTS_INFO_H
#define SKAMPI_OBJECTS_INFO_H

#include <stdbool.h>
#include <stddef.h>

struct info;

struct info *info_create(void);              /* empty, one reference */
struct info *info_null(void);                /* MPI_INFO_NULL */
struct info *info_copy(const struct info *); /* one of its own, with the same pairs */
struct info *info_reference(struct info *);
struct info *info_keep(struct info *); /* the same with a reference that nobody has to release */
void info_release(struct info *);      /* NULL is allowed */

bool info_is_null(const struct info *);
/* Adds a key or changes its value, wherever the object is in use. NULL, or what is wrong with
 * them (static text). */
const char *info_set(struct info *, const char *key, const char *value);
/* Leaves it MPI_INFO_NULL. */
void info_clear(struct info *);
/* "{key=value,...}" or "MPI_INFO_NULL"; lives until the object changes. */
const char *info_text(struct info *);

/* Leads to the MPI_Info, made when first asked for and again when it has changed; NULL in a build
 * without MPI. Any PE. */
const void *info_handle(struct info *);

#endif
