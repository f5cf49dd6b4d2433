/* Values: making, sharing, printing, converting and combining them. */
#include "ski/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

/* ---- Making, sharing, releasing ---- */

struct value value_void(void)
{
    return (struct value){.type = TYPE_VOID};
}

struct value value_int(int64_t i)
{
    return (struct value){.type = TYPE_INT, .as.integer = i};
}

struct value value_real(double x)
{
    return (struct value){.type = TYPE_REAL, .as.real = x};
}

struct value value_string(const char *text, size_t length)
{
    struct shared_string *string = memory_allocate(sizeof *string + length + 1);

    string->references = 1;
    string->length = length;
    memcpy(string->text, text, length);
    string->text[length] = '\0';
    return (struct value){.type = TYPE_STRING, .as.string = string};
}

struct value value_set(struct pe_set *set)
{
    return (struct value){.type = TYPE_COMM, .as.set = set};
}

struct value value_datatype(struct datatype *datatype)
{
    return (struct value){.type = TYPE_DATATYPE, .as.datatype = datatype};
}

struct value value_operation(const struct operation *operation)
{
    return (struct value){.type = TYPE_OPERATION, .as.operation = operation};
}

struct value value_info(struct info *info)
{
    return (struct value){.type = TYPE_INFO, .as.info = info};
}

/* Items of all existing arrays. */
static size_t array_items;

struct value value_array(enum value_type item, size_t count)
{
    struct value v = value_void();

    if (count > INT_ARRAY_LIMIT - array_items)
        return v;
    array_items += count;
    if (item == TYPE_DATATYPE) {
        v.type = TYPE_DATATYPE_ARRAY;
        v.as.datatypes = memory_zeroed(1, sizeof *v.as.datatypes + count * sizeof(void *));
        *v.as.datatypes = (struct datatype_array){.references = 1, .count = count};
    } else {
        v.type = TYPE_INT_ARRAY;
        v.as.array = memory_zeroed(1, sizeof *v.as.array + count * sizeof(int64_t));
        *v.as.array = (struct int_array){.references = 1, .count = count};
    }
    return v;
}

static bool counts_references(const struct value *v)
{
    return v->type == TYPE_STRING || v->type == TYPE_INT_ARRAY || v->type == TYPE_DATATYPE_ARRAY;
}

struct value value_copy(const struct value *v)
{
    if (counts_references(v))
        ++*v->as.references;
    else if (v->type == TYPE_COMM)
        pe_set_reference(v->as.set);
    else if (v->type == TYPE_DATATYPE)
        datatype_reference(v->as.datatype);
    else if (v->type == TYPE_INFO)
        info_reference(v->as.info);
    return *v;
}

void value_release(struct value *v)
{
    bool unused = counts_references(v) && --*v->as.references == 0;
    size_t datatypes = unused && v->type == TYPE_DATATYPE_ARRAY ? v->as.datatypes->count : 0;

    for (size_t i = 0; i < datatypes; i++)
        datatype_release(v->as.datatypes->items[i]);
    array_items -= datatypes;
    if (unused && v->type == TYPE_INT_ARRAY)
        array_items -= v->as.array->count;
    if (unused)
        free(v->as.references);
    if (v->type == TYPE_COMM)
        pe_set_release(v->as.set);
    if (v->type == TYPE_DATATYPE)
        datatype_release(v->as.datatype);
    if (v->type == TYPE_INFO)
        info_release(v->as.info);
    *v = value_void();
}

/* ---- Types ---- */

