/* .sko, for people and for tools that know the classic format. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "output/record.h"
#include "output/result.h"

#define SIGNIFICANT 4
/* Suffix of the names of blocks that hold results over all rounds. */
#define ROUNDS_BLOCK " (rounds)"
/* Smallest decimal exponent that is printed with zeros; people cannot count the zeros of smaller
 * numbers. */
#define LEAST_DECIMAL (-9)

char *output_number(char *text, size_t size, double value)
{
    if (isnan(value)) {
        snprintf(text, size, "---");
        return text;
    }
    int decimals = 1;
    if (value != 0 && isfinite(value)) {
        int leading = (int)floor(log10(fabs(value)));
        if (leading < LEAST_DECIMAL) {
            snprintf(text, size, "%.*e", SIGNIFICANT - 1, value);
            return text;
        }
        decimals = SIGNIFICANT - 1 - leading;
        if (decimals < 1)
            decimals = 1;
    }
    snprintf(text, size, "%.*f", decimals, value);
    return text;
}

size_t output_columns(size_t n, int limit, size_t *index, bool *sorted)
{
    size_t count = limit < 0 ? 0 : (size_t)limit;
    *sorted = n > count;
    if (!*sorted) {
        for (size_t i = 0; i < n; i++)
            index[i] = i;
        return n;
    }
    if (count == 1)
        index[0] = n / 2;
    for (size_t j = 0; count > 1 && j < count; j++)
        index[j] = j + 1 < count ? n * j / (count - 1) : n - 1;
    return count;
}

/* ---- Header ---- */

/* Limits and rounds that the command line asks for. */
static void print_rounds_wanted(FILE *text, const struct header *header)
{
    fprintf(text, "# seed: %llu\n", (unsigned long long)header->seed);
    if (header->rounds > 0)
        fprintf(text, "# rounds: %d", header->rounds);
    if (header->rounds > 0 && header->round_seconds > 0)
        fprintf(text, ", spread over %g s", header->round_seconds);
    if (header->rounds > 0)
        fputc('\n', text);
    if (header->time_limit > 0)
        fprintf(text, "# time limit: %g s\n", header->time_limit);
    if (header->state)
        fprintf(text, "# state: only %s, waiting up to %g s for each point\n", header->state,
                header->state_wait);
    for (size_t i = 0; i < header->known_count; i++)
        fprintf(text, "# earlier run: %s\n", header->known[i]);
    if (header->known_count > 0 && !isnan(header->known_difference))
        fprintf(text, "# launches of earlier runs: differ by %.3g %%\n",
                100 * header->known_difference);
}

/* "Thu Nov 26 15:34:52 2026 +0000", as the C locale writes it. */
static void print_moment(FILE *text, const char *before, time_t moment)
{
    char date[32], zone[16];
    struct tm local;
    strftime(zone, sizeof zone, "%z", localtime_r(&moment, &local));
    fprintf(text, "%s%.24s %s\n", before, ctime_r(&moment, date), zone);
}

/* How many PEs at most share the part; nothing if each has its own, or if that is not known. */
static void print_sharing(FILE *text, const struct location_group *group, enum location_part part,
                          const char *name)
{
    if (group->pes_sharing[part] > 1)
        fprintf(text, ", up to %d PEs %s", group->pes_sharing[part], name);
}

static void print_locations(FILE *text, const struct header *header)
{
    static const char *const names[] = {[LOCATION_PACKAGE] = "package",
                                        [LOCATION_NUMA_NODE] = "NUMA node",
                                        [LOCATION_L3] = "L3 cache"};
    for (size_t i = 0; i < header->group_count; i++) {
        const struct location_group *group = &header->groups[i];
        fprintf(text, "# location: PEs %s: node %d", group->pes, group->node);
        for (size_t part = 0; part < sizeof names / sizeof *names; part++)
            if (group->part[part] >= 0)
                fprintf(text, ", %s %d", names[part], group->part[part]);
        fprintf(text, group->bound ? ", one processor each: %s" : ", any of processors %s",
                group->processors);
        if (!group->bound)
            fprintf(text, ", began on %s", group->ran_on);
        print_sharing(text, group, LOCATION_CORE, "on a core");
        print_sharing(text, group, LOCATION_L2, "on an L2 cache");
        fputc('\n', text);
    }
    if (header->unlisted > 0)
        fprintf(text, "# location: %d PE%s more\n", header->unlisted,
                numbers_plural((size_t)header->unlisted));
}

