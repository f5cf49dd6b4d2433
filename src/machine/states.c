/*
 * What the controls of a run tell: in results, of the states of the machine, and in rounds.
 */
#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/parts.h"
#include "objects/pe_set.h"
#include "stats/stats.h"

/* Controls that the output gets of one set. */
#define LONGEST_SERIES 2000
/* Repetitions that make a median of a part of a round. */
#define FEWEST_IN_PART 4

struct machine *machine_begin(double started, const char *state, double wait,
                              const struct earlier_runs *earlier)
{
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    machine->wanted.text = state;
    machine->wanted.wait = wait;
    free(state_wanted_parse(state, &machine->wanted.state)); /* what is wrong has been refused */
    controls_begin(machine, started, earlier);
    return machine;
}

/* ---- Results ---- */

/* The repetitions of one measurement: their times, and the controls around each. */
struct repetitions {
    const double *values;
    const struct states_values *controls;
    size_t count;
};

/* Median of one member of the log's controls from the first one of a measurement on. */
static double median_seen(const struct control_log *log, size_t first, size_t offset, double *room)
{
    size_t n = 0;
    for (size_t i = first; i < log->count; i++) {
        double value = *(const double *)((const char *)&log->controls[i].seen + offset);
        if (!isnan(value))
            room[n++] = value;
    }
    return stats_median(room, n);
}

/* The median of one kind of control around the repetitions in a state (NULL: around all).
 * NaN: none is known. */
static double control_in(const struct repetitions *made, const struct states_state *state,
                         size_t kind, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < made->count; i++) {
        double value = made->controls[i].of[kind];
        if (value > 0 && (!state || states_hold(state, &made->controls[i])))
            room[n++] = value;
    }
    return stats_median(room, n);
}

static void find_parts(const struct control_log *log, const struct repetitions *made,
                       struct statistics *statistics, double *room)
{
    statistics->part_count = 0;
    for (size_t i = 0; i < log->state_count; i++) {
        const struct states_state *state = &log->states[i];
        size_t n = 0;
        for (size_t k = 0; k < made->count; k++)
            if (states_hold(state, &made->controls[k]))
                room[n++] = made->values[k];
        if (n == 0)
            continue;
        stats_sort(room, n);
        struct result_part *part = &statistics->parts[statistics->part_count++];
        *part = (struct result_part){.valid = n,
                                     .median = stats_median_sorted(room, n),
                                     .p25 = stats_quantile_sorted(room, n, 0.25),
                                     .p75 = stats_quantile_sorted(room, n, 0.75)};
        for (size_t kind = 0; kind < STATES_KINDS; kind++)
            part->controls.of[kind] = control_in(made, state, kind, room);
    }
}

void machine_describe(const struct control_log *log, size_t first,
                      const struct states_values *before, const double *values,
                      const struct states_values *controls, size_t count,
                      struct statistics *statistics)
{
    struct repetitions made = {values, controls, count};
    struct result_controls *seen = &statistics->controls;
    size_t places = log->count - first;
    double *room = memory_zeroed((places > count ? places : count) + 1, sizeof *room);
    double *members = (double *)seen;
    for (size_t i = 0; i < sizeof *seen / sizeof *members; i++)
        members[i] = median_seen(log, first, i * sizeof *members, room);
    /* The median of the controls around the repetitions; if there are none, the last control. */
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        double median = control_in(&made, NULL, kind, room);
        *(double *)((char *)seen + result_control_kinds[kind].offset) =
            isnan(median) ? before->of[kind] : median;
    }
    find_parts(log, &made, statistics, room);
    free(room);
}

void machine_measured(struct machine *machine, const struct pe_set *set,
                      const struct statistics *statistics)
{
    if (machine->wanted.state.kind != WANTED_FASTEST)
        return;
    struct control_log *log = machine_log(machine, set);
    struct states_values values = result_control_values(&statistics->controls);
    if (!log->has_slowest || states_product(&values) > states_product(&log->slowest))
        log->slowest = values;
    log->has_slowest = true;
}

