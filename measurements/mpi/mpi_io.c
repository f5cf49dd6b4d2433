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

static const struct pattern *pattern_of(const struct run *run)
{
    return run->function->variant;
}

static bool owns_file(const struct run *run)
{
    return pattern_of(run)->layout == SEPARATE || run_integer(run, "private", 0) != 0;
}

/* ---- Where blocks lie ---- */

/* A rank's blocks, in bytes of data. */
struct blocks {
    int64_t memory, block, stride; /* all of its data; as the arguments say */
    int64_t count;
    int64_t first, step; /* where the view shows the first, and from one beginning to the next */
};

/* The size for a rank. If the array has fewer elements than there are ranks, it is used again from
 * its beginning. */
static int64_t size_of(const struct run *run, const char *sizes, int rank)
{
    const struct int_array *array = run_argument(run, sizes)->array;
    return array->items[(size_t)rank % array->count];
}

static struct blocks blocks_of(const struct run *run, int rank)
{
    enum layout layout = pattern_of(run)->layout;
    struct blocks blocks = {.memory = run_integer(run, "memsize", 0),
                            .block = run_integer(run, "block", 0),
                            .stride = run_integer(run, "stride", 0)};
    if (layout == RANDOM) {
        blocks.memory = size_of(run, "memsizes", rank);
        blocks.block = size_of(run, "blocks", rank);
    } else if (layout == ONCE) {
        blocks.memory =
            run_integer(run, "count", 0) * datatype_size(mpi_datatype_named(run, "memtype"));
    }
    if (blocks.block == 0 || blocks.block > blocks.memory)
        blocks.block = blocks.memory;
    if (blocks.stride == 0)
        blocks.stride = blocks.block;
    blocks.count = blocks.block ? (blocks.memory + blocks.block - 1) / blocks.block : 0;
    blocks.step = blocks.stride;
    if (layout == STRIDED) {
        blocks.first = rank * blocks.stride;
        blocks.step = run->size * blocks.stride;
    } else if (layout == SEGMENTED || layout == ONCE) {
        blocks.first = owns_file(run) ? 0 : rank * blocks.count * blocks.stride;
    }
    for (int before = 0; before < rank && layout == RANDOM; before++)
        blocks.first += size_of(run, "memsizes", before);
    return blocks;
}

/* ---- Arguments ---- */

/* What is wrong with the sizes, for the user, or NULL. */
static const char *check_sizes(const struct run *run, const struct blocks *blocks)
{
    int64_t memory = datatype_size(mpi_datatype_named(run, "memtype"));
    int64_t file = datatype_size(mpi_datatype_named(run, "filetype"));
    int64_t elementary = datatype_size(mpi_datatype_named(run, "etype"));
    enum layout layout = pattern_of(run)->layout;
    if (memory == 0 || file == 0 || elementary == 0)
        return "the datatypes must have data";
    if (file % elementary != 0)
        return "the size of filetype must be a multiple of the size of etype";
    if (blocks->memory % memory != 0 || blocks->block % memory != 0)
        return "sizes must be multiples of the size of memtype";
    if (blocks->memory % elementary != 0 || blocks->block % elementary != 0 ||
        blocks->stride % elementary != 0)
        return "sizes must be multiples of the size of etype";
    if (blocks->stride < blocks->block)
        return "stride must be 0 or at least block";
    if (layout == NONCONTIGUOUS && blocks->block % file != 0)
        return "block must be a multiple of the size of filetype";
    if (layout == SEQUENTIAL && blocks->block > 0 && blocks->memory % blocks->block != 0)
        return "memsize must be a multiple of block";
    return NULL;
}

static const char *check_access(const struct run *run)
{
    int64_t access = run_integer(run, "daccess", 0);
    bool shared = access & FILE_SHARED, sequential = pattern_of(run)->layout == SEQUENTIAL;
    if (!measurement_parameter(run->function, "daccess"))
        return NULL;
    if (!access_routine(access, false))
        return FILE_ACCESS_WANTED;
    if (shared && !sequential)
        return "a shared pointer (0x4) chooses places by itself: use the _sequential functions";
    if (!shared && sequential)
        return "only a shared pointer (0x4 in daccess) is sequential";
    return NULL;
}

static const char *check_array(const struct int_array *sizes)
{
    if (sizes->count == 0)
        return "memsizes and blocks must have elements";
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->items[i] < 0 || sizes->items[i] > INT_MAX)
            return "memsizes and blocks must be from 0 to 2147483647";
    return NULL;
}

