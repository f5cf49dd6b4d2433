/*
 * Waves on a membrane with reflecting edges, whose columns are spread over the PEs. A cell depends
 * on two others in each direction, so two columns go to each neighbour: to the left by iput, into
 * their places; to the right copied into a row, which the neighbour copies back. A fence and a flag
 * follow. Now and then a PE gets some cells of another one by iget, between barriers. The waves
 * are such whose course is known.
 */
#include "app.h"

#include <math.h>

#define HALO 2
#define PROBE_EVERY 40 /* steps */
#define PROBES 6
#define MODES 3
#define COURANT 0.2    /* squared */
#define TOLERANCE 1e-8 /* of a cell */
#define RESOLUTION 1e5 /* of the checksum */

enum { FROM_LEFT, FROM_RIGHT, SIDES };

struct membrane {
    const struct app *app;
    long rows, columns;
    long left, width, stride; /* of this PE; the stride is that of all */
    double *cells[3];         /* by step: with HALO rows and columns more on each side */
    double *packed[2];        /* by step: columns that come from the left */
    double *out;
    long *arrived;          /* by side: steps whose columns have */
    double *wave[MODES][2]; /* by mode: its cosines by row, by column */
    double angle[MODES];    /* by which a mode turns in a step */
};

static double *cell(const struct membrane *membrane, long step, long row, long column)
{
    return membrane->cells[step % 3] + (row + HALO) * membrane->stride + column + HALO;
}

/* What becomes of a cell now and before; the next ones in a column are a stride apart. */
static double next_value(const double *now, double before, long stride)
{
    double near = now[-1] + now[1] + now[-stride] + now[stride];
    double far = now[-2] + now[2] + now[-2 * stride] + now[2 * stride];
    return 2 * *now - before + COURANT * ((16 * near - far) / 12 - 5 * *now);
}

/* The waves: what a second difference makes of a cosine is known, so that of a mode, too. */
static double second_difference(double angle)
{
    return (32 * cos(angle) - 2 * cos(2 * angle) - 30) / 12;
}

static void make_waves(struct membrane *membrane)
{
    const double pi = acos(-1);
    for (int mode = 0; mode < MODES; mode++) {
        double across = pi * (mode * 7 + 3) / (double)membrane->columns;
        double down = pi * (2 * mode + 1) / (double)membrane->rows;
        double change = second_difference(across) + second_difference(down);
        membrane->angle[mode] = acos(1 + COURANT * change / 2);
        for (int way = 0; way < 2; way++) {
            long count = way ? membrane->columns : membrane->rows;
            double *wave = calloc((size_t)count, sizeof *wave);
            if (!wave)
                app_fail(membrane->app, 1, "no memory for the waves; make --size smaller");
            for (long i = 0; i < count; i++)
                wave[i] = cos((way ? across : down) * ((double)i + 0.5));
            membrane->wave[mode][way] = wave;
        }
    }
}

/* What a cell of the whole membrane has to be in a step. */
static double known(const struct membrane *membrane, const double *turned, long row, long column)
{
    double sum = 0;
    for (int mode = 0; mode < MODES; mode++)
        sum += turned[mode] * membrane->wave[mode][0][row] * membrane->wave[mode][1][column];
    return sum;
}

static void turn(const struct membrane *membrane, long step, double *turned)
{
    for (int mode = 0; mode < MODES; mode++)
        turned[mode] = cos(membrane->angle[mode] * (double)step);
}

static uint64_t checksum_of(long row, long column, double value)
{
    return app_random((uint64_t)llround(value * RESOLUTION), (uint64_t)(row << 32 | column));
}

/* Sends the outer columns of a step to the neighbours. */
static void send(const struct membrane *membrane, long step)
{
    const struct app *app = membrane->app;
    size_t rows = (size_t)membrane->rows;
    if (app->pe > 0) {
        long width =
            membrane->left - app_first(app, membrane->columns, app->pe - 1); /* of the neighbour */
        for (int i = 0; i < HALO; i++)
            CALL(shmem_double_iput)
        (cell(membrane, step, 0, width + i), cell(membrane, step, 0, i), membrane->stride,
         membrane->stride, rows, app->pe - 1);
        CALL(shmem_fence)();
        CALL(shmem_long_p)(&membrane->arrived[FROM_RIGHT], step + 1, app->pe - 1);
    }
    if (app->pe < app->pes - 1) {
        for (long i = 0; i < HALO * membrane->rows; i++)
            membrane->out[i] = *cell(membrane, step, i / HALO, membrane->width - HALO + i % HALO);
        CALL(shmem_double_put)(membrane->packed[step % 2], membrane->out, HALO * rows, app->pe + 1);
        CALL(shmem_fence)();
        CALL(shmem_long_p)(&membrane->arrived[FROM_LEFT], step + 1, app->pe + 1);
    }
}

