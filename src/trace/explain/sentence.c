/* Findings as sentences; docs/waits.md explains the causes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/explain/explain.h"

#define NAMED 6        /* ranges of PEs that are named */
#define LEAST_PART 0.1 /* of the largest value: PEs with less are left out */
#define COLUMNS 80

/* {who} wait{s} in {where} for the routine {call} of {whom}, called {at} a site. */
const struct cause_row cause_rows[CAUSES] = {
    [CAUSE_BARRIER] = {"wait at barrier", "{who} wait{s} in {where} for {whom}",
                       "give the late PE less work, or put off the barrier until it is needed",
                       "make the late PE communicate less, or by nonblocking calls"},
    [CAUSE_COLLECTIVE] = {"imbalance before a collective", "{who} wait{s} in {where} for {whom}",
                          "divide the work before the collective more evenly",
                          "make the late PE communicate less, or by nonblocking calls"},
    [CAUSE_WRITER] = {"late writer", "{who} wait{s} in {where} for {call} of {whom}{at}",
                      "send earlier: compute what others wait for first",
                      "send earlier, before other communication"},
    [CAUSE_LOCK] = {"lock queue", "{who} wait{s} in {where} for the lock of {whom}",
                    "compute outside of the lock, or use several locks",
                    "replace the lock by an atomic, or use several locks"},
    [CAUSE_PROGRESS] = {"late progress", "{who} wait{s} in {where} for {whom}",
                        "let the library progress by itself, or call it while you compute",
                        "let the library progress by itself"},
    [CAUSE_ATOMIC] = {"contended atomic", "{who} wait{s} in {where} for atomics of others",
                      "count on each PE and add up, or spread the variable",
                      "count on each PE and add up, or spread the variable"},
    [CAUSE_QUIET] = {"needless quiet", "{who} wait{s} in {where} after each put",
                     "call quiet once, after the last put", "call quiet once, after the last put"},
    [CAUSE_TRANSFER] = {"communication", "{who} spend{s} it in {where} itself",
                        "send less, or larger messages, or compute meanwhile",
                        "send less, or larger messages, or compute meanwhile"},
};

double *values_by_pe(const struct explain *explain, const double *values, double *most)
{
    double *pes = memory_zeroed((size_t)explain->pes, sizeof *pes);
    *most = 0;
    for (uint32_t i = 0; i < explain->line_count; i++) {
        double *value = &pes[explain->lines[i].pe];
        *value += values[i];
        *most = *value > *most ? *value : *most;
    }
    return pes;
}

/* Appends ranges of PEs; returns how many PEs they are. */
static int list_pes(const struct explain *explain, const double *values, struct text *list)
{
    double most, *pes = values_by_pe(explain, values, &most);
    int all = 0, ranges = 0, first = 0;
    for (int pe = 0; pe < explain->pes; pe++) {
        bool in = pes[pe] > 0 && pes[pe] >= LEAST_PART * most;
        bool goes_on = pe + 1 < explain->pes && pes[pe + 1] > 0 && pes[pe + 1] >= LEAST_PART * most;
        all += in;
        if (in && !goes_on) {
            if (ranges == NAMED)
                text_append(list, ", ...");
            if (ranges < NAMED)
                text_append(list, "%s%d", list->length ? ", " : "", first);
            if (ranges++ < NAMED && pe > first)
                text_append(list, "%s%d", pe - first == 1 ? ", " : "-", pe);
        }
        if (!in || !goes_on)
            first = pe + 1;
    }
    free(pes);
    return all;
}

/* The PEs that have at least a tenth of the largest value: "PEs 0, 1 and 2", "PEs 0-3". values: by
 * line. The caller frees it. */
static char *sentence_pes(const struct explain *explain, const double *values)
{
    struct text text = {0};
    int all = list_pes(explain, values, &text);
    if (all == 0)
        return memory_text("nobody");
    char *list = text_take(&text), *comma = strrchr(list, ',');
    char *result = comma && !strstr(list, "...")
                       ? text_format("PEs %.*s and%s", (int)(comma - list), list, comma + 1)
                       : text_format("PE%s %s", all > 1 ? "s" : "", list);
    free(list);
    return result;
}

char *sentence_call(const struct explain *explain, struct call call)
{
    const char *routine = spot_routine(explain, call.spot), *site = spot_site(explain, call.spot);
    if (site)
        return text_format("%s at %s", routine, site);
    return call.ordinal ? text_format("%s (call %u)", routine, call.ordinal) : memory_text(routine);
}

