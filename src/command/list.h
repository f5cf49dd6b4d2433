/*
 * --list: measurement functions by family, on standard output. Any PE.
 */
#ifndef SKAMPI_LIST_H
#define SKAMPI_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/measurement.h"

enum list_form {
    LIST_FOLDED, /* a line for names that differ only in a type or an operation */
    LIST_ALL,    /* a line each */
    LIST_JSON    /* a line of JSON each, the best first */
};

/* Functions that all words fit: words, beginnings or patterns of names, words of summaries and of
 * names of families; or those that measure a routine. No words: all. pairs: only those that have
 * the number of pairs of PEs that work at the same time as a parameter. False when there are none,
 * which standard error then says. */
bool list_functions(const char *const *words, size_t count, bool pairs, enum list_form);

/* Says on standard error that there is no such function, and which one may be meant. */
void list_refuse(const char *what, const char *name);

/* How the API of a function is called, by enum api; and what its value is, by enum quantity. */
extern const char *const list_apis[], *const list_quantities[];

/* The descriptor of a function as a line of JSON on standard output, for --list and --describe with
 * --format json; members without a value are left out. */
void list_json(const struct measurement *);

/* ---- Folding names that differ only in a type or an operation, as a shell would unfold them ----
 */

struct list_line {
    const struct measurement *first; /* of those that it stands for */
    size_t count;                    /* how many these are */
    char *name, *summary;            /* allocated: the name folded; what their summaries share */
};

/* A line for each function, or for several whose parameters are the same; in the order of the
 * first of each. lines has room for all functions; returns how many there are. */
size_t list_fold(const struct measurement *const *functions, size_t count, bool fold,
                 struct list_line *lines);

#endif
