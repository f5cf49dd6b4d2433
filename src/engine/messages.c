/* Messages while it runs, on standard error. */
#include "engine/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/engine.h"
#include "engine/watchdog.h"

/* Nobody reads faster, and measuring goes on meanwhile; what is kept in a file is read later. */
#define INTERVAL_SECONDS 0.1
#define LINES_SECONDS 10
/* Too little is known of a run for a guess before this share of it. */
#define LEAST_SHARE 0.02

static int terminal(void)
{
    return terminal_of_messages(comm_launched_rank() >= 0);
}

enum progress progress_form(bool results_on_stdout)
{
    int results = results_on_stdout ? terminal_of(STDOUT_FILENO, comm_launched_rank() >= 0) : -1;
    if (results > STDERR_FILENO)
        close(results);
    if (results >= 0)
        return PROGRESS_NONE; /* the results are */
    return terminal() >= 0 ? PROGRESS_OVERWRITTEN : PROGRESS_LINES;
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

/* Where progress is printed as lines, quick runs show none. */
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
    int room = terminal_columns(terminal()) - 1,
        first = (int)strlen(head) < room ? (int)strlen(head) : room;
    fprintf(stderr, "\r\033[K%s%.*s%s%.*s", terminal_style(TERMINAL_BOLD), first, head,
            terminal_style(TERMINAL_PLAIN), room - first, tail);
}

/* What is left of the run, if blocks and their loops go on as they did, and rounds take as long as
 * those before; 0: not known yet. */
static double time_left(const struct display *display)
{
    const struct round *round = display->round;
    double blocks = (double)display->options->blocks;
    double passed = wall_seconds() - display->started;
    if (round->number > 1)
        return fmax(
            (double)round->total * fmax(passed / (double)round->number, round->apart) - passed, 0);
    double share = ((double)display->block->number - 1 + display->share) / fmax(blocks, 1);
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
    if (display->wanted && is_due(display))
        show_measurement(display, call);
}

void progress_go_on(struct display *display)
{
    const char *doing = watchdog_done();
    if (doing && display->wanted && display->options->progress == PROGRESS_LINES && is_due(display))
        show_measurement(display, doing);
}

void progress_result(struct display *display, const struct statistics *statistics, bool is_time)
{
    if (!display->wanted)
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
    if (!display->wanted || seconds < 1)
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
    if (!display->wanted || !is_due(display))
        return;
    char *head = text_format("[waits for the state %s of the machine] ", state);
    const char *doing = watchdog_done();
    show(display, head, doing ? doing : "");
    free(head);
}

void progress_end(struct display *display)
{
    if (display->wanted && display->options->progress == PROGRESS_OVERWRITTEN && display->shown > 0)
        fputs("\r\033[K", stderr);
}

/* ---- What is not measured ---- */

void missing_state(const struct missing_points *missing, enum result_missing kind,
                   const struct measure_request *request, const char *reason)
{
    if (!missing->output || missing->silent)
        return;
    struct point_description described = request_describe(missing->describer, request);
    output_missing(missing->output, kind, &described.point, reason);
    described_release(&described);
}

/* Once for each measure statement of a block; the output has the rest. PE 0. */
static void warn(struct missing_points *missing, const struct measure_request *request,
                 const char *reason)
{
    for (size_t i = 0; i < missing->warned_count; i++)
        if (strcmp(missing->warned[i], request->place) == 0)
            return;
    memory_append(missing->warned, missing->warned_count, memory_text(request->place));
    progress_end(missing->display);
    terminal_message("%s: warning: %s is not measured: %s", request->place, request->text, reason);
}

void missing_leave_out_more(struct missing_points *missing, int64_t count)
{
    if (__builtin_add_overflow(missing->unlisted, count, &missing->unlisted))
        missing->unlisted = INT64_MAX;
}

bool missing_listed(const struct missing_points *missing)
{
    return missing->left_out < MOST_LISTED_MISSING;
}

