/* Contention: links of nodes, and lanes of buses. */
#include "sim/network.h"

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

double network_bus_capacity(const struct bus *bus)
{
    double lanes = bus->lanes, total = bus->total > 0 ? bus->way.per_byte / bus->total : 0;
    if (lanes > 0 && total > 0)
        return lanes < total ? lanes : total;
    return lanes > 0 ? lanes : total;
}

void network_open(struct network *network, const struct machine *machine)
{
    size_t nodes = (size_t)machine->nodes, links = 0;
    *network = (struct network){.machine = machine};
    network->in = memory_zeroed(nodes, sizeof *network->in);
    network->out = memory_zeroed(nodes, sizeof *network->out);
    network->lanes = memory_zeroed(machine->bus_count, sizeof *network->lanes);
    for (size_t i = 0; i < nodes; i++) {
        const struct node_kind *kind = machine_kind(machine, (int)i);
        network->in[i] = links;
        links += (size_t)kind->in_links;
        network->out[i] = links;
        links += (size_t)kind->out_links;
    }
    for (size_t i = 0; i < machine->bus_count; i++) {
        network->lanes[i] = links;
        links += (size_t)machine->buses[i].lanes;
    }
    network->free_at = memory_zeroed(links, sizeof *network->free_at);
}

void network_close(struct network *network)
{
    free(network->free_at);
    free(network->in);
    free(network->out);
    free(network->lanes);
}

/* The one of several that is free first; NULL: there are as many as anybody wants. */
static int64_t *first_free(int64_t *links, int count)
{
    int64_t *first = count > 0 ? links : NULL;
    for (int i = 1; i < count; i++)
        if (links[i] < *first)
            first = &links[i];
    return first;
}

int64_t network_reserve(struct network *network, int from, int to, int64_t ready, int64_t wire)
{
    const struct machine *machine = network->machine;
    const struct bus *bus = machine_bus(machine, from, to);
    if (!bus)
        return ready;
    int64_t *needed[3] = {
        first_free(network->free_at + network->out[from], machine_kind(machine, from)->out_links),
        first_free(network->free_at + network->in[to], machine_kind(machine, to)->in_links),
        first_free(network->free_at + network->lanes[bus - machine->buses], bus->lanes),
    };
    for (int i = 0; i < 3; i++)
        if (needed[i] && *needed[i] > ready)
            ready = *needed[i];
    for (int i = 0; i < 3; i++)
        if (needed[i])
            *needed[i] = ready + wire;
    return ready;
}
