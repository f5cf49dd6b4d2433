/*
 * The checks of data and of the guards around them. A measurement function says what its data are
 * (fill, verify). When they are checked is decided here and in trial.c:
 *
 *   - before the timed repetitions and after them, by an untimed one of one iteration, each with
 *     data of its own,
 *   - after the last timed repetition, whose data were there before the first one,
 *   - with VERIFY_EVERY, around each timed repetition.
 *
 * Each check costs two barriers, and about a nanosecond for 8 bytes.
 */
#include "engine/verify.h"

#include <stdlib.h>

#include "comm/comm.h"
#include "engine/hooks.h"
#include "engine/watchdog.h"

/* More than the data that one measurement makes. */
#define SEEDS ((uint64_t)1 << 32)

/* ---- Guards ---- */

/* Not the same on both sides of a transfer, whatever its direction: bytes that are moved too many
 * are guards of other memory. The same for both places that share a guard. No data have the first
 * bit, see pattern_fill(). */
static unsigned char guard_byte(const struct run *run, const unsigned char *address)
{
    uint32_t mixed = (uint32_t)run->rank * 2654435761u +
                     (uint32_t)(uintptr_t)address * 2246822519u + (uint32_t)run->seed * 3266489917u;
    mixed ^= mixed >> 15;
    mixed *= 2246822519u;
    return (unsigned char)(0x80 | (mixed >> 24));
}

/* Memory that guards surround. */
struct guarded {
    const char *name;
    unsigned char *first;
    size_t bytes;
};

enum { LOCAL, REMOTE, SIDES };

static struct guarded side_of(const struct run *run, int side)
{
    return side == LOCAL ? (struct guarded){"local", run->local, run->demand.local}
                         : (struct guarded){"remote", run->remote, run->demand.remote};
}

static void set_guards(struct run *run)
{
    for (int side = 0; side < SIDES; side++) {
        struct guarded place = side_of(run, side);
        unsigned char *before = place.first - BUFFER_GUARD, *after = place.first + place.bytes;
        for (int i = 0; i < BUFFER_GUARD; i++) {
            before[i] = guard_byte(run, &before[i]);
            after[i] = guard_byte(run, &after[i]);
        }
    }
}

static bool check_guards(struct run *run)
{
    for (int side = 0; side < SIDES; side++) {
        struct guarded place = side_of(run, side);
        unsigned char *before = place.first - BUFFER_GUARD, *after = place.first + place.bytes;
        for (int i = 0; i < BUFFER_GUARD; i++) {
            if (before[i] != guard_byte(run, &before[i]))
                return run_fail(run,
                                "wrong data: byte %d before the %s buffer of %zu bytes on PE %d "
                                "(rank %d) is 0x%02x and should still be 0x%02x",
                                BUFFER_GUARD - i, place.name, place.bytes, comm_pe(), run->rank,
                                before[i], guard_byte(run, &before[i]));
            if (after[i] != guard_byte(run, &after[i]))
                return run_fail(run,
                                "wrong data: byte %zu of the %s buffer on PE %d (rank %d), which "
                                "has %zu bytes, is 0x%02x and should still be 0x%02x: too much was "
                                "written",
                                place.bytes + (size_t)i, place.name, comm_pe(), run->rank,
                                place.bytes, after[i], guard_byte(run, &after[i]));
        }
    }
    return true;
}

/* ---- The places of a repetition ---- */

/* Of the last operation of a cold repetition. */
static size_t last_place(const struct run *run)
{
    size_t iterations = (size_t)run->iterations;
    if (!run->function->operations)
        return iterations - 1;
    return iterations * (size_t)run->function->operations(run) % run->places;
}

/* Of a cold repetition, the first and the last operation's memory counts; else there is but one. */
static void at_each_place(struct run *run, void (*act)(struct run *))
{
    unsigned char *local = run->local, *remote = run->remote;
    bool cold = run->local_step > 0 || run->remote_step > 0;
    size_t last = cold ? last_place(run) : 0;
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
    struct hooks *hooks = run->hooks;
    if (run_max(run, hooks->failure ? 1 : 0) > 0)
        run_note(run, "%s", known);
    free(hooks->failure);
    hooks->failure = NULL;
}

static void check_place(struct run *run)
{
    bool failed = run->hooks->failure;
    /* On all members, whatever they found: both may communicate. */
    bool right = run->function->verify(run);
    const char *known = measurement_wrong_values(run->function);
    if (known && run_max(run, failed) == 0)
        forgive(run, known);
    if (right)
        check_guards(run);
}

static void check_places(struct run *run)
{
    watchdog_progress();
    comm_quiet();
    comm_barrier(pe_set_group(run->set));
    at_each_place(run, check_place);
    comm_barrier(pe_set_group(run->set)); /* nobody may write there again before all have looked */
}

static void new_data(struct verification *verification)
{
    verification->run->seed = ++verification->seed;
    verification->run->repeated = 0;
}

/* ---- When ---- */

bool verify_has(const struct measurement *function)
{
    return function->verify && !function->no_data;
}

void verify_restart(struct verification *verification)
{
    verification->seed = (verification->seed / SEEDS + 1) * SEEDS;
}

void verify_begin(struct verification *verification)
{
    const struct run *run = verification->run;
    if (!verify_has(run->function))
        return;
    comm_barrier(pe_set_group(run->set)); /* from now on, nobody needs the old data */
    new_data(verification);
    verification->filling = true;
}

bool verify_fill(struct verification *verification)
{
    if (verification->filling)
        at_each_place(verification->run, fill_place);
    return verification->filling;
}

void verify_end(struct verification *verification)
{
    if (!verification->filling)
        return;
    verification->filling = false;
    check_places(verification->run);
}

void verify_fill_ahead(struct verification *verification, size_t repetitions)
{
    struct run *run = verification->run;
    const struct buffers *buffers = verification->buffers;
    verification->filled = 0;
    if (!verify_has(run->function))
        return;
    size_t places = buffers->cold ? 1 : buffers_warm_places(buffers);
    size_t turns = places < repetitions ? places : repetitions;
    comm_barrier(pe_set_group(run->set));
    new_data(verification);
    for (size_t i = 0; i < turns; i++) {
        watchdog_progress();
        buffers_at(buffers, run, buffers->turn + i);
        at_each_place(run, fill_place);
    }
    /* Where all places have data, any number of turns will find some. */
    verification->filled = turns == places ? SIZE_MAX : buffers->turn + turns;
    comm_barrier(pe_set_group(run->set));
}

void verify_last(struct verification *verification)
{
    struct run *run = verification->run;
    if (!verify_has(run->function) || verification->buffers->turn > verification->filled ||
        run->settings->verify == VERIFY_EVERY)
        return;
    check_places(run);
}
