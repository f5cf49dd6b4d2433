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
    bool ends; /* set with error: the script cannot go on, although it contains no mistake */
};

/* Letter of a parameter that takes a double, or a string that names a unit of time. */
#define LETTER_UNIT 'u'
#define UNIT_WANTED                                                                                \
    "a unit is \"ns\", \"us\", \"ms\" or \"s\", or the units per second, such as 1e9"

struct builtin {
    const char *name;
    const char *parameters; /* type letters of value.h, "" for none; a script may leave out the
                               arguments after '?'; a final '+' allows any number of further
                               arguments of the last letter's type */
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

/* How many arguments the type letters ask for; most is SIZE_MAX after '+'. */
void builtin_arity(const char *letters, size_t *least, size_t *most);
/* The type letter of the i-th argument, or 0 after the last. */
char builtin_letter(const char *letters, size_t i);

/* A predefined name such as MPI_COMM_WORLD. It is an ordinary global, which a script may assign. */
struct constant {
    const char *name;
    enum value_type type;
    struct value (*make)(struct builtin_context *, const char *name);
};

#endif
