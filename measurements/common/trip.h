/*
 * Round trips of pairs of ranks, by OpenSHMEM and by MPI: what moves in them, their loop, and
 * whether the data arrived.
 *
 * A round trip has two halves. In each, the sender may put before it synchronizes, and the receiver
 * may get after that; in the second half they change places.
 */
#ifndef SKAMPI_MEASUREMENTS_TRIP_H
#define SKAMPI_MEASUREMENTS_TRIP_H

#include "measurements/common/pairs_pattern.h"

struct trip {
    bool all;              /* synchronized by a barrier of the set, not by each pair alone */
    bool puts[2], gets[2]; /* in each half */
};

/* clang-format off */
#define TRIP_PUT_PUT .puts = {true, true}
#define TRIP_PUT_GET .puts = {true, false}, .gets = {false, true}
#define TRIP_GET_GET .gets = {true, true}

/* most: bytes that the library can count; 0: any. */
#define TRIP_PARAMETERS(most) {"count", PARAMETER_INT, "bytes", "data moved in each half (0: none, synchronization alone)", .size = true, .maximum = most, .example = "1024"}, PATTERN_OF_PAIRS, PAIRS_ALONE, ITERATIONS
/* clang-format on */

/* This rank's pair, in the state of a family. */
struct trip_pair {
    struct pairs pairs;
    int partner;          /* its rank; -1: in no pair */
    bool first;           /* of its pair: starts and reports */
    unsigned char *there; /* one place for all iterations that others reach; NULL: run->remote */
    int64_t trips;        /* so far: what flags are set to, so nothing has to be reset */
};

/* The memory of an iteration. */
struct trip_memory {
    unsigned char *source, *got; /* what this rank puts; where it gets to */
    unsigned char *there;        /* where others put to, and get from: this rank's own */
    size_t bytes;
};

/* What a family does in a trip, on ranks in a pair; `meet` on all ranks of the set. */
struct trip_routines {
    void (*send)(struct run *, bool puts, const struct trip_memory *); /* and notifies */
    void (*meet)(struct run *);                                        /* where `all` is set */
    void (*await)(struct run *, const struct trip_memory *); /* elsewhere: a notification */
    void (*get)(struct run *, const struct trip_memory *);
};

/* The demand of trips of "count" bytes: local what is put and then what is got. */
void trip_demand(struct run *);

/* In set-up. */
struct trip_pair trip_open(struct run *);

/* Seconds of a round trip, on the first ranks of the pairs; else NAN. The last notification may
 * still be on its way. */
double trip_run(struct run *, const struct trip *, struct trip_pair *,
                const struct trip_routines *);

/* Hooks' work, with the memory of the first iteration. */
void trip_fill(struct run *, const struct trip *, const struct trip_pair *);
bool trip_verify(struct run *, const struct trip *, const struct trip_pair *);

#endif
