/*
 * Who hands over to whom when a control is taken, and what comes of it, for sets of any size.
 * LINK: src/machine/controls.c
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "machine/parts.h"
#include "objects/pe_set.h"
#include "unit/unit.h"

#define MOST 100
#define TRIP 2e-6 /* of a pair, but SLOW_TRIP from rank SLOW on */
#define SLOW 5
#define SLOW_TRIP 8e-6

/* ---- PEs that take a control one after the other, the highest rank first ---- */

static struct {
    int rank;
    double now;
    int partner[COMM_HAND_OVER_LANES][MOST]; /* of each rank, -1: none */
    bool first[COMM_HAND_OVER_LANES][MOST];
    int stops[COMM_HAND_OVER_LANES][MOST];
    long next;
    double sums[128], most[3];
    bool oversubscribed;
} all;

static int64_t read_clock(void)
{
    return (int64_t)(all.now * 1e9);
}

static struct timer test_timer = {.name = "test", .ticks_per_second = 1e9, .now = read_clock};
struct timer *timer_in_use = &test_timer;
bool timer_is_tsc = false;

double wall_seconds(void)
{
    return all.now;
}

int comm_pe(void)
{
    return all.rank;
}

int comm_pes(void)
{
    return MOST;
}

const struct pe_group *comm_world(void)
{
    return NULL;
}

bool comm_oversubscribed_anywhere(void)
{
    return all.oversubscribed;
}

void comm_broadcast(const struct pe_group *group, void *data, size_t bytes)
{
    (void)group;
    (void)data;
    (void)bytes;
}

/* What those before have said is known; the last one, rank 0, gets everything. */
void comm_allreduce(const struct pe_group *group, enum comm_operation op, double *values, size_t n)
{
    (void)group;
    if (op == COMM_SUM) {
        assert_int_equal(n, 128);
        for (size_t i = 0; i < n; i++)
            values[i] = all.sums[i] += values[i];
        return;
    }
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        values[i] = all.most[i] = fmax(all.most[i], values[i]);
}

static void meet(int partner, int lane, bool first)
{
    assert_in_range(lane, 0, COMM_HAND_OVER_LANES - 1);
    assert_int_equal(all.partner[lane][all.rank], -1);
    all.partner[lane][all.rank] = partner;
    all.first[lane][all.rank] = first;
}

bool comm_hand_over_begin(int partner, int lane)
{
    meet(partner, lane, true);
    all.next = COMM_HAND_OVER_FROM;
    return all.rank % 2 == 0;
}

void comm_hand_over(int partner, int lane, bool shared, long from, int trips)
{
    assert_int_equal(all.partner[lane][all.rank], partner);
    if (shared && all.stops[lane][all.rank] == 1 && from == COMM_HAND_OVER_FROM)
        all.next = from;
    assert_int_equal(from, all.next);
    all.next = from + trips;
    all.now += (all.rank >= SLOW ? SLOW_TRIP : TRIP) * trips / (shared ? 2 : 1);
}

void comm_hand_over_stop(int partner, int lane, bool shared)
{
    assert_int_equal(all.partner[lane][all.rank], partner);
    assert_int_equal(all.stops[lane][all.rank]++, shared);
}

void comm_hand_over_echo(int partner, int lane)
{
    meet(partner, lane, false);
}

/* ---- Tests ---- */

static struct result_controls control(int size)
{
    struct pe_group group = pe_group_strided(0, 1, size);
    struct machine machine = {.copy = NAN};
    struct result_controls seen = {0};
    memset(&all, 0, sizeof all);
    for (int lane = 0; lane < COMM_HAND_OVER_LANES; lane++)
        for (int rank = 0; rank < MOST; rank++)
            all.partner[lane][rank] = -1;
    for (int i = 0; i < 3; i++)
        all.most[i] = NAN;
    for (all.rank = size - 1; all.rank >= 0; all.rank--)
        seen = controls_take(&machine, &group);
    return seen;
}

/* All neighbours meet exactly once, one of them begins, and it stops what it began. */
TEST(pairs)
{
    for (int size = 1; size <= MOST; size++) {
        control(size);
        int met = 0;
        for (int lane = 0; lane < COMM_HAND_OVER_LANES; lane++)
            for (int rank = 0; rank < size; rank++) {
                int other = all.partner[lane][rank];
                if (other < 0)
                    continue;
                assert_int_equal(abs(other - rank), 1);
                assert_int_equal(all.partner[lane][other], rank);
                assert_true(all.first[lane][other] != all.first[lane][rank]);
                assert_int_equal(all.stops[lane][rank],
                                 all.first[lane][rank] ? 1 + (rank % 2 == 0) : 0);
                met += all.first[lane][rank];
            }
        assert_int_equal(met, size - 1);
    }
}

static void close_to(double value, double wanted)
{
    if (!(fabs(value / wanted - 1) < 1e-2))
        fail_msg("%g instead of %g", value, wanted);
}

TEST(values)
{
    struct result_controls seen = control(1);
    assert_true(isnan(seen.hand_over) && isnan(seen.hand_over_slowest));
    assert_true(isnan(seen.hand_over_shared));
    for (int size = 2; size <= MOST; size++) {
        seen = control(size);
        close_to(seen.hand_over_slowest, (size - 2 >= SLOW ? SLOW_TRIP : TRIP) / 2);
        assert_true(seen.hand_over > 0.99 * TRIP / 2 && seen.hand_over < 1.01 * SLOW_TRIP / 2);
        if (size <= 2 * SLOW)
            close_to(seen.hand_over, TRIP / 2);
        assert_true(seen.hand_over_shared > 0);
    }
    close_to(control(MOST).hand_over, SLOW_TRIP / 2);
    close_to(control(2).hand_over_shared, TRIP / 4);
}

TEST(possible)
{
    all.oversubscribed = false;
    assert_null(machine_unseen());
    all.oversubscribed = true;
    assert_non_null(machine_unseen());
}

/* A long log keeps every second control; places in it move along. */
TEST(trimmed)
{
    struct pe_set *set = pe_set_strided(0, 1, 2);
    struct machine *machine = calloc(1, sizeof *machine);
    struct control_log *log = machine_log(machine, set);
    assert_ptr_equal(machine_log(machine, set), log);
    struct result_controls seen = {100e-9, NAN, NAN, NAN, NAN};
    size_t place = 0, most = 0;
    for (int i = 0; i < 250000; i++) {
        if (i == 50000)
            place = log->count;
        controls_add(log, i, &seen, &place);
        most = log->count > most ? log->count : most;
    }
    assert_int_equal(most, 100000);
    assert_true(log->controls[place].at >= 50000 && log->controls[place].at < 50020);
    for (size_t i = 1; i < log->count; i++)
        assert_true(log->controls[i].at > log->controls[i - 1].at);
    assert_int_equal(log->state_count, 1);
    pe_set_release(set);
    machine_end(machine);
}
