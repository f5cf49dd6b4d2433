/* Prints what a replay has found as one JSON object; times are seconds. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/errors.h"
#include "sim/report.h"
#include "sim/report_surplus.h"
#include "sim/tolerance.h"

void report_json_times(FILE *out, const struct json_time *times)
{
    for (size_t i = 0; times[i].name; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "", times[i].name);
        json_number(out, report_seconds(times[i].ps));
    }
}

static void member(FILE *out, const char *name, double ps)
{
    report_json_times(out, (const struct json_time[]){{name, ps}, {NULL, 0}});
}

/* Null where nothing was moved. */
static void size(FILE *out, const char *name, uint64_t moves, double bytes)
{
    fprintf(out, ",\"%s\":", name);
    if (moves)
        json_number(out, bytes / (double)moves);
    else
        fputs("null", out);
}

static void sizes(FILE *out, const uint64_t moves[2], const double bytes[2])
{
    fprintf(out, ",\"moves_inside\":%" PRIu64 ",\"moves_between\":%" PRIu64, moves[0], moves[1]);
    size(out, "mean_bytes_inside", moves[0], bytes[0]);
    size(out, "mean_bytes_between", moves[1], bytes[1]);
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
        fprintf(out, ",\"calls\":%" PRIu64 ",", sum->calls);
        report_json_times(out, (const struct json_time[]){
                                   {"time", sum->time}, {"waiting", sum->waiting}, {NULL, 0}});
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
        fprintf(out, ",\"calls\":%" PRIu64 ",", sum->calls);
        member(out, "time", (double)sum->time);
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
        fprintf(out, "%s\n{\"pe\":%d,\"node\":%" PRId32 ",\"threads\":%d,", i ? "," : "", i,
                replay->threads[i].node, run_threads(replay->run, i));
        report_json_times(out,
                          (const struct json_time[]){{"compute", (double)pe.compute},
                                                     {"communication", (double)pe.communication},
                                                     {"waiting", (double)pe.waiting},
                                                     {"end", (double)pe.end},
                                                     {NULL, 0}});
        if (replay->per_pe)
            pe_routines(out, replay, i);
        fputc('}', out);
    }
    fputs("]", out);
}

static void imbalance(FILE *out, const char *name, const struct spread *spread, int pes)
{
    double mean = spread->sum / pes;
    fprintf(out, "\"%s\":{", name);
    report_json_times(
        out, (const struct json_time[]){{"mean", mean}, {"most", (double)spread->most}, {NULL, 0}});
    fprintf(out, ",\"pe\":%" PRIu32 ",\"ratio\":", spread->pe);
    if (mean > 0)
        json_number(out, (double)spread->most / mean);
    else
        fputs("null", out);
    fputc('}', out);
}

/* Members that name a part of the critical path, and its time. */
static void part(FILE *out, const struct report *report, const struct path_sum *sum, bool pe,
                 bool routine)
{
    fputs(pe ? "{" : "{\"name\":", out);
    if (pe)
        fprintf(out, "\"pe\":%" PRIu32, sum->pe);
    if (pe && routine)
        fputs(",\"name\":", out);
    if (routine)
        json_string(out, report_path_name(report, sum->routine));
    fputc(',', out);
    member(out, "time", (double)sum->time);
    fputs(",\"share\":", out);
    json_number(out, (double)sum->time / (double)report->run_time);
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
    report_json_times(out, (const struct json_time[]){
                               {"compute", (double)last->path_compute},
                               {"communication", (double)(last->time - last->path_compute)},
                               {NULL, 0}});
    fprintf(out, ",\"changes\":%zu", report->changes);
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
    member(out, "run_time", (double)report->run_time);
    fputc(',', out);
    if (report->errors)
        errors_json(out, report->errors);
    tolerance_json(out, report->tolerance);
    if (replay->surplus)
        report_surplus_json(out, replay->run, replay->surplus);
    report_json_times(
        out, (const struct json_time[]){{"compute", report->compute.sum},
                                        {"communication", report->communication.sum},
                                        {"waiting", report->waiting.sum},
                                        {"tracer_taken_off", (double)replay->streams.taken_off},
                                        {NULL, 0}});
    fprintf(out,
            ",\n\"events\":%" PRIu64 ",\"polling_loops\":%" PRIu64 ",\"polls_left_out\":%" PRIu64
            ",\"waits_without_write\":%" PRIu64 ",\"pairs_with_pointers\":%zu",
            replay->streams.events, replay->streams.loops, replay->streams.polls,
            replay->waits.alone, replay->streams.pointed.count);
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
