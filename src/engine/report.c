/*
 * Puts results into the words of the output. PE 0.
 */
#define _GNU_SOURCE /* open_memstream */
#include "engine/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "clock/counters.h"
#include "clock/timer.h"
#include "engine/batches.h"
#include "engine/functions.h"
#include "engine/private.h"
#include "engine/samples.h"
#include "output/result.h"
#include "stats/rounds.h"
#include "stats/series.h"
#include "stats/stats.h"

/* Rounds are unstable when they differ by this many times what their samples explain, and by this
 * share at least. */
#define UNSTABLE_TIMES 3
#define UNSTABLE_LEAST 0.05
#define SPREAD_OF_MEDIANS 1.2533
/* Standard deviations in the interquartile range of a normal distribution. */
#define QUARTERS 1.349
/* Levels of rounds are at least this far apart, as a share. */
#define LEVEL_LEAST 0.1
#define PAGE 4096

/* "none", "fresh", "same" or "cycling". */
static const char *buffers_in_use(const struct bench *bench)
{
    const struct demand *demand = &bench->run.demand;
    if (demand->local == 0 && demand->remote == 0)
        return "none";
    if (bench->buffers.cold)
        return "fresh";
    return bench->buffers.local.places == 1 && bench->buffers.remote.places == 1 ? "same"
                                                                                 : "cycling";
}

/* buffers: in words. */
static char *conditions(const struct measurement *function, const struct result_point *point,
                        const char *buffers)
{
    const char *unit = numbers_unit_name(point->unit);
    char *start = output_point_start(point);
    struct text text = {0};
    text_append(&text, "%zu PE%s %s; PEs %s; %s; %s run time; %s", point->pes,
                numbers_plural(point->pes), point->placement, point->members, start,
                point->run_time, buffers);
    for (size_t i = 0; i < point->setting_count; i++)
        text_append(&text, "%s; ", point->settings[i]);
    if (function->quantity != QUANTITY_TIME)
        text_append(&text, "values in bytes");
    else if (unit)
        text_append(&text, "times in %s", unit);
    else
        text_append(&text, "times in 1/%.17g s", point->unit);
    free(start);
    return text_take(&text);
}

/* Where the first place of a buffer is in its page of 4 KiB on this PE; NaN: there is no such
 * buffer. */
static double in_page(const unsigned char *first, size_t demanded)
{
    return demanded > 0 ? (double)((uintptr_t)first % PAGE) : NAN;
}

/* For the conditions. */
static char *buffer_words(const char *buffers, bool cold, double source, double target)
{
    if (strcmp(buffers, "none") == 0)
        return memory_text("no buffers; ");
    struct text text = {0};
    text_append(&text, "%s buffers, %s", buffers, cold ? "cold" : "warm");
    if (!isnan(source))
        text_append(&text, ", source at %g", source);
    if (!isnan(target))
        text_append(&text, ", target at %g", target);
    text_append(&text, " of a page; ");
    return text_take(&text);
}

void report_result(struct engine *engine, const struct measure_request *request,
                   const struct outcome *outcome)
{
    const struct bench *bench = &engine->bench;
    const struct run *run = &bench->run;
    const struct settings *settings = run->settings;
    const struct statistics *statistics = &outcome->statistics;
    const char *buffers = buffers_in_use(bench);
    struct point_description described = request_describe(&engine->describer, request);
    described.point.bytes = (int64_t)run->demand.reported;
    double source = in_page(bench->buffers.local.first, run->demand.local);
    double target = in_page(bench->buffers.remote.first, run->demand.remote);
    char *words = buffer_words(buffers, bench->buffers.cold, source, target);
    char *text = conditions(run->function, &described.point, words);
    struct result result = {
        .point = described.point,
        .rates = rates_of(request->function, (size_t)pe_set_size(request->set),
                          (int64_t)run->demand.reported, statistics->median),
        .round = engine->round.number,
        .rounds_follow = request_rounds(request, settings, engine->options.rounds) > 1,
        .at = wall_seconds() - engine->started,
        .statistics = *statistics,
        .per_pe = settings->max_nr_node_times > 0 ? outcome->per_pe : NULL,
        .samples = outcome->samples,
        .sample_count = outcome->sample_count,
        .source_in_page = source,
        .target_in_page = target,
        .buffers = buffers,
        .subtracted = reference_much(run->function->subtracted, statistics->subtracted,
                                     statistics->subtracted_from),
        .arrival = statistics->skewed ? setting_arrival_name(settings->arrival) : NULL,
        .arrival_skew = settings->arrival_skew,
        .cache = strcmp(buffers, "none") == 0 ? ""
                 : bench->buffers.cold        ? "cold"
                                              : "warm",
        .counters = outcome->counted,
        .counter_count = counting_applies(request->function) ? counters_count() : 0,
        .notes = (const char *const *)bench->services.notes.text,
        .note_count = bench->services.notes.count,
        .conditions = text,
        .several_states = settings->controls && machine_has_states(engine->machine, request->set),
        .settings = *settings,
    };
    struct block *block = &engine->block;
    output_result(engine->output, &result);
    block->windowed = block->windowed || window_applies(run);
    block->late_starts += (int64_t)statistics->late;
    block->overruns += (int64_t)statistics->overruns;
    block->window_changes += (int64_t)outcome->window_changes;
    progress_result(&engine->display, statistics, result.point.is_time);
    described_release(&described);
    free(words);
    free(text);
}

