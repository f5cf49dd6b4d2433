/*
 * What the output's header says about this run and this machine, and which functions this build and
 * the library it runs on support.
 * Facts of nodes are read by each node's lowest PE and gathered on PE 0: O(nodes) data.
 */
#define _GNU_SOURCE /* environ */
#include "engine/start.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/location.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/choices.h"
#include "comm/comm.h"
#include "engine/measurement.h"
#include "engine/samples.h"
#include "machine/machine.h"
#include "objects/pe_set.h"

#define FACT 96
/* More nodes than this are counted, not listed. */
#define LISTED_NODES 64
#define BUSY_LOAD 0.5 /* of other programs, per processor */

struct facts {
    char cpu[FACT], governor[32], smt[32];
    double load;
    struct timer_comparison clocks[TIMER_COMPARISONS];
    int32_t processors;
};

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

static void own_facts(void *result)
{
    struct facts facts = {.load = -1, .processors = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    char text[32];
    cpu_model(facts.cpu, sizeof facts.cpu);
    process_read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", facts.governor,
                      sizeof facts.governor);
    if (!facts.governor[0])
        strcpy(facts.governor, "not shown");
    process_read_line("/sys/devices/system/cpu/smt/active", text, sizeof text);
    strcpy(facts.smt, text[0] == '1' ? "on" : text[0] == '0' ? "off" : "unknown");
    if (getloadavg(&facts.load, 1) != 1)
        facts.load = -1;
    timer_compare(facts.clocks);
    *(struct facts *)result = facts;
}

static void own_node(void *result)
{
    location_of_node(result);
}

static void own_clocks(void *result)
{
    timer_compare(result);
}

/* What `own` finds on the lowest PE of each node, on PE 0; NULL on others. The caller frees it.
 * Collective. */
static void *gather(void (*own)(void *), size_t size)
{
    const struct pe_group *leaders = comm_node_leaders();
    void *all = comm_pe() == 0 ? memory_zeroed((size_t)leaders->size, size) : NULL;
    void *mine = memory_zeroed(1, size);
    comm_enter(leaders);
    if (pe_group_rank_of(leaders, comm_pe()) >= 0) {
        own(mine);
        comm_gather(leaders, mine, size, all);
    }
    free(mine);
    return all;
}

/* Where all PEs run, on PE 0; NULL on others. The caller frees it. Collective: O(PEs) data. */
static struct location_group *gather_locations(size_t *count, int *unlisted)
{
    int pes = comm_pes();
    bool first = comm_pe() == 0;
    struct location_node *nodes = gather(own_node, sizeof *nodes);
    struct location_pe own, *all = first ? memory_zeroed((size_t)pes, sizeof *all) : NULL;
    int *node_of = first ? memory_zeroed((size_t)pes, sizeof *node_of) : NULL;
    for (int pe = 0; first && pe < pes; pe++)
        node_of[pe] = comm_node_of(pe);
    location_of_self(&own);
    comm_enter(comm_world());
    comm_gather(comm_world(), &own, sizeof own, all);
    struct location_group *groups =
        first ? location_groups(all, node_of, pes, nodes, count, unlisted) : NULL;
    free(node_of);
    free(all);
    free(nodes);
    return groups;
}

static struct header_node *list_nodes(const struct facts *facts, int listed)
{
    struct header_node *list = memory_zeroed((size_t)listed, sizeof *list);
    for (int node = 0; node < listed; node++) {
        const struct facts *fact = &facts[node];
        list[node] = (struct header_node){.name = comm_node_name(node),
                                          .cpu = fact->cpu,
                                          .smt = fact->smt,
                                          .governor = fact->governor,
                                          .pes = comm_node_size(node),
                                          .processors = fact->processors,
                                          .load = fact->load};
    }
    return list;
}

/* What the launcher passes to its own processes: no setting, different in every run. */
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
static void collect_variables(struct notes *texts)
{
    static const char *const prefixes[] = {"UCX_",   "OMPI_MCA_", "SHMEM_", "SMA_",
                                           "MPICH_", "FI_",       "SKAMPI_"};
    extern char **environ;
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0 &&
                !launchers_own(*variable)) {
                char *text = memory_text(*variable);
                text_disarm(text, true);
                notes_add(texts, text);
            }
}

