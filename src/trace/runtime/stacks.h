/* Stacks of return addresses (--callsites above 1). Each stack that was seen has a number, which
 * entries keep instead of a return address. */
#ifndef SKAMPI_TRACE_RUNTIME_STACKS_H
#define SKAMPI_TRACE_RUNTIME_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Keeps stacks of this many addresses from now on. False: out of memory. */
bool stacks_keep(unsigned depth);

/* Frees what a thread that ends has remembered. */
void stacks_leave(void);

/* For struct encoder: the addresses that a caller of an entry stands for. In signal handlers. */
const uint64_t *stacks_find(const uint64_t *caller, size_t *depth);

#pragma GCC visibility pop

#endif
