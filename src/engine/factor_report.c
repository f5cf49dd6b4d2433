/*
 * Puts what an experiment has found into words, for the output. PE 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "engine/factors.h"
#include "engine/private.h"

/* From this ratio on it is told in times, below in percent. */
#define IN_TIMES 1.5

/* ---- Where it is slow ---- */

/* "16, 48 or 528": the slow levels, or all others. */
static char *names_of(const struct factor_row *row, bool slow)
{
    struct text text = {0};
    size_t left = 0;
    for (size_t l = 0; l < row->count; l++)
        left += row->slow[l] == slow;
    for (size_t l = 0; l < row->count; l++) {
        if (row->slow[l] != slow)
            continue;
        left--;
        const char *name = row->levels[l].name;
        text_append(&text, "%s%s", name + (*name == '+'), left > 1 ? ", " : left ? " or " : "");
    }
    return text_take(&text);
}

/* Few levels are fast: these are named. */
static bool mostly_slow(const struct factor_row *row)
{
    size_t slow = 0;
    for (size_t l = 0; l < row->count; l++)
        slow += row->slow[l];
    return 2 * slow > row->count;
}

/* The offsets that are slow: as all that leave one rest, or all others, or one by one. apart: that
 * of buffers by malloc(), or NaN. */
static char *offsets_of(const struct factor_row *row, double apart)
{
    int64_t offsets[FACTOR_LEVELS], rest, modulus;
    bool fast[FACTOR_LEVELS], relative = row->factor == FACTOR_RELATIVE;
    for (size_t l = 0; l < row->count; l++) {
        offsets[l] = row->levels[l].value;
        fast[l] = !row->slow[l];
    }
    const char *is = relative                       ? "target = source +"
                     : row->factor == FACTOR_SOURCE ? "the source begins at"
                                                    : "the target begins at";
    if (factorial_residue(offsets, row->slow, row->count, FACTOR_PAGE, &rest, &modulus)) {
        bool by_malloc = relative && !isnan(apart) && ((int64_t)apart & (modulus - 1)) == rest;
        return text_format("where %s %lld mod %lld%s", is, (long long)rest, (long long)modulus,
                           by_malloc ? " (malloc'ed pairs)" : "");
    }
    if (factorial_residue(offsets, fast, row->count, FACTOR_PAGE, &rest, &modulus))
        return text_format("except where %s %lld mod %lld", is, (long long)rest,
                           (long long)modulus);
    bool but = mostly_slow(row);
    char *names = names_of(row, !but);
    char *text = text_format("%swhere %s %s mod %d", but ? "except " : "", is, names, FACTOR_PAGE);
    free(names);
    return text;
}

/* "where target = source + 16 mod 32", "with cold buffers". */
static char *where(const struct factors *factors, const struct factor_row *row)
{
    if (row->factor <= FACTOR_TARGET)
        return offsets_of(row, factors->apart[row->point]);
    bool but = mostly_slow(row);
    char *names = names_of(row, !but);
    const char *form = row->factor == FACTOR_BEFORE      ? "%s"
                       : row->factor == FACTOR_PLACEMENT ? "with placement %s"
                       : row->factor == FACTOR_CACHE     ? "with %s caches"
                                                         : "with %s";
    struct text text = {0};
    const char *at = strstr(form, "%s");
    text_append(&text, "%s%.*s%s%s", but ? "except " : "", (int)(at - form), form, names, at + 2);
    free(names);
    return text_take(&text);
}

/* ---- Sentences ---- */

/* "64 KiB" */
static char *size_text(int64_t bytes)
{
    if (bytes > 0 && bytes % (1 << 20) == 0)
        return text_format("%lld MiB", (long long)(bytes >> 20));
    if (bytes > 0 && bytes % (1 << 10) == 0)
        return text_format("%lld KiB", (long long)(bytes >> 10));
    return text_format("%lld bytes", (long long)bytes);
}

/* The text for neighbouring points from first to last. */
static char *points_text(const struct factors *factors, size_t first, size_t last)
{
    const struct factor_point *a = &factors->points[first], *b = &factors->points[last];
    int64_t from = (int64_t)a->demand.reported, to = (int64_t)b->demand.reported;
    const char *name = "";
    for (size_t i = 1; i < factors->count; i++)
        if (factors->points[i].kept.request.function != factors->points[0].kept.request.function)
            name = a->kept.request.function->name;
    if (from == to && first != last)
        return text_format("%s to %s", a->kept.request.text, b->kept.request.text);
    if (from == 0)
        return memory_text(a->kept.request.text);
    char *low = size_text(from), *high = size_text(to);
    char *text = text_format("%s%s%s%s%s", name, *name ? ", " : "", low,
                             first == last ? "" : " to ", first == last ? "" : high);
    free(low);
    free(high);
    return text;
}

/* "2.6 times slower", "12 to 30 % slower" */
static char *slower_text(double least, double most)
{
    char low[32], high[32];
    bool times = least >= IN_TIMES;
    numbers_text(low, times ? least : 100 * (least - 1), times ? 3 : 2);
    numbers_text(high, times ? most : 100 * (most - 1), times ? 3 : 2);
    bool one = strcmp(low, high) == 0;
    return text_format("%s%s%s %s slower", low, one ? "" : " to ", one ? "" : high,
                       times ? "times" : "%");
}

/* Whether the next row says the same of the next point of the function. */
static bool continues(const struct factors *factors, const struct factor_row *row,
                      const struct factor_row *next, const char *words)
{
    const struct factor_point *a = &factors->points[row->point], *b = &factors->points[next->point];
    if (!next->named || next->factor != row->factor || next->point != row->point + 1 ||
        a->kept.request.function != b->kept.request.function ||
        a->kept.block.number != b->kept.block.number)
        return false;
    char *other = where(factors, next);
    bool same = strcmp(words, other) == 0;
    free(other);
    return same;
}

