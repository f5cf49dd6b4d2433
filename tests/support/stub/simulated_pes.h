/*
 * Many PEs in virtual time: processes that stand for PEs with wrong clocks, joined by links with
 * programmed delays. They implement what clock synchronization needs of comm/comm.h and
 * clock/timer.h (simulated_pes.c is linked in their place), so that its results can be compared
 * with the exact answer, for any number of PEs and whatever else the machine does.
 */
#ifndef SKAMPI_TESTS_SIMULATED_PES_H
#define SKAMPI_TESTS_SIMULATED_PES_H

#include <stdbool.h>
#include <stdint.h>

#define SIMULATED_MOST 64

/* Times in seconds. */
struct simulated_pes {
    int pes, pes_per_node;
    bool shared;            /* PEs of a node have one clock, and the timer's word for it */
    double offsets, drifts; /* clocks are wrong by up to so much, and so much a second */
    double delay;           /* of a message to another node; a tenth within one */
    double asymmetry;       /* as a share of the delay: there longer, back shorter */
    double jitter;          /* up to so much more, at random */
    double interruptions;   /* up to so much more, once in twenty messages */
};

/* Runs body on all PEs; true when it returned true on each. */
bool simulate(const struct simulated_pes *pes, bool (*body)(void *context), void *context);

/* For body: lets time pass on this PE. */
void simulated_sleep(double seconds);
/* How far this PE's idea of global time is off that of PE 0's clock, now. Seconds. */
double simulated_error(void);

#endif
