/*
 * From text to results: parses a script, checks it before it runs, and runs it.
 */
#ifndef SKAMPI_SKI_SCRIPT_H
#define SKAMPI_SKI_SCRIPT_H

#include <stdbool.h>

#include "engine/engine.h"
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

/* Binds names, checks the number of arguments and, where they are known, types; all errors go to
 * diag. */
void tree_check(struct tree *tree, struct diag *diag);

/* Why no set of PEs could be measured like this, whatever it is: an error of the script. NULL, or a
 * text that the caller frees; *argument is then the index of the offending argument, or -1. The
 * request's own set does not count. */
char *script_refusal_everywhere(const struct measure_request *request, int *argument);

/* Runs the script; collective. If show_source, prints the text of each block (--source). A run-time
 * error ends the job through engine_fatal_text(). */
void script_run(const struct tree *tree, const struct source *source, struct engine *engine,
                bool show_source);

/* For tests that run arbitrary scripts. Called before each statement and each round of a loop; if
 * it returns false, the script fails. NULL in the program. */
extern bool (*script_goes_on)(void);

#endif
