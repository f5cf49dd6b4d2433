/*
 * A thread of every PE that sleeps until the job is interrupted or until nothing has happened for
 * too long. It is the only one that takes SIGTERM and SIGINT; it sleeps in the kernel and wakes for
 * some microseconds once a second, so that measurements do not feel it.
 */
#define _GNU_SOURCE /* sigtimedwait, sigaltstack */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/comm.h"
#include "comm/communicator.h"
#include "engine/internal.h"

#define STATUS_FAILED_MEASUREMENT 3
#define STATUS_WATCHDOG 5
/* After this the job is ended the hard way. */
#define GRACE_SECONDS 5
/* The time-out of a wait is cut into pieces, so that a changed set_watchdog() is noticed. */
#define LONGEST_NAP_MS 1000

static const int taken[] = {SIGTERM, SIGINT};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Handlers get no context. */
static struct engine *watched;

static void taken_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(set, taken[i]);
}

void engine_block_signals(void)
{
    sigset_t set;
    taken_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void engine_release_signals(void)
{
    sigset_t set;
    taken_signals(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void watch_progress(struct engine *engine)
{
    atomic_fetch_add_explicit(&engine->progress, 1, memory_order_relaxed);
}

static volatile sig_atomic_t status_of_end;

static void give_up(int unused)
{
    (void)unused;
    _exit(status_of_end);
}

static _Noreturn void end_job(struct engine *engine, int status)
{
    atomic_store(&engine->ending, true);
    status_of_end = status;
    /* The main thread may hold a lock of the library. */
    signal(SIGALRM, give_up);
    alarm(GRACE_SECONDS);
    comm_abort(status);
}

static void interrupted(struct engine *engine, int number)
{
    if (atomic_load(&engine->ending))
        _exit(128 + number); /* the launcher clears up behind a PE that ends the job */
    if (engine->output) {
        char text[128];
        snprintf(text, sizeof text, "interrupted by signal %d (%s)", number, strsignal(number));
        output_last_words(engine->output, 128 + number, text, text);
    }
    end_job(engine, 128 + number);
}

static void stuck(struct engine *engine, double seconds)
{
    const char *doing = atomic_load(&engine->doing);
    if (!doing)
        doing = "the script";
    fprintf(stderr, "skampi: error: no progress for %g s in %s; the job is ended\n", seconds,
            doing);
    if (engine->output) {
        char text[640];
        snprintf(text, sizeof text, "ended by the watchdog: no progress for %g s in %s", seconds,
                 doing);
        output_last_words(engine->output, STATUS_WATCHDOG, text, text);
    }
    end_job(engine, STATUS_WATCHDOG);
}

/* MPI says so of one of its own calls. */
static void library_failed(const char *why)
{
    struct engine *engine = watched;
    const char *doing = atomic_load(&engine->doing);
    char text[1024];
    snprintf(text, sizeof text, "MPI failed on PE %d in %s: %s", comm_pe(),
             doing ? doing : "the script", why);
    if (comm_claim())
        fprintf(stderr, "skampi: error: %s\n", text);
    if (engine->output)
        output_last_words(engine->output, STATUS_FAILED_MEASUREMENT, text, text);
    end_job(engine, STATUS_FAILED_MEASUREMENT);
}

static void *watch(void *context)
{
    struct engine *engine = context;
    sigset_t set;
    taken_signals(&set);
    long seen = -1, idle_ms = 0;
    for (;;) {
        long limit = atomic_load(&engine->watchdog_ms), nap = LONGEST_NAP_MS;
        if (limit > 0 && limit / 4 + 1 < nap)
            nap = limit / 4 + 1;
        struct timespec wait = {nap / 1000, nap % 1000 * 1000000};
        /* Not while it writes, which others would wait for. */
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        int number = sigtimedwait(&set, NULL, &wait);
        int reason = errno;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        if (number > 0)
            interrupted(engine, number);
        if (reason != EAGAIN)
            continue;
        long now = atomic_load(&engine->progress);
        /* A PE outside the set waits for its members, however long they take: they watch. */
        idle_ms = now == seen && !atomic_load(&engine->outside) ? idle_ms + nap : 0;
        seen = now;
        /* The others leave it to PE 0, unless that one is stopped itself. */
        long patience = engine->output ? limit : 2 * limit;
        if (limit > 0 && idle_ms >= patience && !atomic_load(&engine->ending))
            stuck(engine, (double)limit / 1000);
    }
    return NULL;
}

/* Only what is safe in a handler: text was prepared by the engine. */
static void crashed(int number)
{
    struct engine *engine = watched;
    signal(number, SIG_DFL);
    alarm(GRACE_SECONDS); /* what comes may wait for what the crash has interrupted */
    char text[768];
    const char *doing = atomic_load(&engine->doing);
    int length =
        snprintf(text, sizeof text, "skampi: error: PE %d was ended by signal %d (%s) in %s\n",
                 engine_pe(engine), number, strsignal(number), doing ? doing : "the script");
    if (length > 0 && !atomic_load(&engine->ending)) {
        ssize_t done = write(STDERR_FILENO, text, (size_t)length);
        (void)done;
        if (engine->output) {
            text[strcspn(text, "\n")] = '\0';
            const char *said = text + strlen("skampi: ");
            output_last_words(engine->output, STATUS_FAILED_MEASUREMENT, said, said);
        }
    }
    _exit(STATUS_FAILED_MEASUREMENT);
}

void watch_start(struct engine *engine)
{
    watched = engine;
    communicator_on_error(library_failed);
    engine->watching = pthread_create(&engine->watcher, NULL, watch, engine) == 0;
    static char stack[65536]; /* a smashed stack must not stop the handler */
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}

void watch_stop(struct engine *engine)
{
    atomic_store(&engine->ending, true);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    if (engine->watching) {
        pthread_cancel(engine->watcher); /* sigtimedwait() is a cancellation point */
        pthread_join(engine->watcher, NULL);
    }
}
