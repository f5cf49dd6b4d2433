/*
 * What measurement families share: who works on whom, and the patterns that data are verified by.
 */
#include "measurements/common/shapes.h"

#include <string.h>

/* Ranks first, first + 1, ... of a set. */
struct ranks {
    int first, count;
};

static const struct ranks none = {-1, 0};

/* Whom the rank works on. */
static struct ranks targets_of(int rank, int n, enum shape shape, int64_t number)
{
    struct ranks next = {(rank + 1) % n, 1};
    const struct ranks by_shape[] = {
        [SHAPE_RING] = next,
        [SHAPE_PAIR] = rank == 0 ? next : none,
        [SHAPE_SINGLE] = rank == number ? next : none,
        [SHAPE_ALL_TO_ONE] = rank > 0 ? (struct ranks){0, 1} : none,
        [SHAPE_ONE_TO_ALL] = rank == 0 && n > 1 ? (struct ranks){1, n - 1} : none,
        [SHAPE_HALF] = rank < number && rank < n / 2 ? (struct ranks){rank + n / 2, 1} : none,
    };
    return by_shape[shape];
}

struct partner shape_partner(const struct run *run, enum shape shape, int64_t number)
{
    struct ranks targets = targets_of(run->rank, run->size, shape, number), sources = none;
    /* Ranks that work on this one follow each other. */
    for (int source = run->size - 1; source >= 0; source--) {
        struct ranks worked_on = targets_of(source, run->size, shape, number);
        if (run->rank >= worked_on.first && run->rank < worked_on.first + worked_on.count)
            sources = (struct ranks){source, sources.count + 1};
    }
    return (struct partner){.acting = targets.count > 0,
                            .pe = targets.count > 0 ? pe_set_member(run->set, targets.first) : 0,
                            .rank = targets.first,
                            .targets = targets.count,
                            .source = sources.first,
                            .sources = sources.count};
}

const char *shape_check_pairs(const struct run *run)
{
    static char text[96];
    int64_t pairs = run_integer(run, "pairs", 0);
    if (pairs <= run->size / 2)
        return NULL;
    snprintf(text, sizeof text, "pairs is %lld, but %d PEs make only %d", (long long)pairs,
             run->size, run->size / 2);
    return text;
}

/* ---- Data ---- */

uint64_t data_key(const struct run *run, int tag)
{
    return run->seed * 0xd1342543de82ef95u + ((uint64_t)(uint32_t)tag + 1) * 0xaef17502108ef2d9u;
}

void data_demand(struct run *run)
{
    data_demand_bytes(run, (size_t)run_integer(run, "count", 0));
}

void data_demand_bytes(struct run *run, size_t bytes)
{
    run->demand.local = run->demand.remote = run->demand.reported = bytes;
}

size_t data_product(size_t a, size_t b)
{
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* Eight bytes of a pattern. The first bit of each byte is 0, so that none is DATA_POISON. */
static inline uint64_t pattern_word(uint64_t key, size_t word)
{
    uint64_t mixed = (key + word) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 32;
    mixed *= 0xd6e8feb86659fd93u;
    return (mixed ^ mixed >> 32) & 0x7f7f7f7f7f7f7f7fu;
}

static unsigned char pattern_byte(uint64_t key, size_t position)
{
    unsigned char bytes[sizeof(uint64_t)];
    uint64_t word = pattern_word(key, position / sizeof word);
    memcpy(bytes, &word, sizeof word);
    return bytes[position % sizeof word];
}

void pattern_fill(void *memory, size_t bytes, uint64_t key)
{
    unsigned char *byte = memory;
    size_t words = bytes / sizeof(uint64_t);
    for (size_t i = 0; i < words; i++) {
        uint64_t word = pattern_word(key, i);
        memcpy(byte + i * sizeof word, &word, sizeof word);
    }
    for (size_t i = words * sizeof(uint64_t); i < bytes; i++)
        byte[i] = pattern_byte(key, i);
}

/* The first byte from `from` on that differs from the pattern; `bytes` if there is none. */
static size_t pattern_differs(const unsigned char *memory, size_t from, size_t bytes, uint64_t key)
{
    size_t i = from;
    for (; i % sizeof(uint64_t) == 0 && bytes - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, memory + i, sizeof word);
        if (word != pattern_word(key, i / sizeof word))
            break;
    }
    while (i < bytes && memory[i] == pattern_byte(key, i))
        i++;
    return i;
}

bool pattern_check(const void *memory, size_t bytes, uint64_t key)
{
    return pattern_differs(memory, 0, bytes, key) == bytes;
}

static size_t poison_differs(const unsigned char *memory, size_t from, size_t bytes)
{
    size_t i = from;
    while (i < bytes && memory[i] == DATA_POISON)
        i++;
    return i;
}

