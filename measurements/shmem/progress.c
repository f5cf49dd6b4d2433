/*
 * Operations on a PE that computes: whether put, get and atomics progress without the target's
 * help; and what messages take from PEs that compute.
 *
 * Rank 0 works on rank 1, which computes from the start on without any call of the library. If
 * library or hardware progress without the target, the time is that of the operation alone;
 * otherwise it is about the rest of the computation.
 */
#include "measurements/common/pair_operation.h"

#if SKAMPI_SHMEM

#include <shmem.h>

/* s between two readings of the timer, if the processor does something else between them: longer
 * ones are other programs. */
#define SHORTEST_GAP 0.5e-6
#define LONGEST_GAP 200e-6

/* Of a computation of so many seconds, what was no computing: readings of the timer follow each
 * other at once, unless the processor does something else between them. */
static double gaps_of(double computation)
{
    const int64_t least = timer_ticks(SHORTEST_GAP), most = timer_ticks(LONGEST_GAP);
    int64_t last = timer_now(), end = last + timer_ticks(computation), lost = 0;
    while (last < end) {
        int64_t now = timer_now();
        lost += now - last > least && now - last < most ? now - last : 0;
        last = now;
    }
    return timer_seconds(lost);
}

static double run_computing(struct run *run)
{
    const struct partner partner = shape_partner(run, SHAPE_RING, 0);
    const double computation = run_argument(run, "computation")->real;
    const int64_t puts = run_integer(run, "window", 0);
    run_start(run);
    for (int64_t i = 0; i < puts; i++)
        shmem_putmem(run->remote, run->local, run->demand.reported, partner.pe);
    double lost = gaps_of(computation);
    run_stop(run);
    shmem_quiet();
    run_barrier(run);
    return lost;
}

static bool verify_put(struct run *run)
{
    const struct partner partner = shape_partner(run, SHAPE_RING, 0);
    return data_verify_moved(run, false, run->remote,
                             run_integer(run, "window", 0) ? partner.source : -1);
}

#endif

static const struct measurement computes = {
    .api = API_OPENSHMEM,
    .parameters = {COUNT_BYTES, COMPUTATION},
    .like = {&pair_computing},
};

static const enum pair_action put = PAIR_PUT, get = PAIR_GET, fetch_add = PAIR_FETCH_ADD;

const struct measurement measurements_progress[] = {
    {"Shmem_Put_Target_Computes", "put and quiet to a PE that computes", .like = {&computes},
     .routine = "shmem_put", .calls = "shmem_quiet", .timed = "put + quiet" TO_COMPUTING,
     .cost = "post + wire + quiet", .variant = &put},
    {"Shmem_Get_Target_Computes", "get from a PE that computes", .like = {&computes},
     .routine = "shmem_get", .timed = "get" TO_COMPUTING, .cost = "post + wire", .variant = &get},
    {"Shmem_Atomic_Fetch_Add_Long_Target_Computes", "fetching atomic on a PE that computes",
     .like = {&computes}, .routine = "shmem_long_atomic_fetch_add", .parameters = {COMPUTATION},
     .timed = "fetch-and-add" TO_COMPUTING, .cost = "fetch", .variant = &fetch_add},
    {"Shmem_Put_Computing_Loses", "what puts both ways take from PEs that compute",
     .api = API_OPENSHMEM, .routine = "shmem_put", .calls = "",
     .parameters = {COUNT_BYTES,
                    {"window", PARAMETER_INT, "", "puts of each PE before it computes",
                     .maximum = 1000, .example = "1"},
                    {"computation", PARAMETER_DOUBLE, "s", "time that all PEs compute", .most = 1,
                     .example = "0.001"}},
     .timing = TIMING_PARTS, .any_sign = true, .minimum_pes = 2, .moves = MOVES_NOTHING,
     .timed = "all gaps of 0.5 to 200 us between two readings of the timer, during a computation "
              "after puts to the next rank",
     .who = "all", .demand = data_demand, .fill = WITH_SHMEM(data_fill_put),
     .verify = WITH_SHMEM(verify_put), .run = WITH_SHMEM(run_computing)},
    {.name = NULL},
};
