/* Options, filters, output and sources of the commands that read traces. */
#define _GNU_SOURCE
#include "trace/read/reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kind.h"
#include "base/manual.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "trace/read/files.h"
#include "trace/read/pack.h"

#define MOST_PES (1 << 24) /* readers keep something for each */

static const struct manual_option
    help_option = MANUAL_HELP,
    output_option = MANUAL_OUTPUT, force_option = MANUAL_FORCE,
    root_option = {.name = "source-root",
                   .value = "DIR",
                   .help = "sources are below DIR now; they are named from there on"};
static const struct manual_option filters[] = {
    {.name = "pe", .value = "LIST", .help = "only these PEs, such as 0,4-7"},
    {.name = "thread", .value = "LIST", .help = "only these threads of each PE"},
    {.name = "only",
     .value = "LIST",
     .help = "only these classes or routines, such as put,shmem_ctx_*"},
};
static const struct manual_option window[] = {
    {.name = "from",
     .value = "SECONDS",
     .help = "only what happens from then on, in seconds as dump shows"},
    {.name = "to", .value = "SECONDS", .help = "only what happens until then"},
};

static void tell(const struct reader *reader, const char *format, va_list arguments)
{
    char *program = text_format("shmemtrace %s", reader->command->name);
    terminal_line(program, format, arguments);
    free(program);
}

void reader_say(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(reader, format, arguments);
    va_end(arguments);
}

void reader_fail(const struct reader *reader, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(reader, format, arguments);
    va_end(arguments);
    exit(status);
}

static void tell_of_sites(void *reader, const char *text)
{
    reader_say(reader, "%s", text);
}

/* ---- Options ---- */

size_t reader_options(const struct reader_command *command, struct manual_option *options)
{
    size_t count = 0;
    for (size_t i = 0; command->filters && i < sizeof filters / sizeof *filters; i++)
        options[count++] = filters[i];
    for (size_t i = 0; command->window && i < sizeof window / sizeof *window; i++)
        options[count++] = window[i];
    for (const struct manual_option *own = command->options; own && own->name; own++)
        options[count++] = *own;
    if (command->run)
        options[count++] = root_option;
    if (command->output)
        options[count++] = output_option;
    if (command->output || command->creates)
        options[count++] = force_option;
    options[count++] = help_option;
    return count;
}

static void reader_help(const struct reader_command *command)
{
    terminal_fold_begin(false);
    struct manual_option options[READER_OPTIONS];
    size_t count = reader_options(command, options);
    printf("Usage: shmemtrace %s [OPTION]... [TRACE]\n\n%s\n"
           "TRACE: a folder, or the file of one PE in it; %s if none is given.\n\n",
           command->name, command->summary, TRACE_DEFAULT_PATH);
    manual_help(options, count);
    printf(
        "\n%sExit status: 0 all well; 1 damaged trace%s, failed write; 2 wrong usage, no trace.\n",
        command->notes ? command->notes : "", command->findings ? ", findings" : "");
    terminal_fold_end();
}

/* Takes a list such as 0,4-7. Returns the number of ranges. */
static size_t parse_ranges(const struct reader *reader, const char *option, const char *text,
                           struct trace_range **ranges)
{
    size_t count = 0;
    const char *rest = text;
    do {
        *ranges = memory_resize_array(*ranges, count + 1, sizeof **ranges);
        if (!trace_list_range(&rest, &(*ranges)[count++]))
            reader_fail(reader, 2, "--%s %s: give numbers and ranges, such as 0,4-7", option, text);
    } while (*rest);
    return count;
}

bool reader_wants_thread(const struct reader *reader, long thread)
{
    return trace_ranges_hold(reader->threads, reader->thread_ranges, thread);
}

const char *reader_given(const struct reader *reader, const char *option)
{
    for (size_t i = 0; i < READER_OPTIONS && reader->options[i].name; i++)
        if (strcmp(reader->options[i].name, option) == 0)
            return reader->given[i];
    return NULL;
}

static void take_option(void *context, size_t row, const char *value)
{
    struct reader *reader = context;
    if (value && value[0] == '-' && value[1]) /* "-" is standard output */
        reader_fail(reader, 2, "option --%s needs a value", reader->options[row].name);
    reader->given[row] = value ? value : "";
}

