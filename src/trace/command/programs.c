/* Knows launchers, and finds programs as a shell does. */
#include "trace/command/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/read/read.h"

static const char *const open_mpi[] = {"oshrun", "shmemrun", "orterun", "prterun", "prun", NULL};
static const char *const perhaps_open_mpi[] = {"mpirun", "mpiexec", NULL};
static const char *const others[] = {"srun", "aprun", "jsrun", "sh", "bash", NULL};
static const char *const *const launchers[] = {open_mpi, perhaps_open_mpi, others};
#define LISTS (sizeof launchers / sizeof *launchers)

#define MOST_NAMES 64
#define USUAL_PATH "/bin:/usr/bin" /* as execvp() has it */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

bool programs_is_launcher(const char *word)
{
    for (size_t i = 0; i < LISTS; i++)
        if (is_one_of(word, launchers[i]))
            return true;
    return false;
}

/* Launchers of Open MPI pass on only the variables named with -x, and programs on other hosts get
 * no others. Launchers called mpirun or mpiexec are asked for their version. */
bool programs_is_open_mpi(const char *launcher)
{
    const char *slash = strrchr(launcher, '/'), *name = slash ? slash + 1 : launcher;
    char command[PATH_MAX + 64], line[256] = "";
    if (!is_one_of(name, perhaps_open_mpi))
        return is_one_of(name, open_mpi);
    if (strchr(launcher, '\''))
        return false;
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", launcher);
    FILE *version = popen(command, "r");
    if (!version)
        return false;
    if (!fgets(line, sizeof line, version))
        line[0] = '\0';
    pclose(version);
    return strstr(line, "Open MPI") || strstr(line, "OpenRTE") || strstr(line, "PRRTE");
}

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool programs_exists(const char *word)
{
    const char *path = getenv("PATH");
    if (strchr(word, '/'))
        return is_executable(word);
    for (const char *at = path ? path : USUAL_PATH; *word; at++) {
        char candidate[PATH_MAX];
        int length = (int)strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s%s%s", length, at, length ? "/" : "", word);
        if (is_executable(candidate))
            return true;
        at += length;
        if (!*at)
            break;
    }
    return false;
}

char *programs_advice(const char *word, const char *const *commands, int count)
{
    const char *names[MOST_NAMES];
    size_t known = 0;
    for (int i = 0; i < count && known < MOST_NAMES; i++)
        names[known++] = commands[i];
    for (size_t i = 0; i < LISTS; i++)
        for (const char *const *name = launchers[i]; *name && known < MOST_NAMES; name++)
            names[known++] = *name;
    if (trace_is(word))
        return text_format("to read that trace: shmemtrace summary %s", word);
    if (access(word, F_OK) == 0)
        return memory_text("it is there, but cannot be executed");
    if (strcmp(word, "help") == 0)
        return memory_text("shmemtrace -h lists the commands");
    const char *closest = closest_name(word, names, known);
    return closest ? text_format("did you mean %s?", closest)
                   : memory_text("shmemtrace -h lists the commands");
}
