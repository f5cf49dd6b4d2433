/*
 * Locks on one-sided operations, increments that get lost where a lock does not exclude, and the
 * scenes in which locks are measured: a row of locks by one PE after the other, free or held; one
 * lock that all PEs want; and one that goes round a queue.
 */
#include "measurements/common/locks.h"

size_t image_locks_bytes(int pes)
{
    return ROUND_UP(sizeof(struct image_locks) + (size_t)pes * sizeof(long), LINE);
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

/* ---- The queue lock, on swap, compare-and-swap, set and wait_until ---- */

/* What PEs write to each other's places is set by atomics: a put that has arrived may be stored
 * once more until a quiet, after the place has been made ready again. */

/* Others write to a place in the queue only after its PE's swap, so it must be ready before. */
static long ready_place(struct mcs_lock *lock)
{
    lock->next = 0;
    lock->waiting = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return shmem_my_pe() + 1;
}

/* Waits inside the library, which makes progress meanwhile. The quiets below complete what another
 * PE waits for: nothing else does where a library delays it. Nobody waits for the PE that calls
 * them. */
static void mcs_set(struct mcs_lock *lock, int home)
{
    long me = ready_place(lock);
    long before = shmem_long_atomic_swap(&lock->tail, me, home);
    if (before == 0)
        return;
    shmem_long_atomic_set(&lock->next, me, (int)before - 1);
    shmem_quiet();
    shmem_long_wait_until(&lock->waiting, SHMEM_CMP_EQ, 0);
}

static long next_in_queue(const struct mcs_lock *lock)
{
    return *(const volatile long *)&lock->next;
}

/* Whoever comes next has been told when this returns. */
static void mcs_clear(struct mcs_lock *lock, int home)
{
    long me = shmem_my_pe() + 1;
    shmem_quiet();
    if (next_in_queue(lock) == 0) {
        if (shmem_long_atomic_compare_swap(&lock->tail, me, 0, home) == me)
            return;
        /* Somebody has come, and is about to say who. */
        shmem_long_wait_until(&lock->next, SHMEM_CMP_NE, 0);
    }
    shmem_long_atomic_set(&lock->waiting, 0, (int)next_in_queue(lock) - 1);
    shmem_quiet();
}

/* ---- The lock of each PE ---- */

static long *library_lock(struct image_locks *locks, enum protection protection, int rank)
{
    return &locks->library[protection == LIBRARY_OF_ALL ? 0 : rank];
}

void image_lock_set(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET)
        mcs_set(&locks->mcs, pe);
    else
        shmem_set_lock(library_lock(locks, protection, rank));
}

void image_lock_clear(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET) {
        mcs_clear(&locks->mcs, pe);
        return;
    }
    shmem_quiet();
    shmem_clear_lock(library_lock(locks, protection, rank));
}

/* ---- Exclusion ---- */

/* Seconds that a PE which keeps its processor takes, from being about to set the lock until it has
 * read the counter. All PEs hold the lock in turn, so that more PEs must hold it for a shorter
 * time. */
#define EXCLUSION_SECONDS 100e-6
#define LEAST_SECONDS 2e-6

void exclusion_ask(struct run *run, struct exclusion *exclusion, int pe)
{
    run_barrier(run); /* nobody asks for the next increment before all have made the last one */
    shmem_long_atomic_inc(&exclusion->asked, pe);
    shmem_quiet();
}

void exclusion_count(struct run *run, struct exclusion *exclusion, int pe)
{
    long counter = shmem_long_g(&exclusion->counter, pe);
    double seconds = EXCLUSION_SECONDS / run->size;
    while (shmem_long_atomic_fetch(&exclusion->asked, pe) % run->size != 0)
        run_idle(LEAST_SECONDS);
    run_hold(seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS);
    shmem_long_p(&exclusion->counter, counter + 1, pe);
    shmem_quiet();
}

bool exclusion_proved(struct run *run, const struct exclusion *exclusion, long increments)
{
    long wanted = increments * run->size;
    return exclusion->counter == wanted ||
           run_fail(run,
                    "%ld increments under the lock counted to %ld on rank %d: it does not exclude "
                    "other PEs",
                    wanted, exclusion->counter, run->rank);
}

/* ---- Scenes ---- */

#define ROUNDS 2 /* of tests over a row that is held */
/* A lock is held this long (s), so that all others are in the queue when it is handed over, ... */
#define HOLD_SECONDS 2e-6
/* ... and in addition this many times what queueing takes, since messages may be slow. */
#define HOLD_TIMES 3
#define TRIALS 4     /* of queueing */
#define LAPS 8       /* of one that counts, each with twice the time to queue */
#define BARRIERS 8   /* of the reference */
#define INCREMENTS 8 /* of the verification, by each rank */
#define PICO 1e-12

