/*
 * One attempt at a measurement. Only this file calls the hooks of a descriptor, in this order:
 *
 *   check, demand        for the request, by every PE of the world; pure
 *   prepare              every PE of the world, after the communicator of a function of MPI
 *   operations           from here on the members of the set alone; pure
 *   setup
 *   fill, run, verify    one iteration, untimed: data of its own
 *   run                  untimed, for connections, page faults and the number of iterations
 *   reference            what is subtracted
 *   fill                 for what follows
 *   run                  timed, in batches, until there are enough
 *   reference            before each of them but the first one, with set_precision()
 *   verify               the last one
 *   reference            again
 *   run                  in batches, for events of the hardware
 *   fill, run, verify    as before
 *   teardown
 *
 * With VERIFY_EVERY, fill and verify are called around each timed run as well. Each check of data
 * costs two barriers, and about a nanosecond for 8 bytes.
 */
#include "engine/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "engine/clocks.h"
#include "engine/request.h"
#include "engine/verify.h"
#include "engine/watchdog.h"

/* More than the data that one measurement makes. */
#define SEEDS ((uint64_t)1 << 32)

/* ---- The request ---- */

static char *wrong_real(const struct parameter *parameter, double value)
{
    bool good = parameter->above ? value > parameter->least : value >= parameter->least;
    if (!good)
        return text_format("%s is %g, but must be %s %g", parameter->name, value,
                           parameter->above ? "more than" : "at least", parameter->least);
    if (value > parameter->most)
        return text_format("%s is %g, but may be at most %g", parameter->name, value,
                           parameter->most);
    return NULL;
}

/* NULL, or why the operation does not go with the first datatype. */
static const char *misfit(const struct measure_request *request)
{
    const struct measurement *function = request->function;
    const struct operation *operation = NULL;
    const struct datatype *type = NULL;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct value *argument = &request->arguments[i];
        if (!operation && function->parameters[i].type == PARAMETER_OPERATION)
            operation = argument->operation;
        if (!type && function->parameters[i].type == PARAMETER_DATATYPE)
            type = argument->datatype;
    }
    return operation && type ? operation_misfit(operation, type, function->accumulates) : NULL;
}

char *engine_refusal(const struct measure_request *request, int *argument)
{
    const struct measurement *function = request->function;
    int size = pe_set_size(request->set);
    *argument = -1;
    /* Such a request measures nothing, whatever its arguments. */
    if (size == 0 || measurement_unsupported(function))
        return NULL;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        *argument = (int)i;
        char *wrong = NULL;
        if (parameter->words && parameter_word(parameter, request->arguments[i].string) < 0) {
            char *words = parameter_words(parameter);
            wrong = text_format("%s must be %s", parameter->name, words);
            free(words);
        } else if (parameter->type == PARAMETER_DOUBLE) {
            wrong = wrong_real(parameter, request->arguments[i].real);
        }
        if (wrong)
            return wrong;
        if (parameter->type > PARAMETER_RANK)
            continue;
        long long value = request->arguments[i].integer;
        if (value < parameter->minimum)
            return text_format("%s is %lld, but must be at least %lld", parameter->name, value,
                               (long long)parameter->minimum);
        if (parameter->maximum && value > parameter->maximum)
            return text_format("%s is %lld, but may be at most %lld", parameter->name, value,
                               (long long)parameter->maximum);
        if (parameter->type == PARAMETER_RANK && value >= size)
            return text_format("%s is %lld, but the communicator has only the ranks 0 to %d",
                               parameter->name, value, size - 1);
    }
    *argument = -1;
    if (size < function->minimum_pes)
        return text_format("needs a communicator of at least %d PEs, this one has %d: start more "
                           "PEs, or check get_comm_size() in the script",
                           function->minimum_pes, size);
    const struct run run = {.function = function,
                            .arguments = request->arguments,
                            .set = request->set,
                            .rank = -1,
                            .size = size};
    const char *reason = misfit(request);
    if (!reason && function->check)
        reason = function->check(&run);
    return reason ? memory_text(reason) : NULL;
}

