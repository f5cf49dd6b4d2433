/* Prints the manual page and the completion of shmemtrace. */
#include "trace/command/manual.h"

#include "trace/recording.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

/* Hyphens would become typographical ones. */
static void print_text(const char *text)
{
    for (; *text; text++)
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", stdout);
        else
            putchar(*text);
}

static void print_item(const char *head, const char *value, bool optional, const char *text)
{
    fputs(".TP\n.B ", stdout);
    print_text(head);
    if (value) {
        fputs(optional ? "\\fR[=\\fI" : " \\fI", stdout);
        print_text(value);
        fputs(optional ? "\\fR]" : "\\fR", stdout);
    }
    putchar('\n');
    print_text(text);
    putchar('\n');
}

static void print_recording(void)
{
    puts(".SH RECORDING\nOptions stand before the launcher. Each is a variable of the environment, "
         "too, for programs that are started with libshmemtrace.so in LD_PRELOAD, or linked with "
         "it.\nSIZE is a number of bytes, with K, M or G behind it.");
    for (size_t i = 0; i < recording_row_count; i++) {
        const struct recording_row *row = &recording_rows[i];
        print_item(row->option, row->placeholder, row->argument == ARGUMENT_OPTIONAL, row->help);
        printf("(%s)\n", row->variable);
    }
    fputs(".PP\nClasses of routines are", stdout);
    for (size_t i = 0; i < TRACE_CLASSES; i++)
        printf("%s %s", i ? "," : "", trace_class_names[i]);
    puts(".");
}

static void print_command(const struct reader_command *command)
{
    struct reader_option options[READER_OPTIONS];
    size_t count = reader_options(command, options);
    printf(".SS %s\n", command->name);
    print_text(command->summary);
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        const struct reader_option *option = &options[i];
        char name[64];
        snprintf(name, sizeof name, option->letter ? "--%s, -%c" : "--%s", option->name,
                 option->letter);
        print_item(name, option->value, false, option->help);
    }
}

void manual_print(const struct reader_command *const *commands, size_t count)
{
    puts(".TH SHMEMTRACE 1 \"\" \"skampi " SKAMPI_VERSION "\" \"User Commands\"\n.nh\n.ad l\n"
         ".SH NAME\nshmemtrace \\- records and shows what OpenSHMEM programs call\n"
         ".SH SYNOPSIS\n.B shmemtrace\n[\\fIoption\\fR]... \\fIlauncher\\fR... "
         "\\fIprogram\\fR...\n.br\n.B shmemtrace\n\\fIcommand\\fR [\\fIoption\\fR]... "
         "[\\fItrace\\fR]\n"
         ".SH DESCRIPTION\nRuns a program, which need not be recompiled, and writes a trace of its "
         "calls: a file a PE in a folder.\nThe commands read that: the folder, or one file of "
         "it; " TRACE_DEFAULT_PATH " if none is named.\nThe format, and what is kept of which "
         "routine, are described in shmemtrace.md among the documents of skampi.");
    print_recording();
    puts(".SH READING");
    for (size_t i = 0; i < count; i++)
        print_command(commands[i]);
    puts(".SH EXIT STATUS\nOf recording: that of the launcher; 2 when an option is wrong or the "
         "folder cannot be used.\nOf commands: 0 all well; 1 damaged trace, findings, failed "
         "write; 2 wrong usage, no trace.\n.SH EXAMPLES\n.nf\nshmemtrace oshrun \\-np 4 ./app\n"
         "shmemtrace summary\nshmemtrace export \\-\\-chrome app.json\n.fi\n"
         ".SH SEE ALSO\n.BR skampi (1)");
}

/* One branch for each command, which is the first word; otherwise a program is to be recorded. */
void manual_completion(const struct reader_command *const *commands, size_t count)
{
    puts("# bash completion for shmemtrace\n_shmemtrace()\n{\n    local words\n"
         "    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < count; i++) {
        struct reader_option options[READER_OPTIONS];
        size_t own = reader_options(commands[i], options);
        printf("    %s)\n        words=\"", commands[i]->name);
        for (size_t j = 0; j < own; j++)
            printf("%s--%s", j ? " " : "", options[j].name);
        puts("\"\n        ;;");
    }
    fputs("    *)\n        words=\"--help --version --man --completion", stdout);
    for (size_t i = 0; i < recording_row_count; i++)
        printf(" %s", recording_rows[i].option);
    fputs("\"\n        [[ $COMP_CWORD -gt 1 || $2 == -* ]] || words+=\" record", stdout);
    for (size_t i = 0; i < count; i++)
        printf(" %s", commands[i]->name);
    puts("\"\n        ;;\n    esac\n"
         "    [[ $2 == -* || $COMP_CWORD -eq 1 ]] || words=\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\"; compgen -f -- \"$2\")\n"
         "}\ncomplete -o filenames -F _shmemtrace shmemtrace");
}

void manual_version(void)
{
    puts("shmemtrace " SKAMPI_VERSION);
}
