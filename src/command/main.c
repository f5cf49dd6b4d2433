/* skampi: reads a measurement script, runs it on all PEs, prints what it measured. */
#define _GNU_SOURCE /* program_invocation_name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "command/command.h"
#include "command/options.h"
#include "command/tools.h"
#include "engine/messages.h"
#include "engine/start.h"
#include "engine/watchdog.h"
#include "output/output.h"
#include "output/summary.h"
#include "ski/script.h"

#define STATUS_INTERNAL 1
#define STATUS_BAD_SCRIPT 2
#define CHECKSUM_TEXT 17 /* bytes of a checksum in hexadecimal */

/* What PE 0 decides before anything is measured; the others follow it. */
struct start {
    int64_t status; /* 0: go on */
    int64_t source_bytes;
};

/* Returns the number of errors; *messages: these, or the warnings. */
static int parse(struct source *source, const struct options *options, struct tree **tree,
                 char **messages)
{
    struct diag *diag = diag_create(source);
    *tree = parse_script(source, diag);
    for (size_t i = 0; i < options->overrides.count; i++)
        tree_override(*tree, source, diag, options->overrides.of[i]);
    tree_check(*tree, diag);
    int errors = (int)diag_count(diag);
    *messages = errors ? diag_text(diag) : diag_warnings(diag);
    diag_release(diag);
    return errors;
}

/* The script of the command line, or the one that it names. NULL with *error (allocated). */
static struct source *open_source(const struct options *options, char **error)
{
    const char *search[2];
    if (options->input) {
        size_t count = options_search_path(search);
        return source_open(options->input, search, count, error);
    }
    char *text = command_script(&options->command, error);
    struct source *source = text ? source_from_text(SOURCE_COMMAND_LINE, text, strlen(text)) : NULL;
    free(text);
    return source;
}

/* Reads and checks the script on PE 0 (or on the only process, without a launcher). NULL, with
 * *tree NULL, when there are errors, which have then been printed. */
static struct source *load(const struct options *options, struct tree **tree)
{
    *tree = NULL;
    char *error = NULL, *messages = NULL;
    struct source *source = open_source(options, &error);
    if (!source) {
        terminal_message("skampi: error: %s\n", error);
        free(error);
        return NULL;
    }
    int errors = parse(source, options, tree, &messages);
    terminal_say(messages);
    free(messages);
    if (errors == 0)
        return source;
    tree_release(*tree);
    *tree = NULL;
    source_release(source);
    return NULL;
}

static struct source *share(struct source *source, struct start *start)
{
    void *packed = NULL;
    size_t bytes = 0;
    if (source)
        packed = source_pack(source, &bytes);
    start->source_bytes = (int64_t)bytes;
    comm_broadcast(comm_world(), start, sizeof *start);
    if (start->status != 0) {
        free(packed);
        return source;
    }
    if (comm_pe() != 0)
        packed = memory_allocate((size_t)start->source_bytes);
    comm_broadcast(comm_world(), packed, (size_t)start->source_bytes);
    if (comm_pe() != 0)
        source = source_unpack(packed, (size_t)start->source_bytes);
    free(packed);
    return source;
}

/* Ends the job; PE 0 sets the status, the others wait to be ended with it. */
static _Noreturn void end_job(int status)
{
    process_enter("the end of the job");
    comm_barrier(comm_world());
    if (comm_pe() == 0)
        comm_abort(status);
    watchdog_ending();
    for (;;)
        pause();
}

/* Options that decide what results are, as the header states them. */
static const char *deciding(const struct options *options)
{
    return options->deciding.length > 0 ? options->deciding.data + 1 : "";
}

/* As the header states it. */
static const char *checksum_text(const struct source *source, char text[CHECKSUM_TEXT])
{
    snprintf(text, CHECKSUM_TEXT, "%016llx", source_checksum(source));
    return text;
}