static void print_header(FILE *text, const struct header *header)
{
    fprintf(text, "# SKaMPI Version %s\n\n", header->version);
    print_moment(text, "# Started at ", header->started);
    fputs("\n\n", text);
    if (header->launcher)
        fprintf(text, "# launcher: %s\n", header->launcher);
    fprintf(text, "# command line: %s\n", header->command_line);
    fprintf(text, "# script: %s (checksum %s)\n", header->script, header->checksum);
    fprintf(text, "# library: %s\n", header->library);
    fprintf(text, "# PEs: %d on %d node%s\n", header->pes, header->nodes,
            numbers_plural((size_t)header->nodes));
    for (int i = 0; i < header->listed; i++) {
        const struct header_node *node = &header->node[i];
        fprintf(text,
                "# node %d: %s, %d PE%s, %d processor%s, %s, SMT %s, governor %s, load %.2f\n", i,
                node->name, node->pes, numbers_plural((size_t)node->pes), node->processors,
                numbers_plural((size_t)node->processors), node->cpu, node->smt, node->governor,
                node->load);
    }
    if (header->nodes > header->listed)
        fprintf(text, "# and %d node%s more\n", header->nodes - header->listed,
                numbers_plural((size_t)(header->nodes - header->listed)));
    fprintf(text, "# binding: %d of %d PE%s %s bound to one processor\n", header->bound,
            header->pes, numbers_plural((size_t)header->pes), header->pes == 1 ? "is" : "are");
    print_locations(text, header);
    for (size_t i = 0; i < header->warning_count; i++)
        fprintf(text, "# warning: %s\n", header->warnings[i]);
    for (size_t i = 0; i < header->variable_count; i++)
        fprintf(text, "# environment: %s\n", header->variables[i]);
    for (size_t i = 0; i < header->module_count; i++)
        fprintf(text, "# module: %s\n", header->modules[i]);
    for (size_t i = 0; i < header->choices.count; i++)
        fprintf(text, "# choice: %s: %s\n", header->choices.of[i].name,
                header->choices.of[i].value);
    fprintf(text,
            "# timer: %s, resolution %.1f ns, cost %.1f ns, %.6g ticks per second, off "
            "CLOCK_MONOTONIC by %.3g ppm, clock source %s\n",
            header->timer, header->resolution * 1e9, header->cost * 1e9, header->ticks_per_second,
            header->disagreement * 1e6, header->clock_source);
    print_rounds_wanted(text, header);
    fputs(
        "# result lines: loop variables, bytes, time (mean of the middle half), its standard error "
        "(classic), valid repetitions, time per PE\n",
        text);
}

/* ---- Results ---- */

static int compare_nan_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(y) - isnan(x);
    return (x > y) - (x < y);
}

static void print_per_pe(FILE *text, const struct result *result)
{
    int limit = result->settings.max_nr_node_times;
    size_t n = result->point.pes, room = (size_t)limit < n ? (size_t)limit : n;
    double *values = memory_allocate(n * sizeof *values);
    size_t *index = memory_allocate(room * sizeof *index);
    memcpy(values, result->per_pe, n * sizeof *values);
    bool sorted;
    size_t count = output_columns(n, limit, index, &sorted);
    if (sorted)
        qsort(values, n, sizeof *values, compare_nan_first);
    for (size_t i = 0; i < count; i++) {
        char number[64];
        double value = values[index[i]] * result->point.unit;
        if (isnan(value))
            fputs("     ---   ", text); /* as the classic format has it */
        else
            fprintf(text, " %9s", output_number(number, sizeof number, value));
    }
    free(index);
    free(values);
}

/* The unit with a blank in front; "" if the script's unit has no name. */
static const char *unit_name(const struct result_point *point)
{
    static char text[8];
    const char *name = point->is_time ? numbers_unit_name(point->unit) : "bytes";
    snprintf(text, sizeof text, "%s%s", name ? " " : "", name ? name : "");
    return text;
}

/* Counters stand in a comment, since readers of the classic format take columns after the
 * repetitions for times of PEs. */
static void print_counters(FILE *text, const struct result *result)
{
    char number[64];
    if (result->counter_count == 0)
        return;
    fputs("# counters:", text);
    for (size_t i = 0; i < result->counter_count; i++)
        fprintf(text, " %s= %s", result->counters[i].name,
                output_number(number, sizeof number, result->counters[i].most));
    fputs(" per operation, most of any PE; mean of PEs:", text);
    for (size_t i = 0; i < result->counter_count; i++)
        fprintf(text, " %s", output_number(number, sizeof number, result->counters[i].mean));
    fputc('\n', text);
}

