/*
 * What the parts of the programmed network share; network.c says what the whole is.
 */
#ifndef TRUTH_NETWORK_H
#define TRUTH_NETWORK_H

#include <shmem.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A preloaded library's own names must not get between those of the program and its libraries. */
#pragma GCC visibility push(hidden)

_Noreturn void die(const char *what, const char *which);

/* Lets the real library answer what other PEs ask of this one. */
void make_progress(void);

/* ---- What is programmed ---- */

enum cost {
    COST_POST,
    COST_WIRE,
    COST_QUIET,
    COST_FENCE,
    COST_FETCH,
    COST_WAIT,
    COST_TEST,
    COST_BARRIER,
    COST_SYNC,
    COST_REDUCE,
    COST_COLLECT,
    COST_FCOLLECT,
    COST_ALLTOALL,
    COST_ALLTOALLS,
    COST_ALLOCATE,
    COST_FREE,
    COST_CTX_CREATE,
    COST_CTX_DESTROY,
    COST_SET_LOCK,
    COST_CLEAR_LOCK,
    COST_TEST_LOCK,
    COST_FLUSH, /* these two: of MPI, in ../network_mpi */
    COST_SEND,
    COST_BROADCAST, /* the time of one step */
    COST_KIB,       /* of the wire, for 1024 bytes */
    COST_LARGE_POST,
    COST_LARGE_WIRE,
    COST_LARGE_KIB,
    COSTS
};

enum broadcast { BROADCAST_REAL, BROADCAST_LINEAR, BROADCAST_CHAIN, BROADCAST_FLAT };

enum trap_kind { TRAP_NONE, TRAP_RELATIVE, TRAP_SOURCE, TRAP_TARGET, TRAP_ORDER };

struct network {
    bool active;
    int64_t cost[COSTS]; /* ticks; negative: not programmed */
    size_t large;        /* bytes from which puts and gets have costs of their own; 0: none have */
    int64_t outstanding; /* ticks that each outstanding operation adds to the next post */
    int64_t contention;  /* ticks that each other PE with something large under way adds */
    struct {             /* one in `count` puts and gets of so many bytes costs `factor` times */
        int64_t count, factor;
        size_t bytes;
    } rare;
    struct trap { /* where large puts and gets cost `factor` times */
        enum trap_kind kind;
        long rest, modulus;
        size_t bytes;
        double factor;
    } trap;
    enum broadcast broadcast;
    bool progress_by_itself;
    bool report;
    int processors, first; /* that nodes seem to have; PEs on the first one; 0: as it is */
    bool simulated;        /* times are those of simulated.c */
    bool running;  /* between start and end of the library, which wait as long as they like */
    double factor; /* of the schedule and the noise, by which all costs are multiplied now */
    int64_t look;  /* ticks at which the schedule is looked at again */
};
extern struct network network;

/* ---- Clock: ticks of the time-stamp counter where that is invariant, else nanoseconds ---- */

extern bool use_tsc;
extern double ticks_per_ns;

int64_t system_ns(void);
void clock_calibrate(void);

/* A clock of this PE that the network moves; nanoseconds. */
int64_t simulated_now(void);
void simulated_begin(void);
/* Not backwards. */
void simulated_set(int64_t time);
/* This PE looks for what another one does, or waits in the library: the clock stands still. */
void simulated_waits(void);
/* Whether it has let the library work since it last looked, as who waits does. */
bool simulated_polls(void);
/* Waits until each other PE that does not wait has come as far in simulated time: what PEs do to
 * locks and by fetching atomics then happens in the order of that time. */
void simulated_turn(void);
/* At the entry of each call. */
void simulated_enter(void);
/* Where a PE is in simulated time, as the others see it. */
struct position {
    int64_t time;
    bool waits; /* for what another PE does */
};
/* From now on others see this PE's position, and it sees theirs. */
void simulated_join(struct position **all);
/* Before the memory of positions goes: nobody waits for this PE any more. */
void simulated_part(void);
/* Lets other PEs run that this one waits for. */
void simulated_yield(void);
/* What the program has aligned first is how skampi's PEs speak to each other. */
void simulated_block(const void *memory, size_t bytes);

static inline int64_t ticks_now(void)
{
    if (network.simulated) {
        return simulated_now();
    }
#if defined(__x86_64__)
    if (use_tsc) {
        return (int64_t)__builtin_ia32_rdtsc();
    }
#endif
    return system_ns();
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Costs that change by the clock: SECONDS:FACTOR/..., and when that began. */
void schedule_parse(const char *text);
void schedule_start(const char *text);
/* SIGMA:SHARE, and the seed of what is drawn. */
void noise_parse(const char *text);
void noise_seed(const char *text);
/* When all costs are known. */
void schedule_begin(void);
/* Puts the costs into force that hold now, in ticks. */
void schedule_look(int64_t now);

/* ---- One call ---- */

/* The real library calls its own public names: only the outermost call costs. */
extern __thread int depth __attribute__((tls_model("initial-exec")));

struct call {
    int64_t entry; /* 0: costs nothing (nested, or nothing is programmed) */
};

static inline struct call call_enter(void)
{
    if (depth++ > 0 || !network.active) {
        return (struct call){0};
    }
    if (network.simulated) {
        simulated_enter();
    }
    int64_t now = ticks_now();
    if (now >= network.look) {
        schedule_look(now);
    }
    return (struct call){now};
}

static inline void call_leave(void)
{
    depth--;
}

static inline bool call_costs(struct call call, enum cost cost)
{
    return call.entry != 0 && network.cost[cost] >= 0;
}

/* Busy until the given time, as the caller sees it. Which cost it is for makes only a difference
 * for the accuracy. */
void busy_until(enum cost, int64_t time);
void busy_report(void);
void busy_calibrate(void);

/* The cost counted from the call's entry. */
void charge(struct call, enum cost);

/* ---- What is outstanding, in each context ---- */

/* The time at which all that is outstanding in the context is complete, for a caller that starts
 * waiting for it at the given time. */
int64_t pending_complete(shmem_ctx_t, int64_t time);
bool pending_any(shmem_ctx_t);

/* ---- What PEs know of each other (all on one node); times are readings of one clock ---- */

extern int self, pes;

void shared_create(void);

/* Each PE tells others times. Two PEs take part in the collectives that they have in common in the
 * same order, so a count for each pair says which one a time belongs to, whatever the sets. */
void tell(int pe, int64_t time);
int64_t told(int pe);

/* Whether this PE has something large under way, and how many others have. */
void under_way(bool any);
int others_under_way(void);

/* Announced before the data are moved: when they arrive at [dest, dest + bytes) on the PE. */
void announce(const void *dest, size_t bytes, int pe, int64_t arrival);
/* As announce(), for one element of a known value. */
void announce_value(const void *dest, size_t bytes, int pe, int64_t arrival, long double value);
/* When what is written to the address here arrives, so that a wait for compare (SHMEM_CMP_...) and
 * operand ends; what has arrived by then counts as `time`. Of known values that grow, a wait for at
 * least so much is for the first one that is enough; of others it is for the last. */
int64_t arrival_for(const void *address, int compare, long double operand, int64_t time);

/* When the lock was released last, or will be. */
void lock_release_at(const volatile void *lock, int64_t time);
int64_t lock_released(const volatile void *lock);

#pragma GCC visibility pop

#endif