/* NULL, or why results may not go there: the script or results are read from it. */
static char *refuse_target(const struct output_target *target, const struct options *options,
                           const struct source *source)
{
    struct stat status, read;
    if ((target->path ? stat(target->path, &status) : fstat(STDOUT_FILENO, &status)) != 0)
        return NULL; /* opening it will report what is wrong */
    if (options->resume && stat(options->resume, &read) == 0 && read.st_dev == status.st_dev &&
        read.st_ino == status.st_ino)
        return text_format("-o %s: --resume reads this file: give a new name", options->resume);
    const char *name = source_read_from(source, &status);
    if (!name)
        return NULL;
    return text_format("-o %s would overwrite %s, which is part of the script: give another file",
                       target->path ? target->path : "-", name);
}

/* Whether people watch results as they come: functions on the command line, on a terminal, which
 * tables are to fit. */
static bool wants_table(const struct options *options)
{
    int terminal = terminal_of(STDOUT_FILENO, comm_launched_rank() >= 0);
    if (terminal >= 0)
        output_table_fit(terminal_columns(terminal));
    if (terminal > STDERR_FILENO)
        close(terminal);
    if (options->input || options->outputs.count > 0 || options->format >= 0)
        return options->format == OUTPUT_TABLE;
    return terminal >= 0;
}

/* Opens the outputs that the command line names; an estimate prints no results. */
static struct output *open_output(const struct options *options, const struct source *source)
{
    size_t count =
        options->engine.estimate || options->outputs.count == 0 ? 1 : options->outputs.count;
    struct output_target *targets = memory_zeroed(count, sizeof *targets);
    struct output *output = NULL;
    char *error = NULL;
    for (size_t i = 0; i < count && !error; i++) {
        const char *path = options->engine.estimate      ? "/dev/null"
                           : options->outputs.count == 0 ? "-"
                                                         : options->outputs.of[i];
        bool standard = strcmp(path, "-") == 0;
        int format = standard ? -1 : output_format_of(path);
        if (format < 0)
            format = wants_table(options)  ? OUTPUT_TABLE
                     : options->format < 0 ? OUTPUT_SKO
                                           : options->format;
        targets[i] = (struct output_target){standard ? NULL : path, (enum output_format)format,
                                            options->force};
        error = refuse_target(&targets[i], options, source);
    }
    if (!error)
        output = output_open(targets, count, &error);
    if (!output)
        terminal_message("skampi: error: %s\n", error);
    free(error);
    free(targets);
    return output;
}

/* Warns about earlier results from a different set-up. They are used where they apply. */
static void warn_known(const struct earlier_runs *earlier)
{
    for (size_t i = 0; i < earlier->run_count; i++) {
        const struct known_run *run = &earlier->runs[i];
        if (run->other)
            fprintf(stderr,
                    "skampi: warning: --known %s: a run of another library, or with other settings "
                    "of it (%s): it is left out, since its states are not those of this run\n",
                    run->path, run->library);
        if (run->pes != comm_pes())
            terminal_message(
                "skampi: warning: --known %s: a run of %d PEs, this one has %d: its states hold "
                "only for sets of PEs that both runs have\n",
                run->path, run->pes, comm_pes());
        if (run->node_count > 0 && strcmp(run->nodes[0], comm_node_name(0)) != 0)
            terminal_message(
                "skampi: warning: --known %s: a run on node %s, this one is on %s: its states "
                "may be others\n",
                run->path, run->nodes[0], comm_node_name(0));
    }
}

/* Results of earlier runs; false when there is something wrong with them. */
static bool read_known(const struct options *options, struct earlier_runs **earlier)
{
    char *error = NULL;
    if (options->engine.known_count == 0)
        return true;
    char *software = environment_software();
    *earlier = known_read(options->engine.known, options->engine.known_count, software, &error);
    free(software);
    if (*earlier)
        warn_known(*earlier);
    else
        terminal_message("skampi: error: --known: %s\n", error);
    free(error);
    return *earlier != NULL;
}

/* The file of --resume; NULL: there is none, or *wrong. */
static struct resume *read_resume(const struct options *options, const struct source *source,
                                  bool *wrong)
{
    *wrong = false;
    if (!options->resume)
        return NULL;
    char checksum[CHECKSUM_TEXT], *software = environment_software(), *error = NULL;
    const char **nodes = memory_zeroed((size_t)comm_node_count(), sizeof *nodes);
    for (int i = 0; i < comm_node_count(); i++)
        nodes[i] = comm_node_name(i);
    struct resume_facts here = {.checksum = checksum_text(source, checksum),
                                .options = deciding(options),
                                .software = software,
                                .version = options_version(),
                                .pes = comm_pes(),
                                .nodes = nodes,
                                .node_count = comm_node_count()};
    struct resume *resume = resume_read(options->resume, &here, &error);
    if (error)
        terminal_message("skampi: error: %s\n", error);
    *wrong = error;
    free(nodes);
    free(software);
    free(error);
    return resume;
}

