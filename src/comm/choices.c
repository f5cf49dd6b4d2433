/* Asks the libraries that are loaded what they have chosen. */
#define _GNU_SOURCE /* RTLD_NOLOAD, environ, dl_iterate_phdr */
#include "comm/choices.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "comm/comm.h"

#if SKAMPI_MPI
#include <mpi.h>
#endif
#if SKAMPI_UCX
#include <ucp/api/ucp.h>
#endif

#define UCX_FILE "libucp.so.0"

/* ---- Components of Open MPI among the libraries that are loaded ---- */

/* Whether communication depends on this framework. */
static bool matters(const char *framework)
{
    static const char *const names[] = {"atomic", "bml", "btl",   "coll", "memheap", "mtl",
                                        "osc",    "pml", "scoll", "spml", "sshmem"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(framework, names[i]) == 0)
            return true;
    return false;
}

/* Notes a loaded component. A framework unloads the components that it did not choose. The order of
 * loading has no meaning. */
static int note_component(struct dl_phdr_info *info, size_t size, void *into)
{
    (void)size;
    struct named_texts *choices = into;
    const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : info->dlpi_name;
    char framework[32], component[64];
    if (sscanf(file, "mca_%31[a-z0-9]_%63[a-z0-9_].so", framework, component) != 2 ||
        !matters(framework))
        return 0;
    struct named_text *known = named_texts_find(choices, framework);
    if (known) {
        char *longer = text_format("%s %s", known->value, component);
        free(known->value);
        known->value = longer;
        return 0;
    }
    named_texts_add(choices, memory_text(framework), memory_text(component));
    return 0;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the words, so that the text does not depend on the order of loading. */
static void sort_words(char **value)
{
    char *words[64], *rest = *value;
    size_t count = 0;
    struct text sorted = {0};
    for (char *word; count < 64 && (word = strsep(&rest, " "));)
        words[count++] = word;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        text_append(&sorted, "%s%s", i ? " " : "", words[i]);
    free(*value);
    *value = text_take(&sorted);
}

/* Notes this PE's components of each framework on which communication depends: "btl" "self vader".
 * Notes nothing for other libraries, or if components are linked statically. */
static void note_components(struct named_texts *choices)
{
    dl_iterate_phdr(note_component, choices);
    for (size_t i = 0; i < choices->count; i++)
        sort_words(&choices->of[i].value);
    named_texts_sort(choices, 0);
}

static bool is_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

bool choices_own_variable(const struct named_texts *choices, const char *variable)
{
    char framework[32];
    size_t length = strcspn(variable, "_");
    const char *rest = variable + length + (variable[length] == '_');
    snprintf(framework, sizeof framework, "%.*s", (int)length, variable);
    if (strcmp(framework, "mpi") == 0)
        return true;
    if (length >= sizeof framework || !matters(framework))
        return false;
    const struct named_text *loaded = named_texts_find(choices, framework);
    if (!loaded || !*rest || strncmp(rest, "base_", 5) == 0)
        return true;
    /* Names of components may have a "_" themselves. */
    for (size_t end = 1; end <= strlen(rest); end++)
        if ((rest[end] == '_' || !rest[end]) && is_word(loaded->value, rest, end))
            return true;
    return false;
}

/* ---- Settings of MPI in force, by its tool interface (MPI_T) ---- */

#define WHAT "variables of MPI"

static void note_nothing(struct named_texts *choices, const char *why)
{
    named_texts_add(choices, memory_text(WHAT), memory_text(why));
}

#if SKAMPI_MPI

#define NAME 256
#define DEFAULT "default"
#define SETTING "variable " /* before the name: there is a component pml, and a setting */

#ifdef OPEN_MPI
#define PREFIX_IN_ENVIRONMENT "OMPI_MCA_"
/* Settings that are shown even with their defaults: they select algorithms, or sizes at which
 * protocols change. */
static const char *const decisive[] = {
    "btl_*_eager_limit",
    "btl_*_rndv_eager_limit",
    "btl_*_max_send_size",
    "btl_*_min_rdma_pipeline_size",
    "coll_*_priority",
    "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename",
    "osc_*_priority",
    "osc_rdma_buffer_size",
    "osc_rdma_max_attach",
    "pml_*_priority",
    "pml_ob1_unexpected_limit",
    "pml_ob1_use_all_rdma",
};
#else
#define PREFIX_IN_ENVIRONMENT ""
static const char *const decisive[] = {NULL};
#endif

static bool is_decisive(const char *name)
{
    for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++)
        if (decisive[i] && fnmatch(decisive[i], name, 0) == 0)
            return true;
    return false;
}

