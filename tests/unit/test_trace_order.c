/* LINK: src/trace/check/order.c src/base/memory.c */
/* LINK: src/base/table.c src/base/hash.c */
/* Which accesses are complete for which PE, after quiet, fence, flags, collectives and several
 * contexts. */
#include <stdlib.h>

#include "trace/check/order.h"
#include "unit/unit.h"

enum { PES = 3, FLAG = 1 };

static struct order *order;

static int begin(void **state)
{
    order = order_new(PES);
    return 0;
}

static int end(void **state)
{
    order_free(order);
    return 0;
}

/* A put of a PE on a context. */
static struct access put(int pe, int64_t context)
{
    uint32_t number = order_step(order, pe);
    order_keep(order, pe);
    return (struct access){.completion = order_context(order, pe, context),
                           .number = number,
                           .does = ACCESS_WRITES | ACCESS_REMOTE};
}

/* All PEs meet. */
static void meet(void)
{
    struct order_clock clock = {0};
    for (int pe = 0; pe < PES; pe++)
        order_tell(order, pe, &clock);
    for (int pe = 0; pe < PES; pe++)
        order_learn(order, pe, &clock);
    free(clock.of);
}

static bool complete(int pe, const struct access *access)
{
    return order_complete(order, pe, access, 2);
}

/* A call of a PE sees a flag of `owner`. */
static void see(int pe, const struct access *flag, int owner)
{
    order_step(order, pe);
    order_see(order, pe, flag->completion, flag->number, FLAG, owner);
}

TEST_WITH(quiets, begin, end)
{
    struct access first = put(0, 0), other = put(0, 7);
    assert_false(complete(0, &first));
    order_quiet(order, 0, 0);
    assert_true(complete(0, &first));
    assert_false(complete(0, &other)); /* of another context */
    assert_false(complete(1, &first)); /* nobody has told PE 1 */
    meet();
    assert_true(complete(1, &first) && complete(2, &first));
    assert_false(complete(1, &other));
    assert_true(order_past(order, 1, &other)); /* it has begun, PE 1 knows */
    order_quiet_all(order, 0);
    meet();
    assert_true(complete(1, &other));
    order_least(order);
    assert_true(order_everywhere(order, &first) && order_everywhere(order, &other));
    struct access later = put(0, 0);
    assert_false(order_everywhere(order, &later));
}

/* A call that has returned is complete for whoever knows of a later one. */
TEST_WITH(programs, begin, end)
{
    const struct access get = {.completion = 0, .number = order_step(order, 0)};
    assert_true(complete(0, &get));
    assert_false(complete(1, &get));
    meet();
    assert_true(complete(1, &get));
}

/* Whoever sees the flag knows what was fenced off before, and no more. */
TEST_WITH(flags, begin, end)
{
    struct access first = put(0, 0);
    assert_false(order_fenced(order, &first));
    order_fence(order, 0, 0);
    assert_true(order_fenced(order, &first));
    struct access second = put(0, 0), flag = put(0, 0);
    see(1, &flag, 2);
    assert_true(complete(1, &first));
    assert_false(complete(1, &second));
    assert_false(complete(2, &first)); /* has not seen it */
    flag.flag = FLAG;
    assert_true(complete(1, &flag));
    meet();
    assert_true(complete(2, &first)); /* PE 1 has told it */
    assert_false(complete(2, &second));
}

/* A fence orders what was put to the flag's PE: here 2; elsewhere the put may still go on. */
TEST_WITH(other_owners, begin, end)
{
    struct access first = put(0, 0);
    order_fence(order, 0, 0);
    struct access flag = put(0, 0);
    see(1, &flag, 1);
    assert_false(complete(1, &first));
    assert_true(order_complete(order, 1, &first, 1));
}

TEST_WITH(contexts, begin, end)
{
    for (int64_t context = 1; context < 100; context++) { /* one after the other */
        struct access access = put(1, context);
        assert_int_equal(order_context_number(order, access.completion), context);
        assert_int_equal(order_pe(order, access.completion), 1);
        assert_false(order_is_program(order, access.completion) || complete(1, &access));
        order_end_context(order, 1, context);
        assert_true(complete(1, &access));
    }
    for (int64_t context = 100; context < 200; context++) { /* more than have components */
        struct access access = put(2, context);
        assert_false(complete(2, &access));
    }
}
