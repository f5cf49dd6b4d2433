/*
 * A hash table spread over all PEs, as in studies of one-sided languages: each PE inserts N keys
 * into a table with 2 N + 1 places on each PE, and then counts each of them once more. Keys belong
 * to places all over the table; where a place is taken, the next one is tried, from PE to PE.
 *
 * Places are changed under the lock of their PE by get and put, or by compare-and-swap and
 * fetch-and-add without any lock.
 */
#include "measurements/common/locks.h"

/* A key is never 0. */
struct place {
    long key; /* 0: free */
    long count;
};

/* Symmetric, on rank 0. */
struct totals {
    long taken; /* places that hold a key */
    long met;   /* that insertions found taken by another key */
};

/* More insertions would need more than 64 MiB of symmetric memory on each PE. */
#define MOST_INSERTS 2000000

enum passes { INSERT = 1, UPDATE = 2, BOTH = INSERT | UPDATE };

struct hashing {
    enum protection protection;
    enum passes reported;
};

static size_t places_for(int64_t inserts)
{
    return 2 * (size_t)inserts + 1;
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>
#include <string.h>

struct hash_state {
    int64_t inserts;
    size_t places; /* on each PE */
    struct image_locks *locks;
    struct totals *totals;
    struct place *table;
    long met;   /* taken places, by this PE's last insertions */
    long wrong; /* keys that were there before, or not there again */
};

struct spot {
    int rank;
    size_t place;
};

/* The i-th key of a rank. All keys differ: the generator never draws twice the same for other
 * states. */
static long key_of(const struct run *run, int rank, int64_t i)
{
    const struct hash_state *state = run->state;
    uint64_t draws = (uint64_t)rank * (uint64_t)state->inserts + (uint64_t)i;
    return (long)random_next(&draws);
}

static struct spot spot_of(const struct run *run, long key)
{
    const struct hash_state *state = run->state;
    size_t spot = (size_t)key % ((size_t)run->size * state->places);
    return (struct spot){(int)(spot / state->places), spot % state->places};
}

static struct spot next_spot(const struct run *run, struct spot spot)
{
    const struct hash_state *state = run->state;
    if (++spot.place < state->places)
        return spot;
    return (struct spot){(spot.rank + 1) % run->size, 0};
}

/* ---- One key: counts it, wherever it belongs; false: it was not there before ---- */

static bool count_by_atomics(struct run *run, long key)
{
    struct hash_state *state = run->state;
    for (struct spot spot = spot_of(run, key);; spot = next_spot(run, spot), state->met++) {
        struct place *place = &state->table[spot.place];
        int pe = pe_set_member(run->set, spot.rank);
        long found = shmem_long_atomic_compare_swap(&place->key, 0, key, pe);
        if (found == 0 || found == key) {
            shmem_long_atomic_fetch_add(&place->count, 1, pe);
            return found == key;
        }
    }
}

static bool count_under_lock(struct run *run, long key)
{
    const struct hashing *hashing = run->function->variant;
    struct hash_state *state = run->state;
    struct spot spot = spot_of(run, key);
    int locked = spot.rank, pe = pe_set_member(run->set, locked);
    image_lock_set(state->locks, hashing->protection, locked, pe);
    for (;; state->met++) {
        struct place found;
        shmem_getmem(&found, &state->table[spot.place], sizeof found, pe);
        if (found.key == 0 || found.key == key) {
            struct place counted = {key, found.count + 1};
            shmem_putmem(&state->table[spot.place], &counted, sizeof counted, pe);
            image_lock_clear(state->locks, hashing->protection, locked, pe);
            return found.key == key;
        }
        spot = next_spot(run, spot);
        if (spot.rank != locked) {
            image_lock_clear(state->locks, hashing->protection, locked, pe);
            locked = spot.rank;
            pe = pe_set_member(run->set, locked);
            image_lock_set(state->locks, hashing->protection, locked, pe);
        }
    }
}

/* Seconds of a pass over this PE's keys. */
static double pass(struct run *run, bool there)
{
    const struct hashing *hashing = run->function->variant;
    struct hash_state *state = run->state;
    int64_t start = timer_now();
    for (int64_t i = 0; i < state->inserts; i++) {
        long key = key_of(run, run->rank, i);
        bool found = hashing->protection == NO_LOCK ? count_by_atomics(run, key)
                                                    : count_under_lock(run, key);
        state->wrong += found != there;
    }
    return run_elapsed(run, start, timer_now());
}

static bool set_up(struct run *run)
{
    struct hash_state *state = run->state;
    state->inserts = run_argument(run, "inserts")->integer;
    state->places = places_for(state->inserts);
    state->locks = (struct image_locks *)(void *)run->scratch;
    unsigned char *behind = run->scratch + image_locks_bytes(run->size);
    state->totals = (struct totals *)(void *)behind;
    state->table = (struct place *)(void *)(behind + sizeof(struct totals));
    return true;
}

static double run_passes(struct run *run)
{
    const struct hashing *hashing = run->function->variant;
    struct hash_state *state = run->state;
    double inserts = (double)state->inserts;
    memset(state->table, 0, state->places * sizeof *state->table);
    state->met = state->wrong = 0;
    run_barrier(run);
    run_start(run);
    double inserting = pass(run, false);
    long met = state->met;
    run_barrier(run);
    double updating = pass(run, true);
    run_barrier(run); /* others work on this PE's places */
    run_stop(run);
    state->met = met;
    return hashing->reported == INSERT   ? inserting / inserts
           : hashing->reported == UPDATE ? updating / inserts
                                         : (inserting + updating) / inserts / 2;
}

/* ---- Verification ---- */

static void fill(struct run *run)
{
    struct hash_state *state = run->state;
    data_poison(state->table, state->places * sizeof *state->table);
    *state->totals = (struct totals){0, 0};
}

/* Looks a key up by gets alone; how often it was counted, 0: it is not there. */
static long count_of(const struct run *run, long key)
{
    const struct hash_state *state = run->state;
    for (struct spot spot = spot_of(run, key);; spot = next_spot(run, spot)) {
        struct place place;
        shmem_getmem(&place, &state->table[spot.place], sizeof place,
                     pe_set_member(run->set, spot.rank));
        if (place.key == key || place.key == 0)
            return place.count;
    }
}

/* Each PE finds the keys of the next rank. Nothing else may be in the table. */
static bool verify(struct run *run)
{
    struct hash_state *state = run->state;
    int root = pe_set_member(run->set, 0), next = (run->rank + 1) % run->size;
    long miscounted = 0, taken = 0, wanted = (long)run->size * state->inserts;
    *state->totals = (struct totals){0, 0};
    run_barrier(run);
    for (size_t i = 0; i < state->places; i++)
        taken += state->table[i].key != 0;
    shmem_long_atomic_add(&state->totals->taken, taken, root);
    shmem_long_atomic_add(&state->totals->met, state->met, root);
    shmem_quiet();
    for (int64_t i = 0; i < state->inserts; i++)
        miscounted += count_of(run, key_of(run, next, i)) != 2;
    run_barrier(run);
    if (miscounted > 0)
        return run_fail(run, "wrong data: %ld of %lld keys of rank %d were not counted twice",
                        miscounted, (long long)state->inserts, next);
    if (state->wrong > 0)
        return run_fail(run,
                        "wrong data: %ld keys of rank %d were there before they were "
                        "inserted, or not found again",
                        state->wrong, run->rank);
    if (run->rank > 0)
        return true;
    if (state->totals->taken != wanted)
        return run_fail(run, "wrong data: %ld places hold a key, but there are %ld keys",
                        state->totals->taken, wanted);
    run_note(run, "collisions: %ld insertions met %ld places that others had taken", wanted,
             state->totals->met);
    return true;
}

#endif

static void demand(struct run *run)
{
    int64_t inserts = run_argument(run, "inserts")->integer;
    run->demand.own = places_for(inserts) * sizeof(struct place);
    run->demand.reported = run->demand.own;
    run->demand.scratch = image_locks_bytes(run->size) + sizeof(struct totals) + run->demand.own;
}

/* clang-format off */
#define INSERTS {"inserts", PARAMETER_INT, "", "keys that each PE inserts", .minimum = 1, .maximum = MOST_INSERTS, .example = "50"}
static const struct measurement hashes = {
    .api = API_OPENSHMEM, .timing = TIMING_PARTS, .parameters = {INSERTS}, .moves = MOVES_NOTHING,
    .who = "all", SHMEM_STATE(struct hash_state), .demand = demand, .setup = WITH_SHMEM(set_up),
    .timed = "%s, the mean of all keys", .run = WITH_SHMEM(run_passes), .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify)};
