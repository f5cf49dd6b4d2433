/* Phases of the application, and --hw: what hardware counters count in each stretch of a phase, on
 * the thread that started the library. */
#ifndef SKAMPI_TRACE_RUNTIME_PHASES_H
#define SKAMPI_TRACE_RUNTIME_PHASES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* Starts the counters. NULL, or why they cannot be had (to be freed). */
char *phases_count(const char *names);
size_t phases_counters(void);
const char *const *phases_counter_names(void);
/* No more is counted. */
void phases_end(void);
/* Appends the blocks of what was counted, as file_write_at does. In signal handlers. */
void phases_write(off_t *end);

#pragma GCC visibility pop

#endif
