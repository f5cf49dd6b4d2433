/*
 * A thread of every PE that ends the job when it is interrupted, makes no progress for too long,
 * reaches the time limit or loses its launcher. It runs from the first line of main to the end of
 * the process. It is the only one that takes signals by which users and batch systems end a job; it
 * sleeps in the kernel and wakes for some microseconds once a second, so that measurements do not
 * feel it.
 */
#define _GNU_SOURCE /* sigtimedwait, sigaltstack */
#include "engine/watchdog.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "comm/comm.h"
#include "objects/communicator.h"

#define STATUS_INTERNAL 1
#define STATUS_FAILED_MEASUREMENT 3
#define STATUS_TIME_LIMIT 4
#define STATUS_WATCHDOG 5
/* After this the job is ended the hard way. */
#define GRACE_SECONDS 5
/* Waits are cut into pieces, so that a changed set_watchdog(), or the end of the launcher, is
 * noticed. */
#define LONGEST_NAP 1.0
#define SHORTEST_NAP 0.01
/* This long after the time limit, other PEs leave it to PE 0 to end the job. */
#define TURN_SECONDS 5.0
/* A PE that did not get the symmetric memory that it asked for waits this long (s) for the others:
 * they may wait for it inside the library, until the job ends. */
#define LACKING_SECONDS 10.0
#define LONGEST_SAID 640
/* Milliseconds; launchers kill a second after they have asked. */
#define TURNS 500
/* The share of the time limit that is kept for ending in order, and the most and least seconds. A
 * run that has not ended by itself is ended at the limit. */
#define RESERVE_SHARE 0.05
#define MOST_RESERVE 5.0
#define LEAST_RESERVE 1.0

/* By which users and batch systems end a job. */
static const int taken[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Handlers get no context, and the thread is there before and after the engine. */
static struct {
    pthread_mutex_t lock; /* held while the thread follows the pointers */
    sigset_t signals;
    int pe;
    bool launched;
    atomic_bool started;        /* the library can end the job */
    atomic_bool ending, spoken; /* spoken: the last words are written */
    double step_limit;          /* seconds; 0: none */
    double time_limit, over_at;
    _Atomic(const double *) limit;   /* of the engine; NULL before it is there and afterwards */
    _Atomic(struct output *) output; /* of PE 0's engine; NULL when `limit` is */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .over_at = INFINITY};

/* What this PE does; seen by the thread and by handlers. */
static struct {
    atomic_long steps;
    _Atomic(const char *) doing; /* text of the measurement in progress, or NULL */
    atomic_bool outside;         /* waits for the members of a set */
    char text[512];              /* that doing may point to */
    _Atomic size_t lacking;      /* bytes of symmetric memory that this PE has not got; 0: none */
} activity;

/* What an idle time is counted for. */
struct idle {
    const void *what;
    long progress;
    double since, had; /* had: when no memory was lacking for the last time */
};

/* A signal that was ignored when the program started stays ignored, but not SIGTERM, SIGINT and
 * SIGQUIT: shells ignore the last two for everything that runs in the background. */
static bool is_wanted(int number)
{
    struct sigaction action;
    if (number == SIGTERM || number == SIGINT || number == SIGQUIT)
        return true;
    return sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_IGN;
}

void watchdog_progress(void)
{
    atomic_fetch_add_explicit(&activity.steps, 1, memory_order_relaxed);
}

void watchdog_doing(const char *call, const char *place)
{
    if (call)
        snprintf(activity.text, sizeof activity.text, "%s at %s", call, place);
    atomic_store(&activity.doing, call ? activity.text : NULL);
}

const char *watchdog_done(void)
{
    return atomic_load(&activity.doing);
}

void watchdog_outside(bool outside)
{
    atomic_store(&activity.outside, outside);
}

void watchdog_ending(void)
{
    atomic_store(&guard.ending, true);
}

/* What this PE does, for messages. */
static const char *doing(void)
{
    bool measuring = atomic_load(&guard.limit);
    const char *text = measuring ? atomic_load(&activity.doing) : process_stage();
    if (text)
        return text;
    return measuring ? "the script" : "the start";
}

static volatile sig_atomic_t status_of_end;

static void give_up(int unused)
{
    (void)unused;
    _exit(status_of_end);
}

static _Noreturn void end_job(int status)
{
    atomic_store(&guard.ending, true);
    status_of_end = status;
    /* The main thread may hold a lock of the library. */
    signal(SIGALRM, give_up);
    alarm(GRACE_SECONDS);
    if (atomic_load(&guard.started))
        comm_abort(status);
    _exit(status); /* launchers end the others when one ends like this */
}

void watchdog_last_words(int status, const char *said, const char *reason)
{
    struct output *output = atomic_load(&guard.output);
    if (output)
        output_last_words(output, status, said, reason);
    atomic_store(&guard.spoken, true);
}

/* Ends the job for a reason that this PE has found, which the others and the output get. */
static _Noreturn void end_saying(int status, const char *said)
{
    watchdog_ending();
    board_say_end(BOARD_FAILED, status, said);
    watchdog_last_words(status, said, said);
    end_job(status);
}

/* A core file may have been asked for: by a limit above 0. */
static void dump_core(void)
{
    struct rlimit limit;
    sigset_t set;
    if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur == 0)
        return;
    signal(SIGQUIT, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGQUIT);
}

