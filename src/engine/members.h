/*
 * The members of a set as text, for the output.
 */
#ifndef SKAMPI_ENGINE_MEMBERS_H
#define SKAMPI_ENGINE_MEMBERS_H

#include "objects/pe_set.h"

/* "0-3,8"; where that is very long the first and the last PE, and a hash of all:
 * "0,...,8190 #0123456789abcdef". The caller frees it. Any PE. */
char *members_text(const struct pe_set *);

#endif
