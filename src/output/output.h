/*
 * Results out, as soon as each is there. One PE, the output PE, has an output; every line reaches
 * the file before the call returns, so that nothing is lost whatever happens next.
 *
 * The format is .sko: everything that is not a result starts with '#'. A result line holds
 * "name= value" for each loop variable, the size in bytes, time, standard error, number of valid
 * repetitions, and times per PE. Counted events follow as a "# counters:" line, notes as "# note:"
 * lines.
 */
#ifndef SKAMPI_OUTPUT_OUTPUT_H
#define SKAMPI_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "output/result.h"

struct output;

/* path: NULL for standard output. NULL with *error (static text of the system) when it cannot be
 * written. */
struct output *output_open(const char *path, const char **error);

/* Flushes and closes; false when something could not be written. */
bool output_close(struct output *output);

/* Adds a line to an output that has been closed; path as for output_open(). */
bool output_append(const char *path, const char *line);

/* NULL as long as everything could be written, else the system's reason. */
const char *output_failed(const struct output *output);

/* Whole lines, as they are. */
void output_text(struct output *output, const char *text);
void output_line(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void output_begin_block(struct output *output, const char *name);
void output_result(struct output *output, const struct result *result);
void output_rounds(struct output *output, const struct result_rounds *rounds);
void output_end_block(struct output *output, const char *name, double seconds);

/* Results from now on are kept back, each under the key set last, until output_release() writes
 * them in ascending order of keys (equal ones as they came). They are written, too, when the job
 * ends before that. */
void output_hold(struct output *output);
void output_key(struct output *output, double key);
void output_release(struct output *output);

/* From another thread while the job is being ended: a last line; what comes later is not written.
 * Gives up waiting for a writer that does not finish. */
void output_last_words(struct output *output, const char *line);

/* Time in the reported unit with at least four significant digits, at least one decimal; "---"
 * for NaN. Returns text. */
char *output_number(char *text, size_t size, double value);

/* Which of n per-PE values the classic format prints for a limit of columns: fills index[] (limit
 * entries at most) and returns their number; *sorted tells that they count in ascending order of
 * value. */
size_t output_columns(size_t n, int limit, size_t *index, bool *sorted);

#endif