/* Why the job is interrupted: by somebody, or since another PE has failed. The status for the
 * output. */
static int explain(int number, bool by_launcher, char *text, size_t size)
{
    int status = 128 + number, pe = board_failed_pe(&status, text, size);
    if (pe >= 0)
        return status;
    pe = board_vanished_pe();
    int length = snprintf(text, size, "interrupted by signal %d (%s)", number, strsignal(number));
    if (pe >= 0)
        snprintf(text + length, size - (size_t)length,
                 " after PE %d disappeared (killed, perhaps for lack of memory) in %s", pe,
                 doing());
    else if (by_launcher && number == SIGTERM && comm_node_count() > 1)
        snprintf(text + length, size - (size_t)length,
                 " by the launcher; if a PE on another node failed, standard error says so");
    return status;
}

static void interrupted(int number, pid_t sender)
{
    int status = 128 + number;
    char text[LONGEST_SAID];
    bool ending = atomic_load(&guard.ending), speaks = atomic_load(&guard.output);
    board_say_end(BOARD_LEAVING, status, "");
    /* Another PE that ends the job may be faster than this one's last words. */
    for (int turn = 0; ending && speaks && !atomic_load(&guard.spoken) && turn < TURNS; turn++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (speaks && !atomic_load(&guard.spoken)) {
        int said = explain(number, guard.launched && sender == getppid(), text, sizeof text);
        watchdog_last_words(said, text, text);
    }
    if (ending)
        _exit(status); /* the launcher cleans up after a PE that ends the job */
    if (number == SIGQUIT)
        dump_core();
    end_job(status);
}

/* Nobody is left to reach the others: each PE ends by itself. */
static void orphaned(void)
{
    static const char text[] = "ended by the launcher's end";
    watchdog_last_words(128 + SIGHUP, text, text);
    if (guard.pe == 0)
        fprintf(stderr, "skampi: error: %s\n", text);
    _exit(128 + SIGHUP);
}

static void stuck(double seconds)
{
    char text[LONGEST_SAID];
    int pe = board_vanished_pe(), silent = board_silent_pe(fmax(seconds / 2, 2 * LONGEST_NAP));
    int length = snprintf(text, sizeof text, "no progress for %g s in %s%s", seconds,
                          atomic_load(&guard.limit) ? "" : "starting or ending: ", doing());
    if (length < (int)sizeof text && (pe >= 0 || silent >= 0))
        snprintf(text + length, sizeof text - (size_t)length, "; PE %d %s", pe >= 0 ? pe : silent,
                 pe >= 0 ? "has disappeared" : "does not run");
    fprintf(stderr, "skampi: error: %s; ending the job\n", text);
    char said[LONGEST_SAID + 32];
    snprintf(said, sizeof said, "ended by the watchdog: %s", text);
    end_saying(STATUS_WATCHDOG, said);
}

void watchdog_tell_limit(struct output *output, const char *what, const char *missing)
{
    size_t results = output_results(output);
    fprintf(stderr,
            "skampi: %s: %zu result%s complete, %s missing; set a longer --time-limit (--estimate "
            "predicts it), or measure less\n",
            what, results, results == 1 ? " is" : "s are", missing);
}

/* What did not come to an end by itself when the time limit came near. */
static void time_over(void)
{
    char text[LONGEST_SAID];
    snprintf(text, sizeof text, "stopped by the time limit of %g s in %s", guard.time_limit,
             doing());
    struct output *output = atomic_load(&guard.output);
    if (output)
        watchdog_tell_limit(output, text, "the rest is");
    end_saying(STATUS_TIME_LIMIT, text);
}

/* MPI says so of one of its own calls. */
static void library_failed(const char *why)
{
    char text[1024];
    snprintf(text, sizeof text, "MPI failed on PE %d in %s: %s", comm_pe(), doing(), why);
    if (comm_claim())
        fprintf(stderr, "skampi: error: %s\n", text);
    end_saying(STATUS_FAILED_MEASUREMENT, text);
}

/* Memory for the engine itself. */
static void exhausted(const char *why)
{
    char text[LONGEST_SAID + 64];
    status_of_end = STATUS_INTERNAL;
    signal(SIGALRM, give_up);
    alarm(GRACE_SECONDS);
    snprintf(text, sizeof text, "PE %d is %s, in %s", guard.pe, why, doing());
    if (!atomic_load(&guard.started) || comm_claim())
        fprintf(stderr, "skampi: error: %s\n", text);
    char said[LONGEST_SAID + 96];
    snprintf(said, sizeof said, "ended by an error: %s", text);
    end_saying(STATUS_INTERNAL, said);
}

void watchdog_lacking(size_t bytes)
{
    atomic_store(&activity.lacking, bytes);
}

/* This PE has not got what others have. */
static void lacking(size_t bytes)
{
    char text[LONGEST_SAID + 256];
    snprintf(
        text, sizeof text,
        "PE %d has no room for %zu bytes in its symmetric heap, unlike others, in %s: make the "
        "heap larger (%s), or the buffer smaller (set_skampi_buffer)",
        guard.pe, bytes, doing(), comm_heap_variable());
    if (comm_claim())
        fprintf(stderr, "skampi: error: %s\n", text);
    end_saying(STATUS_FAILED_MEASUREMENT, text);
}

void watchdog_end_lacking(void)
{
    size_t bytes = atomic_load(&activity.lacking);
    if (bytes)
        lacking(bytes);
    for (;;)
        pause(); /* the one that lacks it ends the job */
}

/* Seconds without progress that are too long now; 0: any time is right. */
static double patience(const double *engines)
{
    double limit = guard.step_limit;
    /* The script changes it meanwhile. */
    if (engines)
        __atomic_load(engines, &limit, __ATOMIC_RELAXED);
    else if (!process_stage())
        limit = 0;
    return limit;
}

static double nap(const double *engines)
{
    double limit = patience(engines), seconds = LONGEST_NAP;
    if (limit > 0)
        seconds = fmin(seconds, limit / 4);
    seconds = fmin(seconds, fmax(guard.over_at - wall_seconds(), 0));
    return fmax(seconds, SHORTEST_NAP);
}

static void look(struct idle *idle)
{
    const double *engines = atomic_load(&guard.limit);
    double now = wall_seconds(), limit = patience(engines);
    long progress = engines ? atomic_load(&activity.steps) : 0;
    const void *what = engines ? (const void *)engines : process_stage();
    board_beat();
    if (comm_launcher_gone())
        orphaned();
    /* A PE outside the set waits for its members, however long they take: they watch. */
    if (what != idle->what || progress != idle->progress ||
        (engines && atomic_load(&activity.outside)))
        *idle = (struct idle){what, progress, now, idle->had};
    if (atomic_load(&guard.ending))
        return;
    size_t bytes = atomic_load(&activity.lacking);
    if (!bytes)
        idle->had = now;
    else if (now - idle->had >= LACKING_SECONDS)
        lacking(bytes);
    /* The others leave it to PE 0, unless that one is stopped itself. */
    bool first = guard.pe == 0;
    if (now >= guard.over_at + (first ? 0 : TURN_SECONDS))
        time_over();
    if (limit > 0 && now - idle->since >= (first ? limit : 2 * limit))
        stuck(limit);
}

static void *watch(void *unused)
{
    (void)unused;
    numbers_use_point();
    struct idle idle = {NULL, 0, wall_seconds(), wall_seconds()};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE); /* standard error may have gone with the launcher */
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    for (;;) {
        pthread_mutex_lock(&guard.lock);
        double seconds = nap(atomic_load(&guard.limit));
        pthread_mutex_unlock(&guard.lock);
        struct timespec wait = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
        siginfo_t info;
        int number = sigtimedwait(&guard.signals, &info, &wait);
        int reason = errno;
        pthread_mutex_lock(&guard.lock);
        if (number > 0)
            interrupted(number, info.si_pid);
        if (reason == EAGAIN)
            look(&idle);
        pthread_mutex_unlock(&guard.lock);
    }
    return NULL;
}

