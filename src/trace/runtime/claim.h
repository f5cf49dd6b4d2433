/* Chooses the folder for the trace of a job, and removes traces of earlier commands. One PE calls
 * this, at the start of the trace. */
#ifndef SKAMPI_TRACE_RUNTIME_CLAIM_H
#define SKAMPI_TRACE_RUNTIME_CLAIM_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Which of the jobs of one command this is: from the second one on, each has a folder of its own.
 * PE 0. */
int claim_folder(void);
/* The trace of that job has begun: the first one removes what is left of earlier commands, of PEs
 * from this one on. PE 0. */
void claim_replace(int job, int first_pe);
/* Tells the command that there will be no trace, and that the reason was printed. */
void claim_refused(void);
/* Makes a folder, and the folders that lead to it, unless they exist. */
bool claim_make_folder(const char *path);

#pragma GCC visibility pop

#endif
