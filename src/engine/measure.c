/*
 * One request from start to end: whether it can be measured, attempts by the members of the set,
 * the result. measure() at the end calls all of it.
 */
#include "engine/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "engine/messages.h"
#include "engine/report.h"
#include "engine/trial.h"
#include "engine/watchdog.h"

/* Clocks may be off by this share of what windows leave of time. */
#define CLOCK_SHARE 0.1
/* For set-up, before they are chosen. */
#define FIRST_ITERATIONS 8
/* More than the data that one measurement makes. */
#define SEEDS ((uint64_t)1 << 32)

/* ---- An attempt, by the members of the set ---- */

/* The first call is slow: connections, page faults. It is not timed, and in no window. Further ones
 * that set_warm_up() asks for are as long as timed ones. */
static void warm_up(struct bench *bench)
{
    bench->services.window.synchronization = SYNCHRONIZE_NONE;
    if (bench->run.function->timing != TIMING_ONCE)
        trial_call(bench);
    if (iterations_wanted(&bench->run) == 0)
        iterations_choose(bench);
    if (bench->run.function->timing != TIMING_ONCE)
        for (int i = 1; i < bench->run.settings->warm_up; i++)
            trial_call(bench);
    comm_barrier(pe_set_group(bench->run.set));
    bench->services.timing.shortest = INT64_MAX;
}

/* took: seconds of all batches. */
static void account(struct accounting *accounting, const struct bench *bench,
                    const struct samples *samples, double took)
{
    double used = 0;
    for (size_t i = 0; i < samples->valid; i++)
        if (!isnan(samples->max[i]))
            used += samples->max[i] * (double)bench->run.iterations;
    double share = (double)samples->invalid / (double)(samples->valid + samples->invalid + 1);
    accounting->comm += used;
    accounting->over += took * share;
    accounting->wait += fmax(0, took * (1 - share) - used);
}

/* What the repetitions say. */
static void conclude(struct engine *engine, struct batches *batches, struct outcome *outcome,
                     double took)
{
    struct bench *bench = &engine->bench;
    struct samples *samples = batches->samples;
    if (measurement_has_data(bench->run.function))
        trial_check_data(bench);
    /* A precision was reached with the references so far: one more could only undo that. */
    if (batches->references && !(samples->aim.precise && batches->references->count > 1))
        batches_refer(batches);
    outcome_conclude(bench, samples, batches->references, outcome);
    if (bench->run.rank == 0)
        judge_conclude(batches->judge, samples, &outcome->statistics);
    account(&engine->accounting, bench, samples, took);
    if (counting_applies(bench->run.function))
        counting_run(batches, outcome);
    if (bench->run.rank != 0)
        return;
    remarks_make(bench, samples, &outcome->statistics);
    if (engine->options.raw) {
        size_t bytes = samples->valid * sizeof *outcome->samples;
        outcome->samples = memory_zeroed(1, bytes + 1);
        memcpy(outcome->samples, samples->max, bytes);
        outcome->sample_count = samples->valid;
    }
}

/* Between set-up and teardown. False when it failed. */
static bool measure_samples(struct engine *engine, struct batches *batches, struct outcome *outcome)
{
    struct bench *bench = &engine->bench;
    const struct run *run = &bench->run;
    struct samples samples = {0};
    struct references references = {0};
    batches->samples = &samples;
    batches->references = run->function->reference ? &references : NULL;
    samples_reserve(&samples, batches->rule->most(run) + 1, false);
    warm_up(bench);
    if (batches->references) {
        batches->referring = iterations_of_reference(bench);
        batches_refer(batches);
    }
    bench->verification.filled = 0;
    if (measurement_has_data(run->function))
        trial_make_data(bench, samples.capacity);
    int64_t start = timer_now();
    batches_run(batches);
    if (!batches->judge->missed)
        conclude(engine, batches, outcome, timer_seconds(timer_now() - start));
    samples_release(&samples);
    return !batches->judge->missed && trial_verify(bench);
}

/* began: the attempt, timer ticks. False when it failed on some member, which has the reason in its
 * services. */
