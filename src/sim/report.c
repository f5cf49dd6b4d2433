/* Sums up a replay, and prints that for people, and as one JSON object for programs, in which times
 * are seconds. */
#include "sim/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

#define SHOWN_PES 32
#define SHOWN_CLASSES 12
#define DIGITS 4 /* of times */
#define TOLERANCE_DIGITS 3
#define CLASS_DIGITS 3 /* of what calls of a class took */
#define MOST_CAUSES 5
#define MATTERS 0.01 /* share of the run time that a cause changes if it is named */

/* ---- Summing up ---- */

/* All threads of a PE. */
struct pe_report {
    int64_t parts[REPORT_PARTS], end; /* ps; end: of the last thread */
};

static struct pe_report report_pe(const struct replay *replay, int pe)
{
    struct pe_report sum = {0};
    for (int64_t number = pe; number >= 0; number = sim_run_next(replay->run, number)) {
        const struct thread *thread = &replay->threads[number];
        int64_t idle = replay->thread_extras ? replay->thread_extras[number].idle : 0;
        sum.parts[REPORT_COMPUTE] += thread->compute;
        sum.parts[REPORT_COMMUNICATION] += thread->time - idle - thread->compute;
        sum.parts[REPORT_WAITING] += thread->waiting;
        sum.end = later(sum.end, thread->time);
    }
    return sum;
}

struct report sim_report_make(const struct replay *replay)
{
    struct report report = {.replay = replay};
    report.last = repeat_last(replay);
    report.run_time = replay->threads[report.last].time;
    for (int pe = 0; pe < replay->run->pes; pe++) {
        const struct pe_report one = report_pe(replay, pe);
        for (size_t i = 0; i < REPORT_PARTS; i++) {
            struct spread *spread = &report.parts[i];
            spread->sum += (double)one.parts[i];
            if (one.parts[i] > spread->most)
                *spread = (struct spread){spread->sum, one.parts[i], (uint32_t)pe};
        }
    }
    for (uint32_t hop = replay->threads[report.last].hop; hop; hop = replay->paths.hops[hop].parent)
        report.changes++;
    return report;
}

/* ---- What is predicted ---- */

static const char *seconds(char *text, double ps)
{
    return numbers_text(text, sim_report_seconds(ps), DIGITS);
}

void sim_report_column(FILE *out, int width, double ps)
{
    char text[32];
    fprintf(out, " %*s", width, seconds(text, ps));
}

/* Of transfers inside nodes or between them; NaN: there are none. */
static double mean_bytes(const struct call_sum *sum, bool between)
{
    return sum->moves[between] ? sum->bytes[between] / (double)sum->moves[between] : NAN;
}

void sim_report_subject(FILE *out, const struct repeat *repeat)
{
    text_print(out, "%s\n%d PEs on %s, model %s, contention %s\n\n", repeat->run->command,
               repeat->run->pes, repeat->description, repeat->options.model->name,
               contention_names[repeat->options.contention]);
}

void sim_report_subject_json(FILE *out, const struct repeat *repeat)
{
    enum contention contention = repeat->options.contention;
    json_print(out, "'machine':%s,'model':%s,'contention':", repeat->description,
               repeat->options.model->name);
    json_print(out, contention ? "%s" : "false", contention_names[contention]);
    json_print(out, ",'pes':%d", repeat->run->pes);
}

/* ---- Routines and PEs ---- */

static void print_spreads(FILE *out, const struct report *report)
{
    static const char *const names[] = {"compute", "communication", "of it waiting"};
    fprintf(out, "%-14s %16s %16s %16s %9s %8s\n", "over PEs", "sum s", "mean s", "most s",
            "most/mean", "on PE");
    for (size_t i = 0; i < REPORT_PARTS; i++) {
        const struct spread *spread = &report->parts[i];
        double mean = spread->sum / report->replay->run->pes;
        fprintf(out, "%-14s", names[i]);
        sim_report_column(out, 16, spread->sum);
        sim_report_column(out, 16, mean);
        sim_report_column(out, 16, (double)spread->most);
        if (mean > 0)
            fprintf(out, " %9.3f %8" PRIu32 "\n", (double)spread->most / mean, spread->pe);
        else
            fprintf(out, " %9s %8s\n", "---", "---");
    }
}

