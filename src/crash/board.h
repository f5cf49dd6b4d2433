/*
 * A board in shared memory on PE 0's node, on which each PE there notes how it ends. PE 0 reports
 * the end of the job, and would otherwise learn of another PE's death only by the launcher's
 * signal. PEs of other nodes send last words.
 */
#ifndef SKAMPI_CRASH_BOARD_H
#define SKAMPI_CRASH_BOARD_H

#include <stddef.h>

#include "crash/tally.h"

/* PE 0 makes a board with this many places; other PEs of its node find it by the offer. Without
 * shared memory there is no board, and nothing is known of other PEs. */
void board_create(size_t places, struct tally_offer *offer);
void board_join(const struct tally_offer *offer, size_t places, int place, int pe);

/* How PEs end: those of PE 0's node, and those of other nodes that sent last words. From any thread
 * and from signal handlers, after comm_start(). */
enum board_end { BOARD_RUNNING, BOARD_FAILED, BOARD_LEAVING };
/* Notes the end of this PE, with a text for users. Only the first call counts. */
void board_say_end(enum board_end end, int status, const char *text);
/* Notes that this PE is alive. */
void board_beat(void);
/* Find another PE, or return -1: one that has failed, and its text; one that is gone without a
 * text; one that has given no sign of life for this many seconds. */
int board_failed_pe(int *status, char *text, size_t size);
int board_vanished_pe(void);
int board_silent_pe(double seconds);

#endif
