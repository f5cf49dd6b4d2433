/*
 * What is verified of every function: the memory around its data and, where it says that it
 * synchronizes, that nobody leaves before the last one has entered. Its own data are verified by
 * its hooks, see trial.c.
 */
#ifndef SKAMPI_ENGINE_VERIFY_H
#define SKAMPI_ENGINE_VERIFY_H

#include <stdbool.h>

#include "engine/services.h"

/* Whether the function has data that are verified. */
bool verify_has(const struct measurement *);
/* Writes guards around run->local and run->remote, and checks them; false after run_fail(). */
void verify_set_guards(struct run *);
bool verify_guards(struct run *);
/* That nobody leaves before all have entered, by untimed repetitions: of a function that
 * synchronizes, on two members or more. All members. */
void verify_synchronism(struct bench *);

#endif
