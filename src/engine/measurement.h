/*
 * The header of the engine for authors of measurement functions; measurements/common/shapes.h,
 * which includes it, has parameters, shapes and verified data that most families need besides.
 *
 * A measurement function is one descriptor: what it is called, what it takes, which routine it
 * measures, what memory it needs, and up to ten hooks, of which only run() is in all. The engine
 * calls most of them on every member of the PE set ("all members"); PEs outside the set wait inside
 * the library meanwhile and answer remote operations.
 *
 * All times are seconds.
 */
#ifndef SKAMPI_ENGINE_MEASUREMENT_H
#define SKAMPI_ENGINE_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/process.h"
#include "clock/timer.h"
#include "objects/communicator.h"
#include "objects/datatype.h"
#include "objects/info.h"
#include "objects/mpi_constant.h"
#include "objects/mpi_names.h"
#include "objects/pe_set.h"
#include "objects/value.h"
#include "settings/settings.h"
#include "stats/random.h"

#define MEASUREMENT_MAX_PARAMETERS 8
#define MEASUREMENT_MAX_LIKE 4

enum parameter_type {
    PARAMETER_INT,
    PARAMETER_ITERATIONS, /* an integer: operations timed together; at most one per function */
    PARAMETER_RANK,       /* an integer: a rank of the set, checked by the engine */
    PARAMETER_DOUBLE,
    PARAMETER_STRING,
    PARAMETER_INT_ARRAY,
    PARAMETER_DATATYPE,
    PARAMETER_OPERATION,
    PARAMETER_INFO
};

/* What a user needs to know to give a value. --describe prints all of it. */
struct parameter {
    const char *name; /* NULL ends the list */
    enum parameter_type type;
    const char *unit; /* "bytes", "s", ... or "" */
    const char *meaning;
    int64_t minimum,
        maximum;        /* of integers, checked by the engine; maximum 0: there is none, or none
                           that holds for all sets. Ranks are ranks of the set and need neither. */
    double least, most; /* of reals, checked by the engine */
    bool above;         /* the value must be more than the least */
    bool size; /* says how much data there are: --sizes sets it. Others in bytes say where they lie
                */
    /* Of a size that does not count bytes: the parameter that says what an element is, by its
     * datatype or its bytes; or that datatype itself, "MPI_INT". */
    const char *element;
    const char *also; /* NAME=VALUE on the command line sets it by this name, too: "count" sets
                         s_count and r_count */
    /* Of strings: what the value may be, separated by "|"; the engine refuses anything else. NULL:
     * anything. */
    const char *words;
    const char *allowed; /* what else the value must be: "a power of two"; NULL: anything. Where
                            there are words, this explains them */
    /* The value where a script leaves it out; NULL: it must be given. Only the last ones may have
     * one. As text, strings without quotes. */
    const char *otherwise;
    /* The value for a first try, valid on any set of minimum_pes or more; as text, strings without
     * quotes. Every parameter has one. */
    const char *example;
};

enum api { API_NONE, API_OPENSHMEM, API_MPI };

/* What a value is. set_unit and --unit are for times alone. */
enum quantity { QUANTITY_TIME, QUANTITY_BYTES };

/* How a repetition starts, and what its value is. */
enum timing_kind {
    TIMING_ALONE, /* each PE starts when it comes to it, and run() times what counts */
    TIMING_PARTS, /* starts as the script chose (window, barrier, none); run() times what counts */
    TIMING_WHOLE, /* starts as TIMING_PARTS; the value is run_stop() - run_start() over the
                     iterations, so that set_run_time applies */
    TIMING_ONCE   /* happens once in a process: one repetition, by each PE when it comes to it,
                     without   an untimed call before it */
};

/* What one operation moves. Its bandwidth, bus bandwidth and rate follow from that
 * (engine/functions.c). */
