/* What addresses lie in. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <stdlib.h>

#include "unit/unit.h"

#if SKAMPI_SHMEM
#include <sys/mman.h>

#include "trace/runtime/places.c"

/* ---- A symmetric heap of one page ---- */

static void *page;

struct tracer tracer;

void *comm_allocate(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page = memory == MAP_FAILED ? NULL : memory;
    return page;
}

void comm_free(void *memory)
{
    (void)memory; /* the heap stays */
}

static unsigned object_of(uintptr_t address)
{
    struct range range = places_range(address);
    assert_true(range_holds(&range, (int64_t)address));
    return TRACE_OBJECT(range.place);
}

TEST(test_ranges)
{
    static int variable;
    assert_int_equal(object_of(0), TRACE_PRIVATE); /* nothing is known yet */
    assert_int_equal(object_of((uintptr_t)&variable), TRACE_PRIVATE);
    places_find();
    assert_int_equal(object_of((uintptr_t)&variable), TRACE_STATIC);
    assert_int_equal(object_of((uintptr_t)page), TRACE_HEAP);
    assert_int_equal(object_of((uintptr_t)&state), TRACE_PRIVATE);
    assert_int_equal(object_of(0), TRACE_PRIVATE); /* below all that is known */
    assert_int_equal(object_of(UINTPTR_MAX - 1), TRACE_PRIVATE);
    for (size_t i = 0; i < places.count; i++) {
        assert_true(i == 0 || places.ranges[i - 1].begin <= places.ranges[i].begin);
        assert_int_not_equal(object_of(places.ranges[i].begin), TRACE_PRIVATE);
    }
}

#endif
