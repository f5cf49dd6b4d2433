/* shmemsim pack and unpack: one file of a trace's folder, and back. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/arguments.h"
#include "trace/read/files.h"
#include "trace/read/pack.h"

static const struct manual_option pack_rows[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the pack; -: standard output (default: TRACE.pack)"},
    MANUAL_HELP,
    MANUAL_FORCE,
};
static const struct manual_option unpack_rows[] = {
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "a new or empty folder (default: the pack's name without .pack)"},
    MANUAL_HELP,
};

/* The trace that is named; NULL: none is. */
static char *input_of(const struct arguments *arguments)
{
    if (arguments->word_count > 1)
        sim_fail(2, "%s: %s: one trace at a time", arguments->command->name, arguments->words[1]);
    return arguments->word_count ? arguments->words[0] : NULL;
}

/* ---- Packing ---- */

static int pack(const struct arguments *arguments)
{
    const char *input = input_of(arguments), *given = sim_arguments_value(arguments, "output");
    char *folder = memory_text(input ? input : "shmemtrace.out"), **files, *problem;
    for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/';)
        folder[--end] = '\0';
    char *standard = text_format("%s.pack", folder);
    const char *output = given ? given : standard;
    struct stat status;
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
        sim_fail(2, "pack: %s: is no folder; name one that shmemtrace has written", folder);
    long count = trace_files(folder, &files, &problem);
    if (count < 0)
        sim_fail(2, "%s", problem);
    if (count > PACK_MOST_FILES)
        sim_fail(2, "pack: %s: has more than %d files", folder, PACK_MOST_FILES);
    sim_output_check(arguments, output);
    for (long i = 0; i < count; i++)
        sim_output_differs(output, files[i]);
    FILE *file = sim_output_open(output, NULL, NULL);
    bool regular = file != stdout && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    int code;
    problem = pack_write(file, output, files, (size_t)count, &code);
    if (problem && regular)
        unlink(output);
    if (problem)
        sim_fail(code, "%s", problem);
    sim_output_close(file, output);
    trace_files_free(files, count);
    free(folder);
    free(standard);
    return 0;
}

/* ---- Unpacking ---- */

static char *name_in(const char *folder, const char *file)
{
    return text_format("%s/%s", folder, strrchr(file, '/') + 1);
}

static int unpack(const struct arguments *arguments)
{
    const char *input = input_of(arguments), *output = sim_arguments_value(arguments, "output");
    char **files, *error = NULL;
    if (!input)
        sim_fail(2, "unpack: name a pack; shmemsim unpack -h says more");
    long count = pack_files(input, &files, &error);
    if (count == TRACE_DAMAGED)
        sim_fail(1, "%s", error);
    if (count < 0) {
        FILE *file = fopen(input, "r");
        sim_fail(2, "%s",
                 file ? text_format("unpack: %s: is no pack; shmemsim pack makes them", input)
                      : text_format("%s: %s", input, strerror(errno)));
    }
    char *folder = memory_text(output ? output : input);
    if (!output) { /* as the pack without .pack */
        char *suffix = strlen(folder) > 5 ? folder + strlen(folder) - 5 : "";
        if (strcmp(suffix, ".pack") != 0 || suffix[-1] == '/')
            sim_fail(2, "unpack: %s: name the folder: -o DIR", input);
        *suffix = '\0';
    }
    sim_output_folder(folder);
    for (long i = 0; i < count; i++) {
        char *name = name_in(folder, files[i]);
        int status;
        if ((error = pack_unpack(files[i], name, &status))) {
            for (long k = 0; k <= i; k++)
                unlink(name_in(folder, files[k]));
            sim_fail(status, "%s", error);
        }
        free(name);
    }
    trace_files_free(files, count);
    free(folder);
    return 0;
}

const struct sim_command sim_pack_command = {
    .name = "pack",
    .summary = "makes one file of a trace, with an index",
    .synopsis = "[OPTION]... [TRACE]",
    .text = "Makes one file of a folder that shmemtrace has written. shmemsim and all commands of\n"
            "shmemtrace read it like the folder.",
    .rows = pack_rows,
    .count = sizeof pack_rows / sizeof *pack_rows,
    .run = pack,
};
const struct sim_command unpack_command = {
    .name = "unpack",
    .summary = "makes the folder of a packed trace again",
    .synopsis = "[OPTION]... PACK",
    .text = "Makes a folder of a packed trace again: the same files, byte by byte.",
    .rows = unpack_rows,
    .count = sizeof unpack_rows / sizeof *unpack_rows,
    .run = unpack,
};
