/*
 * Random access, as in HPC Challenge's RandomAccess: words of a table that all PEs share are
 * changed by xor at random places. Pure: no library is called.
 */
#ifndef SKAMPI_MEASUREMENTS_RANDOM_ACCESS_H
#define SKAMPI_MEASUREMENTS_RANDOM_ACCESS_H

#include <stdint.h>

/* One change: the word of the table of a rank, and what it is changed by. */
struct random_access {
    int rank;
    int64_t word;
    uint64_t value;
};

/* The number-th change that is made with a rank's key. Ranks 0 to ranks - 1 have tables of `words`
 * words. */
static inline struct random_access random_access_of(uint64_t key, int64_t number, int ranks,
                                                    int64_t words)
{
    uint64_t mixed = key + ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    /* The place is a fraction of all: its first part tells the rank, the rest the word. */
    __uint128_t place = (__uint128_t)mixed * (uint64_t)ranks;
    return (struct random_access){
        (int)(place >> 64), (int64_t)((__uint128_t)(uint64_t)place * (uint64_t)words >> 64), mixed};
}

/* Of the first `changes` changes of the key, makes those that concern the table of one rank. */
void random_access_serial(uint64_t *table, int rank, int ranks, int64_t words, uint64_t key,
                          int64_t changes);

#endif
