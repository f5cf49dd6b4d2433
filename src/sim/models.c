/* The list of models. */
#include <string.h>

#include "sim/model.h"

static const struct model *const models[] = {&loggp_model, &paper_model};
#define MODELS (sizeof models / sizeof *models)

const struct model *model_number(size_t number)
{
    return number < MODELS ? models[number] : NULL;
}

const struct model *model_find(const char *name)
{
    for (size_t i = 0; i < MODELS; i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}
