/*
 * What the families of MPI functions share: arguments, typed data, computations, buffers.
 */
#include "measurements/common/mpi_common.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first argument of that type; NULL: none. */
static const struct value *first_of(const struct run *run, enum parameter_type type)
{
    for (size_t i = 0; i < measurement_parameter_count(run->function); i++)
        if (run->function->parameters[i].type == type)
            return &run->arguments[i];
    return NULL;
}

struct datatype *mpi_datatype_of(const struct run *run)
{
    const struct value *found = first_of(run, PARAMETER_DATATYPE);
    return found ? found->datatype : NULL;
}

struct datatype *mpi_datatype_named(const struct run *run, const char *name)
{
    const struct value *found = run_find_argument(run, name);
    return found ? found->datatype : NULL;
}

const struct operation *mpi_operation_of(const struct run *run)
{
    const struct value *found = first_of(run, PARAMETER_OPERATION);
    return found ? found->operation : NULL;
}

struct info *mpi_info_of(const struct run *run)
{
    const struct value *found = first_of(run, PARAMETER_INFO);
    return found ? found->info : NULL;
}

size_t mpi_block_bytes(const struct datatype *type, int64_t count, int64_t blocks)
{
    int64_t elements;
    if (__builtin_mul_overflow(count, blocks, &elements))
        return SIZE_MAX;
    return datatype_bytes(type, elements);
}

int64_t mpi_sent_count(const struct run *run)
{
    int64_t count = run_integer(run, "count", 0);
    return run_integer(run, "s_count", count);
}

int64_t mpi_received_count(const struct run *run)
{
    int64_t count = run_integer(run, "count", 0);
    return run_integer(run, "r_count", count);
}

struct datatype *mpi_received_type(const struct run *run)
{
    struct datatype *type = mpi_datatype_named(run, "r_datatype");
    return type ? type : mpi_datatype_of(run);
}

void mpi_demand_message(struct run *run)
{
    const struct datatype *type = mpi_datatype_of(run);
    int64_t count = mpi_sent_count(run);
    run->demand.local = mpi_block_bytes(type, count, 1);
    run->demand.remote = mpi_block_bytes(mpi_received_type(run), mpi_received_count(run), 1);
    run->demand.reported =
        run->demand.local == SIZE_MAX ? 0 : (size_t)(count * datatype_extent(type));
}

#if SKAMPI_MPI

MPI_Comm mpi_comm(const struct run *run)
{
    return *(const MPI_Comm *)communicator_handle(run->set);
}

MPI_Datatype mpi_datatype(struct datatype *type)
{
    return *(const MPI_Datatype *)datatype_handle(type);
}

MPI_Op mpi_operation(const struct operation *operation)
{
    return *(const MPI_Op *)operation_handle(operation);
}

MPI_Info mpi_info(struct info *info)
{
    return *(const MPI_Info *)info_handle(info);
}

void *mpi_address(void *buffer, const struct datatype *type)
{
    return (unsigned char *)buffer + datatype_origin(type);
}

/* Whether the elements are in memory just as MPI packs them. */
static bool is_plain(const struct datatype *type)
{
    return datatype_class(type) != DATATYPE_DERIVED && datatype_size(type) == datatype_extent(type);
}

/* Elements whose bytes MPI_Pack() can count: all, except for huge buffers. */
static int packable(int64_t count, const struct datatype *type)
{
    int64_t most = INT_MAX / 2 / (datatype_size(type) + 1);
    return (int)(count < most ? count : most);
}

/* Patterns are those of the packed data, so that types that differ only in their gaps have equal
 * data. */
void mpi_fill(const struct run *run, void *address, int64_t count, struct datatype *type, int tag)
{
    uint64_t key = data_key(run, tag);
    if (is_plain(type)) {
        pattern_fill(address, (size_t)(count * datatype_size(type)), key);
        return;
    }
    int elements = packable(count, type), position = 0;
    size_t bytes = (size_t)(elements * datatype_size(type));
    unsigned char *pattern = memory_allocate(bytes + 1);
    pattern_fill(pattern, bytes, key);
    MPI_Unpack(pattern, (int)bytes, &position, address, elements, mpi_datatype(type),
               MPI_COMM_SELF);
    free(pattern);
}

