/* LINK: src/trace/check/shadow.c src/base/memory.c */
/* Accesses to intervals of memory meet the same earlier ones as by a list for each byte. */
#include <stdlib.h>
#include <string.h>

#include "trace/check/shadow.h"
#include "unit/unit.h"

enum { BYTES = 3000, ACCESSES = 1500, MOST = 60 };

/* Of a byte: the last write, and what came since. */
static struct {
    struct access write, others[MOST];
    size_t count;
} bytes[BYTES];

/* Calls that met, by byte: sums of the earlier ones' numbers. */
static uint64_t met[BYTES], expected[BYTES];

/* Some are ordered, whoever comes next. */
static bool is_ordered(void *context, const struct access *before)
{
    (void)context;
    return before->number % 3 == 0;
}

static void race(void *context, const struct access *before, uint64_t begin, uint64_t end)
{
    (void)context;
    assert_true(begin < end && end <= BYTES);
    for (uint64_t i = begin; i < end; i++)
        met[i] += before->number;
}

static const struct shadow_caller caller = {is_ordered, race, NULL};

static bool conflicts(const struct access *before, const struct access *access)
{
    bool writes = (before->does | access->does) & ACCESS_WRITES;
    return writes && !(before->does & access->does & ACCESS_ATOMIC) && before->number &&
           !is_ordered(NULL, before);
}

static void access_byte(size_t byte, const struct access *access)
{
    size_t kept = 0;
    expected[byte] += conflicts(&bytes[byte].write, access) ? bytes[byte].write.number : 0;
    for (size_t i = 0; i < bytes[byte].count; i++) {
        const struct access *other = &bytes[byte].others[i];
        expected[byte] += conflicts(other, access) ? other->number : 0;
        if (other->does != access->does ||
            (other->completion != access->completion && !is_ordered(NULL, other)))
            bytes[byte].others[kept++] = *other;
    }
    bytes[byte].count = kept;
    if ((access->does & (ACCESS_WRITES | ACCESS_ATOMIC)) == ACCESS_WRITES) {
        bytes[byte].write = *access;
        bytes[byte].count = 0;
    } else {
        bytes[byte].others[bytes[byte].count++] = *access;
    }
}

static void compare(struct shadow *shadow, uint64_t begin, uint64_t end,
                    const struct access *access)
{
    shadow_access(shadow, begin, end, access, &caller);
    for (uint64_t i = begin; i < end; i++)
        access_byte(i, access);
    assert_memory_equal(met, expected, sizeof met);
}

/* Ranges of all sizes, most of them near the one before. */
TEST(ranges)
{
    static const uint8_t does[] = {0, ACCESS_WRITES, ACCESS_ATOMIC, ACCESS_WRITES | ACCESS_ATOMIC};
    struct shadow *shadow = shadow_new();
    srand(1);
    for (uint32_t number = 1, begin = 0; number <= ACCESSES; number++) {
        begin = rand() % 4 ? (begin + (uint32_t)(rand() % 40)) % BYTES : (uint32_t)(rand() % BYTES);
        uint32_t end = begin + (uint32_t)(rand() % (rand() % 8 ? 16 : 1500));
        const struct access access = {
            .completion = (uint32_t)(rand() % 4), .number = number, .does = does[rand() % 4]};
        compare(shadow, begin, end < BYTES ? end : BYTES, &access);
    }
    assert_true(shadow_size(shadow) > 64); /* more than a block holds */
    shadow_free(shadow);
}

/* What is known to all is forgotten; the rest still meets. */
TEST(forgets)
{
    struct shadow *shadow = shadow_new();
    memset(bytes, 0, sizeof bytes);
    for (uint32_t i = 0; i < BYTES / 4; i++) {
        const struct access access = {.number = 1 + i, .does = i % 2 ? ACCESS_WRITES : 0};
        compare(shadow, i * 4, i * 4 + 3, &access);
    }
    size_t before = shadow_size(shadow);
    shadow_forget(shadow, &caller);
    assert_true(shadow_size(shadow) < before);
    const struct access last = {.completion = 1, .number = BYTES, .does = ACCESS_WRITES};
    compare(shadow, 0, BYTES, &last);
    assert_int_equal(shadow_size(shadow), 2); /* with what lies behind */
    shadow_free(shadow);
}
