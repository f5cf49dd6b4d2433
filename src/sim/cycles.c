/* Finds polling loops that make several calls in each turn. */
#include "sim/streams.h"

#include "base/memory.h"

#define TURNS_KEPT 2 /* turns of a loop that stay before the wait, if a write ends the loop */

static bool goes_on(const struct watch *watch, unsigned turn, uint64_t what)
{
    return watch->count >= turn && watch->what[(watch->count - turn) % TURN_MOST] == what;
}

static bool turn_has(const struct watch *watch, unsigned turn, enum turn_call call)
{
    for (unsigned i = 1; i <= turn; i++)
        if (watch->calls[(watch->count - i) % TURN_MOST] == call)
            return true;
    return false;
}

/* The length of the turn that has been repeated for the longest time, and at least `times` times; 0
 * if there is none. */
static unsigned turn_of(const struct watch *watch, unsigned times)
{
    unsigned longest = 0;
    for (unsigned turn = 1; turn <= TURN_MOST; turn++)
        if (watch->same[turn] >= (times - 1) * turn && watch->same[turn] > watch->same[longest])
            longest = turn;
    return longest;
}

/* Whether a test succeeds that failed in each turn before. Then the first turn stays, and the
 * others become a wait. Loops of equal tests, and of tests of several variables, are those of
 * translate.c. */
static bool end_by_test(struct cycles *cycles, uint32_t thread, uint64_t number,
                        const struct watch *watch, uint64_t what)
{
    unsigned turn = turn_of(watch, 2);
    if (turn <= 1 || !goes_on(watch, turn, what) ||
        !(turn_has(watch, turn, TURN_FREE) || turn_has(watch, turn, TURN_FETCH) ||
          turn_has(watch, turn, TURN_MISSED)))
        return false;
    uint32_t left_out = (uint32_t)watch->same[turn];
    memory_push(cycles->found, cycles->count, &cycles->room,
                (struct cycle){
                    .thread = thread, .first = (uint32_t)number - left_out, .left_out = left_out});
    return true;
}

/* Notes a loop that ends, if its turns may have waited for a write. */
static void end_by_write(struct cycles *cycles, uint32_t thread, uint64_t number,
                         const struct watch *watch, unsigned turn)
{
    if (!turn_has(watch, turn, TURN_FETCH))
        return;
    /* Leave out complete turns, so that the calls after them continue those before. */
    uint64_t left_out = (watch->same[turn] / turn - TURNS_KEPT) * turn;
    uint64_t behind = watch->same[turn] - (TURNS_KEPT - 1) * turn - left_out;
    memory_push(cycles->found, cycles->count, &cycles->room,
                (struct cycle){.thread = thread,
                               .first = (uint32_t)(number - behind - left_out),
                               .left_out = (uint32_t)left_out,
                               .turn = (uint32_t)behind});
}

bool cycles_see(struct cycles *cycles, uint32_t thread, uint64_t number, enum turn_call call,
                uint64_t what)
{
    struct watch *watch = &cycles->watch;
    bool ends = call == TURN_EFFECT || call == TURN_CAME;
    if (watch->count > 0) {
        unsigned turn = turn_of(watch, TURNS_KEPT + 1);
        bool came = call == TURN_CAME && end_by_test(cycles, thread, number, watch, what);
        bool other = turn > 1 && !came && !goes_on(watch, turn, what);
        if (other)
            end_by_write(cycles, thread, number, watch, turn);
        if (other || ends)
            *watch = (struct watch){0};
    }
    if (ends || (watch->count == 0 && call == TURN_FREE))
        return false;
    for (unsigned turn = 1; turn <= TURN_MOST; turn++)
        watch->same[turn] = goes_on(watch, turn, what) ? watch->same[turn] + 1 : 0;
    watch->what[watch->count % TURN_MOST] = what;
    watch->calls[watch->count % TURN_MOST] = (uint8_t)call;
    watch->count++;
    unsigned turn = turn_of(watch, TURNS_KEPT);
    return call == TURN_FETCH && turn >= 2 && watch->same[turn] > (TURNS_KEPT - 1) * turn &&
           watch->same[turn] <= TURNS_KEPT * turn;
}

bool cycles_keep_written(struct cycles *cycles)
{
    size_t kept = 0, count = cycles->count;
    for (size_t i = 0; i < count; i++)
        if (cycles->found[i].turn == 0 || cycles->found[i].written)
            cycles->found[kept++] = cycles->found[i];
    cycles->count = kept;
    return kept < count;
}
