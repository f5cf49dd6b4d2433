/* Operations of reductions, and file accesses of MPI. */
#include "objects/mpi_names.h"

#include <stdio.h>
#include <string.h>

#if SKAMPI_MPI
#include <mpi.h>
#endif

/* ---- Operations ---- */

enum { INTEGERS = 1, FLOATINGS = 2, BYTES = 4, PAIRS = 8, ANY = 15 };

struct operation {
    const char *name;
    int classes;
    const char *fits;
    bool accumulates_only;
};

static const char arithmetic[] = "integers and floating-point numbers";
static const struct operation operations[] = {
    {"MPI_MAX", INTEGERS | FLOATINGS, arithmetic, false},
    {"MPI_MIN", INTEGERS | FLOATINGS, arithmetic, false},
    {"MPI_SUM", INTEGERS | FLOATINGS, arithmetic, false},
    {"MPI_PROD", INTEGERS | FLOATINGS, arithmetic, false},
    {"MPI_LAND", INTEGERS, "integers", false},
    {"MPI_BAND", INTEGERS | BYTES, "integers and MPI_BYTE", false},
    {"MPI_LOR", INTEGERS, "integers", false},
    {"MPI_BOR", INTEGERS | BYTES, "integers and MPI_BYTE", false},
    {"MPI_LXOR", INTEGERS, "integers", false},
    {"MPI_BXOR", INTEGERS | BYTES, "integers and MPI_BYTE", false},
    {"MPI_MINLOC", PAIRS, "pairs such as MPI_DOUBLE_INT", false},
    {"MPI_MAXLOC", PAIRS, "pairs such as MPI_DOUBLE_INT", false},
    {"MPI_REPLACE", ANY, "any type", true},
};

#define OPERATION_COUNT (sizeof operations / sizeof *operations)

const struct operation *operation_at(size_t i)
{
    return i < OPERATION_COUNT ? &operations[i] : NULL;
}

const struct operation *operation_find(const char *name)
{
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

const char *operation_name(const struct operation *operation)
{
    return operation->name;
}

const char *operation_misfit(const struct operation *operation, const struct datatype *type,
                             bool accumulates)
{
    static char text[128];
    int class = 0;

    if (operation->accumulates_only)
        return accumulates ? NULL : "MPI_REPLACE is for one-sided communication only";
    switch (datatype_class(type)) {
    case DATATYPE_INTEGER:
        class = INTEGERS;
        break;
    case DATATYPE_FLOATING:
        class = FLOATINGS;
        break;
    case DATATYPE_BYTE:
        class = BYTES;
        break;
    case DATATYPE_PAIR:
        class = PAIRS;
        break;
    case DATATYPE_CHARACTER:
    case DATATYPE_DERIVED:
        break;
    }
    if (operation->classes & class)
        return NULL;
    snprintf(text, sizeof text, "%s is for %s, not for %.48s", operation->name, operation->fits,
             datatype_text(type));
    return text;
}

#if SKAMPI_MPI
const void *operation_handle(const struct operation *operation)
{
    static MPI_Op handles[OPERATION_COUNT];
    const MPI_Op all[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,   MPI_LOR,
                          MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};

    memcpy(handles, all, sizeof handles);
    return &handles[operation - operations];
}
#else
const void *operation_handle(const struct operation *operation)
{
    (void)operation;
    return NULL;
}
#endif

/* ---- Ways to access data of files ---- */

static const struct {
    int access;
    const char *read, *write;
} ways[] = {
    {0x111, "read_at", "write_at"},
    {0x112, "read", "write"},
    {0x114, "read_shared", "write_shared"},
    {0x121, "iread_at", "iwrite_at"},
    {0x122, "iread", "iwrite"},
    {0x124, "iread_shared", "iwrite_shared"},
    {0x211, "read_at_all", "write_at_all"},
    {0x212, "read_all", "write_all"},
    {0x214, "read_ordered", "write_ordered"},
    {0x221, "read_at_all_begin", "write_at_all_begin"},
    {0x222, "read_all_begin", "write_all_begin"},
    {0x224, "read_ordered_begin", "write_ordered_begin"},
};

int access_at(size_t i)
{
    return i < sizeof ways / sizeof *ways ? ways[i].access : 0;
}

const char *access_routine(int64_t access, bool writes)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].access == access)
            return writes ? ways[i].write : ways[i].read;
    return NULL;
}