bool report_earlier(struct engine *engine, const struct measure_request *request, double *time)
{
    struct point_description described = request_describe(&engine->describer, request);
    struct result result = {.point = described.point, .round = 1};
    char *key = output_point_text(&described.point), *record = NULL;
    bool found = resume_take(engine->options.resume, key, &record, time, &result.statistics.flags);
    result.earlier = record;
    if (found)
        output_result(engine->output, &result);
    described_release(&described);
    free(key);
    free(record);
    return found;
}

/* Flags that at least half of the rounds have, unless intervals of the rounds cover them, and flags
 * of all rounds together. */
static unsigned flags_of(const struct engine_rounds_record *record, const struct rounds *rounds)
{
    unsigned flags = 0;
    for (int flag = 0; flag < RESULT_FLAGS; flag++)
        if (record->flagged[flag] > 0 && 2 * record->flagged[flag] >= record->done &&
            result_flags[flag].doubt != FLAG_COVERED)
            flags |= 1u << flag;
    /* Rounds differ by more than their medians would if all samples were of one kind: the standard
     * error of a median is 1.2533 standard deviations over the root of the number of samples. */
    double error = SPREAD_OF_MEDIANS * rounds->within / QUARTERS / sqrt(record->effective);
    if (rounds->between > UNSTABLE_TIMES * error && rounds->between > UNSTABLE_LEAST)
        flags |= 1u << RESULT_UNSTABLE;
    bool known = !isnan(rounds->low) || record->point.request.function->quantity == QUANTITY_TIME;
    if (known && result_is_imprecise(rounds->median, rounds->low, rounds->high))
        flags |= 1u << RESULT_IMPRECISE;
    return flags;
}

/* Levels that the rounds' medians lie on. */
static size_t levels_of(const double *medians, size_t n, struct result_level *levels)
{
    struct series_level found[RESULT_LEVELS_MAX];
    double *sorted = memory_zeroed(n, sizeof *sorted), sum = 0;
    memcpy(sorted, medians, n * sizeof *sorted);
    stats_sort(sorted, n);
    size_t count = series_levels(sorted, n, LEVEL_LEAST, found, RESULT_LEVELS_MAX);
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    for (size_t i = 0; i < count; i++)
        levels[i] =
            (struct result_level){found[i].value, found[i].value * (double)found[i].count / sum};
    free(sorted);
    return count > 1 ? count : 0;
}

/* The prediction interval covers what was seen in each state; where that is little, a note says so.
 */
static void cover_states(const struct state_rounds *states, struct rounds *rounds,
                         struct notes *notes)
{
    for (size_t i = 0; i < states->count; i++) {
        const struct result_state_rounds *state = &states->states[i];
        const struct rounds *found = &state->found;
        if (found->next_low < rounds->next_low)
            rounds->next_low = found->next_low;
        if (found->next_high > rounds->next_high)
            rounds->next_high = found->next_high;
        if (states->several && isnan(found->next_low))
            notes_add(notes, text_format("state %d has only %zu round%s of the %d that its "
                                         "intervals need: measure for longer",
                                         state->state, found->count, numbers_plural(found->count),
                                         ROUNDS_FEWEST));
    }
    for (size_t i = 0; states->several && i < states->missed_count; i++)
        notes_add(notes, text_format("no round was made in state %d: the prediction interval does "
                                     "not cover it",
                                     states->missed[i]));
}

