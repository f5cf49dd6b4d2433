/*
 * Pseudo-random numbers. A seed gives one series of numbers, on every PE.
 */
#ifndef SKAMPI_STATS_RANDOM_H
#define SKAMPI_STATS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next number of 64 bits (SplitMix64; Steele, Lea and Flood, OOPSLA 2014). *state is the seed
 * before the first call. */
uint64_t random_next(uint64_t *state);

/* A number from 0 to bound (inclusive), each equally likely. */
uint64_t random_up_to(uint64_t *state, uint64_t bound);

/* A number from 0 to 1 (exclusive). */
double random_share(uint64_t *state);

/* Puts 0 to n - 1 into order[], every order equally likely (Fisher and Yates; Durstenfeld 1964). */
void random_order(uint64_t *state, size_t *order, size_t n);
/* Puts the items into an order, every order equally likely. */
void random_shuffle(uint64_t *state, size_t *items, size_t n);

#endif
