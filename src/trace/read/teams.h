/* The sets of PEs that the calls of a file are collective over. One process. */
#ifndef SKAMPI_TRACE_READ_TEAMS_H
#define SKAMPI_TRACE_READ_TEAMS_H

#include "trace/read/reader.h"

/* What a call is collective over. */
enum set_kind {
    SET_NONE,      /* nothing: it is not collective */
    SET_KNOWN,     /* the set, in which the file's PE is member, or -1 */
    SET_UNKNOWN,   /* a team whose members the trace does not tell */
    SET_IMPOSSIBLE /* an active set that contains PEs which do not exist */
};
struct set_call {
    size_t set;
    int64_t member;
};
enum set_kind source_set(struct source *, const struct trace_event *, struct set_call *);

/* Prints a line for each team of the PE: "# team 1: PEs 0, step 2, 2 of them". */
void source_print_teams(struct source *, FILE *out);

#endif
