/* What several formats write: members of records, and for people what times depend on. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/numbers.h"
#include "output/record.h"

#define RESULT(member) (int)offsetof(struct result, member)
#define STATISTICS(member) RESULT(statistics.member)
#define ROUNDS(member) (int)offsetof(struct result_rounds, member)

const struct member members[] = {
    {"round", MEMBER_COUNT, RESULT(round), -1},
    {"at", MEMBER_SECONDS, RESULT(at), -1},
    {"time", MEMBER_VALUE, STATISTICS(time), -1},
    {"standard_error", MEMBER_VALUE, STATISTICS(standard_error), -1},
    {"error", MEMBER_VALUE, STATISTICS(error), -1},
    {"time_low", MEMBER_VALUE, STATISTICS(time_low), -1},
    {"time_high", MEMBER_VALUE, STATISTICS(time_high), -1},
    {"time_confidence", MEMBER_NUMBER, STATISTICS(time_confidence), -1},
    {"kept", MEMBER_COUNT, STATISTICS(kept), -1},
    {"mean", MEMBER_VALUE, STATISTICS(mean), -1},
    {"deviation", MEMBER_VALUE, STATISTICS(deviation), -1},
    {"median", MEMBER_VALUE, STATISTICS(median), ROUNDS(found.median)},
    {"median_low", MEMBER_VALUE, STATISTICS(median_low), ROUNDS(found.low)},
    {"median_high", MEMBER_VALUE, STATISTICS(median_high), ROUNDS(found.high)},
    {"bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bandwidth), ROUNDS(rates.bandwidth)},
    {"bus_bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bus_bandwidth), ROUNDS(rates.bus_bandwidth)},
    {"rate", MEMBER_RATE, RESULT(rates.rate), ROUNDS(rates.rate)},
    {"confidence", MEMBER_NUMBER, STATISTICS(confidence), ROUNDS(found.confidence)},
    {"min", MEMBER_VALUE, STATISTICS(minimum), -1},
    {"max", MEMBER_VALUE, STATISTICS(maximum), -1},
    {"p5", MEMBER_VALUE, STATISTICS(p5), -1},
    {"p25", MEMBER_VALUE, STATISTICS(p25), -1},
    {"p75", MEMBER_VALUE, STATISTICS(p75), -1},
    {"p95", MEMBER_VALUE, STATISTICS(p95), -1},
    {"p99", MEMBER_VALUE, STATISTICS(p99), -1},
    {"p999", MEMBER_VALUE, STATISTICS(p999), -1},
    {"valid", MEMBER_COUNT, STATISTICS(valid), -1},
    {"invalid", MEMBER_COUNT, STATISTICS(invalid), -1},
    {"late", MEMBER_COUNT, STATISTICS(late), -1},
    {"overruns", MEMBER_COUNT, STATISTICS(overruns), -1},
    {"warm_up", MEMBER_COUNT, STATISTICS(warm_up), -1},
    {"autocorrelation", MEMBER_NUMBER, STATISTICS(autocorrelation), -1},
    {"effective", MEMBER_NUMBER, STATISTICS(effective), -1},
    {"iterations", MEMBER_INTEGER, STATISTICS(iterations), -1},
    {"synchronization", MEMBER_WORD, RESULT(point.synchronization), ROUNDS(point.synchronization)},
    {"window_rule", MEMBER_WORD, RESULT(point.window_rule), ROUNDS(point.window_rule)},
    {"window", MEMBER_SECONDS, STATISTICS(window), -1},
    {"run_time", MEMBER_WORD, RESULT(point.run_time), ROUNDS(point.run_time)},
    {"buffers", MEMBER_WORD, RESULT(buffers), -1},
    {"cache", MEMBER_WORD, RESULT(cache), -1},
    {"source_in_page", MEMBER_NUMBER, RESULT(source_in_page), -1},
    {"target_in_page", MEMBER_NUMBER, RESULT(target_in_page), -1},
    {"hand_over", MEMBER_SECONDS, STATISTICS(controls.hand_over), -1},
    {"hand_over_slowest", MEMBER_SECONDS, STATISTICS(controls.hand_over_slowest), -1},
    {"hand_over_shared", MEMBER_SECONDS, STATISTICS(controls.hand_over_shared), -1},
    {"addition", MEMBER_SECONDS, STATISTICS(controls.addition), -1},
    {"copy", MEMBER_SECONDS, STATISTICS(controls.copy), -1},
    {"repeated", MEMBER_COUNT, STATISTICS(repeated), -1},
    {"unit", MEMBER_NUMBER, RESULT(point.unit), ROUNDS(point.unit)},
    {"rounds", MEMBER_COUNT, -1, ROUNDS(found.count)},
    {"reached", MEMBER_NUMBER, -1, ROUNDS(found.reached)},
    {"next_low", MEMBER_VALUE, -1, ROUNDS(found.next_low)},
    {"next_high", MEMBER_VALUE, -1, ROUNDS(found.next_high)},
    {"between", MEMBER_NUMBER, -1, ROUNDS(found.between)},
    {"within", MEMBER_NUMBER, -1, ROUNDS(found.within)},
    {"launch_difference", MEMBER_NUMBER, -1, ROUNDS(launch_difference)},
};
const size_t member_count = sizeof members / sizeof *members;

const char *column_name(size_t index)
{
    return index < member_count ? members[index].name : NULL;
}

int column_find(const char *name)
{
    for (size_t i = 0; i < member_count; i++)
        if (strcmp(members[i].name, name) == 0 && members[i].type != MEMBER_WORD)
            return (int)i;
    return -1;
}

const void *member_of(const struct member *member, const struct result *result,
                      const struct result_rounds *rounds)
{
    int offset = result ? member->result : member->rounds;
    return offset < 0 ? NULL : (const char *)(result ? (const void *)result : rounds) + offset;
}

void member_write(FILE *text, const struct member *member, const void *place)
{
    const char *word = member->type == MEMBER_WORD ? *(const char *const *)place : NULL;
    if (member->type == MEMBER_COUNT)
        fprintf(text, "%zu", *(const size_t *)place);
    else if (member->type == MEMBER_INTEGER)
        fprintf(text, "%lld", (long long)*(const int64_t *)place);
    else if (member->type == MEMBER_WORD)
        json_string(text, word ? word : "");
    else
        json_number(text, *(const double *)place);
}

const char *output_missing_name(enum result_missing kind)
{
    static const char *const names[] = {[MISSING_FAILED] = "failed",
                                        [MISSING_UNSUPPORTED] = "unsupported",
                                        [MISSING_SKIPPED] = "skipped",
                                        [MISSING_TIME_LIMIT] = "time_limit",
                                        [MISSING_REFUSED] = "not_measurable",
                                        [MISSING_TOO_LARGE] = "too_large",
                                        [MISSING_STATE] = "state"};
    return names[kind];
}

size_t output_flag_names(unsigned flags, const char *names[RESULT_FLAGS])
{
    size_t count = 0;
    for (int flag = 0; flag < RESULT_FLAGS; flag++)
        if (flags & 1u << flag)
            names[count++] = result_flags[flag].name;
    return count;
}

/* ---- What times depend on: sentences first, then a row for each factor and point ---- */

