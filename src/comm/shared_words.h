/*
 * Words in plain shared memory that PEs of one node hand over to each other, by loads and stores,
 * whatever the library and its settings are. Of two partners one makes trips and then stops, the
 * other one echoes. A PE has one partner at a time in each of the lanes.
 */
#ifndef SKAMPI_COMM_SHARED_WORDS_H
#define SKAMPI_COMM_SHARED_WORDS_H

#include "crash/tally.h"

struct shared_words;

/* This PE's words, for others to find. */
void shared_words_offer(struct tally_offer *offer);
/* The words of another PE of this node; they stay mapped for the next call. NULL: they cannot be
 * reached, or this PE has none. */
struct shared_words *shared_words_of(int pe, const struct tally_offer *offer);
void shared_words_forget(void);

void shared_words_trips(struct shared_words *theirs, int lane, long from, int trips);
void shared_words_stop(struct shared_words *theirs, int lane);
void shared_words_echo(struct shared_words *theirs, int lane);

#endif
