/*
 * How far the run is, on standard error: for people who wait at a terminal one line that is
 * overwritten again and again, elsewhere a line from time to time.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm/comm.h"
#include "comm/process.h"
#include "engine/internal.h"

/* Nobody reads faster, and measuring goes on meanwhile; what is kept in a file is read later. */
#define INTERVAL_SECONDS 0.1
#define LINES_SECONDS 10
#define NARROWEST 20
#define USUAL_WIDTH 80
/* Too little is known of a run for a guess before this share of it. */
#define LEAST_SHARE 0.02

/* Where a standard stream of this process ends up, or -1 if that is no terminal: launchers hand it
 * on through a pipe, or a terminal of their own making, to theirs. To be closed, but for stream. */
static int terminal_of(int stream)
{
    char path[64];
    struct stat status;
    if (fstat(stream, &status) != 0 || S_ISREG(status.st_mode))
        return -1;
    if (comm_launched_rank() < 0)
        return isatty(stream) ? stream : -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), stream);
    int found = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (found >= 0 && isatty(found))
        return found;
    if (found >= 0)
        close(found);
    return -1;
}

static int terminal(void)
{
    static int found = -2;
    if (found == -2)
        found = terminal_of(STDERR_FILENO);
    return found;
}

enum progress engine_progress_form(bool results_on_stdout)
{
    int results = results_on_stdout ? terminal_of(STDOUT_FILENO) : -1;
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

/* https://no-color.org: any value but an empty one turns colours off. */
static bool colours(void)
{
    const char *off = getenv("NO_COLOR"), *name = getenv("TERM");
    return terminal() >= 0 && !(off && *off) && !(name && strcmp(name, "dumb") == 0);
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

static bool wanted(struct engine *engine)
{
    return engine->output && engine->options.progress != PROGRESS_NONE;
}

/* In lines, quick runs show nothing. */
static bool is_due(const struct engine *engine)
{
    bool lines = engine->options.progress == PROGRESS_LINES;
    double last = lines ? fmax(engine->progress_shown, engine->started) : engine->progress_shown;
    return wall_seconds() - last >= (lines ? LINES_SECONDS : INTERVAL_SECONDS);
}

/* head is shown in bold, as much of both as there is room for. */
static void show(struct engine *engine, const char *head, const char *tail)
{
    if (!is_due(engine))
        return;
    engine->progress_shown = wall_seconds();
    if (engine->options.progress == PROGRESS_LINES) {
        fprintf(stderr, "skampi: %s%s\n", head, tail);
        return;
    }
    int room = width() - 1, first = (int)strlen(head) < room ? (int)strlen(head) : room;
    bool bold = colours();
    fprintf(stderr, "\r\033[K%s%.*s%s%.*s", bold ? "\033[1m" : "", first, head,
            bold ? "\033[0m" : "", room - first, tail);
}

/* What is left of the run, if blocks and their loops go on as they did; 0: not known yet. */
static double time_left(const struct engine *engine)
{
    double blocks = (double)engine->options.blocks;
    if (engine->round > 1)
        return rounds_left(engine);
    double share = ((double)engine->block_number - 1 + engine->progress_share) / fmax(blocks, 1);
    double passed = wall_seconds() - engine->started;
    return share < LEAST_SHARE || share > 1 ? 0 : passed / share - passed;
}

static void show_measurement(struct engine *engine, const char *measurement)
{
    char left[64] = "", text[32];
    double seconds = time_left(engine);
    bool again = engine->round > 1;
    if (seconds > 0)
        snprintf(left, sizeof left, ", about %s left", time_text(text, sizeof text, seconds));
    char *head =
        text_format("[%s%s %zu/%zu%s] ", engine->options.estimate ? "estimate, " : "",
                    again ? "round" : "block", again ? engine->round : engine->block_number,
                    again ? engine->round_total : engine->options.blocks, left);
    char *tail = text_format("%s: %s%s%s", engine->block_name ? engine->block_name : "",
                             measurement, engine->progress_result ? ", before " : "",
                             engine->progress_result ? engine->progress_result : "");
    show(engine, head, tail);
    free(tail);
    free(head);
}

void progress_show(struct engine *engine, const struct measure_request *request)
{
    if (wanted(engine) && is_due(engine))
        show_measurement(engine, request->text);
}

void progress_go_on(struct engine *engine)
{
    const char *doing = atomic_load(&engine->doing);
    if (doing && wanted(engine) && engine->options.progress == PROGRESS_LINES && is_due(engine))
        show_measurement(engine, doing);
}

void progress_result(struct engine *engine, const struct numbers *numbers, double unit)
{
    if (!wanted(engine))
        return;
    char value[64];
    free(engine->progress_result);
    double error = 100 * numbers->standard_error / fabs(numbers->time);
    output_number(value, sizeof value, numbers->time * unit);
    engine->progress_result =
        isfinite(error) ? text_format("%s +- %.1f %%", value, error) : text_format("%s", value);
}

void progress_wait(struct engine *engine, double seconds)
{
    if (!wanted(engine))
        return;
    char *head = text_format("[round %zu/%zu]", engine->round, engine->round_total);
    char tail[64], text[32];
    snprintf(tail, sizeof tail, " begins in %s", time_text(text, sizeof text, seconds));
    show(engine, head, tail);
    free(head);
}

void progress_end(struct engine *engine)
{
    if (wanted(engine) && engine->options.progress == PROGRESS_OVERWRITTEN &&
        engine->progress_shown > 0)
        fputs("\r\033[K", stderr);
}
