/* shmemsim pack and unpack: one file of a trace's folder, and back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/arguments.h"
#include "trace/folder.h"
#include "trace/format.h"
#include "trace/read/pack.h"
#include "trace/read/read.h"

#define BUFFER_BYTES (1024 * 1024)

enum { ROW_OUTPUT, ROW_HELP, ROW_FORCE, ROWS };

static const struct manual_option pack_rows[ROWS] = {
    [ROW_OUTPUT] = {.name = "output",
                    .letter = 'o',
                    .value = "FILE",
                    .help = "the pack; -: standard output (default: TRACE.pack)"},
    [ROW_HELP] = {.name = "help", .letter = 'h', .help = "this text"},
    [ROW_FORCE] = OPTION_FORCE,
};
static const struct manual_option unpack_rows[ROW_FORCE] = {
    [ROW_OUTPUT] = {.name = "output",
                    .letter = 'o',
                    .value = "DIR",
                    .help = "a new or empty folder (default: the pack's name without .pack)"},
    [ROW_HELP] = {.name = "help", .letter = 'h', .help = "this text"},
};

static int pack(int argc, char **argv);
static int unpack(int argc, char **argv);

const struct sim_command pack_command = {
    .name = "pack",
    .summary = "makes one file of a trace, with an index",
    .synopsis = "[OPTION]... [TRACE]",
    .text = "Makes one file of a folder that shmemtrace has written. shmemsim and all commands of\n"
            "shmemtrace read it like the folder.",
    .rows = pack_rows,
    .count = ROWS,
    .run = pack,
};
const struct sim_command unpack_command = {
    .name = "unpack",
    .summary = "makes the folder of a packed trace again",
    .synopsis = "[OPTION]... PACK",
    .text = "Makes a folder of a packed trace again: the same files, byte by byte.",
    .rows = unpack_rows,
    .count = ROW_FORCE,
    .run = unpack,
};

/* ---- Options ---- */

struct request {
    const struct sim_command *command;
    const char *output, *input;
    bool force;
};

static void take_option(void *context, size_t row, const char *value)
{
    struct request *request = context;
    if (row == ROW_OUTPUT)
        request->output = value;
    if (row == ROW_FORCE)
        request->force = true;
    if (row == ROW_HELP)
        command_help(request->command);
}

static struct request parse(const struct sim_command *command, const char *standard, int argc,
                            char **argv)
{
    struct request request = {.command = command};
    char *help = text_format("shmemsim %s", command->name);
    int at =
        arguments_parse(command->rows, command->count, help, argc, argv, take_option, &request);
    request.input = at < argc ? argv[at] : standard;
    if (!request.input)
        fail(2, "unpack: name a pack; shmemsim unpack -h says more");
    if (at + 1 < argc)
        fail(2, text_format("%s: %s: one trace at a time", command->name, argv[at + 1]));
    free(help);
    return request;
}

/* ---- Copying ---- */

/* A file that is written. What has been made is deleted when it cannot be completed. */
struct target {
    FILE *file;
    const char *name;
    bool deleted;
    const char *folder; /* of an unpacked trace */
    char *const *files; /* that have been written there, as named in the pack */
    long count;
};

static char *name_in(const char *folder, const char *file)
{
    return text_format("%s/%s", folder, strrchr(file, '/') + 1);
}

static _Noreturn void give_up(const struct target *target, int status, const char *text)
{
    if (target->deleted)
        unlink(target->name);
    for (long i = 0; i < target->count; i++)
        unlink(name_in(target->folder, target->files[i]));
    fail(status, text);
}

static _Noreturn void write_failed(const struct target *target)
{
    give_up(target, 1, text_format("%s: cannot be written: %s", target->name, strerror(errno)));
}

static void put(const struct target *target, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, target->file) != bytes)
        write_failed(target);
}

/* Of a file of a trace, as many bytes as it has; ends the program where it has fewer. */
static void copy(const struct target *target, const char *name, const struct place *place)
{
    static char buffer[BUFFER_BYTES];
    FILE *from = fopen(place->path, "r");
    size_t got = from && fseeko(from, (off_t)place->at, SEEK_SET) == 0;
    for (int64_t left = place->bytes; got > 0 && left > 0; left -= (int64_t)got) {
        got = fread(buffer, 1, left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, from);
        put(target, buffer, got);
    }
    if (!from || ferror(from))
        give_up(target, 2, text_format("%s: %s", name, strerror(errno)));
    if (got == 0)
        give_up(target, 1,
                text_format("%s: has become shorter; wait until the program has ended", name));
    fclose(from);
}

