/*
 * Locks: set, cleared and tested one PE after the other, and with all PEs in the queue.
 *
 * A lock that is set cannot be set again before it is cleared, and one call is short beside a
 * reading of the timer. So single calls are timed over a row of locks, with two readings for the
 * row. The row also has a lock managed by each PE where a library tells the manager by the address.
 *
 * Whoever holds locks for others to test waits in the engine's barrier until all have done so: no
 * test can come too late, and the library is driven meanwhile, as those need that emulate locks.
 */
#include "measurements/shapes.h"

enum holder { NOBODY, RANK_1, LAST_RANK, EACH_IN_TURN };
enum actors { RANK_0, TOGETHER, IN_TURN };

/* One act on the row by each actor, but not by whoever holds it. */
struct locking {
    double (*act)(struct run *); /* seconds per call */
    enum holder holder;
    enum actors actors;
};

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

#define LOCKS 16
#define ROUNDS 2 /* of tests over a row that is held */
/* Long enough for all others to be in the queue when the lock is handed over. */
#define HOLD_SECONDS 2e-6
#define BARRIERS 8   /* of the reference */
#define INCREMENTS 2 /* of the verification, by each rank */

/* Symmetric. */
struct row {
    long lock[LOCKS];
    long counter; /* on rank 0 */
};

/* Of this PE, in all repetitions. */
struct waits {
    double seconds;
    int64_t count;
};

static struct row *row_of(const struct run *run)
{
    return (struct row *)(void *)run->scratch;
}

/* ---- The row ---- */

static void set_all(struct run *run)
{
    struct row *row = row_of(run);
    for (int i = 0; i < LOCKS; i++)
        shmem_set_lock(&row->lock[i]);
}

/* Releases may still be under way when the calls return: the next to test must find them done. */
static void clear_some(struct run *run, unsigned locks)
{
    struct row *row = row_of(run);
    for (int i = 0; i < LOCKS; i++)
        if (locks >> i & 1)
            shmem_clear_lock(&row->lock[i]);
    shmem_quiet();
}

#define ALL_LOCKS ((1u << LOCKS) - 1)

/* ---- What is timed ---- */

static double act_set(struct run *run)
{
    int64_t start = timer_now();
    set_all(run);
    double seconds = run_elapsed(run, start, timer_now());
    clear_some(run, ALL_LOCKS);
    return seconds / LOCKS;
}

static double act_clear(struct run *run)
{
    struct row *row = row_of(run);
    set_all(run);
    int64_t start = timer_now();
    for (int i = 0; i < LOCKS; i++)
        shmem_clear_lock(&row->lock[i]);
    double seconds = run_elapsed(run, start, timer_now());
    shmem_quiet();
    return seconds / LOCKS;
}

/* Tests the row some times; seconds per call. acquired: the locks for which it said so. */
static double test_row(struct run *run, int rounds, unsigned *acquired)
{
    struct row *row = row_of(run);
    unsigned free = 0;
    int64_t start = timer_now();
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < LOCKS; i++)
            free |= (unsigned)(shmem_test_lock(&row->lock[i]) == 0) << i;
    double seconds = run_elapsed(run, start, timer_now());
    *acquired = free;
    return seconds / rounds / LOCKS;
}

/* A test that succeeds acquires: what it did acquire is released in any case. */
static double act_test_free(struct run *run)
{
    unsigned acquired;
    double seconds = test_row(run, 1, &acquired);
    clear_some(run, acquired);
    if (acquired != ALL_LOCKS)
        run_fail(run, "rank %d did not acquire a free lock by testing it", run->rank);
    return seconds;
}

static double act_test_held(struct run *run)
{
    unsigned acquired;
    double seconds = test_row(run, ROUNDS, &acquired);
    clear_some(run, acquired);
    if (acquired)
        run_fail(run, "rank %d acquired a lock that another one holds", run->rank);
    return seconds;
}

