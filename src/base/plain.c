/* A thread's own locale wins against that of the process. */
#include "base/plain.h"

#include <stddef.h>

locale_t plain_begin(void)
{
    static _Atomic(locale_t) plain;
    if (!plain)
        plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void plain_numbers(void)
{
    plain_begin();
}

void plain_end(locale_t before)
{
    if (before)
        uselocale(before);
}
