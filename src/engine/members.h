/*
 * The members of a set as text, for the output.
 */
#ifndef SKAMPI_ENGINE_MEMBERS_H
#define SKAMPI_ENGINE_MEMBERS_H

#include "objects/pe_set.h"

/* "0-3,8"; NULL where that is very long. The caller frees it. Any PE. */
char *members_text(const struct pe_set *);

#endif
