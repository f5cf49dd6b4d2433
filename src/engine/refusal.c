/*
 * Whether any set of PEs could be measured like this.
 */
#include <stdlib.h>

#include "comm/comm.h"
#include "engine/request.h"

int measurement_pes(void)
{
    return comm_world()->size;
}

char *engine_refusal_everywhere(const struct measure_request *request, int *argument)
{
    int world = measurement_pes();
    const int sizes[] = {1, 2, 4, world ? world : 1, 1 << 16};
    char *first =
        NULL; /* of a set that is large enough: larger ones may lack something else, too */

    if (request->function->neighborhood)
        return NULL; /* that depends on the set's topology */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct measure_request other = *request;
        struct pe_set *set = pe_set_strided(0, 1, sizes[i]);
        other.set = set;
        int offending;
        char *refusal = engine_refusal(&other, &offending);
        pe_set_release(set);
        if (!refusal) {
            free(first);
            return NULL;
        }
        if (!first && sizes[i] >= request->function->minimum_pes) {
            first = refusal;
            *argument = offending;
        } else {
            free(refusal);
        }
    }
    return first;
}
