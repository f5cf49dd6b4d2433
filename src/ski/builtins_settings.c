/*
 * Functions that change the rules of measuring, from then on.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ski/builtin_family.h"

/* Far more than any alignment is good for, and small enough that sizes cannot overflow. */
#define ALIGNMENT_LIMIT (1 << 30)

/* The engine keeps the times of all repetitions. */
#define REPETITIONS_LIMIT 1000000

static struct settings *settings_of(struct builtin_context *context)
{
    return engine_settings(context->engine);
}

/* Nobody waits for more. */
#define MOST_ROUNDS 100000
#define LONGEST_SECONDS 1e9

static struct value set_int(struct builtin_context *context, const char *function,
                            const struct value *arg, int low, int *field)
{
    if (builtin_in_range(context, function, arg->as.integer, low, INT_MAX))
        *field = (int)arg->as.integer;
    return value_void();
}

static struct value set_bytes(struct builtin_context *context, const char *function,
                              const struct value *arg, int64_t low, int64_t high, int64_t *field)
{
    if (builtin_in_range(context, function, arg->as.integer, low, high))
        *field = arg->as.integer;
    return value_void();
}

/* low itself is allowed only when included is set. */
static struct value set_real(struct builtin_context *context, const char *function,
                             const struct value *arg, double low, bool included, double *field)
{
    double x = arg->as.real;

    if (!isfinite(x) || x < low || (x == low && !included))
        return builtin_refuse(context, "%s(): %g is out of range; it must be %s %g", function, x,
                              included ? "at least" : "more than", low);
    *field = x;
    return value_void();
}

/* Stores the index among two words. */
static struct value set_word(struct builtin_context *context, const char *function,
                             const struct value *arg, const char *const words[2], int *chosen)
{
    for (int i = 0; i < 2; i++)
        if (strcmp(arg->as.string->text, words[i]) == 0) {
            *chosen = i;
            return value_void();
        }
    *chosen = -1;
    return builtin_refuse(context, "%s(): \"%s\" is unknown; allowed is \"%s\" or \"%s\"", function,
                          arg->as.string->text, words[0], words[1]);
}

/* ---- How long, how often, how exactly ---- */

static struct value set_repetitions(struct builtin_context *context, const char *function,
                                    const struct value *arg, int *field)
{
    if (builtin_in_range(context, function, arg->as.integer, 1, REPETITIONS_LIMIT))
        *field = (int)arg->as.integer;
    return value_void();
}

static struct value set_min_repetitions(struct builtin_context *context, const struct value *args)
{
    return set_repetitions(context, "set_min_repetitions", args,
                           &settings_of(context)->min_repetitions);
}

static struct value set_max_repetitions(struct builtin_context *context, const struct value *args)
{
    return set_repetitions(context, "set_max_repetitions", args,
                           &settings_of(context)->max_repetitions);
}

static struct value set_max_relative_standard_error(struct builtin_context *context,
                                                    const struct value *args)
{
    return set_real(context, "set_max_relative_standard_error", args, 0, true,
                    &settings_of(context)->max_relative_standard_error);
}

/* A number between 0 and a limit, neither included. */
static struct value set_share(struct builtin_context *context, const char *function,
                              const struct value *arg, double limit, double *field)
{
    double x = arg->as.real;

    if (!(x > 0 && x < limit))
        return builtin_refuse(context,
                              "%s(): %g is out of range; it must be more than 0 and less "
                              "than %g",
                              function, x, limit);
    *field = x;
    return value_void();
}

static struct value set_stop_rule(struct builtin_context *context, const struct value *args)
{
    struct settings *settings = settings_of(context);
    int rule = stop_rule_find(args[0].as.string->text);

    if (rule < 0)
        return builtin_refuse(context,
                              "set_stop_rule(): \"%s\" is unknown; allowed are "
                              "\"standard_error\" and \"median_ci\"",
                              args[0].as.string->text);
    if (rule == STOP_STANDARD_ERROR && context->count > 1)
        return builtin_refuse(context, "set_stop_rule(): \"standard_error\" takes no numbers here; "
                                       "use set_max_relative_standard_error()");
    if (rule == STOP_MEDIAN_INTERVAL && context->count < 3)
        return builtin_refuse(context, "set_stop_rule(): \"median_ci\" needs the width of the "
                                       "interval as a share of the median, and its confidence, as "
                                       "in set_stop_rule(\"median_ci\", 0.05, 0.95)");
    if (rule == STOP_MEDIAN_INTERVAL) {
        struct value nothing =
            set_real(context, "set_stop_rule", args + 1, 0, false, &settings->median_width);

        if (!context->error)
            nothing =
                set_share(context, "set_stop_rule", args + 2, 1, &settings->median_confidence);
        if (context->error)
            return nothing;
    }
    settings->stop_rule = (enum stop_rule)rule;
    return value_void();
}

