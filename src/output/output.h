/*
 * Writes each result as soon as it exists, to one or several files (sinks), each in a format of its
 * own. Only the output PE has an output. Each record reaches the files before the call returns, by
 * one write() for each, so that nothing is lost if the run crashes, and no reader sees half a
 * record. After a failed write a sink gets nothing more, while the others go on; output_failed()
 * says so.
 *
 * The formats: .sko, where everything that is not a result starts with '#', and a result line holds
 * "name= value" for each loop variable, the size in bytes, time, standard error, number of valid
 * repetitions, and times per PE; CSV, which holds results and missing points; JSON Lines, by
 * scripts/results.schema.json; a table for people, on a terminal. A format that a function below
 * does not mention leaves the record out.
 */
#ifndef SKAMPI_OUTPUT_OUTPUT_H
#define SKAMPI_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/record.h"

struct output;
struct summary_next;

enum output_format { OUTPUT_SKO, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_TABLE };

/* Words of --format: the value of an enum output_format, or -1. */
int output_format_find(const char *name);
/* The format that the suffix of a file's name stands for: the value of an enum output_format, or
 * -1. */
int output_format_of(const char *path);

struct output_target {
    const char *path; /* NULL: standard output */
    enum output_format format;
    bool force; /* replaces whatever file is there */
};

/* Opens all targets. Changes no file unless all can be written. NULL with *error (for the user; the
 * caller frees it) when one cannot, or is named twice. */
struct output *output_open(const struct output_target *targets, size_t count, char **error);

/* Writes what is left, and closes all files. NULL, or what could not be written (the caller frees
 * it). */
char *output_close(struct output *output);

/* NULL as long as everything could be written; afterwards what could not be written, and why. */
const char *output_failed(struct output *output);

/* Number of results written so far. */
size_t output_results(const struct output *output);

/* Further columns of .sko after those of the classic format: `count` indices of column_find(). The
 * array must stay valid. */
void output_show_columns(struct output *output, const size_t *columns, size_t count);

/* Writes a record at once. */
void output_put(struct output *output, const struct record *record);
/* A comment of the engine: one line, without its '#'. */
void output_comment(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* source: text of the script since the block before it, or NULL. */
void output_begin_block(struct output *output, const char *name, size_t number, const char *source);
void output_result(struct output *output, const struct result *result);
void output_rounds(struct output *output, const struct result_rounds *rounds);

/* In place of a result. */
void output_missing(struct output *output, enum result_missing kind,
                    const struct result_point *point, const char *reason);

/* Stands for `points` missing points at once. block is NULL outside of blocks; call is that of the
 * last point. */
void output_missing_more(struct output *output, enum result_missing kind, const char *block,
                         size_t number, const char *call, const char *reason, int64_t points);

/* Holds back later results, each under the key that was set last, until output_release() writes
 * them in ascending order of keys, and in the order of their arrival for equal keys. If the job
 * ends before, it writes them, too. */
void output_hold(struct output *output);
void output_key(struct output *output, double key);
void output_release(struct output *output);

/* More points are missing than were stated; their number is not known. */
void output_missing_unknown(struct output *output);

/* The regular end of the run. reason says why it ended early, or is NULL. duration is that of the
 * run, timed the part in timed regions (seconds). A format whose last record holds more writes this
 * record when the output is closed. */
void output_end(struct output *output, int status, const char *reason, double duration,
                double timed);
/* After output_end(): the time that each PE needed to end the library (seconds, NaN if not known).
 */
void output_library_end(struct output *output, const double *seconds, int count);

/* Some lines for people that summarize the run, after output_end(). The caller frees them. */
char *output_summary(const struct output *output, const struct summary_next *next);
/* Also a job that is being ended ends its tables with a summary. */
void output_tell_early(struct output *output);
/* Ends tables with the summary, without its colours. Whether there is a table. */
bool output_tell(struct output *output, const char *summary);

/* Writes held results and a last record with the exit status and the reason, because the job is
 * being ended. Later records are not written. said is the text in .sko. May be called by any
 * thread, and by handlers of fatal signals; it stops waiting for a writer that does not finish. */
void output_last_words(struct output *output, int status, const char *said, const char *reason);

/* Time in the reported unit with at least four significant digits, at least one decimal; "---"
 * for NaN. Returns text. */
char *output_number(char *text, size_t size, double value);

/* Chooses which of n per-PE values the classic format prints within a limit of columns. Fills
 * index[] (at most limit entries) and returns their number. If *sorted, the indices refer to the
 * values in ascending order. */
size_t output_columns(size_t n, int limit, size_t *index, bool *sorted);

#endif
