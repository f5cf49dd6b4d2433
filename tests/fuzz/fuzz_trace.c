/*
 * The target of trace fuzzing: bytes are the file of a PE, or a pack of several. They are read as
 * they are, and once more with their checksums put right, so that what lies behind them is reached.
 * Everything that can be asked of the reader is asked, every event is printed in all formats.
 *
 * Besides, the program
 *     --repair FOLDER FILE...   copies them to the folder, a trace, with right checksums
 *     --command WORD...         is the command shmemtrace
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* For their functions that print one event, and that make checksums of packs. */
#include "trace/read/event_out.c"
#include "trace/read/pack.c"
#include "trace/read/read.h"

#define THREADS_READ 3 /* cursors of single threads that are tried */
#define EVENTS_A_VISIT 20
#define RECORDS_A_BYTE 1 /* nothing in a file is smaller */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int shmemtrace_main(int argc, char **argv); /* of src/trace/command/main.c */

static FILE *nowhere;

/* What must not be, whatever the input. */
static void require(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "fuzz_trace: %s\n", what);
    abort();
}

static void *must(void *memory)
{
    require(memory, "out of memory");
    return memory;
}

/* ---- Reading ---- */

static void print_event(struct trace_file *file, const struct trace_event *event)
{
    require(event->routine < trace_info(file)->routines, "the routine is none of the file's");
    require(trace_routine(file, event->routine), "the routine is unknown");
    trace_seconds(file, event->start);
    event_text(nowhere, file, event, event->site ? "site" : NULL);
    event_csv(nowhere, file, event, event->site ? "site" : NULL);
    event_json(nowhere, file, event, event->site ? "site" : NULL);
}

/* Events of a thread; returns what trace_next said at the end. */
static int read_events(struct trace_file *file, int thread, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, thread);
    struct trace_event event;
    size_t count = 0;
    int more;
    while ((more = trace_next(cursor, &event)) > 0) {
        require(++count <= most, "more events than bytes");
        require(thread < 0 || event.thread == (uint32_t)thread, "an event of another thread");
        print_event(file, &event);
    }
    require((more < 0) == (trace_problem(cursor) && *trace_problem(cursor) != '\0'),
            "damage without a text, or a text without damage");
    trace_cursor_free(cursor);
    return more;
}

/* Events of a thread, some at each visit. */
static void visit_events(const struct trace_file *file, const char *path, int thread, size_t most)
{
    const struct trace_info *info = trace_info(file);
    struct trace_cursor *cursor = trace_visitor(info->routines);
    struct trace_visit visit = {path, trace_routine(file, 0), info->routines, thread,
                                info->threads};
    struct trace_mark mark = {.block = trace_blocks(file)};
    struct raw_event event;
    size_t count = 0;
    for (int more = 1; more > 0;) {
        require(!trace_visit(cursor, &visit, &mark), "a file that was open cannot be visited");
        for (int i = 0; i < EVENTS_A_VISIT && (more = trace_next_raw(cursor, &event)) > 0; i++)
            require(++count <= most && event.series->routine < info->routines,
                    "more events than bytes, or a routine that is none of the file's");
        trace_leave(cursor, &mark);
    }
    trace_forget(&mark);
    trace_cursor_free(cursor);
}

static void read_phases(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    struct trace_record record;
    int64_t sum = 0;
    size_t count = 0;
    while (trace_next_record(cursor, BLOCK_PHASES, &record) > 0) {
        require(++count <= most, "more phases than bytes");
        for (size_t i = 0; i < trace_info(file)->counters; i++)
            sum ^= record.phase.counters[i];
    }
    fprintf(nowhere, "%jd\n", (intmax_t)sum);
    trace_cursor_free(cursor);
}

static void read_profiles(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    struct trace_record record;
    size_t count = 0;
    while (trace_next_record(cursor, BLOCK_PROFILE, &record) > 0) {
        require(++count <= most, "more profiles than bytes");
        require(trace_routine(file, record.profile.routine), "the profile's routine is unknown");
    }
    trace_cursor_free(cursor);
}

static void read_teams(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    int pes = trace_info(file)->pes;
    struct trace_record record;
    size_t count = 0;
    while (trace_next_record(cursor, BLOCK_TEAMS, &record) > 0) {
        const struct pe_range *range = &record.team.range;
        require(++count <= most, "more teams than bytes");
        for (int64_t i = range->index; i <= range->index + range->count; i++) {
            int64_t pe = pe_ranges_member(range, 1, i);
            require(pe >= -1 && pe < pes, "a member is none of the PEs");
            require((pe < 0) == (i == range->index + range->count), "a member is missing");
            if (range->count > 1000 && i == range->index + 1)
                i = range->index + range->count - 1;
        }
    }
    trace_cursor_free(cursor);
}

static void read_info(const struct trace_file *file)
{
    const struct trace_info *info = trace_info(file);
    event_text_header(nowhere, info);
    for (size_t i = 0; i < info->routines; i++)
        fputs(trace_routine(file, (uint32_t)i)->name, nowhere);
    for (size_t i = 0; i < info->objects; i++)
        fputs(info->object_names[i], nowhere);
    for (size_t i = 0; i < info->counters; i++)
        fputs(info->counter_names[i], nowhere);
    require(!trace_routine(file, (uint32_t)info->routines), "a routine behind the last");
}

/* Returns "refused", "damaged" or "whole". */
static const char *read_file(const char *path, size_t size)
{
    char *error = NULL;
    struct trace_file *file = trace_open(path, &error);
    if (!file) {
        require(error && *error, "refused without a reason");
        free(error);
        return "refused";
    }
    read_info(file);
    size_t most = size * RECORDS_A_BYTE;
    int end = read_events(file, -1, most);
    for (int thread = 0; thread < THREADS_READ && thread < trace_info(file)->threads; thread++) {
        read_events(file, thread, most);
        visit_events(file, path, thread, most);
    }
    read_phases(file, most);
    read_profiles(file, most);
    read_teams(file, most);
    trace_close(file);
    return end < 0 ? "damaged" : "whole";
}

