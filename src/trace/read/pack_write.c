/* Makes packs of the files of traces, and files of packs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/folder.h"
#include "trace/read/pack.h"

#define BUFFER_BYTES (1024 * 1024)

static char *failed(int status, int *found, const char *name, const char *what)
{
    *found = status;
    return text_format("%s: %s%s", name, what, strerror(errno));
}

/* Copies the bytes of a file of a trace to the end of the other file. */
static char *copy(FILE *out, const char *name, const char *file, const struct place *place,
                  int *status)
{
    static char buffer[BUFFER_BYTES];
    char *problem = NULL;
    FILE *from = fopen(place->path, "r");
    size_t got = from && fseeko(from, (off_t)place->at, SEEK_SET) == 0;
    for (int64_t left = place->bytes; got > 0 && left > 0 && !problem; left -= (int64_t)got) {
        got = fread(buffer, 1, left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, from);
        if (fwrite(buffer, 1, got, out) != got)
            problem = failed(1, status, name, "cannot be written: ");
    }
    if (!problem && (!from || ferror(from)))
        problem = failed(2, status, file, "");
    if (!problem && got == 0) {
        *status = 1;
        problem = text_format("%s: has become shorter; wait until the program has ended", file);
    }
    if (from)
        fclose(from);
    return problem;
}

char *pack_write(FILE *out, const char *name, char *const *files, size_t count, int *status)
{
    struct pack_head head = {.version = PACK_VERSION, .files = (uint32_t)count};
    struct pack_entry *entries = memory_zeroed(count, sizeof *entries);
    struct stat found;
    char *problem = NULL;
    memcpy(head.magic, PACK_MAGIC, sizeof head.magic);
    head.bytes = sizeof head + count * sizeof *entries;
    for (size_t i = 0; i < count && !problem; i++) {
        if (stat(files[i], &found) != 0) {
            problem = failed(2, status, files[i], "");
            break;
        }
        entries[i] =
            (struct pack_entry){.number = (uint32_t)folder_pe_of(strrchr(files[i], '/') + 1),
                                .at = head.bytes,
                                .bytes = (uint64_t)found.st_size};
        pack_seal_entry(&entries[i]);
        head.bytes += (uint64_t)found.st_size;
    }
    pack_seal_head(&head);
    if (!problem && (fwrite(&head, sizeof head, 1, out) != 1 ||
                     fwrite(entries, sizeof *entries, count, out) != count))
        problem = failed(1, status, name, "cannot be written: ");
    for (size_t i = 0; i < count && !problem; i++)
        problem =
            copy(out, name, files[i],
                 &(struct place){.path = files[i], .bytes = (int64_t)entries[i].bytes}, status);
    if (!problem && fflush(out))
        problem = failed(1, status, name, "cannot be written: ");
    free(entries);
    return problem;
}

char *pack_unpack(const char *file, const char *name, int *status)
{
    struct place place;
    char *problem = place_find(file, &place);
    *status = 1;
    if (problem)
        return problem;
    FILE *out = fopen(name, "wx");
    if (out)
        problem = copy(out, name, file, &place, status);
    if (!problem && (!out || fclose(out)))
        problem = failed(1, status, name, "cannot be written: ");
    free(place.path);
    return problem;
}
