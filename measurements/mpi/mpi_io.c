/*
 * Files that several ranks write and read by MPI-IO: the patterns in which they share a file, and
 * all routines that access it. Data go through the page cache of the system, as those of
 * applications do.
 */
#include "measurements/common/mpi_file.h"

/* How a rank's blocks lie in the file. */
enum layout {
    SEGMENTED,     /* one after the other in the rank's own segment */
    STRIDED,       /* in turn with those of the other ranks */
    RANDOM,        /* as SEGMENTED, but sizes differ between ranks */
    NONCONTIGUOUS, /* as STRIDED, but the view makes it so, not the offsets */
    SEPARATE,      /* as SEGMENTED, each rank in a file of its own */
    SEQUENTIAL,    /* where the shared pointer is */
    ONCE           /* one block, in a common file or one of its own */
};

struct pattern {
    enum layout layout;
    bool writes;
};

/* Arguments of a pattern, in bytes of data. */
struct request {
    int64_t memory, block, stride;
    struct datatype *in_memory, *elementary, *in_file;
    int64_t access;
};

/* The size for a rank. If the array has fewer elements than there are ranks, it is used again from
 * its beginning. */
static int64_t size_of(const struct run *run, const char *sizes, int rank)
{
    const struct argument *array = run_argument(run, sizes);
    return array->array[rank % array->integer];
}

/* Of this rank of the set. */
static struct request request_of(const struct run *run, int rank)
{
    const struct pattern *pattern = run->function->variant;
    struct request request = {
        .in_memory = mpi_datatype_named(run, "memtype"),
        .elementary = mpi_datatype_named(run, "etype"),
        .in_file = mpi_datatype_named(run, "filetype"),
        .access = run_integer(run, "daccess", 0),
    };
    if (pattern->layout == RANDOM) {
        request.memory = size_of(run, "memsizes", rank);
        request.block = size_of(run, "blocks", rank);
    } else if (pattern->layout == ONCE) {
        request.memory = run_integer(run, "count", 0) * datatype_size(request.in_memory);
    } else {
        request.memory = run_integer(run, "memsize", 0);
        request.block = run_integer(run, "block", 0);
        request.stride = run_integer(run, "stride", 0);
    }
    if (request.block == 0 || request.block > request.memory)
        request.block = request.memory;
    if (request.stride == 0)
        request.stride = request.block;
    return request;
}

/* What is wrong with the sizes, for the user, or NULL. */
static const char *check_sizes(const struct request *request, enum layout layout)
{
    int64_t memory = datatype_size(request->in_memory), file = datatype_size(request->in_file);
    int64_t elementary = datatype_size(request->elementary);
    if (memory == 0 || file == 0 || elementary == 0)
        return "the datatypes must have data";
    if (file % elementary != 0)
        return "the size of filetype must be a multiple of the size of etype";
    if (request->memory % memory != 0 || request->block % memory != 0)
        return "sizes must be multiples of the size of memtype";
    if (request->memory % elementary != 0 || request->block % elementary != 0 ||
        request->stride % elementary != 0)
        return "sizes must be multiples of the size of etype";
    if (request->stride < request->block)
        return "stride must be 0 or at least block";
    if (layout == NONCONTIGUOUS && request->block % file != 0)
        return "block must be a multiple of the size of filetype";
    if (layout == SEQUENTIAL && request->block > 0 && request->memory % request->block != 0)
        return "memsize must be a multiple of block";
    return NULL;
}

static const char *check_access(const struct request *request, enum layout layout)
{
    bool shared = request->access & FILE_SHARED;
    if (!file_access_routine(request->access, false))
        return FILE_ACCESS_WANTED;
    if (shared && layout != SEQUENTIAL)
        return "a shared pointer (0x4) chooses places by itself: use the _sequential functions";
    if (!shared && layout == SEQUENTIAL)
        return "only a shared pointer (0x4 in daccess) is sequential";
    return NULL;
}

static const char *check_array(const struct argument *sizes)
{
    if (sizes->integer == 0)
        return "memsizes and blocks must have elements";
    for (int64_t i = 0; i < sizes->integer; i++)
        if (sizes->array[i] < 0 || sizes->array[i] > INT_MAX)
            return "memsizes and blocks must be from 0 to 2147483647";
    return NULL;
}