static void json_imbalance(FILE *out, const struct report *report)
{
    static const char *const names[] = {"compute", "communication", "waiting"};
    json_print(out, ",\n'imbalance':{");
    for (size_t i = 0; i < REPORT_PARTS; i++) {
        double mean = report->parts[i].sum / report->replay->run->pes,
               most = (double)report->parts[i].most;
        fputs(i ? "," : "", out);
        json_print(out, "%s:{'mean':%f,'most':%f,'pe':%u,'ratio':%f}", names[i],
                   sim_report_seconds(mean), sim_report_seconds(most), report->parts[i].pe,
                   mean > 0 ? most / mean : NAN);
    }
    fputc('}', out);
}

static int compare_sums(const void *a, const void *b)
{
    const struct call_sum *x = *(const struct call_sum *const *)a,
                          *y = *(const struct call_sum *const *)b;
    return ORDER(y->time, x->time) ?: ORDER(x, y);
}

static void print_routine(FILE *out, const struct replay *replay, const struct call_sum *sum,
                          size_t routine, bool waiting)
{
    fprintf(out, "%-32s %12" PRIu64, sim_run_routine(replay->run, (uint16_t)routine), sum->calls);
    sim_report_column(out, 16, sum->time);
    if (waiting)
        sim_report_column(out, 16, sum->waiting);
    for (int between = 0; between < 2; between++)
        if (sum->moves[between])
            fprintf(out, " %12.1f", mean_bytes(sum, between));
        else
            fprintf(out, " %12s", "---");
    fputc('\n', out);
}

static void print_routines(FILE *out, const struct replay *replay)
{
    size_t count = replay->run->names.count, used = 0;
    const struct call_sum **sums = memory_zeroed(count, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        if (replay->sums[i].calls)
            sums[used++] = &replay->sums[i];
    SORT(sums, used, compare_sums);
    fprintf(out, "\n%-32s %12s %16s %16s %12s %12s\n", "routine", "calls", "time s", "waiting s",
            "bytes inside", "bytes between");
    for (size_t i = 0; i < used; i++)
        print_routine(out, replay, sums[i], (size_t)(sums[i] - replay->sums), true);
    free(sums);
}

/* The routines that all PEs call, or a PE (-1: all), an object each. */
static void json_routines(FILE *out, const struct replay *replay, int pe)
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
        json_print(out, "{'name':%s,'calls':%f,'time':%f",
                   sim_run_routine(replay->run, (uint16_t)i), (double)sum->calls,
                   sim_report_seconds(sum->time));
        if (pe < 0)
            json_print(out, ",'waiting':%f", sim_report_seconds(sum->waiting));
        json_print(out,
                   ",'moves_inside':%f,'moves_between':%f,'mean_bytes_inside':%f,"
                   "'mean_bytes_between':%f}",
                   (double)sum->moves[0], (double)sum->moves[1], mean_bytes(sum, false),
                   mean_bytes(sum, true));
        comma = ",";
    }
    fputs("]", out);
}

static void print_more_pes(FILE *out, size_t count)
{
    if (count > SHOWN_PES)
        fprintf(out, "... %zu more PEs; --json has all\n", count - SHOWN_PES);
}

static void print_pes(FILE *out, const struct replay *replay)
{
    int pes = replay->run->pes;
    if (replay->run->thread_count > pes)
        fprintf(out, "\n%d threads; times of a PE are sums over its threads",
                replay->run->thread_count);
    fprintf(out, "\n%8s %8s %16s %16s %16s %16s\n", "PE", "node", "compute s", "communication s",
            "of it waiting s", "end s");
    for (int i = 0; i < pes && i < SHOWN_PES; i++) {
        const struct pe_report pe = report_pe(replay, i);
        fprintf(out, "%8d %8d", i, replay->threads[i].node);
        for (size_t k = 0; k < REPORT_PARTS; k++)
            sim_report_column(out, 16, (double)pe.parts[k]);
        sim_report_column(out, 16, (double)pe.end);
        fputc('\n', out);
    }
    print_more_pes(out, (size_t)pes);
}

static void print_pe_routines(FILE *out, const struct replay *replay)
{
    fprintf(out, "\n%8s %-32s %12s %16s %12s %12s\n", "PE", "routine", "calls", "time s",
            "bytes inside", "bytes between");
    for (int pe = 0; pe < replay->run->pes; pe++)
        for (size_t i = 0; i < replay->run->names.count; i++) {
            if (!replay->pe_sums[i] || !replay->pe_sums[i][pe].calls)
                continue;
            fprintf(out, "%8d ", pe);
            print_routine(out, replay, &replay->pe_sums[i][pe], i, false);
        }
}

