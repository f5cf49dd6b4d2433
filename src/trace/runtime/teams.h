/*
 * Teams of OpenSHMEM 1.5, as wrappers tell of them while the thread's depth guard is set: what is
 * asked of the library here is no event. Any thread of any PE; nothing fails visibly: the members
 * of a team that cannot be kept are not in the trace.
 */
#ifndef SKAMPI_TRACE_RUNTIME_TEAMS_H
#define SKAMPI_TRACE_RUNTIME_TEAMS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* How the library is asked. */
struct trace_team_calls {
    int (*size)(const void *team);
    int (*member)(const void *team, int index); /* its PE in the world */
};

/* There is a team of that number: its members go to the file at once, so that whatever happens to
 * the program, or to the events of a ring, they are there. O(members). */
void trace_team_add(int64_t number, const void *team, const struct trace_team_calls *);

/* There is a context, which belongs to a team, or (NULL) to the one of all PEs. O(members). */
void trace_context_add(const void *context, const void *team, const struct trace_team_calls *);

/* Whether there may be contexts of other teams than that of all PEs. */
extern bool trace_team_contexts;
/* The PE in the world that a context calls pe; -1 when its team has no such member. */
int64_t trace_context_peer(const void *context, int pe);

#pragma GCC visibility pop

#endif
