/*
 * Whole files: read by all ranks, by some for all, by a partner of the writer; and by rank 0 alone,
 * with MPI or with the system's own calls, beside which the cost of MPI shows.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include "measurements/common/mpi_file.h"

/* Large files go through memory of this size (bytes), in as many accesses as that takes. */
#define PIECE (1 << 20)
/* In the order of the words of "api". */
enum { BY_MPI, BY_POSIX };

/* Accesses past the page cache need memory, places and sizes that are multiples of this (bytes). */
#define SECTOR 4096

static void demand_read(struct run *run)
{
    const char *name = measurement_parameter(run->function, "count") ? "count" : "memsize";
    data_demand_bytes(run, (size_t)run_integer(run, name, 0));
}

static const char *check_readers(const struct run *run)
{
    return run_integer(run, "np", 1) > run->size ? "np may be at most the number of PEs of the set"
                                                 : NULL;
}

/* ---- By rank 0 alone ---- */

static int64_t alone_bytes(const struct run *run)
{
    const struct value *power = run_find_argument(run, "power");
    return power ? (int64_t)1 << power->integer : run_integer(run, "size", 0);
}

static const char *check_alone(const struct run *run)
{
    if (run_integer(run, "direct", 0) && alone_bytes(run) % SECTOR != 0)
        return "direct access needs a size that is a multiple of 4096";
    return NULL;
}

static void demand_alone(struct run *run)
{
    bool large = run_find_argument(run, "power") != NULL;
    run->demand.reported = (size_t)alone_bytes(run);
    run->demand.own = large ? PIECE : run->demand.reported + SECTOR;
}

#if SKAMPI_MPI

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool writes_file(const struct run *run)
{
    return *(const bool *)run->function->variant;
}

static void write_at(struct mpi_file *file, MPI_Offset place, void *memory, size_t bytes)
{
    FILE_CALL(file, MPI_File_write_at, file->handle, place, memory, (int)bytes, MPI_BYTE,
              MPI_STATUS_IGNORE);
}

static void read_at(struct mpi_file *file, MPI_Offset place, void *memory, size_t bytes)
{
    FILE_CALL(file, MPI_File_read_at, file->handle, place, memory, (int)bytes, MPI_BYTE,
              MPI_STATUS_IGNORE);
}

static void fill(struct run *run)
{
    pattern_fill(run->local, run->demand.local, data_key(run, 0));
    data_poison(run->remote, run->demand.remote);
    if (run->rank == 0)
        write_at(run->state, 0, run->local, run->demand.local);
    mpi_file_settle(run->state);
}

static bool verify(struct run *run)
{
    return data_verify(run, "what was read", run->remote, run->demand.remote, 0);
}

static double run_read_file(struct run *run)
{
    int64_t started = run_start(run);
    read_at(run->state, 0, run->remote, run->demand.remote);
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, run->state) ? run_elapsed(run, started, stopped) : NAN;
}

/* Of bytes that are shared as evenly as possible: where the share of a reader begins. */
static size_t share_begin(size_t bytes, int readers, int rank)
{
    return bytes / (size_t)readers * (size_t)rank +
           bytes % (size_t)readers * (size_t)rank / (size_t)readers;
}

static double run_distribute(struct run *run)
{
    struct mpi_file *file = run->state;
    int readers = (int)run_argument(run, "np")->integer;
    size_t bytes = run->demand.remote;
    int64_t started = run_start(run);
    if (run->rank < readers) {
        size_t from = share_begin(bytes, readers, run->rank);
        read_at(file, (MPI_Offset)from, run->remote + from,
                share_begin(bytes, readers, run->rank + 1) - from);
    }
    for (int rank = 0; rank < readers; rank++) {
        size_t from = share_begin(bytes, readers, rank);
        MPI_Bcast(run->remote + from, (int)(share_begin(bytes, readers, rank + 1) - from), MPI_BYTE,
                  rank, file->comm);
    }
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, file) ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- Pairs of a writer and a reader ---- */

/* Each pair has a file of its own. Of an odd number of ranks, the last one writes for nobody. */
static bool set_up_pairs(struct run *run)
{
    struct mpi_file *file = run->state;
    MPI_Comm pair;
    MPI_Comm_split(mpi_comm(run), run->rank / 2, run->rank, &pair);
    return mpi_file_name(run, file, pair, run->rank / 2) && mpi_file_create(run, file);
}

static void tear_down_pairs(struct run *run)
{
    struct mpi_file *file = run->state;
    mpi_file_tear_down(run);
    MPI_Comm_free(&file->comm);
}

