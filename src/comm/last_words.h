/*
 * Carries what a PE says about its end to PE 0 when the two are on different nodes: over TCP, since
 * the library cannot be used in the handler of a signal and other nodes do not share memory.
 */
#ifndef SKAMPI_COMM_LAST_WORDS_H
#define SKAMPI_COMM_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAST_WORDS_ADDRESSES 8
#define LAST_WORDS_LONGEST 720 /* of a text, with its final zero; longer ones are cut */

/* Where PE 0 listens; can be copied byte by byte to other PEs. */
struct last_words_place {
    uint64_t key; /* only who knows it is believed */
    uint32_t count;
    struct {
        unsigned char bytes[28]; /* a struct sockaddr_in or sockaddr_in6 */
    } addresses[LAST_WORDS_ADDRESSES];
};

/* PE 0: listens; where that is not possible the place has no addresses. */
void last_words_listen(struct last_words_place *place);
/* Another PE, by its number: where its words go. */
void last_words_know(const struct last_words_place *place, int pe);
/* Closes what was opened; nothing is sent or received any more. */
void last_words_close(void);

/* The words of this PE; a PE that knows no place sends nothing. Takes up to half a second where PE
 * 0 does not answer. In signal handlers and from any thread. */
void last_words_send(int status, const char *text);

/* PE 0: the PE whose words arrived first, and what it said, or -1. When none arrived yet, waits
 * this many seconds for them. From one thread. */
int last_words_receive(double seconds, int *status, char *text, size_t size);

#endif