static bool attempt_by_members(struct engine *engine, int64_t began, struct outcome *outcome)
{
    struct bench *bench = &engine->bench;
    struct judge judge;
    struct batches batches = {.bench = bench,
                              .rule = batch_rules[bench->services.window.rule],
                              .judge = &judge,
                              .display = &engine->display,
                              .ends = engine->limit.ends,
                              .began = began,
                              .debug = engine->options.debug & DEBUG_BATCHES};
    judge_begin(&judge, engine->machine, &bench->run);
    bool good =
        trial_set_up(bench) && trial_verify(bench) && measure_samples(engine, &batches, outcome);
    outcome->missed = judge.missed;
    if (judge.log && comm_pe() != 0)
        judge_keep_controls(&judge, outcome);
    trial_tear_down(bench);
    return good;
}

/* ---- Attempts ---- */

/* Seconds by which starts may be wrong before it matters: what windows leave, if they are laid out
 * ahead; what a repetition takes, if each start is announced; any number after a barrier. */
static double slack_of(const struct services *services, const struct statistics *statistics)
{
    double longest = timer_seconds(services->timing.longest);
    if (services->window.rule == WINDOW_DISSEMINATION)
        return INFINITY;
    return services->window.rule == WINDOW_ROUND_TIME ? longest : statistics->window - longest;
}

/* What all PEs know after an attempt: the largest that any of them says. */
struct attempt_outcome {
    double failed, missed, unsupported; /* missed: the state of the machine that was asked for */
    double teller;                      /* highest PE that knows why it failed, or -1 */
    double texts;                       /* some PE has text for the output */
    double time;                        /* of the result, on which autorefine's next step depends */
    double slack;                       /* by how much starts may be wrong, seconds */
};

static struct attempt_outcome attempt(struct engine *engine, const struct measure_request *request,
                                      struct outcome *outcome)
{
    struct bench *bench = &engine->bench;
    struct services *services = &bench->services;
    struct run *run = &bench->run;
    int64_t began = timer_now();
    size_t state_bytes = request->function->state_bytes;
    run->state = state_bytes ? memory_zeroed(1, state_bytes) : NULL;
    outcome_begin(outcome, request->set);
    services->timing.shortest = INT64_MAX;
    services->timing.longest = 0;
    services->window.rule = window_applies(run) ? run->settings->window.rule : WINDOW_CLASSIC;
    /* Members of the next set must agree. */
    bench->verification.seed = (bench->verification.seed / SEEDS + 1) * SEEDS;
    buffers_begin(&bench->buffers, run);
    comm_enter(pe_set_group(request->set));
    watchdog_outside(run->rank < 0);
    trial_prepare(run);
    bool failed = run->rank >= 0 && !attempt_by_members(engine, began, outcome);
    bool tells = run->rank == 0 && !failed;
    struct attempt_outcome attempted = {.failed = failed,
                                        .missed = outcome->missed,
                                        .unsupported = services->unsupported,
                                        .teller = services->failure ? comm_pe() : -1,
                                        .texts = engine->pending.length > 0,
                                        .time = tells ? outcome->statistics.time : NAN,
                                        .slack =
                                            tells ? slack_of(services, &outcome->statistics) : NAN};
    comm_allreduce(comm_world(), COMM_MAX, &attempted.failed,
                   sizeof attempted / sizeof attempted.failed);
    engine->latest.time = engine->latest.assumed = attempted.time;
    watchdog_outside(false);
    /* For the next measurement, before which all PEs synchronize. Also outside the set: the library
     * may keep what belongs to a lock on any PE. */
    memset(bench->buffers.scratch.first, 0, run->demand.scratch);
    free(run->state);
    return attempted;
}

/* Whether clocks have moved so far that windows did not start together: by more than a tenth of the
 * time that windows left. Collective over the world. */
static bool clocks_moved(const struct run *run, double slack, double *by)
{
    *by = window_applies(run) ? sync_check() : 0;
    return *by > 0 && *by > slack * CLOCK_SHARE;
}

