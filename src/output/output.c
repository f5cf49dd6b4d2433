/* Writing records to all sinks, at once or held back. */
#define _GNU_SOURCE /* open_memstream */
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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/kind.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "output/record.h"
#include "output/summary.h"

#define LAST_WORDS_SECONDS 1
/* Longest reason in the last words (bytes). Their buffer has room for this reason with each byte
 * escaped in JSON, and for the record around it. */
#define LONGEST_REASON 768
#define LAST_WORDS_BYTES (8 * LONGEST_REASON)

static const struct {
    const char *name, *suffix;
    void (*write)(FILE *, const struct record *);
} formats[] = {
    [OUTPUT_SKO] = {"sko", ".sko", output_sko},
    [OUTPUT_CSV] = {"csv", ".csv", output_csv},
    [OUTPUT_JSON] = {"json", ".json", output_json},
    [OUTPUT_TABLE] = {"table", NULL, output_table},
};
#define FORMATS (int)(sizeof formats / sizeof *formats)

struct sink {
    enum output_format format;
    char *name; /* for messages */
    int fd;
    int error;           /* errno of the first write that failed */
    int late;            /* errno of an earlier write, which closing the file reported */
    const char *trouble; /* what another program did to the file, or NULL */
    bool regular, linked;
    char *replaced; /* message about the file that was replaced, or NULL */
    off_t end;      /* where a regular file ended after the last write */
};

/* A result that is held back. */
struct held_result {
    double key;
    size_t number;
    /* For each sink the text of the result, and those of its conditions and heading. */
    char **texts, **stating, **headings;
    char *conditions;
    uint64_t heading; /* checksum of the headings; 0: there are none */
};

struct output {
    struct sink *sinks;
    size_t sink_count;
    char *failure;
    struct record_end end;
    struct summary summary;
    struct columns columns;
    double opened;
    bool ending;       /* an end record has to be written */
    atomic_bool ended; /* the last words have been written */
    pthread_mutex_t writing;
    char *conditions; /* the conditions that were stated last in this block */
    uint64_t heading; /* of the rows written last */
    bool holding;
    double key;
    struct held_result *held;
    size_t held_count, held_room;
    /* A signal handler cannot allocate memory, so the last words go through a stream with its own
     * bytes. */
    FILE *last_words, *last_counts;
    char last_bytes[LAST_WORDS_BYTES], last_buffer[BUFSIZ];
    char counts[LAST_WORDS_BYTES], counts_buffer[BUFSIZ];
    bool tells; /* the last words have a summary */
};

/* ---- Opening ---- */

int output_format_find(const char *name)
{
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(name, formats[i].name) == 0)
            return i;
    return -1;
}

int output_format_of(const char *path)
{
    const char *suffix = strrchr(path, '.');
    for (int i = 0; suffix && i < FORMATS; i++)
        if (formats[i].suffix && strcmp(suffix, formats[i].suffix) == 0)
            return i;
    return -1;
}

/* Opening a pipe waits until another program reads it, so a message says that skampi waits. */
static int open_file(const char *path)
{
    /* O_APPEND: if another program truncates the file, the next write leaves no hole, and the size
     * of the file shows what happened. */
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    struct stat status;
    int descriptor = open(path, flags | O_NONBLOCK, 0666);
    if (descriptor >= 0) {
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
        return descriptor;
    }
    int reason = errno;
    if (reason != ENXIO || stat(path, &status) != 0 || !S_ISFIFO(status.st_mode)) {
        errno = reason;
        return -1;
    }
    terminal_message("skampi: %s is a pipe that nobody reads: waiting for a reader\n", path);
    return open(path, flags, 0666);
}

