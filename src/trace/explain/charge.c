/*
 * What waits cost all PEs together, charged to what made them: from the last wait to the first one,
 * the cost of each goes to what made the late PE late. If that is an earlier wait, it goes on from
 * there.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/explain/explain.h"

struct finding_key {
    uint32_t cause, spot, by_spot, root, computes;
};

static struct finding *finding_of(struct explain *explain, struct finding_key key)
{
    struct finding *finding = table_value(&explain->findings, &key, sizeof key, sizeof *finding);
    if (!finding->waited) {
        finding->waited = memory_zeroed(explain->line_count, sizeof *finding->waited);
        finding->blamed = memory_zeroed(explain->line_count, sizeof *finding->blamed);
        finding->cause = key.cause;
        finding->computes = key.computes;
    }
    return finding;
}

/* Adds waits of a line. True if they are the longest so far. */
static bool add(struct finding *finding, uint32_t line, double cost, double own, double waits)
{
    finding->cost += cost;
    finding->own += own;
    finding->waits += waits;
    finding->waited[line] += own;
    bool longest = own >= finding->longest;
    if (longest)
        finding->longest = own;
    return longest;
}

/* Calls with a target that computes ended by themselves most of the time. */
static bool is_void(const struct explain *explain, const struct wait *wait)
{
    return wait->cause == CAUSE_PROGRESS && !explain_progress_is_late(explain, wait->call.spot);
}

static void charge_part(struct explain *explain, const struct wait *wait, const struct part *part,
                        double own)
{
    activity_t done = part->activity;
    uint32_t ordinal = part->ordinal;
    if (part->wait) {
        struct wait *before = &explain->waits[part->wait - 1];
        if (!is_void(explain, before)) {
            before->cost += part->share * wait->cost;
            return;
        }
        done = activity(false, before->call.spot, before->phase);
        ordinal = before->call.ordinal;
    }
    bool late = cause_has_late_pe(wait->cause);
    struct finding *finding = finding_of(
        explain,
        (struct finding_key){wait->cause, wait->call.spot,
                             late && wait->cause != CAUSE_PROGRESS ? wait->by_call.spot : 0,
                             late ? activity_spot(done) : 0, late && activity_computes(done)});
    double share = part->share;
    if (wait->by != NOBODY)
        finding->blamed[wait->by] += share * wait->cost;
    if (!add(finding, wait->line, share * wait->cost, share * own, share))
        return;
    finding->call = wait->call;
    finding->by_call = wait->by_call;
    finding->root = (struct call){activity_spot(done), ordinal};
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    return ORDER(y->cost, x->cost) ?: ORDER(x->cause, y->cause)
           ?: ORDER(x->call.spot, y->call.spot) ?: ORDER(x->root.spot, y->root.spot);
}

void charge(struct explain *explain)
{
    for (size_t i = explain->wait_count; i-- > 0;) {
        struct wait *wait = &explain->waits[i];
        double own = wait_seconds(explain, wait);
        if (is_void(explain, wait))
            continue;
        wait->cost += own;
        for (uint32_t part = 0; part < wait->parts && wait->cost > 0; part++)
            charge_part(explain, wait, &explain->parts[wait->first_part + part], own);
    }
    /* What calls take, besides waiting. */
    for (uint32_t i = 0; i < explain->line_count; i++) {
        const struct line *line = &explain->lines[i];
        for (uint32_t spot = 0; spot < line->spent_room; spot++) {
            double seconds = line->spent[spot].seconds;
            if (seconds <= 0)
                continue;
            struct finding *finding =
                finding_of(explain, (struct finding_key){CAUSE_TRANSFER, spot, 0, 0, 0});
            uint32_t calls = line->spent[spot].calls;
            if (add(finding, i, seconds, seconds, calls))
                finding->call = finding->root = (struct call){spot, calls};
        }
    }
    SORT((struct finding *)explain->findings.values, explain->findings.count, compare_findings);
}
