/*
 * Selecting the timer, and synchronizing the clocks of all PEs.
 */
#include "engine/clocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "output/output.h"
#include "settings/table.h"

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

/* ---- Timers ---- */

const char *clocks_select_timer(struct clocks *clocks, const char *name)
{
    struct timer *timer = timer_find(name);
    if (!timer)
        return "there is no timer of that name";
    const char *reason = timer->unusable();
    int64_t usable = !reason;
    comm_allreduce_int(comm_world(), COMM_AND, &usable, 1);
    if (!usable)
        return reason ? reason : "it is not usable on every PE";
    /* One rate per node: rates measured by each PE would look like drift. */
    const struct pe_group *node = comm_own_node();
    comm_enter(node);
    if (timer->ticks_per_second == 0) {
        double rate = 0;
        if (pe_group_rank_of(node, comm_pe()) == 0)
            rate = timer_calibrate(timer);
        comm_broadcast(node, &rate, sizeof rate);
        timer->ticks_per_second = rate;
    }
    timer_characterize(timer);
    int64_t good = !timer->refused;
    comm_allreduce_int(comm_world(), COMM_AND, &good, 1);
    if (!good)
        return timer->refused ? timer->refused : "another PE cannot use it";
    reason = timer_select(name);
    clocks->known = false;
    return reason;
}

/* ---- Synchronization ---- */

static void state(const struct clocks *clocks)
{
    const struct sync_report *report = &clocks->report;
    struct output *output = clocks->output;
    const char *name = setting_clock_sync_words[report->algorithm].name;
    char bound[32], took[32], missed[40];
    numbers_text(bound, report->bound * 1e9, 4);
    numbers_text(took, report->seconds, 3);
    if (report->algorithm == CLOCK_SYNC_NONE && report->shared)
        output_comment(output,
                       "clocks: none, all PEs share one clock (offsets are 0 within %s ns, %d "
                       "rounds, %s s)",
                       bound, report->rounds, took);
    else if (report->algorithm == CLOCK_SYNC_NONE)
        output_comment(output, "clocks: none, although PEs have different clocks: PEs do not start "
                               "their windows together");
    else
        output_comment(output, "clocks: %s, error bound %s ns right after %d rounds in %s s", name,
                       bound, report->rounds, took);
    if (report->drifting)
        output_comment(output, "clocks: assumed to drift by up to %.4g us/s", report->drift * 1e6);
    if (!isnan(report->closure))
        output_comment(output, "clocks: offsets around the ring miss 0 by %s",
                       numbers_time(missed, report->closure, 4));
}

void clocks_synchronize(struct clocks *clocks, const struct settings *settings)
{
    int64_t start = timer_now();
    clocks->rules = settings->clock;
    sync_synchronize(&clocks->rules, &clocks->report);
    clocks->known = true;
    clocks->accounting->sync += timer_seconds(timer_now() - start);
    if (clocks->debug)
        fprintf(stderr, "clocks: PE %d: offset %.9g s, error bound %.3g s, round trip %.3g s\n",
                comm_pe(), sync_offset(), clocks->report.own_bound, clocks->report.own_round_trip);
    if (clocks->output)
        state(clocks);
}

void clocks_need(struct clocks *clocks, const struct settings *settings)
{
    const struct clock_rules *had = &clocks->rules, *wanted = &settings->clock;
    if (!clocks->known || had->algorithm != wanted->algorithm ||
        had->patience != wanted->patience || had->fit_points != wanted->fit_points ||
        had->fit_exchanges != wanted->fit_exchanges || had->spread != wanted->spread ||
        had->long_spread != wanted->long_spread)
        clocks_synchronize(clocks, settings);
}

void clocks_report(const struct clocks *clocks)
{
    if (!clocks->known || clocks->report.shared)
        return;
    double moved = sync_check();
    char text[32];
    if (clocks->output)
        output_comment(clocks->output,
                       "clocks: off by at least %s ns at the end of the block, beyond the error "
                       "of an exchange",
                       numbers_text(text, moved * 1e9, 4));
}

int clocks_farthest(struct clocks *clocks, const struct settings *settings)
{
    struct clock_rules rules = settings->clock;
    struct sync_report report;
    rules.algorithm = CLOCK_SYNC_LINEAR; /* the one in which every PE talks to PE 0 */
    sync_synchronize(&rules, &report);
    clocks->known = false;
    double trip = comm_pe() == 0 ? 0 : report.own_round_trip, largest = trip;
    comm_allreduce(comm_world(), COMM_MAX, &largest, 1);
    int64_t pe = trip >= largest ? comm_pe() : comm_pes();
    comm_allreduce_int(comm_world(), COMM_MIN, &pe, 1);
    return (int)pe;
}

void accounting_print(const struct accounting *own, struct output *output)
{
    double sums[] = {own->sync, own->comm, own->wait, own->over, own->total};
    comm_allreduce(comm_world(), COMM_SUM, sums, 5);
    if (!output)
        return;
    static const char *const names[] = {"clock synchronization", "measured operations",
                                        "waiting for starts", "repetitions left out"};
    double total = sums[4] > 0 ? sums[4] : 1;
    output_comment(output, "time accounting, seconds summed over %d PEs:", comm_pes());
    double rest = sums[4];
    for (int i = 0; i < 4; i++) {
        output_comment(output, "  %-22s %9.3f %5.1f%%", names[i], sums[i], 100 * sums[i] / total);
        rest -= sums[i];
    }
    output_comment(output, "  %-22s %9.3f %5.1f%%", "everything else", rest, 100 * rest / total);
    output_comment(output, "  %-22s %9.3f %5.1f%%", "measure statements", sums[4], 100.0);
}
