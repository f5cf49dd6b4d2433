/* Efficiencies of phases and of the whole run. */
#include "trace/explain/explain.h"

#include <math.h>

/* What lines do in phases from the first to the last one: sums and maxima over lines. */
static struct efficiency efficiency_of(const struct explain *explain, size_t first, size_t last)
{
    struct shares most = {0};
    double sum = 0;
    for (uint32_t i = 0; i < explain->line_count; i++) {
        const struct line *line = &explain->lines[i];
        struct shares own = {0};
        for (size_t phase = first; phase < last && phase < line->share_room; phase++) {
            own.elapsed += line->shares[phase].elapsed;
            own.useful += line->shares[phase].useful;
            own.ideal += line->shares[phase].ideal;
        }
        sum += own.useful;
        most.elapsed = fmax(most.elapsed, own.elapsed);
        most.useful = fmax(most.useful, own.useful);
        most.ideal = fmax(most.ideal, own.ideal);
    }
    double mean = explain->line_count ? sum / explain->line_count : 0;
    return (struct efficiency){
        .elapsed = most.elapsed,
        .parallel = mean / most.elapsed,
        .balance = mean / most.useful,
        .serialization = most.useful / most.ideal,
        .transfer = most.ideal / most.elapsed,
    };
}

struct efficiency efficiency_of_phase(const struct explain *explain, size_t phase)
{
    return efficiency_of(explain, phase, phase + 1);
}

struct efficiency efficiency_of_run(const struct explain *explain)
{
    return efficiency_of(explain, 0, explain->phases.count);
}
