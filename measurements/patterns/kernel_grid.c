/*
 * Kernels on grids that are cut in two dimensions: Himeno, and a stencil with a flag after each
 * put. Each PE exchanges the faces of its block with its neighbours, then computes.
 */
#include <limits.h>

#include "measurements/common/collective.h"
#include "measurements/common/halo.h"
#include "measurements/common/kernel.h"

/* What distinguishes them. */
struct grid_kernel {
    const struct grid_program *program;
    bool himeno;
};

/* In the order of its words. */
static const int cut_dimensions[][GRID_CUTS] = {{0, 1}, {1, 2}, {0, 2}};

enum sync_way { BY_FLAGS, BY_BARRIER };

static const struct grid_kernel *kernel_of(const struct run *run)
{
    return ((const struct kernel *)run->function->variant)->what;
}

/* ---- Arguments ---- */

/* A stencil is a grid without a first dimension. */
static void grid_of(const struct run *run, struct halo_grid *grid)
{
    static const char *const names[][GRID_DIMENSIONS] = {{NULL, "rows", "columns"},
                                                         {"i", "j", "k"}};
    bool himeno = kernel_of(run)->himeno;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        const char *name = names[himeno][d];
        grid->whole[d] = name ? run_integer(run, name, 1) : 1;
        grid->layer[d] = name != NULL;
    }
    int cut = himeno ? run_word(run, "cut") : 1;
    for (int c = 0; c < GRID_CUTS; c++)
        grid->cut[c] = cut_dimensions[cut][c];
    grid_parts(run->size, grid->parts);
}

static enum halo_way way_of(const struct run *run)
{
    return (enum halo_way)run_word(run, "algorithm");
}

static bool by_barrier(const struct run *run)
{
    return run_word(run, "synchronization") == BY_BARRIER;
}

static const char *check(const struct run *run)
{
    struct halo_grid grid;
    struct grid_block block;
    const char *reason = NULL;
    if (kernel_of(run)->himeno || by_barrier(run))
        reason = collective_refused_set(run->set);
    if (reason)
        return reason;
    grid_of(run, &grid);
    for (int c = 0; c < GRID_CUTS; c++)
        if (grid.whole[grid.cut[c]] < grid.parts[c])
            return "each PE needs cells: the PEs are arranged as nearly as a square as their "
                   "number allows (7 PEs: 7 x 1), and a dimension that is cut must have as many "
                   "cells as there are PEs along it";
    /* Everything computed from it stays far from overflow: 14 arrays, indexes of 32 bits in calls.
     */
    int64_t limit = (int64_t)1 << 40;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (grid.whole[d] > INT_MAX)
            return "a dimension has more cells than can be counted in an int";
    return halo_block(&grid, 0, &block) && block.cells < (size_t)limit
               ? NULL
               : "each PE would have more cells than can be addressed";
}

