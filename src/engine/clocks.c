#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/internal.h"
#include "settings/table.h"

static void state(struct engine *engine)
{
    const struct sync_report *report = &engine->clocks;
    struct output *output = engine->output;
    const char *name = clock_sync_words[report->algorithm].name;
    if (report->algorithm == CLOCK_SYNC_NONE && report->shared)
        output_comment(
            output,
            "clocks: none, all PEs have one clock (offsets seen to be 0 within %.3g ns, %d "
            "rounds, %.3g s)",
            report->bound * 1e9, report->rounds, report->seconds);
    else if (report->algorithm == CLOCK_SYNC_NONE)
        output_comment(output, "clocks: none, although PEs have different clocks: windows do not "
                               "start together");
    else
        output_comment(output, "clocks: %s, error bound %.4g ns right after %d rounds in %.3g s",
                       name, report->bound * 1e9, report->rounds, report->seconds);
    if (report->drifting)
        output_comment(output, "clocks: drift of up to %.4g us/s allowed for", report->drift * 1e6);
    if (!isnan(report->closure))
        output_comment(output, "clocks: offsets around the ring miss 0 by %.4g ns",
                       report->closure * 1e9);
}

void clocks_synchronize(struct engine *engine)
{
    int64_t start = timer_now();
    engine->clock_rules = engine->settings.clock;
    sync_synchronize(&engine->clock_rules, &engine->clocks);
    engine->clocks_known = true;
    engine->accounting.sync += timer_seconds(timer_now() - start);
    if (engine->options.debug & DEBUG_CLOCKS)
        fprintf(stderr, "clocks: PE %d: offset %.9g s, error bound %.3g s, round trip %.3g s\n",
                comm_pe(), sync_offset(), engine->clocks.own_bound, engine->clocks.own_round_trip);
    if (engine->output)
        state(engine);
}

static bool same_rules(const struct clock_rules *a, const struct clock_rules *b)
{
    return a->algorithm == b->algorithm && a->patience == b->patience &&
           a->fit_points == b->fit_points && a->fit_exchanges == b->fit_exchanges &&
           a->spread == b->spread && a->long_spread == b->long_spread;
}

void clocks_need(struct engine *engine)
{
    if (!engine->clocks_known || !same_rules(&engine->clock_rules, &engine->settings.clock))
        clocks_synchronize(engine);
}

void clocks_report(struct engine *engine)
{
    if (!engine->clocks_known || engine->clocks.shared)
        return;
    double moved = sync_check();
    if (engine->output)
        output_comment(engine->output,
                       "clocks: at the end of the block off by at least %.4g ns beyond what an "
                       "exchange can tell",
                       moved * 1e9);
}

/* "pe:offset_s:drift", several with commas: wrong clocks for tests. */
void clocks_skew(void)
{
    const char *text = getenv("SKAMPI_TEST_CLOCK_SKEW");
    while (text && *text) {
        int pe;
        double offset, drift;
        if (sscanf(text, "%d:%lf:%lf", &pe, &offset, &drift) == 3 && pe == comm_pe())
            timer_skew(offset, drift);
        text = strchr(text, ',');
        if (text)
            text++;
    }
}
