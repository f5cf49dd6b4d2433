/*
 * What preloaded libraries share that stand between the program and the library underneath.
 */
#ifndef SKAMPI_TESTS_STUB_PRELOADED_H
#define SKAMPI_TESTS_STUB_PRELOADED_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* real: the function of that name in the library underneath. */
#define REAL(type, name, parameters)                                                               \
    static type(*real) parameters;                                                                 \
    if (!real) {                                                                                   \
        void *symbol = dlsym(RTLD_NEXT, name);                                                     \
        memcpy(&real, &symbol, sizeof real);                                                       \
    }

/* Whether SKAMPI_FAULT names this one. */
static inline bool fault(const char *name)
{
    const char *chosen = getenv("SKAMPI_FAULT");
    return chosen && strcmp(chosen, name) == 0;
}

#endif
