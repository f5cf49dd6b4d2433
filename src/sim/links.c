/* Gives transfers their links. */
#include "sim/links.h"

void links_open(struct links *links, const struct machine *machine, enum contention contention)
{
    *links = (struct links){.contention = contention, .machine = machine};
    if (contention == CONTENTION_FIFO)
        network_open(&links->network, machine);
    if (contention == CONTENTION_FAIR)
        shares_open(&links->shares, 2 * (size_t)machine->nodes + machine->bus_count);
}

void links_close(struct links *links)
{
    network_close(&links->network);
    shares_close(&links->shares);
}

struct needs {
    uint32_t links[SHARES_LINKS];
    double capacities[SHARES_LINKS];
    int count;
};

static void need(struct needs *needs, size_t link, double capacity)
{
    if (capacity <= 0)
        return;
    needs->links[needs->count] = (uint32_t)link;
    needs->capacities[needs->count++] = capacity;
}

/* The links out of one node and into the other, and the bus between them. */
static struct needs needs_of(const struct machine *machine, int from, int to)
{
    struct needs needs = {.count = 0};
    const struct bus *bus = machine_bus(machine, from, to);
    size_t nodes = (size_t)machine->nodes;
    if (!bus)
        return needs;
    need(&needs, (size_t)from, machine_kind(machine, from)->out_links);
    need(&needs, nodes + (size_t)to, machine_kind(machine, to)->in_links);
    need(&needs, 2 * nodes + (size_t)(bus - machine->buses), network_bus_capacity(bus));
    return needs;
}

bool links_are_shared(const struct links *links, int from, int to, int64_t wire)
{
    return links->contention == CONTENTION_FAIR && wire > 0 &&
           needs_of(links->machine, from, to).count > 0;
}

void links_share(struct links *links, uint32_t number, int from, int to, int64_t now, int64_t wire)
{
    const struct needs needs = needs_of(links->machine, from, to);
    shares_add(&links->shares, number, now, wire, needs.links, needs.capacities, needs.count);
}
