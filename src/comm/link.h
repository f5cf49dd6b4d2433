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

#include "base/process.h"

#define LINK_CHUNK 4096 /* bytes in one message at most */

/* Ports: one for each child in a binomial tree, one for the parent, one for transfers outside
 * trees. The same again for sets other than the world, so that the two cannot meet. */
#define LINK_CHILDREN 32
enum { LINK_PARENT = LINK_CHILDREN, LINK_DIRECT, LINK_PORTS };

struct link_end {
    bool world;     /* ports of the world or of the current set */
    int port;       /* of the receiver */
    int ack;        /* the sender's number of the port for this link */
    int64_t number; /* number of the message; both ends count from one start, which is above all
                       earlier numbers of both ports */
};

/* Starts the library. Returns 0, or the bytes of symmetric memory that this PE needs and cannot
 * get. */
size_t link_start(int *argc, char ***argv, struct library_start *cost);
/* Starts the links in a library that the program has started; false without memory. */
bool link_attach(void);
void link_detach(void);
/* Returns the seconds in shmem_finalize and MPI_Finalize. */
double link_finish(void);

/* Sends a message. The receiver must have taken message number - 1, unless `first`: then the link
 * is new and idle. */
void link_send(int to_pe, const struct link_end *end, bool first, const void *data, size_t bytes);
void link_receive(int from_pe, const struct link_end *end, void *data, size_t bytes);

/* A signal of a dissemination barrier in one of its rounds. Every PE counts the numbers of its
 * barriers. A signal with a higher number may arrive in place of an earlier one. */
void link_signal(int to_pe, bool world, int round, int64_t number);
void link_await_signal(int from_pe, bool world, int round, int64_t number);

/* Hand-overs (see comm.h) through the library. mine is a word for the partner before the first
 * trip; begin and echo return the partner's word. */
int64_t link_hand_over_begin(int partner, int lane, int64_t mine);
void link_hand_over(int partner, int lane, long from, int trips);
void link_hand_over_stop(int partner, int lane);
int64_t link_hand_over_echo(int partner, int lane, int64_t mine);

#endif