static void parse_options(struct reader *reader, int argc, char **argv)
{
    size_t count = reader_options(reader->command, reader->options);
    char *error, *help = text_format("shmemtrace %s -h", reader->command->name);
    int first = manual_parse_command_line(reader->options, count, help, argc, argv, take_option,
                                          reader, &error);
    if (error)
        reader_fail(reader, 2, "%s", error);
    free(help);
    if (reader_given(reader, "help")) {
        reader_help(reader->command);
        reader_close_written(reader, stdout, "standard output");
        exit(0);
    }
    const char *text = reader_given(reader, "pe");
    if (text)
        reader->pe_ranges = parse_ranges(reader, "pe", text, &reader->pes);
    if ((text = reader_given(reader, "thread")))
        reader->thread_ranges = parse_ranges(reader, "thread", text, &reader->threads);
    reader->sites = (struct sites){.source_root = reader_given(reader, "source-root"),
                                   .tell = tell_of_sites,
                                   .context = reader};
    reader->only = reader_given(reader, "only");
    if (reader->only && !trace_list_is_valid(reader->only))
        reader_fail(reader, 2, "--only %s: give classes or routines, with commas between them",
                    reader->only);
    if (argc - first > 1)
        reader_fail(reader, 2, "%s: one trace at a time", argv[first + 1]);
    reader->path = argc > first ? argv[first] : TRACE_DEFAULT_PATH;
}

/* Takes seconds; returns `otherwise` if the option is not given. */
static double parse_seconds(const struct reader *reader, const char *option, double otherwise)
{
    const char *text = reader_given(reader, option);
    char *end;
    if (!text)
        return otherwise;
    double seconds = strtod(text, &end);
    if (!(isdigit((unsigned char)*text) || *text == '.') || *end || !isfinite(seconds))
        reader_fail(reader, 2, "--%s %s: give seconds, such as 0.25, as dump shows them", option,
                    text);
    return seconds;
}

void reader_window(struct reader *reader)
{
    reader->from = parse_seconds(reader, "from", -INFINITY);
    reader->to = parse_seconds(reader, "to", INFINITY);
    reader->windowed = isfinite(reader->from) || isfinite(reader->to);
    if (reader->to < reader->from)
        reader_fail(reader, 2, "--from %s --to %s: ends before it begins",
                    reader_given(reader, "from"), reader_given(reader, "to"));
}

bool reader_wants_run(const struct reader *reader)
{
    return reader->count > 1 || !reader->files[0] || strcmp(reader->files[0], reader->path) != 0;
}

/* Says what the trace lacks, whichever part of it is shown. A file is missing if its PE could not
 * be traced. */
static void say_incomplete(const struct reader *reader)
{
    if (reader->lost)
        reader_say(reader, "incomplete: %" PRIu64 " events of %zu PE%s are lost", reader->lost,
                   reader->lossy, numbers_plural(reader->lossy));
    if (reader->endless)
        reader_say(reader,
                   "incomplete: %zu PE%s: the program still runs, was killed, or could not be "
                   "recorded to its end",
                   reader->endless, numbers_plural(reader->endless));
    if (reader_wants_run(reader) && (size_t)reader->pes_of_run > reader->count)
        reader_say(reader, "incomplete: there are files of %zu of %d PEs", reader->count,
                   reader->pes_of_run);
}

void reader_tell_gaps(const struct reader *reader, uint64_t pointers, size_t start_alone)
{
    if (pointers > 0)
        fprintf(reader->out,
                "%" PRIu64 " call%s of shmem_ptr gave pointers to memory of other PEs: what moved "
                "through them is not in the trace\n",
                pointers, numbers_plural(pointers));
    if (start_alone > 0)
        fprintf(reader->out,
                "%zu PE%s ended without shmem_finalize: clocks were synchronized at the start "
                "alone\n",
                start_alone, numbers_plural(start_alone));
}

/* Ends the program if there is nothing to read of what is asked for. */
static void check_input(struct reader *reader)
{
    for (size_t i = 0; i < reader->count && !(reader->chosen && reader->thread_chosen); i++)
        trace_source_close(reader_source(reader, i));
    reader_status(reader);
}