static const char *check(const struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    int ranks = pattern->layout == RANDOM ? run->size : 1;
    const char *wrong = NULL;
    if (pattern->layout == RANDOM)
        wrong = check_array(run_argument(run, "memsizes"));
    if (!wrong && pattern->layout == RANDOM)
        wrong = check_array(run_argument(run, "blocks"));
    for (int i = 0; i < ranks && !wrong; i++) {
        struct request request = request_of(run, i);
        wrong = check_sizes(&request, pattern->layout);
        if (!wrong && measurement_parameter(run->function, "daccess"))
            wrong = check_access(&request, pattern->layout);
    }
    return wrong;
}

static void demand(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct request request = request_of(run, 0);
    int64_t most = request.memory;
    for (int i = 1; i < run->size && pattern->layout == RANDOM; i++) {
        int64_t other = size_of(run, "memsizes", i);
        most = other > most ? other : most;
    }
    size_t bytes = mpi_block_bytes(request.in_memory, most / datatype_size(request.in_memory), 1);
    *(pattern->writes ? &run->demand.local : &run->demand.remote) = bytes;
    run->demand.reported = (size_t)most;
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

/* A rank's blocks, in bytes of the data that the view shows. */
struct portion {
    int64_t first, step; /* where the first begins, and from one beginning to the next */
    int64_t block, memory, count;
};

struct io_state {
    struct mpi_file file;
    struct request request;
    struct portion own;
    int64_t rounds; /* accesses of the rank with most of them: collective calls need all */
    int64_t total;  /* bytes of data of all ranks from the beginning of the file */
    MPI_Request *requests;
    MPI_Datatype view; /* MPI_DATATYPE_NULL, or made for the view */
    MPI_Offset displacement;
    int64_t at; /* where the individual pointer is */
};

static bool owns_file(const struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    return pattern->layout == SEPARATE || run_integer(run, "private", 0) != 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Where blocks lie ---- */

static struct portion portion_of(const struct run *run, int rank)
{
    const struct pattern *pattern = run->function->variant;
    struct request request = request_of(run, rank);
    struct portion portion = {
        .step = request.stride, .block = request.block, .memory = request.memory};
    portion.count = request.block ? (request.memory + request.block - 1) / request.block : 0;
    if (pattern->layout == STRIDED) {
        portion.first = rank * request.stride;
        portion.step = run->size * request.stride;
    } else if (pattern->layout == SEGMENTED || pattern->layout == ONCE) {
        portion.first = owns_file(run) ? 0 : rank * portion.count * request.stride;
    }
    for (int before = 0; before < rank && pattern->layout == RANDOM; before++)
        portion.first += request_of(run, before).memory;
    return portion;
}

static int64_t block_bytes(const struct portion *portion, int64_t i)
{
    return i < portion->count ? smaller(portion->block, portion->memory - i * portion->block) : 0;
}

static int64_t block_place(const struct portion *portion, int64_t i)
{
    return portion->first + i * portion->step;
}

/* Where a byte of a rank's data lies in its buffer. */
static unsigned char *memory_at(const struct io_state *s, unsigned char *buffer, int64_t byte)
{
    struct datatype *type = s->request.in_memory;
    return (unsigned char *)mpi_address(buffer, type) +
           byte / datatype_size(type) * datatype_extent(type);
}

/* ---- Access ---- */

/* The memory, and as many elements of memtype. */
struct piece {
    MPI_Offset offset; /* in elements of etype */
    void *memory;
    int count;
    MPI_Datatype type;
};

/* Calls the routine of that way to access data, or its first half. */
static int begin(MPI_File file, int64_t access, bool writes, const struct piece *p,
                 MPI_Request *request)
{
    MPI_Offset at = p->offset;
    MPI_Status *none = MPI_STATUS_IGNORE;
    MPI_Datatype type = p->type;
    void *memory = p->memory;
    int n = p->count;
    switch (access) {
    case 0x111:
        return writes ? MPI_File_write_at(file, at, memory, n, type, none)
                      : MPI_File_read_at(file, at, memory, n, type, none);
    case 0x121:
        return writes ? MPI_File_iwrite_at(file, at, memory, n, type, request)
                      : MPI_File_iread_at(file, at, memory, n, type, request);
    case 0x211:
        return writes ? MPI_File_write_at_all(file, at, memory, n, type, none)
                      : MPI_File_read_at_all(file, at, memory, n, type, none);
    case 0x221:
        return writes ? MPI_File_write_at_all_begin(file, at, memory, n, type)
                      : MPI_File_read_at_all_begin(file, at, memory, n, type);
    case 0x112:
        return writes ? MPI_File_write(file, memory, n, type, none)
                      : MPI_File_read(file, memory, n, type, none);
    case 0x114:
        return writes ? MPI_File_write_shared(file, memory, n, type, none)
                      : MPI_File_read_shared(file, memory, n, type, none);
    case 0x122:
        return writes ? MPI_File_iwrite(file, memory, n, type, request)
                      : MPI_File_iread(file, memory, n, type, request);
    case 0x124:
        return writes ? MPI_File_iwrite_shared(file, memory, n, type, request)
                      : MPI_File_iread_shared(file, memory, n, type, request);
    case 0x212:
        return writes ? MPI_File_write_all(file, memory, n, type, none)
                      : MPI_File_read_all(file, memory, n, type, none);
    case 0x214:
        return writes ? MPI_File_write_ordered(file, memory, n, type, none)
                      : MPI_File_read_ordered(file, memory, n, type, none);
    case 0x222:
        return writes ? MPI_File_write_all_begin(file, memory, n, type)
                      : MPI_File_read_all_begin(file, memory, n, type);
    default:
        return writes ? MPI_File_write_ordered_begin(file, memory, n, type)
                      : MPI_File_read_ordered_begin(file, memory, n, type);
    }
}

/* The second half of a split collective; success for all others. */
static int end_split(MPI_File file, int64_t access, bool writes, void *memory)
{
    switch (access) {
    case 0x221:
        return writes ? MPI_File_write_at_all_end(file, memory, MPI_STATUS_IGNORE)
                      : MPI_File_read_at_all_end(file, memory, MPI_STATUS_IGNORE);
    case 0x222:
        return writes ? MPI_File_write_all_end(file, memory, MPI_STATUS_IGNORE)
                      : MPI_File_read_all_end(file, memory, MPI_STATUS_IGNORE);
    case 0x224:
        return writes ? MPI_File_write_ordered_end(file, memory, MPI_STATUS_IGNORE)
                      : MPI_File_read_ordered_end(file, memory, MPI_STATUS_IGNORE);
    default:
        return MPI_SUCCESS;
    }
}

static MPI_Offset in_elements(const struct io_state *s, int64_t bytes)
{
    return (MPI_Offset)(bytes / datatype_size(s->request.elementary));
}

/* Moves the individual pointer to a block unless it is there already. The move is part of the
 * access, and timed with it. */
static void seek(struct io_state *s, int64_t place, int64_t bytes)
{
    if (s->at != place)
        mpi_file_note(&s->file, "MPI_File_seek",
                      MPI_File_seek(s->file.handle, in_elements(s, place), MPI_SEEK_SET));
    s->at = place + bytes;
}

static void access_block(struct io_state *s, bool writes, unsigned char *buffer, int64_t i)
{
    int64_t bytes = block_bytes(&s->own, i), place = block_place(&s->own, i);
    struct piece piece = {
        .offset = in_elements(s, place),
        .memory = memory_at(s, buffer, i < s->own.count ? i * s->own.block : 0),
        .count = (int)(bytes / datatype_size(s->request.in_memory)),
        .type = mpi_datatype(s->request.in_memory),
    };
    if (s->request.access & FILE_INDIVIDUAL && bytes > 0)
        seek(s, place, bytes);
    int code = begin(s->file.handle, s->request.access, writes, &piece, &s->requests[i]);
    if (code == MPI_SUCCESS)
        code = end_split(s->file.handle, s->request.access, writes, piece.memory);
    mpi_file_note(&s->file, writes ? "writing" : "reading", code);
}

/* Collective routines have to be called by all ranks equally often. */
static void access_all(struct io_state *s, bool writes, unsigned char *buffer)
{
    int64_t n = s->request.access & FILE_COLLECTIVE ? s->rounds : s->own.count;
    for (int64_t i = 0; i < n; i++)
        access_block(s, writes, buffer, i);
    if (s->request.access & FILE_POSTED && s->request.access & FILE_INDEPENDENT)
        mpi_wait_all((int)n, s->requests);
}

/* Before each repetition, and not timed: pointers go back to the beginning. All ranks must have
 * ended the accesses before, which would go on from there. */
static void rewind_pointers(struct io_state *s)
{
    s->at = -1;
    if (!(s->request.access & FILE_SHARED))
        return;
    MPI_Barrier(s->file.comm);
    mpi_file_note(&s->file, "MPI_File_seek_shared",
                  MPI_File_seek_shared(s->file.handle, 0, MPI_SEEK_SET));
}

static double run_pattern(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct io_state *s = run->state;
    rewind_pointers(s);
    int64_t started = run_start(run);
    access_all(s, pattern->writes, pattern->writes ? run->local : run->remote);
    if (pattern->writes && run->settings->file_synced)
        mpi_file_note(&s->file, "MPI_File_sync", MPI_File_sync(s->file.handle));
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, &s->file) ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- Set-up ---- */

/* The blocks of this rank, with those of all others left out. */
static MPI_Datatype interleaved(const struct run *run, struct io_state *s)
{
    struct datatype *file = s->request.in_file;
    MPI_Aint extent = (MPI_Aint)datatype_extent(file);
    int count = (int)(s->request.block / datatype_size(file));
    MPI_Datatype block, type;
    MPI_Type_contiguous(count, mpi_datatype(file), &block);
    MPI_Type_create_resized(block, 0, run->size * count * extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&block);
    s->displacement = (MPI_Offset)run->rank * count * extent;
    return type;
}

static const char *const representations[] = {"native", "internal", "external32"};

static void set_view(const struct run *run, struct io_state *s)
{
    const struct pattern *pattern = run->function->variant;
    if (pattern->layout == NONCONTIGUOUS && s->request.block > 0)
        s->view = interleaved(run, s);
    mpi_file_note(
        &s->file, "MPI_File_set_view",
        MPI_File_set_view(s->file.handle, s->displacement, mpi_datatype(s->request.elementary),
                          s->view == MPI_DATATYPE_NULL ? mpi_datatype(s->request.in_file) : s->view,
                          representations[run->settings->file_data], mpi_file_info(run)));
}

/* Looks at all ranks' portions. */
static void plan(struct run *run, struct io_state *s)
{
    s->request = request_of(run, run->rank);
    s->own = portion_of(run, run->rank);
    for (int rank = 0; rank < run->size; rank++) {
        struct portion other = portion_of(run, rank);
        int64_t end = other.count ? block_place(&other, other.count - 1) + other.block : 0;
        s->rounds = other.count > s->rounds ? other.count : s->rounds;
        s->total = end > s->total ? end : s->total;
    }
}

/* Bytes of the whole file. */
static MPI_Offset file_bytes(const struct run *run, const struct io_state *s)
{
    const struct pattern *pattern = run->function->variant;
    int64_t data = s->total;
    if (pattern->layout == NONCONTIGUOUS || pattern->layout == SEQUENTIAL)
        data = run->size * s->own.count * s->own.block;
    return (MPI_Offset)(data / datatype_size(s->request.in_file) *
                        datatype_extent(s->request.in_file));
}

static bool set_up(struct run *run)
{
    struct io_state *s = run->state;
    bool own = owns_file(run);
    plan(run, s);
    s->view = MPI_DATATYPE_NULL;
    s->requests = run_allocate(run, (size_t)s->rounds + 1, sizeof(MPI_Request));
    if (!mpi_file_name(run, &s->file, own ? MPI_COMM_SELF : mpi_comm(run), own ? run->rank : -1) ||
        !mpi_file_create(run, &s->file))
        return false;
    if (run->settings->file_preallocated)
        mpi_file_reserve(run, &s->file, file_bytes(run, s));
    set_view(run, s);
    return mpi_file_all_succeeded(run, &s->file);
}

static void tear_down(struct run *run)
{
    struct io_state *s = run->state;
    if (s->file.path[0])
        mpi_file_remove(run, &s->file);
    if (s->view != MPI_DATATYPE_NULL)
        MPI_Type_free(&s->view);
}

/* ---- Data ---- */

/* Another rank checks what a rank has written, and reads what another has written: so data that
 * never leave a rank's memory are found. */
static int neighbour(const struct run *run)
{
    return owns_file(run) ||
                   ((const struct pattern *)run->function->variant)->layout == NONCONTIGUOUS
               ? run->rank
               : (run->rank + 1) % run->size;
}

static int64_t elements_of(const struct io_state *s, int64_t bytes)
{
    return bytes / datatype_size(s->request.in_memory);
}

/* Memory for all data of a portion, poisoned. */
static unsigned char *buffer_for(const struct io_state *s, int64_t bytes)
{
    size_t size = datatype_bytes(s->request.in_memory, elements_of(s, bytes)) + 1;
    unsigned char *buffer = memory_allocate(size);
    data_poison(buffer, size);
    return buffer;
}

/* Accesses all blocks of a portion by explicit offsets, whatever is measured. */
static void access_plainly(struct io_state *s, const struct portion *portion, bool writes,
                           unsigned char *buffer)
{
    for (int64_t i = 0; i < portion->count; i++) {
        struct piece piece = {
            .offset = in_elements(s, block_place(portion, i)),
            .memory = memory_at(s, buffer, i * portion->block),
            .count = (int)elements_of(s, block_bytes(portion, i)),
            .type = mpi_datatype(s->request.in_memory),
        };
        mpi_file_note(&s->file, writes ? "writing" : "reading",
                      begin(s->file.handle, 0x111, writes, &piece, NULL));
    }
}

/* Nothing of what was written before is left, unless that would give the space back. */
static void empty_file(const struct run *run, struct io_state *s)
{
    if (!run->settings->file_preallocated)
        mpi_file_note(&s->file, "MPI_File_set_size", MPI_File_set_size(s->file.handle, 0));
}

static void fill(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct io_state *s = run->state;
    int rank = neighbour(run);
    struct portion portion = portion_of(run, rank);
    int64_t elements = elements_of(s, portion.memory);
    if (pattern->writes) {
        data_poison(run->local, run->demand.local);
        mpi_fill(run, memory_at(s, run->local, 0), elements_of(s, s->own.memory),
                 s->request.in_memory, run->rank);
        empty_file(run, s);
    } else {
        unsigned char *data = buffer_for(s, portion.memory);
        mpi_fill(run, memory_at(s, data, 0), elements, s->request.in_memory, rank);
        access_plainly(s, &portion, true, data);
        free(data);
        data_poison(run->remote, run->demand.remote);
    }
    mpi_file_settle(&s->file);
}

static bool verify(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct io_state *s = run->state;
    mpi_file_settle(&s->file);
    if (!pattern->writes)
        return mpi_verify(run, "what was read", memory_at(s, run->remote, 0),
                          elements_of(s, s->own.memory), s->request.in_memory, run->rank);
    struct portion portion = portion_of(run, neighbour(run));
    unsigned char *found = buffer_for(s, portion.memory);
    access_plainly(s, &portion, false, found);
    bool good = mpi_file_succeeded(run, &s->file) &&
                mpi_verify(run, "what is in the file", memory_at(s, found, 0),
                           elements_of(s, portion.memory), s->request.in_memory, neighbour(run));
    free(found);
    return good;
}

/* ---- Data of shared pointers: blocks lie in any order ---- */

/* All blocks of the file, one after the other, as data_key() numbers them. */
static int64_t blocks_of_all(const struct run *run, const struct io_state *s)
{
    return run->size * s->own.count;
}

static struct portion whole_file(const struct run *run, const struct io_state *s)
{
    struct portion all = s->own;
    all.first = 0;
    all.step = all.block;
    all.count = blocks_of_all(run, s);
    all.memory = all.count * all.block;
    return all;
}

static void fill_block(const struct run *run, struct io_state *s, unsigned char *buffer, int64_t i,
                       int tag)
{
    mpi_fill(run, memory_at(s, buffer, i * s->own.block), elements_of(s, s->own.block),
             s->request.in_memory, tag);
}

static void fill_sequential(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct io_state *s = run->state;
    struct portion all = whole_file(run, s);
    for (int64_t i = 0; i < s->own.count && pattern->writes; i++)
        fill_block(run, s, run->local, i, (int)(run->rank * s->own.count + i));
    if (pattern->writes) {
        empty_file(run, s);
    } else {
        data_poison(run->remote, run->demand.remote);
        if (run->rank == 0) {
            unsigned char *data = buffer_for(s, all.memory);
            for (int64_t i = 0; i < all.count; i++)
                fill_block(run, s, data, i, (int)i);
            access_plainly(s, &all, true, data);
            free(data);
        }
    }
    mpi_file_settle(&s->file);
}

/* The first block from `from` on with which memory agrees; -1: none. */
static int64_t block_like(const struct run *run, struct io_state *s, unsigned char *buffer,
                          int64_t i, int64_t from, int64_t end)
{
    for (int64_t tag = from; tag < end; tag++)
        if (mpi_matches(run, memory_at(s, buffer, i * s->own.block), elements_of(s, s->own.block),
                        s->request.in_memory, (int)tag))
            return tag;
    return -1;
}

/* Whether each block of the file is there once. found: how often each was seen by this rank. */
static bool verify_counts(struct run *run, int *found)
{
    struct io_state *s = run->state;
    int64_t n = blocks_of_all(run, s), wrong = 0;
    MPI_Allreduce(MPI_IN_PLACE, found, (int)n, MPI_INT, MPI_SUM, mpi_comm(run));
    for (int64_t i = 0; i < n; i++)
        wrong += found[i] != 1;
    return wrong == 0 ||
           run_fail(run, "wrong data: %lld of %lld blocks are missing, damaged or there twice",
                    (long long)wrong, (long long)n);
}

/* Blocks that this rank has read, or as rank 0 finds in the file. */
static void count_blocks(struct run *run, struct io_state *s, unsigned char *buffer, int64_t count,
                         int *found)
{
    bool ordered = s->request.access & FILE_COLLECTIVE;
    const struct pattern *pattern = run->function->variant;
    int64_t n = blocks_of_all(run, s);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = !ordered          ? 0
                       : pattern->writes ? i % run->size * s->own.count + i / run->size
                                         : i * run->size + run->rank;
        int64_t tag = block_like(run, s, buffer, i, from, ordered ? from + 1 : n);
        if (tag >= 0)
            found[tag]++;
    }
}

static bool verify_sequential(struct run *run)
{
    const struct pattern *pattern = run->function->variant;
    struct io_state *s = run->state;
    struct portion all = whole_file(run, s);
    int *found = memory_zeroed((size_t)all.count, sizeof *found);
    mpi_file_settle(&s->file);
    if (!pattern->writes) {
        count_blocks(run, s, run->remote, s->own.count, found);
    } else if (run->rank == 0) {
        unsigned char *data = buffer_for(s, all.memory);
        access_plainly(s, &all, false, data);
        count_blocks(run, s, data, all.count, found);
        free(data);
    }
    bool good = verify_counts(run, found);
    free(found);
    return good && mpi_file_succeeded(run, &s->file);
}

/* ---- Pointers that go from block to block; nothing is accessed ---- */

static double run_seek(struct run *run)
{
    struct io_state *s = run->state;
    s->at = -1;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < s->own.count; i++)
        seek(s, block_place(&s->own, i), 0);
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, &s->file) ? run_elapsed(run, started, stopped) : NAN;
}