/* Opens all sinks. NULL, or why one cannot be opened. */
static char *open_sinks(struct output *output, const struct output_target *targets, size_t count)
{
    struct stat *files = memory_zeroed(count, sizeof *files);
    char *error = NULL;
    for (size_t i = 0; i < count && !error; i++) {
        const char *path = targets[i].path;
        struct sink *sink = &output->sinks[i];
        if (path && (error = kind_refuse_replacing(path, targets[i].force, &sink->replaced)))
            break;
        sink->format = targets[i].format;
        sink->name = memory_text(path ? path : "standard output");
        sink->fd = path ? open_file(path) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        output->sink_count++;
        if (sink->fd < 0 || fstat(sink->fd, &files[i]) != 0) {
            error = text_format("cannot write %s: %s", sink->name, strerror(errno));
            break;
        }
        sink->regular = S_ISREG(files[i].st_mode);
        sink->linked = files[i].st_nlink > 0;
        for (size_t j = 0; j < i && !error; j++)
            if ((files[i].st_dev == files[j].st_dev && files[i].st_ino == files[j].st_ino &&
                 !S_ISCHR(files[i].st_mode)) || /* a terminal may be shared */
                (!path && !targets[j].path))
                error = text_format("%s and %s are the same output: give each format a file",
                                    output->sinks[j].name, sink->name);
    }
    for (size_t i = 0; i < count && !error; i++) {
        struct sink *sink = &output->sinks[i];
        if (targets[i].path && sink->regular && ftruncate(sink->fd, 0) != 0)
            sink->error = errno;
        else if (sink->replaced)
            terminal_message("skampi: %s", sink->replaced);
    }
    free(files);
    return error;
}

/* Finds out whether another program has removed or truncated the file, since results then
 * get lost without an error. */
static void look_after(struct sink *sink)
{
    struct stat status;
    if (!sink->regular || sink->error || sink->trouble || fstat(sink->fd, &status) != 0)
        return;
    if (sink->linked && status.st_nlink == 0)
        sink->trouble = "it has been removed meanwhile, and its results with it";
    else if (status.st_size < sink->end)
        sink->trouble = "another program has cut it short meanwhile: results are lost";
}

/* Some file systems report a full disk only when a file is closed. Close a second descriptor of the
 * file, so that the end record can still be written and say so. */
static void try_closing(struct sink *sink)
{
    int copy = sink->regular ? dup(sink->fd) : -1;
    if (copy >= 0 && close(copy) != 0)
        sink->late = errno;
}

/* Closes all sinks. NULL, or what could not be written. */
static char *release(struct output *output)
{
    for (size_t i = 0; i < output->sink_count; i++)
        look_after(&output->sinks[i]);
    for (size_t i = 0; i < output->sink_count; i++)
        if (output->sinks[i].fd >= 0 && close(output->sinks[i].fd) != 0 && !output->sinks[i].error)
            output->sinks[i].error = errno;
    const char *failed = output_failed(output);
    char *failure = failed ? memory_text(failed) : NULL;
    for (size_t i = 0; i < output->sink_count; i++) {
        free(output->sinks[i].name);
        free(output->sinks[i].replaced);
    }
    fclose(output->last_words);
    fclose(output->last_counts);
    pthread_mutex_destroy(&output->writing);
    summary_free(&output->summary);
    free(output->conditions);
    free(output->failure);
    free(output->held);
    free(output->sinks);
    free(output);
    return failure;
}

struct output *output_open(const struct output_target *targets, size_t count, char **error)
{
    struct output *output = memory_zeroed(1, sizeof *output);
    output->sinks = memory_zeroed(count, sizeof *output->sinks);
    output->last_words = memory_stream_in(output->last_bytes, sizeof output->last_bytes, "w");
    setvbuf(output->last_words, output->last_buffer, _IOFBF, sizeof output->last_buffer);
    output->last_counts = memory_stream_in(output->counts, sizeof output->counts - 1, "w");
    setvbuf(output->last_counts, output->counts_buffer, _IOFBF, sizeof output->counts_buffer);
    output->opened = wall_seconds();
    pthread_mutex_init(&output->writing, NULL);
    *error = open_sinks(output, targets, count);
    if (!*error)
        return output;
    free(release(output));
    return NULL;
}

