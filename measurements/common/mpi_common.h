/*
 * What the families of MPI functions share. Everything above "With MPI" works in every build: the
 * descriptors' checks and demands are asked for where MPI is absent, too.
 *
 * An MPI function: its descriptor has .api = API_MPI; its hooks stand within #if SKAMPI_MPI and go
 * into the descriptor by WITH_MPI(). The send buffer is run->local (demand.local), the
 * receive buffer run->remote (demand.remote); typed data go to mpi_address() of them.
 */
#ifndef SKAMPI_MEASUREMENTS_MPI_COMMON_H
#define SKAMPI_MEASUREMENTS_MPI_COMMON_H

#include <limits.h>

#include "measurements/common/shapes.h"

/* The standard guarantees tags up to this one. Each library has a higher limit of its own. */
#define MPI_HIGHEST_TAG 32767

/* clang-format off */
#define COUNT_ELEMENTS {"count", PARAMETER_INT, "elements", "length of each message", .size = true, .maximum = INT_MAX, .element = "datatype", .example = "256"}
#define DATATYPE {"datatype", PARAMETER_DATATYPE, "", "type of the elements", .example = "MPI_INT"}
#define TAG {"tag", PARAMETER_INT, "", "tag of the messages", .maximum = MPI_HIGHEST_TAG, .example = "0"}
#define OPERATION {"op", PARAMETER_OPERATION, "", "operation that combines the elements", .example = "MPI_SUM"}
#define INFO {"info", PARAMETER_INFO, "", "hints for the library", .example = "MPI_INFO_NULL"}
#define TESTS {"tests", PARAMETER_INT, "", "calls of MPI_Test during the computation", .minimum = 1, .maximum = INT_MAX, .example = "10"}
/* clang-format on */

/* The first argument of that type, or the one of that name; NULL when the function has none. */
struct datatype *mpi_datatype_of(const struct run *);
struct datatype *mpi_datatype_named(const struct run *, const char *name);
const struct operation *mpi_operation_of(const struct run *);
struct info *mpi_info_of(const struct run *);

/* What is sent has the arguments "s_count", "s_datatype" and "s_tag" where what is received may
 * differ, with r_; else both are "count" and so on. mpi_datatype_of() is that of what is sent. */
int64_t mpi_sent_count(const struct run *);
int64_t mpi_received_count(const struct run *);
struct datatype *mpi_received_type(const struct run *);

/* Bytes of blocks of count elements each; SIZE_MAX where that is too much to count: then it does
 * not fit either. Block i begins i * count extents after the first. */
size_t mpi_block_bytes(const struct datatype *, int64_t count, int64_t blocks);

/* One message to send, one to receive; the size reported is as many extents as are sent. */
void mpi_demand_message(struct run *);

#if SKAMPI_MPI

/* ---- With MPI ---- */

#include <mpi.h>

/* The communicator of the measurement's set, ranks as in the set. It is
 * MPI_COMM_WORLD itself for all PEs in their order. With the set's topology, if it has one. */
MPI_Comm mpi_comm(const struct run *);

/* The library's own; committed; they live as long as the arguments. */
MPI_Datatype mpi_datatype(struct datatype *);
MPI_Op mpi_operation(const struct operation *);
MPI_Info mpi_info(struct info *);

/* Where typed data that lie in a buffer begin as MPI counts (a type may have data before its
 * start). */
void *mpi_address(void *buffer, const struct datatype *);

/* Typed elements, filled with (verified against) this repetition's data of a tag; gaps of the type
 * are left alone. They are the same for all types with the same sequence of basic types, wherever
 * those lie. Of more than 1 GiB of derived types, the first GiB counts. */
void mpi_fill(const struct run *, void *address, int64_t count, struct datatype *, int tag);
/* False after run_fail(); gaps must be poison where they lie within the elements. */
bool mpi_verify(struct run *, const char *what, const void *address, int64_t count,
                struct datatype *, int tag);
/* As mpi_verify(), but reports nothing and does not look at gaps. */
bool mpi_matches(const struct run *, const void *address, int64_t count, struct datatype *,
                 int tag);

/* MPI_Waitall() without statuses: the address that says so in MPICH is an array without elements to
 * gcc 12, which warns. clang does not, and does not know the warning. */
static inline void mpi_wait_all(int count, MPI_Request *requests)
{
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
#ifndef __clang__
#pragma GCC diagnostic pop
#endif
}

/* Computation that may overlap an operation lasts this many times the complete one, by
 * slowest_estimate(), so that the operation can end before it. */
#define MPI_PAUSE_FACTOR 2

/* Computes for these seconds and tests the requests `tests` times meanwhile; returns the seconds
 * without the tests. Any one PE. */
double mpi_compute(double seconds, int64_t tests, int count, MPI_Request *requests);
/* What that costs beyond the seconds that it returns, without a request. Any one PE. */
double mpi_compute_overhead(struct run *, double seconds, int64_t tests);

/* Attaches that many bytes for buffered sends, and MPI_BSEND_OVERHEAD for each of the messages,
 * until mpi_detach_buffer(). False after run_fail(). At most one at a time. */
bool mpi_attach_buffer(struct run *, size_t bytes, int messages);
void mpi_detach_buffer(void);

/* False after run_fail() with what the library says about this error code of a call; true when it
 * is MPI_SUCCESS. For calls that may be refused; all others end the job themselves. */
bool mpi_succeeded(struct run *, const char *call, int code);
/* What the library says about an error code; the text. Any PE. */
const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

/* Calls on the communicator return their errors, until mpi_errors_end_job() with what this returns:
 * what a library refuses is the failure of a measurement, not of the job. */
MPI_Errhandler mpi_errors_return(MPI_Comm);
void mpi_errors_end_job(MPI_Comm, MPI_Errhandler usual);

/* Whether all members agree; false after run_fail() where one does not. Collective over the set. */
bool mpi_all(struct run *, bool good, const char *otherwise);

#endif
#endif