/* Measures once more, since clocks have moved. If they move again, the result is marked. */
static struct attempt_outcome
attempt_again(struct engine *engine, const struct measure_request *request, struct outcome *outcome)
{
    struct run *run = &engine->bench.run;
    double by;
    clocks_synchronize(&engine->clocks, &engine->settings);
    notes_clear(&engine->bench.services.notes);
    struct attempt_outcome attempted = attempt(engine, request, outcome);
    if (attempted.failed != 0)
        return attempted;
    bool again = clocks_moved(run, attempted.slack, &by);
    if (run->rank == 0)
        run_note(run, "measured again, since clocks had moved");
    if (run->rank == 0 && again) {
        outcome->statistics.flags |= 1u << RESULT_CLOCKS_MOVED;
        char moved[40], slack[40];
        run_note(run,
                 "clocks moved by %s meanwhile, but windows tolerate only %s: PEs did not start "
                 "together",
                 numbers_time(moved, by, 3), numbers_time(slack, attempted.slack, 3));
    }
    return attempted;
}

/* ---- What came of it ---- */

/* Why it failed, from the highest PE that knows, to PE 0. */
static enum measure_status report_failure(struct engine *engine,
                                          const struct measure_request *request,
                                          const struct attempt_outcome *attempted)
{
    char **failure = &engine->bench.services.failure;
    int who = (int)attempted->teller;
    bool unsupported = attempted->unsupported != 0, missed = attempted->missed != 0;
    int64_t length = *failure ? (int64_t)strlen(*failure) + 1 : 0;
    if (who > 0 && comm_pe() == who) {
        comm_send(0, &length, sizeof length);
        comm_send(0, *failure, (size_t)length);
    } else if (who > 0 && comm_pe() == 0) {
        comm_receive(who, &length, sizeof length);
        free(*failure);
        *failure = memory_zeroed((size_t)length, 1);
        comm_receive(who, *failure, (size_t)length);
    }
    /* What is missing of later rounds is stated by the result over all rounds. */
    if (missed && engine->round.number == 1)
        missing_leave_out(&engine->missing, MISSING_STATE, request, *failure ? *failure : "");
    else if (!missed && unsupported)
        missing_leave_out(&engine->missing, MISSING_UNSUPPORTED, request, *failure ? *failure : "");
    else if (!missed)
        missing_fail(&engine->missing, request, *failure);
    engine->missing.incomplete = true;
    free(*failure);
    *failure = NULL;
    engine->bench.services.unsupported = false;
    return unsupported ? MEASURE_UNSUPPORTED : MEASURE_FAILED;
}

static void report_success(struct engine *engine, const struct measure_request *request,
                           struct outcome *outcome)
{
    const struct statistics *statistics = &outcome->statistics;
    outcome_bring(outcome, &engine->bench.services.notes, request->set);
    if (comm_pe() == 0 && outcome->control_count > 0)
        machine_add(engine->machine, request->set, outcome->controls, outcome->control_count);
    if (comm_pe() == 0 && engine->settings.controls)
        machine_measured(engine->machine, request->set, statistics);
    if (engine->output)
        report_result(engine, request, outcome);
    if (statistics->flags & 1u << RESULT_TIME_BUDGET && wall_seconds() >= engine->limit.ends)
        engine->limit.cut_short = true;
    engine->latest.statistics = *statistics;
    engine->latest.median = statistics->level_count > 0 ? statistics->time : statistics->median;
}

/* ---- What is not measured ---- */

/* reason is taken over. */
static enum measure_status leave_out_large(struct engine *engine,
                                           const struct measure_request *request, char *reason)
{
    if (!request->open)
        missing_leave_out(&engine->missing, MISSING_TOO_LARGE, request, reason);
    free(reason);
    return MEASURE_TOO_LARGE;
}

/* need: bytes. */
static enum measure_status too_large(struct engine *engine, const struct measure_request *request,
                                     size_t need)
{
    char *bytes = need == SIZE_MAX ? memory_text("more bytes than any memory has")
                                   : text_format("%zu bytes", need);
    bool grows = !engine->settings.buffer_given && !request->endless;
    char *reason =
        grows ? text_format("needs a buffer of %s, but without set_skampi_buffer it grows to "
                            "%zu bytes at most, a quarter of the node's memory for its PEs",
                            bytes, engine->most_buffer)
              : text_format("needs a buffer of %s, but set_skampi_buffer gives only %lld bytes",
                            bytes, (long long)engine->settings.buffer_bytes);
    free(bytes);
    return leave_out_large(engine, request, reason);
}

