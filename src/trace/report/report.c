/* shmemtrace report: packs the time line of a run, sums up who communicates with whom, and fills
 * the page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "trace/explain/explain.h"
#include "trace/read/summary.h"
#include "trace/report/report.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

#define MOST_CALLS 3000000 /* that are kept, if the user does not say how many */
#define MOST_FOUND 100     /* rows of each list of what was found */
#define MOST_ROWS 128      /* of the matrix */
#define MOST_TIMELINE_ROWS                                                                         \
    1024 /* with more threads, a row is several of them, without single calls */
#define MOST_BUCKETS (1 << 18) /* of all rows */
#define ROW_BUCKETS 65536
#define FEW_BUCKETS 64    /* with fewer calls, they are all drawn */
#define FULL_SHARE 255.0  /* a bucket in which all time is spent so */
#define BLOCK_ITEMS 4096  /* that are unpacked together */
#define MOST_WAITS 200000 /* the longest ones */
#define MOST_NS 9e15      /* a number that JavaScript has exactly */

/*
 * ---- The time line, at two levels of detail: of each row, a thread of a PE, the shares of what it
 * does in even stretches of time; and its calls, of which short neighbours are taken together if
 * they are too many ----
 */

/* What calls are shown as. What is left of the time is computation. */
enum category {
    CATEGORY_PUT,
    CATEGORY_COLLECTIVE,
    CATEGORY_OTHER,
    CATEGORY_LOCK,
    CATEGORY_ATOMIC,
    CATEGORY_SYNCHRONIZATION,
    CATEGORY_GET,
    CATEGORIES
};

#define TIMELINE_LEVELS 45 /* of taking calls together: not at all, then in 2, 4, 8, ... ns */

struct timeline {
    struct explain *explain; /* all passes were made */
    uint64_t most;           /* calls that are kept */
    uint32_t rows, lines_per_row, buckets;
    float *shares; /* by row, bucket and category: seconds */
    struct timeline_line {
        double last;                   /* end of its last call (seconds) */
        double begun[TIMELINE_LEVELS]; /* of what is taken together at a level; seconds */
    } * lines;
    uint64_t counts[TIMELINE_LEVELS]; /* of what is kept at a level */
    int level;
    uint64_t calls;            /* in the window */
    enum category *categories; /* by spot */
    size_t category_room;
    char *blocks, *waits; /* where they are in the packed text, as JSON */
    uint64_t shares_at;
};

static const char *const category_names[CATEGORIES] = {
    [CATEGORY_PUT] = "put",
    [CATEGORY_GET] = "get",
    [CATEGORY_ATOMIC] = "atomic",
    [CATEGORY_COLLECTIVE] = "collective",
    [CATEGORY_SYNCHRONIZATION] = "synchronization",
    [CATEGORY_LOCK] = "lock",
    [CATEGORY_OTHER] = "other call",
};

static const enum category categories[TRACE_CLASSES] = {
    [TRACE_PUT] = CATEGORY_PUT,
    [TRACE_GET] = CATEGORY_GET,
    [TRACE_NONBLOCKING] = CATEGORY_PUT,
    [TRACE_ATOMIC] = CATEGORY_ATOMIC,
    [TRACE_COLLECTIVE] = CATEGORY_COLLECTIVE,
    [TRACE_SYNCHRONIZATION] = CATEGORY_SYNCHRONIZATION,
    [TRACE_CONTEXT] = CATEGORY_OTHER,
    [TRACE_LOCK] = CATEGORY_LOCK,
    [TRACE_MEMORY] = CATEGORY_OTHER,
    [TRACE_SETUP] = CATEGORY_OTHER,
    [TRACE_QUERY] = CATEGORY_OTHER,
};

/* A call within the window; calls of a line are made not to overlap, whatever the file says. */
struct drawn_call {
    uint32_t line, spot;
    double start, end;
};

/* Calls that are taken together; mostly it is one. */
struct item {
    double start, end, inside, longest;
    uint32_t spot; /* of the longest call */
    uint64_t calls;
};

