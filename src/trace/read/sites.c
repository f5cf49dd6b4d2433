/* Numbers call sites, and finds their functions and lines. */
#define _GNU_SOURCE /* pipe2 */
#include "trace/read/sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if SKAMPI_DW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#else
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#endif

#include "base/memory.h"
#include "base/text.h"
#include "trace/build_id.h"

/* A return address: in the file of a module, or in memory. */
struct place_key {
    uint64_t module; /* 1 + its number; 0: not known */
    uint64_t address;
};

static uint64_t number_module(struct sites *sites, const struct trace_module *module)
{
    if (!module || !*module->path)
        return 0;
    struct text key = {0};
    text_append_bytes(&key, module->path, strlen(module->path) + 1);
    text_append_bytes(&key, module->build_id, strlen(module->build_id) + 1);
    uint64_t number = 1 + table_number(&sites->modules, key.data, key.length);
    text_release(&key);
    return number;
}

size_t sites_add(struct sites *sites, struct trace_file *file, const uint64_t *addresses,
                 size_t depth)
{
    struct place_key places[TRACE_DEPTH_MOST];
    for (size_t i = 0; i < depth; i++) {
        /* The call is before the return address, which may be another function's. */
        const struct trace_module *module = trace_module_at(file, addresses[i] - 1);
        places[i].module = number_module(sites, module);
        places[i].address = addresses[i] - (places[i].module ? module->bias : 0);
    }
    return 1 + table_number(&sites->table, places, depth * sizeof *places);
}

/*
 * ---- Symbols: functions and lines of a program or library ----
 *
 * By elfutils' libdw, or by addr2line of binutils, which runs as long as the symbols are open.
 */

static void symbols_close(struct symbols *);

/* Opens what looks symbols up in a file that exists and is the right one; NULL: cannot. */
static struct symbols *open_file(const char *path, char **error);

/* Opens a file that has the build id ("": any). NULL with what is wrong in *error, which the caller
 * frees. */
static struct symbols *symbols_open(const char *path, const char *build_id, char **error)
{
    struct stat status;
    *error = NULL;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        *error = text_format("%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode)) /* a trace may name anything */
        *error = text_format("%s: is no program or library", path);
    else if (*build_id && strcmp(build_id_of_file(path).text, build_id) != 0)
        *error = text_format("%s: has changed since the trace was recorded", path);
    return *error ? NULL : open_file(path, error);
}

#if SKAMPI_DW

struct symbols {
    Dwfl *session;
    Dwfl_Module *module;
};

static struct symbols *open_file(const char *path, char **error)
{
    /* Also finds debugging information that is in a file of its own. */
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &no_path};
    struct symbols *symbols = memory_zeroed(1, sizeof *symbols);
    symbols->session = dwfl_begin(&callbacks);
    if (symbols->session) {
        symbols->module = dwfl_report_elf(symbols->session, path, path, -1, 0, true);
        dwfl_report_end(symbols->session, NULL, NULL);
    }
    if (symbols->module)
        return symbols;
    *error = text_format("%s: %s", path, dwfl_errmsg(-1));
    symbols_close(symbols);
    return NULL;
}

/* The name of the function in the source, also of one that was inlined; NULL: not known. */
static const char *source_function(struct symbols *symbols, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(symbols->module, address, &bias), *scopes = NULL;
    const char *name = NULL;
    int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    for (int i = 0; i < count && !name; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            name = dwarf_diename(&scopes[i]);
    }
    free(scopes);
    return name;
}

/* Fills in what is at an address of the file. */
static void symbols_at(struct symbols *symbols, uint64_t address, struct call_frame *frame)
{
    int line = 0;
    GElf_Sym unused;
    Dwfl_Line *at = dwfl_module_getsrc(symbols->module, address);
    const char *file = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
    const char *name = file ? source_function(symbols, address) : NULL;
    GElf_Off offset = 0;
    const char *linked =
        dwfl_module_addrinfo(symbols->module, address, &offset, &unused, NULL, NULL, NULL);
    if (!name || (linked && strcmp(name, linked) == 0))
        frame->offset = offset;
    name = name ? name : linked;
    frame->function = name ? memory_text(name) : NULL;
    if (file && line > 0) {
        frame->file = memory_text(file);
        frame->line = (unsigned)line;
    }
}