/* The word is what is done for a key. */
static const struct measurement by_mcs = {
    .like = {&hashes}, .word = "set + get + put + clear of the MCS lock of the PE",
    .calls = "shmem_long_atomic_swap shmem_get shmem_put shmem_quiet shmem_long_atomic_compare_swap"};
static const struct measurement by_lock = {
    .like = {&hashes}, .word = "set_lock + get + put + quiet + clear_lock of the PE's lock",
    .calls = "shmem_set_lock shmem_get shmem_put shmem_quiet shmem_clear_lock"};
static const struct measurement by_atomics = {
    .like = {&hashes}, .word = "compare-and-swap + fetch-and-add",
    .calls = "shmem_long_atomic_compare_swap shmem_long_atomic_fetch_add"};
static const struct measurement both = {.timed = "%s, the mean of all keys and both passes"};
#define HASHING &(const struct hashing)

const struct measurement measurements_hash_table[] = {
    {"Shmem_Hash_Mcs", "a hash table under an MCS lock for each PE: inserting and updating keys",
     .like = {&both, &by_mcs}, .variant = HASHING{MCS_OF_TARGET, BOTH}},
    {"Shmem_Hash_Mcs_Insert", "the same, inserting alone", .like = {&by_mcs}, .variant = HASHING{MCS_OF_TARGET, INSERT}},
    {"Shmem_Hash_Mcs_Update", "the same, updating alone", .like = {&by_mcs}, .variant = HASHING{MCS_OF_TARGET, UPDATE}},
    {"Shmem_Hash_Lock", "a hash table under a lock of the library for each PE: inserting and updating keys",
     .like = {&both, &by_lock}, .variant = HASHING{LIBRARY_OF_TARGET, BOTH}},
    {"Shmem_Hash_Lock_Insert", "the same, inserting alone", .like = {&by_lock}, .variant = HASHING{LIBRARY_OF_TARGET, INSERT}},
    {"Shmem_Hash_Lock_Update", "the same, updating alone", .like = {&by_lock}, .variant = HASHING{LIBRARY_OF_TARGET, UPDATE}},
    {"Shmem_Hash_Atomic", "a hash table on compare-and-swap and fetch-and-add: inserting and updating keys",
     .like = {&both, &by_atomics}, .variant = HASHING{NO_LOCK, BOTH}},
    {"Shmem_Hash_Atomic_Insert", "the same, inserting alone", .like = {&by_atomics}, .variant = HASHING{NO_LOCK, INSERT}},
    {"Shmem_Hash_Atomic_Update", "the same, updating alone", .like = {&by_atomics}, .variant = HASHING{NO_LOCK, UPDATE}},
    {.name = NULL},
};
/* clang-format on */