/* ---- Numbers as bytes, in base64, so that a page of text can hold millions of them ---- */

struct base64_stream {
    struct text block; /* that is being filled */
    uint64_t written;  /* characters so far */
};

/* Writes the block; returns at which character it begins. */
static uint64_t packed_write(struct base64_stream *packed, FILE *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)packed->block.data;
    const size_t count = packed->block.length;
    uint64_t at = packed->written;
    for (size_t i = 0; i < count; i += 3) {
        size_t rest = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= rest > 2 ? bytes[i + 2] : 0;
        const char four[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              rest > 1 ? letters[group >> 6 & 63] : '=',
                              rest > 2 ? letters[group & 63] : '='};
        fwrite(four, 1, sizeof four, out);
    }
    packed->written += (count + 2) / 3 * 4;
    packed->block.length = 0;
    return at;
}

/* ---- Reading ---- */

static void begin_lines(struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->explain->line_count; i++)
        timeline->lines[i] = (struct timeline_line){.last = -MOST_NS};
}

/* Whether a call is in the window, and how it is shown. Those of a thread come in their order. */
static bool show(struct timeline *timeline, struct source *source, const struct trace_event *event,
                 struct drawn_call *shown)
{
    struct explain *explain = timeline->explain;
    const struct line *line = explain_line(explain, source, event);
    if (!line)
        return false;
    *shown = (struct drawn_call){.line = (uint32_t)(line - explain->lines),
                                 .spot = spot_of(explain, source, event),
                                 .start = trace_seconds(source->file, event->start),
                                 .end = trace_seconds(source->file, event_end(event))};
    double *last = &timeline->lines[shown->line].last;
    shown->start = fmax(shown->start, *last);
    if (!(shown->end > explain->from && shown->end >= shown->start && shown->start < explain->to))
        return false;
    *last = shown->end;
    memory_extend(timeline->categories, shown->spot, &timeline->category_room);
    const struct trace_routine *routine = trace_source_routine(source, event);
    timeline->categories[shown->spot] =
        trace_transfer(routine) == TRANSFER_FROM_PEER ? CATEGORY_GET : categories[routine->class];
    return true;
}

/* ---- Shares of stretches of time ---- */

static void add_shares(struct timeline *timeline, const struct drawn_call *call)
{
    const struct explain *explain = timeline->explain;
    double width = (explain->to - explain->from) / timeline->buckets;
    double from = fmax(call->start, explain->from) - explain->from,
           to = fmin(call->end, explain->to) - explain->from;
    float *row = timeline->shares +
                 (size_t)(call->line / timeline->lines_per_row) * timeline->buckets * CATEGORIES;
    for (uint32_t i = (uint32_t)(from / width); i < timeline->buckets && i * width < to; i++) {
        double part = fmin(to, (i + 1) * width) - fmax(from, i * width);
        if (part > 0)
            row[(size_t)i * CATEGORIES + timeline->categories[call->spot]] += (float)part;
    }
}

/* Then for each call; those of a thread in their order. */
static void timeline_survey(struct timeline *timeline, struct source *source,
                            const struct trace_event *event)
{
    struct drawn_call call;
    if (!show(timeline, source, event, &call))
        return;
    timeline->calls++;
    add_shares(timeline, &call);
    if (timeline->explain->events > timeline->most) {
        /* Counts what is kept at each level. */
        struct timeline_line *line = &timeline->lines[call.line];
        for (int level = 0; level < TIMELINE_LEVELS; level++) {
            if (level && line->begun[level] && call.end - line->begun[level] <= ldexp(1e-9, level))
                continue;
            line->begun[level] = call.start;
            timeline->counts[level]++;
        }
    }
}

/* ---- Calls ---- */

struct packing {
    struct timeline *timeline;
    struct base64_stream *packed;
    FILE *out, *blocks; /* blocks: [row, character, characters, begin (ns)] of each */
    double span;        /* calls within this many seconds are taken together */
    uint32_t line;      /* of the block */
    uint64_t items;     /* in the block */
    double at;          /* ns since the window began, up to which it is packed */
    double begin;
    struct item item; /* not packed yet */
    const char *comma;
};

