/* Replays a run once more. */
#include "sim/repeat.h"

#include <math.h>
#include <stdlib.h>

#define WORK_OF_PE 1000 /* opening a PE's file takes as long as replaying this many events */

uint32_t repeat_last(const struct replay *replay)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < (uint32_t)replay->run->thread_count; i++)
        last = replay->threads[i].time > replay->threads[last].time ? i : last;
    return last;
}

struct repeat repeat_of(const struct replay *done, const struct replay_options *options,
                        const char *description)
{
    struct repeat repeat = {
        .run = done->run,
        .machine = done->machine,
        .description = description,
        .several = done->several,
        .options = *options,
        .run_time = (double)done->threads[repeat_last(done)].time,
        .work = (double)done->streams.events + WORK_OF_PE * (double)done->run->pes,
    };
    repeat.options.simulated = NULL;
    repeat.options.per_pe = false;
    return repeat;
}

double repeat_time(const struct repeat *repeat, const struct machine *machine)
{
    struct replay replay;
    bool good = replay_run(&replay, repeat->run, machine, &repeat->options);
    double time = good ? (double)replay.threads[repeat_last(&replay)].time : NAN;
    replay_close(&replay);
    return time;
}

struct profile repeat_profile(const struct repeat *repeat, const struct replay *done)
{
    struct repeat again = *repeat;
    struct profile profile;
    uint32_t last = repeat_last(done);
    const struct thread *ends = &done->threads[last];
    size_t count;
    struct interval *intervals = path_intervals(&done->paths, last, ends->time, ends->hop, &count);
    profile_begin(&profile, done->run, intervals, count);
    free(intervals);
    again.options.profile = &profile;
    repeat_time(&again, again.machine);
    profile_end(&profile);
    return profile;
}
