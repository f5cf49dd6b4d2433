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
    bool valued;
    long double value;
};

/* From one sender. */
struct channel {
    struct message messages[MESSAGES];
    int64_t arrival_count;
    struct arrival arrivals[ARRIVALS];
};

/* When a lock was released. The place follows from the lock's address; a later lock that has the
 * same place replaces it. */
struct release {
    const volatile void *lock;
    int64_t time;
};

static struct channel **channels; /* of each PE, as mapped here: one for each sender */
static struct release *releases;  /* on PE 0 */
static int **floods;              /* of each PE: whether it has something large under way */
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
    int *flooding = shmem_malloc(sizeof *flooding);
    struct position *position = shmem_malloc(sizeof *position);
    struct position **positions = calloc((size_t)pes, sizeof *positions);
    channels = calloc((size_t)pes, sizeof *channels);
    floods = calloc((size_t)pes, sizeof *floods);
    messages_sent = calloc((size_t)pes, sizeof *messages_sent);
    messages_read = calloc((size_t)pes, sizeof *messages_read);
    if (!mine || !locks || !flooding || !position || !positions || !channels || !floods ||
        !messages_sent || !messages_read) {
        die("no memory for", "times of other PEs");
    }
    memset(mine, 0, bytes);
    memset(locks, 0, LOCKS * sizeof *locks);
    *flooding = 0;
    for (int pe = 0; pe < pes; pe++) {
        channels[pe] = mapped(mine, pe);
        floods[pe] = mapped(flooding, pe);
        positions[pe] = mapped(position, pe);
    }
    simulated_join(positions);
    releases = mapped(locks, 0);
    shmem_barrier_all();
    network.running = true;
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

/* ---- Contention ---- */

void under_way(bool any)
{
    __atomic_store_n(floods[self], any, __ATOMIC_RELEASE);
}

int others_under_way(void)
{
    int count = 0;
    for (int pe = 0; pe < pes; pe++) {
        count += pe != self && __atomic_load_n(floods[pe], __ATOMIC_ACQUIRE);
    }
    return count;
}

/* ---- Arrivals ---- */

static void announce_arrival(int pe, struct arrival arrival)
{
    struct channel *channel = &channels[pe][self];
    int64_t count = channel->arrival_count;
    channel->arrivals[count % ARRIVALS] = arrival;
    __atomic_store_n(&channel->arrival_count, count + 1, __ATOMIC_RELEASE);
}

void announce(const void *dest, size_t bytes, int pe, int64_t time)
{
    const unsigned char *begin = dest;
    announce_arrival(pe, (struct arrival){.begin = begin, .end = begin + bytes, .time = time});
}

void announce_value(const void *dest, size_t bytes, int pe, int64_t time, long double value)
{
    const unsigned char *begin = dest;
    announce_arrival(pe, (struct arrival){begin, begin + bytes, time, true, value});
}

/* From one sender: the last arrival, or the first of growing values that is enough. Values that do
 * not grow are of something that was before. */
static int64_t arrival_from(const struct channel *channel, const unsigned char *byte, int compare,
                            long double operand, int64_t time)
{
    bool grows = compare == SHMEM_CMP_GE || compare == SHMEM_CMP_GT;
    const struct arrival *enough = NULL;
    int64_t last = time;
    int64_t count = __atomic_load_n(&channel->arrival_count, __ATOMIC_ACQUIRE);
    for (int64_t i = count - 1; i >= 0 && i > count - ARRIVALS; i--) {
        const struct arrival *arrival = &channel->arrivals[i % ARRIVALS];
        if (byte < arrival->begin || arrival->end <= byte) {
            continue;
        }
        if (!grows || !arrival->valued) {
            last = later(last, arrival->time);
            continue;
        }
        if ((enough && arrival->value > enough->value) || arrival->value < operand ||
            (compare == SHMEM_CMP_GT && arrival->value == operand)) {
            break;
        }
        enough = arrival;
    }
    return enough ? later(last, enough->time) : last;
}

int64_t arrival_for(const void *address, int compare, long double operand, int64_t time)
{
    int64_t last = time;
    for (int pe = 0; pe < pes; pe++) {
        last = later(last, arrival_from(&channels[self][pe], address, compare, operand, time));
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
