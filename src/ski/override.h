/*
 * --set NAME=EXPR: another value for a global variable of the script.
 */
#ifndef SKAMPI_SKI_OVERRIDE_H
#define SKAMPI_SKI_OVERRIDE_H

#include "ski/diag.h"
#include "ski/source.h"
#include "ski/tree.h"

/* Before the check: replaces the value of every assignment to NAME at top level. An error when the
 * script assigns no such global, or when EXPR cannot be parsed. */
void tree_override(struct tree *tree, struct source *source, struct diag *diag,
                   const char *assignment);

#endif
