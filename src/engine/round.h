/*
 * The round in progress, of those that all points are measured in.
 */
#ifndef SKAMPI_ENGINE_ROUND_H
#define SKAMPI_ENGINE_ROUND_H

#include <stddef.h>

struct round {
    size_t number; /* from 1 */
    size_t total;
    double apart; /* seconds between the beginnings of two rounds */
};

#endif