enum moves {
    MOVES_UNSTATED, /* a defect, except with no_data or without an API */
    MOVES_NOTHING, /* also where the time is not that of moving all data: a post, a quiet, a lock */
    MOVES_MESSAGE, /* the reported bytes, in one message */
    MOVES_BOTH_WAYS, /* the reported bytes there and back, in two messages */
    MOVES_TO_ALL,    /* the reported bytes between one rank and all others: broadcast, reduction */
    MOVES_BLOCKS,    /* a block of the reported bytes for each rank: gather, scatter, all-to-all */
    MOVES_SHARES,    /* the reported bytes, of which each rank gets a share: reduction scattered */
    MOVES_REDUCED,   /* the reported bytes, combined and sent to all: reduction to all */
    MOVES_COUNT
};

/* Bytes that one call needs. PEs outside the set compute them, too, since all PEs allocate
 * symmetric memory together. */
struct demand {
    size_t local;   /* source (put, broadcast) or destination (get): decides whether it fits; MPI:
                       what is sent */
    size_t remote;  /* symmetric memory on the other side, at the same address on all PEs; MPI: what
                       is received, and both together decide whether they fit */
    size_t scratch; /* symmetric memory for counters and the like, zeroed on all PEs of the job */
    size_t own; /* what the function allocates for itself: it need not fit the buffer, but a loop to
                   ... ends where it would not */
    size_t reported; /* the size column of the result */
};

/* One measurement in progress, as a hook sees it. */
struct run {
    const struct measurement *function;
    const struct value *arguments; /* in the order of the parameters */
    const struct settings *settings;
    const struct pe_set *set;
    int rank, size;     /* in the set */
    int64_t iterations; /* operations timed together: the PARAMETER_ITERATIONS argument, chosen by
                           the engine when that is 0; 1 for functions without one; in reference():
                           as many as are needed for the timer there, if the time grows with them */
    int64_t measured;   /* in reference(): the iterations of what it is subtracted from */
    /* The buffers of this repetition, filled in before each call of a hook. With OpenSHMEM all
     * three lie in the symmetric heap at addresses that are equal on all PEs. */
    unsigned char *local, *remote, *scratch;
    /* From one iteration to the next, bytes: 0 when warm; cold, each iteration has fresh memory. */
    size_t local_step, remote_step;
    size_t places; /* number of such steps in the buffers; SIZE_MAX when warm */
    size_t place;  /* which of them fill() and verify() are about; 0 when warm */
    struct demand demand;
    uint64_t seed;    /* of the data that fill() is to make */
    int64_t repeated; /* repetitions since fill() */
    bool untimed;     /* this repetition only shows whether the data are right: nothing is warmed */
    void *state;      /* the function's own, state_bytes long, zeroed before set-up */
    struct services *services; /* of the engine, for the functions below */
};

struct measurement {
    const char *name, *summary;
    /* What the function has in common with others: it takes each member that it leaves out from the
     * first of these that states it, or that is itself like one which states it. A member that is
     * 0, false or NULL counts as left out. */
    const struct measurement *like[MEASUREMENT_MAX_LIKE];
    /* Stands where the summary, routine, calls or timed have "%s": descriptors of what functions
     * have in common name what distinguishes them by that. */
    const char *word;
    /* The routine of the library that is measured: its name leads users here. Several, separated by
     * blanks, where the arguments or the set decide which one is called. Without a type
     * ("shmem_put") where the time is that of any type with this many bytes. NULL: the time is not
     * that of one routine. */
    const char *routine;
    /* Others that are called meanwhile, or whose end is timed: "" where there are none. Each
     * function of an API states at least one of both. */
    const char *calls;
    enum api api;
    int version_major, version_minor; /* of the API, needed at least; 0.0 when any will do */
    struct parameter parameters[MEASUREMENT_MAX_PARAMETERS];
    enum timing_kind timing;
    bool clocks; /* is about synchronized clocks, however it starts */
    enum quantity quantity;
    bool any_sign;       /* values below zero are meaningful, not an error of the method */
    int minimum_pes;     /* in the set */
    bool local_anywhere; /* run->local may lie in memory of any kind. Others of OpenSHMEM need it in
                            symmetric memory, those of MPI need none */
    bool one_place;      /* works on the memory that set-up found: its buffers do not cycle */
    bool no_data;        /* moves and changes nothing that could be verified */
    bool synchronizes;   /* nobody's run() of one iteration returns before all who take part have
                            called it, which the engine verifies */
    bool arrives;     /* a PE whose run() has returned has all data that it is to get: verify() is
                         also called then, before anything else; it does not communicate */
    bool own_check;   /* run() verifies each repetition's data itself: they do not outlive it */
    bool accumulates; /* its operation is one-sided, where MPI_REPLACE is allowed, too */
    bool threads;     /* several threads of a PE call the library, see --threads */
    enum moves moves;
    bool neighborhood;      /* works along the topology of the set, which needs one */
    const char *timed;      /* what the value is, one line for --describe */
    const char *who;        /* who reports: "all", "rank 0", ... */
    const char *subtracted; /* what is taken off, or NULL */
    const char *cost;    /* the value in the costs of a known network, or NULL; see docs/method.md,
                            "Cost formulas" */
    const void *variant; /* what distinguishes functions that share their hooks */
    size_t state_bytes;
    /* Of run->demand.scratch, before demand() adds what depends on arguments. */
    size_t scratch_bytes;

