/*
 * For applications that tell the tracer of their phases. They run untraced, too: the function is
 * then not there, and nothing happens.
 *
 *     #include <shmemtrace.h>
 *     SHMEMTRACE_PHASE(2);
 */
#ifndef SHMEMTRACE_H
#define SHMEMTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a phase of this PE. The application chooses the numbers; the first phase is 0. Any thread
 * may call it; the phase holds for all threads of the PE. */
void shmemtrace_phase(int phase) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define SHMEMTRACE_PHASE(phase)                                                                    \
    do {                                                                                           \
        if (shmemtrace_phase)                                                                      \
            shmemtrace_phase(phase);                                                               \
    } while (0)

#endif
