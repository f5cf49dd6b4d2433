/* The number and types of arguments that a function's type letters ask for. */
#include "ski/builtin.h"

#include <stdint.h>
#include <string.h>

void builtin_arity(const char *letters, size_t *least, size_t *most)
{
    size_t length = strlen(letters);
    const char *optional = strchr(letters, '?');

    *least = *most = length;
    if (length > 0 && letters[length - 1] == '+') {
        *least = length - 1;
        *most = SIZE_MAX;
    } else if (optional) {
        *least = (size_t)(optional - letters);
        *most = length - 1;
    }
}

char builtin_letter(const char *letters, size_t i)
{
    size_t length = strlen(letters);
    const char *optional = strchr(letters, '?');

    if (length > 0 && letters[length - 1] == '+')
        return letters[i < length - 1 ? i : length - 2];
    if (optional && i >= (size_t)(optional - letters))
        i++;
    return i < length ? letters[i] : 0;
}
