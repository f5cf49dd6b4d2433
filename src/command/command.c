/*
 * Reads the words of a command line: which functions, and which of their parameters are given;
 * splits values at commas and colons, and writes them as loops.
 */
#include "command/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/kind.h"
#include "base/memory.h"
#include "base/text.h"
#include "command/tools.h"
#include "ski/function_names.h"

/* ---- Values ---- */

/* The next comma or colon outside parentheses and strings, or the end of the text. */
static const char *next_separator(const char *text, bool plain)
{
    int depth = 0;
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
        if (depth == 0 && (*text == ',' || (*text == ':' && !plain)))
            break;
    }
    return text;
}

static char *trimmed(const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (begin < end && isspace((unsigned char)end[-1]))
        end--;
    return memory_text_part(begin, (size_t)(end - begin));
}

/* NULL, or what is wrong. */
static char *wrong_parts(const struct command_values *values, bool commas, bool colons)
{
    if (commas && colons)
        return text_format("give a list, such as 8,64,1kb, or a range, such as 8:1mb, not both");
    for (int i = 0; i < values->count; i++)
        if (!*values->parts[i])
            return text_format("a value is missing: give one, such as 8, a list, such as "
                               "8,64,1kb, or a range, such as 8:1mb");
    if (colons && values->count > 3)
        return text_format("a range has a start, an end and a step, such as 8:1mb:*4");
    if (colons && values->count == 3 && !strchr("*+-", values->parts[2][0]))
        return text_format("write the step of a range as a factor or a difference: *%s or +%s",
                           values->parts[2], values->parts[2]);
    return NULL;
}

static void release_values(struct command_values *values)
{
    for (int i = 0; i < values->count; i++)
        free(values->parts[i]);
    free(values->parts);
    *values = (struct command_values){.kind = COMMAND_VALUE};
}

/* False with *error (allocated): what is wrong with the text, without saying whose value it is.
 * plain: colons have no meaning. */
static bool parse_values(const char *text, bool plain, struct command_values *values, char **error)
{
    bool commas = false, colons = false;
    const char *end;

    *values = (struct command_values){.kind = COMMAND_VALUE};
    for (;; text = end + 1) {
        end = next_separator(text, plain);
        memory_append(values->parts, values->count, trimmed(text, end));
        commas |= *end == ',';
        colons |= *end == ':';
        if (!*end)
            break;
    }
    values->kind = colons ? COMMAND_RANGE : commas ? COMMAND_LIST : COMMAND_VALUE;
    *error = wrong_parts(values, commas, colons);
    if (*error)
        release_values(values);
    return !*error;
}

void command_values_loop(struct text *text, const char *name, const struct command_values *values,
                         bool doubling, bool quoted, const char *multiple)
{
    const char *quote = quoted ? "\"" : "";
    const char *step = values->count == 3 ? values->parts[2] : doubling ? "*2" : "+1";

    if (values->kind == COMMAND_RANGE) {
        text_append(text, "for %s = %s to %s step %s%s%s do", name, values->parts[0],
                    values->parts[1], step + (*step == '+'), multiple ? " multipleof " : "",
                    multiple ? multiple : "");
        return;
    }
    text_append(text, "for %s in [", name);
    for (int i = 0; i < values->count; i++)
        text_append(text, "%s%s%s%s", i ? ", " : "", quote, values->parts[i], quote);
    text_append(text, "] do");
}

/* ---- Functions ---- */

static void __attribute__((format(printf, 2, 3)))
fail(struct command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!command->error)
        command->error = text_format_with(format, arguments);
    va_end(arguments);
}

static void add_function(struct command *command, const struct measurement *function)
{
    for (size_t i = 0; i < command->function_count; i++)
        if (command->functions[i] == function)
            return;
    memory_append(command->functions, command->function_count, function);
}

/* Adds the functions that can be measured here: a pattern never means the others. */
static void add_matching(struct command *command, const char *pattern)
{
    const struct measurement *function;
    const char *reason = NULL;
    bool found = false;

    for (size_t i = 0; (function = measurement_at(i)); i++) {
        if (!function_fits_pattern(function, pattern))
            continue;
        if (measurement_unsupported(function)) {
            reason = measurement_unsupported(function);
            continue;
        }
        add_function(command, function);
        found = true;
    }
    if (!found && reason)
        fail(command, "what %s matches cannot be measured here: %s", pattern, reason);
    else if (!found)
        fail(command, "no measurement function matches %s; skampi --list shows them", pattern);
}

static void fail_unknown(struct command *command, const char *word)
{
    size_t length = strlen(word);
    char *suggestion = function_suggestion(word);
    bool certain;
    const char *tool = tools_closest(word, &certain);
    char *misfit = kind_misfit(word, "");

    if (misfit && !certain)
        fail(command, "%s is no measurement function; %s", word, misfit);
    else if (tool && (!*suggestion || certain))
        fail(command,
             "unknown measurement function %s: did you mean the tool skampi %s? It is the first "
             "word",
             word, tool);
    else if (length > 4 && strcmp(word + length - 4, ".ski") == 0)
        fail(command, "%s is no measurement function; if it is a script: -i %s", word, word);
    else
        fail(command, "unknown measurement function %s%s", word,
             *suggestion
                 ? suggestion
                 : "; skampi --list shows them, -i names a script, and skampi help lists tools");
    free(suggestion);
    free(misfit);
}

