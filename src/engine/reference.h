/*
 * The cost of what surrounds the measured call, which is subtracted. Pure.
 */
#ifndef SKAMPI_ENGINE_REFERENCE_H
#define SKAMPI_ENGINE_REFERENCE_H

#include <stddef.h>

/* A cost measured apart: trimmed mean and the variance of that mean. Seconds. */
struct reference {
    double mean, variance;
    double step; /* what a step of the timer is of it */
};
struct reference reference_of(const double *values, size_t n);
/* Measured before and after the repetitions: both count alike, and that conditions changed from
 * one to the other is part of the error (half the difference, as a standard error). */
struct reference reference_combine(const struct reference *before, const struct reference *after);

/* Says what is subtracted where that is much of the result; the caller frees it, NULL: it is not.
 * what: in words, or NULL. Seconds. */
char *reference_text(const char *what, double subtracted, double time);

#endif
