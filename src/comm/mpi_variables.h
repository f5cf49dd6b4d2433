/*
 * Settings of the MPI library in force, by its tool interface (MPI_T).
 */
#ifndef SKAMPI_COMM_MPI_VARIABLES_H
#define SKAMPI_COMM_MPI_VARIABLES_H

#include "base/text.h"

/* Notes this PE's settings as "VALUE (SOURCE)", by name: those that differ from their default and,
 * with Open MPI, those that select algorithms and protocols. If nothing is known, one line says
 * why. choices already has the loaded components of Open MPI, and gets the settings. MPI need not
 * be initialized. Any PE, not collective. */
void mpi_variables_note(struct named_texts *choices);

#endif
