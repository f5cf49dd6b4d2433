/* The states of a machine: combinations of levels of its controls that persist. */
#include "stats/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* Most levels of one kind. */
#define MOST_LEVELS 8
#define MOST_CELLS (MOST_LEVELS * MOST_LEVELS)
_Static_assert(STATES_KINDS == 2, "cells combine the levels of two kinds");
/* A control that lasts longer than a time slice (at least 1 ms) and INTERRUPTED times the lower
 * quartile shows that a PE had lost its processor to another program. This is no state of the
 * machine. */
#define SLICE 1e-3
#define INTERRUPTED 30
/* Two controls of one state hardly ever differ by more than this many times the noise. */
#define CHANGE_NOISES 5
/* Levels differ at least by this factor: a smaller difference would change no decision about
 * results. */
#define APART 1.15
/* A level that differs at most by this factor from a known one is that known level. */
#define SAME 1.2
/* Share of a level's controls that lie outside of each of its edges. */
#define BEYOND 0.02
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

static bool is_known(double value)
{
    return value > 0 && isfinite(value);
}

bool states_are_known(const struct states_values *values)
{
    return is_known(values->of[0]) || is_known(values->of[1]);
}

struct states_values states_between(const struct states_values *a, const struct states_values *b)
{
    struct states_values mean;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        mean.of[kind] = sqrt(a->of[kind] * b->of[kind]);
    return mean;
}

bool states_differ(const struct states_values *before, const struct states_values *after,
                   const struct states_values *noise)
{
    bool differ = false;
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        double one = before->of[kind], other = after->of[kind];
        double most = fmax(log(APART), CHANGE_NOISES * noise->of[kind]);
        differ = differ || (one > 0 && other > 0 && fabs(log(other / one)) > most);
    }
    return differ;
}

bool states_hold(const struct states_state *state, const struct states_values *values)
{
    bool hold = false;
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        const struct states_range *range = &state->of[kind];
        if (isnan(range->value))
            continue;
        hold = values->of[kind] >= range->low && values->of[kind] < range->high;
        if (!hold)
            return false;
    }
    return hold;
}

size_t states_of(const struct states_values *values, const struct states_state *states,
                 size_t count)
{
    size_t i = 0;
    while (i < count && !states_hold(&states[i], values))
        i++;
    return i;
}

double states_product(const struct states_values *values)
{
    double product = 1;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        product *= isnan(values->of[kind]) ? 1 : values->of[kind];
    return product;
}

double states_rank(const struct states_state *state)
{
    return states_product(&(struct states_values){{state->of[0].value, state->of[1].value}});
}

/* ---- Series ---- */

struct states_values states_noise(const struct states_control *controls, size_t n)
{
    struct states_values noise = {{0}};
    double *differences = memory_zeroed(n + 1, sizeof *differences);
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        size_t count = 0;
        double before = NAN;
        for (size_t i = 0; i < n; i++) {
            double value = controls[i].values.of[kind];
            if (!is_known(value))
                continue;
            if (is_known(before))
                differences[count++] = fabs(log(value / before));
            before = value;
        }
        stats_sort(differences, count);
        if (count >= FEWEST_DIFFERENCES)
            noise.of[kind] = stats_quantile_sorted(differences, count, 0.25) / QUARTER_DIFFERENCE;
    }
    free(differences);
    return noise;
}

/* The longest control of this kind that counts: longer ones are interrupted (see INTERRUPTED). 0:
 * no control has this kind. */
static double longest(const struct states_control *controls, size_t n, size_t kind)
{
    double *sorted = memory_zeroed(n + 1, sizeof *sorted);
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (is_known(controls[i].values.of[kind]))
            sorted[known++] = controls[i].values.of[kind];
    stats_sort(sorted, known);
    double most = known ? fmax(SLICE, INTERRUPTED * stats_quantile_sorted(sorted, known, 0.25)) : 0;
    free(sorted);
    return most;
}

/* Copies to kept the controls that are known in each kind that occurs, and that were not
 * interrupted. Returns their number. */
static size_t leave_out(const struct states_control *controls, size_t n,
                        struct states_control *kept)
{
    double most[STATES_KINDS];
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        most[kind] = longest(controls, n, kind);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool good = states_are_known(&controls[i].values);
        for (size_t kind = 0; kind < STATES_KINDS; kind++) {
            double value = controls[i].values.of[kind];
            good = good && (most[kind] == 0 || (is_known(value) && value <= most[kind]));
        }
        if (good)
            kept[count++] = controls[i];
    }
    return count;
}

/* ---- Levels of one kind ---- */

/* The levels of one kind. */
struct kind {
    bool is_there;
    double bounds[MOST_LEVELS];
    size_t count;
    double *smoothed; /* smoothed logarithms of the controls that count */
};

