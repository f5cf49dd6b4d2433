#define _GNU_SOURCE /* vasprintf */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIGNIFICANT 4
#define MAX_DECIMALS 18
#define LAST_WORDS_SECONDS 1

/* A result kept back. */
struct held {
    double key;
    size_t number;
    char *text, *conditions;
};

struct output {
    int fd;
    int error;         /* of the first write that failed */
    atomic_bool ended; /* the last words have been written */
    pthread_mutex_t writing;
    char *conditions; /* stated last in this block */
    bool holding;
    double key;
    struct held *held;
    size_t held_count, held_room;
};

struct output *output_open(const char *path, const char **error)
{
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        abort();
    output->fd =
        path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : dup(STDOUT_FILENO);
    if (output->fd < 0) {
        *error = strerror(errno);
        free(output);
        return NULL;
    }
    pthread_mutex_init(&output->writing, NULL);
    return output;
}

static void write_all(struct output *output, const char *text, size_t length)
{
    while (length > 0 && !output->error && !output->ended) {
        ssize_t done = write(output->fd, text, length);
        if (done >= 0) {
            text += done;
            length -= (size_t)done;
        } else if (errno != EINTR) {
            output->error = errno;
        }
    }
}

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* The text of a result, and the conditions where they differ from those stated last. */
static void write_result(struct output *output, const char *text, const char *conditions)
{
    write_all(output, text, strlen(text));
    if (!conditions || (output->conditions && strcmp(output->conditions, conditions) == 0))
        return;
    char *line;
    if (asprintf(&line, "# note: conditions: %s\n", conditions) < 0)
        must(NULL);
    write_all(output, line, strlen(line));
    free(line);
    free(output->conditions);
    output->conditions = must(strdup(conditions));
}

static int compare_held(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The caller has the lock. */
static void write_held(struct output *output)
{
    if (output->held_count > 1)
        qsort(output->held, output->held_count, sizeof *output->held, compare_held);
    for (size_t i = 0; i < output->held_count; i++) {
        write_result(output, output->held[i].text, output->held[i].conditions);
        free(output->held[i].text);
        free(output->held[i].conditions);
    }
    output->held_count = 0;
}

void output_hold(struct output *output)
{
    output->holding = true;
}

void output_key(struct output *output, double key)
{
    output->key = key;
}

void output_release(struct output *output)
{
    pthread_mutex_lock(&output->writing);
    write_held(output);
    pthread_mutex_unlock(&output->writing);
    output->holding = false;
}

/* Takes text over. */
static void hold(struct output *output, char *text, const char *conditions)
{
    if (output->held_count == output->held_room) {
        output->held_room = output->held_room ? 2 * output->held_room : 64;
        output->held = must(realloc(output->held, output->held_room * sizeof *output->held));
    }
    output->held[output->held_count] = (struct held){output->key, output->held_count, text,
                                                     conditions ? must(strdup(conditions)) : NULL};
    output->held_count++;
}

bool output_close(struct output *output)
{
    output_release(output);
    /* Some file systems report a full disk only now. */
    if (close(output->fd) != 0 && !output->error)
        output->error = errno;
    bool good = !output->error;
    pthread_mutex_destroy(&output->writing);
    free(output->conditions);
    free(output->held);
    free(output);
    return good;
}

bool output_append(const char *path, const char *line)
{
    FILE *file = path ? fopen(path, "a") : stdout;
    if (!file)
        return false;
    bool good = fputs(line, file) >= 0;
    return (path ? fclose(file) : fflush(file)) == 0 && good;
}

const char *output_failed(const struct output *output)
{
    return output->error ? strerror(output->error) : NULL;
}

void output_text(struct output *output, const char *text)
{
    pthread_mutex_lock(&output->writing);
    write_all(output, text, strlen(text));
    pthread_mutex_unlock(&output->writing);
}

void output_line(struct output *output, const char *format, ...)
{
    char *text, *line;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    if (asprintf(&line, "%s\n", text) < 0)
        abort();
    output_text(output, line);
    free(line);
    free(text);
}

void output_last_words(struct output *output, const char *line)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_WORDS_SECONDS;
    bool locked = pthread_mutex_timedlock(&output->writing, &until) == 0;
    if (locked)
        write_held(output);
    write_all(output, line, strlen(line));
    output->ended = true; /* other threads go on until the job is gone */
    if (locked)
        pthread_mutex_unlock(&output->writing);
}

char *output_number(char *text, size_t size, double value)
{
    if (isnan(value)) {
        snprintf(text, size, "---");
        return text;
    }
    int decimals = 1;
    if (value != 0 && isfinite(value)) {
        int leading = (int)floor(log10(fabs(value)));
        decimals = SIGNIFICANT - 1 - leading;
        if (decimals < 1)
            decimals = 1;
        if (decimals > MAX_DECIMALS)
            decimals = MAX_DECIMALS;
    }
    snprintf(text, size, "%.*f", decimals, value);
    return text;
}

size_t output_columns(size_t n, int limit, size_t *index, bool *sorted)
{
    size_t count = limit < 0 ? 0 : (size_t)limit;
    *sorted = n > count;
    if (!*sorted) {
        for (size_t i = 0; i < n; i++)
            index[i] = i;
        return n;
    }
    if (count == 1)
        index[0] = n / 2;
    for (size_t j = 0; count > 1 && j < count; j++)
        index[j] = j + 1 < count ? n * j / (count - 1) : n - 1;
    return count;
}

