/*
 * The types that describe a function and a constant of the language.
 */
#ifndef SKAMPI_SKI_BUILTIN_H
#define SKAMPI_SKI_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "engine/measurement.h"
#include "ski/value.h"

struct builtin;
struct setting;

struct builtin_context {
    struct engine *engine;
    const struct builtin *builtin; /* of the call in progress, */
    size_t count;                  /* and how many arguments it has */
    /* On error a builtin stores a text here (allocated) and returns void; the interpreter adds the
     * place and ends the job. */
    char *error;
    bool ends; /* set with error: the script cannot go on, although it contains no mistake */
};

#define UNIT_WANTED                                                                                \
    "a unit is \"ns\", \"us\", \"ms\" or \"s\", or the units per second, such as 1e9"

/* What a function takes, of the language or of measurements. */
struct signature {
    enum value_type types[MEASUREMENT_MAX_PARAMETERS]; /* TYPE_UNKNOWN after the last */
    size_t optional;                                   /* that many of the last ones */
    bool more; /* any number of further arguments of the last type */
};

#define TAKES(...)                                                                                 \
    {                                                                                              \
        .types = { __VA_ARGS__ }                                                                   \
    }
#define TAKES_NOTHING TAKES(TYPE_UNKNOWN)

size_t signature_count(const struct signature *);
/* How many arguments there must be, and may be; most is SIZE_MAX for any number. */
void signature_arity(const struct signature *, size_t *least, size_t *most);
/* Of argument i; TYPE_UNKNOWN after the last. */
enum value_type signature_type(const struct signature *, size_t i);
struct signature signature_of(const struct measurement *);

struct builtin {
    const char *name;
    struct signature parameters;
    enum value_type result; /* TYPE_VOID: only a statement */
    bool collective;        /* communicates: all PEs of the world call it together */
    bool iterator;          /* only after "for x in" */
    /* Iterators. state is NULL at the first call and one block of malloc() afterwards. Returns
     * false when no value is left, or on error; next() has then freed state and set it to NULL. A
     * caller that stops earlier frees state. */
    bool (*next)(struct builtin_context *, const struct value *args, void **state, struct value *v);
    struct value (*call)(struct builtin_context *, const struct value *args);
    const struct setting *settings; /* rows of its arguments in the table of settings, or NULL */
    const char *help; /* for the reference, one line: "(names of parameters) what it does" */
};

/* A predefined name such as MPI_COMM_WORLD. It is an ordinary global, which a script may assign. */
struct constant {
    const char *name;
    enum value_type type;
    struct value (*make)(struct builtin_context *, const char *name);
};

#endif