/* What earlier runs measured in states that this run has not seen at this point. */
static void cover_known(const struct known_point *known, const struct state_rounds *states,
                        struct rounds *rounds)
{
    if (isnan(rounds->next_low))
        return; /* too few to say anything, which others do not change */
    for (size_t i = 0; known && i < known->value_count; i++) {
        const struct known_value *value = &known->values[i];
        bool seen = false;
        for (size_t j = 0; j < states->count; j++)
            seen = seen || states->states[j].state == value->state;
        if (seen)
            continue;
        rounds->next_low = fmin(rounds->next_low, fmin(value->next_low, value->median));
        rounds->next_high = fmax(rounds->next_high, fmax(value->next_high, value->median));
    }
}

/* Times differ from launch to launch, and no round sees what the calibration of the timer is wrong
 * by: up to a step of it. Counts do neither. */
static struct rounds_unseen unseen_by(const struct engine *engine,
                                      const struct engine_rounds_record *record)
{
    struct rounds_unseen unseen = {0};
    if (record->point.request.function->quantity != QUANTITY_TIME)
        return unseen;
    unseen.positive = !record->point.request.function->any_sign;
    const struct earlier_runs *earlier = engine->options.earlier;
    unseen.launches = record->point.settings.launch_difference;
    if (unseen.launches == LAUNCH_DIFFERENCE_KNOWN)
        unseen.launches = earlier && !isnan(earlier->launch_difference) ? earlier->launch_difference
                                                                        : LAUNCH_DIFFERENCE_DEFAULT;
    if (record->iterations > 0)
        unseen.step = timer_find(record->point.timer)->resolution / (double)record->iterations;
    return unseen;
}

void report_rounds(struct engine *engine, const struct engine_rounds_record *record)
{
    double *medians = memory_zeroed(record->made, sizeof *medians);
    double *within = memory_zeroed(record->made, sizeof *within);
    size_t n = 0;
    /* Rounds that were added for single states are left out: they would shift what holds for all
     * states. */
    for (size_t i = 0; i < record->made && i < record->rounds; i++) {
        if (isnan(record->medians[i]))
            continue;
        medians[n] = record->medians[i];
        within[n++] = record->within[i];
    }
    struct rounds rounds = rounds_of(medians, within, n, ROUNDS_CONFIDENCE);
    struct rounds_unseen unseen = unseen_by(engine, record);
    rounds_widen(&rounds, &unseen);
    struct result_level levels[RESULT_LEVELS_MAX];
    struct notes notes = {0};
    struct state_rounds states = {0};
    const struct measurement *function = record->point.request.function;
    struct point_description described = point_describe(&engine->options, &record->point);
    struct result_point point = described.point;
    point.bytes = record->bytes;
    char *text = conditions(function, &point, "");
    if (n < record->rounds)
        notes_add(&notes,
                  text_format("%zu of %zu rounds are missing", record->rounds - n, record->rounds));
    struct result_subtracted much =
        reference_much(function->subtracted, record->subtracted, rounds.median);
    char *subtracted = reference_text(&much);
    if (subtracted)
        notes_add(&notes, subtracted);
    bool seen =
        record->point.settings.controls &&
        machine_rounds(engine->machine, &record->parts, ROUNDS_CONFIDENCE, &unseen, &states);
    if (seen)
        cover_states(&states, &rounds, &notes);
    if (seen && engine->options.earlier)
        cover_known(known_find(engine->options.earlier, &point), &states, &rounds);
    struct result_rounds result = {
        .point = point,
        .rates = rates_of(function, point.pes, record->bytes, rounds.median),
        .found = rounds,
        .subtracted = much,
        .launch_difference = unseen.launches,
        .medians = record->medians,
        .made = record->made,
        .levels = levels,
        .level_count = record->point.settings.levels && n > 0 ? levels_of(medians, n, levels) : 0,
        .flags = flags_of(record, &rounds),
        .states = states.states,
        .state_count = states.count,
        .round_states = states.round_states,
        .several_states = states.several_told,
        .notes = (const char *const *)notes.text,
        .note_count = notes.count,
        .conditions = text,
    };
    output_rounds(engine->output, &result);
    free(text);
    described_release(&described);
    machine_release_rounds(&states);
    notes_clear(&notes);
    free(within);
    free(medians);
}
