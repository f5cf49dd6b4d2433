/*
 * Writes a script for the functions and parameters of a command line, whose values it checks
 * before: numbers, texts, expressions, and whether ranges have values.
 */
#include "command/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/command.h"
#include "ski/builtins.h"
#include "ski/lexer.h"
#include "ski/loop.h"
#include "ski/script.h"

/* What a value must be. */
struct requirement {
    enum parameter_type type;
    int64_t minimum, maximum; /* of integers; maximum 0: any */
    bool doubling;            /* what a range without a step does */
    const char *forms;        /* "a size in bytes, such as 8, ..." */
};

static const char sizes_forms[] =
    "a size in bytes, such as 8 or 64kb, a list, such as 8,64,1kb, or a range, such as 8:1mb";
static const char pes_forms[] =
    "a number of PEs, such as 2, a list, such as 2,4,8, or a range, such as 2:64";
static const char whole_forms[] =
    "a whole number, such as 8 or 1kb, a list, such as 8,64,1kb, or a range, such as 8:1mb";

/* ---- Numbers ---- */

/* One word that begins like a number: 8, -8, 8.5, 64k, 1e6. */
static bool looks_like_number(const char *text)
{
    const char *digits = text + strspn(text, "+-");
    if (!isdigit((unsigned char)*digits) && *digits != '.')
        return false;
    for (; *digits; digits++)
        if (!isalnum((unsigned char)*digits) && *digits != '.' && *digits != '_')
            return false;
    return true;
}

static bool is_name(const char *text)
{
    bool name = isalpha((unsigned char)*text) || *text == '_';
    for (; *text && name; text++)
        name = isalnum((unsigned char)*text) || *text == '_';
    return name;
}

static bool read_number(const char *text, int64_t *number)
{
    bool minus = *text == '-';
    if (!lexer_integer(text + (minus || *text == '+'), number))
        return false;
    *number = minus ? -*number : *number;
    return true;
}

/* "64k": the unit is there, without its last letter or in other letters; NULL: it is not. */
static const char *unit_meant(const char *text)
{
    static const char *const units[] = {"kb", "mb", "gb"};
    const char *unit = text + strspn(text, "0123456789");
    for (size_t i = 0; unit > text && i < sizeof units / sizeof *units; i++)
        if (tolower((unsigned char)*unit) == *units[i] && strlen(unit) <= 3)
            return units[i];
    return NULL;
}

static char *wrong_number(const char *text, const struct requirement *wanted)
{
    int64_t number;
    const char *unit = unit_meant(text);

    if (!read_number(text, &number)) {
        if (unit)
            return text_format("%s has no unit that skampi knows: write %.*s%s; give %s", text,
                               (int)strspn(text, "0123456789"), text, unit, wanted->forms);
        return text_format("%s is no whole number: give %s", text, wanted->forms);
    }
    if (number < wanted->minimum)
        return text_format("%s is too small: give at least %lld", text, (long long)wanted->minimum);
    if (wanted->maximum && number > wanted->maximum)
        return text_format("%s is too large: give at most %lld", text, (long long)wanted->maximum);
    return NULL;
}

/* ---- Expressions ---- */

/* NULL, or what is wrong with the expression: the first message of the checker, after what it is
 * about. */
static char *wrong_expression(const char *text, const char *about)
{
    static const char mark[] = "error: ";
    char *script = text_format("value = %s\n", text), *wrong = NULL;
    struct source *source = source_from_text("value", script, strlen(script));
    struct diag *diag = diag_create(source);
    struct tree *tree = parse_script(source, diag);

    if (diag_count(diag) == 0)
        tree_check(tree, diag);
    if (diag_count(diag) > 0) {
        char *messages = diag_text(diag), *begin = strstr(messages, mark);
        begin = begin ? begin + sizeof mark - 1 : messages;
        wrong = text_format("%s: %.*s", about, (int)strcspn(begin, "\n"), begin);
        free(messages);
    }
    tree_release(tree);
    diag_release(diag);
    source_release(source);
    free(script);
    return wrong;
}

/* ---- One value ---- */

static char *wrong_text(const char *text)
{
    size_t length = strlen(text);
    bool quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    const char *quote = strchr(text + quoted, '"');
    if (quote && quote != text + length - 1)
        return text_format("a text cannot contain quotation marks");
    return NULL;
}

static char *wrong_value(const char *text, const struct requirement *wanted)
{
    bool whole = wanted->type <= PARAMETER_RANK;

    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return text_format("a value cannot contain line breaks or tabs");
    if (wanted->type == PARAMETER_STRING)
        return wrong_text(text);
    if (whole && looks_like_number(text))
        return wrong_number(text, wanted);
    if (whole && is_name(text) && !constant_find(text))
        return text_format("%s is no number: give %s", text, wanted->forms);
    return wrong_expression(text, text);
}

