/*
 * Prints the functions of the script language as tables for docs/language.md, one table per family,
 * each after a line with its name. test_tables.py compiles and runs it.
 */
#include <stdio.h>
#include <string.h>

#include "ski/builtin_family.h"

static const struct {
    const char *name;
    const struct builtin *functions;
} families[] = {{"settings", builtins_settings},
                {"sets", builtins_sets},
                {"values", builtins_values},
                {"mpi", builtins_mpi}};

static const char *type_name(char letter)
{
    switch ((enum value_type)letter) {
    case TYPE_INT:
        return "int";
    case TYPE_REAL:
        return "double";
    case TYPE_STRING:
        return "string";
    case TYPE_COMM:
        return "comm";
    case TYPE_INT_ARRAY:
        return "int[]";
    case TYPE_DATATYPE:
        return "datatype";
    case TYPE_DATATYPE_ARRAY:
        return "datatype[]";
    case TYPE_OPERATION:
        return "op";
    case TYPE_INFO:
        return "info";
    case TYPE_VOID:
        break;
    }
    return "";
}

/* help is "(names of parameters) text"; returns the text. */
static const char *print_signature(const struct builtin *function)
{
    const char *letter = function->parameters, *name = function->help + 1;
    int optional = 0;
    printf("`%s(", function->name);
    while (*name != ')' && *letter) {
        if (*letter == '?') {
            optional++;
            letter++;
        }
        size_t length = strcspn(name, ",)");
        const char *type = type_name(*letter++); /* none: any number more of the last one */
        printf("%s%s%.*s", type, *type ? " " : "", (int)length, name);
        name += length;
        if (*name == ',') {
            name += 1 + strspn(name + 1, " ");
            printf("%s, ", *letter == '?' ? "[" : "");
        }
    }
    printf("%s)`", optional ? "]" : "");
    return name + strspn(name, ") ");
}

static void print_table(const struct builtin *functions, bool results)
{
    printf("| function |%s meaning |\n|---|%s---|\n", results ? " result |" : "",
           results ? "---|" : "");
    for (const struct builtin *b = functions; b->name; b++) {
        printf("| ");
        const char *text = print_signature(b);
        if (results)
            printf(" | %s", type_name((char)b->result));
        printf(" | %s%s |\n", b->collective ? "*Collective.* " : "", text);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        printf("%s\n", families[i].name);
        print_table(families[i].functions, families[i].functions != builtins_settings);
    }
    return 0;
}
