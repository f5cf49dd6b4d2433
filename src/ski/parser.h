/*
 * From text to tree: a script with its includes, or the assignment of a --set.
 */
#ifndef SKAMPI_SKI_PARSER_H
#define SKAMPI_SKI_PARSER_H

#include "ski/diag.h"
#include "ski/source.h"
#include "ski/tree.h"

/* Parses the main script and its includes; errors go to diag, and parsing continues after them (at
 * the next statement), so that all are found. Never NULL: with errors, a tree of what was
 * understood. */
struct tree *parse_script(struct source *source, struct diag *diag);

/* Parses a file of source that is nothing but NAME=EXPR; its names are added to those of the tree.
 * NULL after an error, which went to diag. The caller frees it with stmt_release(). */
struct stmt *parse_assignment(struct tree *tree, struct source *source, struct diag *diag,
                              int file);

#endif
