/* Arrays that grow. */
#include <stdlib.h>

#include "base/memory.h"
#include "unit/unit.h"

TEST(appends_one_by_one)
{
    int *numbers = NULL;
    size_t count = 0;
    for (int i = 0; i < 100; i++)
        memory_append(numbers, count, i);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

TEST(extends_with_zeros)
{
    int *numbers = NULL;
    size_t room = 0;
    memory_extend(numbers, 1000, &room);
    assert_true(room > 1000);
    for (size_t i = 0; i < room; i++)
        assert_int_equal(numbers[i], 0);
    const size_t before = room;
    memory_extend(numbers, room - 1, &room);
    assert_int_equal(room, before);
    free(numbers);
}

TEST(makes_the_element_that_is_asked_for)
{
    int *numbers = NULL;
    size_t room = 0;
    for (int i = 99; i >= 0; i--)
        *memory_element(numbers, i, &room) = i;
    for (int i = 0; i < 100; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

TEST(pushes_with_room_for_more)
{
    struct pair {
        int number;
        double square;
    } *pairs = NULL;
    size_t count = 0, room = 0, moves = 0;
    for (int i = 0; i < 1000; i++) {
        const size_t before = room;
        memory_push(pairs, count, &room, (struct pair){i, (double)i * i});
        moves += room != before;
    }
    assert_int_equal(count, 1000);
    assert_true(moves < 20);
    for (int i = 0; i < 1000; i++)
        assert_true(pairs[i].number == i && pairs[i].square == (double)i * i);
    free(pairs);
}