static void print_column(FILE *text, const struct result_point *point, const struct member *member,
                         const void *place)
{
    const struct {
        double scale;
        const char *unit;
    } units[] = {[MEMBER_NUMBER] = {1, ""},
                 [MEMBER_VALUE] = {point->unit, unit_name(point)},
                 [MEMBER_SECONDS] = {1, " s"},
                 [MEMBER_BANDWIDTH] = {1e-6, " MB/s"},
                 [MEMBER_RATE] = {1e-6, " M/s"}};
    char number[64];
    fprintf(text, " %s= ", member->name);
    if (member->type < MEMBER_NUMBER)
        member_write(text, member, place);
    else
        fprintf(text, "%s%s",
                output_number(number, sizeof number,
                              *(const double *)place * units[member->type].scale),
                units[member->type].unit);
}

/* The further columns of a result or of rounds; the other pointer is NULL. */
static void print_columns(FILE *text, const struct columns *columns,
                          const struct result_point *point, const struct result *result,
                          const struct result_rounds *rounds)
{
    size_t shown = 0;
    for (size_t i = 0; columns && i < columns->count; i++) {
        const struct member *member = &members[columns->members[i]];
        const void *place = member_of(member, result, rounds);
        if (!place)
            continue;
        fputs(shown++ ? "," : "# columns:", text);
        print_column(text, point, member, place);
    }
    if (shown)
        fputc('\n', text);
}

static void print_levels(FILE *text, const struct result_point *point,
                         const struct result_level *levels, size_t n)
{
    char number[64], share[32];
    if (n == 0)
        return;
    fputs("# levels:", text);
    for (size_t i = 0; i < n; i++)
        fprintf(text, "%s %s%s %s %%%s", i ? "," : "",
                output_number(number, sizeof number, levels[i].value * point->unit),
                unit_name(point), numbers_text(share, levels[i].share * 100, 3),
                i ? "" : " of time");
    fputc('\n', text);
}

/* A time with a unit that fits its size, independent of the unit of results. */
static const char *time_text(char *text, size_t size, double seconds)
{
    char number[64];
    const struct time_unit *unit = numbers_fitting(seconds, NUMBERS_PS, 1000);
    snprintf(text, size, "%s %s", output_number(number, sizeof number, seconds * unit->per_second),
             unit->name);
    return text;
}

/* The known values; `between` stands between name and value. */
static void print_values(FILE *text, const char *between, const struct states_values *values)
{
    char value[64];
    const char *separator = "";
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        if (isnan(values->of[kind]))
            continue;
        fprintf(text, "%s%s%s %s", separator, result_control_kinds[kind].words, between,
                time_text(value, sizeof value, values->of[kind]));
        separator = ", ";
    }
}

/* The controls, once the run has seen several states of the machine. */
static void print_controls(FILE *text, const struct result *result)
{
    const struct statistics *statistics = &result->statistics;
    const struct result_point *point = &result->point;
    struct states_values values = result_control_values(&statistics->controls);
    char n[3][64];
    const char *unit = unit_name(point);
    if (!result->several_states || !states_are_known(&values))
        return;
    fputs("# ", text);
    print_values(text, ":", &values);
    fputc('\n', text);
    for (size_t i = 0; statistics->part_count > 1 && i < statistics->part_count; i++) {
        const struct result_part *part = &statistics->parts[i];
        fputs("# part: ", text);
        print_values(text, "", &part->controls);
        fprintf(text, ": %zu repetition%s, median %s%s, quartiles %s%s to %s%s\n", part->valid,
                numbers_plural(part->valid),
                output_number(n[0], sizeof n[0], part->median * point->unit), unit,
                output_number(n[1], sizeof n[1], part->p25 * point->unit), unit,
                output_number(n[2], sizeof n[2], part->p75 * point->unit), unit);
    }
}

/* The flags of the row above. */
static void print_flags(FILE *text, unsigned flags)
{
    const char *names[RESULT_FLAGS];
    size_t count = output_flag_names(flags, names);
    for (size_t i = 0; i < count; i++)
        fprintf(text, "%s%s", i ? ", " : "# flags: ", names[i]);
    if (count > 0)
        fputc('\n', text);
}

static void print_notes(FILE *text, const char *const *notes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(text, "# note: %s\n", notes[i]);
}

/* A value: one word of ASCII as the classic format has it, anything else in quotes, so that it can
 * be read again. */
static void print_value(FILE *text, const char *value)
{
    bool word = *value != '\0';
    for (const char *c = value; *c; c++)
        word = word && *c > ' ' && *c <= '~' && *c != '"' && *c != '\\';
    if (word)
        fputs(value, text);
    else
        json_string(text, value);
}