    /*
     * The hooks, in the order in which they run.
     *
     *   check, demand, prepare  on every PE of the job
     *   operations, setup       from here on, on all members of the set
     *   fill, run, verify       one untimed call of one iteration, whose data must be right
     *   run                     the first call, untimed, and more of set_warm_up()
     *   reference               some times
     *   fill, run, ..., verify  all repetitions
     *   reference               as often as before
     *   fill, run, verify       the untimed call once more
     *   teardown                also where something failed
     *
     * With TIMING_ONCE there is one run() and no untimed one. check() and demand() find the
     * function, its arguments, the set and its size in the run, and nothing else: what they say
     * must be the same on all PEs.
     */

    /* Refuses arguments and sets: all that the engine does not check itself, which are ranges,
     * ranks, words, minimum_pes, and whether an operation goes with the datatype. Returns NULL or
     * the reason, for the user. Pure; called on every PE of the world. */
    const char *(*check)(const struct run *);
    /* Sets run->demand, which is zeroed but for scratch_bytes, from the arguments and the size of
     * the set. */
    void (*demand)(struct run *);
    /* On every PE of the world, members (run->rank >= 0) or not, before set-up and without buffers:
     * for what the library makes collective over all PEs. May be NULL. The engine itself makes the
     * communicator of a function of MPI there. */
    void (*prepare)(struct run *);
    /* Prepares the measurement. Collective over the set. False after run_fail(): the measurement
     * fails, the script goes on. */
    bool (*setup)(struct run *);
    /* The data, by all members, with a barrier before and after: on run->local and run->remote,
     * which are the place of a repetition or of one iteration of it. The engine decides when it
     * calls them (docs/method.md, "Verification"). All functions have both, except those with
     * no_data or own_check.
     *
     * Source: data that depend on run->seed, the rank and the position; target, and what must not
     * be touched: poison (data_poison() and the like). */
    void (*fill)(struct run *);
    /* Whether the data are right after run->repeated calls of run(); false after run_fail(). Data
     * that each call changes again need a check only where run->untimed says that there was one
     * call of one iteration. The engine checks the memory around the buffers. */
    bool (*verify)(struct run *);
    /* Subtracted from what run() returns: the cost of what surrounds the measured call, per
     * operation. The engine calls it before and after the repetitions and counts its spread into
     * the standard error. */
    double (*reference)(struct run *);
    /* One repetition: run_start(), the operations, run_stop(); returns seconds per operation, or
     * NaN where this PE has nothing to report. NULL: not supported by what this program was
     * built with. */
    double (*run)(struct run *);
    void (*teardown)(struct run *);
    /* How many operations of an iteration need memory of their own to find it cold, where it is not
     * one. There is one place more than for all of them, the first, for an untimed operation. Where
     * there are fewer than run->places, hooks begin again with the first. Pure. */
    int64_t (*operations)(const struct run *);
    int64_t fewest_iterations; /* that the engine chooses, where the method needs many */
};

