/*
 * The table of known defects.
 */
#include "engine/defects.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_MPI "Open MPI "
#define MPICH "MPICH "
#define SMASHES_STACK                                                                              \
    "known defect: Open MPI up to 4.1.4 smashes the stack in 32-bit compare-and-swap; the 64-bit " \
    "one works"
/* The target becomes old OP old instead of old OP value; what is fetched is right. Over TCP it
 * does what it should. */
#define IGNORES_VALUE                                                                              \
    "known defect: Open MPI up to 4.1.4 ignores the operand of this operation on the same node"
#define READS_AT_INIT                                                                              \
    "known defect: MPICH up to 4.0.2 reads what a persistent gather or allgather sends when the "  \
    "operation is made, not when it is started"
#define SECOND_START_ABORTS                                                                        \
    "known defect: MPICH up to 4.0.2 aborts when a persistent scatter of 3 or more PEs is "        \
    "started "                                                                                     \
    "a second time"
#define MISPLACES_DATA                                                                             \
    "known defect: MPICH up to 4.0.2 misplaces data in a window by MPI_Win_allocate whose size "   \
    "is no multiple of 16 bytes, so this window is up to 15 bytes larger"

static const struct defect {
    const char *function; /* pattern of the script name, as for file names */
    const char *library;  /* in comm_library(), right before the version, with or without a "v" */
    const char *last;     /* version that has it */
    enum defect_kind kind;
    const char *reason;
} defects[] = {
    {"Shmem_*Atomic_Compare_Swap_Yes", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_No", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_Yes_Contended", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_No_Contended", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Fetch_And*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"Shmem_*Atomic_Fetch_Or*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"Shmem_*Atomic_Fetch_Xor*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"Gather_Persistent_*", MPICH, "4.0.2", DEFECT_WRONG_VALUES, READS_AT_INIT},
    {"Allgather_Persistent_*", MPICH, "4.0.2", DEFECT_WRONG_VALUES, READS_AT_INIT},
    {"Scatter_Persistent_Start", MPICH, "4.0.2", DEFECT_CRASHES, SECOND_START_ABORTS},
    {"Scatter_Persistent_Full", MPICH, "4.0.2", DEFECT_CRASHES, SECOND_START_ABORTS},
    {"*", MPICH, "4.0.2", DEFECT_WINDOW_SIZES, MISPLACES_DATA},
};

/* The next number of a version; *version moves past it. */
static long next_number(const char **version)
{
    if (!isdigit((unsigned char)**version))
        return 0;
    char *end;
    long number = strtol(*version, &end, 10);
    *version = *end == '.' ? end + 1 : "";
    return number;
}

int version_compare(const char *a, const char *b)
{
    while (isdigit((unsigned char)*a) || isdigit((unsigned char)*b)) {
        long left = next_number(&a), right = next_number(&b);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* Where the version of the library that is named so begins in the text; NULL when it is not that
 * library, or the version is unknown. */
static const char *version_in(const char *text, const char *name)
{
    const char *version = strstr(text, name);
    if (!version)
        return NULL;
    version += strlen(name);
    version += *version == 'v';
    return isdigit((unsigned char)*version) ? version : NULL;
}

const char *defect_of(enum defect_kind kind, const char *function, const char *library)
{
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        const char *version = version_in(library, defects[i].library);
        if (defects[i].kind == kind && version && fnmatch(defects[i].function, function, 0) == 0 &&
            version_compare(version, defects[i].last) <= 0)
            return defects[i].reason;
    }
    return NULL;
}