static void add_word(struct command *command, const char *word)
{
    const struct measurement *function = function_meant(word);

    if (function) {
        add_function(command, function);
    } else if (function_is_folded(word)) {
        size_t count;
        char **names = function_unfold(word, &count);
        for (size_t i = 0; i < count; i++) {
            add_word(command, names[i]);
            free(names[i]);
        }
        free(names);
    } else if (function_is_pattern(word)) {
        add_matching(command, word);
    } else {
        fail_unknown(command, word);
    }
}

/* ---- Parameters ---- */

static void add_given(struct command *command, const char *typed, const char *name, size_t length,
                      const char *value)
{
    struct assignment added = {
        .name = memory_text_part(name, length), .typed = memory_text(typed), .text = value};
    memory_append(command->givens, command->given_count, added);
    const struct assignment *given = &command->givens[command->given_count - 1];
    if (length == 0)
        fail(command, "%s: the name of the parameter is missing: give NAME=VALUE, such as count=8",
             typed);
    for (size_t i = 0; i + 1 < command->given_count; i++)
        if (strcmp(command->givens[i].name, given->name) == 0)
            fail(command, "%s: %s is given twice; give a list, such as %s=8,64", typed, given->name,
                 given->name);
}

bool command_loops(const struct assignment *given)
{
    return given->values.kind != COMMAND_VALUE;
}

struct assignment *command_given(const struct command *command, const struct parameter *parameter)
{
    const char *const names[] = {parameter->name, parameter->also};
    for (size_t k = 0; k < 2 && names[k]; k++)
        for (size_t i = 0; i < command->given_count; i++)
            if (strcmp(command->givens[i].name, names[k]) == 0)
                return &command->givens[i];
    return NULL;
}

/* A colon is part of a text. */
static bool is_text(const struct command *command, const struct assignment *given)
{
    for (size_t i = 0; i < command->function_count; i++) {
        const struct measurement *function = command->functions[i];
        for (size_t k = 0; k < measurement_parameter_count(function); k++)
            if (function->parameters[k].type == PARAMETER_STRING &&
                command_given(command, &function->parameters[k]) == given)
                return true;
    }
    return false;
}

static void read_values(struct command *command, struct assignment *given)
{
    char *wrong = NULL;

    if (!parse_values(given->text, is_text(command, given), &given->values, &wrong))
        fail(command, "%s: %s", given->typed, wrong);
    free(wrong);
}

static void note_uses(struct command *command, const struct measurement *function)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        struct assignment *given = command_given(command, parameter);
        bool sized = command->sizes.values.count > 0 && parameter->size;
        if (given)
            given->used = true;
        if (sized)
            command->sizes.used = true;
        if (given && sized)
            fail(command, "%s and %s both set %s of %s: give one of them", command->sizes.typed,
                 given->typed, parameter->name, function->name);
    }
}

static void fail_unused(struct command *command, const struct assignment *given)
{
    const struct measurement *function = command->functions[0];
    const char *names[MEASUREMENT_MAX_PARAMETERS];
    size_t count = measurement_parameter_count(function);
    struct text list = {0};

    for (size_t i = 0; i < count; i++) {
        names[i] = function->parameters[i].name;
        text_append(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *closest = closest_name(given->name, names, count);
    fail(command, "%s: %s has no parameter %s%s%s%s; it has %s", given->typed, function->name,
         given->name, closest ? ": did you mean " : "", closest ? closest : "", closest ? "?" : "",
         count > 0 ? list.data : "none");
    text_release(&list);
}

static void check_uses(struct command *command)
{
    for (size_t i = 0; i < command->function_count; i++)
        note_uses(command, command->functions[i]);
    for (size_t i = 0; i < command->given_count; i++)
        if (!command->givens[i].used)
            fail_unused(command, &command->givens[i]);
    if (command->sizes.values.count > 0 && !command->sizes.used)
        fail(command, "%s: no parameter of %s is a size", command->sizes.typed,
             command->functions[0]->name);
}

/* ---- All ---- */

static void read_option(struct command *command, struct assignment *given, const char *option,
                        const char *text)
{
    if (!text)
        return;
    given->typed = text_format("%s %s", option, text);
    given->text = text;
    read_values(command, given);
}

void command_read(struct command *command, const struct command_words *words)
{
    /* Functions that time one operation do what 0 asks for. */
    bool iterations = words->iterations && strcmp(words->iterations, "0") != 0;

    *command = (struct command){0};
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->words[i], *equals = strchr(word, '=');
        if (equals)
            add_given(command, word, word, (size_t)(equals - word), equals + 1);
        else
            add_word(command, word);
    }
    for (size_t i = 0; words->iterations && i < command->function_count; i++)
        iterations |= measurement_parameter(command->functions[i], "iterations") != NULL;
    if (iterations) {
        char *typed = text_format("--iterations %s", words->iterations);
        add_given(command, typed, "iterations", strlen("iterations"), words->iterations);
        free(typed);
    }
    for (size_t i = 0; i < command->given_count; i++)
        read_values(command, &command->givens[i]);
    read_option(command, &command->sizes, "--sizes", words->sizes);
    read_option(command, &command->pes, "--pes", words->pes);
    if (command->function_count == 0)
        fail(command, "no measurement function: name one, such as Shmem_Put_Round, or a script "
                      "with -i FILE");
    if (!command->error)
        check_uses(command);
}

void command_release(struct command *command)
{
    for (size_t i = 0; i < command->given_count; i++) {
        release_values(&command->givens[i].values);
        free(command->givens[i].name);
        free(command->givens[i].typed);
    }
    free(command->sizes.typed);
    free(command->pes.typed);
    release_values(&command->sizes.values);
    release_values(&command->pes.values);
    free(command->givens);
    free(command->functions);
    free(command->error);
}
