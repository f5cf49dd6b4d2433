/* Each rank comes to a collective routine as late as asked for. */

#include "measurements/common/collective.h"
#include "unit/unit.h"

static struct settings skewed(enum arrival arrival)
{
    struct settings settings = settings_default();
    settings.arrival = arrival;
    settings.arrival_skew = 6;
    return settings;
}

static void check_delays(enum arrival arrival, int size, const double *wanted)
{
    struct settings settings = skewed(arrival);
    for (int rank = 0; rank < size; rank++)
        assert_true(collective_delay(&settings, rank, size) == wanted[rank]);
}

TEST(nobody_is_late)
{
    struct settings settings = settings_default();
    assert_int_equal(settings.arrival, ARRIVAL_TOGETHER);
    check_delays(ARRIVAL_TOGETHER, 3, (const double[]){0, 0, 0});
}

TEST(the_last_is_late)
{
    check_delays(ARRIVAL_ONE_LATE, 3, (const double[]){0, 0, 6});
    check_delays(ARRIVAL_ONE_LATE, 1, (const double[]){6});
}

TEST(each_is_later)
{
    check_delays(ARRIVAL_LINEAR, 4, (const double[]){0, 2, 4, 6});
    check_delays(ARRIVAL_LINEAR, 2, (const double[]){0, 6});
    check_delays(ARRIVAL_LINEAR, 1, (const double[]){0});
}

/* ---- Arguments and memory ---- */

static const char *refusal(const char *name, int64_t count, int pes)
{
    const struct measurement *function = measurement_find(name);
    struct value arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    struct pe_set *set = pe_set_strided(0, 1, pes);
    const char *reason;
    assert_non_null(function);
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].type == PARAMETER_INT)
            arguments[i].integer = count;
    reason = function->check(
        &(const struct run){.function = function, .arguments = arguments, .set = set, .size = pes});
    pe_set_release(set);
    return reason;
}

TEST(sizes_that_overflow)
{
    assert_null(refusal("Shmem_Alltoall_Synchro", (int64_t)1 << 40, 1000));
    assert_non_null(refusal("Shmem_Alltoall_Synchro", (int64_t)1 << 55, 1000));
    assert_non_null(refusal("Shmem_Alltoall_Synchro", INT64_MAX, 1));
    assert_null(refusal("Shmem_Reduce_Sum_Double_Synchro", ((int64_t)1 << 31) * 8 - 8, 2));
    assert_non_null(refusal("Shmem_Reduce_Sum_Double_Synchro", ((int64_t)1 << 31) * 8, 2));
    assert_null(refusal("Shmem_Barrier", 0, 2));
}

static struct demand demand_of(const char *name, int64_t count, int pes)
{
    const struct measurement *function = measurement_find(name);
    struct value arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    struct run run = {.function = function, .arguments = arguments, .size = pes};
    assert_non_null(function);
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].type == PARAMETER_INT)
            arguments[i].integer = count;
    function->demand(&run);
    return run.demand;
}

/* Whole elements, and room for a block of each PE where a routine has them. */
TEST(memory_needed)
{
    static const struct {
        const char *name;
        size_t block, blocks;
    } cases[] = {
        {"Shmem_Bcast_All_Synchro", 12, 1},         {"Shmem_Fcollect_Synchro", 12, 16},
        {"Shmem_Alltoall_Consecutive", 12, 32},     {"Shmem_Reduce_And_Synchro", 10, 1},
        {"Shmem_Reduce_Max_Double_Barrier", 16, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct demand demand = demand_of(cases[i].name, 9, 16);
        assert_int_equal(demand.reported, cases[i].block);
        assert_int_equal(demand.local, cases[i].block);
        assert_true(demand.remote >= cases[i].block * cases[i].blocks);
    }
    assert_int_equal(demand_of("Shmem_Sync_Half", 9, 16).reported, 0);
}