static double run_seek_shared(struct run *run)
{
    struct io_state *s = run->state;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < s->rounds; i++)
        mpi_file_note(
            &s->file, "MPI_File_seek_shared",
            MPI_File_seek_shared(s->file.handle, in_elements(s, i * s->own.block), MPI_SEEK_SET));
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, &s->file) ? run_elapsed(run, started, stopped) : NAN;
}

#endif

/* ---- Descriptors ---- */

#define WRITE_ROUTINES                                                                             \
    "MPI_File_write MPI_File_write_at MPI_File_iwrite MPI_File_iwrite_at MPI_File_write_all "      \
    "MPI_File_write_at_all MPI_File_write_all_begin MPI_File_write_at_all_begin"
#define READ_ROUTINES                                                                              \
    "MPI_File_read MPI_File_read_at MPI_File_iread MPI_File_iread_at MPI_File_read_all "           \
    "MPI_File_read_at_all MPI_File_read_all_begin MPI_File_read_at_all_begin"
#define WRITE_SHARED_ROUTINES                                                                      \
    "MPI_File_write_shared MPI_File_iwrite_shared MPI_File_write_ordered "                         \
    "MPI_File_write_ordered_begin"
#define READ_SHARED_ROUTINES                                                                       \
    "MPI_File_read_shared MPI_File_iread_shared MPI_File_read_ordered MPI_File_read_ordered_begin"

