/* LINK: src/trace/encode.c src/base/hash.c */
/* Events of a trace are the same after encoding and decoding. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "support/stub/encode_event.h"
#include "unit/unit.h"

#define MOVES (1 << TRACE_PEER | 1 << TRACE_ELEMENTS | 1 << TRACE_BYTES | 1 << TRACE_TARGET)
static const struct trace_routine routines[] = {
    {"put", TRACE_PUT, TRACE_SIGNED, 8, MOVES | 1 << TRACE_SOURCE},
    {"fetch", TRACE_ATOMIC, TRACE_SIGNED, 4,
     1 << TRACE_PEER | 1 << TRACE_TARGET | 1 << TRACE_VALUE | 1 << TRACE_RESULT},
    {"barrier", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
    {"collect", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     1 << TRACE_ELEMENTS | 1 << TRACE_BYTES | 1 << TRACE_TARGET},
};
#define ROUTINES (sizeof routines / sizeof *routines)

static struct trace_series_kind kinds[ROUTINES];
static uint16_t encoder_latest[ROUTINES], decoder_latest[ROUTINES];
static struct series encoder_series[SERIES_MOST], decoder_series[SERIES_MOST];
static unsigned char payload[BLOCK_MOST_BYTES];

static struct encoder new_encoder(void)
{
    struct encoder encoder = {
        .kinds = kinds, .latest = encoder_latest, .series = encoder_series, .routines = ROUTINES};
    for (size_t i = 0; i < ROUTINES; i++)
        kinds[i] = trace_series_kind(&routines[i]);
    encoder_begin(&encoder, payload);
    return encoder;
}

static struct decoder new_decoder(const unsigned char *bytes, size_t count)
{
    struct decoder decoder = {.routines = routines,
                              .routine_count = ROUTINES,
                              .latest = decoder_latest,
                              .series = decoder_series};
    decoder_begin(&decoder, bytes, count, 0, 0);
    return decoder;
}

TEST(crc32c)
{
    unsigned char text[100];
    /* RFC 3720, B.4 */
    memset(text, 0, 32);
    assert_int_equal(hash_crc32c(0, text, 32), 0x8a9136aa);
    memset(text, 0xff, 32);
    assert_int_equal(hash_crc32c(0, text, 32), 0x62a8ab43);
    assert_int_equal(hash_crc32c(0, "123456789", 9), 0xe3069283);
    for (unsigned i = 0; i < sizeof text; i++) {
        text[i] = (unsigned char)(i * 37);
        assert_int_equal(hash_crc32c(0, text, i), hash_crc32c_portable(0, text, i));
        assert_int_equal(hash_crc32c(hash_crc32c(0, text, i / 3), text + i / 3, i - i / 3),
                         hash_crc32c(0, text, i));
    }
}

TEST(numbers)
{
    for (unsigned bits = 0; bits <= 64; bits++)
        for (int less = 0; less < 2; less++) {
            uint64_t number =
                bits < 64 ? (UINT64_C(1) << bits) - (uint64_t)less : UINT64_MAX - (uint64_t)less;
            unsigned char bytes[32] = {0};
            unsigned char *end = put_number(bytes, number);
            memset(end, 0xff, (size_t)(bytes + sizeof bytes - end));
            struct input input = {bytes, end, false}, cut = {bytes, end - 1, false};
            struct input amid = {bytes, bytes + sizeof bytes, false};
            assert_int_equal(take_number(&amid), number);
            assert_ptr_equal(amid.next, end);
            assert_int_equal(take_number(&input), number);
            assert_false(input.bad);
            assert_ptr_equal(input.next, end);
            take_number(&cut);
            assert_true(cut.bad);
            assert_int_equal(unfold_sign(fold_sign((int64_t)number)), (int64_t)number);
        }
    assert_int_equal(put_number(payload, 127) - payload, 1);
    assert_int_equal(put_number(payload, 128) - payload, 2);
    assert_int_equal(put_number(payload, 16383) - payload, 2);
    assert_int_equal(fold_sign(-1), 1);
    assert_int_equal(fold_sign(1), 2);
}