static void symbols_close(struct symbols *symbols)
{
    if (!symbols)
        return;
    if (symbols->session)
        dwfl_end(symbols->session);
    free(symbols);
}

#else

extern char **environ;

struct symbols {
    FILE *to, *from; /* addr2line's input and output */
    pid_t process;
};

static bool start(struct symbols *symbols, const char *path)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    char *words[] = {"addr2line", "-f", "-e", (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool good = posix_spawnp(&symbols->process, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    symbols->to = fdopen(to[1], "w");
    symbols->from = fdopen(from[0], "r");
    return good;
}

static struct symbols *open_file(const char *path, char **error)
{
    struct symbols *symbols = memory_zeroed(1, sizeof *symbols);
    if (start(symbols, path))
        return symbols;
    *error = text_format("%s: its lines of source need addr2line, which is not there; install "
                         "binutils",
                         path);
    symbols->process = 0;
    symbols_close(symbols);
    return NULL;
}

/* One line of the answer; NULL: there is none. */
static char *take_line(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, file);
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    if (length > 0 && line[0] != '?')
        return line;
    free(line);
    return NULL;
}

static void symbols_at(struct symbols *symbols, uint64_t address, struct call_frame *frame)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool asked = fprintf(symbols->to, "0x%" PRIx64 "\n", address) > 0 && fflush(symbols->to) == 0;
    sigaction(SIGPIPE, &before, NULL);
    if (!asked)
        return;
    frame->function = take_line(symbols->from);
    frame->file = take_line(symbols->from);
    char *colon = frame->file ? strrchr(frame->file, ':') : NULL;
    frame->line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    if (colon)
        *colon = '\0';
    if (frame->line == 0) {
        free(frame->file);
        frame->file = NULL;
    }
}

static void symbols_close(struct symbols *symbols)
{
    if (!symbols)
        return;
    if (symbols->to)
        fclose(symbols->to);
    if (symbols->from)
        fclose(symbols->from);
    if (symbols->process)
        waitpid(symbols->process, NULL, 0);
    free(symbols);
}

#endif

/* ---- Looking up ---- */

/* Stands for symbols that cannot be had. */
#define NO_SYMBOLS ((struct symbols *)(void *)&no_symbols)
static char no_symbols;

