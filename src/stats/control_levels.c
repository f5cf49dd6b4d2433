/* Levels on which controls of one kind lie: they persist, with hardly any control between them. */
#include "stats/control_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* Number of controls whose median replaces the middle one: with five, two disturbed ones in a row
 * have no effect. */
#define WINDOW 5
/* A level has at least this share of the time. At least half of that is in stays of STAY controls
 * in a row (in a short series: of a third of the series); otherwise the level needs a larger share,
 * of many controls. If two known levels confirm it, less will do. */
#define LEAST_SHARE 0.02
#define STAY 8
#define SHORTEST_STAY 4
#define SHARE_WITHOUT_STAYS 0.15
#define FEWEST_WITHOUT_STAYS 30
#define LEAST_SHARE_KNOWN 0.01
#define FEWEST_KNOWN 5
#define FEWEST_KNOWN_OF_FEW 3
#define FEW 24
/* Medians of two levels differ at least by this many times the spread inside them: LEAST_SPREADS +
 * MORE_SPREADS / n, since few controls show gaps by chance. docs/method.md has the measured error
 * rates. */
#define LEAST_SPREADS 3.5
#define MORE_SPREADS 60
/* The spread is at least this share of the noise. The share is less than one, since the noise is
 * estimated too large if the state changes at every control. */
#define NOISE_AS_SPREAD 0.7
/* Distance of the quartiles of a normal distribution with deviation 1. */
#define QUARTERS 1.34898
/* Machines jump between states, and do not wander: at least the share DIRECT of the changes from
 * one level to the other pass at most MOST_BETWEEN controls, or the share SHARE_BETWEEN of the mean
 * stay. A change begins and ends at the quartile (FACING) of a level that faces the other level, or
 * at LANDING of the way between both medians, whichever is nearer to the other level. */
#define DIRECT (2.0 / 3)
#define MOST_BETWEEN 3
#define SHARE_BETWEEN 0.05
#define FACING 0.25
#define LANDING 0.15
/* A stretch between two levels has at most this share of the controls of an equally long stretch on
 * either side; VALLEY_KNOWN if two known levels confirm it. */
#define VALLEY 0.1
#define VALLEY_KNOWN 0.25
/* Lengths of the stretches that are tried (in logarithms); each is LONGER times the one before. */
#define SHORTEST_STRETCH 0.07
#define LONGEST_STRETCH 2
#define LONGER 1.4
/* A control tells nothing about times further away than this (seconds). */
#define LONGEST_GAP 1.0
/* Fewest differences of neighbours from which the noise is estimated. */
#define FEWEST_DIFFERENCES 5
/* Lower quartile of the absolute difference of two normal values of deviation 1. */
#define QUARTER_DIFFERENCE 0.450624
/* Controls, sorted by their smoothed logarithms. */
struct ladder {
    size_t n;
    const double *smoothed; /* in the order of time */
    double *y;              /* ascending */
    double *time;           /* time[i]: share of the time of all controls below i; n + 1 entries */
    double *staying; /* staying[i]: share of the time of the controls below i that are in stays; n +
                        1 entries */
    double *logs;    /* not smoothed */
    double noise;
    const double *known; /* logarithms */
    size_t known_count;
};

double control_noise(const struct control_at *controls, size_t n)
{
    if (n < FEWEST_DIFFERENCES + 1)
        return 0;
    double *differences = memory_zeroed(n - 1, sizeof *differences);
    for (size_t i = 1; i < n; i++)
        differences[i - 1] = fabs(log(controls[i].value / controls[i - 1].value));
    stats_sort(differences, n - 1);
    double quarter = stats_quantile_sorted(differences, n - 1, 0.25);
    free(differences);
    return quarter / QUARTER_DIFFERENCE;
}

/* Each logarithm becomes the median of those around it, at the ends of the first or last ones; of
 * those near in time, since others may have been in another state. */
void control_smooth(const struct control_at *controls, size_t n, double *y)
{
    size_t window = n < WINDOW ? n : WINDOW;
    for (size_t i = 0; i < n; i++) {
        double around[WINDOW];
        size_t first = i < window / 2 ? 0 : i - window / 2;
        if (first + window > n)
            first = n - window;
        size_t near = 0;
        for (size_t j = first; j < first + window; j++)
            if (fabs(controls[j].at - controls[i].at) <= LONGEST_GAP)
                around[near++] = log(controls[j].value);
        y[i] = stats_median(around, near);
    }
}