/* Fills the halo of a step: with what the neighbours send, or with mirrored cells. */
static void receive(const struct membrane *membrane, long step)
{
    const struct app *app = membrane->app;
    long rows = membrane->rows, width = membrane->width;
    if (app->pe > 0)
        CALL(shmem_long_wait_until)(&membrane->arrived[FROM_LEFT], SHMEM_CMP_GE, step + 1);
    if (app->pe < app->pes - 1)
        CALL(shmem_long_wait_until)(&membrane->arrived[FROM_RIGHT], SHMEM_CMP_GE, step + 1);
    for (long i = 0; i < HALO * rows; i++) {
        long row = i / HALO, column = i % HALO;
        *cell(membrane, step, row, column - HALO) =
            app->pe > 0 ? membrane->packed[step % 2][i]
                        : *cell(membrane, step, row, HALO - 1 - column);
        if (app->pe == app->pes - 1)
            *cell(membrane, step, row, width + column) =
                *cell(membrane, step, row, width - 1 - column);
    }
    for (long i = 0; i < HALO; i++)
        for (long column = 0; column < width; column++) {
            *cell(membrane, step, -1 - i, column) = *cell(membrane, step, i, column);
            *cell(membrane, step, rows + i, column) = *cell(membrane, step, rows - 1 - i, column);
        }
}

static void compute(const struct membrane *membrane, long step)
{
    for (long row = 0; row < membrane->rows; row++) {
        const double *now = cell(membrane, step, row, 0);
        double *next = cell(membrane, step + 1, row, 0);
        const double *before = cell(membrane, step + 2, row, 0); /* the place of step - 1 */
        for (long i = 0; i < membrane->width; i++)
            next[i] = next_value(now + i, before[i], membrane->stride);
    }
}

/* How many of some cells of the PE at the opposite place are not what they have to be. */
static uint64_t probe(const struct membrane *membrane, long step)
{
    const struct app *app = membrane->app;
    int pe = app->pes - 1 - app->pe;
    double seen[PROBES], turned[MODES];
    long column = app_first(app, membrane->columns, pe) + 1, by = membrane->rows / PROBES;
    uint64_t wrong = 0;
    turn(membrane, step, turned);
    CALL(shmem_barrier_all)();
    CALL(shmem_double_iget)
    (seen, cell(membrane, step, 0, 1), 1, by * membrane->stride, PROBES, pe);
    for (long i = 0; i < PROBES; i++)
        wrong += !(fabs(seen[i] - known(membrane, turned, i * by, column)) < TOLERANCE);
    CALL(shmem_barrier_all)();
    return wrong;
}

static void make_membrane(struct membrane *membrane)
{
    const struct app *app = membrane->app;
    long most = membrane->columns / app->pes + 1;
    membrane->left = app_first(app, membrane->columns, app->pe);
    membrane->width = app_first(app, membrane->columns, app->pe + 1) - membrane->left;
    membrane->stride = most + 2 * HALO;
    for (int i = 0; i < 3; i++)
        membrane->cells[i] = app_memory(
            app, (size_t)((membrane->rows + 2 * HALO) * membrane->stride) * sizeof(double));
    for (int i = 0; i < 2; i++)
        membrane->packed[i] = app_memory(app, (size_t)(HALO * membrane->rows) * sizeof(double));
    membrane->arrived = app_memory(app, SIDES * sizeof *membrane->arrived);
    membrane->out = calloc((size_t)(HALO * membrane->rows), sizeof(double));
    if (!membrane->out)
        app_fail(app, 1, "no memory for columns; make --size smaller");
    make_waves(membrane);
    for (long step = 0; step < 2; step++) {
        double turned[MODES];
        turn(membrane, step, turned);
        for (long row = 0; row < membrane->rows; row++)
            for (long i = 0; i < membrane->width; i++)
                *cell(membrane, step, row, i) = known(membrane, turned, row, membrane->left + i);
    }
}

int main(int argc, char **argv)
{
    long steps = 800;
    struct app app;
    struct membrane membrane = {.app = &app, .rows = 40, .columns = 3000};
    const struct app_option options[] = {
        {"size", &membrane.columns, 1, 1L << 24, "columns of all PEs"},
        {"rows", &membrane.rows, PROBES, 10000, "rows"},
        {"steps", &steps, 0, LONG_MAX / 4, "steps"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    app = app_begin("membrane", argv, options);
    if (membrane.columns < 3 * app.pes) {
        if (app.pe == 0)
            app_fail(&app, 2, "--size %ld is less than 3 columns a PE", membrane.columns);
        CALL(shmem_barrier_all)();
    }
    if (app.pe == 0)
        printf("membrane: %ld x %ld cells, %ld steps, %d PEs\n", membrane.rows, membrane.columns,
               steps, app.pes);
    make_membrane(&membrane);
    CALL(shmem_barrier_all)();

    uint64_t mine = 0, wanted = 0;
    for (long step = 1; step <= steps; step++) { /* from cells of step and step - 1 */
        send(&membrane, step);
        receive(&membrane, step);
        compute(&membrane, step);
        if (step % PROBE_EVERY == 0)
            mine += probe(&membrane, step + 1);
    }

    double turned[MODES];
    turn(&membrane, steps + 1, turned);
    for (long row = 0; row < membrane.rows; row++)
        for (long column = 0; column < membrane.columns; column++) {
            double value = known(&membrane, turned, row, column);
            uint64_t checksum = checksum_of(row, column, value);
            long i = column - membrane.left;
            wanted += checksum;
            if (i >= 0 && i < membrane.width &&
                fabs(*cell(&membrane, steps + 1, row, i) - value) < TOLERANCE)
                mine += checksum;
        }
    for (int mode = 0; mode < MODES; mode++)
        for (int way = 0; way < 2; way++)
            free(membrane.wave[mode][way]);
    free(membrane.out);
    return app_end(&app, app_sum(&app, mine), wanted);
}
