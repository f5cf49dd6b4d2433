/* Ways of ending other than shmem_finalize. */
#ifndef SKAMPI_TRACE_RUNTIME_END_H
#define SKAMPI_TRACE_RUNTIME_END_H

#pragma GCC visibility push(hidden)

/* From now on all ways of ending are noticed. */
void ending_watch(void);

#pragma GCC visibility pop

#endif
