/*
 * What describes a function of the language and its call, and what the families of functions,
 * builtins_*.c, do with a call.
 */
#ifndef SKAMPI_SKI_BUILTIN_CALL_H
#define SKAMPI_SKI_BUILTIN_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "engine/measurement.h"
#include "objects/value.h"

struct builtin;
struct setting;

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

/* How many types it has. */
size_t signature_count(const struct signature *);
/* Of argument i; TYPE_UNKNOWN after the last. */
enum value_type signature_type(const struct signature *, size_t i);
struct signature signature_of(const struct measurement *);

/* A call in progress. */
struct builtin_call {
    struct engine *engine;
    const struct builtin *builtin;
    const struct value *args; /* of the declared types, */
    size_t count;             /* and how many were given */
    /* On error a function stores a text here (allocated) and returns void; the interpreter adds the
     * place and ends the job. */
    char *error;
    const char *why; /* for functions whose result may be missing: the reason */
    bool ends;       /* set with error: the script cannot go on, although it contains no mistake */
};

#define UNIT_WANTED                                                                                \
    "a unit is \"ns\", \"us\", \"ms\" or \"s\", or the units per second, such as 1e9"

struct builtin {
    const char *name;
    struct signature parameters;
    enum value_type result; /* TYPE_VOID: only a statement */
    bool collective;        /* communicates: all PEs of the world call it together */
    bool iterator;          /* only after "for x in" */
    /* Iterators. state is NULL at the first call and one block of malloc() afterwards. Returns
     * false when no value is left, or on error; next() has then freed state and set it to NULL. A
     * caller that stops earlier frees state. */
    bool (*next)(struct builtin_call *, void **state, struct value *v);
    struct value (*call)(struct builtin_call *);
    double (*real)(double); /* of functions that only compute this, else NULL */
    bool in_bytes;          /* of constructors of datatypes: distances are bytes, not elements */
    const struct setting *settings; /* rows of its arguments in the table of settings, or NULL */
    const char *help; /* for the reference, one line: "(names of parameters) what it does" */
};

/* ---- For the families ---- */

/* Their tables, which end with a nameless row. The first is made from that of settings; the caller
 * keeps it. */
struct builtin *builtins_settings(void);
extern const struct builtin builtins_sets[];
extern const struct builtin builtins_values[];
extern const struct builtin builtins_mpi[];
extern const struct builtin builtins_io[];

/* Stores "FUNCTION(): ..." as the error and returns void. */
struct value builtin_refuse(struct builtin_call *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The error as it is (taken over). */
struct value builtin_fail(struct builtin_call *, char *error);

/* False, with an error, when value is not within low to high. */
bool builtin_in_range(struct builtin_call *, int64_t value, int64_t low, int64_t high);

/* Whether there is the element that the second argument counts, in an array of so many; else an
 * error. */
bool builtin_has_element(struct builtin_call *, size_t count);

/* A new array; void, with an error, when the number of its items is out of range. */
struct value builtin_array(struct builtin_call *, enum value_type item, int64_t count);

/* The same for functions that allocate an array of what they result in. */
struct value builtin_allocate(struct builtin_call *);

#endif
