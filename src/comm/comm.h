/*
 * What the engine itself has to communicate. This module is the only wall between the engine and
 * the library it runs on; comm.c has the trees, comm_shmem.c and comm_mpi.c the links under them.
 *
 * Costs: with n PEs in the group every collective here takes O(log n) messages on the longest path;
 * comm_gather moves O(n) data to the root.
 *
 * Rules: an operation on the world synchronizes all PEs before operations on another group begin:
 * comm_enter() does it. Between two comm_enter() only one group besides the world is used.
 */
#ifndef SKAMPI_COMM_COMM_H
#define SKAMPI_COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/board.h"
#include "comm/hand_over.h"
#include "comm/pe_group.h"
#include "comm/process.h"
#include "comm/yield.h"

/* Start and end of the library; all PEs. */
void comm_start(int *argc, char ***argv);
/* What that took on this PE. Any PE. */
const struct library_start *comm_start_cost(void);
/* Regular end of the job: releases everything, finalizes the library. The caller returns from
 * main() with status 0 afterwards. All PEs. */
void comm_finish(void);
/* The same, telling what the library's own end took: on PE 0 returns the seconds of each PE of its
 * node, in the order of PEs, and how many there are; NaN where a PE did not say. NULL on other PEs.
 */
const double *comm_finish_timed(int *count);
/* The same for a guest in a program that has started the library itself, and goes on with it. False
 * on every PE when there is no room in symmetric memory; what was taken of that is given back at
 * the end. All PEs; the pair may be called again. */
bool comm_attach(void);
void comm_detach(void);
/* Before the library is ended by another: keeps defects of its end from killing the program. Any
 * PE. */
void comm_steady(void);
/* Ends the job with this exit status; any PE; flush first. Never returns. */
_Noreturn void comm_abort(int status);
/* True for exactly one caller in the job (of each node, in a program for MPI alone): who may
 * report an error that several PEs found. Any PE, from the main thread. */
bool comm_claim(void);

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

int comm_pe(void);
int comm_pes(void);
const struct pe_group *comm_world(void);

/* ---- Collective over the group; every member calls it ---- */

void comm_enter(const struct pe_group *group); /* collective over the world */
void comm_barrier(const struct pe_group *group);
void comm_broadcast(const struct pe_group *group, void *data, size_t bytes); /* from rank 0 */

enum comm_operation { COMM_MAX, COMM_MIN, COMM_SUM, COMM_AND };
/* NaN loses against a number for MAX and MIN. The result is on every member. */
void comm_allreduce(const struct pe_group *group, enum comm_operation op, double *values, size_t n);
/* The same for integers. */
void comm_allreduce_int(const struct pe_group *group, enum comm_operation op, int64_t *values,
                        size_t n);
/* all (on rank 0; others may pass NULL) receives size * bytes in the order of ranks. */
void comm_gather(const struct pe_group *group, const void *mine, size_t bytes, void *all);

/* A barrier in ceil(log2 n) rounds of one message to and from each PE, so that all leave at about
 * the same time, whatever the library's own barrier does (Hensgen, Finkel & Manber 1988). */
void comm_dissemination_barrier(const struct pe_group *group);

/* Inclusive prefix: value becomes combine(combine(value of rank 0, of rank 1), ... own). combine
 * stores into left and is associative. */
void comm_scan(const struct pe_group *group, void *value, size_t bytes,
               void (*combine)(void *left, const void *right));

/* ---- Point to point ---- */

/* One message from PE to PE; from one and to another PE call it, world-collectively ordered: no
 * two transfers overlap. */
void comm_send(int to_pe, const void *data, size_t bytes);
void comm_receive(int from_pe, void *data, size_t bytes);

/* The fastest way to tell another PE a number (never 0): for clock exchanges. Strictly
 * alternating between two PEs; the two channels keep what a PE is asked apart from the answers that
 * it gets to its own questions. comm_word_receive() polls and makes the library progress. */
enum comm_word { COMM_QUESTION, COMM_ANSWER };
void comm_word_send(int to_pe, enum comm_word channel, int64_t word);
int64_t comm_word_receive(enum comm_word channel);
/* Whether this word waits to be received; in MPI, whether any word does. */
bool comm_word_is(enum comm_word channel, int64_t word);

/* A word that goes from one PE to another and back, as a program would do it: a put of one word and
 * a blocking wait in OpenSHMEM, a send and a receive in MPI. Of two partners one echoes, until the
 * other one, which may time it, stops it. A PE has one partner at a time in each of the lanes; all
 * PEs of the group synchronize before a lane is used again. Not where PEs share processors: the
 * waits never yield.
 * begin: the partner is there when it returns; whether both share memory. Then any number of trips,
 * to and fro, numbered from COMM_HAND_OVER_FROM without gaps; stop. Where they share memory, trips
 * by loads and stores must follow, with numbers of their own, and another stop. */
bool comm_hand_over_begin(int partner, int lane);
void comm_hand_over(int partner, int lane, bool shared, long from, int trips);
void comm_hand_over_stop(int partner, int lane, bool shared);
void comm_hand_over_echo(int partner, int lane);

/* Lets the library make progress, so that operations that need this PE go on. Short (tens of
 * nanoseconds where the library offers it). Any PE. */
void comm_poll(void);

/* Completes all that the engine itself has started, so that nothing of it is left to be counted
 * in a timed region. Any PE. */
void comm_quiet(void);

/* ---- Where the PEs are; known to every PE after comm_start() ---- */

int comm_node_count(void);
int comm_node_of(int pe);
int comm_node_leader(int node);       /* its lowest PE */
const char *comm_node_name(int node); /* host name; PE 0 only, else "" */
int comm_node_size(int node);
bool comm_oversubscribed(void); /* PEs of this node share processors: waiting loops yield */
bool comm_oversubscribed_anywhere(void); /* those of some node; the same on all PEs */
/* How many processors a PE may run on (0: unknown), and the first of them. */
int comm_cpus_of(int pe, int *first_cpu);

/* ---- MPI's own clock ---- */

/* MPI_Wtime(), seconds; NULL or why it cannot be called now. Any PE. */
double comm_wtime(void);
const char *comm_wtime_unusable(void);

/* ---- Symmetric memory, kept by the caller; collective over the world ---- */

/* At the same offset on every PE, aligned to a page; NULL when it cannot be had, which PEs of a
 * library without a heap of fixed size find each by itself. */
void *comm_allocate(size_t bytes);
void comm_free(void *memory);
/* What this library reads the size of that memory from, for messages. */
const char *comm_heap_variable(void);

/* "OpenSHMEM 1.4, MPI 3.1 (Open MPI 4.1.4)" and the like, for the header. */
const char *comm_library(void);
/* API versions of what this program was built with; false when absent. */
bool comm_has_shmem(int *major, int *minor);
bool comm_has_mpi(int *major, int *minor);

#endif
