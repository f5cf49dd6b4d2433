/* Gives transfers their links: out of one node, into the other one, and of the bus between them. */
#include "sim/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const contention_names[CONTENTIONS] = {"none", "fifo", "fair"};

enum contention contention_find(const char *name)
{
    for (size_t i = CONTENTION_FIFO; i < CONTENTIONS; i++)
        if (strcmp(contention_names[i], name) == 0)
            return (enum contention)i;
    return CONTENTION_NONE;
}

double links_bus_capacity(const struct bus *bus)
{
    double lanes = bus->lanes, total = bus->total > 0 ? bus->way.per_byte / bus->total : 0;
    if (lanes > 0 && total > 0)
        return lanes < total ? lanes : total;
    return lanes > 0 ? lanes : total;
}

/* ---- Places that have links: out of each node, into each node, and each bus ---- */

static size_t place_count(const struct machine *machine)
{
    return 2 * (size_t)machine->nodes + machine->bus_count;
}

static int links_at(const struct machine *machine, size_t place)
{
    size_t nodes = (size_t)machine->nodes;
    if (place >= 2 * nodes)
        return machine->buses[place - 2 * nodes].lanes;
    const struct node_kind *kind = machine_kind(machine, (int)(place % nodes));
    return place < nodes ? kind->out_links : kind->in_links;
}

/* Those that a transfer needs. False: none, inside a node. */
static bool find_places(const struct machine *machine, int from, int to,
                        uint32_t places[SHARES_LINKS])
{
    const struct bus *bus = machine_bus(machine, from, to);
    if (!bus)
        return false;
    places[0] = (uint32_t)from;
    places[1] = (uint32_t)(machine->nodes + to);
    places[2] = (uint32_t)(2 * machine->nodes + (bus - machine->buses));
    return true;
}

void links_open(struct links *links, const struct machine *machine, enum contention contention)
{
    size_t places = place_count(machine), count = 0;
    *links = (struct links){.contention = contention, .machine = machine};
    if (contention == CONTENTION_FAIR)
        shares_open(&links->shares, places);
    if (contention != CONTENTION_FIFO)
        return;
    links->first = memory_zeroed(places + 1, sizeof *links->first);
    for (size_t i = 0; i < places; i++) {
        count += (size_t)links_at(machine, i);
        links->first[i + 1] = count;
    }
    links->free_at = memory_zeroed(count, sizeof *links->free_at);
}

void links_close(struct links *links)
{
    free(links->free_at);
    free(links->first);
    shares_close(&links->shares);
}

/* ---- One after the other ---- */

/* The link of a place that is free first; NULL: there are as many as anybody wants. */
static int64_t *first_free(const struct links *links, uint32_t place)
{
    int64_t *first = links->free_at + links->first[place],
            *end = links->free_at + links->first[place + 1];
    if (first == end)
        return NULL;
    for (int64_t *link = first + 1; link < end; link++)
        first = *link < *first ? link : first;
    return first;
}

int64_t links_queue(struct links *links, int from, int to, int64_t ready, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    int64_t *needed[SHARES_LINKS];
    if (!find_places(links->machine, from, to, places))
        return ready;
    for (int i = 0; i < SHARES_LINKS; i++) {
        needed[i] = first_free(links, places[i]);
        if (needed[i] && *needed[i] > ready)
            ready = *needed[i];
    }
    for (int i = 0; i < SHARES_LINKS; i++)
        if (needed[i])
            *needed[i] = ready + wire;
    return ready;
}

/* ---- In shares ---- */

/* Keeps those of the places that can be full. Returns their number. */
static int find_shared(const struct machine *machine, int from, int to, uint32_t *places,
                       double *capacities)
{
    int count = 0;
    if (!find_places(machine, from, to, places))
        return 0;
    for (int i = 0; i < SHARES_LINKS; i++) {
        bool bus = i == SHARES_LINKS - 1;
        double capacity =
            bus ? links_bus_capacity(machine_bus(machine, from, to)) : links_at(machine, places[i]);
        if (capacity <= 0)
            continue;
        places[count] = places[i];
        capacities[count++] = capacity;
    }
    return count;
}

bool links_are_shared(const struct links *links, int from, int to, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    double capacities[SHARES_LINKS];
    return links->contention == CONTENTION_FAIR && wire > 0 &&
           find_shared(links->machine, from, to, places, capacities) > 0;
}

void links_share(struct links *links, uint32_t number, int from, int to, int64_t now, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    double capacities[SHARES_LINKS];
    int count = find_shared(links->machine, from, to, places, capacities);
    shares_add(&links->shares, number, now, wire, places, capacities, count);
}
