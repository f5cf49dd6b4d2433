/* Random numbers: the same for the same seed, evenly spread, every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/random.h"

/* The first numbers of the reference implementation for this seed. */
static void known(void **state)
{
    (void)state;
    uint64_t seed = 1234567;
    assert_true(random_next(&seed) == 6457827717110365317u);
    assert_true(random_next(&seed) == 3203168211198807973u);
}

static void ranges(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int counts[6] = {0};
    for (int i = 0; i < 6000; i++) {
        uint64_t drawn = random_up_to(&seed, 5);
        assert_true(drawn <= 5);
        counts[drawn]++;
        double share = random_share(&seed);
        assert_true(share >= 0 && share < 1);
    }
    for (int i = 0; i < 6; i++)
        assert_true(counts[i] > 850 && counts[i] < 1150);
    assert_true(random_up_to(&seed, 0) == 0);
}

static void orders(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int counts[6] = {0};
    for (int i = 0; i < 6000; i++) {
        size_t order[3];
        random_order(&seed, order, 3);
        assert_true(order[0] != order[1] && order[1] != order[2] && order[0] != order[2]);
        assert_true(order[0] < 3 && order[1] < 3 && order[2] < 3);
        counts[order[0] * 2 + (order[1] > order[2])]++;
    }
    for (int i = 0; i < 6; i++)
        assert_true(counts[i] > 850 && counts[i] < 1150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(ranges),
        cmocka_unit_test(orders),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
