/*
 * Which memory the buffers have, where they are in each repetition, how they cycle, and how they
 * leave the caches.
 */
#define _GNU_SOURCE /* MAP_HUGETLB, syscall */
#include "engine/buffers.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "base/process.h"
#include "comm/comm.h"
#include "engine/watchdog.h"

#define FILL 0x55
#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE ((size_t)4096)
/* Bits of the mask that the kernel is told of: one more than it looks at. */
#define NODES (8 * sizeof(unsigned long))

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

size_t buffers_need(const struct run *run)
{
    const struct settings *settings = run->settings;
    const struct demand *demand = &run->demand;
    size_t send = (size_t)settings->send_alignment, receive = (size_t)settings->receive_alignment;
    if (run->function->api != API_MPI)
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
static size_t block_bytes(size_t bytes, int64_t alignment, int64_t offset)
{
    return bytes + 4 * (size_t)alignment + (size_t)offset + 2 * BUFFER_GUARD + GAPS;
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

/* ---- The kinds of memory that programs have ---- */

/* Whether it is the symmetric heap, with hints or without. */
static bool is_heap(enum placement placement)
{
    return placement == PLACEMENT_HEAP || placement == PLACEMENT_ATOMICS ||
           placement == PLACEMENT_SIGNAL;
}

/* Whether every PE has it at one address or offset, as OpenSHMEM wants it. */
static bool is_symmetric(enum placement placement)
{
    return is_heap(placement) || placement == PLACEMENT_STATIC;
}

static _Alignas(4096) unsigned char objects[2][PLACEMENT_STATIC_BYTES];
static bool objects_taken[2];

static void *take_object(size_t bytes, const char **why)
{
    *why = "the static objects have 4 MiB each: make the buffer smaller (set_skampi_buffer)";
    for (int i = 0; bytes <= PLACEMENT_STATIC_BYTES && i < 2; i++)
        if (!objects_taken[i]) {
            objects_taken[i] = true;
            return objects[i];
        }
    return NULL;
}

static void *map(size_t bytes, int flags)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t rounded(size_t bytes, size_t page)
{
    return (bytes + page - 1) / page * page;
}

static void *map_small(size_t bytes, const char **why)
{
    *why = "there is not enough memory";
    void *memory = map(rounded(bytes, PAGE), 0);
    if (memory)
        madvise(memory, rounded(bytes, PAGE), MADV_NOHUGEPAGE);
    return memory;
}

static bool transparent_pages_are_off(void)
{
    char text[64];
    process_read_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    return !text[0] || strstr(text, "[never]");
}

/* Huge pages that nobody has reserved begin at a multiple of their size. The caller's length is
 * that of the aligned part: what is before it goes back at once. */
static void *map_transparent(size_t bytes)
{
    unsigned char *memory = map(bytes + HUGE_PAGE, 0);
    if (!memory)
        return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + bytes, HUGE_PAGE - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE);
    return memory + before;
}

static void *map_huge(size_t bytes, const char **why)
{
    bytes = rounded(bytes, HUGE_PAGE);
    *why = "there are no huge pages: reserve some (vm.nr_hugepages), or allow transparent ones";
    void *memory = map(bytes, MAP_HUGETLB);
    if (memory || transparent_pages_are_off())
        return memory;
    return map_transparent(bytes);
}

static void *map_on_node(size_t bytes, int node, const char **why)
{
    unsigned long mask[2] = {0};
    void *memory = map_small(bytes, why);
    if (!memory)
        return NULL;
    *why = "there is no such NUMA node, or this process may not use it";
    mask[(size_t)node / NODES] = 1UL << (size_t)node % NODES;
    if (syscall(SYS_mbind, memory, rounded(bytes, PAGE), MPOL_BIND, mask, 2 * NODES, 0) == 0)
        return memory;
    if (errno == ENOSYS || errno == EPERM)
        *why = "the system does not let this process choose a NUMA node";
    munmap(memory, rounded(bytes, PAGE));
    return NULL;
}

/* The memory of a block, of these bytes. NULL where there is none: *why is then a text that nobody
 * frees, "" where the heap has none. */
static unsigned char *take(const struct buffer_block *block, size_t bytes, const char **why)
{
    *why = is_heap(block->placement) ? "" : "there is not enough memory";
    switch (block->placement) {
    case PLACEMENT_HEAP:
        return comm_allocate(bytes);
    case PLACEMENT_ATOMICS:
        return comm_allocate_hinted(bytes, COMM_HINT_ATOMICS);
    case PLACEMENT_SIGNAL:
        return comm_allocate_hinted(bytes, COMM_HINT_SIGNAL);
    case PLACEMENT_MPI:
        *why = "MPI_Alloc_mem() has no memory";
        return comm_mpi_allocate(bytes);
    case PLACEMENT_MALLOC:
        return malloc(bytes);
    case PLACEMENT_PAGES:
        return map_small(bytes, why);
    case PLACEMENT_HUGE:
        return map_huge(bytes, why);
    case PLACEMENT_STATIC:
        return take_object(bytes, why);
    case PLACEMENT_NODE:
        return map_on_node(bytes, block->node, why);
    default:
        return NULL;
    }
}

static void give_back(struct buffer_block *block)
{
    enum placement placement = block->placement;
    if (placement == PLACEMENT_HEAP)
        comm_free(block->memory);
    else if (is_heap(placement))
        comm_free_hinted(block->memory);
    else if (placement == PLACEMENT_MPI)
        comm_mpi_free(block->memory);
    else if (placement == PLACEMENT_MALLOC)
        free(block->memory);
    else if (placement == PLACEMENT_STATIC && block->memory)
        objects_taken[block->memory == objects[1]] = false;
    else if (block->memory)
        munmap(block->memory,
               rounded(block->bytes, placement == PLACEMENT_HUGE ? HUGE_PAGE : PAGE));
    block->memory = NULL;
    block->bytes = 0;
}

/* ---- Blocks ---- */

/* Whether the block serves as one of these bytes, placed so. What malloc() returns depends on the
 * size that it was asked for. */
static bool serves(const struct buffer_block *block, const struct buffer_block *wanted)
{
    bool exact = wanted->placement == PLACEMENT_MALLOC;
    return block->memory && block->placement == wanted->placement && block->node == wanted->node &&
           (exact ? block->bytes == wanted->bytes : block->bytes >= wanted->bytes);
}

/* All PEs have the block or none has: where one has none, the others give theirs back. Returns
 * NULL, or why there is none. */
static const char *provide(struct buffer_block *block, const struct buffer_block *wanted, int fill)
{
    const char *why;
    if (serves(block, wanted))
        return NULL;
    give_back(block);
    *block = *wanted;
    block->memory = take(wanted, wanted->bytes, &why);
    if (block->memory)
        memset(block->memory, fill, block->bytes); /* before anybody can write there */
    if (all_have(block->memory, block->bytes))
        return NULL;
    if (block->memory && !is_heap(wanted->placement))
        why = "another PE has no such memory";
    give_back(block);
    return why;
}

/* Cold blocks have room for this much, so that many iterations find fresh memory. */
#define COLD_BYTES ((size_t)48 << 20)
/* Hardware fetches what follows a place, but not across pages. */
#define COLD_GAP 4096
#define LINE 64

/* ---- What the settings ask for ---- */

static enum placement source_placement(const struct settings *settings)
{
    enum placement placement = settings->source_placement;
    return placement == PLACEMENT_DEFAULT ? PLACEMENT_HEAP : placement;
}

/* What other PEs reach by OpenSHMEM lies in symmetric memory. */
static enum placement target_placement(const struct run *run)
{
    enum placement source = source_placement(run->settings);
    if (run->settings->target_placement != PLACEMENT_DEFAULT)
        return run->settings->target_placement;
    return run->function->api != API_OPENSHMEM || is_symmetric(source) ? source : PLACEMENT_HEAP;
}

const char *buffers_refusal(const struct run *run)
{
    const struct demand *demand = &run->demand;
    enum placement source = source_placement(run->settings), target = target_placement(run);
    bool shmem = run->function->api == API_OPENSHMEM;
    if (demand->local == 0)
        source = PLACEMENT_HEAP;
    if (demand->remote == 0)
        target = PLACEMENT_HEAP;
    if (shmem && !is_symmetric(target))
        return "OpenSHMEM reaches other PEs in symmetric memory only: place the target in \"heap\" "
               "or \"static\" (set_buffer_placement)";
    if (shmem && !run->function->local_anywhere && !is_symmetric(source))
        return "the routine wants its source in symmetric memory: place it in \"heap\" or "
               "\"static\" (set_buffer_placement)";
    bool hinted = (source != PLACEMENT_HEAP && is_heap(source)) ||
                  (target != PLACEMENT_HEAP && is_heap(target));
    if (hinted && !comm_has_hints())
        return "the library has no shmem_malloc_with_hints (OpenSHMEM 1.5): place the buffer in "
               "\"heap\" (set_buffer_placement)";
    bool by_malloc = source == PLACEMENT_MALLOC || target == PLACEMENT_MALLOC;
    if (by_malloc && run->settings->cache_state == CACHE_COLD)
        return "buffers by malloc() have one place, and cold caches need many: use \"pages\" "
               "(set_buffer_placement)";
    bool by_mpi = source == PLACEMENT_MPI || target == PLACEMENT_MPI;
    return by_mpi ? comm_mpi_unusable() : NULL;
}

static bool is_cold(const struct run *run)
{
    return run->settings->cache_state == CACHE_COLD &&
           (run->demand.local > 0 || run->demand.remote > 0);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct blocks {
    struct buffer_block local, remote, scratch; /* without memory */
};

/* A buffer as malloc() would return it to a program that asks for it alone. */
static size_t alone(size_t bytes)
{
    return bytes + 2 * BUFFER_GUARD;
}

static struct blocks blocks_of(const struct run *run)
{
    const struct settings *settings = run->settings;
    const struct demand *demand = &run->demand;
    size_t buffer = (size_t)settings->buffer_bytes;
    if (is_cold(run))
        buffer = larger(buffer, COLD_BYTES);
    struct blocks blocks = {
        .local = {.bytes = block_bytes(buffer, settings->send_alignment, settings->send_offset),
                  .placement = source_placement(settings),
                  .node = settings->placement_node},
        .remote = {.bytes = block_bytes(larger(demand->remote, buffer), settings->receive_alignment,
                                        settings->receive_offset),
                   .placement = target_placement(run),
                   .node = settings->placement_node},
        .scratch = {.bytes = block_bytes(demand->scratch, LINE, 0), .placement = PLACEMENT_HEAP},
    };
    if (blocks.local.placement == PLACEMENT_MALLOC)
        blocks.local.bytes = alone(demand->local);
    if (blocks.remote.placement == PLACEMENT_MALLOC)
        blocks.remote.bytes = alone(demand->remote);
    return blocks;
}

size_t buffers_bytes(const struct run *run)
{
    struct blocks blocks = blocks_of(run);
    return blocks.local.bytes + blocks.remote.bytes + blocks.scratch.bytes;
}

/* Two calls of malloc() in a row are what a program makes: nothing is freed in between. */
static void make_room(struct buffers *buffers, const struct blocks *blocks)
{
    if (serves(&buffers->local, &blocks->local) && serves(&buffers->remote, &blocks->remote))
        return;
    give_back(&buffers->local);
    give_back(&buffers->remote);
}

const char *buffers_prepare(struct buffers *buffers, const struct run *run, size_t limit)
{
    struct blocks blocks = blocks_of(run);
    const char *why = NULL;
    size_t grown = larger(buffers->local.bytes, blocks.local.bytes) +
                   larger(buffers->remote.bytes, blocks.remote.bytes) +
                   larger(buffers->scratch.bytes, blocks.scratch.bytes);
    if (limit && grown > limit)
        buffers_free(buffers);
    if (blocks.local.placement == PLACEMENT_MALLOC || blocks.remote.placement == PLACEMENT_MALLOC)
        make_room(buffers, &blocks);
    /* Larger blocks than this needs may be there from others: without them it may fit. */
    for (int attempt = 0; attempt < 2; attempt++) {
        why = provide(&buffers->local, &blocks.local, FILL);
        if (!why)
            why = provide(&buffers->remote, &blocks.remote, FILL);
        if (!why)
            why = provide(&buffers->scratch, &blocks.scratch, 0);
        if (!why)
            return NULL;
        buffers_free(buffers);
    }
    return why;
}

/* Lays out the places of a block; one when the buffer does not cycle. */
static void lay_out(struct buffer_block *block, size_t bytes, int64_t alignment, int64_t offset,
                    const struct settings *settings, bool cold)
{
    size_t unit = 2 * (size_t)alignment, room = (size_t)settings->buffer_bytes;
    bool several = bytes > 0 && (cold || settings->buffer_cycling);
    block->stride = (bytes + (cold ? COLD_GAP : BUFFER_GUARD) + unit - 1) / unit * unit;
    block->places = 1;
    block->first = block->memory + BUFFER_GUARD;
    if (block->placement == PLACEMENT_MALLOC)
        return;
    block->first =
        (unsigned char *)buffers_align((uintptr_t)block->first, (size_t)alignment) + offset;
    if (several && cold)
        block->places =
            larger(1, (block->bytes - block_bytes(0, alignment, offset)) / block->stride);
    if (several && !cold) {
        size_t fit = larger(1, room / ((bytes + unit - 1) / unit * unit));
        size_t with_gaps = larger(1, (room + GAPS) / block->stride);
        block->places = fit < with_gaps ? fit : with_gaps;
    }
}

void buffers_begin(struct buffers *buffers, const struct run *run)
{
    const struct settings *settings = run->settings;
    buffers->turn = 0;
    buffers->fixed = run->function->one_place;
    buffers->cold = is_cold(run);
    lay_out(&buffers->local, run->demand.local, settings->send_alignment, settings->send_offset,
            settings, buffers->cold);
    lay_out(&buffers->remote, run->demand.remote, settings->receive_alignment,
            settings->receive_offset, settings, buffers->cold);
    buffers->scratch.first =
        (unsigned char *)(((uintptr_t)buffers->scratch.memory + LINE - 1) / LINE * LINE);
}

void buffers_next(struct buffers *buffers, struct run *run)
{
    buffers_at(buffers, run, buffers->turn);
    buffers->turn += !buffers->cold && !buffers->fixed;
}

void buffers_at(const struct buffers *buffers, struct run *run, size_t turn)
{
    run->local = buffers->local.first + turn % buffers->local.places * buffers->local.stride;
    run->remote = buffers->remote.first + turn % buffers->remote.places * buffers->remote.stride;
    run->scratch = buffers->scratch.first;
    run->local_step = buffers->cold && run->demand.local ? buffers->local.stride : 0;
    run->remote_step = buffers->cold && run->demand.remote ? buffers->remote.stride : 0;
    run->places = buffers->cold ? buffers_cold_places(buffers, &run->demand) : SIZE_MAX;
}

size_t buffers_warm_places(const struct buffers *buffers)
{
    return buffers->fixed ? 1 : larger(buffers->local.places, buffers->remote.places);
}

size_t buffers_cold_places(const struct buffers *buffers, const struct demand *demand)
{
    size_t places = SIZE_MAX;
    if (demand->local)
        places = buffers->local.places;
    if (demand->remote && buffers->remote.places < places)
        places = buffers->remote.places;
    return places;
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
#else
/* The last-level cache of this machine in bytes; 32 MiB when it is unknown. */
static size_t cache_bytes(void)
{
    static size_t found; /* of this machine */
    for (int index = 0; index < 8 && found == 0; index++) {
        char path[128], text[32], unit = 'K';
        size_t size;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", 7 - index);
        process_read_line(path, text, sizeof text);
        if (sscanf(text, "%zu%c", &size, &unit) >= 1)
            found = unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size << 10;
    }
    if (found == 0)
        found = (size_t)32 << 20;
    return found;
}
#endif

void buffers_flush(const struct buffers *buffers, const struct run *run, size_t iterations)
{
    size_t caches = (size_t)run->settings->cache_bytes;
#if defined(__x86_64__)
    for (size_t i = 0; i < iterations && i < buffers->local.places; i++)
        flush(buffers->local.first + i * buffers->local.stride, run->demand.local);
    for (size_t i = 0; i < iterations && i < buffers->remote.places; i++)
        flush(buffers->remote.first + i * buffers->remote.stride, run->demand.remote);
    if (caches > 0)
        walk(caches);
#else
    (void)buffers;
    (void)iterations;
    walk(caches > 0 ? caches : cache_bytes());
#endif
}

void buffers_free(struct buffers *buffers)
{
    give_back(&buffers->local);
    give_back(&buffers->remote);
    give_back(&buffers->scratch);
    memset(buffers, 0, sizeof *buffers);
}