int reader_main(const struct reader_command *command, int argc, char **argv)
{
    struct reader reader = {.command = command, .out = stdout, .out_name = "standard output"};
    parse_options(&reader, argc, argv);
    char *error = NULL;
    long count = trace_files(reader.path, &reader.files, &error);
    if (count < 0)
        reader_fail(&reader, 2, "%s", error);
    reader.count = (size_t)count;
    reader.told = memory_zeroed(reader.count, sizeof *reader.told);
    reader.seen = memory_zeroed(reader.count, sizeof *reader.seen);
    if (command->findings)
        signal(SIGPIPE, SIG_IGN); /* the status counts, even if nobody reads the output */
    if (command->window)
        reader_window(&reader);
    if (command->output || command->creates)
        check_input(&reader);
    int status = command->run(&reader);
    if (!command->findings && !reader.status) /* else the damage was reported */
        say_incomplete(&reader);
    reader_close_written(&reader, reader.out, reader.out_name);
    if (reader.out != stdout)
        reader_close_written(&reader, stdout, "standard output");
    trace_files_free(reader.files, count);
    free(reader.told);
    free(reader.seen);
    free(reader.has_pe);
    table_free(&reader.routines);
    trace_close(reader.first);
    sets_free(&reader.sets);
    sites_free(&reader.sites);
    free(reader.pes);
    free(reader.threads);
    return status;
}

/* ---- Files written ---- */

void reader_open_output(struct reader *reader)
{
    const char *output = reader_given(reader, "output");
    if (!output)
        return;
    reader->out = reader_create(reader, output);
    if (reader->out != stdout)
        reader->out_name = output;
}

/* The name of an output until it is complete, so that a page or a table is never half there. NULL:
 * its own, since it is a device or a link. The caller frees it. */
static char *unfinished_name(const char *path)
{
    struct stat there;
    bool plain = lstat(path, &there) != 0 || S_ISREG(there.st_mode);
    return plain ? text_format("%s.unfinished", path) : NULL;
}

static void write_failed(const struct reader *reader, FILE *file, const char *path)
{
    int error = errno;
    char *unfinished = file == stdout ? NULL : unfinished_name(path);
    if (unfinished)
        unlink(unfinished);
    free(unfinished);
    errno = error;
    /* The reader of the pipe has seen enough. A command with findings goes on, for its status. */
    if (errno == EPIPE && reader->command->findings && freopen("/dev/null", "w", reader->out))
        return;
    if (errno == EPIPE)
        exit(128 + SIGPIPE);
    reader_fail(reader, 1, "%s: cannot be written: %s", path, strerror(errno));
}

FILE *reader_create(const struct reader *reader, const char *path)
{
    struct stat output;
    if (strcmp(path, "-") == 0)
        return stdout;
    for (size_t i = 0; stat(path, &output) == 0 && i < reader->count; i++)
        if (reader->files[i] && trace_is_in(reader->files[i], &output))
            reader_fail(reader, 2, "%s: is a file of the trace itself; name another one", path);
    char *replaced,
        *refused = kind_refuse_replacing(path, reader_given(reader, "force") != NULL, &replaced);
    if (refused)
        reader_fail(reader, 2, "%s", refused);
    free(replaced);
    char *unfinished = unfinished_name(path);
    FILE *file = unfinished ? fopen(unfinished, "w") : NULL;
    if (!file) /* perhaps a file that may be written, in a folder that may not */
        file = fopen(path, "w");
    if (!file)
        reader_fail(reader, 2, "%s: cannot be written: %s", path, strerror(errno));
    free(unfinished);
    return file;
}

void reader_check_written(const struct reader *reader, FILE *file, const char *path)
{
    if (ferror(file))
        write_failed(reader, file, path);
}

void reader_close_written(const struct reader *reader, FILE *file, const char *path)
{
    if (fflush(file) || ferror(file) || (file != stdout && fclose(file)))
        write_failed(reader, file, path);
    if (file == stdout)
        return;
    char *unfinished = unfinished_name(path), *replaced;
    free(kind_refuse_replacing(path, true, &replaced));
    if (unfinished && rename(unfinished, path) != 0 && errno != ENOENT)
        write_failed(reader, file, path);
    if (replaced)
        reader_say(reader, "%s", replaced);
    free(replaced);
    free(unfinished);
}

/* ---- Files read ---- */

