/*
 * Transforms a cube of complex numbers to its spectrum and back (3-D FFT). PEs form a grid, and
 * each has pencils: lines of one direction that are complete. Between directions each PE puts to
 * each other one what that needs of its pencils.
 */
#include <complex.h>
#include <math.h>

#include "app.h"

#define LONGEST 1024 /* edge */
#define MOST_ERROR 1e-9

/* Numbers of x, y and z; also of a part of the cube. */
struct box {
    long first[3], count[3];
};

struct fft {
    const struct app *app;
    int rows, columns; /* of PEs */
    long edge[3];
    double complex root[LONGEST]; /* root[n + k], k < n: exp(-i pi k / n), n a power of two */
    double complex *pencils, *block;
    double complex *arrived[2]; /* symmetric: the next exchange may begin before this one is read */
    unsigned exchanges;
};

/* The grid's sides are as equal as the number of PEs allows. */
static void make_grid(struct fft *fft)
{
    fft->columns = 1;
    for (int n = 2; n * n <= fft->app->pes; n++)
        if (fft->app->pes % n == 0)
            fft->columns = n;
    fft->rows = fft->app->pes / fft->columns;
}

/* What a PE has while lines of a direction are complete. */
static struct box box_of(const struct fft *fft, int direction, int pe)
{
    struct box box;
    bool by_rows = true;
    for (int d = 0; d < 3; d++) {
        long parts = 1, part = 0;
        if (d != direction && by_rows) {
            parts = fft->rows;
            part = pe / fft->columns;
            by_rows = false;
        } else if (d != direction) {
            parts = fft->columns;
            part = pe % fft->columns;
        }
        box.first[d] = fft->edge[d] * part / parts;
        box.count[d] = fft->edge[d] * (part + 1) / parts - box.first[d];
    }
    return box;
}

static long volume(const struct box *box)
{
    return box->count[0] * box->count[1] * box->count[2];
}

static struct box common(const struct box *a, const struct box *b)
{
    struct box box;
    for (int d = 0; d < 3; d++) {
        long end_a = a->first[d] + a->count[d], end_b = b->first[d] + b->count[d];
        long end = end_a < end_b ? end_a : end_b;
        box.first[d] = a->first[d] > b->first[d] ? a->first[d] : b->first[d];
        box.count[d] = end > box.first[d] ? end - box.first[d] : 0;
    }
    return box;
}

/* Where a number of the cube is in a box whose lines have the direction. */
static long place(const struct box *box, int direction, const long at[3])
{
    int fast = direction == 0 ? 1 : 0, slow = direction == 2 ? 1 : 2;
    long line = (at[slow] - box->first[slow]) * box->count[fast] + at[fast] - box->first[fast];
    return line * box->count[direction] + at[direction] - box->first[direction];
}

/* The largest part of any PE in any direction. */
static long largest(const struct fft *fft)
{
    long most = 1;
    for (int direction = 0; direction < 3; direction++)
        for (int pe = 0; pe < fft->app->pes; pe++) {
            struct box box = box_of(fft, direction, pe);
            if (volume(&box) > most)
                most = volume(&box);
        }
    return most;
}

/* ---- One line ---- */

static void make_roots(struct fft *fft)
{
    for (long n = 1; n < LONGEST; n *= 2)
        for (long k = 0; k < n; k++)
            fft->root[n + k] = cexp(-I * (M_PI * (double)k / (double)n));
}

static void transform_line(const struct fft *fft, double complex *line, long length, bool back)
{
    for (long i = 0, j = 0; i < length; i++) {
        if (i < j) {
            double complex other = line[i];
            line[i] = line[j];
            line[j] = other;
        }
        long bit = length / 2;
        for (; bit > 0 && (j & bit); bit /= 2)
            j ^= bit;
        j |= bit;
    }
    for (long half = 1; half < length; half *= 2)
        for (long begin = 0; begin < length; begin += 2 * half)
            for (long k = 0; k < half; k++) {
                double complex root = fft->root[half + k];
                double complex *low = &line[begin + k], *high = low + half;
                double complex turned = *high * (back ? conj(root) : root);
                *high = *low - turned;
                *low += turned;
            }
}

static void transform_lines(const struct fft *fft, int direction, bool back)
{
    struct box mine = box_of(fft, direction, fft->app->pe);
    long length = mine.count[direction], count = volume(&mine);
    for (long at = 0; at < count; at += length)
        transform_line(fft, fft->pencils + at, length, back);
}