TEST(texts)
{
    unsigned char bytes[40];
    struct output output = {bytes, bytes + sizeof bytes, false};
    give_text(&output, "finalize");
    give_signed(&output, INT64_MIN);
    give_real(&output, 0.1);
    struct input input = {bytes, output.next, false};
    size_t length;
    const char *text = take_text(&input, &length);
    assert_int_equal(length, 8);
    assert_memory_equal(text, "finalize", 8);
    assert_true(take_signed(&input) == INT64_MIN);
    assert_true(take_real(&input) == 0.1);
    assert_false(input.bad);
    take_word(&input);
    assert_true(input.bad);
    give_text(&output, "more than there is room for in forty bytes");
    assert_true(output.full);
}

/* An event as it was given to the encoder. */
struct event_case {
    unsigned routine, flags, n;
    uint64_t key, start, end;
    uint32_t phase;
    int64_t values[5];
};

static void check(const struct event_case *given, const struct trace_event *event, uint64_t time)
{
    unsigned i = 0;
    assert_int_equal(event->routine, given->routine);
    assert_int_equal(event->flags, given->flags);
    assert_int_equal(event->phase, given->phase);
    assert_int_equal(event->start, given->start);
    assert_int_equal(event->duration, given->end > given->start ? given->end - given->start : 0);
    assert_int_equal(event->burst, given->start >= time ? given->start - time : 0);
    for (unsigned field = 0; field < TRACE_FIELDS; field++)
        if (routines[given->routine].fields >> field & 1 && i < given->n) {
            assert_true(event->fields >> field & 1);
            assert_true(event->values[field] == given->values[i]);
            i++;
        }
    assert_int_equal(i, given->n);
}

/* Anything that an application might do: what comes out is what went in. */
static void round_trip(unsigned seed, unsigned peers, unsigned sites)
{
    static struct event_case given[4000];
    struct encoder encoder = new_encoder();
    uint64_t time = 1000000;
    size_t count = 0;
    srand(seed);
    encoder.time = 0;
    for (; count < 4000 && encoder_bytes(&encoder) < BLOCK_MOST_BYTES - EVENT_MOST_BYTES; count++) {
        struct event_case *g = &given[count];
        *g = (struct event_case){.routine = (unsigned)rand() % ROUTINES};
        g->n = (unsigned)__builtin_popcount(routines[g->routine].fields);
        if (g->routine == 1)
            g->n -= (unsigned)rand() & 1;
        g->flags = rand() % 50 == 0;
        g->phase = (uint32_t)count / 1000;
        /* Now and then the clock goes back, as between processors. */
        g->start = time + (uint64_t)(rand() % 1000) - (rand() % 97 ? 0 : 500);
        g->end = g->start + (uint64_t)(rand() % 100000) - (rand() % 89 ? 0 : 1000);
        time = g->end > g->start ? g->end : g->start;
        for (unsigned i = 0; i < g->n; i++)
            g->values[i] = rand() % 3 ? 8 * (rand() % 1000)
                           : rand() % 5
                               ? rand()
                               : (int64_t)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 62);
        g->values[0] = rand() % (int)peers;
        g->key = (uint64_t)(rand() % (int)sites) << 16 ^ (uint64_t)g->values[0];
        encode_event(&encoder, g->key, g->routine, g->start, g->end, g->phase, g->flags, g->n,
                     g->values);
        assert_int_equal(encoder_events(&encoder), count + 1);
    }
    assert_true(count > 1000);
    struct decoder decoder = new_decoder(payload, encoder_bytes(&encoder));
    time = 0;
    for (size_t i = 0; i < count; i++) {
        struct trace_event event;
        assert_null(decode_event(&decoder, &event));
        check(&given[i], &event, time);
        time = (uint64_t)(event.start + event.duration);
    }
    assert_ptr_equal(decoder.input.next, decoder.input.end);
}

