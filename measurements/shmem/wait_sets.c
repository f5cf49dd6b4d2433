/*
 * Waiting for and testing several variables at once: all, any or some of them, compared with one
 * value or (vector) each with its own. The conditions hold already: what is timed is looking.
 */
#include "measurements/common/openshmem.h"
#include "measurements/common/shapes.h"

/* Symmetric variables, and what they are compared with. */
struct watched_variables {
    int *variables;
    size_t n;
    int value;
    int *values; /* one for each, all equal */
    size_t *indices;
};

struct routine {
    /* Returns how many conditions it found to hold; 1 where it names one of them. */
    size_t (*look)(const struct watched_variables *);
    bool one;                     /* it names one of those that hold */
    bool sees_what_does_not_hold; /* it returns, with nothing, when none holds */
};

#if SKAMPI_SHMEM_1_5

#define HELD 42
#define NO_STATUS NULL /* nothing is left out */

/* clang-format off */
#define LOOK(name, found) \
    static size_t name(const struct watched_variables *w) \
    { \
        return found; \
    }

LOOK(wait_all, (shmem_int_wait_until_all(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->value), w->n))
LOOK(wait_any, shmem_int_wait_until_any(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->value) < w->n)
LOOK(wait_some, shmem_int_wait_until_some(w->variables, w->n, w->indices, NO_STATUS, SHMEM_CMP_EQ, w->value))
LOOK(test_all, shmem_int_test_all(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->value) ? w->n : 0)
LOOK(test_any, shmem_int_test_any(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->value) < w->n)
LOOK(test_some, shmem_int_test_some(w->variables, w->n, w->indices, NO_STATUS, SHMEM_CMP_EQ, w->value))
LOOK(wait_all_vector, (shmem_int_wait_until_all_vector(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->values), w->n))
LOOK(wait_any_vector, shmem_int_wait_until_any_vector(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->values) < w->n)
LOOK(wait_some_vector, shmem_int_wait_until_some_vector(w->variables, w->n, w->indices, NO_STATUS, SHMEM_CMP_EQ, w->values))
LOOK(test_all_vector, shmem_int_test_all_vector(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->values) ? w->n : 0)
LOOK(test_any_vector, shmem_int_test_any_vector(w->variables, w->n, NO_STATUS, SHMEM_CMP_EQ, w->values) < w->n)
LOOK(test_some_vector, shmem_int_test_some_vector(w->variables, w->n, w->indices, NO_STATUS, SHMEM_CMP_EQ, w->values))
/* clang-format on */

static bool set_up(struct run *run)
{
    const struct routine *routine = run->function->variant;
    struct watched_variables *watched = run->state;
    size_t n = (size_t)run_argument(run, "nelems")->integer;
    *watched =
        (struct watched_variables){.variables = (int *)(void *)run->scratch,
                                   .n = n,
                                   .value = HELD,
                                   .values = run_allocate(run, n, sizeof *watched->values),
                                   .indices = run_allocate(run, n, sizeof *watched->indices)};
    for (size_t i = 0; i < n; i++)
        watched->variables[i] = watched->values[i] = HELD;
    size_t found = routine->look(watched), wanted = routine->one ? 1 : n;
    if (found != wanted)
        return run_fail(run, "on rank %d %zu conditions seem to hold instead of %zu", run->rank,
                        found, wanted);
    if (!routine->sees_what_does_not_hold)
        return true;
    for (size_t i = 0; i < n; i++)
        watched->variables[i] = 0;
    found = routine->look(watched);
    for (size_t i = 0; i < n; i++)
        watched->variables[i] = HELD;
    return found == 0 ? true
                      : run_fail(run, "on rank %d %zu conditions seem to hold, but none does",
                                 run->rank, found);
}

static double run_looks(struct run *run)
{
    const struct routine *routine = run->function->variant;
    const struct watched_variables *watched = run->state;
    size_t found = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        found += routine->look(watched);
    double seconds = run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
    if (found != (routine->one ? 1 : watched->n) * (size_t)run->iterations)
        run_fail(run, "rank %d: conditions that hold were not found to hold", run->rank);
    return seconds;
}

#endif

static void demand(struct run *run)
{
    run->demand.scratch = (size_t)run_argument(run, "nelems")->integer * sizeof(int);
}

/* clang-format off */
#define ELEMENTS {"nelems", PARAMETER_INT, "", "number of variables", .minimum = 1, .maximum = INT32_MAX, .example = "8"}
/* clang-format on */

static const struct measurement waiting = {
    API_OPENSHMEM_1_5,
    .parameters = {ITERATIONS, ELEMENTS},
    .timing = TIMING_WHOLE,
    .no_data = true,
    .timed = "wait_until",
    .who = "all",
    .state_bytes = sizeof(struct watched_variables),
    .demand = demand,
    .setup = WITH_SHMEM_1_5(set_up),
    .run = WITH_SHMEM_1_5(run_looks),
};
static const struct measurement testing = {.timed = "test", .like = {&waiting}};

/* clang-format off */
const struct measurement measurements_wait_sets[] = {
    {"Shmem_Wait_Until_All", "waiting for ints: all of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_all", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_all), false, false}},
    {"Shmem_Wait_Until_All_Vector", "waiting for ints, each with its value: all of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_all_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_all_vector), false, false}},
    {"Shmem_Wait_Until_Any", "waiting for ints: any one of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_any", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_any), true, false}},
    {"Shmem_Wait_Until_Any_Vector", "waiting for ints, each with its value: any one of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_any_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_any_vector), true, false}},
    {"Shmem_Wait_Until_Some", "waiting for ints: some of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_some", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_some), false, false}},
    {"Shmem_Wait_Until_Some_Vector", "waiting for ints, each with its value: some of them; all hold already", {&waiting}, .routine = "shmem_int_wait_until_some_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(wait_some_vector), false, false}},
    {"Shmem_Test_All", "testing ints: whether all hold; all do", {&testing}, .routine = "shmem_int_test_all", .variant = &(const struct routine){WITH_SHMEM_1_5(test_all), false, true}},
    {"Shmem_Test_All_Vector", "testing ints, each with its value: whether all hold; all do", {&testing}, .routine = "shmem_int_test_all_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(test_all_vector), false, true}},
    {"Shmem_Test_Any", "testing ints: which one holds; all do", {&testing}, .routine = "shmem_int_test_any", .variant = &(const struct routine){WITH_SHMEM_1_5(test_any), true, true}},
    {"Shmem_Test_Any_Vector", "testing ints, each with its value: which one holds; all do", {&testing}, .routine = "shmem_int_test_any_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(test_any_vector), true, true}},
    {"Shmem_Test_Some", "testing ints: which ones hold; all do", {&testing}, .routine = "shmem_int_test_some", .variant = &(const struct routine){WITH_SHMEM_1_5(test_some), false, true}},
    {"Shmem_Test_Some_Vector", "testing ints, each with its value: which ones hold; all do", {&testing}, .routine = "shmem_int_test_some_vector", .variant = &(const struct routine){WITH_SHMEM_1_5(test_some_vector), false, true}},
    {.name = NULL},
};
/* clang-format on */
