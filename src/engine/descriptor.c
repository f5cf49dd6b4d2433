/*
 * What the descriptor of a measurement function says about calls of it, and about this build.
 */
#include <stdio.h>

#include "comm/comm.h"
#include "engine/defects.h"
#include "engine/measurement.h"

void measurement_demand(const struct measurement *function, const struct argument *arguments,
                        const struct pe_set *set, struct demand *demand)
{
    *demand = (struct demand){0};
    if (!function->demand)
        return;
    int partners =
        function->neighborhood ? topology_degree(pe_set_topology(set)) : pe_set_size(set);
    function->demand(function, arguments, partners, demand);
}

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;
    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name)
        count++;
    return count;
}

size_t measurement_required_count(const struct measurement *function)
{
    size_t count = 0, all = measurement_parameter_count(function);
    while (count < all && !function->otherwise[count])
        count++;
    return count;
}

size_t measurement_weight(const struct measurement *function, const struct demand *demand)
{
    size_t remote = function->api == API_MPI ? demand->remote : 0, data;
    if (__builtin_add_overflow(demand->local, remote, &data))
        return SIZE_MAX;
    return data > demand->own ? data : demand->own;
}

/* One text for all: they differ in the version alone, and few versions matter. */
static const char *too_old(const struct measurement *function, int major, int minor)
{
    static char text[96];
    snprintf(text, sizeof text, "needs %s %d.%d; this program was built with %d.%d",
             function->api == API_MPI ? "MPI" : "OpenSHMEM", function->version_major,
             function->version_minor, major, minor);
    return text;
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
    if (function->no_data || function->api == API_NONE)
        return "none";
    if (function->own_check)
        return "verified in each repetition";
    return function->fill && function->verify
               ? "verified before and after the timed repetitions, and the last one's"
               : NULL;
}
