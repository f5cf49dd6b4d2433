/* Counts records, and summarizes them in some lines. */
#include "output/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"

/* ---- Counting ---- */

static void tally(struct summary_tally *tally, unsigned flags)
{
    tally->points++;
    tally->doubtful += result_is_doubtful(flags);
    for (int flag = 0; flag < RESULT_FLAGS; flag++)
        tally->flags[flag] += (flags & 1u << flag) != 0;
}

/* The counts of what tools show: rounds, if there are any, replace the results of the first round.
 */
static struct summary_tally shown(const struct summary *summary)
{
    struct summary_tally all = summary->alone;
    const struct summary_tally *more =
        summary->rounds.points > 0 ? &summary->rounds : &summary->first;
    all.points += more->points;
    all.doubtful += more->doubtful;
    for (int flag = 0; flag < RESULT_FLAGS; flag++)
        all.flags[flag] += more->flags[flag];
    return all;
}

static void count_missing(struct summary *summary, const struct record_missing *missing)
{
    if (!summary->examples[missing->kind])
        summary->examples[missing->kind] = text_format("%s: %s", missing->call, missing->reason);
    if (__builtin_add_overflow(summary->missing[missing->kind], missing->points,
                               &summary->missing[missing->kind]))
        summary->missing[missing->kind] = INT64_MAX;
}

/* Counts the states of sets of PEs. The states of one set follow each other. */
static void count_state(struct summary *summary, const struct result_state *state)
{
    const char *set = state->members ? state->members : "";
    if (!summary->set || strcmp(summary->set, set) != 0) {
        free(summary->set);
        summary->set = memory_text(set);
        summary->states_here = 0;
    }
    if (state->share > 0)
        summary->states_here++;
    if (summary->states_here > summary->states)
        summary->states = summary->states_here;
}

void summary_count(struct summary *summary, const struct record *record)
{
    switch ((int)record->kind) {
    case RECORD_RESULT:
        if (record->result->round <= 1)
            tally(record->result->rounds_follow ? &summary->first : &summary->alone,
                  record->result->statistics.flags);
        break;
    case RECORD_ROUNDS:
        tally(&summary->rounds, record->rounds->flags);
        summary->differing += result_states_differ(record->rounds);
        break;
    case RECORD_MISSING:
        count_missing(summary, record->missing);
        break;
    case RECORD_STATE:
        count_state(summary, record->state);
        break;
    default:
        break;
    }
}

void summary_free(struct summary *summary)
{
    for (int kind = 0; kind < RESULT_MISSING; kind++)
        free(summary->examples[kind]);
    free(summary->set);
}

/* ---- Text ---- */

#define INDENT "  "
#define NEXT "next"

bool summary_is_command(const char *line)
{
    return strncmp(line, INDENT NEXT " ", sizeof INDENT NEXT) == 0;
}

static void put_row(FILE *to, const char *head, enum terminal_style style, const char *what)
{
    fprintf(to, INDENT "%s%-12s%s%s\n", style == TERMINAL_PLAIN ? "" : terminal_style(style), head,
            style == TERMINAL_PLAIN ? "" : terminal_style(TERMINAL_PLAIN), what);
}

static void put_counted(FILE *to, const char *head, enum terminal_style style, int64_t count,
                        const char *name, const char *why)
{
    fprintf(to, INDENT "%s%-12s%s%lld %s: %s", terminal_style(style), head,
            terminal_style(TERMINAL_PLAIN), (long long)count, name, why);
}

static int64_t missing_points(const struct summary *summary)
{
    int64_t sum = 0;
    for (int kind = 0; kind < RESULT_MISSING; kind++)
        if (__builtin_add_overflow(sum, summary->missing[kind], &sum))
            return INT64_MAX;
    return sum;
}

/* The counts of what was measured. */
static void put_head(FILE *to, const struct summary *summary, const struct summary_tally *all,
                     const struct record_end *end)
{
    int64_t missing = missing_points(summary);
    const char *plain = terminal_style(TERMINAL_PLAIN);
    bool good = all->doubtful == 0 && missing == 0 && end->status == 0;
    fprintf(to, "skampi: %s%lld result%s%s", terminal_style(good ? TERMINAL_GOOD : TERMINAL_BOLD),
            (long long)all->points, numbers_plural((size_t)all->points), plain);
    if (all->doubtful > 0)
        fprintf(to, ", %s%lld of them doubtful%s", terminal_style(TERMINAL_DOUBT),
                (long long)all->doubtful, plain);
    if (missing > 0)
        fprintf(to, ", %s%lld%s missing%s", terminal_style(TERMINAL_BAD), (long long)missing,
                end->cut ? " or more" : "", plain);
    else if (end->cut)
        fprintf(to, ", %sthe rest is missing%s", terminal_style(TERMINAL_BAD), plain);
}

