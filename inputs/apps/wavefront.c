/*
 * Sweeps over a field whose columns are spread over the PEs: a cell depends on the new values of
 * the one before it in its row and in its column. Sweeps go from the left to the right and back, in
 * turns. A PE passes on the border of a block of rows by a put, a fence and a flag. Now and then a
 * token with the sum of all cells goes round. There is no barrier.
 */
#include "app.h"

#define TOKEN_EVERY 8 /* sweeps */
#define PRIME UINT64_C(2147483647)
#define FACTOR UINT64_C(48271)

enum { RIGHT, LEFT, WAYS };

struct field {
    long rows, columns, block, rounds;
    long width;       /* columns of this PE */
    uint64_t *cells;  /* of this PE, by row and column */
    uint64_t *border; /* by way and row: the column that the PE before has computed */
    uint64_t *edge;   /* by row: the column that goes to the next PE */
    long *arrived;    /* by way and block: sweeps in which it has */
    uint64_t *token;
    long *token_arrived;
};

static uint64_t first_value(long row, long column)
{
    return app_random((uint64_t)row + 1, (uint64_t)column) % PRIME;
}

static long rounds_of(const struct field *field, long row)
{
    return field->rounds / 2 + (long)(app_random(5, (uint64_t)row) % (uint64_t)(field->rounds + 1));
}

static uint64_t grown(uint64_t value, long rounds)
{
    for (long i = 0; i < rounds; i++)
        value = value * FACTOR % PRIME;
    return value;
}

static uint64_t checksum_of(const struct field *field, long row, long column, uint64_t value)
{
    return app_random(value, (uint64_t)(row * field->columns + column));
}

/* Rows from the first up to, without, the end, in the order of the way; the results at the side
 * where the way leads are the edge. */
static void compute(struct field *field, int way, long first, long end)
{
    for (long i = 0; i < end - first; i++) {
        long row = way == RIGHT ? first + i : end - 1 - i, rounds = rounds_of(field, row);
        long row_before = way == RIGHT ? row - 1 : row + 1;
        const uint64_t *above = row_before >= 0 && row_before < field->rows
                                    ? field->cells + row_before * field->width
                                    : NULL;
        uint64_t before = field->border[way * field->rows + row];
        for (long j = 0; j < field->width; j++) {
            long column = way == RIGHT ? j : field->width - 1 - j;
            uint64_t *cell = &field->cells[row * field->width + column];
            *cell =
                (grown(*cell, rounds) + 3 * before + (above ? 5 * above[column] : 0) + 1) % PRIME;
            before = *cell;
        }
        field->edge[row] = before;
    }
}

static void sweep(const struct app *app, struct field *field, long step)
{
    int way = step % 2 == 0 ? RIGHT : LEFT, by = way == RIGHT ? 1 : -1;
    int before = app->pe - by, next = app->pe + by;
    long blocks = (field->rows + field->block - 1) / field->block;
    for (long i = 0; i < blocks; i++) {
        long block = way == RIGHT ? i : blocks - 1 - i, first = block * field->block;
        long end = first + field->block < field->rows ? first + field->block : field->rows;
        long *arrived = &field->arrived[way * blocks + block];
        if (before >= 0 && before < app->pes)
            CALL(shmem_long_wait_until)(arrived, SHMEM_CMP_GE, step + 1);
        compute(field, way, first, end);
        if (next >= 0 && next < app->pes) {
            CALL(shmem_uint64_put)
            (field->border + way * field->rows + first, field->edge + first, (size_t)(end - first),
             next);
            CALL(shmem_fence)();
            CALL(shmem_long_p)(arrived, step + 1, next);
        }
    }
}

