/*
 * Checks a script before it runs: binds names and reports errors that the text alone shows.
 */
#ifndef SKAMPI_SKI_CHECK_H
#define SKAMPI_SKI_CHECK_H

#include "ski/diag.h"
#include "ski/tree.h"

/* Binds names, checks the number of arguments and, where they are known, types; all errors go to
 * diag. */
void tree_check(struct tree *tree, struct diag *diag);

#endif
