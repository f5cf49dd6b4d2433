/*
 * Sends a PE's text about its end to PE 0 on another node. It uses TCP, since a signal handler
 * cannot use the library, and nodes share no memory.
 */
#ifndef SKAMPI_CRASH_LAST_WORDS_H
#define SKAMPI_CRASH_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAST_WORDS_ADDRESSES 8
#define LAST_WORDS_LONGEST                                                                         \
    720 /* bytes of a text, including its final zero; longer texts are cut                         \
         */

/* Addresses at which PE 0 listens. Other PEs get a copy of the bytes. */
struct last_words_place {
    uint64_t key; /* a secret: PE 0 ignores messages without it */
    uint32_t count;
    struct {
        unsigned char bytes[28]; /* a struct sockaddr_in or sockaddr_in6 */
    } addresses[LAST_WORDS_ADDRESSES];
};

/* PE 0 begins to listen; if that is not possible, the place has no addresses. */
void last_words_listen(struct last_words_place *place);
/* Another PE (given by its number) notes where to send its words. */
void last_words_know(const struct last_words_place *place, int pe);
/* Closes everything; nothing is sent or received afterwards. */
void last_words_close(void);

/* Sends the words of this PE, unless it knows no place. Takes up to half a second if PE 0 does not
 * answer. In signal handlers and from any thread. */
void last_words_send(int status, const char *text);

/* PE 0: the PE whose words arrived first, and its text, or -1. Waits this many seconds if none have
 * arrived. From one thread. */
int last_words_receive(double seconds, int *status, char *text, size_t size);

#endif
