/* Grids that PEs share: parts, faces, sections, sweeps, and the serial program that data of kernels
 * are checked by. */
#include <stdlib.h>

#include "measurements/common/halo.h"
#include "unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(parts_are_nearly_square)
{
    static const int wanted[][3] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1},  {4, 2, 2},    {6, 3, 2},
                                    {7, 7, 1}, {8, 4, 2}, {12, 4, 3}, {100, 10, 10}};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        int parts[GRID_CUTS];
        grid_parts(wanted[i][0], parts);
        assert_int_equal(parts[0], wanted[i][1]);
        assert_int_equal(parts[1], wanted[i][2]);
    }
}

TEST(parts_differ_by_one)
{
    static const int64_t wanted[] = {0, 4, 7, 10};
    for (int part = 0; part <= 3; part++)
        assert_int_equal(grid_first(10, 3, part), wanted[part]);
    assert_int_equal(grid_first(7, 7, 6), 6);
    assert_int_equal(grid_first(2, 3, 3), 2); /* the last part is empty */
    assert_int_equal(grid_first(INT64_MAX, 7, 7), INT64_MAX);
}

/* ---- Blocks ---- */

static struct halo_grid grid_of(int i, int j, int k, int cut, int pes)
{
    static const int cuts[][GRID_CUTS] = {{0, 1}, {1, 2}, {0, 2}};
    struct halo_grid grid = {{i, j, k}, {1, 1, 1}, {cuts[cut][0], cuts[cut][1]}, {0, 0}};
    grid_parts(pes, grid.parts);
    return grid;
}

static struct grid_block whole_of(struct halo_grid grid)
{
    struct grid_block block;
    grid.parts[0] = grid.parts[1] = 1;
    assert_true(halo_block(&grid, 0, &block));
    return block;
}

TEST(each_cell_has_one_owner)
{
    for (int cut = 0; cut < 3; cut++)
        for (int pes = 1; pes <= 7; pes++) {
            struct halo_grid grid = grid_of(7, 8, 9, cut, pes);
            int owners[7][8][9] = {{{0}}};
            struct grid_block largest;
            assert_true(halo_block(&grid, 0, &largest));
            for (int rank = 0; rank < pes; rank++) {
                struct grid_block b;
                assert_true(halo_block(&grid, rank, &b));
                assert_true(b.cells <= largest.cells);
                for (int64_t i = 0; i < b.extent[0]; i++)
                    for (int64_t j = 0; j < b.extent[1]; j++)
                        for (int64_t k = 0; k < b.extent[2]; k++)
                            owners[b.first[0] + i][b.first[1] + j][b.first[2] + k]++;
            }
            for (int cell = 0; cell < 7 * 8 * 9; cell++)
                assert_int_equal((&owners[0][0][0])[cell], 1);
        }
}

TEST(too_many_cells)
{
    struct grid_block block;
    struct halo_grid grid = {{INT64_MAX / 4, 8, 8}, {1, 1, 1}, {0, 1}, {1, 1}};
    assert_false(halo_block(&grid, 0, &block));
}

/* What a block begins with is part of what the whole grid begins with; neighbours' cells are not
 * touched. */
TEST(cells_begin_alike)
{
    struct halo_grid grid = grid_of(3, 5, 4, 1, 2);
    struct grid_block whole = whole_of(grid), block;
    float *all = calloc(whole.cells, sizeof *all), *part;
    grid_begin(&whole, all, 99, false);
    for (size_t i = 1; i < whole.cells; i++) {
        assert_true(all[i] >= 0 && all[i] < 1);
        assert_true(all[i] != all[i - 1]);
    }
    for (int rank = 0; rank < 2; rank++) {
        assert_true(halo_block(&grid, rank, &block));
        part = malloc(block.cells * sizeof *part);
        for (size_t i = 0; i < block.cells; i++)
            part[i] = -1;
        grid_begin(&block, part, 99, false);
        for (int64_t i = -1; i <= block.extent[0]; i++)
            for (int64_t j = -1; j <= block.extent[1]; j++)
                for (int64_t k = -1; k <= block.extent[2]; k++) {
                    /* The cut is between the ranks' blocks; i and k outside are border. */
                    bool neighbour = j == (rank ? -1 : block.extent[1]) && i >= 0 &&
                                     i < block.extent[0] && k >= 0 && k < block.extent[2];
                    float wanted = all[grid_index(&whole, i, block.first[1] + j, k)];
                    assert_true(part[grid_index(&block, i, j, k)] == (neighbour ? -1 : wanted));
                }
        free(part);
    }
    free(all);
}

