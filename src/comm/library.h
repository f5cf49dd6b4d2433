/*
 * What every PE asks of the library by itself: a part of comm.h, which comm_shmem.c and comm_mpi.c
 * implement.
 */
#ifndef SKAMPI_COMM_LIBRARY_H
#define SKAMPI_COMM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int comm_pe(void);
int comm_pes(void);

/* Ends the job with this exit status; any PE; flush first. Never returns. */
_Noreturn void comm_abort(int status);
/* True for exactly one caller in the job (with MPI alone: one on each node). This caller may report
 * an error that several PEs have found. Any PE, from the main thread. */
bool comm_claim(void);
/* Call it before somebody else ends the library: works around defects that would crash the program
 * at the end. Any PE. */
void comm_steady(void);

/* The fastest way to tell another PE a number (never 0), for exchanges of clocks. Words between two
 * PEs alternate strictly. The two channels separate questions that a PE gets from answers to its
 * own questions. comm_word_receive() polls and makes the library progress. */
enum comm_word { COMM_QUESTION, COMM_ANSWER };
void comm_word_send(int to_pe, enum comm_word channel, int64_t word);
int64_t comm_word_receive(enum comm_word channel);
/* Whether this word waits to be received; in MPI, whether any word does. */
bool comm_word_is(enum comm_word channel, int64_t word);

/* Lets the library make progress, so that operations that need this PE go on. Short (tens of
 * nanoseconds where the library offers it). Any PE. */
void comm_poll(void);

/* Completes all operations of the engine itself, so that none of them is counted in a timed region.
 * Any PE. */
void comm_quiet(void);

/* ---- Waiting loops ---- */

/* Whether the PEs of this node share processors; at first they do not. Any PE, at the start. */
void yield_enable(bool sharing);

/* Once per turn of a waiting loop: gives the processor away now and then when PEs share it. */
void comm_yield(unsigned turn);

/* ---- Numbers that both sides of a hand-over know; comm.h explains it ---- */

#define COMM_HAND_OVER_LANES 2
#define COMM_HAND_OVER_FROM 4
/* Words that are no numbers of trips. */
enum { HAND_OVER_NOTHING, HAND_OVER_APART, HAND_OVER_SHARED, HAND_OVER_STOP };

/* ---- Symmetric memory, kept by the caller; collective over the world ---- */

#define COMM_PAGE 4096 /* bytes */

/* Memory at one offset on every PE, aligned to a page. NULL without memory; with a library whose
 * heap has no fixed size, each PE finds that by itself. */
void *comm_allocate(size_t bytes);
void comm_free(void *memory);

/* What memory is for, to shmem_malloc_with_hints() of OpenSHMEM 1.5. */
enum comm_hint { COMM_HINT_ATOMICS, COMM_HINT_SIGNAL };

/* Whether the library has that routine. */
bool comm_has_hints(void);
/* As comm_allocate(), NULL also without the routine; given back by comm_free_hinted(). */
void *comm_allocate_hinted(size_t bytes, enum comm_hint hint);
void comm_free_hinted(void *memory);

/* "OpenSHMEM 1.4, MPI 3.1 (Open MPI 4.1.4)" and the like, for the header. */
const char *comm_library(void);
/* API versions of what this program was built with; false when absent. */
bool comm_has_shmem(int *major, int *minor);
bool comm_has_mpi(int *major, int *minor);

#endif
