/*
 * From text to tree: a script with its includes, and values of --set in it.
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

/* --set NAME=EXPR: before the check, replaces the value of every assignment to NAME at top level.
 * An error when the script assigns no such global, or when EXPR cannot be parsed. */
void tree_override(struct tree *tree, struct source *source, struct diag *diag,
                   const char *assignment);

#endif
