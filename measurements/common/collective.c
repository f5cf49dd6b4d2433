/*
 * One call of a collective routine of OpenSHMEM, the ways to time it, its memory and its data.
 */
#include "measurements/common/collective.h"

#include <math.h>

/* Consecutive calls use arrays in turn: the first must be restored before it is used again. */
#define TURNS 2

/* What the library wants in arrays; without it nobody has any. */
#if SKAMPI_SHMEM
#include <shmem.h>
static const size_t sync_sizes[] = {
    SHMEM_BARRIER_SYNC_SIZE, SHMEM_BCAST_SYNC_SIZE,    SHMEM_COLLECT_SYNC_SIZE,
    SHMEM_REDUCE_SYNC_SIZE,  SHMEM_ALLTOALL_SYNC_SIZE, SHMEM_ALLTOALLS_SYNC_SIZE,
};
static const size_t least_work = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
#else
static const size_t sync_sizes[] = {0}, least_work = 0;
#endif

/* Longs in a synchronization array that serves any routine, a multiple of a cache line. */
static size_t sync_longs(void)
{
    size_t most = 0;
    for (size_t i = 0; i < sizeof sync_sizes / sizeof *sync_sizes; i++)
        if (sync_sizes[i] > most)
            most = sync_sizes[i];
    return ROUND_UP(most * sizeof(long), LINE) / sizeof(long);
}

size_t collective_work_elements(size_t elements)
{
    size_t half = elements / 2 + 1;
    return half > least_work ? half : least_work;
}

size_t active_set_bytes(void)
{
    return TURNS * sync_longs() * sizeof(long);
}

/* Symmetric memory: counters, then the arrays of the active set, then work arrays. */
#define COUNTER_BYTES ROUND_UP(COLLECTIVE_COUNTERS * sizeof(long), LINE)

static size_t work_bytes(const struct routine *routine, size_t elements)
{
    return routine->works ? ROUND_UP(collective_work_elements(elements) * routine->element, LINE)
                          : 0;
}

#if SKAMPI_SHMEM

/* ---- Active sets ---- */

struct active_set active_set_open(const struct run *run, int size, unsigned char *memory)
{
    struct active_set set = {
        .size = size, .world = size == shmem_n_pes(), .sync = (long *)(void *)memory};
    pe_set_active(run->set, &set.start, &set.log_stride);
    for (size_t i = 0; i < TURNS * sync_longs(); i++)
        set.sync[i] = SHMEM_SYNC_VALUE;
    return set;
}

long *active_set_sync(struct active_set *set)
{
    return set->sync + (size_t)(set->turn++ % TURNS) * sync_longs();
}

void active_set_barrier(struct active_set *set)
{
    if (set->world)
        shmem_barrier_all();
    else
        shmem_barrier(set->start, set->log_stride, set->size, active_set_sync(set));
}

void active_set_sum_longs(struct active_set *set, long *target, const long *source, int elements,
                          long *work)
{
    work += (size_t)(set->turn % TURNS) * collective_work_elements((size_t)elements);
    shmem_long_sum_to_all(target, (long *)(uintptr_t)source, elements, set->start, set->log_stride,
                          set->size, work, active_set_sync(set));
}

long *collective_counter(const struct run *run, enum collective_counter counter)
{
    return (long *)(void *)run->scratch + counter;
}

int collective_root(const struct run *run)
{
    return (int)run_integer(run, "root", 0);
}

/* ---- One call ---- */

static struct collective_state *state_of(const struct run *run)
{
    return run->state;
}

/* After the target where both have a block for each PE. */
static size_t source_offset(const struct collective_call *call)
{
    size_t block = call->elements * call->routine->element;
    return ROUND_UP((size_t)call->size * block, LINE);
}

