/*
 * A board on PE 0's node on which every PE there says how it ends, since a process that is to
 * report the end of the job (PE 0) hears of another's death only by the launcher's signal. comm.h
 * has what is said and asked.
 */
#ifndef SKAMPI_COMM_BOARD_H
#define SKAMPI_COMM_BOARD_H

#include <stddef.h>

#include "comm/tally.h"

/* PE 0: a board with so many places; others of its node find it by the offer. Where there is no
 * such memory nothing is known. */
void board_create(size_t places, struct tally_offer *offer);
void board_join(const struct tally_offer *offer, size_t places, int place, int pe);

#endif
