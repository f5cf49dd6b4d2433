/* Finds the program's own folder. */
#define _GNU_SOURCE /* program_invocation_name */
#include "base/beside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

bool beside_find(char path[PATH_MAX], const char *name)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - strlen(name) - 2);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    sprintf(slash ? slash : path, "/%s", name);
    return true;
}

void beside_start(const char *program, char **arguments, const char *caller)
{
    static const char *const places[] = {"scripts/", ""};
    char path[PATH_MAX], name[64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(name, sizeof name, "%s%s", places[i], program);
        if (!beside_find(path, name) || access(path, F_OK) != 0)
            continue;
        arguments[0] = path;
        execv(path, arguments);
        fprintf(stderr, "%s: error: %s cannot be started: %s\n", caller, path, strerror(errno));
        return;
    }
    fprintf(stderr,
            "%s: error: %s is not beside this program: build it with make, or make install\n",
            caller, program);
}

char *beside_tools(void)
{
    char beside[PATH_MAX];
    const char *program = program_invocation_name;
    size_t typed = strlen(program);
    while (typed > 0 && program[typed - 1] != '/')
        typed--;
    if (!beside_find(beside, "scripts/skampi-table") || access(beside, X_OK) != 0)
        return memory_text("");
    if (typed == 0) /* found by PATH, where the others need not be */
        return memory_text_part(beside, (size_t)(strrchr(beside, '/') + 1 - beside));
    return text_format("%.*sscripts/", (int)typed, program);
}
