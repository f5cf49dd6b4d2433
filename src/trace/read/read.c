/* Reads the files of a trace. */
#define _GNU_SOURCE /* strptime, timegm */
#include "trace/read/read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/kind.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "trace/encode.h"
#include "trace/format.h"
#include "trace/read/pack.h"

#define DESCRIPTION_MOST_BYTES (16 * 1024 * 1024)
#define ROUTINES_MOST 65535 /* encoders number them with 16 bits */
#define OBJECTS_MOST 65536  /* places number them with 16 bits */
#define COUNTERS_MOST 64

struct trace_file {
    struct trace_info info;
    char *path; /* its name in messages */
    struct place place;
    int descriptor;    /* while it is opened; -1: not open */
    int64_t blocks;    /* where they begin */
    bool modules_read; /* what follows */
    struct trace_module *modules;
    size_t module_count;
    struct table sites; /* by their return addresses */
    char **texts;       /* all that are to be freed */
    size_t text_count, text_room;
};

struct trace_cursor {
    struct trace_file *file; /* NULL: the cursor visits files that are mapped */
    struct trace_visit visit;
    struct trace_map map;
    int64_t next;           /* where the next block begins */
    struct block_head head; /* of the current one */
    int64_t at;             /* where that begins */
    uint32_t left;          /* records of it */
    unsigned char *buffer;  /* of a file that is not mapped */
    size_t room;
    const unsigned char *payload;
    struct decoder decoder;
    struct input input; /* of blocks without events */
    int64_t *counters;
    char *problem;
    bool ended;
};

/* ---- Head ---- */

/* Keeps a text in a form that a terminal may show, since names in a damaged or foreign trace can
 * hold anything. */
static const char *keep_text(struct trace_file *file, struct input *input)
{
    size_t length;
    const char *bytes = take_text(input, &length);
    char *text = memory_text_part(bytes ? bytes : "", bytes ? length : 0);
    char *kept = text_printable(text, false);
    memory_push(file->texts, file->text_count, &file->text_room, kept);
    free(text);
    return kept;
}

/* Takes a count of things that take at least a byte each. If fewer bytes are left, the input is
 * bad, and the count 0. */
static size_t take_count(struct input *input, size_t most)
{
    uint64_t count = take_number(input);
    if (count <= most && count <= (uint64_t)(input->end - input->next))
        return (size_t)count;
    input->bad = true;
    return 0;
}