/* ---- Who does it when ---- */

static int first_holder(const struct run *run, enum holder holder)
{
    const int first[] = {
        [NOBODY] = -1, [RANK_1] = 1, [LAST_RANK] = run->size - 1, [EACH_IN_TURN] = 0};
    return first[holder];
}

static bool acts(const struct run *run, enum actors actors, int holder, int turn)
{
    const int only[] = {[RANK_0] = 0, [TOGETHER] = run->rank, [IN_TURN] = turn};
    return run->rank != holder && run->rank == only[actors];
}

static double run_acts(struct run *run)
{
    const struct locking *locking = run->function->variant;
    int turns = locking->actors == IN_TURN ? run->size : 1, done = 0;
    int holder = first_holder(run, locking->holder);
    int last = locking->holder == EACH_IN_TURN ? run->size - 1 : holder;
    double seconds = 0;
    run_start(run);
    for (; holder <= last; holder++) {
        if (run->rank == holder)
            set_all(run);
        run_barrier(run);
        for (int turn = 0; turn < turns; turn++) {
            if (acts(run, locking->actors, holder, turn)) {
                seconds += locking->act(run);
                done++;
            }
            run_barrier(run);
        }
        if (run->rank == holder)
            clear_some(run, ALL_LOCKS);
    }
    run_stop(run);
    return done ? seconds / done : NAN;
}

/* ---- All in the queue ---- */

/* From one holder to the next: all PEs together make size x iterations hand-overs. Each waits for
 * the last of them, so that a PE which starts late makes the time longer, not shorter. The holder's
 * time with the lock is subtracted here, the barrier as a reference. */
static double run_queue(struct run *run)
{
    long *lock = row_of(run)->lock;
    double held = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        shmem_set_lock(lock);
        held += run_hold(HOLD_SECONDS);
        shmem_clear_lock(lock);
    }
    run_barrier(run);
    double seconds = run_elapsed(run, started, run_stop(run));
    return (seconds / run->size - held) / (double)run->iterations;
}

static double barrier_alone(struct run *run)
{
    int64_t start = timer_now();
    for (int i = 0; i < BARRIERS; i++)
        run_barrier(run);
    double seconds = run_elapsed(run, start, timer_now()) / BARRIERS;
    return seconds / run->size / (double)run->iterations;
}

static double run_waits(struct run *run)
{
    struct waits *waits = run->state;
    long *lock = row_of(run)->lock;
    int64_t waited = 0;
    run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        int64_t start = timer_now();
        shmem_set_lock(lock);
        waited += timer_now() - start;
        run_hold(HOLD_SECONDS);
        shmem_clear_lock(lock);
    }
    run_stop(run);
    /* Only the sum is a timed region: whoever finds the lock free waits less than a timer tells. */
    double further_readings = (double)(run->iterations - 1) * timer_in_use->cost;
    double seconds = run_elapsed(run, 0, waited) - further_readings;
    waits->seconds += seconds;
    waits->count += run->iterations;
    return seconds / (double)run->iterations;
}

static void note_fairness(struct run *run)
{
    const struct waits *waits = run->state;
    double mean = waits->count ? waits->seconds / (double)waits->count : NAN;
    double longest = run_max(run, mean), shortest = -run_max(run, -mean);
    if (run->rank == 0 && shortest > 0)
        run_note(run,
                 "fairness: the PE that waited longest waited %.3g times as long as the one "
                 "that waited least",
                 longest / shortest);
}

/* ---- Verification ---- */

static void fill(struct run *run)
{
    row_of(run)->counter = 0;
}

/* The locks are as they are after what was timed. Increments in several steps get lost when two
 * PEs hold the lock at the same time. */