#define NAME_WIDTH 10
#define RATIO_WIDTH 7
#define INTERVAL_WIDTH 15
#define BYTES_WIDTH 9

/* The largest effects first. */
static int by_ratio(const void *a, const void *b)
{
    const struct result_factor *x = *(const struct result_factor *const *)a;
    const struct result_factor *y = *(const struct result_factor *const *)b;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return (x > y) - (x < y);
}

static void put_row(FILE *text, const struct result_factor *row, const char *before)
{
    char ratio[32], low[32], high[32], interval[80];
    snprintf(interval, sizeof interval, "%s to %s", numbers_text(low, row->low, 3),
             numbers_text(high, row->high, 3));
    fprintf(text, "%s%-*s %*s %*s %*lld  %s | %s\n", before, NAME_WIDTH, row->factor, RATIO_WIDTH,
            numbers_text(ratio, row->ratio, 3), INTERVAL_WIDTH, interval, BYTES_WIDTH,
            (long long)row->point.bytes, row->slowest, row->fastest);
}

static void put_rows(FILE *text, const struct result_factors *factors, const char *before)
{
    const struct result_factor **order = calloc(factors->row_count + 1, sizeof *order);
    size_t n = 0;
    for (size_t i = 0; order && i < factors->row_count; i++)
        if (factors->rows[i].named)
            order[n++] = &factors->rows[i];
    if (n > 0) {
        qsort(order, n, sizeof *order, by_ratio);
        fprintf(text, "%s%-*s %*s %*s %*s  %s\n", before, NAME_WIDTH, "factor", RATIO_WIDTH,
                "ratio", INTERVAL_WIDTH, "interval", BYTES_WIDTH, "bytes", "slowest | fastest");
    }
    for (size_t i = 0; i < n; i++)
        put_row(text, order[i], before);
    free(order);
}

void output_factors_text(FILE *text, const struct result_factors *factors, const char *before)
{
    char seconds[32];
    fprintf(text,
            "%sfactors: %zu test%s of %zu point%s, %zu blocks in random order by seed %llu, %s s;\n"
            "%s         the chance that anything is named wrongly is at most %g %%\n",
            before, factors->tests, numbers_plural(factors->tests), factors->points,
            numbers_plural(factors->points), factors->blocks, (unsigned long long)factors->seed,
            numbers_text(seconds, factors->seconds, 2), before, 100 * factors->alpha);
    for (size_t i = 0; i < factors->finding_count; i++)
        fprintf(text, "%sfinding: %s\n", before, factors->findings[i]);
    if (factors->finding_count == 0)
        fprintf(text, "%sfinding: no factor makes a difference that can be told from chance\n",
                before);
    put_rows(text, factors, before);
    for (size_t i = 0; i < factors->untried_count; i++) {
        const struct result_untried *untried = &factors->untried[i];
        fprintf(text, "%snot tried: %s%s%s: %s\n", before, untried->factor,
                untried->call ? " of " : "", untried->call ? untried->call : "", untried->reason);
    }
}