/* What PE 0 has prepared; the others have nothing of it. */
struct preparation {
    struct tree *tree;
    struct output *output;
    struct earlier_runs *earlier;
    struct resume *resume;
};

/* Finds everything that can be wrong before a measurement, on PE 0 alone. */
static struct source *prepare(const struct options *options, struct start *start,
                              struct preparation *prepared)
{
    struct source *source = load(options, &prepared->tree);
    bool wrong = !source;
    if (source && !options->check_only)
        prepared->resume = read_resume(options, source, &wrong);
    if (!wrong && !options->check_only && read_known(options, &prepared->earlier)) {
        process_enter("opening the output");
        prepared->output = open_output(options, source);
        watchdog_output(prepared->output);
        if (prepared->output)
            output_show_columns(prepared->output, options->columns, options->column_count);
        process_enter("preparing to measure");
    }
    if (!source || (!options->check_only && !prepared->output))
        start->status = STATUS_BAD_SCRIPT;
    return source;
}

static bool writes_stdout(const struct options *options)
{
    for (size_t i = 0; i < options->outputs.count; i++)
        if (strcmp(options->outputs.of[i], "-") == 0)
            return true;
    return options->outputs.count == 0;
}

/* What people type for this run again, with the own command line as given, which begins with a
 * blank; the caller frees it. */
static char *start_again(const char *own, const char *unknown)
{
    char *line = comm_launched_rank() < 0 ? memory_text("") : comm_launcher_line();
    char *again = line ? text_format("%s%s", line, own + (*line == '\0')) : memory_text(unknown);
    text_disarm(again, true);
    free(line);
    return again;
}

/* Without a launcher you get times of one PE with itself, which look like any others. */
static void warn_alone(const struct options *options, const struct tree *tree)
{
    int major, minor;
    if (comm_launched_rank() >= 0 || comm_pes() > 1 || !tree->communicates)
        return;
    terminal_message(
        "skampi: warning: started without a launcher, so the only PE communicates with itself; "
        "start two: %s -np 2 %s\n",
        comm_has_shmem(&major, &minor) ? "oshrun" : "mpirun", options->engine.command_line);
}

/* Without --summary there is none only where .sko goes to standard output and nobody is at a
 * terminal: programs that read standard error expect only what is wrong then. */
static bool wants_summary(const struct options *options)
{
    if (options->engine.estimate || options->summary == WHEN_NEVER)
        return false;
    return options->summary == WHEN_ALWAYS || !writes_stdout(options) || wants_table(options) ||
           terminal_of_messages(comm_launched_rank() >= 0) >= 0;
}

/* The tree is released. */
static int measure(const struct options *options, double launched_at, struct source *source,
                   const struct preparation *prepared, bool *report_end)
{
    struct tree *tree = prepared->tree;
    struct output *output = prepared->output;
    char *messages = NULL;
    if (!tree && parse(source, options, &tree, &messages)) {
        terminal_message(
            "skampi: error: PE %d cannot read the script, but PE 0 can: put it where all nodes "
            "can read it\n",
            comm_pe());
        comm_abort(1);
    }
    free(messages); /* PE 0 has shown the warnings */
    if (comm_pe() == 0)
        warn_alone(options, tree);
    char checksum[CHECKSUM_TEXT];
    struct engine_options engine_options = options->engine;
    engine_options.output = output;
    engine_options.earlier = prepared->earlier;
    engine_options.resuming = options->resume;
    engine_options.resume = prepared->resume;
    engine_options.launched = launched_at;
    engine_options.progress =
        options->progress ? PROGRESS_OVERWRITTEN
                          : progress_form(!options->engine.estimate && writes_stdout(options));
    engine_options.blocks = tree->block_count;
    engine_options.estimate_record = options->format == OUTPUT_JSON;
    engine_options.version = options_version();
    engine_options.script = source_name(source, 0);
    engine_options.checksum = checksum_text(source, checksum);
    engine_options.deciding = deciding(options);
    char *again = start_again(options->again.data, "the same command with");
    char *rounds =
        start_again(options->other_rounds.data, options->engine.time_limit > 0
                                                    ? "the same command without --time-limit, with"
                                                    : "the same command with");
    struct summary_next next = {program_invocation_name, again, rounds};
    if (wants_summary(options)) {
        engine_options.next = &next;
        if (output)
            output_tell_early(output);
    }
    const char *error = NULL;
    struct engine *engine = engine_create(&engine_options, &error);
    if (!engine) {
        if (comm_pe() == 0)
            terminal_message("skampi: error: --timer %s: %s\n", options->engine.timer, error);
        end_job(STATUS_BAD_SCRIPT);
    }
    script_run(tree, source, engine, options->show_source);
    int status = engine_finish(engine, report_end);
    tree_release(tree);
    free(again);
    free(rounds);
    return status;
}

