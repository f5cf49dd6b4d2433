/*
 * A board on PE 0's node where every PE there says how it ends. PE 0 reports the end of the job,
 * but hears of another's death only by the launcher's signal. PEs of other nodes send last words.
 */
#ifndef SKAMPI_COMM_BOARD_H
#define SKAMPI_COMM_BOARD_H

#include <stddef.h>

#include "comm/tally.h"

/* PE 0: a board with this many places; others of its node find it by the offer. Where there is no
 * such memory nothing is known. */
void board_create(size_t places, struct tally_offer *offer);
void board_join(const struct tally_offer *offer, size_t places, int place, int pe);

/* How the PEs of PE 0's node end, and those of other nodes that say so to PE 0. From any thread and
 * from handlers, after comm_start(). */
enum comm_end { COMM_RUNNING, COMM_FAILED, COMM_LEAVING };
/* This PE's end; text: what happened, for users. What was said first stays. */
void comm_say_end(enum comm_end end, int status, const char *text);
/* This PE is alive. */
void comm_beat(void);
/* Another PE: that has failed, with what it said; that is gone without a word; that has not been
 * alive for this many seconds. -1: none is known. */
int comm_failed_pe(int *status, char *text, size_t size);
int comm_vanished_pe(void);
int comm_silent_pe(double seconds);

#endif
