/*
 * Windows of MPI one-sided communication: making and freeing them. All of these calls are
 * collective over the communicator.
 */
#include "measurements/common/mpi_window.h"

#include <stdint.h>
#include <string.h>

/* What is timed, and of which kind of window. */
struct making {
    enum window_kind kind;
    bool frees;
};

#if SKAMPI_MPI

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void end_job(MPI_Win *window, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    (void)window;
    fprintf(stderr, "skampi: error: one-sided communication of MPI failed: %s\n",
            mpi_error_text(*code, text));
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Bytes before and after a window's memory; they keep its alignment. */
#define GUARD 64

static void end_job_on_error(MPI_Win window)
{
    static MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    if (handler == MPI_ERRHANDLER_NULL)
        MPI_Win_create_errhandler(end_job, &handler);
    MPI_Win_set_errhandler(window, handler);
}

/* Libraries with DEFECT_WINDOW_SIZES need windows whose size is a multiple of this (bytes). */
#define SOUND_SIZE 16

static const char *const calls[WINDOW_KINDS] = {"MPI_Win_create", "MPI_Win_allocate",
                                                "MPI_Win_allocate_shared"};

/* The memory of the kinds that the library does not allocate it for is there. */
static int make(struct window *window, size_t bytes, MPI_Info info, MPI_Comm comm)
{
    switch (window->kind) {
    case WINDOW_CREATE:
        return MPI_Win_create(window->memory, (MPI_Aint)bytes, 1, info, comm, &window->handle);
    case WINDOW_ALLOCATE:
        return MPI_Win_allocate((MPI_Aint)bytes, 1, info, comm, &window->memory, &window->handle);
    case WINDOW_SHARED:
        return MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, comm, &window->memory,
                                       &window->handle);
    case WINDOW_KINDS:
        break;
    }
    return MPI_ERR_ARG;
}

static bool on_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int all, here;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(comm, &all);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return all == here;
}

/* The memory of a kind for which the library does not allocate it, with guards around it. */
static bool allocate(struct run *run, struct window *window)
{
    struct info *info = run->settings->memory_info;
    if (MPI_Alloc_mem((MPI_Aint)(window->bytes + 2 * GUARD), info ? mpi_info(info) : MPI_INFO_NULL,
                      &window->block) != MPI_SUCCESS)
        window->block = NULL;
    if (!mpi_all(run, window->block, "there is no memory for the window"))
        return false;
    data_poison(window->block, window->bytes + 2 * GUARD);
    window->memory = window->block + GUARD;
    return true;
}

static bool make_on_all(struct run *run, struct window *window, MPI_Info info)
{
    MPI_Comm comm = mpi_comm(run);
    enum window_kind kind = window->kind;
    /* Some libraries need somewhat more than what is used. */
    const char *known = kind == WINDOW_ALLOCATE ? measurement_window_sizes(run->function) : NULL;
    size_t asked = known ? ROUND_UP(window->bytes, SOUND_SIZE) : window->bytes;
    if (asked > window->bytes)
        run_note(run, "%s", known);
    MPI_Errhandler usual = mpi_errors_return(comm); /* libraries refuse some kinds */
    int code = make(window, asked, info, comm);
    mpi_errors_end_job(comm, usual);
    window->open = mpi_succeeded(run, calls[kind], code);
    if (window->open)
        end_job_on_error(window->handle);
    return mpi_all(run, window->open, "another rank could not make the window");
}

bool mpi_window_open(struct run *run, enum window_kind kind, size_t bytes, MPI_Info info,
                     struct window *window)
{
    MPI_Comm comm = mpi_comm(run);
    *window = (struct window){.kind = kind, .bytes = bytes};
    if (kind == WINDOW_SHARED &&
        !mpi_all(run, on_one_node(comm), "windows of shared memory need all PEs on one node"))
        return false;
    if ((kind == WINDOW_CREATE && !allocate(run, window)) || !make_on_all(run, window, info)) {
        mpi_window_close(window);
        return false;
    }
    memset(window->memory, 0, bytes);
    MPI_Barrier(comm);
    return true;
}

bool mpi_window_open_locked(struct run *run, enum window_kind kind, size_t bytes, MPI_Info info,
                            struct window *window)
{
    if (!mpi_window_open(run, kind, bytes, info, window))
        return false;
    MPI_Win_lock_all(0, window->handle);
    window->locked = true;
    return true;
}