/* A control stands for half of the time to each of its neighbours; shares of the sum. */
void control_shares(const struct control_at *controls, size_t n, double *shares)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double before = i > 0 ? controls[i].at - controls[i - 1].at : 0;
        double after = i + 1 < n ? controls[i + 1].at - controls[i].at : 0;
        shares[i] = (fmin(before, LONGEST_GAP) + fmin(after, LONGEST_GAP)) / 2;
        sum += shares[i];
    }
    for (size_t i = 0; i < n; i++)
        shares[i] = sum > 0 ? shares[i] / sum : 1 / (double)n;
}

size_t control_stay(size_t n)
{
    size_t third = n / 3 > SHORTEST_STAY ? n / 3 : SHORTEST_STAY;
    return third < STAY ? third : STAY;
}

/* Sets the share of each control to 0 that is not in a stay: a row of at least control_stay(n)
 * controls that differ by less than levels do. */
static void keep_stays(const double *smoothed, size_t n, double noise, double *shares)
{
    double most = fmax(log(CONTROL_APART), LEAST_SPREADS * noise);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && fabs(smoothed[end] - smoothed[end - 1]) < most; end++)
            continue;
        if (end - i < control_stay(n))
            memset(shares + i, 0, (end - i) * sizeof *shares);
    }
}

static double middle(const struct ladder *l, size_t first, size_t end)
{
    return stats_median_sorted(l->y + first, end - first);
}

/* 1 + the index of the known level nearest to y, at most CONTROL_SAME away; 0 if there is none. */
static size_t known_near(const struct ladder *l, double y)
{
    size_t best = 0;
    double nearest = log(CONTROL_SAME);
    for (size_t i = 0; i < l->known_count; i++) {
        double distance = fabs(l->known[i] - y);
        if (distance <= nearest) {
            nearest = distance;
            best = i + 1;
        }
    }
    return best;
}

/* Least number of controls of a level that earlier runs confirm. */
static size_t fewest_known(size_t n)
{
    return n < FEW ? FEWEST_KNOWN_OF_FEW : FEWEST_KNOWN;
}

bool control_persists(const struct control_time *time, size_t n, bool confirmed)
{
    if (confirmed)
        return time->share >= LEAST_SHARE_KNOWN && time->count >= fewest_known(n);
    if (time->share < LEAST_SHARE || time->count < control_stay(n))
        return false;
    return time->staying >= time->share / 2 ||
           (time->share >= SHARE_WITHOUT_STAYS && time->count >= FEWEST_WITHOUT_STAYS);
}

/* Whether the controls first..end - 1 are a level, and not disturbed controls of another level. */
static bool persists(const struct ladder *l, size_t first, size_t end, bool confirmed)
{
    struct control_time time = {end - first, l->time[end] - l->time[first],
                                l->staying[end] - l->staying[first]};
    return control_persists(&time, l->n, confirmed);
}

/* Whether the controls first..end - 1 may be cut at `at`: the stretch there has `inside` controls,
 * and the fullest equally long stretches on both sides have at least `beside`. */
static bool may_cut(const struct ladder *l, size_t first, size_t at, size_t end, size_t inside,
                    size_t beside)
{
    size_t one = known_near(l, middle(l, first, at)), other = known_near(l, middle(l, at, end));
    bool confirmed = one && other && one != other;
    double valley = (confirmed ? VALLEY_KNOWN : VALLEY) * (double)beside;
    return (double)inside <= valley && beside >= (confirmed ? fewest_known(l->n) : SHORTEST_STAY) &&
           persists(l, first, at, confirmed) && persists(l, at, end, confirmed);
}

struct cut {
    size_t at; /* 0: none */
    double score;
};

/* Looks for the best cut with stretches of this length. right has end - first + 1 entries of
 * working memory. */
