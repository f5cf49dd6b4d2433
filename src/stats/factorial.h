/*
 * What an experiment in blocks says about one factor: each block has one value of each of its
 * levels, made in random order. Pure. values[b * levels + l], above 0.
 *
 * A block is compared with nothing but itself, so what changes from block to block, such as the
 * state of the machine, makes no difference.
 */
#ifndef SKAMPI_STATS_FACTORIAL_H
#define SKAMPI_STATS_FACTORIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The chance that values differ between levels at least as much though all levels are alike: by
 * ranks in each block (Friedman 1937, with Conover's correction for ties, Practical Nonparametric
 * Statistics, 5.8); of two levels the exact sign test, without ties. With few blocks the
 * chi-squared distribution makes a small p rather too large (Iman & Davenport 1980). 1 where all
 * values of each block are equal. */
double factorial_p(const double *values, size_t blocks, size_t levels);

/* Makes p-values of n tests such that the chance that any of those at or below alpha is wrong is at
 * most alpha, however the tests depend on each other (Holm 1979). */
void factorial_adjust(double *p, size_t n);

/* effects[l]: how many times as long as the middle level of its block a level takes; the median
 * over blocks. */
void factorial_effects(const double *values, size_t blocks, size_t levels, double *effects);

/* slow[l]: the level lies above the widest gap between effects, as a ratio. */
void factorial_split(const double *effects, size_t levels, bool *slow);

/* The median of the ratios of single blocks and the distribution-free interval of the median at the
 * confidence; low and high are NaN with too few blocks. May sort the ratios. */
struct factorial_ratio {
    double ratio, low, high;
};
struct factorial_ratio factorial_ratio(double *ratios, size_t blocks, double confidence);

/* The smallest power of two of which all offsets that are in leave the same rest, and no other
 * offset does. From 8 to most; false: there is none. */
bool factorial_residue(const int64_t *offsets, const bool *in, size_t n, int64_t most,
                       int64_t *rest, int64_t *modulus);

#endif
