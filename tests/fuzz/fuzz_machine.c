/*
 * The target of fuzzing machine descriptions: bytes are a description that shmemsim reads. What is
 * accepted must be usable: PEs find a node, nodes a way, a platform can be written. What is refused
 * has a reason for the user, in printable characters.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/machine.h"

#define PES 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "fuzz_machine: %s\n", what);
    abort();
}

static void check_way(const struct way *way)
{
    require(way->latency >= 0 && way->overhead >= 0 && way->gap >= 0 && way->per_byte >= 0,
            "a cost below 0");
    for (size_t class = 0; class < COST_CLASSES; class ++)
        for (uint64_t bytes = 0; bytes < 1 << 20; bytes = 2 * bytes + 1)
            require(way_of(way, class, bytes) != NULL, "no cost for a size");
}

static void use(struct machine *machine)
{
    int nodes[PES];
    char *refused = sim_machine_place(machine, PES, nodes);
    for (int i = 0; !refused && i < PES; i++) {
        require(nodes[i] >= 0 && nodes[i] < machine->nodes, "a PE is on none of the nodes");
        require(sim_machine_kind(machine, nodes[i]) != NULL, "a node without a kind");
        for (int k = 0; k < i; k++)
            check_way(sim_machine_way(machine, nodes[i], nodes[k]));
    }
    require(!refused || *refused, "refused without a reason");
    free(refused);
    FILE *nowhere = machine->nodes <= 64 ? fopen("/dev/null", "w") : NULL;
    if (nowhere) {
        platform_write(nowhere, machine, "fuzzed");
        fclose(nowhere);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], *error = NULL;
    int descriptor = memfd_create("machine", 0);
    require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    struct machine *machine = sim_machine_read(path, NULL, &error);
    close(descriptor);
    require(machine ? !error : error && *error, "neither a machine nor a reason, or both");
    for (const char *c = error; c && *c; c++)
        require(*c == '\n' || *c == '\t' || !iscntrl((unsigned char)*c),
                "a control character in a message");
    if (machine)
        use(machine);
    if (getenv("FUZZ_OUTCOME"))
        fprintf(stderr, "outcome: %s\n", machine ? "accepted" : error);
    sim_machine_free(machine);
    free(error);
    return 0;
}
