/*
 * Counts words in a hash table that is spread over the PEs. Each PE reads its part of the text; a
 * lock lies on some of the buckets, and whoever holds it gets a bucket, looks for the word and
 * counts it there. Afterwards each PE looks up some words.
 */
#include "app.h"

#define ENTRIES 16 /* of a bucket */

struct entry {
    long word; /* 0: free */
    long count;
};

struct table {
    long buckets; /* of all PEs: the n-th lies on PE n % PEs */
    long locks;
    struct entry *entries; /* of the buckets of this PE */
    long *lock;
};

/* Words are numbers from 1; small ones are frequent. */
static long word_of(long position, long size)
{
    uint64_t random = app_random(1, (uint64_t)position);
    return 1 + (long)(random % (1 + (random >> 32) % (uint64_t)size));
}

static long bucket_of(const struct table *table, long word)
{
    return (long)(app_random(2, (uint64_t)word) % (uint64_t)table->buckets);
}

static uint64_t checksum_of(long word, long count)
{
    return app_random((uint64_t)count, (uint64_t)word);
}

/* Gets the word's bucket to *entries; where it lies, on *pe. */
static struct entry *get_bucket(const struct app *app, const struct table *table, long word,
                                struct entry *entries, int *pe)
{
    long bucket = bucket_of(table, word);
    struct entry *there = table->entries + bucket / app->pes * ENTRIES;
    *pe = (int)(bucket % app->pes);
    CALL(shmem_getmem)(entries, there, ENTRIES * sizeof *entries, *pe);
    return there;
}

/* Index of the word's entry, or of the first free one. */
static int find(const struct app *app, const struct entry *entries, long word)
{
    int i = 0;
    while (i < ENTRIES && entries[i].word != word && entries[i].word)
        i++;
    if (i == ENTRIES)
        app_fail(app, 1, "a bucket of %d words is full; take another --size", ENTRIES);
    return i;
}

static void count_word(const struct app *app, const struct table *table, long word)
{
    struct entry entries[ENTRIES];
    int pe;
    long *lock = &table->lock[bucket_of(table, word) % table->locks];
    CALL(shmem_set_lock)(lock);
    struct entry *there = get_bucket(app, table, word, entries, &pe);
    int i = find(app, entries, word);
    if (entries[i].word) {
        CALL(shmem_long_p)(&there[i].count, entries[i].count + 1, pe);
    } else {
        struct entry new = {.word = word, .count = 1};
        CALL(shmem_putmem)(&there[i], &new, sizeof new, pe);
    }
    CALL(shmem_quiet)();
    CALL(shmem_clear_lock)(lock);
}

/* How often the word was counted. */
static long look_up(const struct app *app, const struct table *table, long word)
{
    struct entry entries[ENTRIES];
    int pe;
    long *lock = &table->lock[bucket_of(table, word) % table->locks];
    if (CALL(shmem_test_lock)(lock) != 0)
        CALL(shmem_set_lock)(lock);
    get_bucket(app, table, word, entries, &pe);
    CALL(shmem_clear_lock)(lock);
    return entries[find(app, entries, word)].count;
}

/* Computes the result of all PEs on one PE, without communication: how often each word comes. */
static long *expected(const struct app *app, long size, long steps)
{
    long *counts = calloc((size_t)size + 1, sizeof *counts);
    if (!counts)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < steps; i++)
        counts[word_of(i, size)]++;
    return counts;
}

int main(int argc, char **argv)
{
    long size = 64, steps = 400, lookups = 10;
    struct table table = {.locks = 8};
    const struct app_option options[] = {
        {"size", &size, 1, 1L << 30, "different words"},
        {"steps", &steps, 0, LONG_MAX / 2, "words of the text, of all PEs together"},
        {"locks", &table.locks, 1, 1L << 20, "locks"},
        {"lookups", &lookups, 0, LONG_MAX / 2, "words that each PE looks up"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("hash_table", argv, options);
    if (app.pe == 0)
        printf("hash_table: %ld words of %ld, %ld locks, %ld lookups, %d PEs\n", steps, size,
               table.locks, lookups, app.pes);

    table.buckets = size / 2 + 1;
    size_t entries = (size_t)(table.buckets / app.pes + 1) * ENTRIES;
    table.entries = app_memory(&app, entries * sizeof *table.entries);
    table.lock = app_memory(&app, (size_t)table.locks * sizeof *table.lock);
    CALL(shmem_barrier_all)();

    for (long i = app_first(&app, steps, app.pe); i < app_first(&app, steps, app.pe + 1); i++)
        count_word(&app, &table, word_of(i, size));
    CALL(shmem_barrier_all)();

    long *counts = expected(&app, size, steps);
    for (long i = 0; i < lookups; i++) {
        long word = 1 + (long)(app_random(3 + (uint64_t)app.pe, (uint64_t)i) % (uint64_t)size);
        long found = look_up(&app, &table, word);
        if (found != counts[word])
            app_fail(&app, 1, "word %ld was found %ld times, not %ld", word, found, counts[word]);
    }

    uint64_t mine = 0, wanted = 0;
    for (size_t i = 0; i < entries; i++)
        if (table.entries[i].word)
            mine += checksum_of(table.entries[i].word, table.entries[i].count);
    for (long word = 1; word <= size; word++)
        if (counts[word])
            wanted += checksum_of(word, counts[word]);
    free(counts);
    return app_end(&app, app_sum(&app, mine), wanted);
}
