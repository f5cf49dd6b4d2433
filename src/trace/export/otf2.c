/* An archive of the Open Trace Format 2: each thread is a location, each PE a group of locations,
 * each routine a region; transfers are RMA records of the SHMEM paradigm. Events are read once; one
 * chunk of one thread is in memory. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "trace/export/export.h"

#if !SKAMPI_OTF2

void export_otf2(struct reader *reader, const char *folder)
{
    reader_fail(reader, 2,
                "--otf2 %s: built without OTF2; install libopen-trace-format2-dev (or what your "
                "system calls it), and build again",
                folder);
}

#else

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/read/reader.h"

#define EVENT_CHUNK (UINT64_C(1) << 20)
#define DEFINITION_CHUNK (UINT64_C(4) << 20)
#define MOST_CHUNKS 2
#define MOST_NS INT64_C(4000000000000000000) /* two of them fit into an int64_t */
#define WORLD 0                              /* number of the set of all PEs */
#define SITE 0                               /* number of the attribute for call sites */
#define PROGRAM 0 /* number of the region of the program; routines follow */
/* Most PEs without a file in a trace that has files of less than half of its PEs. Readers want two
 * files of every PE, so each of these PEs costs two. With more of them, a header is damaged, or
 * most files have not been copied. */
#define MOST_ABSENT 1024

/* One thread. */
struct location {
    OTF2_EvtWriter *writer; /* NULL: no event yet */
    bool entered;           /* the program */
    uint64_t last, matching;
    /* By context: id of its non-blocking operations that are not complete, or 0. */
    struct table pending;
};

struct written_location {
    int pe;
    uint32_t thread;
    uint64_t events;
};

struct export
{
    struct reader *reader;
    const char *folder;
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes; /* of the next event */
    struct table site_texts;        /* by number of their strings */
    double origin;
    int pes;
    uint64_t last;
    int64_t realtime; /* of the origin, ns since 1970; 0: not known */
    char *program;
    struct table hosts;
    enum trace_class *classes; /* by number of the routine */
    size_t class_room;
    size_t *host_of; /* by PE, number + 1; 0: the trace has no file of it */
    struct written_location *locations;
    size_t location_count;
};

static void must(const struct export *export, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        reader_fail(export->reader, 1, "%s: cannot be written: %s", export->folder,
                    errno ? strerror(errno) : OTF2_Error_GetDescription(code));
}

/* Keeps the library from printing its errors; must() prints them. */
static OTF2_ErrorCode be_silent(void *user, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush};

/* What one writer holds: a list of chunks, which it flushes when there is no more. The library's
 * own memory would let each hold 128 MiB. */
struct chunks {
    size_t count;
    void *chunk[];
};

static void *allocate_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **held,
                            uint64_t size)
{
    (void)user, (void)location;
    struct chunks *chunks = *held;
    size_t count = chunks ? chunks->count : 0;
    if (type == OTF2_FILETYPE_EVENTS && count == MOST_CHUNKS)
        return NULL;
    chunks = realloc(chunks, sizeof *chunks + (count + 1) * sizeof *chunks->chunk);
    if (!chunks)
        return NULL;
    *held = chunks;
    chunks->chunk[count] = malloc(size);
    chunks->count = count + (chunks->chunk[count] ? 1 : 0);
    return chunks->chunk[count];
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location, void **held,
                        bool final)
{
    (void)user, (void)type, (void)location, (void) final;
    struct chunks *chunks = *held;
    for (size_t i = 0; chunks && i < chunks->count; i++)
        free(chunks->chunk[i]);
    free(chunks);
    *held = NULL;
}

static const OTF2_MemoryCallbacks memory = {allocate_chunk, free_chunks};

static OTF2_LocationRef location_ref(int pe, uint32_t thread)
{
    return (OTF2_LocationRef)thread << 32 | (uint32_t)pe;
}

/* ---- What a routine is ---- */

#define NO_LEVEL OTF2_RMA_SYNC_LEVEL_NONE
#define PROCESS OTF2_RMA_SYNC_LEVEL_PROCESS
#define BOTH_LEVELS (PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY)

