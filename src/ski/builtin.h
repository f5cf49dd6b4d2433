/*
 * The types that describe a function and a constant of the language.
 */
#ifndef SKAMPI_SKI_BUILTIN_H
#define SKAMPI_SKI_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
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
    bool ends; /* with an error: not a mistake, the script cannot go on */
};

/* A letter of parameters that is no type: a double, or a string that names a unit of time. */
#define LETTER_UNIT 'u'
#define UNIT_WANTED                                                                                \
    "a unit is \"ns\", \"us\", \"ms\" or \"s\", or the units per second, such as 1e9"

struct builtin {
    const char *name;
    const char *parameters; /* type letters of value.h, "" for none; those after '?' may be left
                               out; a final '+' repeats the letter before it any number of times
                               more */
    enum value_type result; /* TYPE_VOID: only a statement */
    bool collective;        /* communicates: all PEs of the world call it together */
    bool iterator;          /* only after "for x in" */
    /* Iterators. state is NULL at first and one block of malloc() later; false when exhausted or on
     * error; it has freed state then and set it to NULL. A caller that stops earlier frees it. */
    bool (*next)(struct builtin_context *, const struct value *args, void **state, struct value *v);
    struct value (*call)(struct builtin_context *, const struct value *args);
    const struct setting *settings; /* rows of its arguments in the table of settings, or NULL */
    const char *help; /* for the reference, one line: "(names of parameters) what it does" */
};

/* How many arguments such letters ask for; most: SIZE_MAX after '+'. */
void builtin_arity(const char *letters, size_t *least, size_t *most);
/* The type letter of the i-th argument, or 0 after the last. */
char builtin_letter(const char *letters, size_t i);

/* A predefined name (MPI_COMM_WORLD, ...): ordinary globals that a script may reassign. */
struct constant {
    const char *name;
    enum value_type type;
    struct value (*make)(struct builtin_context *, const char *name);
};

#endif