static const char *check(const struct run *run)
{
    bool random = pattern_of(run)->layout == RANDOM;
    const char *wrong = random ? check_array(run_argument(run, "memsizes")->array) : NULL;
    if (!wrong && random)
        wrong = check_array(run_argument(run, "blocks")->array);
    for (int rank = 0; rank < (random ? run->size : 1) && !wrong; rank++) {
        struct blocks blocks = blocks_of(run, rank);
        wrong = check_sizes(run, &blocks);
    }
    return wrong ? wrong : check_access(run);
}

static void demand(struct run *run)
{
    const struct datatype *type = mpi_datatype_named(run, "memtype");
    int64_t most = blocks_of(run, 0).memory;
    for (int rank = 1; rank < run->size && pattern_of(run)->layout == RANDOM; rank++) {
        int64_t other = size_of(run, "memsizes", rank);
        most = other > most ? other : most;
    }
    *(pattern_of(run)->writes ? &run->demand.local : &run->demand.remote) =
        mpi_block_bytes(type, most / datatype_size(type), 1);
    run->demand.reported = (size_t)most;
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

struct io_state {
    struct mpi_file file;
    struct datatype *in_memory, *elementary, *in_file;
    int64_t access;
    struct blocks own;
    int64_t rounds; /* accesses of the rank with most of them: collective calls need all */
    MPI_Request *requests;
    MPI_Datatype view; /* MPI_DATATYPE_NULL, or made for the view */
    int64_t at;        /* where the individual pointer is */
};

static int64_t block_bytes(const struct blocks *blocks, int64_t i)
{
    int64_t left = blocks->memory - i * blocks->block;
    return i >= blocks->count ? 0 : left < blocks->block ? left : blocks->block;
}

static int64_t block_place(const struct blocks *blocks, int64_t i)
{
    return blocks->first + i * blocks->step;
}

static int64_t elements_of(const struct io_state *s, int64_t bytes)
{
    return bytes / datatype_size(s->in_memory);
}

/* Where a byte of a rank's data lies in its buffer. */
static unsigned char *memory_at(const struct io_state *s, unsigned char *buffer, int64_t byte)
{
    return (unsigned char *)mpi_address(buffer, s->in_memory) +
           elements_of(s, byte) * datatype_extent(s->in_memory);
}

/* ---- Access ---- */

/* Calls the routine of that way to access data, or its first half. at: in elements of etype. */
static int begin(MPI_File file, int64_t access, bool writes, MPI_Offset at, void *memory, int n,
                 MPI_Datatype type, MPI_Request *request)
{
    MPI_Status *none = MPI_STATUS_IGNORE;
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
    return (MPI_Offset)(bytes / datatype_size(s->elementary));
}

/* Moves the individual pointer to a block unless it is there already. The move is part of the
 * access, and timed with it. */
static void seek(struct io_state *s, int64_t place, int64_t bytes)
{
    if (s->at != place)
        FILE_CALL(&s->file, MPI_File_seek, s->file.handle, in_elements(s, place), MPI_SEEK_SET);
    s->at = place + bytes;
}

static void access_block(struct io_state *s, const struct blocks *blocks, int64_t i, int64_t access,
                         bool writes, unsigned char *buffer, MPI_Request *request)
{
    int64_t bytes = block_bytes(blocks, i), place = block_place(blocks, i);
    void *memory = memory_at(s, buffer, i < blocks->count ? i * blocks->block : 0);
    if (access & FILE_INDIVIDUAL && bytes > 0)
        seek(s, place, bytes);
    int code = begin(s->file.handle, access, writes, in_elements(s, place), memory,
                     (int)elements_of(s, bytes), mpi_datatype(s->in_memory), request);
    if (code == MPI_SUCCESS)
        code = end_split(s->file.handle, access, writes, memory);
    mpi_file_note(&s->file, writes ? "writing" : "reading", code);
}

/* Before the start pointers go back to the beginning. All ranks must have ended the accesses
 * before, which would go on from there. */
static double run_pattern(struct run *run)
{
    bool writes = pattern_of(run)->writes;
    struct io_state *s = run->state;
    unsigned char *buffer = writes ? run->local : run->remote;
    /* Collective routines have to be called by all ranks equally often. */
    int64_t n = s->access & FILE_COLLECTIVE ? s->rounds : s->own.count;
    s->at = -1;
    if (s->access & FILE_SHARED) {
        MPI_Barrier(s->file.comm);
        FILE_CALL(&s->file, MPI_File_seek_shared, s->file.handle, 0, MPI_SEEK_SET);
    }
    int64_t started = run_start(run);
    for (int64_t i = 0; i < n; i++)
        access_block(s, &s->own, i, s->access, writes, buffer, &s->requests[i]);
    if (s->access & FILE_POSTED && s->access & FILE_INDEPENDENT)
        mpi_wait_all((int)n, s->requests);
    if (writes && run->settings->file_synced)
        FILE_CALL(&s->file, MPI_File_sync, s->file.handle);
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, &s->file) ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- Set-up ---- */

/* The view shows all of the file, or the blocks of this rank, with those of all others left out. */
static void set_view(const struct run *run, struct io_state *s)
{
    static const char *const representations[] = {"native", "internal", "external32"};
    MPI_Datatype shown = mpi_datatype(s->in_file), block;
    MPI_Offset displacement = 0;
    if (pattern_of(run)->layout == NONCONTIGUOUS && s->own.block > 0) {
        int count = (int)(s->own.block / datatype_size(s->in_file));
        MPI_Aint bytes = count * (MPI_Aint)datatype_extent(s->in_file);
        MPI_Type_contiguous(count, shown, &block);
        MPI_Type_create_resized(block, 0, run->size * bytes, &s->view);
        MPI_Type_commit(&s->view);
        MPI_Type_free(&block);
        displacement = (MPI_Offset)run->rank * bytes;
        shown = s->view;
    }
    FILE_CALL(&s->file, MPI_File_set_view, s->file.handle, displacement,
              mpi_datatype(s->elementary), shown, representations[run->settings->file_data],
              mpi_file_info(run));
}

/* Bytes of the whole file, by what the view shows of all ranks' blocks. */
static MPI_Offset file_bytes(const struct run *run, const struct io_state *s)
{
    enum layout layout = pattern_of(run)->layout;
    int64_t data = 0;
    for (int rank = 0; rank < run->size; rank++) {
        struct blocks other = blocks_of(run, rank);
        int64_t end = other.count ? block_place(&other, other.count - 1) + other.block : 0;
        data = end > data ? end : data;
    }
    if (layout == NONCONTIGUOUS || layout == SEQUENTIAL)
        data = run->size * s->own.count * s->own.block;
    return (MPI_Offset)(data / datatype_size(s->in_file) * datatype_extent(s->in_file));
}

static bool set_up(struct run *run)
{
    struct io_state *s = run->state;
    bool own = owns_file(run);
    s->in_memory = mpi_datatype_named(run, "memtype");
    s->elementary = mpi_datatype_named(run, "etype");
    s->in_file = mpi_datatype_named(run, "filetype");
    s->access = run_integer(run, "daccess", 0);
    s->own = blocks_of(run, run->rank);
    for (int rank = 0; rank < run->size; rank++) {
        int64_t count = blocks_of(run, rank).count;
        s->rounds = count > s->rounds ? count : s->rounds;
    }
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

/* Another rank checks what a rank has written, and writes what another will read: so data that
 * never leave a rank's memory are found. Where blocks lie in any order, rank 0 does for all. */
static struct blocks others_blocks(const struct run *run, int *rank)
{
    enum layout layout = pattern_of(run)->layout;
    bool alone = owns_file(run) || layout == NONCONTIGUOUS || layout == SEQUENTIAL;
    *rank = alone ? run->rank : (run->rank + 1) % run->size;
    struct blocks blocks = blocks_of(run, *rank);
    if (layout == SEQUENTIAL) {
        blocks.count = run->rank == 0 ? run->size * blocks.count : 0;
        blocks.memory = blocks.count * blocks.block;
    }
    return blocks;
}

/* Tag of the data of a rank's block. */
static int tag_of(const struct io_state *s, int rank, int64_t i)
{
    return (int)(rank * s->rounds + i);
}

/* Memory for so many bytes of data, poisoned. */
static unsigned char *buffer_for(const struct io_state *s, int64_t bytes)
{
    size_t size = datatype_bytes(s->in_memory, elements_of(s, bytes)) + 1;
    unsigned char *buffer = memory_allocate(size);
    data_poison(buffer, size);
    return buffer;
}

static void fill_blocks(const struct run *run, const struct blocks *blocks, int rank,
                        unsigned char *buffer)
{
    const struct io_state *s = run->state;
    for (int64_t i = 0; i < blocks->count; i++)
        mpi_fill(run, memory_at(s, buffer, i * blocks->block),
                 elements_of(s, block_bytes(blocks, i)), s->in_memory, tag_of(s, rank, i));
}

/* Accesses all blocks by explicit offsets, blocking, by this rank alone, whatever is measured. */
static void access_plainly(struct io_state *s, const struct blocks *blocks, bool writes,
                           unsigned char *buffer)
{
    for (int64_t i = 0; i < blocks->count; i++)
        access_block(s, blocks, i, 0x111, writes, buffer, NULL);
}

static void fill(struct run *run)
{
    struct io_state *s = run->state;
    int rank;
    struct blocks others = others_blocks(run, &rank);
    if (pattern_of(run)->writes) {
        data_poison(run->local, run->demand.local);
        fill_blocks(run, &s->own, run->rank, run->local);
        /* Nothing of what was written before is left, unless that would give the space back. */
        if (!run->settings->file_preallocated)
            FILE_CALL(&s->file, MPI_File_set_size, s->file.handle, 0);
    } else {
        unsigned char *data = buffer_for(s, others.memory);
        fill_blocks(run, &others, rank, data);
        access_plainly(s, &others, true, data);
        free(data);
        data_poison(run->remote, run->demand.remote);
    }
    mpi_file_settle(&s->file);
}

static bool verify_blocks(struct run *run, const struct blocks *blocks, int rank,
                          unsigned char *memory)
{
    const struct io_state *s = run->state;
    const char *what =
        pattern_of(run)->writes ? "a block of what is in the file" : "a block of what was read";
    bool good = true;
    for (int64_t i = 0; good && i < blocks->count; i++)
        good = mpi_verify(run, what, memory_at(s, memory, i * blocks->block),
                          elements_of(s, block_bytes(blocks, i)), s->in_memory, tag_of(s, rank, i));
    return good;
}

/* The first of the tags from `from` on whose data memory has; -1: none. */
static int64_t tag_like(const struct run *run, const unsigned char *memory, int64_t from,
                        int64_t end)
{
    const struct io_state *s = run->state;
    for (int64_t tag = from; tag < end; tag++)
        if (mpi_matches(run, memory, elements_of(s, s->own.block), s->in_memory, (int)tag))
            return tag;
    return -1;
}

/* Whether each block of the file is there once, among those that the ranks have read, or that rank
 * 0 finds in the file: only collective routines say which is where. Collective over the set. */
static bool verify_any_order(struct run *run, const struct blocks *blocks, unsigned char *memory)
{
    const struct io_state *s = run->state;
    bool ordered = s->access & FILE_COLLECTIVE;
    int64_t n = run->size * s->own.count, wrong = 0;
    int *found = memory_zeroed((size_t)n, sizeof *found);
    for (int64_t i = 0; i < blocks->count; i++) {
        int64_t from = !ordered                  ? 0
                       : pattern_of(run)->writes ? i % run->size * s->own.count + i / run->size
                                                 : i * run->size + run->rank;
        int64_t tag =
            tag_like(run, memory_at(s, memory, i * blocks->block), from, ordered ? from + 1 : n);
        if (tag >= 0)
            found[tag]++;
    }
    MPI_Allreduce(MPI_IN_PLACE, found, (int)n, MPI_INT, MPI_SUM, mpi_comm(run));
    for (int64_t i = 0; i < n; i++)
        wrong += found[i] != 1;
    free(found);
    return wrong == 0 ||
           run_fail(run, "wrong data: %lld of %lld blocks are missing, damaged or there twice",
                    (long long)wrong, (long long)n);
}

static bool verify(struct run *run)
{
    struct io_state *s = run->state;
    int rank = run->rank;
    struct blocks blocks = s->own;
    unsigned char *memory = run->remote, *read = NULL;
    mpi_file_settle(&s->file);
    if (pattern_of(run)->writes) {
        blocks = others_blocks(run, &rank);
        memory = read = buffer_for(s, blocks.memory);
        access_plainly(s, &blocks, false, read);
    }
    bool there = mpi_file_succeeded(run, &s->file);
    bool good = pattern_of(run)->layout == SEQUENTIAL
                    ? verify_any_order(run, &blocks, memory)
                    : there && verify_blocks(run, &blocks, rank, memory);
    free(read);
    return there && good;
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
        FILE_CALL(&s->file, MPI_File_seek_shared, s->file.handle, in_elements(s, i * s->own.block),
                  MPI_SEEK_SET);
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
#define ELEMENT_COUNT {"count", PARAMETER_INT, "elements", "data of each rank, of type memtype", .size = true, .maximum = INT_MAX / 16, .element = "memtype", .example = "1024"}
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
    {"MPI_IO_write_sequential", "writing blocks with a shared pointer", .like = {&writes},
     .routine = WRITE_SHARED_ROUTINES, .calls = "MPI_File_sync MPI_Wait",
     .parameters = {MEMSIZE, BLOCK, TYPES, DACCESS_SHARED}, PATTERN(SEQUENTIAL, .writes = true)},
    {"MPI_IO_read_sequential", "reading blocks with a shared pointer", .like = {&reads},
     .routine = READ_SHARED_ROUTINES, .calls = "MPI_Wait",
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
