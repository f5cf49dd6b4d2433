/* Knows files of traces by their names and their first bytes. */
#include "trace/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "trace/format.h"

long folder_pe_of(const char *name)
{
    char again[64];
    char *end;
    if (strncmp(name, "pe-", 3) != 0)
        return -1;
    long number = strtol(name + 3, &end, 10);
    if (number < 0 || number > INT32_MAX)
        return -1;
    snprintf(again, sizeof again, FORMAT_NAME, (int)number);
    return strcmp(again, name) == 0 ? number : -1;
}

const char *folder_kept_because(int folder, const char *name)
{
    static const char foreign[] = "which is no trace";
    if (strcmp(name, FORMAT_JOB_MARK) == 0 ||
        strncmp(name, FORMAT_PASSING, sizeof FORMAT_PASSING - 1) == 0)
        return NULL;
    int descriptor =
        folder_pe_of(name) < 0 ? -1 : openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const char *reason = descriptor < 0 || !format_may_replace(descriptor) ? foreign
                         : flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
                             ? "which a running program is writing"
                             : NULL;
    if (descriptor >= 0)
        close(descriptor);
    return reason;
}

bool folder_is_old_job(const char *path, const char *command)
{
    char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1], value[64];
    snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, path);
    int descriptor = open(mark, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    ssize_t length = read(descriptor, value, sizeof value - 1);
    close(descriptor);
    value[length > 0 ? length : 0] = '\0';
    return !command || strcmp(value, command) != 0;
}
