/*
 * Loops of many calls, timed from outside by the system's clock, as a measurement function of
 * a program of their own: Loop(NAME) stands beside the functions that it is to be compared with, in
 * the same run, on the same memory. See test_loops.py.
 */
#include <math.h>
#include <shmem.h>
#include <string.h>

#include "measurements/common/shapes.h"
#include "truth/programs/timing.h"

/* Parts that are seldom interrupted, the typical one of which counts. */
#define PARTS 25
#define CALLS 10000
#define BYTES 8

struct site {
    void *remote, *local;
    int *word, *one;
    int other;
};

#define LOOPS(X)                                                                                   \
    X(put_quiet, shmem_putmem(at.remote, at.local, BYTES, at.other); shmem_quiet())                \
    X(put_quiet_quiet, shmem_putmem(at.remote, at.local, BYTES, at.other); shmem_quiet();          \
      shmem_quiet())                                                                               \
    X(get, shmem_getmem(at.local, at.remote, BYTES, at.other))                                     \
    X(p_quiet, shmem_int_p(at.word, 1, at.other); shmem_quiet())                                   \
    X(g, *at.one = shmem_int_g(at.word, at.other))                                                 \
    X(put_element_quiet, shmem_put64(at.remote, at.local, 1, at.other); shmem_quiet())             \
    X(iput_quiet, shmem_char_iput(at.remote, at.local, 2, 2, 4, at.other); shmem_quiet())          \
    X(iget, shmem_char_iget(at.local, at.remote, 2, 2, 4, at.other))                               \
    X(inc_quiet, shmem_int_atomic_inc(at.word, at.other); shmem_quiet())                           \
    X(set_quiet, shmem_long_atomic_set(at.remote, 1, at.other); shmem_quiet())                     \
    X(fetch, *at.one = shmem_int_atomic_fetch(at.word, at.other))                                  \
    X(fence, shmem_fence())                                                                        \
    X(fetch_add, shmem_int_atomic_fetch_add(at.word, 1, at.other))                                 \
    X(swap, shmem_long_atomic_swap(at.remote, 1, at.other))                                        \
    X(quiet, shmem_quiet())                                                                        \
    X(wait_until, shmem_int_wait_until(at.one, SHMEM_CMP_EQ, 1))                                   \
    X(test, shmem_int_test(at.one, SHMEM_CMP_EQ, 1))

#define DEFINE(name, statement)                                                                    \
    static void loop_##name(struct site at)                                                        \
    {                                                                                              \
        (void)at;                                                                                  \
        for (int i = 0; i < CALLS; i++) {                                                          \
            statement;                                                                             \
        }                                                                                          \
    }
LOOPS(DEFINE)

#define ENTRY(name, statement) {#name, loop_##name},
static const struct {
    const char *name;
    void (*run)(struct site);
} loops[] = {LOOPS(ENTRY)};

static double run_loop(struct run *run)
{
    int *words = (int *)(void *)run->scratch;
    struct site at = {run->remote, run->local, words, words + 16,
                      shape_partner(run, SHAPE_RING, 0).pe};
    double parts[PARTS];
    size_t i = 0;
    while (strcmp(loops[i].name, run->arguments[0].string) != 0)
        i++;
    *at.one = 1;
    run_start(run);
    for (int part = 0; part < PARTS; part++) {
        int64_t start = now_ns();
        loops[i].run(at);
        parts[part] = (double)(now_ns() - start) / CALLS;
    }
    run_stop(run);
    return typical(parts, PARTS) * 1e-9;
}

static const char *check_name(const struct run *run)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(loops[i].name, run->arguments[0].string) == 0)
            return NULL;
    return "there is no such loop";
}

static void demand(struct run *run)
{
    run->demand.local = run->demand.remote = run->demand.reported = BYTES;
    run->demand.scratch = 32 * sizeof(int);
}

static const struct measurement loop_functions[] = {
    {"Loop", "many calls, timed from outside", .api = API_OPENSHMEM,
     .parameters = {{"name", PARAMETER_STRING, "", "of what is called", 0}}, .check = check_name,
     .demand = demand, .run = run_loop, .timed = "the calls", .who = "all"},
    {.name = NULL},
};

/* Instead of measurements/registry.c. */
extern const struct measurement measurements_rma[], measurements_rma_elements[],
    measurements_atomic[], measurements_ordering[], measurements_p2p_sync[];

const struct measurement *const measurement_families[] = {
    measurements_rma,
    measurements_rma_elements,
    measurements_atomic,
    measurements_ordering,
    measurements_p2p_sync,
    loop_functions,
    NULL,
};
const char *const measurement_family_names[] = {
    "rma", "rma_elements", "atomic", "ordering", "p2p_sync", "loop_functions", NULL,
};
