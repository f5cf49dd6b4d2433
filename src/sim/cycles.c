/* Finds polling loops that make several calls in each turn. */
#include "sim/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TURNS_KEPT 2 /* turns of a loop that stay before the wait, if a write ends the loop */

/* The calls without lasting effect that a thread has made in a row. */
struct watch {
    uint64_t count;
    uint64_t what[TURN_MOST]; /* the last ones, by their number modulo TURN_MOST */
    uint8_t calls[TURN_MOST];
    uint64_t same[TURN_MOST + 1]; /* by length of a turn: how many of the last calls equal the calls
                                     one turn before them */
};

static uint64_t what_before(const struct watch *watch, unsigned distance)
{
    return watch->what[(watch->count - distance) % TURN_MOST];
}

static bool goes_on(const struct watch *watch, unsigned turn, uint64_t what)
{
    return watch->count >= turn && what_before(watch, turn) == what;
}

static bool turn_has(const struct watch *watch, unsigned turn, enum turn_call call)
{
    for (unsigned i = 1; i <= turn; i++)
        if (watch->calls[(watch->count - i) % TURN_MOST] == call)
            return true;
    return false;
}

/* Loops of equal tests, and of tests of several variables, are those of translate.c. */
static bool is_test_alone(const struct watch *watch, unsigned turn)
{
    return turn == 1 || (!turn_has(watch, turn, TURN_FREE) && !turn_has(watch, turn, TURN_FETCH) &&
                         !turn_has(watch, turn, TURN_MISSED));
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

static void add(struct cycles *cycles, struct cycle cycle)
{
    memory_extend(cycles->found, cycles->count, &cycles->room);
    cycles->found[cycles->count++] = cycle;
}

/* Whether a test succeeds that failed in each turn before. Then the first turn stays, and the
 * others become a wait. */
static bool end_by_test(struct cycles *cycles, uint32_t thread, uint64_t number,
                        const struct watch *watch, uint64_t what)
{
    unsigned turn = turn_of(watch, 2);
    if (turn == 0 || !goes_on(watch, turn, what) || is_test_alone(watch, turn))
        return false;
    uint32_t left_out = (uint32_t)watch->same[turn];
    add(cycles, (struct cycle){
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
    add(cycles, (struct cycle){.thread = thread,
                               .first = (uint32_t)(number - behind - left_out),
                               .left_out = (uint32_t)left_out,
                               .turn = (uint32_t)behind});
}

static void forget(struct cycles *cycles, uint32_t thread)
{
    free(cycles->watches[thread]);
    cycles->watches[thread] = NULL;
}

bool cycles_see(struct cycles *cycles, uint32_t thread, uint64_t number, enum turn_call call,
                uint64_t what)
{
    if (!cycles->watches)
        cycles->watches = memory_zeroed(cycles->threads, sizeof(struct watch *));
    struct watch *watch = cycles->watches[thread];
    bool ends = call == TURN_EFFECT || call == TURN_CAME;
    if (watch) {
        unsigned turn = turn_of(watch, TURNS_KEPT + 1);
        bool came = call == TURN_CAME && end_by_test(cycles, thread, number, watch, what);
        if (turn > 1 && !came && !goes_on(watch, turn, what)) {
            end_by_write(cycles, thread, number, watch, turn);
            ends = true;
        }
        if (ends)
            forget(cycles, thread);
        watch = cycles->watches[thread];
    }
    if (call == TURN_EFFECT || call == TURN_CAME || (!watch && call == TURN_FREE))
        return false;
    if (!watch)
        watch = cycles->watches[thread] = memory_zeroed(1, sizeof *watch);
    for (unsigned turn = 1; turn <= TURN_MOST; turn++)
        watch->same[turn] = goes_on(watch, turn, what) ? watch->same[turn] + 1 : 0;
    watch->what[watch->count % TURN_MOST] = what;
    watch->calls[watch->count % TURN_MOST] = (uint8_t)call;
    watch->count++;
    unsigned turn = turn_of(watch, TURNS_KEPT);
    return call == TURN_FETCH && turn >= 2 && watch->same[turn] > (TURNS_KEPT - 1) * turn &&
           watch->same[turn] <= TURNS_KEPT * turn;
}

void cycles_end(struct cycles *cycles, uint32_t thread, uint64_t number)
{
    if (cycles->watches && cycles->watches[thread])
        cycles_see(cycles, thread, number, TURN_EFFECT, 0);
}

/* ---- When they are known ---- */

static void forget_all(struct cycles *cycles)
{
    for (size_t thread = 0; thread < cycles->threads && cycles->watches; thread++)
        free(cycles->watches[thread]);
    free(cycles->watches);
    cycles->watches = NULL;
}

void cycles_rewind(struct cycles *cycles)
{
    size_t next = cycles->count;
    forget_all(cycles);
    for (size_t thread = cycles->threads; cycles->next && thread-- > 0;) {
        while (next > 0 && cycles->found[next - 1].thread >= thread)
            next--;
        cycles->next[thread] = (uint32_t)next;
    }
}

void cycles_know(struct cycles *cycles)
{
    cycles->known = true;
    if (cycles->count > 0)
        cycles->next = memory_zeroed(cycles->threads, sizeof *cycles->next);
    cycles_rewind(cycles);
}

bool cycles_keep_written(struct cycles *cycles)
{
    size_t kept = 0, count = cycles->count;
    for (size_t i = 0; i < count; i++)
        if (cycles->found[i].turn == 0 || cycles->found[i].written)
            cycles->found[kept++] = cycles->found[i];
    cycles->count = kept;
    cycles_rewind(cycles);
    return kept < count;
}

void cycles_free(struct cycles *cycles)
{
    forget_all(cycles);
    free(cycles->found);
    free(cycles->next);
}
