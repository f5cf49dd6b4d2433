/* Where calls are made from: their routines, as long as traces have no call sites. */
#include "trace/explain/explain.h"

uint32_t spot_of(struct explain *explain, struct source *source, const struct trace_event *event)
{
    return explain_kind(explain, source, event)->number;
}

const char *spot_text(const struct explain *explain, uint32_t spot)
{
    return spot_routine(explain, spot);
}

const char *spot_routine(const struct explain *explain, uint32_t spot)
{
    return spot < explain->routines.count ? table_key(&explain->routines, spot) : "the start";
}

bool spot_is_site(const struct explain *explain, uint32_t spot)
{
    (void)explain;
    (void)spot;
    return false;
}