/* The arguments of the next call. */
static inline const struct collective_call *aim(struct run *run, int root, int64_t iteration)
{
    struct collective_state *state = state_of(run);
    struct collective_call *call = &state->call;
    long turn = state->calls++;
    call->root = root;
    call->target = run->remote + (size_t)iteration * run->remote_step;
    call->source = call->routine->source_of_all ? call->target + source_offset(call)
                                                : run->local + (size_t)iteration * run->local_step;
    call->sync = active_set_sync(&state->set);
    call->work = run->scratch + COUNTER_BYTES + active_set_bytes() +
                 (size_t)(turn % TURNS) * state->work_bytes;
    return call;
}

void collective_do(struct run *run, int root, int64_t iteration)
{
    const struct collective_call *call = aim(run, root, iteration);
    call->routine->call(call);
}

void collective_barrier(struct run *run)
{
#if SKAMPI_SHMEM_1_5
    if (state_of(run)->call.routine->of_team) {
        shmem_team_sync(team_of(run));
        return;
    }
#endif
    active_set_barrier(&state_of(run)->set);
}

/* ---- Set-up ---- */

bool collective_set_up(struct run *run)
{
    const struct routine *routine = run->function->variant;
    struct collective_state *state = state_of(run);
    struct collective_call *call = &state->call;
    int step = routine->on_half ? 2 : 1, size = run->size >= step ? run->size / step : 1;
    state->set = active_set_open(run, size, run->scratch + COUNTER_BYTES);
    state->set.log_stride += routine->on_half;
    *call = (struct collective_call){.routine = routine,
                                     .start = state->set.start,
                                     .log_stride = state->set.log_stride,
                                     .size = size,
                                     .world = state->set.world,
                                     .rank = run->rank / step,
                                     .run = run};
    state->member = run->rank % step == 0 && call->rank < size;
    if (routine->element > 0) {
        call->elements = run->demand.reported / routine->element;
        state->work_bytes = work_bytes(routine, call->elements);
        if ((uintptr_t)run->remote % routine->element || (uintptr_t)run->local % routine->element)
            return run_fail(run, ALIGNMENT_TEXT, routine->element);
    }
    run_barrier(run);
    return true;
}

/* The call whose memory is the run's. In rounds, the last rank is the last root. */
static struct collective_call data_of(struct run *run)
{
    struct collective_call call = state_of(run)->call;
    call.root = collective_root(run);
    call.target = run->remote;
    call.source = call.routine->source_of_all ? call.target + source_offset(&call) : run->local;
    return call;
}

void collective_fill(struct run *run)
{
    struct collective_call call = data_of(run);
    data_poison(run->remote, run->demand.remote);
    data_poison(run->local, run->demand.local);
    if (call.routine->fill)
        call.routine->fill(&call);
}

bool collective_check_data(struct run *run)
{
    struct collective_call call = data_of(run);
    return !state_of(run)->member || !call.routine->check || call.routine->check(&call);
}

/* ---- What is timed ---- */

/* An untimed call at each new place makes it warm. Members call it. */
static void warm(struct run *run)
{
    if (run->demand.remote > 0 && warm_places(run))
        collective_do(run, collective_root(run), 0);
}