/* ---- Ranges ---- */

static bool number_of(const char *text, struct value *value)
{
    int64_t number;
    char *end;
    double real = strtod(text, &end);

    if (read_number(text, &number))
        *value = value_int(number);
    else if (end > text && !*end)
        *value = value_real(real);
    else
        return false;
    return true;
}

/* As far as its numbers show it: it has no values, or no end. */
static char *wrong_range(const struct command_values *values, const struct requirement *wanted)
{
    const char *step = values->count == 3 ? values->parts[2] : wanted->doubling ? "*2" : "+1";
    struct loop loop = {.multiplicative = *step == '*'};
    struct value first;
    const char *error;

    if (!number_of(values->parts[0], &loop.start) || !number_of(values->parts[1], &loop.end) ||
        !number_of(step + (*step != '-'), &loop.step))
        return NULL;
    error = loop_begin(&loop);
    if (error)
        return memory_text(error);
    if (loop_next(&loop, &first, &error) || error)
        return NULL;
    return text_format("this range has no values, since its step leads away from its end: give "
                       "%s:%s%s%s",
                       values->parts[1], values->parts[0], values->count == 3 ? ":" : "",
                       values->count == 3 ? step : "");
}

/* ---- All values ---- */

static char *wrong_values(const struct assignment *given, const struct requirement *wanted)
{
    const struct command_values *values = &given->values;
    bool range = values->kind == COMMAND_RANGE;
    char *wrong = NULL, *said;

    for (int i = 0; !wrong && i < values->count && !(range && i == 2); i++)
        wrong = wrong_value(values->parts[i], wanted);
    if (range && !wrong && values->count == 3) {
        char *step = text_format("the step %s", values->parts[2]);
        wrong = wrong_expression(values->parts[2] + 1, step);
        free(step);
    }
    if (range && !wrong)
        wrong = wrong_range(values, wanted);
    said = wrong ? text_format("%s: %s", given->typed, wrong) : NULL;
    free(wrong);
    return said;
}

static char *wrong_given(const struct command *command, const struct assignment *given)
{
    char *wrong = NULL;

    for (size_t i = 0; !wrong && i < command->function_count; i++) {
        const struct measurement *function = command->functions[i];
        for (size_t k = 0; !wrong && k < measurement_parameter_count(function); k++) {
            const struct parameter *parameter = &function->parameters[k];
            struct requirement wanted = {parameter->type, parameter->minimum, parameter->maximum,
                                         parameter->size, whole_forms};
            if (command_given(command, parameter) == given)
                wrong = wrong_values(given, &wanted);
        }
    }
    return wrong;
}

/* NULL, or what is wrong with the first value that is, in the words of who typed them; the caller
 * frees it. */
static char *wrong_command(const struct command *command)
{
    static const struct requirement size = {PARAMETER_INT, 0, 0, true, sizes_forms};
    static const struct requirement pes = {PARAMETER_INT, 1, 0, true, pes_forms};
    char *wrong = wrong_values(&command->sizes, &size);

    if (!wrong)
        wrong = wrong_values(&command->pes, &pes);
    for (size_t i = 0; !wrong && i < command->given_count; i++)
        wrong = wrong_given(command, &command->givens[i]);
    return wrong;
}

/* ---- Text ---- */

static void append_value(struct text *text, const struct command *command,
                         const struct parameter *parameter)
{
    const struct assignment *given = command_given(command, parameter);
    bool loop = given && command_loops(given);
    const char *value = loop                   ? given->name
                        : given                ? given->values.parts[0]
                        : parameter->otherwise ? parameter->otherwise
                                               : parameter->example;
    const char *quote = parameter->type == PARAMETER_STRING && !loop && *value != '"' ? "\"" : "";

    text_append(text, "%s%s%s", quote, value, quote);
}

/* An expression for the bytes of an element; NULL: a byte. The caller frees it. */
static char *element_of(const struct command *command, const struct measurement *function,
                        const struct parameter *size)
{
    struct text text = {0};

    if (!size->element)
        return NULL;
    const struct parameter *stated = measurement_parameter(function, size->element);
    bool bytes = stated && stated->type == PARAMETER_INT;

    text_append(&text, "%s", bytes ? "" : "mpi_type_size(");
    if (stated)
        append_value(&text, command, stated);
    else
        text_append(&text, "%s", size->element);
    text_append(&text, "%s", bytes ? "" : ")");
    return text_take(&text);
}

