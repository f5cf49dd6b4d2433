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

double links_bus_capacity(const struct medium *bus)
{
    double lanes = bus->lanes, total = bus->total > 0 ? bus->way.per_byte / bus->total : 0;
    if (lanes > 0 && total > 0)
        return lanes < total ? lanes : total;
    return lanes > 0 ? lanes : total;
}

/* Places that have links are out of each node, into each node, and each bus. */
void links_open(struct links *links, const struct machine *machine, enum contention contention)
{
    const size_t nodes = (size_t)machine->nodes, places = 2 * nodes + machine->bus_count;
    *links = (struct links){.contention = contention, .machine = machine};
    if (contention == CONTENTION_NONE)
        return;
    double *capacities = memory_zeroed(places, sizeof *capacities);
    links->first = memory_zeroed(places + 1, sizeof *links->first);
    for (size_t i = 0; i < places; i++) {
        if (i < 2 * nodes) {
            const struct medium *kind = sim_machine_kind(machine, (int)(i % nodes));
            capacities[i] = i < nodes ? kind->out_links : kind->in_links;
        } else {
            const struct medium *bus = &machine->buses[i - 2 * nodes];
            capacities[i] = contention == CONTENTION_FAIR ? links_bus_capacity(bus) : bus->lanes;
        }
        links->first[i + 1] = links->first[i] + (size_t)capacities[i];
    }
    if (contention == CONTENTION_FAIR)
        sim_shares_open(&links->shares, capacities, places);
    else
        links->free_at = memory_zeroed(links->first[places], sizeof *links->free_at);
    free(capacities);
}

void links_close(struct links *links)
{
    free(links->free_at);
    free(links->first);
    sim_shares_close(&links->shares);
}

/* The places that a transfer needs and that can be full. Returns how many, 0 inside a node. */
static int find_places(const struct links *links, int from, int to, uint32_t places[SHARES_LINKS])
{
    const struct machine *machine = links->machine;
    const struct medium *bus = sim_machine_bus(machine, from, to);
    int count = 0;
    if (!bus)
        return 0;
    const uint32_t all[SHARES_LINKS] = {(uint32_t)from, (uint32_t)(machine->nodes + to),
                                        (uint32_t)(2 * machine->nodes + (bus - machine->buses))};
    for (int i = 0; i < SHARES_LINKS; i++)
        if (links->contention == CONTENTION_FAIR ? links->shares.links[all[i]].capacity > 0
                                                 : links->first[all[i]] < links->first[all[i] + 1])
            places[count++] = all[i];
    return count;
}

/* ---- One after the other ---- */

int64_t links_queue(struct links *links, int from, int to, int64_t ready, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    int64_t *needed[SHARES_LINKS];
    int count = find_places(links, from, to, places);
    for (int i = 0; i < count; i++) {
        int64_t *end = links->free_at + links->first[places[i] + 1],
                *free_first = links->free_at + links->first[places[i]];
        for (int64_t *link = free_first + 1; link < end; link++)
            free_first = *link < *free_first ? link : free_first;
        needed[i] = free_first;
        ready = *free_first > ready ? *free_first : ready;
    }
    for (int i = 0; i < count; i++)
        *needed[i] = ready + wire;
    return ready;
}

/* ---- In shares ---- */

bool links_are_shared(const struct links *links, int from, int to, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    return links->contention == CONTENTION_FAIR && wire > 0 &&
           find_places(links, from, to, places) > 0;
}

void links_share(struct links *links, uint32_t number, int from, int to, int64_t now, int64_t wire)
{
    uint32_t places[SHARES_LINKS];
    int count = find_places(links, from, to, places);
    sim_shares_add(&links->shares, number, now, wire, places, count);
}
