/*
 * Picks the next point of a curve to measure, where it is least predictable.
 */
#include "ski/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct point {
    double x, y;
    bool barren; /* the interval that begins here has no candidate left */
};

struct refine {
    struct refine_rules rules;
    struct point *points; /* ascending in x */
    size_t count, room, sweep;
};

struct refine *refine_create(const struct refine_rules *rules)
{
    struct refine *refine = memory_zeroed(1, sizeof *refine);
    refine->rules = *rules;
    return refine;
}

void refine_release(struct refine *refine)
{
    if (refine)
        free(refine->points);
    free(refine);
}

size_t refine_count(const struct refine *refine)
{
    return refine->count;
}

void refine_add(struct refine *refine, double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    size_t at = 0;
    while (at < refine->count && refine->points[at].x < x)
        at++;
    if (at < refine->count && refine->points[at].x == x) {
        refine->points[at].y = y;
        return;
    }
    memory_extend(refine->points, refine->count, &refine->room);
    memmove(refine->points + at + 1, refine->points + at,
            (refine->count - at) * sizeof *refine->points);
    refine->points[at] = (struct point){x, y, false};
    refine->count++;
}

void refine_start(struct refine *refine)
{
    refine->sweep = refine->count;
}

static double scale(const struct refine *refine, double x)
{
    return refine->rules.logarithmic ? log(x) : x;
}

/* How far the line through two points misses a third. */
static double miss_at(const struct refine *refine, size_t third, size_t one, size_t two)
{
    const struct point *p = refine->points;
    double x = scale(refine, p[third].x), x1 = scale(refine, p[one].x),
           x2 = scale(refine, p[two].x);
    return fabs(p[one].y + (x - x1) * (p[two].y - p[one].y) / (x2 - x1) - p[third].y);
}

/* How far the lines from outside miss the ends of interval i; at a border there is only one. */
static double miss(const struct refine *refine, size_t i)
{
    double from_below = i > 0 ? miss_at(refine, i + 1, i - 1, i) : 0;
    double from_above = i + 2 < refine->count ? miss_at(refine, i, i + 1, i + 2) : 0;
    return fmax(from_below, from_above);
}

/* A straight line between the ends is off by about a quarter of what extrapolation misses: for a
 * parabola of second difference s over equal steps, extrapolation misses s and the middle of the
 * interval is off by s / 8; with a kink of slope change s at an end, s against none. */
#define INTERPOLATION_SHARE 0.25

static bool candidate(const struct refine *refine, size_t i, double *x)
{
    double low = refine->points[i].x, high = refine->points[i + 1].x;
    *x = refine->rules.logarithmic ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
    if (refine->rules.integers) {
        double unit = refine->rules.multiple_of > 1 ? (double)refine->rules.multiple_of : 1;
        *x = round(*x / unit) * unit;
    }
    return !refine->points[i].barren && *x > low && *x < high;
}

double refine_error(const struct refine *refine)
{
    double largest = 0, x;
    for (size_t i = 0; i + 1 < refine->count; i++) {
        double value = fmin(fabs(refine->points[i].y), fabs(refine->points[i + 1].y));
        double off = INTERPOLATION_SHARE * miss(refine, i);
        if (candidate(refine, i, &x) && off != 0)
            largest = fmax(largest, off / value);
    }
    return largest;
}

bool refine_next(struct refine *refine, double *x)
{
    /* Two points and less say nothing about a curve. */
    if (refine->count < 3 ||
        (double)refine->count >= (double)refine->sweep * refine->rules.factor ||
        refine_error(refine) <= refine->rules.tolerance)
        return false;
    double best = -1, at;
    for (size_t i = 0; i + 1 < refine->count; i++) {
        if (!candidate(refine, i, &at))
            continue;
        size_t a = i > 0 ? i - 1 : i, d = i + 2 < refine->count ? i + 2 : i + 1;
        double width = scale(refine, refine->points[d].x) - scale(refine, refine->points[a].x);
        double priority = width * miss(refine, i);
        if (priority > best) {
            best = priority;
            *x = at;
        }
    }
    return best >= 0;
}

void refine_skip(struct refine *refine, double x)
{
    for (size_t i = 0; i + 1 < refine->count; i++)
        if (refine->points[i].x < x && x < refine->points[i + 1].x)
            refine->points[i].barren = true;
}