static struct lock_row *row_of(const struct run *run)
{
    return (struct lock_row *)(void *)run->scratch;
}

static const struct locking *locking_of(const struct run *run)
{
    return run->function->variant;
}

/* The PE of the lock that all want. */
static int root_pe(const struct run *run)
{
    return pe_set_member(run->set, 0);
}

/* ---- The i-th lock of the row; home: the PE that it belongs to, where there is one on each ----
 */

static void set(const struct run *run, int i, int home)
{
    if (locking_of(run)->kind == MCS_LOCK)
        mcs_set(&row_of(run)->mcs[i], home);
    else
        shmem_set_lock(&row_of(run)->lock[i]);
}

static void clear(const struct run *run, int i, int home)
{
    if (locking_of(run)->kind == MCS_LOCK)
        mcs_clear(&row_of(run)->mcs[i], home);
    else
        shmem_clear_lock(&row_of(run)->lock[i]);
}

/* Whether it was free: then this PE holds it now. */
static bool test(const struct run *run, int i, int home)
{
    struct mcs_lock *lock = &row_of(run)->mcs[i];
    if (locking_of(run)->kind == LIBRARY_LOCK)
        return shmem_test_lock(&row_of(run)->lock[i]) == 0;
    long me = ready_place(lock);
    return shmem_long_atomic_compare_swap(&lock->tail, 0, me, home) == 0;
}

/* ---- The row ---- */

static void set_all(struct run *run, int home)
{
    for (int i = 0; i < LOCK_ROW_LENGTH; i++)
        set(run, i, home);
}

/* Releases may still be under way when the calls return: the next to test must find them done. */
static void clear_some(struct run *run, unsigned locks, int home)
{
    for (int i = 0; i < LOCK_ROW_LENGTH; i++)
        if (locks >> i & 1)
            clear(run, i, home);
    shmem_quiet();
}

#define ALL_LOCKS ((1u << LOCK_ROW_LENGTH) - 1)

/* ---- What is timed ---- */

static double set_row(struct run *run, int home)
{
    int64_t start = timer_now();
    set_all(run, home);
    double seconds = run_elapsed(run, start, timer_now());
    clear_some(run, ALL_LOCKS, home);
    return seconds / LOCK_ROW_LENGTH;
}

/* puts: each lock is cleared behind a put to the next rank. */
static double clear_row(struct run *run, int home, bool puts)
{
    struct lock_row *row = row_of(run);
    static const long value = 1;
    set_all(run, home);
    shmem_quiet(); /* nothing is left for a clear to complete */
    int64_t start = timer_now();
    for (int i = 0; i < LOCK_ROW_LENGTH; i++) {
        if (puts)
            shmem_long_put_nbi(&row->put, &value, 1, home);
        clear(run, i, home);
    }
    double seconds = run_elapsed(run, start, timer_now());
    shmem_quiet();
    return seconds / LOCK_ROW_LENGTH;
}

/* A test that succeeds acquires: what it did acquire is released in any case. */
static double test_row(struct run *run, int home, bool held)
{
    int rounds = held ? ROUNDS : 1;
    unsigned acquired = 0; /* a bit for each lock */
    int64_t start = timer_now();
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < LOCK_ROW_LENGTH; i++)
            acquired |= (unsigned)test(run, i, home) << i;
    double seconds = run_elapsed(run, start, timer_now());
    clear_some(run, acquired, home);
    if (held && acquired)
        run_fail(run, "rank %d acquired a lock that another one holds", run->rank);
    else if (!held && acquired != ALL_LOCKS)
        run_fail(run, "rank %d did not acquire a free lock by testing it", run->rank);
    return seconds / rounds / LOCK_ROW_LENGTH;
}

/* Seconds per call. */
static double act(struct run *run, int home)
{
    enum lock_act act = locking_of(run)->act;
    switch (act) {
    case LOCK_SET:
        return set_row(run, home);
    case LOCK_CLEAR:
    case LOCK_PUT_CLEAR:
        return clear_row(run, home, act == LOCK_PUT_CLEAR);
    case LOCK_TEST_FREE:
    case LOCK_TEST_HELD:
        return test_row(run, home, act == LOCK_TEST_HELD);
    }
    return NAN;
}

/* ---- Who does it when ---- */

/* Locks belong to the PE that holds them, free ones to the next rank: whoever acts on them does it
 * from another PE. */
static int home_of(const struct run *run, int holder)
{
    return pe_set_member(run->set, holder >= 0 ? holder : (run->rank + 1) % run->size);
}