void missing_leave_out(struct missing_points *missing, enum result_missing kind,
                       const struct measure_request *request, const char *reason)
{
    bool listed = missing_listed(missing) || missing->silent;
    missing->incomplete = true;
    missing->left_out += !missing->silent;
    if (!listed)
        missing_leave_out_more(missing, 1);
    if (!missing->output)
        return;
    missing->kind = kind;
    free(missing->call);
    missing->call = memory_text(request->text);
    free(missing->reason);
    missing->reason = memory_text(reason);
    if (missing->silent)
        return;
    warn(missing, request, reason);
    if (listed)
        missing_state(missing, kind, request, reason);
}

void missing_fail(struct missing_points *missing, const struct measure_request *request,
                  const char *reason)
{
    missing->incomplete = true;
    if (!missing->output)
        return;
    free(missing->reason);
    missing->reason = memory_text(reason);
    if (missing->silent)
        return;
    progress_end(missing->display);
    terminal_message("%s: error: %s: %s", request->place, request->text, reason);
    missing_state(missing, MISSING_FAILED, request, reason);
}

void missing_forget_warnings(struct missing_points *missing)
{
    for (size_t i = 0; i < missing->warned_count; i++)
        free(missing->warned[i]);
    free(missing->warned);
    missing->warned = NULL;
    missing->warned_count = 0;
}

void missing_end_block(struct missing_points *missing)
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

void missing_free(struct missing_points *missing)
{
    missing_forget_warnings(missing);
    free(missing->call);
    free(missing->reason);
}

/* ---- The end by an error ---- */

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
        watchdog_ending();
        char *first_line = memory_text_part(text, strcspn(text, "\n"));
        char *said = text_format("ended by an error: %s", first_line);
        board_say_end(BOARD_FAILED, status, said);
        watchdog_last_words(status, "ended by an error", first_line);
        free(said);
        free(first_line);
        terminal_say(text);
        fflush(stderr);
        comm_abort(status);
    }
    watchdog_ending();
    for (;;)
        pause(); /* the one that reports ends the job */
}

void fatal_check_output(struct display *display, struct output *output)
{
    const char *reason = output ? output_failed(output) : NULL;
    if (reason)
        fatal_text(display, STATUS_INTERNAL, text_format("skampi: error: %s\n", reason));
}

/* ---- How long a script takes, from some of its measurements ---- */

struct estimate_point {
    char *place;
    size_t count, skipped; /* since the last probe */
    double last;           /* seconds of the last probe */
    double reported;       /* what it measured, seconds */
};

static struct estimate_point *statement(struct estimate *estimate, const char *place)
{
    for (size_t i = 0; i < estimate->statement_count; i++)
        if (strcmp(estimate->statements[i].place, place) == 0)
            return &estimate->statements[i];
    memory_append(estimate->statements, estimate->statement_count,
                  (struct estimate_point){.place = memory_text(place)});
    return &estimate->statements[estimate->statement_count - 1];
}

bool estimate_probes(struct estimate *estimate, const char *place)
{
    struct estimate_point *estimated = statement(estimate, place);
    estimate->measurements++;
    size_t count = ++estimated->count;
    bool power_of_two = (count & (count - 1)) == 0;
    if (!power_of_two)
        estimated->skipped++;
    return power_of_two;
}

double estimate_reported(struct estimate *estimate, const char *place)
{
    return statement(estimate, place)->reported;
}

void estimate_probed(struct estimate *estimate, const char *place, double seconds, double reported)
{
    struct estimate_point *estimated = statement(estimate, place);
    estimate->probes++;
    estimate->seconds += seconds + (double)estimated->skipped * (estimated->last + seconds) / 2;
    estimated->skipped = 0;
    estimated->last = seconds;
    estimated->reported = reported;
}

double estimate_total(const struct estimate *estimate)
{
    double seconds = estimate->seconds;
    for (size_t i = 0; i < estimate->statement_count; i++)
        seconds += (double)estimate->statements[i].skipped * estimate->statements[i].last;
    return seconds;
}

void estimate_free(struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->statement_count; i++)
        free(estimate->statements[i].place);
    free(estimate->statements);
}

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
