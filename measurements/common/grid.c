/*
 * Grids of cells that PEs share: parts, faces, sections, and the serial program.
 */
#include "measurements/common/grid.h"

#include <stdlib.h>
#include <string.h>

#include "engine/measurement.h"

/* ---- Parts ---- */

void grid_parts(int pes, int parts[GRID_CUTS])
{
    int second = 1;
    for (int i = 1; (int64_t)i * i <= pes; i++)
        if (pes % i == 0)
            second = i;
    parts[0] = pes / second;
    parts[1] = second;
}

int64_t grid_first(int64_t cells, int parts, int part)
{
    int64_t rest = cells % parts;
    return cells / parts * part + (part < rest ? part : rest);
}

/* Strides and the number of cells in memory. */
static bool lay_out(struct grid_block *block)
{
    size_t cells = 1;
    for (int d = GRID_DIMENSIONS - 1; d >= 0; d--) {
        block->stride[d] = cells;
        if (__builtin_mul_overflow(cells, (size_t)block->extent[d] + 2 * (size_t)block->layer[d],
                                   &cells))
            return false;
    }
    block->cells = cells;
    return cells <= PTRDIFF_MAX / sizeof(float);
}

bool grid_block_of(const int64_t whole[GRID_DIMENSIONS], const int layer[GRID_DIMENSIONS],
                   const int cut[GRID_CUTS], const int parts[GRID_CUTS], const int place[GRID_CUTS],
                   struct grid_block *block)
{
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        block->whole[d] = block->extent[d] = whole[d];
        block->first[d] = 0;
        block->layer[d] = layer[d];
    }
    for (int c = 0; c < GRID_CUTS; c++) {
        int d = cut[c];
        block->first[d] = grid_first(whole[d], parts[c], place[c]);
        block->extent[d] = grid_first(whole[d], parts[c], place[c] + 1) - block->first[d];
    }
    return lay_out(block);
}

/* ---- Cells ---- */

static bool inside(int64_t at, int64_t first, int64_t extent)
{
    return at >= first && at < first + extent;
}

/* Of the place in the complete grid, border included. */
static float value_at(const struct grid_block *block, uint64_t key, const int64_t at[])
{
    uint64_t place = 0;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        place = place * ((uint64_t)block->whole[d] + 2) + (uint64_t)(at[d] + 1);
    uint64_t mixed = (key + place) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 32;
    mixed *= 0xd6e8feb86659fd93u;
    return (float)(mixed >> 40) / (float)(1 << 24);
}

void grid_begin(const struct grid_block *block, float *cells, uint64_t key, bool all)
{
    const int *layer = block->layer;
    const int64_t *extent = block->extent;
    for (int64_t i = -layer[0]; i < extent[0] + layer[0]; i++)
        for (int64_t j = -layer[1]; j < extent[1] + layer[1]; j++)
            for (int64_t k = -layer[2]; k < extent[2] + layer[2]; k++) {
                const int64_t at[] = {block->first[0] + i, block->first[1] + j,
                                      block->first[2] + k};
                bool own = true, border = false;
                for (int d = 0; d < GRID_DIMENSIONS; d++) {
                    own = own && inside(at[d], block->first[d], block->extent[d]);
                    border = border || !inside(at[d], 0, block->whole[d]);
                }
                if (all || own || border)
                    cells[grid_index(block, i, j, k)] = value_at(block, key, at);
            }
}

/* The cells of one block, of an array that is laid out as another one which contains it. */
static void copy_block(const struct grid_block *block, float *to, const struct grid_block *around,
                       const float *from)
{
    for (int64_t i = 0; i < block->extent[0]; i++)
        for (int64_t j = 0; j < block->extent[1]; j++)
            memcpy(&to[grid_index(block, i, j, 0)],
                   &from[grid_index(around, block->first[0] - around->first[0] + i,
                                    block->first[1] - around->first[1] + j,
                                    block->first[2] - around->first[2])],
                   (size_t)block->extent[2] * sizeof *from);
}

void grid_copy(const struct grid_block *block, float *to, const float *from)
{
    copy_block(block, to, block, from);
}

/* ---- Sections ---- */

size_t grid_section_cells(const struct grid_section *section)
{
    size_t cells = 1;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        cells *= (size_t)section->extent[d];
    return cells;
}

struct grid_section grid_face(const struct grid_block *block, int dimension, bool upper,
                              bool outside, unsigned wide)
{
    int64_t at[GRID_DIMENSIONS];
    struct grid_section face;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        int layer = wide >> d & 1 ? block->layer[d] : 0;
        at[d] = -layer;
        face.extent[d] = block->extent[d] + 2 * layer;
        face.stride[d] = block->stride[d];
    }
    face.extent[dimension] = 1;
    at[dimension] = upper ? block->extent[dimension] - !outside : -(int64_t)outside;
    face.from = grid_index(block, at[0], at[1], at[2]);
    return face;
}

