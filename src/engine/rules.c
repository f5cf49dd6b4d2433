/*
 * How much is measured: operations in a repetition, repetitions in a batch, and when there are
 * enough.
 */
#include "engine/batches.h"

#include <math.h>

#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/samples.h"
#include "engine/trial.h"
#include "stats/series.h"
#include "stats/stats.h"

/* ---- Operations in a repetition ---- */

/* Where the script leaves the iterations to the engine (0), what a repetition times takes at least
 * this many resolutions of the timer, this many of its costs, and this long. */
#define LONG_ENOUGH_RESOLUTIONS 1000
#define LONG_ENOUGH_COSTS 100
#define LONG_ENOUGH_SECONDS 20e-6
/* What is to be precise takes this many steps of the timer for each part of the precision, but at
 * most this share of the point's time. */
#define STEPS_OF_PRECISION 10
#define MOST_OF_POINT 0.01
/* Add no more iterations once the slowest PE needs this many seconds: the faster PEs no longer
 * affect the result. */
#define LONG_ENOUGH_ANYWAY 10e-3
#define MOST_ITERATIONS 1000000
#define ATTEMPTS 8

int64_t iterations_wanted(const struct run *run)
{
    const struct parameter *parameter = measurement_iterations(run->function);
    return parameter ? run->arguments[parameter - run->function->parameters].integer : 1;
}

struct region_times {
    double shortest, longest; /* seconds, of the PEs; NaN: none times anything */
};

/* What a call times: trial_call(), a repetition, or trial_refer(), of which each timed region has
 * to be long enough. */
static struct region_times times_of(struct bench *bench, double (*call)(struct bench *))
{
    struct timing *timing = &bench->services.timing;
    double before = timing->total;
    timing->shortest = INT64_MAX;
    timing->shortest_part = NAN;
    call(bench);
    double longest = timing->total - before, shortest = longest;
    if (call == trial_refer)
        shortest = timing->shortest == INT64_MAX ? NAN : timer_seconds(timing->shortest);
    else if (timing->total == before)
        shortest = longest = NAN; /* this PE only watches */
    else if (!isnan(timing->shortest_part))
        shortest = timing->shortest_part;
    double least[] = {shortest, -longest};
    comm_allreduce(pe_set_group(bench->run.set), COMM_MIN, least, 2);
    return (struct region_times){least[0], -least[1]};
}

/* Seconds that a repetition must last: long enough that a step of the timer does not matter to the
 * precision. Equal on all members. */
static double long_enough(const struct run *run)
{
    double step = timer_in_use->resolution;
    double needed =
        fmax(fmax(LONG_ENOUGH_RESOLUTIONS * step, LONG_ENOUGH_COSTS * timer_in_use->cost),
             LONG_ENOUGH_SECONDS);
    if (batches_precise(run))
        needed = fmax(needed, fmin(STEPS_OF_PRECISION / run->settings->precision * step,
                                   MOST_OF_POINT * run->settings->point_time));
    comm_allreduce(pe_set_group(run->set), COMM_MAX, &needed, 1);
    return needed;
}

/* factor times as many as now, at most 100 times. Where operations are timed burst by burst, the
 * last burst is as long as the others: a short one would be too short for the timer. */
static int64_t more_iterations(const struct bench *bench, double factor)
{
    double more = ceil((double)bench->run.iterations * fmin(factor, 100));
    double burst = bench->run.settings->max_outstanding;
    if (more > burst)
        more = ceil(more / burst) * burst;
    return iterations_fitting(bench, more < MOST_ITERATIONS ? (int64_t)more : MOST_ITERATIONS);
}

int64_t iterations_of_reference(struct bench *bench)
{
    struct run *run = &bench->run;
    double needed = long_enough(run);
    int64_t asked = run->iterations, enough = asked;
    struct region_times timed = times_of(bench, trial_refer);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!(timed.shortest < needed) || timed.longest >= LONG_ENOUGH_ANYWAY)
            break;
        double factor = timed.shortest > 0 ? needed / timed.shortest * 1.1 : 100;
        run->iterations = more_iterations(bench, fmax(factor, 2));
        if (run->iterations <= enough)
            break;
        struct region_times more = times_of(bench, trial_refer);
        /* What is timed call by call or burst by burst takes as long as before. */
        double grown = (double)run->iterations / (double)enough;
        if (!(more.shortest > timed.shortest * sqrt(grown)))
            break;
        enough = run->iterations;
        timed = more;
    }
    run->iterations = asked;
    return enough;
}