static void json_pes(FILE *out, const struct replay *replay)
{
    json_print(out, ",\n'per_pe':[");
    for (int i = 0; i < replay->run->pes; i++) {
        const struct pe_report pe = report_pe(replay, i);
        fputs(i ? ",\n" : "\n", out);
        json_print(out,
                   "{'pe':%d,'node':%d,'threads':%d,'compute':%f,'communication':%f,"
                   "'waiting':%f,'end':%f",
                   i, replay->threads[i].node, sim_run_threads(replay->run, i),
                   sim_report_seconds(pe.parts[REPORT_COMPUTE]),
                   sim_report_seconds(pe.parts[REPORT_COMMUNICATION]),
                   sim_report_seconds(pe.parts[REPORT_WAITING]), sim_report_seconds(pe.end));
        if (replay->options.per_pe)
            json_routines(out, replay, i);
        fputc('}', out);
    }
    fputs("]", out);
}

/* ---- The critical path ---- */

static const char *path_name(const struct report *report, uint32_t routine)
{
    return routine == PROFILE_COMPUTING ? "computing"
                                        : sim_run_routine(report->replay->run, (uint16_t)routine);
}

static int compare_parts(const void *a, const void *b)
{
    const struct profile_part *x = a, *y = b;
    return ORDER(y->time, x->time) ?: ORDER(x->pe, y->pe) ?: ORDER(x->routine, y->routine);
}

/* What the critical path has of each routine, or on each PE, the most first. To be freed; returns
 * how many. */
static size_t path_sums(const struct report *report, bool by_routine, struct profile_part **sums)
{
    const struct profile *profile = &report->profile;
    struct table keys = {0};
    *sums = memory_zeroed(profile->count, sizeof **sums);
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_part *part = &profile->parts[i];
        const uint32_t *key = by_routine ? &part->routine : &part->pe;
        struct profile_part *sum = &(*sums)[table_number(&keys, key, sizeof *key)];
        int64_t time = sum->time + part->time;
        if (part->time > sum->most)
            *sum = (struct profile_part){part->pe, part->routine, .most = part->time};
        sum->time = time;
    }
    size_t count = keys.count;
    table_free(&keys);
    SORT(*sums, count, compare_parts);
    return count;
}

static void print_path(FILE *out, const struct report *report)
{
    const struct thread *last = &report->replay->threads[report->last];
    char compute[32], communication[32];
    fprintf(out,
            "\ncritical path: %s s of computing and %s s of communication, %zu change%s of PE\n",
            seconds(compute, (double)last->path_compute),
            seconds(communication, (double)(last->time - last->path_compute)), report->changes,
            numbers_plural(report->changes));
    if (!report->profile.run)
        fputs("--path finds out on which PEs and in which routines it is\n", out);
    for (int by_routine = 1; by_routine >= 0 && report->profile.run; by_routine--) {
        struct profile_part *sums;
        size_t count = path_sums(report, by_routine, &sums);
        fprintf(out, "\n%-32s %16s %10s %8s\n", "critical path", "time s", "share",
                by_routine ? "most: PE" : "most: routine");
        for (size_t i = 0; i < count && (by_routine || i < SHOWN_PES); i++) {
            const char *routine = path_name(report, sums[i].routine);
            char pe[16];
            snprintf(pe, sizeof pe, "%" PRIu32, sums[i].pe);
            fprintf(out, by_routine ? "%-32s" : "PE %-29s", by_routine ? routine : pe);
            sim_report_column(out, 16, (double)sums[i].time);
            fprintf(out, by_routine ? " %8.1f %% %8s\n" : " %8.1f %% %s\n",
                    100.0 * (double)sums[i].time / (double)report->run_time,
                    by_routine ? pe : routine);
        }
        print_more_pes(out, by_routine ? 0 : count);
        free(sums);
    }
}

static void json_parts(FILE *out, const struct report *report, const char *name,
                       const struct profile_part *parts, size_t count, bool pe, bool routine)
{
    json_print(out, ",\n%s:[", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",{" : "{", out);
        if (pe)
            json_print(out, "'pe':%u,", parts[i].pe);
        if (routine)
            json_print(out, "'name':%s,", path_name(report, parts[i].routine));
        json_print(out, "'time':%f,'share':%f}", sim_report_seconds(parts[i].time),
                   (double)parts[i].time / (double)report->run_time);
    }
    fputc(']', out);
}