void measurement_demand(struct run *run)
{
    run->demand = (struct demand){.scratch = run->function->scratch_bytes};
    if (run->function->demand)
        run->function->demand(run);
}

/* ---- The data ---- */

/* The place of the last operation of a cold repetition. */
static size_t last_place(const struct bench *bench)
{
    size_t iterations = (size_t)bench->run.iterations;
    return bench->operations ? iterations * bench->operations % bench->run.places : iterations - 1;
}

/* Acts at the places of the first and the last operation of a cold repetition; without fresh memory
 * there is only one place. */
static void at_each_place(struct bench *bench, void (*act)(struct run *))
{
    struct run *run = &bench->run;
    unsigned char *local = run->local, *remote = run->remote;
    bool cold = run->local_step > 0 || run->remote_step > 0;
    size_t last = cold ? last_place(bench) : 0;
    run->place = 0;
    act(run);
    if (last > 0) {
        run->place = last;
        run->local += last * run->local_step;
        run->remote += last * run->remote_step;
        act(run);
    }
    run->local = local;
    run->remote = remote;
}

static void fill_place(struct run *run)
{
    verify_set_guards(run);
    run->function->fill(run);
}

/* What a known defect of the library makes wrong is a note, on rank 0, which keeps notes. */
static void forgive(struct run *run, const char *known)
{
    struct services *services = run->services;
    if (run_max(run, services->failure ? 1 : 0) > 0)
        run_note(run, "%s", known);
    free(services->failure);
    services->failure = NULL;
}

static void check_data_here(struct run *run)
{
    run->function->verify(run);
}

static void check_place(struct run *run)
{
    bool failed = run->services->failure;
    /* On all members, whatever they found: both may communicate. */
    bool right = run->function->verify(run);
    const char *known = measurement_wrong_values(run->function);
    if (known && run_max(run, failed) == 0)
        forgive(run, known);
    if (right)
        verify_guards(run);
}

static void check_places(struct bench *bench)
{
    const struct pe_set *set = bench->run.set;
    watchdog_progress();
    comm_quiet();
    comm_barrier(pe_set_group(set));
    at_each_place(bench, check_place);
    comm_barrier(pe_set_group(set)); /* nobody may write there again before all have looked */
}

/* From now on, nobody needs the old data. */
static void new_data(struct bench *bench)
{
    comm_barrier(pe_set_group(bench->run.set));
    bench->run.seed = ++bench->verification.seed;
    bench->run.repeated = 0;
}

/* Before anything of the engine, which would complete what the operation has left. */
static void check_arrival(struct bench *bench)
{
    struct services *services = &bench->services;
    const struct measurement *function = bench->run.function;
    if (services->failure || measurement_wrong_values(function))
        return;
    at_each_place(bench, check_data_here);
    char *failure = services->failure;
    if (failure)
        services->failure = text_format("%s when the call returned", failure);
    free(failure);
}

/* ---- One repetition ---- */

/* The memory that it is to use. */
static void next_buffers(struct bench *bench)
{
    struct run *run = &bench->run;
    bool filling = bench->verification.filling;
    bench->verification.filling = false;
    buffers_next(&bench->buffers, run);
    if (filling)
        at_each_place(bench, fill_place);
    if (bench->buffers.cold)
        buffers_flush(&bench->buffers, run, bench_places(bench, run->iterations));
    /* Nobody may begin while others fill or flush what it will touch. */
    if (filling || bench->buffers.cold)
        comm_barrier(pe_set_group(run->set));
}

static double run_once(struct bench *bench)
{
    struct window *window = &bench->services.window;
    watchdog_progress();
    next_buffers(bench);
    window->started_late = window->took_too_long = false;
    bench->run.repeated++;
    return bench->run.function->run(&bench->run);
}