/* ---- Between directions ---- */

/* Copies the numbers of a part between the box and a block, in the order of direction `to`. */
static void copy_part(const struct box *part, int to, const struct box *box, int direction,
                      double complex *numbers, double complex *block, bool into_box)
{
    long at[3], end[3];
    int fast = to == 0 ? 1 : 0, slow = to == 2 ? 1 : 2;
    for (int d = 0; d < 3; d++)
        end[d] = part->first[d] + part->count[d];
    for (at[slow] = part->first[slow]; at[slow] < end[slow]; at[slow]++)
        for (at[fast] = part->first[fast]; at[fast] < end[fast]; at[fast]++)
            for (at[to] = part->first[to]; at[to] < end[to]; at[to]++, block++) {
                double complex *number = numbers + place(box, direction, at);
                if (into_box)
                    *number = *block;
                else
                    *block = *number;
            }
}

/* Puts to all others what they need, each at its place: after that of lower PEs. */
static void send_parts(struct fft *fft, int from, int to, double complex *arrived)
{
    struct box mine = box_of(fft, from, fft->app->pe);
    double complex *block = fft->block;
    for (int turn = 0; turn < fft->app->pes; turn++) {
        int pe = (fft->app->pe + turn) % fft->app->pes;
        struct box theirs = box_of(fft, to, pe), part = common(&mine, &theirs);
        long before = 0;
        for (int lower = 0; lower < fft->app->pe; lower++) {
            struct box other = box_of(fft, from, lower), shared = common(&other, &theirs);
            before += volume(&shared);
        }
        if (volume(&part) == 0)
            continue;
        copy_part(&part, to, &mine, from, fft->pencils, block, false);
        CALL(shmem_double_put_nbi)
        ((double *)(arrived + before), (const double *)block, 2 * (size_t)volume(&part), pe);
        block += volume(&part);
    }
}

static void turn(struct fft *fft, int from, int to)
{
    double complex *arrived = fft->arrived[fft->exchanges++ % 2];
    send_parts(fft, from, to, arrived);
    CALL(shmem_quiet)();
    CALL(shmem_barrier_all)();
    struct box mine = box_of(fft, to, fft->app->pe);
    for (int pe = 0; pe < fft->app->pes; pe++) {
        struct box theirs = box_of(fft, from, pe), part = common(&theirs, &mine);
        copy_part(&part, to, &mine, to, fft->pencils, arrived, true);
        arrived += volume(&part);
    }
}

/* ---- The cube ---- */

static long index_of(const struct fft *fft, const long at[3])
{
    return (at[2] * fft->edge[1] + at[1]) * fft->edge[0] + at[0];
}

static double number(uint64_t random)
{
    return (double)(random >> 11) * 0x1p-52 - 1;
}

static double complex given(long step, long index)
{
    return number(app_random(2 * (uint64_t)step + 1, (uint64_t)index)) +
           I * number(app_random(2 * (uint64_t)step + 2, (uint64_t)index));
}

static uint64_t checksum_of(long step, long index, double complex value)
{
    uint64_t bits[2];
    memcpy(bits, &value, sizeof bits);
    return app_random(app_random((uint64_t)step, bits[0]) ^ bits[1], (uint64_t)index);
}

/* Calls for each number of a box: sets it, or adds it to the checksum, or compares it. */
enum act { SET, SUM, COMPARE };

static uint64_t visit(const struct fft *fft, const struct box *box, int direction,
                      double complex *numbers, long step, enum act act)
{
    long at[3], all = fft->edge[0] * fft->edge[1] * fft->edge[2];
    uint64_t sum = 0;
    for (at[2] = box->first[2]; at[2] < box->first[2] + box->count[2]; at[2]++)
        for (at[1] = box->first[1]; at[1] < box->first[1] + box->count[1]; at[1]++)
            for (at[0] = box->first[0]; at[0] < box->first[0] + box->count[0]; at[0]++) {
                double complex *value = numbers + place(box, direction, at);
                long index = index_of(fft, at);
                if (act == SET)
                    *value = given(step, index);
                else if (act == SUM)
                    sum += checksum_of(step, index, *value);
                else if (!(cabs(*value / (double)all - given(step, index)) < MOST_ERROR))
                    app_fail(fft->app, 1, "number %ld is another one after the way back", index);
            }
    return sum;
}

