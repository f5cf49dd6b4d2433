/*
 * Where the time of the measure statements goes, for scripts that ask.
 */
#ifndef SKAMPI_ENGINE_ACCOUNTING_H
#define SKAMPI_ENGINE_ACCOUNTING_H

struct output;

struct accounting {
    double sync, comm, wait, over, total; /* seconds, this PE */
};

/* Sums over all PEs, as comments of the output (NULL except on PE 0); collective. */
void accounting_print(const struct accounting *, struct output *);

#endif
