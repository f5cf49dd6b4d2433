/*
 * Loads and stores through the pointer that shmem_ptr gives to another PE's memory, beside put and
 * get of the same data between the same PEs.
 */
#include <string.h>

#include "measurements/common/shapes.h"

struct pointer {
    bool get;
};

/* How the bytes are moved. */
enum way { LOOP, MEMCPY, LIBRARY };

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

struct pointer_state {
    struct partner partner;
    bool get, library;
    void (*copy)(void *target, const void *source, size_t bytes);
};

/* Words, as a program's own loop over an array would move them, whatever the array's type is. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

/* The compiler may make vectors of the loop, but no call of memcpy: that is the other way. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_LOOP __attribute__((noinline, optimize("O3", "no-tree-loop-distribute-patterns")))
#else
#define VECTOR_LOOP __attribute__((noinline))
#endif

VECTOR_LOOP static void copy_by_loop(void *restrict target, const void *restrict source,
                                     size_t bytes)
{
    word *to = target;
    const word *from = source;
    size_t words = bytes / sizeof *to;
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
    unsigned char *last_to = (unsigned char *)target + words * sizeof *to;
    const unsigned char *last_from = (const unsigned char *)source + words * sizeof *from;
    for (size_t i = 0; i < bytes % sizeof *to; i++)
        last_to[i] = last_from[i];
}

static void copy_by_memcpy(void *target, const void *source, size_t bytes)
{
    memcpy(target, source, bytes);
}

static bool set_up(struct run *run)
{
    const struct pointer *pointer = run->function->variant;
    struct pointer_state *state = run->state;
    enum way way = (enum way)run_word(run, "way");
    state->partner = shape_partner(run, SHAPE_HALF, run_argument(run, "pairs")->integer);
    state->get = pointer->get;
    state->library = way == LIBRARY;
    state->copy = way == LOOP ? copy_by_loop : copy_by_memcpy;
    if (state->library || !state->partner.acting || shmem_ptr(run->remote, state->partner.pe))
        return true;
    return run_unsupported(run,
                           "shmem_ptr gives PE %d no pointer to the memory of PE %d: measure PEs "
                           "of one node, or use the way \"library\"",
                           pe_set_member(run->set, run->rank), state->partner.pe);
}

static void move_by_library(const struct run *run, int64_t operations)
{
    const struct pointer_state *state = run->state;
    unsigned char *local = run->local, *remote = run->remote;
    size_t bytes = run->demand.local;
    for (int64_t i = 0; i < operations; i++, local += run->local_step, remote += run->remote_step)
        if (state->get) {
            shmem_getmem(local, remote, bytes, state->partner.pe);
        } else {
            shmem_putmem(remote, local, bytes, state->partner.pe);
            shmem_quiet();
        }
}

/* Stores are complete after a quiet, as puts are. mapped: run->remote as this PE sees it. */
static void move_by_pointer(const struct run *run, unsigned char *mapped, int64_t operations)
{
    const struct pointer_state *state = run->state;
    unsigned char *local = run->local;
    size_t bytes = run->demand.local;
    for (int64_t i = 0; i < operations; i++, local += run->local_step, mapped += run->remote_step)
        if (state->get) {
            state->copy(local, mapped, bytes);
            __asm__ volatile("" ::: "memory");
        } else {
            state->copy(mapped, local, bytes);
            shmem_quiet();
        }
}

static void move(const struct run *run, unsigned char *mapped, int64_t operations)
{
    const struct pointer_state *state = run->state;
    if (state->library)
        move_by_library(run, operations);
    else
        move_by_pointer(run, mapped, operations);
}

static double run_moves(struct run *run)
{
    const struct pointer_state *state = run->state;
    bool works = state->partner.acting;
    unsigned char *mapped =
        works && !state->library ? shmem_ptr(run->remote, state->partner.pe) : run->remote;
    if (works && warm_places(run))
        move(run, mapped, 1);
    int64_t started = run_start(run);
    if (works)
        move(run, mapped, run->iterations);
    int64_t stopped = run_stop(run);
    return works ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

static bool verify(struct run *run)
{
    const struct pointer_state *state = run->state;
    return data_verify_moved(run, state->get, run->remote,
                             state->get ? state->partner.rank : state->partner.source);
}

#endif

/* clang-format off */
#define WAY {"way", PARAMETER_STRING, "", "what moves the bytes", .words = "loop|memcpy|library", .example = "loop"}
/* clang-format on */

static const struct measurement common = {
    .api = API_OPENSHMEM,
    .parameters = {WAY, COUNT_BYTES, ITERATIONS_OR_CHOSEN, PAIRS_AT_HALF},
    .timing = TIMING_WHOLE,
    .moves = MOVES_MESSAGE,
    .who = "the first rank of each pair",
    .minimum_pes = 2,
    SHMEM_STATE(struct pointer_state),
    .check = shape_check_pairs,
    .demand = data_demand,
    .setup = WITH_SHMEM(set_up),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_moves),
};

static const struct pointer put = {.get = false}, get = {.get = true};

const struct measurement measurements_pointer[] = {
    {"Shmem_Ptr_Put", "stores through the pointer of shmem_ptr, until they are complete",
     .like = {&common}, .calls = "shmem_put shmem_quiet shmem_ptr", .variant = &put,
     .fill = WITH_SHMEM(data_fill_put),
     .timed = "a loop of stores or memcpy + quiet; library: putmem + quiet"},
    {"Shmem_Ptr_Get", "loads through the pointer of shmem_ptr", .like = {&common},
     .calls = "shmem_get shmem_ptr", .variant = &get, .fill = WITH_SHMEM(data_fill_get),
     .timed = "a loop of loads or memcpy; library: getmem"},
    {.name = NULL},
};
