/*
 * What kernels compute on a grid: one sweep over the cells of a block.
 */
#include <stdlib.h>

#include "measurements/common/grid.h"

/* ---- Five points ---- */

static double sweep_stencil(const struct grid_block *block, const float *prepared,
                            const float *from, float *to)
{
    size_t line = block->stride[1];
    (void)prepared;
    for (int64_t j = 0; j < block->extent[1]; j++) {
        size_t begin = grid_index(block, 0, j, 0), end = begin + (size_t)block->extent[2];
        for (size_t x = begin; x < end; x++)
            to[x] = 0.25f * (from[x - line] + from[x + line] + from[x - 1] + from[x + 1]);
    }
    return 0;
}

const struct grid_program grid_stencil = {.sweep = sweep_stencil};

/* ---- Himeno ---- */

/* The benchmark's arrays, one after the other: their first indices. */
enum { A, B = A + 4, C = B + 3, BND = C + 3, WRK1, ARRAYS };

/* The benchmark's values, except for b: with its 0 the cells at corners would not count, and
 * nobody would notice wrong ones. */
static const float himeno_values[ARRAYS] = {
    [A] = 1,         [A + 1] = 1,         [A + 2] = 1,         [A + 3] = 1.0f / 6,
    [B] = 1.0f / 16, [B + 1] = 1.0f / 16, [B + 2] = 1.0f / 16, [C] = 1,
    [C + 1] = 1,     [C + 2] = 1,         [BND] = 1,           [WRK1] = 0};

#define OMEGA 0.8f

static float *prepare_himeno(const struct grid_block *block)
{
    size_t each = block->cells * sizeof(float), bytes;
    if (__builtin_mul_overflow(each, (size_t)ARRAYS, &bytes))
        return NULL;
    float *arrays = malloc(bytes);
    for (size_t a = 0; arrays && a < ARRAYS; a++)
        for (size_t x = 0; x < block->cells; x++)
            arrays[a * block->cells + x] = himeno_values[a];
    return arrays;
}

/* One row; x: index of its first cell. */
static float sweep_row(const float *restrict arrays, size_t cells, const float *restrict p,
                       float *restrict to, size_t row, size_t count, size_t I, size_t J)
{
    float squares = 0;
    for (size_t x = row; x < row + count; x++) {
        const float *a = arrays + x;
        float s0 =
            a[A * cells] * p[x + I] + a[(A + 1) * cells] * p[x + J] +
            a[(A + 2) * cells] * p[x + 1] +
            a[B * cells] * (p[x + I + J] - p[x + I - J] - p[x - I + J] + p[x - I - J]) +
            a[(B + 1) * cells] * (p[x + J + 1] - p[x - J + 1] - p[x + J - 1] + p[x - J - 1]) +
            a[(B + 2) * cells] * (p[x + I + 1] - p[x - I + 1] - p[x + I - 1] + p[x - I - 1]) +
            a[C * cells] * p[x - I] + a[(C + 1) * cells] * p[x - J] +
            a[(C + 2) * cells] * p[x - 1] + a[WRK1 * cells];
        float ss = (s0 * a[(A + 3) * cells] - p[x]) * a[BND * cells];
        squares += ss * ss;
        to[x] = p[x] + OMEGA * ss;
    }
    return squares;
}

static double sweep_himeno(const struct grid_block *block, const float *prepared, const float *from,
                           float *to)
{
    double squares = 0;
    for (int64_t i = 0; i < block->extent[0]; i++)
        for (int64_t j = 0; j < block->extent[1]; j++)
            squares +=
                (double)sweep_row(prepared, block->cells, from, to, grid_index(block, i, j, 0),
                                  (size_t)block->extent[2], block->stride[0], block->stride[1]);
    return squares;
}

const struct grid_program grid_himeno = {.prepare = prepare_himeno, .sweep = sweep_himeno};
