/*
 * How far the run is, on standard error: for people who wait at a terminal one line that is
 * overwritten again and again, elsewhere a line from time to time.
 */
#include "engine/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "comm/comm.h"
#include "comm/process.h"
#include "engine/control.h"
#include "engine/watch.h"

/* Nobody reads faster, and measuring goes on meanwhile; what is kept in a file is read later. */
#define INTERVAL_SECONDS 0.1
#define LINES_SECONDS 10
#define NARROWEST 20
#define USUAL_WIDTH 80
/* Too little is known of a run for a guess before this share of it. */
#define LEAST_SHARE 0.02

static int terminal(void)
{
    return terminal_of_messages(comm_launched_rank() >= 0);
}

enum progress engine_progress_form(bool results_on_stdout)
{
    int results = results_on_stdout ? terminal_of(STDOUT_FILENO, comm_launched_rank() >= 0) : -1;
    if (results > STDERR_FILENO)
        close(results);
    if (results >= 0)
        return PROGRESS_NONE; /* the results are */
    return terminal() >= 0 ? PROGRESS_OVERWRITTEN : PROGRESS_LINES;
}

static int width(void)
{
    struct winsize size;
    if (ioctl(terminal(), TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
        return size.ws_col;
    return USUAL_WIDTH;
}

static char *time_text(char *text, size_t size, double seconds)
{
    if (seconds < 120)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
    return text;
}

static bool wanted(struct display *display)
{
    return display->options->output && display->options->progress != PROGRESS_NONE;
}

/* As lines, quick runs show nothing. */
static bool is_due(const struct display *display)
{
    bool lines = display->options->progress == PROGRESS_LINES;
    double last = lines ? fmax(display->shown, display->started) : display->shown;
    return wall_seconds() - last >= (lines ? LINES_SECONDS : INTERVAL_SECONDS);
}

/* head is shown in bold, as much of both as there is room for. */
static void show(struct display *display, const char *head, const char *tail)
{
    if (!is_due(display))
        return;
    display->shown = wall_seconds();
    if (display->options->progress == PROGRESS_LINES) {
        fprintf(stderr, "skampi: %s%s\n", head, tail);
        return;
    }
    int room = width() - 1, first = (int)strlen(head) < room ? (int)strlen(head) : room;
    fprintf(stderr, "\r\033[K%s%.*s%s%.*s", terminal_style(TERMINAL_BOLD), first, head,
            terminal_style(TERMINAL_PLAIN), room - first, tail);
}

/* Seconds until the last round ends, if it takes as long as those before. */
static double rounds_left(const struct display *display)
{
    const struct round *round = display->round;
    double passed = wall_seconds() - display->started, begun = (double)round->number - 1;
    double apart = fmax(passed / (begun + 1), round->apart);
    return fmax((double)round->total * apart - passed, 0);
}

/* What is left of the run, if blocks and their loops go on as they did; 0: not known yet. */
static double time_left(const struct display *display)
{
    double blocks = (double)display->options->blocks;
    if (display->round->number > 1)
        return rounds_left(display);
    double share = ((double)display->block->number - 1 + display->share) / fmax(blocks, 1);
    double passed = wall_seconds() - display->started;
    return share < LEAST_SHARE || share > 1 ? 0 : passed / share - passed;
}

/* Of how many; rounds that are added for single states of the machine have no number. */
static char *place_text(const struct display *display)
{
    const struct block *block = display->block;
    const struct round *round = display->round;
    if (round->number > round->total && round->number > 1)
        return memory_text("another round");
    if (round->number > 1)
        return text_format("round %zu/%zu", round->number, round->total);
    return text_format("block %zu/%zu", block->number, display->options->blocks);
}

static void show_measurement(struct display *display, const char *measurement)
{
    const struct block *block = display->block;
    char left[64] = "", text[32];
    double seconds = time_left(display);
    if (seconds >= 1)
        snprintf(left, sizeof left, ", about %s left", time_text(text, sizeof text, seconds));
    char *place = place_text(display);
    char *head =
        text_format("[%s%s%s] ", display->options->estimate ? "estimate, " : "", place, left);
    char *tail = text_format("%s: %s%s%s", block->name ? block->name : "", measurement,
                             display->result ? ", last result " : "",
                             display->result ? display->result : "");
    show(display, head, tail);
    free(tail);
    free(head);
    free(place);
}

void progress_show(struct display *display, const char *call)
{
    if (wanted(display) && is_due(display))
        show_measurement(display, call);
}

void progress_go_on(struct display *display)
{
    const char *doing = watch_done();
    if (doing && wanted(display) && display->options->progress == PROGRESS_LINES && is_due(display))
        show_measurement(display, doing);
}

void progress_result(struct display *display, const struct statistics *statistics, bool is_time)
{
    if (!wanted(display))
        return;
    char value[64], share[32];
    double time = statistics->time, error = statistics->standard_error;
    int digits = numbers_digits(time, error);
    free(display->result);
    if (is_time)
        numbers_time(value, time, digits);
    else
        snprintf(value, sizeof value, "%.0f bytes", time);
    display->result =
        is_time && isfinite(error / time)
            ? text_format("%s +- %s %%", value, numbers_text(share, 100 * error / fabs(time), 2))
            : memory_text(value);
}

void progress_wait(struct display *display, double seconds)
{
    if (!wanted(display) || seconds < 1)
        return;
    char *place = place_text(display), *head = text_format("[%s]", place);
    char tail[64], text[32];
    snprintf(tail, sizeof tail, " begins in %s", time_text(text, sizeof text, seconds));
    show(display, head, tail);
    free(head);
    free(place);
}

void progress_state(struct display *display, const char *state)
{
    if (!wanted(display) || !is_due(display))
        return;
    char *head = text_format("[waits for the state %s of the machine] ", state);
    const char *doing = watch_done();
    show(display, head, doing ? doing : "");
    free(head);
}

void progress_end(struct display *display)
{
    if (wanted(display) && display->options->progress == PROGRESS_OVERWRITTEN && display->shown > 0)
        fputs("\r\033[K", stderr);
}