static const struct type {
    const char *text;   /* "an integer" */
    const char *word;   /* in signatures */
    const char *needed; /* what is wrong with another one in its place */
    const char *misfit; /* why it is no operand; NULL: numbers are */
} types[] = {
    [TYPE_UNKNOWN] = {"nothing", "", "nothing can be used here", "this operand has no value"},
    [TYPE_VOID] = {"nothing", "", "nothing can be used here", "this operand has no value"},
    [TYPE_INT] = {"an integer", "int", "an integer is needed here", NULL},
    [TYPE_REAL] = {"a double", "double", "a number is needed here", NULL},
    [TYPE_STRING] = {"a string", "string", "a string is needed here",
                     "strings can only be compared with strings, by == and !="},
    [TYPE_COMM] = {"a communicator", "comm", "a communicator is needed here, such as comm(2)",
                   "communicators cannot be operands; use is_mpi_comm_null() or get_comm_size()"},
    [TYPE_INT_ARRAY] = {"an integer array", "int[]",
                        "an array of integers is needed here, such as {1, 2}",
                        "arrays cannot be operands; get an element with int_array_get()"},
    [TYPE_DATATYPE] = {"a datatype", "datatype", "a datatype is needed here, such as MPI_INT",
                       "datatypes cannot be operands"},
    [TYPE_DATATYPE_ARRAY] = {"a datatype array", "datatype[]",
                             "an array of datatypes is needed here, such as {MPI_INT, MPI_DOUBLE}",
                             "datatypes cannot be operands"},
    [TYPE_OPERATION] = {"an operation", "op", "an operation is needed here, such as MPI_SUM",
                        "MPI operations cannot be operands"},
    [TYPE_INFO] = {"an info object", "info", "an info object is needed here, such as MPI_INFO_NULL",
                   "info objects cannot be operands"},
    [TYPE_UNIT] = {"a unit", "", "nothing can be used here", "this operand has no value"},
};

enum value_type value_type_of(enum parameter_type parameter)
{
    static const enum value_type of[] = {
        [PARAMETER_INT] = TYPE_INT,           [PARAMETER_ITERATIONS] = TYPE_INT,
        [PARAMETER_RANK] = TYPE_INT,          [PARAMETER_DOUBLE] = TYPE_REAL,
        [PARAMETER_STRING] = TYPE_STRING,     [PARAMETER_INT_ARRAY] = TYPE_INT_ARRAY,
        [PARAMETER_DATATYPE] = TYPE_DATATYPE, [PARAMETER_OPERATION] = TYPE_OPERATION,
        [PARAMETER_INFO] = TYPE_INFO};
    return of[parameter];
}

const char *value_type_text(enum value_type type)
{
    return types[type].text;
}

const char *value_type_name(enum value_type type)
{
    const char *article = strchr(types[type].text, ' ');

    return article ? article + 1 : types[type].text;
}

const char *value_type_word(enum value_type type)
{
    return types[type].word;
}

size_t signature_count(const struct signature *signature)
{
    size_t count = 0;

    while (count < MEASUREMENT_MAX_PARAMETERS && signature->types[count] != TYPE_UNKNOWN)
        count++;
    return count;
}

void signature_arity(const struct signature *signature, size_t *least, size_t *most)
{
    size_t count = signature_count(signature);

    *least = count - signature->optional;
    *most = signature->more ? SIZE_MAX : count;
}

enum value_type signature_type(const struct signature *signature, size_t i)
{
    size_t count = signature_count(signature);

    if (signature->more && i >= count)
        return signature->types[count - 1];
    return i < count ? signature->types[i] : TYPE_UNKNOWN;
}

struct signature signature_of(const struct measurement *function)
{
    struct signature signature = {0};
    size_t count = measurement_parameter_count(function);

    for (size_t i = 0; i < count; i++)
        signature.types[i] = value_type_of(function->parameters[i].type);
    signature.optional = count - measurement_required_count(function);
    return signature;
}

/* ---- Printing ---- */

