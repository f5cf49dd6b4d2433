/* The number and types of arguments that a function takes. */
#include "ski/builtin.h"

#include <stdint.h>

size_t signature_count(const struct signature *signature)
{
    size_t count = 0;

    while (count < MEASUREMENT_MAX_PARAMETERS && signature->types[count] != TYPE_UNKNOWN)
        count++;
    return count;
}

void signature_arity(const struct signature *signature, size_t *least, size_t *most)
{
    size_t count = signature_count(signature);

    *least = count - signature->optional;
    *most = signature->more ? SIZE_MAX : count;
}

enum value_type signature_type(const struct signature *signature, size_t i)
{
    size_t count = signature_count(signature);

    if (signature->more && i >= count)
        return signature->types[count - 1];
    return i < count ? signature->types[i] : TYPE_UNKNOWN;
}

struct signature signature_of(const struct measurement *function)
{
    struct signature signature = {0};
    size_t count = measurement_parameter_count(function);

    for (size_t i = 0; i < count; i++)
        signature.types[i] = value_type_of(function->parameters[i].type);
    signature.optional = count - measurement_required_count(function);
    return signature;
}
