/* What skampi prints without measuring: help, manual page, completion, functions, timers. */
#define _GNU_SOURCE /* FNM_CASEFOLD, strcasestr */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/manual.h"
#include "base/words.h"
#include "clock/timer.h"
#include "engine/alias.h"
#include "engine/measurement.h"
#include "list_json.h"
#include "options.h"
#include "output/output.h"
#include "ski/diag.h"

#define STATUS_BAD 2

/* What help and manual page contain besides the options. */
static const char usage[] = "oshrun -np N skampi -i SCRIPT [option]...";
static const char purpose[] =
    "Runs the measurements of a script on all PEs and prints their times.";
static const char *const statuses[][2] = {
    {"0", "everything was measured"},
    {"1", "internal error, failed write or failed assert"},
    {"2", "error in an option, the script, a file or the environment"},
    {"3", "finished, but a measurement failed, was left out or is unsupported"},
    {"4", "time limit reached"},
    {"5", "ended by the watchdog"},
    {"128 + n", "ended by signal n, or a PE crashed with it"},
};

static void print_help(void)
{
    printf("usage: %s\n%s\n\n", usage, purpose);
    manual_help(option_rows, OPTIONS);
    printf("\nA script without a path is searched for in the current directory, in inputs/ beside\n"
           "the program, and in %s.\n\nexit status:\n",
           options_inputs_directory());
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        printf("  %-8s  %s\n", statuses[i][0], statuses[i][1]);
}

static void print_man(void)
{
    manual_page("skampi", options_version(), "measures OpenSHMEM and MPI");
    manual_synopsis(usage, NULL);
    manual_section("DESCRIPTION");
    manual_text(purpose);
    manual_text(
        "The language of scripts is described in README.md beside the scripts that come "
        "with skampi.\nA script without a path is searched for in the current directory, in "
        "inputs/ beside the program, and in");
    manual_text(options_inputs_directory());
    manual_section("OPTIONS");
    manual_items(option_rows, OPTIONS);
    manual_section("EXIT STATUS");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        manual_item(statuses[i][0], statuses[i][1]);
}

static void print_signature(const struct measurement *function)
{
    static const char *const types[] = {"int",   "int",      "int", "double", "string",
                                        "int[]", "datatype", "op",  "info"};
    printf("%s(", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const char *quote = function->parameters[i].type == PARAMETER_STRING ? "\"" : "";
        printf("%s%s %s", i ? ", " : "", types[function->parameters[i].type],
               function->parameters[i].name);
        if (function->parameters[i].otherwise)
            printf(" = %s%s%s", quote, function->parameters[i].otherwise, quote);
    }
    printf(")");
}

/* How well a pattern fits, best first. FITS_SOMEWHERE counts only if nothing else fits. */
enum fit { FITS_WORD, FITS_BEGINNING, FITS_SUMMARY, FITS_SOMEWHERE, FITS_NOT };