static void json_path(FILE *out, const struct report *report)
{
    const struct thread *last = &report->replay->threads[report->last];
    const struct profile *profile = &report->profile;
    json_print(out, ",\n'critical_path':{'compute':%f,'communication':%f,'changes':%zu",
               sim_report_seconds(last->path_compute),
               sim_report_seconds((last->time - last->path_compute)), report->changes);
    for (int by_routine = 0; by_routine < 2 && profile->run; by_routine++) {
        struct profile_part *sums;
        size_t count = path_sums(report, by_routine, &sums);
        json_parts(out, report, by_routine ? "by_routine" : "by_pe", sums, count, !by_routine,
                   by_routine);
        free(sums);
    }
    if (profile->run)
        json_parts(out, report, "parts", profile->parts, profile->count, true, true);
    fputc('}', out);
}

/* ---- How sure it is, and what it tolerates ---- */

void sim_report_run_time(FILE *out, const struct errors *errors, double run_time)
{
    char text[32];
    bool sure = errors->high > errors->low;
    int digits = sure ? numbers_digits(run_time, (errors->high - errors->low) / 2) : DIGITS;
    fprintf(out, "%s s", numbers_text(text, run_time / PS_PER_SECOND, digits));
    if (!sure)
        return;
    fprintf(out, ", 95 %%: %s", numbers_text(text, errors->low / PS_PER_SECOND, digits));
    fprintf(out, " to %s s", numbers_text(text, errors->high / PS_PER_SECOND, digits));
}

static void print_causes(FILE *out, const struct errors *errors, double run_time)
{
    bool first = true;
    for (size_t i = 0; i < errors->count && i < MOST_CAUSES; i++) {
        const struct cause *cause = &errors->causes[i];
        if (fmax(cause->high, -cause->low) < MATTERS * run_time)
            break;
        fprintf(out, "%s  %s: %+.1f to %+.1f %%\n",
                first ? "not known well, and matters here:\n" : "", cause->text,
                100 * cause->low / run_time, 100 * cause->high / run_time);
        first = false;
    }
}

void sim_report_errors(FILE *out, const struct errors *errors, const struct repeat *repeat)
{
    const double percent = 100 / repeat->run_time;
    const char *file = repeat->description, *model = repeat->options.model->name;
    bool varied = errors->how == ERRORS_EACH || errors->how == ERRORS_TOGETHER;
    if (errors->how == ERRORS_LEFT_OUT)
        fprintf(out, "%zu numbers of %s have errors; --errors finds out what they mean here\n",
                errors->numbers, file);
    if (!varied && !errors->model && errors->traces.count < 2) {
        fprintf(out, "no interval: %s states no errors\n", file);
        return;
    }
    fputs("of that, ", out);
    if (varied)
        fprintf(out, "by the errors of %s%s: -%.1f to +%.1f %%, ", file,
                errors->how == ERRORS_TOGETHER ? ", all at an end of their intervals at once" : "",
                percent * errors->shorter, percent * errors->longer);
    if (errors->traces.count > 1)
        fprintf(out, "by %zu traces: +- %.1f %%, ", errors->traces.count,
                percent * errors->traces.half);
    if (errors->model)
        fprintf(out, "by model %s: +- %.1f %%\n", model, 100 * errors->model);
    else
        fprintf(out, "by model %s: not stated\n", model);
    print_causes(out, errors, repeat->run_time);
}

void sim_report_errors_json(FILE *out, const struct errors *errors)
{
    if (errors->high > errors->low)
        json_print(out,
                   "'interval':{'low':%f,'high':%f,'traces':%f,'of_traces':%f,'of_model':%f},\n",
                   sim_report_seconds(errors->low), sim_report_seconds(errors->high),
                   (double)errors->traces.count, sim_report_seconds(errors->traces.half),
                   errors->model ? errors->model : NAN);
    if (errors->how != ERRORS_EACH && errors->how != ERRORS_TOGETHER)
        return;
    json_print(out, "'errors':{'how':%s,'shorter':%f,'longer':%f,'not_known_well':[",
               errors->how == ERRORS_EACH ? "each" : "together",
               sim_report_seconds(errors->shorter), sim_report_seconds(errors->longer));
    for (size_t i = 0; i < errors->count; i++) {
        const struct cause *cause = &errors->causes[i];
        json_print(out, i ? ",{'text':%s,'low':%f,'high':%f}" : "{'text':%s,'low':%f,'high':%f}",
                   cause->text, sim_report_seconds(cause->low), sim_report_seconds(cause->high));
    }
    fputs("]},\n", out);
}

