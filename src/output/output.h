/*
 * Results out, as soon as each is there, to one or several files (sinks) at once, each in a format
 * of its own. One PE, the output PE, has an output; every record reaches the files before the call
 * returns, by one write() each, so that nothing is lost whatever happens next and no reader sees
 * half a record. A sink that cannot be written any more gets nothing further, the others go on;
 * output_failed() tells.
 *
 * The formats: .sko, where everything that is not a result starts with '#', and a result line holds
 * "name= value" for each loop variable, the size in bytes, time, standard error, number of valid
 * repetitions, and times per PE; CSV, results and what is missing; JSON Lines as
 * scripts/results.schema.json has them. Where a function says nothing about a format, that has
 * nothing there.
 */
#ifndef SKAMPI_OUTPUT_OUTPUT_H
#define SKAMPI_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/header.h"
#include "output/result.h"

struct output;
struct summary_next;

enum output_format { OUTPUT_SKO, OUTPUT_CSV, OUTPUT_JSON };

/* Words of --format: the value of an enum output_format, or -1. */
int output_format_find(const char *name);
/* What the suffix of a file's name says: likewise. */
int output_format_of(const char *path);

struct output_target {
    const char *path; /* NULL: standard output */
    enum output_format format;
    bool force; /* replaces whatever file is there */
};

/* Opens all of them; no file is changed unless all can be written. NULL with *error (for the user;
 * the caller frees it) when one cannot, or is named twice. */
struct output *output_open(const struct output_target *targets, size_t count, char **error);

/* Writes what is left, closes. NULL, or what could not be written (the caller frees it). */
char *output_close(struct output *output);

/* NULL as long as everything could be written, else what could not and why. */
const char *output_failed(struct output *output);

/* How many there are so far. */
size_t output_results(const struct output *output);

/* Columns that .sko shows beside those of the classic format, `count` indices of
 * column_find(), which stay valid. */
void output_show_columns(struct output *output, const size_t *columns, size_t count);

/* Before everything else. */
void output_header(struct output *output, const struct header *header);
/* .sko: an empty line between parts. */
void output_space(struct output *output);
/* What the engine says besides results; one line, without its '#'. */
void output_comment(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What the script printed: lines, each ending in a newline. */
void output_print(struct output *output, const char *text);

/* source: text of the script since the block before it, or NULL. */
void output_begin_block(struct output *output, const char *name, size_t number, const char *source);
void output_result(struct output *output, const struct result *result);
void output_rounds(struct output *output, const struct result_rounds *rounds);
/* A state of the machine, and what told it; before the blocks of rounds. */
void output_state(struct output *output, const struct result_state *state);
void output_controls(struct output *output, const struct result_control_series *controls);
void output_end_block(struct output *output, const struct output_block *block);

/* In place of a result. */
void output_missing(struct output *output, enum result_missing kind,
                    const struct result_point *point, const char *reason);

/* In place of `points` of them at once. block: NULL outside of blocks; call: of the last one. */
void output_missing_more(struct output *output, enum result_missing kind, const char *block,
                         size_t number, const char *call, const char *reason, int64_t points);

/* Results from now on are kept back, each under the key set last, until output_release() writes
 * them in ascending order of keys (equal ones as they came). They are written, too, when the job
 * ends before that. */
void output_hold(struct output *output);
void output_key(struct output *output, double key);
void output_release(struct output *output);

/* More is missing than was said, nobody knows how much. */
void output_missing_unknown(struct output *output);

/* The end of the run, in order. reason: of an end before time, or NULL. duration: of the run,
 * timed: in timed regions; seconds. Formats whose last record holds more than that write it when
 * the output is closed. */
void output_end(struct output *output, int status, const char *reason, double duration,
                double timed);
/* After output_end(): what the library's own end took, seconds of each PE, NaN: not known. */
void output_library_end(struct output *output, const double *seconds, int count);

/* What the run came to, some lines for people, after output_end(); the caller frees them. */
char *output_summary(const struct output *output, const struct summary_next *next);

/* The job is being ended: held results and a last record, with the exit status and the reason; what
 * comes later is not written. said: what the .sko says. From any thread, and from handlers of fatal
 * signals; gives up waiting for a writer that does not finish. */
void output_last_words(struct output *output, int status, const char *said, const char *reason);

/* Time in the reported unit with at least four significant digits, at least one decimal; "---"
 * for NaN. Returns text. */
char *output_number(char *text, size_t size, double value);

/* Which of n per-PE values the classic format prints for a limit of columns: fills index[] (limit
 * entries at most) and returns their number; *sorted tells that they count in ascending order of
 * value. */
size_t output_columns(size_t n, int limit, size_t *index, bool *sorted);

#endif