/* Of 0 and more, as long as anybody waits. */
static struct value set_seconds(struct builtin_context *context, const char *function,
                                const struct value *arg, double *field)
{
    if (arg->as.real > LONGEST_SECONDS)
        return builtin_refuse(context, "%s(): %g is out of range; it must be at most %g s",
                              function, arg->as.real, LONGEST_SECONDS);
    return set_real(context, function, arg, 0, true, field);
}

static struct value set_max_time(struct builtin_context *context, const struct value *args)
{
    return set_seconds(context, "set_max_time", args, &settings_of(context)->max_time);
}

/* Whether the command line has the word is the engine's business. */
static struct value set_rounds(struct builtin_context *context, const struct value *args)
{
    struct settings *settings = settings_of(context);

    if (!builtin_in_range(context, "set_rounds", args[0].as.integer, 1, MOST_ROUNDS))
        return value_void();
    settings->rounds = (int)args[0].as.integer;
    settings->rounds_spread = ROUNDS_SPREAD_DEFAULT;
    return context->count > 1
               ? set_seconds(context, "set_rounds", args + 1, &settings->rounds_spread)
               : value_void();
}

static struct value set_flag(struct builtin_context *context, const char *function,
                             const struct value *args, bool *flag)
{
    if (builtin_in_range(context, function, args[0].as.integer, 0, 1))
        *flag = args[0].as.integer == 1;
    return value_void();
}

static struct value set_levels(struct builtin_context *context, const struct value *args)
{
    return set_flag(context, "set_levels", args, &settings_of(context)->levels);
}

static struct value set_adaptive_warm_up(struct builtin_context *context, const struct value *args)
{
    return set_flag(context, "set_adaptive_warm_up", args, &settings_of(context)->adaptive_warm_up);
}

static struct value set_max_nr_node_times(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_max_nr_node_times", args, 0,
                   &settings_of(context)->max_nr_node_times);
}

static struct value set_unit(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_unit", args, 0, false, &settings_of(context)->unit);
}

static struct value set_max_outstanding(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_max_outstanding", args, 1, &settings_of(context)->max_outstanding);
}

static struct value set_sk_tasks(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_sk_tasks", args, 0, &settings_of(context)->sk_tasks);
}

static struct value set_arrival_skew(struct builtin_context *context, const struct value *args)
{
    int found = arrival_find(args[0].as.string->text);

    if (found < 0)
        return builtin_refuse(context,
                              "set_arrival_skew(): \"%s\" is unknown; allowed are \"none\", "
                              "\"one\" and \"linear\"",
                              args[0].as.string->text);
    settings_of(context)->arrival = (enum arrival)found;
    return set_real(context, "set_arrival_skew", args + 1, 0, true,
                    &settings_of(context)->arrival_skew);
}

static struct value set_autorefine_factor(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_autorefine_factor", args, 1, true,
                    &settings_of(context)->autorefine_factor);
}

static struct value set_autorefine_tolerance(struct builtin_context *context,
                                             const struct value *args)
{
    return set_real(context, "set_autorefine_tolerance", args, 0, true,
                    &settings_of(context)->autorefine_tolerance);
}

/* ---- Time and synchronization ---- */

static struct value set_window_rule(struct builtin_context *context, const struct value *args)
{
    int found = window_rule_find(args[0].as.string->text);

    if (found < 0)
        return builtin_refuse(context,
                              "set_window_rule(): \"%s\" is unknown; allowed are \"classic\", "
                              "\"mpiperf\", \"round_time\" and \"dissemination\"",
                              args[0].as.string->text);
    settings_of(context)->window.rule = (enum window_rule)found;
    return value_void();
}

static struct value set_time_slice(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_time_slice", args, 0, true, &settings_of(context)->window.slice);
}

static struct value set_mpiperf_discarded(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_mpiperf_discarded", args, 1,
                   &settings_of(context)->window.discarded);
}