/* Where a word begins: Shmem_Lock, IterationTimer, "a lock". */
static bool begins_word(const char *text, const char *at)
{
    return at == text || !isalnum((unsigned char)at[-1]) ||
           (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

/* FITS_WORD, FITS_BEGINNING or FITS_NOT. */
static enum fit fit_words(const char *text, const char *pattern)
{
    size_t length = strlen(pattern);
    enum fit fit = FITS_NOT;
    for (const char *at = text; *at; at++) {
        if (!begins_word(text, at) || strncasecmp(at, pattern, length) != 0)
            continue;
        if (!at[length] || begins_word(text, at + length) || !isalnum((unsigned char)at[length]))
            return FITS_WORD;
        fit = FITS_BEGINNING;
    }
    return fit;
}

static enum fit fit_of(const struct measurement *function, const char *pattern)
{
    if (!pattern || fnmatch(pattern, function->name, FNM_CASEFOLD) == 0)
        return FITS_WORD;
    enum fit fit = fit_words(function->name, pattern);
    if (fit != FITS_NOT)
        return fit;
    if (fit_words(function->summary, pattern) != FITS_NOT)
        return FITS_SUMMARY;
    return strcasestr(function->name, pattern) ? FITS_SOMEWHERE : FITS_NOT;
}

typedef void print_function(const struct measurement *);

static void print_entry(const struct measurement *function)
{
    print_signature(function);
    printf("\n    %s\n", function->summary);
    if (measurement_unsupported(function))
        printf("    unsupported: %s\n", measurement_unsupported(function));
}

/* Prints ": did you mean X?" for the name of a function; false when none is close. */
static bool suggest(const char *name)
{
    size_t count = 0;
    while (measurement_at(count))
        count++;
    const char **names = calloc(count + 1, sizeof *names), *closest = NULL;
    for (size_t i = 0; names && i < count; i++)
        names[i] = measurement_at(i)->name;
    if (names)
        closest = diag_closest(name, names, count);
    if (closest)
        fprintf(stderr, ": did you mean %s?", closest);
    free(names);
    return closest;
}

/* Lists the functions that measure a routine of a library; false: none does. */
static bool list_routine(const char *name, print_function *print)
{
    const struct measurement *functions[1024];
    size_t count = alias_find(name, functions, sizeof functions / sizeof *functions);
    for (size_t i = 0; i < count && i < sizeof functions / sizeof *functions; i++)
        print(functions[i]);
    return count > 0;
}

static int print_list(const char *pattern, print_function *print)
{
    const struct measurement *function;
    size_t found = 0;
    if (pattern && list_routine(pattern, print))
        return 0;
    for (enum fit fit = FITS_WORD; fit < FITS_NOT; fit++)
        for (size_t i = 0; !(fit == FITS_SOMEWHERE && found > 0) && (function = measurement_at(i));
             i++)
            if (fit_of(function, pattern) == fit) {
                found++;
                print(function);
            }
    if (found > 0)
        return 0;
    fprintf(stderr, "skampi: error: no measurement function matches %s", pattern);
    suggest(pattern);
    fprintf(stderr, "\n");
    return STATUS_BAD;
}

/* The limit of int itself is not worth a line. */
static void print_range(const struct parameter *parameter)
{
    if (parameter->type == PARAMETER_RANK)
        printf(", a rank of the communicator");
    else if (parameter->maximum && parameter->maximum < INT32_MAX)
        printf(", %lld to %lld", (long long)parameter->minimum, (long long)parameter->maximum);
    else if (parameter->type <= PARAMETER_ITERATIONS && (parameter->minimum || !parameter->allowed))
        printf(", at least %lld", (long long)parameter->minimum);
    if (parameter->allowed)
        printf(", %s", parameter->allowed);
}

static void print_parameter(const struct parameter *parameter)
{
    const char *quote = parameter->type == PARAMETER_STRING ? "\"" : "";
    printf("  %-12s %s%s%s%s", parameter->name, parameter->meaning, *parameter->unit ? " [" : "",
           parameter->unit, *parameter->unit ? "]" : "");
    print_range(parameter);
    if (parameter->example)
        printf("; for example %s%s%s", quote, parameter->example, quote);
    printf("\n");
}

static void print_description(const struct measurement *function)
{
    static const char *const apis[] = {"none", "OpenSHMEM", "MPI"};
    print_signature(function);
    printf("\n%s\n", function->summary);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        print_parameter(parameter);
    }
    static const char *const quantities[] = {"time", "bytes"};
    printf("value: %s\n", quantities[function->quantity]);
    printf("timed: %s\n", function->timed);
    printf("who: %s\n", function->who);
    printf("subtracted: %s\n", function->subtracted ? function->subtracted : "nothing");
    printf("synchronization: %s\n",
           function->synchronized ? "as the script chooses (window, barrier, none)" : "none");
    const char *data = measurement_data(function);
    if (function->run && data)
        printf("data: %s\n", data);
    printf("API: %s", apis[function->api]);
    if (function->version_major)
        printf(" %d.%d", function->version_major, function->version_minor);
    printf("\nPEs: at least %d\n", function->minimum_pes > 1 ? function->minimum_pes : 1);
    if (function->once)
        printf("repetitions: 1, because it happens once per process\n");
    if (function->cost)
        printf("cost: %s\n", function->cost);
    const char *reason = measurement_unsupported(function);
    printf("supported: %s%s\n", reason ? "no: " : "yes", reason ? reason : "");
}

static int describe(const char *name, bool json)
{
    const struct measurement *function = measurement_find(name);
    size_t count = function ? 0 : alias_find(name, &function, 1);
    if (!function) {
        fprintf(stderr, "skampi: error: unknown measurement function %s", name);
        fprintf(stderr, "%s --list shows them all\n", suggest(name) ? "" : ";");
        return STATUS_BAD;
    }
    if (json) {
        list_json(function);
        return 0;
    }
    if (count > 0)
        printf("%s is measured by %s", name, function->name);
    if (count > 1)
        printf(" and %zu other%s, which --list %s shows", count - 1, words_plural(count - 1), name);
    if (count > 0)
        printf("\n");
    print_description(function);
    return 0;
}

/* Whether the clock that calibrates the rates of timers is right itself. */
static void print_second_sources(void)
{
    struct timer_comparison all[TIMER_COMPARISONS];
    timer_compare(all);
    for (int i = 0; i < TIMER_COMPARISONS; i++) {
        const char *with, *name = timer_compared(i, &with);
        if (all[i].seconds <= 0)
            continue;
        printf("second source: %s against %s: off by %.2f ppm over %.2g s\n", name, with,
               all[i].off * 1e6, all[i].seconds);
        if (timer_disagrees(&all[i])) {
            char text[TIMER_WARNING];
            printf("warning: %s\n", timer_warning(text, i, &all[i]));
        }
    }
}

static int print_timers(void)
{
    printf("%-18s %12s %12s %14s  %s\n", "timer", "step [ns]", "cost [ns]", "off by [ppm]",
           "usable");
    for (size_t i = 0; i < timer_count(); i++) {
        struct timer *timer = timer_at(i);
        const char *reason = timer->unusable();
        if (!reason) {
            timer->ticks_per_second = timer_calibrate(timer);
            timer_characterize(timer);
            reason = timer->refused;
        }
        if (reason)
            printf("%-18s %12s %12s %14s  no: %s\n", timer->name, "---", "---", "---", reason);
        else
            printf("%-18s %12.1f %12.1f %14.2f  yes\n", timer->name, timer->resolution * 1e9,
                   timer->cost * 1e9, timer->disagreement * 1e6);
    }
    printf("off by: deviation from CLOCK_MONOTONIC over 100 ms. The kernel's clock source is %s.\n",
           timer_clock_source());
    print_second_sources();
    return 0;
}

int options_inform(const struct options *options)
{
    if (options->error) {
        options_print_error(options);
        return STATUS_BAD;
    }
    bool json = options->format == OUTPUT_JSON;
    switch (options->information) {
    case INFORM_HELP:
        print_help();
        break;
    case INFORM_VERSION:
        printf("skampi %s\n", options_version());
        break;
    case INFORM_LIST:
        return print_list(options->name, json ? list_json : print_entry);
    case INFORM_DESCRIBE:
        return describe(options->name, json);
    case INFORM_TIMERS:
        return print_timers();
    case INFORM_MAN:
        print_man();
        break;
    case INFORM_COMPLETION:
        manual_completion("skampi", option_rows, OPTIONS, NULL, 0);
        break;
    case INFORM_NOTHING:
        break;
    }
    return 0;
}
