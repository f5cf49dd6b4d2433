/*
 * Collectives of MPI with programmed costs. Preloaded into a program on MPI, this library lets the
 * real one move the data by its profiling interface, and then keeps the caller busy until the call
 * has cost what was programmed. Costs in nanoseconds, in SKAMPI_TRUTH_MPI:
 *
 *   bcast=a    linear: the root sends to one process after the other, each taking a; the process
 *              at distance d from the root returns d a after the root's entry, the root after
 *              (n-1) a. Nobody returns before entering.
 *   late=t     the root of a broadcast begins that much after its entry.
 *   reduce=c   imbalanced: the process at distance d from the root computes for d c before it
 *              contributes, and then returns; the root returns when it has all contributions.
 *   flat=c     barrier, reduction to all, all-to-all: all return c after the last one entered.
 *   post=p     broadcast, send, receive, non-blocking: until the post returns.
 *   wire=w     until it is complete, from the end of the post.
 *   wait=q, test=q  MPI_Wait, MPI_Waitall and MPI_Test: not less than that.
 *   progress=self (default) or test: that time passes by itself, or it begins with the first
 *              MPI_Test or MPI_Wait behind the post.
 *
 * What is not given costs what the real call costs. Waits are those of the programmed network of
 * OpenSHMEM (../network), which is linked with this file. Limits: all processes on one node, one
 * thread, a few non-blocking operations at a time, small messages.
 */
#define _GNU_SOURCE
#include "../network/network.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(default)

#define TAG 32700 /* of messages about times */

struct network network;

static int64_t late_root;
static bool by_tests;
static bool crowded; /* more processes than processors */

_Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "libnetwork_mpi: %s: %s\n", what, which);
    _exit(2);
}

void make_progress(void)
{
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (crowded)
        sched_yield();
}

/* Its clock is never simulated. */
int64_t simulated_now(void)
{
    return 0;
}

void simulated_set(int64_t time)
{
    (void)time;
}

void simulated_waits(void)
{
}

void simulated_enter(void)
{
}

/* ---- What is programmed ---- */

static void program_item(const char *name, const char *value)
{
    static const struct {
        const char *name;
        enum cost cost;
    } costs[] = {{"bcast", COST_BROADCAST}, {"reduce", COST_REDUCE}, {"flat", COST_BARRIER},
                 {"post", COST_POST},       {"wire", COST_WIRE},     {"wait", COST_WAIT},
                 {"test", COST_TEST}};
    int64_t ticks = (int64_t)(atof(value) * ticks_per_ns);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].name, name) == 0) {
            network.cost[costs[i].cost] = ticks;
            return;
        }
    if (strcmp(name, "late") == 0)
        late_root = ticks;
    else if (strcmp(name, "progress") == 0)
        by_tests = strcmp(value, "test") == 0;
    else
        die("no such cost", name);
}

static void program(void)
{
    const char *text = getenv("SKAMPI_TRUTH_MPI");
    if (!text)
        return;
    clock_calibrate();
    for (int i = 0; i < COSTS; i++)
        network.cost[i] = -1;
    char *copy = strdup(text), *rest = copy;
    for (char *item; (item = strsep(&rest, ","));) {
        char *value = strchr(item, '=');
        if (!value)
            die("not NAME=VALUE", item);
        *value++ = '\0';
        program_item(item, value);
    }
    free(copy);
    int size;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    crowded = size > sysconf(_SC_NPROCESSORS_ONLN);
    schedule_begin();
    network.active = true;
    busy_calibrate();
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    program();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    program();
    return code;
}

/* ---- Who is where ---- */

struct place {
    int rank, size, distance;
};

static struct place place_in(MPI_Comm comm, int root)
{
    struct place place;
    PMPI_Comm_rank(comm, &place.rank);
    PMPI_Comm_size(comm, &place.size);
    place.distance = (place.rank - root + place.size) % place.size;
    return place;
}

/* ---- Blocking ---- */

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct call call = call_enter();
    struct place place = place_in(comm, root);
    int64_t started = call.entry + late_root, step = network.cost[COST_BROADCAST];
    int code = PMPI_Bcast(buffer, count, type, root, comm);
    call_leave();
    if (!call_costs(call, COST_BROADCAST))
        return code;
    if (place.distance > 0) {
        PMPI_Recv(&started, 1, MPI_INT64_T, root, TAG, comm, MPI_STATUS_IGNORE);
        busy_until(COST_BROADCAST, later(call.entry, started + place.distance * step));
        return code;
    }
    for (int i = 1; i < place.size; i++)
        PMPI_Send(&started, 1, MPI_INT64_T, (root + i) % place.size, TAG, comm);
    busy_until(COST_BROADCAST, started + (place.size - 1) * step);
    return code;
}

