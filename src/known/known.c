/* Joins the contents of the files of --known: states under common numbers, and points of all files.
 */
#include "known/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "output/result.h"
#include "stats/rounds.h"
#include "stats/stats.h"

/* Values of one state differ at most by this factor from run to run. */
#define ALIKE 1.2

/* A state under its common number, with its values in all files that have it. */
struct common {
    struct known_state state; /* values: the medians */
    struct states_values *values;
    size_t value_count, last_file;
};

/* All states of one set of PEs. */
struct set {
    struct common *states;
    size_t count, room;
    int highest; /* number of a state so far */
};

struct merge {
    struct set *sets;
    size_t set_room;
    struct table set_names; /* index of each set, by its name */
    struct table numbers;   /* known_state_name() of all numbers in use */
    size_t files;
};

/* A state of a file, its set, and a state of earlier files that it may equal. */
struct pair {
    size_t set, state, common;
    bool stated; /* the file itself says that they are one state */
    double distance;
};

/* ---- States ---- */

/* States of one set of PEs that have the same controls. */
static size_t set_of(struct merge *merge, const struct known_state *state)
{
    int controls = 0; /* as bits */
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        controls |= !isnan(state->ranges[kind].value) << kind;
    char *name = text_format("%d %d %s", controls, state->pes, state->members);
    size_t number = table_number(&merge->set_names, name, strlen(name) + 1);
    free(name);
    memory_extend(merge->sets, number, &merge->set_room);
    return number;
}

/* Whether two states may be one, judged by one kind of control. */
static bool alike_in(const struct states_range *a, const struct states_range *b)
{
    if (isnan(a->value)) /* then neither has the control, since they belong to one set */
        return true;
    const struct states_range *lower = a->value <= b->value ? a : b, *upper = lower == a ? b : a;
    if (upper->value <= lower->value * ALIKE)
        return true;
    /* If neither state has a bound between them, no run has told them apart from a state there. */
    bool bounded = isfinite(lower->high) || upper->low > 0;
    return bounded && upper->value < lower->high && lower->value >= upper->low;
}

static bool alike(const struct known_state *a, const struct known_state *b)
{
    bool all = true;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        all = all && alike_in(&a->ranges[kind], &b->ranges[kind]);
    return all;
}

static double distance_in(const struct states_range *a, const struct states_range *b)
{
    return isnan(a->value) ? 0 : fabs(log(a->value / b->value));
}

static double distance(const struct known_state *a, const struct known_state *b)
{
    double sum = 0;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        sum += pow(distance_in(&a->ranges[kind], &b->ranges[kind]), 2);
    return sqrt(sum);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->stated != y->stated)
        return x->stated ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

/* All pairs of states that may be one, the best pairs first. */
static struct pair *list_pairs(struct merge *merge, const struct known_file *file, size_t *count)
{
    struct pair *pairs = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t i = 0; i < file->state_count; i++) {
        const struct known_state *state = &file->states[i];
        size_t set = set_of(merge, state);
        for (size_t k = 0; k < merge->sets[set].count; k++) {
            const struct known_state *common = &merge->sets[set].states[k].state;
            if (!alike(state, common))
                continue;
            memory_extend(pairs, *count, &room);
            pairs[(*count)++] = (struct pair){
                .set = set,
                .state = i,
                .common = k,
                .stated = state->known && state->number == common->number,
                .distance = distance(state, common),
            };
        }
    }
    if (pairs)
        qsort(pairs, *count, sizeof *pairs, compare_pairs);
    return pairs;
}

static double median_of(const struct common *common, size_t kind)
{
    double *sorted = memory_allocate(common->value_count * sizeof *sorted);
    for (size_t i = 0; i < common->value_count; i++)
        sorted[i] = common->values[i].of[kind];
    stats_sort(sorted, common->value_count);
    double median = stats_median_sorted(sorted, common->value_count);
    free(sorted);
    return median;
}

