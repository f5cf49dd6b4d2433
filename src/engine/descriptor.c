/*
 * What the descriptor of a measurement function says alone says about calls of it.
 */
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
