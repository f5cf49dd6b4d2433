/* Sums up a replay, and prints that for people. */
#include "sim/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

#define SHOWN_PES 32
#define DIGITS 4 /* of times */
#define TOLERANCE_DIGITS 3
#define MOST_CAUSES 5
#define MATTERS 0.01 /* share of the run time that a cause changes if it is named */

/* ---- Summing up ---- */

struct pe_report report_pe(const struct replay *replay, int pe)
{
    struct pe_report sum = {0};
    for (int i = 0; i < run_threads(replay->run, pe); i++) {
        int number = run_thread(replay->run, pe, i);
        const struct thread *thread = &replay->threads[number];
        int64_t idle = replay->thread_extras ? replay->thread_extras[number].idle : 0;
        sum.compute += thread->compute;
        sum.communication += thread->time - idle - thread->compute;
        sum.waiting += thread->waiting;
        sum.end = thread->time > sum.end ? thread->time : sum.end;
    }
    return sum;
}

static void add_value(struct spread *spread, int pe, int64_t value)
{
    spread->sum += (double)value;
    if (value <= spread->most)
        return;
    spread->most = value;
    spread->pe = (uint32_t)pe;
}

struct report report_make(const struct replay *replay)
{
    struct report report = {.replay = replay};
    report.last = repeat_last(replay);
    report.run_time = replay->threads[report.last].time;
    for (int i = 0; i < replay->run->pes; i++) {
        const struct pe_report pe = report_pe(replay, i);
        add_value(&report.compute, i, pe.compute);
        add_value(&report.communication, i, pe.communication);
        add_value(&report.waiting, i, pe.waiting);
    }
    for (uint32_t hop = replay->threads[report.last].hop; hop; hop = replay->paths.hops[hop].parent)
        report.changes++;
    return report;
}

/* ---- The critical path ---- */

const char *report_path_name(const struct report *report, uint32_t routine)
{
    return routine == PROFILE_COMPUTING ? "computing"
                                        : run_routine(report->replay->run, (uint16_t)routine);
}

static int compare_path_sums(const void *a, const void *b)
{
    const struct path_sum *x = a, *y = b;
    return ORDER(y->time, x->time) ?: ORDER(x->pe, y->pe) ?: ORDER(x->routine, y->routine);
}

size_t report_path_sums(const struct report *report, bool by_routine, struct path_sum **sums)
{
    const struct profile *profile = report->profile;
    struct table keys = {0};
    *sums = memory_zeroed(profile->count, sizeof **sums);
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_part *part = &profile->parts[i];
        struct path_sum *sum = &(
            *sums)[table_number(&keys, by_routine ? &part->routine : &part->pe, sizeof(uint32_t))];
        sum->time += part->time;
        if (part->time <= sum->most)
            continue;
        sum->most = part->time;
        sum->pe = part->pe;
        sum->routine = part->routine;
    }
    size_t count = keys.count;
    table_free(&keys);
    if (count)
        qsort(*sums, count, sizeof **sums, compare_path_sums);
    return count;
}

/* ---- For people ---- */

static const char *seconds(char *text, double ps)
{
    return numbers_text(text, report_seconds(ps), DIGITS);
}

void report_column(FILE *out, int width, double ps)
{
    char text[32];
    fprintf(out, " %*s", width, seconds(text, ps));
}

double report_mean_bytes(const struct call_sum *sum, bool between)
{
    return sum->moves[between] ? sum->bytes[between] / (double)sum->moves[between] : NAN;
}

void report_subject(FILE *out, const struct repeat *repeat)
{
    text_print(out, "%s\n%d PEs on %s, model %s, contention %s\n\n", repeat->run->command,
               repeat->run->pes, repeat->description, repeat->options.model->name,
               contention_names[repeat->options.contention]);
}

