/* Nodes and buses of a machine, and where PEs are. */
#include "sim/machine.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

const char *const sim_collective_names[COLLECTIVES] = {"barrier", "broadcast", "reduce",
                                                       "collect", "fcollect",  "alltoall"};
const char *const cost_names[COST_CLASSES] = {
    "put",       "get",       "put-nbi", "get-nbi", "atomic", "lock", "unlock",
    "lock-held", "hand-over", "connect", "quiet",   "fence",  "wait"};

/* ---- Costs of classes ---- */

const struct way *cost_piece(const struct cost_pieces *pieces, uint64_t bytes)
{
    size_t i = pieces->count - 1;
    while (i > 0 && pieces->of[i].from > bytes)
        i--;
    return &pieces->of[i].way;
}

static int64_t own_of(const struct way *way, enum cost_class class)
{
    return way_has(way, class) ? way->costs->of[class].of->way.overhead : 0;
}

int64_t sim_machine_own(const struct machine *machine, int node, bool several,
                        enum cost_class class)
{
    const struct medium *kind = sim_machine_kind(machine, node);
    int64_t most = own_of(&kind->way, class);
    for (uint64_t left = several ? kind->buses : 0; left; left &= left - 1) {
        int64_t own = own_of(&machine->buses[__builtin_ctzll(left)].way, class);
        most = own > most ? own : most;
    }
    return most;
}

void costs_free(struct way *way)
{
    for (size_t i = 0; way->costs && i < COST_CLASSES; i++)
        free(way->costs->of[i].of);
    free(way->costs);
    way->costs = NULL;
}

static bool receives(const struct way *way)
{
    bool any = way->receive > 0 || way->answer > 0 || way->asks || way_interrupts(way);
    for (size_t class = 0; way->costs && class < COST_MESSAGES; class ++)
        for (size_t i = 0; i < way->costs->of[class].count; i++)
            any = any || receives(&way->costs->of[class].of[i].way);
    return any;
}

struct sim_machine_has sim_machine_has(const struct machine *machine)
{
    struct sim_machine_has has = {0};
    const size_t buses = machine->bus_count;
    for (size_t i = 0; i < buses + machine->kind_count; i++) {
        const struct medium *medium = i < buses ? &machine->buses[i] : &machine->kinds[i - buses];
        const struct way *way = &medium->way;
        has.receiving = has.receiving || receives(way);
        has.asking = has.asking || way->asks;
        has.connecting = has.connecting || way_latency(way, COST_CONNECT) > 0;
        has.inside = has.inside || medium->progress_inside;
    }
    return has;
}

/* ---- Nodes, buses and places ---- */

static void free_media(struct medium *media, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(media[i].name);
        costs_free(&media[i].way);
    }
    free(media);
}

void sim_machine_free(struct machine *machine)
{
    if (!machine)
        return;
    free_media(machine->buses, machine->bus_count);
    free_media(machine->kinds, machine->kind_count);
    for (size_t i = 0; i < machine->table_count; i++) {
        for (size_t k = 0; k < machine->tables[i]->count; k++)
            free(machine->tables[i]->rows[k].pieces.of);
        free(machine->tables[i]->rows);
        free(machine->tables[i]);
    }
    free(machine->tables);
    free(machine->list);
    for (size_t i = 0; i < machine->uncertain_count; i++)
        free(machine->uncertain[i].text);
    free(machine->uncertain);
    for (size_t i = 0; i < machine->model_error_count; i++)
        free(machine->model_errors[i].model);
    free(machine->model_errors);
    free(machine);
}

const struct medium *sim_machine_kind(const struct machine *machine, int node)
{
    size_t low = 0, high = machine->kind_count - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (machine->kinds[middle].first <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return &machine->kinds[low];
}

const struct medium *sim_machine_bus(const struct machine *machine, int from, int to)
{
    if (from == to)
        return NULL;
    uint64_t common = sim_machine_kind(machine, from)->buses & sim_machine_kind(machine, to)->buses;
    return &machine->buses[__builtin_ctzll(common)];
}

char *sim_machine_place(const struct machine *machine, int pes, int *nodes)
{
    const bool listed = machine->placement == PLACE_LIST;
    if (listed && (size_t)pes > machine->list_count)
        return text_format(
            "the map has nodes for %zu PEs, the trace has %d; add them, or leave out "
            "the map: PEs are then put on all nodes in turn",
            machine->list_count, pes);
    int *used = memory_zeroed((size_t)machine->nodes, sizeof *used), node = 0;
    char *problem = NULL;
    for (int i = 0; i < pes; i++) {
        /* In turn: the next node with a free core, or the same one as long as it has one. */
        for (int tried = 0; !listed && tried < machine->nodes; tried++) {
            int cores = sim_machine_kind(machine, node)->cores;
            if (cores == 0 || used[node] < cores)
                break;
            node = (node + 1) % machine->nodes;
        }
        nodes[i] = listed ? machine->list[i] : node;
        used[nodes[i]]++;
        if (machine->placement == PLACE_ROUND_ROBIN)
            node = (node + 1) % machine->nodes;
    }
    for (int i = 0; i < machine->nodes && !problem; i++) {
        const struct medium *kind = sim_machine_kind(machine, i);
        if (kind->cores > 0 && used[i] > kind->cores)
            problem = text_format("node %d (%s) has %d cores, but gets %d PEs of %d; describe more "
                                  "nodes or cores",
                                  i, kind->name, kind->cores, used[i], pes);
    }
    free(used);
    return problem;
}
