/*
 * Order as Coarray Fortran needs it: what an image has put it must get back, and the library
 * promises that only after a quiet. A compiler puts the quiet behind each put, or in front of each
 * get, or leaves both out where it knows that the places differ.
 *
 * Put with local completion is Shmem_Put_Call, put + quiet is Shmem_Put_Full.
 */
#include "measurements/common/shapes.h"

/* Which quiets there are around a read-modify-write. */
enum { AFTER_PUT = 1, BEFORE_GET = 2 };

/* Without a quiet, updates of one record could overtake each other: this many updates in a row go
 * to different records. */
#define RECORDS 16

struct discipline {
    unsigned quiets;
    int records; /* that updates take turns in */
};

#if SKAMPI_SHMEM

#include <shmem.h>
#include <string.h>

struct order_state {
    int next;            /* PE of the next rank */
    int64_t updates;     /* since records were filled; in cold memory, of each place */
    unsigned char *copy; /* what is got */
};

static bool set_up(struct run *run)
{
    struct order_state *state = run->state;
    state->next = pe_set_member(run->set, (run->rank + 1) % run->size);
    state->copy = run_allocate(run, 1, run->demand.local);
    return true;
}

/* ---- Quiet and get ---- */

static inline void quiet_get(struct run *run, int64_t iteration)
{
    const struct order_state *state = run->state;
    shmem_quiet();
    shmem_getmem(run->local + (size_t)iteration * run->local_step,
                 run->remote + (size_t)iteration * run->remote_step, run->demand.local,
                 state->next);
}

static double run_quiet_get(struct run *run)
{
    return time_iterations(run, true, quiet_get);
}

static bool verify_get(struct run *run)
{
    return data_verify_moved(run, true, run->remote, (run->rank + 1) % run->size);
}

/* ---- Put, quiet and get of the same place ---- */

static inline void put_quiet_get(struct run *run, int64_t iteration)
{
    const struct order_state *state = run->state;
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    shmem_putmem(remote, run->local + (size_t)iteration * run->local_step, run->demand.local,
                 state->next);
    shmem_quiet();
    shmem_getmem(state->copy, remote, run->demand.local, state->next);
}

static double run_put_quiet_get(struct run *run)
{
    return time_iterations(run, true, put_quiet_get);
}

static void fill_put(struct run *run)
{
    const struct order_state *state = run->state;
    data_fill_put(run);
    data_poison(state->copy, run->demand.local);
}

static bool verify_put(struct run *run)
{
    const struct order_state *state = run->state;
    return data_verify_put_around(run) && data_verify(run, "what was got after it was put",
                                                      state->copy, run->demand.local, run->rank);
}

/* ---- Read, modify, write ---- */

/* A record begins with a counter. The rest is a pattern that goes there and back. */
static inline void update(const struct run *run, unsigned quiets, unsigned char *record,
                          unsigned char *local, int pe)
{
    size_t bytes = run->demand.local;
    uint64_t counter;
    if (quiets & BEFORE_GET)
        shmem_quiet();
    shmem_getmem(local, record, bytes, pe);
    memcpy(&counter, local, sizeof counter);
    counter++;
    memcpy(local, &counter, sizeof counter);
    shmem_putmem(record, local, bytes, pe);
    if (quiets & AFTER_PUT)
        shmem_quiet();
}

static bool is_cold(const struct run *run)
{
    return run->remote_step > 0;
}

static int records_in_use(const struct run *run)
{
    const struct discipline *discipline = run->function->variant;
    return is_cold(run) ? 1 : discipline->records;
}

static unsigned char *record_of(const struct run *run, int i)
{
    return run->remote + (size_t)i * run->demand.local;
}

static double run_updates(struct run *run)
{
    const struct discipline *discipline = run->function->variant;
    struct order_state *state = run->state;
    int records = records_in_use(run);
    int64_t most = run->settings->max_outstanding; /* before an untimed quiet completes them */
    if (discipline->quiets)
        most = run->iterations;
    else if (most > RECORDS)
        most = RECORDS;
    double seconds = 0;
    run_start(run);
    for (int64_t done = 0; done < run->iterations; done += most) {
        int64_t burst = run->iterations - done < most ? run->iterations - done : most;
        int64_t start = timer_now();
        for (int64_t i = done; i < done + burst; i++)
            update(run, discipline->quiets,
                   record_of(run, (int)((state->updates + i) % records)) +
                       (size_t)i * run->remote_step,
                   run->local + (size_t)i * run->local_step, state->next);
        seconds += run_elapsed(run, start, timer_now());
        shmem_quiet();
    }
    run_stop(run);
    state->updates += is_cold(run) ? 1 : run->iterations;
    return seconds / (double)run->iterations;
}

