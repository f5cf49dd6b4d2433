/*
 * Waiting loops give the processor away where PEs share it.
 */
#ifndef SKAMPI_COMM_YIELD_H
#define SKAMPI_COMM_YIELD_H

#include <stdbool.h>

/* Whether the PEs of this node share processors; at first they do not. Any PE, at the start. */
void yield_enable(bool sharing);

/* Once per turn of a waiting loop: gives the processor away now and then when PEs share it. */
void comm_yield(unsigned turn);

#endif
