/* Values: making, sharing, printing, converting and combining them. */
#include "objects/value.h"

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
    return (struct value){.type = TYPE_INT, .integer = i};
}

struct value value_real(double x)
{
    return (struct value){.type = TYPE_REAL, .real = x};
}

struct shared_string {
    int references;
    char text[]; /* NUL-terminated */
};

struct value value_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    struct shared_string *string = memory_allocate(sizeof *string + bytes);

    string->references = 1;
    memcpy(string->text, text, bytes);
    return (struct value){.type = TYPE_STRING, .string = string->text};
}

struct value value_default(enum value_type type, const char *text)
{
    return type == TYPE_INT    ? value_int(strtoll(text, NULL, 10))
           : type == TYPE_REAL ? value_real(strtod(text, NULL))
                               : value_string(text);
}

struct value value_set(struct pe_set *set)
{
    return (struct value){.type = TYPE_COMM, .set = set};
}

struct value value_datatype(struct datatype *datatype)
{
    return (struct value){.type = TYPE_DATATYPE, .datatype = datatype};
}

struct value value_operation(const struct operation *operation)
{
    return (struct value){.type = TYPE_OPERATION, .operation = operation};
}

struct value value_info(struct info *info)
{
    return (struct value){.type = TYPE_INFO, .info = info};
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
        v.datatypes = memory_zeroed(1, sizeof *v.datatypes + count * sizeof(void *));
        *v.datatypes = (struct datatype_array){.references = 1, .count = count};
    } else {
        v.type = TYPE_INT_ARRAY;
        v.array = memory_zeroed(1, sizeof *v.array + count * sizeof(int64_t));
        *v.array = (struct int_array){.references = 1, .count = count};
    }
    return v;
}

/* Where a string or an array begins, with the number of its references; NULL: there is none. */
static int *references(const struct value *v)
{
    switch (v->type) {
    case TYPE_STRING:
        return (int *)(uintptr_t)(v->string - offsetof(struct shared_string, text));
    case TYPE_INT_ARRAY:
        return &v->array->references;
    case TYPE_DATATYPE_ARRAY:
        return &v->datatypes->references;
    default:
        return NULL;
    }
}

struct value value_copy(const struct value *v)
{
    int *count = references(v);

    if (count)
        ++*count;
    else if (v->type == TYPE_COMM)
        pe_set_reference(v->set);
    else if (v->type == TYPE_DATATYPE)
        datatype_reference(v->datatype);
    else if (v->type == TYPE_INFO)
        info_reference(v->info);
    return *v;
}

struct value value_keep(const struct value *v)
{
    if (v->type == TYPE_INFO)
        return value_info(info_copy(v->info));
    if (v->type != TYPE_INT_ARRAY)
        return value_copy(v);
    size_t bytes = sizeof *v->array + v->array->count * sizeof *v->array->items;
    struct int_array *array = memory_allocate(bytes);

    memcpy(array, v->array, bytes);
    array->references = 1;
    array->aside = true;
    return (struct value){.type = TYPE_INT_ARRAY, .array = array};
}

void value_release(struct value *v)
{
    int *count = references(v);
    bool unused = count && --*count == 0;
    size_t datatypes = unused && v->type == TYPE_DATATYPE_ARRAY ? v->datatypes->count : 0;

    for (size_t i = 0; i < datatypes; i++)
        datatype_release(v->datatypes->items[i]);
    array_items -= datatypes;
    if (unused && v->type == TYPE_INT_ARRAY && !v->array->aside)
        array_items -= v->array->count;
    if (unused)
        free(count);
    if (v->type == TYPE_COMM)
        pe_set_release(v->set);
    if (v->type == TYPE_DATATYPE)
        datatype_release(v->datatype);
    if (v->type == TYPE_INFO)
        info_release(v->info);
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
        text_append(&text, "%lld", (long long)v->integer);
        break;
    case TYPE_REAL:
        append_real(&text, v->real);
        break;
    case TYPE_STRING:
        text_append(&text, "%s", v->string);
        break;
    case TYPE_COMM:
        text_append(&text, "[");
        for (int i = 0; i < pe_set_size(v->set); i++)
            text_append(&text, "%s%d", i > 0 ? ", " : "", pe_set_member(v->set, i));
        text_append(&text, "]");
        break;
    case TYPE_INT_ARRAY:
        text_append(&text, "[");
        for (size_t i = 0; i < v->array->count; i++)
            text_append(&text, "%s%lld", i > 0 ? ", " : "", (long long)v->array->items[i]);
        text_append(&text, "]");
        break;
    case TYPE_DATATYPE:
        text_append(&text, "%s", datatype_text(v->datatype));
        break;
    case TYPE_DATATYPE_ARRAY:
        text_append(&text, "[");
        for (size_t i = 0; i < v->datatypes->count; i++)
            text_append(&text, "%s%s", i > 0 ? ", " : "",
                        v->datatypes->items[i] ? datatype_text(v->datatypes->items[i]) : "---");
        text_append(&text, "]");
        break;
    case TYPE_OPERATION:
        text_append(&text, "%s", operation_name(v->operation));
        break;
    case TYPE_INFO:
        text_append(&text, "%s", info_text(v->info));
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
        *v = value_real((double)v->integer);
        return NULL;
    }
    if (v->type == TYPE_REAL && to == TYPE_INT) {
        if (!value_round(v->real, &rounded))
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
    return v->type == TYPE_INT ? (double)v->integer : v->real;
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
        v->integer = (strcmp(a->string, b->string) == 0) == (op == OP_EQUAL);
        return NULL;
    }
    if (a->type == TYPE_INT && b->type == TYPE_INT)
        return operate_integers(op, a->integer, b->integer, &v->integer);
    if (type == TYPE_INT) {
        v->integer = compare(op, ORDER(value_real_of(a), value_real_of(b)));
        return NULL;
    }
    *v = value_real(0);
    return operate_reals(op, value_real_of(a), value_real_of(b), &v->real);
}
