/* Versions of libraries, and which functions they cannot run. */

#include "engine/start.h"
#include "unit/unit.h"

TEST(versions_in_order)
{
    static const char *const rising[] = {"",      "0.9",    "3.1.6", "4",    "4.0.9", "4.1.4",
                                         "4.1.5", "4.1.10", "4.2",   "4.10", "5.0.0", "10.0"};
    size_t count = sizeof rising / sizeof *rising;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            int order = version_compare(rising[i], rising[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

TEST(versions_that_are_the_same)
{
    static const char *const pairs[][2] = {
        {"4.1", "4.1.0"},    {"4.1.4", "4.1.4rc1"}, {"4.1.4", "4.1.4, x"},  {"4.1.4)", "4.1.4"},
        {"4.1.4", "4.01.4"}, {"", "0.0"},           {"4.1.4a1.2", "4.1.4"}, {"4.", "4"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(version_compare(pairs[i][0], pairs[i][1]), 0);
        assert_int_equal(version_compare(pairs[i][1], pairs[i][0]), 0);
    }
}

TEST(old_open_mpi_has_no_short_compare_and_swap)
{
    static const char *const crashing[] = {
        "Shmem_Atomic_Compare_Swap_Yes", "Shmem_Ctx_Atomic_Compare_Swap_No",
        "Shmem_Atomic_Compare_Swap_No_Contended", "Shmem_Ctx_Atomic_Compare_Swap_Yes_Contended"};
    static const char *const old[] = {"OpenSHMEM 1.4 (Open MPI 4.1.4)",
                                      "OpenSHMEM 1.4 (Open MPI 4.0.10)",
                                      "OpenSHMEM 1.4 (Open MPI v4.1.4, package: x)"};
    static const char *const other[] = {
        "OpenSHMEM 1.4 (Open MPI 4.1.5)", "OpenSHMEM 1.4 (Open MPI 4.1.40)",
        "OpenSHMEM 1.5 (Open MPI 5.0.2)", "OpenSHMEM 1.5 (Sandia OpenSHMEM 1.5.0)",
        "OpenSHMEM 1.4 (Open MPI )",      ""};
    for (size_t i = 0; i < sizeof crashing / sizeof *crashing; i++) {
        for (size_t j = 0; j < sizeof old / sizeof *old; j++)
            assert_non_null(defect_of(DEFECT_CRASHES, crashing[i], old[j]));
        for (size_t j = 0; j < sizeof other / sizeof *other; j++)
            assert_null(defect_of(DEFECT_CRASHES, crashing[i], other[j]));
    }
}

TEST(everything_else_runs)
{
    static const char *const running[] = {"Shmem_Atomic_Compare_Swap_Yes_Long",
                                          "Shmem_Ctx_Atomic_Compare_Swap_No_Long_Contended",
                                          "Shmem_Atomic_Swap", "Shmem_Put_Round", ""};
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        assert_null(defect_of(DEFECT_CRASHES, running[i], "OpenSHMEM 1.4 (Open MPI 4.1.4)"));
}

TEST(wrong_values_are_no_crashes)
{
    const char *library = "OpenSHMEM 1.4 (Open MPI 4.1.4)", *function = "Shmem_Atomic_Fetch_Xor";
    assert_non_null(defect_of(DEFECT_WRONG_VALUES, function, library));
    assert_non_null(
        defect_of(DEFECT_WRONG_VALUES, "Shmem_Ctx_Atomic_Fetch_Or_Long_Contended", library));
    assert_null(defect_of(DEFECT_CRASHES, function, library));
    assert_null(defect_of(DEFECT_WRONG_VALUES, "Shmem_Atomic_Xor", library));
    assert_null(defect_of(DEFECT_WRONG_VALUES, "Shmem_Atomic_Compare_Swap_Yes", library));
    assert_null(defect_of(DEFECT_WRONG_VALUES, function, "OpenSHMEM 1.5 (Open MPI 5.0.0)"));
}

TEST(defects_of_mpich)
{
    const char *old = "MPI 4.0 (MPICH 4.0.2)", *later = "MPI 4.1 (MPICH 4.1.0)";
    assert_non_null(defect_of(DEFECT_WRONG_VALUES, "Gather_Persistent_Start", old));
    assert_null(defect_of(DEFECT_WRONG_VALUES, "Gather_Persistent_Start", later));
    assert_null(defect_of(DEFECT_WRONG_VALUES, "Gatherv_Persistent_Start", old));
    assert_non_null(defect_of(DEFECT_CRASHES, "Scatter_Persistent_Full", old));
    assert_null(defect_of(DEFECT_CRASHES, "Scatter_Persistent_Init", old));
    assert_non_null(defect_of(DEFECT_WINDOW_SIZES, "Put_Flush", old));
    assert_null(defect_of(DEFECT_WINDOW_SIZES, "Put_Flush", later));
    assert_null(defect_of(DEFECT_WINDOW_SIZES, "Put_Flush", "OpenSHMEM 1.4 (Open MPI 4.1.4)"));
}
