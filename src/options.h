/*
 * The command line. Parsed alike on every PE, before the library is started; nothing is printed
 * until it is known who prints.
 */
#ifndef SKAMPI_OPTIONS_H
#define SKAMPI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum information {
    INFORM_NOTHING,
    INFORM_HELP,
    INFORM_VERSION,
    INFORM_LIST,
    INFORM_DESCRIBE,
    INFORM_TIMERS
};

struct options {
    const char *input, *output; /* output: NULL is standard output */
    const char *timer;          /* NULL: the default */
    double unit;                /* reported units per second; 0: the script's */
    bool check_only, show_source, progress, estimate;
    int debug;
    const char **overrides; /* NAME=EXPR of --set */
    size_t override_count;
    enum information information;
    const char *name; /* of --describe; the pattern of --list or NULL */
    char *error;      /* what is wrong with the command line, or NULL */
    char *command_line;
};

void options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);
void options_print_error(const struct options *options);

/* -h, -V, --list, --describe, --timers: prints to standard output, returns the exit status. */
int options_inform(const struct options *options);

const char *options_version(void);

/* Directories where a script named without a path is looked for behind the current one: inputs/
 * beside the program, the installed inputs. At most two; returns how many. */
size_t options_search_path(const char **directories);

#endif