/* clang-format off */
#define MEMSIZE {"memsize", PARAMETER_INT, "bytes", "data of each rank", .size = true, .maximum = INT_MAX, .example = "4096"}
#define STRIDE {"stride", PARAMETER_INT, "bytes", "data from one block to the next; 0: block", .maximum = INT_MAX, .example = "0"}
#define MEMSIZES {"memsizes", PARAMETER_INT_ARRAY, "bytes", "data of each rank; more ranks start again with the first element", .example = "{4096, 1024}"}
#define BLOCKS {"blocks", PARAMETER_INT_ARRAY, "bytes", "data of an access, for each rank", .example = "{1024, 512}"}
#define ELEMENT_COUNT {"count", PARAMETER_INT, "elements", "data of each rank, of type memtype", .size = true, .maximum = INT_MAX / 16, .example = "1024"}
#define MEMTYPE {"memtype", PARAMETER_DATATYPE, "", "type of the data in memory", .example = "MPI_BYTE"}
#define ETYPE {"etype", PARAMETER_DATATYPE, "", "elementary type of the view: offsets count it", .example = "MPI_BYTE"}
#define FILETYPE {"filetype", PARAMETER_DATATYPE, "", "type of the view: what of the file is seen", .example = "MPI_BYTE"}
#define TYPES MEMTYPE, ETYPE, FILETYPE
#define PRIVATE {"private", PARAMETER_INT, "", "1: each rank has a file of its own; 0: all share one", .maximum = 1, .example = "0"}
#define DACCESS {"daccess", PARAMETER_INT, "", "way to access data: 0x1, 0x2 or 0x4 (explicit offset, individual or shared pointer) + 0x10 or 0x20 (blocking or not) + 0x100 or 0x200 (independent or collective)", .minimum = 0x111, .maximum = 0x222, .example = "0x111"}
#define DACCESS_SHARED {"daccess", PARAMETER_INT, "", "way to access data: 0x4 (shared pointer) + 0x10 or 0x20 (blocking or not) + 0x100 or 0x200 (independent or collective)", .minimum = 0x114, .maximum = 0x224, .example = "0x114"}
/* clang-format on */

