/* Opens the files of a trace, and refuses those that cannot be replayed. */
#include "sim/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/read/files.h"
#include "trace/read/pack.h"

#define MOST_PES (1 << 20)

/* ---- Programs ---- */

static bool same_routines(const struct program *program, const struct trace_file *file)
{
    size_t count = trace_info(file)->routines;
    bool same = program->count == count && program->format == trace_info(file)->format;
    for (size_t i = 0; i < count && same; i++) {
        const struct trace_routine *a = &program->routines[i],
                                   *b = trace_routine(file, (uint32_t)i);
        same = a->class == b->class && a->type == b->type && a->element_bytes == b->element_bytes &&
               a->fields == b->fields && strcmp(a->name, b->name) == 0;
    }
    return same;
}

/* The program of a file, which is closed if another one has it already. */
static size_t program_of(struct run *run, struct trace_file *file)
{
    for (size_t i = 0; i < run->program_count; i++)
        if (same_routines(&run->programs[i], file)) {
            trace_close(file);
            return i;
        }
    size_t count = trace_info(file)->routines;
    struct program program = {.file = file,
                              .routines = trace_routine(file, 0),
                              .count = count,
                              .format = trace_info(file)->format};
    program.kinds = memory_zeroed(count, sizeof *program.kinds);
    routine_kinds(program.routines, count, program.format, &run->names, program.kinds);
    run->most_routines = count > run->most_routines ? count : run->most_routines;
    memory_append(run->programs, run->program_count, program);
    return run->program_count - 1;
}

/* ---- What is refused ---- */

/* NULL, or why the file, of so many, cannot be replayed, or does not belong to the run. */
static char *refusal(const struct run *run, const char *path, const struct trace_info *info,
                     size_t files)
{
    if (info->profile)
        return text_format("%s: holds sums, no events; record without --summary", path);
    if (!info->complete)
        return text_format("%s: does not say how the program ended: it still runs, or was killed; "
                           "record a run that ends",
                           path);
    if (info->lost > 0)
        return text_format("%s: %" PRIu64 " events were lost (--limit reached, or no room); record "
                           "with --limit none, on a disk with room",
                           path, info->lost);
    if (info->dropped > 0)
        return text_format("%s: %" PRIu64 " events were overwritten; record without --ring", path,
                           info->dropped);
    if (info->selection[0])
        return text_format("%s: was recorded with %s, so calls may be missing; record without it",
                           path, info->selection);
    if (strcmp(info->end, "finalize") != 0 && strcmp(info->end, "exit") != 0 &&
        strcmp(info->end, "global_exit") != 0)
        return text_format("%s: the program was ended by %s; record a run that ends by itself",
                           path, info->end);
    if (info->pes > MOST_PES)
        return text_format("%s: belongs to a run of %d PEs, but this program replays at most %d",
                           path, info->pes, MOST_PES);
    if ((size_t)info->pes != files)
        return text_format("%s: belongs to a run of %d PEs, but there are files of %zu; give all "
                           "of one run",
                           path, info->pes, files);
    if (run->files && run->files[info->pe].path)
        return text_format("%s: PE %d is in %s, too; give all files of one run", path, info->pe,
                           sim_run_path(run, info->pe));
    return NULL;
}

/* NULL, or why. */
static char *add_file(struct run *run, const char *path, size_t files, bool *damaged)
{
    char *error = NULL;
    struct trace_file *file = trace_open(path, &error);
    const struct trace_info *info = file ? trace_info(file) : NULL;
    *damaged = !file;
    if (file)
        error = refusal(run, path, info, files);
    if (error) {
        trace_close(file);
        return error;
    }
    if (run->pes == 0) {
        run->pes = info->pes;
        run->files = memory_zeroed(files, sizeof *run->files);
        run->command = memory_text(info->command);
        sets_active(&run->reader.sets, 0, 1, run->pes);
    }
    struct run_file *of = &run->files[info->pe];
    *of = (struct run_file){.path = memory_text(path),
                            .ps_per_tick = PS_PER_SECOND / info->ticks_per_second,
                            .cost_ps = PS_PER_SECOND * info->cost_between,
                            .events = info->events,
                            .blocks = trace_blocks(file),
                            .extra_threads = info->threads > 1 ? (uint32_t)info->threads - 1 : 0};
    of->program = program_of(run, file);
    return NULL;
}

