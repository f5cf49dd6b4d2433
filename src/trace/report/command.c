/* shmemtrace report: fills the page. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "trace/report/report.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

#define MOST_CALLS 3000000 /* that are kept, if the user does not say how many */
#define MOST_FOUND 100     /* rows of each list of what was found */
#define MOST_ROWS 128      /* of the matrix */

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
        {"colors", "", NULL},
        {"library_style", "", NULL},
        {"licence", "", NULL},
        {"library", "", NULL},
    };
    for (const char *at = template, *name; *at; at = name + strspn(name, letters)) {
        size_t plain = strcspn(at, "$"), i = 0;
        fwrite(at, 1, plain, page->out);
        if (!at[plain])
            return;
        name = at + plain + 1;
        while (strlen(places[i].name) != strspn(name, letters) ||
               strncmp(places[i].name, name, strlen(places[i].name)) != 0)
            i++;
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
    summary_collect(summary);
    summary_json_end(summary);
    fclose(out);
    summary_release(summary);
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

const struct reader_command report_command = {
    .name = "report",
    .summary = "Writes a page for browsers: explain and summary with a time line of all calls.",
    .options = options,
    .window = true,
    .creates = true,
    .notes = "The page needs no network and no other file.\n\n",
    .run = report_run,
};
