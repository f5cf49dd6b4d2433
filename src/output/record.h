/*
 * What the files of the output share; nobody else includes this. Every format is one function that
 * appends a record to a text, as complete lines; nothing where the format has no place for it.
 */
#ifndef SKAMPI_OUTPUT_RECORD_H
#define SKAMPI_OUTPUT_RECORD_H

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "output/header.h"
#include "output/result.h"

struct record {
    enum {
        RECORD_HEADER,
        RECORD_SPACE, /* an empty line between parts */
        RECORD_COMMENT,
        RECORD_PRINT, /* lines, each ending in a newline */
        RECORD_BLOCK,
        RECORD_BLOCK_END,
        RECORD_RESULT,
        RECORD_CONDITIONS, /* of results, where they are others than before */
        RECORD_ROUNDS,
        RECORD_STATE,
        RECORD_CONTROLS, /* all of a set, for formats that have them */
        RECORD_MISSING,
        RECORD_END,         /* all was run, or the run was ended in order */
        RECORD_CUT,         /* the run was ended otherwise; text: in few words */
        RECORD_LIBRARY_END, /* known only after everything else */
        RECORD_LAST         /* nothing more comes, for formats that say so */
    } kind;
    const struct columns *columns; /* with a result or rounds, in .sko; NULL: none */
    union {
        const struct header *header;
        const char *text;
        const struct record_block *block;
        const struct output_block *block_end;
        const struct result *result;
        const struct result_rounds *rounds;
        const struct result_state *state;
        const struct result_control_series *controls;
        const struct record_missing *missing;
        const struct record_end *end; /* also of RECORD_LIBRARY_END and RECORD_LAST */
    };
};

/* Further members of records, each an index of members[]. */
struct columns {
    const size_t *members;
    size_t count;
};

struct record_block {
    const char *name;
    size_t number;
    const char *source; /* of the script since the block before it, or NULL */
};

struct record_missing {
    enum result_missing kind;
    const char *block; /* NULL: outside of blocks */
    size_t number;
    const char *call, *reason;
    const struct result_point *point; /* NULL: several, or none of a block */
    int64_t points;                   /* that are missing */
};

struct record_end {
    int status;
    const char *reason; /* of an end before time, or NULL */
    time_t finished;
    double duration, timed; /* seconds; timed: NaN: not known */
    size_t results;
    int64_t missing;
    bool cut; /* the run did not come to its end: more may be missing than is known */
    const double *library_end; /* seconds of each PE, NULL: not asked for */
    int library_count;
};

void output_sko(FILE *text, const struct record *record);
void output_csv(FILE *text, const struct record *record);
void output_json(FILE *text, const struct record *record);

/* ---- What several formats say alike; in members.c ---- */

/* A member of result or rounds records that is one value; the place in struct result and in struct
 * result_rounds, -1: it has none. */
struct member {
    const char *name;
    enum {
        MEMBER_COUNT,
        MEMBER_INTEGER,
        MEMBER_WORD,   /* const char *; NULL as "" */
        MEMBER_NUMBER, /* this one and those below: a double */
        MEMBER_VALUE,  /* what was measured: seconds or bytes */
        MEMBER_SECONDS,
        MEMBER_BANDWIDTH, /* bytes per second */
        MEMBER_RATE       /* per second */
    } type;
    int result, rounds;
};
/* Of a MEMBER_WORD, from its place. */
const char *word_of(const void *place);
/* In the order of the columns in CSV. */
extern const struct member members[];
extern const size_t member_count;

const char *missing_name(enum result_missing kind);

/* Whether a variable of the same name comes later: of nested loops, the inner one counts. */
bool variable_hidden(const struct result_point *point, size_t index);

#endif