/* The call of a point. Its line and the conditions hold the rest of what identifies it. */
static void print_call(FILE *text, const struct result_point *point)
{
    if (!point->text)
        return;
    fprintf(text, "# call: %s", point->text);
    if (point->number > 1)
        fprintf(text, "; no. %zu", point->number);
    fputc('\n', text);
}

/* The beginning of a result line, up to the columns of single PEs. */
static void print_line(FILE *text, const struct result_point *point, double time, double error,
                       size_t repetitions)
{
    char times[64], errors[64];
    for (size_t i = 0; i < point->variable_count; i++) {
        fprintf(text, "%s= ", point->variables[i].name);
        print_value(text, point->variables[i].value);
        fputc(' ', text);
    }
    fprintf(text, "%8lld %9s %9s %8zu", (long long)point->bytes,
            output_number(times, sizeof times, time * point->unit),
            output_number(errors, sizeof errors, error * point->unit), repetitions);
}

static void print_result(FILE *text, const struct result *result, const struct columns *columns)
{
    print_line(text, &result->point, result->statistics.time, result->statistics.standard_error,
               result->statistics.valid);
    if (result->per_pe)
        print_per_pe(text, result);
    fputc('\n', text);
    print_call(text, &result->point);
    print_columns(text, columns, &result->point, result, NULL);
    print_counters(text, result);
    print_levels(text, &result->point, result->statistics.levels, result->statistics.level_count);
    print_controls(text, result);
    print_flags(text, result->statistics.flags);
    print_notes(text, result->notes, result->note_count);
}

/* text needs 40 bytes. */
static const char *percent(char *text, double share)
{
    return strcat(numbers_text(text, share * 100, 3), isnan(share) ? "" : " %");
}

/* Median and intervals, of all rounds or of the rounds in one state. */
static void print_intervals(FILE *text, const struct result_point *point,
                            const struct rounds *rounds)
{
    char n[5][64], p[2][40];
    fprintf(text, "median %s%s, %s interval [%s, %s], %s prediction interval [%s, %s]",
            output_number(n[0], sizeof n[0], rounds->median * point->unit), unit_name(point),
            percent(p[0], rounds->reached),
            output_number(n[1], sizeof n[1], rounds->low * point->unit),
            output_number(n[2], sizeof n[2], rounds->high * point->unit),
            percent(p[1], rounds->confidence),
            output_number(n[3], sizeof n[3], rounds->next_low * point->unit),
            output_number(n[4], sizeof n[4], rounds->next_high * point->unit));
}

static void print_rounds(FILE *text, const struct result_rounds *rounds,
                         const struct columns *columns)
{
    char p[2][40];
    const struct rounds *found = &rounds->found;
    print_line(text, &rounds->point, found->median, (found->high - found->low) / 2, found->count);
    fputs("\n# rounds: ", text);
    print_intervals(text, &rounds->point, found);
    fprintf(text, ", spread between rounds %s, within rounds %s\n", percent(p[0], found->between),
            percent(p[1], found->within));
    print_call(text, &rounds->point);
    print_columns(text, columns, &rounds->point, NULL, rounds);
    for (size_t i = 0; rounds->several_states && i < rounds->state_count; i++) {
        const struct result_state_rounds *state = &rounds->states[i];
        fprintf(text, "# state %d: %zu round%s, ", state->state, state->found.count,
                numbers_plural(state->found.count));
        print_intervals(text, &rounds->point, &state->found);
        fputc('\n', text);
    }
    print_levels(text, &rounds->point, rounds->levels, rounds->level_count);
    print_flags(text, rounds->flags);
    print_notes(text, rounds->notes, rounds->note_count);
}

/* A control and its bounds, if it has any. */
static void print_range(FILE *text, const char *name, const struct states_range *range)
{
    char n[3][64];
    const char *low = time_text(n[1], sizeof n[1], range->low);
    const char *high = time_text(n[2], sizeof n[2], range->high);
    fprintf(text, "%s %s", name, time_text(n[0], sizeof n[0], range->value));
    if (range->low > 0 && isfinite(range->high))
        fprintf(text, " (%s to %s)", low, high);
    else if (range->low > 0)
        fprintf(text, " (above %s)", low);
    else if (isfinite(range->high))
        fprintf(text, " (below %s)", high);
}