static void fill_records(struct run *run)
{
    const struct discipline *discipline = run->function->variant;
    struct order_state *state = run->state;
    for (int i = 0; i < discipline->records; i++) {
        pattern_fill(record_of(run, i), run->demand.local, data_key(run, run->rank));
        memset(record_of(run, i), 0, sizeof(uint64_t));
    }
    data_poison(run->local, run->demand.local);
    state->updates = 0;
}

/* An update that got an old value is lost. The rank before has made as many as this one. */
static bool verify_records(struct run *run)
{
    const struct discipline *discipline = run->function->variant;
    const struct order_state *state = run->state;
    int records = discipline->records, in_use = records_in_use(run);
    size_t bytes = run->demand.local, head = sizeof(uint64_t);
    unsigned char *expected = state->copy;
    pattern_fill(expected, bytes, data_key(run, run->rank));
    for (int i = 0; i < records; i++) {
        uint64_t counter;
        /* Records in use take turns: all have about as many updates. */
        int64_t wanted = i < in_use ? state->updates / in_use + (i < state->updates % in_use) : 0;
        memcpy(&counter, record_of(run, i), head);
        if (counter != (uint64_t)wanted)
            return run_fail(run, "wrong data: %lld updates of a record on rank %d counted to %llu",
                            (long long)wanted, run->rank, (unsigned long long)counter);
        if (!data_verify_equal(run, "the rest of a record", record_of(run, i) + head,
                               expected + head, bytes - head))
            return false;
    }
    return true;
}

#endif

static void demand(struct run *run)
{
    const struct discipline *discipline = run->function->variant;
    run->demand.local = run->demand.reported = (size_t)run_argument(run, "count")->integer;
    run->demand.remote = run->demand.local * (discipline ? (size_t)discipline->records : 1);
}

/* clang-format off */
#define RECORD_BYTES {"count", PARAMETER_INT, "bytes", "size of a record, of which the first 8 bytes are changed", .size = true, .minimum = 8, .example = "1024"}
/* clang-format on */
static const struct measurement places = {
    .api = API_OPENSHMEM,
    .who = "all",
    .timing = TIMING_WHOLE,
    .parameters = {COUNT_BYTES, ITERATIONS},
    .demand = demand,
    SHMEM_STATE(struct order_state),
    .setup = WITH_SHMEM(set_up),
};
static const struct measurement updates = {.like = {&places},
                                           .timing = TIMING_PARTS,
                                           .moves = MOVES_NOTHING,
                                           .parameters = {RECORD_BYTES, ITERATIONS},
                                           .one_place = true,
                                           .fill = WITH_SHMEM(fill_records),
                                           .verify = WITH_SHMEM(verify_records),
                                           .run = WITH_SHMEM(run_updates)};

const struct measurement measurements_caf_order[] = {
    {"Shmem_Quiet_Get", "a quiet in front of each get, with nothing outstanding",
     .routine = "shmem_get", .calls = "shmem_quiet", .like = {&places},
     .fill = WITH_SHMEM(data_fill_get), .verify = WITH_SHMEM(verify_get),
     .run = WITH_SHMEM(run_quiet_get), .moves = MOVES_NOTHING, .timed = "quiet + get",
     .cost = "quiet + post + wire"},
    {"Shmem_Put_Quiet_Get", "a put, a quiet, and a get that reads what was put",
     .calls = "shmem_put shmem_quiet shmem_get", .like = {&places}, .fill = WITH_SHMEM(fill_put),
     .verify = WITH_SHMEM(verify_put), .run = WITH_SHMEM(run_put_quiet_get),
     .moves = MOVES_BOTH_WAYS, .timed = "put + quiet + get", .cost = "2 * post + 2 * wire + quiet"},
    {"Shmem_Rmw_Local",
     "get, change and put of different records: puts return when the source can be changed again",
     .calls = "shmem_get shmem_put", .like = {&updates},
     .variant = &(const struct discipline){0, RECORDS}, .timed = "get + put; quiet untimed",
     .cost = "2 * post + wire"},
    {"Shmem_Rmw_Put_Quiet", "get, change and put of one record, a quiet after each put",
     .calls = "shmem_get shmem_put shmem_quiet", .like = {&updates},
     .variant = &(const struct discipline){AFTER_PUT, 1}, .timed = "get + put + quiet",
     .cost = "2 * post + 2 * wire + quiet"},
    {"Shmem_Rmw_Quiet_Get", "get, change and put of one record, a quiet in front of each get",
     .calls = "shmem_quiet shmem_get shmem_put", .like = {&updates},
     .variant = &(const struct discipline){BEFORE_GET, 1}, .timed = "quiet + get + put"},
    {"Shmem_Rmw_Quiet_Both",
     "get, change and put of one record, a quiet in front of each get and after each put",
     .calls = "shmem_quiet shmem_get shmem_put", .like = {&updates},
     .variant = &(const struct discipline){AFTER_PUT | BEFORE_GET, 1},
     .timed = "quiet + get + put + quiet", .cost = "2 * post + 2 * wire + 2 * quiet"},
    {.name = NULL},
};
