/*
 * Text that scripts print on any PE, on its way to the output.
 */
#ifndef SKAMPI_ENGINE_TEXTS_H
#define SKAMPI_ENGINE_TEXTS_H

#include <stddef.h>

#include "engine/messages.h"
#include "output/output.h"

struct pending_text {
    struct output *output; /* of PE 0, else NULL */
    char *text;            /* of this PE for the next flush; not on PE 0 */
    size_t length;
};

void texts_add(struct pending_text *, struct display *, const char *text);
/* Brings all PEs' text to the output, in the order of PEs; collective. */
void texts_bring(struct pending_text *);
/* The same, and ends the job if the output cannot be written. */
void texts_flush(struct pending_text *, struct display *);

#endif