const char *output_failed(struct output *output)
{
    for (size_t i = 0; i < output->sink_count && !output->failure; i++) {
        const struct sink *sink = &output->sinks[i];
        if (sink->error || sink->trouble || sink->late)
            output->failure = text_format(
                "%s cannot be written: %s", sink->name,
                sink->trouble ? sink->trouble : strerror(sink->error ? sink->error : sink->late));
    }
    return output->failure;
}

void output_show_columns(struct output *output, const size_t *columns, size_t count)
{
    output->columns = (struct columns){columns, count};
}

size_t output_results(const struct output *output)
{
    return output->end.results;
}

/* ---- Writing ---- */

static void write_all(struct output *output, struct sink *sink, const char *text, size_t length)
{
    if (length > 0)
        look_after(sink);
    while (length > 0 && !sink->error && !sink->trouble && !output->ended) {
        ssize_t done = write(sink->fd, text, length);
        if (done >= 0) {
            text += done;
            length -= (size_t)done;
            sink->end += done;
            /* Standard output may be a file that began before skampi, and other programs may write
             * to it. */
            off_t position = sink->regular ? lseek(sink->fd, 0, SEEK_CUR) : 0;
            if (position > sink->end)
                sink->end = position;
        } else if (errno != EINTR) {
            sink->error = errno;
        }
    }
}

/* Writes a text to each sink. The caller has the lock. */
static void write_texts(struct output *output, char *const *texts)
{
    for (size_t i = 0; i < output->sink_count; i++)
        write_all(output, &output->sinks[i], texts[i], strlen(texts[i]));
}

static char **compose(struct output *output, const struct record *record)
{
    summary_count(&output->summary, record);
    char **texts = memory_zeroed(output->sink_count, sizeof *texts);
    for (size_t i = 0; i < output->sink_count; i++) {
        size_t size;
        FILE *text = memory_stream(&texts[i], &size);
        formats[output->sinks[i].format].write(text, record);
        if (fclose(text) != 0)
            memory_missing();
    }
    return texts;
}

static void free_texts(const struct output *output, char **texts)
{
    for (size_t i = 0; i < output->sink_count; i++)
        free(texts[i]);
    free(texts);
}

void output_put(struct output *output, const struct record *record)
{
    char **texts = compose(output, record);
    pthread_mutex_lock(&output->writing);
    write_texts(output, texts);
    pthread_mutex_unlock(&output->writing);
    free_texts(output, texts);
}

void output_comment(struct output *output, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    output_put(output, &(struct record){.kind = RECORD_COMMENT, .text = text});
    free(text);
}

void output_begin_block(struct output *output, const char *name, size_t number, const char *source)
{
    struct record_block block = {name, number, source};
    free(output->conditions);
    output->conditions = NULL;
    output_put(output, &(struct record){.kind = RECORD_BLOCK, .block = &block});
}

static void put_missing(struct output *output, const struct record_missing *missing)
{
    if (__builtin_add_overflow(output->end.missing, missing->points, &output->end.missing))
        output->end.missing = INT64_MAX;
    output_put(output, &(struct record){.kind = RECORD_MISSING, .missing = missing});
}

void output_missing(struct output *output, enum result_missing kind,
                    const struct result_point *point, const char *reason)
{
    put_missing(output, &(struct record_missing){.kind = kind,
                                                 .block = point->block,
                                                 .number = point->block_number,
                                                 .call = point->text,
                                                 .reason = reason,
                                                 .point = point,
                                                 .points = 1});
}

void output_missing_more(struct output *output, enum result_missing kind, const char *block,
                         size_t number, const char *call, const char *reason, int64_t points)
{
    put_missing(output, &(struct record_missing){.kind = kind,
                                                 .block = block,
                                                 .number = number,
                                                 .call = call,
                                                 .reason = reason,
                                                 .points = points});
}

