/* Names of what a result has. */
#include "output/result.h"

/* advice: NULL where the flag does not make a result doubtful. */
static const struct {
    const char *name, *advice;
    bool covered; /* by rounds */
} flags[RESULT_FLAGS] = {
    [RESULT_LEVEL_SHIFT] = {.name = "level_shift",
                            .advice = "the time changed its level; measure with --rounds",
                            .covered = true},
    [RESULT_AUTOCORRELATED] = {.name = "autocorrelated"},
    [RESULT_LEVELS] = {.name = "levels"},
    [RESULT_NOT_CONVERGED] = {.name = "not_converged",
                              .advice = "the precision asked for was not reached; look at "
                                        "the interval, or raise set_max_repetitions"},
    [RESULT_TIME_BUDGET] = {.name = "time_budget"},
    [RESULT_BELOW_RESOLUTION] = {.name = "below_resolution",
                                 .advice = "too short for the timer; time more "
                                           "operations together (iterations)"},
    [RESULT_NEGATIVE] = {.name = "negative",
                         .advice = "below zero after costs were subtracted; too small to tell "
                                   "from 0"},
    [RESULT_CLOCKS_MOVED] = {.name = "clocks_moved",
                             .advice = "PEs did not start together; use --rounds, or another "
                                       "--clock-sync"},
    [RESULT_FEW_VALID] = {.name = "few_valid",
                          .advice = "most repetitions were invalid; stop other programs on the "
                                    "nodes, bind PEs"},
    [RESULT_SLOW_LEFT_OUT] = {.name = "slow_left_out",
                              .advice = "slow repetitions are missing, so the result is too "
                                        "fast; count them with set_levels(1)"},
    [RESULT_WARM_UP] = {.name = "warm_up"},
    [RESULT_UNSTABLE] = {.name = "unstable"},
    [RESULT_STATE_CHANGED] = {.name = "state_changed",
                              .advice = "the machine changed its state; measure with "
                                        "--rounds, and read the values by state",
                              .covered = true},
};

const char *result_flag_name(enum result_flag flag)
{
    return flags[flag].name;
}

bool result_flag_doubtful(enum result_flag flag, bool rounds)
{
    return flags[flag].advice && !(rounds && flags[flag].covered);
}

const char *result_flag_advice(enum result_flag flag)
{
    return flags[flag].advice;
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