static double run_acts(struct run *run)
{
    const struct locking *locking = locking_of(run);
    const int first[] = {[HELD_BY_NOBODY] = -1,
                         [HELD_BY_RANK_1] = 1,
                         [HELD_BY_LAST_RANK] = run->size - 1,
                         [HELD_BY_EACH_IN_TURN] = 0};
    int turns = locking->actors == ACT_IN_TURN ? run->size : 1, done = 0;
    int holder = first[locking->holder];
    int last = locking->holder == HELD_BY_EACH_IN_TURN ? run->size - 1 : holder;
    double seconds = 0;
    run_start(run);
    for (; holder <= last; holder++) {
        int home = home_of(run, holder);
        if (run->rank == holder)
            set_all(run, home);
        run_barrier(run);
        for (int turn = 0; turn < turns; turn++) {
            const int only[] = {
                [ACTS_RANK_0] = 0, [ACT_TOGETHER] = run->rank, [ACT_IN_TURN] = turn};
            if (run->rank != holder && run->rank == only[locking->actors]) {
                seconds += act(run, home);
                done++;
            }
            run_barrier(run);
        }
        if (run->rank == holder)
            clear_some(run, ALL_LOCKS, home);
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
    int home = root_pe(run);
    double held = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        set(run, 0, home);
        held += run_hold(HOLD_SECONDS);
        clear(run, 0, home);
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
    return seconds / run->size / (double)run->measured;
}

static double run_waits(struct run *run)
{
    struct lock_state *state = run->state;
    int home = root_pe(run);
    int64_t waited = 0;
    run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        int64_t start = timer_now();
        set(run, 0, home);
        waited += timer_now() - start;
        run_hold(HOLD_SECONDS);
        clear(run, 0, home);
    }
    run_stop(run);
    /* Only the sum is a timed region: whoever finds the lock free waits less than a timer tells. */
    double further_readings = (double)(run->iterations - 1) * timer_in_use->cost;
    double seconds = run_elapsed(run, 0, waited) - further_readings;
    state->seconds += seconds;
    state->waits += run->iterations;
    return seconds / (double)run->iterations;
}

static void note_fairness(struct run *run)
{
    const struct lock_state *state = run->state;
    double mean = state->waits ? state->seconds / (double)state->waits : NAN;
    double longest = run_max(run, mean), shortest = -run_max(run, -mean);
    if (run->rank == 0 && shortest > 0)
        run_note(run,
                 "fairness: the PE that waited longest waited %s times as long as the one "
                 "that waited least",
                 plain_number(longest / shortest).text);
}

/* How long a PE needs to tell another one, and to queue for a lock and release it, if wanted. */
static double longest_trip(struct run *run, bool queues)
{
    struct lock_row *row = row_of(run);
    int home = home_of(run, -1);
    double longest = 0;
    for (int i = -1; i < TRIALS; i++) { /* the first one is slow */
        int lock =
            (run->rank + i + 1) % LOCK_ROW_LENGTH; /* of the library some may be on this PE */
        int64_t start = timer_now();
        shmem_long_p(&row->held, 0, home);
        shmem_quiet();
        if (queues) {
            set(run, lock, home);
            clear(run, lock, home);
        }
        if (i >= 0)
            longest = fmax(longest, run_elapsed(run, start, timer_now()));
    }
    return run_max(run, longest);
}

/* The others are to hold the lock for longer than rank 0 needs to queue again. */
static bool set_up_hand_over(struct run *run)
{
    struct lock_state *state = run->state;
    state->hold = HOLD_SECONDS + HOLD_TIMES * longest_trip(run, true);
    return true;
}

/* ---- A lock that is held ---- */

/* Rank 0 holds each lock for as long as rank 1 needs from telling that it will ask until it asks.
 */
static bool set_up_busy(struct run *run)
{
    struct lock_state *state = run->state;
    state->hold = HOLD_SECONDS + longest_trip(run, false);
    return true;
}

/* Rank 0 is told that this PE is about to ask for a lock. */
static void announce(struct run *run)
{
    shmem_long_atomic_inc(&row_of(run)->come, root_pe(run));
    shmem_quiet();
}

static void await_announced(struct run *run)
{
    const struct lock_state *state = run->state;
    shmem_long_wait_until(&row_of(run)->come, SHMEM_CMP_GE, state->expected);
}

static double run_set_busy(struct run *run)
{
    struct lock_state *state = run->state;
    int home = root_pe(run);
    double seconds = 0;
    run_start(run);
    if (run->rank == 0)
        set_all(run, home);
    run_barrier(run);
    for (int i = 0; i < LOCK_ROW_LENGTH && run->rank == 0; i++) {
        state->expected++;
        await_announced(run);
        run_hold(state->hold);
        clear(run, i, home);
    }
    for (int i = 0; i < LOCK_ROW_LENGTH && run->rank == 1; i++) {
        announce(run);
        int64_t start = timer_now();
        set(run, i, home);
        seconds += run_elapsed(run, start, timer_now());
    }
    run_stop(run);
    if (run->rank == 1)
        clear_some(run, ALL_LOCKS, home);
    return run->rank == 1 ? seconds / LOCK_ROW_LENGTH : NAN;
}

