/*
 * Functions on numbers, strings and arrays, and those that fit no other family.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "engine/measurement.h"
#include "ski/builtin_call.h"
#include "ski/function_names.h"
#include "stats/random.h"

/* ---- Arithmetic ---- */

/* cbrt() may miss an integer root by one bit, and ceil() would then return another integer. */
static double cube_root(double x)
{
    double root = cbrt(x), whole = round(root);

    return whole * whole * whole == x ? whole : root;
}

static double square(double x)
{
    return x * x;
}

static struct value call_real(struct builtin_call *call)
{
    double x = call->args[0].real, result = call->builtin->real(x);

    if (!isfinite(result))
        return builtin_refuse(call, "no result for %g", x);
    return value_real(result);
}

static struct value call_power(struct builtin_call *call)
{
    double x = call->args[0].real, y = call->args[1].real, result = pow(x, y);

    if (!isfinite(result))
        return builtin_refuse(call, "no result for %g and %g", x, y);
    return value_real(result);
}

static struct value call_whole(struct builtin_call *call)
{
    double x = call->builtin->real(call->args[0].real);
    int64_t i;

    if (!value_round(x, &i))
        return builtin_refuse(call, "%g is too large for an integer", x);
    return value_int(i);
}

static struct value call_modulo(struct builtin_call *call)
{
    struct value result;
    const char *error = value_operate(OP_MODULO, &call->args[0], &call->args[1], &result);

    return !error ? result : builtin_refuse(call, "%s", error);
}

static struct value call_min_int(struct builtin_call *call)
{
    int64_t a = call->args[0].integer, b = call->args[1].integer;

    return value_int(a < b ? a : b);
}

static struct value call_max_int(struct builtin_call *call)
{
    int64_t a = call->args[0].integer, b = call->args[1].integer;

    return value_int(a > b ? a : b);
}

static struct value call_get_random_int(struct builtin_call *call)
{
    int64_t low = call->args[0].integer, high = call->args[1].integer;
    uint64_t state;

    if (low > high)
        return builtin_fail(call,
                            text_format("get_random_int(%lld, %lld): the first must not be larger",
                                        (long long)low, (long long)high));
    state = engine_random(call->engine);
    return value_int(
        (int64_t)((uint64_t)low + random_up_to(&state, (uint64_t)high - (uint64_t)low)));
}

/* ---- Strings ---- */

static struct value call_atoi(struct builtin_call *call)
{
    const char *text = call->args[0].string;
    char *end;
    long long i;

    errno = 0;
    i = strtoll(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    if (errno != 0 || *end != '\0' || !strpbrk(text, "0123456789"))
        return builtin_refuse(call, "\"%s\" is not a 64-bit integer", text);
    return value_int(i);
}

/* PE 0 decides: the environment may differ from node to node. */
static struct value call_get_env(struct builtin_call *call)
{
    const char *name = call->args[0].string;
    const char *set = engine_pe(call->engine) == 0 ? getenv(name) : NULL;
    int64_t length = set ? (int64_t)strlen(set) : -1;
    char *path;
    struct value value;

    engine_broadcast(call->engine, &length, sizeof length);
    if (length < 0)
        return builtin_refuse(call, "the environment variable %s is not set", name);
    path = memory_zeroed((size_t)length + 2, 1);
    if (set)
        memcpy(path, set, (size_t)length);
    engine_broadcast(call->engine, path, (size_t)length);
    path[length] = '/';
    value = value_string(path);
    free(path);
    return value;
}

static struct value call_mpi_processor_names(struct builtin_call *call)
{
    char host[256] = "unknown";
    char *line;
    struct value value;

    gethostname(host, sizeof host - 1);
    line = text_format("# rank %6d: %s", engine_pe(call->engine), host);
    value = value_string(line);
    free(line);
    return value;
}

static struct value call_last_time(struct builtin_call *call)
{
    double seconds = engine_assumed_time(call->engine);
    const char *absent = engine_absent(call->engine);

    if (!isnan(seconds))
        return value_real(seconds);
    if (!absent)
        return builtin_refuse(call, "nothing has been measured yet");
    call->ends = true;
    return builtin_refuse(call, "%s", absent);
}

static struct value call_has_last_time(struct builtin_call *call)
{
    return value_int(!isnan(engine_assumed_time(call->engine)));
}

/* PE 0 decides for all PEs, since they must take the same branches of the script. A timer is taken
 * to be usable on all nodes of a job or on none. */
static struct value call_is_timer_usable(struct builtin_call *call)
{
    const struct timer *timer = timer_find(call->args[0].string);
    int64_t usable = timer && !timer->unusable();

    engine_broadcast(call->engine, &usable, sizeof usable);
    return value_int(usable);
}

static struct value call_is_counter_usable(struct builtin_call *call)
{
    return value_int(engine_counter_usable(call->engine, call->args[0].string));
}

static struct value call_is_supported(struct builtin_call *call)
{
    const struct measurement *function = function_meant(call->args[0].string);

    return value_int(function && !measurement_unsupported(function));
}

/* ---- Arrays ---- */

/* NULL, with an error, for an index outside the array. */
static int64_t *element(struct builtin_call *call)
{
    struct int_array *array = call->args[0].array;

    return builtin_has_element(call, array->count) ? &array->items[call->args[1].integer] : NULL;
}

static struct value call_int_array_get(struct builtin_call *call)
{
    const int64_t *item = element(call);

    return item ? value_int(*item) : value_void();
}

static struct value call_int_array_set(struct builtin_call *call)
{
    int64_t *item = element(call);