/* As MPI packs them; freed by the caller. */
static unsigned char *packed(const void *address, int64_t count, struct datatype *type,
                             size_t *bytes)
{
    int elements = packable(count, type), position = 0, room;
    MPI_Pack_size(elements, mpi_datatype(type), MPI_COMM_SELF, &room);
    unsigned char *found = memory_allocate((size_t)room + 1);
    MPI_Pack((void *)(uintptr_t)address, elements, mpi_datatype(type), found, room, &position,
             MPI_COMM_SELF);
    *bytes = (size_t)(elements * datatype_size(type));
    return found;
}

/* Elements that lie within their extents, so that nothing else is in their gaps. */
static bool has_own_gaps(int64_t count, const struct datatype *type)
{
    return datatype_class(type) == DATATYPE_DERIVED && datatype_origin(type) == 0 &&
           datatype_extent(type) > datatype_size(type) && packable(count, type) == count &&
           datatype_bytes(type, count) <= (size_t)(count * datatype_extent(type));
}

static bool verify_gaps(struct run *run, const char *what, const void *address, int64_t count,
                        struct datatype *type, int tag)
{
    size_t bytes = datatype_bytes(type, count);
    unsigned char *expected = memory_allocate(bytes + 1);
    data_poison(expected, bytes);
    mpi_fill(run, expected, count, type, tag);
    bool good = data_verify_equal(run, what, address, expected, bytes);
    free(expected);
    return good;
}

bool mpi_verify(struct run *run, const char *what, const void *address, int64_t count,
                struct datatype *type, int tag)
{
    if (is_plain(type))
        return data_verify(run, what, address, (size_t)(count * datatype_size(type)), tag);
    size_t bytes;
    unsigned char *found = packed(address, count, type, &bytes);
    bool good = data_verify(run, what, found, bytes, tag);
    free(found);
    return good &&
           (!has_own_gaps(count, type) || verify_gaps(run, what, address, count, type, tag));
}

bool mpi_matches(const struct run *run, const void *address, int64_t count, struct datatype *type,
                 int tag)
{
    if (is_plain(type))
        return pattern_check(address, (size_t)(count * datatype_size(type)), data_key(run, tag));
    size_t bytes;
    unsigned char *found = packed(address, count, type, &bytes);
    bool good = pattern_check(found, bytes, data_key(run, tag));
    free(found);
    return good;
}

double mpi_compute(double seconds, int64_t tests, int count, MPI_Request *requests)
{
    double part = seconds / (double)(tests + 1), computed = run_pause(part);
    for (int64_t i = 0; i < tests; i++) {
        for (int r = 0; r < count; r++) {
            int done;
            MPI_Test(&requests[r], &done, MPI_STATUS_IGNORE);
        }
        computed += run_pause(part);
    }
    return computed;
}

double mpi_compute_overhead(struct run *run, double seconds, int64_t tests)
{
    int64_t started = timer_now();
    double computed = mpi_compute(seconds, tests, 0, NULL);
    return run_elapsed(run, started, timer_now()) - computed;
}

static void *attached;

bool mpi_attach_buffer(struct run *run, size_t bytes, int messages)
{
    size_t all = bytes + (size_t)messages * MPI_BSEND_OVERHEAD;
    if (all > INT_MAX || !(attached = malloc(all)))
        return run_fail(run, "cannot allocate a buffer of %zu bytes for buffered sends", all);
    MPI_Buffer_attach(attached, (int)all);
    return true;
}

void mpi_detach_buffer(void)
{
    void *buffer;
    int bytes;
    if (!attached)
        return;
    MPI_Buffer_detach(&buffer, &bytes);
    free(attached);
    attached = NULL;
}

const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING])
{
    int length;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, MPI_MAX_ERROR_STRING, "error code %d", code);
    return text;
}

bool mpi_succeeded(struct run *run, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    return code == MPI_SUCCESS || run_fail(run, "%s: %s", call, mpi_error_text(code, text));
}

MPI_Errhandler mpi_errors_return(MPI_Comm comm)
{
    MPI_Errhandler usual;
    MPI_Comm_get_errhandler(comm, &usual);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return usual;
}

void mpi_errors_end_job(MPI_Comm comm, MPI_Errhandler usual)
{
    MPI_Comm_set_errhandler(comm, usual);
    MPI_Errhandler_free(&usual);
}

bool mpi_all(struct run *run, bool good, const char *otherwise)
{
    int mine = good, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, mpi_comm(run));
    return all || run_fail(run, "%s", otherwise);
}

#endif
