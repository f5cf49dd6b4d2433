/*
 * States what is not measured: as warnings on standard error, and in the place of results.
 */
#include "engine/missing.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engine/engine.h"

void missing_state(const struct missing *missing, enum result_missing kind,
                   const struct measure_request *request, const char *reason)
{
    if (!missing->output)
        return;
    struct described described = describe(missing->describer, request);
    output_missing(missing->output, kind, &described.point, reason);
    described_release(&described);
}

static void say(struct missing *missing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct missing *missing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    progress_end(missing->display);
    terminal_say(text);
    free(text);
}

/* Once for each measure statement of a block; the output has the rest. PE 0. */
static void warn(struct missing *missing, const struct measure_request *request, const char *reason)
{
    for (size_t i = 0; i < missing->warned_count; i++)
        if (strcmp(missing->warned[i], request->place) == 0)
            return;
    missing->warned =
        memory_resize(missing->warned, (missing->warned_count + 1) * sizeof *missing->warned);
    missing->warned[missing->warned_count++] = memory_text(request->place);
    say(missing, "%s: warning: %s is not measured: %s", request->place, request->text, reason);
}

void missing_leave_out_more(struct missing *missing, int64_t count)
{
    if (__builtin_add_overflow(missing->unlisted, count, &missing->unlisted))
        missing->unlisted = INT64_MAX;
}

bool missing_listed(const struct missing *missing)
{
    return missing->left_out < MOST_LISTED_MISSING;
}

void missing_leave_out(struct missing *missing, enum result_missing kind,
                       const struct measure_request *request, const char *reason)
{
    bool listed = missing_listed(missing);
    missing->incomplete = true;
    missing->left_out++;
    if (!listed)
        missing_leave_out_more(missing, 1);
    if (!missing->output)
        return;
    missing->kind = kind;
    free(missing->call);
    missing->call = memory_text(request->text);
    free(missing->reason);
    missing->reason = memory_text(reason);
    warn(missing, request, reason);
    if (listed)
        missing_state(missing, kind, request, reason);
}

void missing_fail(struct missing *missing, const struct measure_request *request,
                  const char *reason)
{
    missing->incomplete = true;
    if (!missing->output)
        return;
    say(missing, "%s: error: %s: %s", request->place, request->text, reason);
    missing_state(missing, MISSING_FAILED, request, reason);
}

static void forget_warnings(struct missing *missing)
{
    for (size_t i = 0; i < missing->warned_count; i++)
        free(missing->warned[i]);
    free(missing->warned);
    missing->warned = NULL;
    missing->warned_count = 0;
}

void missing_begin_block(struct missing *missing)
{
    forget_warnings(missing);
}

void missing_end_block(struct missing *missing)
{
    if (missing->output && missing->unlisted > 0) {
        char *reason = text_format(
            "%lld measurement%s more of this block; the last of them was left out because: %s "
            "(the first %d of a run are listed)",
            (long long)missing->unlisted, missing->unlisted == 1 ? "" : "s", missing->reason,
            MOST_LISTED_MISSING);
        output_missing_more(missing->output, missing->kind, missing->block->name,
                            missing->block->number, missing->call, reason, missing->unlisted);
        free(reason);
    }
    missing->unlisted = 0;
}

void missing_free(struct missing *missing)
{
    forget_warnings(missing);
    free(missing->call);
    free(missing->reason);
}
