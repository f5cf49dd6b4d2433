/*
 * What the families of puts and gets between many ranks share: who does what in an iteration.
 *
 * The variant of their functions begins with struct pairs_traffic, their state with struct
 * pairs_work.
 */
#ifndef SKAMPI_MEASUREMENTS_PAIRS_TRAFFIC_H
#define SKAMPI_MEASUREMENTS_PAIRS_TRAFFIC_H

#include "measurements/common/pairs_pattern.h"

struct pairs_traffic {
    bool get; /* else ranks put, or send */
};

/* This rank's part. */
struct pairs_work {
    struct pairs pairs;
    int64_t steps; /* 0: it only watches */
    struct pairs_call *calls;
};

bool pairs_gets(const struct run *);

/* In set-up; false, without run_fail(), where memory runs out. To be closed in any case. */
bool pairs_work_open(struct run *, struct pairs_work *);
void pairs_work_close(struct pairs_work *);

/* Hook: a parameter "count" has the bytes of an operation. */
void pairs_demand_traffic(struct run *);
/* Hooks of those that work on buffers of the run. */
void pairs_fill_traffic(struct run *);
bool pairs_verify_traffic(struct run *);

#endif
