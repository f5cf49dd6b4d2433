/*
 * One lock on each PE, as runtimes of Coarray Fortran need it: an MCS queue lock in the scenes in
 * which those of the library are measured; then put and get on random PEs under the lock of the
 * target.
 */
#include "measurements/common/locks.h"

struct access {
    enum protection protection;
    bool get;
};

#define SEED 20151

#if SKAMPI_SHMEM

#include <shmem.h>

struct access_state {
    uint64_t draws;
    int last;            /* rank worked on last */
    unsigned char *read; /* what is there after a put */
};

#define TURNS 8 /* of the verification: how often all PEs want a lock */

static struct image_locks *locks_of(const struct run *run)
{
    return (struct image_locks *)(void *)run->scratch;
}

static bool set_up(struct run *run)
{
    struct access_state *state = run->state;
    state->draws = SEED + (uint64_t)run->rank;
    state->read = run_allocate(run, 1, run->demand.local);
    return true;
}

/* Draws one of the other ranks, all equally likely. */
static int random_rank(struct run *run)
{
    struct access_state *state = run->state;
    if (run->size == 1)
        return 0;
    int distance = 1 + (int)random_up_to(&state->draws, (uint64_t)run->size - 2);
    return (run->rank + distance) % run->size;
}

static void access_one(struct run *run, int64_t iteration)
{
    const struct access *access = run->function->variant;
    struct access_state *state = run->state;
    struct image_locks *locks = locks_of(run);
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    int rank = state->last = random_rank(run), pe = pe_set_member(run->set, rank);
    image_lock_set(locks, access->protection, rank, pe);
    if (access->get)
        shmem_getmem(local, remote, run->demand.local, pe);
    else
        shmem_putmem(remote, local, run->demand.local, pe);
    image_lock_clear(locks, access->protection, rank, pe);
}

static double run_access(struct run *run)
{
    double seconds = time_iterations(run, true, access_one);
    run_barrier(run); /* others may wait for a lock of this PE */
    return seconds;
}

/* ---- Verification ---- */

static void fill(struct run *run)
{
    data_fill(run, ((const struct access *)run->function->variant)->get, run->remote);
}

/* Whether all bytes are what one rank had: two puts at the same time leave some of each. */
static bool is_of_one_rank(struct run *run, const char *what, const unsigned char *memory)
{
    size_t bytes = run->demand.local;
    for (int rank = 0; rank < run->size; rank++)
        if (pattern_check(memory, bytes, data_key(run, rank)))
            return true;
    return run_fail(run, "wrong data: %s on rank %d is not what a single rank had", what,
                    run->rank);
}

/* All want the lock of rank 0, then that of rank 1, and so on. Collective, so everything is done
 * before something is found wrong. */
static bool verify(struct run *run)
{
    const struct access *access = run->function->variant;
    const struct access_state *state = run->state;
    struct image_locks *locks = locks_of(run);
    /* It lies behind the locks. */
    struct exclusion *exclusion =
        (struct exclusion *)(void *)(run->scratch + image_locks_bytes(run->size));
    size_t bytes = run->demand.local;
    unsigned char *read = state->read;
    bool read_back = !access->get && run->remote_step == 0;
    if (read_back)
        shmem_getmem(read, run->remote, bytes, pe_set_member(run->set, state->last));
    *exclusion = (struct exclusion){0, 0};
    for (int turn = 0; turn < TURNS; turn++) {
        int rank = turn % run->size, pe = pe_set_member(run->set, rank);
        exclusion_ask(run, exclusion, pe);
        image_lock_set(locks, access->protection, rank, pe);
        exclusion_count(run, exclusion, pe);
        image_lock_clear(locks, access->protection, rank, pe);
    }
    run_barrier(run);
    bool right =
        exclusion_proved(run, exclusion, TURNS / run->size + (run->rank < TURNS % run->size));
    if (access->get)
        return is_of_one_rank(run, "what was got", run->local) && right &&
               data_verify(run, "the source of a get", run->remote, bytes, run->rank);
    return (!read_back || is_of_one_rank(run, "what is where it has put", read)) && right &&
           data_verify(run, "the source of a put", run->local, bytes, run->rank);
}

#endif

static void access_demand(struct run *run)
{
    data_demand(run);
    run->demand.scratch = image_locks_bytes(run->size) + sizeof(struct exclusion);
}

/* clang-format off */
static const struct measurement accesses = {
    .api = API_OPENSHMEM, .timing = TIMING_WHOLE, .who = "all", .parameters = {COUNT_BYTES, ITERATIONS},
    .moves = MOVES_MESSAGE, .demand = access_demand, SHMEM_STATE(struct access_state),
    .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify), .run = WITH_SHMEM(run_access)};
/* The word is the operation. */
static const struct measurement under_mcs = {
    .like = {&accesses}, .calls = "shmem_long_atomic_swap shmem_%s shmem_quiet shmem_long_atomic_compare_swap",
    .timed = "set + %s + clear", .cost = "2 * fetch + post + wire + quiet"};