/* Open MPI keeps variables of components that it has unloaded, whose values are gone: reading one
 * is a segmentation fault. */
static bool is_readable(const struct named_texts *choices, const char *name)
{
#ifdef OPEN_MPI
    return choices_own_variable(choices, name);
#else
    (void)choices;
    (void)name;
    return true;
#endif
}

/* ---- Where values come from ---- */

/* The source of a setting, by the function of Open MPI that ompi_info uses, since MPI_T cannot tell
 * the source. NULL if the library has no such function, or does not know. The caller frees it. */
static char *source_by_library(const char *name)
{
    int (*find)(const char *, int *), (*dump)(int, char ***, int);
    void *found = dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name");
    void *dumps = dlsym(RTLD_DEFAULT, "mca_base_var_dump");
    char **lines = NULL, *source = NULL;
    int index = -1;
    const int parsable = 1; /* mca:FRAMEWORK:COMPONENT:param:NAME:source:SOURCE */
    /* ISO C has no cast from an object's address to a function's. */
    memcpy(&find, &found, sizeof found);
    memcpy(&dump, &dumps, sizeof dumps);
    if (!find || !dump || find(name, &index) != 0 || dump(index, &lines, parsable) != 0 || !lines)
        return NULL;
    char *begin = text_format(":%s:source:", name);
    for (char **line = lines; *line; line++) {
        const char *at = strstr(*line, begin);
        if (at && !source)
            source = memory_text(at + strlen(begin));
        free(*line);
    }
    free(lines);
    free(begin);
    return source;
}

static char *source_of(const char *name)
{
    char *source = source_by_library(name);
    if (!source) {
        char *variable = text_format("%s%s", PREFIX_IN_ENVIRONMENT, name);
        source = getenv(variable) ? memory_text("environment") : NULL;
        free(variable);
    }
    return source;
}

/* ---- Values ---- */

struct variable {
    char name[NAME];
    int index, binding;
    MPI_Datatype type;
    MPI_T_enum words;
};

static bool look_up(int index, struct variable *variable)
{
    int length = sizeof variable->name, no_text = 0, verbosity, scope;
    *variable = (struct variable){.index = index};
    return MPI_T_cvar_get_info(index, variable->name, &length, &verbosity, &variable->type,
                               &variable->words, NULL, &no_text, &variable->binding,
                               &scope) == MPI_SUCCESS;
}

/* The library's word for a number, or NULL. The caller frees it. */
static char *word_for(MPI_T_enum words, int number)
{
    char name[NAME] = "";
    int count = 0, length = sizeof name, value;
    if (words == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(words, &count, name, &length) != MPI_SUCCESS)
        return NULL;
    for (int i = 0; i < count; i++) {
        length = sizeof name;
        if (MPI_T_enum_get_item(words, i, &value, name, &length) == MPI_SUCCESS && value == number)
            return memory_text(name);
    }
    return NULL;
}

/* Enough for a number of any type. */
union number {
    int i;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    MPI_Count count;
    double d;
    bool b;
};

static char *number_text(const struct variable *variable, const union number *number)
{
    if (variable->type == MPI_INT) {
        char *word = word_for(variable->words, number->i);
        return word ? word : text_format("%d", number->i);
    }
    if (variable->type == MPI_UNSIGNED)
        return text_format("%u", number->u);
    if (variable->type == MPI_UNSIGNED_LONG)
        return text_format("%lu", number->ul);
    if (variable->type == MPI_UNSIGNED_LONG_LONG)
        return text_format("%llu", number->ull);
    if (variable->type == MPI_COUNT)
        return text_format("%lld", (long long)number->count);
    if (variable->type == MPI_DOUBLE)
        return text_format("%g", number->d);
    if (variable->type == MPI_C_BOOL)
        return memory_text(number->b ? "true" : "false");
    return NULL;
}

/* The value of a variable; NULL if it cannot be read, or is neither number nor text. The caller
 * frees it. */
