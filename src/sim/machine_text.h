/*
 * The text of a machine description as words, and messages about places in it. One process.
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

#endif