    if (item)
        *item = call->args[2].integer;
    return value_void();
}

/* ---- Iterators ---- */

/* Counts from low to high, below INT64_MAX; the state is the next number. */
static bool count_up(int64_t low, int64_t high, void **state, int64_t *i)
{
    int64_t *next = *state;

    if (!next) {
        *state = next = memory_zeroed(1, sizeof *next);
        *next = low;
    }
    *i = *next;
    if (*i > high || *i == INT64_MAX) {
        free(next);
        *state = NULL;
        return false;
    }
    ++*next;
    return true;
}

static bool next_range(struct builtin_call *call, void **state, struct value *v)
{
    int64_t i, end = call->args[1].integer;

    if (end == INT64_MIN || !count_up(call->args[0].integer, end - 1, state, &i))
        return false;
    *v = value_int(i);
    return true;
}

static bool next_squares(struct builtin_call *call, void **state, struct value *v)
{
    int64_t i, square;

    if (!count_up(call->args[0].integer, call->args[1].integer, state, &i))
        return false;
    if (__builtin_mul_overflow(i, i, &square)) {
        builtin_refuse(call, "the square of %lld needs more than 64 bits", (long long)i);
        free(*state);
        *state = NULL;
        return false;
    }
    *v = value_int(square);
    return true;
}

const struct builtin builtins_values[] = {
    {"sqrt", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = sqrt,
     .help = "(x) square root"},
    {"cbrt", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = cube_root,
     .help = "(x) cube root"},
    {"sqr", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = square,
     .help = "(x) x times x"},
    {"log", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = log,
     .help = "(x) natural logarithm"},
    {"log2", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = log2,
     .help = "(x) logarithm to base 2"},
    {"log10", TAKES(TYPE_REAL), TYPE_REAL, .call = call_real, .real = log10,
     .help = "(x) logarithm to base 10"},
    {"power", TAKES(TYPE_REAL, TYPE_REAL), TYPE_REAL, .call = call_power,
     .help = "(x, y) x to the power of y"},
    {"floor", TAKES(TYPE_REAL), TYPE_INT, .call = call_whole, .real = floor,
     .help = "(x) the largest integer not above x"},
    {"ceil", TAKES(TYPE_REAL), TYPE_INT, .call = call_whole, .real = ceil,
     .help = "(x) the smallest integer not below x"},
    {"round", TAKES(TYPE_REAL), TYPE_INT, .call = call_whole, .real = round,
     .help = "(x) the nearest integer, halfway cases away from 0"},
    {"modulo", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .call = call_modulo,
     .help = "(a, b) remainder of a / b, with the sign of a"},
    {"min_int", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .call = call_min_int,
     .help = "(a, b) the smaller of the two"},
    {"max_int", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .call = call_max_int,
     .help = "(a, b) the larger of the two"},
    {"get_random_int", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .collective = true,
     .call = call_get_random_int,
     .help = "(a, b) a random integer from a to b, both included; the same on all PEs"},
    {"atoi", TAKES(TYPE_STRING), TYPE_INT, .call = call_atoi,
     .help = "(text) the integer written in it"},
    {"get_env", TAKES(TYPE_STRING), TYPE_STRING, .collective = true, .call = call_get_env,
     .help = "(name) an environment variable of PE 0, with a / appended; an error when not set"},
    {"mpi_processor_names", TAKES_NOTHING, TYPE_STRING, .call = call_mpi_processor_names,
     .help = "() a line with this PE and its host, for print_all"},
    {"last_time", TAKES_NOTHING, TYPE_REAL, .call = call_last_time,
     .help =
         "() what the last measurement reported, in seconds; where it has no result, the script "
         "ends there"},
    {"has_last_time", TAKES_NOTHING, TYPE_INT, .call = call_has_last_time,
     .help =
         "() 1 when the last measurement has a result, so that last_time() has a value, else 0"},
    {"is_timer_usable", TAKES(TYPE_STRING), TYPE_INT, .collective = true,
     .call = call_is_timer_usable,
     .help = "(name) 1 when there is such a timer here and set_timer() accepts it, else 0"},
    {"is_counter_usable", TAKES(TYPE_STRING), TYPE_INT, .collective = true,
     .call = call_is_counter_usable,
     .help = "(name) 1 when set_hw_counters() accepts this event here, else 0"},
    {"is_supported", TAKES(TYPE_STRING), TYPE_INT, .call = call_is_supported,
     .help = "(name) 1 when this measurement function exists and can be measured here, else 0"},
    {"alloc_int_array", TAKES(TYPE_INT), TYPE_INT_ARRAY, .call = builtin_allocate,
     .help = "(n) an array of n zeros"},
    {"int_array_get", TAKES(TYPE_INT_ARRAY, TYPE_INT), TYPE_INT, .call = call_int_array_get,
     .help = "(array, i) its element i, counted from 0"},
    {"int_array_set", TAKES(TYPE_INT_ARRAY, TYPE_INT, TYPE_INT), TYPE_VOID,
     .call = call_int_array_set,
     .help = "(array, i, value) changes its element i, counted from 0, wherever the array is used"},
    {"range", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .iterator = true, .next = next_range,
     .help = "(a, b) iterator: a, a + 1, ... b - 1"},
    {"squares", TAKES(TYPE_INT, TYPE_INT), TYPE_INT, .iterator = true, .next = next_squares,
     .help = "(a, b) iterator: the squares of a, a + 1, ... b"},
    {.name = NULL},
};