static void look(const struct ladder *l, size_t first, size_t end, double length, size_t *right,
                 struct cut *best)
{
    const double *y = l->y;
    /* right[i]: most controls in a stretch that begins at i or above. */
    right[end - first] = 0;
    for (size_t i = end, stop = end; i-- > first;) {
        while (y[stop - 1] >= y[i] + length)
            stop--;
        size_t count = stop - i;
        right[i - first] = right[i + 1 - first] > count ? right[i + 1 - first] : count;
    }
    /* The stretch (y[i], y[i] + length) lies between i and after; left is the most controls of a
     * stretch that ends at or below i. */
    size_t left = 0, from = first, after = first;
    for (size_t i = first; i + 1 < end; i++) {
        while (y[from] <= y[i] - length)
            from++;
        if (i + 1 - from > left)
            left = i + 1 - from;
        if (after <= i)
            after = i + 1;
        while (after < end && y[after] < y[i] + length)
            after++;
        if (after == end)
            break;
        size_t beside = left < right[after - first] ? left : right[after - first];
        double score = (double)beside - (double)(after - i - 1) / VALLEY_KNOWN;
        if (score <= best->score)
            continue;
        /* Cut at the widest gap of the stretch, so that each control in it joins the nearer side.
         */
        size_t at = i + 1;
        for (size_t j = i + 1; j <= after; j++)
            if (y[j] - y[j - 1] > y[at] - y[at - 1])
                at = j;
        if (may_cut(l, first, at, end, after - i - 1, beside))
            *best = (struct cut){at, score};
    }
}

static size_t best_cut(const struct ladder *l, size_t first, size_t end)
{
    struct cut best = {0, 0};
    size_t *right = memory_zeroed(end - first + 1, sizeof *right);
    double length = fmax(SHORTEST_STRETCH, l->noise);
    for (; length < LONGEST_STRETCH && length < l->y[end - 1] - l->y[first]; length *= LONGER)
        look(l, first, end, length, right, &best);
    free(right);
    return best.at;
}

/* Cuts the controls into groups; ends[i] is one after the last control of group i. Returns the
 * number of groups. */
static size_t divide(const struct ladder *l, size_t *ends, size_t room)
{
    size_t count = 1;
    ends[0] = l->n;
    for (size_t i = 0; i < count && count < room;) {
        size_t at = best_cut(l, i > 0 ? ends[i - 1] : 0, ends[i]);
        if (at == 0) {
            i++;
            continue;
        }
        memmove(ends + i + 1, ends + i, (count - i) * sizeof *ends);
        ends[i] = at;
        count++;
    }
    return count;
}

/* Spread of the controls first..end - 1, not smoothed, as if they were normal. Controls beyond the
 * middles of the gaps on both sides do not count: they are disturbed, or in a stay too short to be
 * seen. */
static double spread_of(const struct ladder *l, size_t first, size_t end)
{
    double low = first > 0 ? (l->y[first - 1] + l->y[first]) / 2 : -INFINITY;
    double high = end < l->n ? (l->y[end - 1] + l->y[end]) / 2 : INFINITY;
    double *x = memory_zeroed(end - first, sizeof *x);
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (l->logs[i] >= low && l->logs[i] <= high)
            x[n++] = l->logs[i];
    stats_sort(x, n);
    double quarters =
        n > 0 ? stats_quantile_sorted(x, n, 0.75) - stats_quantile_sorted(x, n, 0.25) : 0;
    free(x);
    return quarters / QUARTERS;
}

/* Whether the machine jumps between these neighbouring groups instead of wandering. */
static bool jumps(const struct ladder *l, size_t first, size_t at, size_t end)
{
    double lower = middle(l, first, at), upper = middle(l, at, end);
    double low = fmax(stats_quantile_sorted(l->y + first, at - first, 1 - FACING),
                      lower + LANDING * (upper - lower));
    double high =
        fmin(stats_quantile_sorted(l->y + at, end - at, FACING), upper - LANDING * (upper - lower));
    size_t *between = memory_zeroed(l->n, sizeof *between), crossings = 0, now = 0, direct = 0;
    int last = 0;
    for (size_t i = 0; i < l->n; i++) {
        int side = l->smoothed[i] <= low ? -1 : l->smoothed[i] >= high ? 1 : 0;
        if (side == 0) {
            now++;
            continue;
        }
        if (side == -last)
            between[crossings++] = now;
        now = 0;
        last = side;
    }
    double most = fmax(MOST_BETWEEN, SHARE_BETWEEN * (double)l->n / (double)(crossings + 1));
    for (size_t i = 0; i < crossings; i++)
        direct += (double)between[i] <= most;
    free(between);
    return (double)direct >= DIRECT * (double)crossings;
}

