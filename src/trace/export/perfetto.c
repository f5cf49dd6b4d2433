/*
 * Perfetto's own format: a Trace of Protocol Buffers, by protos/perfetto/trace of perfetto.dev. Its
 * messages are written by hand, since they are few. Each PE is a process, and each thread one of
 * its tracks, and a sequence of packets. A sequence numbers its names (they are "interned"), and
 * its clock counts from packet to packet, so that most numbers take one byte or two.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/export/export.h"
#include "trace/read/event_out.h"

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60
};
enum { SNAPSHOT_CLOCK = 1 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { DESCRIPTOR_TRACK = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_PROCESS = 3, DESCRIPTOR_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11
};
enum {
    ANNOTATION_NAME = 1,
    ANNOTATION_UNSIGNED = 3,
    ANNOTATION_INTEGER = 4,
    ANNOTATION_REAL = 5,
    ANNOTATION_TEXT = 17
};
/* Of messages that give a text its number. */
enum { INTERNED_NUMBER = 1, INTERNED_TEXT = 2 };

enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { CLOCK_BOOT = 6, CLOCK_OF_SEQUENCE = 64 };

/* ns by the clock of all sequences at which the first event begins: what is at 0 has no time for
 * some readers. */
#define BEGINNING 1000

/* What has numbers, and the field of interned data that gives them. */
enum interned_kind { CATEGORIES, NAMES, ANNOTATIONS, TEXTS, INTERNED };
static const unsigned interned_fields[INTERNED] = {
    [CATEGORIES] = 1, [NAMES] = 2, [ANNOTATIONS] = 3, [TEXTS] = 29};

struct perfetto {
    struct reader *reader;
    FILE *out;
    const char *path;
    double origin;
    uint64_t tracks; /* so far */
    /* The sequence that is being written: */
    uint64_t sequence, now; /* its number, of which 1 has no calls; time of its last packet (ns
                               since the origin) */
    struct table numbers[INTERNED];
    struct text packet, event, annotation, message, interned; /* messages in the making */
};

/* ---- Messages ---- */

static void add_number(struct text *message, unsigned field, uint64_t number)
{
    text_append_varint(message, (uint64_t)field << 3);
    text_append_varint(message, number);
}

static void add_bytes(struct text *message, unsigned field, const char *bytes, size_t count)
{
    text_append_varint(message, (uint64_t)field << 3 | 2);
    text_append_varint(message, count);
    text_append_bytes(message, bytes, count);
}

/* Names in a trace may hold any bytes. */
static void add_text(struct text *message, unsigned field, const char *text)
{
    char *name = export_name(text);
    add_bytes(message, field, name, strlen(name));
    free(name);
}

/* Adds a message as a field of another one, and empties it. */
static void add_message(struct text *message, unsigned field, struct text *part)
{
    add_bytes(message, field, part->data, part->length);
    part->length = 0;
}

static void write_packet(struct perfetto *perfetto)
{
    struct text whole = {0};
    add_number(&perfetto->packet, PACKET_SEQUENCE, perfetto->sequence);
    if (perfetto->interned.length)
        add_message(&perfetto->packet, PACKET_INTERNED_DATA, &perfetto->interned);
    add_message(&whole, TRACE_PACKET, &perfetto->packet);
    fwrite(whole.data, 1, whole.length, perfetto->out);
    text_release(&whole);
}

/* The number of a text. A new one is told in the packet that is being made. */
static uint64_t intern(struct perfetto *perfetto, enum interned_kind kind, const char *text)
{
    struct table *numbers = &perfetto->numbers[kind];
    size_t before = numbers->count;
    uint64_t number = 1 + table_text(numbers, text);
    if (numbers->count > before) {
        add_number(&perfetto->message, INTERNED_NUMBER, number);
        add_text(&perfetto->message, INTERNED_TEXT, text);
        add_message(&perfetto->interned, interned_fields[kind], &perfetto->message);
    }
    return number;
}

/* ---- Tracks ---- */

/* Describes a track, a process if it has no parent. Returns its number. */
static uint64_t describe_track(struct perfetto *perfetto, uint64_t parent, int pe, const char *name)
{
    struct text *track = &perfetto->event;
    add_number(track, DESCRIPTOR_TRACK, ++perfetto->tracks);
    if (parent) {
        add_number(track, DESCRIPTOR_PARENT, parent);
        add_text(track, DESCRIPTOR_NAME, name);
    } else {
        add_number(&perfetto->message, PROCESS_PID, (uint64_t)pe + 1); /* 0 is not for programs */
        add_text(&perfetto->message, PROCESS_NAME, name);
        add_message(track, DESCRIPTOR_PROCESS, &perfetto->message);
    }
    add_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, track);
    write_packet(perfetto);
    return perfetto->tracks;
}

static void add_clock(struct perfetto *perfetto, struct text *snapshot, uint64_t id,
                      uint64_t timestamp, bool incremental)
{
    add_number(&perfetto->message, CLOCK_ID, id);
    add_number(&perfetto->message, CLOCK_TIMESTAMP, timestamp);
    if (incremental)
        add_number(&perfetto->message, CLOCK_IS_INCREMENTAL, 1);
    add_message(snapshot, SNAPSHOT_CLOCK, &perfetto->message);
}

