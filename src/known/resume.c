/* Reads the file of an earlier run for --resume, and hands out its results point by point. */
#define _GNU_SOURCE
#include "known/known.h"

#include <stdlib.h>

#include "base/text.h"

#if !SKAMPI_JANSSON

struct resume *resume_read(const char *path, const struct resume_facts *here, char **error)
{
    (void)here;
    *error = text_format("--resume %s: built without Jansson; install libjansson-dev (or what your "
                         "system calls it), and build again",
                         path);
    return NULL;
}

void resume_free(struct resume *resume)
{
    (void)resume;
}

bool resume_take(struct resume *resume, const char *key, char **record, double *time,
                 unsigned *flags)
{
    (void)resume, (void)key, (void)record, (void)time, (void)flags;
    return false;
}

#else

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "output/result.h"

struct resume {
    FILE *stream;
    struct table keys; /* output_point_text() of each result, in the order of the file */
    struct place {
        off_t start;
        size_t length; /* of the record, with its newline */
    } * places;        /* by number of the key */
    size_t room;
};

/* ---- Reading ---- */

static char *differs(const char *what, const char *before, const char *now)
{
    return text_format(
        "its run had another %s (%s) than this one (%s): measure everything, without "
        "--resume",
        what, before, now);
}

static char *compare_nodes(const struct known_run *run, const struct resume_facts *here)
{
    for (size_t i = 0; i < run->node_count && (int)i < here->node_count; i++)
        if (strcmp(run->nodes[i], here->nodes[i]) != 0)
            return differs("node", run->nodes[i], here->nodes[i]);
    return NULL;
}

/* NULL, or in what the runs differ. */
static char *compare_runs(const struct known_run *run, const struct resume_facts *here)
{
    if (strcmp(run->checksum, here->checksum) != 0)
        return differs("script, by its checksum", run->checksum, here->checksum);
    if (strcmp(run->options, here->options) != 0)
        return text_format("its run had other options (%s) than this one (%s): give the same ones "
                           "in the same order, or measure everything, without --resume",
                           *run->options ? run->options : "none",
                           *here->options ? here->options : "none");
    if (run->pes != here->pes)
        return text_format("its run had %d PEs, this one has %d: start %d, or measure everything, "
                           "without --resume",
                           run->pes, here->pes, run->pes);
    if (strcmp(run->version, here->version) != 0)
        return differs("version of skampi", run->version, here->version);
    if (strcmp(run->software, here->software) != 0) {
        char *message = differs("library, or other settings of it", run->software, here->software);
        for (char *newline = message; (newline = strchr(newline, '\n'));)
            *newline = ' ';
        return message;
    }
    return compare_nodes(run, here);
}

static char *take_header(const char *line, size_t length, const struct resume_facts *here)
{
    struct known_run run = {0};
    const char *wrong = known_run_read(line, length, &run);
    char *error = wrong ? text_format("%s: name what skampi wrote to -o FILE.json", wrong)
                        : compare_runs(&run, here);
    known_run_release(&run);
    return error;
}

/* Keeps a result of the earlier run. A point that was measured in several rounds has several
 * results: it is measured again. */
static char *take_record(struct resume *resume, const char *line, size_t number, struct place place)
{
    json_t *record = json_loadb(line, place.length, JSON_REJECT_DUPLICATES, NULL);
    const char *kind = json_string_value(json_object_get(record, "record"));
    const char *key = json_string_value(json_object_get(record, "point"));
    char *error = NULL;
    if (!kind) {
        error =
            text_format("line %zu is no record of skampi, the file is damaged: remove the line, or "
                        "measure everything, without --resume",
                        number);
    } else if (strcmp(kind, "header") == 0) {
        error = text_format("line %zu is a second header: give the file of one run", number);
    } else if (key && strcmp(kind, "result") == 0 &&
               json_integer_value(json_object_get(record, "round")) == 1) {
        size_t index = table_number(&resume->keys, key, strlen(key) + 1);
        memory_extend(resume->places, index, &resume->room);
        resume->places[index] = place;
    }
    json_decref(record);
    return error;
}

static char *read_lines(struct resume *resume, const struct resume_facts *here)
{
    char *error = NULL, *line = NULL;
    size_t room = 0, number = 0;
    off_t start = 0;
    for (ssize_t length;
         !error && (length = getline(&line, &room, resume->stream)) > 0 && line[length - 1] == '\n';
         start += length) {
        struct place place = {start, (size_t)length};
        error = number++ > 0 ? take_record(resume, line, number, place)
                             : take_header(line, (size_t)length, here);
    }
    free(line);
    if (!error && ferror(resume->stream))
        error = text_format("cannot be read: %s", strerror(errno));
    if (!error && number == 0)
        error = memory_text("there is no result in it: measure everything, without --resume");
    return error;
}

struct resume *resume_read(const char *path, const struct resume_facts *here, char **error)
{
    struct resume *resume = memory_zeroed(1, sizeof *resume);
    resume->stream = known_open(path);
    char *wrong = resume->stream ? read_lines(resume, here)
                                 : text_format("cannot be read: %s", strerror(errno));
    *error = wrong ? text_format("--resume %s: %s", path, wrong) : NULL;
    free(wrong);
    if (!*error)
        return resume;
    resume_free(resume);
    return NULL;
}

void resume_free(struct resume *resume)
{
    if (!resume)
        return;
    if (resume->stream)
        fclose(resume->stream);
    table_free(&resume->keys);
    free(resume->places);
    free(resume);
}

/* ---- Taking ---- */

static unsigned flags_of(const json_t *record)
{
    const json_t *names = json_object_get(record, "flags");
    unsigned flags = 0;
    for (size_t i = 0; i < json_array_size(names); i++)
        for (int flag = 0; flag < RESULT_FLAGS; flag++) {
            const char *name = json_string_value(json_array_get(names, i));
            if (name && strcmp(name, result_flags[flag].name) == 0)
                flags |= 1u << flag;
        }
    return flags;
}

bool resume_take(struct resume *resume, const char *key, char **record, double *time,
                 unsigned *flags)
{
    size_t known = resume->keys.count, number = table_number(&resume->keys, key, strlen(key) + 1);
    if (number >= known) {
        memory_extend(resume->places, number, &resume->room);
        resume->places[number] = (struct place){0};
    }
    struct place place = resume->places[number];
    if (place.length == 0)
        return false;
    char *text = memory_zeroed(place.length + 1, 1);
    json_t *parsed = NULL;
    if (fseeko(resume->stream, place.start, SEEK_SET) == 0 &&
        fread(text, 1, place.length, resume->stream) == place.length)
        parsed = json_loadb(text, place.length, 0, NULL);
    if (!parsed) {
        free(text);
        return false; /* somebody has changed the file: the point is measured */
    }
    const json_t *value = json_object_get(parsed, "time");
    *time = json_is_number(value) ? json_number_value(value) : NAN;
    *flags = flags_of(parsed);
    *record = text;
    json_decref(parsed);
    return true;
}

#endif