/* On all PEs alike. */
static enum measure_status no_memory(struct engine *engine, const struct measure_request *request)
{
    int major, minor;
    size_t symmetric = buffers_bytes(&engine->bench.run);
    char *heap = comm_has_shmem(&major, &minor)
                     ? text_format("make the heap larger (%s), or ", comm_heap_variable())
                     : memory_text("");
    char *reason =
        text_format("needs %zu bytes of symmetric memory, more than is available: %smake the "
                    "buffer smaller (set_skampi_buffer)",
                    symmetric, heap);
    missing_fail(&engine->missing, request, reason);
    free(heap);
    free(reason);
    return MEASURE_FAILED;
}

/* The buffers cannot lie where set_buffer_placement() wants them. On all PEs alike. */
static enum measure_status misplaced(struct engine *engine, const struct measure_request *request,
                                     const char *reason)
{
    missing_leave_out(&engine->missing, MISSING_REFUSED, request, reason);
    return MEASURE_REFUSED;
}

static enum measure_status time_over(struct engine *engine, const struct measure_request *request)
{
    struct limit *limit = &engine->limit;
    limit->endless = limit->endless || request->endless;
    if (engine->round.number == 1) {
        limit->skipped++;
        missing_state(&engine->missing, MISSING_TIME_LIMIT, request,
                      "the time limit had ended before");
    }
    return MEASURE_TIME_OVER;
}

/* Why --state, which is given, cannot be obeyed here, or NULL. The same on all PEs. */
static const char *stateless(const struct engine *engine)
{
    if (machine_unseen())
        return "PEs share processors, so the state of the machine is not known: give each PE a "
               "core, or leave --state out";
    if (!engine->settings.controls)
        return "without controls the state of the machine is not known: remove set_controls(0), or "
               "leave --state out";
    return NULL;
}

/* MEASURE_DONE if it is measured; else what is done instead. */
static enum measure_status admit(struct engine *engine, const struct measure_request *request)
{
    const char *reason = measurement_unsupported(request->function);
    if (reason) {
        engine->missing.incomplete = true;
        missing_state(&engine->missing, MISSING_UNSUPPORTED, request, reason);
        return MEASURE_UNSUPPORTED;
    }
    if (limit_over(&engine->limit))
        return time_over(engine, request);
    if (pe_set_size(request->set) == 0) {
        missing_state(&engine->missing, MISSING_SKIPPED, request, "the communicator is empty");
        return MEASURE_SKIPPED;
    }
    if (!machine_waits(engine->machine) || request->function->timing == TIMING_ONCE)
        return MEASURE_DONE;
    reason = stateless(engine);
    if (reason)
        missing_leave_out(&engine->missing, MISSING_STATE, request, reason);
    return reason ? MEASURE_FAILED : MEASURE_DONE;
}

/* ---- The request ---- */

static void prepare_run(struct engine *engine, const struct measure_request *request)
{
    struct run *run = &engine->bench.run;
    *run = (struct run){.function = request->function,
                        .arguments = request->arguments,
                        .settings = &engine->settings,
                        .set = request->set,
                        .rank = pe_set_rank_of(request->set, comm_pe()),
                        .size = pe_set_size(request->set),
                        .services = &engine->bench.services};
    measurement_demand(run);
    engine->latest.weight = measurement_weight(run->function, &run->demand);
    int64_t wanted = iterations_wanted(run);
    run->iterations = wanted > 0 ? wanted : FIRST_ITERATIONS;
    engine->bench.services.skewed = false;
    engine->bench.services.not_cold = 0;
    notes_clear(&engine->bench.services.notes);
}

/* start: of the point, timer_now(). */
static void end_point(struct engine *engine, const struct measure_request *request, bool texts,
                      int64_t start)
{
    const struct measurement *function = request->function;
    if (texts)
        texts_bring(&engine->pending);
    fatal_check_output(&engine->display, engine->output);
    watchdog_doing(NULL, NULL);
    engine->latest.measured = true;
    engine->bench.services.library_measured +=
        function->api != API_NONE && function->timing != TIMING_ONCE;
    double seconds = timer_seconds(timer_now() - start);
    engine->accounting.total += seconds;
    if (engine->options.estimate)
        estimate_probed(&engine->estimate, request->place, seconds, engine->latest.time);
}

