/*
 * Numbers that both sides of a hand-over know; comm.h explains it.
 */
#ifndef SKAMPI_COMM_HAND_OVER_H
#define SKAMPI_COMM_HAND_OVER_H

#define COMM_HAND_OVER_LANES 2
#define COMM_HAND_OVER_FROM 4
/* Words that are no numbers of trips. */
enum { HAND_OVER_NOTHING, HAND_OVER_APART, HAND_OVER_SHARED, HAND_OVER_STOP };

#endif
