/*
 * A five-point stencil on a square that is closed to a torus. Each PE holds some of the columns and
 * sends its outer ones to both neighbours in a ring: a column is strided in memory, so by iput.
 * Flags tell that it has arrived; there is no barrier between the steps.
 */
#include "app.h"

enum { FROM_LEFT, FROM_RIGHT, SIDES };

struct grid {
    long rows, columns; /* of the PE, without those of the neighbours at 0 and columns + 1 */
    long stride;        /* of a row, on all PEs */
    unsigned *cells[2]; /* of even and of odd steps */
};

static unsigned first_value(long size, long row, long column)
{
    return (unsigned)app_random(1, (uint64_t)(row * size + column));
}

/* What wraps around is defined, and loses nothing that was once wrong. */
static unsigned next_value(unsigned middle, unsigned left, unsigned right, unsigned up,
                           unsigned down)
{
    return 2 * middle + 3 * left + 5 * right + 7 * up + 11 * down;
}

static uint64_t checksum_of(long size, long row, long column, unsigned value)
{
    return app_random(value, (uint64_t)(row * size + column));
}

static void exchange(const struct app *app, long size, const struct grid *grid, long *arrived,
                     long step)
{
    int left = (app->pe + app->pes - 1) % app->pes, right = (app->pe + 1) % app->pes;
    long left_columns = app_first(app, size, left + 1) - app_first(app, size, left);
    unsigned *cells = grid->cells[step % 2];
    CALL(shmem_uint_iput)
    (cells + left_columns + 1, cells + 1, grid->stride, grid->stride, (size_t)grid->rows, left);
    CALL(shmem_uint_iput)
    (cells, cells + grid->columns, grid->stride, grid->stride, (size_t)grid->rows, right);
    CALL(shmem_fence)();
    CALL(shmem_long_p)(&arrived[FROM_RIGHT], step + 1, left);
    CALL(shmem_long_p)(&arrived[FROM_LEFT], step + 1, right);
    CALL(shmem_long_wait_until)(&arrived[FROM_LEFT], SHMEM_CMP_GE, step + 1);
    CALL(shmem_long_wait_until)(&arrived[FROM_RIGHT], SHMEM_CMP_GE, step + 1);
}

static void compute(const struct grid *grid, long step)
{
    const unsigned *old = grid->cells[step % 2];
    unsigned *new = grid->cells[(step + 1) % 2];
    for (long row = 0; row < grid->rows; row++) {
        const unsigned *here = old + row * grid->stride;
        const unsigned *up = old + (row + grid->rows - 1) % grid->rows * grid->stride;
        const unsigned *down = old + (row + 1) % grid->rows * grid->stride;
        for (long i = 1; i <= grid->columns; i++)
            new[row * grid->stride + i] =
                next_value(here[i], here[i - 1], here[i + 1], up[i], down[i]);
    }
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, long size, long steps)
{
    size_t bytes = (size_t)(size * size) * sizeof(unsigned);
    unsigned *old = malloc(bytes), *new = malloc(bytes);
    uint64_t sum = 0;
    if (!old || !new)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < size * size; i++)
        old[i] = first_value(size, i / size, i % size);
    for (long step = 0; step < steps; step++) {
        for (long y = 0; y < size; y++)
            for (long x = 0; x < size; x++)
                new[y * size + x] = next_value(
                    old[y * size + x], old[y * size + (x + size - 1) % size],
                    old[y * size + (x + 1) % size], old[(y + size - 1) % size * size + x],
                    old[(y + 1) % size * size + x]);
        unsigned *swapped = old;
        old = new;
        new = swapped;
    }
    for (long i = 0; i < size * size; i++)
        sum += checksum_of(size, i / size, i % size, old[i]);
    free(old);
    free(new);
    return sum;
}

int main(int argc, char **argv)
{
    long size = 64, steps = 20;
    const struct app_option options[] = {
        {"size", &size, 1, 30000, "rows and columns"},
        {"steps", &steps, 0, LONG_MAX / 2, "steps"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("stencil", argv, options);
    if (size < app.pes) {
        if (app.pe == 0)
            app_fail(&app, 2, "--size %ld is smaller than the number of PEs, %d", size, app.pes);
        CALL(shmem_barrier_all)();
    }
    if (app.pe == 0)
        printf("stencil: %ld x %ld cells, %ld steps, %d PEs\n", size, size, steps, app.pes);

    long first = app_first(&app, size, app.pe);
    struct grid grid = {.rows = size,
                        .columns = app_first(&app, size, app.pe + 1) - first,
                        .stride = (size + app.pes - 1) / app.pes + 2};
    for (int i = 0; i < 2; i++)
        grid.cells[i] = app_memory(&app, (size_t)(grid.rows * grid.stride) * sizeof(unsigned));
    long *arrived = app_memory(&app, SIDES * sizeof *arrived);
    for (long row = 0; row < size; row++)
        for (long i = 1; i <= grid.columns; i++)
            grid.cells[0][row * grid.stride + i] = first_value(size, row, first + i - 1);
    CALL(shmem_barrier_all)();

    for (long step = 0; step < steps; step++) {
        exchange(&app, size, &grid, arrived, step);
        compute(&grid, step);
    }

    uint64_t mine = 0;
    for (long row = 0; row < size; row++)
        for (long i = 1; i <= grid.columns; i++)
            mine +=
                checksum_of(size, row, first + i - 1, grid.cells[steps % 2][row * grid.stride + i]);
    uint64_t sum = app_sum(&app, mine);
    CALL(shmem_free)(arrived);
    CALL(shmem_free)(grid.cells[1]);
    CALL(shmem_free)(grid.cells[0]);
    return app_end(&app, sum, app.pe == 0 ? expected(&app, size, steps) : 0);
}