/* ---- Once around the queue ---- */

/* Rank 0 releases the lock when all others queue for it, and queues behind them: it has the lock
 * again after as many hand-overs as there are PEs. */
static double hand_around(struct run *run, struct lock_state *state)
{
    int home = root_pe(run);
    state->expected += run->size - 1;
    set(run, 0, home);
    run_barrier(run);
    await_announced(run);
    shmem_quiet(); /* nothing is left for a clear to complete */
    run_hold(state->hold);
    int64_t start = timer_now();
    clear(run, 0, home);
    set(run, 0, home);
    double seconds = run_elapsed(run, start, timer_now());
    clear(run, 0, home);
    return seconds;
}

static void stand_in_queue(struct run *run, struct lock_state *state, struct lock_row *row)
{
    int home = root_pe(run);
    run_barrier(run);
    announce(run);
    set(run, 0, home);
    double held = run_hold(state->hold);
    clear(run, 0, home);
    shmem_long_atomic_add(&row->held, (long)(held / PICO), home);
    shmem_quiet();
}

/* Seconds of the hand-overs of a lap on rank 0; not more than 0: it had the lock again before the
 * others, who were kept from queueing in time. */
static double lap_once(struct run *run)
{
    struct lock_state *state = run->state;
    struct lock_row *row = row_of(run);
    double lap = 0;
    row->held = 0;
    if (run->rank == 0)
        lap = hand_around(run, state);
    else
        stand_in_queue(run, state, row);
    run_barrier(run); /* the lock is free, and rank 0 knows how long the others held it */
    return lap - (double)row->held * PICO;
}

static double run_hand_over(struct run *run)
{
    struct lock_state *state = run->state;
    double seconds = 0;
    run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        double lap = lap_once(run);
        for (int k = 1; k < LAPS && run_max(run, run->rank == 0 && lap <= 0) > 0; k++) {
            state->hold *= 2;
            lap = lap_once(run);
        }
        if (run->rank == 0 && lap <= 0)
            run_fail(run,
                     "in %d laps rank 0 had the lock again before the others, which were kept "
                     "from queueing: is the machine busy?",
                     LAPS);
        seconds += lap;
    }
    run_stop(run);
    return run->rank == 0 ? seconds / (double)(run->iterations * run->size) : NAN;
}

/* ---- Verification ---- */

static void fill(struct run *run)
{
    (void)run; /* locks move no data; what proves them begins with each verification */
}

/* The locks are as they are after what was timed. */
static bool verify(struct run *run)
{
    struct lock_row *row = row_of(run);
    int pe = root_pe(run);
    row->exclusion = (struct exclusion){0, 0};
    for (int i = 0; i < INCREMENTS; i++) {
        exclusion_ask(run, &row->exclusion, pe);
        set(run, 0, pe);
        exclusion_count(run, &row->exclusion, pe);
        clear(run, 0, pe);
        shmem_quiet();
    }
    run_barrier(run);
    return run->rank != 0 || exclusion_proved(run, &row->exclusion, INCREMENTS);
}

#endif

/* ---- What functions are like ---- */

static const struct measurement common = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .state_bytes = sizeof(struct lock_state),
    .scratch_bytes = sizeof(struct lock_row),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
};

static const struct measurement queue = {
    .timing = TIMING_PARTS,
    .parameters = {ITERATIONS},
    .like = {&common},
};

const struct measurement lock_acts = {
    .run = WITH_SHMEM(run_acts),
    .like = {&common},
};

const struct measurement lock_set_busy = {
    .minimum_pes = 2,
    .who = "rank 1",
    .setup = WITH_SHMEM(set_up_busy),
    .run = WITH_SHMEM(run_set_busy),
    .like = {&common},
};

const struct measurement lock_contended = {
    .who = "all",
    .subtracted = "the measured length of the holding, and a barrier",
    .run = WITH_SHMEM(run_queue),
    .reference = WITH_SHMEM(barrier_alone),
    .like = {&queue},
};

const struct measurement lock_waits = {
    .who = "all",
    .run = WITH_SHMEM(run_waits),
    .teardown = WITH_SHMEM(note_fairness),
    .like = {&queue},
};

const struct measurement lock_handed_over = {
    .minimum_pes = 2,
    .who = "rank 0",
    .subtracted = "the measured length of the others' holding",
    .setup = WITH_SHMEM(set_up_hand_over),
    .run = WITH_SHMEM(run_hand_over),
    .like = {&queue},
};
