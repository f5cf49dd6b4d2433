/*
 * Hand-overs between two PEs. Where both reach the other's words in plain shared memory, trips are
 * made there by loads and stores, whatever the library and its settings are; else by the library.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "comm/comm.h"
#include "comm/link.h"
#include "comm/parts.h"
#include "crash/tally.h"

/* Turns of a waiting loop between two polls of the library: about a millisecond, since each turn
 * only reads shared memory. */
#define TURNS_PER_POLL (1u << 20)

/* The words of a PE in plain memory. Each is alone in its cache line. */
struct words {
    struct {
        int64_t word;
        int64_t pad[15];
    } lane[COMM_HAND_OVER_LANES];
};

struct partner {
    int pe;
    struct words *words; /* stay mapped; NULL: they cannot be reached */
};

static struct {
    struct words *own;
    struct tally_offer *offers; /* of each PE of this node, by its rank there; NULL: nobody asks */
    struct partner *partners;
    size_t count;
} near;

void hand_overs_begin(void)
{
    struct tally_offer own;
    const struct pe_group *node = comm_own_node();
    size_t n = (size_t)node->size;
    near.own = tally_offer(sizeof *near.own, &own);
    near.offers = memory_zeroed(n, sizeof *near.offers);
    comm_enter(node);
    comm_gather(node, &own, sizeof own, near.offers);
    comm_broadcast(node, near.offers, n * sizeof *near.offers);
}

void hand_overs_end(void)
{
    free(near.partners);
    free(near.offers);
    near.partners = NULL;
    near.offers = NULL;
    near.count = 0;
}

/* The words of a PE that shares plain memory with this one, or NULL. */
static struct words *words_of(int pe)
{
    for (size_t i = 0; i < near.count; i++)
        if (near.partners[i].pe == pe)
            return near.partners[i].words;
    if (!near.offers || !near.own || comm_node_of(pe) != comm_node_of(comm_pe()))
        return NULL;
    const struct tally_offer *offer = &near.offers[pe_group_rank_of(comm_own_node(), pe)];
    struct words *found = offer->descriptor >= 0 ? tally_find(offer, sizeof *found) : NULL;
    memory_append(near.partners, near.count, (struct partner){pe, found});
    return found;
}

/* The first word says whether its sender can reach the other's memory. */
bool comm_hand_over_begin(int partner, int lane)
{
    int64_t mine = words_of(partner) ? HAND_OVER_SHARED : HAND_OVER_APART;
    int64_t theirs = link_hand_over_begin(partner, lane, mine);
    return mine == HAND_OVER_SHARED && theirs == HAND_OVER_SHARED;
}

/* Waits for the word's next value. Polls the library, since the other PE may need it to deliver
 * something first. */
static int64_t await_change(const int64_t *word, int64_t last)
{
    int64_t now;
    for (unsigned turn = 1; (now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == last; turn++)
        if (turn % TURNS_PER_POLL == 0)
            comm_poll();
    return now;
}

void comm_hand_over(int partner, int lane, bool shared, long from, int trips)
{
    if (!shared) {
        link_hand_over(partner, lane, from, trips);
        return;
    }
    const int64_t *mine = &near.own->lane[lane].word;
    int64_t *theirs = &words_of(partner)->lane[lane].word;
    int64_t last = __atomic_load_n(mine, __ATOMIC_ACQUIRE);
    for (int64_t number = from; number < from + trips; number++) {
        __atomic_store_n(theirs, number, __ATOMIC_RELEASE);
        last = await_change(mine, last);
    }
}

void comm_hand_over_stop(int partner, int lane, bool shared)
{
    if (!shared) {
        link_hand_over_stop(partner, lane);
        return;
    }
    __atomic_store_n(&near.own->lane[lane].word, HAND_OVER_NOTHING, __ATOMIC_RELEASE);
    __atomic_store_n(&words_of(partner)->lane[lane].word, HAND_OVER_STOP, __ATOMIC_RELEASE);
}

void comm_hand_over_echo(int partner, int lane)
{
    struct words *words = words_of(partner);
    int64_t theirs = link_hand_over_echo(partner, lane, words ? HAND_OVER_SHARED : HAND_OVER_APART);
    if (!words || theirs != HAND_OVER_SHARED)
        return;
    int64_t *mine = &near.own->lane[lane].word, word = HAND_OVER_NOTHING;
    while ((word = await_change(mine, word)) != HAND_OVER_STOP)
        __atomic_store_n(&words->lane[lane].word, word, __ATOMIC_RELEASE);
    __atomic_store_n(mine, HAND_OVER_NOTHING, __ATOMIC_RELEASE);
}
