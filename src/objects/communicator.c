/* The MPI communicators of PE sets, kept for the sets that were asked for last. */
#include "objects/communicator.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/comm.h"

static void (*on_error)(const char *text);

#if SKAMPI_MPI

#include <mpi.h>

static struct kept_set {
    struct pe_set *set; /* NULL if the place is empty */
    MPI_Comm handle;
    unsigned long last_use;
} kept[COMMUNICATORS];

static void *allocate(int count, size_t size)
{
    return memory_zeroed(count > 0 ? (size_t)count : 1, size);
}

static void failed(MPI_Comm *handle, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    (void)handle;
    if (MPI_Error_string(*code, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error code %d", *code);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    on_error(text);
}

static void handle_errors(MPI_Comm handle)
{
    static MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (!on_error)
        return;
    if (handler == MPI_ERRHANDLER_NULL)
        MPI_Comm_create_errhandler(failed, &handler);
    MPI_Comm_set_errhandler(handle, handler);
}

static MPI_Comm arrange(MPI_Comm flat, const struct topology *topology, bool reorder)
{
    MPI_Comm made = MPI_COMM_NULL;

    if (topology->kind == TOPOLOGY_CARTESIAN)
        MPI_Cart_create(flat, topology->dimensions, topology->extents, topology->periodic, reorder,
                        &made);
    else
        MPI_Graph_create(flat, topology->nodes, topology->index, topology->edges, reorder, &made);
    return made;
}

/* The communicator without a topology; MPI_COMM_NULL on PEs that are not members. */
static MPI_Comm create_flat(const struct pe_set *set)
{
    int size = pe_set_size(set), *members = allocate(size, sizeof *members);
    MPI_Group world, group;
    MPI_Comm made;

    for (int rank = 0; rank < size; rank++)
        members[rank] = pe_set_member(set, rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, size, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(members);
    return made;
}

static MPI_Comm create(const struct pe_set *set)
{
    MPI_Comm flat = create_flat(set), made = flat;

    if (flat == MPI_COMM_NULL || !pe_set_topology(set))
        return flat;
    handle_errors(flat);
    made = arrange(flat, pe_set_topology(set), false);
    MPI_Comm_free(&flat);
    return made;
}

/* An empty place, or the least recently used one. */
static struct kept_set *oldest(void)
{
    struct kept_set *found = &kept[0];

    for (size_t i = 0; i < COMMUNICATORS; i++) {
        if (!kept[i].set)
            return &kept[i];
        if (kept[i].last_use < found->last_use)
            found = &kept[i];
    }
    return found;
}

static void replace(struct kept_set *place, const struct pe_set *set)
{
    if (place->set && place->handle != MPI_COMM_NULL)
        MPI_Comm_free(&place->handle);
    pe_set_release(place->set);
    /* Copy the set: the caller's set is const, so its references cannot be counted. */
    place->set = pe_set_arranged(set, pe_set_size(set), topology_reference(pe_set_topology(set)));
    place->handle = create(set);
    if (place->handle != MPI_COMM_NULL)
        handle_errors(place->handle);
}

const void *communicator_handle(const struct pe_set *set)
{
    static MPI_Comm world;
    static unsigned long uses;
    struct kept_set *place;

    world = MPI_COMM_WORLD;
    handle_errors(world);
    if (!pe_set_topology(set) && pe_group_equal(pe_set_group(set), comm_world()))
        return &world;
    for (size_t i = 0; i < COMMUNICATORS; i++)
        if (kept[i].set && pe_set_equal(kept[i].set, set) &&
            topology_equal(pe_set_topology(kept[i].set), pe_set_topology(set))) {
            kept[i].last_use = ++uses;
            return &kept[i].handle;
        }
    place = oldest();
    replace(place, set);
    place->last_use = ++uses;
    return &place->handle;
}

struct pe_set *communicator_arrange(const struct pe_set *set, struct topology *topology,
                                    bool reorder)
{
    int places = topology_places(topology), rank = -1, n = comm_pes();
    struct pe_set *arranged;

    if (!reorder)
        return pe_set_arranged(set, places, topology);
    MPI_Comm flat = *(const MPI_Comm *)communicator_handle(set), made = MPI_COMM_NULL;
    if (flat != MPI_COMM_NULL)
        made = arrange(flat, topology, true);
    if (made != MPI_COMM_NULL) {
        MPI_Comm_rank(made, &rank);
        MPI_Comm_free(&made);
    }
    /* All PEs need to know the new rank of each PE. */
    int *ranks = allocate(n, sizeof *ranks), *members = allocate(places, sizeof *members);
    comm_gather(comm_world(), &rank, sizeof rank, comm_pe() == 0 ? ranks : NULL);
    comm_broadcast(comm_world(), ranks, (size_t)n * sizeof *ranks);
    for (int pe = 0; pe < n; pe++)
        if (ranks[pe] >= 0)
            members[ranks[pe]] = pe;
    struct pe_set *ordered = pe_set_create(members, places);
    arranged = pe_set_arranged(ordered, places, topology);
    pe_set_release(ordered);
    free(members);
    free(ranks);
    return arranged;
}

#else

const void *communicator_handle(const struct pe_set *set)
{
    (void)set;
    return NULL;
}

struct pe_set *communicator_arrange(const struct pe_set *set, struct topology *topology,
                                    bool reorder)
{
    (void)reorder; /* without MPI there is no better order */
    return pe_set_arranged(set, topology_places(topology), topology);
}

#endif

void communicator_on_error(void (*handler)(const char *text))
{
    on_error = handler;
}
