/*
 * Builds the nodes of the syntax tree: expressions, statements, names of variables.
 */
#ifndef SKAMPI_SKI_NODE_H
#define SKAMPI_SKI_NODE_H

#include "ski/parse_state.h"

/* A copy of a script's text, without NUL bytes and the carriage returns of line ends. */
char *node_text(const char *text, size_t length);

struct expr *node_expr(enum expr_kind kind, struct position where);
/* Adds an operand, argument or element (taken over; NULL: not understood). */
void node_add_argument(struct expr *expr, struct expr *argument);
/* Adds to a list of expressions that belongs to a statement, not to an expression. */
void node_append_expr(struct expr ***items, size_t *count, struct expr *expr);

/* A statement that begins at the current token. */
struct stmt *node_stmt(const struct parser *p, enum stmt_kind kind);
void node_append_stmt(struct stmt_list *list, struct stmt *stmt);

/* The number of a variable's name in the tree, which is added on first use. */
int node_symbol(struct parser *p, const struct token *token);
/* Room for this many slots (a power of two), before the first name is looked up. */
void node_names_resize(struct parser *p, size_t size);

#endif
