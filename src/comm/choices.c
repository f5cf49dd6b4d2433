/* Asks the libraries that are loaded what they have chosen. */
#define _GNU_SOURCE /* RTLD_NOLOAD, environ */
#include "comm/choices.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "comm/comm.h"
#include "comm/components.h"
#include "comm/mpi_variables.h"

#if SKAMPI_UCX
#include <ucp/api/ucp.h>
#endif

#define UCX_FILE "libucp.so.0"

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
        components_note(&choices);
        note_ucx(&choices);
    }
    if (explain && comm_pe() == 0) {
        mpi_variables_note(&choices);
        if (symbol("ucp_get_version_string"))
            note_settings(&choices);
    }
    if (explain)
        note_paths(&choices);
    return choices;
}
