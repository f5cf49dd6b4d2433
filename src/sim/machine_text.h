/*
 * The text of a machine description as words, values and blocks of these, as tables of keys say
 * what they are; and messages about places in it. One process.
 */
#ifndef SKAMPI_SIM_MACHINE_TEXT_H
#define SKAMPI_SIM_MACHINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "sim/machine.h"

/* A file that was read. */
struct machine_file {
    char *path, *text;
    const char *next;           /* what follows the current word */
    struct machine_file *from;  /* the file that includes it */
    struct machine_file *older; /* the file that was read before it */
    int depth;                  /* of includes */
};

/* A word, a "text", one of { } , or the end (length 0). Points into the file's text. */
struct word {
    const struct machine_file *file;
    const char *text;
    size_t length;
};

struct machine_text {
    struct machine_file *file, *last; /* that is being read, and that was read last */
    struct word word;                 /* the current one */
    const char *apart; /* characters that are words of their own, besides { and }; NULL: none */
    struct text errors;
    size_t error_count;
    struct machine *machine;           /* what it describes so far */
    const struct variation *variation; /* of its numbers; NULL: they are as described */
};

/* The current word becomes the first one. False: the file cannot be read, which is an error of the
 * place of the current word, or of none. */
bool sim_text_enter(struct machine_text *, const char *path);
/* The current word becomes the first one of a text that is no file; errors call the text by that
 * name. Both are copied. */
void sim_text_enter_given(struct machine_text *, const char *name, const char *given);
/* Moves to the next word, also from an included file back to what included it. */
void sim_text_next(struct machine_text *);
void sim_text_close(struct machine_text *);

bool word_is(const struct word *, const char *text);
static inline bool word_ends(const struct word *word)
{
    return word->length == 0;
}

/* "file:line:column: error: ...", the line, and a caret below the word. At most 20 are kept.
 * Returns false. */
bool sim_text_error(struct machine_text *, const struct word *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Values ---- */

/* What a value is, and what it is in the struct. */
enum quantity {
    QUANTITY_TIME,  /* int64_t, ps */
    QUANTITY_RATE,  /* double, ps per byte */
    QUANTITY_RATIO, /* double */
    QUANTITY_COUNT, /* int */
    QUANTITY_SIZE,  /* uint64_t, bytes */
    QUANTITY_CHOICE /* bool: the second word of two */
};

/* A key, with its value or what else follows it. Tables of keys end with one that has no name. */
struct key {
    const char *name;
    enum quantity quantity;
    size_t at; /* in the struct */
    bool needed;
    double most;          /* of a count */
    const char *words[2]; /* of a choice; the first one also holds where nothing is said */
    const char *remedy;   /* of a choice: "give WORD: ..., or WORD: ..." */
    /* What follows is no value, and may be given several times: takes it into the member. */
    void (*take)(struct machine_text *, void *member);
};

/* Takes the current word, and a unit where there is one, as a key's value into a struct;
 * sim_take_value also notes the error behind it. False: that is a mistake, which has been told. */
bool sim_take_value(struct machine_text *, const struct key *, void *in);
bool sim_take_exactly(struct machine_text *, const struct key *, void *in);
/* "+- 5 %". */
bool sim_take_share(struct machine_text *, double *share);

/* A member of a struct as a number; not of sizes and choices. */
double sim_member_number(enum quantity, const void *member);
void sim_member_set(enum quantity, void *member, double value);
/* Whether a description may give this number. */
bool is_in_range(const struct key *, double value);

/* ---- Blocks: { KEY VALUE ... } ---- */

/* The key of that name; NULL: there is none. */
const struct key *sim_key_named(const struct key *keys, const struct word *name);
/* The message for a word that is none of the keys. */
void sim_unknown_key(struct machine_text *, const struct word *, const struct key *keys);
/* Whether the current word is in a block, which has not ended. */
bool in_block(const struct machine_text *);
/* Takes a block into a struct; name: whose block it is. */
void sim_take_block(struct machine_text *, const struct word *name, const struct key *keys,
                    void *in);
/* A block with parts by size, each of which begins with "from SIZE". What a piece does not give is
 * as in the one before, and in the first one as in *like. */
void sim_take_pieces(struct machine_text *, const struct word *name, const struct key *keys,
                     const struct way *like, struct cost_pieces *);

/* machine_read.c: a key of buses, or of nodes; NULL: they have none of that name. */
const struct key *sim_machine_key(bool node, const char *name);
/* What follows "map", into placement and list. The machine has its nodes already. */
void sim_machine_take_map(struct machine_text *, void *machine);

#endif
