/*
 * Numbers with a point, whatever the locale of the process is: libraries may choose another one at
 * any time, also in programs that are traced.
 */
#ifndef SKAMPI_BASE_PLAIN_H
#define SKAMPI_BASE_PLAIN_H

#include <locale.h>

/* This thread reads and writes numbers like that from now on: for threads of our own. */
void plain_numbers(void);

/* The same until plain_end(), which takes what plain_begin() has returned: for code that runs in
 * threads of others, too. */
locale_t plain_begin(void);
void plain_end(locale_t before);

#endif
