/* Help, manual page and bash completion of a program, all made from one table of its options. */
#define _GNU_SOURCE /* getopt_long */
#include "base/manual.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define SPELLED 80

/* The dashes that its name leaves out. */
static const char *dashes(const struct manual_option *option)
{
    return option->name[0] == '-' ? "" : "--";
}

/* ---- Help ---- */

/* "-i, --input FILE"; without a letter its place stays empty. */
static int spell(const struct manual_option *option, char spelled[SPELLED])
{
    char letter[8] = "    ";
    const char *value = option->value ? option->value : "";
    const char *open = option->optional ? "[=" : option->value ? " " : "";

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    else if (option->name[0] == '-')
        letter[0] = '\0';
    return snprintf(spelled, SPELLED, "%s%s%s%s%s%s", letter, dashes(option), option->name, open,
                    value, option->optional ? "]" : "");
}

void manual_help(const struct manual_option *options, size_t count)
{
    char spelled[SPELLED];
    int width = 0;

    for (size_t i = 0; i < count; i++) {
        int length = spell(&options[i], spelled);

        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; i++) {
        spell(&options[i], spelled);
        printf("  %-*s  %s\n", width, spelled, options[i].help);
    }
}

/* ---- Manual page ---- */

/* Hyphens would become typographical ones, dots and quotes that begin a line requests. */
static void print_troff(const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            fputs("\\&", stdout);
        if (*c == '-' || *c == '\\')
            fputs(*c == '-' ? "\\-" : "\\e", stdout);
        else
            putchar(*c);
    }
}

static void print_request(const char *request, const char *text)
{
    printf(".%s ", request);
    print_troff(text);
    putchar('\n');
}

void manual_page(const char *program, const char *version, const char *purpose)
{
    fputs(".TH ", stdout);
    for (const char *c = program; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"skampi %s\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n%s \\- ", version,
           program);
    manual_text(purpose);
    manual_section("SYNOPSIS");
}

void manual_synopsis(const char *command, const char *rest)
{
    print_request("B", command);
    if (rest)
        manual_text(rest);
    puts(".br");
}

void manual_section(const char *title)
{
    print_request("SH", title);
}

void manual_subsection(const char *title)
{
    print_request("SS", title);
}

void manual_text(const char *text)
{
    print_troff(text);
    putchar('\n');
}

void manual_example(const char *lines)
{
    puts(".nf");
    manual_text(lines);
    puts(".fi");
}

void manual_item(const char *head, const char *text)
{
    puts(".TP");
    print_request("B", head);
    manual_text(text);
}

void manual_items(const struct manual_option *options, size_t count)
{
    for (const struct manual_option *option = options; option < options + count; option++) {
        fputs(".TP\n.B ", stdout);
        if (option->letter)
            printf("\\-%c, ", option->letter);
        print_troff(dashes(option));
        print_troff(option->name);
        if (option->value) {
            fputs(option->optional ? "\\fR[=\\fI" : " \\fI", stdout);
            print_troff(option->value);
            fputs(option->optional ? "\\fR]" : "\\fR", stdout);
        }
        putchar('\n');
        manual_text(option->help);
        if (option->note)
            manual_text(option->note);
    }
}

void manual_paragraph(const char *text)
{
    puts(".PP");
    manual_text(text);
}

/* ---- Completion ---- */

static void print_words(const struct manual_option *options, size_t count)
{
    fputs("words=\"", stdout);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s%s", i ? " " : "", dashes(&options[i]), options[i].name);
        if (options[i].letter)
            printf(" -%c", options[i].letter);
    }
    puts("\"");
}

/* What may follow the options that take one of a few words. */
static void print_values(const struct manual_option *options, size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (!options[i].words)
            continue;
        if (!any)
            puts("    case $3 in");
        any = true;
        printf("    %s%s)\n        mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$2\")\n"
               "        return\n        ;;\n",
               dashes(&options[i]), options[i].name, options[i].words);
    }
    if (any)
        puts("    esac");
}

static void print_commands(const struct manual_command *commands, size_t count)
{
    puts("    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < count; i++) {
        printf("    %s)\n        ", commands[i].name);
        print_words(commands[i].options, commands[i].count);
        puts("        ;;");
    }
    fputs("    esac\n    [[ $COMP_CWORD -gt 1 || $2 == -* ]] || words=\"", stdout);
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? " " : "", commands[i].name);
    puts("\"");
}

void manual_completion(const char *program, const struct manual_option *options, size_t count,
                       const struct manual_command *commands, size_t command_count)
{
    printf("# bash completion for %s\n_%s()\n{\n", program, program);
    print_values(options, count);
    fputs("    local ", stdout);
    print_words(options, count);
    if (command_count > 0)
        print_commands(commands, command_count);
    printf("    [[ $2 == -*%s ]] || words=\n", command_count > 0 ? " || $COMP_CWORD -eq 1" : "");
    printf("    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\" || :; [[ $2 == -* ]] || "
           "compgen "
           "-f -- \"$2\")\n}\ncomplete -o filenames -F _%s %s\n",
           program, program);
}

/* ---- Command lines ---- */

#define LONG_KEYS                                                                                  \
    256 /* getopt_long() returns this plus the number of the row: beyond all letters */

static size_t row_of(const struct manual_option *rows, size_t count, int key)
{
    if (key >= LONG_KEYS)
        return (size_t)(key - LONG_KEYS);
    for (size_t i = 0; i < count; i++)
        if (key && rows[i].letter == key)
            return i;
    return count;
}

static char *unknown(const struct manual_option *rows, size_t count, const char *option,
                     const char *help)
{
    const char **names = memory_zeroed(count + 1, sizeof *names);
    const char *begin = option + strspn(option, "-");
    char *name = text_format("%.*s", (int)strcspn(begin, "="), begin);
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i].name;
    const char *closest = closest_name(name, names, count);
    char *error = text_format("unknown or ambiguous option %s%s%s%s %s lists them", option,
                              closest ? ": did you mean --" : ";", closest ? closest : "",
                              closest ? "?" : "", help);
    free(name);
    free(names);
    return error;
}

int manual_parse_command_line(const struct manual_option *rows, size_t count, const char *help,
                              int argc, char **argv,
                              void (*take)(void *context, size_t row, const char *value),
                              void *context, char **error)
{
    struct option *table = memory_zeroed(count + 1, sizeof *table);
    struct text letters = {0};
    text_append(&letters, ":");
    for (size_t i = 0; i < count; i++) {
        int value = rows[i].optional ? optional_argument
                    : rows[i].value  ? required_argument
                                     : no_argument;
        table[i] = (struct option){rows[i].name, value, NULL, LONG_KEYS + (int)i};
        if (rows[i].letter)
            text_append(&letters, "%c%.*s", rows[i].letter, value, "::");
    }
    opterr = 0;
    optind = 0;
    *error = NULL;
    for (int key; !*error && (key = getopt_long(argc, argv, letters.data, table, NULL)) != -1;) {
        char letter[] = {'-', (char)optopt, '\0'};
        const char *word = optopt && optopt < LONG_KEYS ? letter : argv[optind - 1];
        if (key == ':')
            *error = text_format("option %s needs a value", word);
        else if (key == '?' && row_of(rows, count, optopt) < count)
            *error = text_format("option %s takes no value", argv[optind - 1]);
        else if (key == '?')
            *error = unknown(rows, count, word, help);
        else
            take(context, row_of(rows, count, key), optarg);
    }
    free(table);
    text_release(&letters);
    return optind;
}
