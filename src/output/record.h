/*
 * Records. Each format is one function that appends a record to
 * a text as complete lines, or appends nothing if the format has no place for the record.
 */
#ifndef SKAMPI_OUTPUT_RECORD_H
#define SKAMPI_OUTPUT_RECORD_H

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "output/result.h"

struct record {
    enum {
        RECORD_HEADER, /* the first one */
        RECORD_SPACE,  /* an empty line between parts */
        RECORD_COMMENT,
        RECORD_PRINT, /* lines, each ending in a newline */
        RECORD_BLOCK,
        RECORD_BLOCK_END,
        RECORD_RESULT,
        RECORD_CONDITIONS, /* of the results that follow, if they differ from the conditions before
                            */
        RECORD_ROUNDS,
        RECORD_HEADING,        /* of the columns of a result, */
        RECORD_ROUNDS_HEADING, /* and of rounds, if it differs from the heading before */
        RECORD_STATE,          /* of the machine, before the blocks of rounds */
        RECORD_CONTROLS,       /* all controls of a set of PEs, which define its states */
        RECORD_FACTORS,        /* what the times depend on, after all results */
        RECORD_MISSING,
        RECORD_END,         /* the script has ended, or the run ended early in a regular way */
        RECORD_SUMMARY,     /* output_summary(), after the end */
        RECORD_CUT,         /* the run was cut off; the text says why in a few words */
        RECORD_LIBRARY_END, /* the time that the library needed to end */
        RECORD_LAST         /* nothing follows */
    } kind;
    const struct columns *columns; /* further columns of results and rounds in .sko, or NULL */
    union {
        const struct header *header;
        const char *text;
        const struct record_block *block;
        const struct output_block *block_end;
        const struct result *result;
        const struct result_rounds *rounds;
        const struct result_state *state;
        const struct result_control_series *controls;
        const struct result_factors *factors;
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
    const char *source; /* text of the script since the block before, or NULL */
};

struct record_missing {
    enum result_missing kind;
    const char *block; /* NULL outside of blocks */
    size_t number;
    const char *call, *reason;
    const struct result_point *point; /* NULL if there are several, or none of a block */
    int64_t points;                   /* number of missing points */
};

struct record_end {
    int status;
    const char *reason; /* why the run ended early, or NULL */
    time_t finished;
    double duration, timed; /* seconds; timed is NaN if not known */
    size_t results;
    int64_t missing;
    bool cut; /* the run was cut off, so more points may be missing than are counted */
    const double *library_end; /* seconds of each PE; NULL if nobody asked for them */
    int library_count;
};

void output_sko(FILE *text, const struct record *record);
void output_csv(FILE *text, const struct record *record);
void output_json(FILE *text, const struct record *record);
void output_table(FILE *text, const struct record *record);

/* How wide tables may be from now on; they have 80 columns otherwise, and never more. */
void output_table_fit(int columns);

/* What times depend on, for people: lines that begin with `before`. */
void output_factors_text(FILE *text, const struct result_factors *factors, const char *before);

/* ---- What several formats say alike; in members.c ---- */

/* A member of result or rounds records that is a single value, with its offset in struct result and
 * in struct result_rounds, or -1 if the struct does not have it. */
struct member {
    const char *name;
    enum {
        MEMBER_COUNT,
        MEMBER_INTEGER,
        MEMBER_WORD,   /* const char *; NULL as "" */
        MEMBER_NUMBER, /* from here on, each is a double */
        MEMBER_VALUE,  /* the measured value: seconds or bytes */
        MEMBER_SECONDS,
        MEMBER_BANDWIDTH, /* bytes per second */
        MEMBER_RATE       /* per second */
    } type;
    int result, rounds;
};
/* Where a member of a result, or of rounds, is; NULL: they have none. The other pointer is NULL. */
const void *member_of(const struct member *, const struct result *, const struct result_rounds *);
/* Writes it as JSON. */
void member_write(FILE *text, const struct member *, const void *place);
/* In the order of the columns in CSV. */
extern const struct member members[];
extern const size_t member_count;

/* The members of results that hold a number: the name of that index, from 0; NULL after the last
 * one; the index of the member of that name, or -1. Any PE. */
const char *column_name(size_t index);
int column_find(const char *name);

const char *output_missing_name(enum result_missing kind);
/* The names of the flags that are set; returns how many. */
size_t output_flag_names(unsigned flags, const char *names[RESULT_FLAGS]);

#endif
