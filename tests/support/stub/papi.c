/*
 * A PAPI whose counts are known, preloaded before the real one and before the OpenSHMEM library:
 * what is counted are calls. On PE k a quiet makes 1000 + 100 k cycles and a fence 70 instructions;
 * PAPI_REF_CYC are nanoseconds. Each reading counts 13 of everything, which must not show.
 *
 * STUB_PAPI holds words: "none" (no hardware counters), "only0" (PE 0 alone has some), "slow" (a
 * reading takes 50 microseconds).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <papi.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define READING 13
#define SLOW_NANOSECONDS 50000

enum event { CYCLES, INSTRUCTIONS, NANOSECONDS, CONFLICTING, EVENTS };
static const char *const names[EVENTS] = {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_REF_CYC",
                                          "PAPI_L1_DCM"};

static long long counts[EVENTS], readings;
static int chosen[EVENTS], chosen_count;

static bool told(const char *word)
{
    const char *words = getenv("STUB_PAPI");
    return words && strstr(words, word);
}

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

int PAPI_library_init(int version)
{
    return version;
}

int PAPI_num_cmp_hwctrs(int component)
{
    (void)component;
    return told("none") || (told("only0") && shmem_my_pe() != 0) ? 0 : EVENTS;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    for (int event = 0; event < EVENTS; event++)
        if (strcmp(names[event], name) == 0) {
            *code = event;
            return PAPI_OK;
        }
    return PAPI_ENOEVNT;
}

int PAPI_create_eventset(int *set)
{
    *set = 1;
    chosen_count = 0;
    return PAPI_OK;
}

int PAPI_add_event(int set, int code)
{
    (void)set;
    if (PAPI_num_cmp_hwctrs(0) == 0)
        return PAPI_ECMP_DISABLED;
    if (code == CONFLICTING && chosen_count > 0)
        return PAPI_ECNFLCT;
    chosen[chosen_count++] = code;
    return PAPI_OK;
}

int PAPI_read(int set, long long *values)
{
    (void)set;
    counts[NANOSECONDS] = nanoseconds();
    for (int i = 0; i < chosen_count; i++)
        values[i] = counts[chosen[i]] + readings * READING;
    readings++;
    while (told("slow") && nanoseconds() < counts[NANOSECONDS] + SLOW_NANOSECONDS)
        ;
    return PAPI_OK;
}

int PAPI_start(int set)
{
    (void)set;
    return PAPI_OK;
}

int PAPI_stop(int set, long long *values)
{
    return PAPI_read(set, values);
}

int PAPI_cleanup_eventset(int set)
{
    (void)set;
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
    *set = PAPI_NULL;
    return PAPI_OK;
}

static void call_real(const char *name)
{
    void (*real)(void);
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast between these */
    real();
}

void shmem_quiet(void)
{
    counts[CYCLES] += 1000 + 100 * shmem_my_pe();
    call_real("shmem_quiet");
}

void shmem_fence(void)
{
    counts[INSTRUCTIONS] += 70;
    call_real("shmem_fence");
}