/* Where the script does not say how large the buffer is. A loop to ... ends at the default. */
static void grow_buffer(struct engine *engine, const struct measure_request *request)
{
    struct settings *settings = &engine->settings;
    settings->buffer_bytes = settings_default().buffer_bytes;
    size_t need = buffers_need(&engine->bench.run);
    if (!request->endless && need > (size_t)settings->buffer_bytes && need <= engine->most_buffer)
        settings->buffer_bytes = (int64_t)need;
}

/* MEASURE_DONE if there is memory for it; else what is done instead. */
static enum measure_status fit(struct engine *engine, const struct measure_request *request)
{
    const struct run *run = &engine->bench.run;
    size_t buffer = (size_t)engine->settings.buffer_bytes, limit = (size_t)engine->options.memory;
    size_t need = buffers_need(run), own = run->demand.own, all;
    const char *why = buffers_refusal(run);
    if (why)
        return misplaced(engine, request, why);
    /* Nothing of an open loop was asked for that is lost when it ends here. */
    if (need > buffer || (request->open && own > buffer))
        return too_large(engine, request, need);
    if (limit && __builtin_add_overflow(buffers_bytes(run), own, &all))
        all = SIZE_MAX;
    if (limit && all > limit)
        return leave_out_large(
            engine, request,
            text_format("needs %zu bytes on each PE, but --memory allows only %zu: allow more, or "
                        "make the buffer smaller (set_skampi_buffer)",
                        all, limit));
    why = buffers_prepare(&engine->bench.buffers, run, limit);
    if (!why)
        return MEASURE_DONE;
    return *why ? misplaced(engine, request, why) : no_memory(engine, request);
}

void measure_select_timer(struct engine *engine, const char *name)
{
    if (strcmp(timer_in_use->name, name) == 0)
        return;
    timer_select(name);
    engine->clocks.known = engine->bench.services.pause_known = false;
}

/* Whether the point comes from an earlier run (--resume). Points of several rounds never do. */
static bool is_resumed(struct engine *engine, const struct measure_request *request)
{
    struct {
        bool found;
        double time;
    } earlier = {false, NAN};
    if (request_rounds(request, &engine->settings, engine->options.rounds) > 1)
        return false;
    if (comm_pe() == 0)
        earlier.found = report_earlier(engine, request, &earlier.time);
    comm_broadcast(comm_world(), &earlier, sizeof earlier);
    if (!earlier.found)
        return false;
    prepare_run(engine, request);
    engine->latest.time = engine->latest.assumed = earlier.time;
    fatal_check_output(&engine->display, engine->output);
    return true;
}

enum measure_status measure(struct engine *engine, const struct measure_request *request)
{
    int64_t start = timer_now();
    const struct run *run = &engine->bench.run;
    double by;
    watchdog_progress();
    engine->latest = (struct latest){.time = NAN, .assumed = NAN, .median = NAN};
    if (engine->options.resuming && is_resumed(engine, request))
        return MEASURE_DONE;
    enum measure_status status = admit(engine, request);
    if (status != MEASURE_DONE)
        return status;
    prepare_run(engine, request);
    if (!engine->settings.buffer_given)
        grow_buffer(engine, request);
    status = fit(engine, request);
    if (status != MEASURE_DONE)
        return status;
    if (engine->options.estimate && !estimate_probes(&engine->estimate, request->place)) {
        engine->latest.assumed = estimate_reported(&engine->estimate, request->place);
        return MEASURE_DONE;
    }
    progress_show(&engine->display, request->text);
    watchdog_doing(request->text, request->place);
    if (window_applies(run) || run->function->clocks)
        clocks_need(&engine->clocks, &engine->settings);
    struct outcome outcome = {0};
    struct attempt_outcome attempted = attempt(engine, request, &outcome);
    if (attempted.failed == 0 && clocks_moved(run, attempted.slack, &by))
        attempted = attempt_again(engine, request, &outcome);
    if (attempted.failed != 0)
        status = report_failure(engine, request, &attempted);
    else
        report_success(engine, request, &outcome);
    end_point(engine, request, attempted.texts != 0, start);
    outcome_free(&outcome);
    return status;
}
