/* Writes the load map into the file. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "trace/runtime/tracer.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "trace/build_id.h"

#define KNOWN_MOST 1024 /* modules; further ones are written each time */
#define PATH_MOST 1024  /* bytes; a module with a longer path has none */
#define RECORD_MOST_BYTES (PATH_MOST + sizeof(struct build_id) + 6 * NUMBER_MOST_BYTES)

struct module {
    struct module *next;
    struct build_id id;
    uintptr_t bias, begin, end;
    char path[];
};

/* Of each module that the file has: by this, and where it begins, it is known again. */
static struct known_module {
    uintptr_t begin;
    uint32_t sum; /* of path and build id */
} known[KNOWN_MOST];
static size_t known_count;

static bool note_known(const struct module *module)
{
    uint32_t sum = hash_crc32c(hash_crc32c(0, module->path, strlen(module->path)), &module->id,
                               strlen(module->id.text));
    for (size_t i = 0; i < known_count; i++)
        if (known[i].begin == module->begin && known[i].sum == sum)
            return true;
    if (known_count < KNOWN_MOST)
        known[known_count++] = (struct known_module){module->begin, sum};
    return false;
}

/* The program has no name there. */
static size_t find_path(const struct dl_phdr_info *info, char path[PATH_MOST])
{
    if (*info->dlpi_name) {
        size_t length = strlen(info->dlpi_name);
        length = length < PATH_MOST ? length : 0;
        memcpy(path, info->dlpi_name, length);
        return length;
    }
    ssize_t length = readlink("/proc/self/exe", path, PATH_MOST);
    return length > 0 && length < PATH_MOST ? (size_t)length : 0;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct module **last = context, *module;
    char path[PATH_MOST];
    size_t length = find_path(info, path);
    (void)size;
    module = calloc(1, sizeof *module + length + 1);
    if (!module)
        return 1;
    memcpy(module->path, path, length);
    module->bias = info->dlpi_addr;
    module->begin = UINTPTR_MAX;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_NOTE)
            build_id_take(&module->id, (const void *)begin, segment->p_memsz, segment->p_align);
        if (segment->p_type != PT_LOAD)
            continue;
        module->begin = begin < module->begin ? begin : module->begin;
        module->end = end > module->end ? end : module->end;
    }
    module->next = *last;
    *last = module;
    return 0;
}

/* How often objects were loaded. */
static int take_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

static void write_module(struct file_records *records, const struct module *module)
{
    struct output *output = file_next_record(records, RECORD_MOST_BYTES, 0);
    give_text(output, module->path);
    give_text(output, module->id.text);
    give_number(output, module->bias);
    give_number(output, module->begin);
    give_number(output, module->end - module->begin);
}

static void write_modules(struct file_records *records, const void *modules)
{
    for (const struct module *module = modules; module; module = module->next)
        if (module->begin < module->end && !note_known(module))
            write_module(records, module);
}

void modules_write(void)
{
    static _Atomic unsigned long long written;
    unsigned long long loads = 0;
    dl_iterate_phdr(take_loads, &loads);
    if (atomic_exchange(&written, loads) == loads)
        return;
    struct module *modules = NULL;
    dl_iterate_phdr(add_module, &modules);
    file_append(BLOCK_MODULES, 0, write_modules, modules);
    while (modules) {
        struct module *next = modules->next;
        free(modules);
        modules = next;
    }
}
