/* Sums up a replay, and prints that for people. */
#include "sim/report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "sim/errors.h"
#include "sim/report_surplus.h"
#include "sim/tolerance.h"

#define SHOWN_PES 32

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

struct report report_make(const struct replay *replay, const char *machine)
{
    struct report report = {.replay = replay, .machine = machine};
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
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    if (x->pe != y->pe)
        return x->pe < y->pe ? -1 : 1;
    return (x->routine > y->routine) - (x->routine < y->routine);
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
    return numbers_text(text, report_seconds(ps), REPORT_DIGITS);
}

void report_column(FILE *out, int width, double ps)
{
    char text[32];
    fprintf(out, " %*s", width, seconds(text, ps));
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
    const struct routine_sum *x = *(const struct routine_sum *const *)a,
                             *y = *(const struct routine_sum *const *)b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x > y) - (x < y);
}

/* Mean sizes inside nodes and between them, and the end of the text line. */
static void print_sizes(FILE *out, const uint64_t moves[2], const double bytes[2])
{
    for (int off = 0; off < 2; off++)
        if (moves[off])
            fprintf(out, " %12.1f", bytes[off] / (double)moves[off]);
        else
            fprintf(out, " %12s", "---");
    fputc('\n', out);
}

static void print_routines(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    size_t count = replay->run->names.count, used = 0;
    const struct routine_sum **sums = memory_zeroed(count, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        if (replay->sums[i].calls)
            sums[used++] = &replay->sums[i];
    if (used)
        qsort(sums, used, sizeof *sums, compare_sums);
    fprintf(out, "\n%-32s %12s %16s %16s %12s %12s\n", "routine", "calls", "time s", "waiting s",
            "bytes inside", "bytes between");
    for (size_t i = 0; i < used; i++) {
        fprintf(out, "%-32s %12" PRIu64,
                run_routine(replay->run, (uint16_t)(sums[i] - replay->sums)), sums[i]->calls);
        report_column(out, 16, sums[i]->time);
        report_column(out, 16, sums[i]->waiting);
        print_sizes(out, sums[i]->moves, sums[i]->bytes);
    }
    free(sums);
}

static void print_pes(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    int pes = replay->run->pes;
    if (replay->run->thread_count > pes)
        fprintf(out, "\n%d threads; times of a PE are sums over its threads",
                replay->run->thread_count);
    fprintf(out, "\n%8s %8s %16s %16s %16s %16s\n", "PE", "node", "compute s", "communication s",
            "of it waiting s", "end s");
    for (int i = 0; i < pes && i < SHOWN_PES; i++) {
        const struct pe_report pe = report_pe(replay, i);
        const int64_t times[] = {pe.compute, pe.communication, pe.waiting, pe.end};
        fprintf(out, "%8d %8" PRId32, i, replay->threads[i].node);
        for (size_t k = 0; k < 4; k++)
            report_column(out, 16, (double)times[k]);
        fputc('\n', out);
    }
    if (pes > SHOWN_PES)
        fprintf(out, "... %d more PEs; --json has all\n", pes - SHOWN_PES);
}

static void print_pe_routines(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    fprintf(out, "\n%8s %-32s %12s %16s %12s %12s\n", "PE", "routine", "calls", "time s",
            "bytes inside", "bytes between");
    for (int pe = 0; pe < replay->run->pes; pe++)
        for (size_t i = 0; i < replay->run->names.count; i++) {
            const struct pe_sum *sum = replay->pe_sums[i] ? &replay->pe_sums[i][pe] : NULL;
            if (!sum || !sum->calls)
                continue;
            fprintf(out, "%8d %-32s %12" PRIu64, pe, run_routine(replay->run, (uint16_t)i),
                    sum->calls);
            report_column(out, 16, (double)sum->time);
            print_sizes(out, sum->moves, sum->bytes);
        }
}

/* A part of the critical path: its name, time and share, and what is of further interest. */
static void print_part(FILE *out, const struct report *report, int64_t time)
{
    report_column(out, 16, (double)time);
    fprintf(out, " %8.1f %%", 100.0 * (double)time / (double)report->run_time);
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
    if (!report->profile) {
        fputs("--path finds out on which PEs and in which routines it is\n", out);
        return;
    }
    fprintf(out, "\n%-32s %16s %10s %8s\n", "critical path", "time s", "share", "most: PE");
    struct path_sum *sums;
    size_t count = report_path_sums(report, true, &sums);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%-32s", report_path_name(report, sums[i].routine));
        print_part(out, report, sums[i].time);
        fprintf(out, " %8" PRIu32 "\n", sums[i].pe);
    }
    free(sums);
    fprintf(out, "\n%-32s %16s %10s %s\n", "critical path", "time s", "share", "most: routine");
    count = report_path_sums(report, false, &sums);
    for (size_t i = 0; i < count && i < SHOWN_PES; i++) {
        fprintf(out, "PE %-29" PRIu32, sums[i].pe);
        print_part(out, report, sums[i].time);
        fprintf(out, " %s\n", report_path_name(report, sums[i].routine));
    }
    if (count > SHOWN_PES)
        fprintf(out, "... %zu more PEs; --json has all\n", count - SHOWN_PES);
    free(sums);
}

void report_text(FILE *out, const struct report *report)
{
    const struct replay *replay = report->replay;
    const struct streams *streams = &replay->streams;
    char time[32];
    text_print(out, "%s\n%d PEs on %s, model %s, contention %s\n\npredicted run time: ",
               replay->run->command, replay->run->pes, report->machine, replay->model->name,
               contention_names[replay->contention]);
    errors_run_time(out, report->errors, (double)report->run_time);
    fputc('\n', out);
    errors_text(out, report->errors, report->repeat);
    tolerance_text(out, report->tolerance);
    fprintf(out, "total communication time: %s s\n\n", seconds(time, report->communication.sum));
    fprintf(out, "%-14s %16s %16s %16s %9s %8s\n", "over PEs", "sum s", "mean s", "most s",
            "most/mean", "on PE");
    print_spread(out, "compute", &report->compute, replay->run->pes);
    print_spread(out, "communication", &report->communication, replay->run->pes);
    print_spread(out, "of it waiting", &report->waiting, replay->run->pes);
    print_routines(out, report);
    print_pes(out, report);
    if (replay->per_pe)
        print_pe_routines(out, report);
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
                replay->extrapolated, report->machine);
}