/* What helps where calls take long by themselves: by a word of the routine's name. */
static const struct {
    const char *word, *remedy;
} remedies[] = {
    {"lock", "lock less often, or replace the lock by an atomic"},
    {"alloc", "allocate once, in larger pieces"},
    {"align", "allocate once, in larger pieces"},
    {"shmem_free", "keep memory until the end"},
    {"barrier", "meet less often, or only those PEs that exchange data"},
    {"sync", "meet less often, or only those PEs that exchange data"},
    {"quiet", "complete more puts by one quiet, or compute before it"},
    {"wait", "compute before the wait, while data are on their way"},
    {"atomic", "count on each PE and add up, or put several values at once"},
};

const char *sentence_remedy(const struct explain *explain, const struct finding *finding)
{
    const struct cause_row *row = &cause_rows[finding->cause];
    const char *routine = spot_routine(explain, finding->call.spot);
    for (size_t i = 0; finding->cause == CAUSE_TRANSFER && i < sizeof remedies / sizeof *remedies;
         i++)
        if (strstr(routine, remedies[i].word))
            return remedies[i].remedy;
    return finding->computes ? row->remedy : row->remedy_calls;
}

/* Appends the row's sentence with its words in braces replaced. */
static void fill(struct text *text, const char *sentence, const char *const (*words)[2])
{
    for (const char *at = sentence; *at;) {
        const char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;
        if (!close) {
            text_append(text, "%s", at);
            return;
        }
        text_append_bytes(text, at, (size_t)(open - at));
        size_t length = (size_t)(close - open - 1);
        for (size_t i = 0; words[i][0]; i++)
            if (strlen(words[i][0]) == length && memcmp(words[i][0], open + 1, length) == 0)
                text_append(text, "%s", words[i][1]);
        at = close + 1;
    }
}

static const char *verb_ending(const char *subject)
{
    return strncmp(subject, "PEs", 3) == 0 ? "" : "s";
}

/* What makes whom it waits for late. */
static void append_reason(const struct explain *explain, const struct finding *finding,
                          const char *whom, struct text *text)
{
    bool meanwhile = finding->cause == CAUSE_LOCK || finding->cause == CAUSE_PROGRESS,
         many = !*verb_ending(whom);
    char *root = sentence_call(explain, finding->root), late[40];
    const char *s = many ? "" : "s";
    if (meanwhile)
        text_append(text, ", which %s%s meanwhile %s ",
                    finding->computes ? "compute" : "communicate", s,
                    finding->computes ? "after" : "in");
    else
        text_append(text, ", %s late because %s %s%s longer %s ",
                    numbers_time(late, finding->own / finding->waits, 2), many ? "they" : "it",
                    finding->computes ? "compute" : "take", s, finding->computes ? "after" : "in");
    text_append(text, "%s", root);
    free(root);
}

/* How many calls, if communication itself takes the time. */
static void append_calls(const struct finding *finding, struct text *text)
{
    char each[40];
    text_append(text, ": %.0f call%s of %s", finding->waits, numbers_plural((size_t)finding->waits),
                numbers_time(each, finding->own / finding->waits, 2));
}

char *sentence_of(const struct explain *explain, const struct finding *finding)
{
    struct text text = {0};
    char *who = sentence_pes(explain, finding->waited),
         *whom = sentence_pes(explain, finding->blamed),
         *where = sentence_call(explain, (struct call){finding->call.spot, 0});
    uint32_t by = finding->by_call.spot;
    bool same = strcmp(who, whom) == 0 && !*verb_ending(who);
    const char *site = spot_site(explain, by);
    char *at = site ? text_format(" at %s", site) : memory_text("");
    const char *const words[][2] = {{"who", who},     {"whom", same ? "one another" : whom},
                                    {"where", where}, {"call", spot_routine(explain, by)},
                                    {"at", at},       {"s", verb_ending(who)},
                                    {NULL, NULL}};
    fill(&text, cause_rows[finding->cause].sentence, words);
    if (cause_has_late_pe(finding->cause))
        append_reason(explain, finding, whom, &text);
    else
        append_calls(finding, &text);
    free(who);
    free(whom);
    free(where);
    free(at);
    return text_take(&text);
}

void sentence_print(FILE *out, int indent, const char *text)
{
    int column = (int)strspn(text, " ");
    bool first = true; /* the word is the first one of its line */
    fprintf(out, "%.*s", column, text);
    for (text += column; *text; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        text_print(out, "%s%.*s", first ? "" : " ", length, text);
        column += length + !first;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}
