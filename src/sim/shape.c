/* How many messages a collective takes. */
#include "sim/model.h"

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
