/*
 * Whether an operation does what it should: its data, and whether it synchronizes.
 */
#include "engine/verify.h"

#include <math.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/trial.h"

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

/* ---- Both ---- */

bool verify_operation(struct bench *bench)
{
    struct run *run = &bench->run;
    struct timing *timing = &bench->services.timing;
    int64_t start = timer_now(), iterations = run->iterations, shortest = timing->shortest;
    bench->services.window.synchronization = SYNCHRONIZE_NONE;
    run->iterations = 1;
    run->untimed = true;
    if (measurement_has_data(run->function) && run->function->timing != TIMING_ONCE)
        trial_call_checked(bench);
    if (run->function->synchronizes && run->size > 1)
        check_synchronism(bench);
    run->untimed = false;
    run->iterations = iterations;
    timing->shortest = shortest;
    bench->verification.proof = timer_seconds(timer_now() - start);
    bench->verification.seconds += bench->verification.proof;
    return run_max(run, run->services->failure ? 1 : 0) == 0;
}