static void unite(struct common *common, const struct known_state *state, size_t file)
{
    struct known_state *united = &common->state;
    size_t last = common->value_count++;
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        struct states_range *range = &united->ranges[kind];
        const struct states_range *own = &state->ranges[kind];
        common->values[last].of[kind] = own->value;
        range->value = median_of(common, kind);
        range->low = fmin(range->low, own->low);
        range->high = fmax(range->high, own->high);
    }
    united->share += state->share;
    united->seconds += state->seconds;
    common->last_file = file;
}

/* Marks a number as used. False if it was in use already. */
static bool reserve(struct merge *merge, const struct known_state *state, int number)
{
    char *name = known_state_name(state->members, state->pes, number);
    size_t before = merge->numbers.count;
    table_number(&merge->numbers, name, strlen(name) + 1);
    free(name);
    return merge->numbers.count > before;
}

static void add_state(struct merge *merge, const struct known_state *state, int number, size_t file)
{
    struct set *set = &merge->sets[set_of(merge, state)];
    memory_extend(set->states, set->count, &set->room);
    struct common *common = &set->states[set->count++];
    *common = (struct common){.state = *state};
    common->values = memory_allocate(merge->files * sizeof *common->values);
    common->state.number = number;
    common->state.members = memory_text(state->members);
    common->state.share = common->state.seconds = 0;
    unite(common, state, file);
    if (number > set->highest)
        set->highest = number;
}

/* Gives each state of a file its common number: numbers[] in the order of the file. */
static void take_states(struct merge *merge, const struct known_file *file, size_t file_number,
                        int *numbers)
{
    size_t count;
    struct pair *pairs = list_pairs(merge, file, &count);
    memset(numbers, 0, file->state_count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        struct common *common = &merge->sets[pairs[i].set].states[pairs[i].common];
        if (numbers[pairs[i].state] != 0 || common->last_file == file_number)
            continue;
        unite(common, &file->states[pairs[i].state], file_number);
        numbers[pairs[i].state] = common->state.number;
    }
    free(pairs);
    for (size_t i = 0; i < file->state_count; i++) {
        const struct known_state *state = &file->states[i];
        if (numbers[i] == 0 && reserve(merge, state, state->number))
            add_state(merge, state, numbers[i] = state->number, file_number);
    }
    for (size_t i = 0; i < file->state_count; i++) {
        const struct known_state *state = &file->states[i];
        if (numbers[i] != 0)
            continue;
        int number = merge->sets[set_of(merge, state)].highest + 1;
        while (!reserve(merge, state, number))
            number++;
        add_state(merge, state, numbers[i] = number, file_number);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const struct common *x = a, *y = b;
    return (x->state.number > y->state.number) - (x->state.number < y->state.number);
}

/* Separates two ranges of one kind that overlap. They overlap if one run saw one state, and thus no
 * bound, where another run saw two. */
static void part_in(struct states_range *lower, struct states_range *upper)
{
    bool high = lower->high > lower->value && lower->high <= upper->value;
    bool low = upper->low > lower->value && upper->low <= upper->value;
    double from = high ? lower->high : low ? upper->low : lower->value;
    double to = low ? upper->low : high ? lower->high : upper->value;
    lower->high = upper->low = sqrt(from) * sqrt(to);
}

/* The ranges of two states may not overlap in all kinds. If they do, separates them in the kind in
 * which the states are furthest apart. */
static void part(struct known_state *a, struct known_state *b)
{
    size_t furthest = 0;
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        const struct states_range *x = &a->ranges[kind], *y = &b->ranges[kind];
        if (!isnan(x->value) && (x->high <= y->low || y->high <= x->low))
            return;
        if (distance_in(x, y) > distance_in(&a->ranges[furthest], &b->ranges[furthest]))
            furthest = kind;
    }
    struct states_range *x = &a->ranges[furthest], *y = &b->ranges[furthest];
    if (x->value <= y->value)
        part_in(x, y);
    else
        part_in(y, x);
}