/* ---- Sections ---- */

TEST(faces)
{
    struct grid_block b = whole_of(grid_of(3, 4, 5, 0, 1)); /* strides 42, 7, 1 */
    struct grid_section face = grid_face(&b, 0, false, false, 0);
    assert_int_equal(b.cells, 5 * 6 * 7);
    assert_int_equal(face.from, grid_index(&b, 0, 0, 0));
    assert_int_equal(grid_section_cells(&face), 20);
    face = grid_face(&b, 0, true, true, 0);
    assert_int_equal(face.from, grid_index(&b, 3, 0, 0));
    face = grid_face(&b, 1, true, false, 1u << 0);
    assert_int_equal(face.from, grid_index(&b, -1, 3, 0));
    assert_int_equal(grid_section_cells(&face), 5 * 5);
    face = grid_face(&b, 2, false, true, 0);
    assert_int_equal(face.from, grid_index(&b, 0, 0, -1));
    assert_int_equal(face.extent[2], 1);
}

static void check_calls(struct grid_section from, struct grid_section to, int64_t runs,
                        int64_t strided)
{
    struct grid_moves moves = grid_moves_of(&from, &to);
    assert_int_equal(grid_row_of(&moves, moves.contiguous).calls, runs);
    assert_int_equal(grid_row_of(&moves, moves.along).calls, strided);
    assert_int_equal(grid_row_of(&moves, moves.contiguous).cells * (size_t)runs,
                     grid_section_cells(&from));
    assert_int_equal(grid_row_of(&moves, moves.along).cells * (size_t)strided,
                     grid_section_cells(&from));
}

TEST(calls_of_sections)
{
    struct grid_section plane = {0, {1, 4, 5}, {99, 7, 1}}, column = {0, {3, 4, 1}, {42, 7, 1}},
                        cell = {0, {1, 1, 1}, {42, 7, 1}}, dense = {0, {2, 4, 5}, {20, 5, 1}},
                        sparse = {0, {2, 4, 5}, {30, 5, 1}}, flat = {0, {6, 1, 5}, {42, 7, 1}};
    check_calls(plane, plane, 4, 4); /* rows of 5 */
    check_calls(column, column, 12, 3);
    check_calls(cell, cell, 1, 1);
    check_calls(dense, dense, 1, 1);  /* all contiguous */
    check_calls(dense, sparse, 2, 2); /* in one of them only parts of it */
    check_calls(flat, flat, 6, 5);    /* strided along the longer dimension */
}

TEST(packing)
{
    struct grid_block b = whole_of(grid_of(3, 4, 5, 0, 1));
    struct grid_section face = grid_face(&b, 1, true, false, 1u << 0);
    float *cells = malloc(b.cells * sizeof *cells), packed[25];
    for (size_t i = 0; i < b.cells; i++)
        cells[i] = (float)i;
    grid_pack(&face, cells, packed);
    assert_true(packed[0] == (float)grid_index(&b, -1, 3, 0));
    assert_true(packed[6] == (float)grid_index(&b, 0, 3, 1));
    assert_true(packed[24] == (float)grid_index(&b, 3, 3, 4));
    for (size_t i = 0; i < b.cells; i++)
        cells[i] = -1;
    grid_unpack(&face, cells, packed);
    size_t set = 0;
    for (size_t i = 0; i < b.cells; i++) {
        set += cells[i] >= 0;
        assert_true(cells[i] < 0 || cells[i] == (float)i);
    }
    assert_int_equal(set, 25);
    free(cells);
}

/* ---- What is computed ---- */