/* Names of environment modules, which Lmod and Environment Modules keep in this variable. */
static void collect_modules(struct notes *texts)
{
    const char *loaded = getenv("LOADEDMODULES");
    for (size_t length; loaded && *loaded; loaded += length + (loaded[length] == ':')) {
        length = strcspn(loaded, ":");
        if (length == 0)
            continue;
        char *text = memory_text_part(loaded, length);
        text_disarm(text, true);
        notes_add(texts, text);
    }
}

/* The launcher's command, for the caller to free; NULL: it is not known. */
static char *launcher_line(void)
{
    char *line = comm_launched_rank() < 0 ? NULL : comm_launcher_line();
    if (line)
        text_disarm(line, true);
    return line;
}

char *environment_software(void)
{
    struct notes variables = {0};
    collect_variables(&variables);
    char *software =
        known_software(comm_library(), (const char *const *)variables.text, variables.count);
    notes_clear(&variables);
    return software;
}

/* How PEs are bound, as far as it matters: subtracting one measurement from another needs a quiet
 * processor for each PE. Returns how many are bound. */
static int check_binding(struct notes *warnings, const struct facts *facts)
{
    int unbound = 0, sharing = 0, pes = comm_pes();
    for (int pe = 0; pe < pes; pe++) {
        int first, cpus = comm_cpus_of(pe, &first), node = comm_node_of(pe);
        if (cpus > 1 || cpus == 0)
            unbound++;
        if (comm_node_size(node) > facts[node].processors)
            sharing++;
    }
    if (unbound > 0)
        notes_add(warnings,
                  text_format("%d PE%s not bound to one processor: %s move while %s timed", unbound,
                              unbound == 1 ? " is" : "s are", unbound == 1 ? "it may" : "they may",
                              unbound == 1 ? "it is" : "they are"));
    if (sharing > 0 || comm_oversubscribed())
        notes_add(
            warnings,
            text_format("PEs share processors: waiting loops yield, and times include scheduling"));
    return pes - unbound;
}

static void check_loads(struct notes *warnings, const struct facts *facts)
{
    for (int node = 0; node < comm_node_count(); node++)
        if (facts[node].processors > 0 && facts[node].load / facts[node].processors > BUSY_LOAD)
            notes_add(
                warnings,
                text_format("node %d (%s) was busy before the run: load %.2f on %d processor%s",
                            node, comm_node_name(node), facts[node].load, facts[node].processors,
                            numbers_plural((size_t)facts[node].processors)));
}

/* Clocks of a node that disagree with each other. */
static void check_clocks(struct notes *warnings, int node, const struct timer_comparison *clocks)
{
    /* A counter that is also the timer is reported once. */
    bool reported = timer_disagrees(&clocks[TIMER_COMPARE_IN_USE]) &&
                    strcmp(timer_in_use->name, timer_at(0)->name) == 0;
    for (int i = 0; i < TIMER_COMPARISONS; i++) {
        char text[TIMER_WARNING];
        if (timer_disagrees(&clocks[i]) && !(i == TIMER_COMPARE_TSC && reported))
            notes_add(warnings,
                      text_format("clocks of node %d (%s): %s", node, comm_node_name(node),
                                  timer_warning(text, i, &clocks[i])));
    }
}

void environment_end(struct output *output)
{
    struct timer_comparison *all =
        gather(own_clocks, TIMER_COMPARISONS * sizeof(struct timer_comparison));
    struct notes warnings = {0};
    for (int node = 0; output && node < comm_node_count(); node++)
        check_clocks(&warnings, node, all + (size_t)node * TIMER_COMPARISONS);
    for (size_t i = 0; i < warnings.count; i++)
        output_comment(output, "warning: %s", warnings.text[i]);
    for (int i = 0; output && i < TIMER_COMPARISONS; i++) {
        const char *with, *name = timer_compared(i, &with);
        if (all[i].seconds > 0 &&
            !(i == TIMER_COMPARE_TSC && strcmp(name, timer_in_use->name) == 0))
            output_comment(output,
                           "clocks: %s against %s over the run: off by %.3g ppm "
                           "in %.3g s",
                           name, with, all[i].off * 1e6, all[i].seconds);
    }
    notes_clear(&warnings);
    free(all);
}