static bool verify(struct run *run)
{
    struct row *row = row_of(run);
    int pe = pe_set_member(run->set, 0);
    long before = row->counter; /* of rank 0, which all others have left alone since a barrier */
    run_barrier(run);
    for (int i = 0; i < INCREMENTS; i++) {
        shmem_set_lock(row->lock);
        shmem_long_p(&row->counter, shmem_long_g(&row->counter, pe) + 1, pe);
        shmem_quiet();
        shmem_clear_lock(row->lock);
    }
    shmem_quiet();
    run_barrier(run);
    long wanted = before + (long)run->size * INCREMENTS;
    if (run->rank == 0 && row->counter != wanted)
        return run_fail(
            run, "%ld increments under the lock counted to %ld: it does not exclude other PEs",
            wanted - before, row->counter - before);
    return true;
}

#define SCRATCH sizeof(struct row)
#define STATE sizeof(struct waits)

#else
#define SCRATCH 0
#define STATE 0
#endif

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)function;
    (void)arguments;
    (void)pes;
    demand->scratch = SCRATCH;
}

/* clang-format off */
#define LOCKING(act, holder, actors) \
    .run = WITH_SHMEM(run_acts), .variant = &(const struct locking){WITH_SHMEM(act), holder, actors}
/* clang-format on */
#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .demand = demand, .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify)
#define HELD                                                                                       \
    COMMON, .minimum_pes = 2, .timed = "test_lock of 16 locks that are held, in a row",            \
            .cost = "test_lock"
#define QUEUE COMMON, .synchronized = true, .parameters = {ITERATIONS}, .who = "all"

const struct measurement measurements_lock[] = {
    {"Shmem_Set_Lock", "setting free locks, one PE after the other", COMMON, .synchronized = true,
     LOCKING(act_set, NOBODY, IN_TURN), .timed = "set_lock of 16 free locks in a row", .who = "all",
     .cost = "set_lock"},
    {"Shmem_Clear_Lock", "clearing locks that nobody waits for, one PE after the other", COMMON,
     .synchronized = true, LOCKING(act_clear, NOBODY, IN_TURN),
     .timed = "clear_lock of 16 locks in a row", .who = "all", .cost = "clear_lock"},
    {"Shmem_Lock_Test_Free", "testing and so acquiring free locks, one PE after the other", COMMON,
     LOCKING(act_test_free, NOBODY, IN_TURN), .timed = "test_lock of 16 free locks in a row",
     .who = "all", .cost = "test_lock"},
    {"Shmem_Lock_Test_Busy", "rank 0 tests locks that rank 1 holds", HELD,
     LOCKING(act_test_held, RANK_1, RANK_0), .who = "rank 0"},
    {"Shmem_Lock_Test_Busy_All", "all at the same time test locks that the last rank holds", HELD,
     LOCKING(act_test_held, LAST_RANK, TOGETHER), .who = "all but the last rank"},
    {"Shmem_Lock_Test_Busy_Turns", "one rank after the other tests locks that the last rank holds",
     HELD, LOCKING(act_test_held, LAST_RANK, IN_TURN), .who = "all but the last rank"},
    {"Shmem_Lock_Test_Busy_Round",
     "each rank in turn holds locks, which the others test one after the other", HELD,
     LOCKING(act_test_held, EACH_IN_TURN, IN_TURN), .who = "all"},
    {"Shmem_Lock_Contended", "one lock handed over between all PEs, each holding it for 2 us",
     QUEUE, .reference = WITH_SHMEM(barrier_alone), .run = WITH_SHMEM(run_queue),
     .timed = "set_lock + 2 us + clear_lock on all PEs and a barrier, divided by their number",
     .subtracted = "the measured length of the holding, and a barrier",
     .cost = "set_lock + clear_lock"},
    {"Shmem_Lock_Contended_Wait",
     "waiting for one lock that all PEs want, each holding it for 2 us", QUEUE,
     .run = WITH_SHMEM(run_waits), .teardown = WITH_SHMEM(note_fairness), .state_bytes = STATE,
     .timed = "set_lock"},
    {.name = NULL},
};