/* p = value of the place; what the sweep makes of one cell. */
static float swept(const struct grid_program *program, float (*value)(int64_t, int64_t, int64_t),
                   double *change)
{
    struct grid_block b = whole_of(grid_of(3, 3, 3, 0, 1));
    float *from = malloc(b.cells * sizeof *from), *to = calloc(b.cells, sizeof *to);
    float *prepared = program->prepare ? program->prepare(&b) : NULL;
    for (int64_t i = -1; i <= 3; i++)
        for (int64_t j = -1; j <= 3; j++)
            for (int64_t k = -1; k <= 3; k++)
                from[grid_index(&b, i, j, k)] = value(i, j, k);
    *change = program->sweep(&b, prepared, from, to);
    float result = to[grid_index(&b, 1, 2, 1)];
    free(from);
    free(to);
    free(prepared);
    return result;
}

static float linear(int64_t i, int64_t j, int64_t k)
{
    return (float)(3 * i + 5 * j + 7 * k);
}
static float quadratic(int64_t i, int64_t j, int64_t k)
{
    return (float)(j * j + 2 * k * k + 4 * i);
}
static float product_ij(int64_t i, int64_t j, int64_t k)
{
    (void)k;
    return (float)(i * j);
}
static float product_jk(int64_t i, int64_t j, int64_t k)
{
    (void)i;
    return (float)(j * k);
}
static float product_ik(int64_t i, int64_t j, int64_t k)
{
    (void)j;
    return (float)(i * k);
}

static void check_near(double found, double wanted)
{
    if (found - wanted > 1e-5 || wanted - found > 1e-5)
        fail_msg("%.9g should be %.9g", found, wanted);
}

TEST(sweeps)
{
    double change;
    /* The mean of neighbours is the value on a plane, and more by the curvature. */
    grid_stencil.sweep(&(struct grid_block){.extent = {1, 0, 0}}, NULL, NULL, NULL);
    check_near(swept(&grid_himeno, linear, &change), 3 + 10 + 7);
    check_near(change, 0);
    /* (2 + 4) / 6 more than the cell, 0.8 of it. */
    check_near(swept(&grid_himeno, quadratic, &change), 4 + 2 + 4 + 0.8);
    check_near(change, 27); /* of 27 cells, 1 each */
    /* At corners: 4 / 16. */
    check_near(swept(&grid_himeno, product_ij, &change), 2 + 0.8 * 0.25 / 6);
    check_near(swept(&grid_himeno, product_jk, &change), 2 + 0.8 * 0.25 / 6);
    check_near(swept(&grid_himeno, product_ik, &change), 1 + 0.8 * 0.25 / 6);
}

TEST(sweep_of_the_stencil)
{
    struct halo_grid grid = {{1, 2, 3}, {0, 1, 1}, {1, 2}, {1, 1}};
    struct grid_block b;
    float from[4 * 5], to[4 * 5] = {0};
    assert_true(halo_block(&grid, 0, &b));
    assert_int_equal(b.cells, 20);
    for (int i = 0; i < 20; i++)
        from[i] = (float)(i * i);
    grid_stencil.sweep(&b, NULL, from, to);
    check_near(to[6], (1 + 121 + 25 + 49) / 4.0);
    check_near(to[13], (64 + 324 + 144 + 196) / 4.0);
    assert_true(to[5] == 0 && to[9] == 0 && to[1] == 0 && to[16] == 0);
}

/* ---- All PEs in one process: exchanges and sweeps against the serial program ---- */

enum { MOST_PES = 12 };

struct pe {
    struct grid_block block;
    struct halo halo;
    float *cells[2], *prepared;
};

static void exchange(struct pe *pes, int count, int first, int end, int turn)
{
    for (int rank = 0; rank < count; rank++)
        for (int s = first; s < end; s++) {
            const struct halo_side *side = &pes[rank].halo.side[s];
            if (side->pe < 0)
                continue;
            const struct pe *other = &pes[side->pe];
            /* What goes there goes to where the other one expects it from here. */
            assert_int_equal(other->halo.side[s ^ 1].pe, rank);
            assert_int_equal(other->halo.side[s ^ 1].layer.from, side->target.from);
            assert_int_equal(grid_section_cells(&side->face), grid_section_cells(&side->target));
            assert_true(grid_section_cells(&side->face) <= pes[rank].halo.room);
            float *packed = malloc(grid_section_cells(&side->face) * sizeof *packed);
            grid_pack(&side->face, pes[rank].cells[turn], packed);
            grid_unpack(&side->target, other->cells[turn], packed);
            free(packed);
        }
}