void iterations_choose(struct bench *bench)
{
    struct run *run = &bench->run;
    double needed = long_enough(run);
    int64_t fewest = run->function->fewest_iterations;
    run->iterations = iterations_fitting(bench, fewest > 1 ? fewest : 1);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (bench->buffers.cold)
            trial_call(bench); /* first touches of the pages count for nothing */
        struct region_times timed = times_of(bench, trial_call);
        if (isnan(timed.shortest) || timed.shortest >= needed ||
            timed.longest >= LONG_ENOUGH_ANYWAY)
            break;
        double factor = timed.shortest > 0 ? needed / timed.shortest * 1.1 : 100;
        if (timed.longest > 0)
            factor = fmin(factor, 1.1 * LONG_ENOUGH_ANYWAY / timed.longest);
        run->iterations = more_iterations(bench, factor);
    }
    run_note(run, "iterations chosen: %lld", (long long)run->iterations);
}

/* ---- SKaMPI's batches ---- */

/* Windows grow until repetitions fit, and the stop rule says when there are enough. Also where
 * there are no windows. */

#define FIRST_BATCH 4

static size_t classic_most(const struct run *run)
{
    struct aim aim = aim_of(run->settings, batches_precise(run));
    return (aim.limit > aim.least ? aim.limit : aim.least) + FIRST_BATCH;
}

/* Whether there are enough repetitions after those before a steady state, of which *dropped is the
 * number. */
static bool classic_is_enough(const struct batches *batches, size_t *dropped)
{
    const struct settings *settings = batches->bench->run.settings;
    const struct aim *aim = &batches->samples->aim;
    struct samples *samples = batches->samples;
    int passes = samples->passes;
    /* Else nothing makes the reference's error smaller. */
    double error = aim->precise ? samples->subtracted_error : 0;
    *dropped = 0;
    samples->reached = stop_reached(aim, samples->max, samples->valid, error);
    if (!stop_enough(aim, samples->valid, samples->reached, &samples->passes))
        return false;
    /* This often at most: what never gets steady must end as well. */
    if (!settings->adaptive_warm_up || settings->levels || samples->warm_up >= aim->limit)
        return true;
    *dropped = series_warm_up(samples->max, samples->valid, CHANGE_P, CHANGE_LEAST);
    if (*dropped == 0)
        return true;
    samples->passes = passes;
    const double *rest = samples->max + *dropped;
    size_t n = samples->valid - *dropped;
    samples->reached = stop_reached(aim, rest, n, error);
    return stop_enough(aim, n, samples->reached, &samples->passes);
}

/* Half of an interval at 95 %, in standard errors. */
#define NORMAL_95 1.96

/* Not more than the script allows, as long as all are valid. */
static size_t capped(const struct batches *batches, size_t count, size_t valid)
{
    size_t most = batches->samples->aim.most;
    most -= valid < most ? valid : 0;
    return !batches->samples->aim.median && count > most ? most : count;
}

static void classic_begin(struct batches *batches, struct decision *next)
{
    const struct run *run = &batches->bench->run;
    if (run->function->timing == TIMING_ONCE)
        next->count = 1;
    else
        next->count = measurement_synchronized(run->function)
                          ? FIRST_BATCH
                          : (size_t)run->settings->min_repetitions;
    next->count = capped(batches, next->count, 0);
}

/* The reference is measured once for each batch, since conditions change. If most of the error is
 * the reference's, the number of its measurements doubles, and few repetitions are made with them.
 */
static void classic_refer(const struct batches *batches, struct decision *next)
{
    const struct references *references = batches->references;
    if (next->done || !references || !batches->samples->aim.precise)
        return;
    next->refer = 1;
    const struct samples *samples = batches->samples;
    double low, high, error = samples->subtracted_error;
    stop_median_interval(&samples->aim, samples->max, samples->valid, 0, &low, &high);
    if (!(high - low < 2 * NORMAL_95 * error))
        return;
    next->refer = references->count;
    next->count = next->count > FIRST_BATCH ? FIRST_BATCH : next->count;
}

static void classic_decide(struct batches *batches, const struct batch *made, struct decision *next)
{
    const struct bench *bench = batches->bench;
    const struct run *run = &bench->run;
    const struct aim *aim = &batches->samples->aim;
    bool windows = window_applies(run) && bench->services.window.rule == WINDOW_CLASSIC;
    if (windows) {
        double before = next->width;
        next->width = stop_next_window(next->width, made->flawed, made->count, made->used);
        batches->samples->changes += next->width != before;
        next->done = batch_window_too_long(batches, next->width);
    }
    if (made->failed || run->function->timing == TIMING_ONCE ||
        classic_is_enough(batches, &next->dropped) || batch_out_of_time(batches))
        next->done = true;
    size_t valid = batches->samples->valid - next->dropped;
    next->count =
        stop_next_batch(run->settings, made->count, windows, batches->first, made->late_run);
    next->count = capped(batches, stop_grown_batch(aim, next->count, valid), valid);
    if (next->count > aim->limit - valid)
        next->count = aim->limit - valid;
    if (next->count == 0)
        next->done = true;
    classic_refer(batches, next);
}

