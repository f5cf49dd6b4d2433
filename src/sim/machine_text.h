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

struct machine_file {
    char *path, *text;
    size_t length;
};

/* A word, a "text", one of { } , or the end (length 0). Points into the file's text. */
struct word {
    const struct machine_file *file;
    const char *text;
    size_t length;
};

struct machine_text {
    struct machine_file **files; /* all that were read */
    size_t file_count;
    struct reading {
        struct machine_file *file;
        const char *next;
    } * stack; /* what is being read: the files that include each other */
    size_t depth;
    struct word word;  /* the current one */
    const char *apart; /* characters that are words of their own, besides { and }; NULL: none */
    struct text errors;
    size_t error_count;
    /* Numbers that are not known exactly, in the order of the text, and how to read them. */
    struct uncertainty *uncertain;
    size_t uncertain_count;
    const struct variation *variation; /* NULL: as they are */
    bool has_overhead;                 /* one is described */
};

/* The current word becomes the first one. False: the file cannot be read, which is an error of the
 * place of the current word, or of none. */
bool text_enter(struct machine_text *, const char *path);
/* The current word becomes the first one of a text that is no file; errors call the text by that
 * name. Both are copied. */
void text_enter_given(struct machine_text *, const char *name, const char *given);
/* Moves to the next word, also from an included file back to what included it. */
void text_next(struct machine_text *);
void text_close(struct machine_text *);

bool word_is(const struct word *, const char *text);
static inline bool word_ends(const struct word *word)
{
    return word->length == 0;
}

/* "file:line:column: error: ...", the line, and a caret below the word. At most 20 are kept. */
void text_error(struct machine_text *, const struct word *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Values ---- */

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
const struct key *key_named(const struct keys *, const struct word *name);
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
