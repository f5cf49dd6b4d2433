/*
 * Moving sections between pairs of PEs: the hooks of Shmem_Section_... and Shmem_Strided_...
 */
#ifndef SKAMPI_MEASUREMENTS_SECTION_RUN_H
#define SKAMPI_MEASUREMENTS_SECTION_RUN_H

#include "measurements/common/half_pairs.h"
#include "measurements/common/section_plan.h"

/* What a descriptor's .variant points to. */
struct section_kind {
    bool get;
    /* The section and how it is to be moved, from the arguments; NULL, or why not. */
    const char *(*read)(const struct run *, struct section *, enum section_algorithm *);
};

/* At the beginning of run->scratch; the data that are packed follow it. */
struct section_scratch {
    long arrived; /* turns that the other one of the pair has made its data ready for */
    long done;    /* ... and that it has finished */
    long unused[6];
    unsigned char packed[];
};

struct section_state {
    struct section section;
    enum section_algorithm algorithm;
    struct section_plan pack, unpack;
    struct half_pair pair;
    int pe;    /* of the other one */
    long turn; /* of packing, so far: flags only grow */
};

bool section_set_up(struct run *);
void section_fill(struct run *);
bool section_verify(struct run *);
double section_run(struct run *);

#endif
