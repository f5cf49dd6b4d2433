/* Makes and removes files of MPI-IO for measurements. */
#include "measurements/common/mpi_file.h"

#if SKAMPI_MPI

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Rank 0 chooses, so that all mean one file. */
bool mpi_file_name(struct run *run, struct mpi_file *file, MPI_Comm comm, int number)
{
    static int made;
    char name[64];
    *file = (struct mpi_file){.handle = MPI_FILE_NULL, .comm = comm};
    snprintf(name, sizeof name, "skampi-io.%ld.%d", (long)getpid(), made++);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, mpi_comm(run));
    int length =
        snprintf(file->path, sizeof file->path, "%s/%s", run->settings->file_directory, name);
    if (number >= 0 && length < (int)sizeof file->path)
        length += snprintf(file->path + length, sizeof file->path - (size_t)length, ".%d", number);
    return length < (int)sizeof file->path ||
           run_fail(run, "the directory of set_io_working_dir() has too long a name");
}

int mpi_file_mode(const struct run *run)
{
    return MPI_MODE_RDWR | (run->settings->file_unique ? MPI_MODE_UNIQUE_OPEN : 0);
}

MPI_Info mpi_file_info(const struct run *run)
{
    return run->settings->file_info ? mpi_info(run->settings->file_info) : MPI_INFO_NULL;
}

void mpi_file_open(struct mpi_file *file, MPI_Comm comm, int mode, MPI_Info info)
{
    int code = MPI_File_open(comm, file->path, mode, info, &file->handle);
    if (code != MPI_SUCCESS)
        file->handle = MPI_FILE_NULL;
    mpi_file_note(file, "MPI_File_open", code);
}

void mpi_file_close(struct mpi_file *file)
{
    if (file->handle != MPI_FILE_NULL)
        FILE_CALL(file, MPI_File_close, &file->handle);
}

/* Nothing that exists is overwritten. */
bool mpi_file_create(struct run *run, struct mpi_file *file)
{
    mpi_file_open(file, file->comm, mpi_file_mode(run) | MPI_MODE_CREATE | MPI_MODE_EXCL,
                  mpi_file_info(run));
    file->there = file->handle != MPI_FILE_NULL;
    if (file->there && run->settings->file_atomic)
        FILE_CALL(file, MPI_File_set_atomicity, file->handle, 1);
    return mpi_file_all_succeeded(run, file);
}

void mpi_file_remove(struct run *run, struct mpi_file *file)
{
    int rank = -1;
    mpi_file_close(file);
    MPI_Barrier(mpi_comm(run));
    if (file->there)
        MPI_Comm_rank(file->comm, &rank);
    if (rank == 0)
        MPI_File_delete(file->path, MPI_INFO_NULL);
    file->there = false;
}

bool mpi_file_set_up(struct run *run)
{
    return mpi_file_name(run, run->state, mpi_comm(run), -1);
}

bool mpi_file_set_up_created(struct run *run)
{
    return mpi_file_set_up(run) && mpi_file_create(run, run->state);
}

void mpi_file_tear_down(struct run *run)
{
    mpi_file_remove(run, run->state);
}

void mpi_file_reserve(struct run *run, struct mpi_file *file, MPI_Offset bytes)
{
    MPI_File alone;
    int rank, code = MPI_ERR_OTHER;
    MPI_Comm_rank(file->comm, &rank);
    if (rank == 0) {
        code = MPI_File_open(MPI_COMM_SELF, file->path, MPI_MODE_RDWR, mpi_file_info(run), &alone);
        mpi_file_note(file, "MPI_File_open", code);
    }
    if (code == MPI_SUCCESS) {
        FILE_CALL(file, MPI_File_preallocate, alone, bytes);
        MPI_File_close(&alone);
    }
    MPI_Barrier(mpi_comm(run));
}

void mpi_file_settle(struct mpi_file *file)
{
    FILE_CALL(file, MPI_File_sync, file->handle);
    MPI_Barrier(file->comm);
    FILE_CALL(file, MPI_File_sync, file->handle);
}

bool mpi_file_succeeded(struct run *run, const struct mpi_file *file)
{
    char text[MPI_MAX_ERROR_STRING];
    return !file->call ||
           run_fail(run, "%s of %s: %s (set_io_working_dir() chooses another directory)",
                    file->call, file->path, mpi_error_text(file->code, text));
}

bool mpi_file_all_succeeded(struct run *run, const struct mpi_file *file)
{
    return mpi_all(run, mpi_file_succeeded(run, file), "another rank's access to a file failed");
}

#endif
