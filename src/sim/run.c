/* Opens the files of a trace, and refuses those that cannot be replayed. */
#include "sim/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/read/pack.h"

#define MOST_PES (1 << 20)

/* ---- Programs ---- */

static bool same_routines(const struct program *program, const struct trace_file *file)
{
    size_t count = trace_info(file)->routines;
    if (program->count != count || program->format != trace_info(file)->format)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct trace_routine *a = &program->routines[i],
                                   *b = trace_routine(file, (uint32_t)i);
        if (a->class != b->class || a->type != b->type || a->element_bytes != b->element_bytes ||
            a->fields != b->fields || strcmp(a->name, b->name) != 0)
            return false;
    }
    return true;
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
    if (count > run->most_routines)
        run->most_routines = count;
    run->programs =
        memory_resize_array(run->programs, run->program_count + 1, sizeof *run->programs);
    run->programs[run->program_count] = program;
    return run->program_count++;
}

/* ---- What is refused ---- */

/* NULL, or why the file cannot be replayed. */
static char *refusal(const char *path, const struct trace_info *info)
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
    return NULL;
}

static void allocate(struct run *run, int pes)
{
    size_t n = (size_t)pes;
    run->pes = pes;
    run->paths = memory_zeroed(n, sizeof *run->paths);
    run->threads = memory_zeroed(n, sizeof *run->threads);
    run->programs_of = memory_zeroed(n, sizeof *run->programs_of);
    run->ps_per_tick = memory_zeroed(n, sizeof *run->ps_per_tick);
    run->cost_ps = memory_zeroed(n, sizeof *run->cost_ps);
    run->events = memory_zeroed(n, sizeof *run->events);
    run->blocks = memory_zeroed(n, sizeof *run->blocks);
    sets_active(&run->reader.sets, 0, 1, pes);
}

/* NULL, or why. Takes the path over. */
static char *add_file(struct run *run, char *path, size_t files, bool *damaged)
{
    char *error = NULL;
    struct trace_file *file = trace_open(path, &error);
    if (!file) {
        *damaged = true;
        free(path);
        return error;
    }
    const struct trace_info *info = trace_info(file);
    if (run->pes == 0 && info->pes <= MOST_PES && (size_t)info->pes == files)
        allocate(run, info->pes);
    error = refusal(path, info);
    if (!error && info->pes > MOST_PES)
        error = text_format("%s: belongs to a run of %d PEs, but this program replays at most %d",
                            path, info->pes, MOST_PES);
    else if (!error && (size_t)info->pes != files)
        error = text_format("%s: belongs to a run of %d PEs, but there are files of %zu; give all "
                            "of one run",
                            path, info->pes, files);
    else if (!error && run->paths[info->pe])
        error = text_format("%s: PE %d is in %s, too; give all files of one run", path, info->pe,
                            run->paths[info->pe]);
    if (error) {
        trace_close(file);
        free(path);
        return error;
    }
    int pe = info->pe;
    if (!run->command)
        run->command = memory_text(info->command);
    run->paths[pe] = path;
    run->ps_per_tick[pe] = PS_PER_SECOND / info->ticks_per_second;
    run->cost_ps[pe] = PS_PER_SECOND * info->cost_between;
    run->events[pe] = info->events;
    run->blocks[pe] = trace_blocks(file);
    run->threads[pe] = info->threads > 1 ? info->threads : 1;
    run->programs_of[pe] = (uint16_t)program_of(run, file);
    if (run->program_count > UINT16_MAX)
        return text_format("the files have more than %d tables of routines", UINT16_MAX);
    return NULL;
}

/* NULL, or why not. */
static char *number_lines(struct run *run)
{
    int64_t lines = run->pes;
    for (int pe = 0; pe < run->pes; pe++)
        lines += run->threads[pe] - 1;
    if (lines > MOST_PES)
        return text_format("%s: belongs to a run of %" PRId64
                           " threads, but this program replays at "
                           "most %d",
                           run->paths[0], lines, MOST_PES);
    run->lines = (int)lines;
    if (run->lines == run->pes)
        return NULL;
    run->further = memory_zeroed((size_t)run->pes + 1, sizeof *run->further);
    run->pe_of = memory_zeroed((size_t)(run->lines - run->pes), sizeof *run->pe_of);
    uint32_t line = (uint32_t)run->pes;
    for (int pe = 0; pe < run->pes; pe++) {
        run->further[pe] = line;
        for (int thread = 1; thread < run->threads[pe]; thread++)
            run->pe_of[line++ - (uint32_t)run->pes] = (uint32_t)pe;
    }
    run->further[run->pes] = line;
    return NULL;
}

bool run_open(struct run *run, char *const *paths, size_t count, char **error, bool *damaged)
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
    for (size_t i = 0; i < file_count; i++)
        if (*error)
            free(files[i]);
        else
            *error = add_file(run, files[i], file_count, damaged);
    free(files);
    if (!*error)
        *error = number_lines(run);
    if (!*error)
        return true;
    run_close(run);
    return false;
}

void run_close(struct run *run)
{
    for (int i = 0; i < run->pes; i++) {
        free(run->paths[i]);
        if (run->sources && run->sources[i]) {
            free(run->sources[i]->teams.teams);
            free(run->sources[i]);
        }
    }
    for (size_t i = 0; i < run->program_count; i++) {
        trace_close(run->programs[i].file);
        free(run->programs[i].kinds);
    }
    free(run->paths);
    free(run->threads);
    free(run->further);
    free(run->pe_of);
    free(run->programs_of);
    free(run->ps_per_tick);
    free(run->cost_ps);
    free(run->events);
    free(run->blocks);
    free(run->programs);
    free(run->sources);
    free(run->command);
    table_free(&run->names);
    sets_free(&run->reader.sets);
}

/* ---- Sets ---- */

static struct source *source_of(struct run *run, int pe)
{
    static const struct reader_command command = {.name = "sim"};
    if (!run->sources)
        run->sources = memory_zeroed((size_t)run->pes, sizeof *run->sources);
    run->reader.command = &command;
    if (!run->sources[pe]) {
        run->sources[pe] = memory_zeroed(1, sizeof **run->sources);
        *run->sources[pe] =
            (struct source){.reader = &run->reader, .path = run->paths[pe], .damaged = true};
    }
    return run->sources[pe];
}

/* Teams are read from the PE's own file, once, when its first call that may be of one comes. */
int64_t run_set(struct run *run, int pe, const struct trace_event *event)
{
    struct source *source = source_of(run, pe);
    bool told = true; /* damage is refused when events are read */
    struct trace_info info = {.pe = pe, .pes = run->pes};
    struct trace_file *own = NULL;
    struct set_call call;
    char *error = NULL;
    /* Without teams in sight, the table of routines, which all its PEs share, is enough. */
    bool active = event->values[TRACE_SET_STRIDE] > 0 &&
                  trace_routine(run_program(run, pe)->file, event->routine)->class != TRACE_CONTEXT;
    if (!active && !source->teams.read) {
        own = trace_open(run->paths[pe], &error);
        free(error);
        if (!own)
            return -1;
    }
    run->reader.told = &told;
    source->file = own ? own : run_program(run, pe)->file;
    source->info = &info;
    enum set_kind kind = source_set(source, event, &call);
    source->file = NULL;
    source->info = NULL;
    trace_close(own);
    if (kind == SET_UNKNOWN)
        return -1;
    return kind == SET_KNOWN && call.member >= 0 ? (int64_t)call.set : -2;
}