/* Only what is safe in a handler: text was prepared by the engine. */
static void crashed(int number)
{
    int status = 128 + number;
    signal(number, SIG_DFL);
    status_of_end = status;
    signal(SIGALRM, give_up);
    alarm(GRACE_SECONDS); /* what comes may wait for what the crash has interrupted */
    char text[LONGEST_SAID + 128];
    int length =
        snprintf(text, sizeof text, "skampi: error: PE %d was ended by signal %d (%s) in %s\n",
                 guard.pe, number, strsignal(number), doing());
    if (length > 0 && !atomic_load(&guard.ending)) {
        if (length >= (int)sizeof text)
            length = (int)sizeof text - 1;
        ssize_t done = write(STDERR_FILENO, text, (size_t)length);
        (void)done;
        text[strcspn(text, "\n")] = '\0';
        const char *said = text + strlen("skampi: ");
        board_say_end(BOARD_FAILED, status, said);
        watchdog_last_words(status, said, said);
    }
    _exit(status);
}

/* In a handler, too. Nobody waits for this PE any more. */
static void crashed_at_end(int number)
{
    char text[LONGEST_SAID + 256];
    int length = snprintf(text, sizeof text,
                          "skampi: error: PE %d was ended by signal %d (%s) in %s, after all "
                          "measurements: files that have their last record are complete\n",
                          guard.pe, number, strsignal(number), doing());
    ssize_t done = write(STDERR_FILENO, text, (size_t)length);
    (void)done;
    raise(number); /* as it would have ended without this handler */
}