static struct value set_mpiperf_runs(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_mpiperf_runs", args, 1, &settings_of(context)->window.runs);
}

static struct value set_mpiperf_invalid_share(struct builtin_context *context,
                                              const struct value *args)
{
    return set_share(context, "set_mpiperf_invalid_share", args, 1,
                     &settings_of(context)->window.invalid_share);
}

static struct value set_mpiperf_growth(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_mpiperf_growth", args, 1, false,
                    &settings_of(context)->window.growth);
}

static struct value set_mpiperf_stop(struct builtin_context *context, const struct value *args)
{
    static const char *const words[2] = {"count", "error"};
    int chosen;
    struct value nothing = set_word(context, "set_mpiperf_stop", args, words, &chosen);

    if (chosen >= 0)
        settings_of(context)->window.stop_by_error = chosen == 1;
    return nothing;
}

static struct value set_mpiperf_max_runs(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_mpiperf_max_runs", args, 1,
                   &settings_of(context)->window.max_runs);
}

static struct value set_mpiperf_enough_valid(struct builtin_context *context,
                                             const struct value *args)
{
    return set_int(context, "set_mpiperf_enough_valid", args, 1,
                   &settings_of(context)->window.enough_valid);
}

static struct value set_mpiperf_relative_error(struct builtin_context *context,
                                               const struct value *args)
{
    return set_real(context, "set_mpiperf_relative_error", args, 0, true,
                    &settings_of(context)->window.relative_error);
}

static struct value set_mpiperf_least_valid(struct builtin_context *context,
                                            const struct value *args)
{
    return set_int(context, "set_mpiperf_least_valid", args, 2,
                   &settings_of(context)->window.least_valid);
}

static struct value set_mpiperf_trim(struct builtin_context *context, const struct value *args)
{
    return set_share(context, "set_mpiperf_trim", args, 0.5, &settings_of(context)->window.trim);
}

static struct value set_mpiperf_confidence(struct builtin_context *context,
                                           const struct value *args)
{
    return set_share(context, "set_mpiperf_confidence", args, 1,
                     &settings_of(context)->window.confidence);
}

static struct value set_clock_sync(struct builtin_context *context, const struct value *args)
{
    int found = clock_sync_find(args[0].as.string->text);

    if (found < 0)
        return builtin_refuse(context,
                              "set_clock_sync(): \"%s\" is unknown; allowed are \"default\", "
                              "\"none\", \"linear\", \"ring\", \"tree\" and \"hca\"",
                              args[0].as.string->text);
    settings_of(context)->clock.algorithm = (enum clock_sync)found;
    return value_void();
}

static struct value set_verify(struct builtin_context *context, const struct value *args)
{
    static const char *const words[2] = {"last", "every"};
    int chosen;
    struct value nothing = set_word(context, "set_verify", args, words, &chosen);

    if (chosen >= 0)
        settings_of(context)->verify = chosen == 0 ? VERIFY_LAST : VERIFY_EVERY;
    return nothing;
}

static struct value set_clock_patience(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_clock_patience", args, 1, &settings_of(context)->clock.patience);
}

static struct value set_clock_fit_points(struct builtin_context *context, const struct value *args)
{
    return set_int(context, "set_clock_fit_points", args, 1,
                   &settings_of(context)->clock.fit_points);
}

static struct value set_clock_fit_exchanges(struct builtin_context *context,
                                            const struct value *args)
{
    return set_int(context, "set_clock_fit_exchanges", args, 1,
                   &settings_of(context)->clock.fit_exchanges);
}

static struct value set_clock_spread(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_clock_spread", args, 0, true,
                    &settings_of(context)->clock.spread);
}

static struct value set_clock_long_spread(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_clock_long_spread", args, 0, true,
                    &settings_of(context)->clock.long_spread);
}

static struct value choose_real_synchronization(struct builtin_context *context,
                                                const struct value *args)
{
    (void)args;
    settings_of(context)->synchronization = SYNCHRONIZE_WINDOW;
    return value_void();
}

static struct value choose_barrier_synchronization(struct builtin_context *context,
                                                   const struct value *args)
{
    (void)args;
    settings_of(context)->synchronization = SYNCHRONIZE_BARRIER;
    return value_void();
}

static struct value choose_no_synchronization(struct builtin_context *context,
                                              const struct value *args)
{
    (void)args;
    settings_of(context)->synchronization = SYNCHRONIZE_NONE;
    return value_void();
}

