/* Datatypes, operations, info objects and topologies are described right. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "objects/datatype.h"
#include "objects/info.h"
#include "objects/mpi_constant.h"
#include "objects/mpi_names.h"
#include "objects/pe_set.h"
#include "unit/unit.h"

#define INTS(...) ((const int64_t[]){__VA_ARGS__})

static void expect(struct datatype *type, const char *text, int64_t size, int64_t extent)
{
    assert_non_null(type);
    assert_string_equal(datatype_text(type), text);
    assert_int_equal(datatype_size(type), size);
    assert_int_equal(datatype_extent(type), extent);
    datatype_release(type);
}

TEST(named)
{
    const char *name;
    for (size_t i = 0; (name = datatype_name_at(i)); i++) {
        struct datatype *type = datatype_predefined(name);
        assert_string_equal(datatype_text(type), name);
        assert_true(datatype_size(type) > 0 && datatype_extent(type) >= datatype_size(type));
        assert_int_not_equal(datatype_class(type), DATATYPE_DERIVED);
        bool real = strstr(name, "FLOAT") || strstr(name, "DOUBLE");
        assert_int_equal(datatype_real(type), real);
        datatype_release(type);
    }
    assert_null(datatype_predefined("MPI_COMPLEX8"));
    struct datatype *pair = datatype_predefined("MPI_SHORT_INT");
    assert_int_equal(datatype_class(pair), DATATYPE_PAIR);
    assert_false(datatype_real(pair));
    expect(pair, "MPI_SHORT_INT", 6, 8);
}

TEST(constructed)
{
    const char *error;
    struct datatype *i = datatype_predefined("MPI_INT"), *d = datatype_predefined("MPI_DOUBLE");
    struct datatype *c = datatype_predefined("MPI_CHAR");

    expect(datatype_contiguous(3, i, &error), "contiguous(3,MPI_INT)", 12, 12);
    expect(datatype_contiguous(0, i, &error), "contiguous(0,MPI_INT)", 0, 0);
    expect(datatype_vector(2, 3, 5, false, i, &error), "vector(2,3,5,MPI_INT)", 24, 32);
    expect(datatype_vector(2, 1, -5, false, i, &error), "vector(2,1,-5,MPI_INT)", 8, 24);
    expect(datatype_vector(0, 1, 9, false, i, &error), "vector(0,1,9,MPI_INT)", 0, 0);
    expect(datatype_vector(3, 2, 9, true, c, &error), "hvector(3,2,9,MPI_CHAR)", 6, 20);
    expect(datatype_indexed(3, INTS(1, 0, 2), INTS(4, 100, 1), false, i, &error),
           "indexed({1,0,2},{4,100,1},MPI_INT)", 12, 16);
    expect(datatype_indexed(2, INTS(1, 1), INTS(-8, 9), true, c, &error),
           "hindexed({1,1},{-8,9},MPI_CHAR)", 2, 18);
    /* Padded as struct { double; char; } is. */
    expect(datatype_struct(2, INTS(1, 1), INTS(0, 8), (struct datatype *[]){d, c}, &error),
           "struct({1,1},{0,8},{MPI_DOUBLE,MPI_CHAR})", 9, 16);
    expect(datatype_struct(0, NULL, NULL, NULL, &error), "struct({})", 0, 0);
    expect(datatype_subarray(2, INTS(4, 6), INTS(2, 3), INTS(2, 3), i, &error),
           "subarray({4,6},{2,3},{2,3},MPI_INT)", 24, 96);
    datatype_release(i);
    datatype_release(d);
    datatype_release(c);
}

