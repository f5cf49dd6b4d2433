/*
 * An operation of rank 0 on rank 1 while that one computes: how it is timed.
 */
#include "measurements/common/computing.h"

#include <math.h>

/* Rank 0 begins when this part of the computation is over: what it has told the target takes a
 * while to get there. */
#define HEAD_START (1.0 / 8)
#define LONGEST_COMPUTATION 1 /* seconds */

const char *computing_check(const struct run *run)
{
    double seconds = run_argument(run, "computation")->real;
    return seconds >= 0 && seconds <= LONGEST_COMPUTATION
               ? NULL
               : "computation must be between 0 and 1 second";
}

/* The target computes when rank 0 has left the start: it may have to help it out, where messages
 * need both. The barrier at the end lets the target, and those that only watch, wait inside a
 * library that makes progress, from the end of the computation until the operation is complete. */
double computing_run(struct run *run, const struct partner *partner,
                     void (*operate)(struct run *, long addend), void (*meet)(struct run *))
{
    double seconds = NAN, computation = run_argument(run, "computation")->real;
    if (partner->acting && warm_places(run))
        operate(run, 0);
    run_start(run);
    if (partner->acting) {
        if (computation > 0) {
            run_tell(run, partner->pe);
            run_hold(HEAD_START * computation); /* what it has told may need its help, too */
        }
        int64_t from = timer_now();
        operate(run, 1);
        seconds = run_elapsed(run, from, timer_now());
    } else if (partner->source >= 0 && computation > 0) {
        run_await_told(run);
        run_pause(computation);
    }
    run_stop(run);
    meet(run);
    return seconds;
}