static char *value_of(const struct variable *variable)
{
    MPI_T_cvar_handle handle;
    union number number = {0};
    char *text = NULL;
    int count = 0;
    if (variable->binding != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(variable->index, NULL, &handle, &count) != MPI_SUCCESS)
        return NULL;
    if (variable->type == MPI_CHAR && count > 0) {
        text = memory_zeroed((size_t)count + 1, 1);
        if (MPI_T_cvar_read(handle, text) != MPI_SUCCESS)
            text[0] = '\0';
        text_disarm(text, true);
    } else if (count == 1 && variable->type != MPI_CHAR &&
               MPI_T_cvar_read(handle, &number) == MPI_SUCCESS) {
        text = number_text(variable, &number);
    }
    MPI_T_cvar_handle_free(&handle);
    return text;
}

/* ---- All of them ---- */

static void note(struct named_texts *choices, const struct variable *variable)
{
    char *source = source_of(variable->name);
    bool differs = source && strcmp(source, DEFAULT) != 0;
    if (differs || is_decisive(variable->name)) {
        char *value = value_of(variable);
        if (value)
            named_texts_add(choices, text_format(SETTING "%s", variable->name),
                            text_format("%s (%s)", *value ? value : "nothing",
                                        source ? source : "source not known"));
        free(value);
    }
    free(source);
}

/* An algorithm that was chosen for a collective is not used without this switch. */
static void mark_idle(struct named_texts *choices, size_t first)
{
    const struct named_text *rules =
        named_texts_find(choices, SETTING "coll_tuned_use_dynamic_rules");
    for (size_t i = first; rules && strncmp(rules->value, "false", 5) == 0 && i < choices->count;
         i++) {
        struct named_text *one = &choices->of[i];
        if (fnmatch(SETTING "coll_tuned_*_algorithm*", one->name, 0) != 0)
            continue;
        char *longer =
            text_format("%s, not in force: %s is false", one->value, rules->name + strlen(SETTING));
        free(one->value);
        one->value = longer;
    }
}

/* Notes this PE's settings as "VALUE (SOURCE)", by name: those that differ from their default and,
 * with Open MPI, those that select algorithms and protocols. If nothing is known, one line says
 * why. choices already has the loaded components of Open MPI, and gets the settings. MPI need not
 * be initialized. */
static void note_mpi_variables(struct named_texts *choices)
{
    size_t first = choices->count;
    int initialized = 0, provided, count = 0;
    MPI_Initialized(&initialized);
    if (!initialized) { /* Open MPI has values of components that it is yet to choose */
        note_nothing(choices, "not known: MPI is not initialized");
        return;
    }
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        note_nothing(choices, "not known: MPI_T cannot be started");
        return;
    }
    if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS || count <= 0)
        note_nothing(choices, "not known: MPI_T has none");
    for (int i = 0; i < count; i++) {
        struct variable variable;
        if (look_up(i, &variable) && is_readable(choices, variable.name))
            note(choices, &variable);
    }
    MPI_T_finalize();
    named_texts_sort(choices, first);
    mark_idle(choices, first);
    if (choices->count == first)
        note_nothing(choices, "all have their default, as far as is known");
}

#else

static void note_mpi_variables(struct named_texts *choices)
{
    note_nothing(choices, "not known: skampi is built without MPI");
}

#endif

/* ---- UCX ---- */

