/* Yields the processor in waiting loops. */
#include <sched.h>

#include "comm/library.h"

/* Turns of a waiting loop between two yields where PEs share processors. */
#define TURNS_PER_YIELD 64

static bool shared;

void yield_enable(bool sharing)
{
    shared = sharing;
}

void comm_yield(unsigned turn)
{
    if (shared && turn % TURNS_PER_YIELD == TURNS_PER_YIELD - 1)
        sched_yield();
}
