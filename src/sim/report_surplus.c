/* Prints classes of calls, with what they took in the trace. */
#include "sim/surplus.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

#define SHOWN 12 /* classes, for people */
#define DIGITS 3 /* of what calls took */

static double seconds(double ps)
{
    return ps / PS_PER_SECOND;
}

static const char *name_of(const struct run *run, const struct surplus_class *class)
{
    return class->kind == SURPLUS_FIRST ? "first calls" : run_routine(run, class->routine);
}

static uint64_t bytes_of(const struct surplus_class *class)
{
    return class->digits ? UINT64_C(1) << (class->digits - 1) : 0;
}

/* What matters most comes first. */
static int compare_rows(const void *a, const void *b)
{
    const struct surplus_row *x = *(const struct surplus_row *const *)a,
                             *y = *(const struct surplus_row *const *)b;
    return ORDER(fabs(y->surplus) * (double)y->calls, fabs(x->surplus) * (double)x->calls)
               ?: ORDER(x, y);
}

/* The classes in order; to be freed. */
static const struct surplus_row **sorted(const struct surplus *surplus)
{
    size_t count = surplus->classes.count;
    const struct surplus_row **rows = memory_zeroed(count, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = &surplus->rows[i];
    if (count)
        qsort(rows, count, sizeof *rows, compare_rows);
    return rows;
}

static const char *time_text(char *text, double ps)
{
    return numbers_time(text, seconds(ps), DIGITS);
}

/* "2.1 (1.8 to 2.6)" times what is described; nothing if that is no time. */
static void print_factor(FILE *out, const struct surplus_row *row)
{
    char texts[3][32];
    if (row->described <= 0) {
        fprintf(out, " %22s", "---");
        return;
    }
    char *text = text_format("%s (%s to %s)",
                             numbers_text(texts[0], row->took.median / row->described, DIGITS),
                             numbers_text(texts[1], row->took.low / row->described, DIGITS),
                             numbers_text(texts[2], row->took.high / row->described, DIGITS));
    fprintf(out, " %22s", text);
    free(text);
}

static void print_row(FILE *out, const struct run *run, const struct surplus_row *row)
{
    char took[40], described[40], added[40];
    fprintf(out, "%-28s %7s %8" PRIu64 " %9" PRIu64, name_of(run, &row->class),
            row->class.kind == SURPLUS_OPEN ? "waits"
            : row->class.between            ? "between"
                                            : "",
            bytes_of(&row->class), row->calls);
    fprintf(out, " %9s %9s", time_text(took, row->took.median),
            time_text(described, row->described));
    print_factor(out, row);
    fprintf(out, " %s%s\n", row->surplus > 0 ? "+" : "", time_text(added, row->surplus));
}

void report_surplus_text(FILE *out, const struct run *run, const struct surplus *surplus)
{
    size_t count = surplus->classes.count;
    const struct surplus_row **rows = sorted(surplus);
    char times[3][40];
    text_print(out,
               "\nthe trace took %s; replayed on %s %s, with what calls took beyond it %s:\n"
               "%-28s %7s %8s %9s %9s %9s %22s %s\n",
               time_text(times[0], (double)surplus->recorded), surplus->machine,
               time_text(times[1], (double)surplus->described),
               time_text(times[2], (double)surplus->adjusted), "calls", "", "bytes", "number",
               "took", "described", "factor (quartiles)", "added here");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        print_row(out, run, rows[i]);
    if (count > SHOWN)
        fprintf(out, "... %zu more; --json has all\n", count - SHOWN);
    free(rows);
}

static void json_row(FILE *out, const struct run *run, const struct surplus_row *row)
{
    static const char *const kinds[] = {"call", "waits", "first"};
    const struct surplus_class *class = &row->class;
    json_print(out, "\n{'routine':");
    if (class->kind == SURPLUS_FIRST)
        fputs("null", out);
    else
        json_string(out, run_routine(run, class->routine));
    json_print(out, ",'kind':%s,'between_nodes':", kinds[class->kind]);
    json_print(out, class->between ? "true" : "false");
    json_print(out,
               ",'bytes_from':%f,'calls':%f,'took':%f,'took_low_quartile':%f,"
               "'took_high_quartile':%f,'described':%f,'added':%f,'factor':%f}",
               (double)bytes_of(class), (double)row->calls, seconds(row->took.median),
               seconds(row->took.low), seconds(row->took.high), seconds(row->described),
               seconds(row->surplus), row->described > 0 ? row->took.median / row->described : NAN);
}

void report_surplus_json(FILE *out, const struct run *run, const struct surplus *surplus)
{
    size_t count = surplus->classes.count;
    const struct surplus_row **rows = sorted(surplus);
    json_print(out, "'traced_on':{'machine':%s,'recorded':%f,'described':%f,'adjusted':%f",
               surplus->machine, seconds((double)surplus->recorded),
               seconds((double)surplus->described), seconds((double)surplus->adjusted));
    json_print(out, ",'classes':[");
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        json_row(out, run, rows[i]);
    }
    fputs("]},\n", out);
    free(rows);
}