static void print_spread(FILE *out, const char *name, const struct spread *spread, int pes)
{
    double mean = spread->sum / pes;
    const double times[] = {spread->sum, mean, (double)spread->most};
    fprintf(out, "%-14s", name);
    for (size_t i = 0; i < 3; i++)
        report_column(out, 16, times[i]);
    if (mean > 0)
        fprintf(out, " %9.3f %8" PRIu32 "\n", (double)spread->most / mean, spread->pe);
    else
        fprintf(out, " %9s %8s\n", "---", "---");
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
    fprintf(out, "%-32s %12" PRIu64, run_routine(replay->run, (uint16_t)routine), sum->calls);
    report_column(out, 16, sum->time);
    if (waiting)
        report_column(out, 16, sum->waiting);
    for (int between = 0; between < 2; between++)
        if (sum->moves[between])
            fprintf(out, " %12.1f", report_mean_bytes(sum, between));
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
    if (used)
        qsort(sums, used, sizeof *sums, compare_sums);
    fprintf(out, "\n%-32s %12s %16s %16s %12s %12s\n", "routine", "calls", "time s", "waiting s",
            "bytes inside", "bytes between");
    for (size_t i = 0; i < used; i++)
        print_routine(out, replay, sums[i], (size_t)(sums[i] - replay->sums), true);
    free(sums);
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
        report_column(out, 16, (double)pe.compute);
        report_column(out, 16, (double)pe.communication);
        report_column(out, 16, (double)pe.waiting);
        report_column(out, 16, (double)pe.end);
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

static void print_path(FILE *out, const struct report *report)
{
    const struct thread *last = &report->replay->threads[report->last];
    char compute[32], communication[32];
    fprintf(out,
            "\ncritical path: %s s of computing and %s s of communication, %zu change%s of PE\n",
            seconds(compute, (double)last->path_compute),
            seconds(communication, (double)(last->time - last->path_compute)), report->changes,
            numbers_plural(report->changes));
    if (!report->profile)
        fputs("--path finds out on which PEs and in which routines it is\n", out);
    for (int by_routine = 1; by_routine >= 0 && report->profile; by_routine--) {
        struct path_sum *sums;
        size_t count = report_path_sums(report, by_routine, &sums);
        fprintf(out, "\n%-32s %16s %10s %8s\n", "critical path", "time s", "share",
                by_routine ? "most: PE" : "most: routine");
        for (size_t i = 0; i < count && (by_routine || i < SHOWN_PES); i++) {
            const char *routine = report_path_name(report, sums[i].routine);
            if (by_routine)
                fprintf(out, "%-32s", routine);
            else
                fprintf(out, "PE %-29" PRIu32, sums[i].pe);
            report_column(out, 16, (double)sums[i].time);
            fprintf(out, " %8.1f %%", 100.0 * (double)sums[i].time / (double)report->run_time);
            if (by_routine)
                fprintf(out, " %8" PRIu32 "\n", sums[i].pe);
            else
                fprintf(out, " %s\n", routine);
        }
        print_more_pes(out, by_routine ? 0 : count);
        free(sums);
    }
}

/* ---- How sure it is, and what it tolerates ---- */

void report_run_time(FILE *out, const struct errors *errors, double run_time)
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

void report_errors(FILE *out, const struct errors *errors, const struct repeat *repeat)
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

/* ---- All of it ---- */

void report_text(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    const struct streams *streams = &replay->streams;
    char time[32];
    report_subject(out, report->repeat);
    fputs("predicted run time: ", out);
    report_run_time(out, report->errors, (double)report->run_time);
    fputc('\n', out);
    report_errors(out, report->errors, report->repeat);
    print_tolerance(out, report->tolerance);
    fprintf(out, "total communication time: %s s\n\n", seconds(time, report->communication.sum));
    fprintf(out, "%-14s %16s %16s %16s %9s %8s\n", "over PEs", "sum s", "mean s", "most s",
            "most/mean", "on PE");
    print_spread(out, "compute", &report->compute, replay->run->pes);
    print_spread(out, "communication", &report->communication, replay->run->pes);
    print_spread(out, "of it waiting", &report->waiting, replay->run->pes);
    print_routines(out, replay);
    print_pes(out, replay);
    if (replay->per_pe)
        print_pe_routines(out, replay);
    print_path(out, report);
    if (replay->surplus)
        report_surplus_text(out, replay->run, replay->surplus);
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
                replay->extrapolated, report->repeat->description);
}
