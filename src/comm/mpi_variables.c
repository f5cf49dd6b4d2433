/* Reads the control variables of MPI_T, and asks Open MPI where their values come from. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "comm/mpi_variables.h"

#include "base/memory.h"

#define WHAT "variables of MPI"

static void note_nothing(struct named_texts *choices, const char *why)
{
    named_texts_add(choices, memory_text(WHAT), memory_text(why));
}

#if SKAMPI_MPI

#include <dlfcn.h>
#include <fnmatch.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/components.h"

#define NAME 256
#define DEFAULT "default"
#define SETTING "variable " /* before the name: there is a component pml, and a setting */

#ifdef OPEN_MPI
#define PREFIX_IN_ENVIRONMENT "OMPI_MCA_"
/* Settings that are shown even with their defaults: they select algorithms, or sizes at which
 * protocols change. */
static const char *const decisive[] = {
    "btl_*_eager_limit",
    "btl_*_rndv_eager_limit",
    "btl_*_max_send_size",
    "btl_*_min_rdma_pipeline_size",
    "coll_*_priority",
    "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename",
    "osc_*_priority",
    "osc_rdma_buffer_size",
    "osc_rdma_max_attach",
    "pml_*_priority",
    "pml_ob1_unexpected_limit",
    "pml_ob1_use_all_rdma",
};
#else
#define PREFIX_IN_ENVIRONMENT ""
static const char *const decisive[] = {NULL};
#endif

static bool is_decisive(const char *name)
{
    for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++)
        if (decisive[i] && fnmatch(decisive[i], name, 0) == 0)
            return true;
    return false;
}

/* Open MPI keeps variables of components that it has unloaded, whose values are gone: reading one
 * is a segmentation fault. */
static bool is_readable(const struct named_texts *choices, const char *name)
{
#ifdef OPEN_MPI
    return components_own(choices, name);
#else
    (void)choices;
    (void)name;
    return true;
#endif
}

/* ---- Where values come from ---- */

/* The source of a setting, by the function of Open MPI that ompi_info uses, since MPI_T cannot tell
 * the source. NULL if the library has no such function, or does not know. The caller frees it. */
static char *source_by_library(const char *name)
{
    int (*find)(const char *, int *), (*dump)(int, char ***, int);
    void *found = dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name");
    void *dumps = dlsym(RTLD_DEFAULT, "mca_base_var_dump");
    char **lines = NULL, *source = NULL;
    int index = -1;
    const int parsable = 1; /* mca:FRAMEWORK:COMPONENT:param:NAME:source:SOURCE */
    /* ISO C has no cast from an object's address to a function's. */
    memcpy(&find, &found, sizeof found);
    memcpy(&dump, &dumps, sizeof dumps);
    if (!find || !dump || find(name, &index) != 0 || dump(index, &lines, parsable) != 0 || !lines)
        return NULL;
    char *begin = text_format(":%s:source:", name);
    for (char **line = lines; *line; line++) {
        const char *at = strstr(*line, begin);
        if (at && !source)
            source = memory_text(at + strlen(begin));
        free(*line);
    }
    free(lines);
    free(begin);
    return source;
}

static char *source_of(const char *name)
{
    char *source = source_by_library(name);
    if (!source) {
        char *variable = text_format("%s%s", PREFIX_IN_ENVIRONMENT, name);
        source = getenv(variable) ? memory_text("environment") : NULL;
        free(variable);
    }
    return source;
}

/* ---- Values ---- */

struct variable {
    char name[NAME];
    int index, binding;
    MPI_Datatype type;
    MPI_T_enum words;
};

static bool look_up(int index, struct variable *variable)
{
    int length = sizeof variable->name, no_text = 0, verbosity, scope;
    *variable = (struct variable){.index = index};
    return MPI_T_cvar_get_info(index, variable->name, &length, &verbosity, &variable->type,
                               &variable->words, NULL, &no_text, &variable->binding,
                               &scope) == MPI_SUCCESS;
}

/* The library's word for a number, or NULL. The caller frees it. */
static char *word_for(MPI_T_enum words, int number)
{
    char name[NAME] = "";
    int count = 0, length = sizeof name, value;
    if (words == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(words, &count, name, &length) != MPI_SUCCESS)
        return NULL;
    for (int i = 0; i < count; i++) {
        length = sizeof name;
        if (MPI_T_enum_get_item(words, i, &value, name, &length) == MPI_SUCCESS && value == number)
            return memory_text(name);
    }
    return NULL;
}

