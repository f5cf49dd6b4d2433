/*
 * Hooks that the families of puts and gets between many ranks share.
 */
#include "measurements/common/pairs_traffic.h"

#include <stdlib.h>

bool pairs_gets(const struct run *run)
{
    return ((const struct pairs_traffic *)run->function->variant)->get;
}

bool pairs_work_open(struct run *run, struct pairs_work *work)
{
    if (!pairs_open(&work->pairs, run))
        return false;
    work->calls = pairs_calls(run, &work->pairs, pairs_gets(run));
    work->steps = pairs_steps(&work->pairs, run->rank);
    return work->calls;
}

void pairs_work_close(struct pairs_work *work)
{
    free(work->calls);
    pairs_close(&work->pairs);
}

void pairs_demand_traffic(struct run *run)
{
    struct pairs pairs = pairs_of(run);
    pairs_demand(&pairs, (size_t)run_integer(run, "count", 0), pairs_gets(run), &run->demand);
}

void pairs_fill_traffic(struct run *run)
{
    pairs_fill(run, pairs_gets(run), run->local, run->remote);
}

bool pairs_verify_traffic(struct run *run)
{
    const struct pairs_work *work = run->state;
    return pairs_verify(run, &work->pairs, pairs_gets(run), run->local, run->remote);
}
