/* What was found, as JSON: explain.schema.json. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "trace/explain/explain.h"

static const char *separator(size_t row)
{
    return row ? ",\n    " : "\n    ";
}

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
        fputs(separator(i), out);
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
        fputs(separator(i), out);
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

static void write_efficiencies(const struct explain *explain, size_t most, FILE *out)
{
    json_print(out, "{'phase': null");
    write_efficiency(out, efficiency_of_run(explain));
    for (size_t i = 0; i < explain->phases.count && i < most; i++) {
        uint32_t phase;
        memcpy(&phase, table_key(&explain->phases, i), sizeof phase);
        json_print(out, ",\n    {'phase': %u", phase);
        write_efficiency(out, efficiency_of_phase(explain, i));
    }
}

static void write_path(const struct explain *explain, size_t most, FILE *out)
{
    const struct stay *stay = explain->stays.values;
    for (size_t i = 0; i < explain->stays.count && i < most; i++, stay++) {
        fputs(separator(i), out);
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
    write_efficiencies(explain, most, out);
    json_print(out, "],\n  'critical_path': [");
    write_path(explain, most, out);
    json_print(out, "],\n  'iterations': ");
    write_iterations(explain->iterations, explain, most, out);
    fputs("}\n", out);
}