/* Of the UCX that is loaded already; NULL: none is. */
static void *symbol(const char *name)
{
    void *library = dlopen(UCX_FILE, RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

/* ISO C has no cast from an object's address to a function's. */
#define LOAD(function, name)                                                                       \
    do {                                                                                           \
        void *found = symbol(name);                                                                \
        memcpy(&(function), &found, sizeof found);                                                 \
    } while (0)

static void note_ucx(struct named_texts *choices)
{
    const char *(*version)(void);
    LOAD(version, "ucp_get_version_string");
    if (version)
        named_texts_add(choices, memory_text("UCX"), memory_text(version()));
}

#if SKAMPI_UCX

static struct {
    ucs_status_t (*read_config)(const char *, const char *, ucp_config_t **);
    void (*release_config)(ucp_config_t *);
    void (*print_config)(const ucp_config_t *, FILE *, const char *, ucs_config_print_flags_t);
    ucs_status_t (*init)(unsigned, unsigned, const ucp_params_t *, const ucp_config_t *,
                         ucp_context_h *);
    void (*cleanup)(ucp_context_h);
    ucs_status_t (*create_worker)(ucp_context_h, const ucp_worker_params_t *, ucp_worker_h *);
    void (*destroy_worker)(ucp_worker_h);
    ucs_status_t (*address)(ucp_worker_h, ucp_address_t **, size_t *);
    void (*release_address)(ucp_worker_h, ucp_address_t *);
    ucs_status_t (*create_endpoint)(ucp_worker_h, const ucp_ep_params_t *, ucp_ep_h *);
    void (*print_endpoint)(const ucp_ep_h, FILE *);
} ucx;

static bool load_ucx(void)
{
    LOAD(ucx.read_config, "ucp_config_read");
    LOAD(ucx.release_config, "ucp_config_release");
    LOAD(ucx.print_config, "ucp_config_print");
    LOAD(ucx.init, "ucp_init_version");
    LOAD(ucx.cleanup, "ucp_cleanup");
    LOAD(ucx.create_worker, "ucp_worker_create");
    LOAD(ucx.destroy_worker, "ucp_worker_destroy");
    LOAD(ucx.address, "ucp_worker_get_address");
    LOAD(ucx.release_address, "ucp_worker_release_address");
    LOAD(ucx.create_endpoint, "ucp_ep_create");
    LOAD(ucx.print_endpoint, "ucp_ep_print_info");
    return ucx.read_config && ucx.release_config && ucx.print_config && ucx.init && ucx.cleanup &&
           ucx.create_worker && ucx.destroy_worker && ucx.address && ucx.release_address &&
           ucx.create_endpoint && ucx.print_endpoint;
}

/* ---- Settings of UCX ---- */

/* Prints a value that is the default as a comment: UCS_CONFIG_PRINT_COMMENT_DEFAULT, which not
 * every version has. */
#define COMMENT_DEFAULTS (1 << 4)

/* What ucp_config_print prints, default values as comments; NULL: UCX does not print it so. */
static char *print_settings(void)
{
    ucp_config_t *config;
    char *printed;
    size_t size;
    if (!load_ucx() || ucx.read_config(NULL, NULL, &config) != UCS_OK)
        return NULL;
    FILE *stream = memory_stream(&printed, &size);
    ucx.print_config(config, stream, NULL,
                     (ucs_config_print_flags_t)(UCS_CONFIG_PRINT_CONFIG | COMMENT_DEFAULTS));
    if (fclose(stream) != 0)
        memory_missing();
    ucx.release_config(config);
    if (strstr(printed, "# UCX_"))
        return printed;
    free(printed);
    return NULL;
}

#else

static char *print_settings(void)
{
    return NULL;
}

#endif

static void note_setting(struct named_texts *choices, const char *setting, const char *source)
{
    size_t length = strcspn(setting, "=");
    char *value = memory_text(setting + length + (setting[length] == '='));
    text_disarm(value, true);
    named_texts_add(choices, text_format("variable %.*s", (int)length, setting),
                    text_format("%s (%s)", value, source));
    free(value);
}

/* Whether UCX printed this setting of the environment, be it as a comment. */
static bool is_printed(const char *printed, const char *setting)
{
    char *begin = text_format("%.*s=", (int)strcspn(setting, "="), setting);
    bool found = printed && strstr(printed, begin);
    free(begin);
    return found;
}

/* Notes settings that differ from their defaults, in UCX's words, and variables of the environment
 * that this part of UCX does not know: they belong to a transport, or to nothing. */
static void note_settings(struct named_texts *choices)
{
    extern char **environ;
    size_t first = choices->count;
    char *printed = print_settings(), *rest = printed ? memory_text(printed) : NULL, *from = rest;
    for (char *line; from && (line = strsep(&from, "\n"));) {
        if (strncmp(line, "UCX_", 4) != 0)
            continue;
        char *name = memory_text_part(line, strcspn(line, "="));
        note_setting(choices, line, getenv(name) ? "environment" : "configuration file of UCX");
        free(name);
    }
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "UCX_", 4) == 0 && !is_printed(printed, *variable))
            note_setting(choices, *variable,
                         printed ? "environment, not known to UCX's ucp_config_print"
                                 : "environment, UCX was not asked");
    free(rest);
    free(printed);
    named_texts_sort(choices, first);
}

/* ---- Paths of UCX ---- */

#if SKAMPI_UCX

struct side {
    ucp_context_h context;
    ucp_worker_h worker;
};

static bool open_side(struct side *side)
{
    const ucp_params_t wanted = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 |
                                             UCP_FEATURE_AMO64};
    const ucp_worker_params_t worker = {.field_mask = 0};
    ucp_config_t *config;
    *side = (struct side){0};
    if (!load_ucx() || ucx.read_config(NULL, NULL, &config) != UCS_OK)
        return false;
    bool good = ucx.init(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config, &side->context) == UCS_OK;
    ucx.release_config(config);
    if (!good)
        return false;
    if (ucx.create_worker(side->context, &worker, &side->worker) == UCS_OK)
        return true;
    ucx.cleanup(side->context);
    return false;
}