static void check_against_serial(const struct grid_program *program, struct halo_grid grid,
                                 bool corners, int count, int steps)
{
    struct pe pes[MOST_PES] = {{.prepared = NULL}};
    struct pe_set *set = pe_set_strided(0, 1, count);
    for (int rank = 0; rank < count; rank++) {
        struct pe *pe = &pes[rank];
        struct run run = {.set = set, .rank = rank, .size = count};
        pe->halo.corners = corners;
        assert_true(halo_block(&grid, rank, &pe->block));
        halo_set_up(&run, &grid, &pe->halo, NULL, NULL);
        pe->prepared = program->prepare ? program->prepare(&pe->block) : NULL;
        for (int i = 0; i < 2; i++) {
            pe->cells[i] = malloc(pe->block.cells * sizeof(float));
            for (size_t x = 0; x < pe->block.cells; x++)
                pe->cells[i][x] = -1e6f; /* what does not come from neighbours is noticed */
            grid_begin(&pe->block, pe->cells[i], 5, false);
        }
    }
    for (int step = 0; step < steps; step++) {
        exchange(pes, count, 0, corners ? 2 : HALO_SIDES, step % 2);
        if (corners)
            exchange(pes, count, 2, HALO_SIDES, step % 2);
        for (int rank = 0; rank < count; rank++)
            program->sweep(&pes[rank].block, pes[rank].prepared, pes[rank].cells[step % 2],
                           pes[rank].cells[(step + 1) % 2]);
    }
    for (int rank = 0; rank < count; rank++) {
        struct pe *pe = &pes[rank];
        float *wanted = grid_serial(&pe->block, program, 5, steps);
        assert_non_null(wanted);
        for (int64_t i = 0; i < pe->block.extent[0]; i++)
            for (int64_t j = 0; j < pe->block.extent[1]; j++)
                for (int64_t k = 0; k < pe->block.extent[2]; k++) {
                    size_t at = grid_index(&pe->block, i, j, k);
                    check_near((double)pe->cells[steps % 2][at], (double)wanted[at]);
                }
        free(wanted);
        free(pe->prepared);
        free(pe->cells[0]);
        free(pe->cells[1]);
    }
    pe_set_release(set);
}

TEST(kernels_agree_with_the_serial_program)
{
    static const int pes[] = {1, 2, 3, 4, 6, 7, 12};
    for (size_t p = 0; p < COUNT(pes); p++)
        for (int steps = 0; steps <= 4; steps += 2 - steps / 2 % 2) {
            struct halo_grid flat = {{1, 13, 9}, {0, 1, 1}, {1, 2}, {1, 1}};
            grid_parts(pes[p], flat.parts);
            check_against_serial(&grid_stencil, flat, false, pes[p], steps);
            for (int cut = 0; cut < 3; cut++)
                check_against_serial(&grid_himeno, grid_of(7, 8, 9, cut, pes[p]), true, pes[p],
                                     steps);
        }
}

/* A serial program of a block and one of the complete grid, after more steps than it has cells. */
TEST(the_serial_program_does_not_depend_on_the_cut)
{
    struct halo_grid grid = grid_of(5, 6, 3, 0, 4);
    struct grid_block whole = whole_of(grid);
    float *all = grid_serial(&whole, &grid_himeno, 3, 9);
    for (int rank = 0; rank < 4; rank++) {
        struct grid_block b;
        assert_true(halo_block(&grid, rank, &b));
        float *part = grid_serial(&b, &grid_himeno, 3, 9);
        for (int64_t i = 0; i < b.extent[0]; i++)
            for (int64_t j = 0; j < b.extent[1]; j++)
                for (int64_t k = 0; k < b.extent[2]; k++)
                    check_near((double)part[grid_index(&b, i, j, k)],
                               (double)all[grid_index(&whole, b.first[0] + i, b.first[1] + j, k)]);
        free(part);
    }
    assert_true(grid_serial_cost(&whole, 9) > 5 * 6 * 3 * 9);
    free(all);
}
