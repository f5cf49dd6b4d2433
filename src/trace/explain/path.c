/*
 * The critical path: from the last PE that ends backward. Where a PE has waited, the path goes on
 * at the one that it waited for. A third pass finds what was done meanwhile.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/explain/explain.h"

/* A stay of the path on a line. */
struct stretch {
    uint32_t line;
    double from, to;
};

struct path {
    struct explain *explain;
    struct stretch *stretches;
    size_t count, room;
    size_t next; /* of the line that is profiled */
};

/* The last wait of a line that ended by then; NULL: there is none. */
static const struct wait *wait_before(const struct explain *explain, const struct line *line,
                                      double time)
{
    size_t low = 0, high = line->wait_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (explain->waits[line->waits[middle]].until <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &explain->waits[line->waits[low - 1]] : NULL;
}

static uint32_t last_line(const struct explain *explain, double *time)
{
    uint32_t last = 0;
    *time = -INFINITY;
    for (uint32_t i = 0; i < explain->line_count; i++) {
        const struct line *line = &explain->lines[i];
        double end = line->over ? line->begun : line->ended;
        if (line->started && end > *time) {
            *time = end;
            last = i;
        }
    }
    *time = fmin(*time, explain->to);
    return last;
}

static void walk(struct path *path)
{
    struct explain *explain = path->explain;
    double time;
    uint32_t line = last_line(explain, &time);
    size_t at_once = 0; /* hops at the same time */
    while (time > explain->from) {
        const struct wait *wait = wait_before(explain, &explain->lines[line], time);
        double from = wait ? fmax(wait->until, explain->from) : explain->from;
        at_once = from < time ? 0 : at_once + 1;
        if (at_once > explain->line_count)
            break;
        memory_push(path->stretches, path->count, &path->room, (struct stretch){line, from, time});
        if (!wait)
            break;
        explain->hops++;
        line = wait->by;
        time = from;
    }
}

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return ORDER(x->line, y->line) ?: ORDER(x->from, y->from);
}

static void stay(struct explain *explain, const struct line *line, bool computes, uint32_t spot,
                 double seconds)
{
    const uint32_t key[3] = {(uint32_t)line->pe, computes, spot};
    if (!(seconds > 0))
        return;
    struct stay *stay = table_value(&explain->stays, key, sizeof key, sizeof *stay);
    stay->computes = computes;
    stay->spot = spot;
    stay->pe = line->pe;
    stay->seconds += seconds;
}

/* How much of the time lies in stretches of the line, from *next on. */
static double on_path(const struct path *path, size_t *next, uint32_t line, double from, double to)
{
    double seconds = 0;
    while (*next < path->count && path->stretches[*next].line == line &&
           path->stretches[*next].to <= from)
        ++*next;
    for (size_t i = *next; i < path->count && path->stretches[i].line == line; i++) {
        const struct stretch *stretch = &path->stretches[i];
        if (stretch->from >= to)
            break;
        seconds += fmax(0, fmin(stretch->to, to) - fmax(stretch->from, from));
    }
    return seconds;
}

static void profile_thread(struct path *path, struct source *source, uint32_t number)
{
    struct explain *explain = path->explain;
    const struct line *line = &explain->lines[number];
    size_t *next = &path->next;
    while (*next < path->count && path->stretches[*next].line < number)
        ++*next;
    if (*next == path->count || path->stretches[*next].line != number)
        return;
    struct trace_event event;
    double ended = NAN;
    uint32_t before = INT32_MAX;
    while (trace_source_event(source, (int)line->thread, &event)) {
        uint32_t spot = spot_of(explain, source, &event);
        double start = trace_seconds(source->file, event.start),
               end = trace_seconds(source->file, event_end(&event));
        if (!isnan(ended))
            stay(explain, line, true, before, on_path(path, next, number, ended, start));
        stay(explain, line, false, spot, on_path(path, next, number, start, end));
        ended = end;
        before = spot;
    }
}

static int compare_stays(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;
    return ORDER(y->seconds, x->seconds) ?: ORDER(x->pe, y->pe) ?: ORDER(x->spot, y->spot);
}

void find_path(struct explain *explain)
{
    struct path path = {.explain = explain};
    /* Lists the waits of each line that another one ended, in their order. */
    for (uint32_t i = 0; i < explain->wait_count; i++) {
        const struct wait *wait = &explain->waits[i];
        struct line *line = &explain->lines[wait->line];
        if (!cause_has_late_pe(wait->cause) || !wait_is_for_another(explain, wait))
            continue;
        memory_push(line->waits, line->wait_count, &line->wait_room, i);
    }
    walk(&path);
    SORT(path.stretches, path.count, compare_stretches);
    for (struct source *source = NULL; (source = reader_next(explain->reader, source));)
        for (uint32_t i = explain->first_line[source->index];
             i < explain->line_count && explain->lines[i].pe == source->info->pe; i++)
            profile_thread(&path, source, i);
    SORT((struct stay *)explain->stays.values, explain->stays.count, compare_stays);
    free(path.stretches);
}