static void fill_pairs(struct run *run)
{
    struct mpi_file *file = run->state;
    pattern_fill(run->local, run->demand.local, data_key(run, run->rank / 2));
    data_poison(run->remote, run->demand.remote);
    FILE_CALL(file, MPI_File_set_size, file->handle, 0);
}

static bool verify_pairs(struct run *run)
{
    return run->rank % 2 == 0
               ? data_verify_untouched(run, "the writer's target", run->remote, run->demand.remote)
               : data_verify(run, "what was read", run->remote, run->demand.remote, run->rank / 2);
}

static double run_pairs(struct run *run)
{
    struct mpi_file *file = run->state;
    size_t bytes = run->demand.remote, block = (size_t)run_argument(run, "block")->integer;
    bool writes = run->rank % 2 == 0;
    if (block == 0 || block > bytes)
        block = bytes ? bytes : 1;
    int64_t started = run_start(run);
    for (size_t at = 0; writes && at < bytes; at += block)
        write_at(file, (MPI_Offset)at, run->local + at, bytes - at < block ? bytes - at : block);
    mpi_file_settle(file);
    for (size_t at = 0; !writes && at < bytes; at += block)
        read_at(file, (MPI_Offset)at, run->remote + at, bytes - at < block ? bytes - at : block);
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, file) && !writes ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- The hooks of rank 0 alone ---- */

struct alone_state {
    struct mpi_file file; /* named, and opened only in the timed part */
    unsigned char *memory;
    size_t piece; /* bytes of an access */
    int descriptor;
    bool posix;
};

static void note_errno(struct alone_state *s, const char *call)
{
    int code = errno == ENOSPC   ? MPI_ERR_NO_SPACE
               : errno == EACCES ? MPI_ERR_ACCESS
               : errno == EINVAL ? MPI_ERR_UNSUPPORTED_OPERATION
                                 : MPI_ERR_IO;
    mpi_file_note(&s->file, call, code);
}

static void open_alone(struct run *run, bool create)
{
    struct alone_state *s = run->state;
    bool direct = run_integer(run, "direct", 0) != 0;
    if (s->posix) {
        s->descriptor =
            open(s->file.path, O_RDWR | (create ? O_CREAT : 0) | (direct ? O_DIRECT : 0), 0666);
        if (s->descriptor < 0)
            note_errno(s, direct ? "open with O_DIRECT" : "open");
        return;
    }
    MPI_Info info, given = mpi_file_info(run);
    if (given != MPI_INFO_NULL)
        MPI_Info_dup(given, &info);
    else
        MPI_Info_create(&info);
    if (direct) {
        MPI_Info_set(info, "direct_read", "true");
        MPI_Info_set(info, "direct_write", "true");
    }
    mpi_file_open(&s->file, MPI_COMM_SELF, mpi_file_mode(run) | (create ? MPI_MODE_CREATE : 0),
                  info);
    MPI_Info_free(&info);
}

static void close_alone(struct alone_state *s)
{
    if (s->descriptor >= 0 && close(s->descriptor) != 0)
        note_errno(s, "close");
    s->descriptor = -1;
    mpi_file_close(&s->file);
}

/* Bytes of the next access, if `left` bytes of the file are left. */
static size_t piece_bytes(const struct alone_state *s, int64_t left)
{
    return left < (int64_t)s->piece ? (size_t)left : s->piece;
}

static void access_alone(struct alone_state *s, bool writes, int64_t at, size_t bytes)
{
    if (s->file.call)
        return;
    if (s->posix) {
        ssize_t done = writes ? pwrite(s->descriptor, s->memory, bytes, (off_t)at)
                              : pread(s->descriptor, s->memory, bytes, (off_t)at);
        if (done < 0 || (size_t)done < bytes)
            note_errno(s, writes ? "pwrite" : "pread");
    } else if (writes) {
        write_at(&s->file, (MPI_Offset)at, s->memory, bytes);
    } else {
        read_at(&s->file, (MPI_Offset)at, s->memory, bytes);
    }
}

static void sync_alone(struct alone_state *s)
{
    if (s->file.call)
        return;
    if (s->posix && fsync(s->descriptor) != 0)
        note_errno(s, "fsync");
    else if (!s->posix)
        FILE_CALL(&s->file, MPI_File_sync, s->file.handle);
}