/* Controls of one kind, sorted by their smoothed logarithms. */
struct ladder {
    size_t n;
    const double *smoothed; /* in the order of time */
    double *y;              /* ascending */
    double *time;           /* time[i]: share of the time of all controls below i; n + 1 entries */
    double *staying;        /* of those in stays; n + 1 entries */
    double *logs;           /* not smoothed */
    double noise;
    const double *known; /* logarithms */
    size_t known_count;
};

/* Each logarithm becomes the median of the five around it that are near in time, since others may
 * have been in another state. */
static void smooth(const struct states_control *controls, size_t n, size_t kind, double *y)
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
                around[near++] = log(controls[j].values.of[kind]);
        y[i] = stats_median(around, near);
    }
}

/* A control stands for half of the time to each of its neighbours; shares of the sum. */
static void find_shares(const struct states_control *controls, size_t n, double *shares)
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

/* How many controls in a row, of n, make a stay. */
static size_t stay_of(size_t n)
{
    size_t third = n / 3 > SHORTEST_STAY ? n / 3 : SHORTEST_STAY;
    return third < STAY ? third : STAY;
}

/* Sets the share of each control to 0 that is not in a stay: a row of at least stay_of(n)
 * controls that differ by less than levels do. */
static void keep_stays(const double *smoothed, size_t n, double noise, double *shares)
{
    double most = fmax(log(APART), LEAST_SPREADS * noise);
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

/* 1 + the index of the known level nearest to y, at most SAME away; 0 if there is none. */
static size_t known_near(const struct ladder *l, double y)
{
    size_t best = 0;
    double nearest = log(SAME);
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

/* How much of a run a level, or a state, takes. */
struct stay {
    size_t count;          /* controls */
    double share, staying; /* of the time: in all, and in stays */
};

/* Whether this makes a level of n controls; confirmed if earlier runs know the level. */
static bool lasts(const struct stay *time, size_t n, bool confirmed)
{
    if (confirmed)
        return time->share >= LEAST_SHARE_KNOWN && time->count >= fewest_known(n);
    if (time->share < LEAST_SHARE || time->count < stay_of(n))
        return false;
    return time->staying >= time->share / 2 ||
           (time->share >= SHARE_WITHOUT_STAYS && time->count >= FEWEST_WITHOUT_STAYS);
}

/* Whether the controls first..end - 1 are a level, and not disturbed controls of another level. */
static bool persists(const struct ladder *l, size_t first, size_t end, bool confirmed)
{
    struct stay time = {end - first, l->time[end] - l->time[first],
                        l->staying[end] - l->staying[first]};
    return lasts(&time, l->n, confirmed);
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
        /* At the widest gap of the stretch: each control in it joins the nearer side. */
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
    return (upper - lower) / fmax(log(APART), spreads * fmax(spread, NOISE_AS_SPREAD * l->noise));
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
        double bottom = stats_quantile_sorted(l->y + first, n, BEYOND);
        if (i > 0)
            bounds[i - 1] = exp((top + bottom) / 2);
        top = stats_quantile_sorted(l->y + first, n, 1 - BEYOND);
    }
}

struct grid {
    const struct states_control *controls;
    size_t n;
    struct kind kinds[STATES_KINDS];
    size_t *cells; /* the cell of each control */
    double *shares;
    struct stay times[MOST_CELLS];
};

/* Ascending logarithms of the known states' controls of a kind; states that lie on one level count
 * once. Returns their number. */
static size_t known_levels(const struct states_state *known, size_t count, size_t kind,
                           double *levels)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_known(known[i].of[kind].value))
            levels[n++] = log(known[i].of[kind].value);
    stats_sort(levels, n);
    for (size_t from = 0, end; from < n; from = end) {
        for (end = from + 1; end < n && levels[end] - levels[end - 1] < log(APART); end++)
            continue;
        levels[kept++] = stats_mean(levels + from, end - from);
    }
    return kept;
}