/* The first PE's block is the largest. */
static void demand(struct run *run)
{
    struct halo_grid grid;
    struct grid_block block;
    grid_of(run, &grid);
    if (!halo_block(&grid, 0, &block)) {
        run->demand.own = SIZE_MAX;
        return;
    }
    size_t cells = 2 * block.cells + halo_packed_cells(&grid, way_of(run));
    run->demand.remote = cells * sizeof(float);
    run->demand.own = (kernel_of(run)->himeno ? 12 : 1) * block.cells * sizeof(float);
    run->demand.scratch = active_set_bytes() + HALO_FLAGS * sizeof(long) +
                          (2 + 2 * collective_work_elements(1)) * sizeof(double);
    run->demand.reported =
        (size_t)(block.extent[0] * block.extent[1] * block.extent[2]) * sizeof(float);
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>
#include <stdlib.h>

struct grid_state {
    struct kernel_state kernel;
    struct halo_grid grid;
    struct grid_block block;
    struct halo halo;
    void (*barrier)(struct run *); /* instead of flags */
    float *prepared;
    float *cells[2];
    int current;   /* which of them has the values of this step */
    double change; /* of this PE, in the last step */
    double *sum;   /* symmetric: the total, what is added, work arrays */
    int64_t steps; /* of this repetition */
};

/* The benchmark's own order, but for the exchange, which comes first: so each step needs it. */
static void step_himeno(struct run *run)
{
    struct grid_state *s = run->state;
    kernel_communicate(run);
    halo_exchange(run, &s->halo, s->cells[0], NULL);
    kernel_compute(run);
    s->change = grid_himeno.sweep(&s->block, s->prepared, s->cells[0], s->cells[1]);
    s->sum[1] = s->change;
    kernel_communicate(run);
    kernel_sum_doubles(run, &s->sum[0], &s->sum[1], 1, &s->sum[2]);
    kernel_compute(run);
    /* All have computed: nobody needs the layer any more when the next exchange writes it. */
    grid_copy(&s->block, s->cells[0], s->cells[1]);
    s->steps++;
}

static void step_stencil(struct run *run)
{
    struct grid_state *s = run->state;
    float *from = s->cells[s->current];
    s->current ^= 1;
    kernel_communicate(run);
    halo_exchange(run, &s->halo, from, s->barrier);
    kernel_compute(run);
    grid_stencil.sweep(&s->block, NULL, from, s->cells[s->current]);
    s->steps++;
}

/* The key of the data of this round, equal on all PEs. */
static uint64_t grid_key(const struct run *run)
{
    return kernel_key(run, 0);
}

/* The border is in both arrays. Neighbours may already write to the layers, which stay as they are.
 */
static void begin(struct run *run)
{
    struct grid_state *s = run->state;
    s->steps = 0;
    for (int i = 0; i < 2; i++)
        grid_begin(&s->block, s->cells[i], grid_key(run), false);
}

/* ---- Data ---- */

/* Rounding may differ between loops that the compiler makes differently. */
static bool agrees(double found, double wanted, double scale)
{
    return fabs(found - wanted) <= scale * (1 + fabs(wanted));
}

static bool verify_cells(struct run *run, const float *found, const float *wanted)
{
    const struct grid_block *b = &((const struct grid_state *)run->state)->block;
    for (int64_t i = 0; i < b->extent[0]; i++)
        for (int64_t j = 0; j < b->extent[1]; j++)
            for (int64_t k = 0; k < b->extent[2]; k++) {
                size_t at = grid_index(b, i, j, k);
                if (!agrees((double)found[at], (double)wanted[at], 4e-6))
                    return run_fail(
                        run,
                        "wrong data: cell (%lld, %lld, %lld) of the grid on PE %d (rank %d) is "
                        "%.9g after %lld steps and should be %.9g",
                        (long long)(b->first[0] + i), (long long)(b->first[1] + j),
                        (long long)(b->first[2] + k), pe_set_member(run->set, run->rank), run->rank,
                        (double)found[at],
                        (long long)((const struct grid_state *)run->state)->steps,
                        (double)wanted[at]);
            }
    return true;
}

/* Rank 0 adds up what the ranks found; the others must have what it has. */
static bool verify_sum(struct run *run)
{
    const struct grid_state *s = run->state;
    double wanted = 0;
    if (run->rank > 0)
        wanted = shmem_double_g(&s->sum[0], pe_set_member(run->set, 0));
    else
        for (int rank = 0; rank < run->size; rank++)
            wanted += shmem_double_g(&s->sum[1], pe_set_member(run->set, rank));
    return agrees(s->sum[0], wanted, 1e-9) ||
           run_fail(run, "wrong data: the sum on PE %d (rank %d) is %.17g and should be %.17g",
                    pe_set_member(run->set, run->rank), run->rank, s->sum[0], wanted);
}

static bool verify(struct run *run)
{
    const struct grid_kernel *kernel = kernel_of(run);
    const struct grid_state *s = run->state;
    bool good = !kernel->himeno || verify_sum(run);
    if (!good || (!run->untimed && grid_serial_cost(&s->block, s->steps) > KERNEL_MOST_CHECKED))
        return good;
    float *wanted = grid_serial(&s->block, kernel->program, grid_key(run), s->steps);
    if (!wanted)
        return run_fail(
            run, "the serial program that checks the data needs more cells than can be addressed");
    good = verify_cells(run, s->cells[s->current], wanted);
    free(wanted);
    return good;
}

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    const struct grid_kernel *kernel = kernel_of(run);
    struct grid_state *s = run->state;
    struct grid_block largest;
    kernel_set_up(run);
    grid_of(run, &s->grid);
    halo_block(&s->grid, run->rank, &s->block);
    halo_block(&s->grid, 0, &largest);
    if ((uintptr_t)run->remote % sizeof(float))
        return run_fail(run, ALIGNMENT_TEXT, sizeof(float));
    s->cells[0] = (float *)(void *)run->remote;
    s->cells[1] = s->cells[0] + largest.cells;
    s->barrier = by_barrier(run) ? kernel_barrier : NULL;
    s->halo.way = way_of(run);
    s->halo.corners = kernel->himeno;
    s->sum = (double *)(void *)(run->scratch + active_set_bytes());
    long *flags = (long *)(void *)(s->sum + 2 + 2 * collective_work_elements(1));
    halo_set_up(run, &s->grid, &s->halo, flags, s->cells[1] + largest.cells);
    if (kernel->program->prepare)
        s->prepared = kernel->program->prepare(&s->block);
    return true;
}

