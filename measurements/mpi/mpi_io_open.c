/*
 * Files of MPI-IO without their data: opening, closing, removing, and space for them. All of these
 * calls but MPI_File_delete are collective.
 */
#include "measurements/common/mpi_file.h"

/* What is timed; the rest is done before or after. */
struct handling {
    bool opens, closes, deletes;
    bool on_close; /* closing removes the file */
};

/* No memory is needed; but a loop to ... over sizes of files ends where one over data would. */
static void demand_file(struct run *run)
{
    run->demand.own = (size_t)run_integer(run, "memsize", 0);
}

#if SKAMPI_MPI

#include <math.h>

static MPI_Offset bytes_of(const struct run *run)
{
    return (MPI_Offset)run_integer(run, "memsize", 0);
}

static bool creates(const struct run *run)
{
    return run_integer(run, "create", 0) != 0;
}

static void open_file(struct run *run, int mode)
{
    struct mpi_file *file = run->state;
    mpi_file_open(file, file->comm, mode, mpi_file_info(run));
}

static void delete_file(struct run *run)
{
    struct mpi_file *file = run->state;
    if (file->there && run->rank == 0)
        FILE_CALL(file, MPI_File_delete, file->path, MPI_INFO_NULL);
}

/* Before the timed part: no file where opening creates it; else one of that size, closed. */
static void prepare_file(struct run *run)
{
    struct mpi_file *file = run->state;
    if (creates(run)) {
        delete_file(run);
    } else if (!file->there || bytes_of(run) > 0) {
        open_file(run, mpi_file_mode(run) | MPI_MODE_CREATE);
        if (file->handle != MPI_FILE_NULL && bytes_of(run) > 0)
            FILE_CALL(file, MPI_File_set_size, file->handle, bytes_of(run));
        mpi_file_close(file);
    }
    MPI_Barrier(file->comm);
    file->there = !file->call;
}

static double run_handling(struct run *run)
{
    const struct handling *what = run->function->variant;
    struct mpi_file *file = run->state;
    int mode = mpi_file_mode(run) | (creates(run) ? MPI_MODE_CREATE : 0) |
               (what->on_close ? MPI_MODE_DELETE_ON_CLOSE : 0);
    prepare_file(run);
    if (!what->opens && !what->deletes)
        open_file(run, mode);
    int64_t started = run_start(run);
    if (what->opens)
        open_file(run, mode);
    if (what->closes)
        mpi_file_close(file);
    if (what->deletes)
        delete_file(run);
    int64_t stopped = run_stop(run);
    mpi_file_close(file);
    file->there = !what->deletes && !what->on_close;
    bool reports = mpi_file_succeeded(run, file) && (!what->deletes || run->rank == 0);
    return reports ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- Space ---- */

static double run_preallocate(struct run *run)
{
    struct mpi_file *file = run->state;
    bool syncs = run_argument(run, "sync")->integer != 0;
    FILE_CALL(file, MPI_File_set_size, file->handle, 0);
    MPI_Barrier(file->comm);
    int64_t started = run_start(run);
    FILE_CALL(file, MPI_File_preallocate, file->handle, bytes_of(run));
    if (syncs)
        FILE_CALL(file, MPI_File_sync, file->handle);
    int64_t stopped = run_stop(run);
    return mpi_file_succeeded(run, file) ? run_elapsed(run, started, stopped) : NAN;
}

#endif

/* clang-format off */
#define SYNC {"sync", PARAMETER_INT, "", "1: MPI_File_sync is part of it", .maximum = 1, .example = "1"}
/* clang-format on */

static const struct measurement of_file = {.api = API_MPI,
                                           .timing = TIMING_PARTS,
                                           .who = "all",
                                           .no_data = true,
                                           .calls = "",
                                           .moves = MOVES_NOTHING,
                                           MPI_STATE(struct mpi_file),
                                           .demand = demand_file,
                                           .setup = WITH_MPI(mpi_file_set_up),
                                           .teardown = WITH_MPI(mpi_file_tear_down),
                                           .run = WITH_MPI(run_handling)};

const struct measurement measurements_mpi_io_open[] = {
    {"MPI_IO_open", "opening a file", .like = {&of_file},
     .variant = &(const struct handling){.opens = true}, .routine = "MPI_File_open",
     .parameters = {CREATE}, .timed = "MPI_File_open; MPI_File_close untimed"},
    {"MPI_IO_close", "closing a file", .like = {&of_file},
     .variant = &(const struct handling){.closes = true}, .routine = "MPI_File_close",
     .parameters = {CREATE}, .timed = "MPI_File_close; MPI_File_open untimed"},
    {"MPI_IO_open_close", "opening and closing a file", .like = {&of_file},
     .variant = &(const struct handling){.opens = true, .closes = true}, .routine = "MPI_File_open",
     .calls = "MPI_File_close", .parameters = {CREATE},
     .timed = "MPI_File_open and MPI_File_close"},
    {"MPI_IO_delete", "removing a file that nobody has opened", .like = {&of_file},
     .variant = &(const struct handling){.deletes = true}, .routine = "MPI_File_delete",
     .parameters = {FILE_BYTES}, .who = "rank 0", .timed = "MPI_File_delete"},
    {"MPI_IO_delete_on_close", "closing a file that this removes", .like = {&of_file},
     .variant = &(const struct handling){.closes = true, .on_close = true},
     .routine = "MPI_File_close", .parameters = {FILE_BYTES},
     .timed = "MPI_File_close; MPI_File_open with MPI_MODE_DELETE_ON_CLOSE untimed"},
    {"MPI_IO_preallocate", "reserving space for a file that is empty", .like = {&of_file},
     .setup = WITH_MPI(mpi_file_set_up_created), .run = WITH_MPI(run_preallocate),
     .routine = "MPI_File_preallocate", .calls = "MPI_File_sync", .parameters = {FILE_BYTES, SYNC},
     .timed = "MPI_File_preallocate, and MPI_File_sync if sync"},
    {.name = NULL},
};