static struct value set_run_time(struct builtin_context *context, const struct value *args)
{
    static const char *const words[2] = {"local", "global"};
    int chosen;
    struct value nothing = set_word(context, "set_run_time", args, words, &chosen);

    if (chosen >= 0)
        settings_of(context)->run_time = chosen == 0 ? RUN_TIME_LOCAL : RUN_TIME_GLOBAL;
    return nothing;
}

static struct value set_max_window(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_max_window", args, 0, false, &settings_of(context)->max_window);
}

static struct value set_watchdog(struct builtin_context *context, const struct value *args)
{
    return set_real(context, "set_watchdog", args, 0, true, &settings_of(context)->watchdog);
}

static struct value set_timer(struct builtin_context *context, const struct value *args)
{
    const char *error = engine_set_timer(context->engine, args[0].as.string->text);

    if (error)
        return builtin_refuse(context, "set_timer(): \"%s\" cannot be used: %s",
                              args[0].as.string->text, error);
    return value_void();
}

static struct value set_hw_counters(struct builtin_context *context, const struct value *args)
{
    const char **names = memory_zeroed(context->count, sizeof *names);
    size_t count = context->count;

    for (size_t i = 0; i < count; i++)
        names[i] = args[i].as.string->text;
    if (count == 1 && strcmp(names[0], "none") == 0)
        count = 0;

    char *error = engine_set_counters(context->engine, names, count);

    free(names);
    if (error)
        builtin_refuse(context, "set_hw_counters(): %s", error);
    free(error);
    return value_void();
}

static struct value init_time_accounting(struct builtin_context *context, const struct value *args)
{
    (void)args;
    engine_accounting_reset(context->engine);
    return value_void();
}

static struct value print_time_accounting_info(struct builtin_context *context,
                                               const struct value *args)
{
    (void)args;
    engine_accounting_print(context->engine);
    return value_void();
}

/* ---- Buffers and caches ---- */

static struct value set_skampi_buffer(struct builtin_context *context, const struct value *args)
{
    return set_bytes(context, "set_skampi_buffer", args, 0, INT64_MAX,
                     &settings_of(context)->buffer_bytes);
}

static struct value set_send_buffer_alignment(struct builtin_context *context,
                                              const struct value *args)
{
    return set_bytes(context, "set_send_buffer_alignment", args, 1, ALIGNMENT_LIMIT,
                     &settings_of(context)->send_alignment);
}

static struct value set_recv_buffer_alignment(struct builtin_context *context,
                                              const struct value *args)
{
    return set_bytes(context, "set_recv_buffer_alignment", args, 1, ALIGNMENT_LIMIT,
                     &settings_of(context)->receive_alignment);
}

static struct value set_cache_size(struct builtin_context *context, const struct value *args)
{
    return set_bytes(context, "set_cache_size", args, 0, INT64_MAX,
                     &settings_of(context)->cache_bytes);
}

static struct value switch_buffer_cycling_on(struct builtin_context *context,
                                             const struct value *args)
{
    (void)args;
    settings_of(context)->buffer_cycling = true;
    return value_void();
}

static struct value switch_buffer_cycling_off(struct builtin_context *context,
                                              const struct value *args)
{
    (void)args;
    settings_of(context)->buffer_cycling = false;
    return value_void();
}

static struct value set_cache_state(struct builtin_context *context, const struct value *args)
{
    static const char *const words[2] = {"warm", "cold"};
    int chosen;
    struct value nothing = set_word(context, "set_cache_state", args, words, &chosen);

    if (chosen >= 0)
        settings_of(context)->cache_state = chosen == 0 ? CACHE_WARM : CACHE_COLD;
    return nothing;
}

/* Where auxiliary memory comes from makes no difference here: it is never the measured one. */
static struct value use_mpi_alloc_mem(struct builtin_context *context, const struct value *args)
{
    builtin_in_range(context, "use_mpi_alloc_mem", args[0].as.integer, 0, 1);
    return value_void();
}

/* Results and rounds refer to it from now on. */
static struct value set_mpi_alloc_mem_info(struct builtin_context *context,
                                           const struct value *args)
{
    settings_of(context)->memory_info = info_keep(args[0].as.info);
    return value_void();
}