static void tear_down(struct run *run)
{
    free(((struct grid_state *)run->state)->prepared);
}

#endif

static const struct grid_kernel himeno = {.program = &grid_himeno, .himeno = true},
                                stencil = {.program = &grid_stencil};

/* clang-format off */
#define CELLS(name, meaning) {name, PARAMETER_INT, "cells", meaning, .minimum = 1, .example = "16", .allowed = "as many as there are PEs along it, at least"}
#define ALGORITHM {"algorithm", PARAMETER_STRING, "", "how a face is put: a putmem for each contiguous run, an iput for each row, or packed as one", .words = "runs|iput|pack", .otherwise = "runs", .example = "runs"}
#define CUT {"cut", PARAMETER_STRING, "", "dimensions that are divided among the PEs; the last of i, j, k is contiguous", .words = "ij|jk|ik", .otherwise = "ij", .example = "ij"}
#define SYNCHRONIZATION {"synchronization", PARAMETER_STRING, "", "how a PE knows that its neighbours' cells are there", .words = "flags|barrier", .otherwise = "flags", .example = "flags"}
static const struct measurement grids = {
    .like = {&kernel_common}, .check = check, .demand = demand, .setup = WITH_SHMEM(set_up),
    .verify = WITH_SHMEM(verify), .teardown = WITH_SHMEM(tear_down),
    SHMEM_STATE(struct grid_state)};
static const struct measurement of_himeno = {
    .like = {&grids},
    .calls = "shmem_put shmem_iput shmem_fence shmem_long_p shmem_long_wait_until shmem_double_sum_to_all",
    .parameters = {CELLS("i", "grid, first dimension"), CELLS("j", "grid, second dimension"), CELLS("k", "grid, third dimension"), ITERATIONS, ALGORITHM, CUT}};
static const struct measurement of_stencil = {
    .like = {&grids},
    .calls = "shmem_put shmem_iput shmem_fence shmem_long_p shmem_long_wait_until shmem_barrier_all shmem_barrier",
    .parameters = {CELLS("rows", "grid, first dimension"), CELLS("columns", "grid, second dimension"), ITERATIONS, SYNCHRONIZATION, ALGORITHM}};

const struct measurement measurements_kernel_grid[] = {
    {"Kernel_Himeno", "a step of the Himeno benchmark: 19-point Jacobi on a grid that is cut in two dimensions",
     .like = {&of_himeno}, .timing = TIMING_WHOLE, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_himeno), .what = &himeno},
     .timed = "exchange of faces with the neighbours, computation, sum_to_all of the change"},
    {"Kernel_Himeno_Communication", "the communication in a step of the Himeno benchmark",
     .like = {&of_himeno}, .timing = TIMING_PARTS, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_himeno), .communication = true, .what = &himeno},
     .timed = "exchange of faces with the neighbours, and sum_to_all of the change; the computation untimed"},
    {"Kernel_Stencil", "a step of a 5-point stencil: puts to the neighbours, then a flag or a barrier",
     .like = {&of_stencil}, .timing = TIMING_WHOLE, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_stencil), .what = &stencil},
     .timed = "puts to the neighbours, fence and p of a flag to each, wait_until for theirs; computation"},
    {"Kernel_Stencil_Communication", "the communication in a step of a 5-point stencil",
     .like = {&of_stencil}, .timing = TIMING_PARTS, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_stencil), .communication = true, .what = &stencil},
     .timed = "puts to the neighbours, fence and p of a flag to each, wait_until for theirs; the computation untimed"},
    {.name = NULL},
};
/* clang-format on */
