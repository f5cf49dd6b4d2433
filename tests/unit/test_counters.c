/* Where the program is built without PAPI, counters are refused, and the rest still goes. */
#define _GNU_SOURCE /* as the file under test */
#include <stdlib.h>
#include <string.h>

#undef SKAMPI_PAPI
#define SKAMPI_PAPI 0
#include "clock/counters.c"
#include "unit/unit.h"

static void refused(const char *const *events, size_t n, const char *reason)
{
    char *error = counters_choose(events, n);
    assert_non_null(error);
    assert_non_null(strstr(error, reason));
    assert_int_equal(counters_count(), 0);
    free(error);
}

TEST(nothing_to_count_with)
{
    const char *events[COUNTERS_MAX + 1] = {"PAPI_TOT_CYC", "PAPI_TOT_INS"};
    refused(events, 1, "built without PAPI");
    refused(events, 2, "built without PAPI");
    refused(events, COUNTERS_MAX + 1, "at most 16");
    assert_null(counters_choose(NULL, 0));
    assert_false(counters_counting());
}