static const struct measurement of_pattern = {.api = API_MPI,
                                              .check = check,
                                              .timing = TIMING_PARTS,
                                              .one_place = true,
                                              .who = "all",
                                              .demand = demand,
                                              MPI_STATE(struct io_state),
                                              .setup = WITH_MPI(set_up),
                                              .teardown = WITH_MPI(tear_down),
                                              .fill = WITH_MPI(fill),
                                              .verify = WITH_MPI(verify),
                                              .run = WITH_MPI(run_pattern),
                                              .moves = MOVES_MESSAGE};

static const struct measurement writes = {
    .like = {&of_pattern},
    .routine = WRITE_ROUTINES,
    .calls = "MPI_File_seek MPI_File_sync MPI_Wait",
    .timed = "all accesses of a rank, and MPI_File_sync if set_io_file_sync(1)"};
static const struct measurement reads = {.like = {&of_pattern},
                                         .routine = READ_ROUTINES,
                                         .calls = "MPI_File_seek MPI_Wait",
                                         .timed = "all accesses of a rank"};
static const struct measurement shares_pointer = {.fill = WITH_MPI(fill_sequential),
                                                  .verify = WITH_MPI(verify_sequential)};
static const struct measurement seeks = {.like = {&of_pattern},
                                         .no_data = true,
                                         .moves = MOVES_NOTHING,
                                         .calls = "",
                                         .timed = "the calls for all blocks of a rank"};

