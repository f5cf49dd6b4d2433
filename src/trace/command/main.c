/* The command shmemtrace: reading traces; anything else starts a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/manual.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/terminal.h"
#include "trace/check/check.h"
#include "trace/command/record.h"
#include "trace/explain/explain.h"
#include "trace/export/export.h"
#include "trace/read/reader.h"
#include "trace/recording.h"
#include "trace/report/report.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

static const struct manual_option script_options[] = {
    {.name = "program", .value = "PATH", .help = "skampi (default: the one beside this program)"},
    {0},
};

/* Without run(): skampi-script does it, and reads its options itself. */
static const struct reader_command script_command = {
    .name = "script",
    .summary = "Writes a measurement script for skampi with the calls of the program.",
    .options = script_options,
    .output = true,
};

static const struct reader_command *const commands[] = {
    &dump_command,        &trace_summary_command, &explain_command, &trace_report_command,
    &trace_check_command, &merge_command,         &export_command,  &script_command,
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void print_version(void)
{
    puts("shmemtrace " SKAMPI_VERSION);
}

/* ---- Manual page and completion ---- */

static void print_recording(void)
{
    manual_section("RECORDING");
    manual_text("Options come before the launcher. Each can also be set by an environment "
                "variable, for programs that you start with libshmemtrace.so in LD_PRELOAD or link "
                "with it.\nSIZE is a number of bytes; K, M or G may follow it.");
    for (size_t i = 0; i < recording_row_count; i++)
        manual_items(&recording_rows[i].option, 1);
    char *classes = record_classes();
    manual_paragraph(classes);
    free(classes);
}

static void print_command(const struct reader_command *command)
{
    struct manual_option options[READER_OPTIONS];
    size_t count = reader_options(command, options);
    manual_subsection(command->name);
    manual_text(command->summary);
    manual_items(options, count);
}

static void print_manual(void)
{
    manual_page("shmemtrace", SKAMPI_VERSION, "records and shows what OpenSHMEM programs call");
    manual_synopsis("shmemtrace", "[option]... launcher... program...");
    manual_synopsis("shmemtrace", "command [option]... [trace]");
    manual_section("DESCRIPTION");
    manual_text("Runs a program, which need not be recompiled, and writes a trace of its calls: a "
                "folder with one file for each PE.\nThe commands read that folder, or one file of "
                "it; " TRACE_DEFAULT_PATH " if you name none.\nThe format, and what is recorded of "
                "each routine, are described in docs/trace-format.md.");
    print_recording();
    manual_section("READING");
    for (size_t i = 0; i < COMMANDS; i++)
        print_command(commands[i]);
    manual_section("EXIT STATUS");
    manual_text(
        "Of recording: that of the launcher; 2 if an option is wrong or the folder cannot "
        "be used.\nOf commands: 0 success; 1 damaged trace, findings, failed write; 2 wrong "
        "usage, no trace.");
    manual_section("EXAMPLES");
    manual_example("shmemtrace oshrun -np 4 ./app\nshmemtrace summary\nshmemtrace export --chrome "
                   "app.json");
    manual_section("SEE ALSO");
    manual_text("skampi(1)");
}

static void print_completion(void)
{
    static const char *const general[] = {"help", "version", "man", "completion"};
    size_t generals = sizeof general / sizeof *general, option_count = 0, command_count = 0;
    struct manual_option *options = memory_zeroed(generals + recording_row_count, sizeof *options);
    struct manual_option(*own)[READER_OPTIONS] = memory_zeroed(COMMANDS, sizeof *own);
    struct manual_command *words = memory_zeroed(COMMANDS + 1, sizeof *words);
    for (size_t i = 0; i < generals; i++)
        options[option_count++] = (struct manual_option){.name = general[i]};
    for (size_t i = 0; i < recording_row_count; i++)
        options[option_count++] = recording_rows[i].option;
    words[command_count++] = (struct manual_command){"record", options, option_count};
    for (size_t i = 0; i < COMMANDS; i++)
        words[command_count++] =
            (struct manual_command){commands[i]->name, own[i], reader_options(commands[i], own[i])};
    manual_completion("shmemtrace", options, option_count, words, command_count);
    free(options);
    free(own);
    free(words);
}

/* ---- The program ---- */

static void print_help(void)
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
}

static const struct {
    const char *word;
    void (*print)(void);
} general[] = {
    {"-h", print_help},           {"--help", print_help},  {"-V", print_version},
    {"--version", print_version}, {"--man", print_manual}, {"--completion", print_completion},
};

static int start_script(char **arguments)
{
    beside_start("skampi-script", arguments, "shmemtrace");
    return 2;
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
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (strcmp(word, general[i].word) == 0) {
            general[i].print();
            return fflush(stdout) || ferror(stdout) ? 1 : 0;
        }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return commands[i]->run ? reader_main(commands[i], argc - 1, argv + 1)
                                    : start_script(argv + 1);
    const char *names[COMMANDS + 1];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    names[COMMANDS] = "record";
    int explicitly = strcmp(word, "record") == 0;
    argv[explicitly] = argv[0];
    return record_main(argc - explicitly, argv + explicitly, names, COMMANDS + 1);
}
