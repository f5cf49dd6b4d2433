/* Random numbers are the same for the same seed and evenly spread, and every order comes. */

#include "stats/random.h"
#include "unit/unit.h"

/* The first numbers of the reference implementation for this seed. */
TEST(known)
{
    uint64_t seed = 1234567;
    assert_true(random_next(&seed) == 6457827717110365317u);
    assert_true(random_next(&seed) == 3203168211198807973u);
}

TEST(ranges)
{
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

TEST(orders)
{
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

/* Whatever is in the array stays in it. */
TEST(shuffled)
{
    uint64_t seed = 7;
    int counts[6] = {0};
    for (int i = 0; i < 6000; i++) {
        size_t items[] = {40, 50, 60};
        random_shuffle(&seed, items, 3);
        assert_int_equal(items[0] + items[1] + items[2], 150);
        assert_true(items[0] != items[1] && items[1] != items[2] && items[0] != items[2]);
        assert_true(items[0] % 10 == 0 && items[0] >= 40 && items[0] <= 60);
        counts[(items[0] / 10 - 4) * 2 + (items[1] > items[2])]++;
    }
    for (int i = 0; i < 6; i++)
        assert_true(counts[i] > 850 && counts[i] < 1150);
    random_shuffle(&seed, NULL, 0);
}