/* Distance of the groups on both sides of ends[i], as a multiple of the distance that levels need.
 */
static double apart(const struct ladder *l, const size_t *ends, size_t i)
{
    size_t first = i > 0 ? ends[i - 1] : 0, at = ends[i], end = ends[i + 1];
    double lower = middle(l, first, at), upper = middle(l, at, end);
    size_t one = known_near(l, lower), other = known_near(l, upper);
    bool confirmed = one && other && one != other;
    double spreads = LEAST_SPREADS + (confirmed ? 0 : MORE_SPREADS / (double)l->n);
    double spread = (spread_of(l, first, at) + spread_of(l, at, end)) / 2;
    if (!confirmed && !jumps(l, first, at, end))
        return 0;
    return (upper - lower) /
           fmax(log(CONTROL_APART), spreads * fmax(spread, NOISE_AS_SPREAD * l->noise));
}

/* Joins groups that are not far enough apart, the closest ones first. Returns how many are left. */
static size_t join(const struct ladder *l, size_t *ends, size_t count)
{
    while (count > 1) {
        size_t closest = 0;
        double least = INFINITY;
        for (size_t i = 0; i + 1 < count; i++) {
            double distance = apart(l, ends, i);
            if (distance < least) {
                least = distance;
                closest = i;
            }
        }
        if (least >= 1)
            break;
        count--;
        memmove(ends + closest, ends + closest + 1, (count - closest) * sizeof *ends);
    }
    return count;
}

/* bounds[i] becomes the geometric mean of the edges of levels i and i + 1 that face each other. */
static void find_bounds(const struct ladder *l, const size_t *ends, size_t count, double *bounds)
{
    double top = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = i > 0 ? ends[i - 1] : 0, n = ends[i] - first;
        double bottom = stats_quantile_sorted(l->y + first, n, CONTROL_BEYOND);
        if (i > 0)
            bounds[i - 1] = exp((top + bottom) / 2);
        top = stats_quantile_sorted(l->y + first, n, 1 - CONTROL_BEYOND);
    }
}

static size_t find(struct ladder *l, const struct control_at *controls, double *bounds, size_t room)
{
    double *shares = memory_zeroed(l->n, sizeof *shares);
    double *smoothed = memory_zeroed(l->n, sizeof *smoothed);
    size_t *order = memory_zeroed(l->n, sizeof *order), *ends = memory_zeroed(room, sizeof *ends);
    control_smooth(controls, l->n, smoothed);
    control_shares(controls, l->n, shares);
    stats_sort_order(smoothed, l->n, order);
    l->smoothed = smoothed;
    for (size_t i = 0; i < l->n; i++) {
        l->y[i] = smoothed[order[i]];
        l->time[i + 1] = l->time[i] + shares[order[i]];
        l->logs[i] = log(controls[order[i]].value);
    }
    keep_stays(smoothed, l->n, l->noise, shares);
    for (size_t i = 0; i < l->n; i++)
        l->staying[i + 1] = l->staying[i] + shares[order[i]];
    size_t count = join(l, ends, divide(l, ends, room));
    find_bounds(l, ends, count, bounds);
    free(smoothed);
    free(shares);
    free(order);
    free(ends);
    return count;
}

size_t control_levels_find(const struct control_at *controls, size_t n, const double *known,
                           size_t known_count, double *bounds, size_t room)
{
    if (n == 0 || room == 0)
        return 0;
    struct ladder l = {.n = n,
                       .y = memory_zeroed(n, sizeof *l.y),
                       .time = memory_zeroed(n + 1, sizeof *l.time),
                       .staying = memory_zeroed(n + 1, sizeof *l.staying),
                       .logs = memory_zeroed(n, sizeof *l.logs),
                       .noise = control_noise(controls, n),
                       .known = known,
                       .known_count = known_count};
    size_t count = find(&l, controls, bounds, room);
    free(l.y);
    free(l.time);
    free(l.staying);
    free(l.logs);
    return count;
}