static int compare_nan_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(y) - isnan(x);
    return (x > y) - (x < y);
}

static void print_per_pe(FILE *line, const struct result *result)
{
    int limit = result->settings.max_nr_node_times;
    size_t n = result->point.pes, room = (size_t)limit < n ? (size_t)limit : n;
    double *values = malloc((n ? n : 1) * sizeof *values);
    size_t *index = malloc((room ? room : 1) * sizeof *index);
    if (!values || !index)
        abort();
    memcpy(values, result->per_pe, n * sizeof *values);
    bool sorted;
    size_t count = output_columns(n, limit, index, &sorted);
    if (sorted)
        qsort(values, n, sizeof *values, compare_nan_first);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        double value = values[index[i]] * result->point.unit;
        if (isnan(value))
            fputs("     ---   ", line); /* as the classic format has it */
        else
            fprintf(line, " %9s", output_number(text, sizeof text, value));
    }
    free(index);
    free(values);
}

/* A comment: whoever reads the classic format takes what follows the repetitions for PEs. */
static void print_counters(FILE *line, const struct result *result)
{
    char text[64];
    if (result->counter_count == 0)
        return;
    fputs("# counters:", line);
    for (size_t i = 0; i < result->counter_count; i++)
        fprintf(line, " %s= %s", result->counters[i].name,
                output_number(text, sizeof text, result->counters[i].most));
    fputs(" per operation, most of any PE; mean of PEs:", line);
    for (size_t i = 0; i < result->counter_count; i++)
        fprintf(line, " %s", output_number(text, sizeof text, result->counters[i].mean));
    fputc('\n', line);
}

/* "# levels: 150.2 62 % of the time, 450.1 38 %" */
static void print_levels(FILE *line, const struct result_level *levels, size_t n, double unit)
{
    char text[64];
    if (n == 0)
        return;
    fputs("# levels:", line);
    for (size_t i = 0; i < n; i++)
        fprintf(line, "%s %s %.0f %%%s", i ? "," : "",
                output_number(text, sizeof text, levels[i].value * unit), levels[i].share * 100,
                i ? "" : " of the time");
    fputc('\n', line);
}

void output_begin_block(struct output *output, const char *name)
{
    free(output->conditions);
    output->conditions = NULL;
    output_line(output, "# begin result \"%s\"", name);
}

void output_end_block(struct output *output, const char *name, double seconds)
{
    output_line(output, "# end result \"%s\"\n# duration = %.2f sec\n", name, seconds);
}

void output_result(struct output *output, const struct result *result)
{
    if (result->round > 1)
        return; /* among all rounds */
    char *text, time[64], error[64];
    size_t size;
    FILE *line = open_memstream(&text, &size);
    if (!line)
        abort();
    const struct result_point *point = &result->point;
    double unit = point->unit;
    for (size_t i = 0; i < point->variable_count; i++)
        fprintf(line, "%s= %s ", point->variables[i].name, point->variables[i].value);
    fprintf(line, "%8lld %9s %9s %8zu", (long long)point->bytes,
            output_number(time, sizeof time, result->time * unit),
            output_number(error, sizeof error, result->standard_error * unit), result->valid);
    if (result->per_pe)
        print_per_pe(line, result);
    fputc('\n', line);
    print_counters(line, result);
    print_levels(line, result->levels, result->level_count, unit);
    for (size_t i = 0; i < result->note_count; i++)
        fprintf(line, "# note: %s\n", result->notes[i]);
    if (fclose(line) != 0)
        abort();
    pthread_mutex_lock(&output->writing);
    if (output->holding) {
        hold(output, text, result->conditions);
    } else {
        write_result(output, text, result->conditions);
        free(text);
    }
    pthread_mutex_unlock(&output->writing);
}

void output_rounds(struct output *output, const struct result_rounds *rounds)
{
    char *text, number[5][64];
    size_t size;
    FILE *line = open_memstream(&text, &size);
    if (!line)
        abort();
    const struct result_point *point = &rounds->point;
    double unit = point->unit;
    for (size_t i = 0; i < point->variable_count; i++)
        fprintf(line, "%s= %s ", point->variables[i].name, point->variables[i].value);
    double half = (rounds->median_high - rounds->median_low) / 2;
    fprintf(line, "%8lld %9s %9s %8zu\n", (long long)point->bytes,
            output_number(number[0], sizeof number[0], rounds->median * unit),
            output_number(number[1], sizeof number[1], half * unit), rounds->rounds);
    fprintf(line, "# rounds: median %s,", number[0]);
    if (!isnan(rounds->next_low))
        fprintf(line,
                " %.4g %% interval [%s, %s]; the next median of as many: %.4g %% interval [%s, "
                "%s];",
                rounds->reached * 100,
                output_number(number[1], sizeof number[1], rounds->median_low * unit),
                output_number(number[2], sizeof number[2], rounds->median_high * unit),
                rounds->confidence * 100,
                output_number(number[3], sizeof number[3], rounds->next_low * unit),
                output_number(number[4], sizeof number[4], rounds->next_high * unit));
    fprintf(line, " spread between rounds %.1f %%, within %.1f %%\n", rounds->between * 100,
            rounds->within * 100);
    print_levels(line, rounds->levels, rounds->level_count, unit);
    for (size_t i = 0; i < rounds->note_count; i++)
        fprintf(line, "# note: %s\n", rounds->notes[i]);
    if (fclose(line) != 0)
        abort();
    output_text(output, text);
    free(text);
}
