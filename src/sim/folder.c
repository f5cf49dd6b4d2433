/* Makes folders that a trace is written to. */
#include "sim/folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    bool empty = directory != NULL;
    for (struct dirent *entry; empty && (entry = readdir(directory));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

char *folder_make(const char *path, bool *made)
{
    *made = mkdir(path, 0777) == 0;
    if (!*made && errno != EEXIST)
        return text_format("%s: cannot be made: %s", path, strerror(errno));
    if (!*made && !is_empty(path))
        return text_format("%s: is there and not an empty folder; name another one, or remove it",
                           path);
    return NULL;
}
