/*
 * Which algorithm of a collective Open MPI calls.
 */
#ifndef TRUTH_CALLED_H
#define TRUTH_CALLED_H

/* Its name as in ompi_coll_base_COLLECTIVE_intra_NAME: the first one since this was NULL. */
extern const char *called;

#endif
