/*
 * Agreement of all PEs, the time limit, and text of scripts.
 */
#include "engine/together.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/text.h"
#include "comm/comm.h"
#include "engine/engine.h"
#include "engine/messages.h"
#include "engine/watchdog.h"

/* ---- The time limit ---- */

bool limit_agree(struct limit *limit, uint64_t tag)
{
    /* Halves, so that negation cannot overflow. Time is PE 0's. */
    int64_t high = (int64_t)(tag >> 32), low = (int64_t)(tag & 0xffffffffu);
    int64_t most[] = {high, -high, low, -low, comm_pe() == 0 && wall_seconds() >= limit->ends};
    comm_allreduce_int(comm_world(), COMM_MAX, most, sizeof most / sizeof *most);
    limit->reached = most[4];
    return most[0] == -most[1] && most[2] == -most[3];
}

bool limit_over(struct limit *limit)
{
    return limit->over = limit->over || limit->reached;
}

/* Loops that would not have ended are not counted, nor what comes after very many. */
bool limit_unknown(const struct limit *limit)
{
    return limit->skipped >= MOST_LISTED_MISSING || limit->endless;
}

static const char *at_least(const struct limit *limit)
{
    return limit_unknown(limit) ? "at least " : "";
}

char *limit_text(const struct limit *limit)
{
    return text_format("stopped by the time limit of %g s: %s%zu measurement%s missing, and %zu "
                       "round%s of single points%s",
                       limit->seconds, at_least(limit), limit->skipped,
                       limit->skipped == 1 ? " is" : "s are", limit->rounds,
                       numbers_plural(limit->rounds),
                       limit->cut_short ? ", one was cut short" : "");
}

void limit_tell(const struct limit *limit, struct output *output)
{
    char *what = text_format("stopped by the time limit of %g s", limit->seconds);
    char *missing = text_format("%s%zu point%s", at_least(limit), limit->skipped,
                                limit->skipped == 1 ? " is" : "s are");
    watchdog_tell_limit(output, what, missing);
    free(missing);
    free(what);
}

/* ---- Text of scripts ---- */

void texts_add(struct pending_text *pending, struct display *display, const char *text)
{
    if (pending->output) {
        output_put(pending->output, &(struct record){.kind = RECORD_PRINT, .text = text});
        fatal_check_output(display, pending->output);
        return;
    }
    size_t length = strlen(text);
    pending->text = memory_resize(pending->text, pending->length + length + 1);
    memcpy(pending->text + pending->length, text, length + 1);
    pending->length += length;
}

void texts_bring(struct pending_text *pending)
{
    int64_t length = (int64_t)pending->length, *lengths = NULL;
    if (comm_pe() == 0)
        lengths = memory_zeroed((size_t)comm_pes(), sizeof *lengths);
    comm_gather(comm_world(), &length, sizeof length, lengths);
    if (comm_pe() != 0) {
        if (length > 0)
            comm_send(0, pending->text, (size_t)length);
        free(pending->text);
        pending->text = NULL;
        pending->length = 0;
        return;
    }
    for (int pe = 1; pe < comm_pes(); pe++) {
        if (lengths[pe] == 0)
            continue;
        char *text = memory_zeroed((size_t)lengths[pe] + 1, 1);
        comm_receive(pe, text, (size_t)lengths[pe]);
        output_put(pending->output, &(struct record){.kind = RECORD_PRINT, .text = text});
        free(text);
    }
    free(lengths);
}

void texts_flush(struct pending_text *pending)
{
    int64_t any = pending->length > 0;
    comm_allreduce_int(comm_world(), COMM_MAX, &any, 1);
    if (any)
        texts_bring(pending);
}
