/* Begins transfers, gives them their links, and ends them. */
#include "sim/traffic.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/network.h"

void traffic_open(struct traffic *traffic, const struct machine *machine, size_t pes)
{
    *traffic = (struct traffic){.machine = machine};
    traffic->interfaces = memory_zeroed(pes, sizeof *traffic->interfaces);
    shares_open(&traffic->shares, 2 * (size_t)machine->nodes + machine->bus_count);
}

void traffic_close(struct traffic *traffic)
{
    shares_close(&traffic->shares);
    agenda_free(&traffic->agenda);
    free(traffic->interfaces);
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- Links ---- */

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
static struct needs needs_of(const struct machine *machine, const struct operation *transfer)
{
    struct needs needs = {.count = 0};
    const struct bus *bus = machine_bus(machine, transfer->from, transfer->to);
    size_t nodes = (size_t)machine->nodes;
    if (!bus)
        return needs;
    need(&needs, (size_t)transfer->from, machine_kind(machine, transfer->from)->out_links);
    need(&needs, nodes + (size_t)transfer->to, machine_kind(machine, transfer->to)->in_links);
    need(&needs, 2 * nodes + (size_t)(bus - machine->buses), network_bus_capacity(bus));
    return needs;
}

/* ---- The way of a transfer ---- */

static void move(struct traffic *traffic, struct operation *transfer, uint32_t number)
{
    int64_t wire = transfer->takes.transfer.wire;
    struct needs needs = {.count = 0};
    if (wire > 0)
        needs = needs_of(traffic->machine, transfer);
    transfer->moving = true;
    if (needs.count)
        shares_add(&traffic->shares, number, transfer->begun, wire, needs.links, needs.capacities,
                   needs.count);
    else
        agenda_set(&traffic->agenda, number, transfer->begun + wire);
    transfer->shared = needs.count > 0;
}

/* Begins the operations at the interface of a PE, until one keeps the interface. */
static void begin(struct traffic *traffic, struct operations *operations,
                  struct interface *interface)
{
    while (interface->list.first) {
        uint32_t number = interface->list.first - 1;
        struct operation *transfer = &operations->of[number];
        const struct phases *phases = &transfer->takes.transfer;
        if (transfer->mark) {
            transfer->moving = true;
            agenda_set(&traffic->agenda, number, traffic->now);
            return;
        }
        int64_t begun = later(transfer->start + phases->issue, interface->free_at);
        transfer->begun = begun + phases->request;
        if (transfer->begun <= traffic->now)
            move(traffic, transfer, number);
        else
            agenda_set(&traffic->agenda, number, transfer->begun);
        if (transfer->op.kind == OP_PUT)
            return;
        interface->free_at = begun + phases->gap;
        interface->list.first = transfer->next;
    }
}

void traffic_issue(struct traffic *traffic, struct operations *operations,
                   const struct operation *issued)
{
    struct interface *interface = &traffic->interfaces[issued->pe];
    uint32_t number = operations_add(operations, issued);
    bool waits = interface->list.first;
    agenda_grow(&traffic->agenda, operations->room);
    interface->marks += issued->mark;
    operations_append(operations, &interface->list, number);
    if (!waits)
        begin(traffic, operations, interface);
}

static void end(struct traffic *traffic, struct operations *operations, uint32_t number)
{
    struct operation *transfer = &operations->of[number];
    struct interface *interface = &traffic->interfaces[transfer->pe];
    transfer->ended = traffic->now;
    if (transfer->shared)
        shares_remove(&traffic->shares, number);
    if (!transfer->mark && transfer->op.kind != OP_PUT)
        return;
    if (!transfer->mark)
        interface->free_at = later(transfer->begun + transfer->takes.transfer.gap, transfer->ended);
    interface->marks -= transfer->mark;
    interface->list.first = transfer->next;
    begin(traffic, operations, interface);
}

int64_t traffic_next(struct traffic *traffic, int64_t other)
{
    struct shares *shares = &traffic->shares;
    if (shares_are_old(shares) && other > traffic->now &&
        agenda_next(&traffic->agenda) > traffic->now) {
        shares_solve(shares, traffic->now);
        for (size_t i = 0; i < shares->moved.count; i++) {
            uint32_t number = shares->moved.of[i];
            agenda_set(&traffic->agenda, number, shares->flows[number].end);
        }
    }
    return agenda_next(&traffic->agenda);
}

bool traffic_step(struct traffic *traffic, struct operations *operations, struct operation *ended)
{
    traffic->now = agenda_next(&traffic->agenda);
    uint32_t number = agenda_take(&traffic->agenda);
    struct operation *transfer = &operations->of[number];
    if (!transfer->moving) {
        move(traffic, transfer, number);
        return false;
    }
    end(traffic, operations, number);
    *ended = *transfer;
    operations_remove(operations, number);
    return true;
}
