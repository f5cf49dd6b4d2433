/*
 * Communication that the engine itself needs. This module is the only wall between the engine and
 * the library it runs on: comm.c has the trees, nodes.c where PEs are, start.c start and end,
 * hand_over.c hand-overs, comm_shmem.c and comm_mpi.c what needs none (library.h) and the links
 * under the trees (link.h).
 *
 * Costs: with n PEs in the group every collective here takes O(log n) messages on the longest path;
 * comm_gather moves O(n) data to the root. At the start, 16 bytes of each PE go to PE 0. Other PEs
 * keep nothing for each PE, unless PEs lie on nodes irregularly (nodes.c).
 *
 * Rules: before operations on another group begin, comm_enter() synchronizes all PEs of the world,
 * unless a barrier or an allreduce of the world has done that since the group before. Between two
 * calls of comm_enter(), only one group apart from the world may be used.
 */
#ifndef SKAMPI_COMM_COMM_H
#define SKAMPI_COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process.h"
#include "comm/library.h"
#include "comm/pe_group.h"
#include "crash/board.h"

/* Start and end of the library; all PEs. */
void comm_start(int *argc, char ***argv);
/* The time and memory that comm_start() took on this PE. Any PE. */
const struct library_start *comm_start_cost(void);
/* Regular end of the job: releases everything, finalizes the library, and returns how many seconds
 * that took. The caller returns from main() with status 0 afterwards. All PEs. */
double comm_finish(void);
/* comm_finish() that tells how long the library's own end took: on PE 0 returns the seconds of each
 * PE of its node, in the order of PEs, and how many there are; NaN where a PE did not say. NULL on
 * other PEs. */
const double *comm_finish_timed(int *count);
/* Start and finish for a guest in a program that has started the library itself, and goes on with
 * it. comm_attach() returns false on every PE when there is no room in symmetric memory;
 * comm_detach() gives back what was taken. All PEs; the pair may be called again. */
bool comm_attach(void);
void comm_detach(void);

/* Rank of this process as the launcher's environment states it, -1 when started without a
 * launcher. First asked before comm_start(), since libraries set it as well. */
int comm_launched_rank(void);
/* Whether the launcher of this process has died; false when there is none. Any thread; the first
 * call remembers who the launcher is. */
bool comm_launcher_gone(void);
/* What was typed before this program's own command line to start all PEs: "oshrun -np 2 --bind-to
 * none"; the caller frees it. NULL: it is not known, as where another node's daemon has started
 * this PE. */
char *comm_launcher_line(void);

const struct pe_group *comm_world(void);

/* What this PE has done together with all others since the start. */
struct comm_shared {
    int64_t collectives;     /* of all PEs */
    int64_t world_messages;  /* those that it has sent in them, */
    int64_t messages, bytes; /* and in the collectives of all groups */
};
struct comm_shared comm_shared(void);
/* From now on, PE 0 prints each collective that it takes part in to standard error. */
void comm_tell(void);

/* ---- Collective over the group; every member calls it ---- */

void comm_enter(const struct pe_group *group); /* all PEs of the world */
void comm_barrier(const struct pe_group *group);
void comm_broadcast(const struct pe_group *group, void *data, size_t bytes); /* from rank 0 */

enum comm_operation { COMM_MAX, COMM_MIN, COMM_SUM, COMM_AND };
/* Reduces n values; every member gets the result. MAX and MIN ignore NaN if there is a number. */
void comm_allreduce(const struct pe_group *group, enum comm_operation op, double *values, size_t n);
/* Reduces n integers; every member gets the result. */
void comm_allreduce_int(const struct pe_group *group, enum comm_operation op, int64_t *values,
                        size_t n);
/* Gathers `bytes` bytes of each rank, in the order of ranks, in `all` on rank 0; other ranks may
 * pass NULL. */
void comm_gather(const struct pe_group *group, const void *mine, size_t bytes, void *all);

/* A barrier in ceil(log2 n) rounds, in each of which every PE sends and gets one message (Hensgen,
 * Finkel & Manber 1988). All PEs leave it at about one time, which the library's own barrier does
 * not promise. */
void comm_dissemination_barrier(const struct pe_group *group);

/* Inclusive prefix: value becomes combine(combine(value of rank 0, of rank 1), ... own). combine
 * stores into left and is associative. */
void comm_scan(const struct pe_group *group, void *value, size_t bytes,
               void (*combine)(void *left, const void *right));

/* ---- Point to point ---- */

/* One message from a PE to another one, which calls comm_receive(). All PEs agree on the order of
 * transfers, so no two overlap. */
void comm_send(int to_pe, const void *data, size_t bytes);
void comm_receive(int from_pe, void *data, size_t bytes);

/* A hand-over: a word goes from one PE to another and back, as in a program: by a put of one word
 * and a blocking wait in OpenSHMEM, by a send and a receive in MPI. One partner echoes until the
 * other one, which may time the trips, stops it. In each lane, a PE has one partner at a time; all
 * PEs of the group synchronize before a lane is used again. Not for PEs that share processors,
 * since the waits never yield. comm_hand_over_begin() returns when the partner is there, and says
 * whether both share memory. Any number of trips follow, numbered from COMM_HAND_OVER_FROM without
 * gaps, and a stop. Partners that share memory must then make trips by loads and stores, with
 * numbers of their own, and stop again. */
bool comm_hand_over_begin(int partner, int lane);
void comm_hand_over(int partner, int lane, bool shared, long from, int trips);
void comm_hand_over_stop(int partner, int lane, bool shared);
void comm_hand_over_echo(int partner, int lane);

/* ---- Where the PEs are; known to every PE after comm_start() (nodes.c) ---- */

int comm_node_count(void);
int comm_node_of(int pe);
const struct pe_group *comm_own_node(void);     /* the PEs of this PE's node, ascending */
const struct pe_group *comm_node_leaders(void); /* the lowest PE of each node, by node */
const char *comm_node_name(int node);           /* host name; PE 0 only, else "" */
int comm_node_size(int node);
bool comm_oversubscribed(void); /* PEs of this node share processors: waiting loops yield */
bool comm_oversubscribed_anywhere(void); /* PEs of any node share processors; equal on all PEs */
/* How many processors a PE may run on (0: unknown), and the first of them. PE 0 may ask this of
 * each PE, others of PE 0 and of those of their node. */
int comm_cpus_of(int pe, int *first_cpu);
int comm_bound_pes(void); /* how many may run on one processor only */

/* ---- MPI's own clock and memory; any PE ---- */

/* NULL, or why what follows cannot be called now. */
const char *comm_mpi_unusable(void);
/* MPI_Wtime(), seconds. */
double comm_wtime(void);
/* MPI_Alloc_mem() and MPI_Free_mem(). NULL without memory. */
void *comm_mpi_allocate(size_t bytes);
void comm_mpi_free(void *memory);

/* The variable from which this library reads the size of symmetric memory, for messages. */
const char *comm_heap_variable(void);

#endif
