/* Looks for the cost at which a run is so much slower, by Newton's method. */
#include "sim/tolerance.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/numbers.h"
#include "sim/sweep.h"

#define EXACT 0.002      /* of what the run may take longer */
#define NEAR 0.004       /* of the result: between slow and fast enough, where the run time jumps */
#define MOST_REPLAYS 60  /* for one quantity */
#define USUAL_REPLAYS 20 /* for all of them */
#define STEP_PS 1000.0   /* to find out the slope */
#define STEP_SHARE 1e-4
#define MOST_SLOWER 1e6 /* times the time per byte */

/* The run time as a function of what is added: ps to a time, or a multiple of the time per byte. */
struct curve {
    const struct repeat *repeat;
    struct sweep sweep;
    bool bytes;
    size_t replays;
};

/* ps; infinite where there can be no such machine, or the run takes too long to be predicted. */
static double run_time(struct curve *curve, double added)
{
    char *error, *problem;
    struct setting *setting = curve->sweep.settings;
    struct machine *machine = machine_read(curve->repeat->description, NULL, &error);
    free(error);
    if (!machine)
        return INFINITY;
    if (curve->bytes)
        setting->number = 1 / (1 + added);
    else
        setting->value = floor(added + 0.5);
    problem = sweep_apply(machine, &curve->sweep, 0);
    curve->replays++;
    double time = problem ? NAN : repeat_time(curve->repeat, machine);
    free(problem);
    machine_free(machine);
    return isnan(time) ? INFINITY : time;
}

/* What is added where the run time reaches the goal; NaN: nowhere. The run time is convex where
 * nobody queues for links or locks: it is the longest of many paths, each of which grows in
 * proportion. There, a step by the slope never goes too far down, and the one that finds the path
 * unchanged is exact. Elsewhere halves are taken. */
static double solve(struct curve *curve, double goal)
{
    const double now = curve->repeat->run_time, longer = goal - now,
                 step = curve->bytes ? STEP_SHARE : STEP_PS,
                 most = curve->bytes ? MOST_SLOWER : goal,
                 slope = (run_time(curve, step) - now) / step;
    double low = 0, high = slope > 0 ? longer / slope : curve->bytes ? 1 : longer, time;
    while (high = fmin(high, most), (time = run_time(curve, high)) < goal * (1 - 1e-12)) {
        if (fabs(time - goal) <= EXACT * longer)
            return high;
        if (high >= most)
            return NAN;
        low = high;
        high *= 8;
    }
    while (fabs(time - goal) > EXACT * longer && high - low > NEAR * high &&
           curve->replays < MOST_REPLAYS) {
        double next = high - (time - goal) * step / (time - run_time(curve, high - step));
        if (!(next > low && next < high))
            next = (low + high) / 2;
        double there = run_time(curve, next);
        if (there < goal && fabs(there - goal) > EXACT * longer) {
            low = next;
        } else {
            high = next;
            time = there;
        }
    }
    return high;
}

static double find(struct tolerance *tolerance, const struct repeat *repeat, const char *option,
                   const char *value)
{
    struct curve curve = {.repeat = repeat, .bytes = value[0] == 'x'};
    char given[32];
    snprintf(given, sizeof given, "%s=%s", tolerance->between ? "buses" : "nodes", value);
    char *error = sweep_read(&curve.sweep, option, given, repeat->machine);
    double found = error ? NAN : solve(&curve, repeat->run_time * (1 + tolerance->slower));
    free(error);
    sweep_free(&curve.sweep);
    tolerance->replays += curve.replays;
    return found;
}

struct tolerance tolerance_find(const struct repeat *repeat, double slower, bool always)
{
    struct tolerance tolerance = {.between = repeat->several};
    if (!always && USUAL_REPLAYS * repeat->work > REPEAT_WORK)
        return tolerance;
    tolerance.slower = slower;
    tolerance.latency = find(&tolerance, repeat, "latency", "+1 ns") / PS_PER_SECOND;
    tolerance.overhead = find(&tolerance, repeat, "overhead", "+1 ns") / PS_PER_SECOND;
    double longer = find(&tolerance, repeat, "bandwidth", "x0.5");
    tolerance.bandwidth = longer / (1 + longer);
    return tolerance;
}

/* ---- Output ---- */

#define DIGITS 3

void tolerance_text(FILE *out, const struct tolerance *tolerance)
{
    char number[40];
    const char * or = "";
    if (tolerance->slower <= 0)
        return;
    fprintf(out, "%s %% slower", numbers_text(number, 100 * tolerance->slower, DIGITS));
    if (!isnan(tolerance->latency)) {
        fprintf(out, " at %s more latency", numbers_time(number, tolerance->latency, DIGITS));
        or = ", or";
    }
    if (!isnan(tolerance->bandwidth)) {
        fprintf(out, "%s at %s %% less bandwidth", or,
                numbers_text(number, 100 * tolerance->bandwidth, DIGITS));
        or = ", or";
    }
    if (!isnan(tolerance->overhead)) {
        fprintf(out, "%s at %s more overhead", or,
                numbers_time(number, tolerance->overhead, DIGITS));
        or = ", or";
    }
    fprintf(out, "%s of messages %s\n", * or ? "" : " by no latency, bandwidth or overhead",
            tolerance->between ? "between nodes" : "inside nodes");
}

void tolerance_json(FILE *out, const struct tolerance *tolerance)
{
    if (tolerance->slower <= 0)
        return;
    json_print(out,
               "'tolerance':{'messages':%s,'slower':%f,'more_latency':%f,'less_bandwidth':%f,"
               "'more_overhead':%f,'replays':%zu},\n",
               tolerance->between ? "between nodes" : "inside nodes", tolerance->slower,
               tolerance->latency, tolerance->bandwidth, tolerance->overhead, tolerance->replays);
}
