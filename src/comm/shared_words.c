/* Memory that each PE offers to those of its node, with a word for each lane. */
#include "comm/shared_words.h"

#include <stdlib.h>

#include "base/memory.h"
#include "comm/library.h"

/* Turns of a waiting loop between two polls of the library: about a millisecond, since each turn
 * only reads shared memory. */
#define TURNS_PER_POLL (1u << 20)

/* Each word is alone in its cache line. */
struct shared_words {
    struct {
        int64_t word;
        int64_t pad[15];
    } lane[COMM_HAND_OVER_LANES];
};

struct partner {
    int pe;
    struct shared_words *words; /* NULL if the PE has none that this one can reach */
};

static struct {
    struct shared_words *own;
    struct partner *partners;
    size_t count;
} here;

void shared_words_offer(struct tally_offer *offer)
{
    here.own = tally_offer(sizeof *here.own, offer);
}

struct shared_words *shared_words_of(int pe, const struct tally_offer *offer)
{
    for (size_t i = 0; i < here.count; i++)
        if (here.partners[i].pe == pe)
            return here.partners[i].words;
    struct shared_words *found =
        here.own && offer->descriptor >= 0 ? tally_find(offer, sizeof *found) : NULL;
    here.partners = memory_resize(here.partners, (here.count + 1) * sizeof *here.partners);
    here.partners[here.count++] = (struct partner){pe, found};
    return found;
}

void shared_words_forget(void)
{
    free(here.partners);
    here.partners = NULL;
    here.count = 0;
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

void shared_words_trips(struct shared_words *theirs, int lane, long from, int trips)
{
    const int64_t *mine = &here.own->lane[lane].word;
    int64_t last = __atomic_load_n(mine, __ATOMIC_ACQUIRE);
    for (int64_t number = from; number < from + trips; number++) {
        __atomic_store_n(&theirs->lane[lane].word, number, __ATOMIC_RELEASE);
        last = await_change(mine, last);
    }
}

void shared_words_stop(struct shared_words *theirs, int lane)
{
    __atomic_store_n(&here.own->lane[lane].word, HAND_OVER_NOTHING, __ATOMIC_RELEASE);
    __atomic_store_n(&theirs->lane[lane].word, HAND_OVER_STOP, __ATOMIC_RELEASE);
}

void shared_words_echo(struct shared_words *theirs, int lane)
{
    int64_t *mine = &here.own->lane[lane].word;
    for (int64_t word = HAND_OVER_NOTHING;;) {
        word = await_change(mine, word);
        if (word == HAND_OVER_STOP)
            break;
        __atomic_store_n(&theirs->lane[lane].word, word, __ATOMIC_RELEASE);
    }
    __atomic_store_n(mine, HAND_OVER_NOTHING, __ATOMIC_RELEASE);
}
