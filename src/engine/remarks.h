/*
 * What is said about a result: flags for programs, and notes for people.
 */
#ifndef SKAMPI_ENGINE_REMARKS_H
#define SKAMPI_ENGINE_REMARKS_H

#include "engine/outcome.h"

/* The set's rank 0. May sort samples->skew, and turns a time within its error below zero into 0. */
void remarks_make(struct bench *, struct samples *, struct statistics *);

#endif
