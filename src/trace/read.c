#define _GNU_SOURCE /* asprintf */
#include "trace/read.h"

#include <stdio.h>

struct trace_file *trace_open(const char *path, char **error)
{
    if (asprintf(error, "%s: cannot be read yet", path) < 0)
        *error = NULL;
    return NULL;
}

void trace_close(struct trace_file *file)
{
    (void)file;
}

const struct trace_info *trace_info(const struct trace_file *file)
{
    (void)file;
    return NULL;
}

const struct trace_routine *trace_routine(const struct trace_file *file, uint32_t routine)
{
    (void)file, (void)routine;
    return NULL;
}

double trace_seconds(const struct trace_file *file, int64_t ticks)
{
    (void)file, (void)ticks;
    return 0;
}

struct trace_cursor *trace_events(struct trace_file *file, int thread)
{
    (void)file, (void)thread;
    return NULL;
}

int trace_next(struct trace_cursor *cursor, struct trace_event *event)
{
    (void)cursor, (void)event;
    return 0;
}

const char *trace_problem(const struct trace_cursor *cursor)
{
    (void)cursor;
    return "";
}

void trace_cursor_free(struct trace_cursor *cursor)
{
    (void)cursor;
}

long trace_files(const char *path, char ***files, char **error)
{
    (void)files;
    if (asprintf(error, "%s: cannot be read yet", path) < 0)
        *error = NULL;
    return -1;
}

int trace_next_phase(struct trace_cursor *cursor, struct trace_phase *phase)
{
    (void)cursor, (void)phase;
    return 0;
}

int trace_next_profile(struct trace_cursor *cursor, struct trace_profile *profile)
{
    (void)cursor, (void)profile;
    return 0;
}