static double ns_of(const struct timeline *timeline, double seconds)
{
    double ns = rint(1e9 * (seconds - timeline->explain->from));
    return fmin(fmax(ns, -MOST_NS), MOST_NS);
}

static void end_block(struct packing *packing)
{
    if (packing->items == 0)
        return;
    uint64_t at = packed_write(packing->packed, packing->out);
    fprintf(packing->blocks, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.0f,%" PRIu64 "]",
            packing->comma, packing->line, at, packing->packed->written - at, packing->begin,
            packing->items);
    packing->comma = ",";
    packing->items = 0;
    const struct reader *reader = packing->timeline->explain->reader;
    reader_check_written(reader, packing->out, reader->out_name);
}

/* The time since what was packed before, which never goes back. */
static void pack_until(struct packing *packing, double ns)
{
    double step = fmax(0, ns - packing->at);
    text_append_varint(&packing->packed->block, (uint64_t)step);
    packing->at += step;
}

static void end_item(struct packing *packing)
{
    const struct item *item = &packing->item;
    if (item->calls == 0)
        return;
    double start = ns_of(packing->timeline, item->start);
    if (packing->items == 0)
        packing->at = packing->begin = start;
    text_append_varint(&packing->packed->block, 2 * (uint64_t)item->spot + (item->calls > 1));
    pack_until(packing, start);
    pack_until(packing, ns_of(packing->timeline, item->end));
    if (item->calls > 1) {
        text_append_varint(&packing->packed->block, item->calls);
        text_append_varint(&packing->packed->block,
                           (uint64_t)rint(fmin(1e9 * item->inside, MOST_NS)));
    }
    packing->item.calls = 0;
    if (++packing->items == BLOCK_ITEMS)
        end_block(packing);
}

static void pack_call(struct packing *packing, const struct drawn_call *call)
{
    struct item *item = &packing->item;
    double inside = call->end - call->start;
    if (call->line != packing->line || !packing->span || call->end - item->start > packing->span)
        end_item(packing);
    if (call->line != packing->line) {
        end_block(packing);
        packing->line = call->line;
    }
    if (item->calls++ == 0)
        *item = (struct item){.start = call->start, .calls = 1, .longest = -1};
    item->end = call->end;
    item->inside += inside;
    if (inside > item->longest) {
        item->longest = inside;
        item->spot = call->spot;
    }
}

static void pack_source(struct packing *packing, struct source *source)
{
    struct trace_event event;
    struct drawn_call call;
    for (int thread = 0; thread < source->info->threads; thread++)
        while (trace_source_event(source, thread, &event))
            if (show(packing->timeline, source, &event, &call))
                pack_call(packing, &call);
}

static void pack_calls(struct timeline *timeline, struct base64_stream *packed, FILE *out)
{
    struct source *source = NULL;
    size_t size;
    struct packing packing = {.timeline = timeline,
                              .packed = packed,
                              .out = out,
                              .blocks = memory_stream(&timeline->blocks, &size),
                              .span = timeline->level ? ldexp(1e-9, timeline->level) : 0,
                              .comma = ""};
    begin_lines(timeline);
    while (timeline->lines_per_row == 1 &&
           (source = reader_next(timeline->explain->reader, source)))
        pack_source(&packing, source);
    end_item(&packing);
    end_block(&packing);
    fclose(packing.blocks);
}

/* ---- Waits ---- */

static const struct wait *to_sort;

static int longest_first(const void *a, const void *b)
{
    const struct wait *x = &to_sort[*(const uint32_t *)a], *y = &to_sort[*(const uint32_t *)b];
    return ORDER(y->until - y->from, x->until - x->from);
}