int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    struct call call = call_enter();
    struct place place = place_in(comm, root);
    int64_t done = call.entry + place.distance * network.cost[COST_REDUCE];
    if (call_costs(call, COST_REDUCE) && place.distance > 0)
        PMPI_Send(&done, 1, MPI_INT64_T, root, TAG, comm);
    int code = PMPI_Reduce(send, receive, count, type, op, root, comm);
    call_leave();
    if (!call_costs(call, COST_REDUCE))
        return code;
    for (int i = 1; place.distance == 0 && i < place.size; i++) {
        int64_t other;
        PMPI_Recv(&other, 1, MPI_INT64_T, (root + i) % place.size, TAG, comm, MPI_STATUS_IGNORE);
        done = later(done, other);
    }
    busy_until(COST_REDUCE, done);
    return code;
}

/* All return at the same time. */
static void leave_together(struct call call, MPI_Comm comm)
{
    int64_t last = call.entry;
    call_leave();
    if (!call_costs(call, COST_BARRIER))
        return;
    PMPI_Allreduce(&call.entry, &last, 1, MPI_INT64_T, MPI_MAX, comm);
    busy_until(COST_BARRIER, last + network.cost[COST_BARRIER]);
}

int MPI_Barrier(MPI_Comm comm)
{
    struct call call = call_enter();
    int code = PMPI_Barrier(comm);
    leave_together(call, comm);
    return code;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct call call = call_enter();
    int code = PMPI_Allreduce(send, receive, count, type, op, comm);
    leave_together(call, comm);
    return code;
}

int MPI_Alltoall(const void *send, int s_count, MPI_Datatype s_type, void *receive, int r_count,
                 MPI_Datatype r_type, MPI_Comm comm)
{
    struct call call = call_enter();
    int code = PMPI_Alltoall(send, s_count, s_type, receive, r_count, r_type, comm);
    leave_together(call, comm);
    return code;
}

/* ---- Non-blocking ---- */

#define MOST_POSTED 8

static struct posted {
    MPI_Request request;
    bool pending, moving;
    int64_t due;
} all_posted[MOST_POSTED];

/* Behind the real call: the request is complete after what was programmed. */
static void start_moving(struct call call, MPI_Request request)
{
    struct posted *posted = all_posted;
    call_leave();
    if (!call_costs(call, COST_POST))
        return;
    while (posted->pending)
        if (++posted == all_posted + MOST_POSTED)
            die("more requests at a time than are provided for", "post");
    *posted =
        (struct posted){.request = request,
                        .pending = true,
                        .moving = !by_tests,
                        .due = call.entry + network.cost[COST_POST] + network.cost[COST_WIRE]};
    busy_until(COST_POST, call.entry + network.cost[COST_POST]);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    struct call call = call_enter();
    int code = PMPI_Ibcast(buffer, count, type, root, comm, request);
    start_moving(call, *request);
    return code;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    struct call call = call_enter();
    int code = PMPI_Isend(buffer, count, type, to, tag, comm, request);
    start_moving(call, *request);
    return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    struct call call = call_enter();
    int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    start_moving(call, *request);
    return code;
}

/* What was posted with this request, or NULL; then its time passes from now on. */
static struct posted *drive(MPI_Request request, int64_t now)
{
    struct posted *posted = all_posted;
    while (posted < all_posted + MOST_POSTED && !(posted->pending && posted->request == request))
        posted++;
    if (posted == all_posted + MOST_POSTED)
        return NULL;
    if (!posted->moving)
        posted->due = now + network.cost[COST_WIRE];
    posted->moving = true;
    return posted;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    struct call call = call_enter();
    int64_t due = call.entry + network.cost[COST_WAIT];
    bool mine = false;
    for (int i = 0; i < count; i++) {
        struct posted *posted = drive(requests[i], call.entry);
        if (!posted)
            continue;
        mine = true;
        due = later(due, posted->due);
        posted->pending = false;
    }
    int code = PMPI_Waitall(count, requests, statuses);
    call_leave();
    if (mine && call_costs(call, COST_WAIT))
        busy_until(COST_WAIT, due);
    return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct call call = call_enter();
    struct posted *posted = drive(*request, ticks_now());
    int code = PMPI_Wait(request, status);
    call_leave();
    if (posted) {
        posted->pending = false;
        if (call_costs(call, COST_WAIT))
            busy_until(COST_WAIT, later(posted->due, call.entry + network.cost[COST_WAIT]));
    }
    return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct call call = call_enter();
    int64_t now = ticks_now();
    int code = MPI_SUCCESS;
    struct posted *posted = drive(*request, now);
    *flag = 0;
    if (!posted || now >= posted->due) {
        code = PMPI_Test(request, flag, status);
        if (posted)
            posted->pending = !*flag;
    }
    call_leave();
    charge(call, COST_TEST);
    return code;
}