static void close_side(struct side *side)
{
    ucx.destroy_worker(side->worker);
    ucx.cleanup(side->context);
}

/* "device, device; put 0..<short>..1024..<zcopy>..(inf); ..." of what UCX prints of an endpoint. */
static char *condense(const char *printed)
{
    struct text devices = {0}, limits = {0};
    for (const char *line = printed; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char device[64], what[32], sizes[160];
        if (sscanf(line, "# lane[%*d]: %*d:%63[^. \n]", device) == 1)
            text_append(&devices, "%s%s", devices.length ? ", " : "", device);
        else if (sscanf(line, "# %31[a-z_0-9[]%*[]]: %159[^ \n]", what, sizes) == 2 ||
                 sscanf(line, "# %31[a-z_]: %159[^ \n]", what, sizes) == 2) {
            what[strcspn(what, "[")] = '\0';
            char *said = text_format("; %s %s", what, sizes);
            /* UCX prints equal lines for lanes that are alike: one is enough. */
            if (strncmp(sizes, "0..", 3) == 0 && !(limits.data && strstr(limits.data, said)))
                text_append(&limits, "%s", said);
            free(said);
        }
    }
    char *condensed =
        devices.length ? text_format("%s%s", devices.data, limits.data ? limits.data : "") : NULL;
    text_release(&devices);
    text_release(&limits);
    return condensed;
}

/* How the worker would go to that address; NULL: it would not. */
static char *path_to(const struct side *side, const void *address)
{
    const ucp_ep_params_t peer = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                  .address = address};
    ucp_ep_h endpoint;
    char *printed, *condensed;
    size_t size;
    if (ucx.create_endpoint(side->worker, &peer, &endpoint) != UCS_OK)
        return NULL;
    FILE *stream = memory_stream(&printed, &size);
    ucx.print_endpoint(endpoint, stream); /* the worker destroys it */
    if (fclose(stream) != 0)
        memory_missing();
    condensed = condense(printed);
    free(printed);
    return condensed;
}

/* PE 0 and this peer; both call it, nobody else communicates. */
static void note_path(struct named_texts *choices, int peer)
{
    struct side side;
    bool mine = open_side(&side);
    size_t bytes = 0;
    if (comm_pe() == 0) {
        comm_receive(peer, &bytes, sizeof bytes);
        void *address = bytes ? memory_allocate(bytes) : NULL;
        if (bytes)
            comm_receive(peer, address, bytes);
        char *path = bytes && mine ? path_to(&side, address) : NULL;
        if (path)
            named_texts_add(
                choices,
                text_format("path from PE 0 to PE %d, %s", peer,
                            comm_node_of(peer) == comm_node_of(0) ? "same node" : "another node"),
                path);
        free(address);
    } else {
        ucp_address_t *address = NULL;
        if (mine && ucx.address(side.worker, &address, &bytes) != UCS_OK)
            bytes = 0;
        comm_send(0, &bytes, sizeof bytes);
        if (bytes) {
            comm_send(0, address, bytes);
            ucx.release_address(side.worker, address);
        }
    }
    /* The peer is there until PE 0 is done with it. */
    int64_t done = 1;
    if (comm_pe() == 0)
        comm_send(peer, &done, sizeof done);
    else
        comm_receive(0, &done, sizeof done);
    if (mine)
        close_side(&side);
}

static void note_paths(struct named_texts *choices)
{
    int peers[2] = {-1, -1}; /* of PE 0's node, of another */
    for (int pe = comm_pes() - 1; pe > 0; pe--)
        peers[comm_node_of(pe) != comm_node_of(0)] = pe;
    for (int i = 0; i < 2; i++) {
        if (peers[i] > 0 && (comm_pe() == 0 || comm_pe() == peers[i]))
            note_path(choices, peers[i]);
        comm_barrier(comm_world());
    }
}

#else

static void note_paths(struct named_texts *choices)
{
    (void)choices;
}

#endif

struct named_texts comm_choices(bool explain)
{
    struct named_texts choices = {0};
    if (comm_pe() == 0) {
        note_components(&choices);
        note_ucx(&choices);
    }
    if (explain && comm_pe() == 0) {
        note_mpi_variables(&choices);
        if (symbol("ucp_get_version_string"))
            note_settings(&choices);
    }
    if (explain)
        note_paths(&choices);
    return choices;
}
