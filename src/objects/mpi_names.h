/*
 * What scripts name of MPI: operations of reductions, and ways to access data of files. Any PE.
 */
#ifndef SKAMPI_OBJECTS_MPI_NAMES_H
#define SKAMPI_OBJECTS_MPI_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/datatype.h"

/* ---- Operations of reductions: the types to which they apply, and their MPI_Op ---- */

struct operation;

/* The operation of MPI's name ("MPI_SUM"), or NULL. Never freed. */
const struct operation *operation_find(const char *name);
const struct operation *operation_at(size_t i); /* NULL after the last */
const char *operation_name(const struct operation *);

/* NULL if a reduction can apply the operation to the type, else the reason, for the user.
 * accumulates says that the operation is for one-sided communication, which also allows
 * MPI_REPLACE. */
const char *operation_misfit(const struct operation *, const struct datatype *, bool accumulates);

/* Points to the MPI_Op; NULL in a build without MPI. Call it between start and end of MPI. */
const void *operation_handle(const struct operation *);

/* ---- Ways to access data of a file (MPI 3.1, section 13.4.1): a sum of one bit each of
 * positioning, synchronism and coordination. Scripts call it daccess ---- */

enum file_access {
    FILE_EXPLICIT = 0x1,   /* each access says where */
    FILE_INDIVIDUAL = 0x2, /* where this rank's last access ended, or it sought to */
    FILE_SHARED = 0x4,     /* where the last access of any rank ended */
    FILE_BLOCKING = 0x10,
    FILE_POSTED = 0x20, /* non-blocking; collective ones are split into begin and end */
    FILE_INDEPENDENT = 0x100,
    FILE_COLLECTIVE = 0x200
};

#define FILE_ACCESS_WANTED                                                                         \
    "daccess must be a sum of 0x1, 0x2 or 0x4 (explicit offset, individual or shared pointer), "   \
    "0x10 or 0x20 (blocking or not), and 0x100 or 0x200 (independent or collective)"

/* The i-th way; 0 after the last. */
int access_at(size_t i);
/* The routine that reads or writes in this way, without MPI_File_; NULL: there is no such way. */
const char *access_routine(int64_t access, bool writes);

#endif