static void catch_crashes(void (*handler)(int))
{
    static char stack[65536]; /* a smashed stack must not stop the handler */
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}

double watchdog_limit_near(double launched, double time_limit)
{
    return launched + time_limit - fmin(RESERVE_SHARE * time_limit, MOST_RESERVE);
}

void watchdog_begin(double step_limit, double launched, double time_limit)
{
    guard.pe = comm_launched_rank();
    guard.launched = guard.pe >= 0;
    if (!guard.launched)
        guard.pe = 0;
    guard.step_limit = step_limit;
    guard.time_limit = time_limit;
    if (time_limit > 0)
        guard.over_at =
            fmax(launched + time_limit, watchdog_limit_near(launched, time_limit) + LEAST_RESERVE);
    sigemptyset(&guard.signals);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (is_wanted(taken[i]))
            sigaddset(&guard.signals, taken[i]);
    /* Before the library starts threads, which must not get them. */
    pthread_t watcher;
    comm_launcher_gone();
    pthread_sigmask(SIG_BLOCK, &guard.signals, NULL);
    if (pthread_create(&watcher, NULL, watch, NULL) == 0)
        pthread_detach(watcher);
    else
        pthread_sigmask(SIG_UNBLOCK, &guard.signals, NULL);
    catch_crashes(crashed);
    memory_on_exhausted(exhausted);
}

void watchdog_has_library(void)
{
    guard.pe = comm_pe();
    atomic_store(&guard.started, true);
}

void watchdog_output(struct output *output)
{
    pthread_mutex_lock(&guard.lock);
    atomic_store(&guard.output, output);
    pthread_mutex_unlock(&guard.lock);
}

void watchdog_measuring(const double *limit)
{
    communicator_on_error(library_failed);
    catch_crashes(crashed); /* the library may have its own idea of them */
    process_enter(NULL);
    pthread_mutex_lock(&guard.lock);
    atomic_store(&guard.limit, limit);
    pthread_mutex_unlock(&guard.lock);
}

void watchdog_measured(void)
{
    board_say_end(BOARD_LEAVING, 0, "");
    catch_crashes(crashed_at_end);
    pthread_mutex_lock(&guard.lock);
    guard.over_at = INFINITY;
    atomic_store(&guard.limit, NULL);
    pthread_mutex_unlock(&guard.lock);
    process_enter("the end of the run");
}