/* The symbols of a module; NULL: they cannot be had, which is told once. */
static struct symbols *module_symbols(struct sites *sites, uint64_t module)
{
    struct symbols **symbols = memory_element(sites->symbols, module - 1, &sites->symbols_room);
    if (!*symbols) {
        const char *path = table_key(&sites->modules, module - 1);
        char *error;
        *symbols = symbols_open(path, path + strlen(path) + 1, &error);
        if (!*symbols) {
            *symbols = NO_SYMBOLS;
            char *text = text_format("%s; calls from there are shown as addresses", error);
            if (sites->tell)
                sites->tell(sites->context, text);
            free(text);
            free(error);
        }
    }
    return *symbols == NO_SYMBOLS ? NULL : *symbols;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Where a source is below the root: at the longest end of its path that exists there. */
static char *relocate(const char *root, char *file)
{
    for (const char *part = file; part; part = strchr(part, '/')) {
        part += *part == '/';
        char *path = text_format("%s/%s", root, part);
        if (access(path, R_OK) == 0) {
            free(file);
            return path;
        }
        free(path);
    }
    return file;
}

/* Names come from files, which may hold anything. */
static void make_printable(char **name)
{
    char *raw = *name;
    *name = raw ? text_printable(raw, false) : NULL;
    free(raw);
}

static struct call_frame look_up(struct sites *sites, const struct place_key *place)
{
    struct call_frame frame = {.address = place->address};
    struct symbols *symbols = place->module ? module_symbols(sites, place->module) : NULL;
    frame.module = memory_text(place->module ? table_key(&sites->modules, place->module - 1) : "");
    if (symbols)
        symbols_at(symbols, place->address - 1, &frame);
    if (frame.offset)
        frame.offset++;
    if (frame.file && sites->source_root)
        frame.file = relocate(sites->source_root, frame.file);
    make_printable(&frame.function);
    make_printable(&frame.file);
    return frame;
}

/* A source below the root is shown from there on, any other one by its name alone. */
static const char *shown_file(const struct sites *sites, const char *file)
{
    size_t length = sites->source_root ? strlen(sites->source_root) : 0;
    bool below = length > 0 && strncmp(file, sites->source_root, length) == 0;
    return below ? file + length + strspn(file + length, "/") : last_part(file);
}

static void append_frame(const struct sites *sites, struct text *text,
                         const struct call_frame *frame)
{
    if (frame->file)
        text_append(text, "%s (%s:%u)", frame->function ? frame->function : "?",
                    shown_file(sites, frame->file), frame->line);
    else if (frame->function && frame->offset)
        text_append(text, "%s+0x%" PRIx64, frame->function, frame->offset);
    else if (frame->function)
        text_append(text, "%s (%s+0x%" PRIx64 ")", frame->function, last_part(frame->module),
                    frame->address);
    else
        text_append(text, "%s%s0x%" PRIx64, last_part(frame->module), *frame->module ? "+" : "",
                    frame->address);
}

static void free_frame(struct call_frame *frame)
{
    free(frame->module);
    free(frame->function);
    free(frame->file);
}

/* What called main, which is the same in all programs. It follows a function that the compiler put
 * into main. */
static bool is_start(const struct call_frame *frame)
{
    return frame->function && strncmp(frame->function, "__libc_start_", 13) == 0;
}

/* Looks up frames, up to main. Returns how many they are. */
static size_t look_up_all(struct sites *sites, const struct place_key *places, size_t depth,
                          struct call_frame *frames)
{
    for (size_t i = 0; i < depth; i++) {
        struct place_key place;
        memcpy(&place, places + i, sizeof place);
        frames[i] = look_up(sites, &place);
        if (frames[i].function && strcmp(frames[i].function, "main") == 0)
            return i + 1;
        if (i == 0 || !is_start(&frames[i]))
            continue;
        /* A part of the start has no name if the C library has no debugging information. */
        do
            free_frame(&frames[i]);
        while (--i > 0 && !frames[i].function);
        return i + 1;
    }
    return depth;
}

static struct call_site *resolve(struct sites *sites, size_t number)
{
    size_t most = sites->table.entries[number].size / sizeof(struct place_key);
    struct call_frame *frames = memory_zeroed(most, sizeof *frames);
    struct text text = {0};
    size_t depth = look_up_all(sites, table_key(&sites->table, number), most, frames);
    for (size_t i = 0; i < depth; i++) {
        text_append(&text, i ? " < " : "");
        append_frame(sites, &text, &frames[i]);
    }
    struct call_site *site = memory_zeroed(1, sizeof *site);
    *site = (struct call_site){text_take(&text), number + 1, depth, frames};
    size_t before = sites->texts.count;
    size_t same = table_text(&sites->texts, site->text);
    size_t *first = memory_element(sites->same, same, &sites->same_room);
    if (same == before)
        *first = number + 1;
    site->same = *first;
    return site;
}

const struct call_site *sites_find(struct sites *sites, size_t site)
{
    static char text[] = "?";
    static const struct call_site unknown = {.text = text};
    if (site == 0 || site > sites->table.count)
        return &unknown;
    struct call_site **found = memory_element(sites->found, site - 1, &sites->found_room);
    if (!*found)
        *found = resolve(sites, site - 1);
    return *found;
}

const char *sites_text(struct sites *sites, size_t site)
{
    return sites_find(sites, site)->text;
}

void sites_free(struct sites *sites)
{
    for (size_t i = 0; i < sites->found_room; i++) {
        struct call_site *site = sites->found[i];
        if (!site)
            continue;
        for (size_t frame = 0; frame < site->depth; frame++)
            free_frame(&site->frames[frame]);
        free(site->frames);
        free(site->text);
        free(site);
    }
    for (size_t i = 0; i < sites->symbols_room; i++)
        if (sites->symbols[i] != NO_SYMBOLS)
            symbols_close(sites->symbols[i]);
    free(sites->found);
    free(sites->symbols);
    free(sites->same);
    table_free(&sites->texts);
    table_free(&sites->modules);
    table_free(&sites->table);
}
