/* The states of a machine: levels of its controls that persist, with next to nothing between. */
#include "stats/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* Controls whose median stands for the one in the middle: two disturbed ones do not count. */
#define WINDOW 5
/* A level has so many controls, of few a quarter, and this share of the time; where two known
 * levels confirm it, less. */
#define FEWEST 6
#define FEWEST_OF_FEW 3
#define LEAST_SHARE 0.02
#define LEAST_SHARE_KNOWN 0.005
/* Medians of levels differ by this factor, and by so many times the noise. */
#define LEAST_FACTOR 1.15
#define LEAST_NOISES 3
/* Between levels lies a stretch with at most this share of the controls of an equally long one on
 * either side. */
#define VALLEY 0.1
#define VALLEY_KNOWN 0.25
/* Lengths of stretches, in logarithms; each is longer than the one before by this factor. */
#define SHORTEST_STRETCH 0.07
#define LONGEST_STRETCH 2
#define LONGER 1.4
/* Share of a level's controls beyond either of its edges. */
#define BEYOND_EDGE 0.02
/* A known level that a level is at most so far from, as a factor, is that level. */
#define SAME_FACTOR 1.2
/* A control tells nothing about a time further away, in seconds. */
#define LONGEST_GAP 1.0
/* Fewer differences do not tell the noise. */
#define FEWEST_DIFFERENCES 5
/* The quarter of |difference| of two normal values of deviation 1 that is smallest ends here. */
#define QUARTER_DIFFERENCE 0.450624
/* Noises that two controls of one state hardly ever differ by. */
#define CHANGE_NOISES 5

/* Controls in the order of their smoothed logarithm. */
struct ladder {
    size_t n;
    double *y;    /* ascending */
    double *time; /* time[i]: share of the time of those before i; n + 1 entries */
    double noise;
    const struct states_level *known;
    size_t known_count;
};

double states_noise(const struct states_control *controls, size_t n)
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

bool states_differ(double before, double after, double noise)
{
    if (!(before > 0) || !(after > 0))
        return false;
    return fabs(log(after / before)) > fmax(log(LEAST_FACTOR), CHANGE_NOISES * noise);
}

size_t states_level_of(double value, const struct states_level *levels, size_t count)
{
    size_t i = 0;
    while (i < count && !(value >= levels[i].low && value < levels[i].high))
        i++;
    return i;
}

/* Each logarithm becomes the median of those around it, at the ends of the first or last ones. */
static void smooth(const struct states_control *controls, size_t n, double *y)
{
    size_t window = n < WINDOW ? n : WINDOW;
    for (size_t i = 0; i < n; i++) {
        double around[WINDOW];
        size_t first = i < window / 2 ? 0 : i - window / 2;
        if (first + window > n)
            first = n - window;
        for (size_t j = 0; j < window; j++)
            around[j] = log(controls[first + j].value);
        stats_sort(around, window);
        y[i] = stats_median_sorted(around, window);
    }
}

/* A control stands for half of the time to each of its neighbours; shares of the sum. */
static void shares_of_time(const struct states_control *controls, size_t n, double *shares)
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

static double middle(const struct ladder *l, size_t first, size_t end)
{
    return stats_median_sorted(l->y + first, end - first);
}

/* The known level that this one is nearest to and at most SAME_FACTOR from, 0: none. */
static size_t known_near(const struct ladder *l, double y)
{
    size_t best = 0;
    double nearest = log(SAME_FACTOR);
    for (size_t i = 0; i < l->known_count; i++) {
        double distance = fabs(log(l->known[i].value) - y);
        if (distance <= nearest) {
            nearest = distance;
            best = i + 1;
        }
    }
    return best;
}

/* Whether the controls first..end - 1 may be cut at `at`, where the stretch between has `inside`
 * controls and the fuller ones on both sides at least `beside`. */
static bool may_cut(const struct ladder *l, size_t first, size_t at, size_t end, size_t inside,
                    size_t beside)
{
    double lower = middle(l, first, at), upper = middle(l, at, end);
    size_t one = known_near(l, lower), other = known_near(l, upper);
    bool confirmed = one && other && one != other;
    size_t fewest = l->n / 4 < FEWEST ? l->n / 4 : FEWEST;
    if (fewest < FEWEST_OF_FEW || confirmed)
        fewest = FEWEST_OF_FEW;
    double share = confirmed ? LEAST_SHARE_KNOWN : LEAST_SHARE;
    double valley = confirmed ? VALLEY_KNOWN : VALLEY;
    double least = fmax(log(LEAST_FACTOR), confirmed ? 0 : LEAST_NOISES * l->noise);
    return beside >= fewest && (double)inside <= valley * (double)beside &&
           upper - lower >= least && l->time[at] - l->time[first] >= share &&
           l->time[end] - l->time[at] >= share;
}

