/*
 * Hooks that the families of puts and gets between many ranks share.
 */
#include "measurements/common/pairs_traffic.h"

#include <stdlib.h>

bool pairs_gets(const struct measurement *function)
{
    return ((const struct pairs_traffic *)function->variant)->get;
}

bool pairs_work_open(struct run *run, struct pairs_work *work)
{
    if (!pairs_open(&work->pairs, run))
        return false;
    work->calls = pairs_calls(run, &work->pairs, pairs_gets(run->function));
    work->steps = pairs_steps(&work->pairs, run->rank);
    return work->calls;
}

void pairs_work_close(struct pairs_work *work)
{
    free(work->calls);
    pairs_close(&work->pairs);
}

void pairs_demand_traffic(const struct measurement *function, const struct argument *arguments,
                          int pes, struct demand *demand)
{
    struct pairs pairs = pairs_of(function, arguments, pes);
    pairs_demand(&pairs, (size_t)argument_value(function, arguments, "count", 0),
                 pairs_gets(function), demand);
}

void pairs_fill_traffic(struct run *run)
{
    pairs_fill(run, pairs_gets(run->function), run->local, run->remote);
}

bool pairs_verify_traffic(struct run *run)
{
    const struct pairs_work *work = run->state;
    return pairs_verify(run, &work->pairs, pairs_gets(run->function), run->local, run->remote);
}
