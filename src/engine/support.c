/*
 * Whether this build and the library it runs on support a measurement function.
 */
#include <stdio.h>

#include "comm/comm.h"
#include "engine/measurement.h"
#include "engine/start.h"

/* One text for all: they differ in the version alone, and few versions matter. */
static const char *too_old(const struct measurement *function, int major, int minor)
{
    static char text[96];
    snprintf(text, sizeof text, "needs %s %d.%d; this program was built with %d.%d",
             function->api == API_MPI ? "MPI" : "OpenSHMEM", function->version_major,
             function->version_minor, major, minor);
    return text;
}

/* NULL where the library has been started for several threads, or will be asked to. */
static const char *without_threads(void)
{
    switch (process_threads()) {
    case THREADS_NOT_ASKED:
        return "several threads call the library: start skampi with --threads";
    case THREADS_REFUSED:
        return "this library does not let several threads call it (no SHMEM_THREAD_MULTIPLE)";
    default:
        return NULL;
    }
}

const char *measurement_unsupported(const struct measurement *function)
{
    int major = 0, minor = 0;
    if (function->api == API_OPENSHMEM && !comm_has_shmem(&major, &minor))
        return "this program was built without OpenSHMEM";
    if (function->api == API_MPI && !comm_has_mpi(&major, &minor))
        return "this program was built without MPI";
    if (function->version_major > major ||
        (function->version_major == major && function->version_minor > minor))
        return too_old(function, major, minor);
    const char *defect = defect_of(DEFECT_CRASHES, function->name, comm_library());
    if (defect)
        return defect;
    const char *threads = function->threads ? without_threads() : NULL;
    if (threads)
        return threads;
    return function->run ? NULL : "the library that this program was built with lacks it";
}

const char *measurement_wrong_values(const struct measurement *function)
{
    return defect_of(DEFECT_WRONG_VALUES, function->name, comm_library());
}

const char *measurement_window_sizes(const struct measurement *function)
{
    return defect_of(DEFECT_WINDOW_SIZES, function->name, comm_library());
}

const char *measurement_data(const struct measurement *function)
{
    if (function->synchronizes)
        return "none; that nobody leaves before all have entered is verified before the timed "
               "repetitions and after them";
    if (function->no_data || function->api == API_NONE)
        return "none";
    if (function->own_check)
        return "verified in each repetition";
    return function->fill && function->verify
               ? "verified before the timed repetitions, after the last of them, and once more"
               : NULL;
}
