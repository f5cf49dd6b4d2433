/* PEs are told apart by where they run, on machines that are made up. */
#include <stdlib.h>
#include <string.h>

#include "base/location.h"
#include "unit/unit.h"

/* Each node: two packages of four cores with two threads; thread 2 of a core is processor core + 8.
 * Two cores share an L2. */
enum { NODES = 2, PES = 200 };
static struct location_node nodes[NODES];
static struct location_pe pes[PES];
static int node_of[PES];

static int make_machine(void **state)
{
    memset(nodes, -1, sizeof nodes);
    memset(pes, 0, sizeof pes);
    memset(node_of, 0, sizeof node_of);
    for (int n = 0; n < NODES; n++)
        for (int i = 0; i < 16; i++) {
            int16_t *part = nodes[n].part[i];
            part[LOCATION_CORE] = (int16_t)(i % 8);
            part[LOCATION_L2] = (int16_t)(i % 8 / 2);
            part[LOCATION_PACKAGE] = part[LOCATION_NUMA_NODE] = part[LOCATION_L3] = i % 8 / 4;
        }
    return 0;
}

static void allow(int pe, int from, int to)
{
    pes[pe].ran_on = from;
    for (int i = from; i <= to; i++)
        pes[pe].may_use[i / 64] |= UINT64_C(1) << i % 64;
}

static struct location_group *groups_of(int count, size_t *groups)
{
    int unlisted;
    struct location_group *found = location_groups(pes, node_of, count, nodes, groups, &unlisted);
    assert_int_equal(unlisted, 0);
    return found;
}

TEST_WITH(check_bound, make_machine, NULL)
{
    size_t count;
    for (int pe = 0; pe < 8; pe++) {
        node_of[pe] = pe % 2; /* dealt out to nodes */
        allow(pe, pe, pe);
    }
    struct location_group *groups = groups_of(8, &count);
    static const char *const texts[] = {"0,2", "1,3", "4,6", "5,7"};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(groups[i].pes, texts[i]);
        assert_string_equal(groups[i].processors, texts[i]);
        assert_int_equal(groups[i].node, i % 2);
        assert_int_equal(groups[i].part[LOCATION_PACKAGE], i / 2);
        assert_true(groups[i].bound);
        assert_int_equal(groups[i].pes_sharing[LOCATION_CORE], 1);
        assert_int_equal(groups[i].pes_sharing[LOCATION_L2], 1);
    }
    location_groups_free(groups, count);
}

TEST_WITH(check_sharing, make_machine, NULL)
{
    size_t count;
    allow(0, 3, 3);
    allow(1, 11, 11); /* the second thread of core 3 */
    allow(2, 2, 2);
    struct location_group *groups = groups_of(3, &count);
    assert_int_equal(count, 1);
    assert_string_equal(groups->pes, "0-2");
    assert_string_equal(groups->processors, "3,11,2"); /* in the order of PEs */
    assert_int_equal(groups->pes_sharing[LOCATION_CORE], 2);
    assert_int_equal(groups->pes_sharing[LOCATION_L2], 3);
    assert_int_equal(groups->part[LOCATION_CORE], LOCATION_SEVERAL);
    location_groups_free(groups, count);
}

TEST_WITH(check_unbound, make_machine, NULL)
{
    size_t count;
    allow(0, 0, 15);
    allow(1, 0, 15);
    allow(2, 0, 3); /* a package's */
    allow(3, 0, 3);
    pes[1].ran_on = 5;
    struct location_group *groups = groups_of(5, &count); /* nothing is known of PE 4 */
    assert_int_equal(count, 3);
    assert_string_equal(groups[0].processors, "0-15");
    assert_string_equal(groups[0].ran_on, "0,5");
    assert_int_equal(groups[0].part[LOCATION_PACKAGE], LOCATION_SEVERAL);
    assert_int_equal(groups[0].pes_sharing[LOCATION_CORE], 0);
    assert_string_equal(groups[1].pes, "2-3");
    assert_int_equal(groups[1].part[LOCATION_PACKAGE], 0);
    assert_false(groups[1].bound);
    assert_string_equal(groups[2].processors, "");
    assert_int_equal(groups[2].part[LOCATION_PACKAGE], LOCATION_UNKNOWN);
    location_groups_free(groups, count);
}

TEST_WITH(check_strides, make_machine, NULL)
{
    size_t count;
    for (int pe = 0; pe < 12; pe++)
        allow(pe, pe % 3 ? 5 : 1, pe % 3 ? 5 : 1);
    struct location_group *groups = groups_of(12, &count);
    assert_int_equal(count, 2);
    assert_string_equal(groups[0].pes, "0-9:3");
    assert_string_equal(groups[1].pes, "1-2,4-5,7-8,10-11");
    assert_string_equal(groups[0].processors, "1,1,1,1");
    location_groups_free(groups, count);
}

/* Many kinds of PEs: the first are listed, the others counted. */
TEST_WITH(check_many, make_machine, NULL)
{
    size_t count;
    int unlisted;
    for (int pe = 0; pe < PES; pe++)
        allow(pe, pe, pe + 1);
    struct location_group *groups = location_groups(pes, node_of, PES, nodes, &count, &unlisted);
    assert_int_equal(count, LOCATION_GROUPS);
    assert_int_equal(unlisted, PES - LOCATION_GROUPS);
    location_groups_free(groups, count);
}

/* This process runs on a processor that it may use. */
TEST(check_self)
{
    struct location_pe self;
    location_of_self(&self);
    assert_in_range(self.ran_on, 0, LOCATION_PROCESSORS - 1);
    assert_true(self.may_use[self.ran_on / 64] >> self.ran_on % 64 & 1);
}
