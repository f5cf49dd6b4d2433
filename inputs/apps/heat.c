/*
 * Heat on a square that is closed to a torus, cut into blocks of a grid of PEs. Rows of a block's
 * edge are put, its columns, which are strided in memory, are put by iput. Now and then each PE has
 * a look at some places of the block at its right, by iget.
 */
#include "app.h"

#define LOOK_EVERY 20 /* steps */
#define LOOKS 4       /* places, at most */

struct block {
    int across, down; /* PEs of the grid */
    int column, row;  /* of this PE in it */
    long size;        /* of the whole square */
    long width, height, stride;
    double *cells[2]; /* of even and of odd steps, with a row and a column more on each side */
};

static long part(long size, int parts, int number)
{
    return size * number / parts;
}

static long length(long size, int parts, int number)
{
    return part(size, parts, number + 1) - part(size, parts, number);
}

static double first_value(long row, long column)
{
    return (double)(app_random((uint64_t)row, (uint64_t)column) % 1000);
}

static double next_value(double middle, double up, double down, double left, double right)
{
    return middle + 0.1 * (((up + down) + (left + right)) - 4 * middle);
}

static uint64_t checksum_of(long row, long column, double value)
{
    return app_random((uint64_t)(value * 1e6), (uint64_t)(row << 32 | column));
}

/* The PE so many blocks below and to the right. */
static int neighbour(const struct block *block, int below, int right)
{
    int row = (block->row + block->down + below) % block->down;
    return row * block->across + (block->column + block->across + right) % block->across;
}

static struct block make_block(const struct app *app, long size)
{
    struct block block = {.size = size};
    for (int i = 1; i * i <= app->pes; i++)
        if (app->pes % i == 0)
            block.down = i;
    block.across = app->pes / block.down;
    block.row = app->pe / block.across;
    block.column = app->pe % block.across;
    block.width = length(size, block.across, block.column);
    block.height = length(size, block.down, block.row);
    block.stride = size / block.across + 3;
    for (int i = 0; i < 2; i++)
        block.cells[i] = app_memory(app, (size_t)((size / block.down + 3) * block.stride) *
                                             sizeof *block.cells[i]);
    return block;
}

static void exchange(const struct block *block, long step)
{
    long stride = block->stride, width = block->width, height = block->height;
    double *cells = block->cells[step % 2];
    long width_left =
        length(block->size, block->across, (block->column + block->across - 1) % block->across);
    long height_above =
        length(block->size, block->down, (block->row + block->down - 1) % block->down);
    CALL(shmem_double_put)
    (cells + (height_above + 1) * stride + 1, cells + stride + 1, (size_t)width,
     neighbour(block, -1, 0));
    CALL(shmem_double_put)
    (cells + 1, cells + height * stride + 1, (size_t)width, neighbour(block, 1, 0));
    CALL(shmem_double_iput)
    (cells + stride + width_left + 1, cells + stride + 1, stride, stride, (size_t)height,
     neighbour(block, 0, -1));
    CALL(shmem_double_iput)
    (cells + stride, cells + stride + width, stride, stride, (size_t)height,
     neighbour(block, 0, 1));
    CALL(shmem_barrier_all)();
}

/* How many of some places at the left edge of the block at the right differ from what it has put.
 */
static uint64_t look(const struct block *block, long step)
{
    double seen[LOOKS];
    uint64_t wrong = 0;
    const double *cells = block->cells[step % 2] + block->stride;
    long places = block->height / 2 < LOOKS ? block->height / 2 : LOOKS;
    CALL(shmem_double_iget)
    (seen, cells + 1, 1, 2 * block->stride, (size_t)places, neighbour(block, 0, 1));
    for (long i = 0; i < places; i++)
        wrong += seen[i] != cells[2 * i * block->stride + block->width + 1];
    return wrong;
}

static void compute(const struct block *block, long step)
{
    for (long row = 1; row <= block->height; row++) {
        const double *old = block->cells[step % 2] + row * block->stride;
        double *new = block->cells[(step + 1) % 2] + row * block->stride;
        for (long i = 1; i <= block->width; i++)
            new[i] = next_value(old[i], old[i - block->stride], old[i + block->stride], old[i - 1],
                                old[i + 1]);
    }
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, long size, long steps)
{
    double *old = calloc((size_t)(size * size), sizeof *old);
    double *new = calloc((size_t)(size * size), sizeof *new);
    uint64_t sum = 0;
    if (!old || !new)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < size * size; i++)
        old[i] = first_value(i / size, i % size);
    for (long step = 0; step < steps; step++) {
        for (long y = 0; y < size; y++)
            for (long x = 0; x < size; x++)
                new[y * size + x] = next_value(
                    old[y * size + x], old[(y + size - 1) % size * size + x],
                    old[(y + 1) % size * size + x], old[y * size + (x + size - 1) % size],
                    old[y * size + (x + 1) % size]);
        double *swapped = old;
        old = new;
        new = swapped;
    }
    for (long i = 0; i < size * size; i++)
        sum += checksum_of(i / size, i % size, old[i]);
    free(old);
    free(new);
    return sum;
}

int main(int argc, char **argv)
{
    long size = 24, steps = 200;
    const struct app_option options[] = {
        {"size", &size, 1, 30000, "rows and columns"},
        {"steps", &steps, 0, LONG_MAX / 2, "steps"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("heat", argv, options);
    if (size < app.pes) {
        if (app.pe == 0)
            app_fail(&app, 2, "--size %ld is smaller than the number of PEs, %d", size, app.pes);
        CALL(shmem_barrier_all)();
    }
    struct block block = make_block(&app, size);
    if (app.pe == 0)
        printf("heat: %ld x %ld cells, %ld steps, %d x %d PEs\n", size, size, steps, block.down,
               block.across);
    long top = part(size, block.down, block.row), left = part(size, block.across, block.column);
    for (long y = 0; y < block.height; y++)
        for (long x = 0; x < block.width; x++)
            block.cells[0][(y + 1) * block.stride + x + 1] = first_value(top + y, left + x);

    uint64_t mine = 0;
    CALL(shmem_barrier_all)();
    for (long step = 0; step < steps; step++) {
        exchange(&block, step);
        if (step % LOOK_EVERY == 0)
            mine += look(&block, step);
        compute(&block, step);
    }

    for (long y = 0; y < block.height; y++)
        for (long x = 0; x < block.width; x++)
            mine += checksum_of(top + y, left + x,
                                block.cells[steps % 2][(y + 1) * block.stride + x + 1]);
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&app, size, steps) : 0);
}