static void append_real(struct text *text, double x)
{
    char shown[40];
    int digits = 1, exponent;

    if (!isfinite(x)) {
        text_append(text, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    /* 17 digits always read back as the same number. */
    for (; digits <= 17; digits++) {
        snprintf(shown, sizeof shown, "%.*e", digits - 1, x);
        if (strtod(shown, NULL) == x)
            break;
    }
    exponent = atoi(strchr(shown, 'e') + 1);
    if (exponent < -4 || exponent >= 16)
        text_append(text, "%s", shown);
    else
        text_append(text, "%.*f", digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, x);
}

char *value_text(const struct value *v)
{
    struct text text = {0};

    if (v->constant)
        return text_format("%s", v->constant);
    switch (v->type) {
    case TYPE_INT:
        text_append(&text, "%lld", (long long)v->as.integer);
        break;
    case TYPE_REAL:
        append_real(&text, v->as.real);
        break;
    case TYPE_STRING:
        text_append_bytes(&text, v->as.string->text, v->as.string->length);
        break;
    case TYPE_COMM:
        text_append(&text, "[");
        for (int i = 0; i < pe_set_size(v->as.set); i++)
            text_append(&text, "%s%d", i > 0 ? ", " : "", pe_set_member(v->as.set, i));
        text_append(&text, "]");
        break;
    case TYPE_INT_ARRAY:
        text_append(&text, "[");
        for (size_t i = 0; i < v->as.array->count; i++)
            text_append(&text, "%s%lld", i > 0 ? ", " : "", (long long)v->as.array->items[i]);
        text_append(&text, "]");
        break;
    case TYPE_DATATYPE:
        text_append(&text, "%s", datatype_text(v->as.datatype));
        break;
    case TYPE_DATATYPE_ARRAY:
        text_append(&text, "[");
        for (size_t i = 0; i < v->as.datatypes->count; i++)
            text_append(&text, "%s%s", i > 0 ? ", " : "",
                        v->as.datatypes->items[i] ? datatype_text(v->as.datatypes->items[i])
                                                  : "---");
        text_append(&text, "]");
        break;
    case TYPE_OPERATION:
        text_append(&text, "%s", operation_name(v->as.operation));
        break;
    case TYPE_INFO:
        text_append(&text, "%s", info_text(v->as.info));
        break;
    case TYPE_UNKNOWN:
    case TYPE_VOID:
    case TYPE_UNIT:
        break;
    }
    return text_take(&text);
}

/* ---- Conversion ---- */

bool value_round(double x, int64_t *i)
{
    double rounded = round(x);

    /* 2^63 is the first double that is too large; INT64_MAX is not a double. */
    if (!(rounded >= -0x1p63 && rounded < 0x1p63))
        return false;
    *i = (int64_t)rounded;
    return true;
}

const char *value_convert(struct value *v, enum value_type to)
{
    int64_t rounded;

    if (v->type == to)
        return NULL;
    if (v->type == TYPE_INT && to == TYPE_REAL) {
        *v = value_real((double)v->as.integer);
        return NULL;
    }
    if (v->type == TYPE_REAL && to == TYPE_INT) {
        if (!value_round(v->as.real, &rounded))
            return "too large for an integer";
        *v = value_int(rounded);
        return NULL;
    }
    return types[to].needed;
}

/* ---- Operators ---- */

static bool is_number(enum value_type type)
{
    return type == TYPE_INT || type == TYPE_REAL;
}

/* Why the operator does not take this type; static text. */
static const char *misfit(enum operator op, enum value_type bad)
{
    if (types[bad].misfit)
        return types[bad].misfit;
    if (op == OP_AND || op == OP_OR || op == OP_NOT)
        return "and, or and not need integers; compare the double with something, as in x != 0.0";
    return "this operator needs integers; convert the double with floor(), ceil() or round()";
}

enum value_type value_operate_type(enum operator op, enum value_type a, enum value_type b,
                                   const char **error)
{
    bool needs_integers = op == OP_OR || op == OP_AND || op == OP_BIT_OR || op == OP_BIT_AND ||
                          op == OP_MODULO || op == OP_NOT || op == OP_COMPLEMENT;

    *error = NULL;
    if (op >= OP_NEGATE) /* unary */
        b = a;
    if (a == TYPE_STRING && b == TYPE_STRING && (op == OP_EQUAL || op == OP_NOT_EQUAL))
        return TYPE_INT;
    if (!is_number(a) || !is_number(b)) {
        *error = misfit(op, is_number(a) ? b : a);
        return TYPE_VOID;
    }
    if (needs_integers && (a == TYPE_REAL || b == TYPE_REAL)) {
        *error = misfit(op, TYPE_REAL);
        return TYPE_VOID;
    }
    if (a == TYPE_INT && b == TYPE_INT)
        return TYPE_INT;
    return op >= OP_EQUAL && op <= OP_GREATER_EQUAL ? TYPE_INT : TYPE_REAL;
}

/* order: below, equal to or above 0, as the left operand is smaller, equal or larger. */
static bool compare(enum operator op, int order)
{
    switch (op) {
    case OP_EQUAL:
        return order == 0;
    case OP_NOT_EQUAL:
        return order != 0;
    case OP_LESS:
        return order < 0;
    case OP_GREATER:
        return order > 0;
    case OP_LESS_EQUAL:
        return order <= 0;
    default:
        return order >= 0;
    }
}

static const char *operate_integers(enum operator op, int64_t a, int64_t b, int64_t *result)
{
    bool overflow = false;

    switch (op) {
    case OP_OR:
        *result = a != 0 || b != 0;
        break;
    case OP_AND:
        *result = a != 0 && b != 0;
        break;
    case OP_BIT_OR:
        *result = a | b;
        break;
    case OP_BIT_AND:
        *result = a & b;
        break;
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, result);
        break;
    case OP_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, result);
        break;
    case OP_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, result);
        break;
    case OP_DIVIDE:
    case OP_MODULO:
        if (b == 0)
            return "division by zero";
        overflow = op == OP_DIVIDE && a == INT64_MIN && b == -1;
        if (!overflow)
            *result = op == OP_DIVIDE ? a / b : b == -1 ? 0 : a % b;
        break;
    case OP_NEGATE:
        overflow = __builtin_sub_overflow(0, a, result);
        break;
    case OP_PLUS:
        *result = a;
        break;
    case OP_NOT:
        *result = a == 0;
        break;
    case OP_COMPLEMENT:
        *result = ~a;
        break;
    default:
        *result = compare(op, ORDER(a, b));
        break;
    }
    return overflow ? "integer overflow: the result needs more than 64 bits" : NULL;
}

