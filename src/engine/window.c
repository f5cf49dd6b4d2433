/*
 * Which rule for the start of repetitions applies to a measurement.
 */
#include "engine/window.h"

bool window_applies(const struct run *run)
{
    return measurement_synchronized(run->function) &&
           run->settings->synchronization == SYNCHRONIZE_WINDOW;
}

/* The dissemination barrier schedules nothing that run times could be counted from. */
bool window_global_run_time(const struct run *run)
{
    return window_applies(run) && run->function->timing == TIMING_WHOLE &&
           run->settings->run_time == RUN_TIME_GLOBAL &&
           run->settings->window.rule != WINDOW_DISSEMINATION;
}