/* counts: a value for each event that is counted, NaN where this PE only watches; NULL: none is. */
static double run_in_batch(struct bench *bench, double *counts)
{
    const struct measurement *function = bench->run.function;
    bool checked = bench->run.settings->verify == VERIFY_EVERY && function->timing != TIMING_ONCE &&
                   verify_has(function);
    if (checked) {
        new_data(bench);
        bench->verification.filling = true;
    }
    if (counts)
        counters_begin();
    double value = run_once(bench);
    if (counts)
        counters_end(counts);
    for (size_t i = 0; counts && isnan(value) && i < COUNTERS_MAX; i++)
        counts[i] = NAN;
    if (checked)
        check_places(bench);
    return value;
}

static double refer_once(struct bench *bench)
{
    watchdog_progress();
    next_buffers(bench);
    comm_barrier(pe_set_group(bench->run.set));
    comm_quiet();
    return bench->run.function->reference(&bench->run);
}

/* ---- Parts of an attempt ---- */

/* False when it fails. */
static bool set_up(struct bench *bench)
{
    struct run *run = &bench->run;
    const struct measurement *function = run->function;
    bench->operations = function->operations ? (size_t)function->operations(run) : 0;
    if (bench->buffers.cold)
        iterations_limit(bench);
    buffers_next(&bench->buffers, run);
    comm_barrier(pe_set_group(run->set));
    if (function->setup)
        function->setup(run);
    return run_max(run, run->services->failure ? 1 : 0) == 0;
}

/* Whether the operation does what it should, by repetitions of one iteration that are not timed.
 * False when it does not. */
static bool prove(struct bench *bench)
{
    struct run *run = &bench->run;
    struct timing *timing = &bench->services.timing;
    int64_t start = timer_now(), iterations = run->iterations, shortest = timing->shortest;
    bench->services.window.synchronization = SYNCHRONIZE_NONE;
    run->iterations = 1;
    run->untimed = true;
    if (verify_has(run->function) && run->function->timing != TIMING_ONCE) {
        new_data(bench);
        bench->verification.filling = true;
        run_once(bench);
        if (run->function->arrives)
            check_arrival(bench);
        check_places(bench);
    }
    if (run->function->synchronizes && run->size > 1)
        verify_synchronism(bench);
    run->untimed = false;
    run->iterations = iterations;
    timing->shortest = shortest;
    bench->verification.proof = timer_seconds(timer_now() - start);
    bench->verification.seconds += bench->verification.proof;
    return run_max(run, run->services->failure ? 1 : 0) == 0;
}

/* The first call is slow: connections, page faults. It is not timed, and in no window. Further ones
 * that set_warm_up() asks for are as long as timed ones. */
static void warm_up(struct bench *bench)
{
    bench->services.window.synchronization = SYNCHRONIZE_NONE;
    if (bench->run.function->timing != TIMING_ONCE)
        run_once(bench);
    if (iterations_wanted(&bench->run) == 0)
        iterations_choose(bench);
    if (bench->run.function->timing != TIMING_ONCE)
        for (int i = 1; i < bench->run.settings->warm_up; i++)
            run_once(bench);
    comm_barrier(pe_set_group(bench->run.set));
    bench->services.timing.shortest = INT64_MAX;
}

/* Fills the places in memory that the next `repetitions` repetitions are to use. */
static void make_data(struct bench *bench, size_t repetitions)
{
    struct run *run = &bench->run;
    const struct buffers *buffers = &bench->buffers;
    size_t places = buffers->cold ? 1 : buffers_warm_places(buffers);
    size_t turns = places < repetitions ? places : repetitions;
    int64_t start = timer_now();
    new_data(bench);
    for (size_t i = 0; i < turns; i++) {
        watchdog_progress();
        buffers_at(buffers, run, buffers->turn + i);
        at_each_place(bench, fill_place);
    }
    /* If all places have data, a later turn finds data whatever its number. */
    bench->verification.filled = turns == places ? SIZE_MAX : buffers->turn + turns;
    comm_barrier(pe_set_group(run->set));
    /* What was filled is warm again; functions with several places warm theirs (warm_places()). */
    if (run->function->timing != TIMING_ONCE && !buffers->cold &&
        (buffers->fixed || !run->settings->buffer_cycling))
        run_once(bench);
    bench->verification.seconds += timer_seconds(timer_now() - start);
}