/* Each PE adds its cells to the token; PE 0 returns what comes back to it, others 0. */
static uint64_t pass_token(const struct app *app, struct field *field, long number)
{
    int next = (app->pe + 1) % app->pes;
    uint64_t sum = 0;
    if (app->pe > 0) {
        CALL(shmem_long_wait_until)(field->token_arrived, SHMEM_CMP_GE, number);
        sum = *field->token;
    }
    long left = app_first(app, field->columns, app->pe);
    for (long i = 0; i < field->rows * field->width; i++)
        sum += checksum_of(field, i / field->width, left + i % field->width, field->cells[i]);
    CALL(shmem_uint64_p)(field->token, sum, next);
    CALL(shmem_fence)();
    CALL(shmem_long_p)(field->token_arrived, number, next);
    if (app->pe > 0)
        return 0;
    CALL(shmem_long_wait_until)(field->token_arrived, SHMEM_CMP_GE, number);
    return *field->token;
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, const struct field *field, long steps)
{
    long rows = field->rows, columns = field->columns;
    uint64_t *cells = calloc((size_t)(rows * columns), sizeof *cells), sum = 0;
    uint64_t *factors = calloc((size_t)rows, sizeof *factors);
    if (!cells || !factors)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long row = 0; row < rows; row++)
        factors[row] = grown(1, rounds_of(field, row));
    for (long i = 0; i < rows * columns; i++)
        cells[i] = first_value(i / columns, i % columns);
    for (long step = 0; step < steps; step++) {
        for (long n = 0; n < rows * columns; n++) {
            long i = step % 2 == 0 ? n : rows * columns - 1 - n, by = step % 2 == 0 ? 1 : -1;
            uint64_t before = n % columns ? cells[i - by] : 0;
            uint64_t above = n >= columns ? cells[i - by * columns] : 0;
            cells[i] =
                (cells[i] * factors[i / columns] % PRIME + 3 * before + 5 * above + 1) % PRIME;
        }
        for (long i = 0; (step + 1) % TOKEN_EVERY == 0 && i < rows * columns; i++)
            sum += checksum_of(field, i / columns, i % columns, cells[i]);
    }
    for (long i = 0; i < rows * columns; i++)
        sum += checksum_of(field, i / columns, i % columns, cells[i]);
    free(factors);
    free(cells);
    return sum;
}

int main(int argc, char **argv)
{
    long steps = 160;
    struct field field = {.rows = 60, .columns = 48, .block = 8, .rounds = 250};
    const struct app_option options[] = {
        {"size", &field.rows, 1, 30000, "rows"},
        {"columns", &field.columns, 1, 30000, "columns of all PEs"},
        {"steps", &steps, 0, LONG_MAX / 2, "sweeps"},
        {"block", &field.block, 1, 30000, "rows whose border is passed on at once"},
        {"rounds", &field.rounds, 0, 1L << 30, "computation of a cell"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("wavefront", argv, options);
    if (app.pe == 0)
        printf("wavefront: %ld x %ld cells, %ld sweeps in blocks of %ld, %d PEs\n", field.rows,
               field.columns, steps, field.block, app.pes);
    long left = app_first(&app, field.columns, app.pe);
    field.width = app_first(&app, field.columns, app.pe + 1) - left;
    field.border = app_memory(&app, (size_t)(WAYS * field.rows) * sizeof *field.border);
    field.arrived =
        app_memory(&app, (size_t)(WAYS * (field.rows / field.block + 1)) * sizeof(long));
    field.token = app_memory(&app, sizeof *field.token);
    field.token_arrived = app_memory(&app, sizeof *field.token_arrived);
    field.edge = calloc((size_t)field.rows, sizeof *field.edge);
    field.cells = calloc((size_t)(field.rows * field.width + 1), sizeof *field.cells);
    if (!field.edge || !field.cells)
        app_fail(&app, 1, "no memory for the cells; make --size smaller");
    for (long i = 0; i < field.rows * field.width; i++)
        field.cells[i] = first_value(i / field.width, left + i % field.width);
    CALL(shmem_barrier_all)();

    uint64_t mine = 0;
    for (long step = 0; step < steps; step++) {
        sweep(&app, &field, step);
        if ((step + 1) % TOKEN_EVERY == 0)
            mine += pass_token(&app, &field, (step + 1) / TOKEN_EVERY);
    }
    for (long i = 0; i < field.rows * field.width; i++)
        mine += checksum_of(&field, i / field.width, left + i % field.width, field.cells[i]);
    free(field.edge);
    free(field.cells);
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&app, &field, steps) : 0);
}
