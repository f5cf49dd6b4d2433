/*
 * Solves Poisson's equation on a square by conjugate gradients, for several right sides. Each PE
 * has some of the rows; it puts its outer ones to its neighbours, and all PEs sum up scalar
 * products. The solutions are known: whole numbers.
 */
#include "app.h"

#define TOLERANCE 1e-9 /* of the residual, relative */

struct solver {
    long size, first, rows;
    double *direction; /* with a row of each neighbour, at the beginning and at the end */
    double *solution, *residual, *product;
    long *arrived; /* exchanges, from above and from below */
    long exchanges;
    double *sums; /* two: what all add, and what comes out */
    double *work;
    long *sync[2]; /* in turns */
    long reductions;
};

static double solution_of(long side, long size, long row, long column)
{
    if (row < 0 || row >= size || column < 0 || column >= size)
        return 0;
    return (double)(app_random((uint64_t)side, (uint64_t)(row * size + column)) % 100);
}

static double sum(const struct app *app, struct solver *solver, double mine)
{
    solver->sums[0] = mine;
    CALL(shmem_double_sum_to_all)
    (&solver->sums[1], &solver->sums[0], 1, 0, 0, app->pes, solver->work,
     solver->sync[solver->reductions++ % 2]);
    return solver->sums[1];
}

static double scalar_product(const struct app *app, struct solver *solver, const double *a,
                             const double *b)
{
    double mine = 0;
    for (long i = 0; i < solver->rows * solver->size; i++)
        mine += a[i] * b[i];
    return sum(app, solver, mine);
}

/* Sums in between keep a neighbour from putting its next row too early. */
static void exchange(const struct app *app, struct solver *solver)
{
    long size = solver->size, count = ++solver->exchanges;
    double *own = solver->direction + size, *last = own + (solver->rows - 1) * size;
    bool above = app->pe > 0, below = app->pe < app->pes - 1;
    if (above) {
        long rows = solver->first - app_first(app, size, app->pe - 1);
        CALL(shmem_double_put)
        (solver->direction + (rows + 1) * size, own, (size_t)size, app->pe - 1);
    }
    if (below)
        CALL(shmem_double_put)(solver->direction, last, (size_t)size, app->pe + 1);
    CALL(shmem_fence)();
    if (above)
        CALL(shmem_long_p)(&solver->arrived[1], count, app->pe - 1);
    if (below)
        CALL(shmem_long_p)(&solver->arrived[0], count, app->pe + 1);
    if (above)
        CALL(shmem_long_wait_until)(&solver->arrived[0], SHMEM_CMP_GE, count);
    if (below)
        CALL(shmem_long_wait_until)(&solver->arrived[1], SHMEM_CMP_GE, count);
}

static void multiply(const struct solver *solver)
{
    long size = solver->size;
    for (long row = 0; row < solver->rows; row++)
        for (long x = 0; x < size; x++) {
            const double *here = solver->direction + (row + 1) * size + x;
            double left = x > 0 ? here[-1] : 0, right = x < size - 1 ? here[1] : 0;
            solver->product[row * size + x] = 4 * here[0] - left - right - here[-size] - here[size];
        }
}

/* Solves the equation with one right side; returns the number of iterations. */
static long solve(const struct app *app, struct solver *solver, long side)
{
    long size = solver->size, cells = solver->rows * size, iterations = 0;
    double *direction = solver->direction + size;
    for (long i = 0; i < cells; i++) {
        long y = solver->first + i / size, x = i % size;
        solver->solution[i] = 0;
        solver->residual[i] = direction[i] =
            4 * solution_of(side, size, y, x) - solution_of(side, size, y, x - 1) -
            solution_of(side, size, y, x + 1) - solution_of(side, size, y - 1, x) -
            solution_of(side, size, y + 1, x);
    }
    double square = scalar_product(app, solver, solver->residual, solver->residual);
    double enough = TOLERANCE * TOLERANCE * square;
    for (; square > enough && iterations < 10 * size + 10; iterations++) {
        exchange(app, solver);
        multiply(solver);
        double step = square / scalar_product(app, solver, direction, solver->product);
        for (long i = 0; i < cells; i++) {
            solver->solution[i] += step * direction[i];
            solver->residual[i] -= step * solver->product[i];
        }
        double next = scalar_product(app, solver, solver->residual, solver->residual);
        for (long i = 0; i < cells; i++)
            direction[i] = solver->residual[i] + next / square * direction[i];
        square = next;
    }
    return iterations;
}

static uint64_t checksum_of(long side, long place, double value)
{
    return app_random((uint64_t)(value * 1e3 + 0.5), (uint64_t)(side << 32 | place));
}

int main(int argc, char **argv)
{
    long size = 24, steps = 4, iterations = 0;
    const struct app_option options[] = {
        {"size", &size, 1, 30000, "rows and columns"},
        {"steps", &steps, 0, LONG_MAX / 2, "right sides"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("cg", argv, options);
    if (size < app.pes) {
        if (app.pe == 0)
            app_fail(&app, 2, "--size %ld is smaller than the number of PEs, %d", size, app.pes);
        CALL(shmem_barrier_all)();
    }
    if (app.pe == 0)
        printf("cg: %ld x %ld unknowns, %ld right sides, %d PEs\n", size, size, steps, app.pes);
    struct solver solver = {.size = size, .first = app_first(&app, size, app.pe)};
    solver.rows = app_first(&app, size, app.pe + 1) - solver.first;
    size_t row = (size_t)size * sizeof(double), most = (size_t)(size / app.pes + 1) * row;
    solver.direction = app_memory(&app, most + 2 * row);
    solver.solution = app_memory(&app, most);
    solver.residual = app_memory(&app, most);
    solver.product = app_memory(&app, most);
    solver.arrived = app_memory(&app, 2 * sizeof *solver.arrived);
    solver.sums = app_memory(&app, 2 * sizeof *solver.sums);
    solver.work = app_memory(&app, SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof *solver.work);
    for (int i = 0; i < 2; i++) {
        solver.sync[i] = app_memory(&app, SHMEM_REDUCE_SYNC_SIZE * sizeof *solver.sync[i]);
        for (int j = 0; j < SHMEM_REDUCE_SYNC_SIZE; j++)
            solver.sync[i][j] = SHMEM_SYNC_VALUE;
    }
    CALL(shmem_barrier_all)();

    uint64_t mine = 0, wanted = 0;
    for (long side = 0; side < steps; side++) {
        iterations += solve(&app, &solver, side);
        for (long i = 0; i < solver.rows * size; i++)
            mine += checksum_of(side, solver.first * size + i, solver.solution[i]);
    }
    for (long i = 0; app.pe == 0 && i < steps * size * size; i++) {
        long side = i / (size * size), place = i % (size * size);
        wanted += checksum_of(side, place, solution_of(side, size, place / size, place % size));
    }
    if (app.pe == 0)
        printf("cg: %ld iterations\n", iterations);
    return app_end(&app, app_sum(&app, mine), wanted);
}
