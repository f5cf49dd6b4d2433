/* Shows a summary as text, as JSON or as results. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "trace/read/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/numbers.h"
#include "trace/read/event_out.h"

/* ---- What text and JSON share ---- */

static const char *const waiting_names[WAITINGS] = {
    [WAITING_BARRIERS] = "barriers",       [WAITING_POINT] = "waits",
    [WAITING_COMPLETION] = "completion",   [WAITING_LOCKS] = "locks",
    [WAITING_COLLECTIVES] = "collectives", [WAITING_MEMORY] = "implicit barriers",
};

/* The smallest and the largest number of bytes in a class of sizes. */
static uint64_t size_first(size_t size)
{
    return size ? UINT64_C(1) << (size - 1) : 0;
}

static uint64_t size_last(size_t size)
{
    return size ? size_first(size) * 2 - 1 : 0;
}

/* Elapsed time, summed over PEs (seconds). */
static double elapsed_time(const struct summary *summary)
{
    double sum = 0;
    for (size_t i = 0; i < summary->pe_count; i++)
        sum += summary->per_pe[i].elapsed;
    return sum;
}

static const char *const quantity_names[QUANTITIES] = {
    [QUANTITY_CALLS] = "calls",     [QUANTITY_BYTES] = "bytes",     [QUANTITY_INSIDE] = "inside",
    [QUANTITY_WAITING] = "waiting", [QUANTITY_OUTSIDE] = "outside",
};

/* One quantity over the PEs. */
struct spread {
    double mean, max;
    int pe; /* the PE that has most */
};

