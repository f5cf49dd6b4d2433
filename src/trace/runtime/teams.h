/* Teams of OpenSHMEM 1.5. Wrappers call these functions while the thread's depth guard is set, so
 * that questions to the library are no events. Any thread of any PE. Nothing fails visibly: members
 * that cannot be kept are not in the trace. */
#ifndef SKAMPI_TRACE_RUNTIME_TEAMS_H
#define SKAMPI_TRACE_RUNTIME_TEAMS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define HANDLES 4096 /* different ones of contexts, and of teams, while the program runs */

/* Functions that ask the library about a team. */
struct trace_team_calls {
    int (*size)(const void *team);
    int (*member)(const void *team, int index); /* its PE in the world */
};

/* Notes a new team. Its members go to the file at once, so that they are there even if the program
 * crashes, or the events of a ring are overwritten. O(members). */
void trace_team_add(int64_t number, const void *team, const struct trace_team_calls *);

/* Notes the team of a context that has a number, or that of all PEs (NULL). O(members). */
void trace_context_add(const void *context, const void *team, const struct trace_team_calls *);

/* Whether there may be contexts of teams that do not have all PEs. */
extern bool trace_team_contexts;
/* The world's number of the PE that a context calls pe; -1 if its team has no such member. */
int64_t trace_context_peer(const void *context, int pe);

#pragma GCC visibility pop

#endif
