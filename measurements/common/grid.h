/*
 * Grids of cells that PEs share: who has which part of one, what its cells begin with, which cells
 * neighbours exchange, and what a serial program makes of the same grid. Pure: no library is
 * called.
 *
 * A grid has three dimensions, the last of which is contiguous in memory, and a border of fixed
 * cells around it. Two of the dimensions are cut: each PE has a block, and a layer of cells around
 * it, which are those of its neighbours or of the border.
 */
#ifndef SKAMPI_MEASUREMENTS_GRID_H
#define SKAMPI_MEASUREMENTS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRID_DIMENSIONS = 3, GRID_CUTS = 2 };

/* The PEs along each of the two cut dimensions: as nearly a square as their number allows, the
 * first not less than the second. 7 PEs are 7 x 1. */
void grid_parts(int pes, int parts[GRID_CUTS]);

/* Divides `cells` cells among `parts` parts: returns the first cell of a part, and the end if part
 * = parts. Parts differ by one cell at most, the larger ones are first. */
int64_t grid_first(int64_t cells, int parts, int part);

/* A block, and the layer around it in memory. Arrays count cells. */
struct grid_block {
    int64_t whole[GRID_DIMENSIONS]; /* of the grid, without its border */
    int64_t first[GRID_DIMENSIONS], extent[GRID_DIMENSIONS];
    int layer[GRID_DIMENSIONS];     /* width of the layer: 1, or 0 where a grid is flat */
    size_t stride[GRID_DIMENSIONS]; /* in memory */
    size_t cells;                   /* in memory, with the layer */
};

/* The PE at that place among parts[0] x parts[1], of which cut[i] is cut into parts[i]. False where
 * cells cannot be counted. */
bool grid_block_of(const int64_t whole[GRID_DIMENSIONS], const int layer[GRID_DIMENSIONS],
                   const int cut[GRID_CUTS], const int parts[GRID_CUTS], const int place[GRID_CUTS],
                   struct grid_block *block);

/* Index in memory of a cell of the block; -1 and extent are in the layer. */
static inline size_t grid_index(const struct grid_block *block, int64_t i, int64_t j, int64_t k)
{
    return (size_t)(i + block->layer[0]) * block->stride[0] +
           (size_t)(j + block->layer[1]) * block->stride[1] +
           (size_t)(k + block->layer[2]) * block->stride[2];
}

/* What cells begin with: in [0, 1), different everywhere, the same however the grid is cut. Sets
 * the block's and those of the border; all: also those that neighbours have. */
void grid_begin(const struct grid_block *block, float *cells, uint64_t key, bool all);
/* The cells of the block, of one array into another, but not the layer. */
void grid_copy(const struct grid_block *block, float *to, const float *from);

/* ---- Sections: cells at regular distances ---- */

struct grid_section {
    size_t from; /* index of the first one */
    int64_t extent[GRID_DIMENSIONS];
    size_t stride[GRID_DIMENSIONS];
};

size_t grid_section_cells(const struct grid_section *);

/* A face of the block: its outermost cells on that side of the dimension, or the layer outside of
 * them. It extends into the layers of those dimensions whose bit is in wide. */
struct grid_section grid_face(const struct grid_block *block, int dimension, bool upper,
                              bool outside, unsigned wide);

/* What is to be done to move one section to another one of the same extents. */
struct grid_moves {
    /* Dimensions of one cell are left out; those that are contiguous to each other in both sections
     * are one. The last varies fastest. */
    int dimensions;
    int64_t extent[GRID_DIMENSIONS];
    size_t from_stride[GRID_DIMENSIONS], to_stride[GRID_DIMENSIONS];
    int contiguous; /* the dimension whose cells are next to each other in both, or -1 */
    int along;      /* the longest dimension: rows along it need the fewest strided calls; or -1 */
};
struct grid_moves grid_moves_of(const struct grid_section *from, const struct grid_section *to);

/* What one call moves: all of one dimension, or a single cell (-1). */
struct grid_row {
    size_t cells;
    ptrdiff_t from_stride, to_stride;
    int64_t calls; /* for all rows */
};
struct grid_row grid_row_of(const struct grid_moves *, int dimension);

/* Cells of a section into an array and back. */
void grid_pack(const struct grid_section *, const float *cells, float *packed);
void grid_unpack(const struct grid_section *, float *cells, const float *packed);

/* ---- What is computed ---- */

struct grid_program {
    /* Allocates what the sweep needs for a block apart from its cells, for the caller to free. May
     * be left out. */
    float *(*prepare)(const struct grid_block *);
    /* New values of all cells of the block from the old ones and the layer. Returns the sum of the
     * squares of the changes, or 0. */
    double (*sweep)(const struct grid_block *, const float *prepared, const float *from, float *to);
};

/* The cells of the block after `steps` steps of a serial program that begins with this key, laid
 * out as the block, for the caller to free; NULL: too many to be addressed. The program computes
 * only cells that have influence on the block. */
float *grid_serial(const struct grid_block *block, const struct grid_program *program, uint64_t key,
                   int64_t steps);
/* Sweeps of single cells that grid_serial() makes, for a limit. */
double grid_serial_cost(const struct grid_block *block, int64_t steps);

/* Five points: the mean of a cell's four neighbours in the last two dimensions. */
extern const struct grid_program grid_stencil;
/* Jacobi's method for Poisson's equation on 19 points, as in the Himeno benchmark. */
extern const struct grid_program grid_himeno;

#endif