/* The parts of all ranks make the whole array. */
TEST(distributed)
{
    const char *error;
    int64_t block = mpi_constant("MPI_DISTRIBUTE_BLOCK"),
            cyclic = mpi_constant("MPI_DISTRIBUTE_CYCLIC");
    int64_t none = mpi_constant("MPI_DISTRIBUTE_NONE"),
            any = mpi_constant("MPI_DISTRIBUTE_DFLT_DARG");
    struct datatype *byte = datatype_predefined("MPI_BYTE"), *part;
    const int64_t ways[][2] = {{block, any}, {block, 7}, {cyclic, any}, {cyclic, 2}, {cyclic, 5}};

    for (int64_t n = 1; n <= 20; n++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            int64_t whole = 0;
            for (int64_t rank = 0; rank < 6; rank++) {
                struct darray d = {6,
                                   rank,
                                   3,
                                   INTS(n, 5, 3),
                                   INTS(ways[way][0], block, none),
                                   INTS(ways[way][1], any, any),
                                   INTS(3, 2, 1)};
                part = datatype_darray(&d, byte, &error);
                assert_non_null(part);
                assert_int_equal(datatype_extent(part), n * 15);
                whole += datatype_size(part);
                datatype_release(part);
            }
            assert_int_equal(whole, n * 15);
        }
    struct darray small = {2, 0, 1, INTS(10), INTS(block), INTS(4), INTS(2)};
    assert_null(datatype_darray(&small, byte, &error));
    assert_non_null(strstr(error, "do not cover the array"));
    struct darray torn = {2, 0, 1, INTS(10), INTS(none), INTS(any), INTS(2)};
    assert_null(datatype_darray(&torn, byte, &error));
    struct darray strange = {2, 0, 1, INTS(10), INTS(12345), INTS(any), INTS(2)};
    assert_null(datatype_darray(&strange, byte, &error));
    struct darray other = {3, 0, 1, INTS(10), INTS(block), INTS(any), INTS(2)};
    assert_null(datatype_darray(&other, byte, &error));
    assert_non_null(strstr(error, "as many places"));
    struct darray outside = {2, 2, 1, INTS(10), INTS(block), INTS(any), INTS(2)};
    assert_null(datatype_darray(&outside, byte, &error));
    datatype_release(byte);
}

TEST(refused)
{
    const char *error = NULL;
    struct datatype *i = datatype_predefined("MPI_INT"), *deep = datatype_reference(i), *next;

    assert_null(datatype_contiguous(-1, i, &error));
    assert_non_null(error);
    assert_null(datatype_contiguous((int64_t)INT_MAX + 1, i, &error));
    assert_null(datatype_vector(1, -1, 1, false, i, &error));
    assert_null(datatype_vector(1, 1, (int64_t)INT_MAX + 1, false, i, &error));
    assert_null(datatype_vector(INT_MAX, 1, INT64_MAX, true, i, &error));
    assert_null(datatype_indexed(1, INTS(1), INTS(INT64_MAX), true, i, &error));
    assert_null(datatype_indexed(1, INTS(1), INTS(INT64_MIN), true, i, &error));
    assert_null(
        datatype_indexed(2, INTS(1, 1), INTS(INT64_MIN / 2, INT64_MAX / 2), true, i, &error));
    assert_null(datatype_subarray(0, NULL, NULL, NULL, i, &error));
    assert_null(datatype_subarray(1, INTS(4), INTS(3), INTS(2), i, &error));
    assert_null(datatype_subarray(1, INTS(4), INTS(0), INTS(2), i, &error));
    assert_null(datatype_subarray(3, INTS(INT_MAX, INT_MAX, INT_MAX), INTS(1, 1, 1), INTS(0, 0, 0),
                                  i, &error));
    for (int depth = 0; depth < 64; depth++) {
        next = datatype_contiguous(1, deep, &error);
        assert_non_null(next);
        datatype_release(deep);
        deep = next;
    }
    assert_null(datatype_contiguous(1, deep, &error));
    assert_non_null(strstr(error, "64 times"));
    datatype_release(deep);
    /* Huge, and built on each other: the extent grows beyond all bounds. */
    deep = datatype_reference(i);
    while ((next = datatype_contiguous(INT_MAX, deep, &error))) {
        assert_true(datatype_extent(next) > 0);
        assert_true(datatype_bytes(next, INT64_MAX) == SIZE_MAX);
        datatype_release(deep);
        deep = next;
    }
    assert_non_null(strstr(error, "larger than can be counted"));
    datatype_release(deep);
    datatype_release(i);
}

/* What a buffer must have room for. */
TEST(memory)
{
    const char *error;
    struct datatype *i = datatype_predefined("MPI_INT");
    struct datatype *behind = datatype_indexed(1, INTS(1), INTS(40), true, i, &error);
    struct datatype *before = datatype_indexed(2, INTS(1, 1), INTS(-40, 4), true, i, &error);
    struct datatype *gaps = datatype_vector(2, 1, 4, false, i, &error);

    assert_int_equal(datatype_bytes(i, 0), 0);
    assert_int_equal(datatype_bytes(i, -5), 0);
    assert_int_equal(datatype_bytes(i, 10), 40);
    assert_int_equal(datatype_bytes(gaps, 10), 200);
    assert_int_equal(datatype_origin(i), 0);
    /* From the start that MPI is told up to 40 + 4; elements are 4 bytes apart. */
    assert_int_equal(datatype_origin(behind), 0);
    assert_int_equal(datatype_bytes(behind, 3), 2 * 4 + 44);
    assert_int_equal(datatype_origin(before), 40);
    assert_int_equal(datatype_bytes(before, 3), 40 + 2 * 48 + 8);
    assert_true(datatype_bytes(i, INT64_MAX) == SIZE_MAX);
    datatype_release(before);
    datatype_release(behind);
    datatype_release(gaps);
    datatype_release(i);
}