/* ---- Packing ---- */

static void write_index(const struct target *target, char *const *files, size_t count,
                        struct place *places)
{
    struct pack_head head = {.version = PACK_VERSION, .files = (uint32_t)count};
    struct pack_entry *entries = memory_zeroed(count, sizeof *entries);
    memcpy(head.magic, PACK_MAGIC, sizeof head.magic);
    head.bytes = sizeof head + count * sizeof *entries;
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        places[i] = (struct place){.path = files[i]};
        if (stat(files[i], &status) != 0)
            give_up(target, 2, text_format("%s: %s", files[i], strerror(errno)));
        places[i].bytes = status.st_size;
        entries[i] =
            (struct pack_entry){.number = (uint32_t)folder_pe_of(strrchr(files[i], '/') + 1),
                                .at = head.bytes,
                                .bytes = (uint64_t)status.st_size};
        pack_seal_entry(&entries[i]);
        head.bytes += (uint64_t)status.st_size;
    }
    pack_seal_head(&head);
    put(target, &head, sizeof head);
    put(target, entries, count * sizeof *entries);
    free(entries);
}

/* Without slashes at its end. */
static char *trimmed(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return memory_text_part(path, length);
}

static char **folder_files(const char *folder, size_t *count)
{
    struct stat status;
    char **files, *error;
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
        fail(2,
             text_format("pack: %s: is no folder; name one that shmemtrace has written", folder));
    long found = trace_files(folder, &files, &error);
    if (found < 0)
        fail(2, error);
    if (found > PACK_MOST_FILES)
        fail(2, text_format("pack: %s: has more than %d files", folder, PACK_MOST_FILES));
    *count = (size_t)found;
    return files;
}

static int pack(int argc, char **argv)
{
    struct request request = parse(&pack_command, "shmemtrace.out", argc, argv);
    char *folder = trimmed(request.input), *standard = text_format("%s.pack", folder);
    const char *output = request.output ? request.output : standard;
    size_t count;
    char **files = folder_files(folder, &count);
    output_check(output, request.force);
    for (size_t i = 0; i < count; i++)
        output_differs(output, files[i]);
    FILE *file = sim_output_open(output, NULL, NULL);
    struct stat status;
    bool regular = file != stdout && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    struct target target = {.file = file, .name = output, .deleted = regular};
    struct place *places = memory_zeroed(count, sizeof *places);
    write_index(&target, files, count, places);
    for (size_t i = 0; i < count; i++) {
        copy(&target, files[i], &places[i]);
        free(files[i]);
    }
    if (fflush(file) || ferror(file))
        write_failed(&target);
    sim_output_close(file, output);
    free(files);
    free(places);
    free(folder);
    free(standard);
    return 0;
}

/* ---- Unpacking ---- */

/* What the pack is called without .pack. */
static char *folder_of(const char *path)
{
    static const char suffix[] = ".pack";
    size_t length = strlen(path), end = sizeof suffix - 1;
    if (length <= end || strcmp(path + length - end, suffix) != 0 || path[length - end - 1] == '/')
        fail(2, text_format("unpack: %s: name the folder: -o DIR", path));
    return memory_text_part(path, length - end);
}

static int unpack(int argc, char **argv)
{
    struct request request = parse(&unpack_command, NULL, argc, argv);
    char **files, *error = NULL;
    long count = pack_files(request.input, &files, &error);
    if (count == TRACE_DAMAGED)
        fail(1, error);
    if (count < 0) {
        FILE *file = fopen(request.input, "r");
        fail(2, file
                    ? text_format("unpack: %s: is no pack; shmemsim pack makes them", request.input)
                    : text_format("%s: %s", request.input, strerror(errno)));
    }
    char *folder = request.output ? memory_text(request.output) : folder_of(request.input);
    sim_output_folder(folder);
    struct target target = {.folder = folder, .files = files, .deleted = true};
    for (; target.count < count; target.count++) {
        struct place place;
        const char *file = files[target.count];
        char *name = name_in(folder, file);
        target.name = name;
        if ((error = place_find(file, &place)))
            give_up(&target, 1, error);
        if (!(target.file = fopen(name, "wx")))
            write_failed(&target);
        copy(&target, file, &place);
        if (fclose(target.file))
            write_failed(&target);
        free(place.path);
        free(name);
    }
    for (long i = 0; i < count; i++)
        free(files[i]);
    free(files);
    free(folder);
    return 0;
}
