/* Repeats predictions with numbers of the description at the ends of their intervals. */
#include "sim/errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"

#define MOST_TOGETHER 5e7 /* most work for all errors at once */
#define WELL_KNOWN 0.01   /* numbers with smaller relative errors vary together */
#define POOR 0.1          /* numbers with at least this relative error are named, */
#define MATTERS 0.01      /* if they change the run time by at least this share */
#define MOST_CAUSES 5

/* The time that a variation adds to the run time (ps); 0 if the run cannot be predicted with it. */
static double effect(const struct repeat *repeat, const struct variation *variation)
{
    char *error;
    struct machine *machine = machine_read(repeat->description, variation, &error);
    if (!machine) {
        free(error);
        return 0;
    }
    double time = repeat_time(repeat, machine);
    machine_free(machine);
    return isnan(time) ? 0 : time - repeat->run_time;
}

/* Predicts both ends of a variation, and adds the squares of their effects to squares. */
static struct cause vary(const struct repeat *repeat, struct variation variation, double squares[2])
{
    struct cause cause = {0};
    for (int longer = 0; longer < 2; longer++) {
        variation.longer = longer;
        double added = effect(repeat, &variation);
        squares[added > 0] += added * added;
        cause.low = added < cause.low ? added : cause.low;
        cause.high = added > cause.high ? added : cause.high;
    }
    return cause;
}

static double size_of(const struct cause *cause)
{
    return cause->high > -cause->low ? cause->high : -cause->low;
}

static int compare(const void *a, const void *b)
{
    double x = size_of(a), y = size_of(b);
    return (x < y) - (x > y);
}

static void find_each(struct errors *errors, const struct repeat *repeat, double squares[2])
{
    const struct machine *machine = repeat->machine;
    errors->causes = memory_zeroed(machine->uncertain_count, sizeof *errors->causes);
    vary(repeat, (struct variation){.below = WELL_KNOWN, .only = SIZE_MAX}, squares);
    for (size_t i = 0; i < machine->uncertain_count; i++) {
        const struct uncertainty *number = &machine->uncertain[i];
        if (number->relative < WELL_KNOWN)
            continue;
        struct cause cause = vary(repeat, (struct variation){.only = i}, squares);
        cause.text = number->text;
        if (number->relative >= POOR)
            errors->causes[errors->count++] = cause;
    }
    if (errors->count)
        qsort(errors->causes, errors->count, sizeof *errors->causes, compare);
}

struct errors errors_find(const struct repeat *repeat, bool always)
{
    const struct machine *machine = repeat->machine;
    double squares[2] = {0, 0};
    struct errors errors = {
        .numbers = machine->uncertain_count, .low = repeat->run_time, .high = repeat->run_time};
    size_t each = 1;
    for (size_t i = 0; i < machine->uncertain_count; i++)
        each += machine->uncertain[i].relative >= WELL_KNOWN;
    if (machine->uncertain_count == 0)
        return errors;
    errors.how = always || 2 * (double)each * repeat->work <= REPEAT_WORK ? ERRORS_EACH
                 : 2 * repeat->work <= MOST_TOGETHER                      ? ERRORS_TOGETHER
                                                                          : ERRORS_LEFT_OUT;
    if (errors.how == ERRORS_EACH)
        find_each(&errors, repeat, squares);
    else if (errors.how == ERRORS_TOGETHER)
        vary(repeat, (struct variation){.below = INFINITY, .only = SIZE_MAX}, squares);
    errors.low = fmax(repeat->run_time - sqrt(squares[0]), 0);
    errors.high = repeat->run_time + sqrt(squares[1]);
    return errors;
}

void errors_free(struct errors *errors)
{
    free(errors->causes);
}

/* ---- Output ---- */

static double half(const struct errors *errors)
{
    return (errors->high - errors->low) / 2;
}

int errors_digits(const struct errors *errors, double run_time)
{
    double relative = run_time > 0 ? half(errors) / run_time : 0;
    return relative > 0.1 ? 2 : relative > 0.01 ? 3 : 4;
}

void errors_text(FILE *out, const struct errors *errors, double run_time, const char *machine)
{
    char low[32], high[32];
    if (errors->how == ERRORS_NONE)
        return;
    if (errors->how == ERRORS_LEFT_OUT) {
        fprintf(out, "%zu numbers of %s have errors; --errors finds out what they mean here\n",
                errors->numbers, machine);
        return;
    }
    int digits = errors_digits(errors, run_time) + 1;
    fprintf(out, "by the errors of %s: %s to %s s%s\n", machine,
            numbers_text(low, errors->low / PS_PER_SECOND, digits),
            numbers_text(high, errors->high / PS_PER_SECOND, digits),
            errors->how == ERRORS_TOGETHER
                ? ", if all of them are at an end of their intervals at once"
                : "");
    bool first = true;
    for (size_t i = 0; i < errors->count && i < MOST_CAUSES; i++) {
        const struct cause *cause = &errors->causes[i];
        if (size_of(cause) < MATTERS * run_time)
            break;
        fprintf(out, "%s  %s: %+.1f to %+.1f %%\n",
                first ? "not known well, and matters here:\n" : "", cause->text,
                100 * cause->low / run_time, 100 * cause->high / run_time);
        first = false;
    }
}

static void number(FILE *out, const char *name, double ps)
{
    fprintf(out, "\"%s\":", name);
    json_number(out, ps / PS_PER_SECOND);
}

void errors_json(FILE *out, const struct errors *errors)
{
    if (errors->how == ERRORS_NONE || errors->how == ERRORS_LEFT_OUT)
        return;
    fprintf(out, "\"errors\":{\"how\":\"%s\",", errors->how == ERRORS_EACH ? "each" : "together");
    number(out, "run_time_low", errors->low);
    fputc(',', out);
    number(out, "run_time_high", errors->high);
    fputs(",\"not_known_well\":[", out);
    for (size_t i = 0; i < errors->count; i++) {
        fputs(i ? ",{\"text\":" : "{\"text\":", out);
        json_string(out, errors->causes[i].text);
        fputc(',', out);
        number(out, "low", errors->causes[i].low);
        fputc(',', out);
        number(out, "high", errors->causes[i].high);
        fputc('}', out);
    }
    fputs("]},\n", out);
}