/* Finds the levels of a kind that all controls have, or none. O(n log n). */
static void find_levels(struct grid *grid, size_t which, const struct states_state *known,
                        size_t known_count)
{
    struct kind *kind = &grid->kinds[which];
    size_t n = grid->n, ends[MOST_LEVELS];
    double low = INFINITY, high = -INFINITY;
    kind->count = 1;
    kind->smoothed = memory_zeroed(n, sizeof *kind->smoothed);
    kind->is_there = is_known(grid->controls[0].values.of[which]);
    if (kind->is_there)
        smooth(grid->controls, n, which, kind->smoothed);
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, kind->smoothed[i]);
        high = fmax(high, kind->smoothed[i]);
    }
    if (high - low < log(APART)) /* less than between levels: there is one */
        return;
    size_t *order = memory_zeroed(n, sizeof *order);
    double *room = memory_zeroed(5 * n + 2, sizeof *room), *in_stays = room + 4 * n + 2;
    double *levels = memory_zeroed(known_count + 1, sizeof *levels);
    struct ladder l = {.n = n,
                       .smoothed = kind->smoothed,
                       .y = room,
                       .time = room + n,
                       .staying = room + 2 * n + 1,
                       .logs = room + 3 * n + 2,
                       .noise = states_noise(grid->controls, n).of[which],
                       .known = levels,
                       .known_count = known_levels(known, known_count, which, levels)};
    stats_sort_order(kind->smoothed, n, order);
    memcpy(in_stays, grid->shares, n * sizeof *in_stays);
    keep_stays(l.smoothed, n, l.noise, in_stays);
    for (size_t i = 0; i < n; i++) {
        l.y[i] = kind->smoothed[order[i]];
        l.time[i + 1] = l.time[i] + grid->shares[order[i]];
        l.staying[i + 1] = l.staying[i] + in_stays[order[i]];
        l.logs[i] = log(grid->controls[order[i]].values.of[which]);
    }
    kind->count = join(&l, ends, divide(&l, ends, MOST_LEVELS));
    find_bounds(&l, ends, kind->count, kind->bounds);
    free(levels);
    free(room);
    free(order);
}

/* ---- Cells: combinations of levels ---- */

static size_t level_of(const struct kind *kind, double value)
{
    size_t level = 0;
    while (level + 1 < kind->count && value >= kind->bounds[level])
        level++;
    return level;
}

/* Finds the cell of each control, and the share of the time of each cell. */
static void fill_cells(struct grid *grid)
{
    const struct kind *first = &grid->kinds[0], *second = &grid->kinds[1];
    for (size_t i = 0; i < grid->n; i++)
        grid->cells[i] = level_of(first, exp(first->smoothed[i])) * second->count +
                         level_of(second, exp(second->smoothed[i]));
    for (size_t i = 0, end; i < grid->n; i = end) {
        struct stay *time = &grid->times[grid->cells[i]];
        double share = 0;
        for (end = i; end < grid->n && grid->cells[end] == grid->cells[i]; end++)
            share += grid->shares[end];
        time->count += end - i;
        time->share += share;
        time->staying += end - i >= stay_of(grid->n) ? share : 0;
    }
}

/* ---- States ---- */

/* The edges of a found state in one kind, with which known states are compared. */
struct edges {
    double low, high; /* logarithms */
};

/* The median of the controls that lie in the state's range without smoothing; of none, as it is. */
static double value_in(const struct grid *grid, const struct states_state *state, size_t kind)
{
    double *inside = memory_zeroed(grid->n, sizeof *inside);
    size_t n = 0;
    for (size_t i = 0; i < grid->n; i++)
        if (states_hold(state, &grid->controls[i].values))
            inside[n++] = grid->controls[i].values.of[kind];
    double value = n > 0 ? stats_median(inside, n) : state->of[kind].value;
    free(inside);
    return value;
}

/* The state of a cell; edges receives its edges in each kind. */
static struct states_state describe(const struct grid *grid, size_t cell, struct edges *edges)
{
    size_t levels[] = {cell / grid->kinds[1].count, cell % grid->kinds[1].count};
    struct states_state state = {.count = grid->times[cell].count,
                                 .share = grid->times[cell].share};
    double *sorted = memory_zeroed(grid->n, sizeof *sorted);
    for (size_t i = 0; i < STATES_KINDS; i++) {
        const struct kind *kind = &grid->kinds[i];
        struct states_range *range = &state.of[i];
        *range = (struct states_range){NAN, 0, INFINITY};
        if (!kind->is_there)
            continue;
        size_t n = 0;
        for (size_t k = 0; k < grid->n; k++)
            if (grid->cells[k] == cell)
                sorted[n++] = kind->smoothed[k];
        stats_sort(sorted, n);
        range->value = exp(stats_median_sorted(sorted, n));
        range->low = levels[i] > 0 ? kind->bounds[levels[i] - 1] : 0;
        range->high = levels[i] + 1 < kind->count ? kind->bounds[levels[i]] : INFINITY;
        edges[i] = (struct edges){stats_quantile_sorted(sorted, n, BEYOND),
                                  stats_quantile_sorted(sorted, n, 1 - BEYOND)};
    }
    free(sorted);
    for (size_t i = 0; i < STATES_KINDS; i++)
        if (grid->kinds[i].is_there)
            state.of[i].value = value_in(grid, &state, i);
    return state;
}

