/* What time stamps say about two clocks. */
#include "clock/exchange.h"

#include <math.h>

struct clock_map clock_map_identity(void)
{
    return (struct clock_map){0, 0, 1};
}

/* base + distance * ratio. Only distance * (ratio - 1) is computed in double, so that long
 * distances lose no ticks. */
static int64_t stretch(int64_t base, int64_t distance, double ratio)
{
    return base + distance + (int64_t)llround((double)distance * (ratio - 1));
}

int64_t clock_map_apply(const struct clock_map *map, int64_t reading)
{
    return stretch(map->to, reading - map->from, map->ratio);
}

int64_t clock_map_invert(const struct clock_map *map, int64_t reading)
{
    return stretch(map->from, reading - map->to, 1 / map->ratio);
}

struct clock_map clock_map_compose(const struct clock_map *inner, const struct clock_map *outer)
{
    return (struct clock_map){inner->from, clock_map_apply(outer, inner->to),
                              inner->ratio * outer->ratio};
}

void bounds_begin(struct bounds *bounds, double ratio)
{
    *bounds = (struct bounds){.ratio = ratio};
}

void bounds_add(struct bounds *bounds, int64_t before, int64_t remote, int64_t after)
{
    if (bounds->exchanges == 0) {
        bounds->local = before;
        bounds->remote = remote;
    }
    /* Local ticks from the moment of the remote base to this reading. */
    double way = (double)(remote - bounds->remote) / bounds->ratio;
    double low = (double)(before - bounds->local) - way;
    double high = (double)(after - bounds->local) - way;
    double trip = (double)(after - before);
    bounds->since_improved++;
    if (bounds->exchanges == 0 || trip < bounds->smallest) {
        bounds->smallest = trip;
        bounds->since_improved = 0;
    }
    if (bounds->exchanges == 0 || low > bounds->high || high < bounds->low) {
        bounds->low = low;
        bounds->high = high;
    } else {
        bounds->low = fmax(bounds->low, low);
        bounds->high = fmin(bounds->high, high);
    }
    bounds->exchanges++;
}

struct clock_map bounds_map(const struct bounds *bounds)
{
    double middle = (bounds->low + bounds->high) / 2;
    return (struct clock_map){bounds->local + (int64_t)llround(middle), bounds->remote,
                              bounds->ratio};
}

double bounds_half(const struct bounds *bounds)
{
    return (bounds->high - bounds->low) / 2;
}

/* Student's t, two-sided 1 %, by degrees of freedom; between the entries the larger value. */
static double t_limit(double degrees)
{
    static const struct {
        double degrees, limit;
    } table[] = {{2, 9.925},  {3, 5.841},  {4, 4.604},  {5, 4.032},  {6, 3.707},  {8, 3.355},
                 {10, 3.169}, {15, 2.947}, {20, 2.845}, {30, 2.750}, {60, 2.660}, {120, 2.617}};
    double limit = INFINITY;
    for (size_t i = 0; i < sizeof table / sizeof *table && table[i].degrees <= degrees; i++)
        limit = table[i].limit;
    return limit;
}

struct drift drift_fit(const struct drift_point *points, size_t n)
{
    struct drift drift = {0, INFINITY, false, 0};
    double time = 0, offset = 0, tt = 0, to = 0, residual = 0;
    for (size_t i = 0; i < n; i++) {
        time += points[i].time / (double)n;
        offset += points[i].offset / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        tt += (points[i].time - time) * (points[i].time - time);
        to += (points[i].time - time) * (points[i].offset - offset);
    }
    drift.intercept = offset;
    if (n < 4 || tt <= 0)
        return drift;
    drift.slope = to / tt;
    drift.intercept = offset - drift.slope * time;
    for (size_t i = 0; i < n; i++) {
        double off = points[i].offset - drift.intercept - drift.slope * points[i].time;
        residual += off * off;
    }
    drift.error = sqrt(residual / (double)(n - 2) / tt);
    drift.significant = fabs(drift.slope) > t_limit((double)n - 2) * drift.error;
    return drift;
}

bool drift_confirmed(const struct drift *first, const struct drift *second)
{
    /* 2.576 is the normal quantile of 1 % (two-sided): the fits have enough points for it. */
    return first->significant && second->significant && first->slope * second->slope > 0 &&
           fabs(first->slope - second->slope) <= 2.576 * 2 * hypot(first->error, second->error);
}