static void print_tolerance(FILE *out, const struct tolerance *tolerance)
{
    char number[40];
    bool first = true;
    if (tolerance->slower <= 0)
        return;
    fprintf(out, "%s %% slower", numbers_text(number, 100 * tolerance->slower, TOLERANCE_DIGITS));
    const struct {
        double more;
        const char *text;
    } changes[] = {{tolerance->latency, "%s at %s more latency"},
                   {100 * tolerance->bandwidth, "%s at %s %% less bandwidth"},
                   {tolerance->overhead, "%s at %s more overhead"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (isnan(changes[i].more))
            continue;
        (i == 1 ? numbers_text : numbers_time)(number, changes[i].more, TOLERANCE_DIGITS);
        fprintf(out, changes[i].text, first ? "" : ", or", number);
        first = false;
    }
    fprintf(out, "%s of messages %s\n", first ? " by no latency, bandwidth or overhead" : "",
            tolerance->between ? "between nodes" : "inside nodes");
}

static void json_tolerance(FILE *out, const struct tolerance *tolerance)
{
    if (tolerance->slower <= 0)
        return;
    json_print(out,
               "'tolerance':{'messages':%s,'slower':%f,'more_latency':%f,'less_bandwidth':%f,"
               "'more_overhead':%f,'replays':%zu},\n",
               tolerance->between ? "between nodes" : "inside nodes", tolerance->slower,
               tolerance->latency, tolerance->bandwidth, tolerance->overhead, tolerance->replays);
}

/* ---- What calls took in the trace beyond a description ---- */

static uint64_t class_bytes(const struct surplus_class *class)
{
    return class->digits ? UINT64_C(1) << (class->digits - 1) : 0;
}

static const char *time_text(char *text, double ps)
{
    return numbers_time(text, sim_report_seconds(ps), CLASS_DIGITS);
}

static void print_class(FILE *out, const struct run *run, const struct surplus_row *row)
{
    const struct surplus_class *class = &row->class;
    char took[40], described[40], added[40], factors[3][32], *factor;
    if (row->described > 0)
        factor =
            text_format("%s (%s to %s)",
                        numbers_text(factors[0], row->took.median / row->described, CLASS_DIGITS),
                        numbers_text(factors[1], row->took.low / row->described, CLASS_DIGITS),
                        numbers_text(factors[2], row->took.high / row->described, CLASS_DIGITS));
    else
        factor = memory_text("---");
    fprintf(out, "%-28s %7s %8" PRIu64 " %9" PRIu64 " %9s %9s %22s %s%s\n",
            class->kind == SURPLUS_FIRST ? "first calls" : sim_run_routine(run, class->routine),
            class->kind == SURPLUS_OPEN ? "waits"
            : class->between            ? "between"
                                        : "",
            class_bytes(class), row->calls, time_text(took, row->took.median),
            time_text(described, row->described), factor, row->surplus > 0 ? "+" : "",
            time_text(added, row->surplus));
    free(factor);
}

static void print_surplus(FILE *out, const struct run *run, const struct surplus *surplus)
{
    size_t count = surplus->classes.count;
    char times[3][40];
    text_print(out,
               "\nthe trace took %s; replayed on %s %s, with what calls took beyond it %s:\n"
               "%-28s %7s %8s %9s %9s %9s %22s %s\n",
               time_text(times[0], (double)surplus->recorded), surplus->machine,
               time_text(times[1], (double)surplus->described),
               time_text(times[2], (double)surplus->adjusted), "calls", "", "bytes", "number",
               "took", "described", "factor (quartiles)", "added here");
    for (size_t i = 0; i < count && i < SHOWN_CLASSES; i++)
        print_class(out, run, &surplus->rows[i]);
    if (count > SHOWN_CLASSES)
        fprintf(out, "... %zu more; --json has all\n", count - SHOWN_CLASSES);
}

static void json_class(FILE *out, const struct run *run, const struct surplus_row *row)
{
    static const char *const kinds[] = {"call", "waits", "first"};
    const struct surplus_class *class = &row->class;
    json_print(out, "\n{'routine':");
    if (class->kind == SURPLUS_FIRST)
        fputs("null", out);
    else
        json_string(out, sim_run_routine(run, class->routine));
    json_print(out, ",'kind':%s,'between_nodes':", kinds[class->kind]);
    json_print(out, class->between ? "true" : "false");
    json_print(out,
               ",'bytes_from':%f,'calls':%f,'took':%f,'took_low_quartile':%f,"
               "'took_high_quartile':%f,'described':%f,'added':%f,'factor':%f}",
               (double)class_bytes(class), (double)row->calls, sim_report_seconds(row->took.median),
               sim_report_seconds(row->took.low), sim_report_seconds(row->took.high),
               sim_report_seconds(row->described), sim_report_seconds(row->surplus),
               row->described > 0 ? row->took.median / row->described : NAN);
}

static void json_surplus(FILE *out, const struct run *run, const struct surplus *surplus)
{
    size_t count = surplus->classes.count;
    json_print(out, "'traced_on':{'machine':%s,'recorded':%f,'described':%f,'adjusted':%f",
               surplus->machine, sim_report_seconds((double)surplus->recorded),
               sim_report_seconds((double)surplus->described),
               sim_report_seconds((double)surplus->adjusted));
    json_print(out, ",'classes':[");
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        json_class(out, run, &surplus->rows[i]);
    }
    fputs("]},\n", out);
}

