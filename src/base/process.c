/* The start and the end of a process, the memory it takes, and what is beside its program. */
#include "base/process.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void process_read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, (int)size, file))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
}

static _Atomic(const char *) stage;

void process_enter(const char *what)
{
    atomic_store(&stage, what);
}

const char *process_stage(void)
{
    return atomic_load(&stage);
}

static enum process_threads threads;

void process_set_threads(enum process_threads given)
{
    threads = given;
}

enum process_threads process_threads(void)
{
    return threads;
}

/* statm is kept per processor and may be off by some pages for each; smaps_rollup counts, but
 * needs Linux 4.14. */
static double rolled_up(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    double kilobytes = NAN;
    while (file && isnan(kilobytes) && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %lf kB", &kilobytes) != 1)
            kilobytes = NAN;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

double resident_bytes(void)
{
    double bytes = rolled_up();
    if (!isnan(bytes))
        return bytes;
    FILE *file = fopen("/proc/self/statm", "r");
    double pages = NAN;
    if (file && fscanf(file, "%*s %lf", &pages) != 1)
        pages = NAN;
    if (file)
        fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* ---- Beside the program ---- */

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