bool machine_has_states(struct machine *machine, const struct pe_set *set)
{
    return machine_log(machine, set)->state_count > 1;
}

void machine_settle(struct machine *machine)
{
    for (size_t i = 0; i < machine->log_count; i++)
        controls_judge(machine->logs[i]);
}

/* ---- Records ---- */

/* Of the set of this log; ranges and what time says are to be filled in. */
static struct result_state state_of(const struct control_log *log, int number, bool only,
                                    const char *members)
{
    return (struct result_state){.number = number,
                                 .members = members,
                                 .pes = (size_t)pe_set_size(log->set),
                                 .only_set = only};
}

static void report_state(const struct control_log *log, size_t index, bool only,
                         const char *members, struct output *output)
{
    const struct states_state *found = &log->states[index];
    double seconds = log->controls[log->count - 1].at - log->controls[0].at;
    struct result_state state = state_of(log, log->numbers[index], only, members);
    memcpy(state.ranges, found->of, sizeof state.ranges);
    state.share = found->share;
    state.seconds = found->share * seconds;
    state.known = found->known > 0;
    state.is_new = log->known_count > 0 && found->known == 0;
    state.alone = log->state_count == 1 && log->known_count == 0;
    output_put(output, &(struct record){.kind = RECORD_STATE, .state = &state});
}

/* A state that only earlier runs have seen. */
static void report_known(const struct control_log *log, size_t known, bool only,
                         const char *members, struct output *output)
{
    for (size_t i = 0; i < log->state_count; i++)
        if (log->states[i].known == known + 1)
            return;
    struct result_state state = state_of(log, log->known_numbers[known], only, members);
    memcpy(state.ranges, log->known[known].of, sizeof state.ranges);
    state.known = true;
    output_put(output, &(struct record){.kind = RECORD_STATE, .state = &state});
}

/* Reports as many controls as the output takes, evenly chosen. */
static void report_controls(const struct control_log *log, const char *members,
                            struct output *output)
{
    size_t n = log->count < LONGEST_SERIES ? log->count : LONGEST_SERIES;
    double *at = memory_zeroed(n, sizeof *at);
    struct result_controls *seen = memory_zeroed(n, sizeof *seen);
    for (size_t i = 0; i < n; i++) {
        const struct control *control = &log->controls[i * log->count / n];
        at[i] = control->at;
        seen[i] = control->seen;
    }
    output_put(output, &(struct record){.kind = RECORD_CONTROLS,
                                        .controls = &(struct result_control_series){
                                            .members = members,
                                            .pes = (size_t)pe_set_size(log->set),
                                            .count = n,
                                            .at = at,
                                            .seen = seen}});
    free(seen);
    free(at);
}

static void report_states(const struct machine *machine, struct output *output)
{
    size_t sets = 0;
    for (size_t i = 0; i < machine->log_count; i++)
        sets += machine->logs[i]->state_count > 0;
    for (size_t i = 0; i < machine->log_count; i++) {
        const struct control_log *log = machine->logs[i];
        if (log->state_count == 0)
            continue;
        char *members = pe_set_text(log->set);
        for (size_t state = 0; state < log->state_count; state++)
            report_state(log, state, sets == 1, members, output);
        for (size_t known = 0; known < log->known_count; known++)
            report_known(log, known, sets == 1, members, output);
        report_controls(log, members, output);
        free(members);
    }
}

/* A warning for each set of which some results were measured in a slower state than the fastest. */
static bool is_slower(const struct machine *machine, struct output *output)
{
    bool found = false;
    for (size_t i = 0; i < machine->log_count; i++) {
        const struct control_log *log = machine->logs[i];
        size_t slowest = states_of(&log->slowest, log->states, log->state_count);
        if (!log->has_slowest || slowest == 0 || slowest == log->state_count)
            continue;
        found = true;
        output_comment(output,
                       "warning: --state fastest: state %d, which is faster, came when results "
                       "had been measured in state %d: measure again, with --known and the JSON "
                       "file of this run",
                       log->numbers[0], log->numbers[slowest]);
    }
    return found;
}