struct grid_moves grid_moves_of(const struct grid_section *from, const struct grid_section *to)
{
    struct grid_moves moves = {.contiguous = -1, .along = -1};
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        size_t extent = (size_t)from->extent[d];
        int last = moves.dimensions - 1;
        if (extent == 1)
            continue;
        /* Only the last of the dimensions before this one can go on with it. */
        if (last >= 0 && moves.from_stride[last] == extent * from->stride[d] &&
            moves.to_stride[last] == extent * to->stride[d]) {
            moves.extent[last] *= from->extent[d];
        } else {
            last = moves.dimensions++;
            moves.extent[last] = from->extent[d];
        }
        moves.from_stride[last] = from->stride[d];
        moves.to_stride[last] = to->stride[d];
    }
    for (int d = 0; d < moves.dimensions; d++) {
        if (moves.from_stride[d] == 1 && moves.to_stride[d] == 1)
            moves.contiguous = d;
        if (moves.along < 0 || moves.extent[d] >= moves.extent[moves.along])
            moves.along = d;
    }
    return moves;
}

struct grid_row grid_row_of(const struct grid_moves *moves, int dimension)
{
    struct grid_row row = {1, 1, 1, 1};
    for (int d = 0; d < moves->dimensions; d++)
        if (d != dimension)
            row.calls *= moves->extent[d];
    if (dimension >= 0) {
        row.cells = (size_t)moves->extent[dimension];
        row.from_stride = (ptrdiff_t)moves->from_stride[dimension];
        row.to_stride = (ptrdiff_t)moves->to_stride[dimension];
    }
    return row;
}

/* Each run of the last dimension, in the order of memory. */
static void copy_section(const struct grid_section *section, float *cells, float *packed, bool in)
{
    size_t next = 0;
    for (int64_t i = 0; i < section->extent[0]; i++)
        for (int64_t j = 0; j < section->extent[1]; j++) {
            float *at = cells + section->from + (size_t)i * section->stride[0] +
                        (size_t)j * section->stride[1];
            for (int64_t k = 0; k < section->extent[2]; k++, at += section->stride[2], next++)
                *(in ? at : packed + next) = *(in ? packed + next : at);
        }
}

void grid_pack(const struct grid_section *section, const float *cells, float *packed)
{
    copy_section(section, (float *)(uintptr_t)cells, packed, false);
}

void grid_unpack(const struct grid_section *section, float *cells, const float *packed)
{
    copy_section(section, cells, (float *)(uintptr_t)packed, true);
}

/* ---- The serial program ---- */

/* The block and all cells that have influence on it within `steps` steps. */
static bool reach(const struct grid_block *block, int64_t steps, struct grid_block *wide)
{
    *wide = *block;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        int64_t end = block->first[d] + block->extent[d];
        int64_t before = block->first[d] < steps ? block->first[d] : steps;
        int64_t after = block->whole[d] - end < steps ? block->whole[d] - end : steps;
        wide->first[d] = block->first[d] - before;
        wide->extent[d] = block->extent[d] + before + after;
    }
    return lay_out(wide);
}

double grid_serial_cost(const struct grid_block *block, int64_t steps)
{
    struct grid_block wide;
    return reach(block, steps, &wide) ? (double)wide.cells * (double)(steps + 1) : 1e300;
}

/* Only before the first sweep is the layer of the wide block right. Wrong values then move inwards
 * by a cell in each sweep, and never reach the block. */
float *grid_serial(const struct grid_block *block, const struct grid_program *program, uint64_t key,
                   int64_t steps)
{
    struct grid_block wide;
    if (!reach(block, steps, &wide))
        return NULL;
    float *cells[] = {memory_allocate(wide.cells * sizeof(float)),
                      memory_allocate(wide.cells * sizeof(float))};
    float *prepared = program->prepare ? program->prepare(&wide) : NULL;
    float *result = memory_allocate(block->cells * sizeof *result);
    grid_begin(&wide, cells[0], key, true);
    grid_begin(&wide, cells[1], key, true);
    for (int64_t step = 0; step < steps; step++)
        program->sweep(&wide, prepared, cells[step % 2], cells[(step + 1) % 2]);
    copy_block(block, result, &wide, cells[steps % 2]);
    free(prepared);
    free(cells[0]);
    free(cells[1]);
    return result;
}

/* ---- What kernels compute: one sweep over the cells of a block ---- */

/* Five points. */
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
    float *arrays = memory_zeroed(block->cells, ARRAYS * sizeof *arrays);
    for (size_t a = 0; a < ARRAYS; a++)
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