/* The file as it is before a repetition that reads, or that writes into a file that exists. */
static void lay_down(struct run *run, int64_t bytes)
{
    struct alone_state *s = run->state;
    open_alone(run, true);
    for (int64_t at = 0; at < bytes; at += (int64_t)s->piece)
        access_alone(s, true, at, piece_bytes(s, bytes - at));
    if (!s->file.call)
        sync_alone(s);
    close_alone(s);
    s->file.there = true;
}

static bool set_up_alone(struct run *run)
{
    struct alone_state *s = run->state;
    int64_t bytes = alone_bytes(run);
    const char *folder = run->settings->file_directory;
    struct statvfs disk;
    s->posix = run_word(run, "api") == BY_POSIX;
    s->descriptor = -1;
    if (!mpi_file_set_up(run) || run->rank != 0)
        return true;
    /* A disk that is full harms others. */
    if (statvfs(folder, &disk) == 0 && (uint64_t)bytes / disk.f_frsize >= disk.f_bavail)
        return run_fail(run,
                        "%s has no room for a file of %lld bytes (set_io_working_dir() chooses "
                        "another directory)",
                        folder, (long long)bytes);
    s->piece = run_find_argument(run, "power") && bytes > PIECE ? PIECE : (size_t)bytes;
    s->piece = s->piece ? s->piece : 1;
    s->memory = aligned_alloc(SECTOR, (s->piece + SECTOR - 1) / SECTOR * SECTOR);
    if (!s->memory)
        return run_fail(run, "there is no memory for %zu bytes of a file", s->piece);
    pattern_fill(s->memory, s->piece, data_key(run, 0));
    lay_down(run, bytes);
    return mpi_file_succeeded(run, &s->file);
}

static void tear_down_alone(struct run *run)
{
    struct alone_state *s = run->state;
    if (run->rank == 0)
        close_alone(s);
    mpi_file_remove(run, &s->file);
    free(s->memory);
}

/* All pieces of a file have equal data, and each piece is verified after it has been read. */
static bool pieces_are_right(struct run *run, int64_t bytes)
{
    struct alone_state *s = run->state;
    bool good = true;
    open_alone(run, false);
    for (int64_t at = 0; good && at < bytes; at += (int64_t)s->piece) {
        size_t length = piece_bytes(s, bytes - at);
        data_poison(s->memory, s->piece);
        access_alone(s, false, at, length);
        good = data_verify(run, "what is in the file", s->memory, length, 0);
    }
    close_alone(s);
    return good && mpi_file_succeeded(run, &s->file);
}

static void fill_alone(struct run *run)
{
    struct alone_state *s = run->state;
    if (run->rank != 0)
        return;
    pattern_fill(s->memory, s->piece, data_key(run, 0));
    if (!writes_file(run)) {
        lay_down(run, alone_bytes(run));
        data_poison(s->memory, s->piece);
    }
}

static bool verify_alone(struct run *run)
{
    struct alone_state *s = run->state;
    int64_t bytes = alone_bytes(run);
    if (run->rank != 0)
        return true;
    return writes_file(run)
               ? pieces_are_right(run, bytes)
               : data_verify(run, "what was read", s->memory, piece_bytes(s, bytes), 0);
}

static double run_alone(struct run *run)
{
    struct alone_state *s = run->state;
    bool acts = run->rank == 0;
    bool creates = run_integer(run, "create", 0) != 0;
    int64_t bytes = alone_bytes(run);
    if (acts && creates && unlink(s->file.path) != 0)
        note_errno(s, "unlink");
    int64_t started = run_start(run);
    if (acts)
        open_alone(run, creates);
    for (int64_t at = 0; acts && at < bytes; at += (int64_t)s->piece)
        access_alone(s, writes_file(run), at, piece_bytes(s, bytes - at));
    if (acts && writes_file(run) && run->settings->file_synced)
        sync_alone(s);
    if (acts)
        close_alone(s);
    int64_t stopped = run_stop(run);
    return acts && mpi_file_succeeded(run, &s->file) ? run_elapsed(run, started, stopped) : NAN;
}

#endif

