/* All functions and constants of the language: the tables of the families, one after the other. */
#include "ski/builtins.h"

#include <string.h>

#include "ski/builtin_family.h"

static const struct builtin *const families[] = {builtins_sets, builtins_values, builtins_mpi};

#define FAMILY_COUNT (1 + sizeof families / sizeof families[0])

static const struct builtin *family_at(size_t i)
{
    return i == 0 ? builtins_settings() : families[i - 1];
}

const struct builtin *builtin_at(size_t i)
{
    for (size_t family = 0; family < FAMILY_COUNT; family++)
        for (const struct builtin *b = family_at(family); b->name; b++)
            if (i-- == 0)
                return b;
    return NULL;
}

const struct builtin *builtin_find(const char *name)
{
    for (size_t family = 0; family < FAMILY_COUNT; family++)
        for (const struct builtin *b = family_at(family); b->name; b++)
            if (strcmp(b->name, name) == 0)
                return b;
    return NULL;
}

/* ---- Constants ---- */

static struct value make_world(struct builtin_context *context, const char *name)
{
    (void)name;
    return value_set(pe_set_strided(0, 1, engine_pes(context->engine)));
}

/* A set is the same on all PEs, so "self" cannot differ between them. */
static struct value make_self(struct builtin_context *context, const char *name)
{
    (void)context;
    (void)name;
    return value_set(pe_set_strided(0, 1, 1));
}

static struct value make_null(struct builtin_context *context, const char *name)
{
    (void)context;
    (void)name;
    return value_set(pe_set_strided(0, 1, 0));
}

static const struct constant communicators[] = {
    {"MPI_COMM_WORLD", TYPE_COMM, make_world},
    {"MPI_COMM_SELF", TYPE_COMM, make_self},
    {"MPI_COMM_NULL", TYPE_COMM, make_null},
};

#define COMMUNICATOR_COUNT (sizeof communicators / sizeof communicators[0])

const struct constant *constant_at(size_t i)
{
    if (i < COMMUNICATOR_COUNT)
        return &communicators[i];
    for (const struct constant *c = constants_mpi; c->name; c++)
        if (i-- == COMMUNICATOR_COUNT)
            return c;
    return NULL;
}

const struct constant *constant_find(const char *name)
{
    const struct constant *constant;

    for (size_t i = 0; (constant = constant_at(i)); i++)
        if (strcmp(constant->name, name) == 0)
            return constant;
    return NULL;
}
