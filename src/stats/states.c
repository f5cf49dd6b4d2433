/* The states of a machine: combinations of levels of its controls that persist. */
#include "stats/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/control_levels.h"
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

static bool is_known(double value)
{
    return value > 0 && isfinite(value);
}

bool states_are_known(const struct states_values *values)
{
    bool known = false;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        known = known || is_known(values->of[kind]);
    return known;
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
        double most = fmax(log(CONTROL_APART), CHANGE_NOISES * noise->of[kind]);
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
    struct states_values values;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        values.of[kind] = state->of[kind].value;
    return states_product(&values);
}

/* ---- Series ---- */

/* Extracts the series of one kind from controls that are all known. */
static void series_of(const struct states_control *controls, size_t n, size_t kind,
                      struct control_at *series)
{
    for (size_t i = 0; i < n; i++)
        series[i] = (struct control_at){controls[i].at, controls[i].values.of[kind]};
}

struct states_values states_noise(const struct states_control *controls, size_t n)
{
    struct states_values noise;
    struct control_at *series = memory_zeroed(n + 1, sizeof *series);
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        size_t known = 0;
        for (size_t i = 0; i < n; i++)
            if (is_known(controls[i].values.of[kind]))
                series_of(&controls[i], 1, kind, &series[known++]);
        noise.of[kind] = control_noise(series, known);
    }
    free(series);
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

/* ---- Cells: combinations of levels ---- */

/* The levels of one kind. */
struct kind {
    bool is_there;
    double bounds[MOST_LEVELS];
    size_t count;
    double *smoothed; /* smoothed logarithms of the controls that count */
};

struct grid {
    const struct states_control *controls;
    size_t n;
    struct kind kinds[STATES_KINDS];
    size_t *cells; /* the cell of each control */
    double *shares;
    struct control_time times[MOST_CELLS];
};

static size_t level_of(const struct kind *kind, double value)
{
    size_t level = 0;
    while (level + 1 < kind->count && value >= kind->bounds[level])
        level++;
    return level;
}

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
        for (end = from + 1; end < n && levels[end] - levels[end - 1] < log(CONTROL_APART); end++)
            continue;
        levels[kept++] = stats_mean(levels + from, end - from);
    }
    return kept;
}

static void find_levels(struct grid *grid, const struct states_state *known, size_t known_count)
{
    struct control_at *series = memory_zeroed(grid->n, sizeof *series);
    double *levels = memory_zeroed(known_count + 1, sizeof *levels);
    for (size_t i = 0; i < STATES_KINDS; i++) {
        struct kind *kind = &grid->kinds[i];
        kind->count = 1;
        kind->smoothed = memory_zeroed(grid->n, sizeof *kind->smoothed);
        kind->is_there = is_known(grid->controls[0].values.of[i]);
        if (!kind->is_there)
            continue;
        series_of(grid->controls, grid->n, i, series);
        size_t count = known_levels(known, known_count, i, levels);
        kind->count =
            control_levels_find(series, grid->n, levels, count, kind->bounds, MOST_LEVELS);
        control_smooth(series, grid->n, kind->smoothed);
        control_shares(series, grid->n, grid->shares);
    }
    free(levels);
    free(series);
}

/* Finds the cell of each control, and the share of the time of each cell. */
static void fill_cells(struct grid *grid)
{
    const struct kind *first = &grid->kinds[0], *second = &grid->kinds[1];
    for (size_t i = 0; i < grid->n; i++)
        grid->cells[i] = level_of(first, exp(first->smoothed[i])) * second->count +
                         level_of(second, exp(second->smoothed[i]));
    for (size_t i = 0, end; i < grid->n; i = end) {
        struct control_time *time = &grid->times[grid->cells[i]];
        double share = 0;
        for (end = i; end < grid->n && grid->cells[end] == grid->cells[i]; end++)
            share += grid->shares[end];
        time->count += end - i;
        time->share += share;
        time->staying += end - i >= control_stay(grid->n) ? share : 0;
    }
}

/* Copies the controls of one kind in a cell in ascending order. Returns their number. */
static size_t sorted_in(const struct grid *grid, size_t cell, const double *logs, double *sorted)
{
    size_t n = 0;
    for (size_t i = 0; i < grid->n; i++)
        if (grid->cells[i] == cell)
            sorted[n++] = logs[i];
    stats_sort(sorted, n);
    return n;
}

/* ---- States ---- */

/* The edges of a found state in one kind, with which known states are compared. */
struct edges {
    double low, high; /* logarithms */
};

/* The median of the controls that lie in the state's range without smoothing. */
static double value_in(const struct grid *grid, const struct states_state *state, size_t kind,
                       double otherwise)
{
    double *inside = memory_zeroed(grid->n, sizeof *inside);
    size_t n = 0;
    for (size_t i = 0; i < grid->n; i++)
        if (states_hold(state, &grid->controls[i].values))
            inside[n++] = grid->controls[i].values.of[kind];
    double value = n > 0 ? stats_median(inside, n) : otherwise;
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
        size_t n = sorted_in(grid, cell, kind->smoothed, sorted);
        range->value = exp(stats_median_sorted(sorted, n));
        range->low = levels[i] > 0 ? kind->bounds[levels[i] - 1] : 0;
        range->high = levels[i] + 1 < kind->count ? kind->bounds[levels[i]] : INFINITY;
        edges[i] = (struct edges){stats_quantile_sorted(sorted, n, CONTROL_BEYOND),
                                  stats_quantile_sorted(sorted, n, 1 - CONTROL_BEYOND)};
    }
    free(sorted);
    struct states_state whole = state;
    for (size_t i = 0; i < STATES_KINDS; i++)
        if (grid->kinds[i].is_there)
            state.of[i].value = value_in(grid, &whole, i, whole.of[i].value);
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
        if (!inside && fabs(y - log(found->of[i].value)) > log(CONTROL_SAME))
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
        const struct control_time *time = &grid->times[cell];
        if (time->count == 0)
            continue;
        struct candidate *next = &found[n++];
        next->state = describe(grid, cell, next->edges);
        bool confirmed = false; /* earlier runs have seen a state with these levels */
        for (size_t k = 0; k < known_count; k++)
            confirmed = confirmed || may_be(&known[k], &next->state, next->edges);
        next->persists = control_persists(time, grid->n, confirmed);
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

static size_t find(const struct states_control *controls, size_t n,
                   const struct states_state *known, size_t known_count, struct candidate *found,
                   size_t room)
{
    struct grid *grid = memory_zeroed(1, sizeof *grid);
    grid->controls = controls;
    grid->n = n;
    grid->cells = memory_zeroed(n, sizeof *grid->cells);
    grid->shares = memory_zeroed(n, sizeof *grid->shares);
    find_levels(grid, known, known_count);
    fill_cells(grid);
    size_t count = choose(grid, known, known_count, found, room);
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        free(grid->kinds[kind].smoothed);
    free(grid->cells);
    free(grid->shares);
    free(grid);
    return count;
}

size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_state *known, size_t known_count, struct states_state *found,
                   size_t room)
{
    struct states_control *kept = memory_zeroed(n + 1, sizeof *kept);
    struct candidate *all = memory_zeroed(MOST_CELLS, sizeof *all);
    n = leave_out(controls, n, kept);
    size_t count = n > 0 && room > 0 ? find(kept, n, known, known_count, all, room) : 0;
    recognize(known, known_count, all, count);
    for (size_t i = 0; i < count; i++)
        found[i] = all[i].state;
    free(all);
    free(kept);
    return count;
}
