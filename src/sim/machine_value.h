/* Values and blocks of machine descriptions, as tables of keys say what they are. */
#ifndef SKAMPI_SIM_MACHINE_VALUE_H
#define SKAMPI_SIM_MACHINE_VALUE_H

#include <stdint.h>

#include "sim/machine.h"
#include "sim/machine_text.h"

/* What a value is, and what it is in the struct. */
enum quantity {
    QUANTITY_TIME,  /* int64_t, ps */
    QUANTITY_RATE,  /* double, ps per byte */
    QUANTITY_RATIO, /* double */
    QUANTITY_COUNT, /* int */
    QUANTITY_SIZE,  /* uint64_t, bytes */
    QUANTITY_CHOICE /* an enum, whose first value stands for what is not said */
};

struct key {
    const char *name;
    enum quantity quantity;
    size_t at; /* in the struct */
    bool needed;
    double most;          /* of a count */
    const char *words[2]; /* of a choice: its values 1 and 2 */
    const char *remedy;   /* of a choice: "give WORD: ..., or WORD: ..." */
};

/* Takes the current word, and a unit where there is one, as a key's value into a struct, and notes
 * the error behind it. False: that is a mistake, which has been told. */
bool take_value(struct machine_text *, const struct key *, void *in);
/* The same of a value that has no error. */
bool take_exactly(struct machine_text *, const struct key *, void *in);
/* "+- 5 %". */
bool take_share(struct machine_text *, double *share);

/* A member of a struct as a number; not of sizes and choices. */
double member_number(enum quantity, const void *member);
void member_set(enum quantity, void *member, double value);
/* Whether a description may give this number. */
bool is_in_range(const struct key *, double value);

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

/* The key of that name; NULL: there is none. */
const struct key *key_of(const struct keys *, const struct word *name);
/* Takes a block into a struct; name: whose block it is. */
void take_block(struct machine_text *, const struct word *name, const struct keys *, void *in);
/* A block with parts by size, each of which begins with "from SIZE". What a piece does not give is
 * as in the one before, and in the first one as in *like. */
void take_pieces(struct machine_text *, const struct word *name, const struct keys *,
                 const struct way *like, struct cost_pieces *);
/* Moves to the word after the } of the current block, or after the current word. */
void skip_block(struct machine_text *);

/* machine_read.c: a key of buses, or of nodes; NULL: they have none of that name. */
const struct key *machine_key(bool node, const char *name);
/* What follows "map", into placement and list. The machine has its nodes already. */
void machine_take_map(struct machine_text *, struct machine *);

#endif
