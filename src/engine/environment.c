/*
 * The output's header: everything needed to repeat the run, and what speaks against trusting it.
 * Facts of nodes are read by each node's lowest PE and gathered on PE 0: O(nodes) data.
 */
#define _GNU_SOURCE /* environ */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/internal.h"

#define FACT 96
/* More nodes than this are counted, not listed. */
#define LISTED_NODES 64
#define BUSY_LOAD 0.5 /* of other programs, per processor */

struct facts {
    char cpu[FACT], governor[32], smt[32];
    double load;
    int32_t processors;
};

static void read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (!file)
        return;
    if (!fgets(text, (int)size, file))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static void cpu_model(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "unknown");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 && strncmp(line, "cpu\t", 4) != 0)
            continue;
        char *value = strchr(line, ':');
        if (!value)
            continue;
        value += 1 + strspn(value + 1, " ");
        value[strcspn(value, "\n")] = '\0';
        snprintf(text, size, "%s", value);
        break;
    }
    fclose(file);
}

static struct facts own_facts(void)
{
    struct facts facts = {.load = -1, .processors = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    char text[32];
    cpu_model(facts.cpu, sizeof facts.cpu);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", facts.governor,
              sizeof facts.governor);
    if (!facts.governor[0])
        strcpy(facts.governor, "not shown");
    read_line("/sys/devices/system/cpu/smt/active", text, sizeof text);
    strcpy(facts.smt, text[0] == '1' ? "on" : text[0] == '0' ? "off" : "unknown");
    if (getloadavg(&facts.load, 1) != 1)
        facts.load = -1;
    return facts;
}

static struct facts *gather_facts(void)
{
    int nodes = comm_node_count();
    int *leaders = calloc((size_t)nodes, sizeof *leaders);
    struct facts *all = calloc((size_t)nodes, sizeof *all), mine = {0};
    if (!leaders || !all)
        comm_abort(1);
    for (int node = 0; node < nodes; node++)
        leaders[node] = comm_node_leader(node);
    struct pe_set *set = pe_set_create(leaders, nodes);
    comm_enter(set);
    if (pe_set_rank_of(set, comm_pe()) >= 0) {
        mine = own_facts();
        comm_gather(set, &mine, sizeof mine, all);
    }
    pe_set_release(set);
    free(leaders);
    return all;
}

static void print_nodes(struct output *output, const struct facts *facts)
{
    int nodes = comm_node_count();
    for (int node = 0; node < nodes && node < LISTED_NODES; node++) {
        const struct facts *fact = &facts[node];
        output_line(output,
                    "# node %d: %s, %d PEs, %d processors, %s, SMT %s, governor %s, load %.2f",
                    node, comm_node_name(node), comm_node_size(node), fact->processors, fact->cpu,
                    fact->smt, fact->governor, fact->load);
    }
    if (nodes > LISTED_NODES)
        output_line(output, "# and %d nodes more", nodes - LISTED_NODES);
}

/* What the launcher tells its own processes: not a setting, different in every run. */
static bool launchers_own(const char *variable)
{
    static const char *const prefixes[] = {"OMPI_MCA_orte_",         "OMPI_MCA_ess",
                                           "OMPI_MCA_pmix",          "OMPI_MCA_initial_wdir",
                                           "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_mpi_oversubscribe"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Settings of the libraries; nothing else of the environment, which may hold secrets. */
static void print_variables(struct output *output)
{
    static const char *const prefixes[] = {"UCX_",   "OMPI_MCA_", "SHMEM_", "SMA_",
                                           "MPICH_", "FI_",       "SKAMPI_"};
    extern char **environ;
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0 &&
                !launchers_own(*variable))
                output_line(output, "# environment: %s", *variable);
}

/* How PEs are bound, as far as it matters: subtracting one measurement from another needs a quiet
 * processor for each PE. */
static void print_binding(struct output *output, const struct facts *facts)
{
    int unbound = 0, sharing = 0, pes = comm_pes();
    for (int pe = 0; pe < pes; pe++) {
        int first, cpus = comm_cpus_of(pe, &first), node = comm_node_of(pe);
        if (cpus > 1 || cpus == 0)
            unbound++;
        if (comm_node_size(node) > facts[node].processors)
            sharing++;
    }
    output_line(output, "# binding: %d of %d PEs are bound to one processor", pes - unbound, pes);
    if (unbound > 0)
        output_line(output,
                    "# warning: %d PEs are not bound to one processor: they may move while they "
                    "are timed",
                    unbound);
    if (sharing > 0 || comm_oversubscribed())
        output_line(output, "# warning: PEs share processors: waiting loops yield, and times "
                            "include scheduling");
}

static void print_loads(struct output *output, const struct facts *facts)
{
    for (int node = 0; node < comm_node_count(); node++)
        if (facts[node].processors > 0 && facts[node].load / facts[node].processors > BUSY_LOAD)
            output_line(output,
                        "# warning: node %d (%s) was busy before the run: load %.2f on %d "
                        "processors",
                        node, comm_node_name(node), facts[node].load, facts[node].processors);
}

void environment_print(struct engine *engine)
{
    struct facts *facts = gather_facts();
    struct output *output = engine->output;
    if (output) {
        const struct engine_options *options = &engine->options;
        time_t now = time(NULL);
        output_line(output, "# SKaMPI Version %s\n", options->version);
        output_line(output, "# Started at %.24s\n\n", ctime(&now));
        output_line(output, "# command line: %s", options->command_line);
        output_line(output, "# script: %s (checksum %s)", options->script, options->checksum);
        output_line(output, "# library: %s", comm_library());
        output_line(output, "# PEs: %d on %d node%s", comm_pes(), comm_node_count(),
                    comm_node_count() == 1 ? "" : "s");
        print_nodes(output, facts);
        print_binding(output, facts);
        print_loads(output, facts);
        print_variables(output);
        output_line(output,
                    "# timer: %s, resolution %.1f ns, cost %.1f ns, %.6g ticks per second, off "
                    "CLOCK_MONOTONIC by %.3g ppm, clock source %s",
                    timer_in_use->name, timer_in_use->resolution * 1e9, timer_in_use->cost * 1e9,
                    timer_in_use->ticks_per_second, timer_in_use->disagreement * 1e6,
                    timer_clock_source());
        output_line(output, "# result lines: loop variables, bytes, time, standard error "
                            "(classic), valid repetitions, time per PE");
        if (getenv("SKAMPI_TEST_CLOCK_SKEW"))
            output_line(output, "# warning: clocks are made wrong for a test "
                                "(SKAMPI_TEST_CLOCK_SKEW)");
    }
    free(facts);
}
