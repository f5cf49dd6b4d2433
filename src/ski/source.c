/* Reads the script and its includes, and packs them for the other PEs. */
#include "ski/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/kind.h"
#include "base/memory.h"
#include "base/text.h"

/* A script is written by hand; a larger file is a mistake (a device, a core file). */
#define SOURCE_LIMIT ((size_t)4 << 20)

enum file_kind { FILE_MAIN, FILE_INCLUDE, FILE_GIVEN };

struct file {
    enum file_kind kind;
    char *name;
    char *text;
    size_t length;
    struct stat status; /* of the file that it was read from; all 0 if it was read from none */
};

struct source {
    struct file *files;
    size_t count;
    bool reads_files;
};

static struct source *source_create(bool reads_files)
{
    struct source *source = memory_zeroed(1, sizeof *source);

    source->reads_files = reads_files;
    return source;
}

void source_release(struct source *source)
{
    if (!source)
        return;
    for (size_t i = 0; i < source->count; i++) {
        free(source->files[i].name);
        free(source->files[i].text);
    }
    free(source->files);
    free(source);
}

/* The text is copied without a byte order mark, so that columns start at 1 after it. */
static int source_append(struct source *source, enum file_kind kind, const char *name,
                         const char *text, size_t length)
{
    struct file *file;

    source->files = memory_resize_array(source->files, source->count + 1, sizeof *source->files);
    file = &source->files[source->count];
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    file->status = (struct stat){0};
    file->kind = kind;
    file->name = text_format("%s", name);
    file->text = memory_allocate(length + 1);
    if (length > 0)
        memcpy(file->text, text, length);
    file->text[length] = '\0';
    file->length = length;
    return (int)source->count++;
}

