#include "settings/settings.h"

#include <string.h>

#include "base/hash.h"

struct settings settings_default(void)
{
    return (struct settings){
        .min_repetitions = 8,
        .max_repetitions = 33,
        .max_relative_standard_error = 0.10,
        .stop_rule = STOP_STANDARD_ERROR,
        .median_width = 0.05,
        .median_confidence = 0.95,
        .adaptive_warm_up = true,
        .rounds = 1,
        .rounds_spread = ROUNDS_SPREAD_DEFAULT,
        .max_nr_node_times = 16,
        .unit = 1e6,
        .synchronization = SYNCHRONIZE_WINDOW,
        .run_time = RUN_TIME_LOCAL,
        .max_window = 10,
        .watchdog = 120,
        .buffer_bytes = 1 << 20,
        .buffer_cycling = true,
        .send_alignment = 32,
        .receive_alignment = 32,
        .cache_state = CACHE_WARM,
        .max_outstanding = 16,
        .arrival = ARRIVAL_TOGETHER,
        .autorefine_factor = 2,
        .autorefine_tolerance = 0.05,
        .window = {.rule = WINDOW_CLASSIC,
                   .discarded = 4,
                   .runs = 8,
                   .invalid_share = 0.25,
                   .growth = 1.1,
                   .stop_by_error = false,
                   .max_runs = 100,
                   .enough_valid = 30,
                   .relative_error = 0.05,
                   .least_valid = 10,
                   .trim = 0.25,
                   .confidence = 0.95,
                   .slice = 0.1},
        .clock = {.algorithm = CLOCK_SYNC_DEFAULT,
                  .patience = 100,
                  .fit_points = 20,
                  .fit_exchanges = 10,
                  .spread = 0.2,
                  .long_spread = 1},
    };
}

uint64_t settings_hash(const struct settings *settings)
{
    const struct settings *s = settings;
    /* Field by field: what lies between them is not defined. */
    const double fields[] = {
        (double)s->min_repetitions,
        (double)s->max_repetitions,
        (double)s->max_relative_standard_error,
        (double)s->stop_rule,
        (double)s->median_width,
        (double)s->median_confidence,
        (double)s->max_time,
        (double)s->adaptive_warm_up,
        (double)s->levels,
        (double)s->rounds,
        (double)s->rounds_spread,
        (double)s->max_nr_node_times,
        (double)s->unit,
        (double)s->synchronization,
        (double)s->run_time,
        (double)s->max_window,
        (double)s->watchdog,
        (double)s->buffer_bytes,
        (double)s->buffer_cycling,
        (double)s->send_alignment,
        (double)s->receive_alignment,
        (double)s->cache_state,
        (double)s->cache_bytes,
        (double)s->max_outstanding,
        (double)s->sk_tasks,
        (double)s->arrival,
        (double)s->arrival_skew,
        (double)s->autorefine_factor,
        (double)s->autorefine_tolerance,
        (double)s->clock.algorithm,
        (double)s->clock.patience,
        (double)s->clock.fit_points,
        (double)s->clock.fit_exchanges,
        (double)s->clock.spread,
        (double)s->clock.long_spread,
        (double)s->window.rule,
        (double)s->window.discarded,
        (double)s->window.runs,
        (double)s->window.invalid_share,
        (double)s->window.growth,
        (double)s->window.stop_by_error,
        (double)s->window.max_runs,
        (double)s->window.enough_valid,
        (double)s->window.relative_error,
        (double)s->window.least_valid,
        (double)s->window.trim,
        (double)s->window.confidence,
        (double)s->window.slice,
        (double)s->verify,
    };
    return hash_bytes(HASH_EMPTY, fields, sizeof fields);
}

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static const char *const clock_sync_names[] = {"default", "none", "linear", "ring", "tree", "hca"};

int clock_sync_find(const char *name)
{
    return find(clock_sync_names, sizeof clock_sync_names / sizeof *clock_sync_names, name);
}

const char *clock_sync_name(enum clock_sync algorithm)
{
    return clock_sync_names[algorithm];
}

static const char *const window_rule_names[] = {"classic", "mpiperf", "round_time",
                                                "dissemination"};

int window_rule_find(const char *name)
{
    return find(window_rule_names, sizeof window_rule_names / sizeof *window_rule_names, name);
}

const char *window_rule_name(enum window_rule rule)
{
    return window_rule_names[rule];
}

static const char *const stop_rule_names[] = {"standard_error", "median_ci"};

int stop_rule_find(const char *name)
{
    return find(stop_rule_names, sizeof stop_rule_names / sizeof *stop_rule_names, name);
}

const char *stop_rule_name(enum stop_rule rule)
{
    return stop_rule_names[rule];
}

static const char *const arrival_names[] = {"none", "one", "linear"};

int arrival_find(const char *name)
{
    return find(arrival_names, sizeof arrival_names / sizeof *arrival_names, name);
}

const char *arrival_name(enum arrival arrival)
{
    return arrival_names[arrival];
}

static const char *const verify_names[] = {"last", "every"};

int verify_find(const char *name)
{
    return find(verify_names, sizeof verify_names / sizeof *verify_names, name);
}

const char *verify_name(enum verify verify)
{
    return verify_names[verify];
}
