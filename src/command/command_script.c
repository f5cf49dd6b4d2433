/*
 * Writes a script for the functions and parameters of a command line.
 */
#include "command/command_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/command_check.h"

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
    bool sided = size->name[1] == '_';
    char *name = text_format("%.*sdatatype", sided ? 2 : 0, size->name);
    const struct parameter *type = measurement_parameter(function, name);
    const struct parameter *bytes = measurement_parameter(function, "element_bytes");
    struct text text = {0};

    free(name);
    if (strcmp(size->unit, "ints") == 0 || strcmp(size->unit, "doubles") == 0) {
        text_append(&text, "mpi_type_size(%s)", *size->unit == 'i' ? "MPI_INT" : "MPI_DOUBLE");
    } else if (strcmp(size->unit, "elements") == 0 && type) {
        text_append(&text, "mpi_type_size(");
        append_value(&text, command, type);
        text_append(&text, ")");
    } else if (strcmp(size->unit, "elements") == 0 && bytes) {
        append_value(&text, command, bytes);
    }
    return text.length > 0 ? text_take(&text) : NULL;
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

struct nest {
    struct text *text;
    int depth;
};

static void begin_line(const struct nest *nest)
{
    text_append(nest->text, "%*s", 2 * nest->depth, "");
}

static void open_loop(struct nest *nest, const char *name, const struct assignment *given,
                      bool doubling, bool quoted, const char *multiple)
{
    begin_line(nest);
    command_values_loop(nest->text, name, &given->values, doubling, quoted, multiple);
    text_append(nest->text, "\n");
    nest->depth++;
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

static void open_loops(struct nest *nest, const struct command *command,
                       const struct measurement *function)
{
    if (command->pes.values.count > 0 && command_loops(&command->pes))
        open_loop(nest, "pes", &command->pes, true, false, NULL);
    for (size_t i = 0; i < command->given_count; i++) {
        const struct assignment *given = &command->givens[i];
        const struct parameter *parameter = set_by(command, function, given);
        if (parameter && command_loops(given))
            open_loop(nest, given->name, given, parameter->size,
                      parameter->type == PARAMETER_STRING, NULL);
    }
    if (command->sizes.values.count > 0 && size_of(function)) {
        char *element = element_of(command, function, size_of(function));
        open_loop(nest, size_variable(function), &command->sizes, true, false, element);
        free(element);
    }
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
    struct nest nest = {text, 1};

    append_comments(text, function);
    text_append(text, "begin measurement \"%s\"\n", function->name);
    open_loops(&nest, command, function);
    begin_line(&nest);
    text_append(text, "measure ");
    append_set(text, command, function);
    text_append(text, " : %s(", function->name);
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        text_append(text, "%s", i ? ", " : "");
        append_argument(text, command, function, &function->parameters[i]);
    }
    text_append(text, ")\n");
    while (nest.depth > 1) {
        nest.depth--;
        begin_line(&nest);
        text_append(text, "od\n");
    }
    text_append(text, "end measurement\n");
}

static void append_precision(struct text *text, const struct command_words *words)
{
    if (words->precision > 0)
        text_append(text,
                    "# each point until it is within %g %%, at most %g s\nset_precision(%g, %g)\n",
                    100 * words->precision, words->point_time, words->precision, words->point_time);
}

char *command_script(const struct command_words *words, char **error)
{
    struct command command;
    struct text text = {0};

    command_read(&command, words);
    *error = command.error ? command.error : command_check(&command);
    command.error = NULL;
    if (!*error) {
        append_precision(&text, words);
        for (size_t i = 0; i < command.function_count; i++)
            append_block(&text, &command, command.functions[i]);
    }
    command_release(&command);
    return *error ? NULL : text_take(&text);
}