/* A pack, or what is none. */
static const char *read_any(const char *path, size_t size)
{
    char *error = NULL, **files = NULL;
    long count = pack_files(path, &files, &error);
    if (count == PACK_NONE)
        return read_file(path, size);
    require((count < 0) == (error && *error),
            "a pack is refused without a reason, or read with one");
    const char *outcome = count < 0 ? "refused" : "whole";
    for (long i = 0; i < count; i++) {
        if (strcmp(read_file(files[i], size), "whole") != 0)
            outcome = "damaged";
        free(files[i]);
    }
    free(files);
    free(error);
    return outcome;
}

static const char *read_bytes(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = memfd_create("trace", 0);
    require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const char *outcome = read_any(path, size);
    close(descriptor);
    return outcome;
}

/* ---- Checksums put right ---- */

static void repair_head(uint8_t *data, size_t size)
{
    struct format_head head;
    memcpy(&head, data, sizeof head);
    memcpy(head.magic, FORMAT_MAGIC, sizeof head.magic);
    if (head.version < FORMAT_OLDEST || head.version > FORMAT_VERSION)
        head.version = FORMAT_WITH_COST - 1; /* as of older findings, which do not tell theirs */
    if (head.description_bytes > size - sizeof head)
        head.description_bytes = (uint32_t)(size - sizeof head);
    head.checksum = format_head_checksum(&head, data + sizeof head);
    memcpy(data, &head, sizeof head);
}

static size_t repair_block(uint8_t *data, size_t size)
{
    struct block_head head;
    memcpy(&head, data, sizeof head);
    if (head.bytes > size - sizeof head)
        head.bytes = (uint32_t)(size - sizeof head);
    compose_block_head(&head, data + sizeof head);
    memcpy(data, &head, sizeof head);
    return sizeof head + head.bytes;
}

static void repair(uint8_t *data, size_t size)
{
    struct format_head head;
    if (size < sizeof head)
        return;
    repair_head(data, size);
    memcpy(&head, data, sizeof head);
    size_t at = sizeof head + head.description_bytes;
    if (size - at < FORMAT_ENDING_BYTES)
        return;
    uint8_t *ending = data + at;
    uint32_t sum = format_ending_checksum(ending);
    if (ending[sizeof sum])
        memcpy(ending, &sum, sizeof sum);
    at += FORMAT_ENDING_BYTES;
    while (size - at >= sizeof(struct block_head))
        at += repair_block(data + at, size - at);
}

static bool is_pack(const uint8_t *data, size_t size)
{
    return size >= sizeof(struct pack_head) && memcmp(data, PACK_MAGIC, strlen(PACK_MAGIC)) == 0;
}

/* Files follow each other up to the end; their numbers stay as they are. */
static void repair_pack(uint8_t *data, size_t size)
{
    struct pack_head head;
    struct pack_entry entry;
    memcpy(&head, data, sizeof head);
    head.version = PACK_VERSION;
    head.bytes = size;
    if (head.files > (size - sizeof head) / sizeof entry)
        head.files = (uint32_t)((size - sizeof head) / sizeof entry);
    seal_head(&head);
    memcpy(data, &head, sizeof head);
    size_t next = sizeof head + head.files * sizeof entry;
    for (uint32_t i = 0; i < head.files; i++) {
        uint8_t *place = data + sizeof head + i * sizeof entry;
        memcpy(&entry, place, sizeof entry);
        entry.at = next;
        if (entry.bytes > size - next || i + 1 == head.files)
            entry.bytes = size - next;
        seal_entry(&entry);
        memcpy(place, &entry, sizeof entry);
        repair(data + next, entry.bytes);
        next += entry.bytes;
    }
}

static uint8_t *repaired(const uint8_t *data, size_t size)
{
    uint8_t *copy = must(malloc(size + 1));
    memcpy(copy, data, size);
    if (is_pack(data, size))
        repair_pack(copy, size);
    else
        repair(copy, size);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!nowhere)
        nowhere = must(fopen("/dev/null", "w"));
    const char *outcome = read_bytes(data, size);
    uint8_t *copy = repaired(data, size);
    const char *second = read_bytes(copy, size);
    free(copy);
    if (getenv("FUZZ_OUTCOME"))
        fprintf(stderr, "outcome: %s, repaired: %s\n", outcome, second);
    return 0;
}

/* ---- Commands ---- */

#define FILE_BYTES (64 * 1024)

static void write_file(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = must(fopen(path, "wb"));
    require(fwrite(data, 1, size, file) == size && fclose(file) == 0, "a file cannot be written");
}

static void repair_files(const char *folder, char **paths)
{
    for (int pe = 0; paths[pe]; pe++) {
        FILE *file = must(fopen(paths[pe], "rb"));
        uint8_t *data = must(malloc(FILE_BYTES));
        size_t size = fread(data, 1, FILE_BYTES, file);
        char name[64];
        fclose(file);
        repair(data, size);
        snprintf(name, sizeof name, FORMAT_NAME, pe);
        write_file(folder, name, data, size);
        free(data);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char **word = *argv + 1;
    if (*argc >= 3 && strcmp(*word, "--repair") == 0)
        repair_files(word[1], word + 2);
    else if (*argc >= 2 && strcmp(*word, "--command") == 0)
        exit(shmemtrace_main(*argc - 1, word));
    else
        return 0;
    exit(0);
}
