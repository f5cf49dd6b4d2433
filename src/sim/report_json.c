/* Prints what a replay has found as one JSON object; times are seconds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/errors.h"
#include "sim/report.h"
#include "sim/report_surplus.h"
#include "sim/tolerance.h"

static void sizes(FILE *out, const uint64_t moves[2], const double bytes[2])
{
    fputc(',', out);
    JSON_MEMBERS(out, {"moves_inside", (double)moves[0]}, {"moves_between", (double)moves[1]},
                 {"mean_bytes_inside", moves[0] ? bytes[0] / (double)moves[0] : NAN},
                 {"mean_bytes_between", moves[1] ? bytes[1] / (double)moves[1] : NAN});
}

static void routines(FILE *out, const struct replay *replay)
{
    const char *comma = "";
    fputs(",\n\"routines\":[", out);
    for (size_t i = 0; i < replay->run->names.count; i++) {
        const struct routine_sum *sum = &replay->sums[i];
        if (!sum->calls)
            continue;
        fprintf(out, "%s\n{\"name\":", comma);
        json_string(out, run_routine(replay->run, (uint16_t)i));
        fputc(',', out);
        JSON_MEMBERS(out, {"calls", (double)sum->calls}, {"time", report_seconds(sum->time)},
                     {"waiting", report_seconds(sum->waiting)});
        sizes(out, sum->moves, sum->bytes);
        fputc('}', out);
        comma = ",";
    }
    fputs("]", out);
}

static void pe_routines(FILE *out, const struct replay *replay, int pe)
{
    const char *comma = "";
    fputs(",\"routines\":[", out);
    for (size_t i = 0; i < replay->run->names.count; i++) {
        const struct pe_sum *sum = replay->pe_sums[i] ? &replay->pe_sums[i][pe] : NULL;
        if (!sum || !sum->calls)
            continue;
        fprintf(out, "%s{\"name\":", comma);
        json_string(out, run_routine(replay->run, (uint16_t)i));
        fputc(',', out);
        JSON_MEMBERS(out, {"calls", (double)sum->calls},
                     {"time", report_seconds((double)sum->time)});
        sizes(out, sum->moves, sum->bytes);
        fputc('}', out);
        comma = ",";
    }
    fputs("]", out);
}

static void per_pe(FILE *out, const struct replay *replay)
{
    fputs(",\n\"per_pe\":[", out);
    for (int i = 0; i < replay->run->pes; i++) {
        const struct pe_report pe = report_pe(replay, i);
        fputs(i ? ",\n{" : "\n{", out);
        JSON_MEMBERS(out, {"pe", i}, {"node", (double)replay->threads[i].node},
                     {"threads", run_threads(replay->run, i)},
                     {"compute", report_seconds((double)pe.compute)},
                     {"communication", report_seconds((double)pe.communication)},
                     {"waiting", report_seconds((double)pe.waiting)},
                     {"end", report_seconds((double)pe.end)});
        if (replay->per_pe)
            pe_routines(out, replay, i);
        fputc('}', out);
    }
    fputs("]", out);
}

static void imbalance(FILE *out, const char *name, const struct spread *spread, int pes)
{
    double mean = spread->sum / pes, most = (double)spread->most;
    fprintf(out, "\"%s\":{", name);
    JSON_MEMBERS(out, {"mean", report_seconds(mean)}, {"most", report_seconds(most)},
                 {"pe", spread->pe}, {"ratio", mean > 0 ? most / mean : NAN});
    fputc('}', out);
}

/* A part of the critical path; pe and routine: whether that is said. */
static void part(FILE *out, const struct report *report, const struct path_sum *sum, bool pe,
                 bool routine)
{
    fputc('{', out);
    if (pe)
        fprintf(out, "\"pe\":%" PRIu32 ",", sum->pe);
    if (routine) {
        fputs("\"name\":", out);
        json_string(out, report_path_name(report, sum->routine));
        fputc(',', out);
    }
    JSON_MEMBERS(out, {"time", report_seconds((double)sum->time)},
                 {"share", (double)sum->time / (double)report->run_time});
    fputc('}', out);
}

static void profile(FILE *out, const struct report *report)
{
    for (int by_routine = 0; by_routine < 2; by_routine++) {
        struct path_sum *sums;
        size_t count = report_path_sums(report, by_routine, &sums);
        fprintf(out, ",\n\"%s\":[", by_routine ? "by_routine" : "by_pe");
        for (size_t i = 0; i < count; i++) {
            fputs(i ? "," : "", out);
            part(out, report, &sums[i], !by_routine, by_routine);
        }
        fputc(']', out);
        free(sums);
    }
    fputs(",\n\"parts\":[", out);
    for (size_t i = 0; i < report->profile->count; i++) {
        const struct profile_part *one = &report->profile->parts[i];
        fputs(i ? "," : "", out);
        part(out, report, &(struct path_sum){one->pe, one->routine, one->time, 0}, true, true);
    }
    fputc(']', out);
}

static void path(FILE *out, const struct report *report)
{
    const struct thread *last = &report->replay->threads[report->last];
    fputs(",\n\"critical_path\":{", out);
    JSON_MEMBERS(out, {"compute", report_seconds((double)last->path_compute)},
                 {"communication", report_seconds((double)(last->time - last->path_compute))},
                 {"changes", (double)report->changes});
    if (report->profile)
        profile(out, report);
    fputc('}', out);
}

void report_json_contention(FILE *out, enum contention contention)
{
    fprintf(out, contention ? "\"%s\"" : "false", contention_names[contention]);
}

void report_json(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    fputs("{\"command\":", out);
    json_string(out, replay->run->command);
    fputs(",\"machine\":", out);
    json_string(out, report->machine);
    fprintf(out, ",\"model\":\"%s\",\"contention\":", replay->model->name);
    report_json_contention(out, replay->contention);
    fprintf(out, ",\"pes\":%d,\n", replay->run->pes);
    JSON_MEMBERS(out, {"run_time", report_seconds((double)report->run_time)});
    fputs(",\n", out);
    errors_json(out, report->errors);
    tolerance_json(out, report->tolerance);
    if (replay->surplus)
        report_surplus_json(out, replay->run, replay->surplus);
    JSON_MEMBERS(out, {"compute", report_seconds(report->compute.sum)},
                 {"communication", report_seconds(report->communication.sum)},
                 {"waiting", report_seconds(report->waiting.sum)},
                 {"tracer_taken_off", report_seconds((double)replay->streams.taken_off)},
                 {"events", (double)replay->streams.events},
                 {"polling_loops", (double)replay->streams.loops},
                 {"polls_left_out", (double)replay->streams.polls},
                 {"waits_without_write", (double)replay->waits.alone},
                 {"pairs_with_pointers", (double)replay->streams.pointed.count});
    if (replay->machine->table_count)
        fprintf(out, ",\"calls_extrapolated\":%" PRIu64, replay->extrapolated);
    fputs(",\n\"imbalance\":{", out);
    imbalance(out, "compute", &report->compute, replay->run->pes);
    fputc(',', out);
    imbalance(out, "communication", &report->communication, replay->run->pes);
    fputc(',', out);
    imbalance(out, "waiting", &report->waiting, replay->run->pes);
    fputc('}', out);
    routines(out, replay);
    per_pe(out, replay);
    path(out, report);
    fputs("}\n", out);
}
