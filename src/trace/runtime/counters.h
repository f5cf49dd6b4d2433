/* --hw: what hardware counters count in each stretch of a phase, on the thread that started the
 * library. */
#ifndef SKAMPI_TRACE_RUNTIME_COUNTERS_H
#define SKAMPI_TRACE_RUNTIME_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* NULL, or why hardware counters cannot be had (to be freed). */
char *trace_counters_begin(const char *names);
size_t counters_kept(void);
const char *const *counters_kept_names(void);
/* The application's phase begins or ends on this thread. */
void counters_phase(uint32_t thread, uint32_t phase);
/* No more is counted. */
void trace_counters_end(void);
/* Appends the blocks of what was counted, as file_write_at does. In signal handlers. */
void counters_write(off_t *end);

#pragma GCC visibility pop

#endif
