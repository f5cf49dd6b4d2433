/*
 * Files of MPI-IO that measurements make for themselves, and remove again. Each file lies in the
 * script's directory (set_io_working_dir()) and has a name of its own.
 */
#ifndef SKAMPI_MEASUREMENTS_MPI_FILE_H
#define SKAMPI_MEASUREMENTS_MPI_FILE_H

#include "measurements/common/mpi_common.h"

/* clang-format off */
#define BLOCK {"block", PARAMETER_INT, "bytes", "data of an access; 0: all at once", .maximum = INT_MAX, .example = "1024"}
#define FILE_BYTES {"memsize", PARAMETER_INT, "bytes", "size of the file", .size = true, .maximum = INT_MAX, .example = "4096"}
#define CREATE {"create", PARAMETER_INT, "", "1: there is no file before, and opening creates it; 0: it exists", .maximum = 1, .example = "1"}
/* clang-format on */

#if SKAMPI_MPI

#define MPI_FILE_PATH 1024

struct mpi_file {
    MPI_File handle; /* MPI_FILE_NULL: closed */
    MPI_Comm comm;   /* of those who share it */
    char path[MPI_FILE_PATH];
    bool there;       /* it is to be removed */
    const char *call; /* the first that failed, and its error code; NULL: none has */
    int code;
};

/* Chooses the name of the file that the members of comm share, which must stay as long as it.
 * number: which one it is where the set has several; -1: the only one. Collective over the set;
 * false after run_fail(). */
bool mpi_file_name(struct run *, struct mpi_file *, MPI_Comm comm, int number);

/* How files are opened to be written and read, with what the script says about that. */
int mpi_file_mode(const struct run *);
/* The script's hints. */
MPI_Info mpi_file_info(const struct run *);

/* Opens the file, or notes why not; closes it if it is open. */
void mpi_file_open(struct mpi_file *, MPI_Comm, int mode, MPI_Info);
void mpi_file_close(struct mpi_file *);

/* Makes the file and leaves it open; and removes it. Collective over the set. False after
 * run_fail() on all members. */
bool mpi_file_create(struct run *, struct mpi_file *);
void mpi_file_remove(struct run *, struct mpi_file *);

/* Hooks: of the file that all members share, with which the state begins. The first set-up only
 * chooses its name. */
bool mpi_file_set_up(struct run *);
bool mpi_file_set_up_created(struct run *);
void mpi_file_tear_down(struct run *);

/* Reserves space for the whole file, by one of those who share it: Open MPI may wait forever where
 * several take part. Collective over the set. */
void mpi_file_reserve(struct run *, struct mpi_file *, MPI_Offset bytes);

/* What was written before is seen by all who share the file (MPI 3.1, section 13.6.1). Collective
 * over them. */
void mpi_file_settle(struct mpi_file *);

/* Keeps the first failure: nothing is reported while something is timed. */
static inline void mpi_file_note(struct mpi_file *file, const char *call, int code)
{
    if (code != MPI_SUCCESS && !file->call) {
        file->call = call;
        file->code = code;
    }
}
#define FILE_CALL(file, routine, ...) mpi_file_note(file, #routine, routine(__VA_ARGS__))

/* False after run_fail() with that failure. Any PE. */
bool mpi_file_succeeded(struct run *, const struct mpi_file *);
/* As mpi_file_succeeded(), but false on all members if one of them has failed. Collective. */
bool mpi_file_all_succeeded(struct run *, const struct mpi_file *);

#endif
#endif
