/*
 * Fair shares of links: flows that use the same links share them by max-min fairness (Bertsekas and
 * Gallager, Data Networks, section 6.5.2, by progressive filling). No flow can become faster unless
 * one that is not faster becomes slower. A speed is a fraction of the speed that a flow has alone,
 * at most 1; a capacity is a sum of speeds. Times are ps.
 *
 * Changes of one instant are collected: sim_shares_solve() then gives new speeds to the flows that
 * the changes concern. It looks only at flows that share full links with these.
 */
#ifndef SKAMPI_SIM_SHARES_H
#define SKAMPI_SIM_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/queue.h"

#define SHARES_LINKS 3 /* of a flow, at most */
#define SHARES_NONE UINT32_MAX

struct flow {
    double left;  /* ps that it would still take alone, counted from `since` */
    double speed; /* since then */
    double share; /* the next speed, while shares are searched for */
    int64_t since, end;
    uint32_t links[SHARES_LINKS], next[SHARES_LINKS], before[SHARES_LINKS];
    uint32_t limit; /* the link that limits its speed, or SHARES_NONE */
    uint8_t count;  /* of links */
    bool chosen, fixed;
};

struct link {
    double capacity;
    double free;    /* of the capacity, while shares are searched for */
    uint32_t first; /* of the flows that use it, as shares.c writes them */
    uint32_t count, open;
    bool changed, touched;
};

/* Numbers of flows or links. */
struct numbers {
    uint32_t *of;
    size_t count, room;
};

struct shares {
    struct flow *flows; /* by number */
    size_t flow_room;
    struct link *links;
    struct numbers changed; /* links whose flows have changed since the last solution */
    struct numbers fresh;   /* flows that have no speed yet */
    struct numbers chosen, touched;
    struct numbers moved; /* flows whose end has changed with the last solution */
    struct queue levels;
};

void sim_shares_open(struct shares *, const double *capacities, size_t links);
void sim_shares_close(struct shares *);
/* Adds a flow under an unused number. Alone it would take `work` ps. Its links must be distinct. */
void sim_shares_add(struct shares *, uint32_t flow, int64_t now, int64_t work,
                    const uint32_t *links, int count);
void sim_shares_remove(struct shares *, uint32_t flow);

static inline bool sim_shares_are_old(const struct shares *shares)
{
    return shares->changed.count > 0 || shares->fresh.count > 0;
}

/* Finds the new speeds and ends of the flows that are concerned; `moved` has their numbers. An end
 * is at most SHARES_LONGEST after now. */
#define SHARES_LONGEST INT64_C(4000000000000000000)
void sim_shares_solve(struct shares *, int64_t now);

#endif
