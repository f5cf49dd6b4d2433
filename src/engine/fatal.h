/*
 * The end of the job by an error. Any PE.
 */
#ifndef SKAMPI_ENGINE_FATAL_H
#define SKAMPI_ENGINE_FATAL_H

#include "engine/progress.h"

#define STATUS_INTERNAL 1

/* Ends the job with this text, which is printed once when several PEs find the same error. */
_Noreturn void fatal_text(struct display *, int status, const char *text);
/* The job ends when the output cannot be written any more. */
void fatal_check_output(struct display *, struct output *);

#endif
