#include "clock/sync.h"

#include <stdlib.h>

#include "clock/timer.h"
#include "comm/comm.h"

#define ROUND_TRIPS 100
#define ROUND_TRIPS_KNOWN 8 /* enough once the smallest round trip is known */
#define CLOSE_TO_SMALLEST 1.10
#define WORD_GO 1
#define WORD_END (-1)

/* This PE's view of rank 0's clock: both showed their base at one moment. */
static struct {
    struct pe_set *set; /* what the rest is about; NULL: nothing */
    int64_t base_local, base_root;
    double root_rate;       /* ticks per second of rank 0's timer */
    double bound, smallest; /* seconds */
    bool shared;            /* all members have one and the same clock */
} view;

void sync_invalidate(void)
{
    pe_set_release(view.set);
    view.set = NULL;
}

int64_t sync_to_local(int64_t global)
{
    return view.base_local + (int64_t)((double)(global - view.base_root) *
                                       (timer_in_use->ticks_per_second / view.root_rate));
}

int64_t sync_to_global(int64_t local)
{
    return view.base_root + (int64_t)((double)(local - view.base_local) *
                                      (view.root_rate / timer_in_use->ticks_per_second));
}

double sync_error_bound(void)
{
    return view.bound;
}

double sync_round_trip(void)
{
    return view.smallest;
}

/* Rank 0's side: answers with its time until the other has enough. */
static void answer(int pe)
{
    comm_word_send(pe, WORD_GO);
    while (comm_word_receive() != WORD_END)
        comm_word_send(pe, timer_now());
}

/* The other side. Rank 0 read T between this PE's before and after, so that the difference of the
 * clocks lies in [T - after, T - before]: every exchange narrows the interval (SKaMPI's rule;
 * method of two-sided bounds). */
static void ask(int root_pe)
{
    double rate = timer_in_use->ticks_per_second, ratio = rate / view.root_rate;
    double low = 0, high = 0, smallest = view.smallest * rate;
    comm_word_receive();
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t before = timer_now();
        comm_word_send(root_pe, before);
        int64_t root = comm_word_receive(), after = timer_now();
        if (i == 0) {
            view.base_root = root;
            view.base_local = before;
            low = (double)(before - after);
            high = 0;
        }
        /* Local ticks by which rank 0's clock was behind base at this reading. */
        double elapsed = (double)(root - view.base_root) * ratio;
        low = i == 0 || elapsed - (double)(after - view.base_local) > low
                  ? elapsed - (double)(after - view.base_local)
                  : low;
        high = i == 0 || elapsed - (double)(before - view.base_local) < high
                   ? elapsed - (double)(before - view.base_local)
                   : high;
        double trip = (double)(after - before);
        bool known = smallest > 0;
        bool close = known && trip < CLOSE_TO_SMALLEST * smallest;
        if (!known || trip < smallest)
            smallest = trip;
        if (i + 1 >= ROUND_TRIPS_KNOWN && view.smallest > 0 && close)
            break;
    }
    comm_word_send(root_pe, WORD_END);
    view.base_local -= (int64_t)((low + high) / 2);
    view.bound = (high - low) / 2 / rate;
    view.smallest = smallest / rate;
}

/* On one node a clock that counts for all processors alike is one clock, if the exchange does not
 * contradict: then its own reading is better than any estimate. */
static bool take_as_shared(const struct pe_set *set)
{
    int root = pe_set_member(set, 0);
    bool agrees = true;
    if (comm_node_of(root) != comm_node_of(comm_pe())) {
        agrees = false;
    } else if (pe_set_rank_of(set, comm_pe()) != 0) {
        double difference = timer_seconds(view.base_root - view.base_local);
        agrees = difference <= view.bound && difference >= -view.bound;
    }
    int64_t all = agrees;
    comm_allreduce_int(set, COMM_AND, &all, 1);
    return all;
}

void sync_linear(const struct pe_set *set)
{
    bool same = view.set && pe_set_equal(view.set, set);
    if (same && view.shared)
        return;
    int rank = pe_set_rank_of(set, comm_pe()), size = pe_set_size(set);
    if (!same) {
        sync_invalidate();
        view.set = pe_set_reference((struct pe_set *)(uintptr_t)set);
        view.smallest = 0;
        view.root_rate = timer_in_use->ticks_per_second;
        comm_broadcast(set, &view.root_rate, sizeof view.root_rate);
    }
    view.base_local = view.base_root = 0;
    view.bound = 0;
    if (rank == 0)
        for (int other = 1; other < size; other++)
            answer(pe_set_member(set, other));
    else
        ask(pe_set_member(set, 0));
    view.shared = take_as_shared(set);
    int64_t base = timer_now();
    comm_broadcast(set, &base, sizeof base);
    if (view.shared || rank == 0)
        view.base_local = view.base_root = base;
}