/* clang-format off */
#define READ_BYTES {"count", PARAMETER_INT, "bytes", "size of the file", .size = true, .maximum = INT_MAX, .example = "4096"}
#define PAIR_BYTES {"memsize", PARAMETER_INT, "bytes", "data of each pair", .size = true, .maximum = INT_MAX, .example = "4096"}
#define READERS {"np", PARAMETER_INT, "", "ranks that read; the others get the data from them", .minimum = 1, .maximum = INT_MAX, .example = "1"}
#define ALONE_BYTES {"size", PARAMETER_INT, "bytes", "size of the file", .size = true, .maximum = INT_MAX, .example = "4096"}
#define API {"api", PARAMETER_STRING, "", "whose calls access the file", .words = "MPI|POSIX", .example = "MPI"}
#define DIRECT {"direct", PARAMETER_INT, "", "1: past the page cache (O_DIRECT; MPI: hints that say so)", .maximum = 1, .example = "0"}
#define POWER {"power", PARAMETER_INT, "", "the file has 2^power bytes", .maximum = 50, .allowed = "as the disk has room", .example = "12"}
/* clang-format on */

static const struct measurement of_all = {.timing = TIMING_PARTS,
                                          .one_place = true,
                                          .who = "all",
                                          .moves = MOVES_MESSAGE,
                                          .calls = "",
                                          MPI_STATE(struct mpi_file),
                                          .demand = demand_read,
                                          .setup = WITH_MPI(mpi_file_set_up_created),
                                          .teardown = WITH_MPI(mpi_file_tear_down),
                                          .fill = WITH_MPI(fill),
                                          .verify = WITH_MPI(verify)};
static const struct measurement of_one = {.api = API_MPI,
                                          .check = check_alone,
                                          .timing = TIMING_PARTS,
                                          .one_place = true,
                                          .who = "rank 0",
                                          .moves = MOVES_MESSAGE,
                                          MPI_STATE(struct alone_state),
                                          .demand = demand_alone,
                                          .setup = WITH_MPI(set_up_alone),
                                          .teardown = WITH_MPI(tear_down_alone),
                                          .fill = WITH_MPI(fill_alone),
                                          .verify = WITH_MPI(verify_alone),
                                          .run = WITH_MPI(run_alone)};

static const struct measurement reads = {.like = {&of_one},
                                         .variant = &(const bool){false},
                                         .routine = "MPI_File_read_at",
                                         .calls = "MPI_File_open MPI_File_close"};
static const struct measurement writes = {.like = {&of_one},
                                          .variant = &(const bool){true},
                                          .routine = "MPI_File_write_at",
                                          .calls = "MPI_File_open MPI_File_sync MPI_File_close"};

const struct measurement measurements_mpi_io_whole[] = {
    {"MPI_IO_read_file", "reading a whole file by each rank", .like = {&of_all}, .api = API_MPI,
     .routine = "MPI_File_read_at", .parameters = {FILE_BYTES}, .run = WITH_MPI(run_read_file),
     .timed = "MPI_File_read_at"},
    {"MPI_IO_read_and_distribute", "reading a file by some ranks, which broadcast it",
     .like = {&of_all}, .api = API_MPI, .check = check_readers, .routine = "MPI_File_read_at",
     .calls = "MPI_Bcast", .parameters = {READ_BYTES, READERS}, .run = WITH_MPI(run_distribute),
     .timed = "MPI_File_read_at of a share, and MPI_Bcast of each share"},
    {"MPI_IO_write_and_read", "writing by one rank, then reading by its partner", .like = {&of_all},
     .api = API_MPI, .minimum_pes = 2, .who = "odd ranks", .routine = "MPI_File_write_at",
     .calls = "MPI_File_sync MPI_File_read_at", .parameters = {PAIR_BYTES, BLOCK},
     .setup = WITH_MPI(set_up_pairs), .teardown = WITH_MPI(tear_down_pairs),
     .fill = WITH_MPI(fill_pairs), .verify = WITH_MPI(verify_pairs), .run = WITH_MPI(run_pairs),
     .timed = "from the first write to the last read, with what makes the data visible"},
    {"MPI_IO_read_file_once", "opening, reading and closing a file, by MPI or by the system",
     .like = {&reads}, .parameters = {ALONE_BYTES, API, DIRECT}, .timed = "open, one read, close"},
    {"MPI_IO_write_file_once", "opening, writing and closing a file, by MPI or by the system",
     .like = {&writes}, .parameters = {ALONE_BYTES, API, CREATE, DIRECT},
     .timed = "open, one write, sync if set_io_file_sync(1), close"},
    {"MPI_IO_read_large_file_once", "opening, reading and closing a file of any size",
     .like = {&reads}, .parameters = {POWER}, .timed = "open, reads of up to 1 MiB, close"},
    {"MPI_IO_write_large_file_once", "opening, writing and closing a file of any size",
     .like = {&writes}, .parameters = {POWER, CREATE},
     .timed = "open, writes of up to 1 MiB, sync if set_io_file_sync(1), close"},
    {.name = NULL},
};
