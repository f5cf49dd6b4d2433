/* Names of files, without the folder that most of them are in. */
#include "sim/file_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In front of a kept name: what it begins with. */
enum { IN_FOLDER = 'f', COMPLETE = 'c' };

void file_names_open(struct file_names *names, size_t count)
{
    *names = (struct file_names){.count = count};
    names->places = memory_zeroed(count, sizeof *names->places);
}

void file_names_set(struct file_names *names, size_t i, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t folder = slash ? (size_t)(slash - name) + 1 : 0;
    if (names->kept.length == 0)
        text_append_bytes(&names->folder, name, folder);
    bool inside = names->folder.length == folder &&
                  (folder == 0 || memcmp(names->folder.data, name, folder) == 0);
    if (names->kept.length >= UINT32_MAX - 1)
        memory_missing();
    names->places[i] = (uint32_t)names->kept.length + 1;
    text_append(&names->kept, "%c%s", inside ? IN_FOLDER : COMPLETE, name + (inside ? folder : 0));
    text_append_bytes(&names->kept, "", 1);
}

const char *file_names_get(struct file_names *names, size_t i)
{
    if (names->places[i] == 0)
        return NULL;
    const char *kept = names->kept.data + names->places[i] - 1;
    if (*kept == COMPLETE || names->folder.length == 0)
        return kept + 1;
    names->shown.length = 0;
    text_append_bytes(&names->shown, names->folder.data, names->folder.length);
    text_append(&names->shown, "%s", kept + 1);
    return names->shown.data;
}

void file_names_close(struct file_names *names)
{
    text_release(&names->folder);
    text_release(&names->kept);
    text_release(&names->shown);
    free(names->places);
}