/* The families' tables, in the order of --list; measurements/registry.c lists them. A family's
 * table ends with an entry that has no name, the list of families with NULL. */
extern const struct measurement *const measurement_families[];
/* Their names, in the same order. */
extern const char *const measurement_family_names[];

/* Hooks that call a library, and states with its types, are left out where the program is built
 * without it. */
#if SKAMPI_SHMEM
#define WITH_SHMEM(hook) (hook)
#define SHMEM_STATE(type) .state_bytes = sizeof(type)
#else
#define WITH_SHMEM(hook) NULL
#define SHMEM_STATE(type) .state_bytes = 0
#endif
#if SKAMPI_MPI
#define WITH_MPI(hook) (hook)
#define MPI_STATE(type) .state_bytes = sizeof(type)
#else
#define WITH_MPI(hook) NULL
#define MPI_STATE(type) .state_bytes = 0
#endif

/* Whether repetitions start as the script chose. */
static inline bool measurement_synchronized(const struct measurement *function)
{
    return function->timing == TIMING_PARTS || function->timing == TIMING_WHOLE;
}

/* By script name, or NULL. */
const struct measurement *measurement_find(const char *name);
/* PEs of the job; 0 as long as the library has not been started: check() may be called then. */
int measurement_pes(void);
/* Name of its family; "" of one that no family has. */
const char *measurement_family(const struct measurement *);
/* i-th of all; NULL after the last. */
const struct measurement *measurement_at(size_t i);
size_t measurement_parameter_count(const struct measurement *);
/* NULL: it has none of that name. */
const struct parameter *measurement_parameter(const struct measurement *, const char *name);
/* The parameter of the operations timed together. NULL: it times one at a time. */
const struct parameter *measurement_iterations(const struct measurement *);
/* For the user, as texts that the caller frees: all words of a parameter that has some; what a
 * value must be apart from its range, NULL: anything. */
char *parameter_words(const struct parameter *);
char *parameter_allowed(const struct parameter *);
/* The place of the value among the parameter's words; -1: it is none of them. */
int parameter_word(const struct parameter *, const char *value);
enum value_type parameter_value_type(const struct parameter *);
/* How many of them must be given. */
size_t measurement_required_count(const struct measurement *);
/* Sets the run's demand, as its function's hook says; nothing without one. */
void measurement_demand(struct run *);
/* Whether it has data that are verified. */
bool measurement_has_data(const struct measurement *);
/* How its data are verified, for --describe: "none", ...; NULL: they are not. */
const char *measurement_data(const struct measurement *);
/* The part of a demand that ends a loop to ... when it is larger than the buffer. */
size_t measurement_weight(const struct measurement *, const struct demand *);
/* NULL when it can be measured here, otherwise the reason: the API is absent from the build, its
 * version too low, or this version of the library has a known defect. */
const char *measurement_unsupported(const struct measurement *);
/* For the engine, where data are wrong: NULL, or the known defect of this version of the library
 * because of which that is no failure of the measurement, but belongs into a note. */
const char *measurement_wrong_values(const struct measurement *);
/* For those who allocate windows of MPI: NULL, or the known defect of this version of the library
 * because of which their sizes must be multiples of 16 bytes; it belongs into a note. */
const char *measurement_window_sizes(const struct measurement *);

/* ---- For hooks; all members call them unless it says otherwise ---- */

/* The argument for the parameter of that name, which the function must have. These four compare
 * names: call them before the timed part, never in a loop. Any PE. */
const struct value *run_argument(const struct run *, const char *name);
/* NULL where functions that share a hook lack the parameter. */
const struct value *run_find_argument(const struct run *, const char *name);
/* The integer of that parameter, or `otherwise` where they lack it. */
int64_t run_integer(const struct run *, const char *name, int64_t otherwise);
/* The place of the argument among the words of that parameter; 0 where they lack it. */
int run_word(const struct run *, const char *name);