static struct spread spread_of(const struct summary *summary, enum quantity quantity)
{
    struct spread spread = {.max = -1};
    for (size_t i = 0; i < summary->pe_count; i++) {
        double value = summary->per_pe[i].of[quantity];
        spread.mean += value / (double)summary->pe_count;
        if (value > spread.max) {
            spread.max = value;
            spread.pe = summary->per_pe[i].pe;
        }
    }
    return spread;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* "-" where there is nothing to compare with, as in profiles. */
static const char *share_text(double part, double whole)
{
    static char text[16];
    snprintf(text, sizeof text, whole > 0 ? "%.2f%%" : "-", 100 * ratio(part, whole));
    return text;
}

static int by_time(const void *a, const void *b)
{
    const struct total *x = &((const struct summary_row *)a)->total,
                       *y = &((const struct summary_row *)b)->total;
    return ORDER(y->seconds, x->seconds) ?: ORDER(y->calls, x->calls);
}

/* A copy, the longest time first. The caller frees it. */
static struct summary_row *sorted(const struct summary_row *rows, size_t count)
{
    struct summary_row *copy = memory_zeroed(count, sizeof *copy);
    if (count > 0) {
        memcpy(copy, rows, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, by_time);
    }
    return copy;
}

static const char *routine_name(const struct summary *summary, size_t number)
{
    return table_key(&summary->reader->routines, number);
}

static struct total size_total(const struct summary *summary, size_t size)
{
    struct total sum = {0};
    for (size_t class = 0; class < TRACE_CLASSES; class ++)
        total_add(&sum, &summary->sizes[size][class]);
    return sum;
}

/* ---- As text ---- */

static const char *time_text(double seconds)
{
    static char texts[8][40];
    static unsigned turn;
    if (seconds == 0 || isnan(seconds))
        return seconds == 0 ? "0" : "-";
    return numbers_time(texts[turn++ % 8], seconds, 4);
}

static double mean_of_pes(const struct summary *summary, double sum)
{
    return summary->pe_count ? sum / (double)summary->pe_count : 0;
}

static void text_head(const struct summary *summary)
{
    FILE *out = summary->out;
    const struct trace_info *run = summary->reader->run;
    fprintf(out, "%s\n%s, %s\n", run->command, run->library, run->date);
    fprintf(out, "%d PE%s", run->pes, numbers_plural((size_t)run->pes));
    if (summary->pe_count != (size_t)run->pes)
        fprintf(out, ", %zu of them here", summary->pe_count);
    if (!summary->profile)
        fprintf(out, "; %" PRIu64 " events in %s", summary->events,
                time_text(summary->last - summary->first));
    fputc('\n', out);
    if (summary->cost_between > 0 || summary->cost_inside > 0)
        fprintf(out,
                "the tracer added %.1f ns to the burst before each call, and %.1f ns to the call\n",
                1e9 * mean_of_pes(summary, summary->cost_between),
                1e9 * mean_of_pes(summary, summary->cost_inside));
    if (summary->dropped)
        fprintf(out, "%" PRIu64 " events more were not kept, and are missing below\n",
                summary->dropped);
    reader_tell_gaps(summary->reader, summary->pointers, summary->start_alone);
    if (summary->incomplete)
        fprintf(out, "%zu PE%s did not end properly\n", summary->incomplete,
                numbers_plural(summary->incomplete));
}

/* Lists routines, or call sites. */
static void text_rows(const struct summary *summary, const struct summary_row *rows, size_t count,
                      bool sites)
{
    FILE *out = summary->out;
    double elapsed = elapsed_time(summary);
    struct summary_row *order = sorted(rows, count);
    size_t shown = sites && count > SUMMARY_SITES ? SUMMARY_SITES : count;
    if (shown < count)
        fprintf(out, "\nthe %zu of %zu call sites with most time (--json has all)", shown, count);
    fprintf(out, "\n%-32s%s %10s %14s %10s %7s %10s  %s\n", "routine",
            sites ? "" : " class          ", "calls", "bytes", "time", "share", "mean",
            sites ? "call site" : "  longest");
    for (const struct summary_row *row = order; row < order + shown; row++) {
        fprintf(out, "%-32s", routine_name(summary, row->routine));
        if (!sites)
            fprintf(out, " %-15s", trace_class_names[row->class]);
        fprintf(out, " %10" PRIu64 " %14" PRIu64 " %10s %7s %10s", row->total.calls,
                row->total.bytes, time_text(row->total.seconds),
                share_text(row->total.seconds, elapsed),
                time_text(ratio(row->total.seconds, (double)row->total.calls)));
        if (sites)
            fprintf(out, "  %s\n", sites_text(&summary->reader->sites, row->site));
        else
            fprintf(out, " %10s\n", time_text(row->total.longest));
    }
    free(order);
}

static void text_sizes(const struct summary *summary)
{
    FILE *out = summary->out;
    bool any = false;
    for (size_t size = 0; size < SUMMARY_SIZES; size++) {
        struct total total = size_total(summary, size);
        if (total.calls == 0)
            continue;
        if (!any)
            fprintf(out, "\n%-27s %10s %14s %10s %10s  %s\n", "bytes a call", "calls", "bytes",
                    "time", "mean", "calls of each class");
        any = true;
        char range[48];
        snprintf(range, sizeof range, size < 2 ? "%" PRIu64 : "%" PRIu64 "-%" PRIu64,
                 size_first(size), size_last(size));
        fprintf(out, "%-27s %10" PRIu64 " %14" PRIu64 " %10s %10s ", range, total.calls,
                total.bytes, time_text(total.seconds),
                time_text(ratio(total.seconds, (double)total.calls)));
        for (int class = 0; class < TRACE_CLASSES; class ++)
            if (summary->sizes[size][class].calls)
                fprintf(out, " %s %" PRIu64, trace_class_names[class],
                        summary->sizes[size][class].calls);
        fputc('\n', out);
    }
}

static void text_pairs(const struct summary *summary)
{
    FILE *out = summary->out;
    if (summary->pair_count == 0)
        return;
    if (summary->pair_count > summary->best_count)
        fprintf(out, "\nthe %zu of %" PRIu64 " pairs with most bytes (--json has all)\n",
                summary->best_count, summary->pair_count);
    else
        fputc('\n', out);
    fprintf(out, "%8s %8s %10s %16s %16s %10s\n", "PE", "peer", "calls", "bytes to", "bytes from",
            "time");
    for (size_t i = 0; i < summary->best_count; i++) {
        const struct summary_pair *p = &summary->best[i];
        fprintf(out, "%8d %8" PRId64 " %10" PRIu64 " %16" PRIu64 " %16" PRIu64 " %10s\n", p->pe,
                p->peer, p->calls, p->to, p->from, time_text(p->seconds));
    }
}

static void text_bursts(const struct summary *summary)
{
    FILE *out = summary->out;
    const struct distribution *d = &summary->bursts;
    if (d->count == 0)
        return;
    fprintf(out,
            "\nCPU bursts: %" PRIu64
            ", %s together, mean %s, median %s, 95 %% below %s, longest %s\n",
            d->count, time_text(d->sum), time_text(distribution_mean(d)),
            time_text(distribution_quantile(d, 0.5)), time_text(distribution_quantile(d, 0.95)),
            time_text(d->max));
}

static void text_phases(const struct summary *summary)
{
    FILE *out = summary->out;
    if (summary->phases.count < 2 && summary->counter_count == 0)
        return;
    fprintf(out, "\n%10s %10s %14s %12s %12s", "phase", "calls", "bytes", "inside", "outside");
    for (size_t i = 0; i < summary->counter_count; i++)
        fprintf(out, " %16s", summary->reader->run->counter_names[i]);
    fputc('\n', out);
    for (size_t i = 0; i < summary->phases.count; i++) {
        const struct summary_phase *p = (const struct summary_phase *)summary->phases.values + i;
        fprintf(out, "%10" PRIu32 " %10" PRIu64 " %14" PRIu64 " %12s %12s", p->phase,
                p->total.calls, p->total.bytes, time_text(p->total.seconds), time_text(p->outside));
        for (size_t c = 0; c < summary->counter_count; c++)
            fprintf(out, " %16.12g", p->counters[c]);
        fputc('\n', out);
    }
}

void trace_summary_as_text(const struct summary *summary)
{
    text_head(summary);
    text_rows(summary, summary->routines, summary->reader->routines.count, false);
    if (summary->sites.count > 0)
        text_rows(summary, summary->sites.values, summary->sites.count, true);
    FILE *out = summary->out;
    fprintf(out, "\n%-20s %14s %14s %9s %8s\n", "over PEs", "mean", "most", "most/mean", "on PE");
    for (size_t i = 0; i < QUANTITIES; i++) {
        struct spread s = spread_of(summary, (enum quantity)i);
        fprintf(out, "%-20s", quantity_names[i]);
        if (i >= QUANTITY_INSIDE)
            fprintf(out, " %14s %14s", time_text(s.mean), time_text(s.max));
        else
            fprintf(out, " %14.10g %14.10g", s.mean, s.max);
        fprintf(out, " %9.3f %8d\n", ratio(s.max, s.mean), s.pe);
    }
    fprintf(out, "\n%-20s %14s %7s\n", "waiting", "time", "share");
    double elapsed = elapsed_time(summary);
    for (size_t i = 0; i < WAITINGS; i++)
        if (summary->waiting[i] > 0)
            fprintf(out, "%-20s %14s %7s\n", waiting_names[i], time_text(summary->waiting[i]),
                    share_text(summary->waiting[i], elapsed));
    text_sizes(summary);
    text_pairs(summary);
    text_bursts(summary);
    text_phases(summary);
}

/* ---- JSON ---- */

static void json_total(FILE *out, const struct total *total)
{
    json_print(out, ",'calls':%zu,'bytes':%zu,'seconds':%f,'longest':%f", total->calls,
               total->bytes, total->seconds, total->longest);
}

void trace_summary_json_begin(const struct summary *summary)
{
    const struct trace_info *run = summary->reader->run;
    json_print(summary->out,
               "{'summary':1,'trace':%s,'command':%s,'library':%s,'date':%s,'pes':%d,\n'pairs':[",
               summary->reader->path, run->command, run->library, run->date, run->pes);
}

void trace_summary_json_pair(const struct summary *summary, const struct summary_pair *pair)
{
    fputs(summary->pair_count ? ",\n" : "\n", summary->out);
    json_print(summary->out,
               "{'pe':%d,'peer':%lld,'calls':%zu,'bytes_to':%zu,'bytes_from':%zu,'seconds':%f}",
               pair->pe, (long long)pair->peer, pair->calls, pair->to, pair->from, pair->seconds);
    reader_check_written(summary->reader, summary->out, summary->reader->out_name);
}

static void json_rows(const struct summary *summary, const char *list,
                      const struct summary_row *rows, size_t count)
{
    FILE *out = summary->out;
    double elapsed = elapsed_time(summary);
    struct summary_row *order = sorted(rows, count);
    json_print(out, "],\n%s:[", list);
    for (const struct summary_row *row = order; row < order + count; row++) {
        const char *name = routine_name(summary, row->routine);
        fputs(row > order ? ",\n" : "\n", out);
        if (row->site) {
            const struct call_site *site = sites_find(&summary->reader->sites, row->site);
            json_print(out, "{'site':%s", site->text);
            if (site->frames[0].file)
                json_print(out, ",'file':%s,'line':%u", site->frames[0].file, site->frames[0].line);
            json_print(out, ",'routine':%s", name);
        } else {
            json_print(out, "{'routine':%s,'class':%s", name, trace_class_names[row->class]);
        }
        json_total(out, &row->total);
        json_print(out, ",'share':%f}", ratio(row->total.seconds, elapsed));
    }
    free(order);
}

static void json_sizes(const struct summary *summary)
{
    FILE *out = summary->out;
    const char *separator = "\n";
    json_print(out, "],\n'sizes':[");
    for (size_t size = 0; size < SUMMARY_SIZES; size++) {
        struct total total = size_total(summary, size);
        if (total.calls == 0)
            continue;
        fputs(separator, out);
        separator = ",\n";
        json_print(out, "{'from':%zu,'to':%zu", size_first(size), size_last(size));
        json_total(out, &total);
        json_print(out, ",'classes':{");
        const char *comma = "";
        for (int class = 0; class < TRACE_CLASSES; class ++) {
            uint64_t calls = summary->sizes[size][class].calls;
            if (!calls)
                continue;
            fputs(comma, out);
            json_print(out, "%s:%zu", trace_class_names[class], calls);
            comma = ",";
        }
        fputs("}}", out);
    }
}

static void json_pes(const struct summary *summary)
{
    FILE *out = summary->out;
    json_print(out, "],\n'per_pe':[");
    for (size_t i = 0; i < summary->pe_count; i++) {
        const struct summary_pe *pe = &summary->per_pe[i];
        fputs(i ? ",\n" : "\n", out);
        json_print(out, "{'pe':%d,'elapsed':%f", pe->pe, pe->elapsed);
        for (size_t k = 0; k < QUANTITIES; k++)
            json_print(out, ",%s:%f", quantity_names[k], pe->of[k]);
        fputc('}', out);
    }
    json_print(out, "],\n'imbalance':{");
    for (size_t i = 0; i < QUANTITIES; i++) {
        struct spread s = spread_of(summary, (enum quantity)i);
        fputs(i ? "," : "", out);
        json_print(out, "%s:{'pe':%d,'mean':%f,'max':%f,'ratio':%f}", quantity_names[i], s.pe,
                   s.mean, s.max, ratio(s.max, s.mean));
    }
    json_print(out, "},\n'waiting':{");
    for (size_t i = 0; i < WAITINGS; i++) {
        fputs(i ? "," : "", out);
        json_print(out, "%s:%f", waiting_names[i], summary->waiting[i]);
    }
}

static void json_bursts(const struct summary *summary)
{
    FILE *out = summary->out;
    const struct distribution *d = &summary->bursts;
    json_print(out,
               "},\n'bursts':{'count':%zu,'seconds':%f,'mean':%f,'median':%f,'p95':%f,'max':%f},\n"
               "'phases':[",
               d->count, d->sum, distribution_mean(d), distribution_quantile(d, 0.5),
               distribution_quantile(d, 0.95), d->max);
    for (size_t i = 0; i < summary->phases.count; i++) {
        const struct summary_phase *p = (const struct summary_phase *)summary->phases.values + i;
        fputs(i ? ",\n" : "\n", out);
        json_print(out, "{'phase':%u", p->phase);
        json_total(out, &p->total);
        json_print(out, ",'outside':%f,'counted':%f,'counters':{", p->outside, p->counted);
        for (size_t c = 0; c < summary->counter_count; c++) {
            fputs(c ? "," : "", out);
            json_string(out, summary->reader->run->counter_names[c]);
            fprintf(out, ":%.0f", p->counters[c]);
        }
        fputs("}}", out);
    }
}

void trace_summary_json_end(const struct summary *summary)
{
    json_rows(summary, "routines", summary->routines, summary->reader->routines.count);
    json_rows(summary, "sites", summary->sites.values, summary->sites.count);
    json_sizes(summary);
    json_pes(summary);
    json_bursts(summary);
    json_print(summary->out,
               "],'events':%zu,'dropped':%zu,'pointers':%zu,'not_ended_in_order':%zu,"
               "'cost_between':%f,'cost_inside':%f,'elapsed':%f,'whole':",
               summary->events, summary->dropped, summary->pointers, summary->incomplete,
               mean_of_pes(summary, summary->cost_between),
               mean_of_pes(summary, summary->cost_inside), summary->last - summary->first);
    fputs(summary->reader->status ? "false}\n" : "true}\n", summary->out);
}

/* ---- Results, by scripts/results.schema.json ---- */

static int by_routine_and_size(const void *a, const void *b, void *summary)
{
    const struct summary_group *x = a, *y = b;
    return strcmp(routine_name(summary, x->routine), routine_name(summary, y->routine))
               ?: ORDER(x->size, y->size);
}

/* A value that is known within 7 % gets three digits. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.2e", value);
    return strtod(text, NULL);
}

static void result_times(FILE *out, const struct distribution *d)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"median", 0.5}, {"p5", 0.05},  {"p25", 0.25},
                     {"p75", 0.75},   {"p95", 0.95}, {"p99", 0.99}};
    json_print(out, ",'time':%f,'standard_error':%f,'mean':%f,'deviation':%f,'min':%f,'max':%f",
               rounded(distribution_middle(d)), distribution_deviation(d) / sqrt((double)d->count),
               distribution_mean(d), distribution_deviation(d), d->min, d->max);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_print(out, ",%s:%f", quantiles[i].name,
                   rounded(distribution_quantile(d, quantiles[i].share)));
    json_print(out, ",'valid':%zu", d->count);
}

static void result(const struct summary *summary, size_t block, const struct summary_group *group)
{
    FILE *out = summary->out;
    const char *name = routine_name(summary, group->routine);
    double bytes = rint((double)group->bytes / (double)group->times.count);
    char call[256], note[96];
    snprintf(call, sizeof call, "%.200s(%.0f)", name, bytes);
    json_print(out,
               "{'record':'result','block':%s,'number':%zu,'function':%s,'call':%s,'arguments':{"
               "'bytes':{'value':%f,'unit':'bytes'}},'variables':{},'pe_set':{'size':%d,"
               "'placement':''},'bytes':%f,'quantity':'time','round':1",
               name, block, name, call, bytes, summary->reader->run->pes, bytes);
    result_times(out, &group->times);
    json_print(out, ",'per_pe':[");
    size_t pes = trace_summary_pes(summary);
    for (size_t i = 0; i < pes; i++) {
        fputs(i ? "," : "", out);
        json_number(out, group->counts[i] ? group->sums[i] / (double)group->counts[i] : NAN);
    }
    json_print(out, "],'flags':[],'notes':[");
    if (group->least != group->most) {
        snprintf(note, sizeof note, "calls of %" PRIu64 " to %" PRIu64 " bytes", group->least,
                 group->most);
        json_string(out, note);
    }
    fputs("]}\n", out);
}

void trace_summary_results(struct summary *summary)
{
    FILE *out = summary->out;
    size_t count = summary->groups.count, block = 0;
    struct summary_group *groups = summary->groups.values;
    if (count > 0)
        qsort_r(groups, count, sizeof *groups, by_routine_and_size, summary);
    json_print(out,
               "{'record':'header','schema':1,'program':'skampi','command_line':%s,'library':%s,"
               "'pes':%d,'notes':['times of the calls of a traced application, by routine and "
               "size; quantiles within 7 ",
               summary->reader->run->command, summary->reader->run->library,
               summary->reader->run->pes);
    fputs("%\"]}\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct summary_group *group = &groups[i];
        const char *name = routine_name(summary, group->routine);
        if (i == 0 || group->routine != groups[i - 1].routine)
            json_print(out, "{'record':'block','block':%s,'number':%zu}\n", name, ++block);
        result(summary, block, group);
        if (i + 1 == count || group->routine != groups[i + 1].routine)
            json_print(out, "{'record':'block_end','block':%s,'number':%zu,'duration':null}\n",
                       name, block);
    }
    json_print(out, "{'record':'end','status':null}\n");
}
