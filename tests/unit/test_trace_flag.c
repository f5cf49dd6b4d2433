/* LINK: src/trace/read/flag.c src/base/memory.c */
/* Flags that bytes overlap are found as by looking at all of them; a counter's wait ends with the
 * first write that satisfies it. */
#include <stdlib.h>

#include "trace/event.h"
#include "trace/read/flag.h"
#include "unit/unit.h"

enum { PES = 3, PLACES = 40, MOST_BYTES = 8 };

TEST(overlaps)
{
    static bool there[PES][PLACES][MOST_BYTES + 1];
    struct flag_list list = {0};
    srand(1);
    for (int i = 0; i < 200; i++) {
        int pe = rand() % (PES - 1), place = 1 + rand() % (PLACES - 1), bytes = rand() % MOST_BYTES;
        there[pe][place][bytes] = bytes > 0;
        flag_list_add(&list, pe, (uint64_t)place, (uint64_t)bytes);
    }
    flag_list_add(&list, -1, 1, 8);
    flag_list_add(&list, PES, 1, 8);
    flag_list_sort(&list, PES);
    for (int64_t pe = -1; pe <= PES; pe++)
        for (uint64_t place = 0; place < PLACES; place++)
            for (uint64_t bytes = 0; bytes <= MOST_BYTES; bytes++) {
                size_t found = 0, expected = 0, number = SIZE_MAX;
                bool known = pe >= 0 && pe < PES;
                while (flag_list_next(&list, pe, place, bytes, &number))
                    found++;
                for (uint64_t at = 0; at < PLACES && place && bytes && known; at++)
                    for (uint64_t size = 1; size <= MOST_BYTES; size++)
                        expected += there[pe][at][size] && at < place + bytes && at + size > place;
                assert_int_equal(found, expected);
                number = flag_list_find(&list, pe, place, bytes);
                assert_int_equal(number != SIZE_MAX, known && there[pe][place][bytes]);
            }
    flag_list_free(&list);
}

/* The value of the write that ends a wait, of writes from the latest on; -1: none. */
static int64_t ending(int comparison, int64_t value, const int64_t *writes, size_t count)
{
    const struct flag_condition condition = {8, comparison, true, value};
    struct flag_search search = {.condition = &condition};
    for (size_t i = 0; i < count; i++)
        if (!flag_search(&search, &writes[i], writes[i] >= 0, (uint64_t)writes[i]))
            break;
    const int64_t *found = flag_search_result(&search);
    return found ? *found : -1;
}

TEST(endings)
{
    static const int64_t counter[] = {5, 4, 3, 2, 1}, set[] = {0, 7, 0, 7};
    assert_int_equal(ending(TRACE_GREATER_EQUAL, 3, counter, 5), 3);
    assert_int_equal(ending(TRACE_EQUAL, 7, set, 4), 7);
    assert_int_equal(ending(TRACE_EQUAL, 9, set, 4), 0); /* nothing satisfies it: the last one */
    assert_int_equal(ending(TRACE_EQUAL, 9, set, 0), -1);
}