bool mpi_window_verify_guards(struct run *run, const struct window *window)
{
    return !window->block ||
           (data_verify_untouched(run, "the memory before the window", window->block, GUARD) &&
            data_verify_untouched(run, "the memory after the window",
                                  window->memory + window->bytes, GUARD));
}

void mpi_window_close(struct window *window)
{
    if (window->locked)
        MPI_Win_unlock_all(window->handle);
    if (window->open)
        MPI_Win_free(&window->handle);
    if (window->block)
        MPI_Free_mem(window->block);
    *window = (struct window){.open = false};
}

void mpi_window_tear_down(struct run *run)
{
    mpi_window_close(run->state);
}

/* ---- Data for verification ---- */

/* Memory filled with this byte holds a number, not a NaN, in every floating-point type. */
#define NUMBERS 0x3f

void mpi_window_fill(const struct run *run, void *memory, int64_t count, struct datatype *type,
                     int tag, bool accumulates)
{
    enum datatype_class class = datatype_class(type);
    if (accumulates && (class == DATATYPE_FLOATING || class == DATATYPE_PAIR))
        memset(memory, NUMBERS, (size_t)(count * datatype_extent(type)));
    else
        mpi_fill(run, mpi_address(memory, type), count, type, tag);
}

void mpi_window_accumulate(const struct run *run, void *block, void *data, int64_t count,
                           struct datatype *type, MPI_Op op, int tag)
{
    if (op == MPI_NO_OP)
        return;
    mpi_window_fill(run, data, count, type, tag, true);
    if (op == MPI_REPLACE)
        memcpy(block, data, (size_t)(count * datatype_extent(type)));
    else
        MPI_Reduce_local(data, block, (int)count, mpi_datatype(type), op);
}

bool mpi_window_equal(const void *a, const void *b, int64_t count, const struct datatype *type)
{
    enum datatype_class class = datatype_class(type);
    bool long_double = datatype_real(type) && datatype_size(type) > (int64_t)sizeof(double);
    return class == DATATYPE_PAIR || class == DATATYPE_DERIVED || long_double ||
           memcmp(a, b, (size_t)(count * datatype_extent(type))) == 0;
}

/* ---- Making and freeing ---- */

/* To the next rank, between fences. */
static void put_to_next(const struct run *run, MPI_Win window)
{
    struct datatype *type = mpi_datatype_of(run);
    int count = (int)run_integer(run, "count", 0);
    MPI_Win_fence(0, window);
    MPI_Put(mpi_address(run->local, type), count, mpi_datatype(type), (run->rank + 1) % run->size,
            (MPI_Aint)datatype_origin(type), count, mpi_datatype(type), window);
    MPI_Win_fence(0, window);
}

/* Set-up makes a window once and proves that it can be used. */
static bool set_up_making(struct run *run)
{
    const struct making *making = run->function->variant;
    struct datatype *type = mpi_datatype_of(run);
    int64_t count = run_integer(run, "count", 0);
    struct window window;
    if (!mpi_window_open(run, making->kind, run->demand.remote, mpi_info(mpi_info_of(run)),
                         &window))
        return false;
    mpi_fill(run, mpi_address(run->local, type), count, type, run->rank);
    put_to_next(run, window.handle);
    bool good = mpi_matches(run, mpi_address(window.memory, type), count, type,
                            (run->rank + run->size - 1) % run->size);
    mpi_window_close(&window);
    return good || run_fail(run, "what was put into the window is not there");
}

static double run_making(struct run *run)
{
    const struct making *making = run->function->variant;
    struct window window = {.memory = run->remote, .kind = making->kind};
    MPI_Info info = mpi_info(mpi_info_of(run));
    MPI_Comm comm = mpi_comm(run);
    if (making->frees) {
        make(&window, run->demand.remote, info, comm);
        end_job_on_error(window.handle);
        if (run_integer(run, "doput", 0) > 0)
            put_to_next(run, window.handle);
    }
    int64_t started = run_start(run);
    if (making->frees)
        MPI_Win_free(&window.handle);
    else
        make(&window, run->demand.remote, info, comm);
    int64_t stopped = run_stop(run);
    if (!making->frees)
        MPI_Win_free(&window.handle);
    return run_elapsed(run, started, stopped);
}

/* ---- Memory ---- */