#define PATTERN(kind, ...)                                                                         \
    .variant = &(const struct pattern)                                                             \
    {                                                                                              \
        .layout = kind, __VA_ARGS__                                                                \
    }

const struct measurement measurements_mpi_io[] = {
    {"MPI_IO_write_segmented", "writing blocks, each rank in its segment of a file",
     .like = {&writes}, .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS},
     PATTERN(SEGMENTED, .writes = true)},
    {"MPI_IO_read_segmented", "reading blocks, each rank in its segment of a file",
     .like = {&reads}, .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS}, PATTERN(SEGMENTED)},
    {"MPI_IO_write_strided", "writing blocks, those of the ranks in turn", .like = {&writes},
     .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS}, PATTERN(STRIDED, .writes = true)},
    {"MPI_IO_read_strided", "reading blocks, those of the ranks in turn", .like = {&reads},
     .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS}, PATTERN(STRIDED)},
    {"MPI_IO_write_random", "writing blocks in segments; sizes differ between ranks",
     .like = {&writes}, .parameters = {MEMSIZES, BLOCKS, TYPES, DACCESS},
     PATTERN(RANDOM, .writes = true)},
    {"MPI_IO_read_random", "reading blocks in segments; sizes differ between ranks",
     .like = {&reads}, .parameters = {MEMSIZES, BLOCKS, TYPES, DACCESS}, PATTERN(RANDOM)},
    {"MPI_IO_write_noncontiguous", "writing through views that show the ranks' blocks in turn",
     .like = {&writes}, .parameters = {MEMSIZE, BLOCK, TYPES, DACCESS},
     PATTERN(NONCONTIGUOUS, .writes = true)},
    {"MPI_IO_read_noncontiguous", "reading through views that show the ranks' blocks in turn",
     .like = {&reads}, .parameters = {MEMSIZE, BLOCK, TYPES, DACCESS}, PATTERN(NONCONTIGUOUS)},
    {"MPI_IO_write_separate", "writing blocks, each rank into a file of its own", .like = {&writes},
     .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS}, PATTERN(SEPARATE, .writes = true)},
    {"MPI_IO_read_separate", "reading blocks, each rank from a file of its own", .like = {&reads},
     .parameters = {MEMSIZE, BLOCK, STRIDE, TYPES, DACCESS}, PATTERN(SEPARATE)},
    {"MPI_IO_write_sequential", "writing blocks with a shared pointer",
     .like = {&shares_pointer, &writes}, .routine = WRITE_SHARED_ROUTINES,
     .calls = "MPI_File_sync MPI_Wait", .parameters = {MEMSIZE, BLOCK, TYPES, DACCESS_SHARED},
     PATTERN(SEQUENTIAL, .writes = true)},
    {"MPI_IO_read_sequential", "reading blocks with a shared pointer",
     .like = {&shares_pointer, &reads}, .routine = READ_SHARED_ROUTINES, .calls = "MPI_Wait",
     .parameters = {MEMSIZE, BLOCK, TYPES, DACCESS_SHARED}, PATTERN(SEQUENTIAL)},
    {"MPI_IO_write_once", "writing all data of a rank at once", .like = {&writes},
     .parameters = {ELEMENT_COUNT, TYPES, PRIVATE, DACCESS}, PATTERN(ONCE, .writes = true)},
    {"MPI_IO_read_once", "reading all data of a rank at once", .like = {&reads},
     .parameters = {ELEMENT_COUNT, TYPES, PRIVATE, DACCESS}, PATTERN(ONCE)},
    {"MPI_IO_file_seek", "moving the individual pointer from block to block", .like = {&seeks},
     .routine = "MPI_File_seek", .parameters = {MEMSIZE, BLOCK, TYPES}, .run = WITH_MPI(run_seek),
     PATTERN(SEGMENTED)},
    {"MPI_IO_file_seek_shared", "moving the shared pointer from block to block", .like = {&seeks},
     .routine = "MPI_File_seek_shared", .parameters = {MEMSIZE, BLOCK, TYPES},
     .run = WITH_MPI(run_seek_shared), PATTERN(SEGMENTED)},
    {.name = NULL},
};
