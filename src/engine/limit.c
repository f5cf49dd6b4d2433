/*
 * When the run must end, and what is missing then.
 */
#include "engine/limit.h"

#include <math.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/process.h"
#include "base/text.h"
#include "comm/comm.h"
#include "engine/engine.h"
#include "engine/watchdog.h"

bool limit_over(struct limit *limit)
{
    if (isinf(limit->ends) || limit->over)
        return limit->over;
    int64_t over = wall_seconds() >= limit->ends;
    comm_broadcast(comm_world(), &over, sizeof over);
    return limit->over = over;
}

/* Loops that would not have ended are not counted, nor what comes after very many. */
bool limit_unknown(const struct limit *limit)
{
    return limit->skipped >= MOST_LISTED_MISSING || limit->endless;
}

static const char *at_least(const struct limit *limit)
{
    return limit_unknown(limit) ? "at least " : "";
}

char *limit_text(const struct limit *limit)
{
    return text_format("stopped by the time limit of %g s: %s%zu measurement%s missing, and %zu "
                       "round%s of single points%s",
                       limit->seconds, at_least(limit), limit->skipped,
                       limit->skipped == 1 ? " is" : "s are", limit->rounds,
                       numbers_plural(limit->rounds),
                       limit->cut_short ? ", one was cut short" : "");
}

void limit_tell(const struct limit *limit, struct output *output)
{
    char *what = text_format("stopped by the time limit of %g s", limit->seconds);
    char *missing = text_format("%s%zu point%s", at_least(limit), limit->skipped,
                                limit->skipped == 1 ? " is" : "s are");
    watchdog_tell_limit(output, what, missing);
    free(missing);
    free(what);
}