/* By a part of the routine's name; the first match counts. */
static const struct operation {
    const char *part;
    OTF2_CollectiveOp operation;
    OTF2_RmaSyncLevel level;
    bool all; /* each PE sends to and receives from each PE of the set; else root and others */
} operations[] = {
    {"broadcast", OTF2_COLLECTIVE_OP_BCAST, NO_LEVEL, false},
    {"fcollect", OTF2_COLLECTIVE_OP_ALLGATHER, NO_LEVEL, true},
    {"collect", OTF2_COLLECTIVE_OP_ALLGATHERV, NO_LEVEL, true},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, NO_LEVEL, true},
    {"to_all", OTF2_COLLECTIVE_OP_ALLREDUCE, NO_LEVEL, true},
    {"reduce", OTF2_COLLECTIVE_OP_ALLREDUCE, NO_LEVEL, true},
    {"free", OTF2_COLLECTIVE_OP_DEALLOCATE, BOTH_LEVELS, false},
    {"alloc", OTF2_COLLECTIVE_OP_ALLOCATE, BOTH_LEVELS, false},
    {"align", OTF2_COLLECTIVE_OP_ALLOCATE, BOTH_LEVELS, false},
    {"split", OTF2_COLLECTIVE_OP_CREATE_HANDLE, PROCESS, false},
    {"destroy", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, PROCESS, false},
    {"_sync", OTF2_COLLECTIVE_OP_BARRIER, PROCESS, false},
    {"", OTF2_COLLECTIVE_OP_BARRIER, BOTH_LEVELS, false},
};

static const struct atomic {
    const char *part;
    OTF2_RmaAtomicType type;
    bool fetches;
} atomics[] = {
    {"compare_swap", OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, true},
    {"cswap", OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, true},
    {"swap", OTF2_RMA_ATOMIC_TYPE_SWAP, true},
    {"fetch_inc", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, true},
    {"finc", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, true},
    {"fetch_add", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, true},
    {"fadd", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, true},
    {"fetch", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, true},
    {"inc", OTF2_RMA_ATOMIC_TYPE_INCREMENT, false},
    {"", OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, false},
};

