/*
 * Parses statements and the constructs that contain them: loops, if, blocks.
 */
#ifndef SKAMPI_SKI_PARSE_STATEMENT_H
#define SKAMPI_SKI_PARSE_STATEMENT_H

#include "ski/parse_state.h"

/* Statements up to the end of the script, or to what closes an open construct. */
void parse_body(struct parser *p, struct stmt_list *list);

/* At a name that is followed by '='. */
struct stmt *parse_assignment_here(struct parser *p);

#endif