static int by_line_and_time(const void *a, const void *b)
{
    const struct wait *x = &to_sort[*(const uint32_t *)a], *y = &to_sort[*(const uint32_t *)b];
    return x->line != y->line ? ORDER(x->line, y->line) : ORDER(x->from, y->from);
}

/* The longest waits, by line and time. Returns how many. */
static size_t choose_waits(const struct explain *explain, uint32_t **chosen)
{
    size_t count = 0;
    *chosen = memory_zeroed(explain->wait_count, sizeof **chosen);
    for (uint32_t i = 0; i < explain->wait_count; i++)
        if (wait_is_for_another(explain, &explain->waits[i]) &&
            wait_seconds(explain, &explain->waits[i]) > 0)
            (*chosen)[count++] = i;
    to_sort = explain->waits;
    if (count > MOST_WAITS) {
        SORT(*chosen, count, longest_first);
        count = MOST_WAITS;
    }
    SORT(*chosen, count, by_line_and_time);
    return count;
}

static void pack_waits(struct timeline *timeline, struct base64_stream *packed, FILE *out)
{
    const struct explain *explain = timeline->explain;
    uint32_t *chosen = NULL;
    size_t size, count = timeline->lines_per_row == 1 ? choose_waits(explain, &chosen) : 0;
    FILE *index = memory_stream(&timeline->waits, &size);
    for (size_t i = 0, begun = 0; i < count; i++) {
        const struct wait *wait = &explain->waits[chosen[i]];
        double from = ns_of(timeline, wait->from),
               since = i > begun ? ns_of(timeline, explain->waits[chosen[i - 1]].from) : from;
        text_append_varint(&packed->block, (uint64_t)fmax(0, from - since));
        text_append_varint(&packed->block, (uint64_t)fmax(0, ns_of(timeline, wait->until) - from));
        text_append_varint(&packed->block, (uint64_t)wait->cause);
        text_append_varint(&packed->block, wait->by);
        text_append_varint(&packed->block, wait->call.spot);
        if (i + 1 < count && explain->waits[chosen[i + 1]].line == wait->line)
            continue;
        uint64_t at = packed_write(packed, out);
        fprintf(index, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.0f]", begun ? "," : "", wait->line,
                at, packed->written - at, ns_of(timeline, explain->waits[chosen[begun]].from));
        begun = i + 1;
    }
    fclose(index);
    free(chosen);
}

/* ---- The whole time line ---- */

/* When all waits are known. */
static void timeline_begin(struct timeline *timeline)
{
    const struct explain *explain = timeline->explain;
    timeline->lines_per_row = (explain->line_count + MOST_TIMELINE_ROWS - 1) / MOST_TIMELINE_ROWS;
    timeline->rows = (explain->line_count + timeline->lines_per_row - 1) / timeline->lines_per_row;
    timeline->buckets = (uint32_t)fmin(ROW_BUCKETS, MOST_BUCKETS / timeline->rows);
    timeline->buckets =
        (uint32_t)fmin(timeline->buckets, FEW_BUCKETS + (double)explain->events / timeline->rows);
    timeline->shares = memory_zeroed((size_t)timeline->rows * timeline->buckets,
                                     CATEGORIES * sizeof *timeline->shares);
    timeline->lines = memory_zeroed(explain->line_count, sizeof *timeline->lines);
    begin_lines(timeline);
}

/* Then reads the trace again, and writes what the page unpacks. */
static void timeline_write(struct timeline *timeline, FILE *out)
{
    struct base64_stream packed = {0};
    while (timeline->level + 1 < TIMELINE_LEVELS &&
           timeline->counts[timeline->level] > timeline->most)
        timeline->level++;
    double full = (timeline->explain->to - timeline->explain->from) / timeline->buckets *
                  timeline->lines_per_row;
    size_t count = (size_t)timeline->rows * timeline->buckets * CATEGORIES;
    for (size_t i = 0; i < count; i++) {
        char share =
            (char)(unsigned char)fmin(FULL_SHARE, rint(FULL_SHARE * timeline->shares[i] / full));
        text_append_bytes(&packed.block, &share, 1);
    }
    timeline->shares_at = packed_write(&packed, out);
    pack_waits(timeline, &packed, out);
    pack_calls(timeline, &packed, out);
    text_release(&packed.block);
}