/* The first parameter that says how many data there are; NULL: none does. */
static const struct parameter *size_of(const struct measurement *function)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].size)
            return &function->parameters[i];
    return NULL;
}

/* What --sizes counts is called like the parameter, unless that counts something else. */
static const char *size_variable(const struct measurement *function)
{
    const struct parameter *size = size_of(function);
    return strcmp(size->unit, "bytes") == 0 ? size->name : "bytes";
}

static void append_argument(struct text *text, const struct command *command,
                            const struct measurement *function, const struct parameter *parameter)
{
    char *element;

    if (command->sizes.values.count == 0 || !parameter->size) {
        append_value(text, command, parameter);
        return;
    }
    element = element_of(command, function, parameter);
    text_append(text, "%s%s%s", size_variable(function), element ? " / " : "",
                element ? element : "");
    free(element);
}

static void append_set(struct text *text, const struct command *command,
                       const struct measurement *function)
{
    bool some = command->pes.values.count > 0;
    bool loop = some && command_loops(&command->pes);
    const char *number = loop ? "pes" : some ? command->pes.values.parts[0] : "get_np()";
    char *set = some ? text_format("comm(%s)", number) : memory_text("MPI_COMM_WORLD");

    if (function->neighborhood)
        text_append(text, "topology_cartesian(%s, {%s}, {1}, 0)", set, number);
    else
        text_append(text, "%s", set);
    free(set);
}

/* The first line of one more loop. */
static void open_loop(struct text *text, int *depth, const char *name,
                      const struct assignment *given, bool doubling, bool quoted,
                      const char *multiple)
{
    text_append(text, "%*s", 2 * (*depth)++, "");
    command_values_loop(text, name, &given->values, doubling, quoted, multiple);
    text_append(text, "\n");
}

/* The first parameter that it sets; NULL: none. */
static const struct parameter *set_by(const struct command *command,
                                      const struct measurement *function,
                                      const struct assignment *given)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (command_given(command, &function->parameters[i]) == given)
            return &function->parameters[i];
    return NULL;
}

/* Returns how deep the measurement is in loops and the block. */
static int open_loops(struct text *text, const struct command *command,
                      const struct measurement *function)
{
    int depth = 1;

    if (command->pes.values.count > 0 && command_loops(&command->pes))
        open_loop(text, &depth, "pes", &command->pes, true, false, NULL);
    for (size_t i = 0; i < command->given_count; i++) {
        const struct assignment *given = &command->givens[i];
        const struct parameter *parameter = set_by(command, function, given);
        if (parameter && command_loops(given))
            open_loop(text, &depth, given->name, given, parameter->size,
                      parameter->type == PARAMETER_STRING, NULL);
    }
    if (command->sizes.values.count > 0 && size_of(function)) {
        char *element = element_of(command, function, size_of(function));
        open_loop(text, &depth, size_variable(function), &command->sizes, true, false, element);
        free(element);
    }
    return depth;
}

static void append_comments(struct text *text, const struct measurement *function)
{
    text_append(text, "%s# %s\n", text->length ? "\n" : "", function->summary);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        text_append(text, "#   %s: %s%s%s%s\n", parameter->name, parameter->meaning,
                    *parameter->unit ? " [" : "", parameter->unit, *parameter->unit ? "]" : "");
    }
}

static void append_block(struct text *text, const struct command *command,
                         const struct measurement *function)
{
    append_comments(text, function);
    text_append(text, "begin measurement \"%s\"\n", function->name);
    int depth = open_loops(text, command, function);
    text_append(text, "%*smeasure ", 2 * depth, "");
    append_set(text, command, function);
    text_append(text, " : %s(", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        text_append(text, "%s", i ? ", " : "");
        append_argument(text, command, function, &function->parameters[i]);
    }
    text_append(text, ")\n");
    while (--depth > 0)
        text_append(text, "%*sod\n", 2 * depth, "");
    text_append(text, "end measurement\n");
}

char *command_script(const struct command_words *words, char **error)
{
    struct command command;
    struct text text = {0};

    command_read(&command, words);
    *error = command.error ? command.error : wrong_command(&command);
    command.error = NULL;
    if (!*error) {
        if (words->precision > 0)
            text_append(&text,
                        "# each point until it is within %g %%, at most %g s\n"
                        "set_precision(%g, %g)\n",
                        100 * words->precision, words->point_time, words->precision,
                        words->point_time);
        for (size_t i = 0; i < command.function_count; i++)
            append_block(&text, &command, command.functions[i]);
    }
    command_release(&command);
    return *error ? NULL : text_take(&text);
}