TEST(round_trips)
{
    round_trip(1, 2, 3);
    round_trip(2, 64, 8);
    round_trip(3, 1000, 100); /* more series than there can be */
}

/* A loop with equal calls: code, burst and duration are all that is left. */
TEST(equal_calls_are_short)
{
    struct encoder encoder = new_encoder();
    int64_t values[] = {1, 4, 32, 1000, 2000};
    uint64_t time = 100;
    encoder.time = 100;
    for (int i = 0; i < 1000; i++, time += 150)
        encode_event(&encoder, 7, 0, time + 50, time + 150, 0, 0, 5, values);
    assert_true(encoder_bytes(&encoder) < 3 * 1000 + 60);
    /* One value that changes by a multiple of the element's size is one byte more; elements and
     * their bytes together as well. */
    encoder = new_encoder();
    encoder.time = (int64_t)(time = 100);
    for (int i = 0; i < 1000; i++, time += 150) {
        values[1] = 4 + i % 7;
        values[2] = 8 * values[1];
        values[3] += 8 * 50;
        encode_event(&encoder, 7, 0, time + 50, time + 150, 0, 0, 5, values);
    }
    assert_true(encoder_bytes(&encoder) <= 5 * 1000 + 60);
}

/* ---- Addresses become places ---- */

#define HEAP_BEGIN 0x100000
#define STATIC_BEGIN 0x900000
#define OBJECT_BYTES 0x10000

static struct range find_range(uintptr_t address)
{
    if (address >= STATIC_BEGIN && address < STATIC_BEGIN + OBJECT_BYTES)
        return (struct range){STATIC_BEGIN, OBJECT_BYTES,
                              (uint64_t)TRACE_STATIC << TRACE_OBJECT_SHIFT};
    if (address >= HEAP_BEGIN && address < HEAP_BEGIN + OBJECT_BYTES)
        return (struct range){HEAP_BEGIN, OBJECT_BYTES, (uint64_t)TRACE_HEAP << TRACE_OBJECT_SHIFT};
    uintptr_t begin = address < HEAP_BEGIN     ? 0
                      : address < STATIC_BEGIN ? HEAP_BEGIN + OBJECT_BYTES
                                               : STATIC_BEGIN + OBJECT_BYTES;
    uintptr_t end = address < HEAP_BEGIN     ? HEAP_BEGIN
                    : address < STATIC_BEGIN ? STATIC_BEGIN
                                             : UINTPTR_MAX;
    return (struct range){begin, end - begin, 0};
}

static int64_t some_address(void)
{
    static const int64_t begins[] = {HEAP_BEGIN, STATIC_BEGIN, 0x1000, 0x500000, 0x7f0000000000};
    return begins[rand() % 5] + (rand() % 4 ? 8 : 1) * (rand() % 1000);
}

static int64_t place_of(int64_t address)
{
    struct range range = find_range((uintptr_t)address);
    return range.place ? (int64_t)(range.place + ((uint64_t)address - range.begin)) : 0;
}

/* Wherever addresses lie, in whatever order, in blocks that are soon full; and time that is
 * nobody's. */
