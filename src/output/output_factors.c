/*
 * What times depend on, for people: sentences first, then a row for each factor and point.
 */
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "output/record.h"

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

void factors_text(FILE *text, const struct result_factors *factors, const char *before)
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