/* The distance of a known state to a found one (in logarithms). A kind that one of them lacks does
 * not count. */
static double distance(const struct states_state *known, const struct states_state *found)
{
    double sum = 0;
    for (size_t i = 0; i < STATES_KINDS; i++)
        if (is_known(known->of[i].value) && is_known(found->of[i].value))
            sum += pow(log(known->of[i].value / found->of[i].value), 2);
    return sqrt(sum);
}

/* Whether the found state may equal the known one: in each kind they are near, or the known value
 * lies between the edges. */
static bool may_be(const struct states_state *known, const struct states_state *found,
                   const struct edges *edges)
{
    for (size_t i = 0; i < STATES_KINDS; i++) {
        if (!is_known(known->of[i].value) || !is_known(found->of[i].value))
            continue;
        double y = log(known->of[i].value);
        bool inside = y >= edges[i].low && y <= edges[i].high;
        if (!inside && fabs(y - log(found->of[i].value)) > log(SAME))
            return false;
    }
    return true;
}

struct candidate {
    struct states_state state;
    struct edges edges[STATES_KINDS];
    bool persists;
};

/* Orders cells: persistent ones first, then by share of the time. */
static int compare_shares(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->persists != y->persists)
        return x->persists ? -1 : 1;
    return (x->state.share < y->state.share) - (x->state.share > y->state.share);
}

static int compare_ranks(const void *a, const void *b)
{
    double x = states_rank(&((const struct candidate *)a)->state);
    double y = states_rank(&((const struct candidate *)b)->state);
    return (x > y) - (x < y);
}

/* Chooses the persistent cells, at most `room`, in ascending order. If there are none, the cell
 * with most of the time. */
static size_t choose(const struct grid *grid, const struct states_state *known, size_t known_count,
                     struct candidate *found, size_t room)
{
    size_t n = 0, count = 0;
    for (size_t cell = 0; cell < MOST_CELLS; cell++) {
        const struct stay *time = &grid->times[cell];
        if (time->count == 0)
            continue;
        struct candidate *next = &found[n++];
        next->state = describe(grid, cell, next->edges);
        bool confirmed = false; /* earlier runs have seen a state with these levels */
        for (size_t k = 0; k < known_count; k++)
            confirmed = confirmed || may_be(&known[k], &next->state, next->edges);
        next->persists = lasts(time, grid->n, confirmed);
    }
    qsort(found, n, sizeof *found, compare_shares);
    while (count < n && count < room && (count == 0 || found[count].persists))
        count++;
    qsort(found, count, sizeof *found, compare_ranks);
    return count;
}

/* Finds for each found state the known state that it equals: the nearest one that it may equal, and
 * to which no other found state is nearer. */
static void recognize(const struct states_state *known, size_t known_count, struct candidate *found,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double nearest = INFINITY;
        for (size_t k = 0; k < known_count; k++) {
            double own = distance(&known[k], &found[i].state);
            bool same = may_be(&known[k], &found[i].state, found[i].edges);
            for (size_t other = 0; other < count; other++)
                same = same && own <= distance(&known[k], &found[other].state);
            if (same && own < nearest) {
                nearest = own;
                found[i].state.known = k + 1;
            }
        }
    }
}

size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_state *known, size_t known_count, struct states_state *found,
                   size_t room)
{
    struct states_control *kept = memory_zeroed(n + 1, sizeof *kept);
    struct candidate *all = memory_zeroed(MOST_CELLS, sizeof *all);
    struct grid *grid = memory_zeroed(1, sizeof *grid);
    bool several = known_count > 0; /* levels, or states to choose from */
    size_t count = 0;
    grid->controls = kept;
    grid->n = leave_out(controls, n, kept);
    grid->cells = memory_zeroed(n + 1, sizeof *grid->cells);
    grid->shares = memory_zeroed(n + 1, sizeof *grid->shares);
    find_shares(kept, grid->n, grid->shares);
    for (size_t kind = 0; grid->n > 0 && kind < STATES_KINDS; kind++) {
        find_levels(grid, kind, known, known_count);
        several = several || grid->kinds[kind].count > 1;
    }
    if (grid->n > 0 && room > 0 && several) {
        fill_cells(grid);
        count = choose(grid, known, known_count, all, room);
        recognize(known, known_count, all, count);
    } else if (grid->n > 0 && room > 0) {
        grid->times[0] = (struct stay){.count = grid->n, .share = 1};
        all[count++].state = describe(grid, 0, all[0].edges);
    }
    for (size_t i = 0; i < count; i++)
        found[i] = all[i].state;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        free(grid->kinds[kind].smoothed);
    free(grid->cells);
    free(grid->shares);
    free(grid);
    free(all);
    free(kept);
    return count;
}
