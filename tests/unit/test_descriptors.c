/* LINK: measurements/example.c */
/* What each descriptor must state: ranges, values for a first try, texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/measurement.h"
#include "engine/request.h"
#include "unit/unit.h"

extern const struct measurement measurements_example[];

static bool is_word(const char *text)
{
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] ==
           '\0';
}

/* What a function takes from others has its word where they have "%s". */
static void check_text(const char *name, const char *text)
{
    if (text && strchr(text, '%'))
        fail_msg("%s: \"%s\" needs a .word", name, text);
}

/* A constant of the language, or a number within the range. */
static void check_integer(const char *name, const struct parameter *parameter)
{
    char *end;
    long long value = strtoll(parameter->example, &end, 0);
    if (parameter->type == PARAMETER_INT && strncmp(parameter->example, "MPI_", 4) == 0)
        return;
    if (*end || end == parameter->example)
        fail_msg("%s: the example of %s is no integer", name, parameter->name);
    if (value < parameter->minimum || (parameter->maximum && value > parameter->maximum))
        fail_msg("%s: the example of %s is not in its range", name, parameter->name);
}

static void check_parameter(const char *name, const struct parameter *parameter)
{
    if (!parameter->unit || !parameter->meaning || !*parameter->meaning)
        fail_msg("%s: what %s means, or its unit, is missing", name, parameter->name);
    if (!parameter->example)
        fail_msg("%s: %s has no .example, a value for a first try", name, parameter->name);
    if (parameter->maximum && parameter->maximum < parameter->minimum)
        fail_msg("%s: the range of %s is empty", name, parameter->name);
    if (parameter->type <= PARAMETER_RANK)
        check_integer(name, parameter);
    if (parameter->type == PARAMETER_DOUBLE && !(parameter->most > parameter->least))
        fail_msg("%s: %s does not state its range: .least, .most", name, parameter->name);
    if (parameter->type >= PARAMETER_DATATYPE && !is_word(parameter->example))
        fail_msg("%s: the example of %s is no name", name, parameter->name);
}

/* --sizes counts bytes: it must know what a size counts. */
static void check_size(const struct measurement *function, const struct parameter *size)
{
    const struct parameter *stated =
        size->element ? measurement_parameter(function, size->element) : NULL;
    bool known = stated ? stated->type == PARAMETER_DATATYPE || stated->type == PARAMETER_INT
                        : size->element && strncmp(size->element, "MPI_", 4) == 0;
    if (size->element && !(known && size->size))
        fail_msg("%s: no parameter %s says what %s counts", function->name, size->element,
                 size->name);
    if (!size->element && size->size && strcmp(size->unit, "bytes") != 0)
        for (size_t i = 0; i < measurement_parameter_count(function); i++)
            if (function->parameters[i].type == PARAMETER_DATATYPE)
                fail_msg("%s: %s has no .element", function->name, size->name);
}

static void check_function(const struct measurement *function)
{
    const char *name = function->name;
    size_t count = measurement_parameter_count(function);
    if (!is_word(name))
        fail_msg("%s: scripts cannot name it", name);
    if (!function->summary || !function->timed || !function->who)
        fail_msg("%s: .summary, .timed or .who is missing", name);
    check_text(name, function->summary);
    check_text(name, function->timed);
    check_text(name, function->routine);
    check_text(name, function->calls);
    if (function->moves == MOVES_UNSTATED && !function->no_data && function->api != API_NONE)
        fail_msg("%s: .moves is missing, so there is no bandwidth: see enum moves", name);
    if (!function->routine && !function->calls && function->api != API_NONE)
        fail_msg("%s: neither .routine nor .calls says what it calls of the library", name);
    for (size_t i = 0; i < count; i++) {
        check_parameter(name, &function->parameters[i]);
        check_size(function, &function->parameters[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(function->parameters[k].name, function->parameters[i].name) == 0)
                fail_msg("%s: two parameters have the name %s", name, function->parameters[i].name);
    }
    for (size_t i = measurement_required_count(function); i < count; i++)
        if (!function->parameters[i].otherwise)
            fail_msg("%s: %s must be given, but one before it need not", name,
                     function->parameters[i].name);
}

TEST(all_are_complete)
{
    const struct measurement *function;
    size_t checked = 0;
    for (size_t i = 0; (function = measurement_at(i)); i++, checked++) {
        check_function(function);
        assert_ptr_equal(measurement_find(function->name), function);
    }
    assert_true(checked > 100);
}

/* ---- What functions have in common with others ---- */

TEST(members_are_taken_from_others)
{
    const struct measurement *full = measurement_find("Shmem_Put_Nonblocking_Full"),
                             *quiet = measurement_find("Shmem_Put_Nonblocking_Quiet");
    assert_string_equal(full->timed, "put_nbi + quiet");
    assert_string_equal(full->routine, "shmem_put_nbi");
    assert_string_equal(full->who, "all");
    assert_null(full->subtracted);
    /* What is nearer hides what that is like. */
    assert_string_equal(quiet->timed, full->timed);
    assert_string_equal(quiet->routine, "shmem_quiet");
    assert_string_equal(quiet->calls, "shmem_put_nbi");
    assert_int_equal(quiet->timing, TIMING_PARTS);
    assert_int_equal(full->timing, TIMING_WHOLE);
    assert_non_null(quiet->subtracted);
}

/* ---- Values for a first try, and values above the range ---- */

static int64_t integer_of(const char *text)
{
    const char *name;
    int64_t value;
    for (size_t i = 0; (name = mpi_constant_at(i, &value)); i++)
        if (strcmp(name, text) == 0)
            return value;
    return strtoll(text, NULL, 0);
}

/* Those that a script would give; the caller releases what they hold. */
static void fill(const struct measurement *function, struct value *arguments)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        switch (parameter_value_type(parameter)) {
        case TYPE_INT:
            arguments[i] = value_int(integer_of(parameter->example));
            break;
        case TYPE_INT_ARRAY:
            arguments[i] = value_array(TYPE_INT, 2);
            arguments[i].array->items[0] = 1024;
            arguments[i].array->items[1] = 512;
            break;
        case TYPE_DATATYPE:
            arguments[i] = value_datatype(datatype_predefined(parameter->example));
            break;
        case TYPE_OPERATION:
            arguments[i] = value_operation(operation_find(parameter->example));
            break;
        case TYPE_INFO:
            arguments[i] = value_info(info_create());
            break;
        default:
            arguments[i] = value_default(parameter_value_type(parameter), parameter->example);
        }
    }
}

