/*
 * The states of the machine in results: what they are, and what rounds say about each.
 */
#include "engine/states.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/members.h"
#include "stats/rounds.h"

/* Controls that the output gets of one set. */
#define LONGEST_SERIES 2000
/* Repetitions that make a median of a part of a round. */
#define FEWEST_IN_PART 4

void states_settle(struct controls *controls)
{
    for (size_t i = 0; i < controls->log_count; i++)
        controls_judge(controls->logs[i]);
}

int states_number(const struct control_log *log, double control)
{
    size_t level = states_level_of(control, log->levels, log->level_count);
    return level < log->level_count ? log->numbers[level] : 0;
}

/* ---- Records ---- */

static void report_state(const struct control_log *log, size_t level, bool only,
                         const char *members, struct output *output)
{
    const struct states_level *found = &log->levels[level];
    double seconds = log->controls[log->count - 1].at - log->controls[0].at;
    output_state(output, &(struct result_state){
                             .number = log->numbers[level],
                             .members = members,
                             .pes = (size_t)pe_set_size(log->set),
                             .only_set = only,
                             .value = found->value,
                             .low = found->low,
                             .high = found->high,
                             .share = found->share,
                             .seconds = found->share * seconds,
                             .known = found->known > 0,
                             .is_new = log->known_count > 0 && found->known == 0,
                             .alone = log->level_count == 1 && log->known_count == 0,
                         });
}

/* A state that only earlier runs have seen. */
static void report_known(const struct control_log *log, size_t known, bool only,
                         const char *members, struct output *output)
{
    for (size_t level = 0; level < log->level_count; level++)
        if (log->levels[level].known == known + 1)
            return;
    output_state(output, &(struct result_state){
                             .number = log->known_numbers[known],
                             .members = members,
                             .pes = (size_t)pe_set_size(log->set),
                             .only_set = only,
                             .value = log->known[known].value,
                             .low = log->known[known].low,
                             .high = log->known[known].high,
                             .known = true,
                         });
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
        sets += controls->logs[i]->level_count > 0;
    for (size_t i = 0; i < controls->log_count; i++) {
        const struct control_log *log = controls->logs[i];
        if (log->level_count == 0)
            continue;
        char *members = members_text(log->set);
        for (size_t level = 0; level < log->level_count; level++)
            report_state(log, level, sets == 1, members, output);
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
        size_t level = states_level_of(log->slowest, log->levels, log->level_count);
        if (log->slowest == 0 || level == 0 || level == log->level_count)
            continue;
        found = true;
        output_comment(output,
                       "warning: --state fastest: a faster state (%.4g ns) came when results had "
                       "been measured at up to %.4g ns: measure again, with --known and the JSON "
                       "file of this run",
                       log->levels[0].value * 1e9, log->slowest * 1e9);
    }
    return found;
}

/* ---- Rounds ---- */

/* The part of a round that was made in a state, or NULL. Parts are in the order of rounds: *from is
 * the first one of this round, and then of the next. */
static const struct round_part *part_in(const struct control_log *log,
                                        const struct rounds_record *record, size_t round,
                                        size_t level, size_t *from)
{
    const struct round_part *found = NULL;
    for (; *from < record->part_count && record->parts[*from].round == round; ++*from) {
        const struct round_part *part = &record->parts[*from];
        bool enough = part->valid >= FEWEST_IN_PART || part->alone;
        if (enough && states_level_of(part->control, log->levels, log->level_count) == level &&
            (!found || part->valid > found->valid))
            found = part;
    }
    return found;
}

/* Medians of the rounds in a state, to medians and within; how many. */
static size_t medians_in(const struct control_log *log, const struct rounds_record *record,
                         size_t level, double *medians, double *within)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < record->made; round++) {
        const struct round_part *part = part_in(log, record, round, level, &from);
        if (!part || isnan(part->median))
            continue;
        medians[n] = part->median;
        within[n++] = part->within;
    }
    return n;
}

size_t states_rounds_in(const struct control_log *log, const struct rounds_record *record,
                        size_t level)
{
    size_t n = 0, from = 0;
    for (size_t round = 0; round < record->made; round++)
        n += part_in(log, record, round, level, &from) != NULL;
    return n;
}

/* The state of a complete round, 0: it has parts in several, or is not known; *from as above. */
static int round_state(const struct control_log *log, const struct rounds_record *record,
                       size_t round, size_t *from)
{
    int number = 0;
    bool one = true;
    for (; *from < record->part_count && record->parts[*from].round == round; ++*from) {
        int own = states_number(log, record->parts[*from].control);
        one = one && own != 0 && (number == 0 || own == number);
        number = own;
    }
    return one ? number : 0;
}

struct state_rounds states_of_rounds(const struct control_log *log,
                                     const struct rounds_record *record, double confidence,
                                     double step)
{
    struct state_rounds all = {.round_states = memory_zeroed(record->made + 1, sizeof(int))};
    double *medians = memory_zeroed(record->made + 1, sizeof *medians);
    double *within = memory_zeroed(record->made + 1, sizeof *within);
    for (size_t level = 0; level < log->level_count; level++) {
        size_t n = medians_in(log, record, level, medians, within);
        if (n == 0)
            continue;
        struct rounds found = rounds_of(medians, within, n, confidence);
        all.states[all.count++] = (struct result_state_rounds){.state = log->numbers[level],
                                                               .rounds = n,
                                                               .median = found.median,
                                                               .median_low = found.low,
                                                               .median_high = found.high,
                                                               .reached = found.reached,
                                                               .next_low = found.next_low - step,
                                                               .next_high = found.next_high + step,
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
