/* Ways of ending other than shmem_finalize. */
#ifndef SKAMPI_TRACE_RUNTIME_END_H
#define SKAMPI_TRACE_RUNTIME_END_H

#pragma GCC visibility push(hidden)

/* Begins to notice all ways of ending. */
void ending_watch(void);

#pragma GCC visibility pop

#endif