void environment_print(const struct engine_options *options, uint64_t seed)
{
    struct facts *facts = gather(own_facts, sizeof *facts);
    struct named_texts choices = comm_choices(options->explain);
    size_t group_count = 0;
    int unlisted = 0;
    struct location_group *groups = gather_locations(&group_count, &unlisted);
    if (options->output) {
        struct notes variables = {0}, modules = {0}, warnings = {0};
        char *launcher = launcher_line();
        int listed = comm_node_count() < LISTED_NODES ? comm_node_count() : LISTED_NODES;
        struct header_node *nodes = list_nodes(facts, listed);
        int bound = check_binding(&warnings, facts);
        check_loads(&warnings, facts);
        for (int node = 0; node < comm_node_count(); node++)
            check_clocks(&warnings, node, facts[node].clocks);
        if (getenv("SKAMPI_TEST_CLOCK_SKEW"))
            notes_add(&warnings,
                      text_format("clocks are made wrong for a test (SKAMPI_TEST_CLOCK_SKEW)"));
        collect_variables(&variables);
        collect_modules(&modules);
        output_put(options->output,
                   &(struct record){
                       .kind = RECORD_HEADER,
                       .header = &(struct header){
                           .version = options->version,
                           .rounds = options->rounds,
                           .round_seconds = options->rounds_spread > 0 ? options->rounds_spread : 0,
                           .time_limit = options->time_limit,
                           .seed = seed,
                           .controls = machine_unseen() == NULL,
                           .state = options->state,
                           .state_wait = options->state_wait,
                           .known = options->known,
                           .known_count = options->known_count,
                           .known_difference =
                               options->earlier ? options->earlier->launch_difference : NAN,
                           .command_line = options->command_line,
                           .options = options->deciding,
                           .launcher = launcher,
                           .script = options->script,
                           .checksum = options->checksum,
                           .library = comm_library(),
                           .started = time(NULL),
                           .pes = comm_pes(),
                           .nodes = comm_node_count(),
                           .node = nodes,
                           .listed = listed,
                           .bound = bound,
                           .groups = groups,
                           .group_count = group_count,
                           .unlisted = unlisted,
                           .variables = (const char *const *)variables.text,
                           .variable_count = variables.count,
                           .modules = (const char *const *)modules.text,
                           .module_count = modules.count,
                           .choices = choices,
                           .warnings = (const char *const *)warnings.text,
                           .warning_count = warnings.count,
                           .timer = timer_in_use->name,
                           .clock_source = timer_clock_source(),
                           .resolution = timer_in_use->resolution,
                           .cost = timer_in_use->cost,
                           .ticks_per_second = timer_in_use->ticks_per_second,
                           .disagreement = timer_in_use->disagreement}});
        notes_clear(&variables);
        notes_clear(&modules);
        notes_clear(&warnings);
        free(launcher);
        free(nodes);
    }
    location_groups_free(groups, group_count);
    named_texts_free(&choices);
    free(facts);
}

/* ---- Known defects of libraries ---- */

#define OPEN_MPI "Open MPI "
#define MPICH "MPICH "
#define SMASHES_STACK                                                                              \
    "known defect: Open MPI up to 4.1.4 smashes the stack in 32-bit compare-and-swap; the 64-bit " \
    "one works"
/* The target becomes old OP old instead of old OP value; what is fetched is right. Over TCP it
 * does what it should. */
#define IGNORES_VALUE                                                                              \
    "known defect: Open MPI up to 4.1.4 ignores the operand of this operation on the same node"
#define READS_AT_INIT                                                                              \
    "known defect: MPICH up to 4.0.2 reads what a persistent gather or allgather sends when the "  \
    "operation is made, not when it is started"
#define SECOND_START_ABORTS                                                                        \
    "known defect: MPICH up to 4.0.2 aborts when a persistent scatter of 3 or more PEs is "        \
    "started "                                                                                     \
    "a second time"
#define MISPLACES_DATA                                                                             \
    "known defect: MPICH up to 4.0.2 misplaces data in a window by MPI_Win_allocate whose size "   \
    "is no multiple of 16 bytes, so this window is up to 15 bytes larger"
/* Each rank asks for the size of the file. One that finds what rank 0 has already made of it leaves
 * out a collective step. */
#define LEAVES_OUT_A_STEP                                                                          \
    "known defect: Open MPI up to 4.1.4 may wait forever in MPI_File_preallocate, or after it"

