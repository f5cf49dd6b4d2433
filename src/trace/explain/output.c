/* What was found: on one screen of text, or as JSON by explain.schema.json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "trace/explain/explain.h"

#define NEXT_FINDINGS 5
#define SHOWN_PHASES 4
#define SHOWN_STAYS 3
#define LEAST 0.005        /* share of the time of all PEs; less is not worth a line */
#define EFFICIENCY_LOW 0.8 /* below, it is marked */

/* ---- Efficiencies, by the method of the POP centre (pop-coe.eu, "POP Standard Metrics for
 * Parallel Performance Analysis", the multiplicative model) ---- */

struct efficiency {
    double elapsed; /* seconds, of the PE that takes longest */
    double parallel, balance, serialization,
        transfer; /* 0 to 1; the first is the others' product */
};

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

/* ---- Iterations ---- */

#define ITERATIONS_SLOWEST 3

/* Seconds; which ones are the slowest, from 0. */
struct iterations_summary {
    size_t count;
    double median, least, most;
    size_t slowest[ITERATIONS_SLOWEST];
};
static const struct iterations *to_sort;

static int longest_first(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return ORDER(iteration_seconds(to_sort, *y), iteration_seconds(to_sort, *x)) ?: ORDER(*x, *y);
}

static struct iterations_summary iterations_summary(const struct iterations *all)
{
    struct iterations_summary summary = {.count = all->count > 1 ? all->count - 1 : 0};
    size_t count = summary.count, *order = memory_zeroed(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    to_sort = all;
    if (count) {
        qsort(order, count, sizeof *order, longest_first);
        summary.most = iteration_seconds(all, order[0]);
        summary.least = iteration_seconds(all, order[count - 1]);
        summary.median = (iteration_seconds(all, order[(count - 1) / 2]) +
                          iteration_seconds(all, order[count / 2])) /
                         2;
    }
    for (size_t i = 0; i < ITERATIONS_SLOWEST && i < count; i++)
        summary.slowest[i] = order[i];
    free(order);
    return summary;
}

/* ---- One screen ---- */

static const char *percent(char *text, double share)
{
    snprintf(text, 16, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share);
    return text;
}

static void print_finding(const struct explain *explain, FILE *out, const struct finding *finding,
                          bool main)
{
    char share[16], cost[40], direct[40];
    char *sentence = sentence_of(explain, finding);
    bool follows = finding->cost > 1.05 * finding->own;
    percent(share, finding->cost / explain_time(explain));
    numbers_time(cost, finding->cost, 3);
    char *line = main ? text_format("%s of all time: %s.", share, sentence)
                      : text_format("%6s  %s: %s: %s.", share, cost,
                                    cause_rows[finding->cause].name, sentence);
    sentence_print(out, main ? 0 : 8, line);
    if (main)
        text_print(out, "  %s (%s)", cost, cause_rows[finding->cause].name);
    if (follows && main)
        fprintf(out, ", %s of it here, the rest by what follows",
                numbers_time(direct, finding->own, 3));
    fputs(main ? "\n" : "", out);
    free(line);
    line = text_format("%*sRemedy: %s.", main ? 2 : 8, "", sentence_remedy(explain, finding));
    sentence_print(out, 8, line);
    free(line);
    free(sentence);
}

static void print_efficiency(FILE *out, const char *name, struct efficiency of)
{
    const double values[] = {of.parallel, of.balance, of.serialization, of.transfer};
    char elapsed[40];
    fprintf(out, "  %-10s %9s", name, numbers_time(elapsed, of.elapsed, 3));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (isfinite(values[i]))
            fprintf(out, "%*.2f%c", i == 2 ? 14 : 11, values[i],
                    values[i] < EFFICIENCY_LOW ? '!' : ' ');
        else
            fprintf(out, "%*s ", i == 2 ? 14 : 11, "---");
    fputc('\n', out);
}

static void print_efficiencies(const struct explain *explain, FILE *out)
{
    fputs("\nEfficiency         time   parallel = load balance x serialization x transfer\n", out);
    print_efficiency(out, "all", efficiency_of(explain, 0, explain->phases.count));
    for (size_t i = 0; explain->phases.count > 1 && i < explain->phases.count; i++) {
        uint32_t phase;
        char name[32];
        struct efficiency of = efficiency_of(explain, i, i + 1);
        memcpy(&phase, table_key(&explain->phases, i), sizeof phase);
        snprintf(name, sizeof name, "phase %u", phase);
        if (of.elapsed > 0 && i < SHOWN_PHASES)
            print_efficiency(out, name, of);
    }
    if (explain->phases.count > SHOWN_PHASES)
        fprintf(out, "  (%zu more phases: --json)\n", explain->phases.count - SHOWN_PHASES);
}

static void print_path(const struct explain *explain, FILE *out)
{
    fprintf(out, "\nCritical path: %" PRIu64 " change%s of PE; at most so much less time without\n",
            explain->hops, numbers_plural(explain->hops));
    const struct stay *stay = explain->stays.values;
    for (size_t i = 0; i < explain->stays.count && i < SHOWN_STAYS; i++, stay++) {
        char share[16], seconds[40];
        percent(share, stay->seconds / (explain->to - explain->from));
        char *call = sentence_call(explain, (struct call){stay->spot, 0});
        char *line =
            text_format("%6s  %s: what PE %d %s %s", share, numbers_time(seconds, stay->seconds, 3),
                        stay->pe, stay->computes ? "computes after" : "does in", call);
        sentence_print(out, 8, line);
        free(line);
        free(call);
    }
}

static void print_phases(const struct explain *explain, FILE *out)
{
    char texts[4][40];
    struct iterations_summary summary = iterations_summary(explain->iterations);
    if (summary.count) {
        struct text text = {0};
        char *begin = sentence_call(explain, (struct call){explain->iterations->begins, 0});
        text_append(
            &text, "Iterations: %zu, each from %s on; %s (%s to %s); slowest:", summary.count,
            begin, numbers_time(texts[0], summary.median, 3),
            numbers_time(texts[1], summary.least, 3), numbers_time(texts[2], summary.most, 3));
        for (size_t i = 0; i < ITERATIONS_SLOWEST && i < summary.count; i++)
            text_append(&text, "%s no. %zu (%s)", i ? "," : "", summary.slowest[i] + 1,
                        numbers_time(texts[3],
                                     iteration_seconds(explain->iterations, summary.slowest[i]),
                                     3));
        free(begin);
        char *line = text_take(&text);
        sentence_print(out, 2, line);
        free(line);
    }
    fprintf(out, "Start: %s, finalize: %s; neither counts above.\n",
            numbers_time(texts[0], explain->start, 2),
            numbers_time(texts[1], explain->finalize, 2));
}

void print_screen(const struct explain *explain, FILE *out)
{
    char seconds[40];
    text_print(out, "%s\n", explain->reader->run->command);
    fprintf(out, "%d PE%s, %" PRIu64 " calls, %s from start to finalize\n\n", explain->pes,
            numbers_plural((size_t)explain->pes), explain->events,
            numbers_time(seconds, explain->to - explain->from, 4));
    size_t shown = 0;
    const struct finding *finding = explain->findings.values;
    for (size_t i = 0; i < explain->findings.count && shown <= NEXT_FINDINGS; i++, finding++) {
        if (finding->cost < LEAST * explain_time(explain))
            break;
        if (shown == 1)
            fputs("\nNext:\n", out);
        print_finding(explain, out, finding, shown++ == 0);
    }
    if (shown == 0)
        fputs("No PE waits for another one, and communication takes next to no time.\n", out);
    print_efficiencies(explain, out);
    print_path(explain, out);
    print_phases(explain, out);
}

/* ---- JSON ---- */

/* {"0": 1.5, ...}: what PEs have. */
static void pes_member(FILE *out, const char *name, const struct explain *explain,
                       const double *values)
{
    const char *comma = "";
    double most, *pes = values_by_pe(explain, values, &most);
    json_print(out, ", %s: {", name);
    for (int pe = 0; pe < explain->pes; pe++)
        if (pes[pe] > 0) {
            fputs(comma, out);
            json_print(out, "'%d': %f", pe, pes[pe]);
            comma = ", ";
        }
    fputc('}', out);
    free(pes);
}

static void call_member(FILE *out, const char *name, const struct explain *explain,
                        struct call call)
{
    json_print(out, ", %s: {'routine': %s", name, spot_routine(explain, call.spot));
    if (spot_site(explain, call.spot))
        json_print(out, ", 'site': %s", spot_site(explain, call.spot));
    json_print(out, ", 'call': %u}", call.ordinal);
}

static void write_findings(const struct explain *explain, size_t most, FILE *out)
{
    const struct finding *finding = explain->findings.values;
    for (size_t i = 0; i < explain->findings.count && i < most; i++, finding++) {
        char *sentence = sentence_of(explain, finding);
        fputs(i ? ",\n    " : "\n    ", out);
        json_print(out,
                   "{'cause': %s, 'sentence': %s, 'remedy': %s, 'seconds': %f, 'waited': %f, "
                   "'waits': %f",
                   cause_rows[finding->cause].name, sentence, sentence_remedy(explain, finding),
                   finding->cost, finding->own, finding->waits);
        call_member(out, "in", explain, finding->call);
        if (cause_has_late_pe(finding->cause)) {
            call_member(out, "for", explain, finding->by_call);
            call_member(out, finding->computes ? "computes_after" : "communicates_in", explain,
                        finding->root);
            pes_member(out, "late", explain, finding->blamed);
        }
        pes_member(out, "waiting", explain, finding->waited);
        fputc('}', out);
        free(sentence);
    }
}

/* How long each PE waited for which PE. */
static void write_waits(const struct explain *explain, size_t most, FILE *out)
{
    struct table pairs = {0};
    for (size_t i = 0; i < explain->wait_count; i++) {
        const struct wait *wait = &explain->waits[i];
        if (!wait_is_for_another(explain, wait))
            continue;
        const int key[3] = {(int)wait->cause, explain->lines[wait->line].pe,
                            explain->lines[wait->by].pe};
        double *seconds = table_value(&pairs, key, sizeof key, sizeof *seconds);
        *seconds += wait_seconds(explain, wait);
    }
    for (size_t i = 0; i < pairs.count && i < most; i++) {
        int key[3];
        memcpy(key, table_key(&pairs, i), sizeof key);
        fputs(i ? ",\n    " : "\n    ", out);
        json_print(out, "{'cause': %s, 'pe': %d, 'for': %d, 'seconds': %f}",
                   cause_rows[key[0]].name, key[1], key[2], ((double *)pairs.values)[i]);
    }
    table_free(&pairs);
}

/* After "{'phase': NUMBER". */
static void write_efficiency(FILE *out, struct efficiency of)
{
    json_print(out,
               ", 'seconds': %f, 'parallel': %f, 'load_balance': %f, 'serialization': %f, "
               "'transfer': %f}",
               of.elapsed, of.parallel, of.balance, of.serialization, of.transfer);
}

static void write_path(const struct explain *explain, size_t most, FILE *out)
{
    const struct stay *stay = explain->stays.values;
    for (size_t i = 0; i < explain->stays.count && i < most; i++, stay++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_print(out, "{'pe': %d", stay->pe);
        call_member(out, stay->computes ? "computes_after" : "communicates_in", explain,
                    (struct call){stay->spot, 0});
        json_print(out, ", 'seconds': %f}", stay->seconds);
    }
}

static void write_iterations(const struct iterations *all, const struct explain *explain,
                             size_t most, FILE *out)
{
    if (all->count < 2) {
        fputs("null", out);
        return;
    }
    json_print(out, "{'pe': %d", explain->lines[0].pe);
    call_member(out, "begin", explain, (struct call){all->begins, 0});
    json_print(out, ", 'seconds': [");
    for (size_t i = 0; i + 1 < all->count && i < most; i++)
        json_print(out, i ? ", %f" : "%f", iteration_seconds(all, i));
    fputs("]}", out);
}

void write_json(const struct explain *explain, size_t most, FILE *out)
{
    json_print(out,
               "{'explain':1, 'command': %s, 'pes': %d, 'calls': %zu, 'from': %f, 'to': %f, "
               "'start': %f, 'finalize': %f,\n  'findings': [",
               explain->reader->run->command, explain->pes, (size_t)explain->events, explain->from,
               explain->to, explain->start, explain->finalize);
    write_findings(explain, most, out);
    json_print(out, "],\n  'waits': [");
    write_waits(explain, most, out);
    json_print(out, "],\n  'efficiency': [\n    ");
    json_print(out, "{'phase': null");
    write_efficiency(out, efficiency_of(explain, 0, explain->phases.count));
    for (size_t i = 0; i < explain->phases.count && i < most; i++) {
        uint32_t phase;
        memcpy(&phase, table_key(&explain->phases, i), sizeof phase);
        json_print(out, ",\n    {'phase': %u", phase);
        write_efficiency(out, efficiency_of(explain, i, i + 1));
    }
    json_print(out, "],\n  'critical_path': [");
    write_path(explain, most, out);
    json_print(out, "],\n  'iterations': ");
    write_iterations(explain->iterations, explain, most, out);
    fputs("}\n", out);
}
