/* Repeats predictions with numbers of the description at the ends of their intervals. */
#include "sim/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats.h"

#define MOST_TOGETHER 5e7 /* most work for all errors at once */
#define WELL_KNOWN 0.01   /* numbers with smaller relative errors vary together */
#define POOR 0.1          /* numbers with at least this relative error are named, */
#define MATTERS 0.01      /* if they change the run time by at least this share */
#define MOST_CAUSES 5
#define MEDIAN 1.2533 /* error of a median over that of a mean: sqrt(pi / 2) */
#define MOST_DIGITS 4

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

static void find_numbers(struct errors *errors, const struct repeat *repeat, bool always)
{
    const struct machine *machine = repeat->machine;
    double squares[2] = {0, 0};
    size_t each = 1;
    errors->numbers = machine->uncertain_count;
    for (size_t i = 0; i < errors->numbers; i++)
        each += machine->uncertain[i].relative >= WELL_KNOWN;
    errors->how = errors->numbers == 0                                       ? ERRORS_NONE
                  : always || 2 * (double)each * repeat->work <= REPEAT_WORK ? ERRORS_EACH
                  : 2 * repeat->work <= MOST_TOGETHER                        ? ERRORS_TOGETHER
                                                                             : ERRORS_LEFT_OUT;
    if (errors->how == ERRORS_EACH)
        find_each(errors, repeat, squares);
    else if (errors->how == ERRORS_TOGETHER)
        vary(repeat, (struct variation){.below = INFINITY, .only = SIZE_MAX}, squares);
    errors->shorter = sqrt(squares[0]);
    errors->longer = sqrt(squares[1]);
}

/* The error that the description states for the model. */
static double model_error(const struct repeat *repeat)
{
    const struct machine *machine = repeat->machine;
    for (size_t i = 0; i < machine->model_error_count; i++)
        if (strcmp(machine->model_errors[i].model, repeat->options.model->name) == 0)
            return machine->model_errors[i].share;
    return 0;
}

struct errors errors_find(const struct repeat *repeat, const struct several_traces *traces,
                          bool always)
{
    struct errors errors = {.traces = *traces, .model = model_error(repeat)};
    double now = repeat->run_time, model = errors.model * now;
    find_numbers(&errors, repeat, always);
    errors.low =
        fmax(now - hypot(hypot(errors.shorter, traces->half), model / (1 + errors.model)), 0);
    errors.high = now + hypot(hypot(errors.longer, traces->half), model);
    return errors;
}

void errors_free(struct errors *errors)
{
    free(errors->causes);
}

struct several_traces errors_sample(const double *times, size_t count)
{
    struct several_traces sample = {.count = count};
    double mean = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++)
        mean += times[i] / n;
    for (size_t i = 0; i < count; i++)
        squares += (times[i] - mean) * (times[i] - mean);
    if (count > 1)
        sample.half = stats_student_quantile(0.975, n - 1) * MEDIAN * sqrt(squares / (n - 1) / n);
    return sample;
}

/* ---- Output ---- */

void errors_run_time(FILE *out, const struct errors *errors, double run_time)
{
    char text[32];
    bool sure = errors->high > errors->low;
    int digits = sure ? numbers_digits(run_time, (errors->high - errors->low) / 2) : MOST_DIGITS;
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
        if (size_of(cause) < MATTERS * run_time)
            break;
        fprintf(out, "%s  %s: %+.1f to %+.1f %%\n",
                first ? "not known well, and matters here:\n" : "", cause->text,
                100 * cause->low / run_time, 100 * cause->high / run_time);
        first = false;
    }
}

void errors_text(FILE *out, const struct errors *errors, const struct repeat *repeat)
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

void errors_json(FILE *out, const struct errors *errors)
{
    if (errors->high > errors->low) {
        fputs("\"interval\":{", out);
        JSON_MEMBERS(out, {"low", errors->low / PS_PER_SECOND},
                     {"high", errors->high / PS_PER_SECOND},
                     {"traces", (double)errors->traces.count},
                     {"of_traces", errors->traces.half / PS_PER_SECOND},
                     {"of_model", errors->model ? errors->model : NAN});
        fputs("},\n", out);
    }
    if (errors->how != ERRORS_EACH && errors->how != ERRORS_TOGETHER)
        return;
    fprintf(out, "\"errors\":{\"how\":\"%s\",", errors->how == ERRORS_EACH ? "each" : "together");
    JSON_MEMBERS(out, {"shorter", errors->shorter / PS_PER_SECOND},
                 {"longer", errors->longer / PS_PER_SECOND});
    fputs(",\"not_known_well\":[", out);
    for (size_t i = 0; i < errors->count; i++) {
        fputs(i ? ",{\"text\":" : "{\"text\":", out);
        json_string(out, errors->causes[i].text);
        fputc(',', out);
        JSON_MEMBERS(out, {"low", errors->causes[i].low / PS_PER_SECOND},
                     {"high", errors->causes[i].high / PS_PER_SECOND});
        fputc('}', out);
    }
    fputs("]},\n", out);
}