/* Verifies the data of the last repetition, unless its place had none. */
static void check_data(struct bench *bench)
{
    int64_t start = timer_now();
    if (bench->buffers.turn > bench->verification.filled ||
        bench->run.settings->verify == VERIFY_EVERY)
        return;
    check_places(bench);
    bench->verification.seconds += timer_seconds(timer_now() - start);
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
static void conclude(struct batches *batches, struct outcome *outcome, double took)
{
    struct bench *bench = batches->bench;
    struct samples *samples = batches->samples;
    if (verify_has(bench->run.function))
        check_data(bench);
    /* A precision was reached with the references so far: one more could only undo that. */
    if (batches->references && !(samples->aim.precise && batches->references->count > 1))
        batches_refer(batches);
    outcome_conclude(bench, samples, batches->references, outcome);
    if (bench->run.rank == 0)
        judge_conclude(batches->judge, samples, &outcome->statistics);
    account(batches->accounting, bench, samples, took);
    if (counting_applies(bench->run.function))
        counting_run(batches, outcome);
    if (bench->run.rank != 0)
        return;
    remarks_make(bench, samples, &outcome->statistics);
    if (batches->raw) {
        size_t bytes = samples->valid * sizeof *outcome->samples;
        outcome->samples = memory_zeroed(1, bytes + 1);
        memcpy(outcome->samples, samples->max, bytes);
        outcome->sample_count = samples->valid;
    }
}

/* ---- The attempt ---- */

/* Between set-up and teardown. False when it failed. */
static bool measure_samples(struct batches *batches, struct outcome *outcome)
{
    struct bench *bench = batches->bench;
    const struct run *run = &bench->run;
    struct samples samples = {0};
    struct references references = {0};
    batches->rule = batch_rules[bench->services.window.rule];
    batches->samples = &samples;
    batches->references = run->function->reference ? &references : NULL;
    samples_reserve(&samples, batches->rule->most(run) + 1, false);
    warm_up(bench);
    if (batches->references) {
        batches->referring = iterations_of_reference(bench);
        batches_refer(batches);
    }
    bench->verification.filled = 0;
    if (verify_has(run->function))
        make_data(bench, samples.capacity);
    int64_t start = timer_now();
    batches_run(batches);
    if (!batches->judge->missed)
        conclude(batches, outcome, timer_seconds(timer_now() - start));
    samples_release(&samples);
    return !batches->judge->missed && prove(bench);
}

bool trial_run(struct batches *batches, struct machine *machine, struct outcome *outcome)
{
    struct bench *bench = batches->bench;
    struct run *run = &bench->run;
    struct judge judge;
    bench->repeat = run_in_batch;
    bench->call = run_once;
    bench->refer = refer_once;
    bench->buffers.fixed = run->function->one_place;
    bench->services.window.rule = window_applies(run) ? run->settings->window.rule : WINDOW_CLASSIC;
    /* Members of the next set must agree. */
    bench->verification.seed = (bench->verification.seed / SEEDS + 1) * SEEDS;
    if (run->function->api == API_MPI)
        communicator_handle(run->set);
    if (run->function->prepare)
        run->function->prepare(run);
    if (run->rank < 0)
        return true;
    judge_begin(&judge, machine, run);
    batches->judge = &judge;
    bool good = set_up(bench) && prove(bench) && measure_samples(batches, outcome);
    outcome->missed = judge.missed;
    if (judge.log && comm_pe() != 0)
        judge_keep_controls(&judge, outcome);
    if (run->function->teardown)
        run->function->teardown(run);
    services_free(&bench->services);
    comm_quiet();
    return good;
}
