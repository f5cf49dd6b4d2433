/* Repeats predictions with numbers of the description at the ends of their intervals. */
#include "sim/errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "sim/state.h"

#define MOST_EACH                                                                                  \
    1e7 /* most events to replay for errors of each number by itself: some seconds                 \
         */
#define MOST_TOGETHER 5e7 /* most events to replay for all errors at once */
#define EVENTS_OF_PE 1000 /* opening a PE's file takes as long as replaying this many events */
#define WELL_KNOWN 0.01   /* numbers with smaller relative errors vary together */
#define POOR 0.1          /* numbers with at least this relative error are named, */
#define MATTERS 0.01      /* if they change the run time by at least this share */
#define MOST_CAUSES 5

struct study {
    const char *path;
    struct run *run;
    struct replay_options options;
    double run_time;
};

/* The time that a variation adds to the run time (ps); 0 if the run cannot be predicted with it. */
static double effect(const struct study *study, const struct variation *variation)
{
    char *error;
    double added = 0;
    struct machine *machine = machine_read(study->path, variation, &error);
    if (!machine) {
        free(error);
        return 0;
    }
    struct replay replay;
    if (replay_run(&replay, study->run, machine, &study->options)) {
        int64_t last = 0;
        for (int i = 0; i < study->run->thread_count; i++)
            last = replay.threads[i].time > last ? replay.threads[i].time : last;
        added = (double)last - study->run_time;
    }
    replay_close(&replay);
    machine_free(machine);
    return added;
}

/* Predicts both ends of a variation, and adds the squares of their effects to squares. */
static struct cause vary(const struct study *study, struct variation variation, double squares[2])
{
    struct cause cause = {0};
    for (int longer = 0; longer < 2; longer++) {
        variation.longer = longer;
        double added = effect(study, &variation);
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

static void find_each(struct errors *errors, const struct study *study,
                      const struct machine *machine, double squares[2])
{
    errors->causes = memory_zeroed(machine->uncertain_count, sizeof *errors->causes);
    vary(study, (struct variation){.below = WELL_KNOWN, .only = SIZE_MAX}, squares);
    for (size_t i = 0; i < machine->uncertain_count; i++) {
        const struct uncertainty *number = &machine->uncertain[i];
        if (number->relative < WELL_KNOWN)
            continue;
        struct cause cause = vary(study, (struct variation){.only = i}, squares);
        cause.text = number->text;
        if (number->relative >= POOR)
            errors->causes[errors->count++] = cause;
    }
    if (errors->count)
        qsort(errors->causes, errors->count, sizeof *errors->causes, compare);
}

struct errors errors_find(const char *path, const struct machine *machine, struct run *run,
                          const struct replay_options *options, double run_time, uint64_t events,
                          bool always)
{
    struct errors errors = {.numbers = machine->uncertain_count, .low = run_time, .high = run_time};
    struct study study = {path, run, *options, run_time};
    double work = (double)events + EVENTS_OF_PE * (double)run->pes, squares[2] = {0, 0};
    size_t each = 1;
    study.options.simulated = NULL;
    study.options.per_pe = false;
    for (size_t i = 0; i < machine->uncertain_count; i++)
        each += machine->uncertain[i].relative >= WELL_KNOWN;
    if (machine->uncertain_count == 0)
        return errors;
    errors.how = always || 2 * (double)each * work <= MOST_EACH ? ERRORS_EACH
                 : 2 * work <= MOST_TOGETHER                    ? ERRORS_TOGETHER
                                                                : ERRORS_LEFT_OUT;
    if (errors.how == ERRORS_EACH)
        find_each(&errors, &study, machine, squares);
    else if (errors.how == ERRORS_TOGETHER)
        vary(&study, (struct variation){.below = INFINITY, .only = SIZE_MAX}, squares);
    errors.low = run_time - sqrt(squares[0]);
    errors.high = run_time + sqrt(squares[1]);
    if (errors.low < 0)
        errors.low = 0;
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
