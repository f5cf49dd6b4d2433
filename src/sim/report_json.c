/* Prints what a replay has found as one JSON object; times are seconds. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/report.h"

void report_subject_json(FILE *out, const struct repeat *repeat)
{
    enum contention contention = repeat->options.contention;
    json_print(out, "'machine':%s,'model':%s,'contention':", repeat->description,
               repeat->options.model->name);
    json_print(out, contention ? "%s" : "false", contention_names[contention]);
    json_print(out, ",'pes':%d", repeat->run->pes);
}

/* The routines that all PEs call, or a PE (-1: all), an object each. */
static void routines(FILE *out, const struct replay *replay, int pe)
{
    const char *comma = "", *line = pe < 0 ? "\n" : "";
    json_print(out, pe < 0 ? ",\n'routines':[" : ",'routines':[");
    for (size_t i = 0; i < replay->run->names.count; i++) {
        const struct call_sum *sum = pe < 0               ? &replay->sums[i]
                                     : replay->pe_sums[i] ? &replay->pe_sums[i][pe]
                                                          : NULL;
        if (!sum || !sum->calls)
            continue;
        fprintf(out, "%s%s", comma, line);
        json_print(out, "{'name':%s,'calls':%f,'time':%f", run_routine(replay->run, (uint16_t)i),
                   (double)sum->calls, report_seconds(sum->time));
        if (pe < 0)
            json_print(out, ",'waiting':%f", report_seconds(sum->waiting));
        json_print(out,
                   ",'moves_inside':%f,'moves_between':%f,'mean_bytes_inside':%f,"
                   "'mean_bytes_between':%f}",
                   (double)sum->moves[0], (double)sum->moves[1], report_mean_bytes(sum, false),
                   report_mean_bytes(sum, true));
        comma = ",";
    }
    fputs("]", out);
}

static void per_pe(FILE *out, const struct replay *replay)
{
    json_print(out, ",\n'per_pe':[");
    for (int i = 0; i < replay->run->pes; i++) {
        const struct pe_report pe = report_pe(replay, i);
        fputs(i ? ",\n" : "\n", out);
        json_print(out,
                   "{'pe':%d,'node':%d,'threads':%d,'compute':%f,'communication':%f,"
                   "'waiting':%f,'end':%f",
                   i, replay->threads[i].node, run_threads(replay->run, i),
                   report_seconds(pe.compute), report_seconds(pe.communication),
                   report_seconds(pe.waiting), report_seconds(pe.end));
        if (replay->per_pe)
            routines(out, replay, i);
        fputc('}', out);
    }
    fputs("]", out);
}

static void imbalance(FILE *out, const struct report *report, const char *name,
                      const struct spread *spread)
{
    double mean = spread->sum / report->replay->run->pes, most = (double)spread->most;
    json_print(out, "%s:{'mean':%f,'most':%f,'pe':%u,'ratio':%f}", name, report_seconds(mean),
               report_seconds(most), spread->pe, mean > 0 ? most / mean : NAN);
}

/* Of a part of the critical path, after its PE and routine. */
static void part(FILE *out, const struct report *report, int64_t time)
{
    json_print(out, "'time':%f,'share':%f}", report_seconds(time),
               (double)time / (double)report->run_time);
}

static void profile(FILE *out, const struct report *report)
{
    for (int by_routine = 0; by_routine < 2; by_routine++) {
        struct path_sum *sums;
        size_t count = report_path_sums(report, by_routine, &sums);
        json_print(out, by_routine ? ",\n'by_routine':[" : ",\n'by_pe':[");
        for (size_t i = 0; i < count; i++) {
            fputs(i ? "," : "", out);
            if (by_routine)
                json_print(out, "{'name':%s,", report_path_name(report, sums[i].routine));
            else
                json_print(out, "{'pe':%u,", sums[i].pe);
            part(out, report, sums[i].time);
        }
        fputc(']', out);
        free(sums);
    }
    json_print(out, ",\n'parts':[");
    for (size_t i = 0; i < report->profile->count; i++) {
        const struct profile_part *one = &report->profile->parts[i];
        fputs(i ? "," : "", out);
        json_print(out, "{'pe':%u,'name':%s,", one->pe, report_path_name(report, one->routine));
        part(out, report, one->time);
    }
    fputc(']', out);
}