/* Windows that are there together: they are freed again. */
static double run_memory(struct run *run)
{
    int64_t n = run_argument(run, "n")->integer, made = 0;
    int64_t bytes = run_argument(run, "size")->integer;
    enum window_kind kind = (enum window_kind)run_word(run, "window");
    struct window *windows = memory_zeroed((size_t)n, sizeof *windows);
    double before = resident_bytes(), after;
    bool good = true;
    while (good && made < n &&
           (good = mpi_window_open(run, kind, (size_t)bytes, MPI_INFO_NULL, &windows[made])))
        made++;
    after = resident_bytes();
    while (made > 0)
        mpi_window_close(&windows[--made]);
    free(windows);
    if (!good)
        return NAN;
    double growth = run_max(run, after - before);
    run_note(run, "before: %.0f bytes, with the windows: %.0f; %.0f more for each (most of any PE)",
             run_max(run, before), run_max(run, after), growth / (double)n);
    return after - before;
}

#endif

static void demand_memory(struct run *run)
{
    size_t n = (size_t)run_argument(run, "n")->integer;
    size_t size = (size_t)run_argument(run, "size")->integer;
    run->demand.own = data_product(n, size);
}

/* clang-format off */
#define DOPUT {"doput", PARAMETER_INT, "", "whether data are put to the next rank before (0: no)", .maximum = INT_MAX, .example = "1"}
#define WINDOWS {"n", PARAMETER_INT, "", "number of windows", .minimum = 1, .maximum = INT_MAX, .example = "10"}
#define WINDOW_SIZE {"size", PARAMETER_INT, "bytes", "size of each window on each rank", .size = true, .maximum = INT_MAX, .example = "1024"}
#define WINDOW_KIND {"window", PARAMETER_STRING, "", "routine that makes the windows", .words = "create|allocate|shared", .example = "allocate"}
/* clang-format on */

static const struct measurement window = {
    .api = API_MPI,
    .version_major = 3,
    .timing = TIMING_PARTS,
    .who = "all",
    .parameters = {COUNT_ELEMENTS, DATATYPE, INFO},
    .demand = mpi_demand_message, /* as in the classic SKaMPI, each rank needs room for them */
    .no_data = true,
    .setup = WITH_MPI(set_up_making),
    .run = WITH_MPI(run_making),
};
static const struct measurement window_freed = {
    .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, DOPUT},
    .routine = "MPI_Win_free",
    .like = {&window},
};

const struct measurement measurements_mpi_win[] = {
    {"Win_create", "creating a window on existing memory", .like = {&window},
     .variant = &(const struct making){.kind = WINDOW_CREATE}, .routine = "MPI_Win_create",
     .timed = "MPI_Win_create; MPI_Win_free untimed"},
    {"Win_free", "freeing a window, but not its memory", .like = {&window_freed},
     .variant = &(const struct making){.kind = WINDOW_CREATE, .frees = true},
     .timed = "MPI_Win_free; MPI_Win_create untimed"},
    {"Win_allocate", "allocating a window and its memory", .like = {&window},
     .variant = &(const struct making){.kind = WINDOW_ALLOCATE}, .routine = "MPI_Win_allocate",
     .timed = "MPI_Win_allocate; MPI_Win_free untimed"},
    {"Win_allocate_free", "freeing a window and its memory", .like = {&window_freed},
     .variant = &(const struct making){.kind = WINDOW_ALLOCATE, .frees = true},
     .timed = "MPI_Win_free; MPI_Win_allocate untimed"},
    {"Win_allocate_shared", "allocating a window of shared memory, on one node", .like = {&window},
     .variant = &(const struct making){.kind = WINDOW_SHARED}, .routine = "MPI_Win_allocate_shared",
     .timed = "MPI_Win_allocate_shared; MPI_Win_free untimed"},
    {"Win_allocate_shared_free", "freeing a window of shared memory, on one node",
     .like = {&window_freed},
     .variant = &(const struct making){.kind = WINDOW_SHARED, .frees = true},
     .timed = "MPI_Win_free; MPI_Win_allocate_shared untimed"},
    {"Win_memory", "memory that windows need in a process, including their data", .api = API_MPI,
     .no_data = true, .version_major = 3, .timing = TIMING_ONCE, .quantity = QUANTITY_BYTES,
     .any_sign = true, .who = "all", .parameters = {WINDOWS, WINDOW_SIZE, WINDOW_KIND},
     .demand = demand_memory, .run = WITH_MPI(run_memory),
     .calls = "MPI_Win_create MPI_Win_allocate MPI_Win_allocate_shared",
     .timed = "nothing: growth of resident memory by n windows"},
    {.name = NULL},
};
