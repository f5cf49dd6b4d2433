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

double result_control(size_t pes, const struct result_controls *seen)
{
    return pes > 1 ? seen->hand_over : seen->addition;
}