static size_t strided_differs(const unsigned char *memory, size_t element, size_t stride,
                              size_t count, uint64_t key)
{
    for (size_t start = 0, i = 0; i < count; i++, start += element * stride) {
        size_t end = start + element, next = start + element * stride;
        size_t at = start;
        while (at < end && memory[at] == pattern_byte(key, at))
            at++;
        if (at == end)
            at = poison_differs(memory, end, next);
        if (at < next)
            return at;
    }
    return element * stride * count;
}

bool pattern_check_strided(const void *memory, size_t element, size_t stride, size_t count,
                           uint64_t key)
{
    return strided_differs(memory, element, stride, count, key) == element * stride * count;
}

void data_poison(void *memory, size_t bytes)
{
    if (bytes > 0)
        memset(memory, DATA_POISON, bytes);
}

/* Reports the first wrong byte. Returns false. */
static bool wrong(struct run *run, const char *what, size_t at, size_t bytes, unsigned found,
                  unsigned expected)
{
    return run_fail(run,
                    "wrong data: byte %zu of %zu of %s on PE %d (rank %d) is 0x%02x and should be "
                    "0x%02x%s",
                    at, bytes, what, pe_set_member(run->set, run->rank), run->rank, found, expected,
                    found == DATA_POISON ? ": it was not written" : "");
}

bool data_verify(struct run *run, const char *what, const void *memory, size_t bytes, int tag)
{
    uint64_t key = data_key(run, tag);
    size_t at = pattern_differs(memory, 0, bytes, key);
    return at == bytes ||
           wrong(run, what, at, bytes, ((const unsigned char *)memory)[at], pattern_byte(key, at));
}

bool data_verify_strided(struct run *run, const char *what, const void *memory, size_t element,
                         size_t stride, size_t count, int tag)
{
    uint64_t key = data_key(run, tag);
    size_t bytes = element * stride * count;
    size_t at = strided_differs(memory, element, stride, count, key);
    return at == bytes ||
           wrong(run, what, at, bytes, ((const unsigned char *)memory)[at],
                 at % (element * stride) < element ? pattern_byte(key, at) : DATA_POISON);
}

bool data_verify_untouched(struct run *run, const char *what, const void *memory, size_t bytes)
{
    size_t at = poison_differs(memory, 0, bytes);
    return at == bytes ||
           wrong(run, what, at, bytes, ((const unsigned char *)memory)[at], DATA_POISON);
}

bool data_verify_equal(struct run *run, const char *what, const void *memory, const void *expected,
                       size_t bytes)
{
    const unsigned char *found = memory, *wanted = expected;
    size_t at = 0;
    if (bytes == 0 || memcmp(memory, expected, bytes) == 0)
        return true;
    while (found[at] == wanted[at])
        at++;
    return wrong(run, what, at, bytes, found[at], wanted[at]);
}

void data_fill(struct run *run, bool get, unsigned char *there)
{
    data_poison(run->local, run->demand.local);
    data_poison(there, run->demand.remote);
    pattern_fill(get ? there : run->local, get ? run->demand.remote : run->demand.local,
                 data_key(run, run->rank));
}

void data_fill_put(struct run *run)
{
    data_fill(run, false, run->remote);
}

void data_fill_get(struct run *run)
{
    data_fill(run, true, run->remote);
}

bool data_verify_moved(struct run *run, bool get, const unsigned char *there, int from)
{
    size_t bytes = run->demand.reported;
    const unsigned char *source = get ? there : run->local, *target = get ? run->local : there;
    bool right = from >= 0
                     ? data_verify(run, "the data that were moved", target, bytes, from)
                     : data_verify_untouched(run, "memory that nothing is moved to", target, bytes);
    return right && data_verify(run, "the source", source, bytes, run->rank);
}

bool data_verify_put_around(struct run *run)
{
    return data_verify_moved(run, false, run->remote, (run->rank + run->size - 1) % run->size);
}

double apart_or_together(struct run *run, double apart, double (*together)(struct run *))
{
    if (run->settings->cache_state == CACHE_COLD)
        return apart;
    double burst = together(run);
    return burst < apart && apart - burst <= timer_in_use->cost ? burst : apart;
}

void note_memory(struct run *run, const char *step, double before, double now)
{
    double most = run_max(run, now), growth = run_max(run, now - before);
    run_note(run, "after %s: %.0f bytes, %.0f more than before (each the most of any PE)", step,
             most, growth);
}

void note_earlier(struct run *run, const char *what)
{
    if (run_measured_before(run) > 0)
        run_note(run, "earlier measurements that may have called %s: %zu", what,
                 run_measured_before(run));
}

#define ESTIMATES 5

double slowest_estimate(struct run *run, bool acts,
                        void (*operate)(struct run *, int64_t iteration))
{
    double seconds = 0;
    for (int i = 0; i < ESTIMATES; i++) {
        run_barrier(run);
        int64_t start = timer_now();
        if (acts)
            operate(run, 0);
        seconds = run_elapsed(run, start, timer_now());
    }
    return run_max(run, seconds);
}

bool warm_places(const struct run *run)
{
    return run->settings->cache_state == CACHE_WARM && run->settings->buffer_cycling &&
           !run->untimed;
}
