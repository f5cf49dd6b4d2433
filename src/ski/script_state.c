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

void script_agree(struct interp *in, struct position where, const char *text)
{
    int numbers[3] = {where.file, where.line, where.column};
    uint64_t tag = hash_bytes(HASH_EMPTY, numbers, sizeof numbers);
    char *place = diag_place(in->source, where);

    engine_agree(in->engine, hash_bytes(tag, text, strlen(text)), place);
    free(place);
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