double collective_loop(struct run *run)
{
    bool member = state_of(run)->member, separated = run->function->reference;
    int root = collective_root(run);
    if (member)
        warm(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; member && i < run->iterations; i++) {
        collective_do(run, root, i);
        if (separated)
            collective_barrier(run);
    }
    int64_t stopped = run_stop(run);
    return member ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

double collective_barriers_alone(struct run *run)
{
    bool member = state_of(run)->member;
    int64_t start = timer_now();
    for (int64_t i = 0; member && i < run->iterations; i++)
        collective_barrier(run);
    return member ? run_elapsed(run, start, timer_now()) / (double)run->iterations : 0;
}

double collective_synchro(struct run *run)
{
    if (!state_of(run)->member) {
        run_start(run);
        run_stop(run);
        return NAN;
    }
    warm(run);
    const struct collective_call *call = aim(run, collective_root(run), 0);
    int64_t started = collective_arrive(run, call->rank, call->size);
    call->routine->call(call);
    return run_elapsed(run, started, run_stop(run));
}

#endif

/* ---- Demand and errors ---- */

/* Whole elements, so that no call is empty: the size column shows what is really moved. */
static size_t block_bytes(const struct run *run)
{
    const struct routine *routine = run->function->variant;
    const struct value *count = run_find_argument(run, "count");
    return count ? ROUND_UP((size_t)count->integer, routine->element) : 0;
}

/* The source of an all-to-all, too, is counted as remote memory: what must fit the script's buffer
 * is a block, whatever the number of PEs, so that a script's sizes hold for all of them. */
void collective_demand(struct run *run)
{
    const struct routine *routine = run->function->variant;
    size_t block = block_bytes(run);
    size_t all = ROUND_UP((size_t)run->size * block, LINE);
    run->demand.local = run->demand.reported = block;
    run->demand.remote =
        (routine->target_of_all ? all : block) + (routine->source_of_all ? all : 0);
    size_t elements = block > 0 ? block / routine->element : 0;
    run->demand.scratch =
        COUNTER_BYTES + active_set_bytes() + TURNS * work_bytes(routine, elements);
}

const char *collective_refused_set(const struct pe_set *set)
{
    int start, log_stride;
    return pe_set_active(set, &start, &log_stride)
               ? NULL
               : "OpenSHMEM collectives need an active set: PEs in ascending order with a constant "
                 "distance that is a power of two";
}

const char *collective_check(const struct run *run)
{
    const struct routine *routine = run->function->variant;
    const char *refused = routine->of_team ? team_check(run) : collective_refused_set(run->set);
    if (refused)
        return refused;
    size_t block = block_bytes(run), pes = (size_t)run->size;
    /* Everything that is computed from it stays far from overflow, work arrays included. */
    if (block > PTRDIFF_MAX / 8 / pes)
        return "count is more than can be addressed, with a block for each PE";
    if (routine->most_elements > 0 && block / routine->element > (size_t)routine->most_elements)
        return "count is too large for the routine, which counts elements in an int";
    return NULL;
}

double collective_delay(const struct settings *settings, int rank, int size)
{
    switch (settings->arrival) {
    case ARRIVAL_TOGETHER:
        break;
    case ARRIVAL_ONE_LATE:
        return rank == size - 1 ? settings->arrival_skew : 0;
    case ARRIVAL_LINEAR:
        return size > 1 ? settings->arrival_skew * rank / (size - 1) : 0;
    }
    return 0;
}

int64_t collective_arrive(struct run *run, int rank, int size)
{
    const struct settings *settings = run->settings;
    double delay = collective_delay(settings, rank, size);
    if (settings->arrival != ARRIVAL_TOGETHER)
        run_note_arrival(run);
    int64_t started = run_start(run);
    if (delay <= 0)
        return started;
    run_pause(delay);
    return timer_now();
}

/* ---- What functions are like ---- */

const struct measurement collective_common = {
    .api = API_OPENSHMEM,
    .state_bytes = sizeof(struct collective_state),
    .arrives = true,
    .check = collective_check,
    .demand = collective_demand,
    .setup = WITH_SHMEM(collective_set_up),
};

const struct measurement collective_in_a_row = {
    .timing = TIMING_WHOLE,
    .run = WITH_SHMEM(collective_loop),
    .like = {&collective_common},
};

const struct measurement collective_with_barriers = {
    .calls = "shmem_barrier_all shmem_barrier",
    .timing = TIMING_PARTS,
    .subtracted = "a barrier, measured alone",
    .run = WITH_SHMEM(collective_loop),
    .reference = WITH_SHMEM(collective_barriers_alone),
    .like = {&collective_common},
};

const struct measurement collective_by_the_clock = {
    .timing = TIMING_WHOLE,
    .run = WITH_SHMEM(collective_synchro),
    .like = {&collective_common},
};
