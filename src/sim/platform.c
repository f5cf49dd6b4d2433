/*
 * Writes machine descriptions as platforms of SimGrid. Nodes become hosts. For each kind of nodes
 * there are two routers, so that a route from node to node is
 *
 *     host -> link out of it -> router "from" -> bus of the two kinds -> router "to" -> link ->
 * host
 *
 * and needs one entry for each node and pair of kinds, instead of one for each pair of nodes. Every
 * route through a third host has more links, so SimGrid, which takes the one with the fewest, never
 * takes it.
 */
#include "base/text.h"
#include "sim/links.h"
#include "sim/machine.h"

#define FLOPS 1e9         /* a second, of a processor with ratio 1 */
#define UNLIMITED 1e18    /* bytes a second: what limits nothing */
#define MANY_CORES 100000 /* of nodes that can have any number */

/* ---- Words of XML ---- */

/* A name, which may hold anything but spaces and { }, with what follows: of a node, or of a bus. */
static void print_host(FILE *out, const struct node_kind *kind, int node, const char *rest)
{
    text_print_markup(out, kind->name);
    fprintf(out, "-%d%s", node, rest);
}

static void print_bus(FILE *out, const char *before, const struct bus *bus, const char *rest)
{
    fprintf(out, "%sbus:", before);
    text_print_markup(out, bus->name);
    fputs(rest, out);
}

/* shared: flows share it; not: each has all of it. */
static void print_rate(FILE *out, double bandwidth, int64_t latency, bool shared)
{
    fprintf(out, "bandwidth=\"%.15gBps\" latency=\"%.15gs\" sharing_policy=\"%s\"/>\n", bandwidth,
            (double)latency / PS_PER_SECOND, shared ? "SHARED" : "FATPIPE");
}

/* ---- Links ---- */

static double bandwidth_of(const struct way *way)
{
    return way->per_byte > 0 ? PS_PER_SECOND / way->per_byte : UNLIMITED;
}

/* Of one transfer, and of all together where that is limited. */
static void write_bus(FILE *out, const struct bus *bus)
{
    double capacity = links_bus_capacity(bus), bandwidth = bandwidth_of(&bus->way);
    print_bus(out, "    <link id=\"", bus, "\" ");
    print_rate(out, bandwidth, bus->way.latency, false);
    if (capacity <= 0)
        return;
    print_bus(out, "    <link id=\"", bus, ":all\" ");
    print_rate(out, capacity * bandwidth, 0, true);
}

/* SimGrid's links have a bandwidth of their own: that of the fastest bus. */
static double fastest_bus(const struct machine *machine, const struct node_kind *kind)
{
    double most = 0;
    for (size_t i = 0; i < machine->bus_count; i++)
        if (kind->buses >> i & 1 && bandwidth_of(&machine->buses[i].way) > most)
            most = bandwidth_of(&machine->buses[i].way);
    return most;
}

static void write_link(FILE *out, const struct node_kind *kind, int node, const char *what,
                       int count, double bandwidth)
{
    fputs("    <link id=\"", out);
    print_host(out, kind, node, what);
    print_rate(out, count > 0 ? count * bandwidth : UNLIMITED, 0, count > 0);
}

static void write_hosts(FILE *out, const struct machine *machine, size_t number)
{
    const struct node_kind *kind = &machine->kinds[number];
    double bandwidth = fastest_bus(machine, kind);
    for (int node = kind->first; node < kind->first + kind->count; node++) {
        fputs("    <host id=\"", out);
        print_host(out, kind, node, "");
        fprintf(out, "\" speed=\"%.15gf\" core=\"%d\"/>\n", FLOPS * kind->ratio,
                kind->cores > 0 ? kind->cores : MANY_CORES);
        write_link(out, kind, node, ":out\" ", kind->out_links, bandwidth);
        write_link(out, kind, node, ":in\" ", kind->in_links, bandwidth);
    }
    fprintf(out, "    <link id=\"inside:%zu\" ", number);
    print_rate(out, bandwidth_of(&kind->inside), kind->inside.latency, false);
    fprintf(out, "    <router id=\"from:%zu\"/>\n    <router id=\"to:%zu\"/>\n", number, number);
}

/* ---- Routes ---- */

static void write_host_routes(FILE *out, const struct node_kind *kind, size_t number)
{
    for (int node = kind->first; node < kind->first + kind->count; node++) {
        fputs("    <route src=\"", out);
        print_host(out, kind, node, "\" dst=\"from:");
        fprintf(out, "%zu\" symmetrical=\"NO\"><link_ctn id=\"", number);
        print_host(out, kind, node, ":out\"/></route>\n");
        fprintf(out, "    <route src=\"to:%zu\" dst=\"", number);
        print_host(out, kind, node, "\" symmetrical=\"NO\"><link_ctn id=\"");
        print_host(out, kind, node, ":in\"/></route>\n    <route src=\"");
        print_host(out, kind, node, "\" dst=\"");
        print_host(out, kind, node, "\" symmetrical=\"NO\"><link_ctn id=\"inside:");
        fprintf(out, "%zu\"/></route>\n", number);
    }
}

/* Nodes of one kind have a bus between them only if there are several. */
static void write_bus_route(FILE *out, const struct machine *machine, size_t from, size_t to)
{
    const struct node_kind *a = &machine->kinds[from], *b = &machine->kinds[to];
    int other = from == to ? a->first + 1 : b->first;
    if (from == to && a->count < 2)
        return;
    const struct bus *bus = machine_bus(machine, a->first, other);
    fprintf(out, "    <route src=\"from:%zu\" dst=\"to:%zu\" symmetrical=\"NO\">", from, to);
    print_bus(out, "<link_ctn id=\"", bus, "\"/>");
    if (links_bus_capacity(bus) > 0)
        print_bus(out, "<link_ctn id=\"", bus, ":all\"/>");
    fputs("</route>\n", out);
}

void platform_write(FILE *out, const struct machine *machine, const char *path)
{
    fputs("<?xml version=\"1.0\"?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n"
          "  <zone id=\"",
          out);
    text_print_markup(out, path);
    fputs("\" routing=\"DijkstraCache\">\n", out);
    for (size_t i = 0; i < machine->bus_count; i++)
        write_bus(out, &machine->buses[i]);
    for (size_t i = 0; i < machine->kind_count; i++)
        write_hosts(out, machine, i);
    for (size_t i = 0; i < machine->kind_count; i++)
        write_host_routes(out, &machine->kinds[i], i);
    for (size_t i = 0; i < machine->kind_count; i++)
        for (size_t k = 0; k < machine->kind_count; k++)
            write_bus_route(out, machine, i, k);
    fputs("  </zone>\n</platform>\n", out);
}
