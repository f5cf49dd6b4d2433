/* What each measurement function needs of the buffer, for all descriptors: sizes grow with the
 * count, loops end. */
#include <string.h>

#include "engine/measurement.h"
#include "objects/datatype.h"
#include "objects/info.h"
#include "unit/unit.h"

#define PES 4
#define LARGEST (1LL << 40)

/* Arguments that the function can be called with; parameter `swept` is a size. */
static void fill(const struct measurement *function, struct datatype *type, struct info *info,
                 const struct operation *operation, size_t swept, int64_t size,
                 struct value *arguments)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];

        switch (parameter_value_type(parameter)) {
        case TYPE_REAL:
            arguments[i] = value_real(1);
            break;
        case TYPE_STRING:
            arguments[i] = value_string(parameter->example);
            break;
        case TYPE_INT_ARRAY:
            arguments[i] = value_array(TYPE_INT, 1);
            arguments[i].array->items[0] = 1;
            break;
        case TYPE_DATATYPE:
            arguments[i] = value_datatype(datatype_reference(type));
            break;
        case TYPE_OPERATION:
            arguments[i] = value_operation(operation);
            break;
        case TYPE_INFO:
            arguments[i] = value_info(info_reference(info));
            break;
        default:
            arguments[i] = value_int(i == swept                         ? size
                                     : parameter->type != PARAMETER_INT ? 0
                                     : parameter->minimum > 0           ? parameter->minimum
                                                                        : 1);
        }
    }
}

static size_t weight(const struct measurement *function, const struct value *arguments)
{
    struct pe_set *set = pe_set_strided(0, 1, PES);
    struct run run = {.function = function, .arguments = arguments, .set = set, .size = PES};

    measurement_demand(&run);
    pe_set_release(set);
    return measurement_weight(function, &run.demand);
}

/* What a loop to ... ends by: for every function that is told how many data there are, whatever
 * they are called. */
TEST(more_data_need_more_buffer)
{
    struct datatype *type = datatype_predefined("MPI_BYTE");
    struct info *info = info_create();
    const struct operation *operation = operation_find("MPI_SUM");
    const struct measurement *function;
    size_t checked = 0;

    for (size_t f = 0; (function = measurement_at(f)); f++) {
        struct value arguments[MEASUREMENT_MAX_PARAMETERS];

        for (size_t swept = 0; swept < measurement_parameter_count(function); swept++) {
            /* Those of neighbours count, which a set without a topology has not. */
            if (!function->parameters[swept].size || function->neighborhood)
                continue;
            size_t before = 0;

            for (int64_t size = 1 << 10; size <= LARGEST; size *= 1 << 10) {
                fill(function, type, info, operation, swept, size, arguments);
                size_t now = weight(function, arguments);

                for (size_t i = 0; i < measurement_parameter_count(function); i++)
                    value_release(&arguments[i]);
                if (now <= before)
                    fail_msg("%s needs %zu bytes for %s of %lld, and %zu for 1/1024 of that: a "
                             "loop to ... over it never ends",
                             function->name, now, function->parameters[swept].name, (long long)size,
                             before);
                before = now;
            }
            checked++;
        }
    }
    assert_true(checked > 100);
    info_release(info);
    datatype_release(type);
}
