/*
 * Windows of MPI one-sided communication, as the families that use them make them in set-up.
 */
#ifndef SKAMPI_MEASUREMENTS_MPI_WINDOW_H
#define SKAMPI_MEASUREMENTS_MPI_WINDOW_H

#include "measurements/common/mpi_common.h"

/* In the order of the words of parameters. */
enum window_kind { WINDOW_CREATE, WINDOW_ALLOCATE, WINDOW_SHARED, WINDOW_KINDS };

/* clang-format off */
#define MEMORY {"memory", PARAMETER_STRING, "", "routine that makes the window of memory", .words = "create|allocate|shared", .otherwise = "allocate", .example = "allocate"}
/* clang-format on */
#if SKAMPI_MPI

struct window {
    MPI_Win handle;
    unsigned char *memory; /* this rank's part */
    unsigned char *block;  /* that it lies in, where it is of mpi_window_open() and of its kind */
    size_t bytes;
    enum window_kind kind;
    bool open, locked; /* locked: by each rank, on all of them */
};

/* A window over the set's communicator with that many bytes on each rank, addressed in bytes, that
 * read as zero. Its memory is its own, the same in all repetitions. Collective over the set; false
 * after run_fail() on all of its members. What goes wrong with the window later ends the job. */
bool mpi_window_open(struct run *, enum window_kind, size_t bytes, MPI_Info, struct window *);
/* mpi_window_open(), and each rank locks the windows of all by MPI_Win_lock_all() until the end. */
bool mpi_window_open_locked(struct run *, enum window_kind, size_t bytes, MPI_Info,
                            struct window *);
/* Whether the library left alone what lies around the memory, where that is known: false after
 * run_fail(). */
bool mpi_window_verify_guards(struct run *, const struct window *);
/* Collective over the set; nothing where it has never been opened, in a state of zeros. */
void mpi_window_close(struct window *);
/* Hook: closes the window that the state begins with. */
void mpi_window_tear_down(struct run *);

/* Elements in memory, filled with this repetition's data of the tag; such that operations give
 * numbers when they are for accumulates: the same for all tags with floating-point types. */
void mpi_window_fill(const struct run *, void *memory, int64_t count, struct datatype *, int tag,
                     bool accumulates);
/* What an accumulate of the data of that tag by mpi_window_fill() makes of the block; data has room
 * for them. */
void mpi_window_accumulate(const struct run *, void *block, void *data, int64_t count,
                           struct datatype *, MPI_Op, int tag);
/* Not for types with bytes that mean nothing: these are always equal. */
bool mpi_window_equal(const void *, const void *, int64_t count, const struct datatype *);

#endif
#endif
