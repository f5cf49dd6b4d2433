/*
 * Ends the job by an error of the script or of the engine: once, with a message.
 */
#include "engine/fatal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/control.h"
#include "engine/watch.h"

/* How long a PE waits for PE 0 to report the same error and to end the job. */
#define REPORT_GRACE_SECONDS 1.0

static void wait_seconds(double seconds)
{
    int64_t until = timer_now() + timer_ticks(seconds);
    while (timer_now() < until)
        comm_poll();
}

void fatal_text(struct display *display, int status, const char *text)
{
    /* Mostly every PE finds the same error; then PE 0's word is enough. */
    if (comm_pe() != 0)
        wait_seconds(REPORT_GRACE_SECONDS);
    if (comm_claim()) {
        progress_end(display);
        engine_watch_ending();
        char *first_line = memory_text_part(text, strcspn(text, "\n"));
        char *said = text_format("ended by an error: %s", first_line);
        comm_say_end(COMM_FAILED, status, said);
        watch_last_words(status, "ended by an error", first_line);
        free(said);
        free(first_line);
        terminal_say(text);
        fflush(stderr);
        comm_abort(status);
    }
    engine_watch_ending();
    for (;;)
        pause(); /* the one that reports ends the job */
}

void fatal_check_output(struct display *display, struct output *output)
{
    const char *reason = output ? output_failed(output) : NULL;
    if (reason)
        fatal_text(display, STATUS_INTERNAL, text_format("skampi: error: %s\n", reason));
}
