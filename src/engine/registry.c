#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "engine/measurement.h"

/* Functions that are known to crash in a version of a library: listed, never called. */
static const struct defect {
    const char *function; /* prefix of the script name */
    const char *library;  /* part of comm_library() */
    const char *reason;
} defects[] = {
    {NULL, NULL, NULL}, /* ends the table */
};

const struct measurement *measurement_at(size_t i)
{
    for (size_t family = 0; family < measurement_family_count; family++) {
        if (i < *measurement_families[family].count)
            return &measurement_families[family].functions[i];
        i -= *measurement_families[family].count;
    }
    return NULL;
}

const struct measurement *measurement_find(const char *name)
{
    const struct measurement *function;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;
    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name)
        count++;
    return count;
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
        return "the library that this program was built with is too old for it";
    for (const struct defect *defect = defects; defect->function; defect++)
        if (strncmp(function->name, defect->function, strlen(defect->function)) == 0 &&
            strstr(comm_library(), defect->library))
            return defect->reason;
    return function->run ? NULL : "the library that this program was built with lacks it";
}