/* Forth and back; this PE's part of the spectrum's checksum. */
static uint64_t transform(struct fft *fft, long step)
{
    struct box begin = box_of(fft, 0, fft->app->pe), end = box_of(fft, 2, fft->app->pe);
    visit(fft, &begin, 0, fft->pencils, step, SET);
    for (int direction = 0; direction < 3; direction++) {
        if (direction > 0)
            turn(fft, direction - 1, direction);
        transform_lines(fft, direction, false);
    }
    uint64_t sum = visit(fft, &end, 2, fft->pencils, step, SUM);
    for (int direction = 2; direction >= 0; direction--) {
        transform_lines(fft, direction, true);
        if (direction > 0)
            turn(fft, direction, direction - 1);
    }
    visit(fft, &begin, 0, fft->pencils, step, COMPARE);
    return sum;
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct fft *fft, long steps)
{
    struct box cube = {.count = {fft->edge[0], fft->edge[1], fft->edge[2]}};
    double complex *numbers = malloc((size_t)volume(&cube) * sizeof *numbers), line[LONGEST];
    uint64_t sum = 0;
    if (!numbers)
        app_fail(fft->app, 1, "no memory for the check; make --size smaller");
    for (long step = 0; step < steps; step++) {
        visit(fft, &cube, 0, numbers, step, SET);
        for (int direction = 0; direction < 3; direction++) {
            long at[3] = {0}, length = fft->edge[direction], lines = volume(&cube) / length;
            int fast = direction == 0 ? 1 : 0, slow = direction == 2 ? 1 : 2;
            for (long l = 0; l < lines; l++) {
                at[fast] = l % fft->edge[fast];
                at[slow] = l / fft->edge[fast];
                for (at[direction] = 0; at[direction] < length; at[direction]++)
                    line[at[direction]] = numbers[place(&cube, 0, at)];
                transform_line(fft, line, length, false);
                for (at[direction] = 0; at[direction] < length; at[direction]++)
                    numbers[place(&cube, 0, at)] = line[at[direction]];
            }
        }
        sum += visit(fft, &cube, 0, numbers, step, SUM);
    }
    free(numbers);
    return sum;
}

static bool is_power_of_two(long number)
{
    return (number & (number - 1)) == 0;
}

int main(int argc, char **argv)
{
    long size = 16, steps = 2, weak = 0;
    const struct app_option options[] = {
        {"size", &size, 1, LONGEST, "edge of the cube, a power of two"},
        {"steps", &steps, 0, LONG_MAX / 4, "transforms forth and back, each of other numbers"},
        {"weak", &weak, 0, 1, "1: the cube grows with the number of PEs, in z"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("fft", argv, options);
    static struct fft fft;
    fft = (struct fft){.app = &app, .edge = {size, size, size}};
    while (weak && fft.edge[2] / size * 2 <= app.pes)
        fft.edge[2] *= 2;
    bool wrong = !is_power_of_two(size) || fft.edge[2] > LONGEST;
    if (wrong && app.pe == 0)
        app_fail(&app, 2, "--size %ld is no power of two, or the cube is longer than %d", size,
                 LONGEST);
    CALL(shmem_barrier_all)();
    make_grid(&fft);
    make_roots(&fft);
    if (app.pe == 0)
        printf("fft: %ld x %ld x %ld numbers, %ld times, on a grid of %d x %d PEs\n", fft.edge[0],
               fft.edge[1], fft.edge[2], steps, fft.rows, fft.columns);

    size_t bytes = (size_t)largest(&fft) * sizeof *fft.pencils;
    fft.arrived[0] = app_memory(&app, bytes);
    fft.arrived[1] = app_memory(&app, bytes);
    fft.pencils = malloc(bytes);
    fft.block = malloc(bytes);
    if (!fft.pencils || !fft.block)
        app_fail(&app, 1, "no memory for the numbers; make --size smaller");
    CALL(shmem_barrier_all)();

    uint64_t mine = 0;
    for (long step = 0; step < steps; step++)
        mine += transform(&fft, step);

    uint64_t sum = app_sum(&app, mine);
    uint64_t wanted = app.pe == 0 ? expected(&fft, steps) : 0;
    free(fft.pencils);
    free(fft.block);
    return app_end(&app, sum, wanted);
}
