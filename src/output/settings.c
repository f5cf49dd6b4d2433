#include "output/settings.h"

#include <string.h>

struct settings settings_default(void)
{
    return (struct settings){
        .min_repetitions = 8,
        .max_repetitions = 33,
        .max_relative_standard_error = 0.10,
        .max_nr_node_times = 16,
        .unit = 1e6,
        .synchronization = SYNCHRONIZE_WINDOW,
        .run_time = RUN_TIME_LOCAL,
        .max_window = 10,
        .watchdog = 120,
        .buffer_bytes = 1 << 20,
        .buffer_cycling = true,
        .send_alignment = 32,
        .receive_alignment = 32,
        .cache_state = CACHE_WARM,
        .max_outstanding = 16,
        .autorefine_factor = 2,
        .autorefine_tolerance = 0.05,
        .clock = {.algorithm = CLOCK_SYNC_DEFAULT,
                  .patience = 100,
                  .fit_points = 20,
                  .fit_exchanges = 10,
                  .spread = 0.2,
                  .long_spread = 1},
    };
}

static const char *const clock_sync_names[] = {"default", "none", "linear", "ring", "tree", "hca"};

int clock_sync_find(const char *name)
{
    for (int i = 0; i < (int)(sizeof clock_sync_names / sizeof *clock_sync_names); i++)
        if (strcmp(clock_sync_names[i], name) == 0)
            return i;
    return -1;
}

const char *clock_sync_name(enum clock_sync algorithm)
{
    return clock_sync_names[algorithm];
}