static void add_findings(const struct factors *factors, struct notes *findings)
{
    for (size_t i = 0; i < factors->row_count; i++) {
        const struct factor_row *row = &factors->rows[i], *last = row;
        double least = row->ratio.ratio, most = least;
        if (!row->named)
            continue;
        char *words = where(factors, row);
        while (i + 1 < factors->row_count &&
               continues(factors, last, &factors->rows[i + 1], words)) {
            last = &factors->rows[++i];
            least = fmin(least, last->ratio.ratio);
            most = fmax(most, last->ratio.ratio);
        }
        char *points = points_text(factors, row->point, last->point);
        char *slower = slower_text(least, most);
        notes_add(findings, text_format("%s: %s %s", points, slower, words));
        free(points);
        free(slower);
        free(words);
    }
}

static void add_together(const struct factors *factors, struct notes *findings)
{
    for (size_t i = 0; i < factors->together_count; i++) {
        const struct factor_row *row = &factors->together[i];
        if (!row->named)
            continue;
        char *points = points_text(factors, row->point, row->point), number[32];
        notes_add(findings, text_format("%s: %s and %s together take %s times as long as each by "
                                        "itself lets expect",
                                        points, factor_name(row->factor), factor_name(row->other),
                                        numbers_text(number, row->ratio.ratio, 3)));
        free(points);
    }
}

/* ---- Records ---- */

struct described_row {
    struct point_description description;
    char *factor, *names[FACTOR_LEVELS];
    struct result_level_effect effects[FACTOR_LEVELS];
};

static void describe_row(const struct engine *engine, const struct factor_row *row,
                         struct described_row *described, struct result_factor *result)
{
    const struct factor_point *point = &engine->factors->points[row->point];
    described->description = point_describe(&engine->options, &point->kept);
    described->description.point.bytes = (int64_t)point->demand.reported;
    described->factor =
        row->both ? text_format("%s and %s", factor_name(row->factor), factor_name(row->other))
                  : memory_text(factor_name(row->factor));
    for (size_t l = 0; l < row->count; l++) {
        described->names[l] = row->both ? text_format("%s; %s", row->levels[l & 1].name,
                                                      row->levels[2 + (l >> 1)].name)
                                        : memory_text(row->levels[l].name);
        described->effects[l] = (struct result_level_effect){described->names[l], row->effects[l]};
    }
    *result = (struct result_factor){.point = described->description.point,
                                     .factor = described->factor,
                                     .levels = described->effects,
                                     .level_count = row->count,
                                     .blocks = row->blocks,
                                     .p = row->p,
                                     .adjusted = row->adjusted,
                                     .named = row->named,
                                     .slowest = described->names[row->slowest],
                                     .fastest = described->names[row->fastest],
                                     .ratio = row->ratio.ratio,
                                     .low = row->ratio.low,
                                     .high = row->ratio.high};
}

static void release_row(struct described_row *described)
{
    described_release(&described->description);
    free(described->factor);
    for (size_t l = 0; l < FACTOR_LEVELS; l++)
        free(described->names[l]);
}

/* A reason that holds for a factor at all points is stated once. */
static size_t list_untried(const struct factors *factors, struct result_untried *listed)
{
    size_t n = 0;
    for (size_t i = 0; i < factors->untried_count; i++) {
        const struct factor_untried *untried = &factors->untried[i];
        size_t same = 0, before = 0;
        for (size_t k = 0; k < factors->untried_count; k++) {
            bool like = factors->untried[k].factor == untried->factor &&
                        strcmp(factors->untried[k].reason, untried->reason) == 0;
            same += like;
            before += like && k < i;
        }
        bool all = same == factors->count;
        if (all && before > 0)
            continue;
        listed[n++] = (struct result_untried){
            factor_name(untried->factor),
            all ? NULL : factors->points[untried->point].kept.request.text, untried->reason};
    }
    return n;
}

void factors_print(struct engine *engine)
{
    const struct factors *factors = engine->factors;
    if (!engine->output || engine->options.factors == 0)
        return;
    if (!factors || !factors->apart) {
        output_comment(engine->output, "factors: %s",
                       factors ? "the time limit had ended" : "nothing was measured");
        return;
    }
    size_t rows = factors->row_count + factors->together_count;
    struct described_row *described = memory_zeroed(rows + 1, sizeof *described);
    struct result_factor *results = memory_zeroed(rows + 1, sizeof *results);
    struct result_untried *untried = memory_zeroed(factors->untried_count + 1, sizeof *untried);
    struct notes findings = {0};
    for (size_t i = 0; i < rows; i++)
        describe_row(engine,
                     i < factors->row_count ? &factors->rows[i]
                                            : &factors->together[i - factors->row_count],
                     &described[i], &results[i]);
    add_findings(factors, &findings);
    add_together(factors, &findings);
    struct result_factors result = {.seed = engine->seed,
                                    .points = factors->count,
                                    .blocks = FACTOR_BLOCKS,
                                    .tests = rows,
                                    .seconds = factors->seconds,
                                    .alpha = FACTOR_ALPHA + FACTOR_ALPHA_TOGETHER,
                                    .confidence = FACTOR_CONFIDENCE,
                                    .rows = results,
                                    .row_count = rows,
                                    .findings = (const char *const *)findings.text,
                                    .finding_count = findings.count,
                                    .untried = untried,
                                    .untried_count = list_untried(factors, untried)};
    output_put(engine->output, &(struct record){.kind = RECORD_FACTORS, .factors = &result});
    for (size_t i = 0; i < rows; i++)
        release_row(&described[i]);
    notes_clear(&findings);
    free(untried);
    free(results);
    free(described);
}
