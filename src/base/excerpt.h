/* The line of a text in which something is wrong, with a caret below the place: the second and
 * third line of an error. */
#ifndef SKAMPI_BASE_EXCERPT_H
#define SKAMPI_BASE_EXCERPT_H

#include "base/text.h"

/* Appends two lines: the line of that length, or a part of it, with '?' for what a terminal cannot
 * show; and a caret below its byte number `at`, from 0. */
void excerpt_append(struct text *, const char *line, size_t length, size_t at);

#endif
