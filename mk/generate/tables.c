/*
 * Prints what mk/docs needs beside `skampi --list -f json`: the families of measurement functions,
 * defects that are known of any library, and the functions of the script language. One JSON object
 * a line; "kind" says which.
 *
 * Nothing here depends on the library or the machine, so that the documents do not either.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "engine/measurement.h"
#include "engine/start.h"
#include "ski/builtins.h"

/* ---- Measurement functions ---- */

/* Version 0 of a library has every defect that is known of any version. */
static void print_defects(const struct measurement *function)
{
    static const char *const libraries[] = {"Open MPI 0", "MPICH 0"};
    static const enum defect_kind kinds[] = {DEFECT_CRASHES, DEFECT_WRONG_VALUES};
    static const char *const names[] = {"crashes", "wrong_values"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++) {
            const char *defect = defect_of(kinds[k], function->name, libraries[l]);
            if (defect)
                json_print(stdout, ", %s: %s", names[k], defect);
        }
}

/* ---- Functions of the language ---- */

/* help is "(names of parameters) text"; returns the text. */
static const char *print_signature(const struct builtin *function)
{
    const struct signature *parameters = &function->parameters;
    size_t i = 0, count = signature_count(parameters), required = count - parameters->optional;
    const char *name = function->help + 1;
    printf(", \"signature\": \"%s(", function->name);
    for (; *name != ')' && i < count + parameters->more; i++) {
        size_t length = strcspn(name, ",)");
        const char *type = i < count ? value_type_word(parameters->types[i]) : "";
        printf("%s%s%.*s", type, *type ? " " : "", (int)length, name);
        name += length;
        if (*name == ',') {
            name += 1 + strspn(name + 1, " ");
            printf("%s, ", parameters->optional > 0 && i + 1 == required ? "[" : "");
        }
    }
    printf("%s)\"", parameters->optional > 0 ? "]" : "");
    return name + strspn(name, ") ");
}

static void print_builtins(const char *family, const struct builtin *functions)
{
    for (const struct builtin *b = functions; b->name; b++) {
        json_print(stdout, "{'kind': 'builtin', 'family': %s, 'name': %s", family, b->name);
        const char *meaning = print_signature(b);
        printf(", \"collective\": %s", b->collective ? "true" : "false");
        json_print(stdout, ", 'result': %s, 'meaning': %s}\n", value_type_word(b->result), meaning);
    }
}

int main(void)
{
    const struct measurement *function;
    for (size_t i = 0; (function = measurement_at(i)); i++) {
        json_print(stdout, "{'kind': 'measurement', 'name': %s, 'family': %s", function->name,
                   measurement_family(function));
        print_defects(function);
        printf("}\n");
    }
    print_builtins("values", builtins_values);
    print_builtins("sets", builtins_sets);
    print_builtins("mpi", builtins_mpi);
    print_builtins("io", builtins_io);
    print_builtins("settings", builtins_settings());
    return 0;
}
