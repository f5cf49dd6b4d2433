/*
 * Values of the language. Numbers are 64-bit integers and doubles. Strings, sets, arrays and
 * objects of MPI are shared, with a count of references. A value may carry the name of the constant
 * it came from; print and loop columns then show this name.
 */
#ifndef SKAMPI_SKI_VALUE_H
#define SKAMPI_SKI_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/measurement.h"
#include "objects/datatype.h"
#include "objects/info.h"
#include "objects/mpi_names.h"
#include "objects/pe_set.h"
#include "ski/tree.h"

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
    size_t count;
    int64_t items[];
};

struct datatype_array {
    int references;
    size_t count;
    struct datatype *items[]; /* NULL: not set yet */
};

struct shared_string {
    int references;
    size_t length;
    char text[]; /* NUL-terminated */
};

struct value {
    enum value_type type;
    const char *constant; /* printed name, static or owned by the tree; NULL mostly */
    union {
        int64_t integer;
        double real;
        struct shared_string *string;
        struct pe_set *set;
        struct int_array *array;
        struct datatype *datatype;
        struct datatype_array *datatypes;
        const struct operation *operation;
        struct info *info;
        int *references; /* of a string or an array: its first member */
    } as;
};

struct value value_void(void);
struct value value_int(int64_t i);
struct value value_real(double x);
struct value value_string(const char *text, size_t length);
struct value value_set(struct pe_set *set);             /* takes the reference over */
struct value value_datatype(struct datatype *datatype); /* takes the reference over */
struct value value_operation(const struct operation *operation);
struct value value_info(struct info *info); /* takes the reference over */

/* An array of integers, all 0, or of datatypes, all NULL. Void when all arrays together would have
 * more than INT_ARRAY_LIMIT items: the script must then end with an error. */
#define INT_ARRAY_LIMIT (1 << 20)
#define ARRAYS_TOO_LARGE "all arrays together would have more than %d elements"
struct value value_array(enum value_type item, size_t count);

struct value value_copy(const struct value *v); /* one more reference */
void value_release(struct value *v);            /* leaves it void */

/* The type of values for a parameter of a measurement function. */
enum value_type value_type_of(enum parameter_type parameter);

/* "an integer", "a double", "an integer array", ..., "nothing"; without the article; and as
 * signatures have it: "int", "double", "int[]", "". */
const char *value_type_text(enum value_type type);
const char *value_type_name(enum value_type type);
const char *value_type_word(enum value_type type);

/* What a function takes, of the language or of measurements. */
struct signature {
    enum value_type types[MEASUREMENT_MAX_PARAMETERS]; /* TYPE_UNKNOWN after the last */
    size_t optional;                                   /* that many of the last ones */
    bool more; /* any number of further arguments of the last type */
};

#define TAKES(...)                                                                                 \
    {                                                                                              \
        .types = { __VA_ARGS__ }                                                                   \
    }
#define TAKES_NOTHING TAKES(TYPE_UNKNOWN)

size_t signature_count(const struct signature *);
/* How many arguments there must be, and may be; most is SIZE_MAX for any number. */
void signature_arity(const struct signature *, size_t *least, size_t *most);
/* Of argument i; TYPE_UNKNOWN after the last. */
enum value_type signature_type(const struct signature *, size_t i);
struct signature signature_of(const struct measurement *);

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

/* v (neither a nor b) = a op b, or op a when b is NULL. NULL, or what is wrong (static text):
 * overflow, division by zero, types that do not fit. */
const char *value_operate(enum operator op, const struct value *a, const struct value *b,
                          struct value *v);

/* The type that value_operate() would give, or TYPE_VOID with *error set; for the checker. */
enum value_type value_operate_type(enum operator op, enum value_type a, enum value_type b,
                                   const char **error);

#endif
