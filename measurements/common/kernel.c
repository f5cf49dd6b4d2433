/*
 * Steps of kernels: their loop, what of them is communication, and collectives of the set.
 */
#include "measurements/common/kernel.h"

#include "measurements/common/collective.h"

/* Consecutive calls use two arrays in turn: nobody is in the call before the last one any more. */
#define TURNS 2

size_t kernel_scratch(void)
{
    return TURNS * collective_sync_longs() * sizeof(long);
}

#if SKAMPI_SHMEM

#include <shmem.h>

static struct kernel_state *state_of(const struct run *run)
{
    return run->state;
}

static long *next_sync(struct run *run)
{
    long turn = state_of(run)->turn++;
    return (long *)(void *)run->scratch + (size_t)(turn % TURNS) * collective_sync_longs();
}

void kernel_set_up(struct run *run)
{
    struct kernel_state *state = state_of(run);
    long *sync = (long *)(void *)run->scratch;
    pe_set_active(run->set, &state->start, &state->log_stride);
    state->world = run->size == shmem_n_pes();
    for (size_t i = 0; i < TURNS * collective_sync_longs(); i++)
        sync[i] = SHMEM_SYNC_VALUE;
    run_barrier(run);
}

uint64_t kernel_key(const struct run *run, int tag)
{
    return data_key(run, tag) + state_of(run)->round * 0x9fb21c651e98df25u;
}

/* ---- Steps ---- */

void kernel_communicate(struct run *run)
{
    struct kernel_state *state = state_of(run);
    if (state->timed)
        apart_begin(&state->apart);
}

void kernel_compute(struct run *run)
{
    struct kernel_state *state = state_of(run);
    if (state->timed)
        apart_end(&state->apart);
}

/* The engine chooses the iterations by the time of complete steps, even if only a part is reported:
 * a kernel may have no communication at all. */
static double run_kernel(struct run *run)
{
    const struct kernel *kernel = run->function->variant;
    struct kernel_state *state = state_of(run);
    state->round++;
    kernel->begin(run);
    state->timed = kernel->communication && !kernel->compute;
    state->apart = (struct apart){0};
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        kernel->step(run);
    double seconds = run_elapsed(run, started, run_stop(run));
    run_shortest_part(run, seconds);
    return state->timed ? apart_seconds(&state->apart, run->iterations)
                        : seconds / (double)run->iterations;
}

double kernel_computation(struct run *run)
{
    const struct kernel *kernel = run->function->variant;
    int64_t started = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        kernel->compute(run);
    return run_elapsed(run, started, timer_now()) / (double)run->iterations;
}

/* ---- Collectives ---- */

void kernel_barrier(struct run *run)
{
    const struct kernel_state *state = state_of(run);
    long *sync = next_sync(run);
    if (state->world)
        shmem_barrier_all();
    else
        shmem_barrier(state->start, state->log_stride, run->size, sync);
}

void kernel_sum_doubles(struct run *run, double *target, double *source, int elements, double *work)
{
    const struct kernel_state *state = state_of(run);
    work += (size_t)(state->turn % TURNS) * collective_work_elements((size_t)elements);
    shmem_double_sum_to_all(target, source, elements, state->start, state->log_stride, run->size,
                            work, next_sync(run));
}

void kernel_sum_longs(struct run *run, long *target, long *source, int elements, long *work)
{
    const struct kernel_state *state = state_of(run);
    work += (size_t)(state->turn % TURNS) * collective_work_elements((size_t)elements);
    shmem_long_sum_to_all(target, source, elements, state->start, state->log_stride, run->size,
                          work, next_sync(run));
}

void kernel_alltoall(struct run *run, long *target, const long *source, size_t elements)
{
    const struct kernel_state *state = state_of(run);
    shmem_alltoall64(target, source, elements, state->start, state->log_stride, run->size,
                     next_sync(run));
}

#endif

const struct measurement kernel_common = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .one_place = true,
    .run = WITH_SHMEM(run_kernel),
    .who = "all",
};
