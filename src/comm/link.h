/*
 * Links: the message layer under the trees of comm.c, one implementation per library
 * (comm_shmem.c, comm_mpi.c). A message goes to a numbered port of a PE. Each port has one sender
 * at a time; a sender may be at most one message ahead of the receiver.
 */
#ifndef SKAMPI_COMM_LINK_H
#define SKAMPI_COMM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/process.h"

#define LINK_CHUNK 4096 /* bytes in one message at most */

/* Ports: one for each child in a binomial tree, one for the parent, one for transfers outside
 * trees. The same again for sets other than the world, so that the two cannot meet. */
#define LINK_CHILDREN 32
enum { LINK_PARENT = LINK_CHILDREN, LINK_DIRECT, LINK_PORTS };

struct link_end {
    bool world;     /* ports of the world or of the current set */
    int port;       /* of the receiver */
    int ack;        /* port number that the sender knows this link by */
    int64_t number; /* of the message on this link, counted up by both ends from any start above
                       all earlier ones of the two ports */
};

/* Returns 0, or the bytes of symmetric memory that this PE needs and cannot have. */
size_t link_start(int *argc, char ***argv, struct library_start *cost);
/* In a library that was started by another; false when there is no memory. */
bool link_attach(void);
void link_detach(void);
void link_steady(void);
/* Returns the seconds in shmem_finalize and MPI_Finalize. */
double link_finish(void);
_Noreturn void link_abort(int status);
bool link_claim(void);
int link_pe(void);
int link_pes(void);

/* number - 1 must have been taken by the receiver, unless first: then the link is new and idle. */
void link_send(int to_pe, const struct link_end *end, bool first, const void *data, size_t bytes);
void link_receive(int from_pe, const struct link_end *end, void *data, size_t bytes);

/* Signals of a dissemination barrier: round of the barrier, number counted up by every PE. A signal
 * with a higher number may arrive in place of an earlier one. */
void link_signal(int to_pe, bool world, int round, int64_t number);
void link_await_signal(int from_pe, bool world, int round, int64_t number);

void link_word_send(int to_pe, int channel, int64_t word);
int64_t link_word_receive(int channel);
bool link_word_is(int channel, int64_t word);

/* Hand-overs, as comm.h explains them, through the library. mine: a word for the other PE before
 * the first trip, of which begin and echo return the other's. */
int64_t link_hand_over_begin(int partner, int lane, int64_t mine);
void link_hand_over(int partner, int lane, long from, int trips);
void link_hand_over_stop(int partner, int lane);
int64_t link_hand_over_echo(int partner, int lane, int64_t mine);

void link_poll(void);
void link_quiet(void);
void *link_allocate(size_t bytes);
void link_free(void *memory);
const char *link_library(void);
/* The versions that this program was built with; false: without. */
bool link_has_shmem(int *major, int *minor);
bool link_has_mpi(int *major, int *minor);

#endif
