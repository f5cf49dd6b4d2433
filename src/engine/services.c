/*
 * What measurement functions call: starting and stopping the clock, waiting, notes, failures.
 */
#include "engine/services.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "clock/counters.h"
#include "clock/timer.h"
#include "comm/comm.h"

/* One poll that was interrupted would otherwise keep us from polling again. */
#define LONGEST_POLL_SECONDS 20e-6
/* Pauses as long as real ones: leaving the loop then costs a mispredicted branch, as it does there.
 */
#define PAUSE_SAMPLES 50
#define PAUSE_SECONDS 2e-6
/* Significant digits of a number in a note. */
#define PLAIN_DIGITS 3

double run_elapsed(struct run *run, int64_t start, int64_t stop)
{
    struct services *services = run->services;
    if (stop - start < services->timing.shortest)
        services->timing.shortest = stop - start;
    services->timing.total += timer_seconds(stop - start);
    if (counters_counting())
        counters_region(start, stop);
    return timer_seconds(stop - start) - timer_in_use->cost;
}

void run_shortest_part(struct run *run, double seconds)
{
    run->services->timing.shortest_part = seconds;
}

/* Busy until the clock says so, driving the library, with the last poll early enough. */
static void wait_until(struct window *window, int64_t target)
{
    int64_t cap = timer_ticks(LONGEST_POLL_SECONDS);
    counters_hold();
    for (unsigned turn = 0;; turn++) {
        int64_t now = timer_now();
        if (now >= target)
            break;
        if (target - now <= 2 * window->longest_poll)
            continue;
        comm_poll();
        int64_t poll = timer_now() - now;
        if (poll > window->longest_poll)
            window->longest_poll = poll < cap ? poll : cap;
        comm_yield(turn);
    }
    counters_release();
}

/* ReproMPI's start: when all have finished, rank 0 says when to begin. */
static int64_t next_start(struct run *run)
{
    struct window *window = &run->services->window;
    int64_t start = 0;
    comm_barrier(pe_set_group(run->set));
    if (run->rank == 0)
        start = sync_to_global(timer_now()) + 2 * window->broadcast;
    comm_broadcast(pe_set_group(run->set), &start, sizeof start);
    return start;
}

int64_t run_start(struct run *run)
{
    struct window *window = &run->services->window;
    bool windows = window->synchronization == SYNCHRONIZE_WINDOW;
    bool scheduled = windows && window->rule != WINDOW_DISSEMINATION;
    if (window->synchronization == SYNCHRONIZE_BARRIER)
        comm_barrier(pe_set_group(run->set));
    if (windows && !scheduled) {
        comm_quiet();
        comm_dissemination_barrier(pe_set_group(run->set));
    }
    if (scheduled && window->rule == WINDOW_ROUND_TIME) {
        window->scheduled = next_start(run);
    } else if (scheduled) {
        window->index++;
        int64_t before = window->index - (window->rule == WINDOW_MPIPERF);
        window->scheduled = window->origin + before * window->width;
    }
    /* Nothing of the engine's own may be left to be completed in the timed region. */
    comm_quiet();
    if (scheduled) {
        int64_t target = sync_to_local(window->scheduled);
        window->started_late = timer_now() > target;
        wait_until(window, target);
    }
    return window->start = timer_now();
}

int64_t run_stop(struct run *run)
{
    struct window *window = &run->services->window;
    window->stop = timer_now();
    if (window->synchronization != SYNCHRONIZE_WINDOW)
        return window->stop;
    if (window->rule == WINDOW_CLASSIC)
        window->took_too_long =
            sync_to_global(window->stop) - sync_to_global(window->start) > window->width;
    if (window->rule == WINDOW_MPIPERF)
        window->took_too_long = sync_to_global(window->stop) > window->scheduled + window->width;
    return window->stop;
}

double run_clock_offset(struct run *run, double *bound)
{
    *bound = run->services->clocks->own_bound;
    return sync_offset();
}

double run_clock_error(struct run *run, double *bound)
{
    return sync_compare(pe_set_group(run->set), bound);
}

void run_idle(double seconds)
{
    counters_hold();
    int64_t until = timer_now() + timer_ticks(seconds);
    unsigned turn = UINT_MAX; /* of the last turn before a yield: a short wait yields, too */
    do {
        comm_poll();
        comm_yield(turn++);
    } while (timer_now() < until);
    counters_release();
}

void run_tell(struct run *run, int pe)
{
    (void)run;
    comm_word_send(pe, COMM_QUESTION, 1);
}

void run_await_told(struct run *run)
{
    (void)run;
    comm_word_receive(COMM_QUESTION);
}

const struct library_start *run_library_start(struct run *run)
{
    (void)run;
    return comm_start_cost();
}

void run_report_end(struct run *run)
{
    run->services->report_end = true;
}

size_t run_measured_before(struct run *run)
{
    return run->services->library_measured;
}

void run_barrier(struct run *run)
{
    comm_barrier(pe_set_group(run->set));
}

double run_max(struct run *run, double value)
{
    comm_allreduce(pe_set_group(run->set), COMM_MAX, &value, 1);
    return value;
}

/* The first reason counts. */
static void fail_with(struct run *run, bool unsupported, const char *format, va_list arguments)
{
    struct services *services = run->services;
    if (services->failure)
        return;
    services->failure = text_format_with(format, arguments);
    services->unsupported = services->unsupported || unsupported;
}

bool run_fail(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_with(run, false, format, arguments);
    va_end(arguments);
    return false;
}

bool run_unsupported(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_with(run, true, format, arguments);
    va_end(arguments);
    return false;
}

