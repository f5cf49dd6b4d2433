/*
 * Numbers that look random, the same on every PE for the same seed.
 */
#ifndef SKAMPI_STATS_RANDOM_H
#define SKAMPI_STATS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next of 2^64 (SplitMix64; Steele, Lea and Flood, OOPSLA 2014); *state is the seed at first.
 */
uint64_t random_next(uint64_t *state);

/* Between 0 and bound (included), all equally likely. */
uint64_t random_up_to(uint64_t *state, uint64_t bound);

/* At least 0, less than 1. */
double random_share(uint64_t *state);

/* Puts 0 to n - 1 into order[], every order equally likely (Fisher and Yates; Durstenfeld 1964). */
void random_order(uint64_t *state, size_t *order, size_t n);
/* Puts what is in items[] into such an order. */
void random_shuffle(uint64_t *state, size_t *items, size_t n);

#endif
