/*
 * The options of a program: help, manual page and bash completion, all made from one table of them,
 * which also takes command lines apart. One thread.
 *
 * Everything goes to standard output; whether that worked is for the caller to find out (ferror).
 * Manual pages are written from the top: manual_page(), then sections with what belongs in them.
 */
#ifndef SKAMPI_BASE_MANUAL_H
#define SKAMPI_BASE_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

struct manual_option {
    const char *name; /* "input" is typed as --input; one that begins with '-' is typed like that */
    char letter;      /* of its short form; 0: none */
    const char *value; /* placeholder of its value; NULL: takes none */
    const char *help;  /* one line */
    bool optional;     /* the value may be left out: "--list[=PATTERN]" */
    const char *words; /* completion: values it takes, as words of the shell, in which $1 is the
                          program; NULL: names of files */
    const char *note;  /* one more line in the manual page; NULL: none */
};

/* Options that several programs have. */
#define MANUAL_HELP                                                                                \
    {                                                                                              \
        .name = "help", .letter = 'h', .help = "this text"                                         \
    }
#define MANUAL_OUTPUT                                                                              \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "FILE",                                          \
        .help = "write to FILE instead of standard output"                                         \
    }
#define MANUAL_FORCE                                                                               \
    {                                                                                              \
        .name = "force", .help = "replace any file, also one that no program of skampi wrote"      \
    }

/* A command that is the program's first argument, with options of its own. */
struct manual_command {
    const char *name;
    const struct manual_option *options;
    size_t count;
};

/* The options of a help text, a line each. */
void manual_help(const struct manual_option *options, size_t count);

/* The title, NAME and the start of SYNOPSIS. program in lower case; purpose: "records ...". */
void manual_page(const char *program, const char *version, const char *purpose);
/* A line of SYNOPSIS: the program and what follows it, or NULL. */
void manual_synopsis(const char *command, const char *rest);
void manual_section(const char *title);
void manual_subsection(const char *title);
/* Lines of text; "\n" ends one. */
void manual_text(const char *text);
/* manual_text() after a blank line. */
void manual_paragraph(const char *text);
/* Lines that are shown as they are. */
void manual_example(const char *lines);
/* What is explained, with its explanation. */
void manual_item(const char *head, const char *text);
void manual_items(const struct manual_option *options, size_t count);

/* Options are those of the program, or of its first argument where that is a command. */
void manual_completion(const char *program, const struct manual_option *options, size_t count,
                       const struct manual_command *commands, size_t command_count);

/* Takes a command line apart: short and long options before, between and after other words, as
 * getopt_long() does it. Calls take() for each option in the order of the command line, with the
 * number of its row and its value (NULL: it has none), and moves all other words to the end of
 * argv. Returns the index in argv of the first of these. The first mistake (an unknown option, a
 * value that is missing or not allowed) ends the parsing: *error is then a text that the caller
 * frees, else NULL. help: what lists the options, such as "skampi -h"; it is part of the text. */
int manual_parse_command_line(const struct manual_option *rows, size_t count, const char *help,
                              int argc, char **argv,
                              void (*take)(void *context, size_t row, const char *value),
                              void *context, char **error);

#endif
