/* The command shmemtrace: reading traces; anything else starts a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "trace/command/manual.h"
#include "trace/command/record.h"
#include "trace/export/export.h"
#include "trace/read/commands.h"

static const struct reader_command *const commands[] = {
    &dump_command, &summary_command, &check_command, &merge_command, &export_command,
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* The exit status. */
static int written(void)
{
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

static int help(void)
{
    terminal_fold_begin(false);
    puts(
        "Usage: shmemtrace [OPTION]... LAUNCHER... PROGRAM...   record what a program calls\n"
        "       shmemtrace COMMAND [OPTION]... [TRACE]          read what was recorded\n"
        "\n"
        "  record       The same as no command; use it if the launcher has the name of a command.");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    puts(
        "\n"
        "shmemtrace record -h and shmemtrace COMMAND -h list the options, --man prints them all as "
        "a\nmanual page, --completion is for bash, --version says which one this is. For "
        "example:\n"
        "\n"
        "  shmemtrace oshrun -np 4 ./app\n"
        "  shmemtrace summary\n"
        "  shmemtrace export --chrome app.json");
    terminal_fold_end();
    return written();
}

static void exhausted(const char *text)
{
    fprintf(stderr, "shmemtrace: %s\n", text);
    exit(1);
}

int main(int argc, char **argv)
{
    numbers_use_point();
    memory_on_exhausted(exhausted);
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        return help();
    if (strcmp(word, "--man") == 0) {
        manual_print(commands, COMMANDS);
        return written();
    }
    if (strcmp(word, "--completion") == 0) {
        manual_bash(commands, COMMANDS);
        return written();
    }
    if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
        manual_version();
        return written();
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return reader_main(commands[i], argc - 1, argv + 1);
    const char *names[COMMANDS + 1];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    names[COMMANDS] = "record";
    int explicitly = strcmp(word, "record") == 0;
    argv[explicitly] = argv[0];
    return record_main(argc - explicitly, argv + explicitly, names, COMMANDS + 1);
}
