/* The list of models, and what they share. */
#include <string.h>

#include "sim/model.h"

static const struct model *const models[] = {&paper_model, &loggp_model};
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

int64_t collective_steps(const struct together *together, int64_t message)
{
    int64_t pes = together->pes;
    double steps = 0;
    switch (together->rule.shape) {
    case SHAPE_LINEAR:
        steps = (double)(pes - 1);
        break;
    case SHAPE_LOGARITHMIC:
        while (INT64_C(1) << (int)steps < pes)
            steps++;
        break;
    case SHAPE_FACTOR:
        steps = pes > 1 ? together->rule.factor * (double)pes : 0;
    }
    double time = steps * (double)message;
    return time < 1e18 ? (int64_t)(time + 0.5) : INT64_C(1000000000000000000);
}