TEST(addresses)
{
    enum { CALLS = 3000, WORDS = 9 };
    static uint64_t journal[2 * CALLS * WORDS];
    static int64_t targets[CALLS], sources[CALLS];
    static uint64_t bursts[CALLS];
    struct trace_entry *entry = (struct trace_entry *)journal;
    uint64_t time = 1000, before = 1000;
    srand(4);
    for (int i = 0; i < CALLS; i++) {
        if (rand() % 20 == 0) {
            *entry = (struct trace_entry){.of = ENTRY_SKIP, .end = before = time += 500};
            entry = (struct trace_entry *)(uintptr_t)entry_after(entry);
        }
        entry->of = entry_of(0, 5, 0);
        entry->phase = 0;
        entry->caller = 0x400000 + (uint64_t)(rand() % 3) * 16;
        entry->start = time += (uint64_t)(rand() % 100);
        entry->end = time += 50;
        bursts[i] = entry->start - before;
        before = time;
        targets[i] = some_address();
        sources[i] = rand() % 2 ? some_address() : 0x7f0000000000 + 8 * i;
        memcpy(entry->values, (int64_t[]){i % 2, 1, 8, targets[i], sources[i]}, 5 * 8);
        entry = (struct trace_entry *)(uintptr_t)entry_after(entry);
    }
    struct encoder encoder = new_encoder();
    encoder.heap = find_range(HEAP_BEGIN);
    encoder.find_range = find_range;
    encoder.time = 1000;
    const struct trace_entry *next = (const struct trace_entry *)journal;
    unsigned blocks = 0, call = 0;
    while (next != entry) {
        encoder_begin(&encoder, payload);
        next = encode_entries(&encoder, next, entry, 4096);
        assert_true(encoder_bytes(&encoder) <= 4096);
        assert_int_equal(encoder.first, call);
        blocks++;
        struct decoder decoder = new_decoder(payload, encoder_bytes(&encoder));
        decoder.time = encoder.base;
        for (unsigned i = 0; i < encoder_events(&encoder); i++, call++) {
            struct trace_event event;
            assert_null(decode_event(&decoder, &event));
            assert_int_equal(event.burst, bursts[call]);
            assert_int_equal(event.duration, 50);
            assert_int_equal(event.values[TRACE_PEER], call % 2);
            assert_true(event.values[TRACE_TARGET] == place_of(targets[call]));
            assert_true(event.values[TRACE_SOURCE] == place_of(sources[call]));
        }
    }
    assert_int_equal(call, CALLS);
    assert_true(blocks > 3);
    /* Private memory is all the same: walking through it costs nothing. */
    encoder_begin(&encoder, payload);
    for (int i = 0; i < 500; i++, time += 100)
        encode_event(&encoder, 7, 0, time, time + 50, 0, 0, 5,
                     (int64_t[]){1, 1, 8, HEAP_BEGIN, 0x500000 + 8 * i});
    assert_true(encoder_bytes(&encoder) < 3 * 500 + 60);
}

/* One element, whose size the routine tells, is filled in. */
TEST(single_elements)
{
    struct encoder encoder = new_encoder();
    struct trace_event event;
    encode_event(&encoder, 1, 1, 5, 9, 0, 0, 3, (const int64_t[]){1, 8, 42});
    struct decoder decoder = new_decoder(payload, encoder_bytes(&encoder));
    assert_null(decode_event(&decoder, &event));
    assert_int_equal(event.values[TRACE_ELEMENTS], 1);
    assert_int_equal(event.values[TRACE_BYTES], 4);
    assert_int_equal(event.fields, 1 << TRACE_PEER | 1 << TRACE_ELEMENTS | 1 << TRACE_BYTES |
                                       1 << TRACE_TARGET | 1 << TRACE_VALUE);
}

/* Whatever the bytes: an answer, within bounds (sanitizers watch). */
TEST(nonsense)
{
    struct encoder encoder = new_encoder();
    struct trace_event event;
    for (int i = 0; i < 50; i++)
        encode_event(&encoder, (uint64_t)i % 3, (unsigned)i % 3, (uint64_t)i * 100,
                     (uint64_t)i * 100 + 50, 0, 0,
                     i % 3 == 0   ? 5
                     : i % 3 == 1 ? 4
                                  : 0,
                     (const int64_t[]){i, i, 8 * i, i, i});
    size_t bytes = encoder_bytes(&encoder);
    srand(1);
    for (int round = 0; round < 20000; round++) {
        unsigned char *copy = malloc(bytes);
        assert_non_null(copy);
        memcpy(copy, payload, bytes);
        for (int i = rand() % 4; i >= 0; i--)
            copy[(size_t)rand() % bytes] = (unsigned char)rand();
        struct decoder decoder = new_decoder(copy, (size_t)rand() % (bytes + 1));
        int events = 0;
        while (!decode_event(&decoder, &event)) {
            assert_true(event.routine < ROUTINES);
            assert_true(++events <= (int)bytes);
        }
        free(copy);
    }
}
