/* Finds what addresses lie in: the symmetric heap, variables of the program or of a library, or
 * neither. */
#ifndef SKAMPI_TRACE_RUNTIME_PLACES_H
#define SKAMPI_TRACE_RUNTIME_PLACES_H

#include "trace/encode.h"

#pragma GCC visibility push(hidden)

/* Finds the objects that places lie in; collective over all PEs. */
void places_find(void);
struct range places_heap(void); /* it has no bytes if it is not known */
/* The range in which an address lies. */
struct range places_range(uintptr_t address);
size_t places_objects(void);
const char *const *places_object_names(void);

#pragma GCC visibility pop

#endif
