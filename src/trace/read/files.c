/* Finds the files that a trace consists of. */
#define _GNU_SOURCE /* scandir */
#include "trace/read/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "trace/folder.h"
#include "trace/read/pack.h"
#include "trace/read/read.h"

static int is_file_of_pe(const struct dirent *entry)
{
    return folder_pe_of(entry->d_name) >= 0;
}

static int compare_pes(const struct dirent **a, const struct dirent **b)
{
    long x = folder_pe_of((*a)->d_name), y = folder_pe_of((*b)->d_name);
    return ORDER(x, y);
}

/* Why a file cannot be found; NULL: it is in a pack. */
static char *missing(const char *path, int problem)
{
    struct place place;
    char *error = place_find(path, &place);
    bool packed = !error && place.bytes >= 0;
    if (!error)
        free(place.path);
    return packed || error ? error : text_format("%s: %s", path, strerror(problem));
}

long trace_files(const char *path, char ***files, char **error)
{
    struct stat status;
    struct dirent **entries = NULL;
    *error = NULL;
    bool there = stat(path, &status) == 0;
    if (!there && (*error = missing(path, errno)))
        return -1;
    if (!there || !S_ISDIR(status.st_mode)) {
        long packed = there && S_ISREG(status.st_mode) ? pack_files(path, files, error) : PACK_NONE;
        if (packed != PACK_NONE)
            return packed;
        *files = memory_zeroed(1, sizeof **files);
        (*files)[0] = text_format("%s", path);
        return 1;
    }
    int count = scandir(path, &entries, is_file_of_pe, compare_pes);
    if (count <= 0) {
        *error = count < 0
                     ? text_format("%s: %s", path, strerror(errno))
                     : text_format("%s: no trace is in this folder (pe-00000.trace, ...)", path);
        free(entries);
        return -1;
    }
    *files = memory_zeroed((size_t)count, sizeof **files);
    for (int i = 0; i < count; i++) {
        (*files)[i] = text_format("%s/%s", path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

void trace_files_free(char **files, long count)
{
    for (long i = 0; i < count; i++)
        free(files[i]);
    if (count >= 0)
        free(files);
}

bool trace_is(const char *path)
{
    char **files, *error = NULL;
    struct trace_file *file = NULL;
    long count = trace_files(path, &files, &error);
    bool found = count > 1 || (count == 1 && strcmp(files[0], path) != 0);
    if (count == 1 && !found)
        file = trace_open(path, &error);
    trace_files_free(files, count);
    free(error);
    found = found || file;
    trace_close(file);
    return found;
}