static void row_names(const struct timeline *timeline, FILE *out)
{
    const struct line *lines = timeline->explain->lines;
    uint32_t count = timeline->explain->line_count;
    for (uint32_t row = 0; row < timeline->rows; row++) {
        uint32_t first = row * timeline->lines_per_row, last = first + timeline->lines_per_row - 1;
        last = last < count ? last : count - 1;
        fprintf(out, "%s\"%d", row ? "," : "", lines[first].pe);
        if (last > first)
            fprintf(out, "-%d", lines[last].pe);
        else if (lines[first].thread || (first + 1 < count && lines[first + 1].thread))
            fprintf(out, ".%" PRIu32, lines[first].thread);
        fputc('"', out);
    }
}

/* After that: the description, as members of an object of JSON. */
static void timeline_members(const struct timeline *timeline, FILE *out)
{
    const struct explain *explain = timeline->explain;
    json_print(out,
               "'from':%f,'length':%lld,'buckets':%u,'linesPerRow':%u,'full':%d,'calls':%zu,"
               "'together':%lld,'shares':%zu,'categories':[",
               explain->from, (long long)ns_of(timeline, explain->to), timeline->buckets,
               timeline->lines_per_row, (int)FULL_SHARE, (size_t)timeline->calls,
               timeline->level ? 1LL << timeline->level : 0, (size_t)timeline->shares_at);
    for (size_t i = 0; i < CATEGORIES; i++)
        json_print(out, i ? ",%s" : "%s", category_names[i]);
    json_print(out, "],'causes':[");
    for (size_t i = 0; i < CAUSES; i++)
        json_print(out, i ? ",%s" : "%s", cause_rows[i].name);
    fputs("],\"rows\":[", out);
    row_names(timeline, out);
    fputs("],\n\"spots\":[", out);
    for (uint32_t i = 0; i < explain->spots.count; i++)
        json_print(out, i ? ",[%s,%s,%d]" : "[%s,%s,%d]", spot_routine(explain, i),
                   spot_site(explain, i) ? spot_site(explain, i) : "",
                   i < timeline->category_room ? (int)timeline->categories[i] : 0);
    fprintf(out, "],\n\"waits\":[%s],\n\"blocks\":[%s]", timeline->waits, timeline->blocks);
}

static void timeline_free(struct timeline *timeline)
{
    free(timeline->shares);
    free(timeline->lines);
    free(timeline->categories);
    free(timeline->blocks);
    free(timeline->waits);
}

/* Which PE communicates with which one, and waits for it: by groups of PEs if they are many. */
enum matrix_quantity {
    MATRIX_TO,   /* bytes that calls of the first one move to the second one */
    MATRIX_FROM, /* bytes that they read there */
    MATRIX_CALLS,
    MATRIX_WAITED, /* seconds that the first one waits for the second one */
    MATRIX_QUANTITIES
};

struct matrix {
    int pes, group; /* group: PEs in a row */
    size_t rows;
    double *values; /* by row, column and quantity */
};

struct page {
    FILE *out;
    struct explain explain;
    struct timeline timeline;
    struct matrix matrix;
    char *found, *summed; /* as JSON */
};

/* ---- The matrix ---- */

static double *cell_of(const struct matrix *matrix, int64_t row, int64_t column)
{
    if (row < 0 || column < 0 || row >= matrix->pes || column >= matrix->pes)
        return NULL;
    size_t at = (size_t)(row / matrix->group) * matrix->rows + (size_t)(column / matrix->group);
    return matrix->values + MATRIX_QUANTITIES * at;
}

