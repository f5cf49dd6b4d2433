/*
 * Runs the statements print, print_all and flush.
 */
#include "ski/print.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ski/evaluate.h"

/* Most bytes of one print, and of all that is printed before the next flush: until then, each PE
 * keeps its text in memory. */
#define PRINT_LIMIT ((size_t)4 << 20)
#define PENDING_LIMIT ((size_t)64 << 20)

static bool append_list(struct interp *in, const struct stmt *stmt, struct text *line)
{
    for (size_t i = 0; i < stmt->list_count; i++) {
        struct value v;
        char *shown;

        if (!evaluate(in, stmt->list[i], &v))
            return false;
        shown = value_text(&v);
        value_release(&v);
        text_append(line, "%s", shown);
        free(shown);
        if (line->length > PRINT_LIMIT)
            return script_fail(in, stmt->list[i]->where, "this prints more than %zu MiB at once",
                               PRINT_LIMIT >> 20);
    }
    return true;
}

bool script_print(struct interp *in, const struct stmt *stmt)
{
    struct text shown = {0}, marked = {0};
    bool ok = append_list(in, stmt, &shown);

    if (ok) {
        char *rest = text_take(&shown), *line;

        /* Strings may hold several lines; each must be a comment in the output. */
        for (char *from = rest; (line = strsep(&from, "\n"));) {
            for (char *c = line; (c = strchr(c, '\r'));)
                *c = '?'; /* some programs take it for the end of a line */
            text_append(&marked, "#P[%d] %s\n", engine_pe(in->engine), line);
        }
        free(rest);
        in->pending += marked.length;
        ok = in->pending <= PENDING_LIMIT ||
             script_fail(in, stmt->where, "more than %zu MiB have been printed without a flush",
                         PENDING_LIMIT >> 20);
    }
    if (ok)
        engine_print(in->engine, marked.data);
    text_release(&marked);
    text_release(&shown);
    return ok;
}

void script_flush(struct interp *in, const struct stmt *stmt)
{
    script_agree(in, stmt->where, "flush");
    engine_flush(in->engine);
    in->pending = 0;
}
