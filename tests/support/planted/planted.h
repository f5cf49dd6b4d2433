/* What the program with planted causes and its library share. */
#ifndef PLANTED_H
#define PLANTED_H

/* Seconds that planted.c wants a call of the library to last; 0: as long as it lasts. */
struct planted {
    double quiet, atomic;
    int away; /* this PE computes: who gets from it waits until it calls shmem_long_put */
};
extern struct planted planted;

/* Waits, without the processor for most of the time. */
void planted_wait(double seconds);
/* What really happens, by the clock of the node: a PE comes to where it may have to wait; it goes
 * on, or does what others wait for. Each PE prints its times when a cause is over. */
void planted_come(void);
void planted_go(void);
void planted_print(const char *cause);
/* PEs go on at the same time after a barrier, which may let them go one after the other: one PE
 * appoints the time before it, and all wait for that. */
void planted_appoint(void);
void planted_start(void);
/* This PE leaves the library; its next shmem_long_put is the return. */
void planted_leave(void);

#endif
