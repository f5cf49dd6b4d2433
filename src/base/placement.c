/* Allocates memory of each kind: mappings of pages, and two static objects. */
#define _GNU_SOURCE /* MAP_HUGETLB, syscall */
#include "base/placement.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE ((size_t)4096)
/* Bits of the mask that the kernel is told of: one more than it looks at. */
#define NODES (8 * sizeof(unsigned long))

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
    char text[64] = "[never]";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
        fclose(file);
    }
    return strstr(text, "[never]") != NULL;
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

void *placement_allocate(enum placement placement, size_t bytes, int node, const char **why)
{
    *why = "there is not enough memory";
    switch (placement) {
    case PLACEMENT_MALLOC:
        return malloc(bytes);
    case PLACEMENT_PAGES:
        return map_small(bytes, why);
    case PLACEMENT_HUGE:
        return map_huge(bytes, why);
    case PLACEMENT_STATIC:
        return take_object(bytes, why);
    case PLACEMENT_NODE:
        return map_on_node(bytes, node, why);
    default:
        return NULL;
    }
}

void placement_free(enum placement placement, void *memory, size_t bytes)
{
    if (placement == PLACEMENT_MALLOC)
        free(memory);
    else if (placement == PLACEMENT_STATIC && memory)
        objects_taken[memory == objects[1]] = false;
    else if (memory)
        munmap(memory, rounded(bytes, placement == PLACEMENT_HUGE ? HUGE_PAGE : PAGE));
}

bool placement_is_heap(enum placement placement)
{
    return placement == PLACEMENT_HEAP || placement == PLACEMENT_ATOMICS ||
           placement == PLACEMENT_SIGNAL;
}

bool placement_is_symmetric(enum placement placement)
{
    return placement_is_heap(placement) || placement == PLACEMENT_STATIC;
}
