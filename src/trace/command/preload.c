/* Puts the library into the environment of the program. */
#define _GNU_SOURCE /* realpath */
#include "trace/command/command.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "trace/format.h"
#include "trace/recording.h"

#ifndef SKAMPI_LIBRARY_DIR
#define SKAMPI_LIBRARY_DIR "/usr/local/lib"
#endif
#define LIBRARY "libshmemtrace.so"
#define SEPARATORS " :" /* of LD_PRELOAD, which has no quotes */

/* Finds the library next to this program in a build, else where it was installed. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {LIBRARY, "../lib/" LIBRARY};
    char beside[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (beside_find(beside, places[i]) && realpath(beside, path) && access(path, R_OK) == 0)
            return true;
    snprintf(path, PATH_MAX, "%s/" LIBRARY, SKAMPI_LIBRARY_DIR);
    return access(path, R_OK) == 0;
}

int preload_find(struct preload *preload)
{
    preload->link[0] = '\0';
    if (find_library(preload->library))
        return 0;
    return refuse("%s is neither beside this program nor in %s: build it with OpenSHMEM and "
                  "python3, or make install",
                  LIBRARY, SKAMPI_LIBRARY_DIR);
}

int preload_name(struct preload *preload, const char *folder, const char *command)
{
    const char *const places[] = {folder, getenv("TMPDIR"), "/tmp"};
    if (!strpbrk(preload->library, SEPARATORS))
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || strpbrk(places[i], SEPARATORS) ||
            snprintf(preload->link, PATH_MAX, "%s/" FORMAT_CLAIM ".so", places[i], command) >=
                PATH_MAX)
            continue;
        if (symlink(preload->library, preload->link) == 0)
            return 0;
    }
    preload->link[0] = '\0';
    return refuse("%s: LD_PRELOAD takes no path with a blank or a colon, and no link to it can be "
                  "made in the folder of the trace, in TMPDIR or in /tmp: move it",
                  preload->library);
}

void preload_tidy(const struct preload *preload)
{
    if (preload->link[0])
        unlink(preload->link);
}

/* ---- Launcher ---- */

/* Our library follows others in the list. Other libraries' wrappers call the next function of their
 * name, as the rule is; ours call the real library, so wrappers after them would see nothing. */
static char *after_others(const char *others, const char *library)
{
    bool more = others && *others;
    return text_format("%s%s%s", more ? others : "", more ? ":" : "", library);
}

/* The word after -x. If it sets LD_PRELOAD, our library follows the user's libraries there. */
static char *with_library(const char *word, const char *library, char *preload)
{
    static const char name[] = "LD_PRELOAD=";
    if (strcmp(word, "LD_PRELOAD") == 0)
        return preload; /* the environment's value comes first in it */
    if (strncmp(word, name, strlen(name)) != 0)
        return (char *)(uintptr_t)word;
    return text_format("%s%s", name, after_others(word + strlen(name), library));
}

/* The command "LAUNCHER -x NAME... REST". Each ":" between programs is followed by "-x NAME..."
 * again, since the option holds for one program. */
static char **with_variables(char **command, size_t count, const char *library, char *preload)
{
    size_t programs = 1, used = 0;
    for (size_t i = 1; i < count; i++)
        programs += strcmp(command[i], ":") == 0;
    char **words =
        memory_zeroed(count + programs * 2 * (recording_row_count + 2) + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        bool variable = i > 0 && strcmp(command[i - 1], "-x") == 0;
        words[used++] = variable ? with_library(command[i], library, preload) : command[i];
        if (i > 0 && strcmp(command[i], ":") != 0)
            continue;
        words[used++] = "-x";
        words[used++] = preload;
        words[used++] = "-x";
        words[used++] = FORMAT_JOBS_VARIABLE;
        for (size_t k = 0; k < recording_row_count; k++)
            if (getenv(recording_rows[k].variable)) {
                words[used++] = "-x";
                words[used++] = (char *)(uintptr_t)recording_rows[k].variable;
            }
    }
    return words;
}

char **preload_command(const struct preload *preload, char **command, size_t count)
{
    const char *library = preload->link[0] ? preload->link : preload->library;
    char *text = after_others(getenv("LD_PRELOAD"), library);
    if (programs_is_open_mpi(command[0]))
        return with_variables(command, count, library, text_format("LD_PRELOAD=%s", text));
    setenv("LD_PRELOAD", text, 1);
    return command;
}