static void finish_set(struct set *set, size_t files)
{
    double seconds = 0;
    for (size_t i = 0; i < set->count; i++)
        seconds += set->states[i].state.seconds;
    for (size_t i = 0; i < set->count; i++) {
        struct known_state *state = &set->states[i].state;
        state->share = seconds > 0 && isfinite(seconds) ? state->seconds / seconds
                                                        : state->share / (double)files;
        for (size_t other = 0; other < i; other++)
            part(&set->states[other].state, state);
    }
    qsort(set->states, set->count, sizeof *set->states, compare_numbers);
}

/* Moves all states out of the merge, which is empty afterwards. */
static void finish_states(struct merge *merge, struct earlier_runs *known)
{
    size_t room = 0;
    for (size_t s = 0; s < merge->set_names.count; s++)
        room += merge->sets[s].count;
    known->states = memory_zeroed(room, sizeof *known->states);
    for (size_t s = 0; s < merge->set_names.count; s++) {
        struct set *set = &merge->sets[s];
        finish_set(set, merge->files);
        for (size_t i = 0; i < set->count; i++) {
            known->states[known->state_count++] = set->states[i].state;
            free(set->states[i].values);
        }
        free(set->states);
    }
    free(merge->sets);
    table_free(&merge->set_names);
    table_free(&merge->numbers);
}

/* ---- Points ---- */

/* Moves the points of a file, and gives their states the common numbers. */
static void take_points(struct earlier_runs *known, struct known_file *file, const int *numbers)
{
    known->points = memory_resize_array(known->points, known->point_count + file->point_count + 1,
                                        sizeof *known->points);
    for (size_t i = 0; i < file->point_count; i++) {
        struct known_point *point = &file->points[i];
        for (size_t v = 0; v < point->value_count; v++) {
            struct known_value *value = &point->values[v];
            value->state = numbers[known_file_state(file, point, value->state) - file->states];
            value->file = known->run_count;
        }
        known->points[known->point_count++] = *point;
    }
    file->point_count = 0;
}

static int compare_points(const void *a, const void *b)
{
    return strcmp(((const struct known_point *)a)->key, ((const struct known_point *)b)->key);
}

static int compare_known_values(const void *a, const void *b)
{
    const struct known_value *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

/* Joins several values of one state. */
static struct known_value value_of(const struct known_value *values, size_t count)
{
    struct known_value all = {
        .state = values->state, .median = NAN, .next_low = NAN, .next_high = NAN};
    double *medians = memory_allocate(count * sizeof *medians);
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        all.rounds += values[i].rounds;
        all.next_low = fmin(all.next_low, values[i].next_low); /* fmin() ignores NaN */
        all.next_high = fmax(all.next_high, values[i].next_high);
        if (!isnan(values[i].median))
            medians[known++] = values[i].median;
    }
    stats_sort(medians, known);
    all.median = stats_median_sorted(medians, known);
    free(medians);
    return all;
}

/* Variance between the values of one state, in the order of the files. Each file is a launch, so a
 * point that a file has several times counts once. */
static double variance_of(const struct known_value *values, size_t count)
{
    struct rounds_launch *launches = memory_allocate(count * sizeof *launches);
    size_t files = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i].file != values[i - 1].file)
            launches[files++] = values[i].launch;
    double variance = rounds_between_launches(launches, files);
    free(launches);
    return variance;
}

/* Joins the values of each state of a point, and appends the variances from launch to launch that
 * are known, of which there may be one for each state; returns how many there are now. */
static size_t unite_values(struct known_point *point, double *variances, size_t count)
{
    size_t kept = 0;
    qsort(point->values, point->value_count, sizeof *point->values, compare_known_values);
    for (size_t from = 0, to; from < point->value_count; from = to) {
        for (to = from + 1; to < point->value_count; to++)
            if (point->values[to].state != point->values[from].state)
                break;
        double variance = variance_of(point->values + from, to - from);
        if (!isnan(variance))
            variances[count++] = variance;
        point->values[kept++] = value_of(point->values + from, to - from);
    }
    point->value_count = kept;
    return count;
}