static const char *misfit(const char *operation, const char *type, bool accumulates)
{
    struct datatype *made = datatype_predefined(type);
    const char *wrong = operation_misfit(operation_find(operation), made, accumulates);
    datatype_release(made);
    return wrong;
}

TEST(operations)
{
    assert_null(misfit("MPI_SUM", "MPI_INT", false));
    assert_null(misfit("MPI_MAX", "MPI_LONG_DOUBLE", false));
    assert_non_null(misfit("MPI_SUM", "MPI_BYTE", false));
    assert_non_null(misfit("MPI_SUM", "MPI_CHAR", false));
    assert_null(misfit("MPI_BXOR", "MPI_BYTE", false));
    assert_non_null(misfit("MPI_BAND", "MPI_FLOAT", false));
    assert_null(misfit("MPI_MINLOC", "MPI_2INT", false));
    assert_non_null(misfit("MPI_MINLOC", "MPI_INT", false));
    assert_non_null(misfit("MPI_SUM", "MPI_DOUBLE_INT", true));
    assert_non_null(misfit("MPI_REPLACE", "MPI_INT", false));
    assert_null(misfit("MPI_REPLACE", "MPI_CHAR", true));
    assert_null(operation_find("MPI_SUMM"));
    struct datatype *i = datatype_predefined("MPI_INT");
    const char *error;
    struct datatype *derived = datatype_contiguous(2, i, &error);
    assert_non_null(strstr(operation_misfit(operation_find("MPI_SUM"), derived, false),
                           "contiguous(2,MPI_INT)"));
    datatype_release(derived);
    datatype_release(i);
}

TEST(infos)
{
    struct info *info = info_create(), *copy, *null = info_null();
    char key[300];

    assert_string_equal(info_text(info), "{}");
    assert_null(info_set(info, "a", "1"));
    assert_null(info_set(info, "b", "2"));
    assert_null(info_set(info, "a", "3"));
    assert_string_equal(info_text(info), "{a=3,b=2}");
    copy = info_copy(info);
    info_clear(info);
    assert_string_equal(info_text(info), "MPI_INFO_NULL");
    assert_string_equal(info_text(copy), "{a=3,b=2}");
    assert_non_null(info_set(info, "a", "1"));
    assert_non_null(info_set(null, "a", "1"));
    assert_non_null(info_set(copy, "", "1"));
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    assert_non_null(info_set(copy, key, "1"));
    info_release(info);
    info_release(copy);
    info_release(null);
}

TEST(topologies)
{
    struct topology *grid = topology_cartesian(2, (int64_t[]){2, 3}, (int64_t[]){0, 1});
    struct topology *same = topology_cartesian(2, (int64_t[]){2, 3}, (int64_t[]){0, 1});
    struct topology *open = topology_cartesian(2, (int64_t[]){2, 3}, (int64_t[]){0, 0});
    struct topology *graph = topology_graph(2, (int64_t[]){1, 2}, (int64_t[]){1, 0});
    struct topology *alone = topology_graph(2, (int64_t[]){0, 0}, NULL);

    assert_true(topology_equal(grid, same) && topology_equal(NULL, NULL));
    assert_false(topology_equal(grid, open) || topology_equal(grid, NULL) ||
                 topology_equal(grid, graph) || topology_equal(graph, alone));
    assert_int_equal(topology_places(grid), 6);
    assert_int_equal(topology_places(graph), 2);
    struct pe_set *set = pe_set_create((int[]){4, 0, 7, 2, 3, 1, 5}, 7);
    struct pe_set *arranged = pe_set_arranged(set, 6, grid);
    assert_int_equal(pe_set_size(arranged), 6);
    assert_int_equal(pe_set_member(arranged, 2), 7);
    assert_ptr_equal(pe_set_topology(arranged), grid);
    assert_null(pe_set_topology(set));
    pe_set_release(set);
    pe_set_release(arranged);
    topology_release(same);
    topology_release(open);
    topology_release(graph);
    topology_release(alone);
}
