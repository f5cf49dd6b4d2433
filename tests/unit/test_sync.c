/* LINK: tests/support/stub/simulated_pes.c */
/* Every algorithm of clock synchronization finds the exact answer on simulated PEs. */
#include <math.h>
#include <stdio.h>

#include "clock/sync.h"
#include "support/stub/simulated_pes.h"
#include "unit/unit.h"

static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 33, 64};
static const struct {
    enum clock_sync algorithm;
    const char *name;
} algorithms[] = {{CLOCK_SYNC_LINEAR, "linear"},
                  {CLOCK_SYNC_RING, "ring"},
                  {CLOCK_SYNC_TREE, "tree"},
                  {CLOCK_SYNC_HCA, "hca"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* Ticks of the slower counter: readings are whole numbers, and each map on the way rounds. */
#define TICK 1e-9

static struct clock_rules rules(enum clock_sync algorithm)
{
    return (struct clock_rules){algorithm, 100, 20, 10, 0.2, 1};
}

/* What a PE has to find. */
struct expectation {
    struct clock_rules rules;
    enum clock_sync used;
    int rounds;
    double error, later; /* right after synchronizing, and 5 s later; at most */
    double bound;        /* stated, at most */
};

static bool complain(const char *what, double value, double limit)
{
    fprintf(stderr, "# %s: %g, limit %g\n", what, value, limit);
    return false;
}

static bool as_expected(void *context)
{
    const struct expectation *expected = context;
    struct sync_report report;
    sync_synchronize(&expected->rules, &report);
    double error = fabs(simulated_error());
    simulated_sleep(5);
    double later = fabs(simulated_error());
    /* A map for each level of a tree, or each step of the ring, may be half a tick off. */
    double rounding = SIMULATED_MOST * TICK;
    if (report.algorithm != expected->used)
        return complain("another algorithm", report.algorithm, expected->used);
    if (report.rounds != expected->rounds)
        return complain("rounds", report.rounds, expected->rounds);
    if (!(error <= report.own_bound + rounding))
        return complain("error beyond the stated bound", error, report.own_bound);
    if (!(report.own_bound <= report.bound && report.bound <= expected->bound))
        return complain("stated bound", report.own_bound, expected->bound);
    if (!(error <= expected->error + rounding))
        return complain("error", error, expected->error);
    if (!(later <= expected->later + rounding))
        return complain("error after 5 s", later, expected->later);
    if (!isnan(report.closure) && !(fabs(report.closure) <= report.bound + rounding))
        return complain("closure of the ring", report.closure, report.bound);
    return true;
}

static int log2_up(int n)
{
    int rounds = 0;
    while (1 << rounds < n)
        rounds++;
    return rounds;
}

/* Exchanges in a row. */
static int rounds_of(enum clock_sync algorithm, const struct simulated_pes *pes)
{
    int n = pes->pes, local = n < pes->pes_per_node ? n : pes->pes_per_node;
    int nodes = (n + pes->pes_per_node - 1) / pes->pes_per_node;
    switch (algorithm) {
    case CLOCK_SYNC_LINEAR:
        return n - 1;
    case CLOCK_SYNC_RING:
        return n == 1 ? 0 : 2 + n % 2;
    case CLOCK_SYNC_TREE:
        return log2_up(n);
    default: /* once to see who shares a clock, once to learn */
        return 2 * log2_up(local) + log2_up(nodes);
    }
}

/* Pairs on the way from a PE to PE 0, at most. */
static int depth_of(enum clock_sync algorithm, const struct simulated_pes *pes)
{
    int n = pes->pes;
    if (algorithm == CLOCK_SYNC_LINEAR)
        return 1;
    return algorithm == CLOCK_SYNC_RING ? n - 1 : 2 * log2_up(n);
}

static void try_all(const struct simulated_pes *like, double later_per_drift)
{
    for (size_t a = 0; a < COUNT(algorithms); a++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            struct simulated_pes pes = *like;
            enum clock_sync algorithm = algorithms[a].algorithm;
            pes.pes = sizes[s];
            /* Half a round trip: more cannot be wrong, and is not stated, where a message in
             * twenty only is disturbed. */
            double half = pes.delay + pes.jitter + 200e-9;
            int depth = depth_of(algorithm, &pes);
            double error = depth * (pes.delay * pes.asymmetry + pes.jitter + 200e-9);
            double later = algorithm == CLOCK_SYNC_HCA ? 1e-6 : pes.drifts * later_per_drift;
            struct expectation expected = {.rules = rules(algorithm),
                                           .used = algorithm,
                                           .rounds = rounds_of(algorithm, &pes),
                                           .error = error + pes.drifts * 0.1,
                                           .later = error + later,
                                           .bound = depth * half};
            if (!simulate(&pes, as_expected, &expected))
                fail_msg("%s with %d PEs", algorithms[a].name, pes.pes);
        }
}

TEST(symmetric_delays)
{
    try_all(&(struct simulated_pes){.pes_per_node = 1, .offsets = 10, .delay = 1e-6}, 0);
}

TEST(asymmetric_delays)
{
    try_all(&(struct simulated_pes){.pes_per_node = 1,
                                    .offsets = 10,
                                    .delay = 2e-6,
                                    .asymmetry = 0.6,
                                    .jitter = 0.3e-6,
                                    .interruptions = 1e-3},
            0);
}

TEST(nodes_with_one_clock_each)
{
    try_all(&(struct simulated_pes){.pes_per_node = 4,
                                    .shared = true,
                                    .offsets = 10,
                                    .delay = 2e-6,
                                    .asymmetry = 0.1,
                                    .jitter = 0.1e-6,
                                    .interruptions = 1e-4},
            0);
}

/* With drift, offsets alone are wrong soon: hca is not, ... */
TEST(drifting_nodes)
{
    for (size_t s = 0; s < COUNT(sizes); s++) {
        struct simulated_pes pes = {.pes = sizes[s],
                                    .pes_per_node = 4,
                                    .shared = true,
                                    .offsets = 10,
                                    .drifts = 200e-6,
                                    .delay = 2e-6,
                                    .jitter = 50e-9,
                                    .interruptions = 1e-4};
        struct expectation expected = {.rules = rules(CLOCK_SYNC_HCA),
                                       .used = CLOCK_SYNC_HCA,
                                       .rounds = rounds_of(CLOCK_SYNC_HCA, &pes),
                                       .error = 1e-6,
                                       .later = 1e-6,
                                       .bound = INFINITY};
        if (!simulate(&pes, as_expected, &expected))
            fail_msg("hca with %d PEs", pes.pes);
    }
}

static bool shows_drift(void *context)
{
    const struct expectation *expected = context;
    struct sync_report report;
    sync_synchronize(&expected->rules, &report);
    simulated_sleep(5);
    double later = fabs(simulated_error());
    double moved = sync_check();
    return moved > 10e-6 || complain("drift that was seen", moved, later);
}

/* ... and a later check says so of the others. */
TEST(drift_is_noticed)
{
    for (size_t a = 0; algorithms[a].algorithm != CLOCK_SYNC_HCA; a++) {
        struct simulated_pes pes = {
            .pes = 4, .pes_per_node = 1, .offsets = 1, .drifts = 200e-6, .delay = 2e-6};
        struct expectation expected = {.rules = rules(algorithms[a].algorithm)};
        if (!simulate(&pes, shows_drift, &expected))
            fail_msg("%s", algorithms[a].name);
    }
}

/* No algorithm needed where all have one clock, and that is seen; the default is hca elsewhere. */
TEST(the_default)
{
    struct simulated_pes pes = {
        .pes = 8, .pes_per_node = 8, .shared = true, .offsets = 3, .delay = 2e-6};
    struct expectation expected = {.rules = rules(CLOCK_SYNC_DEFAULT),
                                   .used = CLOCK_SYNC_NONE,
                                   .rounds = 3,
                                   .error = 0,
                                   .later = 0,
                                   .bound = 3 * 1e-6};
    assert_true(simulate(&pes, as_expected, &expected));
    pes.pes_per_node = 2;
    expected.used = CLOCK_SYNC_HCA;
    expected.rounds = rounds_of(CLOCK_SYNC_HCA, &pes);
    expected.error = expected.later = 0.5e-6;
    expected.bound = 3 * 3e-6;
    assert_true(simulate(&pes, as_expected, &expected));
    /* The timer's word alone is not believed. */
    pes.pes_per_node = 8;
    pes.shared = false;
    expected.rounds = rounds_of(CLOCK_SYNC_HCA, &pes);
    assert_true(simulate(&pes, as_expected, &expected));
}
