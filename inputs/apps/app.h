/*
 * What the applications share: options, counters of their calls, a result that can be compared. An
 * application gives the same output whatever the timing and, but for its first line, whatever the
 * number of PEs. All PEs call everything here.
 */
#ifndef SKAMPI_INPUTS_APPS_APP_H
#define SKAMPI_INPUTS_APPS_APP_H

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counters ---- */

#define APP_ROUTINES 40
#define APP_LINE 96

struct app_counter {
    const char *routine;
    unsigned long calls;
};

static _Thread_local struct app_counter app_counters[APP_ROUTINES];

/* CALL(shmem_quiet)(): calls it and counts the call, for the thread that calls. */
#define CALL(routine) (app_count(#routine), routine)

static inline void app_count_in(struct app_counter *counters, const char *routine,
                                unsigned long calls)
{
    struct app_counter *counter = counters;
    while (counter->routine && strcmp(counter->routine, routine) != 0)
        counter++;
    if (counter == counters + APP_ROUTINES - 1)
        abort();
    counter->routine = routine;
    counter->calls += calls;
}

static inline void app_count(const char *routine)
{
    app_count_in(app_counters, routine, 1);
}

/* Adds the calls of this thread to those of another one, which does nothing meanwhile. */
static inline void app_add_counts(struct app_counter *other)
{
    for (struct app_counter *counter = app_counters; counter->routine; counter++)
        app_count_in(other, counter->routine, counter->calls);
}

/* Written at once, so that lines of several PEs are not mixed. */
static inline void app_print_counts(int pe)
{
    char text[APP_ROUTINES * APP_LINE];
    int length = 0;
    for (struct app_counter *counter = app_counters; counter->routine; counter++)
        length += snprintf(text + length, APP_LINE, "pe %d count %s %lu\n", pe, counter->routine,
                           counter->calls);
    fwrite(text, 1, (size_t)length, stdout);
    fflush(stdout);
}

/* ---- Begin ---- */

struct app_option {
    const char *name; /* without -- */
    long *value;      /* the default; replaced by what the user gives */
    long least, most;
    const char *meaning;
};

struct app {
    const char *name;
    int pe, pes;
    bool counts;
};

/* Ends all PEs; text of the PE that calls this. */
static inline _Noreturn void app_fail(const struct app *app, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", app->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    CALL(shmem_global_exit)(status);
    abort();
}

static inline void app_help(const char *name, const struct app_option *options)
{
    printf("usage: %s [OPTION VALUE]...\n", name);
    for (; options->name; options++)
        printf("  --%-10s %s (%ld)\n", options->name, options->meaning, *options->value);
    printf("  --%-10s %s\n  --%-10s %s\n", "counts", "print how often each PE called which routine",
           "help", "print this");
}

/* The first argument that is wrong, or NULL. */
static inline const char *app_parse(struct app *app, char **arguments,
                                    const struct app_option *options)
{
    for (; *arguments; arguments++) {
        const struct app_option *option = options;
        if (strcmp(*arguments, "--counts") == 0) {
            app->counts = true;
            continue;
        }
        while (option->name &&
               (strncmp(*arguments, "--", 2) != 0 || strcmp(*arguments + 2, option->name) != 0))
            option++;
        if (!option->name || !arguments[1])
            return *arguments;
        char *end;
        arguments++;
        errno = 0;
        *option->value = strtol(*arguments, &end, 10);
        if (errno || *end || end == *arguments || *option->value < option->least ||
            *option->value > option->most)
            return *arguments;
    }
    return NULL;
}

/*
 * Starts the library, for threads if threads is not NULL: then *threads is the level that it has.
 * options end with one without a name. Wrong arguments end the job with 2.
 */
static inline struct app app_begin_threads(const char *name, char **argv,
                                           const struct app_option *options, int *threads)
{
    struct app app = {.name = name};
    if (argv[0] && argv[1] && strcmp(argv[1], "--help") == 0) {
        app_help(name, options);
        exit(0);
    }
    const char *wrong = app_parse(&app, argv + 1, options);
    if (threads)
        CALL(shmem_init_thread)(SHMEM_THREAD_MULTIPLE, threads);
    else
        CALL(shmem_init)();
    app.pe = CALL(shmem_my_pe)();
    app.pes = CALL(shmem_n_pes)();
    if (wrong) {
        if (app.pe == 0)
            app_fail(&app, 2, "argument %s is unknown, or out of range; see --help", wrong);
        for (;;)
            CALL(shmem_barrier_all)();
    }
    return app;
}

/* app_begin_threads() for applications with one thread. */
static inline struct app app_begin(const char *name, char **argv, const struct app_option *options)
{
    return app_begin_threads(name, argv, options, NULL);
}

/* Zeroed symmetric memory. */
static inline void *app_memory(const struct app *app, size_t bytes)
{
    void *memory = CALL(shmem_malloc)(bytes ? bytes : 1);
    if (!memory)
        app_fail(app, 1, "no symmetric memory for %zu bytes; make --size smaller", bytes);
    memset(memory, 0, bytes);
    return memory;
}

/* ---- Numbers ---- */

/* A random number that depends on stream and index alone, so that all PEs compute it alike. */
static inline uint64_t app_random(uint64_t stream, uint64_t index)
{
    uint64_t x = index + stream * UINT64_C(0x9e3779b97f4a7c15) + 1;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The part of a PE of count things: from app_first(pe) up to, without, app_first(pe + 1). */
static inline long app_first(const struct app *app, long count, int pe)
{
    return (long)((__int128)count * pe / app->pes);
}

/* Whose part a thing is in. */
static inline int app_owner(const struct app *app, long count, long thing)
{
    int pe = (int)((__int128)thing * app->pes / count);
    while (thing >= app_first(app, count, pe + 1))
        pe++;
    return pe;
}

/* ---- End ---- */

/* Sum over all PEs. */
static inline uint64_t app_sum(const struct app *app, uint64_t mine)
{
    static long sync[SHMEM_REDUCE_SYNC_SIZE];
    static long long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static long long part, sum;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    part = (long long)mine;
    CALL(shmem_barrier_all)();
    CALL(shmem_longlong_sum_to_all)(&sum, &part, 1, 0, 0, app->pes, work, sync);
    CALL(shmem_barrier_all)();
    return (uint64_t)sum;
}

/* PE 0 tells the checksum and whether it is the one wanted; returns the program's status. wanted
 * counts on PE 0 only. */
static inline int app_end(const struct app *app, uint64_t checksum, uint64_t wanted)
{
    int status = app->pe == 0 && checksum != wanted;
    if (app->pe == 0) {
        printf("checksum %016" PRIx64 "\n%s\n", checksum, status ? "WRONG" : "verified");
        fflush(stdout);
    }
    app_count("shmem_finalize");
    if (app->counts)
        app_print_counts(app->pe);
    shmem_finalize();
    return status;
}

#endif
