/*
 * Writes large traces of a known pattern, for tests and the bench of shmemsim:
 *
 *     synthetic_traces FOLDER PATTERN PES ROUNDS [BYTES]
 *
 * One file a PE. All bursts are 1 us, and calls take 100 ns. Patterns:
 *
 *   mix      each round: put to the next PE, get from the one before, put to one farther away,
 *            quiet; every fourth round a barrier
 *   ring     each round: wait for the PE before (except PE 0 in the first), put 8 bytes to the next
 *   atomics  each round: fetching add on PE 0
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "support/stub/encode_event.h"

#define BIT(field) (UINT32_C(1) << (field))
#define TRANSFER                                                                                   \
    (BIT(TRACE_PEER) | BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) |                \
     BIT(TRACE_SOURCE))
#define HEAP (INT64_C(1) << 48)
#define BURST 1000 /* ns */
#define DURATION 100

enum { INIT, FINALIZE, PUT, GET, QUIET, BARRIER, FLAG, WAIT, ADD, ROUTINES };
static const struct trace_routine routines[ROUTINES] = {
    [INIT] = {"shmem_init", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    [FINALIZE] = {"shmem_finalize", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    [PUT] = {"shmem_putmem", TRACE_PUT, TRACE_SIGNED, 1, TRANSFER},
    [GET] = {"shmem_getmem", TRACE_GET, TRACE_SIGNED, 1, TRANSFER},
    [QUIET] = {"shmem_quiet", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
    [BARRIER] = {"shmem_barrier_all", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0,
                 BIT(TRACE_SET_START) | BIT(TRACE_SET_STRIDE) | BIT(TRACE_SET_SIZE)},
    [FLAG] = {"shmem_long_p", TRACE_PUT, TRACE_SIGNED, 8,
              BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE)},
    [WAIT] = {"shmem_long_wait_until", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 8,
              BIT(TRACE_TARGET) | BIT(TRACE_COMPARISON) | BIT(TRACE_VALUE)},
    [ADD] = {"shmem_long_atomic_fetch_add", TRACE_ATOMIC, TRACE_SIGNED, 8,
             BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE) | BIT(TRACE_RESULT)},
};

static FILE *file;
static int64_t now, block_base;
static uint64_t events, block_first;
static struct encoder encoder;
static unsigned char payload[BLOCK_MOST_BYTES];

static void fail(const char *text)
{
    fprintf(stderr, "synthetic_traces: %s\n", text);
    exit(1);
}

static void put(const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, file) != bytes)
        fail("cannot write");
}

static void flush(void)
{
    struct block_head head = {.magic = BLOCK_MAGIC,
                              .bytes = encoder_bytes(&encoder),
                              .kind = BLOCK_EVENTS,
                              .records = encoder_events(&encoder),
                              .first = block_first,
                              .base = block_base};
    size_t before = offsetof(struct block_head, bytes);
    head.checksum =
        checksum(checksum(0, (char *)&head + before, sizeof head - before), payload, head.bytes);
    put(&head, sizeof head);
    put(payload, head.bytes);
    block_first = events;
    block_base = encoder.time;
    encoder_begin(&encoder, payload);
}

static void add(unsigned routine, unsigned flags, unsigned n, const int64_t *values)
{
    if (encoder_bytes(&encoder) + EVENT_MOST_BYTES > 65536)
        flush();
    now += BURST;
    encode_event(&encoder, routine, routine, (uint64_t)now, (uint64_t)(now + DURATION), 0, flags, n,
                 values);
    now += DURATION;
    events++;
}

static void add_transfer(unsigned routine, int64_t peer, int64_t bytes)
{
    const int64_t values[] = {peer, bytes, bytes, routine == PUT ? HEAP + 64 : 0,
                              routine == PUT ? 0 : HEAP + 64};
    add(routine, 0, 5, values);
}

static void mix(int64_t pe, int64_t pes, long rounds, int64_t bytes)
{
    const int64_t all[] = {0, 1, pes};
    for (long i = 0; i < rounds; i++) {
        add_transfer(PUT, (pe + 1) % pes, bytes);
        add_transfer(GET, (pe + pes - 1) % pes, bytes);
        add_transfer(PUT, (pe + 1 + i * 7 % 61) % pes, bytes);
        add(QUIET, 0, 0, NULL);
        if (i % 4 == 3)
            add(BARRIER, 0, 3, all);
    }
}

