/*
 * The values of an arithmetic loop, apart from any tree (section "Loops" of the language
 * reference): exact hidden value, visible rounded value, direction, end.
 */
#ifndef SKAMPI_SKI_LOOP_H
#define SKAMPI_SKI_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/value.h"

struct loop {
    bool multiplicative;
    bool unlimited;
    struct value start, end, step; /* integers or doubles */
    int64_t multiple_of;           /* 0: none */
    /* private */
    struct value hidden, visible;
    int64_t rounds; /* the hidden value of an additive loop is start + rounds * step */
    bool upward, started;
};

/* NULL, or why the loop can never end or makes no sense (static text). */
const char *loop_begin(struct loop *loop);
/* The next visible value, different from the previous one; false after the last. visible then holds
 * the first value not executed, or the last executed one if the next needs more than 64 bits: a
 * limited loop ends there without error. *error is NULL, or why the loop cannot go on (static
 * text): a loop without end overflows, or the step is too small to change the value. */
bool loop_next(struct loop *loop, struct value *v, const char **error);
/* Whether values become larger. */
bool loop_grows(const struct loop *loop);
/* How many values follow the visible one; approximate for more than a million values that are not
 * integers. Only for limited loops. */
int64_t loop_remaining(const struct loop *loop);
/* For the progress display: of the whole loop (0 to 1), the round of the visible value begins at
 * *begin and takes *width. In a loop without end, each round takes the first half. */
void loop_share(const struct loop *loop, double *begin, double *width);

#endif
