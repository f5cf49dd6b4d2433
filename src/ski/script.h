/*
 * Runs a checked tree.
 */
#ifndef SKAMPI_SKI_SCRIPT_H
#define SKAMPI_SKI_SCRIPT_H

#include <stdbool.h>

#include "engine/engine.h"
#include "ski/source.h"
#include "ski/tree.h"

/* Runs the script; collective. If show_source, prints the text of each block (--source). A run-time
 * error ends the job through engine_fatal_text(). */
void script_run(const struct tree *tree, const struct source *source, struct engine *engine,
                bool show_source);

/* For tests that run arbitrary scripts. Called before each statement and each round of a loop; if
 * it returns false, the script fails. NULL in the program. */
extern bool (*script_goes_on)(void);

#endif
