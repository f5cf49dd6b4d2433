/* The list of models. */
#include <string.h>

#include "sim/model.h"

const struct model *const models[] = {&loggp_model, &paper_model, NULL};

const struct model *model_find(const char *name)
{
    const struct model *const *model = models;
    while (*model && strcmp((*model)->name, name) != 0)
        model++;
    return *model;
}
