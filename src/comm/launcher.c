/* Finds the launcher that started this process, by variables and parent processes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/comm.h"

/* Most programs between the launcher and this one, such as shells, numactl and debuggers. */
#define MOST_BETWEEN 8

/* Variables in which launchers state the rank of a process. */
static const char *const names[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",           "PMI_RANK",       "PMI_ID",
    "PALS_RANKID",          "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK", "ALPS_APP_PE"};

/* The variable that states the rank, or NULL. */
static const char *rank_name(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return names[i];
    /* SLURM_PROCID is also set in the batch script itself, where there is no step. */
    return getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID") ? "SLURM_PROCID" : NULL;
}

int comm_launched_rank(void)
{
    static int rank = -2; /* the library, started without a launcher, sets such a variable itself */
    const char *name = rank == -2 ? rank_name() : NULL;
    if (rank == -2)
        rank = name ? atoi(getenv(name)) : -1;
    return rank;
}

/* "environ" or "cmdline" of a process: texts that end in NUL. NULL: it cannot be read. */
static char *read_texts(pid_t pid, const char *what, size_t *length)
{
    char path[64], *text = NULL;
    size_t room = 0;
    ssize_t got = 1;
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    *length = 0;
    while (descriptor >= 0 && got > 0) {
        if (room - *length < 2) {
            room = room ? 2 * room : 4096;
            char *larger = realloc(text, room);
            if (!larger)
                break;
            text = larger;
        }
        got = read(descriptor, text + *length, room - *length - 1);
        *length += got > 0 ? (size_t)got : 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (text)
        text[*length] = '\0';
    return text;
}

/* Whether the launcher has started that process under the rank of this one. */
static bool same_rank(pid_t pid, const char *name)
{
    size_t length, word = strlen(name);
    char *text = read_texts(pid, "environ", &length);
    bool found = false;
    for (size_t at = 0; text && at < length && !found; at += strlen(text + at) + 1)
        found = strncmp(text + at, name, word) == 0 && text[at + word] == '=' &&
                strcmp(text + at + word + 1, getenv(name)) == 0;
    free(text);
    return found;
}

/* The parent of a process; -1 if it is not known, or if the process is gone. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    long parent = -1;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor >= 0 ? read(descriptor, text, sizeof text - 1) : 0;
    if (descriptor >= 0)
        close(descriptor);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    if (!name_end || sscanf(name_end + 1, " %*c %ld", &parent) != 1)
        return -1;
    return (pid_t)parent;
}

/* The parents of this process up to the launcher, which comes last. Empty without a launcher. */
static struct {
    pid_t parents[MOST_BETWEEN + 1];
    int count;
} above;

static void find_parents(void)
{
    const char *name = above.count == 0 ? rank_name() : NULL;
    if (!name)
        return;
    above.parents[above.count++] = getppid();
    while (above.count <= MOST_BETWEEN && above.parents[above.count - 1] > 1 &&
           same_rank(above.parents[above.count - 1], name)) {
        pid_t next = parent_of(above.parents[above.count - 1]);
        if (next <= 0)
            break;
        above.parents[above.count++] = next;
    }
}

/* Each process between this one and the launcher keeps its parent as long as all of them live. The
 * shell from which the launcher was started may go: jobs outlive it. */
bool comm_launcher_gone(void)
{
    static bool asked; /* the library may change the environment later */
    if (!asked)
        find_parents();
    asked = true;
    if (above.count == 0)
        return false;
    if (getppid() != above.parents[0])
        return true;
    for (int i = 0; i + 1 < above.count; i++) {
        pid_t parent = parent_of(above.parents[i]);
        if (parent > 0 && parent != above.parents[i + 1])
            return true;
    }
    return false;
}

char *comm_launcher_line(void)
{
    size_t own_length, length = 0;
    char *own = read_texts(getpid(), "cmdline", &own_length), *line = NULL;
    if (above.count > 0)
        line = read_texts(above.parents[above.count - 1], "cmdline", &length);
    struct text text = {0};
    bool known = own && line && own_length > 0 && length > own_length &&
                 memcmp(line + length - own_length, own, own_length) == 0 &&
                 line[length - own_length - 1] == '\0';
    for (size_t at = 0; known && at < length - own_length; at += strlen(line + at) + 1) {
        text_append(&text, "%s", at ? " " : "");
        text_append_word(&text, line + at);
    }
    free(own);
    free(line);
    return known ? text_take(&text) : NULL;
}
