/*
 * The loop of round trips of pairs, and their data.
 */
#include "measurements/common/trip.h"

#include <math.h>

void trip_demand(struct run *run)
{
    size_t bytes = (size_t)run_integer(run, "count", 0);
    size_t place = pairs_place_bytes(bytes);
    run->demand.local = data_product(2, place);
    run->demand.remote = place;
    run->demand.reported = bytes;
}

struct trip_pair trip_open(struct run *run)
{
    struct trip_pair pair = {.pairs = pairs_open(run)};
    pair.partner = pairs_partner(&pair.pairs, run->rank, &pair.first);
    pairs_note(run, &pair.pairs);
    return pair;
}

static struct trip_memory memory_of(const struct run *run, const struct trip_pair *pair,
                                    int64_t iteration)
{
    size_t bytes = run->demand.reported;
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    return (struct trip_memory){local, local + pairs_place_bytes(bytes),
                                pair->there ? pair->there : remote, bytes};
}

/* ---- What is timed ---- */

static void go(struct run *run, const struct trip *trip, struct trip_pair *pair,
               const struct trip_routines *routines, int64_t iteration)
{
    struct trip_memory memory = memory_of(run, pair, iteration);
    bool data = memory.bytes > 0;
    pair->trips++;
    for (int half = 0; half < 2; half++) {
        bool sends = pair->partner >= 0 && pair->first == (half == 0);
        bool receives = pair->partner >= 0 && !sends;
        if (sends)
            routines->send(run, trip->puts[half] && data, &memory);
        if (trip->all)
            routines->meet(run);
        else if (receives)
            routines->await(run, &memory);
        if (receives && trip->gets[half] && data)
            routines->get(run, &memory);
    }
}

double trip_run(struct run *run, const struct trip *trip, struct trip_pair *pair,
                const struct trip_routines *routines)
{
    bool takes_part = pair->partner >= 0 || trip->all;
    bool reports = pair->partner >= 0 && pair->first;
    if (takes_part && warm_places(run))
        go(run, trip, pair, routines, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; takes_part && i < run->iterations; i++)
        go(run, trip, pair, routines, i);
    int64_t stopped = run_stop(run);
    return reports ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

/* ---- Data ---- */

/* Whether this rank's own data are what others get; else they are what it puts. */
static bool is_got(const struct trip *trip)
{
    return !trip->puts[0] && !trip->puts[1];
}

void trip_fill(struct run *run, const struct trip *trip, const struct trip_pair *pair)
{
    struct trip_memory memory = memory_of(run, pair, 0);
    data_poison(run->local, run->demand.local);
    data_poison(memory.there, run->demand.remote);
    pattern_fill(is_got(trip) ? memory.there : memory.source, memory.bytes,
                 data_key(run, run->rank));
}

/* Memory that has the data of a rank, or is untouched where that is -1. */
static bool holds(struct run *run, const char *what, const unsigned char *memory, int rank)
{
    size_t bytes = run->demand.reported;
    return rank >= 0 ? data_verify(run, what, memory, bytes, rank)
                     : data_verify_untouched(run, what, memory, bytes);
}

bool trip_verify(struct run *run, const struct trip *trip, const struct trip_pair *pair)
{
    struct trip_memory memory = memory_of(run, pair, 0);
    int partner = pair->partner, put = -1, got = -1;
    if (partner >= 0 && trip->puts[pair->first ? 1 : 0])
        put = partner;
    if (partner >= 0 && trip->gets[pair->first ? 1 : 0])
        got = is_got(trip) ? partner : run->rank; /* or its own, back from the partner */
    return holds(run, "what the other rank of the pair put", memory.there,
                 is_got(trip) ? run->rank : put) &&
           holds(run, "what was got from the other rank of the pair", memory.got, got) &&
           holds(run, "the source", memory.source, is_got(trip) ? -1 : run->rank);
}
