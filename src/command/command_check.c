/*
 * Checks values of the command line before they become a script: numbers, texts, expressions, and
 * whether ranges have values.
 */
#include "command/command_check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ski/builtins.h"
#include "ski/check.h"
#include "ski/lexer.h"
#include "ski/loop.h"
#include "ski/parser.h"

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

/* The text of the first of the messages, without its place. */
static char *first_message(const char *messages)
{
    static const char mark[] = "error: ";
    const char *begin = strstr(messages, mark);
    begin = begin ? begin + sizeof mark - 1 : messages;
    return text_format("%.*s", (int)strcspn(begin, "\n"), begin);
}

static char *wrong_expression(const char *text)
{
    char *script = text_format("value = %s\n", text), *wrong = NULL;
    struct source *source = source_from_text("value", script, strlen(script));
    struct diag *diag = diag_create(source);
    struct tree *tree = parse_script(source, diag);

    if (diag_count(diag) == 0)
        tree_check(tree, diag);
    if (diag_count(diag) > 0) {
        char *messages = diag_text(diag);
        wrong = first_message(messages);
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
    char *wrong = wrong_expression(text);
    char *said = wrong ? text_format("%s: %s", text, wrong) : NULL;
    free(wrong);
    return said;
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

static char *wrong_step(const char *step)
{
    char *wrong = wrong_expression(step + 1);
    char *said = wrong ? text_format("the step %s: %s", step, wrong) : NULL;
    free(wrong);
    return said;
}

/* ---- All ---- */

static char *wrong_values(const struct assignment *given, const struct requirement *wanted)
{
    const struct command_values *values = &given->values;
    bool range = values->kind == COMMAND_RANGE;
    char *wrong = NULL, *said;

    for (int i = 0; !wrong && i < values->count; i++)
        wrong =
            range && i == 2 ? wrong_step(values->parts[i]) : wrong_value(values->parts[i], wanted);
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

char *command_check(const struct command *command)
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
