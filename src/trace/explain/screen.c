/* What was found, on one screen of text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "trace/explain/explain.h"

#define NEXT_FINDINGS 5
#define SHOWN_PHASES 4
#define SHOWN_STAYS 3
#define LEAST 0.005 /* share of the time of all PEs; less is not worth a line */

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

static void print_findings(const struct explain *explain, FILE *out)
{
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
    print_efficiency(out, "all", efficiency_of_run(explain));
    for (size_t i = 0; explain->phases.count > 1 && i < explain->phases.count; i++) {
        uint32_t phase;
        char name[32];
        struct efficiency of = efficiency_of_phase(explain, i);
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
    print_findings(explain, out);
    print_efficiencies(explain, out);
    print_path(explain, out);
    print_phases(explain, out);
}
