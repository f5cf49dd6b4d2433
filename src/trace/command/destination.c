/* Looks at the folder of a trace before and after recording. */
#define _GNU_SOURCE /* realpath */
#include "trace/command/command.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/terminal.h"
#include "trace/folder.h"
#include "trace/format.h"
#include "trace/read/read.h"

#define OTHER_FOLDER "name another folder with -o"

int refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    terminal_line("shmemtrace", format, arguments);
    va_end(arguments);
    return 2;
}

/* ---- Before ---- */

/* Anything but an old trace is a reason not to use the folder. */
static int check_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(directory));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        const char *reason = folder_kept_because(dirfd(directory), name);
        if (reason)
            status = refuse("%s: holds %s, %s; " OTHER_FOLDER, folder, name, reason);
    }
    closedir(directory);
    return status;
}

/* Checks folders of further jobs of an earlier command. */
static int check_jobs(const char *folder)
{
    char path[PATH_MAX];
    int status = 0;
    for (int job = 2; status == 0; job++) {
        if (snprintf(path, sizeof path, FORMAT_JOB, folder, job) >= (int)sizeof path ||
            access(path, F_OK) != 0)
            break;
        if (folder_is_old_job(path, NULL)) /* otherwise it is no trace, but has the name of one */
            status = check_folder(path);
    }
    return status;
}

int destination_prepare(struct destination *to, const char *folder)
{
    to->made = mkdir(folder, 0777) == 0;
    if (!to->made && errno != EEXIST)
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    int status = check_folder(folder);
    if (status)
        return status;
    if (access(folder, W_OK) != 0 || !realpath(folder, to->folder))
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    status = check_jobs(to->folder);
    if (status)
        return status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(to->command, sizeof to->command, "%lx-%lx-%lx", (long)now.tv_sec, now.tv_nsec,
             (long)getpid());
    return setenv("SHMEMTRACE_OUTPUT", to->folder, 1) == 0 &&
                   setenv(FORMAT_JOBS_VARIABLE, to->command, 1) == 0
               ? 0
               : refuse("out of memory");
}

/* ---- After ---- */

/* Whether a PE has recorded an event. Opens only as many files as that takes, and frees all names.
 */
static bool any_event(char **files, long count)
{
    bool found = false;
    for (long i = 0; i < count; i++) {
        char *error = NULL;
        struct trace_file *file = found ? NULL : trace_open(files[i], &error);
        if (file)
            found = trace_info(file)->events > 0 || trace_info(file)->profile ||
                    !trace_info(file)->complete;
        trace_close(file);
        free(error);
        free(files[i]);
    }
    return found;
}

/* Says why the folder has no trace, or still an earlier one. */
static void say_nothing_recorded(const char *folder, bool traces)
{
    refuse("nothing was recorded: no program started OpenSHMEM where libshmemtrace.so could see it "
           "(a program without OpenSHMEM or linked statically, calls that were found by dlsym as "
           "Python's ctypes does, or a launcher that does not pass LD_PRELOAD on)%s%s%s",
           traces ? "; " : "", traces ? folder : "", traces ? " has the trace of before" : "");
}

static bool remove_in(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return unlink(path) == 0;
}

void destination_tidy(const struct destination *to, bool ran)
{
    char claim[sizeof FORMAT_CLAIM + sizeof to->command], **files, *error = NULL;
    snprintf(claim, sizeof claim, FORMAT_CLAIM, to->command);
    bool began = remove_in(to->folder, claim), refused = remove_in(to->folder, FORMAT_JOB_MARK);
    long count = trace_files(to->folder, &files, &error);
    free(error);
    if (ran && !refused && (!began || count < 0))
        say_nothing_recorded(to->folder, count > 0);
    else if (ran && !refused && !any_event(files, count))
        refuse("%s: no call was recorded; check --only, --exclude and --phase", to->folder);
    if (count < 0 && to->made)
        rmdir(to->folder);
}
