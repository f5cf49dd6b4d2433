/* Flags and controls of results: their names, meanings and limits; and the text that identifies a
 * point. */
#include "output/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

/* An interval that is wider than this share of the value makes a result imprecise. */
#define WIDEST_INTERVAL 0.5

/* The one table of flags: mk/docs writes scripts/flags.json, which the tools read, and
 * docs/results.md from it. */
const struct result_flag_row result_flags[RESULT_FLAGS] = {
    [RESULT_LEVEL_SHIFT] = {"level_shift",
                            "the time changed its level while it was measured, so one number does "
                            "not describe it",
                            "measure with --rounds, or see each level with set_levels(1)",
                            FLAG_COVERED},
    [RESULT_AUTOCORRELATED] = {"autocorrelated",
                               "neighbouring repetitions are alike; the median's interval allows "
                               "for that, the standard error does not",
                               "use the median and its interval", FLAG_FINE},
    [RESULT_LEVELS] = {"levels",
                       "the result is that of the level that took most of the time (set_levels)",
                       "read the other levels in its levels", FLAG_FINE},
    [RESULT_NOT_CONVERGED] = {"not_converged",
                              "the precision asked for was not reached within the limit of "
                              "repetitions or time",
                              "look at the interval, give more time (--point-time; in scripts "
                              "set_max_repetitions), or measure on a quiet machine",
                              FLAG_COVERED},
    [RESULT_TIME_BUDGET] = {"time_budget",
                            "time ran out (set_max_time, set_precision or --time-limit)",
                            "look at the interval; if it is too wide, give more time", FLAG_FINE},
    [RESULT_BELOW_RESOLUTION] =
        {"below_resolution",
         "the timed region, or what is subtracted from it, is too short for "
         "the timer",
         "choose a finer timer (--timers); if the function has iterations, time more "
         "operations together",
         FLAG_DOUBTFUL},
    [RESULT_NEGATIVE] = {"negative", "below zero after costs were subtracted",
                         "read it as too small to tell from 0; if it is clearly below zero, the "
                         "note gives a bound",
                         FLAG_DOUBTFUL},
    [RESULT_CLOCKS_MOVED] = {"clocks_moved",
                             "PEs did not start together, since their clocks moved against each "
                             "other",
                             "measure with --rounds, or choose another --clock-sync",
                             FLAG_DOUBTFUL},
    [RESULT_FEW_VALID] = {"few_valid", "more repetitions were invalid than valid",
                          "stop other programs on the nodes, and bind PEs", FLAG_DOUBTFUL},
    [RESULT_SLOW_LEFT_OUT] = {"slow_left_out",
                              "repetitions longer than their window are missing, so the result is "
                              "too fast",
                              "count them with set_levels(1), or start by a barrier",
                              FLAG_DOUBTFUL},
    [RESULT_WARM_UP] = {"warm_up", "the first repetitions were slower, and are left out",
                        "nothing; if the machine changes its speed, measure with --rounds",
                        FLAG_FINE},
    [RESULT_UNSTABLE] = {"unstable",
                         "rounds differ by more than the samples inside them explain: the machine "
                         "changes over time",
                         "read the values by state and the prediction interval, or measure on a "
                         "quiet machine",
                         FLAG_DOUBTFUL},
    [RESULT_STATE_CHANGED] =
        {"state_changed",
         "the machine changed its state (its speed) while it was measured, and "
         "again at each further attempt",
         "measure with --rounds, and read the values by state", FLAG_COVERED},
    [RESULT_IMPRECISE] =
        {"imprecise", "its interval is not known, or wider than half of its value",
         "measure longer: more repetitions (set_min_repetitions), more rounds, or, "
         "if the function has iterations, more operations together",
         FLAG_COVERED},
};

bool result_is_doubtful(unsigned set)
{
    bool doubtful = false;
    for (int flag = 0; flag < RESULT_FLAGS; flag++)
        doubtful |= set & 1u << flag && result_flags[flag].doubt != FLAG_FINE;
    return doubtful;
}

bool result_is_imprecise(double value, double low, double high)
{
    return !(high - low <= WIDEST_INTERVAL * fabs(value));
}

const struct result_control_kind result_control_kinds[STATES_KINDS] = {
    [STATES_HAND_OVER] = {"hand_over", "hand-over", offsetof(struct result_controls, hand_over)},
    [STATES_ADDITION] = {"addition", "addition", offsetof(struct result_controls, addition)}};

struct states_values result_control_values(const struct result_controls *seen)
{
    struct states_values values;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        values.of[kind] = *(const double *)((const char *)seen + result_control_kinds[kind].offset);
    return values;
}

bool result_states_differ(const struct result_rounds *rounds)
{
    const struct result_state_rounds *states = rounds->states;
    for (size_t i = 0; i < rounds->state_count; i++)
        for (size_t k = 0; k < rounds->state_count; k++)
            if (states[i].found.high < states[k].found.low)
                return true;
    return false;
}

/* ---- The text that identifies a point ---- */

bool variable_hidden(const struct result_point *point, size_t index)
{
    for (size_t later = index + 1; later < point->variable_count; later++)
        if (strcmp(point->variables[later].name, point->variables[index].name) == 0)
            return true;
    return false;
}

/* Block and variables. Numbers are written by their value, so that the engine and readers of files
 * make one text of them. */
static void put_head(FILE *text, const struct result_point *point)
{
    json_string(text, point->block ? point->block : "");
    for (size_t i = 0; i < point->variable_count; i++) {
        const struct result_variable *variable = &point->variables[i];
        if (variable_hidden(point, i))
            continue;
        fprintf(text, " %s=", variable->name);
        if (json_is_number(variable->value))
            json_number(text, strtod(variable->value, NULL) + 0.0); /* no -0 */
        else
            json_string(text, variable->value);
    }
    fputs(": ", text);
}

char *output_point_start(const struct result_point *point)
{
    static const char *const starts[][2] = {
        {"window", "window start"}, {"barrier", "barrier start"}, {"none", "no synchronization"}};
    const char *rule = point->window_rule, *start = "";
    for (size_t i = 0; point->synchronization && i < sizeof starts / sizeof *starts; i++)
        if (strcmp(point->synchronization, starts[i][0]) == 0)
            start = starts[i][1];
    if (!rule || !*rule || strcmp(rule, "classic") == 0)
        return memory_text(start);
    return text_format("%s (%s)", start, rule);
}

/* Appends the part of the text after block and variables. */
static void put_stated(FILE *text, const struct result_point *point)
{
    char *start = output_point_start(point);
    fprintf(text, "%s; %zu PE%s", point->text, point->pes, numbers_plural(point->pes));
    if (point->members && *point->members)
        fprintf(text, " %s", point->members);
    if (point->placement && *point->placement)
        fprintf(text, " %s", point->placement);
    if (*start)
        fprintf(text, "; %s", start);
    if (point->run_time && strcmp(point->run_time, "global") == 0)
        fputs("; global run time", text);
    for (size_t i = 0; i < point->setting_count; i++)
        fprintf(text, "; %s", point->settings[i]);
    if (point->number > 1)
        fprintf(text, "; no. %zu", point->number);
    free(start);
}

char *output_point_text(const struct result_point *point)
{
    char *name;
    size_t size;
    FILE *text = memory_stream(&name, &size);
    put_head(text, point);
    put_stated(text, point);
    if (fclose(text) != 0)
        memory_missing();
    return name;
}