static const OTF2_RegionRole roles[TRACE_CLASSES] = {
    [TRACE_PUT] = OTF2_REGION_ROLE_RMA,
    [TRACE_GET] = OTF2_REGION_ROLE_RMA,
    [TRACE_NONBLOCKING] = OTF2_REGION_ROLE_RMA,
    [TRACE_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
    [TRACE_COLLECTIVE] = OTF2_REGION_ROLE_COLL_OTHER,
    [TRACE_SYNCHRONIZATION] = OTF2_REGION_ROLE_FUNCTION,
    [TRACE_CONTEXT] = OTF2_REGION_ROLE_FUNCTION,
    [TRACE_LOCK] = OTF2_REGION_ROLE_CRITICAL,
    [TRACE_MEMORY] = OTF2_REGION_ROLE_ALLOCATE,
    [TRACE_SETUP] = OTF2_REGION_ROLE_FUNCTION,
    [TRACE_QUERY] = OTF2_REGION_ROLE_FUNCTION,
};

/* ---- Events ---- */

static uint64_t *pending_of(struct location *location, int64_t context)
{
    return table_value(&location->pending, &context, sizeof context, sizeof(uint64_t));
}

static void complete(const struct export *export, struct location *location, uint64_t *pending,
                     uint64_t time)
{
    if (*pending)
        must(export, OTF2_EvtWriter_RmaOpCompleteNonBlocking(location->writer, NULL, time, WORLD,
                                                             *pending));
    *pending = 0;
}

/* Non-blocking operations of a context have one id until they are completed together. */
static uint64_t matching_id(struct location *location, const struct trace_routine *routine,
                            const struct trace_event *event)
{
    if (routine->class != TRACE_NONBLOCKING)
        return ++location->matching;
    uint64_t *pending = pending_of(location, event_value(event, TRACE_CONTEXT_ID, 0));
    if (*pending == 0)
        *pending = ++location->matching;
    return *pending;
}

static void write_transfer(const struct export *export, struct location *location,
                           const struct trace_routine *routine, const struct trace_event *event,
                           uint64_t start, uint64_t end)
{
    int64_t peer = event_value(event, TRACE_PEER, -1), moved = event_value(event, TRACE_BYTES, 0);
    if (peer < 0 || peer >= export->pes)
        return;
    enum transfer transfer = trace_transfer(routine);
    uint64_t bytes = moved > 0 ? (uint64_t)moved : 0, id = matching_id(location, routine, event);
    uint32_t remote = (uint32_t)peer;
    if (transfer == TRANSFER_BOTH) {
        const struct atomic *atomic = atomics;
        while (!strstr(routine->name, atomic->part))
            atomic++;
        must(export,
             OTF2_EvtWriter_RmaAtomic(location->writer, NULL, start, WORLD, remote, atomic->type,
                                      bytes, atomic->fetches ? bytes : 0, id));
    } else if (transfer == TRANSFER_FROM_PEER) {
        must(export,
             OTF2_EvtWriter_RmaGet(location->writer, NULL, start, WORLD, remote, bytes, id));
    } else {
        must(export,
             OTF2_EvtWriter_RmaPut(location->writer, NULL, start, WORLD, remote, bytes, id));
    }
    if (routine->class != TRACE_NONBLOCKING)
        must(export, OTF2_EvtWriter_RmaOpCompleteBlocking(location->writer, NULL, end, WORLD, id));
}

static void write_collective_end(const struct export *export, struct location *location,
                                 const char *name, const struct trace_event *event, int pe,
                                 size_t number, uint64_t end)
{
    const struct trace_set set = set_of(&export->reader->sets, number);
    const struct operation *operation = operations;
    int64_t root = event_value(event, TRACE_ROOT, -1), moved = event_value(event, TRACE_BYTES, 0);
    while (!strstr(name, operation->part))
        operation++;
    root = root < set.size ? root : -1;
    uint64_t size = (uint64_t)set.size, bytes = moved > 0 ? (uint64_t)moved : 0, sent = 0,
             received = 0;
    if (operation->all) {
        sent = received = bytes * size;
    } else if (root >= 0) {
        bool is_root = pe == set_pe(&set, root);
        sent = is_root ? bytes * (size - 1) : 0;
        received = is_root ? 0 : bytes;
    }
    must(export, OTF2_EvtWriter_RmaCollectiveEnd(location->writer, NULL, end, operation->operation,
                                                 operation->level, (OTF2_RmaWinRef)number,
                                                 root >= 0 ? (uint32_t)root : OTF2_UNDEFINED_UINT32,
                                                 sent, received));
}

/* A lock is on PE 0, at its place. */
static void write_lock(const struct export *export, struct location *location, const char *name,
                       const struct trace_event *event, uint64_t start, uint64_t end)
{
    uint64_t lock = (uint64_t)event_value(event, TRACE_TARGET, 0);
    if (strstr(name, "clear")) {
        must(export, OTF2_EvtWriter_RmaReleaseLock(location->writer, NULL, start, WORLD, 0, lock));
    } else if (strstr(name, "test") && event_value(event, TRACE_RESULT, 1) != 0) {
        must(export, OTF2_EvtWriter_RmaTryLock(location->writer, NULL, start, WORLD, 0, lock,
                                               OTF2_LOCK_EXCLUSIVE));
    } else {
        must(export, OTF2_EvtWriter_RmaRequestLock(location->writer, NULL, start, WORLD, 0, lock,
                                                   OTF2_LOCK_EXCLUSIVE));
        must(export, OTF2_EvtWriter_RmaAcquireLock(location->writer, NULL, end, WORLD, 0, lock,
                                                   OTF2_LOCK_EXCLUSIVE));
    }
}

static OTF2_EvtWriter *open_location(const struct export *export, int pe, uint32_t thread)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(export->archive, location_ref(pe, thread));
    if (!writer)
        must(export, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    return writer;
}

/* All calls of a thread are inside the region of the program. */
static void enter_program(const struct export *export, struct location *location, uint64_t time)
{
    if (!location->entered)
        must(export, OTF2_EvtWriter_Enter(location->writer, NULL, time, PROGRAM));
    location->entered = true;
}

static void write_event(struct export *export, struct source *source, struct location *location,
                        const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    struct set_call call = {WORLD, 0};
    size_t number = trace_source_number(source, event);
    *memory_element(export->classes, number, &export->class_room) = routine->class;
    /* Times of a location must not fall. */
    uint64_t start = export_ns(source, event->start, export->origin),
             end = export_ns(source, event_end(event), export->origin);
    start = start < location->last ? location->last : start;
    end = end < start ? start : end;
    location->last = end;
    if (!location->writer)
        location->writer = open_location(export, source->info->pe, event->thread);
    enter_program(export, location, start);
    OTF2_RegionRef region = (OTF2_RegionRef)(PROGRAM + 1 + number);
    /* Records may only name sets of which their PE is a member. */
    bool collective = trace_source_set(source, event, &call) == SET_KNOWN && call.member >= 0;
    const char *site = trace_source_site_text(source, event);
    /* Texts of call sites are the first strings, so that their numbers are known by now. */
    if (site)
        must(export,
             OTF2_AttributeList_AddStringRef(
                 export->attributes, SITE, (OTF2_StringRef)table_text(&export->site_texts, site)));
    must(export, OTF2_EvtWriter_Enter(location->writer, export->attributes, start, region));
    if (collective)
        must(export, OTF2_EvtWriter_RmaCollectiveBegin(location->writer, NULL, start));
    if (routine->class == TRACE_LOCK)
        write_lock(export, location, routine->name, event, start, end);
    if (trace_transfer(routine) != TRANSFER_NONE)
        write_transfer(export, location, routine, event, start, end);
    if (routine->class == TRACE_SYNCHRONIZATION && strstr(routine->name, "wait"))
        must(export, OTF2_EvtWriter_RmaWaitChange(location->writer, NULL, end, WORLD));
    if (strstr(routine->name, "quiet") || strstr(routine->name, "barrier") ||
        strstr(routine->name, "ctx_destroy") || event->flags & TRACE_IMPLICIT_BARRIER)
        complete(export, location, pending_of(location, event_value(event, TRACE_CONTEXT_ID, 0)),
                 end);
    if (collective)
        write_collective_end(export, location, routine->name, event, source->info->pe, call.set,
                             end);
    must(export, OTF2_EvtWriter_Leave(location->writer, NULL, end, region));
}

static void close_location(struct export *export, OTF2_EvtWriter *writer, int pe, uint32_t thread)
{
    uint64_t events;
    must(export, OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
    must(export, OTF2_Archive_CloseEvtWriter(export->archive, writer));
    memory_append(export->locations, export->location_count,
                  (struct written_location){pe, thread, events});
}

/* last: when the last call of all threads of the PE ends. */
static void end_location(struct export *export, struct location *location, int pe, uint32_t thread,
                         uint64_t last)
{
    if (!location->writer)
        location->writer = open_location(export, pe, thread);
    for (size_t i = 0; i < location->pending.count; i++)
        complete(export, location, (uint64_t *)location->pending.values + i, location->last);
    if (thread == 0)
        must(export, OTF2_EvtWriter_RmaWinDestroy(location->writer, NULL, last, WORLD));
    if (location->entered)
        must(export, OTF2_EvtWriter_Leave(location->writer, NULL,
                                          thread == 0 ? last : location->last, PROGRAM));
    close_location(export, location->writer, pe, thread);
    table_free(&location->pending);
}

/* Notes the program's name without folders; "program" if PEs run several. */
static void note_program(struct export *export, const struct trace_info *info)
{
    size_t length = strcspn(info->command, " ");
    char *name = memory_text_part(info->command, length), *slash = strrchr(name, '/');
    if (slash)
        memmove(name, slash + 1, strlen(slash));
    if (!*name || (export->program && strcmp(export->program, name) != 0)) {
        free(name);
        name = memory_text("program");
    }
    free(export->program);
    export->program = name;
}

static void begin(struct export *export)
{
    const struct trace_info *run = export->reader->run;
    double origin_ns = 1e9 * export->origin;
    export->pes = run->pes;
    sets_active(&export->reader->sets, 0, 1, run->pes); /* WORLD, since it is the first */
    export->host_of = memory_zeroed((size_t)run->pes, sizeof *export->host_of);
    /* A damaged trace may state any numbers. */
    if (run->realtime > 0 && run->realtime < MOST_NS && fabs(origin_ns) < (double)MOST_NS)
        export->realtime = run->realtime + (int64_t)origin_ns;
}

static void write_source(struct export *export, struct source *source)
{
    const struct trace_info *info = source->info;
    note_program(export, info);
    export->host_of[info->pe] = 1 + table_text(&export->hosts, info->host);
    size_t threads = info->threads > 0 ? (size_t)info->threads : 1;
    struct location *locations = memory_zeroed(threads, sizeof *locations);
    locations[0].writer = open_location(export, info->pe, 0);
    enter_program(export, &locations[0], 0);
    must(export, OTF2_EvtWriter_RmaWinCreate(locations[0].writer, NULL, 0, WORLD));
    uint64_t last = 0;
    struct trace_event event;
    while (trace_source_event(source, -1, &event))
        if (event.thread < threads)
            write_event(export, source, &locations[event.thread], &event);
    for (size_t i = 0; i < threads; i++)
        last = locations[i].last > last ? locations[i].last : last;
    export->last = last > export->last ? last : export->last;
    /* A damaged file may seem to have very many threads, and each takes a file. */
    for (size_t i = 0; i < threads; i++)
        if (info->complete || i == 0 || locations[i].writer)
            end_location(export, &locations[i], info->pe, (uint32_t)i, last);
    free(locations);
}

/* ---- Definitions ---- */

static OTF2_StringRef string(const struct export *export, OTF2_GlobalDefWriter *writer,
                             const char *text)
{
    static OTF2_StringRef next;
    char *name = export_name(text);
    must(export, OTF2_GlobalDefWriter_WriteString(writer, next, name));
    free(name);
    return next++;
}

static void define_places(const struct export *export, OTF2_GlobalDefWriter *writer)
{
    OTF2_StringRef machine = string(export, writer, "machine"),
                   node = string(export, writer, "node");
    must(export, OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, machine, machine,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t i = 0; i < export->hosts.count; i++)
        must(export, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                         writer, (OTF2_SystemTreeNodeRef)i + 1,
                         string(export, writer, table_key(&export->hosts, i)), node, 0));
    for (int pe = 0; pe < export->pes; pe++) {
        char name[32];
        snprintf(name, sizeof name, "PE %d", pe);
        must(export,
             OTF2_GlobalDefWriter_WriteLocationGroup(
                 writer, (OTF2_LocationGroupRef)pe, string(export, writer, name),
                 OTF2_LOCATION_GROUP_TYPE_PROCESS, (OTF2_SystemTreeNodeRef) export->host_of[pe],
                 OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t i = 0; i < export->location_count; i++) {
        const struct written_location *location = &export->locations[i];
        char name[48];
        snprintf(name, sizeof name, "PE %d thread %" PRIu32, location->pe, location->thread);
        must(export, OTF2_GlobalDefWriter_WriteLocation(
                         writer, location_ref(location->pe, location->thread),
                         string(export, writer, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                         location->events, (OTF2_LocationGroupRef)location->pe));
    }
}

static void define_regions(const struct export *export, OTF2_GlobalDefWriter *writer)
{
    OTF2_StringRef none = string(export, writer, "");
    OTF2_StringRef program = string(export, writer, export->program ? export->program : "program");
    must(export, OTF2_GlobalDefWriter_WriteRegion(writer, PROGRAM, program, program, none,
                                                  OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                                  OTF2_REGION_FLAG_NONE, none, 0, 0));
    for (size_t i = 0; i < export->reader->routines.count; i++) {
        const char *text = table_key(&export->reader->routines, i);
        OTF2_StringRef name = string(export, writer, text);
        OTF2_RegionRole role = roles[export->classes[i]];
        if (export->classes[i] == TRACE_SYNCHRONIZATION && strstr(text, "barrier"))
            role = OTF2_REGION_ROLE_BARRIER;
        must(export, OTF2_GlobalDefWriter_WriteRegion(writer, (OTF2_RegionRef)(PROGRAM + 1 + i),
                                                      name, name, none, role, OTF2_PARADIGM_SHMEM,
                                                      OTF2_REGION_FLAG_NONE, none, 0, 0));
    }
}

/* Group 0 has the locations of PEs, by rank. Each set has a group, a communicator and a window. */
static void define_sets(const struct export *export, OTF2_GlobalDefWriter *writer)
{
    OTF2_StringRef ranks = string(export, writer, "locations of the PEs");
    uint64_t *members = memory_zeroed((size_t) export->pes, sizeof *members);
    for (int pe = 0; pe < export->pes; pe++)
        members[pe] = location_ref(pe, 0);
    must(export, OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_SHMEM,
                                                    string(export, writer, "OpenSHMEM"),
                                                    OTF2_PARADIGM_CLASS_PROCESS));
    must(export, OTF2_GlobalDefWriter_WriteGroup(writer, 0, ranks, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_SHMEM, OTF2_GROUP_FLAG_NONE,
                                                 (uint32_t) export->pes, members));
    for (size_t i = 0; i < export->reader->sets.sets.count; i++) {
        const struct trace_set set = set_of(&export->reader->sets, i);
        for (int64_t member = 0; member < set.size; member++)
            members[member] = (uint64_t)set_pe(&set, member);
        OTF2_StringRef name = string(export, writer, i == WORLD ? "all PEs" : set_name(&set));
        must(export, OTF2_GlobalDefWriter_WriteGroup(
                         writer, (OTF2_GroupRef)i + 1, name, OTF2_GROUP_TYPE_COMM_GROUP,
                         OTF2_PARADIGM_SHMEM, OTF2_GROUP_FLAG_NONE, (uint32_t)set.size, members));
        must(export,
             OTF2_GlobalDefWriter_WriteComm(writer, (OTF2_CommRef)i, name, (OTF2_GroupRef)i + 1,
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        must(export,
             OTF2_GlobalDefWriter_WriteRmaWin(writer, (OTF2_RmaWinRef)i, name, (OTF2_CommRef)i,
                                              i == WORLD ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS
                                                         : OTF2_RMA_WIN_FLAG_NONE));
    }
    free(members);
}

/* Every PE has a location, as ranks refer to it, even one that the trace has no file of. */
static void complete_locations(struct export *export)
{
    int absent = 0;
    for (int pe = 0; pe < export->pes; pe++)
        absent += !export->reader->has_pe[pe];
    if (absent > MOST_ABSENT && absent > export->pes / 2)
        reader_fail(export->reader, 1,
                    "the trace is one of %d PEs, but has files of only %d: copy the others to it, "
                    "or export to --chrome or --paraver, which need nothing of missing PEs",
                    export->pes, export->pes - absent);
    for (int pe = 0; pe < export->pes; pe++) {
        if (!export->reader->has_pe[pe])
            close_location(export, open_location(export, pe, 0), pe, 0);
    }
}

/* Definitions are global already, but readers want the files. */
static void write_local_definitions(const struct export *export)
{
    must(export, OTF2_Archive_OpenDefFiles(export->archive));
    for (size_t i = 0; i < export->location_count; i++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(
            export->archive,
            location_ref(export->locations[i].pe, (uint32_t) export->locations[i].thread));
        if (!writer)
            must(export, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        must(export, OTF2_Archive_CloseDefWriter(export->archive, writer));
    }
    must(export, OTF2_Archive_CloseDefFiles(export->archive));
}

static void write_definitions(const struct export *export)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(export->archive);
    if (!writer)
        must(export, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    must(export, OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, export->last + 1,
                                                           export->realtime > 0
                                                               ? (uint64_t) export->realtime
                                                               : OTF2_UNDEFINED_TIMESTAMP));
    for (size_t i = 0; i < export->site_texts.count; i++)
        string(export, writer, table_key(&export->site_texts, i));
    OTF2_StringRef name = string(export, writer, "call site");
    must(export,
         OTF2_GlobalDefWriter_WriteAttribute(
             writer, SITE, name, string(export, writer, "where the program called the routine"),
             OTF2_TYPE_STRING));
    define_places(export, writer);
    define_regions(export, writer);
    define_sets(export, writer);
    must(export, OTF2_Archive_CloseGlobalDefWriter(export->archive, writer));
}

/* A folder that is new or empty. */
static void check_folder(const struct export *export)
{
    if (rmdir(export->folder) && errno != ENOENT)
        reader_fail(export->reader, 2, "%s: %s; give the name of a new folder", export->folder,
                    errno == ENOTEMPTY || errno == EEXIST ? "is not empty" : strerror(errno));
    errno = 0;
}

void export_otf2(struct reader *reader, const char *folder)
{
    struct export export = {
        .reader = reader, .folder = folder, .attributes = OTF2_AttributeList_New()};
    double last;
    check_folder(&export);
    export_span(reader, false, &export.origin, &last);
    OTF2_Error_RegisterCallback(be_silent, NULL);
    export.archive =
        OTF2_Archive_Open(folder, "trace", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!export.archive)
        reader_fail(reader, 2, "%s: cannot be written%s%s", folder, errno ? ": " : "",
                    errno ? strerror(errno) : "");
    must(&export, OTF2_Archive_SetFlushCallbacks(export.archive, &flushing, NULL));
    must(&export, OTF2_Archive_SetMemoryCallbacks(export.archive, &memory, NULL));
    must(&export, OTF2_Archive_SetSerialCollectiveCallbacks(export.archive));
    must(&export, OTF2_Archive_SetCreator(export.archive, "shmemtrace"));
    must(&export, OTF2_Archive_OpenEvtFiles(export.archive));
    begin(&export);
    for (struct source *source = NULL; (source = reader_next(reader, source));)
        write_source(&export, source);
    complete_locations(&export);
    must(&export, OTF2_Archive_CloseEvtFiles(export.archive));
    write_local_definitions(&export);
    write_definitions(&export);
    must(&export, OTF2_Archive_Close(export.archive));
    table_free(&export.hosts);
    table_free(&export.site_texts);
    OTF2_AttributeList_Delete(export.attributes);
    free(export.program);
    free(export.classes);
    free(export.host_of);
    free(export.locations);
}

#endif