void output_missing_unknown(struct output *output)
{
    output->end.cut = true;
}

/* ---- Results, at once or kept back ---- */

static int compare_held(const void *a, const void *b)
{
    const struct held_result *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The headings of a result: not 0 if a sink has one. */
static uint64_t checksum_of(const struct output *output, char *const *headings)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < output->sink_count; i++)
        if (*headings[i])
            sum = hash_bytes(sum, headings[i], strlen(headings[i])) | 1;
    return sum;
}

/* Writes a result, with its heading and its conditions if they differ from those stated last.
 * Returns the conditions that are now stated. The caller has the lock. */
static const char *write_result(struct output *output, const struct held_result *result,
                                const char *stated)
{
    if (result->heading != 0 && result->heading != output->heading) {
        write_texts(output, result->headings);
        output->heading = result->heading;
    }
    write_texts(output, result->texts);
    if (!result->conditions || (stated && strcmp(stated, result->conditions) == 0))
        return stated;
    write_texts(output, result->stating);
    return result->conditions;
}

/* Writes all held results. Frees nothing, since signal handlers call it, too. The caller has the
 * lock. */
static const char *write_held(struct output *output)
{
    const char *stated = output->conditions;
    if (output->held_count > 1)
        qsort(output->held, output->held_count, sizeof *output->held, compare_held);
    for (size_t i = 0; i < output->held_count; i++)
        stated = write_result(output, &output->held[i], stated);
    return stated;
}

static void free_result(const struct output *output, struct held_result *result)
{
    free_texts(output, result->texts);
    free_texts(output, result->stating);
    free_texts(output, result->headings);
    free(result->conditions);
}

/* The caller has the lock. */
static void remember(struct output *output, const char *stated)
{
    if (stated == output->conditions)
        return;
    char *copy = memory_text(stated);
    free(output->conditions);
    output->conditions = copy;
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
    remember(output, write_held(output));
    for (size_t i = 0; i < output->held_count; i++)
        free_result(output, &output->held[i]);
    output->held_count = 0;
    pthread_mutex_unlock(&output->writing);
    output->holding = false;
}

/* Writes a record of a result, or holds it back. conditions is NULL if the record states none. */
static void put_result(struct output *output, const struct record *record, const char *conditions)
{
    struct record heading = *record;
    heading.kind = record->kind == RECORD_ROUNDS ? RECORD_ROUNDS_HEADING : RECORD_HEADING;
    struct held_result held = {
        .key = output->key,
        .texts = compose(output, record),
        .stating = compose(output, &(struct record){.kind = RECORD_CONDITIONS,
                                                    .text = conditions ? conditions : ""}),
        .headings = compose(output, &heading),
        .conditions = conditions ? memory_text(conditions) : NULL,
    };
    held.heading = checksum_of(output, held.headings);
    pthread_mutex_lock(&output->writing);
    /* Count it only now, since last words state what has been written. */
    output->end.results += record->kind == RECORD_RESULT;
    if (output->holding) {
        memory_extend(output->held, output->held_count, &output->held_room);
        held.number = output->held_count;
        output->held[output->held_count++] = held;
    } else {
        remember(output, write_result(output, &held, output->conditions));
        free_result(output, &held);
    }
    pthread_mutex_unlock(&output->writing);
}

void output_result(struct output *output, const struct result *result)
{
    /* Results of later rounds are printed far from their conditions, so leave conditions out. */
    put_result(
        output,
        &(struct record){.kind = RECORD_RESULT, .columns = &output->columns, .result = result},
        result->round > 1 ? NULL : result->conditions);
}

void output_rounds(struct output *output, const struct result_rounds *rounds)
{
    put_result(
        output,
        &(struct record){.kind = RECORD_ROUNDS, .columns = &output->columns, .rounds = rounds},
        rounds->conditions);
}

