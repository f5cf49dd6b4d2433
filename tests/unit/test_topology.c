/* Neighbours in grids and graphs are found. */

#include "objects/topology.h"
#include "unit/unit.h"

static void check(const struct topology *topology, int rank, int count, const int *wanted)
{
    int found[8];
    assert_int_equal(topology_neighbors(topology, rank, found), count);
    assert_memory_equal(found, wanted, (size_t)count * sizeof *wanted);
}

/* Ranks 0 1 2 / 3 4 5: open from row to row, closed within a row. */
TEST(test_grid)
{
    struct topology *grid = topology_cartesian(2, (int64_t[]){2, 3}, (int64_t[]){0, 1});
    assert_int_equal(topology_degree(grid), 4);
    check(grid, 0, 4, (int[]){-1, 3, 2, 1});
    check(grid, 1, 4, (int[]){-1, 4, 0, 2});
    check(grid, 5, 4, (int[]){2, -1, 4, 3});
    topology_release(grid);
}

TEST(test_small_torus)
{
    struct topology *torus = topology_cartesian(2, (int64_t[]){1, 2}, (int64_t[]){1, 1});
    check(torus, 0, 4, (int[]){0, 0, 1, 1});
    check(torus, 1, 4, (int[]){1, 1, 0, 0});
    topology_release(torus);
}

TEST(test_graph)
{
    struct topology *star = topology_graph(3, (int64_t[]){2, 3, 4}, (int64_t[]){1, 2, 0, 0});
    assert_int_equal(topology_degree(star), 2);
    assert_int_equal(topology_degree(NULL), 0);
    check(star, 0, 2, (int[]){1, 2});
    check(star, 1, 1, (int[]){0});
    check(star, 2, 1, (int[]){0});
    topology_release(star);
}
