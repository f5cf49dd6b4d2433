/* Claims a folder for a job, so that no other job of the command takes it. */
#include "trace/runtime/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/folder.h"
#include "trace/format.h"

#define MOST_JOBS 1000000
#define PATIENCE 100 /* times 10 ms, for the job that is removing an old folder */
#define MOMENTS 10   /* times 10 ms, for a folder that has no mark yet, or none any more */

bool claim_make_folder(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0777);
            *at = '/';
        }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

/* The value that the command gave; NULL: there is no command. */
static const char *command(void)
{
    return getenv(FORMAT_JOBS_VARIABLE);
}

static void make_mark(const char *folder)
{
    char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
    snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, folder);
    int descriptor = open(mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    /* If the value is missing, the next command takes the folder for an old one, too. */
    if (write(descriptor, command(), strlen(command())) < 0)
        errno = 0;
    close(descriptor);
}

void claim_refused(void)
{
    const char *folder = getenv("SHMEMTRACE_OUTPUT");
    if (folder && command())
        make_mark(folder);
}

/* False: the name of this job's folder is too long. */
static bool job_path(char *path, size_t size, int job)
{
    return snprintf(path, size, FORMAT_JOB, tracer.recording.folder, job) < (int)size;
}

/* Whether another job may be making or removing this folder, or it is none of a job at all. */
static bool has_no_mark(const char *folder)
{
    char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
    snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, folder);
    return access(folder, F_OK) == 0 && access(mark, F_OK) != 0;
}

static int claim_further(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int patience = PATIENCE, moments = MOMENTS;
    char path[PATH_MAX];
    for (int job = 2; job < MOST_JOBS && job_path(path, sizeof path, job); job++) {
        while ((folder_is_old_job(path, command()) && patience-- > 0) ||
               (has_no_mark(path) && moments-- > 0))
            nanosleep(&moment, NULL);
        if (mkdir(path, 0777) == 0) {
            tracer_say("this is job %d of one command; its trace goes to %s", job, path);
            make_mark(path);
            return job;
        }
        if (errno != EEXIST)
            break;
    }
    return 1;
}

/* Errors are not reported here: making files in the folder fails later. */
int claim_folder(void)
{
    const char *folder = tracer.recording.folder;
    char path[PATH_MAX];
    if (!command() || !claim_make_folder(folder) ||
        snprintf(path, sizeof path, "%s/" FORMAT_CLAIM, folder, command()) >= (int)sizeof path)
        return 1;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0 || errno != EEXIST ? 1 : claim_further();
}

/* ---- Earlier traces ---- */

/* Whether to remove a file from the folder: one of a PE, or one that a killed command has left. */
static bool is_left_over(int folder, const char *name, int first_pe)
{
    if (folder_kept_because(folder, name))
        return false;
    if (strncmp(name, FORMAT_PASSING, strlen(FORMAT_PASSING)) == 0)
        return !strstr(name, command()) && !strstr(name, "new-");
    return folder_pe_of(name) < 0 || folder_pe_of(name) >= first_pe;
}

static void clear(const char *folder, int first_pe)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (is_left_over(dirfd(directory), entry->d_name, first_pe))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

void claim_replace(int job, int first_pe)
{
    char path[PATH_MAX];
    if (!command() || job > 1)
        return;
    clear(tracer.recording.folder, first_pe);
    for (job = 2; job_path(path, sizeof path, job) && access(path, F_OK) == 0; job++)
        if (folder_is_old_job(path, command())) {
            clear(path, 0);
            rmdir(path); /* if there is nothing else in it */
        }
}