/* A state; nothing is printed if the machine has only one. */
static void print_state(FILE *text, const struct result_state *state)
{
    const char *separator = ": ";
    if (state->alone)
        return;
    fprintf(text, "# state %d", state->number);
    if (!state->only_set && state->members)
        fprintf(text, " of PEs %s", state->members);
    else if (!state->only_set)
        fprintf(text, " of %zu PEs", state->pes);
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        if (isnan(state->ranges[kind].value))
            continue;
        fputs(separator, text);
        print_range(text, result_control_kinds[kind].words, &state->ranges[kind]);
        separator = ", ";
    }
    if (state->share > 0 || !state->known)
        fprintf(text, ", %.3g %% of the time%s\n", state->share * 100,
                state->is_new ? ", new" : "");
    else
        fputs(", only in earlier runs\n", text);
}

/* ---- The others ---- */

static void print_block(FILE *text, const struct record_block *block)
{
    for (const char *line = block->source; line && *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(text, "#> %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (block->source)
        fputc('\n', text);
    size_t length = strlen(block->name), suffix = strlen(ROUNDS_BLOCK);
    if (length >= suffix && strcmp(block->name + length - suffix, ROUNDS_BLOCK) == 0)
        fputs("# result lines: loop variables, bytes, median of the rounds, half of its interval, "
              "rounds\n",
              text);
    fprintf(text, "# begin result \"%s\"\n", block->name);
}

static void print_block_end(FILE *text, const struct output_block *block)
{
    if (block->windowed)
        fprintf(text, "# windows: %lld late starts, %lld overruns, %lld changes\n",
                (long long)block->late_starts, (long long)block->overruns,
                (long long)block->window_changes);
    fprintf(text, "# end result \"%s\"\n# duration = %.2f sec\n\n", block->name, block->duration);
}

static void print_missing(FILE *text, const struct record_missing *missing)
{
    static const char *const words[] = {
        [MISSING_FAILED] = "failed",          [MISSING_UNSUPPORTED] = "unsupported",
        [MISSING_SKIPPED] = "skipped",        [MISSING_TIME_LIMIT] = "time limit",
        [MISSING_REFUSED] = "not measurable", [MISSING_TOO_LARGE] = "too large",
        [MISSING_STATE] = "not in this state"};
    fprintf(text, "# %s: %s: %s\n", words[missing->kind], missing->call, missing->reason);
    if (!missing->point)
        return;
    char *point = output_point_text(missing->point);
    fprintf(text, "# point: %s\n", point);
    free(point);
}

static void print_end(FILE *text, const struct record_end *end)
{
    print_moment(text, "\n# Finished at ", end->finished);
    fprintf(text, "# Total runtime %.0f seconds\n\n", end->duration);
    fprintf(text, "# Timed regions: %.3f of %.3f seconds on PE 0\n", end->timed, end->duration);
}

static void print_library_end(FILE *text, const struct record_end *end)
{
    fputs("# end of the library, seconds on the PEs of PE 0's node:", text);
    for (int i = 0; i < end->library_count; i++)
        fprintf(text, isnan(end->library_end[i]) ? " ---" : " %.4g", end->library_end[i]);
    fputc('\n', text);
}

void output_sko(FILE *text, const struct record *record)
{
    switch (record->kind) {
    case RECORD_HEADER:
        print_header(text, record->header);
        break;
    case RECORD_SPACE:
        fputc('\n', text);
        break;
    case RECORD_COMMENT:
    case RECORD_CUT:
        fprintf(text, "# %s\n", record->text);
        break;
    case RECORD_PRINT:
        fputs(record->text, text);
        break;
    case RECORD_BLOCK:
        print_block(text, record->block);
        break;
    case RECORD_BLOCK_END:
        print_block_end(text, record->block_end);
        break;
    case RECORD_RESULT:
        if (record->result->round > 1)
            break; /* it is shown with all rounds */
        print_result(text, record->result, record->columns);
        break;
    case RECORD_CONDITIONS:
        fprintf(text, "# note: conditions: %s\n", record->text);
        break;
    case RECORD_ROUNDS:
        print_rounds(text, record->rounds, record->columns);
        break;
    case RECORD_STATE:
        print_state(text, record->state);
        break;
    case RECORD_CONTROLS:
        break; /* only programs need it */
    case RECORD_FACTORS:
        output_factors_text(text, record->factors, "# ");
        break;
    case RECORD_MISSING:
        print_missing(text, record->missing);
        break;
    case RECORD_END:
        print_end(text, record->end);
        break;
    case RECORD_LIBRARY_END:
        print_library_end(text, record->end);
        break;
    case RECORD_HEADING:
    case RECORD_ROUNDS_HEADING:
    case RECORD_SUMMARY:
    case RECORD_LAST:
        break;
    }
}
