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