/* Waits for the start as the script chose, with the library making progress, and returns the time.
 * Once per run(), by every member, also by those that only watch. */
int64_t run_start(struct run *);

/* The end of this PE's part. Once per run(), after run_start(). */
int64_t run_stop(struct run *);

/* Seconds between two readings of timer_now(), less what the readings themselves cost. What lies
 * between them is what set_hw_counters() counts, except for run_pause(). Any PE. */
double run_elapsed(struct run *, int64_t start, int64_t stop);

/* Of a repetition that times parts each by itself: the seconds of the shortest, which must be long
 * enough where the engine chooses the iterations; otherwise it is all that run_elapsed() saw. Any
 * PE. */
void run_shortest_part(struct run *, double seconds);

/* Busy for about the given seconds without system call, sleep or library call; returns the
 * length measured. Any one PE. */
double run_pause(double seconds);

/* run_pause() by another clock than the timer in use; rate: its ticks per second. */
double run_pause_by(const struct timer *clock, double rate, double seconds);

/* The cost of a run_pause() beyond the length that it returns, per call. Any one PE. */
double run_pause_overhead(struct run *);

/* Busy for at least the given seconds, by the clock, with the library making progress: for a PE
 * that others need meanwhile. Returns what the call cost. Any one PE. */
double run_hold(double seconds);

/* Global time minus this PE's clock, and the error bound found when clocks were synchronized.
 * Seconds. Any PE. */
double run_clock_offset(struct run *, double *bound);

/* This PE's global time minus rank 0's, by new exchanges of messages, and their error bound.
 * Seconds. */
double run_clock_error(struct run *, double *bound);

/* Waits, with the library making progress. Any PE. */
void run_idle(double seconds);

/* One PE of the set tells another that it has come to this place; the other one waits for it with
 * the library making progress. Once between two run_start(), and not while anything is timed. */
void run_tell(struct run *, int pe);
void run_await_told(struct run *);

/* How long the library's start took on this PE. Any PE. */
const struct library_start *run_library_start(struct run *);

/* Makes the output end with the time that the library's end takes. Any PE. */
void run_report_end(struct run *);

/* Measurements of a library made before this one in this run, except those with TIMING_ONCE. */
size_t run_measured_before(struct run *);

/* Engine's own barrier and maximum over the set (not the library's collectives). */
void run_barrier(struct run *);
double run_max(struct run *, double value);

/* Declares the measurement failed, with a reason for the user. Any one PE; the engine finds out
 * after set-up or after the batch in progress. Returns false. */
bool run_fail(struct run *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For set-up, if it turns out that the library does not offer here what is to be measured: the
 * measurement is unsupported, with this reason. Returns false. */
bool run_unsupported(struct run *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory until after teardown: nobody frees it. Never NULL: without memory the job ends. For
 * what grows with the number of PEs, or is no larger than the buffers. Any one PE, in setup(). */
void *run_allocate(struct run *, size_t count, size_t size);

/* A line "# note: ..." after the result. Only rank 0's notes are kept, the same text once. */
void run_note(struct run *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers for notes, with three significant digits and no zeros at the end of decimals:
 * run_note(run, "the first took %s", plain_time(seconds).text). Any PE.
 *
 * plain_time(): a time (seconds) in the unit that suits it: "1.23 us", "460 ns", "2 s".
 * plain_number(): "460", "2.5", "12300"; no exponent from 0.0001 to 10^7; also a ratio, as in
 * "2.5 times as long". plain_share(): 0.125 is "12.5 %". */
struct plain_text {
    char text[40];
};
struct plain_text plain_time(double seconds);
struct plain_text plain_number(double value);
struct plain_text plain_share(double share);

/* Says with the result that set_arrival_skew() applies to it. Any one PE. */
void run_note_arrival(struct run *);

#endif
