/* Looks up functions and lines of source. */
#define _GNU_SOURCE /* pipe2 */
#include "trace/read/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/build_id.h"

/* Opens what looks symbols up in a file that exists and is the right one; NULL: cannot. */
static struct symbols *open_file(const char *path, char **error);

struct symbols *symbols_open(const char *path, const char *build_id, char **error)
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

#include <dwarf.h>
#include <elfutils/libdwfl.h>

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

struct symbol symbols_at(struct symbols *symbols, uint64_t address)
{
    struct symbol symbol = {0};
    int line = 0;
    GElf_Sym unused;
    Dwfl_Line *at = dwfl_module_getsrc(symbols->module, address);
    const char *file = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
    const char *name = file ? source_function(symbols, address) : NULL;
    GElf_Off offset = 0;
    const char *linked =
        dwfl_module_addrinfo(symbols->module, address, &offset, &unused, NULL, NULL, NULL);
    if (!name || (linked && strcmp(name, linked) == 0))
        symbol.offset = offset;
    name = name ? name : linked;
    symbol.function = name ? memory_text(name) : NULL;
    if (file && line > 0) {
        symbol.file = memory_text(file);
        symbol.line = (unsigned)line;
    }
    return symbol;
}

void symbols_close(struct symbols *symbols)
{
    if (!symbols)
        return;
    if (symbols->session)
        dwfl_end(symbols->session);
    free(symbols);
}

#else

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

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

struct symbol symbols_at(struct symbols *symbols, uint64_t address)
{
    struct symbol symbol = {0};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool asked = fprintf(symbols->to, "0x%" PRIx64 "\n", address) > 0 && fflush(symbols->to) == 0;
    sigaction(SIGPIPE, &before, NULL);
    if (!asked)
        return symbol;
    symbol.function = take_line(symbols->from);
    symbol.file = take_line(symbols->from);
    char *colon = symbol.file ? strrchr(symbol.file, ':') : NULL;
    symbol.line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    if (colon)
        *colon = '\0';
    if (symbol.line == 0) {
        free(symbol.file);
        symbol.file = NULL;
    }
    return symbol;
}

void symbols_close(struct symbols *symbols)
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
