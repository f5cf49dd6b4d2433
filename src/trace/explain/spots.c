/* Where calls are made from: a routine and a call site. */
#include <string.h>

#include "base/memory.h"
#include "trace/explain/explain.h"

struct spot_key {
    size_t routine, site; /* site: the first one with this text, or 0 */
};

static struct spot_key key_of(const struct explain *explain, uint32_t spot)
{
    struct spot_key key = {0};
    if (spot < explain->spots.count)
        memcpy(&key, table_key(&explain->spots, spot), sizeof key);
    return key;
}

uint32_t spot_of(struct explain *explain, struct source *source, const struct trace_event *event)
{
    size_t site = source_site(source, event);
    uint16_t routine = explain_kind(explain, source, event)->number;
    /* By site, and those without one by their routine. */
    size_t place = site ? 2 * site + 1 : 2 * (size_t)routine;
    memory_extend(explain->spot_cache, place, &explain->spot_cache_room);
    struct spot_cached *cached = &explain->spot_cache[place];
    if (cached->routine == routine + 1u)
        return cached->spot;
    const struct spot_key key = {routine,
                                 site ? sites_find(&explain->reader->sites, site)->same : 0};
    cached->routine = routine + 1u;
    cached->spot = (uint32_t)table_number(&explain->spots, &key, sizeof key);
    return cached->spot;
}

const char *spot_site(const struct explain *explain, uint32_t spot)
{
    size_t site = key_of(explain, spot).site;
    return site ? sites_text(&explain->reader->sites, site) : NULL;
}

const char *spot_routine(const struct explain *explain, uint32_t spot)
{
    return spot < explain->spots.count
               ? table_key(&explain->routines, key_of(explain, spot).routine)
               : "the start";
}