static const char *const *keep_texts(struct trace_file *file, struct input *input, size_t count)
{
    const char **texts = memory_zeroed(count, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = keep_text(file, input);
    return texts;
}

static void take_routines(struct trace_file *file, struct input *input)
{
    file->info.routines = take_count(input, ROUTINES_MOST);
    struct trace_routine *routine = memory_zeroed(file->info.routines, sizeof *routine);
    file->info.routine = routine;
    for (size_t i = 0; i < file->info.routines; i++, routine++) {
        routine->name = keep_text(file, input);
        uint64_t class = take_number(input), type = take_number(input);
        uint64_t bytes = take_number(input), fields = take_number(input);
        if (class >= TRACE_CLASSES || type > TRACE_DOUBLE || bytes > INT32_MAX ||
            fields >> TRACE_FIELDS)
            input->bad = true;
        routine->class = (enum trace_class) class;
        routine->type = (enum trace_type)type;
        routine->element_bytes = (unsigned)bytes;
        routine->fields = (uint32_t)fields;
    }
}

static struct clock_fix take_fix(struct input *input, bool rate)
{
    struct clock_fix fix = {.rate = 1, .bound = NAN};
    fix.known = take_number(input) == 1;
    fix.local = take_signed(input);
    fix.global = take_signed(input);
    if (rate)
        fix.rate = take_real(input);
    fix.bound = take_real(input);
    return fix;
}

/* Whether the tracer can have added these seconds to a call. */
static bool is_cost(double seconds)
{
    return seconds >= 0 && seconds < 1;
}

/* Reads the description, in the order in which compose_description() writes it. */
static bool take_description(struct trace_file *file, struct input *input)
{
    struct trace_info *info = &file->info;
    uint64_t pe = take_number(input), pes = take_number(input);
    info->host = keep_text(file, input);
    info->command = keep_text(file, input);
    info->library = keep_text(file, input);
    info->version = keep_text(file, input);
    info->date = keep_text(file, input);
    info->profile = take_number(input) == 1;
    info->clock = keep_text(file, input);
    info->ticks_per_second = take_real(input);
    info->beginning = take_signed(input);
    info->start = take_fix(input, true);
    info->counters = take_count(input, COUNTERS_MOST);
    info->counter_names = keep_texts(file, input, info->counters);
    info->objects = take_count(input, OBJECTS_MOST);
    info->object_names = keep_texts(file, input, info->objects);
    take_routines(file, input);
    info->selection = input->next < input->end ? keep_text(file, input) : "";
    if (info->format >= FORMAT_WITH_COST) {
        info->cost_between = 1e-9 * take_real(input);
        info->cost_inside = 1e-9 * take_real(input);
    }
    info->pe = (int)pe;
    info->pes = (int)pes;
    return !input->bad && pes > 0 && pes <= INT32_MAX && pe < pes &&
           isfinite(info->ticks_per_second) && info->ticks_per_second > 0 &&
           isfinite(info->start.rate) && info->start.rate > 0 && is_cost(info->cost_between) &&
           is_cost(info->cost_inside);
}

/* Reads bytes at a place of the file. Returns their number, which is less at its end; -1: errno
 * says why. */
static ssize_t read_at(const struct trace_file *file, void *data, size_t bytes, int64_t at)
{
    const struct place *place = &file->place;
    if (place->bytes >= 0 && (int64_t)bytes > place->bytes - at)
        bytes = at < place->bytes ? (size_t)(place->bytes - at) : 0;
    bool open_already = file->descriptor >= 0;
    int descriptor = open_already ? file->descriptor : open(place->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    ssize_t got = place_read(descriptor, data, bytes, place->at + at);
    if (!open_already)
        close(descriptor);
    return got;
}

/* Reads how the program ended; a damaged ending counts as none. */
static void read_ending(struct trace_file *file, int64_t at)
{
    unsigned char bytes[FORMAT_ENDING_BYTES];
    uint32_t sum;
    struct trace_info *info = &file->info;
    info->end = "";
    info->clock_bound = NAN;
    if (read_at(file, bytes, sizeof bytes, at) != (ssize_t)sizeof bytes)
        return;
    memcpy(&sum, bytes, sizeof sum);
    if (sum == 0 || sum != format_ending_checksum(bytes))
        return;
    struct input input = {bytes + sizeof sum, bytes + sizeof bytes, false};
    const char *reason = keep_text(file, &input);
    uint64_t events = take_number(&input), dropped = take_number(&input);
    uint64_t threads = take_number(&input);
    struct clock_fix end = take_fix(&input, false);
    /* Both 0 in older files. */
    uint64_t lost = take_number(&input);
    int64_t realtime = take_signed(&input);
    if (input.bad || threads > THREADS_MOST)
        return;
    info->end = reason;
    info->complete = true;
    info->events = events;
    info->dropped = dropped;
    info->lost = lost < dropped ? lost : dropped;
    info->threads = (int)threads;
    info->finish = end;
    info->realtime = realtime;
    info->start_alone = info->start.known && !end.known;
    if (end.known && info->start.known)
        info->clock_bound = fmax(end.bound, info->start.bound);
}

static bool read_head(struct trace_cursor *cursor);
static struct trace_cursor *new_cursor(struct trace_file *file, int thread);

/* Counts threads and events by the heads of blocks, where there is no ending. */
static void count_blocks(struct trace_file *file)
{
    struct trace_cursor *cursor = new_cursor(file, -1);
    struct stat status;
    int64_t size = file->place.bytes >= 0           ? file->place.bytes
                   : stat(file->path, &status) == 0 ? status.st_size
                                                    : 0;
    while (read_head(cursor)) {
        /* A block that is cut off counts, too: reading its thread reports it. */
        if ((int64_t)cursor->head.thread >= file->info.threads)
            file->info.threads = (int)cursor->head.thread + 1;
        if (cursor->next > size)
            break;
        if (cursor->head.kind == BLOCK_EVENTS)
            file->info.events += cursor->head.records;
    }
    if (cursor->problem && file->info.threads == 0)
        file->info.threads = 1;
    trace_cursor_free(cursor);
}

/* Latest date that is believed (ns since 1970; in the year 2223). Damaged files may state later
 * ones. */
#define LAST_DATE INT64_C(8000000000000000000)

/* The date was written when clocks had been synchronized. */
static int64_t realtime_of_beginning(const struct trace_file *file)
{
    struct tm utc = {0};
    int64_t then = file->info.realtime;
    if (then <= 0) {
        if (!strptime(file->info.date, "%Y-%m-%dT%H:%M:%SZ", &utc))
            return 0;
        int64_t seconds = timegm(&utc);
        then = seconds > 0 && seconds < LAST_DATE / 1000000000 ? seconds * 1000000000 : 0;
    }
    double since = 1e9 * trace_seconds(file, file->info.start.local);
    bool possible = then > 0 && then < LAST_DATE && fabs(since) < 1e18;
    return possible ? then - (int64_t)since : 0;
}

static char *read_beginning(struct trace_file *file)
{
    struct format_head head;
    ssize_t got = read_at(file, &head, sizeof head, 0);
    if (got < 0)
        return text_format("%s: %s", file->path, strerror(errno));
    if (got < (ssize_t)sizeof head || memcmp(head.magic, FORMAT_MAGIC, sizeof head.magic) != 0) {
        char *misfit = kind_misfit(file->path, "shmemtrace");
        char *error = text_format("%s: this is no trace; %s", file->path,
                                  misfit ? misfit
                                         : "name a folder that shmemtrace has written, or a file "
                                           "of it");
        free(misfit);
        return error;
    }
    if (head.version < FORMAT_OLDEST || head.version > FORMAT_VERSION)
        return text_format("%s: format version %u, this program reads versions %d to %d; use the "
                           "shmemtrace that recorded it",
                           file->path, head.version, FORMAT_OLDEST, FORMAT_VERSION);
    if (head.description_bytes > DESCRIPTION_MOST_BYTES)
        return text_format("%s: damaged at its beginning; record it again", file->path);
    file->info.format = (int)head.version;
    unsigned char *description = memory_zeroed(head.description_bytes, 1);
    got = read_at(file, description, head.description_bytes, (int64_t)sizeof head);
    struct input input = {description, description + head.description_bytes, false};
    bool good = got == (ssize_t)head.description_bytes &&
                head.checksum == format_head_checksum(&head, description) &&
                take_description(file, &input);
    free(description);
    if (!good)
        return text_format("%s: damaged at its beginning; record it again", file->path);
    int64_t ending = (int64_t)sizeof head + head.description_bytes;
    file->blocks = ending + FORMAT_ENDING_BYTES;
    read_ending(file, ending);
    if (!file->info.complete)
        count_blocks(file);
    file->info.realtime = realtime_of_beginning(file);
    return NULL;
}

struct trace_file *trace_open(const char *path, char **error)
{
    struct trace_file *file = memory_zeroed(1, sizeof *file);
    struct stat status;
    file->path = memory_text(path);
    *error = place_find(path, &file->place);
    if (!*error && file->place.bytes < 0 && stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        *error = text_format("%s: this is no file; name a file of a trace", path);
    if (!*error) {
        /* The file is opened once for all parts of its beginning, since there may be many files. */
        file->descriptor = open(file->place.path, O_RDONLY | O_CLOEXEC);
        *error = read_beginning(file);
        if (file->descriptor >= 0)
            close(file->descriptor);
        file->descriptor = -1;
    }
    if (!*error)
        return file;
    trace_close(file);
    return NULL;
}

void trace_close(struct trace_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->text_count; i++)
        free(file->texts[i]);
    free(file->texts);
    free((void *)(uintptr_t)file->info.counter_names);
    free((void *)(uintptr_t)file->info.object_names);
    table_free(&file->sites);
    free(file->modules);
    free((void *)(uintptr_t)file->info.routine);
    free(file->place.path);
    free(file->path);
    free(file);
}

const struct trace_info *trace_info(const struct trace_file *file)
{
    return &file->info;
}

int64_t trace_blocks(const struct trace_file *file)
{
    return file->blocks;
}

const struct trace_routine *trace_routine(const struct trace_file *file, uint32_t routine)
{
    return routine < file->info.routines ? &file->info.routine[routine] : NULL;
}

/* The number of a call site, for the decoder. */
static uint32_t number_site(void *context, const uint64_t *addresses, size_t depth)
{
    struct trace_file *file = context;
    return 1 + (uint32_t)table_number(&file->sites, addresses, depth * sizeof *addresses);
}

const uint64_t *trace_site(const struct trace_file *file, uint32_t site, size_t *depth)
{
    *depth = 0;
    if (site == 0 || site > file->sites.count)
        return NULL;
    /* Keys are multiples of an address, so they are aligned. */
    *depth = file->sites.entries[site - 1].size / sizeof(uint64_t);
    return table_key(&file->sites, site - 1);
}

/* Interpolates on a straight line between the two fixes. With one fix, uses the rate that was known
 * then. */
double trace_seconds(const struct trace_file *file, int64_t ticks)
{
    const struct clock_fix *start = &file->info.start, *end = &file->info.finish;
    int64_t since = (int64_t)((uint64_t)ticks - (uint64_t)start->local);
    double rate = start->rate;
    if (start->known && end->known && end->local > start->local)
        rate = ((double)end->global - (double)start->global) /
               ((double)end->local - (double)start->local);
    int64_t base = (int64_t)((uint64_t)start->global - (uint64_t)file->info.beginning);
    if (rate == 1) /* exact, so that shared clocks agree to the tick */
        return (double)(int64_t)((uint64_t)base + (uint64_t)since) / file->info.ticks_per_second;
    return ((double)base + (double)since * rate) / file->info.ticks_per_second;
}

/* ---- Blocks ---- */

static struct trace_cursor *new_cursor(struct trace_file *file, int thread)
{
    struct trace_cursor *cursor = memory_zeroed(1, sizeof *cursor);
    cursor->file = file;
    cursor->visit =
        (struct trace_visit){file->path, file->info.routine, file->info.routines, thread,
                             file->info.complete ? file->info.threads : THREADS_MOST};
    cursor->next = file->blocks;
    return cursor;
}

static bool damaged(struct trace_cursor *cursor, const char *how)
{
    if (!cursor->problem)
        cursor->problem = text_format(
            "%s: damaged at byte %lld: %s; %s", cursor->visit.path, (long long)cursor->at, how,
            cursor->file ? "everything before that is read" : "record it again");
    cursor->ended = true;
    return false;
}

/* The head of the next block, of any thread; false: there is none, or a problem. */
static bool read_head(struct trace_cursor *cursor)
{
    struct block_head *head = &cursor->head;
    if (cursor->ended)
        return false;
    cursor->at = cursor->next;
    int64_t rest = INT64_MAX;
    if (cursor->file) {
        ssize_t got = read_at(cursor->file, head, sizeof *head, cursor->at);
        if (got < 0)
            return damaged(cursor, strerror(errno));
        if (got < (ssize_t)sizeof *head)
            rest = got;
    } else {
        rest = cursor->map.size - cursor->at;
        if (rest >= (int64_t)sizeof *head)
            memcpy(head, cursor->map.data + cursor->at, sizeof *head);
    }
    if (rest == 0) {
        cursor->ended = true;
        return false;
    }
    const char *problem = format_block_problem(head, rest, NULL);
    if (problem)
        return damaged(cursor, problem);
    cursor->next = cursor->at + (int64_t)sizeof *head + head->bytes;
    return true;
}

/* Makes payload that of the block whose head was read. check: its checksum, too. */
static bool find_payload(struct trace_cursor *cursor, bool check)
{
    const struct block_head *head = &cursor->head;
    int64_t at = cursor->at + (int64_t)sizeof *head;
    int64_t rest = INT64_MAX;
    if (cursor->file) {
        if (head->bytes > cursor->room || !cursor->buffer) {
            free(cursor->buffer);
            cursor->room = head->bytes + 1; /* empty ones have an address, too */
            cursor->buffer = memory_zeroed(cursor->room, 1);
        }
        ssize_t got = read_at(cursor->file, cursor->buffer, head->bytes, at);
        if (got < 0)
            return damaged(cursor, strerror(errno));
        rest = (int64_t)sizeof *head + got;
    }
    cursor->payload = cursor->file ? cursor->buffer : cursor->map.data + at;
    const char *problem = format_block_problem(head, rest, check ? cursor->payload : NULL);
    return !problem || damaged(cursor, problem);
}

/* The next block of that kind and the cursor's thread; 1, 0, -1 as trace_next. */
static int next_block(struct trace_cursor *cursor, enum block_kind kind)
{
    const struct trace_visit *visit = &cursor->visit;
    while (read_head(cursor)) {
        if (cursor->head.kind != kind)
            continue;
        if (cursor->head.thread >= (uint32_t)visit->threads) {
            damaged(cursor, "a block of a thread that is not there");
            break;
        }
        if (visit->thread >= 0 && cursor->head.thread != (uint32_t)visit->thread)
            continue;
        if (!find_payload(cursor, true))
            break;
        cursor->left = cursor->head.records;
        return 1;
    }
    return cursor->problem ? -1 : 0;
}

/* Allocates the decoder only now, since a trace may have many threads without events, each with a
 * cursor. */
static void begin_events(struct trace_cursor *cursor)
{
    struct decoder *decoder = &cursor->decoder;
    if (!decoder->series) {
        decoder->routines = cursor->visit.routines;
        decoder->routine_count = cursor->visit.routine_count;
        decoder->latest = memory_zeroed(decoder->routine_count, sizeof *decoder->latest);
        decoder->series = memory_zeroed(SERIES_MOST, sizeof *decoder->series);
        decoder->number_site = cursor->file ? number_site : NULL;
        decoder->context = cursor->file;
    }
    decoder_begin(decoder, cursor->payload, cursor->head.bytes, cursor->head.base,
                  cursor->head.phase);
}

struct trace_cursor *trace_events(struct trace_file *file, int thread)
{
    struct trace_cursor *cursor = new_cursor(file, thread);
    cursor->counters = memory_zeroed(file->info.counters, sizeof *cursor->counters);
    return cursor;
}

/* Decodes the next event, with all its values if event is given. */
static inline int next_event(struct trace_cursor *cursor, struct raw_event *raw,
                             struct trace_event *event)
{
    while (__builtin_expect(cursor->left == 0, 0)) {
        int got = next_block(cursor, BLOCK_EVENTS);
        if (got != 1)
            return got;
        begin_events(cursor);
    }
    const char *problem =
        event ? decode_event(&cursor->decoder, event) : decode_raw(&cursor->decoder, raw);
    if (__builtin_expect(problem != NULL, 0)) {
        cursor->left = 0;
        damaged(cursor, problem);
        return -1;
    }
    cursor->left--;
    return 1;
}

int trace_next(struct trace_cursor *cursor, struct trace_event *event)
{
    int got = next_event(cursor, NULL, event);
    if (got == 1) {
        event->thread = cursor->head.thread;
        event->index = cursor->head.first + (cursor->head.records - cursor->left - 1);
    }
    return got;
}

int trace_next_raw(struct trace_cursor *cursor, struct raw_event *event)
{
    return next_event(cursor, event, NULL);
}

/* Whether the team's range has PEs that exist, and members that are in the team. */
static bool is_possible(const struct trace_team *team, int64_t pes)
{
    const struct pe_range *range = &team->range;
    if (team->size < 1 || team->size > pes || range->count < 1 || range->count > team->size ||
        range->index < 0 || range->index > team->size - range->count || range->first < 0 ||
        range->first >= pes)
        return false;
    if (range->count == 1)
        return true;
    int64_t last = range->first + (range->count - 1) * range->stride;
    return range->stride != 0 && range->stride > -pes && range->stride < pes && last >= 0 &&
           last < pes;
}

int trace_next_record(struct trace_cursor *cursor, enum block_kind kind,
                      struct trace_record *record)
{
    struct input *input = &cursor->input;
    struct trace_file *file = cursor->file;
    bool good = true;
    while (cursor->left == 0) {
        int got = next_block(cursor, kind);
        if (got != 1)
            return got;
        *input = (struct input){cursor->payload, cursor->payload + cursor->head.bytes, false};
    }
    cursor->left--;
    record->thread = cursor->head.thread;
    if (kind == BLOCK_PHASES) {
        record->phase.phase = (uint32_t)take_number(input);
        record->phase.start = take_signed(input);
        record->phase.end = take_signed(input);
        for (size_t i = 0; i < file->info.counters; i++)
            cursor->counters[i] = take_signed(input);
        record->phase.counters = cursor->counters;
    } else if (kind == BLOCK_PROFILE) {
        record->profile.routine = (uint32_t)take_number(input);
        record->profile.phase = (uint32_t)take_number(input);
        record->profile.peer = take_signed(input);
        record->profile.calls = take_number(input);
        record->profile.bytes = take_number(input);
        record->profile.ticks = take_signed(input);
        record->profile.max_ticks = take_signed(input);
        good = record->profile.routine < file->info.routines;
    } else if (kind == BLOCK_TEAMS) {
        struct pe_range *range = &record->team.range;
        record->team.team = take_signed(input);
        record->team.size = (int64_t)take_number(input);
        range->index = (int64_t)take_number(input);
        range->first = (int64_t)take_number(input);
        range->stride = take_signed(input);
        range->count = (int64_t)take_number(input);
        good = is_possible(&record->team, file->info.pes);
    } else {
        record->module.path = keep_text(file, input);
        record->module.build_id = keep_text(file, input);
        record->module.bias = take_number(input);
        record->module.begin = take_number(input);
        record->module.bytes = take_number(input);
    }
    if (good && !input->bad)
        return 1;
    cursor->left = 0;
    damaged(cursor, "a record that cannot be");
    return -1;
}

const struct trace_module *trace_module_at(struct trace_file *file, uint64_t address)
{
    if (!file->modules_read) {
        struct trace_cursor *cursor = new_cursor(file, -1);
        struct trace_record record;
        file->modules_read = true;
        /* Whoever reads events reports damage. */
        while (trace_next_record(cursor, BLOCK_MODULES, &record) == 1)
            memory_append(file->modules, file->module_count, record.module);
        trace_cursor_free(cursor);
    }
    for (size_t i = file->module_count; i-- > 0;)
        if (address - file->modules[i].begin < file->modules[i].bytes)
            return &file->modules[i];
    return NULL;
}

const char *trace_problem(const struct trace_cursor *cursor)
{
    return cursor->problem ? cursor->problem : "";
}

void trace_cursor_free(struct trace_cursor *cursor)
{
    if (!cursor)
        return;
    free(cursor->buffer);
    free(cursor->decoder.latest);
    free(cursor->decoder.series);
    free(cursor->counters);
    free(cursor->problem);
    free(cursor);
}

/* ---- Visits ---- */

struct trace_rest {
    uint32_t position, left; /* in the payload (bytes); records */
    uint32_t room, bytes, phase;
    int64_t time;
    unsigned char data[]; /* of each series its members before `last`, then its values */
};

#define SERIES_HEAD offsetof(struct series, last)

struct trace_cursor *trace_visitor(size_t most_routines)
{
    struct trace_cursor *cursor = memory_zeroed(1, sizeof *cursor);
    cursor->decoder.series = memory_zeroed(SERIES_MOST, sizeof *cursor->decoder.series);
    cursor->decoder.latest = memory_zeroed(most_routines, sizeof *cursor->decoder.latest);
    cursor->ended = true;
    return cursor;
}

/* Goes on within a block, whose checksum was right when it was begun. */
static void resume(struct trace_cursor *cursor, const struct trace_rest *rest)
{
    if (!read_head(cursor))
        return;
    if (rest->left > cursor->head.records || rest->position > cursor->head.bytes) {
        damaged(cursor, "the file has changed");
        return;
    }
    find_payload(cursor, false);
    decoder_begin(&cursor->decoder, cursor->payload + rest->position,
                  cursor->head.bytes - rest->position, rest->time, rest->phase);
    const unsigned char *from = rest->data, *end = from + rest->bytes;
    for (size_t i = 0; from < end; i++) {
        struct series *series = &cursor->decoder.series[i];
        memcpy(series, from, SERIES_HEAD);
        memcpy(series->last, from + SERIES_HEAD, series->values * sizeof(int64_t));
        from += SERIES_HEAD + series->values * sizeof(int64_t);
        if (series->key)
            cursor->decoder.latest[series->routine] = (uint16_t)(i + 1);
    }
    cursor->left = rest->left;
}

char *trace_visit(struct trace_cursor *cursor, const struct trace_visit *visit,
                  const struct trace_mark *mark)
{
    char *error = trace_map(visit->path, &cursor->map);
    if (error)
        return error;
    cursor->visit = *visit;
    cursor->decoder.routines = visit->routines;
    cursor->decoder.routine_count = visit->routine_count;
    cursor->next = mark->block;
    cursor->ended = false;
    cursor->left = 0;
    free(cursor->problem);
    cursor->problem = NULL;
    if (mark->rest && mark->rest->left > 0)
        resume(cursor, mark->rest);
    return NULL;
}

/* Keeps the series of an unfinished block, which is less than the decoder has room for. */
static struct trace_rest *keep(const struct decoder *decoder, struct trace_rest *rest)
{
    size_t used = 0, bytes = 0;
    for (; used < SERIES_MOST && decoder->series[used].values <= TRACE_FIELDS; used++)
        bytes += SERIES_HEAD + decoder->series[used].values * sizeof(int64_t);
    if (!rest || rest->room < bytes) {
        rest = memory_resize(rest, sizeof *rest + bytes);
        rest->room = (uint32_t)bytes;
    }
    unsigned char *to = rest->data;
    for (size_t i = 0; i < used; i++) {
        struct series *series = &decoder->series[i];
        size_t size = SERIES_HEAD + series->values * sizeof(int64_t);
        /* The decoder does not use the key: here it says that the series is the latest one. */
        series->key = decoder->latest[series->routine] == i + 1;
        memcpy(to, series, size);
        to += size;
    }
    rest->bytes = (uint32_t)bytes;
    rest->phase = decoder->phase;
    rest->time = decoder->time;
    return rest;
}

void trace_leave(struct trace_cursor *cursor, struct trace_mark *mark)
{
    mark->block = cursor->left > 0 ? cursor->at : cursor->next;
    if (cursor->left > 0) {
        mark->rest = keep(&cursor->decoder, mark->rest);
        mark->rest->position = (uint32_t)(cursor->decoder.input.next - cursor->payload);
    }
    if (mark->rest)
        mark->rest->left = cursor->left;
    trace_unmap(&cursor->map);
}

void trace_forget(struct trace_mark *mark)
{
    free(mark->rest);
    mark->rest = NULL;
}
