/*
 * A clock that the network moves: times are what is programmed, however busy the machine is.
 *
 * Each PE has its own time. It passes while a call costs something, jumps to when what is waited
 * for arrives, and passes a little with each reading. Waiting for another PE takes none by itself.
 * PEs are ahead of each other in this time; where the order of their calls matters, one that is
 * ahead waits for the others.
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BEGIN_NS 1000000000000 /* any time, but equal in all runs */
#define READING_NS 20
/* Polling between two readings, without anything to wait for, takes this share of the time since
 * the last call, and more in pauses, so that those need few turns. */
#define POLL_SHARE 0.001
#define POLL_LEAST_NS 20
#define PAUSE_SHARE 0.02
#define PAUSE_NS 2000000
/* While the library starts and ends, which takes any number of polls: no watchdog may bark. */
#define START_MOST_NS 10000

static struct position alone, *own = &alone;
static struct position **positions; /* of all PEs */
static bool has_paused;             /* since the last call */
static bool polls;                  /* the library, since the last call that took time */
static int64_t last_call;           /* when the last call of the library returned */
static bool has_read;               /* the clock, and nothing since */
static __thread bool is_main __attribute__((tls_model("initial-exec")));

int64_t simulated_now(void)
{
    return __atomic_load_n(&own->time, __ATOMIC_RELAXED);
}

/* Others must see what this PE has done before they see its time. */
static void pass_until(int64_t time)
{
    __atomic_store_n(&own->time, time, __ATOMIC_RELEASE);
}

void simulated_set(int64_t time)
{
    pass_until(later(time, simulated_now()));
    __atomic_store_n(&own->waits, false, __ATOMIC_RELEASE);
    last_call = simulated_now();
    polls = false;
}

bool simulated_polls(void)
{
    return polls;
}

void simulated_waits(void)
{
    has_read = false;
    __atomic_store_n(&own->waits, true, __ATOMIC_RELEASE);
}

void simulated_join(struct position **all)
{
    *all[self] = *own;
    own = all[self];
    positions = all;
}

void simulated_part(void)
{
    alone = *own;
    simulated_waits();
    own = &alone;
}

/* Whether a PE may still do something that comes before what this one is about to do. */
static bool comes_first(int pe)
{
    if (pe == self || __atomic_load_n(&positions[pe]->waits, __ATOMIC_ACQUIRE)) {
        return false;
    }
    int64_t time = __atomic_load_n(&positions[pe]->time, __ATOMIC_ACQUIRE), now = simulated_now();
    return time < now || (time == now && pe < self);
}

static bool is_first(void)
{
    for (int pe = 0; pe < pes; pe++) {
        if (comes_first(pe)) {
            return false;
        }
    }
    return true;
}

void simulated_turn(void)
{
    while (network.simulated && network.running && !is_first()) {
        simulated_yield();
    }
}

/* A pause takes no real time: what others do meanwhile, this PE must find done. */
void simulated_enter(void)
{
    if (!is_main) {
        return;
    }
    __atomic_store_n(&own->waits, false, __ATOMIC_RELEASE);
    if (has_paused) {
        has_paused = false;
        simulated_turn();
    }
}

void simulated_yield(void)
{
    make_progress();
    sched_yield();
}

void simulated_begin(void)
{
    is_main = true;
    pass_until(BEGIN_NS);
}

static int64_t reading(void)
{
    int64_t time = simulated_now();
    if (is_main && depth == 0) {
        time += READING_NS;
        pass_until(time);
        has_read = true;
    }
    return time;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (network.simulated && network.active &&
        (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW)) {
        int64_t now = reading();
        *time = (struct timespec){now / 1000000000, now % 1000000000};
        return 0;
    }
    if (!real) {
        real = (int (*)(clockid_t, struct timespec *))real_function("clock_gettime");
    }
    return real(id, time);
}

/* Of Open MPI, which waits by it, too. */
int opal_progress(void)
{
    static int (*real)(void);
    if (!real) {
        real = (int (*)(void))real_function("opal_progress");
    }
    if (network.simulated && is_main && network.active) {
        if (depth == 0 && has_read) {
            double passed = (double)(simulated_now() - last_call);
            double step = passed * (passed < PAUSE_NS ? POLL_SHARE : PAUSE_SHARE);
            step = step < POLL_LEAST_NS ? POLL_LEAST_NS : step;
            step = !network.running && step > START_MOST_NS ? START_MOST_NS : step;
            pass_until(simulated_now() + (int64_t)step);
            has_paused = true;
        } else {
            polls = true;
            simulated_waits();
            sched_yield();
        }
    }
    depth++;
    int events = real();
    depth--;
    return events;
}

/* ---- Another machine: only for the program itself ---- */

static bool is_program(void)
{
    return network.active && is_main && depth == 0 && pes > 0;
}

int gethostname(char *name, size_t length)
{
    static int (*real)(char *, size_t);
    if (!real) {
        real = (int (*)(char *, size_t))real_function("gethostname");
    }
    if (network.first == 0 || !is_program()) {
        return real(name, length);
    }
    snprintf(name, length, "node%d", self >= network.first);
    return 0;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    static int (*real)(pid_t, size_t, cpu_set_t *);
    if (!real) {
        real = (int (*)(pid_t, size_t, cpu_set_t *))real_function("sched_getaffinity");
    }
    if (network.processors == 0 || !is_program()) {
        return real(process, size, set);
    }
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)(self % network.processors), size, set);
    return 0;
}

long sysconf(int name)
{
    static long (*real)(int);
    if (!real) {
        real = (long (*)(int))real_function("sysconf");
    }
    return network.processors > 0 && name == _SC_NPROCESSORS_ONLN && is_program()
               ? network.processors
               : real(name);
}

static const char *first_block;
static size_t first_bytes;

void simulated_block(const void *memory, size_t bytes)
{
    if (!first_block) {
        first_block = memory;
        first_bytes = bytes;
    }
}

/* What goes past the library brings no time with it, which what PEs tell each other must. */
static bool brings_time(const void *address)
{
    return network.simulated && (const char *)address >= first_block &&
           (const char *)address < first_block + first_bytes;
}

void *shmem_ptr(const void *address, int pe)
{
    static void *(*real)(const void *, int);
    if (!real) {
        real = (void *(*)(const void *, int))real_function("shmem_ptr");
    }
    bool apart = network.processors > 0 || brings_time(address);
    return apart && is_program() && pe != self ? NULL : real(address, pe);
}
