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
