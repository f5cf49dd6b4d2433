/* --summary: calls, bytes and time by routine, phase and peer. One thread adds. */
#ifndef SKAMPI_TRACE_RUNTIME_PROFILE_H
#define SKAMPI_TRACE_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct profile;

struct profile *profile_create(void);
/* False: there is no memory for one more routine, phase or peer. */
bool profile_add(struct profile *, unsigned routine, uint32_t phase, int64_t peer, uint64_t bytes,
                 int64_t ticks);
/* Appends blocks with everything that was added, as file_write_at() does, and adds the number of
 * calls to *calls. Returns how many of these calls found no room in the file. In signal handlers.
 */
uint64_t profile_write(const struct profile *, uint32_t thread, off_t *end, uint64_t *calls);

#pragma GCC visibility pop

#endif
