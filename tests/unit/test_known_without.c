/* Where the program is built without Jansson, it says what to install to read results of earlier
 * runs. */
#define _GNU_SOURCE /* as the file under test */
#include <stdlib.h>
#include <string.h>

#undef SKAMPI_JANSSON
#define SKAMPI_JANSSON 0
#include "known/known_file.c"
#include "unit/unit.h"

#include "known/known.h"

TEST(refused)
{
    char *error;
    assert_null(known_read(&(const char *){"a.json"}, 1, NULL, &error));
    assert_non_null(strstr(error, "--known a.json: built without Jansson; install libjansson-dev"));
    free(error);
}