static const struct batch_rule classic = {classic_most, classic_begin, classic_decide};

/* ---- MPIPerf's stages ---- */

/* Kurnosov, section 4: stage 0 is left out and gives the first window; when too many runs do not
 * fit their windows, the next ones get the length that the stage took. */

/* The stop by error must end, too. */
#define MOST_RUNS_BY_ERROR 1000

static size_t mpiperf_most(const struct run *run)
{
    const struct window_rules *rules = &run->settings->window;
    return (size_t)rules->discarded + 2 * (size_t)rules->runs +
           (size_t)(rules->stop_by_error ? MOST_RUNS_BY_ERROR
                                         : rules->max_runs + rules->enough_valid);
}

static bool mpiperf_is_enough(const struct window_rules *rules, const struct samples *samples)
{
    size_t runs = samples->valid + samples->invalid;
    if (!rules->stop_by_error)
        return runs > (size_t)rules->max_runs || samples->valid > (size_t)rules->enough_valid;
    if (runs > MOST_RUNS_BY_ERROR)
        return true;
    if (samples->valid < (size_t)rules->least_valid)
        return false;
    struct stats_interval found =
        stats_trimmed_interval(samples->max, samples->valid, rules->trim, rules->confidence);
    return found.standard_error <= rules->relative_error * found.mean;
}

static void mpiperf_begin(struct batches *batches, struct decision *next)
{
    struct bench *bench = batches->bench;
    bench->services.window.broadcast = batch_measure_broadcast(bench);
    next->count = (size_t)bench->run.settings->window.discarded;
}

static void mpiperf_decide(struct batches *batches, const struct batch *made, struct decision *next)
{
    struct bench *bench = batches->bench;
    const struct window_rules *rules = &bench->run.settings->window;
    struct samples *samples = batches->samples;
    bool first = batches->first;
    double before = first ? 0 : next->width;
    double longest = timer_seconds(bench->services.timing.longest) / sync_seconds(1);
    next->width =
        stop_mpiperf_window(rules, before, made->invalid, made->count, made->used, longest);
    samples->changes += !first && next->width != before;
    if (first) {
        samples->valid = samples->invalid = samples->late = samples->overruns = 0;
        samples->too_long = 0;
        samples_good(samples);
    } else {
        batch_announce_earlier(batches, made);
    }
    next->done = batch_window_too_long(batches, next->width) || made->failed ||
                 (!first && mpiperf_is_enough(rules, samples)) || batch_out_of_time(batches);
    next->count = (size_t)rules->runs;
}

static const struct batch_rule mpiperf = {mpiperf_most, mpiperf_begin, mpiperf_decide};

/* ---- ReproMPI's round-time ---- */

/* Makes as many repetitions as fit into a slice of time. Each repetition is announced when the one
 * before it has ended on all PEs. */

/* Repetitions that there is room for. */
#define MOST_REPETITIONS 20000

static size_t round_time_most(const struct run *run)
{
    return MOST_REPETITIONS + (size_t)run->settings->min_repetitions;
}

static void round_time_begin(struct batches *batches, struct decision *next)
{
    struct bench *bench = batches->bench;
    const struct settings *settings = bench->run.settings;
    bench->services.window.broadcast = batch_measure_broadcast(bench);
    next->count = (size_t)settings->min_repetitions;
    batches->slice_ends = timer_now() + timer_ticks(settings->window.slice);
}

static void round_time_decide(struct batches *batches, const struct batch *made,
                              struct decision *next)
{
    const struct samples *samples = batches->samples;
    size_t batch = (size_t)batches->bench->run.settings->min_repetitions;
    batch_announce_earlier(batches, made);
    size_t runs = samples->valid + samples->invalid;
    next->done = made->failed || timer_now() >= batches->slice_ends ||
                 runs + batch > MOST_REPETITIONS || batch_out_of_time(batches);
}

static const struct batch_rule round_time = {round_time_most, round_time_begin, round_time_decide};

const struct batch_rule *const batch_rules[] = {[WINDOW_CLASSIC] = &classic,
                                                [WINDOW_MPIPERF] = &mpiperf,
                                                [WINDOW_ROUND_TIME] = &round_time,
                                                [WINDOW_DISSEMINATION] = &classic};
