/*
 * A family to start from: copy this file, rename what begins with example, and change what it does.
 *
 *   cp measurements/example.c measurements/shmem/swap.c
 *   rename measurements_example to measurements_swap in it
 *   add the line FAMILY(swap) to measurements/registry.c
 *   make && ./skampi --describe NAME
 *
 * `make` leaves this file itself out; tests/e2e/test_add_function.py goes through these steps with
 * it. A function of a family that exists needs its hooks and an entry in that family's table, no
 * line in the registry. CONTRIBUTING.md goes through the same for data of a size that the user
 * gives, and for ranks that only watch.
 *
 * The example swaps a long with the next rank around the ring.
 */
#include "measurements/common/shapes.h"

/* Hooks that call the library are left out where the program is built without it. The descriptor at
 * the end of the file is always there, so that scripts can ask is_supported(). */
#if SKAMPI_SHMEM

#include <shmem.h>

/* The word of this PE that others swap. run->scratch is symmetric memory: the same address on all
 * PEs, zeroed before set-up. Data of a size that the user gives are in run->local (this PE's side)
 * and run->remote (the other side). */
static long *word_of(const struct run *run)
{
    return (long *)(void *)run->scratch;
}

/* What a rank writes. It depends on run->seed, so that data left from before are noticed. */
static long value_of(const struct run *run, int rank)
{
    return (long)run->seed + rank + 1;
}

/* Before repetitions whose data are verified: the source gets its data, the target poison. For
 * run->local and run->remote there are data_fill_put() and its relatives in
 * measurements/common/shapes.h. */
static void fill(struct run *run)
{
    *word_of(run) = -1;
}

/* After them: run_fail() says what is wrong, and returns false. data_verify_moved() and its
 * relatives in measurements/common/shapes.h do both for run->local and run->remote. */
static bool verify(struct run *run)
{
    long wanted = value_of(run, (run->rank + run->size - 1) % run->size);
    return *word_of(run) == wanted ||
           run_fail(run, "wrong data: rank %d has %ld and should have %ld", run->rank,
                    *word_of(run), wanted);
}

/* One repetition, called by every member of the set. Prepare what you can before run_start(). Call
 * run_start() and run_stop() once each, also on a PE that only watches; that one returns NAN. The
 * atomic swap is complete when it returns. Operations that are not need a quiet, or bursts of at
 * most run->settings->max_outstanding: see put_loop() in measurements/shmem/ordering.c. */
static double run_swaps(struct run *run)
{
    long *target = word_of(run), value = value_of(run, run->rank);
    int pe = pe_set_member(run->set, (run->rank + 1) % run->size);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        shmem_long_atomic_swap(target, value, pe);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

#endif

/* How much memory a call needs, from the arguments alone. An argument is read by its name:
 * run_argument(run, "count")->integer. For data also set run->demand.local and run->demand.remote,
 * which have to fit into the user's buffer. */
static void demand(struct run *run)
{
    run->demand.reported = sizeof(long); /* the size column of the result */
}

/* The table: an entry for each function, then the end. src/engine/measurement.h describes all
 * members, measurements/common/shapes.h has parameters that families share, such as ITERATIONS and
 * COUNT_BYTES. The engine checks their ranges, and .minimum_pes: you need no check hook for that. A
 * parameter of your own states its range and a value for a first try:
 *
 *   {"depth", PARAMETER_INT, "", "swaps in flight", .minimum = 1, .maximum = 64, .example = "8"}
 */
const struct measurement measurements_example[] = {
    {"Shmem_Swap_Long_Round", "atomic swap with the next rank around the ring",
     .routine = "shmem_long_atomic_swap", /* what it measures: this name leads users here, too */
     .api = API_OPENSHMEM, .parameters = {ITERATIONS}, /* in the order of a script's arguments */
     /* Starts as the script chooses (window, barrier or none), and all between run_start() and
      * run_stop() is what is reported. */
     .timing = TIMING_WHOLE,
     .moves = MOVES_MESSAGE, /* the reported bytes, once: from this come bandwidth and rate */
     .scratch_bytes = sizeof(long), .demand = demand, .fill = WITH_SHMEM(fill),
     .verify = WITH_SHMEM(verify), .run = WITH_SHMEM(run_swaps),
     .timed = "atomic swap", /* for --describe: what the time is of, and who reports one */
     .who = "all"},
    {.name = NULL},
};
