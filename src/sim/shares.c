/* Max-min fair shares, found again where flows have come or gone. */
#include "sim/shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define LEVEL_UNITS 0x1p60
#define NEAR 1e-9     /* speeds that differ by less are equal: rounding errors are smaller */
#define MOST_ROUNDS 4 /* of widening the choice of flows, before all connected ones are chosen */

static void push(struct numbers *numbers, uint32_t number)
{
    memory_push(numbers->of, numbers->count, &numbers->room, number);
}

void sim_shares_open(struct shares *shares, const double *capacities, size_t links)
{
    *shares = (struct shares){.links = memory_zeroed(links, sizeof *shares->links)};
    for (size_t i = 0; i < links; i++)
        shares->links[i].capacity = capacities[i];
}

void sim_shares_close(struct shares *shares)
{
    free(shares->flows);
    free(shares->links);
    free(shares->changed.of);
    free(shares->fresh.of);
    free(shares->chosen.of);
    free(shares->touched.of);
    free(shares->moved.of);
    queue_free(&shares->levels);
}

/* ---- Which flows use a link: a list of 1 + flow * SHARES_LINKS + the link's index in the flow
 * ---- */

static inline struct flow *flow_at(const struct shares *shares, uint32_t entry)
{
    return &shares->flows[(entry - 1) / SHARES_LINKS];
}

static inline uint32_t next_entry(const struct shares *shares, uint32_t entry)
{
    return flow_at(shares, entry)->next[(entry - 1) % SHARES_LINKS];
}

/* Whether a link can be full. Only a full link slows down a flow. */
static inline bool can_be_full(const struct link *link)
{
    return (double)link->count > link->capacity;
}

static void note_change(struct shares *shares, uint32_t number)
{
    struct link *link = &shares->links[number];
    if (link->changed || !can_be_full(link))
        return;
    link->changed = true;
    push(&shares->changed, number);
}

void sim_shares_add(struct shares *shares, uint32_t number, int64_t now, int64_t work,
                    const uint32_t *links, int count)
{
    struct flow *flow = memory_element(shares->flows, number, &shares->flow_room);
    *flow = (struct flow){
        .left = (double)work, .since = now, .limit = SHARES_NONE, .count = (uint8_t)count};
    for (int i = 0; i < count; i++) {
        struct link *link = &shares->links[links[i]];
        uint32_t own = 1 + number * SHARES_LINKS + (uint32_t)i;
        flow->links[i] = links[i];
        flow->next[i] = link->first;
        if (link->first)
            flow_at(shares, link->first)->before[(link->first - 1) % SHARES_LINKS] = own;
        link->first = own;
        link->count++;
        note_change(shares, links[i]);
    }
    push(&shares->fresh, number);
}

void sim_shares_remove(struct shares *shares, uint32_t number)
{
    const struct flow *flow = &shares->flows[number];
    for (int i = 0; i < flow->count; i++) {
        struct link *link = &shares->links[flow->links[i]];
        uint32_t before = flow->before[i], next = flow->next[i];
        note_change(shares, flow->links[i]);
        if (before)
            flow_at(shares, before)->next[(before - 1) % SHARES_LINKS] = next;
        else
            link->first = next;
        if (next)
            flow_at(shares, next)->before[(next - 1) % SHARES_LINKS] = before;
        link->count--;
    }
}

/* ---- Which flows are given a new speed ---- */

/* Chooses a flow, and touches its links that can be full. */
static void choose(struct shares *shares, struct flow *flow)
{
    if (flow->chosen)
        return;
    flow->chosen = true;
    push(&shares->chosen, (uint32_t)(flow - shares->flows));
    for (int i = 0; i < flow->count; i++) {
        struct link *link = &shares->links[flow->links[i]];
        if (link->touched || !can_be_full(link))
            continue;
        link->touched = true;
        push(&shares->touched, flow->links[i]);
    }
}

/* Chooses all flows of these links, also of links that are added meanwhile. */
static void choose_users(struct shares *shares, const struct numbers *links)
{
    for (size_t i = 0; i < links->count; i++)
        for (uint32_t at = shares->links[links->of[i]].first; at; at = next_entry(shares, at))
            choose(shares, flow_at(shares, at));
}

/* Chooses flows of a link whose speed is no longer right: their limit has gone, or they are faster
 * than other flows that the link limits. */
static bool choose_wrong(struct shares *shares, uint32_t number)
{
    const struct link *link = &shares->links[number];
    size_t before = shares->chosen.count;
    double sum = 0, fastest = 0, limited = 2;
    for (uint32_t at = link->first; at; at = next_entry(shares, at)) {
        const struct flow *flow = flow_at(shares, at);
        sum += flow->share;
        fastest = flow->share > fastest ? flow->share : fastest;
        if (flow->chosen && flow->limit == number)
            limited = flow->share;
    }
    bool full = sum >= link->capacity * (1 - NEAR);
    for (uint32_t at = link->first; at; at = next_entry(shares, at)) {
        struct flow *flow = flow_at(shares, at);
        if (flow->chosen)
            continue;
        if (flow->share > limited * (1 + NEAR) ||
            (flow->limit == number && (!full || flow->share < fastest * (1 - NEAR))))
            choose(shares, flow);
    }
    return shares->chosen.count > before;
}