bool machine_report(const struct machine *machine, struct output *output)
{
    report_states(machine, output);
    return !is_slower(machine, output);
}

/* ---- Rounds ---- */

/* The part of a round that was made in a state, or NULL. Parts are in the order of rounds: *from is
 * the first one of this round, and then of the next. */
static const struct round_part *part_in(const struct control_log *log,
                                        const struct round_parts *parts, size_t round, size_t state,
                                        size_t *from)
{
    const struct round_part *found = NULL;
    for (; *from < parts->count && parts->of[*from].round == round; ++*from) {
        const struct round_part *part = &parts->of[*from];
        bool enough = part->valid >= FEWEST_IN_PART || part->alone;
        if (enough && states_of(&part->controls, log->states, log->state_count) == state &&
            (!found || part->valid > found->valid))
            found = part;
    }
    return found;
}

/* Medians of the rounds in a state, to medians and within; how many. */
static size_t medians_in(const struct control_log *log, const struct round_parts *parts,
                         size_t state, double *medians, double *within)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < parts->rounds; round++) {
        const struct round_part *part = part_in(log, parts, round, state, &from);
        if (!part || isnan(part->median))
            continue;
        medians[n] = part->median;
        within[n++] = part->within;
    }
    return n;
}

static size_t rounds_in(const struct control_log *log, const struct round_parts *parts,
                        size_t state)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < parts->rounds; round++)
        n += part_in(log, parts, round, state, &from) != NULL;
    return n;
}

/* The state of a complete round, 0: it has parts in several, or is not known; *from as above. */
static int round_state(const struct control_log *log, const struct round_parts *parts, size_t round,
                       size_t *from)
{
    int number = 0;
    bool one = true;
    for (; *from < parts->count && parts->of[*from].round == round; ++*from) {
        size_t state = states_of(&parts->of[*from].controls, log->states, log->state_count);
        int own = state < log->state_count ? log->numbers[state] : 0;
        one = one && own != 0 && (number == 0 || own == number);
        number = own;
    }
    return one ? number : 0;
}

bool machine_rounds(struct machine *machine, const struct round_parts *parts, double confidence,
                    const struct rounds_unseen *unseen, struct state_rounds *all)
{
    const struct control_log *log = machine_log(machine, parts->set);
    *all = (struct state_rounds){.several = log->state_count > 1,
                                 .several_told = log->state_count > 1 || log->known_count > 0};
    if (log->state_count == 0) {
        all->several_told = false;
        return false;
    }
    all->round_states = memory_zeroed(parts->rounds + 1, sizeof(int));
    double *medians = memory_zeroed(parts->rounds + 1, sizeof *medians);
    double *within = memory_zeroed(parts->rounds + 1, sizeof *within);
    for (size_t state = 0; state < log->state_count; state++) {
        size_t n = medians_in(log, parts, state, medians, within);
        if (n == 0) {
            all->missed[all->missed_count++] = log->numbers[state];
            continue;
        }
        struct rounds found = rounds_of(medians, within, n, confidence);
        rounds_widen(&found, unseen);
        all->states[all->count++] = (struct result_state_rounds){log->numbers[state], found};
    }
    size_t from = 0;
    for (size_t round = 0; round < parts->rounds; round++)
        all->round_states[round] = round_state(log, parts, round, &from);
    free(within);
    free(medians);
    return true;
}

void machine_release_rounds(struct state_rounds *rounds)
{
    free(rounds->round_states);
}

bool machine_lacks_rounds(struct machine *machine, const struct round_parts *parts, bool any)
{
    const struct control_log *log = machine_log(machine, parts->set);
    if (log->count == 0 || log->state_count < 2)
        return false;
    /* Of sets that nobody looks at between measurements the state is not known now. */
    any = any || !pe_set_equal(log->set, machine->world);
    struct states_values now = controls_now(log);
    for (size_t state = 0; state < log->state_count; state++)
        if ((any || states_of(&now, log->states, log->state_count) == state) &&
            rounds_in(log, parts, state) < ROUNDS_FEWEST)
            return true;
    return false;
}