static void path(FILE *out, const struct report *report)
{
    const struct thread *last = &report->replay->threads[report->last];
    json_print(out, ",\n'critical_path':{'compute':%f,'communication':%f,'changes':%zu",
               report_seconds(last->path_compute),
               report_seconds((last->time - last->path_compute)), report->changes);
    if (report->profile)
        profile(out, report);
    fputc('}', out);
}

void report_errors_json(FILE *out, const struct errors *errors)
{
    if (errors->high > errors->low)
        json_print(
            out, "'interval':{'low':%f,'high':%f,'traces':%f,'of_traces':%f,'of_model':%f},\n",
            report_seconds(errors->low), report_seconds(errors->high), (double)errors->traces.count,
            report_seconds(errors->traces.half), errors->model ? errors->model : NAN);
    if (errors->how != ERRORS_EACH && errors->how != ERRORS_TOGETHER)
        return;
    json_print(out, "'errors':{'how':%s,'shorter':%f,'longer':%f,'not_known_well':[",
               errors->how == ERRORS_EACH ? "each" : "together", report_seconds(errors->shorter),
               report_seconds(errors->longer));
    for (size_t i = 0; i < errors->count; i++) {
        const struct cause *cause = &errors->causes[i];
        json_print(out, i ? ",{'text':%s,'low':%f,'high':%f}" : "{'text':%s,'low':%f,'high':%f}",
                   cause->text, report_seconds(cause->low), report_seconds(cause->high));
    }
    fputs("]},\n", out);
}

static void print_tolerance(FILE *out, const struct tolerance *tolerance)
{
    if (tolerance->slower <= 0)
        return;
    json_print(out,
               "'tolerance':{'messages':%s,'slower':%f,'more_latency':%f,'less_bandwidth':%f,"
               "'more_overhead':%f,'replays':%zu},\n",
               tolerance->between ? "between nodes" : "inside nodes", tolerance->slower,
               tolerance->latency, tolerance->bandwidth, tolerance->overhead, tolerance->replays);
}

void report_json(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    const struct streams *streams = &replay->streams;
    json_print(out, "{'command':%s,", replay->run->command);
    report_subject_json(out, report->repeat);
    json_print(out, ",\n'run_time':%f,\n", report_seconds(report->run_time));
    report_errors_json(out, report->errors);
    print_tolerance(out, report->tolerance);
    if (replay->surplus)
        report_surplus_json(out, replay->run, replay->surplus);
    json_print(out,
               "'compute':%f,'communication':%f,'waiting':%f,'tracer_taken_off':%f,'events':%f,"
               "'polling_loops':%f,'polls_left_out':%f,'waits_without_write':%f,"
               "'pairs_with_pointers':%zu",
               report_seconds(report->compute.sum), report_seconds(report->communication.sum),
               report_seconds(report->waiting.sum), report_seconds(streams->taken_off),
               (double)streams->events, (double)streams->loops, (double)streams->polls,
               (double)replay->waits.alone, streams->pointed.count);
    if (replay->machine->table_count)
        json_print(out, ",'calls_extrapolated':%f", (double)replay->extrapolated);
    json_print(out, ",\n'imbalance':{");
    imbalance(out, report, "compute", &report->compute);
    fputc(',', out);
    imbalance(out, report, "communication", &report->communication);
    fputc(',', out);
    imbalance(out, report, "waiting", &report->waiting);
    fputc('}', out);
    routines(out, replay, -1);
    per_pe(out, replay);
    path(out, report);
    fputs("}\n", out);
}