/* Reads everything into text. NULL, or why that failed, which the caller frees. */
static char *read_all(int descriptor, struct text *text, struct stat *status)
{
    char buffer[16384];
    ssize_t got;

    if (fstat(descriptor, status) != 0)
        return memory_text(strerror(errno));
    while ((got = read(descriptor, buffer, sizeof buffer)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return memory_text(strerror(errno));
        text_append_bytes(text, buffer, (size_t)got);
        if (text->length > SOURCE_LIMIT)
            return memory_text("larger than 4 MiB, so it is not a script");
    }
    return NULL;
}

/* Why a text is no script, and what reads it; NULL: it may be one. path: NULL for standard input.
 * The caller frees it. */
static char *foreign(const struct text *text, const char *path)
{
    bool binary = text->length > 0 && memchr(text->data, '\0', text->length),
         json = text->length > 0 && text->data[0] == '{';
    char *misfit = path ? kind_misfit(path, "oshrun") : NULL; /* which runs scripts */

    if (misfit || !(binary || json))
        return misfit;
    return text_format("this is no script but %s", binary ? "a binary file" : "JSON");
}

static char *read_file(const char *path, bool must_be_regular, struct text *text,
                       struct stat *status)
{
    /* Opening a pipe or a device may block forever. */
    if (stat(path, status) != 0)
        return memory_text(strerror(errno));
    if (S_ISDIR(status->st_mode))
        return memory_text(strerror(EISDIR));
    if (must_be_regular && !S_ISREG(status->st_mode))
        return memory_text("not a regular file");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return memory_text(strerror(errno));
    char *problem = read_all(descriptor, text, status), *misfit = foreign(text, path);
    close(descriptor);
    if (misfit)
        free(problem);
    return misfit ? misfit : problem;
}

static struct source *open_as(const char *path, const char *name, char **problem)
{
    struct source *source = NULL;
    struct text text = {0};
    struct stat status;

    *problem =
        path ? read_file(path, false, &text, &status) : read_all(STDIN_FILENO, &text, &status);
    if (!path && !*problem)
        *problem = foreign(&text, NULL);
    if (!*problem) {
        source = source_create(true);
        source_append(source, FILE_MAIN, name, text.length > 0 ? text.data : "", text.length);
        source->files[0].status = status;
    }
    text_release(&text);
    return source;
}

struct source *source_open(const char *path, const char *const *search, size_t count, char **error)
{
    bool given = strcmp(path, "-") == 0, here = strchr(path, '/') || access(path, F_OK) == 0;
    char *name = memory_text(path), *problem;
    struct text looked = {0};

    for (size_t i = 0; i < count && !given && !here; i++) {
        char *candidate = text_format("%s/%s", search[i], path);

        here = access(candidate, F_OK) == 0;
        text_append(&looked, "%s%s", i ? ", " : "; looked in the current directory, ", search[i]);
        free(here ? name : candidate);
        name = here ? candidate : name;
    }
    struct source *source =
        given ? open_as(NULL, "<stdin>", &problem) : open_as(name, name, &problem);

    *error = source  ? NULL
             : given ? text_format("cannot read the script from standard input: %s", problem)
                     : text_format("cannot read script '%s': %s%s", name, problem,
                                   here || !looked.length ? "" : looked.data);
    free(problem);
    free(name);
    text_release(&looked);
    return source;
}

const char *source_read_from(const struct source *source, const struct stat *status)
{
    for (size_t i = 0; i < source->count; i++) {
        const struct file *file = &source->files[i];

        if (S_ISREG(file->status.st_mode) && file->status.st_dev == status->st_dev &&
            file->status.st_ino == status->st_ino)
            return file->name;
    }
    return NULL;
}

struct source *source_from_text(const char *name, const char *text, size_t length)
{
    struct source *source = source_create(true);

    source_append(source, FILE_MAIN, name, text, length);
    return source;
}

int source_add_text(struct source *source, const char *name, const char *text)
{
    for (size_t i = 0; i < source->count; i++) {
        const struct file *file = &source->files[i];

        if (file->kind == FILE_GIVEN && strcmp(file->name, name) == 0 &&
            strcmp(file->text, text) == 0)
            return (int)i;
    }
    return source_append(source, FILE_GIVEN, name, text, strlen(text));
}

int source_include(struct source *source, const char *path, char **error)
{
    const char *main_name = source->files[0].name;
    const char *slash = strrchr(main_name, '/');
    struct text text = {0};
    struct stat status = {0};
    char *name, *problem = NULL;
    int file = -1;

    *error = NULL;
    if (path[0] == '/' || !slash)
        name = text_format("%s", path);
    else
        name = text_format("%.*s/%s", (int)(slash - main_name), main_name, path);
    for (size_t i = 0; i < source->count && file < 0; i++)
        if (source->files[i].kind != FILE_GIVEN && strcmp(source->files[i].name, name) == 0)
            file = (int)i;
    if (file < 0) {
        problem = source->reads_files ? read_file(name, true, &text, &status)
                                      : memory_text("PE 0 has not read it");
        if (!problem) {
            file = source_append(source, FILE_INCLUDE, name, text.length > 0 ? text.data : "",
                                 text.length);
            source->files[file].status = status;
        } else {
            *error = text_format("cannot read the include '%s': %s", name, problem);
        }
    }
    text_release(&text);
    free(problem);
    free(name);
    return file;
}

const char *source_name(const struct source *source, int file)
{
    return source->files[file].name;
}

const char *source_text(const struct source *source, int file, size_t *length)
{
    *length = source->files[file].length;
    return source->files[file].text;
}

const char *source_line(const struct source *source, int file, int line, size_t *length)
{
    const char *text = source->files[file].text;
    const char *end = text + source->files[file].length;
    const char *line_end;

    for (; line > 1; line--) {
        text = memchr(text, '\n', (size_t)(end - text));
        if (!text) {
            *length = 0;
            return end;
        }
        text++;
    }
    line_end = memchr(text, '\n', (size_t)(end - text));
    if (!line_end)
        line_end = end;
    if (line_end > text && line_end[-1] == '\r')
        line_end--;
    *length = (size_t)(line_end - text);
    return text;
}

size_t source_file_count(const struct source *source)
{
    return source->count;
}

unsigned long long source_checksum(const struct source *source)
{
    uint64_t hash = HASH_EMPTY;

    for (size_t i = 0; i < source->count; i++) {
        const struct file *file = &source->files[i];

        if (file->kind != FILE_GIVEN)
            hash = hash_bytes(hash, file->text, file->length);
    }
    return hash;
}

/* Packed form: per file its kind and the lengths of name and text, then name and text. All PEs run
 * the same program on the same kind of machine, so the numbers need no conversion. */
struct packed_file {
    uint64_t kind, name_length, text_length;
};

void *source_pack(const struct source *source, size_t *bytes)
{
    struct text packed = {0};

    for (size_t i = 0; i < source->count; i++) {
        const struct file *file = &source->files[i];
        struct packed_file header = {file->kind, strlen(file->name), file->length};

        text_append_bytes(&packed, (const char *)&header, sizeof header);
        text_append_bytes(&packed, file->name, header.name_length);
        text_append_bytes(&packed, file->text, header.text_length);
    }
    *bytes = packed.length;
    return text_take(&packed);
}

struct source *source_unpack(const void *packed, size_t bytes)
{
    struct source *source = source_create(false);
    const char *next = packed;
    const char *end = next + bytes;

    while (next < end) {
        struct packed_file header;
        char *name;

        memcpy(&header, next, sizeof header);
        next += sizeof header;
        name = text_format("%.*s", (int)header.name_length, next);
        next += header.name_length;
        source_append(source, (enum file_kind)header.kind, name, next, header.text_length);
        next += header.text_length;
        free(name);
    }
    return source;
}