/* ---- The end ---- */

void output_end(struct output *output, int status, const char *reason, double duration,
                double timed)
{
    output_release(output);
    if (reason)
        output_put(output, &(struct record){.kind = RECORD_CUT, .text = reason});
    output->end.status = status;
    output->end.reason = reason ? memory_text(reason) : NULL;
    output->end.finished = time(NULL);
    output->end.duration = duration;
    output->end.timed = timed;
    output->ending = true;
    output_put(output, &(struct record){.kind = RECORD_END, .end = &output->end});
}

void output_library_end(struct output *output, const double *seconds, int count)
{
    output->end.library_end = seconds;
    output->end.library_count = count;
    output_put(output, &(struct record){.kind = RECORD_LIBRARY_END, .end = &output->end});
}

char *output_summary(const struct output *output, const struct summary_next *next)
{
    const char **files = memory_zeroed(output->sink_count, sizeof *files);
    size_t count = 0;
    for (size_t i = 0; i < output->sink_count; i++)
        if (output->sinks[i].format != OUTPUT_TABLE)
            files[count++] = output->sinks[i].name;
    char *text = summary_text(&output->summary, &output->end, files, count, next);
    free(files);
    return text;
}

/* Leaves out what chooses colours: from an escape to its m. */
static void take_colours(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            *to++ = *from;
    *to = '\0';
}

void output_tell_early(struct output *output)
{
    output->tells = true;
}

bool output_tell(struct output *output, const char *summary)
{
    bool tables = false;
    for (size_t i = 0; i < output->sink_count; i++)
        tables = tables || output->sinks[i].format == OUTPUT_TABLE;
    if (!tables)
        return false;
    char *text = text_format("\n%s", summary);
    take_colours(text);
    output_put(output, &(struct record){.kind = RECORD_SUMMARY, .text = text});
    free(text);
    return true;
}

char *output_close(struct output *output)
{
    output_release(output);
    char *reason = (char *)(uintptr_t)output->end.reason;
    for (size_t i = 0; i < output->sink_count; i++) {
        look_after(&output->sinks[i]);
        try_closing(&output->sinks[i]);
    }
    if (output->ending) {
        const char *failed = output_failed(output);
        if (failed) {
            output->end.status = 1;
            output->end.reason = failed;
        }
        output_put(output, &(struct record){.kind = RECORD_LAST, .end = &output->end});
    }
    free(reason);
    return release(output);
}

static void write_last(struct output *output, const struct record *record)
{
    for (size_t i = 0; i < output->sink_count; i++) {
        struct sink *sink = &output->sinks[i];
        rewind(output->last_words);
        formats[sink->format].write(output->last_words, record);
        fflush(output->last_words);
        write_all(output, sink, output->last_bytes, (size_t)ftell(output->last_words));
    }
}

void output_last_words(struct output *output, int status, const char *said, const char *reason)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_WORDS_SECONDS;
    bool locked = pthread_mutex_timedlock(&output->writing, &until) == 0;
    char text[LONGEST_REASON];
    snprintf(text, sizeof text, "%s", reason);
    struct record_end end = output->end;
    end.status = status;
    end.reason = text;
    end.cut = true;
    end.finished = time(NULL);
    end.duration = wall_seconds() - output->opened;
    end.timed = NAN;
    if (locked)
        write_held(output);
    write_last(output, &(struct record){.kind = RECORD_CUT, .text = said});
    if (output->tells && locked) {
        summary_counts(output->last_counts, &output->summary, &end);
        fflush(output->last_counts);
        take_colours(output->counts);
        write_last(output, &(struct record){.kind = RECORD_SUMMARY, .text = output->counts});
    }
    write_last(output, &(struct record){.kind = RECORD_LAST, .end = &end});
    output->ended =
        true; /* other threads still run until the job is gone, and must write nothing more */
    if (locked)
        pthread_mutex_unlock(&output->writing);
}