static const char *operate_reals(enum operator op, double a, double b, double *result)
{
    switch (op) {
    case OP_ADD:
        *result = a + b;
        break;
    case OP_SUBTRACT:
        *result = a - b;
        break;
    case OP_MULTIPLY:
        *result = a * b;
        break;
    case OP_DIVIDE:
        if (b == 0)
            return "division by zero";
        *result = a / b;
        break;
    case OP_NEGATE:
        *result = -a;
        break;
    default:
        *result = a;
        break;
    }
    return isfinite(*result) ? NULL : "the result is too large for a double";
}

double value_real_of(const struct value *v)
{
    return v->type == TYPE_INT ? (double)v->as.integer : v->as.real;
}

const char *value_operate(enum operator op, const struct value *a, const struct value *b,
                          struct value *v)
{
    enum value_type b_type = b ? b->type : a->type;
    const char *error;
    enum value_type type = value_operate_type(op, a->type, b_type, &error);

    if (error)
        return error;
    if (!b)
        b = a;
    *v = value_int(0);
    if (a->type == TYPE_STRING) {
        bool equal = a->as.string->length == b->as.string->length &&
                     memcmp(a->as.string->text, b->as.string->text, a->as.string->length) == 0;

        v->as.integer = equal == (op == OP_EQUAL);
        return NULL;
    }
    if (a->type == TYPE_INT && b->type == TYPE_INT)
        return operate_integers(op, a->as.integer, b->as.integer, &v->as.integer);
    if (type == TYPE_INT) {
        v->as.integer = compare(op, ORDER(value_real_of(a), value_real_of(b)));
        return NULL;
    }
    *v = value_real(0);
    return operate_reals(op, value_real_of(a), value_real_of(b), &v->as.real);
}
