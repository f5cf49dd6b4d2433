/*
 * What PEs know of each other: one block on each PE that all the others write to directly.
 */
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int self, pes;

/* The last ones are kept: a sender may be ahead of the PE that reads. */
#define MESSAGES 512
#define ARRIVALS 64
#define LOCKS 256

struct message {
    int64_t number; /* written last */
    int64_t time;
};

struct arrival {
    const unsigned char *begin, *end; /* symmetric addresses are the same on all PEs */
    int64_t time;
};

/* From one sender. */
struct channel {
    struct message messages[MESSAGES];
    int64_t arrival_count;
    struct arrival arrivals[ARRIVALS];
};

/* By the lock's address, and what was there before is forgotten. */
struct release {
    const volatile void *lock;
    int64_t time;
};

static struct channel **channels; /* of each PE, as mapped here: one for each sender */
static struct release *releases;  /* on PE 0 */
static int64_t *messages_sent, *messages_read;

static void *mapped(void *symmetric, int pe)
{
    void *address = shmem_ptr(symmetric, pe);
    if (!address) {
        die("no access to the memory of other PEs", "all must be on one node");
    }
    return address;
}

void shared_create(void)
{
    if (!network.active) {
        return;
    }
    depth++;
    self = shmem_my_pe();
    pes = shmem_n_pes();
    size_t bytes = (size_t)pes * sizeof(struct channel);
    struct channel *mine = shmem_malloc(bytes);
    struct release *locks = shmem_malloc(LOCKS * sizeof *locks);
    channels = calloc((size_t)pes, sizeof *channels);
    messages_sent = calloc((size_t)pes, sizeof *messages_sent);
    messages_read = calloc((size_t)pes, sizeof *messages_read);
    if (!mine || !locks || !channels || !messages_sent || !messages_read) {
        die("no memory for", "times of other PEs");
    }
    memset(mine, 0, bytes);
    memset(locks, 0, LOCKS * sizeof *locks);
    for (int pe = 0; pe < pes; pe++) {
        channels[pe] = mapped(mine, pe);
    }
    releases = mapped(locks, 0);
    shmem_barrier_all();
    depth--;
}

/* ---- Messages ---- */

void tell(int pe, int64_t time)
{
    int64_t number = ++messages_sent[pe];
    struct message *slot = &channels[pe][self].messages[number % MESSAGES];
    slot->time = time;
    __atomic_store_n(&slot->number, number, __ATOMIC_RELEASE);
}

int64_t told(int pe)
{
    int64_t number = ++messages_read[pe];
    struct message *slot = &channels[self][pe].messages[number % MESSAGES];
    int64_t arrived;
    /* What the sender does first may need this PE. */
    while ((arrived = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE)) < number) {
        make_progress();
    }
    if (arrived != number) {
        die("a PE is too far ahead", "raise MESSAGES");
    }
    return slot->time;
}

/* ---- Arrivals ---- */

void announce(const void *dest, size_t bytes, int pe, int64_t time)
{
    struct channel *channel = &channels[pe][self];
    int64_t count = channel->arrival_count;
    const unsigned char *begin = dest;
    channel->arrivals[count % ARRIVALS] = (struct arrival){begin, begin + bytes, time};
    __atomic_store_n(&channel->arrival_count, count + 1, __ATOMIC_RELEASE);
}

int64_t arrival_at(const void *address, int64_t time)
{
    const unsigned char *byte = address;
    int64_t last = time;
    for (int pe = 0; pe < pes; pe++) {
        const struct channel *channel = &channels[self][pe];
        int64_t count = __atomic_load_n(&channel->arrival_count, __ATOMIC_ACQUIRE);
        for (int64_t i = count - 1; i >= 0 && i > count - ARRIVALS; i--) {
            const struct arrival *arrival = &channel->arrivals[i % ARRIVALS];
            if (arrival->time + network.longest <= time) {
                break; /* what was sent before arrives at most so much later */
            }
            if (arrival->begin <= byte && byte < arrival->end) {
                last = later(last, arrival->time);
            }
        }
    }
    return last;
}

/* ---- Locks ---- */

static struct release *release_of(const volatile void *lock)
{
    return &releases[(uintptr_t)lock / sizeof(long) % LOCKS];
}

void lock_release_at(const volatile void *lock, int64_t time)
{
    *release_of(lock) = (struct release){lock, time};
}

int64_t lock_released(const volatile void *lock)
{
    struct release *release = release_of(lock);
    return release->lock == lock ? release->time : 0;
}
