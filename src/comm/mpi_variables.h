/*
 * Settings of the MPI library in force, by its tool interface (MPI_T).
 */
#ifndef SKAMPI_COMM_MPI_VARIABLES_H
#define SKAMPI_COMM_MPI_VARIABLES_H

#include "base/text.h"

/* This PE's, by name: those that differ from their default and, of Open MPI, those that decide on
 * algorithms and on protocols, each as "VALUE (SOURCE)". One line says why if nothing is known.
 * choices: has the components of Open MPI that are loaded; gets the settings. MPI may be
 * initialized or not. Any PE, not collective. */
void mpi_variables_note(struct named_texts *choices);

#endif
