/* What skampi prints without measuring: help, manual page, completion, functions, timers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/manual.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "clock/timer.h"
#include "command/list.h"
#include "command/options.h"
#include "engine/functions.h"
#include "engine/measurement.h"
#include "output/output.h"
#include "ski/function_names.h"

#define STATUS_BAD 2

/* What help and manual page contain besides the options. */
static const char *const usages[] = {
    "oshrun -np N skampi FUNCTION... [NAME=VALUE]... [option]...",
    "oshrun -np N skampi -i SCRIPT [option]...",
    "skampi TOOL [argument]...; skampi help lists the tools",
};
static const char purpose[] =
    "Measures functions of OpenSHMEM and MPI, or runs the measurements of "
    "a script, on all PEs, and prints their times.";
static const char words[] =
    "FUNCTION is a measurement function (Shmem_Put_Round), a routine (MPI_Allreduce) or a pattern\n"
    "('Put*Full'); NAME=VALUE sets a parameter of all functions that have it (count=1kb,\n"
    "root=0,1, datatype=MPI_DOUBLE). --list shows functions, --describe their parameters.";
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
    printf("usage: %s\n       %s\n       %s\n%s\n\n%s\n\n", usages[0], usages[1], usages[2],
           purpose, words);
    manual_help(option_rows, OPTIONS);
    printf("\nA script without a path is searched for in the current directory, in inputs/ beside\n"
           "the program, and in %s.\n\nexit status:\n",
           options_inputs_directory());
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        printf("  %-8s  %s\n", statuses[i][0], statuses[i][1]);
}

/* One screen for a user who gives no arguments. */
static void print_start(void)
{
    fputs(
        "skampi measures OpenSHMEM and MPI. Type, for example:\n\n"
        "  oshrun -np 2 skampi Shmem_Put_Round                      one function\n"
        "  oshrun -np 2 skampi Shmem_Put_Round --sizes 8:1mb        at sizes from 8 bytes to 1 "
        "MiB\n"
        "  oshrun -np 8 skampi MPI_Allreduce --sizes 8:1kb --pes 2,4,8\n"
        "  oshrun -np 2 skampi 'Put*Full' count=1kb -o put.json     several functions, to a file\n"
        "  skampi table put.json                                    the file as a table\n\n"
        "What can be measured, and how:\n\n"
        "  skampi --list                             all functions, by family\n"
        "  skampi --list put                         those about puts\n"
        "  skampi --describe Shmem_Put_Round         what is timed; the parameters\n\n"
        "A script can do more; begin with that of a command line:\n\n"
        "  skampi Shmem_Put_Round --sizes 8:1mb --print-script > my.ski\n"
        "  oshrun -np 2 skampi -i my.ski\n"
        "  oshrun -np 2 skampi -i quickstart.ski     a first look at everything\n\n"
        "skampi -h lists all options, skampi help the tools for results. If you have no oshrun, "
        "use srun,\n"
        "mpirun, or the launcher of your site.\n",
        stdout);
}

static void print_man(void)
{
    manual_page("skampi", options_version(), "measures OpenSHMEM and MPI");
    manual_synopsis(usages[0], NULL);
    manual_synopsis(usages[1], NULL);
    manual_synopsis(usages[2], NULL);
    manual_section("DESCRIPTION");
    manual_text(purpose);
    manual_text(words);
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
    printf("%s(", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const char *quote = function->parameters[i].type == PARAMETER_STRING ? "\"" : "";
        printf("%s%s %s", i ? ", " : "",
               value_type_word(parameter_value_type(&function->parameters[i])),
               function->parameters[i].name);
        if (function->parameters[i].otherwise)
            printf(" = %s%s%s", quote, function->parameters[i].otherwise, quote);
    }
    printf(")");
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
    char *allowed = parameter_allowed(parameter);
    if (allowed)
        printf(", %s", allowed);
    free(allowed);
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
    print_signature(function);
    printf("\n%s\n", function->summary);
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        print_parameter(&function->parameters[i]);
    printf("value: %s\n", list_quantities[function->quantity]);
    printf("timed: %s\n", function->timed);
    if (function->routine)
        printf("routine: %s\n", function->routine);
    if (function->calls && *function->calls)
        printf("calls: %s\n", function->calls);
    printf("who: %s\n", function->who);
    struct rates_words moved = rates_words(function);
    printf("moved per operation: %s; messages: %s\n", moved.bytes, moved.messages);
    printf("bus bandwidth: %s%s\n", moved.bus,
           strcmp(moved.bus, "none") == 0 ? "" : " times the bandwidth (nccl-tests)");
    printf("subtracted: %s\n", function->subtracted ? function->subtracted : "nothing");
    printf("synchronization: %s\n", measurement_synchronized(function)
                                        ? "as the script chooses (window, barrier, none)"
                                        : "none");
    const char *data = measurement_data(function);
    if (function->run && data)
        printf("data: %s\n", data);
    printf("API: %s", list_apis[function->api]);
    if (function->version_major)
        printf(" %d.%d", function->version_major, function->version_minor);
    printf("\nPEs: at least %d\n", function->minimum_pes > 1 ? function->minimum_pes : 1);
    if (function->timing == TIMING_ONCE)
        printf("repetitions: 1, because it happens once per process\n");
    if (function->cost)
        printf("cost: %s\n", function->cost);
    const char *reason = measurement_unsupported(function);
    printf("supported: %s%s\n", reason ? "no: " : "yes", reason ? reason : "");
}

static int describe(const char *name, bool json)
{
    const struct measurement *function = function_meant(name), *other;
    size_t count = alias_find(name, &other, 1);
    bool itself = function;
    if (!function)
        count = alias_find_related(name, &function, 1);
    if (!function) {
        list_refuse("unknown measurement function", name);
        return STATUS_BAD;
    }
    if (json) {
        list_json(function);
        return 0;
    }
    if (count > 0)
        printf(itself ? "%s is measured by %s" : "%s is not measured alone, but has to do with %s",
               name, function->name);
    if (count > 1)
        printf(" and %zu other%s, which --list %s shows", count - 1, numbers_plural(count - 1),
               name);
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

static int inform(const struct options *options)
{
    bool json = options->format == OUTPUT_JSON;
    switch (options->information) {
    case INFORM_HELP:
        print_help();
        break;
    case INFORM_VERSION:
        printf("skampi %s\n", options_version());
        break;
    case INFORM_LIST:
        return list_functions(options->listed.of, options->listed.count, options->list_pairs,
                              json                ? LIST_JSON
                              : options->list_all ? LIST_ALL
                                                  : LIST_FOLDED)
                   ? 0
                   : STATUS_BAD;
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
    case INFORM_START:
        print_start();
        break;
    case INFORM_SCRIPT:
    case INFORM_NOTHING:
        break;
    }
    return 0;
}

int options_inform(const struct options *options)
{
    if (options->error) {
        options_print_error(options);
        return STATUS_BAD;
    }
    enum information what = options->information;
    bool help = what == INFORM_HELP || what == INFORM_START;
    bool table = what == INFORM_LIST || what == INFORM_DESCRIBE || what == INFORM_TIMERS;
    if (help || (table && options->format != OUTPUT_JSON))
        terminal_fold_begin(table);
    int status = inform(options);
    terminal_fold_end();
    return status;
}
