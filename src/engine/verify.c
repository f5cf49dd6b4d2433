/*
 * Bytes around the buffers that nobody may write, and whether an operation that synchronizes does.
 */
#include "engine/verify.h"

#include <math.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/services.h"

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

void verify_set_guards(struct run *run)
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

bool verify_guards(struct run *run)
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
    bool takes_part = !isnan(bench->call(bench));
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
    bench->call(bench);
    if (sees)
        comm_word_send(late_pe, COMM_QUESTION, number);
    if (is_late)
        comm_word_receive(COMM_QUESTION);
    if (seen)
        run_fail(run, "it does not synchronize: rank %lld left before rank %lld had entered",
                 (long long)ranks[1], (long long)ranks[0]);
}

void verify_synchronism(struct bench *bench)
{
    struct circle circle = find_circle(bench);
    int64_t rounds = circle.size < MOST_ROUNDS ? circle.size : MOST_ROUNDS;
    for (int64_t i = 0; circle.size > 1 && i < rounds; i++) {
        /* The last one first; the witness is a neighbour, then further away. */
        int64_t late = (circle.size - 1 + i) % circle.size;
        come_late(bench, &circle, late, (late + 1 + i % (circle.size - 1)) % circle.size);
    }
}

bool verify_has(const struct measurement *function)
{
    return function->verify && !function->no_data;
}
