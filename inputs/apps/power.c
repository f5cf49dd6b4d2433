/*
 * Power iteration with a full matrix whose rows are spread over the PEs: each step multiplies it by
 * a vector, collects the parts of the product, and scales it by a sum over all PEs. Now and then
 * comes the largest change, and a new beginning, which one of the PEs chooses and broadcasts. All
 * numbers are whole, also those in sums of doubles, so that the order of sums does not matter.
 */
#include "app.h"

#define UNIT 16384 /* the mean of the absolute values in a vector */
#define CHANGE_EVERY 10
#define BEGIN_EVERY 40

enum { MAGNITUDE, PRODUCT, SUMS };

struct solver {
    const struct app *app;
    long size, first, count; /* of all rows; of this PE's */
    int *matrix;             /* of this PE's rows */
    long *vector;            /* all of it, on all PEs */
    long *collected, *begin; /* all of it, as it comes from the others */
    long *part;              /* of the product: this PE's rows */
    double *sum, *my_sum;
    long *change, *my_change;
    long *collect_sync[2], *sum_sync[2], *max_sync, *broadcast_sync;
    double *sum_work[2];
    long *max_work;
};

/* The matrix has something in its diagonal and otherwise the products of two vectors. */
static long diagonal(long row)
{
    return 300 + (long)(app_random(1, (uint64_t)row) % 300);
}

static long by_row(long row)
{
    return (long)(app_random(2, (uint64_t)row) % 13) - 6;
}

static long by_column(long column)
{
    return (long)(app_random(3, (uint64_t)column) % 13) - 6;
}

static long begin_value(long step, long row)
{
    return (long)(app_random(4 + (uint64_t)step, (uint64_t)row) % (4 * UNIT)) - 2 * UNIT;
}

static uint64_t checksum_of(long step, double product, long change)
{
    return app_random((uint64_t)(long)product, (uint64_t)step) + (uint64_t)change;
}

