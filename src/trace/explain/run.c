/* All passes over a trace, in their order. */
#include <stdlib.h>

#include "trace/explain/iterations.h"
#include "trace/explain/kinds.h"
#include "trace/explain/locks.h"
#include "trace/explain/meetings.h"

void explain_begin(struct explain *explain, struct reader *reader)
{
    *explain = (struct explain){.reader = reader};
    reader->windowed = false; /* what lies before the window may be what a wait in it is for */
    survey(explain);
}

void explain_find(struct explain *explain)
{
    follow(explain);
    charge(explain);
    find_path(explain);
}

void explain_free(struct explain *explain)
{
    kinds_free(explain->kinds, explain->reader->count);
    for (uint32_t i = 0; i < explain->line_count; i++) {
        struct line *line = &explain->lines[i];
        free(line->past.segments);
        free(line->shares);
        free(line->spent);
        free(line->waits);
    }
    for (size_t i = 0; i < explain->finding_count; i++) {
        free(explain->findings[i].waited);
        free(explain->findings[i].blamed);
    }
    struct table *tables[] = {&explain->routines, &explain->spots,        &explain->phases,
                              &explain->pairs,    &explain->finding_keys, &explain->stay_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    void *arrays[] = {explain->pe,        explain->first_line, explain->lines, explain->quickest,
                      explain->progress,  explain->waits,      explain->parts, explain->pair_met,
                      explain->atomics,   explain->findings,   explain->stays, explain->command,
                      explain->spot_cache};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    flags_free(explain->flags);
    meetings_free(explain);
    locks_free(explain->locks);
    iterations_free(explain->iterations);
}