static void matrix_begin(struct matrix *matrix, const struct explain *explain)
{
    matrix->pes = explain->pes;
    matrix->group = (explain->pes + MOST_ROWS - 1) / MOST_ROWS;
    matrix->rows = (size_t)((explain->pes + matrix->group - 1) / matrix->group);
    matrix->values =
        memory_zeroed(matrix->rows * matrix->rows, MATRIX_QUANTITIES * sizeof *matrix->values);
    for (size_t i = 0; i < explain->wait_count; i++) {
        const struct wait *wait = &explain->waits[i];
        if (wait_is_for_another(explain, wait))
            cell_of(matrix, explain->lines[wait->line].pe,
                    explain->lines[wait->by].pe)[MATRIX_WAITED] += wait_seconds(explain, wait);
    }
}

static void matrix_write(const struct matrix *matrix, FILE *out)
{
    const char *comma = "";
    json_print(out, "{'pes':%d,'group':%d,'rows':%zu,'cells':[", matrix->pes, matrix->group,
               matrix->rows);
    for (size_t i = 0; i < matrix->rows * matrix->rows; i++) {
        const double *values = matrix->values + MATRIX_QUANTITIES * i;
        if (values[MATRIX_CALLS] == 0 && values[MATRIX_WAITED] == 0)
            continue;
        fprintf(out, "%s[%zu,%zu", comma, i / matrix->rows, i % matrix->rows);
        for (size_t k = 0; k < MATRIX_QUANTITIES; k++)
            json_print(out, ",%f", values[k]);
        fputc(']', out);
        comma = ",";
    }
    fputs("]}", out);
}

/* ---- Parts ---- */

static void write_title(struct page *page)
{
    char *title = text_printable(page->explain.reader->run->command, false);
    text_print_markup(page->out, title);
    free(title);
}

static void write_screen(struct page *page)
{
    char *text;
    size_t length;
    FILE *screen = memory_stream(&text, &length);
    print_screen(&page->explain, screen);
    fclose(screen);
    text_print_markup(page->out, text);
    free(text);
}

static void write_data(struct page *page)
{
    char *text;
    size_t length;
    FILE *data = memory_stream(&text, &length);
    /* Those of style.PALETTE and page.DARK_PALETTE in scripts/skampi_tools, which is tested. */
    fputs("{\"light\":[\"#004c8c\",\"#e69f00\",\"#00885f\",\"#1a1a1a\",\"#cc79a7\",\"#b83200\","
          "\"#88ccf0\"],\"dark\":[\"#7cb7ff\",\"#e69f00\",\"#2fc795\",\"#f2f2f2\",\"#e39cc4\","
          "\"#ff7a45\",\"#88ccf0\"],\n\"timeline\":{",
          data);
    timeline_members(&page->timeline, data);
    fprintf(data, "},\n\"explain\":%s,\n\"summary\":%s,\n\"matrix\":", page->found, page->summed);
    matrix_write(&page->matrix, data);
    fputs("}", data);
    fclose(data);
    /* "<" stands only in strings; without it, JSON cannot end its <script>. */
    for (const char *c = text; *c; c++)
        if (*c == '<')
            fputs("\\u003c", page->out);
        else
            fputc(*c, page->out);
    free(text);
}

static void write_packed(struct page *page)
{
    timeline_write(&page->timeline, page->out);
}

/* Writes the frame, or the body in it, with all that their names stand for. */
static void fill(struct page *page, const char *template)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    static const struct {
        const char *name, *text;
        void (*write)(struct page *);
    } places[] = {
        {"title", NULL, write_title},
        {"generator", "skampi-shmemtrace " SKAMPI_VERSION, NULL},
        {"style", page_style, NULL},
        {"size", "short", NULL},
        {"without", "Only the text is shown.", NULL},
        {"body", page_body, NULL},
        {"screen", NULL, write_screen},
        {"packed", NULL, write_packed},
        {"data", NULL, write_data},
        {"program", page_program, NULL},
    };
    const size_t count = sizeof places / sizeof *places;
    for (const char *at = template, *name; *at; at = name + strspn(name, letters)) {
        size_t plain = strcspn(at, "$"), i = 0;
        fwrite(at, 1, plain, page->out);
        if (!at[plain])
            return;
        name = at + plain + 1;
        while (i < count && (strlen(places[i].name) != strspn(name, letters) ||
                             strncmp(places[i].name, name, strlen(places[i].name)) != 0))
            i++;
        if (i == count)
            continue; /* what only skampi-report puts there */
        if (places[i].write)
            places[i].write(page);
        else if (places[i].text == page_body)
            fill(page, page_body);
        else
            fputs(places[i].text, page->out);
    }
}

