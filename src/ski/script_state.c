/*
 * A script being run: its variables, the loops around the statement, and the error that ends it.
 */
#include "ski/script_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

bool (*script_goes_on)(void);

bool script_fail(struct interp *in, struct position where, const char *format, ...)
{
    char message[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    in->error = text_format("%s", message);
    in->error_where = where;
    in->error_status = STATUS_SCRIPT;
    return false;
}

void script_enter_span(struct interp *in, struct span outer, double begin, double width)
{
    in->span.begin = outer.begin + begin * outer.width;
    in->span.width = width * outer.width;
}

bool script_may_go_on(struct interp *in, struct position where)
{
    return !script_goes_on || script_goes_on() || script_fail(in, where, "stopped");
}

void script_show_error(struct interp *in, char text[SCRIPT_ERROR_BYTES])
{
    char *allocated = diag_format(in->source, in->error_where, in->error);

    /* Copied, because nobody can free the allocated text once the job ends. */
    snprintf(text, SCRIPT_ERROR_BYTES, "%s", allocated);
    free(allocated);
    free(in->error);
    in->error = NULL;
}

void script_agree(struct interp *in, struct position where, const char *text)
{
    int numbers[3] = {where.file, where.line, where.column};
    char shown[SCRIPT_ERROR_BYTES];
    uint64_t tag = hash_bytes(HASH_EMPTY, numbers, sizeof numbers);

    if (engine_agree(in->engine, hash_bytes(tag, text, strlen(text))))
        return;
    script_fail(in, where,
                "the PEs run different parts of the script, or use different values: all PEs must "
                "reach the same measure, flush and communicator calls with the same values");
    script_show_error(in, shown);
    engine_fatal_text(in->engine, in->error_status, shown);
}

struct value *script_variable(struct interp *in, int symbol, bool local)
{
    return local ? &in->locals[symbol] : &in->globals[symbol];
}

void script_assign(struct interp *in, int symbol, struct value v)
{
    struct value *slot = in->in_block ? &in->locals[symbol] : &in->globals[symbol];

    value_release(slot);
    *slot = v;
}

void script_release(struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        value_release(&values[i]);
}
