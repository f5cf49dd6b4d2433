/*
 * What happens once in a process: the start and the end of the library, and the memory that it
 * takes; what the system says; and programs and files beside its own. Nothing here communicates;
 * any PE, at any time.
 */
#ifndef SKAMPI_BASE_PROCESS_H
#define SKAMPI_BASE_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Seconds of a clock that goes on whatever timer is in use, and before there is one. */
double wall_seconds(void);

/* Resident memory of this process in bytes, pages that it shares with others included; NaN where
 * the system does not tell. */
double resident_bytes(void);

/* The first line of a file of the system, without its end; "" where it cannot be read. */
void process_read_line(const char *path, char *text, size_t size);

/* What this process waits for while it starts or ends, in words for users; NULL: nothing of that
 * kind. stage: from any thread. */
void process_enter(const char *what);
const char *process_stage(void);

/* Whether several threads of a process may call the library. */
enum process_threads {
    THREADS_NOT_ASKED, /* for: other operations may take longer then */
    THREADS_ASKED,     /* the library has not been started yet */
    THREADS_GIVEN,
    THREADS_REFUSED /* the library cannot do it */
};
/* From the main thread. */
void process_set_threads(enum process_threads);
enum process_threads process_threads(void);

/* What starting the library took on this PE, the engine's own preparations left out. */
struct library_start {
    double mpi, shmem; /* seconds in MPI_Init and shmem_init; NaN: not called */
    double resident_before, resident_after; /* resident_bytes() around both */
    double gets[2]; /* seconds of the first and the second get, from the next PE; NaN: none */
};

/* The path of a file of this name in the program's folder; false if that folder is not known. */
bool beside_find(char path[PATH_MAX], const char *name);

/* Becomes a program of this name in scripts/ or in the program's folder; arguments[0] is replaced
 * by its path. Returns only if that fails, after a message that begins with the caller's name. */
void beside_start(const char *program, char **arguments, const char *caller);

#endif
