/*
 * What the front end shares beyond tree.h: assignments that do not stand in the script.
 */
#ifndef SKAMPI_SKI_PARSER_H
#define SKAMPI_SKI_PARSER_H

#include "ski/diag.h"
#include "ski/source.h"
#include "ski/tree.h"

/* Parses a file of source that is nothing but NAME=EXPR; its names are added to the tree's. NULL
 * after an error, which went to diag. The caller frees it with stmt_release(). */
struct stmt *parse_assignment(struct tree *tree, struct source *source, struct diag *diag,
                              int file);

void expr_release(struct expr *expr); /* NULL is allowed */
void stmt_release(struct stmt *stmt); /* NULL is allowed */

#endif