/* Enough for a number of any type. */
union number {
    int i;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    MPI_Count count;
    double d;
    bool b;
};

static char *number_text(const struct variable *variable, const union number *number)
{
    if (variable->type == MPI_INT) {
        char *word = word_for(variable->words, number->i);
        return word ? word : text_format("%d", number->i);
    }
    if (variable->type == MPI_UNSIGNED)
        return text_format("%u", number->u);
    if (variable->type == MPI_UNSIGNED_LONG)
        return text_format("%lu", number->ul);
    if (variable->type == MPI_UNSIGNED_LONG_LONG)
        return text_format("%llu", number->ull);
    if (variable->type == MPI_COUNT)
        return text_format("%lld", (long long)number->count);
    if (variable->type == MPI_DOUBLE)
        return text_format("%g", number->d);
    if (variable->type == MPI_C_BOOL)
        return memory_text(number->b ? "true" : "false");
    return NULL;
}

/* The value of a variable; NULL if it cannot be read, or is neither number nor text. The caller
 * frees it. */
static char *value_of(const struct variable *variable)
{
    MPI_T_cvar_handle handle;
    union number number = {0};
    char *text = NULL;
    int count = 0;
    if (variable->binding != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(variable->index, NULL, &handle, &count) != MPI_SUCCESS)
        return NULL;
    if (variable->type == MPI_CHAR && count > 0) {
        text = memory_zeroed((size_t)count + 1, 1);
        if (MPI_T_cvar_read(handle, text) != MPI_SUCCESS)
            text[0] = '\0';
        text_disarm(text, true);
    } else if (count == 1 && variable->type != MPI_CHAR &&
               MPI_T_cvar_read(handle, &number) == MPI_SUCCESS) {
        text = number_text(variable, &number);
    }
    MPI_T_cvar_handle_free(&handle);
    return text;
}

/* ---- All of them ---- */

static void note(struct named_texts *choices, const struct variable *variable)
{
    char *source = source_of(variable->name);
    bool differs = source && strcmp(source, DEFAULT) != 0;
    if (differs || is_decisive(variable->name)) {
        char *value = value_of(variable);
        if (value)
            named_texts_add(choices, text_format(SETTING "%s", variable->name),
                            text_format("%s (%s)", *value ? value : "nothing",
                                        source ? source : "source not known"));
        free(value);
    }
    free(source);
}

/* An algorithm that was chosen for a collective is not used without this switch. */
static void mark_idle(struct named_texts *choices, size_t first)
{
    const struct named_text *rules =
        named_texts_find(choices, SETTING "coll_tuned_use_dynamic_rules");
    for (size_t i = first; rules && strncmp(rules->value, "false", 5) == 0 && i < choices->count;
         i++) {
        struct named_text *one = &choices->of[i];
        if (fnmatch(SETTING "coll_tuned_*_algorithm*", one->name, 0) != 0)
            continue;
        char *longer =
            text_format("%s, not in force: %s is false", one->value, rules->name + strlen(SETTING));
        free(one->value);
        one->value = longer;
    }
}

void mpi_variables_note(struct named_texts *choices)
{
    size_t first = choices->count;
    int initialized = 0, provided, count = 0;
    MPI_Initialized(&initialized);
    if (!initialized) { /* Open MPI has values of components that it is yet to choose */
        note_nothing(choices, "not known: MPI is not initialized");
        return;
    }
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        note_nothing(choices, "not known: MPI_T cannot be started");
        return;
    }
    if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS || count <= 0)
        note_nothing(choices, "not known: MPI_T has none");
    for (int i = 0; i < count; i++) {
        struct variable variable;
        if (look_up(i, &variable) && is_readable(choices, variable.name))
            note(choices, &variable);
    }
    MPI_T_finalize();
    named_texts_sort(choices, first);
    mark_idle(choices, first);
    if (choices->count == first)
        note_nothing(choices, "all have their default, as far as is known");
}

#else

void mpi_variables_note(struct named_texts *choices)
{
    note_nothing(choices, "not known: skampi is built without MPI");
}

#endif