void *run_allocate(struct run *run, size_t count, size_t size)
{
    struct services *services = run->services;
    memory_extend(services->memory, services->memory_count, &services->memory_room);
    void *memory = memory_zeroed(count, size);
    services->memory[services->memory_count++] = memory;
    return memory;
}

void services_free(struct services *services)
{
    for (size_t i = 0; i < services->memory_count; i++)
        free(services->memory[i]);
    free(services->memory);
    services->memory = NULL;
    services->memory_count = services->memory_room = 0;
}

void run_note(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    notes_add(&run->services->notes, text_format_with(format, arguments));
    va_end(arguments);
}

struct plain_text plain_time(double seconds)
{
    struct plain_text plain;
    numbers_time(plain.text, seconds, PLAIN_DIGITS);
    return plain;
}

struct plain_text plain_number(double value)
{
    struct plain_text plain;
    numbers_text(plain.text, value, PLAIN_DIGITS);
    return plain;
}

struct plain_text plain_share(double share)
{
    struct plain_text plain = plain_number(100 * share);
    strcat(plain.text, " %");
    return plain;
}

void run_note_arrival(struct run *run)
{
    const struct settings *settings = run->settings;
    run->services->skewed = true;
    run_note(run, "arrival skew: \"%s\", %.6g s; each PE's time counts from its own entry",
             setting_arrival_name(settings->arrival), settings->arrival_skew);
}

/* Any counter will do where a reading of the timer is a system call: the length is measured. */
static void count_for(double seconds)
{
    static double per_second; /* of this processor, found once */
    if (per_second == 0) {
        int64_t start = timer_now();
        const long tries = 2000000;
        for (long i = 0; i < tries; i++)
            __asm__ volatile("");
        per_second = (double)tries / timer_seconds(timer_now() - start);
    }
    for (long i = (long)(seconds * per_second); i > 0; i--)
        __asm__ volatile("");
}

double run_pause(double seconds)
{
    counters_hold();
    int64_t start = timer_now(), now;
    if (timer_in_use->user_space) {
        int64_t until = start + timer_ticks(seconds);
        do
            now = timer_now();
        while (now < until);
    } else {
        count_for(seconds);
        now = timer_now();
    }
    counters_release();
    return timer_seconds(now - start);
}

double run_pause_by(const struct timer *clock, double rate, double seconds)
{
    counters_hold();
    int64_t start = clock->now(), until = start + (int64_t)(seconds * rate), now;
    do
        now = clock->now();
    while (now < until);
    counters_release();
    return (double)(now - start) / rate;
}

double run_pause_overhead(struct run *run)
{
    struct services *services = run->services;
    if (!services->pause_known) {
        double smallest = INFINITY;
        for (int batch = 0; batch < 5; batch++) {
            double inside = 0;
            int64_t start = timer_now();
            for (int i = 0; i < PAUSE_SAMPLES; i++)
                inside += run_pause(PAUSE_SECONDS);
            double all = timer_seconds(timer_now() - start);
            smallest = fmin(smallest, (all - inside) / PAUSE_SAMPLES);
        }
        services->pause_overhead = smallest;
        services->pause_known = true;
    }
    return services->pause_overhead;
}

double run_hold(double seconds)
{
    counters_hold();
    int64_t start = timer_now(), now, length = timer_ticks(seconds);
    unsigned turn = 0;
    do {
        comm_poll();
        comm_yield(turn++);
        now = timer_now();
    } while (now - start < length);
    counters_release();
    return timer_seconds(now - start) + timer_in_use->cost;
}

bool window_applies(const struct run *run)
{
    return measurement_synchronized(run->function) &&
           run->settings->synchronization == SYNCHRONIZE_WINDOW;
}

/* The dissemination barrier schedules nothing that run times could be counted from. */
bool window_global_run_time(const struct run *run)
{
    return window_applies(run) && run->function->timing == TIMING_WHOLE &&
           run->settings->run_time == RUN_TIME_GLOBAL &&
           run->settings->window.rule != WINDOW_DISSEMINATION;
}

/* There is one place more for an untimed operation, see measurement.h. */
size_t bench_places(const struct bench *bench, int64_t iterations)
{
    size_t each = bench->operations;
    return each ? (size_t)iterations * each + 1 : (size_t)iterations;
}

int64_t iterations_fitting(const struct bench *bench, int64_t wanted)
{
    const struct run *run = &bench->run;
    if (!bench->buffers.cold)
        return wanted;
    size_t places = buffers_cold_places(&bench->buffers, &run->demand);
    size_t each = bench_places(bench, 1) - bench_places(bench, 0);
    size_t most = (places - bench_places(bench, 0)) / each;
    if ((uint64_t)wanted <= most)
        return wanted;
    return most > 0 ? (int64_t)most : 1;
}

void iterations_limit(struct bench *bench)
{
    struct run *run = &bench->run;
    int64_t wanted = run->iterations;
    run->iterations = iterations_fitting(bench, wanted);
    if (run->iterations < wanted)
        run_note(run, "iterations reduced to %lld: there is no more fresh memory",
                 (long long)run->iterations);
    size_t places = buffers_cold_places(&bench->buffers, &run->demand);
    size_t operations = bench_places(bench, run->iterations);
    bench->services.not_cold = operations > places ? operations - places : 0;
    if (operations > places)
        run_note(run,
                 "not everything is cold: %zu operations of an iteration share fresh memory for "
                 "only %zu",
                 operations, places);
}

int measurement_pes(void)
{
    return comm_world()->size;
}