static const struct defect {
    const char *function; /* pattern of the script name, as for file names */
    const char *library;  /* in comm_library(), right before the version, with or without a "v" */
    const char *last;     /* version that has it */
    enum defect_kind kind;
    const char *reason;
} defects[] = {
    {"Shmem_*Atomic_Compare_Swap_Yes", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_No", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_Yes_Contended", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Compare_Swap_No_Contended", OPEN_MPI, "4.1.4", DEFECT_CRASHES, SMASHES_STACK},
    {"Shmem_*Atomic_Fetch_And*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"Shmem_*Atomic_Fetch_Or*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"Shmem_*Atomic_Fetch_Xor*", OPEN_MPI, "4.1.4", DEFECT_WRONG_VALUES, IGNORES_VALUE},
    {"MPI_IO_preallocate", OPEN_MPI, "4.1.4", DEFECT_CRASHES, LEAVES_OUT_A_STEP},
    {"Gather_Persistent_*", MPICH, "4.0.2", DEFECT_WRONG_VALUES, READS_AT_INIT},
    {"Allgather_Persistent_*", MPICH, "4.0.2", DEFECT_WRONG_VALUES, READS_AT_INIT},
    {"Scatter_Persistent_Start", MPICH, "4.0.2", DEFECT_CRASHES, SECOND_START_ABORTS},
    {"Scatter_Persistent_Full", MPICH, "4.0.2", DEFECT_CRASHES, SECOND_START_ABORTS},
    {"*", MPICH, "4.0.2", DEFECT_WINDOW_SIZES, MISPLACES_DATA},
};

/* The next number of a version; *version moves past it. */
static long next_number(const char **version)
{
    if (!isdigit((unsigned char)**version))
        return 0;
    char *end;
    long number = strtol(*version, &end, 10);
    *version = *end == '.' ? end + 1 : "";
    return number;
}

int version_compare(const char *a, const char *b)
{
    while (isdigit((unsigned char)*a) || isdigit((unsigned char)*b)) {
        long left = next_number(&a), right = next_number(&b);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* Where the version of the library that is named so begins in the text; NULL when it is not that
 * library, or the version is unknown. */
static const char *version_in(const char *text, const char *name)
{
    const char *version = strstr(text, name);
    if (!version)
        return NULL;
    version += strlen(name);
    version += *version == 'v';
    return isdigit((unsigned char)*version) ? version : NULL;
}

const char *defect_of(enum defect_kind kind, const char *function, const char *library)
{
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        if (defects[i].kind != kind || fnmatch(defects[i].function, function, 0) != 0)
            continue;
        const char *version = version_in(library, defects[i].library);
        if (version && version_compare(version, defects[i].last) <= 0)
            return defects[i].reason;
    }
    return NULL;
}

/* ---- Support ---- */

/* One text for all: they differ in the version alone, and few versions matter. */
static const char *too_old(const struct measurement *function, int major, int minor)
{
    static char text[96];
    snprintf(text, sizeof text, "needs %s %d.%d; this program was built with %d.%d",
             function->api == API_MPI ? "MPI" : "OpenSHMEM", function->version_major,
             function->version_minor, major, minor);
    return text;
}

/* NULL where the library has been started for several threads, or will be asked to. */
static const char *without_threads(void)
{
    switch (process_threads()) {
    case THREADS_NOT_ASKED:
        return "several threads call the library: start skampi with --threads";
    case THREADS_REFUSED:
        return "this library does not let several threads call it (no SHMEM_THREAD_MULTIPLE)";
    default:
        return NULL;
    }
}

const char *measurement_unsupported(const struct measurement *function)
{
    int major = 0, minor = 0;
    if (function->api == API_OPENSHMEM && !comm_has_shmem(&major, &minor))
        return "this program was built without OpenSHMEM";
    if (function->api == API_MPI && !comm_has_mpi(&major, &minor))
        return "this program was built without MPI";
    if (function->version_major > major ||
        (function->version_major == major && function->version_minor > minor))
        return too_old(function, major, minor);
    const char *defect = defect_of(DEFECT_CRASHES, function->name, comm_library());
    if (defect)
        return defect;
    const char *threads = function->threads ? without_threads() : NULL;
    if (threads)
        return threads;
    return function->run ? NULL : "the library that this program was built with lacks it";
}

const char *measurement_wrong_values(const struct measurement *function)
{
    return defect_of(DEFECT_WRONG_VALUES, function->name, comm_library());
}

const char *measurement_window_sizes(const struct measurement *function)
{
    return defect_of(DEFECT_WINDOW_SIZES, function->name, comm_library());
}
