/* Delays: what a line did more than another one. */
#include "trace/explain/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

#define PAST_MOST 4096 /* segments of a line that are kept */
#define PARTS_MOST 6

/* ---- The ring ---- */

static struct segment *at(const struct past *past, uint64_t number)
{
    return &past->segments[number & (past->room - 1)];
}

static void grow(struct past *past)
{
    size_t room = past->room ? 2 * past->room : 64;
    struct segment *segments = memory_zeroed(room, sizeof *segments);
    for (uint64_t i = past->first; i < past->last; i++)
        segments[i & (room - 1)] = *at(past, i);
    free(past->segments);
    past->segments = segments;
    past->room = room;
}

void past_push(const struct explain *explain, struct line *line, struct segment segment)
{
    struct past *past = &line->past;
    if (!(segment.end > segment.start))
        return;
    if (past->last - past->first == past->room) {
        while (past->first < past->last && at(past, past->first)->end <= explain->all_met)
            past->first++;
        if (past->last - past->first >= past->room / 2 && past->room < PAST_MOST)
            grow(past);
        else if (past->last - past->first == past->room)
            past->first++;
    }
    *at(past, past->last++) = segment;
}

void past_cut(struct past *past, uint64_t number)
{
    if (number < past->last)
        past->last = number > past->first ? number : past->first;
}

struct segment *past_segment(struct past *past, uint64_t number)
{
    return number >= past->first && number < past->last ? at(past, number) : NULL;
}

/* ---- Sums by activity ---- */

struct sum {
    struct part part;
    double seconds;
};

/* Adds what the line did from one time to another, by activity or wait. The waits of the one that
 * is compared with are of one kind; returns their sum. */
static double sums_past(struct table *sums, const struct past *past, double from, double to,
                        double sign)
{
    double waiting = 0;
    for (uint64_t i = past->last; i-- > past->first;) {
        const struct segment *segment = at(past, i);
        double start = segment->start > from ? segment->start : from,
               end = segment->end < to ? segment->end : to;
        if (segment->end <= from)
            break;
        if (end <= start)
            continue;
        if (segment->wait)
            waiting += end - start;
        if (segment->wait && sign < 0)
            continue;
        const struct part part = {.wait = segment->wait,
                                  .ordinal = segment->ordinal,
                                  .activity = segment->wait ? 0 : segment->activity};
        const uint64_t key[] = {part.activity, part.wait};
        size_t before = sums->count;
        struct sum *sum = table_value(sums, key, sizeof key, sizeof *sum);
        if (sums->count > before)
            sum->part = part;
        sum->seconds += sign * (end - start);
    }
    return waiting;
}

static int compare_sums(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    return ORDER(y->seconds, x->seconds) ?: ORDER(x->part.activity, y->part.activity);
}

/* Makes parts of the largest sums. waits: by how much waits of `by` count. */
static void add_parts(struct explain *explain, struct wait *wait, double waits)
{
    struct sum *sums = explain->sums.values;
    size_t count = 0;
    double all = 0;
    for (size_t i = 0; i < explain->sums.count; i++) {
        struct sum sum = sums[i];
        sum.seconds *= sum.part.wait ? waits : 1;
        if (sum.seconds > 0)
            sums[count++] = sum;
    }
    SORT(sums, count, compare_sums);
    if (count > PARTS_MOST)
        count = PARTS_MOST;
    for (size_t i = 0; i < count; i++)
        all += sums[i].seconds;
    wait->first_part = (uint32_t)explain->part_count;
    wait->parts = count ? (uint32_t)count : 1;
    memory_extend(explain->parts, explain->part_count + PARTS_MOST, &explain->part_room);
    struct part *parts = &explain->parts[explain->part_count];
    for (size_t i = 0; i < count; i++) {
        parts[i] = sums[i].part;
        parts[i].share = sums[i].seconds / all;
    }
    if (count == 0) /* it did nothing that is known: it is the call itself */
        parts[0] = (struct part){.activity = activity(false, wait->by_call.spot, wait->phase),
                                 .ordinal = wait->by_call.ordinal,
                                 .share = 1};
    explain->part_count += wait->parts;
}

/* ---- Who met whom ---- */

static double *pair_met(struct explain *explain, uint32_t a, uint32_t b)
{
    const uint32_t pair[2] = {a < b ? a : b, a < b ? b : a};
    return table_value(&explain->pair_met, pair, sizeof pair, sizeof(double));
}

void lines_met(struct explain *explain, uint32_t a, uint32_t b, double time)
{
    *pair_met(explain, a, b) = time;
}

uint32_t wait_add(struct explain *explain, struct wait wait, bool meanwhile)
{
    if (!(wait.until > wait.from))
        return 0;
    table_clear(&explain->sums);
    double waits = 1;
    if (wait.by != NOBODY && cause_has_late_pe(wait.cause)) {
        const struct past *late = &explain->lines[wait.by].past,
                          *early = &explain->lines[wait.line].past;
        double met = wait.from;
        if (!meanwhile)
            met =
                fmax(fmax(explain->all_met, explain->from), *pair_met(explain, wait.line, wait.by));
        double waited = sums_past(&explain->sums, late, met, wait.until, 1);
        double waited_too = meanwhile ? 0 : sums_past(&explain->sums, early, met, wait.from, -1);
        if (waited > 0)
            waits = 1 - waited_too / waited;
    }
    add_parts(explain, &wait, waits > 0 ? waits : 0);
    memory_push(explain->waits, explain->wait_count, &explain->wait_room, wait);
    return (uint32_t)explain->wait_count;
}

/* ---- Of a call ---- */

void step_add(const struct step *step, struct wait wait, bool meanwhile)
{
    uint32_t number = wait_add(step->explain, wait, meanwhile);
    struct line *line = &step->explain->lines[wait.line];
    if (number == 0)
        return;
    if (line->call_waits++ == 0)
        line->first_wait = number;
}

struct shares *explain_shares_of(struct explain *explain, struct line *line, uint32_t phase)
{
    size_t number = table_number(&explain->phases, &phase, sizeof phase);
    return memory_element(line->shares, number, &line->share_room);
}

void step_push(const struct step *step, double from, double to, struct call call)
{
    const struct explain *explain = step->explain;
    struct line *line = step->line;
    const activity_t calls = activity(false, call.spot, step->event->phase);
    double *seconds = &line->spent[call.spot].seconds;
    for (uint32_t i = 0; i <= line->call_waits; i++) {
        bool last = i == line->call_waits;
        const struct wait *wait = last ? NULL : &explain->waits[line->first_wait - 1 + i];
        double until = last ? to : fmin(wait->from, to);
        past_push(explain, line, (struct segment){from, until, calls, 0, call.ordinal});
        *seconds += explain_within(explain, from, until);
        if (last)
            break;
        from = fmax(from, wait->from);
        until = fmin(wait->until, to);
        past_push(explain, line,
                  (struct segment){from, until, calls, line->first_wait + i, call.ordinal});
        from = fmax(from, until);
    }
    line->call_waits = 0;
}
