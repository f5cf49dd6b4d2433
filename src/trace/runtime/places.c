/* Finds the objects of the program in memory, and the object in which an address lies. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "trace/runtime/tracer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"

#define PAGE 4096
#define RANGES 1024  /* writable segments of the program and its libraries */
#define OBJECTS 1024 /* of which there are names */

static struct {
    struct range ranges[RANGES]; /* sorted */
    size_t count;
    char *names[OBJECTS];
    size_t objects;
    struct range heap;
    uintptr_t own; /* of this library, whose data is nobody's business */
} places = {.names = {"private", "heap", "static"}, .objects = TRACE_LIBRARY};

/* The mapping of memory that an address lies in. Allocations begin at the same distance from its
 * beginning on all PEs. */
static void find_heap(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4200];
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 && address >= begin &&
            address < end) {
            places.heap =
                (struct range){begin, end - begin, (uint64_t)TRACE_HEAP << TRACE_OBJECT_SHIFT};
        }
    }
    if (maps)
        fclose(maps);
}

static void add_ranges(const struct dl_phdr_info *info, uint64_t object)
{
    uintptr_t first = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W) || places.count == RANGES)
            continue;
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (!first)
            first = begin;
        places.ranges[places.count++] = (struct range){
            begin, segment->p_memsz, object << TRACE_OBJECT_SHIFT | (uint64_t)(begin - first)};
    }
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    size_t *seen = context;
    (void)size;
    if ((*seen)++ == 0) {
        add_ranges(info, TRACE_STATIC);
        return 0;
    }
    if (!info->dlpi_name[0] || info->dlpi_addr == places.own || places.objects == OBJECTS)
        return 0;
    char *name = memory_text(info->dlpi_name);
    add_ranges(info, places.objects);
    places.names[places.objects++] = name;
    return 0;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void places_find(void)
{
    Dl_info own;
    size_t seen = 0;
    void *page = comm_allocate(PAGE);
    if (page)
        find_heap((uintptr_t)page);
    comm_free(page);
    if (places.heap.bytes)
        places.ranges[places.count++] = places.heap;
    if (dladdr(&places, &own))
        places.own = (uintptr_t)own.dli_fbase;
    dl_iterate_phdr(add_object, &seen);
    tracer.info.objects = places.objects;
    tracer.info.object_names = (const char *const *)places.names;
    qsort(places.ranges, places.count, sizeof *places.ranges, compare_ranges);
}

struct range places_heap(void)
{
    return places.heap;
}

struct range places_range(uintptr_t address)
{
    size_t low = 0, high = places.count; /* ranges before low begin at or below, from high above */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places.ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct range *below = low > 0 ? &places.ranges[low - 1] : NULL;
    if (below && range_holds(below, (int64_t)address))
        return *below;
    uintptr_t begin = below ? below->begin + below->bytes : 0;
    return (struct range){begin,
                          (low < places.count ? places.ranges[low].begin : UINTPTR_MAX) - begin, 0};
}