static const struct measurement under_one = {
    .like = {&accesses}, .calls = "shmem_set_lock shmem_%s shmem_quiet shmem_clear_lock", .timed = "set_lock + %s + quiet + clear_lock"};
static const struct measurement under_lock = {.like = {&under_one}, .cost = "set_lock + post + wire + quiet + clear_lock"};

static const struct measurement row = {
    .like = {&lock_acts}, .calls = "shmem_long_atomic_compare_swap", .who = "all", .cost = "fetch"};
static const struct measurement held_row = {
    .like = {&row}, .minimum_pes = 2, .timed = "compare-and-swap, for each of 16 locks that are held, in a row"};
static const struct measurement queue = {
    .calls = "shmem_long_atomic_swap shmem_long_atomic_compare_swap shmem_long_atomic_set shmem_long_wait_until shmem_quiet",
    .variant = &(const struct locking){.kind = MCS_LOCK}};

#define LOCKING &(const struct locking)
#define ACCESS &(const struct access)

const struct measurement measurements_image_lock[] = {
    {"Shmem_Mcs_Set", "setting free MCS locks of the next rank, one PE after the other", .like = {&row}, .calls = "shmem_long_atomic_swap",
     .timing = TIMING_PARTS, .timed = "swap, for each of 16 free locks in a row", .variant = LOCKING{MCS_LOCK, LOCK_SET, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Mcs_Clear", "clearing MCS locks that nobody waits for, one PE after the other", .like = {&row}, .calls = "shmem_quiet shmem_long_atomic_compare_swap",
     .timing = TIMING_PARTS, .timed = "quiet + compare-and-swap, for each of 16 locks in a row", .cost = "quiet + fetch",
     .variant = LOCKING{MCS_LOCK, LOCK_CLEAR, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Mcs_Test_Free", "testing and so acquiring free MCS locks of the next rank, one PE after the other", .like = {&row},
     .timed = "compare-and-swap, for each of 16 free locks in a row", .variant = LOCKING{MCS_LOCK, LOCK_TEST_FREE, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Mcs_Test_Busy", "rank 0 tests MCS locks of rank 1, which holds them", .like = {&held_row},
     .who = "rank 0", .variant = LOCKING{MCS_LOCK, LOCK_TEST_HELD, HELD_BY_RANK_1, ACTS_RANK_0}},
    {"Shmem_Mcs_Test_Busy_All", "all at the same time test MCS locks of the last rank, which holds them", .like = {&held_row},
     .who = "all but the last rank", .variant = LOCKING{MCS_LOCK, LOCK_TEST_HELD, HELD_BY_LAST_RANK, ACT_TOGETHER}},
    {"Shmem_Mcs_Contended", "the MCS lock of rank 0 handed over between all PEs, each holding it for 2 us",
     .like = {&queue, &lock_contended}, .timed = "set + 2 us + clear on all PEs and a barrier, divided by their number"},
    {"Shmem_Mcs_Contended_Wait", "waiting for the MCS lock of rank 0 that all PEs want, each holding it for 2 us",
     .like = {&queue, &lock_waits}, .timed = "setting the lock"},
    {"Shmem_Mcs_Handed_Over", "the MCS lock of rank 0 handed on in a queue in which all PEs stand already", .like = {&queue, &lock_handed_over},
     .timed = "clear by rank 0, until its set behind all others returns, divided by the number of PEs", .cost = "quiet + post + wire"},
    {"Shmem_Mcs_Random_Put", "put to random ranks, each under the MCS lock of the target", .like = {&under_mcs}, .word = "put", .variant = ACCESS{MCS_OF_TARGET, false}},
    {"Shmem_Mcs_Random_Get", "get from random ranks, each under the MCS lock of the target", .like = {&under_mcs}, .word = "get", .variant = ACCESS{MCS_OF_TARGET, true}},
    {"Shmem_Lock_Random_Put", "put to random ranks, each under the target's lock, one of an array of the library's locks",
     .like = {&under_lock}, .word = "put", .variant = ACCESS{LIBRARY_OF_TARGET, false}},
    {"Shmem_Lock_Random_Get", "get from random ranks, each under the target's lock, one of an array of the library's locks",
     .like = {&under_lock}, .word = "get", .variant = ACCESS{LIBRARY_OF_TARGET, true}},
    {"Shmem_One_Lock_Random_Put", "put to random ranks, under one lock of the library for all", .like = {&under_one}, .word = "put", .variant = ACCESS{LIBRARY_OF_ALL, false}},
    {"Shmem_One_Lock_Random_Get", "get from random ranks, under one lock of the library for all", .like = {&under_one}, .word = "get", .variant = ACCESS{LIBRARY_OF_ALL, true}},
    {.name = NULL},
};
/* clang-format on */
