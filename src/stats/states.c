/* The states of a machine: levels of its controls that persist, with next to nothing between. */
#include "stats/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* Controls whose median stands for the one in the middle: two disturbed ones do not count. */
#define WINDOW 5
/* A level has this share of the time. Half of that is in stays of so many controls in a row, in a
 * short series a third of it; or it takes a larger share, of many controls. Where two known levels
 * confirm it, less will do. */
#define LEAST_SHARE 0.02
#define STAY 8
#define SHORTEST_STAY 4
#define SHARE_WITHOUT_STAYS 0.15
#define FEWEST_WITHOUT_STAYS 30
#define LEAST_SHARE_KNOWN 0.01
#define FEWEST_KNOWN 5
#define FEWEST_KNOWN_OF_FEW 3
#define FEW 24
/* Medians of levels differ by this factor, and by so many times the spread inside them; the second
 * term, divided by the number of controls, is added for few. */
#define LEAST_FACTOR 1.15
#define LEAST_SPREADS 3.5
#define MORE_SPREADS 60
/* Less than one, since noise is estimated too large when the state changes at every control. */
#define NOISE_AS_SPREAD 0.7
/* Between the quartiles of normal values of deviation 1. */
#define QUARTERS 1.34898
/* Machines jump between states: this share of the ways from one level to the other have at most so
 * many controls between, or this share of the mean stay. A way leaves a level at its quartile that
 * faces the other one, or this far from its median to the other's, whichever is nearer to that. */
#define DIRECT (2.0 / 3)
#define MOST_BETWEEN 3
#define SHARE_BETWEEN 0.05
#define FACING 0.25
#define LANDING 0.15
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
/* Where a PE has to wait for its processor, a control takes as long as a time slice, 1 ms at least,
 * and so many times as long as others. That is no state of the machine. */
#define SLICE 1e-3
#define INTERRUPTED 30
/* Fewer differences do not tell the noise. */
#define FEWEST_DIFFERENCES 5
/* The quarter of |difference| of two normal values of deviation 1 that is smallest ends here. */
#define QUARTER_DIFFERENCE 0.450624
/* Noises that two controls of one state hardly ever differ by. */
#define CHANGE_NOISES 5

/* Controls in the order of their smoothed logarithm. */
struct ladder {
    size_t n;
    const double *smoothed; /* in the order of time */
    double *y;              /* ascending */
    double *time;           /* time[i]: share of the time of those before i; n + 1 entries */
    double *staying;        /* the same, only of controls in long stays */
    double *logs;           /* not smoothed */
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

/* Each logarithm becomes the median of those around it, at the ends of the first or last ones; of
 * those near in time, since others may have been in another state. */
static void smooth(const struct states_control *controls, size_t n, double *y)
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
        stats_sort(around, near);
        y[i] = stats_median_sorted(around, near);
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

static size_t stay_of(size_t n)
{
    size_t third = n / 3 > SHORTEST_STAY ? n / 3 : SHORTEST_STAY;
    return third < STAY ? third : STAY;
}

/* Sets to 0 the shares of controls that are not in a stay: so many in a row that differ by less
 * than levels do. */
static void keep_stays(const double *smoothed, size_t n, double noise, double *shares)
{
    double most = fmax(log(LEAST_FACTOR), LEAST_SPREADS * noise);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && fabs(smoothed[end] - smoothed[end - 1]) < most; end++)
            continue;
        if (end - i < stay_of(n))
            memset(shares + i, 0, (end - i) * sizeof *shares);
    }
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

/* Controls of a level that earlier runs confirm. */
static size_t fewest_known(size_t n)
{
    return n < FEW ? FEWEST_KNOWN_OF_FEW : FEWEST_KNOWN;
}

/* Whether first..end - 1 are a level and not disturbed controls of another one. */
static bool persists(const struct ladder *l, size_t first, size_t end, bool confirmed)
{
    double share = l->time[end] - l->time[first];
    if (confirmed)
        return share >= LEAST_SHARE_KNOWN && end - first >= fewest_known(l->n);
    if (share < LEAST_SHARE || end - first < stay_of(l->n))
        return false;
    return l->staying[end] - l->staying[first] >= share / 2 ||
           (share >= SHARE_WITHOUT_STAYS && end - first >= FEWEST_WITHOUT_STAYS);
}

/* Whether the controls first..end - 1 may be cut at `at`, where the stretch between has `inside`
 * controls and the fuller ones on both sides at least `beside`. */
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

/* Spread of the controls first..end - 1 themselves, as if they were normal; those that are not
 * between the middles of the gaps on both sides are disturbed, or a stay too short to be seen. */
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

/* Whether the machine jumps between these neighbouring groups, and does not wander. */
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

/* How far the groups on both sides of ends[i] are apart, in what they have to be. */
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
           fmax(log(LEAST_FACTOR), spreads * fmax(spread, NOISE_AS_SPREAD * l->noise));
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

static size_t find(const struct states_control *controls, size_t n,
                   const struct states_level *known, size_t known_count, struct states_level *found,
                   size_t room)
{
    double *smoothed = memory_zeroed(n, sizeof *smoothed);
    double *shares = memory_zeroed(n, sizeof *shares);
    size_t *order = memory_zeroed(n, sizeof *order), *ends = memory_zeroed(room, sizeof *ends);
    struct ladder l = {n,
                       smoothed,
                       memory_zeroed(n, sizeof *l.y),
                       memory_zeroed(n + 1, sizeof *l.time),
                       memory_zeroed(n + 1, sizeof *l.staying),
                       memory_zeroed(n, sizeof *l.logs),
                       states_noise(controls, n),
                       known,
                       known_count};
    smooth(controls, n, smoothed);
    shares_of_time(controls, n, shares);
    stats_sort_order(smoothed, n, order);
    for (size_t i = 0; i < n; i++) {
        l.y[i] = smoothed[order[i]];
        l.time[i + 1] = l.time[i] + shares[order[i]];
        l.logs[i] = log(controls[order[i]].value);
    }
    keep_stays(smoothed, n, l.noise, shares);
    for (size_t i = 0; i < n; i++)
        l.staying[i + 1] = l.staying[i] + shares[order[i]];
    size_t count = join(&l, ends, divide(&l, ends, room));
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
    free(l.staying);
    free(l.logs);
    return count;
}

/* The controls in which no PE had lost its processor to another program, to kept; how many. */
static size_t leave_out_interrupted(const struct states_control *controls, size_t n,
                                    struct states_control *kept)
{
    double *sorted = memory_zeroed(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = controls[i].value;
    stats_sort(sorted, n);
    double most = fmax(SLICE, INTERRUPTED * stats_quantile_sorted(sorted, n, 0.25));
    free(sorted);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (controls[i].value <= most)
            kept[count++] = controls[i];
    return count;
}

size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_level *known, size_t known_count, struct states_level *found,
                   size_t room)
{
    if (n == 0 || room == 0)
        return 0;
    struct states_control *kept = memory_zeroed(n, sizeof *kept);
    size_t count = leave_out_interrupted(controls, n, kept);
    count = find(kept, count, known, known_count, found, room);
    free(kept);
    return count;
}
