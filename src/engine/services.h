/*
 * What a measurement in progress works with, and what the functions that hooks call (run_start(),
 * run_note(), ...) share with the engine. measurement.h declares those functions.
 */
#ifndef SKAMPI_ENGINE_SERVICES_H
#define SKAMPI_ENGINE_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/sync.h"
#include "engine/buffers.h"
#include "engine/samples.h"
#include "settings/settings.h"

/* The window of the repetition in progress: when it starts, and whether it kept to that. Global
 * ticks (of the set's rank 0), except where it says otherwise. */
struct window {
    enum synchronization synchronization; /* in force for this call, */
    enum window_rule rule;                /* and how windows are laid */
    int64_t origin, width;                /* width 0: not known yet */
    int64_t index;                        /* of the repetition in the batch */
    int64_t scheduled;                    /* start of this repetition */
    int64_t start, stop;                  /* local ticks */
    bool started_late, took_too_long;
    int64_t longest_poll; /* local ticks */
    int64_t broadcast;    /* upper estimate of the engine's broadcast */
};

/* What run_elapsed() saw on this PE. */
struct timing {
    int64_t shortest;     /* timed interval of this measurement, ticks; INT64_MAX: none */
    int64_t longest;      /* valid repetition, from start to stop, ticks */
    double total;         /* of all timed intervals since the start of the program, seconds */
    double shortest_part; /* of the last repetition, as run_shortest_part() said; else NaN */
};

struct services {
    struct window window;
    struct timing timing;
    struct notes notes;
    bool skewed;      /* PEs enter as set_arrival_skew() has it */
    size_t not_cold;  /* operations of an iteration without cold memory, where all are to be cold */
    char *failure;    /* why this measurement fails on this PE, or NULL */
    bool unsupported; /* it does, since the library does not offer it */
    const struct sync_report *clocks;
    double pause_overhead;   /* seconds */
    bool pause_known;        /* by the timer in use */
    size_t library_measured; /* measurements of a library so far, except those marked `once` */
    void **memory;           /* that run_allocate() gave to the hooks */
    size_t memory_count, memory_room;
    bool report_end; /* the output is to end with what the library's own end took */
};

/* Of the data. */
struct verification {
    uint64_t seed;  /* of the last data that were made, the same on all members */
    double seconds; /* that data and their checks took */
    double proof;   /* seconds of the last proof that the operation is right */
    bool filling;   /* the next repetition's memory gets data of its own before it begins */
    size_t filled;  /* turns of the buffers before this one have data */
};

/* What a measurement in progress works with. */
struct bench {
    struct run run;
    struct services services;
    struct buffers buffers;
    struct verification verification;
    size_t operations; /* of an iteration that need memory of their own; 0: the function does not
                          say */
};

/* Repetitions start by the clock, or after the engine's barrier, whose skew the clocks measure. */
bool window_applies(const struct run *);
/* set_run_time("global") is in force. */
bool window_global_run_time(const struct run *);

/* The places that this many iterations use when each is to be cold. */
size_t bench_places(const struct bench *, int64_t iterations);
/* No more of the wanted iterations of a cold measurement than there is fresh memory for; at least
 * one. */
int64_t iterations_fitting(const struct bench *, int64_t wanted);
/* Reduces the iterations of a cold measurement to that, with a note. */
void iterations_limit(struct bench *);
/* Frees what run_allocate() gave. */
void services_free(struct services *);

#endif