/* ---- All of it ---- */

void sim_report_text(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    const struct streams *streams = &replay->streams;
    char time[32];
    sim_report_subject(out, &report->repeat);
    fputs("predicted run time: ", out);
    sim_report_run_time(out, &report->errors, (double)report->run_time);
    fputc('\n', out);
    sim_report_errors(out, &report->errors, &report->repeat);
    print_tolerance(out, &report->tolerance);
    fprintf(out, "total communication time: %s s\n\n",
            seconds(time, report->parts[REPORT_COMMUNICATION].sum));
    print_spreads(out, report);
    print_routines(out, replay);
    print_pes(out, replay);
    if (replay->options.per_pe)
        print_pe_routines(out, replay);
    print_path(out, report);
    if (replay->options.surplus)
        print_surplus(out, replay->run, replay->options.surplus);
    fprintf(out, "\n%" PRIu64 " events", streams->events);
    if (streams->taken_off > 0)
        fprintf(out, "; the tracer's own %s s were taken off computing",
                seconds(time, (double)streams->taken_off));
    if (streams->loops)
        fprintf(out, "; %" PRIu64 " polling loops became waits, %" PRIu64 " calls were left out",
                streams->loops, streams->polls);
    if (replay->waits.alone)
        fprintf(out, "; %" PRIu64 " waits that no remote write of the trace ended took no time",
                replay->waits.alone);
    fputc('\n', out);
    if (streams->pointed.count)
        fprintf(out,
                "%zu pair%s of PEs have pointers to memory (shmem_ptr): what moved through them is "
                "missing\n",
                streams->pointed.count, numbers_plural(streams->pointed.count));
    if (replay->extrapolated)
        fprintf(out,
                "%" PRIu64 " collective calls cost what follows from other numbers of PEs: the "
                "tables of %s do not go so far\n",
                replay->extrapolated, report->repeat.description);
}

void sim_report_json(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    const struct streams *streams = &replay->streams;
    json_print(out, "{'command':%s,", replay->run->command);
    sim_report_subject_json(out, &report->repeat);
    json_print(out, ",\n'run_time':%f,\n", sim_report_seconds(report->run_time));
    sim_report_errors_json(out, &report->errors);
    json_tolerance(out, &report->tolerance);
    if (replay->options.surplus)
        json_surplus(out, replay->run, replay->options.surplus);
    json_print(out,
               "'compute':%f,'communication':%f,'waiting':%f,'tracer_taken_off':%f,'events':%f,"
               "'polling_loops':%f,'polls_left_out':%f,'waits_without_write':%f,"
               "'pairs_with_pointers':%zu",
               sim_report_seconds(report->parts[REPORT_COMPUTE].sum),
               sim_report_seconds(report->parts[REPORT_COMMUNICATION].sum),
               sim_report_seconds(report->parts[REPORT_WAITING].sum),
               sim_report_seconds(streams->taken_off), (double)streams->events,
               (double)streams->loops, (double)streams->polls, (double)replay->waits.alone,
               streams->pointed.count);
    if (replay->machine->table_count)
        json_print(out, ",'calls_extrapolated':%f", (double)replay->extrapolated);
    json_imbalance(out, report);
    json_routines(out, replay, -1);
    json_pes(out, replay);
    json_path(out, report);
    fputs("}\n", out);
}
