/*
 * Only this file calls the hooks of a descriptor. An attempt at a measurement (measure.c) runs them
 * in this order:
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

#include "base/memory.h"
#include "base/text.h"
#include "clock/counters.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/request.h"
#include "engine/watchdog.h"

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

/* ---- Guards ---- */

/* Source and target have different guards, in either direction of a transfer: if too many bytes are
 * moved, a foreign guard arrives, and is found. Two places of a buffer that share a guard agree
 * about it. Each guard byte has the first bit, which no data have (pattern_fill()). */
static unsigned char guard_byte(const struct run *run, const unsigned char *address)
{
    uint32_t mixed = (uint32_t)run->rank * 2654435761u +
                     (uint32_t)(uintptr_t)address * 2246822519u + (uint32_t)run->seed * 3266489917u;
    mixed ^= mixed >> 15;
    mixed *= 2246822519u;
    return (unsigned char)(0x80 | (mixed >> 24));
}

static void set_guards(struct run *run)
{
    unsigned char *const sides[] = {run->local, run->remote};
    const size_t bytes[] = {run->demand.local, run->demand.remote};
    for (int side = 0; side < 2; side++) {
        unsigned char *before = sides[side] - BUFFER_GUARD, *after = sides[side] + bytes[side];
        for (int i = 0; i < BUFFER_GUARD; i++) {
            before[i] = guard_byte(run, &before[i]);
            after[i] = guard_byte(run, &after[i]);
        }
    }
}

static bool check_guards(struct run *run)
{
    const struct {
        const char *name;
        const unsigned char *first;
        size_t bytes;
    } sides[] = {{"local", run->local, run->demand.local},
                 {"remote", run->remote, run->demand.remote}};
    for (int side = 0; side < 2; side++) {
        size_t bytes = sides[side].bytes;
        const char *name = sides[side].name;
        const unsigned char *before = sides[side].first - BUFFER_GUARD;
        const unsigned char *after = sides[side].first + bytes;
        for (int i = 0; i < BUFFER_GUARD; i++) {
            if (before[i] != guard_byte(run, &before[i]))
                return run_fail(run,
                                "wrong data: byte %d before the %s buffer of %zu bytes on PE %d "
                                "(rank %d) is 0x%02x and should still be 0x%02x",
                                BUFFER_GUARD - i, name, bytes, comm_pe(), run->rank, before[i],
                                guard_byte(run, &before[i]));
            if (after[i] != guard_byte(run, &after[i]))
                return run_fail(run,
                                "wrong data: byte %zu of the %s buffer on PE %d (rank %d), which "
                                "has %zu bytes, is 0x%02x and should still be 0x%02x: too much was "
                                "written",
                                bytes + (size_t)i, name, comm_pe(), run->rank, bytes, after[i],
                                guard_byte(run, &after[i]));
        }
    }
    return true;
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
    set_guards(run);
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
        check_guards(run);
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

double trial_call(struct bench *bench)
{
    struct window *window = &bench->services.window;
    watchdog_progress();
    next_buffers(bench);
    window->started_late = window->took_too_long = false;
    bench->run.repeated++;
    return bench->run.function->run(&bench->run);
}

double trial_repeat(struct bench *bench, double *counts)
{
    const struct measurement *function = bench->run.function;
    bool checked = bench->run.settings->verify == VERIFY_EVERY && function->timing != TIMING_ONCE &&
                   measurement_has_data(function);
    if (checked) {
        new_data(bench);
        bench->verification.filling = true;
    }
    if (counts)
        counters_begin();
    double value = trial_call(bench);
    if (counts)
        counters_end(counts);
    for (size_t i = 0; counts && isnan(value) && i < COUNTERS_MAX; i++)
        counts[i] = NAN;
    if (checked)
        check_places(bench);
    return value;
}

double trial_refer(struct bench *bench)
{
    watchdog_progress();
    next_buffers(bench);
    comm_barrier(pe_set_group(bench->run.set));
    comm_quiet();
    return bench->run.function->reference(&bench->run);
}

/* ---- Before and after the repetitions ---- */

void trial_prepare(struct run *run)
{
    if (run->function->api == API_MPI)
        communicator_handle(run->set);
    if (run->function->prepare)
        run->function->prepare(run);
}

bool trial_set_up(struct bench *bench)
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

void trial_make_data(struct bench *bench, size_t repetitions)
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
        trial_call(bench);
    bench->verification.seconds += timer_seconds(timer_now() - start);
}

void trial_check_data(struct bench *bench)
{
    int64_t start = timer_now();
    if (bench->buffers.turn > bench->verification.filled ||
        bench->run.settings->verify == VERIFY_EVERY)
        return;
    check_places(bench);
    bench->verification.seconds += timer_seconds(timer_now() - start);
}

/* ---- Synchronism ---- */