static struct value get_mpi_alloc_mem_info(struct builtin_context *context,
                                           const struct value *args)
{
    struct info *info = settings_of(context)->memory_info;

    (void)args;
    return value_info(!info ? info_null() : info_reference(info));
}

static struct value set_skampi_buffer_mpi_alloc_mem(struct builtin_context *context,
                                                    const struct value *args)
{
    if (!builtin_in_range(context, "set_skampi_buffer_mpi_alloc_mem", args[0].as.integer, 0,
                          INT64_MAX))
        return value_void();
    settings_of(context)->buffer_bytes = args[0].as.integer;
    return set_mpi_alloc_mem_info(context, args + 1);
}

#define SETTING(function, letters, text)                                                           \
    {                                                                                              \
        .name = #function, .parameters = letters, .result = TYPE_VOID, .call = function,           \
        .help = text                                                                               \
    }
#define COLLECTIVE_SETTING(function, letters, text)                                                \
    {                                                                                              \
        .name = #function, .parameters = letters, .result = TYPE_VOID, .collective = true,         \
        .call = function, .help = text                                                             \
    }

const struct builtin builtins_settings[] = {
    SETTING(set_min_repetitions, "i",
            "(n) valid repetitions needed before a measurement may stop, default 8"),
    SETTING(set_max_repetitions, "i",
            "(n) valid repetitions that end a measurement whatever its error, default 33"),
    SETTING(set_max_relative_standard_error, "f",
            "(x) a measurement stops once its standard error is at most this fraction of the mean, "
            "default 0.1"),
    SETTING(set_stop_rule, "s?ff",
            "(rule, width, p) when a measurement may stop: \"standard_error\" (SKaMPI), or "
            "\"median_ci\": behind at least 30 valid repetitions, twice in a row, when the "
            "interval of the median at confidence p is at most this share of the median wide"),
    SETTING(set_max_time, "f",
            "(seconds) a measurement stops behind the batch that exceeds this; 0, the default: "
            "never"),
    SETTING(set_rounds, "i?f",
            "(n, seconds) what follows is measured n times, again in shuffled order behind the "
            "script's end; all rounds are spread over so many seconds (default: the time limit, or "
            "2 s a round)"),
    SETTING(set_levels, "i",
            "(flag) 1: where times lie on several levels, each is reported with its share of the "
            "time, and the result is the one that takes most of it; default 0"),
    SETTING(set_adaptive_warm_up, "i",
            "(flag) 1, the default: repetitions before a steady state, as a test finds, are left "
            "out; 0: all count"),
    SETTING(set_max_nr_node_times, "i", "(n) at most so many columns of single PEs, default 16"),
    SETTING(set_unit, "f", "(x) reported units per second: 1.0e6 is microseconds, the default"),
    SETTING(set_max_outstanding, "i",
            "(n) operations posted before they are completed, default 16"),
    SETTING(set_sk_tasks, "i", "(n) PEs sampled by the _SK functions; 0, the default: all"),
    SETTING(set_arrival_skew, "sf",
            "(who, seconds) who comes late to a collective routine that starts by the clock, and "
            "by how much: \"one\", the last rank; \"linear\", rank i by its share i/(n-1); "
            "\"none\", the default"),
    SETTING(set_autorefine_factor, "f",
            "(x) autorefine measures up to so many times the points of the plain loop, default "
            "2.0"),
    SETTING(set_autorefine_tolerance, "f",
            "(x) autorefine stops where the curve is predicted within this fraction, default 0.05"),
    SETTING(set_window_rule, "s",
            "(rule) how starts are laid: \"classic\" (SKaMPI), \"mpiperf\", \"round_time\" "
            "(ReproMPI), \"dissemination\" (behind a barrier of the engine's own)"),
    SETTING(set_time_slice, "f", "(seconds) round_time: for one measurement, default 0.1"),
    SETTING(set_mpiperf_discarded, "i", "(n) runs of stage 0, left out, default 4"),
    SETTING(set_mpiperf_runs, "i", "(n) runs of each later stage, default 8"),
    SETTING(set_mpiperf_invalid_share, "f",
            "(x) above this invalid share of a stage windows are laid anew, default 0.25"),
    SETTING(set_mpiperf_growth, "f",
            "(x) windows are laid this many times as wide as needed, default 1.1"),
    SETTING(set_mpiperf_stop, "s", "(rule) \"count\", the default, or \"error\""),
    SETTING(set_mpiperf_max_runs, "i", "(n) by count: stop behind more runs, default 100"),
    SETTING(set_mpiperf_enough_valid, "i", "(n) by count: or behind more valid ones, default 30"),
    SETTING(set_mpiperf_relative_error, "f",
            "(x) by error: stop when the standard error is this share of the mean, default 0.05"),
    SETTING(set_mpiperf_least_valid, "i",
            "(n) by error: with so many valid runs at least, default 10"),
    SETTING(set_mpiperf_trim, "f",
            "(x) share left out at each end of the times, of which the line shows the mean, "
            "default 0.25"),
    SETTING(set_mpiperf_confidence, "f",
            "(p) confidence of the interval of that mean, default 0.95"),
    SETTING(set_clock_sync, "s",
            "(algorithm) how clocks are synchronized: \"default\" (none where all PEs have one "
            "clock, else hca), \"none\", \"linear\", \"ring\", \"tree\", \"hca\""),
    SETTING(set_clock_patience, "i",
            "(n) an exchange of clock readings ends n round trips behind its best, default 100"),
    SETTING(set_clock_fit_points, "i", "(n) offsets that hca fits a drift to, default 20"),
    SETTING(set_clock_fit_exchanges, "i", "(n) round trips for each of them, default 10"),
    SETTING(set_clock_spread, "f", "(seconds) over which they are spread, default 0.2"),
    SETTING(set_clock_long_spread, "f", "(seconds) and where they seem to show a drift, default 1"),
    SETTING(choose_real_synchronization, "",
            "() PEs start together at a given time (windows), the default"),
    SETTING(choose_barrier_synchronization, "", "() PEs start behind a barrier"),
    SETTING(choose_no_synchronization, "", "() PEs start when they like"),
    SETTING(set_run_time, "s",
            "(what) \"local\", the default: the longest time of a PE; \"global\": from the common "
            "start to the last finish"),
    SETTING(set_max_window, "f",
            "(seconds) a window may not grow beyond this: the measurement then fails; default 10"),
    SETTING(set_watchdog, "f",
            "(seconds) no progress for so long ends the job; 0 turns that off; default 120"),
    COLLECTIVE_SETTING(set_timer, "s", "(name) the timer to use, one of skampi --timers"),
    COLLECTIVE_SETTING(set_hw_counters, "s+",
                       "(name, ...) events of PAPI to be counted per operation; \"none\": no more"),
    SETTING(init_time_accounting, "", "() sets the sums of print_time_accounting_info() to zero"),
    COLLECTIVE_SETTING(print_time_accounting_info, "",
                       "() prints as comments what the time was spent on"),
    SETTING(set_skampi_buffer, "i", "(bytes) size of the buffer, default 1 MiB"),
    SETTING(set_send_buffer_alignment, "i",
            "(bytes) of the send buffer, from 1, default 32: its address is a multiple of this but "
            "not of its double"),
    SETTING(set_recv_buffer_alignment, "i", "(bytes) the same for the receive buffer, default 32"),
    SETTING(
        set_cache_size, "i",
        "(bytes) cold caches: walk through so much memory, too; 0, the default: only flush what "
        "is used (where that cannot be done: walk through the last-level cache's size)"),
    SETTING(switch_buffer_cycling_on, "",
            "() repetitions walk through the buffer where it holds two, the default"),
    SETTING(switch_buffer_cycling_off, "", "() repetitions use the same part of the buffer"),
    SETTING(set_cache_state, "s",
            "(state) \"warm\", the default, or \"cold\": what the caches hold at the start"),
    SETTING(set_verify, "s",
            "(which) \"last\", the default: data are verified before the timed repetitions, after "
            "the last one, and once more; \"every\": after each, with data of its own"),
    SETTING(set_mpi_alloc_mem_info, "h",
            "(info) what MPI_Alloc_mem is told when it gives memory for windows"),
    {"get_mpi_alloc_mem_info", "", TYPE_INFO, .call = get_mpi_alloc_mem_info,
     .help = "() that info object; MPI_INFO_NULL, the default"},
    SETTING(set_skampi_buffer_mpi_alloc_mem, "ih",
            "(bytes, info) set_skampi_buffer(bytes) and set_mpi_alloc_mem_info(info)"),
    SETTING(use_mpi_alloc_mem, "i", "(flag) 0 or 1, accepted for older scripts, without effect"),
    {.name = NULL},
};
