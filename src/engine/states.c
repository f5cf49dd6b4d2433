/*
 * The states of the machine in results: what they are, and what rounds say about each.
 */
#include "engine/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "objects/pe_set.h"

/* Controls that the output gets of one set. */
#define LONGEST_SERIES 2000
/* Repetitions that make a median of a part of a round. */
#define FEWEST_IN_PART 4

void states_settle(struct controls *controls)
{
    for (size_t i = 0; i < controls->log_count; i++)
        controls_judge(controls->logs[i]);
}

int states_number(const struct control_log *log, const struct states_values *controls)
{
    size_t state = states_of(controls, log->states, log->state_count);
    return state < log->state_count ? log->numbers[state] : 0;
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
    output_state(output, &state);
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
    output_state(output, &state);
}

/* As many as the output takes, evenly. */
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
    output_controls(output, &(struct result_control_series){.members = members,
                                                            .pes = (size_t)pe_set_size(log->set),
                                                            .count = n,
                                                            .at = at,
                                                            .seen = seen});
    free(seen);
    free(at);
}

void states_report(const struct controls *controls, struct output *output)
{
    size_t sets = 0;
    for (size_t i = 0; i < controls->log_count; i++)
        sets += controls->logs[i]->state_count > 0;
    for (size_t i = 0; i < controls->log_count; i++) {
        const struct control_log *log = controls->logs[i];
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

bool states_slower(const struct controls *controls, struct output *output)
{
    bool found = false;
    for (size_t i = 0; i < controls->log_count; i++) {
        const struct control_log *log = controls->logs[i];
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

/* ---- Rounds ---- */

/* The part of a round that was made in a state, or NULL. Parts are in the order of rounds: *from is
 * the first one of this round, and then of the next. */
static const struct round_part *part_in(const struct control_log *log,
                                        const struct rounds_record *record, size_t round,
                                        size_t state, size_t *from)
{
    const struct round_part *found = NULL;
    for (; *from < record->part_count && record->parts[*from].round == round; ++*from) {
        const struct round_part *part = &record->parts[*from];
        bool enough = part->valid >= FEWEST_IN_PART || part->alone;
        if (enough && states_of(&part->controls, log->states, log->state_count) == state &&
            (!found || part->valid > found->valid))
            found = part;
    }
    return found;
}

/* Medians of the rounds in a state, to medians and within; how many. */
static size_t medians_in(const struct control_log *log, const struct rounds_record *record,
                         size_t state, double *medians, double *within)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < record->made; round++) {
        const struct round_part *part = part_in(log, record, round, state, &from);
        if (!part || isnan(part->median))
            continue;
        medians[n] = part->median;
        within[n++] = part->within;
    }
    return n;
}

size_t states_rounds_in(const struct control_log *log, const struct rounds_record *record,
                        size_t state)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < record->made; round++)
        n += part_in(log, record, round, state, &from) != NULL;
    return n;
}

/* The state of a complete round, 0: it has parts in several, or is not known; *from as above. */
static int round_state(const struct control_log *log, const struct rounds_record *record,
                       size_t round, size_t *from)
{
    int number = 0;
    bool one = true;
    for (; *from < record->part_count && record->parts[*from].round == round; ++*from) {
        int own = states_number(log, &record->parts[*from].controls);
        one = one && own != 0 && (number == 0 || own == number);
        number = own;
    }
    return one ? number : 0;
}

struct state_rounds states_of_rounds(const struct control_log *log,
                                     const struct rounds_record *record, double confidence,
                                     const struct rounds_unseen *unseen)
{
    struct state_rounds all = {.round_states = memory_zeroed(record->made + 1, sizeof(int))};
    double *medians = memory_zeroed(record->made + 1, sizeof *medians);
    double *within = memory_zeroed(record->made + 1, sizeof *within);
    for (size_t state = 0; state < log->state_count; state++) {
        size_t n = medians_in(log, record, state, medians, within);
        if (n == 0)
            continue;
        struct rounds found = rounds_of(medians, within, n, confidence);
        rounds_widen(&found, unseen);
        all.states[all.count++] = (struct result_state_rounds){.state = log->numbers[state],
                                                               .rounds = n,
                                                               .median = found.median,
                                                               .median_low = found.low,
                                                               .median_high = found.high,
                                                               .reached = found.reached,
                                                               .next_low = found.next_low,
                                                               .next_high = found.next_high,
                                                               .between = found.between};
    }
    size_t from = 0;
    for (size_t round = 0; round < record->made; round++)
        all.round_states[round] = round_state(log, record, round, &from);
    free(within);
    free(medians);
    return all;
}

void states_release(struct state_rounds *rounds)
{
    free(rounds->round_states);
}
