/* LINK: src/sim/shares.c src/base/memory.c */
/*
 * Fair shares of links are max-min fair after every change: by the definition, and as long ends in
 * known cases say. What does not share links with a change keeps its end.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/shares.h"
#include "unit/unit.h"

#define FLOWS 40
#define LINKS 12
#define CLOSE 1e-6

/* Pseudo-random numbers below n, always the same ones. */
static uint32_t chance(uint32_t n)
{
    static uint64_t state = 7;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % n;
}

struct expectation {
    bool there;
    uint32_t links[SHARES_LINKS];
    int count;
};

/* No flow is faster than alone, no link carries more than it can, and each flow that is slower than
 * alone has a full link on which none is faster: Bertsekas and Gallager, section 6.5.2. */
static void check_fair(const struct shares *shares, const struct expectation *flows,
                       const double *capacities)
{
    double used[LINKS] = {0}, fastest[LINKS] = {0};
    for (size_t i = 0; i < FLOWS; i++)
        for (int k = 0; flows[i].there && k < flows[i].count; k++) {
            uint32_t link = flows[i].links[k];
            used[link] += shares->flows[i].speed;
            fastest[link] = fmax(fastest[link], shares->flows[i].speed);
        }
    for (size_t i = 0; i < LINKS; i++)
        assert_true(used[i] <= capacities[i] + CLOSE);
    for (size_t i = 0; i < FLOWS; i++) {
        double speed = flows[i].there ? shares->flows[i].speed : 1;
        bool limited = speed >= 1 - CLOSE;
        assert_true(speed > 0 && speed <= 1 + CLOSE);
        for (int k = 0; flows[i].there && k < flows[i].count; k++) {
            uint32_t link = flows[i].links[k];
            limited = limited ||
                      (used[link] >= capacities[link] - CLOSE && speed >= fastest[link] - CLOSE);
        }
        assert_true(limited);
    }
}

static void add(struct shares *shares, uint32_t number, struct expectation *flow, int64_t now,
                int64_t work)
{
    sim_shares_add(shares, number, now, work, flow->links, flow->count);
    flow->there = true;
}

static struct expectation any_flow(void)
{
    struct expectation flow = {.count = 1 + (int)chance(SHARES_LINKS)};
    for (int i = 0; i < flow.count; i++) /* different ones */
        flow.links[i] = (uint32_t)i * (LINKS / SHARES_LINKS) + chance(LINKS / SHARES_LINKS);
    return flow;
}

TEST(any_flows)
{
    for (int round = 0; round < 60; round++) {
        struct shares shares;
        struct expectation flows[FLOWS] = {{0}};
        double capacities[LINKS];
        for (size_t i = 0; i < LINKS; i++)
            capacities[i] = chance(3) ? 1 + chance(3) : 0.25 * (1 + chance(9));
        sim_shares_open(&shares, capacities, LINKS);
        for (int64_t now = 0; now < 150; now++) {
            for (uint32_t changes = 1 + chance(3); changes > 0; changes--) {
                uint32_t number = chance(FLOWS);
                bool there = flows[number].there;
                if (there && shares.flows[number].speed > 0)
                    sim_shares_remove(&shares, number);
                if (there && shares.flows[number].speed > 0)
                    flows[number].there = false;
                if (there)
                    continue;
                flows[number] = any_flow();
                add(&shares, number, &flows[number], now, 1000000);
            }
            sim_shares_solve(&shares, now);
            assert_false(sim_shares_are_old(&shares));
            check_fair(&shares, flows, capacities);
        }
        sim_shares_close(&shares);
    }
}

/* The book's example: three flows on a link of capacity 1 and a fourth on it and on another one. */
TEST(known_flows)
{
    const double capacities[] = {1, 1, 1};
    struct expectation flows[] = {
        {.links = {0}, .count = 1}, {.links = {0, 1}, .count = 2}, {.links = {0}, .count = 1},
        {.links = {1}, .count = 1}, {.links = {2, 1}, .count = 2},
    };
    struct shares shares;
    sim_shares_open(&shares, capacities, 3);
    for (uint32_t i = 0; i < 4; i++)
        add(&shares, i, &flows[i], 0, 3000);
    sim_shares_solve(&shares, 0);
    const int64_t ends[] = {9000, 9000, 9000, 4500};
    for (int i = 0; i < 4; i++)
        assert_int_equal(shares.flows[i].end, ends[i]);
    /* After half of its time the fourth has another one beside it: 1/3 of the link each. */
    add(&shares, 4, &flows[4], 2250, 3000);
    sim_shares_solve(&shares, 2250);
    assert_int_equal(shares.flows[3].end, 2250 + 4500);
    assert_int_equal(shares.flows[4].end, 2250 + 9000);
    for (size_t i = 0; i < shares.moved.count; i++)
        assert_true(shares.moved.of[i] >= 3); /* the others keep their ends */
    sim_shares_close(&shares);
}

/* A row of flows, each of which shares a link with the next one: a change at one end gives new
 * speeds to few of them. */
TEST(bounded)
{
    enum { ROW = 1000 };
    double capacities[ROW + 1];
    struct shares shares;
    for (size_t i = 0; i <= ROW; i++)
        capacities[i] = 1;
    sim_shares_open(&shares, capacities, ROW + 1);
    for (uint32_t i = 0; i < ROW; i++) {
        const uint32_t links[] = {i, i + 1};
        sim_shares_add(&shares, i, 0, 1000000, links, 2);
    }
    sim_shares_solve(&shares, 0);
    const uint32_t link[] = {ROW / 2};
    for (uint32_t i = 0; i < 2; i++)
        sim_shares_add(&shares, ROW + i, 10, 1000000, link, 1);
    sim_shares_solve(&shares, 10);
    assert_true(shares.moved.count >= 4 && shares.chosen.count < 20);
    assert_true(fabs(shares.flows[ROW].speed - 0.25) < CLOSE);
    sim_shares_close(&shares);
}
