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

/* What replaces a $name of the page: a text, or what a function writes. */
struct page {
    FILE *out;
    struct explain explain;
    struct timeline timeline;
    struct matrix matrix;
    char *found, *summed; /* as JSON */
};
struct place {
    const char *name, *text;
    void (*write)(struct page *);
};

/* ---- Texts within HTML ---- */

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

static void write_packed(struct page *page)
{
    timeline_write(&page->timeline, page->out);
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

static void write_place(struct page *page, const struct place *places, const char *name,
                        size_t length)
{
    while (strlen(places->name) != length || memcmp(places->name, name, length) != 0)
        places++;
    if (places->write)
        places->write(page);
    else
        fputs(places->text, page->out);
}

static void fill(struct page *page, const char *template, const struct place *places)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    for (const char *at = template, *name; *at; at = name + strspn(name, letters)) {
        size_t plain = strcspn(at, "$");
        fwrite(at, 1, plain, page->out);
        if (!at[plain])
            return;
        name = at + plain + 1;
        write_place(page, places, name, strspn(name, letters));
    }
}

static void write_body(struct page *page)
{
    static const struct place places[] = {{.name = "screen", .write = write_screen},
                                          {.name = "packed", .write = write_packed}};
    fill(page, page_body, places);
}

static void write_page(struct page *page)
{
    static const struct place places[] = {
        {.name = "title", .write = write_title},
        {.name = "generator", .text = "skampi-shmemtrace " SKAMPI_VERSION},
        {.name = "style", .text = page_style},
        {.name = "size", .text = "short"},
        {.name = "without", .text = "Only the text is shown."},
        {.name = "body", .write = write_body},
        {.name = "data", .write = write_data},
        {.name = "program", .text = page_program},
        {.name = "colors", .text = ""},
        {.name = "library_style", .text = ""},
        {.name = "licence", .text = ""},
        {.name = "library", .text = ""},
    };
    fill(page, page_frame, places);
}

/* ---- What the page shows ---- */

static void take_pair(void *page, const struct summary_pair *pair)
{
    matrix_add(&((struct page *)page)->matrix, pair);
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
    write_page(&page);
    reader_close_written(reader, page.out, path);
    reader->out_name = "standard output";
    if (!reader_given(reader, "output"))
        reader_say(reader, "wrote %s", path);
    int status = reader_status(reader);
    free(page.found);
    free(page.summed);
    matrix_free(&page.matrix);
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