/* Whether each word of --only names something that the library of the first file has. */
static void check_only(const struct reader *reader, const struct trace_file *file)
{
    char word[TRACE_WORD_BYTES];
    if (trace_list_unknown(reader->only, trace_routine(file, 0), trace_info(file)->routines, word))
        reader_fail(reader, 2,
                    "--only: there is no class or routine %s in this trace; " TRACE_LIST_HELP,
                    word);
}

static void note_losses(struct reader *reader, size_t index, const struct trace_info *info)
{
    if (reader->seen[index])
        return;
    reader->seen[index] = true;
    reader->lost += info->lost;
    reader->lossy += info->lost > 0;
    reader->endless += !info->complete;
    if (info->pes > reader->pes_of_run)
        reader->pes_of_run = info->pes;
}

/* NULL: it cannot be read, which is reported once. */
static struct trace_file *open_file(struct reader *reader, size_t index)
{
    char *error = NULL, **path = &reader->files[index];
    struct trace_file *file = *path ? trace_open(*path, &error) : NULL;
    if (file && trace_info(file)->pes > MOST_PES) {
        error = text_format("%s: belongs to a run of %d PEs, but this program reads at most %d",
                            *path, trace_info(file)->pes, MOST_PES);
        trace_close(file);
        file = NULL;
    }
    if (file || !*path)
        return file;
    reader_say(reader, "%s", error);
    free(error);
    free(*path);
    *path = NULL;
    reader->status = 1;
    return NULL;
}

/* What other tools read must have each PE once. */
static void note_pe(struct reader *reader, const char *path, const struct trace_info *info)
{
    int pes = reader->run->pes;
    if (!reader->has_pe)
        reader->has_pe = memory_zeroed((size_t)pes, sizeof *reader->has_pe);
    bool fits = info->pes == pes && !reader->has_pe[info->pe];
    if (!fits && reader->command->creates)
        reader_fail(reader, 1, "%s: a second PE %d, or one of another run", path, info->pe);
    if (fits)
        reader->has_pe[info->pe] = true;
}

static void close_file(const struct reader *reader, struct trace_file *file)
{
    if (file != reader->first)
        trace_close(file);
}

struct source *reader_source(struct reader *reader, size_t index)
{
    struct trace_file *file = open_file(reader, index);
    if (!file)
        return NULL;
    const struct trace_info *info = trace_info(file);
    if (!reader->first) {
        check_only(reader, file);
        reader->first = file;
        reader->run = info;
    }
    bool again = reader->seen[index];
    note_losses(reader, index, info);
    if (info->profile && !reader->command->profiles)
        reader_fail(reader, 2,
                    "%s: holds sums, no events (recorded with --summary); shmemtrace summary shows "
                    "them",
                    reader->files[index]);
    if (!trace_ranges_hold(reader->pes, reader->pe_ranges, info->pe)) {
        close_file(reader, file);
        return NULL;
    }
    reader->chosen = true;
    if (!again)
        note_pe(reader, reader->files[index], info);
    /* A program that is running may not have written anything of its threads yet. */
    for (long thread = 0; thread == 0 || thread < info->threads; thread++)
        reader->thread_chosen = reader->thread_chosen || reader_wants_thread(reader, thread);
    struct source *source = memory_zeroed(1, sizeof *source);
    *source = (struct source){
        .reader = reader,
        .index = index,
        .path = reader->files[index],
        .file = file,
        .info = info,
        .seconds_per_tick = 1 / info->ticks_per_second,
        .wanted = memory_zeroed(info->routines, sizeof(bool)),
        .numbers = memory_zeroed(info->routines, sizeof(size_t)),
    };
    for (size_t i = 0; i < info->routines; i++)
        source->wanted[i] =
            !reader->only || trace_list_names(reader->only, trace_routine(file, (uint32_t)i));
    return source;
}

int reader_status(const struct reader *reader)
{
    if (!reader->first)
        exit(2); /* the reason was printed */
    if (!reader->chosen)
        reader_fail(reader, 2, "--pe %s: there is no such PE in %s", reader_given(reader, "pe"),
                    reader->path);
    if (!reader->thread_chosen)
        reader_fail(reader, 2, "--thread %s: there is no such thread in %s%s",
                    reader_given(reader, "thread"), reader->path,
                    reader->pe_ranges ? " of these PEs" : "");
    return reader->status;
}

