/*
 * Values of the language: what scripts compute with, and what measurement functions get as
 * arguments. Numbers are 64-bit integers and doubles. Strings, sets, arrays and objects of MPI are
 * shared, with a count of references. A value may carry the name of the constant it came from;
 * print and loop columns then show this name.
 */
#ifndef SKAMPI_OBJECTS_VALUE_H
#define SKAMPI_OBJECTS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/datatype.h"
#include "objects/info.h"
#include "objects/mpi_names.h"
#include "objects/pe_set.h"

enum value_type {
    TYPE_UNKNOWN, /* of no value: what the checker cannot know, and the end of a list of types */
    TYPE_VOID,
    TYPE_INT,
    TYPE_REAL,
    TYPE_STRING,
    TYPE_COMM,
    TYPE_INT_ARRAY,
    TYPE_DATATYPE,
    TYPE_DATATYPE_ARRAY,
    TYPE_OPERATION,
    TYPE_INFO,
    TYPE_UNIT /* of no value: a double, or a string that names a unit of time */
};

struct int_array {
    int references;
    bool aside; /* no part of what INT_ARRAY_LIMIT limits */
    size_t count;
    int64_t items[];
};

struct datatype_array {
    int references;
    size_t count;
    struct datatype *items[]; /* NULL: not set yet */
};

struct value {
    enum value_type type;
    const char *constant; /* printed name, static or owned by the tree; NULL mostly */
    union {
        int64_t integer;
        double real;
        const char *string; /* made by value_string(), with its count in front of it */
        struct pe_set *set;
        struct int_array *array;
        struct datatype *datatype;
        struct datatype_array *datatypes;
        const struct operation *operation;
        struct info *info;
    };
};

struct value value_void(void);
struct value value_int(int64_t i);
struct value value_real(double x);
struct value value_string(const char *text);
struct value value_set(struct pe_set *set);             /* takes the reference over */
struct value value_datatype(struct datatype *datatype); /* takes the reference over */
struct value value_operation(const struct operation *operation);
struct value value_info(struct info *info); /* takes the reference over */

/* An array of integers, all 0, or of datatypes, all NULL. Void when all arrays together would have
 * more than INT_ARRAY_LIMIT items: the script must then end with an error. */
#define INT_ARRAY_LIMIT (1 << 20)
#define ARRAYS_TOO_LARGE "all arrays together would have more than %d elements"
struct value value_array(enum value_type item, size_t count);

/* What the text says: an integer, a double or a string. */
struct value value_default(enum value_type type, const char *text);

struct value value_copy(const struct value *v); /* one more reference */
void value_release(struct value *v);            /* leaves it void */

/* One that stays as it is: scripts may change the items of an array, and an info, wherever they are
 * used. It does not count for INT_ARRAY_LIMIT. */
struct value value_keep(const struct value *v);

/* "an integer", "a double", "an integer array", ..., "nothing"; without the article; and as
 * signatures have it: "int", "double", "int[]", "". */
const char *value_type_text(enum value_type type);
const char *value_type_name(enum value_type type);
const char *value_type_word(enum value_type type);

/* As print and loop columns show it; the caller frees it. Doubles print with the fewest digits
 * that read back as the same number, and always with a dot or an exponent. */
char *value_text(const struct value *v);

/* Conversion for a parameter: int to double exactly; double to int rounded half away from zero.
 * NULL, or what is wrong (static text); then v is unchanged. */
const char *value_convert(struct value *v, enum value_type to);

/* A number as a double. */
double value_real_of(const struct value *v);

/* The integer nearest to x, half away from zero; false when it needs more than 64 bits. */
bool value_round(double x, int64_t *i);

enum operator{
    OP_OR,
    OP_AND,
    OP_BIT_OR,
    OP_BIT_AND,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_LESS,
    OP_GREATER,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_NEGATE, /* unary from here */
    OP_PLUS,
    OP_NOT,
    OP_COMPLEMENT
};

/* v (neither a nor b) = a op b, or op a when b is NULL. NULL, or what is wrong (static text):
 * overflow, division by zero, types that do not fit. */
const char *value_operate(enum operator op, const struct value *a, const struct value *b,
                          struct value *v);

/* The type that value_operate() would give, or TYPE_VOID with *error set; for the checker. */
enum value_type value_operate_type(enum operator op, enum value_type a, enum value_type b,
                                   const char **error);

#endif