struct cut {
    size_t at; /* 0: none */
    double score;
};

/* Looks for the best cut with stretches of this length; right: room for end - first + 1. */
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
    /* The stretch (y[i], y[i] + length) lies between i and after; left: most in one up to i. */
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
        /* Those in between go to the side across the smaller gap: cut at the widest. */
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

/* Cuts into groups; ends[i] is one behind the last control of group i. Returns their number. */
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

/* Bounds, and what time says; the values follow when it is clear which controls are in it. */
static void describe(const struct ladder *l, const size_t *ends, size_t count,
                     struct states_level *found)
{
    double top = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = i > 0 ? ends[i - 1] : 0, n = ends[i] - first;
        double bottom = stats_quantile_sorted(l->y + first, n, BEYOND_EDGE);
        found[i] = (struct states_level){.value = exp(middle(l, first, ends[i])),
                                         .low = i > 0 ? exp((top + bottom) / 2) : 0,
                                         .high = INFINITY,
                                         .count = n,
                                         .share = l->time[ends[i]] - l->time[first]};
        if (i > 0)
            found[i - 1].high = found[i].low;
        top = stats_quantile_sorted(l->y + first, n, 1 - BEYOND_EDGE);
    }
}

/* The median of those controls of a level that are themselves within its bounds. */
static void set_value(const struct states_control *controls, const size_t *order, size_t n,
                      struct states_level *level)
{
    double *inside = memory_zeroed(n, sizeof *inside);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (states_level_of(controls[order[i]].value, level, 1) == 0)
            inside[count++] = controls[order[i]].value;
    stats_sort(inside, count);
    if (count > 0)
        level->value = stats_median_sorted(inside, count);
    free(inside);
}

/* A known level is the found one that is nearest to it, if that is nearest to no other known one
 * and near enough, or if it lies between the edges of that. */
static void recognize(const struct ladder *l, const size_t *ends, struct states_level *found,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t first = i > 0 ? ends[i - 1] : 0, n = ends[i] - first;
        double bottom = stats_quantile_sorted(l->y + first, n, BEYOND_EDGE);
        double top = stats_quantile_sorted(l->y + first, n, 1 - BEYOND_EDGE);
        double nearest = INFINITY, value = log(found[i].value);
        for (size_t k = 0; k < l->known_count; k++) {
            double y = log(l->known[k].value), distance = fabs(y - value);
            bool same = distance <= log(SAME_FACTOR) || (y >= bottom && y <= top);
            for (size_t other = 0; other < count; other++)
                same = same && distance <= fabs(y - log(found[other].value));
            if (same && distance < nearest) {
                nearest = distance;
                found[i].known = k + 1;
            }
        }
    }
}

size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_level *known, size_t known_count, struct states_level *found,
                   size_t room)
{
    if (n == 0 || room == 0)
        return 0;
    double *smoothed = memory_zeroed(n, sizeof *smoothed);
    double *shares = memory_zeroed(n, sizeof *shares);
    size_t *order = memory_zeroed(n, sizeof *order), *ends = memory_zeroed(room, sizeof *ends);
    struct ladder l = {n,
                       memory_zeroed(n, sizeof *l.y),
                       memory_zeroed(n + 1, sizeof *l.time),
                       states_noise(controls, n),
                       known,
                       known_count};
    smooth(controls, n, smoothed);
    shares_of_time(controls, n, shares);
    stats_sort_order(smoothed, n, order);
    for (size_t i = 0; i < n; i++) {
        l.y[i] = smoothed[order[i]];
        l.time[i + 1] = l.time[i] + shares[order[i]];
    }
    size_t count = divide(&l, ends, room);
    describe(&l, ends, count, found);
    for (size_t i = 0; i < count; i++) {
        size_t first = i > 0 ? ends[i - 1] : 0;
        set_value(controls, order + first, ends[i] - first, &found[i]);
    }
    recognize(&l, ends, found, count);
    free(smoothed);
    free(shares);
    free(order);
    free(ends);
    free(l.y);
    free(l.time);
    return count;
}