void trace_source_close(struct source *source)
{
    if (!source)
        return;
    trace_cursor_free(source->cursor);
    trace_cursor_free(source->records);
    close_file(source->reader, source->file);
    free(source->wanted);
    free(source->numbers);
    free(source->teams.teams);
    free(source->sites);
    free(source);
}

struct source *reader_next(struct reader *reader, struct source *before)
{
    struct source *source = NULL;
    size_t i = before ? before->index + 1 : 0;
    trace_source_close(before);
    for (; i < reader->count && !source; i++)
        source = reader_source(reader, i);
    return source;
}

/* Notes that a file is damaged. True if that was not reported before. */
static bool note_damage(struct source *source)
{
    bool *told = &source->reader->told[source->index], first = !*told;
    source->damaged = *told = true;
    source->reader->status = 1;
    return first;
}

static void tell_damage(struct source *source, const struct trace_cursor *cursor)
{
    if (note_damage(source))
        reader_say(source->reader, "%s", trace_problem(cursor));
}

bool trace_source_record(struct source *source, enum block_kind kind, struct trace_record *record)
{
    if (!source->records)
        source->records = trace_events(source->file, -1);
    int more = trace_next_record(source->records, kind, record);
    if (more > 0)
        return true;
    if (more < 0)
        tell_damage(source, source->records);
    trace_cursor_free(source->records);
    source->records = NULL;
    return false;
}

void trace_source_ended(struct source *source)
{
    const struct trace_info *info = source->info;
    /* There may be more events, if the program went on after a signal and could not end properly.
     */
    if (source->damaged || !info->complete || info->profile || source->events >= info->events)
        return;
    if (note_damage(source))
        reader_say(source->reader,
                   "%s: truncated: %" PRIu64 " events were recorded, %" PRIu64 " are there",
                   source->path, info->events, source->events);
}

static bool source_wants(const struct source *source, const struct trace_event *event)
{
    const struct reader *reader = source->reader;
    return source->wanted[event->routine] && reader_wants_thread(reader, event->thread) &&
           (!reader->windowed || (trace_seconds(source->file, event->start) <= reader->to &&
                                  trace_seconds(source->file, event_end(event)) >= reader->from));
}

bool trace_source_next(struct source *source, struct trace_cursor *cursor,
                       struct trace_event *event)
{
    for (;;) {
        int more = trace_next(cursor, event);
        if (more < 0)
            tell_damage(source, cursor);
        if (more <= 0)
            return false;
        source->events++;
        if (source_wants(source, event)) {
            source->reader->kept++;
            return true;
        }
    }
}

bool trace_source_event(struct source *source, int thread, struct trace_event *event)
{
    if (!source->cursor)
        source->cursor = trace_events(source->file, thread);
    if (trace_source_next(source, source->cursor, event))
        return true;
    trace_cursor_free(source->cursor);
    source->cursor = NULL;
    if (thread < 0)
        trace_source_ended(source);
    return false;
}

size_t trace_source_number(struct source *source, const struct trace_event *event)
{
    size_t *number = &source->numbers[event->routine];
    if (*number == 0) {
        const char *name = trace_source_routine(source, event)->name;
        *number = 1 + table_text(&source->reader->routines, name);
    }
    return *number - 1;
}

size_t trace_source_site(struct source *source, const struct trace_event *event)
{
    size_t depth;
    const uint64_t *addresses = trace_site(source->file, event->site, &depth);
    if (!addresses)
        return 0;
    size_t *number = memory_element(source->sites, event->site, &source->site_room);
    if (*number == 0)
        *number = sites_add(&source->reader->sites, source->file, addresses, depth);
    return *number;
}

const char *trace_source_site_text(struct source *source, const struct trace_event *event)
{
    size_t site = trace_source_site(source, event);
    return site ? sites_text(&source->reader->sites, site) : NULL;
}

enum transfer trace_transfer(const struct trace_routine *routine)
{
    static const enum transfer by_class[TRACE_CLASSES] = {
        [TRACE_PUT] = TRANSFER_TO_PEER,
        [TRACE_GET] = TRANSFER_FROM_PEER,
        [TRACE_NONBLOCKING] = TRANSFER_TO_PEER,
        [TRACE_ATOMIC] = TRANSFER_BOTH,
    };
    return routine->class == TRACE_NONBLOCKING && strstr(routine->name, "_get")
               ? TRANSFER_FROM_PEER
               : by_class[routine->class];
}