static void append_values(struct known_point *point, const struct known_point *other)
{
    point->values = memory_resize_array(point->values, point->value_count + other->value_count,
                                        sizeof *point->values);
    memcpy(point->values + point->value_count, other->values,
           other->value_count * sizeof *point->values);
    point->value_count += other->value_count;
}

static void finish_points(struct earlier_runs *known)
{
    size_t kept = 0;
    qsort(known->points, known->point_count, sizeof *known->points, compare_points);
    for (size_t i = 0; i < known->point_count; i++) {
        struct known_point *point = &known->points[i];
        if (kept > 0 && compare_points(&known->points[kept - 1], point) == 0) {
            append_values(&known->points[kept - 1], point);
            known_point_release(point);
        } else {
            known->points[kept++] = *point;
        }
    }
    known->point_count = kept;
    size_t most = 1, count = 0;
    for (size_t i = 0; i < kept; i++)
        most += known->points[i].value_count;
    double *variances = memory_zeroed(most, sizeof *variances);
    for (size_t i = 0; i < kept; i++)
        count = unite_values(&known->points[i], variances, count);
    stats_sort(variances, count);
    double median = stats_median_sorted(variances, count);
    known->launch_difference = count ? sqrt(fmin(1, fmax(0, median))) : NAN;
    free(variances);
}

/* ---- All files ---- */

static void take_file(struct merge *merge, struct earlier_runs *known, struct known_file *file)
{
    if (!file->run.other) {
        int *numbers = memory_allocate(file->state_count * sizeof *numbers);
        take_states(merge, file, known->run_count + 1, numbers);
        take_points(known, file, numbers);
        free(numbers);
    }
    known->runs[known->run_count++] = file->run;
    file->run = (struct known_run){0};
}

struct earlier_runs *known_read(const char *const *paths, size_t n, const char *software,
                                char **error)
{
    struct merge merge = {.files = n};
    struct earlier_runs *known = memory_zeroed(1, sizeof *known);
    known->runs = memory_zeroed(n, sizeof *known->runs);
    known->points = memory_zeroed(1, sizeof *known->points);
    *error = NULL;
    for (size_t i = 0; i < n && !*error; i++) {
        struct known_file file = {0};
        for (size_t k = 0; k < i && !*error; k++)
            if (strcmp(paths[k], paths[i]) == 0)
                *error = text_format("--known %s: named twice: name each run once", paths[i]);
        if (!*error)
            *error = known_file_read(paths[i], &file);
        if (!*error) {
            /* As far as the file states the library and its settings. */
            file.run.other =
                software && *file.run.software && strcmp(file.run.software, software) != 0;
            take_file(&merge, known, &file);
        }
        known_file_release(&file);
    }
    finish_states(&merge, known);
    finish_points(known);
    if (!*error)
        return known;
    known_free(known);
    return NULL;
}

void known_free(struct earlier_runs *known)
{
    if (!known)
        return;
    for (size_t i = 0; i < known->run_count; i++)
        known_run_release(&known->runs[i]);
    for (size_t i = 0; i < known->state_count; i++)
        known_state_release(&known->states[i]);
    for (size_t i = 0; i < known->point_count; i++)
        known_point_release(&known->points[i]);
    free(known->runs);
    free(known->states);
    free(known->points);
    free(known);
}

static const struct known_point *find_point(const struct earlier_runs *known,
                                            const struct result_point *point)
{
    struct known_point wanted = {.key = output_point_text(point)};
    const struct known_point *found =
        bsearch(&wanted, known->points, known->point_count, sizeof *known->points, compare_points);
    free(wanted.key);
    return found;
}

const struct known_point *known_find(const struct earlier_runs *known,
                                     const struct result_point *point)
{
    /* Files of older versions state only these members of a point. */
    const struct result_point older = {.block = point->block,
                                       .text = point->text,
                                       .variables = point->variables,
                                       .variable_count = point->variable_count,
                                       .members = point->members,
                                       .pes = point->pes};
    const struct known_point *found = find_point(known, point);
    return found ? found : find_point(known, &older);
}
