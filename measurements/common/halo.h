/*
 * Exchange of the faces of a block with the neighbours' layers, by puts.
 *
 * Each PE puts its faces, and tells each neighbour by a flag that its face is there; or all meet in
 * a barrier. Flags count exchanges and are never reset. Who has a neighbour's flag of one exchange
 * knows that it has computed with all before: a neighbour may be one exchange ahead, but not two.
 * So flags and packed faces have two places in turn, and a kernel on flags alone uses two arrays of
 * cells in turn.
 */
#ifndef SKAMPI_MEASUREMENTS_HALO_H
#define SKAMPI_MEASUREMENTS_HALO_H

#include "measurements/common/grid.h"
#include "measurements/common/shapes.h"

/* How a section is put:
 *   runs  a putmem for each run of contiguous cells
 *   iput  an iput32 for each row of the dimension that needs fewest of them
 *   pack  packed, one putmem, and unpacked by the PE that it came to */
enum halo_way { HALO_RUNS, HALO_IPUT, HALO_PACK };

enum { HALO_SIDES = 2 * GRID_CUTS, HALO_TURNS = 2, HALO_FLAGS = HALO_TURNS * HALO_SIDES };

/* A side of the block: 2 * cut + (1: upper). */
struct halo_side {
    int pe;                   /* neighbour; -1: there is none */
    struct grid_section face, /* that goes there */
        target,               /* where it goes to, in the neighbour's memory */
        layer;                /* what comes from there, in the own memory */
    struct grid_moves moves;
};

struct halo {
    enum halo_way way;
    bool corners; /* cells at corners, too: one dimension after the other */
    struct halo_side side[HALO_SIDES];
    long exchanges; /* so far */
    /* Symmetric; [turn][side of the receiver]. */
    long *flags;
    float *packed; /* each with room for that many cells; and one more to pack into */
    size_t room;
};

/* A grid of PEs; the ranks of the second cut dimension are next to each other. Pure. */
struct halo_grid {
    int64_t whole[GRID_DIMENSIONS];
    int layer[GRID_DIMENSIONS], cut[GRID_CUTS], parts[GRID_CUTS];
};
bool halo_block(const struct halo_grid *, int rank, struct grid_block *);
/* Cells that packing needs; 0 for other ways. Pure. */
size_t halo_packed_cells(const struct halo_grid *, enum halo_way);

/* Sides of the run's block; halo->way and halo->corners are set. flags: HALO_FLAGS longs, 0. Pure.
 */
void halo_set_up(const struct run *, const struct halo_grid *, struct halo *, long *flags,
                 float *packed);

#if SKAMPI_SHMEM
/* One exchange. barrier: NULL to wait for the neighbours' flags. */
void halo_exchange(struct run *, struct halo *, float *cells, void (*barrier)(struct run *));
#endif

#endif