/* Regular end; the times of the library's own end come last in the output. */
static bool finish_timed(struct output *output)
{
    int count;
    const double *seconds = comm_finish_timed(&count);
    if (!output)
        return true;
    if (seconds)
        output_library_end(output, seconds, count);
    watchdog_output(NULL);
    char *failure = output_close(output);
    if (failure)
        terminal_message("skampi: error: %s\n", failure);
    bool good = !failure;
    free(failure);
    return good;
}

/* Checks the script, and prints it for --print-script. Returns the exit status. */
static int check_script(const struct options *options)
{
    size_t length;
    struct tree *tree;
    if (options->error) {
        options_print_error(options);
        return STATUS_BAD_SCRIPT;
    }
    struct source *source = load(options, &tree);
    if (!source)
        return STATUS_BAD_SCRIPT;
    if (options->information == INFORM_SCRIPT)
        fputs(source_text(source, 0, &length), stdout);
    tree_release(tree);
    source_release(source);
    return 0;
}

/* A full disk may be noticed only when the output is closed. */
static int inform(const struct options *options)
{
    int status =
        options->information == INFORM_SCRIPT ? check_script(options) : options_inform(options);
    if (!ferror(stdout) && fclose(stdout) == 0)
        return status;
    terminal_message("skampi: error: standard output cannot be written: %s\n", strerror(errno));
    return STATUS_INTERNAL;
}

int main(int argc, char **argv)
{
    numbers_use_point();
    timer_calibration_begin();
    double launched_at = wall_seconds();
    struct options options;
    bool launched = comm_launched_rank() >= 0;
    int status = 0;
    if (tools_start(argc, argv, comm_launched_rank() <= 0, &status))
        return status;
    options_parse(&options, argc, argv);
    terminal_choose(options.color, launched);
    if (options.threads)
        process_set_threads(THREADS_ASKED);
    if (options.information) {
        bool quiet = launched && comm_launched_rank() > 0;
        return quiet ? 0 : inform(&options);
    }
    if (!launched && (options.error || options.check_only))
        return check_script(&options);

    watchdog_begin(options.startup_limit, launched_at,
                   options.engine.estimate ? 0 : options.engine.time_limit);
    comm_start(&argc, &argv);
    watchdog_has_library();
    process_enter("reading the script and preparing to measure");
    struct start start = {0, 0};
    struct source *source = NULL;
    struct preparation prepared = {0};
    if (comm_pe() == 0) {
        if (options.error) {
            options_print_error(&options);
            start.status = STATUS_BAD_SCRIPT;
        } else {
            source = prepare(&options, &start, &prepared);
        }
    }
    source = share(source, &start);
    if (start.status != 0)
        end_job((int)start.status);
    bool report_end = false;
    if (options.check_only)
        tree_release(prepared.tree);
    else
        status = measure(&options, launched_at, source, &prepared, &report_end);
    known_free(prepared.earlier);
    resume_free(prepared.resume);
    source_release(source);
    if (status != 0)
        end_job(status);
    bool good = true;
    if (report_end)
        good = finish_timed(prepared.output);
    else
        comm_finish();
    options_release(&options);
    return good ? 0 : 1;
}