void summary_counts(FILE *to, const struct summary *summary, const struct record_end *end)
{
    char seconds[32], timed[32];
    struct summary_tally all = shown(summary);
    put_head(to, summary, &all, end);
    fprintf(to, ", in %s s", numbers_text(seconds, end->duration, 3));
    if (!isnan(end->timed))
        fprintf(to, " (%s s in timed regions)", numbers_text(timed, end->timed, 3));
    fputc('\n', to);
    for (int i = 0; i < RESULT_FLAGS; i++) {
        enum result_flag flag = (enum result_flag)i;
        if (all.flags[i] == 0 || result_flags[flag].doubt == FLAG_FINE)
            continue;
        put_counted(to, "doubtful", TERMINAL_DOUBT, all.flags[i], result_flags[flag].name,
                    result_flags[flag].means);
        fprintf(to, "; %s\n", result_flags[flag].remedy);
    }
    for (int kind = 0; kind < RESULT_MISSING; kind++) {
        if (summary->missing[kind] == 0)
            continue;
        put_counted(to, "missing", TERMINAL_BAD, summary->missing[kind],
                    output_missing_name((enum result_missing)kind), summary->examples[kind]);
        fputc('\n', to);
    }
}

static void put_states(FILE *to, const struct summary *summary)
{
    if (summary->states < 2)
        return;
    char *what =
        summary->rounds.points == 0
            ? text_format("the machine was in %d states (speeds); --rounds 10,60s measures each "
                          "point in each of them",
                          summary->states)
        : summary->differing > 0
            ? text_format(
                  "the machine was in %d states (speeds); %lld point%s differ%s between them "
                  "by more than the intervals",
                  summary->states, (long long)summary->differing,
                  numbers_plural((size_t)summary->differing), summary->differing == 1 ? "s" : "")
            : text_format("the machine was in %d states (speeds); no point differs between them by "
                          "more than its interval",
                          summary->states);
    put_row(to, "states", TERMINAL_PLAIN, what);
    free(what);
}

static bool has_suffix(const char *file, const char *suffix)
{
    const char *dot = strrchr(file, '.');
    return dot && strcmp(dot, suffix) == 0;
}

/* The file in the format that holds most. */
static const char *best_file(const char *const *files, size_t count)
{
    static const char *const suffixes[] = {".json", ".csv", ".sko"};
    for (size_t suffix = 0; suffix < sizeof suffixes / sizeof *suffixes; suffix++)
        for (size_t i = 0; i < count; i++)
            if (has_suffix(files[i], suffixes[suffix]))
                return files[i];
    return NULL;
}

/* Appends the name of an output that does not exist yet: the file itself, or the file with a
 * number. taken says that the file is an output of this run. */
static void append_output(struct text *text, const char *file, bool taken)
{
    const char *dot = strrchr(file, '.');
    char *name = memory_text(file);

    for (int number = 2; taken || access(name, F_OK) == 0; number++, taken = false) {
        free(name);
        name = text_format("%.*s-%d%s", (int)(dot - file), file, number, dot);
    }
    text_append(text, " -o ");
    text_append_word(text, name);
    free(name);
}

static char *next_command(const struct summary *summary, const struct summary_tally *all,
                          const char *file, const struct summary_next *next)
{
    bool rounds = summary->rounds.points > 0;
    bool moving = summary->states > 1 || all->flags[RESULT_LEVEL_SHIFT] > 0 ||
                  all->flags[RESULT_STATE_CHANGED] > 0;
    struct text text = {0};
    if (summary->missing[MISSING_TIME_LIMIT] > 0 && !rounds && file && has_suffix(file, ".json")) {
        text_append(&text, "%s --resume ", next->again);
        text_append_word(&text, file);
        append_output(&text, file, true);
    } else if (moving && !rounds) {
        text_append(&text, "%s --rounds 10,60s", next->rounds);
        append_output(&text, file ? file : "results.json", file);
    } else if (!file) {
        text_append(&text, "%s", next->again);
        append_output(&text, "results.json", false);
    } else {
        bool report = rounds || all->doubtful > 0;
        text_append_word(&text, next->door);
        text_append(&text, report ? " report " : " table ");
        text_append_word(&text, file);
        if (report)
            append_output(&text, "report.html", false);
    }
    return text_take(&text);
}

char *summary_text(const struct summary *summary, const struct record_end *end,
                   const char *const *files, size_t count, const struct summary_next *next)
{
    struct summary_tally all = shown(summary);
    char *text;
    size_t size;
    FILE *to = memory_stream(&text, &size);
    summary_counts(to, summary, end);
    put_states(to, summary);
    struct text names = {0};
    for (size_t i = 0; i < count; i++)
        text_append(&names, "%s%s", i ? ", " : "", files[i]);
    if (count > 0)
        put_row(to, "written to", TERMINAL_PLAIN, names.data);
    text_release(&names);
    char *command = next_command(summary, &all, best_file(files, count), next);
    put_row(to, NEXT, TERMINAL_PLAIN, command);
    free(command);
    if (fclose(to) != 0)
        memory_missing();
    return text;
}
