/*
 * Parses expressions: recursive descent, binary operators by precedence climbing.
 */
#ifndef SKAMPI_SKI_PARSE_EXPRESSION_H
#define SKAMPI_SKI_PARSE_EXPRESSION_H

#include "ski/parse_state.h"

/* NULL, in panic, when it is not understood; also when the parser is in panic already. */
struct expr *parse_expression(struct parser *p);

/* At a name that is followed by a parenthesis. */
struct expr *parse_call(struct parser *p);

#endif