static void drop(const struct measurement *function, struct value *arguments)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        value_release(&arguments[i]);
}

static bool is_refused(const struct measurement *function, const struct value *arguments,
                       const struct pe_set *set)
{
    int argument;
    char *reason = engine_refusal(
        &(const struct measure_request){.function = function, .arguments = arguments, .set = set},
        &argument);
    free(reason);
    return reason;
}

/* Below, above and without order. */
static void check_reals(const struct measurement *function, struct value *arguments,
                        const struct parameter *parameter, const struct pe_set *set)
{
    struct value *argument = &arguments[parameter - function->parameters];
    double before = argument->real, least = parameter->least;
    const double wrong[] = {parameter->above ? least : nextafter(least, -1),
                            nextafter(parameter->most, INFINITY), NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        argument->real = wrong[i];
        if (!is_refused(function, arguments, set))
            fail_msg("%s: %s of %g is not refused", function->name, parameter->name, wrong[i]);
    }
    argument->real = before;
}

static void check_values(const struct measurement *function, const struct pe_set *set)
{
    struct value arguments[MEASUREMENT_MAX_PARAMETERS] = {{0}};
    fill(function, arguments);
    if (is_refused(function, arguments, set) && !function->neighborhood)
        fail_msg("%s: the values for a first try are refused", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        if (parameter->type == PARAMETER_DOUBLE)
            check_reals(function, arguments, parameter, set);
        if (parameter->type > PARAMETER_RANK)
            continue;
        int64_t before = arguments[i].integer;
        arguments[i].integer = parameter->minimum - 1;
        if (!is_refused(function, arguments, set))
            fail_msg("%s: %s below its minimum is not refused", function->name, parameter->name);
        arguments[i].integer = parameter->maximum + 1;
        if (parameter->maximum && !is_refused(function, arguments, set))
            fail_msg("%s: %s above its maximum is not refused", function->name, parameter->name);
        arguments[i].integer = before;
    }
    drop(function, arguments);
}

/* Checks of functions without any may ask the library, which does not run here. */
static bool has_largest(const struct measurement *function)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].maximum || function->parameters[i].most > 0)
            return true;
    return false;
}

TEST(values_are_accepted_and_ranges_kept)
{
    const struct measurement *function;
    for (int pes = 2; pes <= 4; pes++) {
        struct pe_set *set = pe_set_strided(0, 1, pes);
        for (size_t i = 0; (function = measurement_at(i)); i++)
            if (has_largest(function) && !measurement_unsupported(function))
                check_values(function, set);
        pe_set_release(set);
    }
}

/* ---- The skeleton, and arguments ---- */

TEST(the_example_is_complete_and_not_listed)
{
    for (const struct measurement *at = measurements_example; at->name; at++) {
        check_function(at);
        assert_non_null(measurement_data(at));
    }
    for (size_t i = 0; measurement_families[i]; i++)
        assert_ptr_not_equal(measurement_families[i], measurements_example);
}

TEST(arguments_by_name)
{
    const struct measurement function = {
        .name = "F",
        .parameters = {{"count", PARAMETER_INT, "", "", .example = "1"},
                       {"ratio", PARAMETER_DOUBLE, "", "", .example = "1"},
                       {"way", PARAMETER_STRING, "", "", .words = "loop|copy", .example = "loop"}}};
    const struct value arguments[] = {{.integer = 7}, {.real = 0.5}, {.string = "copy"}};
    const struct run run = {.function = &function, .arguments = arguments};
    assert_ptr_equal(run_find_argument(&run, "ratio"), &arguments[1]);
    assert_null(run_find_argument(&run, "rank"));
    assert_int_equal(run_argument(&run, "count")->integer, 7);
    assert_int_equal(run_integer(&run, "count", 3), 7);
    assert_int_equal(run_integer(&run, "rank", 3), 3);
    assert_int_equal(run_word(&run, "way"), 1);
    assert_int_equal(run_word(&run, "rank"), 0);
}

TEST(words_are_one_of_a_list)
{
    const struct parameter way = {"way", PARAMETER_STRING, "", "", .words = "loop|copy"};
    assert_int_equal(parameter_word(&way, "loop"), 0);
    assert_int_equal(parameter_word(&way, "copy"), 1);
    assert_int_equal(parameter_word(&way, "cop"), -1);
    assert_int_equal(parameter_word(&way, "loop|copy"), -1);
    assert_int_equal(parameter_word(&way, ""), -1);
    char *allowed = parameter_allowed(&way);
    assert_string_equal(allowed, "one of \"loop\", \"copy\"");
    free(allowed);
}