/* Times of the trace follow the message: the wait of a PE ends after the write for it has begun. */
static void ring(int64_t pe, int64_t pes, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        const int64_t flag[] = {(pe + 1) % pes, HEAP + 8, i + 1 + (pe == pes - 1)};
        const int64_t wait[] = {HEAP + 8, 5, i + (pe > 0)};
        now = (i * pes + pe) * 10 * BURST + 10 * BURST;
        if (pe > 0 || i > 0)
            add(WAIT, 0, 3, wait);
        add(FLAG, 0, 3, flag);
    }
    now = (rounds + 1) * pes * 10 * BURST;
}

static void atomics(long rounds)
{
    const int64_t values[] = {0, HEAP + 8, 1};
    for (long i = 0; i < rounds; i++)
        add(ADD, 0, 3, values);
}

static void describe(int pe, int pes)
{
    static unsigned char bytes[4096], ending[FORMAT_ENDING_BYTES];
    struct output out = {bytes, bytes + sizeof bytes, false};
    const char *texts[] = {"node", "./synthetic", "OpenSHMEM 1.4", "0", "2026-01-31T12:00:00Z"};
    give_number(&out, (uint64_t)pe);
    give_number(&out, (uint64_t)pes);
    for (size_t i = 0; i < 5; i++)
        give_text(&out, texts[i]);
    give_number(&out, 0);
    give_text(&out, "made");
    give_real(&out, 1e9);
    give_signed(&out, 0);
    give_number(&out, 1);
    give_signed(&out, 0);
    give_signed(&out, 0);
    give_real(&out, 1);
    give_real(&out, 1e-7);
    give_number(&out, 0);
    give_number(&out, 2);
    give_text(&out, "private");
    give_text(&out, "heap");
    give_number(&out, ROUTINES);
    for (size_t i = 0; i < ROUTINES; i++) {
        give_text(&out, routines[i].name);
        give_number(&out, (uint64_t)routines[i].class);
        give_number(&out, (uint64_t)routines[i].type);
        give_number(&out, routines[i].element_bytes);
        give_number(&out, routines[i].fields);
    }
    give_text(&out, "");
    give_real(&out, 0);
    give_real(&out, 0);
    struct format_head head = {.magic = FORMAT_MAGIC, .version = FORMAT_VERSION};
    head.description_bytes = (uint32_t)(out.next - bytes);
    head.checksum = checksum(checksum(0, &head.version, 8), bytes, head.description_bytes);
    put(&head, sizeof head);
    put(bytes, head.description_bytes);
    put(ending, sizeof ending);
}

static void end(long at)
{
    unsigned char bytes[FORMAT_ENDING_BYTES] = {0};
    struct output out = {bytes + sizeof(uint32_t), bytes + sizeof bytes, false};
    give_text(&out, "finalize");
    give_number(&out, events);
    give_number(&out, 0);
    give_number(&out, 1);
    give_number(&out, 0);
    give_signed(&out, 0);
    give_signed(&out, 0);
    give_real(&out, 1e-7);
    uint32_t sum = checksum(0, bytes + sizeof sum, sizeof bytes - sizeof sum);
    memcpy(bytes, &sum, sizeof sum);
    if (fseek(file, at - (long)sizeof bytes, SEEK_SET))
        fail("cannot seek");
    put(bytes, sizeof bytes);
}

int main(int argc, char **argv)
{
    static struct series_kind kinds[ROUTINES];
    static uint16_t latest[ROUTINES];
    static struct series series[SERIES_MOST];
    char path[4096];
    if (argc < 5)
        fail("FOLDER PATTERN PES ROUNDS [BYTES]");
    int pes = atoi(argv[3]);
    long rounds = atol(argv[4]);
    int64_t bytes = argc > 5 ? atoll(argv[5]) : 1024;
    for (size_t i = 0; i < ROUTINES; i++)
        kinds[i] = series_kind(&routines[i]);
    for (int pe = 0; pe < pes; pe++) {
        snprintf(path, sizeof path, "%s/" FORMAT_NAME, argv[1], pe);
        file = fopen(path, "w");
        if (!file)
            fail("cannot create a file");
        describe(pe, pes);
        long at = ftell(file);
        encoder = (struct encoder){
            .kinds = kinds, .latest = latest, .series = series, .routines = ROUTINES};
        now = block_base = 0;
        events = block_first = 0;
        encoder_begin(&encoder, payload);
        add(INIT, 0, 0, NULL);
        if (strcmp(argv[2], "mix") == 0)
            mix(pe, pes, rounds, bytes);
        else if (strcmp(argv[2], "ring") == 0)
            ring(pe, pes, rounds);
        else if (strcmp(argv[2], "atomics") == 0)
            atomics(rounds);
        else
            fail("there are mix, ring and atomics");
        add(FINALIZE, TRACE_IMPLICIT_BARRIER, 0, NULL);
        flush();
        end(at);
        if (fclose(file))
            fail("cannot write");
    }
    return 0;
}
