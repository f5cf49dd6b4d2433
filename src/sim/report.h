/* Reports the result of a replay to people and to programs. One process. */
#ifndef SKAMPI_SIM_REPORT_H
#define SKAMPI_SIM_REPORT_H

#include <stdio.h>

#include "sim/repeat.h"
#include "sim/surplus.h"

/* What a PE does, or waits for as a part of its communication. */
enum { REPORT_COMPUTE, REPORT_COMMUNICATION, REPORT_WAITING, REPORT_PARTS };

struct report {
    const struct replay *replay;
    struct tolerance tolerance;
    struct errors errors;
    struct repeat repeat;
    int64_t run_time; /* ps: until the last PE has ended */
    uint32_t last;    /* that PE's thread */
    struct spread {
        double sum;   /* ps, over PEs */
        int64_t most; /* ps: the largest value of a PE, and which PE that is */
        uint32_t pe;
    } parts[REPORT_PARTS];
    size_t changes;         /* of the critical path, from one thread to another */
    struct profile profile; /* its run is NULL: was not looked for */
};

/* Without tolerance, errors, repeat and profile. */
struct report sim_report_make(const struct replay *);
static inline double sim_report_seconds(double ps)
{
    return ps / PS_PER_SECOND;
}

/* Prints a blank, and a time in seconds, right-aligned in this width. */
void sim_report_column(FILE *, int width, double ps);
/* What every report begins with: what is predicted, and for what. */
void sim_report_subject(FILE *, const struct repeat *);
void sim_report_subject_json(FILE *, const struct repeat *);
/* A run time for people, with as many digits as the interval deserves, and the interval: "0.827 s,
 * 95 %: 0.801 to 0.866 s"; lines below it, which say where the interval comes from; and its members
 * of JSON, each with a comma behind it. */
void sim_report_run_time(FILE *, const struct errors *, double run_time);
void sim_report_errors(FILE *, const struct errors *, const struct repeat *);
void sim_report_errors_json(FILE *, const struct errors *);
void sim_report_text(FILE *, const struct report *);
void sim_report_json(FILE *, const struct report *);

#endif
