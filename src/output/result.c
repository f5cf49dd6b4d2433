/* Names of what a result has. */
#include "output/result.h"

const char *result_flag_name(enum result_flag flag)
{
    static const char *const names[RESULT_FLAGS] = {
        [RESULT_LEVEL_SHIFT] = "level_shift",
        [RESULT_AUTOCORRELATED] = "autocorrelated",
        [RESULT_LEVELS] = "levels",
        [RESULT_NOT_CONVERGED] = "not_converged",
        [RESULT_TIME_BUDGET] = "time_budget",
        [RESULT_BELOW_RESOLUTION] = "below_resolution",
        [RESULT_NEGATIVE] = "negative",
        [RESULT_CLOCKS_MOVED] = "clocks_moved",
        [RESULT_FEW_VALID] = "few_valid",
        [RESULT_SLOW_LEFT_OUT] = "slow_left_out",
        [RESULT_WARM_UP] = "warm_up",
        [RESULT_UNSTABLE] = "unstable",
        [RESULT_STATE_CHANGED] = "state_changed",
    };
    return names[flag];
}

static const struct {
    const char *name, *words;
    size_t offset;
} kinds[STATES_KINDS] = {
    [STATES_HAND_OVER] = {"hand_over", "hand-over", offsetof(struct result_controls, hand_over)},
    [STATES_ADDITION] = {"addition", "addition", offsetof(struct result_controls, addition)}};

double *result_control(struct result_controls *seen, size_t kind)
{
    return (double *)((char *)seen + kinds[kind].offset);
}

struct states_values result_control_values(const struct result_controls *seen)
{
    struct result_controls copy = *seen;
    struct states_values values;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        values.of[kind] = *result_control(&copy, kind);
    return values;
}

const char *result_control_name(size_t kind)
{
    return kinds[kind].name;
}

const char *result_control_words(size_t kind)
{
    return kinds[kind].words;
}