static long *make_sync(const struct app *app, size_t words)
{
    long *sync = app_memory(app, words * sizeof *sync);
    for (size_t i = 0; i < words; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    return sync;
}

static void make_solver(struct solver *solver)
{
    const struct app *app = solver->app;
    size_t bytes = (size_t)solver->size * sizeof(long);
    size_t work = SHMEM_REDUCE_MIN_WRKDATA_SIZE > SUMS ? SHMEM_REDUCE_MIN_WRKDATA_SIZE : SUMS;
    solver->first = app_first(app, solver->size, app->pe);
    solver->count = app_first(app, solver->size, app->pe + 1) - solver->first;
    solver->collected = app_memory(app, bytes);
    solver->begin = app_memory(app, 2 * bytes);
    solver->part = app_memory(app, bytes);
    solver->sum = app_memory(app, SUMS * sizeof(double));
    solver->my_sum = app_memory(app, SUMS * sizeof(double));
    solver->change = app_memory(app, sizeof(long));
    solver->my_change = app_memory(app, sizeof(long));
    for (int i = 0; i < 2; i++) {
        solver->collect_sync[i] = make_sync(app, SHMEM_COLLECT_SYNC_SIZE);
        solver->sum_sync[i] = make_sync(app, SHMEM_REDUCE_SYNC_SIZE);
        solver->sum_work[i] = app_memory(app, work * sizeof(double));
    }
    solver->max_sync = make_sync(app, SHMEM_REDUCE_SYNC_SIZE);
    solver->max_work = app_memory(app, work * sizeof(long));
    solver->broadcast_sync = make_sync(app, SHMEM_BCAST_SYNC_SIZE);
    solver->vector = calloc((size_t)solver->size, sizeof(long));
    solver->matrix = calloc((size_t)(solver->size * solver->count + 1), sizeof *solver->matrix);
    if (!solver->vector || !solver->matrix)
        app_fail(app, 1, "no memory for the matrix; make --size smaller");
    for (long i = 0; i < solver->count; i++) {
        long row = solver->first + i;
        for (long j = 0; j < solver->size; j++)
            solver->matrix[i * solver->size + j] =
                (int)(by_row(row) * by_column(j) + (j == row ? diagonal(row) : 0));
    }
}

/* A new vector from one of the PEs. */
static void begin(const struct solver *solver, long step)
{
    const struct app *app = solver->app;
    size_t size = (size_t)solver->size;
    int root = (int)(step / BEGIN_EVERY % app->pes);
    long *chosen = solver->begin + solver->size;
    for (long i = 0; app->pe == root && i < solver->size; i++)
        chosen[i] = begin_value(step, i);
    CALL(shmem_broadcast64)
    (solver->begin, chosen, size, root, 0, 0, app->pes, solver->broadcast_sync);
    memcpy(solver->vector, app->pe == root ? chosen : solver->begin, size * sizeof(long));
}

/* One step; returns what it adds to the checksum, which is the same on all PEs. */
static uint64_t iterate(const struct solver *solver, long step)
{
    const struct app *app = solver->app;
    double *my_sum = solver->my_sum;
    my_sum[MAGNITUDE] = my_sum[PRODUCT] = 0;
    for (long i = 0; i < solver->count; i++) {
        const int *row = solver->matrix + i * solver->size;
        long sum = 0;
        for (long j = 0; j < solver->size; j++)
            sum += row[j] * solver->vector[j];
        solver->part[i] = sum;
        my_sum[MAGNITUDE] += (double)labs(sum);
        my_sum[PRODUCT] += (double)(sum / UNIT * solver->vector[solver->first + i]);
    }
    CALL(shmem_double_sum_to_all)
    (solver->sum, my_sum, SUMS, 0, 0, app->pes, solver->sum_work[step % 2],
     solver->sum_sync[step % 2]);
    CALL(shmem_collect64)
    (solver->collected, solver->part, (size_t)solver->count, 0, 0, app->pes,
     solver->collect_sync[step % 2]);

    double product = solver->sum[PRODUCT];
    long scale = (long)solver->sum[MAGNITUDE] / solver->size + 1, largest = 0;
    for (long i = 0; i < solver->size; i++) {
        long value = solver->collected[i] * UNIT / scale, change = labs(value - solver->vector[i]);
        bool is_mine = i >= solver->first && i < solver->first + solver->count;
        largest = is_mine && change > largest ? change : largest;
        solver->vector[i] = value;
    }
    if ((step + 1) % CHANGE_EVERY != 0)
        return checksum_of(step, product, 0);
    *solver->my_change = largest;
    CALL(shmem_long_max_to_all)
    (solver->change, solver->my_change, 1, 0, 0, app->pes, solver->max_work, solver->max_sync);
    return checksum_of(step, product, *solver->change);
}

/* Computes the result of all PEs on one PE, without communication and without the matrix. */
static uint64_t expected(const struct app *app, long size, long steps)
{
    long *vector = calloc((size_t)size, sizeof *vector), *next = calloc((size_t)size, sizeof *next);
    uint64_t checksum = 0;
    if (!vector || !next)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long step = 0; step < steps; step++) {
        long common = 0, magnitude = 0, product = 0, largest = 0;
        for (long i = 0; i < size; i++) {
            if (step % BEGIN_EVERY == 0)
                vector[i] = begin_value(step, i);
            common += by_column(i) * vector[i];
        }
        for (long i = 0; i < size; i++) {
            next[i] = by_row(i) * common + diagonal(i) * vector[i];
            magnitude += labs(next[i]);
            product += next[i] / UNIT * vector[i];
        }
        for (long i = 0; i < size; i++) {
            long value = next[i] * UNIT / (magnitude / size + 1), change = labs(value - vector[i]);
            largest = change > largest ? change : largest;
            vector[i] = value;
        }
        checksum +=
            checksum_of(step, (double)product, (step + 1) % CHANGE_EVERY == 0 ? largest : 0);
    }
    free(vector);
    free(next);
    return checksum;
}

int main(int argc, char **argv)
{
    long steps = 400;
    struct app app;
    struct solver solver = {.app = &app, .size = 1000};
    const struct app_option options[] = {
        {"size", &solver.size, 1, 10000, "rows and columns"},
        {"steps", &steps, 0, 1L << 30, "steps"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    app = app_begin("power", argv, options);
    if (app.pe == 0)
        printf("power: %ld x %ld matrix, %ld steps, %d PEs\n", solver.size, solver.size, steps,
               app.pes);
    make_solver(&solver);
    CALL(shmem_barrier_all)();

    uint64_t mine = 0, wanted = expected(&app, solver.size, steps);
    for (long step = 0; step < steps; step++) {
        if (step % BEGIN_EVERY == 0)
            begin(&solver, step);
        mine += iterate(&solver, step);
    }
    free(solver.matrix);
    free(solver.vector);
    uint64_t wrong = app_sum(&app, mine != wanted);
    return app_end(&app, wanted + wrong, wanted);
}