/* False: all flows have the right speed. If each has a full link on which none is faster, the
 * speeds are the max-min fair ones, of which there is only one solution. */
static bool widen(struct shares *shares, int round)
{
    bool more = false;
    size_t touched = shares->touched.count;
    for (size_t i = 0; i < touched; i++)
        more = choose_wrong(shares, shares->touched.of[i]) || more;
    if (more && round == MOST_ROUNDS) /* all that are connected by links that can be full */
        choose_users(shares, &shares->touched);
    return more;
}

/* ---- Filling: all chosen flows become faster together until a link is full ---- */

/* The speed of a link's chosen flows, if nothing else limits them. */
static inline double level_of(const struct link *link)
{
    return link->free > 0 ? link->free / link->open : 0;
}

/* Levels in the order in which they are reached, by numbers of touched links. */
static void plan(struct shares *shares, uint32_t index, const struct link *link)
{
    double level = level_of(link);
    if (link->open && level < 1)
        queue_set(&shares->levels, index, (int64_t)(level * LEVEL_UNITS));
}

/* Computes what the flows that are not chosen leave of a link. */
static void measure(struct shares *shares, struct link *link)
{
    link->free = link->capacity;
    link->open = 0;
    for (uint32_t at = link->first; at; at = next_entry(shares, at)) {
        const struct flow *flow = flow_at(shares, at);
        if (flow->chosen)
            link->open++;
        else
            link->free -= flow->share;
    }
}

static void fix_flows(struct shares *shares, uint32_t number, double speed)
{
    struct link *link = &shares->links[number];
    for (uint32_t at = link->first; at; at = next_entry(shares, at)) {
        struct flow *flow = flow_at(shares, at);
        if (!flow->chosen || flow->fixed)
            continue;
        flow->fixed = true;
        flow->share = speed;
        flow->limit = number;
        for (int i = 0; i < flow->count; i++) {
            shares->links[flow->links[i]].free -= speed;
            shares->links[flow->links[i]].open--;
        }
    }
}

static void fill(struct shares *shares)
{
    queue_grow(&shares->levels, shares->touched.room);
    for (size_t i = 0; i < shares->chosen.count; i++) {
        struct flow *flow = &shares->flows[shares->chosen.of[i]];
        flow->fixed = false;
        flow->share = 1;
        flow->limit = SHARES_NONE;
    }
    for (size_t i = 0; i < shares->touched.count; i++) {
        struct link *link = &shares->links[shares->touched.of[i]];
        measure(shares, link);
        plan(shares, (uint32_t)i, link);
    }
    while (shares->levels.count) {
        const struct queued planned = queue_take(&shares->levels);
        uint32_t index = planned.number, number = shares->touched.of[index];
        const struct link *link = &shares->links[number];
        if (link->open == 0)
            continue;
        double level = level_of(link);
        if ((int64_t)(level * LEVEL_UNITS) >
            planned.time) /* flows with less leave more to the others */
            plan(shares, index, link);
        else
            fix_flows(shares, number, level);
    }
}

/* ---- New speeds ---- */

static void apply(struct shares *shares, struct flow *flow, int64_t now)
{
    flow->chosen = false;
    if (fabs(flow->share - flow->speed) <= 1e-14 * flow->speed) {
        flow->share = flow->speed;
        return;
    }
    flow->left -= (double)(now - flow->since) * flow->speed;
    flow->since = now;
    flow->speed = flow->share;
    double takes = flow->left > 0 ? flow->left / flow->speed : 0;
    flow->end = now + (takes < (double)SHARES_LONGEST ? llround(takes) : SHARES_LONGEST);
    push(&shares->moved, (uint32_t)(flow - shares->flows));
}

void sim_shares_solve(struct shares *shares, int64_t now)
{
    shares->chosen.count = shares->touched.count = shares->moved.count = 0;
    choose_users(shares, &shares->changed);
    for (size_t i = 0; i < shares->fresh.count; i++)
        choose(shares, &shares->flows[shares->fresh.of[i]]);
    int round = 0;
    do
        fill(shares);
    while (widen(shares, round++));
    for (size_t i = 0; i < shares->chosen.count; i++)
        apply(shares, &shares->flows[shares->chosen.of[i]], now);
    for (size_t i = 0; i < shares->touched.count; i++)
        shares->links[shares->touched.of[i]].touched = false;
    for (size_t i = 0; i < shares->changed.count; i++)
        shares->links[shares->changed.of[i]].changed = false;
    shares->changed.count = shares->fresh.count = 0;
}