/*
 * One rank comes late to an untimed repetition, and another one, the witness, tells it before it
 * enters and after it has left. If the second word is there while the late rank has not entered,
 * the operation does not synchronize. No clock decides: a busy machine can hide a fault in one
 * round, but makes none up. Each round has other ranks in these parts.
 */
#define MOST_ROUNDS 4
/* Bounds of how long the late rank waits, in seconds. */
#define LEAST_LATE_SECONDS 200e-6
#define MOST_LATE_SECONDS 20e-3
/* Within them it waits this many times as long as the engine's own barrier takes: slow messages
 * need more. */
#define LATE_TIMES 4
#define TRIALS 3

/* The PEs that take part, in a circle. */
struct circle {
    int64_t place, size; /* of this PE: -1 if it only watches */
    double late;         /* seconds */
};

static void add(void *left, const void *right)
{
    *(int64_t *)left += *(const int64_t *)right;
}

static double time_to_be_late(const struct pe_group *group)
{
    double seconds = INFINITY;
    for (int i = 0; i < TRIALS; i++) {
        int64_t start = timer_now();
        comm_barrier(group);
        seconds = fmin(seconds, timer_seconds(timer_now() - start));
    }
    comm_allreduce(group, COMM_MAX, &seconds, 1);
    return fmin(fmax(LEAST_LATE_SECONDS, LATE_TIMES * seconds), MOST_LATE_SECONDS);
}

/* Whoever only watches has no time to report. */
static struct circle find_circle(struct bench *bench)
{
    const struct pe_group *group = pe_set_group(bench->run.set);
    bool takes_part = !isnan(trial_call(bench));
    int64_t before = takes_part, all = takes_part;
    comm_scan(group, &before, sizeof before, add);
    comm_allreduce_int(group, COMM_SUM, &all, 1);
    return (struct circle){takes_part ? before - 1 : -1, all, time_to_be_late(group)};
}

/* Whether the witness has left already. */
static bool see_leaving(double seconds)
{
    int64_t number = comm_word_receive(COMM_ANSWER), until = timer_now() + timer_ticks(seconds);
    bool seen = false;
    for (unsigned turn = 0; !seen && timer_now() < until; turn++) {
        comm_poll();
        comm_yield(turn);
        seen = comm_word_is(COMM_QUESTION, number);
    }
    return seen;
}

static void come_late(struct bench *bench, const struct circle *circle, int64_t late,
                      int64_t witness)
{
    static int64_t number; /* of the words that this PE has sent as a witness */
    struct run *run = &bench->run;
    bool is_late = circle->place == late, sees = circle->place == witness, seen = false;
    int64_t ranks[] = {is_late ? run->rank : -1, sees ? run->rank : -1};
    comm_allreduce_int(pe_set_group(run->set), COMM_MAX, ranks, 2);
    int late_pe = pe_set_member(run->set, (int)ranks[0]);
    if (sees)
        comm_word_send(late_pe, COMM_ANSWER, ++number);
    if (is_late)
        seen = see_leaving(circle->late);
    trial_call(bench);
    if (sees)
        comm_word_send(late_pe, COMM_QUESTION, number);
    if (is_late)
        comm_word_receive(COMM_QUESTION);
    if (seen)
        run_fail(run, "it does not synchronize: rank %lld left before rank %lld had entered",
                 (long long)ranks[1], (long long)ranks[0]);
}

static void check_synchronism(struct bench *bench)
{
    struct circle circle = find_circle(bench);
    int64_t rounds = circle.size < MOST_ROUNDS ? circle.size : MOST_ROUNDS;
    for (int64_t i = 0; circle.size > 1 && i < rounds; i++) {
        /* The last one first; the witness is a neighbour, then further away. */
        int64_t late = (circle.size - 1 + i) % circle.size;
        come_late(bench, &circle, late, (late + 1 + i % (circle.size - 1)) % circle.size);
    }
}

bool trial_verify(struct bench *bench)
{
    struct run *run = &bench->run;
    struct timing *timing = &bench->services.timing;
    int64_t start = timer_now(), iterations = run->iterations, shortest = timing->shortest;
    bench->services.window.synchronization = SYNCHRONIZE_NONE;
    run->iterations = 1;
    run->untimed = true;
    if (measurement_has_data(run->function) && run->function->timing != TIMING_ONCE) {
        new_data(bench);
        bench->verification.filling = true;
        trial_call(bench);
        if (run->function->arrives)
            check_arrival(bench);
        check_places(bench);
    }
    if (run->function->synchronizes && run->size > 1)
        check_synchronism(bench);
    run->untimed = false;
    run->iterations = iterations;
    timing->shortest = shortest;
    bench->verification.proof = timer_seconds(timer_now() - start);
    bench->verification.seconds += bench->verification.proof;
    return run_max(run, run->services->failure ? 1 : 0) == 0;
}

/* ---- The end ---- */

void trial_tear_down(struct bench *bench)
{
    if (bench->run.function->teardown)
        bench->run.function->teardown(&bench->run);
    services_free(&bench->services);
    comm_quiet();
}
