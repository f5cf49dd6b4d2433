/* What addresses lie in; numbers of handles, also of more than there is room for. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <stdlib.h>

#include "unit/unit.h"

#if SKAMPI_SHMEM
#include <pthread.h>
#include <sys/mman.h>

#include "trace/runtime/handles.c"
#include "trace/runtime/places.c"

/* ---- A symmetric heap of one page ---- */

static void *page;

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

/* ---- Handles ---- */

#define ROUNDS 20000

static char handles[HANDLES + 1];

/* There is no room for it, each time. */
static void *add_one_more(void *end)
{
    while (!atomic_load((atomic_bool *)end))
        trace_handle_add(TRACE_TEAM_HANDLE, &handles[HANDLES]);
    return NULL;
}

TEST(test_handles)
{
    for (int i = 0; i < HANDLES; i++)
        trace_handle_add(TRACE_TEAM_HANDLE, &handles[i]);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[0]), 1);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[HANDLES - 1]), HANDLES);
    assert_int_equal(trace_handle_number(TRACE_CONTEXT_HANDLE, &handles[0]), -1);
    /* Used again, with or without room for others. */
    trace_handle_add(TRACE_TEAM_HANDLE, &handles[7]);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[7]), HANDLES + 1);

    /* Behind the handles of the table lies the first number, which is 1. */
    atomic_bool end = false;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, add_one_more, &end), 0);
    size_t found = 0;
    for (int i = 0; i < ROUNDS; i++)
        found += trace_handle_number(TRACE_TEAM_HANDLE, (const void *)1) != -1;
    atomic_store(&end, true);
    pthread_join(other, NULL);
    assert_int_equal(found, 0);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[HANDLES]), -1);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[0]), 1);
}

#endif
