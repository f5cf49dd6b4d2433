/*
 * Where the buffers of each repetition are, how they cycle, and how they leave the caches.
 */
#include "engine/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "comm/comm.h"
#include "engine/watchdog.h"

#define FILL 0x55

uintptr_t buffers_align(uintptr_t address, size_t alignment)
{
    uintptr_t multiple = (address + alignment - 1) / alignment * alignment;
    return multiple % (2 * alignment) == 0 ? multiple + alignment : multiple;
}

static size_t common_multiple(size_t a, size_t b)
{
    size_t x = a, y = b;
    while (y != 0) {
        size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

size_t buffers_need(const struct settings *settings, const struct demand *demand, enum api api)
{
    size_t send = (size_t)settings->send_alignment, receive = (size_t)settings->receive_alignment;
    if (api != API_MPI)
        return demand->local;
    if (demand->local > SIZE_MAX / 8 || demand->remote > SIZE_MAX / 8)
        return SIZE_MAX;
    size_t need = demand->local + 2 * send + demand->remote + 2 * receive;
    size_t free_of_charge = 8 * common_multiple(send, receive);
    need *= settings->buffer_cycling ? 2 : 1;
    return need > free_of_charge ? need - free_of_charge : 0;
}

/* Gaps between places come on top of the buffer, up to this many bytes. Beyond that, gaps cost a
 * few of very many small places. */
#define GAPS ((size_t)4 << 10)

/* Of a block with room for every position that the alignment may ask for, and guards. */
static size_t block_bytes(size_t bytes, size_t alignment)
{
    return bytes + 4 * alignment + 2 * BUFFER_GUARD + GAPS;
}

/* Whether all PEs have the block. Those of OpenSHMEM allocate together: where some have it and
 * others do not, their heaps differ from now on, and the job ends. */
static bool all_have(const unsigned char *block, size_t bytes)
{
    int major, minor;
    int64_t have = block ? 1 : 0;
    if (!block)
        watchdog_lacking(bytes);
    comm_allreduce_int(comm_world(), COMM_SUM, &have, 1);
    if (have > 0 && have < comm_pes() && comm_has_shmem(&major, &minor))
        watchdog_end_lacking();
    watchdog_lacking(0);
    return have == comm_pes();
}

/* All PEs have the block or none has: where one has none, the others give theirs back. */
static bool provide(unsigned char **block, size_t *have, size_t need, int fill)
{
    if (*block && *have >= need)
        return true;
    comm_free(*block);
    *block = comm_allocate(need);
    *have = 0;
    if (*block)
        memset(*block, fill, need); /* before anybody can write there */
    if (!all_have(*block, need)) {
        comm_free(*block);
        *block = NULL;
        return false;
    }
    *have = need;
    return true;
}

/* Cold blocks have room for this much, so that many iterations find fresh memory. */
#define COLD_BYTES ((size_t)48 << 20)
/* Hardware fetches what follows a place, but not across pages. */
#define COLD_GAP 4096
#define LINE 64

static bool is_cold(const struct settings *settings, const struct demand *demand)
{
    return settings->cache_state == CACHE_COLD && (demand->local > 0 || demand->remote > 0);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct blocks {
    size_t local, remote, scratch; /* bytes */
};

static struct blocks blocks_of(const struct settings *settings, const struct demand *demand)
{
    size_t buffer = (size_t)settings->buffer_bytes;
    if (is_cold(settings, demand))
        buffer = larger(buffer, COLD_BYTES);
    return (struct blocks){
        .local = block_bytes(buffer, (size_t)settings->send_alignment),
        .remote = block_bytes(larger(demand->remote, buffer), (size_t)settings->receive_alignment),
        .scratch = block_bytes(demand->scratch, LINE),
    };
}

size_t buffers_bytes(const struct settings *settings, const struct demand *demand)
{
    struct blocks blocks = blocks_of(settings, demand);
    return blocks.local + blocks.remote + blocks.scratch;
}

/* What there would be after blocks have grown. */
static size_t grown(const struct buffers *buffers, const struct blocks *blocks)
{
    return larger(buffers->local_bytes, blocks->local) +
           larger(buffers->remote_bytes, blocks->remote) +
           larger(buffers->scratch_bytes, blocks->scratch);
}

bool buffers_prepare(struct buffers *buffers, const struct settings *settings,
                     const struct demand *demand, size_t limit)
{
    struct blocks blocks = blocks_of(settings, demand);
    if (limit && grown(buffers, &blocks) > limit)
        buffers_free(buffers);
    /* Larger blocks than this needs may be there from others: without them it may fit. */
    for (int attempt = 0; attempt < 2; attempt++) {
        if (provide(&buffers->local, &buffers->local_bytes, blocks.local, FILL) &&
            provide(&buffers->remote, &buffers->remote_bytes, blocks.remote, FILL) &&
            provide(&buffers->scratch, &buffers->scratch_bytes, blocks.scratch, 0))
            return true;
        buffers_free(buffers);
    }
    return false;
}

/* Places of a block: how far apart, and how many; one when the buffer does not cycle. */
static unsigned char *places(unsigned char *block, size_t have, size_t bytes, size_t alignment,
                             const struct settings *settings, bool cold, size_t *stride,
                             size_t *count)
{
    size_t unit = 2 * alignment, room = (size_t)settings->buffer_bytes;
    *stride = (bytes + (cold ? COLD_GAP : BUFFER_GUARD) + unit - 1) / unit * unit;
    bool several = bytes > 0 && (cold || settings->buffer_cycling);
    *count = 1;
    if (several && cold)
        *count = larger(1, (have - block_bytes(0, alignment)) / *stride);
    if (several && !cold) {
        size_t fit = larger(1, room / ((bytes + unit - 1) / unit * unit));
        size_t with_gaps = larger(1, (room + GAPS) / *stride);
        *count = fit < with_gaps ? fit : with_gaps;
    }
    return (unsigned char *)buffers_align((uintptr_t)block + BUFFER_GUARD, alignment);
}

void buffers_begin(struct buffers *buffers, const struct settings *settings,
                   const struct demand *demand)
{
    buffers->turn = 0;
    buffers->fixed = false;
    buffers->cold = is_cold(settings, demand);
    buffers->local_first = places(buffers->local, buffers->local_bytes, demand->local,
                                  (size_t)settings->send_alignment, settings, buffers->cold,
                                  &buffers->local_stride, &buffers->local_places);
    buffers->remote_first = places(buffers->remote, buffers->remote_bytes, demand->remote,
                                   (size_t)settings->receive_alignment, settings, buffers->cold,
                                   &buffers->remote_stride, &buffers->remote_places);
}

static unsigned char *scratch(const struct buffers *buffers)
{
    return (unsigned char *)(((uintptr_t)buffers->scratch + LINE - 1) / LINE * LINE);
}

void buffers_clear_scratch(const struct buffers *buffers, const struct demand *demand)
{
    if (demand->scratch)
        memset(scratch(buffers), 0, demand->scratch);
}

void buffers_next(struct buffers *buffers, struct run *run)
{
    buffers_at(buffers, run, buffers->turn);
    buffers->turn += !buffers->cold && !buffers->fixed;
}

void buffers_at(const struct buffers *buffers, struct run *run, size_t turn)
{
    run->local = buffers->local_first + turn % buffers->local_places * buffers->local_stride;
    run->remote = buffers->remote_first + turn % buffers->remote_places * buffers->remote_stride;
    run->scratch = scratch(buffers);
    run->local_step = buffers->cold && run->demand.local ? buffers->local_stride : 0;
    run->remote_step = buffers->cold && run->demand.remote ? buffers->remote_stride : 0;
    run->places = buffers->cold ? buffers_cold_places(buffers, &run->demand) : SIZE_MAX;
}

size_t buffers_warm_places(const struct buffers *buffers)
{
    return buffers->fixed ? 1 : larger(buffers->local_places, buffers->remote_places);
}

size_t buffers_cold_places(const struct buffers *buffers, const struct demand *demand)
{
    size_t places = SIZE_MAX;
    if (demand->local)
        places = buffers->local_places;
    if (demand->remote && buffers->remote_places < places)
        places = buffers->remote_places;
    return places;
}

size_t buffers_cache_bytes(void)
{
    static size_t found; /* of this machine */
    for (int index = 0; index < 8 && found == 0; index++) {
        char path[128], unit = 'K';
        size_t size;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", 7 - index);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        if (fscanf(file, "%zu%c", &size, &unit) >= 1)
            found = unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size << 10;
        fclose(file);
    }
    if (found == 0)
        found = (size_t)32 << 20;
    return found;
}

/* Reads and writes enough memory to leave nothing else in the caches. */
static void walk(size_t bytes)
{
    static volatile unsigned char *memory; /* kept: walking is slow enough as it is */
    static size_t have;
    if (have < bytes) {
        free((void *)(uintptr_t)memory);
        memory = calloc(bytes, 1);
        have = memory ? bytes : 0;
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < have; i += LINE)
            memory[i]++;
}

#if defined(__x86_64__)
static void flush(const unsigned char *memory, size_t bytes)
{
    for (uintptr_t line = (uintptr_t)memory / LINE * LINE; line < (uintptr_t)memory + bytes;
         line += LINE)
        _mm_clflush((const void *)line);
    _mm_mfence();
}
#endif

void buffers_flush(const struct buffers *buffers, const struct demand *demand,
                   const struct settings *settings, size_t iterations)
{
#if defined(__x86_64__)
    for (size_t i = 0; i < iterations && i < buffers->local_places; i++)
        flush(buffers->local_first + i * buffers->local_stride, demand->local);
    for (size_t i = 0; i < iterations && i < buffers->remote_places; i++)
        flush(buffers->remote_first + i * buffers->remote_stride, demand->remote);
    if (settings->cache_bytes > 0)
        walk((size_t)settings->cache_bytes);
#else
    (void)buffers;
    (void)demand;
    (void)iterations;
    walk(settings->cache_bytes > 0 ? (size_t)settings->cache_bytes : buffers_cache_bytes());
#endif
}

void buffers_free(struct buffers *buffers)
{
    comm_free(buffers->local);
    comm_free(buffers->remote);
    comm_free(buffers->scratch);
    memset(buffers, 0, sizeof *buffers);
}
