/* Finds files of traces, also those in packs; makes packs of the files of traces, and files of
 * packs.
 */
#include "trace/read/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "trace/folder.h"
#include "trace/format.h"

#define BUFFER_BYTES (1024 * 1024)

/* ---- Heads and entries ---- */

static void seal_head(struct pack_head *head)
{
    head->checksum = hash_crc32c(0, head, offsetof(struct pack_head, checksum));
}

static void seal_entry(struct pack_entry *entry)
{
    entry->checksum = hash_crc32c(0, entry, offsetof(struct pack_entry, checksum));
}

static char *damaged(const char *path, const char *what)
{
    return text_format("%s: this pack is damaged: %s; copy it again, or make it again with "
                       "shmemsim pack",
                       path, what);
}

ssize_t place_read(int descriptor, void *data, size_t bytes, int64_t at)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(descriptor, (char *)data + done, bytes - done, (off_t)at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool read_exactly(int descriptor, void *data, size_t bytes, int64_t at)
{
    return place_read(descriptor, data, bytes, at) == (ssize_t)bytes;
}

static int64_t first_byte(const struct pack_head *head)
{
    return (int64_t)(sizeof *head + head->files * sizeof(struct pack_entry));
}

/* NULL, or what is wrong. *none: the file is no pack, which is no error. */
static char *read_head(int descriptor, const char *path, struct pack_head *head, bool *none)
{
    struct stat status;
    struct pack_head sealed;
    size_t magic = sizeof head->magic;
    *none =
        !read_exactly(descriptor, head, magic, 0) || memcmp(head->magic, PACK_MAGIC, magic) != 0;
    if (*none)
        return NULL;
    if (!read_exactly(descriptor, head, sizeof *head, 0) || fstat(descriptor, &status) != 0)
        return damaged(path, "it ends within its head");
    sealed = *head;
    seal_head(&sealed);
    if (sealed.checksum != head->checksum)
        return damaged(path, "the checksum of its head is wrong");
    if (head->version != PACK_VERSION)
        return text_format("%s: version %u of packs, this program reads version %d; use a newer "
                           "shmemsim unpack",
                           path, head->version, PACK_VERSION);
    if ((uint64_t)status.st_size < head->bytes)
        return text_format("%s: this pack is cut: it has %lld of %llu bytes; copy it again", path,
                           (long long)status.st_size, (unsigned long long)head->bytes);
    if ((uint64_t)status.st_size > head->bytes)
        return damaged(path, "something follows it");
    if (head->files == 0 || head->files > PACK_MOST_FILES || head->bytes > INT64_MAX ||
        first_byte(head) > (int64_t)head->bytes)
        return damaged(path, "its head is impossible");
    return NULL;
}

static bool is_possible(const struct pack_head *head, const struct pack_entry *entry)
{
    struct pack_entry sealed = *entry;
    seal_entry(&sealed);
    return sealed.checksum == entry->checksum && entry->number <= INT32_MAX &&
           entry->at >= (uint64_t)first_byte(head) && entry->at <= head->bytes &&
           entry->bytes <= head->bytes - entry->at;
}

/* NULL, or what is wrong. */
static char *read_entry(int descriptor, const char *path, const struct pack_head *head, size_t i,
                        struct pack_entry *entry)
{
    int64_t at = (int64_t)(sizeof *head + i * sizeof *entry);
    if (!read_exactly(descriptor, entry, sizeof *entry, at) || !is_possible(head, entry))
        return damaged(path, "its index is wrong");
    return NULL;
}

/* ---- Names ---- */

/* The pack that holds a file, which the caller frees; NULL: none does. */
static char *pack_of(const char *name, long *number)
{
    struct stat status;
    const char *slash = strrchr(name, '/');
    *number = slash ? folder_pe_of(slash + 1) : -1;
    if (*number < 0 || slash == name)
        return NULL;
    char *path = text_format("%.*s", (int)(slash - name), name);
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return path;
    free(path);
    return NULL;
}

/* Looks first at the place where the PE is if all PEs are there. */
static char *find_entry(int descriptor, const char *path, long number, struct pack_entry *entry)
{
    struct pack_head head;
    bool none;
    char *problem = read_head(descriptor, path, &head, &none);
    if (problem || none)
        return problem ? problem
                       : text_format("%s: this is neither a folder nor a pack of a trace", path);
    size_t low = 0, high = head.files, i = (size_t)number < high ? (size_t)number : high - 1;
    while (low < high) {
        problem = read_entry(descriptor, path, &head, i, entry);
        if (problem || entry->number == (uint32_t)number)
            return problem;
        if (entry->number < (uint32_t)number)
            low = i + 1;
        else
            high = i;
        i = low + (high - low) / 2;
    }
    return text_format("%s: there is no PE %ld in this pack", path, number);
}

char *place_find(const char *name, struct place *place)
{
    long number;
    struct pack_entry entry;
    *place = (struct place){.path = pack_of(name, &number), .bytes = -1};
    if (!place->path) {
        place->path = memory_text(name);
        return NULL;
    }
    int descriptor = open(place->path, O_RDONLY | O_CLOEXEC);
    char *problem = descriptor < 0 ? text_format("%s: %s", place->path, strerror(errno))
                                   : find_entry(descriptor, place->path, number, &entry);
    if (descriptor >= 0)
        close(descriptor);
    if (!problem) {
        place->at = (int64_t)entry.at;
        place->bytes = (int64_t)entry.bytes;
        return NULL;
    }
    free(place->path);
    place->path = NULL;
    return problem;
}

/* ---- All files ---- */

/* NULL, or what is wrong. Files must follow each other without a gap up to the end. */
static char *read_index(int descriptor, const char *path, const struct pack_head *head,
                        char ***files)
{
    uint64_t next = (uint64_t)first_byte(head);
    int64_t last = -1;
    char **names = memory_zeroed(head->files, sizeof *names), *problem = NULL;
    for (uint32_t i = 0; i < head->files && !problem; i++) {
        struct pack_entry entry;
        problem = read_entry(descriptor, path, head, i, &entry);
        if (!problem && (entry.at != next || (int64_t)entry.number <= last))
            problem = damaged(path, "its index is out of order");
        if (problem)
            break;
        next += entry.bytes;
        last = entry.number;
        names[i] = text_format("%s/" FORMAT_NAME, path, (int)entry.number);
    }
    if (!problem && next != head->bytes)
        problem = damaged(path, "its index does not tell of all of it");
    if (!problem) {
        *files = names;
        return NULL;
    }
    for (uint32_t i = 0; i < head->files; i++)
        free(names[i]);
    free(names);
    return problem;
}

long pack_files(const char *path, char ***files, char **error)
{
    struct pack_head head;
    bool none = false;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return PACK_NONE; /* reading it as a file of a trace says why */
    *error = read_head(descriptor, path, &head, &none);
    if (!*error && !none)
        *error = read_index(descriptor, path, &head, files);
    close(descriptor);
    return none ? PACK_NONE : *error ? TRACE_DAMAGED : (long)head.files;
}

bool trace_is_in(const char *name, const struct stat *file)
{
    struct stat status;
    long number;
    char *pack = pack_of(name, &number);
    bool same = stat(pack ? pack : name, &status) == 0 && status.st_dev == file->st_dev &&
                status.st_ino == file->st_ino;
    free(pack);
    return same;
}

/* ---- Mapping ---- */

char *trace_map(const char *name, struct trace_map *map)
{
    struct place place = {.bytes = -1};
    struct stat status;
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOTDIR) { /* the name leads into a pack */
        char *none = place_find(name, &place);
        if (none)
            return none;
        descriptor = open(place.path, O_RDONLY | O_CLOEXEC);
    }
    char *problem = NULL;
    bool good = descriptor >= 0 && fstat(descriptor, &status) == 0;
    map->mapped = MAP_FAILED;
    if (good) {
        /* Maps begin with a page. */
        int64_t before = place.at % sysconf(_SC_PAGESIZE);
        map->size = place.bytes >= 0 ? place.bytes : status.st_size;
        map->mapped_bytes = (size_t)(map->size + before);
        if (place.bytes > status.st_size - place.at)
            problem = damaged(place.path ? place.path : name, "it has become shorter");
        else
            map->mapped = mmap(NULL, map->mapped_bytes, PROT_READ, MAP_PRIVATE, descriptor,
                               (off_t)(place.at - before));
        map->data = (const unsigned char *)map->mapped + before;
    }
    if (map->mapped == MAP_FAILED && !problem)
        problem = text_format("%s: %s", name, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    free(place.path);
    return problem;
}

void trace_unmap(struct trace_map *map)
{
    munmap(map->mapped, map->mapped_bytes);
}

/* ---- Writing ---- */

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
        seal_entry(&entries[i]);
        head.bytes += (uint64_t)found.st_size;
    }
    seal_head(&head);
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
