/* Numbers call sites, and finds their functions and lines. */
#include "trace/read/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

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

/* ---- Looking up ---- */

/* Stands for symbols that cannot be had. */
#define NO_SYMBOLS ((struct symbols *)(void *)&no_symbols)
static char no_symbols;

/* The symbols of a module; NULL: they cannot be had, which is told once. */
static struct symbols *module_symbols(struct sites *sites, uint64_t module)
{
    memory_extend(sites->symbols, module - 1, &sites->symbols_room);
    struct symbols **symbols = &sites->symbols[module - 1];
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

static struct call_frame look_up(struct sites *sites, const struct place_key *place)
{
    if (!place->module)
        return (struct call_frame){.module = memory_text(""), .address = place->address};
    struct symbols *symbols = module_symbols(sites, place->module);
    struct symbol symbol = {0};
    if (symbols)
        symbol = symbols_at(symbols, place->address - 1);
    if (symbol.file && sites->source_root)
        symbol.file = relocate(sites->source_root, symbol.file);
    /* Names come from files, which may hold anything. */
    char *function = symbol.function ? text_printable(symbol.function, false) : NULL;
    char *file = symbol.file ? text_printable(symbol.file, false) : NULL;
    free(symbol.function);
    free(symbol.file);
    return (struct call_frame){.module = memory_text(table_key(&sites->modules, place->module - 1)),
                               .address = place->address,
                               .function = function,
                               .offset = symbol.offset ? symbol.offset + 1 : 0,
                               .file = file,
                               .line = symbol.line};
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

static struct call_site *resolve(struct sites *sites, size_t number)
{
    size_t depth = sites->table.entries[number].size / sizeof(struct place_key);
    struct call_frame *frames = memory_zeroed(depth, sizeof *frames);
    struct text text = {0};
    for (size_t i = 0; i < depth; i++) {
        struct place_key place;
        memcpy(&place, (const struct place_key *)table_key(&sites->table, number) + i,
               sizeof place);
        frames[i] = look_up(sites, &place);
        if (i > 0 && is_start(&frames[i])) {
            free_frame(&frames[i]);
            depth = i;
            break;
        }
        text_append(&text, i ? " < " : "");
        append_frame(sites, &text, &frames[i]);
        if (frames[i].function && strcmp(frames[i].function, "main") == 0)
            depth = i + 1;
    }
    struct call_site *site = memory_zeroed(1, sizeof *site);
    *site = (struct call_site){text_take(&text), number + 1, depth, frames};
    size_t before = sites->texts.count;
    size_t same = table_number(&sites->texts, site->text, strlen(site->text) + 1);
    memory_extend(sites->same, same, &sites->same_room);
    if (same == before)
        sites->same[same] = number + 1;
    site->same = sites->same[same];
    return site;
}

const struct call_site *sites_find(struct sites *sites, size_t site)
{
    static char text[] = "?";
    static const struct call_site unknown = {.text = text};
    if (site == 0 || site > sites->table.count)
        return &unknown;
    memory_extend(sites->found, site - 1, &sites->found_room);
    struct call_site **found = &sites->found[site - 1];
    if (!*found)
        *found = resolve(sites, site - 1);
    return *found;
}

const char *sites_text(struct sites *sites, size_t site)
{
    return sites_find(sites, site)->text;
}

static void free_site(struct call_site *site)
{
    for (size_t i = 0; site && i < site->depth; i++)
        free_frame(&site->frames[i]);
    if (site) {
        free(site->frames);
        free(site->text);
    }
    free(site);
}

void sites_free(struct sites *sites)
{
    for (size_t i = 0; i < sites->found_room; i++)
        free_site(sites->found[i]);
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
