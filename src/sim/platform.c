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
#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/links.h"
#include "sim/machine.h"

#define FLOPS 1e9         /* a second, of a processor with ratio 1 */
#define UNLIMITED 1e18    /* bytes a second: what limits nothing */
#define MANY_CORES 100000 /* of nodes that can have any number */

/* A name, which may hold anything but spaces and { }, as XML has it. The caller frees it. */
static char *escaped(const char *name)
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    text_print_markup(stream, name);
    fclose(stream);
    return text;
}

static double bandwidth_of(const struct way *way)
{
    return way->per_byte > 0 ? PS_PER_SECOND / way->per_byte : UNLIMITED;
}

/* A link of that name. shared: flows share it; not: each has all of it. */
static void __attribute__((format(printf, 5, 6)))
write_link(FILE *out, double bandwidth, int64_t latency, bool shared, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    fputs("    <link id=\"", out);
    vfprintf(out, name, arguments);
    va_end(arguments);
    fprintf(out, "\" bandwidth=\"%.15gBps\" latency=\"%.15gs\" sharing_policy=\"%s\"/>\n",
            bandwidth, (double)latency / PS_PER_SECOND, shared ? "SHARED" : "FATPIPE");
}

/* Of one transfer, and of all together where that is limited. */
static void write_bus(FILE *out, const struct medium *bus)
{
    double capacity = links_bus_capacity(bus), bandwidth = bandwidth_of(&bus->way);
    char *name = escaped(bus->name);
    write_link(out, bandwidth, bus->way.latency, false, "bus:%s", name);
    if (capacity > 0)
        write_link(out, capacity * bandwidth, 0, true, "bus:%s:all", name);
    free(name);
}

/* SimGrid's links have a bandwidth of their own: that of the fastest bus. */
static void write_hosts(FILE *out, const struct machine *machine, size_t number)
{
    const struct medium *kind = &machine->kinds[number];
    int in = kind->in_links, away = kind->out_links;
    char *name = escaped(kind->name);
    double fastest = 0;
    for (size_t i = 0; i < machine->bus_count; i++)
        if (kind->buses >> i & 1 && bandwidth_of(&machine->buses[i].way) > fastest)
            fastest = bandwidth_of(&machine->buses[i].way);
    for (int node = kind->first; node < kind->first + kind->count; node++) {
        fprintf(out, "    <host id=\"%s-%d\" speed=\"%.15gf\" core=\"%d\"/>\n", name, node,
                FLOPS * kind->ratio, kind->cores > 0 ? kind->cores : MANY_CORES);
        write_link(out, away ? away * fastest : UNLIMITED, 0, away, "%s-%d:out", name, node);
        write_link(out, in ? in * fastest : UNLIMITED, 0, in, "%s-%d:in", name, node);
    }
    write_link(out, bandwidth_of(&kind->way), kind->way.latency, false, "inside:%zu", number);
    fprintf(out, "    <router id=\"from:%zu\"/>\n    <router id=\"to:%zu\"/>\n", number, number);
    free(name);
}

static void write_host_routes(FILE *out, const struct medium *kind, size_t number)
{
    char *name = escaped(kind->name);
    for (int node = kind->first; node < kind->first + kind->count; node++) {
        char *host = text_format("%s-%d", name, node);
        fprintf(out,
                "    <route src=\"%s\" dst=\"from:%zu\" symmetrical=\"NO\">"
                "<link_ctn id=\"%s:out\"/></route>\n"
                "    <route src=\"to:%zu\" dst=\"%s\" symmetrical=\"NO\">"
                "<link_ctn id=\"%s:in\"/></route>\n"
                "    <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">"
                "<link_ctn id=\"inside:%zu\"/></route>\n",
                host, number, host, number, host, host, host, host, number);
        free(host);
    }
    free(name);
}

/* Nodes of one kind have a bus between them only if there are several. */
static void write_bus_route(FILE *out, const struct machine *machine, size_t from, size_t to)
{
    const struct medium *a = &machine->kinds[from], *b = &machine->kinds[to];
    if (from == to && a->count < 2)
        return;
    const struct medium *bus =
        sim_machine_bus(machine, a->first, from == to ? a->first + 1 : b->first);
    char *name = escaped(bus->name);
    fprintf(out,
            "    <route src=\"from:%zu\" dst=\"to:%zu\" symmetrical=\"NO\">"
            "<link_ctn id=\"bus:%s\"/>",
            from, to, name);
    if (links_bus_capacity(bus) > 0)
        fprintf(out, "<link_ctn id=\"bus:%s:all\"/>", name);
    fputs("</route>\n", out);
    free(name);
}

void platform_write(FILE *out, const struct machine *machine, const char *path)
{
    char *name = escaped(path);
    fprintf(out,
            "<?xml version=\"1.0\"?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n"
            "  <zone id=\"%s\" routing=\"DijkstraCache\">\n",
            name);
    free(name);
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
