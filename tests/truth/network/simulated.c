/*
 * A clock that the network moves: times are what is programmed, however busy the machine is.
 *
 * Each PE has its own time. It passes while a call costs something, jumps to when what is waited
 * for arrives, and passes a little with each reading. Waiting for another PE takes none by itself.
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BEGIN_NS 1000000000000 /* the same in each run */
#define READING_NS 20
/* Polling between two readings, without anything to wait for, takes this share of the time since
 * the last call, and more in pauses, so that those need few turns. */
#define POLL_SHARE 0.001
#define POLL_LEAST_NS 20
#define PAUSE_SHARE 0.02
#define PAUSE_NS 2000000
/* While the library starts and ends, which takes any number of polls: no watchdog may bark. */
#define START_MOST_NS 10000

static int64_t simulated;
static int64_t last_call; /* when the last call of the library returned */
static bool has_read;     /* the clock, and nothing since */
static __thread bool is_main __attribute__((tls_model("initial-exec")));

int64_t simulated_now(void)
{
    return __atomic_load_n(&simulated, __ATOMIC_RELAXED);
}

void simulated_set(int64_t time)
{
    if (time > simulated) {
        __atomic_store_n(&simulated, time, __ATOMIC_RELAXED);
    }
    last_call = simulated;
}

void simulated_waits(void)
{
    has_read = false;
}

void simulated_yield(void)
{
    make_progress();
    sched_yield();
}

void simulated_begin(void)
{
    is_main = true;
    simulated = BEGIN_NS;
}

static int64_t reading(void)
{
    int64_t time = simulated_now();
    if (is_main && depth == 0) {
        time += READING_NS;
        __atomic_store_n(&simulated, time, __ATOMIC_RELAXED);
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
            double passed = (double)(simulated - last_call);
            double step = passed * (passed < PAUSE_NS ? POLL_SHARE : PAUSE_SHARE);
            step = step < POLL_LEAST_NS ? POLL_LEAST_NS : step;
            step = !network.running && step > START_MOST_NS ? START_MOST_NS : step;
            __atomic_store_n(&simulated, simulated + (int64_t)step, __ATOMIC_RELAXED);
        } else {
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
