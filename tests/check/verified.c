/* Prints each measurement function of this build, and how its data are verified. */
#include <stdio.h>

#include "engine/measurement.h"

int main(void)
{
    const struct measurement *function;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (function->run)
            printf("%s %s\n", function->name,
                   measurement_data(function) ? measurement_data(function) : "nobody");
    return 0;
}