/* The first packet of a sequence: its clock, and what holds for its events. */
static void begin_sequence(struct perfetto *perfetto, uint64_t track)
{
    struct text *packet = &perfetto->packet, *part = &perfetto->event;
    perfetto->sequence++;
    perfetto->now = 0;
    for (int i = 0; i < INTERNED; i++)
        table_clear(&perfetto->numbers[i]);
    add_number(packet, PACKET_SEQUENCE_FLAGS, FLAG_CLEARED);
    add_clock(perfetto, part, CLOCK_OF_SEQUENCE, 0, true);
    add_clock(perfetto, part, CLOCK_BOOT, BEGINNING, false);
    add_message(packet, PACKET_CLOCK_SNAPSHOT, part);
    add_number(part, DEFAULTS_CLOCK, CLOCK_OF_SEQUENCE);
    add_number(&perfetto->message, EVENT_TRACK, track);
    add_message(part, DEFAULTS_TRACK_EVENT, &perfetto->message);
    add_message(packet, PACKET_DEFAULTS, part);
    write_packet(perfetto);
}

/* ---- Events ---- */

static void add_annotation(void *context, const struct event_argument *argument)
{
    struct perfetto *perfetto = context;
    struct text *annotation = &perfetto->annotation;
    const char *name = argument->name;
    char *place = argument->object ? text_format("%s in %s", name, argument->object) : NULL;
    add_number(annotation, ANNOTATION_NAME, intern(perfetto, ANNOTATIONS, place ? place : name));
    free(place);
    if (argument->text)
        add_number(annotation, ANNOTATION_TEXT, intern(perfetto, TEXTS, argument->text));
    else if (argument->type == TRACE_FLOAT || argument->type == TRACE_DOUBLE) {
        uint64_t word;
        memcpy(&word, &argument->real, sizeof word);
        word = LITTLE_ENDIAN_64(word);
        text_append_varint(annotation, (uint64_t)ANNOTATION_REAL << 3 | 1);
        text_append_bytes(annotation, (const char *)&word, sizeof word);
    } else
        add_number(annotation,
                   argument->type == TRACE_UNSIGNED ? ANNOTATION_UNSIGNED : ANNOTATION_INTEGER,
                   (uint64_t)argument->integer);
    add_message(&perfetto->event, EVENT_ANNOTATION, annotation);
}

static void write_event(struct perfetto *perfetto, uint64_t time)
{
    /* Times of a sequence must not fall. */
    uint64_t now = time < perfetto->now ? perfetto->now : time;
    add_number(&perfetto->packet, PACKET_TIMESTAMP, now - perfetto->now);
    perfetto->now = now;
    add_message(&perfetto->packet, PACKET_TRACK_EVENT, &perfetto->event);
    write_packet(perfetto);
}

static void write_call(struct perfetto *perfetto, struct source *source,
                       const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    const char *site = trace_source_site_text(source, event);
    struct text *call = &perfetto->event;
    add_number(&perfetto->packet, PACKET_SEQUENCE_FLAGS, FLAG_NEEDED);
    add_number(call, EVENT_TYPE, TYPE_BEGIN);
    add_number(call, EVENT_NAME, intern(perfetto, NAMES, routine->name));
    add_number(call, EVENT_CATEGORY,
               intern(perfetto, CATEGORIES, trace_class_names[routine->class]));
    event_arguments(source->file, event, add_annotation, perfetto);
    if (site)
        add_annotation(perfetto, &(struct event_argument){.name = "site", .text = site});
    write_event(perfetto, export_ns(source, event->start, perfetto->origin));
    add_number(call, EVENT_TYPE, TYPE_END);
    write_event(perfetto, export_ns(source, event_end(event), perfetto->origin));
}

static void write_source(struct perfetto *perfetto, struct source *source)
{
    const struct trace_info *info = source->info;
    char *name = text_format("PE %d on %s", info->pe, info->host);
    const uint64_t process = describe_track(perfetto, 0, info->pe, name);
    free(name);
    for (int thread = 0; thread < info->threads; thread++) {
        if (!reader_wants_thread(perfetto->reader, thread))
            continue;
        name = text_format("thread %d", thread);
        begin_sequence(perfetto, describe_track(perfetto, process, info->pe, name));
        free(name);
        struct trace_event event;
        while (trace_source_event(source, thread, &event)) {
            write_call(perfetto, source, &event);
            reader_check_written(perfetto->reader, perfetto->out, perfetto->path);
        }
    }
    if (perfetto->reader->thread_ranges == 0)
        trace_source_ended(source);
}

void export_perfetto(struct reader *reader, const char *path)
{
    struct perfetto perfetto = {.reader = reader, .path = path, .sequence = 1};
    double last;
    perfetto.out = reader_create(reader, path);
    export_span(reader, false, &perfetto.origin, &last);
    for (struct source *source = NULL; (source = reader_next(reader, source));)
        write_source(&perfetto, source);
    reader_close_written(reader, perfetto.out, path);
    for (int i = 0; i < INTERNED; i++)
        table_free(&perfetto.numbers[i]);
    struct text *texts[] = {&perfetto.packet, &perfetto.event, &perfetto.annotation,
                            &perfetto.message, &perfetto.interned};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_release(texts[i]);
}
