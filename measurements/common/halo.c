/*
 * Exchange of faces: who is a neighbour, how a face is put, and how both sides know of it.
 */
#include "measurements/common/halo.h"

static void place_of(const struct halo_grid *grid, int rank, int place[GRID_CUTS])
{
    place[0] = rank / grid->parts[1];
    place[1] = rank % grid->parts[1];
}

bool halo_block(const struct halo_grid *grid, int rank, struct grid_block *block)
{
    int place[GRID_CUTS];
    place_of(grid, rank, place);
    return grid_block_of(grid->whole, grid->layer, grid->cut, grid->parts, place, block);
}

/* The dimension of a later exchange takes with it what came in an earlier one. */
static unsigned wide_of(const struct halo_grid *grid, int cut)
{
    return cut > 0 ? 1u << grid->cut[0] : 0;
}

/* Cells of the largest face that any block has: rank 0 has the largest block. */
static size_t room_of(const struct halo_grid *grid)
{
    struct grid_block block;
    size_t most = 0;
    if (!halo_block(grid, 0, &block))
        return 0;
    for (int c = 0; c < GRID_CUTS; c++) {
        struct grid_section face = grid_face(&block, grid->cut[c], false, false, wide_of(grid, c));
        size_t cells = grid_section_cells(&face);
        most = cells > most ? cells : most;
    }
    return most;
}

size_t halo_packed_cells(const struct halo_grid *grid, enum halo_way way)
{
    return way == HALO_PACK ? (HALO_TURNS * HALO_SIDES + 1) * room_of(grid) : 0;
}

void halo_set_up(const struct run *run, const struct halo_grid *grid, struct halo *halo,
                 long *flags, float *packed)
{
    struct grid_block own, other;
    int place[GRID_CUTS];
    place_of(grid, run->rank, place);
    halo_block(grid, run->rank, &own);
    halo->flags = flags;
    halo->packed = packed;
    halo->room = room_of(grid);
    for (int s = 0; s < HALO_SIDES; s++) {
        struct halo_side *side = &halo->side[s];
        int c = s / 2, d = grid->cut[c], step = c == 0 ? grid->parts[1] : 1;
        bool upper = s % 2;
        unsigned wide = halo->corners ? wide_of(grid, c) : 0;
        side->pe = -1;
        if (upper ? place[c] == grid->parts[c] - 1 : place[c] == 0)
            continue;
        int rank = upper ? run->rank + step : run->rank - step;
        halo_block(grid, rank, &other);
        side->pe = pe_set_member(run->set, rank);
        side->face = grid_face(&own, d, upper, false, wide);
        side->layer = grid_face(&own, d, upper, true, wide);
        side->target = grid_face(&other, d, !upper, true, wide);
        side->moves = grid_moves_of(&side->face, &side->target);
    }
}

#if SKAMPI_SHMEM

#include <shmem.h>

/* ---- Putting a section: what general sections would replace ---- */

/* A call for each place of the dimensions but one, which a call moves at once. */
static void put_rows(const struct halo_side *side, float *cells, bool strided)
{
    const struct grid_moves *m = &side->moves;
    int at_once = strided ? m->along : m->contiguous;
    struct grid_row row = grid_row_of(m, at_once);
    int64_t extent[GRID_DIMENSIONS] = {1, 1, 1};
    for (int d = 0; d < m->dimensions; d++)
        extent[d] = d == at_once ? 1 : m->extent[d];
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++)
            for (int64_t k = 0; k < extent[2]; k++) {
                const size_t at[] = {(size_t)i, (size_t)j, (size_t)k};
                float *from = cells + side->face.from, *to = cells + side->target.from;
                for (int d = 0; d < m->dimensions; d++) {
                    from += at[d] * m->from_stride[d];
                    to += at[d] * m->to_stride[d];
                }
                if (strided)
                    shmem_iput32(to, from, row.to_stride, row.from_stride, row.cells, side->pe);
                else
                    shmem_putmem(to, from, row.cells * sizeof *cells, side->pe);
            }
}

/* Two exchanges in a row use different places, since a neighbour may be one exchange ahead. side:
 * of the receiver. */
static size_t index_of(const struct halo *halo, int side)
{
    return (size_t)(halo->exchanges % HALO_TURNS * HALO_SIDES + side);
}

static long *flag_of(const struct halo *halo, int side)
{
    return &halo->flags[index_of(halo, side)];
}

static float *packed_place(const struct halo *halo, int side)
{
    return halo->packed + index_of(halo, side) * halo->room;
}

static void put_face(const struct halo *halo, int s, float *cells)
{
    const struct halo_side *side = &halo->side[s];
    float *own = halo->packed + HALO_TURNS * HALO_SIDES * halo->room;
    if (halo->way != HALO_PACK) {
        put_rows(side, cells, halo->way == HALO_IPUT);
        return;
    }
    grid_pack(&side->face, cells, own);
    shmem_putmem(packed_place(halo, s ^ 1), own, grid_section_cells(&side->face) * sizeof *own,
                 side->pe);
}

/* ---- The exchange ---- */

/* Exchanges with the neighbours at the sides from `first` up to, and without, `end`. */
static void exchange(struct run *run, struct halo *halo, int first, int end, float *cells,
                     void (*barrier)(struct run *))
{
    bool any = false;
    for (int s = first; s < end; s++)
        if (halo->side[s].pe >= 0) {
            put_face(halo, s, cells);
            any = true;
        }
    if (barrier) {
        barrier(run);
    } else if (any) {
        shmem_fence(); /* the flag says that the face is there */
        for (int s = first; s < end; s++)
            if (halo->side[s].pe >= 0)
                shmem_long_p(flag_of(halo, s ^ 1), halo->exchanges, halo->side[s].pe);
    }
    for (int s = first; s < end; s++) {
        if (halo->side[s].pe < 0)
            continue;
        if (!barrier)
            shmem_long_wait_until(flag_of(halo, s), SHMEM_CMP_GE, halo->exchanges);
        if (halo->way == HALO_PACK)
            grid_unpack(&halo->side[s].layer, cells, packed_place(halo, s));
    }
}

void halo_exchange(struct run *run, struct halo *halo, float *cells, void (*barrier)(struct run *))
{
    halo->exchanges++;
    if (halo->corners) {
        exchange(run, halo, 0, 2, cells, barrier);
        exchange(run, halo, 2, HALO_SIDES, cells, barrier);
    } else {
        exchange(run, halo, 0, HALO_SIDES, cells, barrier);
    }
}

#endif
