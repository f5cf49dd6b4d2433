#include "output/result.h"

const char *result_flag_name(enum result_flag flag)
{
    static const char *const names[RESULT_FLAGS] = {
        [RESULT_LEVEL_SHIFT] = "level_shift", [RESULT_AUTOCORRELATED] = "autocorrelated",
        [RESULT_LEVELS] = "levels",           [RESULT_NOT_CONVERGED] = "not_converged",
        [RESULT_TIME_BUDGET] = "time_budget", [RESULT_BELOW_RESOLUTION] = "below_resolution",
        [RESULT_NEGATIVE] = "negative",       [RESULT_CLOCKS_MOVED] = "clocks_moved",
        [RESULT_FEW_VALID] = "few_valid",
    };
    return names[flag];
}