/* ---- What the page shows ---- */

static void take_pair(void *page, const struct summary_pair *pair)
{
    double *cell = cell_of(&((struct page *)page)->matrix, pair->pe, pair->peer);
    if (!cell)
        return;
    cell[MATRIX_TO] += (double)pair->to;
    cell[MATRIX_FROM] += (double)pair->from;
    cell[MATRIX_CALLS] += (double)pair->calls;
}

static void take_event(void *page, struct source *source, const struct trace_event *event)
{
    timeline_survey(&((struct page *)page)->timeline, source, event);
}

/* Reads the trace for summary, matrix and time line. */
static void sum_up(struct page *page, struct reader *reader)
{
    size_t length;
    FILE *out = memory_stream(&page->summed, &length);
    struct summary *summary = memory_zeroed(1, sizeof *summary);
    *summary = (struct summary){.reader = reader,
                                .out = out,
                                .json = true,
                                .take_pair = take_pair,
                                .take_event = take_event,
                                .context = page};
    reader_window(reader);
    matrix_begin(&page->matrix, &page->explain);
    timeline_begin(&page->timeline);
    trace_summary_collect(summary);
    trace_summary_json_end(summary);
    fclose(out);
    trace_summary_release(summary);
    free(summary);
}

static uint64_t most_calls(const struct reader *reader)
{
    const char *text = reader_given(reader, "calls");
    char *end;
    if (!text)
        return MOST_CALLS;
    unsigned long long most = strtoull(text, &end, 10);
    if (strspn(text, "0123456789") != strlen(text) || !*text || most == 0)
        reader_fail(reader, 2, "--calls %s: give a number of calls, such as 1000000", text);
    return most;
}

/* The path of the page: what the user says, or the trace's name with .html. The caller frees it. */
static char *path_of(const struct reader *reader)
{
    const char *given = reader_given(reader, "output");
    size_t length = strlen(reader->path);
    while (length > 1 && reader->path[length - 1] == '/')
        length--;
    return given ? memory_text(given) : text_format("%.*s.html", (int)length, reader->path);
}

static int report_run(struct reader *reader)
{
    struct page page = {.timeline = {.explain = &page.explain, .most = most_calls(reader)}};
    char *path = path_of(reader);
    size_t length;
    explain_begin(&page.explain, reader);
    page.out = reader_create(reader, path);
    reader->out_name = path;
    explain_find(&page.explain);
    FILE *found = memory_stream(&page.found, &length);
    write_json(&page.explain, MOST_FOUND, found);
    fclose(found);
    sum_up(&page, reader);
    fill(&page, page_frame);
    reader_close_written(reader, page.out, path);
    reader->out_name = "standard output";
    if (!reader_given(reader, "output"))
        reader_say(reader, "wrote %s", path);
    int status = reader_status(reader);
    free(page.found);
    free(page.summed);
    free(page.matrix.values);
    timeline_free(&page.timeline);
    explain_free(&page.explain);
    free(path);
    return status;
}

static const struct manual_option options[] = {
    {.name = "calls",
     .value = "NUMBER",
     .help = "calls that the page has singly (3000000): if there are more, short ones that "
             "follow each other are shown together"},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the page; - is standard output (the name of the trace with .html)"},
    {0},
};

const struct reader_command trace_report_command = {
    .name = "report",
    .summary = "Writes a page for browsers: explain and summary with a time line of all calls.",
    .options = options,
    .window = true,
    .creates = true,
    .notes = "The page needs no network and no other file.\n\n",
    .run = report_run,
};
