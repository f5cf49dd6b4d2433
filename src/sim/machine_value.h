/* Values and blocks of machine descriptions, as tables say what they are. */
#ifndef SKAMPI_SIM_MACHINE_VALUE_H
#define SKAMPI_SIM_MACHINE_VALUE_H

#include <stdint.h>

#include "sim/machine.h"
#include "sim/machine_text.h"

#define TIME_MOST_SECONDS 1e4 /* far more than a message takes anywhere */
#define RATIO_LEAST 1e-6
#define RATIO_MOST 1e6

enum quantity { QUANTITY_TIME, QUANTITY_RATE, QUANTITY_RATIO, QUANTITY_COUNT, QUANTITY_SIZE };

struct key {
    const char *name;
    enum quantity quantity;
    size_t at;   /* in the struct */
    double most; /* of a count */
    bool needed;
};

/* Takes the current word, and a unit where there is one, as a key's value into a struct. False:
 * that is an error, which has been told. */
bool take_value(struct machine_text *, const struct key *, void *in);
/* A number that is greater than 0. */
bool take_ratio(struct machine_text *, const char *key, double *ratio);
bool take_count(struct machine_text *, const char *key, double most, int *count);

/* "+- 5 %". */
bool take_share(struct machine_text *, double *share);

/* ---- Blocks: { KEY VALUE ... } ---- */

/* What may be in a block. */
struct keys {
    const struct key *of;
    size_t count;
    /* Takes what is none of them, and says whether it was something that it knows; NULL: nothing
     * else is known. more: its names, for messages. */
    bool (*other)(struct machine_text *, void *context, void *in);
    const char *more;
    void *context;
};
#define KEYS(table) .of = table, .count = sizeof table / sizeof *table

/* Takes a block into a struct; name: whose block it is. */
void take_block(struct machine_text *, const struct word *name, const struct keys *, void *in);

/* Pieces by size: structs that begin with a uint64_t, the first size that a piece holds for. What
 * a piece does not give is as in the one before, and in the first one as in *like. Never NULL, to
 * be freed. */
void *take_pieces(struct machine_text *, const struct word *name, const struct keys *,
                  const void *like, size_t piece_bytes, size_t *count);
/* Moves to the word after the } of the current block, or after the current word. */
void skip_block(struct machine_text *);

/* machine_read.c: a key of buses, or of nodes; NULL: they have none of that name. */
const struct key *machine_key(bool node, const char *name);
/* What follows "map", into placement and list. The machine has its nodes already. */
void machine_take_map(struct machine_text *, struct machine *);

#endif