/* NULL, or why threads cannot be numbered. */
static char *number_threads(struct run *run)
{
    uint64_t threads = (uint64_t)run->pes;
    for (int pe = 0; pe < run->pes; pe++)
        threads += run->files[pe].extra_threads;
    if (threads > MOST_PES)
        return text_format("%s: belongs to a run of %" PRIu64
                           " threads, but this program replays at "
                           "most %d",
                           sim_run_path(run, 0), threads, MOST_PES);
    run->thread_count = (int)threads;
    if (run->thread_count == run->pes)
        return NULL;
    run->first_extra = memory_zeroed((size_t)run->pes + 1, sizeof *run->first_extra);
    run->extra_pe = memory_zeroed((size_t)(run->thread_count - run->pes), sizeof *run->extra_pe);
    uint32_t next = run->first_extra[0] = (uint32_t)run->pes;
    for (int pe = 0; pe < run->pes; pe++) {
        for (uint32_t i = 0; i < run->files[pe].extra_threads; i++)
            run->extra_pe[next++ - (uint32_t)run->pes] = (uint32_t)pe;
        run->first_extra[pe + 1] = next;
    }
    return NULL;
}

bool sim_run_open(struct run *run, char *const *paths, size_t count, char **error, bool *damaged)
{
    char **files = NULL;
    size_t file_count = 0;
    *run = (struct run){0};
    *error = NULL;
    *damaged = false;
    for (size_t i = 0; i < count && !*error; i++) {
        char **some;
        long found = trace_files(paths[i], &some, error);
        *damaged = found == TRACE_DAMAGED;
        if (found < 0)
            break;
        files = memory_resize_array(files, file_count + (size_t)found, sizeof *files);
        memcpy(files + file_count, some, (size_t)found * sizeof *files);
        file_count += (size_t)found;
        free(some);
    }
    for (size_t i = 0; i < file_count && !*error; i++)
        *error = add_file(run, files[i], file_count, damaged);
    trace_files_free(files, (long)file_count);
    if (!*error)
        *error = number_threads(run);
    if (!*error)
        return true;
    sim_run_close(run);
    return false;
}

void sim_run_close(struct run *run)
{
    for (int i = 0; i < run->pes; i++) {
        free(run->teams ? run->teams[i].teams : NULL);
        free(run->files[i].path);
    }
    for (size_t i = 0; i < run->program_count; i++) {
        trace_close(run->programs[i].file);
        free(run->programs[i].kinds);
    }
    free(run->files);
    free(run->first_extra);
    free(run->extra_pe);
    free(run->programs);
    free(run->teams);
    free(run->command);
    table_free(&run->names);
    sets_free(&run->reader.sets);
}

/* ---- Sets ---- */

/* Teams are read once from the PE's own file, when the first call that may be of one comes. */
int64_t sim_run_set(struct run *run, int pe, const struct trace_event *event)
{
    static const struct reader_command command = {.name = "sim"};
    bool told = true; /* damage is refused when events are read */
    struct trace_info info = {.pe = pe, .pes = run->pes};
    struct trace_file *file = sim_run_program(run, pe)->file, *own = NULL;
    struct set_call call;
    struct source source = {.reader = &run->reader,
                            .path = sim_run_path(run, pe),
                            .file = file,
                            .info = &info,
                            .damaged = true};
    if (run->teams)
        source.teams = run->teams[pe];
    /* Without teams in sight, the table of routines, which all its PEs share, is enough. */
    if (!source.teams.read && (event->values[TRACE_SET_STRIDE] <= 0 ||
                               trace_routine(file, event->routine)->class == TRACE_CONTEXT)) {
        char *error = NULL;
        source.file = own = trace_open(sim_run_path(run, pe), &error);
        free(error);
        if (!own)
            return -1;
    }
    run->reader.command = &command;
    run->reader.told = &told;
    enum set_kind kind = trace_source_set(&source, event, &call);
    trace_close(own);
    if (source.teams.read) {
        if (!run->teams)
            run->teams = memory_zeroed((size_t)run->pes, sizeof *run->teams);
        run->teams[pe] = source.teams;
    }
    if (kind == SET_UNKNOWN)
        return -1;
    return kind == SET_KNOWN && call.member >= 0 ? (int64_t)call.set : -2;
}
