/* What was found, as JSON: explain.schema.json. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "trace/explain/efficiency.h"
#include "trace/explain/iterations.h"
#include "trace/explain/sentence.h"
#include "trace/explain/targets.h"

static void text_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, ", \"%s\": ", name);
    json_string(out, value);
}

static void number_member(FILE *out, const char *name, double value)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, value);
}

/* {"0": 1.5, ...}: what PEs have; a PE's lines follow each other. */
static void pes_member(FILE *out, const char *name, const struct explain *explain,
                       const double *values)
{
    const char *comma = "";
    double value = 0;
    fprintf(out, ", \"%s\": {", name);
    for (uint32_t i = 0; i < explain->line_count; i++) {
        value += values[i];
        if (i + 1 < explain->line_count && explain->lines[i + 1].pe == explain->lines[i].pe)
            continue;
        if (value > 0) {
            fprintf(out, "%s\"%d\": ", comma, explain->lines[i].pe);
            json_number(out, value);
            comma = ", ";
        }
        value = 0;
    }
    fputc('}', out);
}

static void call_member(FILE *out, const char *name, const struct explain *explain,
                        struct call call)
{
    fprintf(out, ", \"%s\": {\"routine\": ", name);
    json_string(out, spot_routine(explain, call.spot));
    if (spot_site(explain, call.spot))
        text_member(out, "site", spot_site(explain, call.spot));
    fprintf(out, ", \"call\": %u}", call.ordinal);
}

static void write_findings(const struct explain *explain, size_t most, FILE *out)
{
    for (size_t i = 0; i < explain->finding_count && i < most; i++) {
        const struct finding *finding = &explain->findings[i];
        char *sentence = sentence_of(explain, finding);
        fprintf(out, "%s\n    {\"cause\": ", i ? "," : "");
        json_string(out, cause_rows[finding->cause].name);
        text_member(out, "sentence", sentence);
        text_member(out, "remedy", sentence_remedy(explain, finding));
        number_member(out, "seconds", finding->cost);
        number_member(out, "waited", finding->own);
        number_member(out, "waits", finding->waits);
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
    double *seconds = NULL;
    size_t room = 0;
    for (size_t i = 0; i < explain->wait_count; i++) {
        const struct wait *wait = &explain->waits[i];
        if (!wait_is_for_another(explain, wait))
            continue;
        const int key[3] = {(int)wait->cause, explain->lines[wait->line].pe,
                            explain->lines[wait->by].pe};
        size_t number = table_number(&pairs, key, sizeof key);
        memory_extend(seconds, number, &room);
        seconds[number] += wait_seconds(explain, wait);
    }
    for (size_t i = 0; i < pairs.count && i < most; i++) {
        int key[3];
        memcpy(key, table_key(&pairs, i), sizeof key);
        fprintf(out, "%s\n    {\"cause\": ", i ? "," : "");
        json_string(out, cause_rows[key[0]].name);
        fprintf(out, ", \"pe\": %d, \"for\": %d", key[1], key[2]);
        number_member(out, "seconds", seconds[i]);
        fputc('}', out);
    }
    table_free(&pairs);
    free(seconds);
}

static void write_efficiency(FILE *out, const char *name, struct efficiency of)
{
    fprintf(out, "{\"phase\": %s", name);
    number_member(out, "seconds", of.elapsed);
    number_member(out, "parallel", of.parallel);
    number_member(out, "load_balance", of.balance);
    number_member(out, "serialization", of.serialization);
    number_member(out, "transfer", of.transfer);
    fputc('}', out);
}

static void write_efficiencies(const struct explain *explain, size_t most, FILE *out)
{
    write_efficiency(out, "null", efficiency_of_run(explain));
    for (size_t i = 0; i < explain->phases.count && i < most; i++) {
        uint32_t phase;
        char name[16];
        memcpy(&phase, table_key(&explain->phases, i), sizeof phase);
        snprintf(name, sizeof name, "%u", phase);
        fputs(",\n    ", out);
        write_efficiency(out, name, efficiency_of_phase(explain, i));
    }
}

static void write_path(const struct explain *explain, size_t most, FILE *out)
{
    for (size_t i = 0; i < explain->stay_count && i < most; i++) {
        const struct stay *stay = &explain->stays[i];
        fprintf(out, "%s\n    {\"pe\": %d", i ? "," : "", stay->pe);
        call_member(out, stay->computes ? "computes_after" : "communicates_in", explain,
                    (struct call){stay->spot, 0});
        number_member(out, "seconds", stay->seconds);
        fputc('}', out);
    }
}

static void write_iterations(const struct iterations *all, const struct explain *explain,
                             size_t most, FILE *out)
{
    if (all->count < 2) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"pe\": %d", explain->lines[0].pe);
    call_member(out, "begin", explain, (struct call){all->begins, 0});
    fputs(", \"seconds\": [", out);
    for (size_t i = 0; i + 1 < all->count && i < most; i++) {
        fputs(i ? ", " : "", out);
        json_number(out, iteration_seconds(all, i));
    }
    fputs("]}", out);
}

void write_json(const struct explain *explain, size_t most, FILE *out)
{
    fputs("{\"explain\":1", out);
    text_member(out, "command", explain->command);
    fprintf(out, ", \"pes\": %d, \"calls\": %" PRIu64, explain->pes, explain->events);
    number_member(out, "from", explain->from);
    number_member(out, "to", explain->to);
    number_member(out, "start", explain->start);
    number_member(out, "finalize", explain->finalize);
    fputs(",\n  \"findings\": [", out);
    write_findings(explain, most, out);
    fputs("],\n  \"waits\": [", out);
    write_waits(explain, most, out);
    fputs("],\n  \"efficiency\": [\n    ", out);
    write_efficiencies(explain, most, out);
    fputs("],\n  \"critical_path\": [", out);
    write_path(explain, most, out);
    fputs("],\n  \"iterations\": ", out);
    write_iterations(explain->iterations, explain, most, out);
    fputs("}\n", out);
}
