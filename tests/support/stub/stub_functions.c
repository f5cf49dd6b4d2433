/*
 * A few measurement functions in the place of the real families, for scripts that the stub engine
 * runs.
 */
#include <string.h>

#include "engine/measurement.h"

static void count_bytes(struct run *run)
{
    run->demand.local = run->demand.remote = (size_t)run_integer(run, "count", 0);
}

#define COUNT                                                                                      \
    {                                                                                              \
        .name = "count", .type = PARAMETER_INT, .unit = "bytes"                                    \
    }
#define ITERATIONS                                                                                 \
    {                                                                                              \
        .name = "iterations", .type = PARAMETER_ITERATIONS, .unit = "", .minimum = 1               \
    }

static const struct measurement functions[] = {
    {.name = "Shmem_Put_Simple", .parameters = {COUNT, ITERATIONS}, .demand = count_bytes},
    {.name = "Shmem_Put_Round", .parameters = {COUNT, ITERATIONS}, .demand = count_bytes},
    {.name = "Shmem_Put_Full", .parameters = {COUNT, ITERATIONS}, .demand = count_bytes},
    {.name = "Shmem_Get_Round", .parameters = {COUNT, ITERATIONS}, .demand = count_bytes},
    {.name = "Shmem_Bcast_All",
     .parameters = {ITERATIONS, COUNT, {.name = "root", .type = PARAMETER_RANK}},
     .demand = count_bytes},
    {.name = "Shmem_Quiet", .parameters = {ITERATIONS}},
    {.name = "Shmem_Barrier"},
    {.name = "Fake_Arguments",
     .parameters = {{.name = "i", .type = PARAMETER_INT, .minimum = -100},
                    {.name = "x", .type = PARAMETER_DOUBLE},
                    {.name = "text", .type = PARAMETER_STRING},
                    {.name = "items", .type = PARAMETER_INT_ARRAY}}},
    {.name = "Fake_Failing", .parameters = {COUNT}, .demand = count_bytes},
    {.name = "Fake_Unsupported", .parameters = {COUNT}, .demand = count_bytes},
    {0},
};

const struct measurement *const measurement_families[] = {functions, NULL};
const char *const measurement_family_names[] = {"stub"};
