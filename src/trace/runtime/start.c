/* The beginning and the end of a trace: hooks of the routines that start and end the library. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/comm.h"
#include "trace/folder.h"
#include "trace/format.h"
#include "trace/runtime/tracer.h"

#define COMMAND_BYTES 4096
#define MOST_JOBS 1000000
#define PATIENCE 100 /* times 10 ms, for the job that is removing an old folder */
#define MOMENTS 10   /* times 10 ms, for a folder that has no mark yet, or none any more */
#define DESCRIPTION_BYTES (1024 * 1024)

/* ---- What the file says of the run ---- */

static void own_command(char *command)
{
    int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor >= 0 ? read(descriptor, command, COMMAND_BYTES - 1) : 0;
    if (descriptor >= 0)
        close(descriptor);
    length = length > 0 ? length : 0;
    command[length] = '\0';
    for (ssize_t i = 0; i + 1 < length; i++)
        if (command[i] == '\0')
            command[i] = ' ';
}

/* The options that leave calls out, as they are typed, after a blank; NULL: there are none. */
static char *selection(void)
{
    const struct recording *recording = &tracer.recording;
    struct text text = {0};
    if (recording->only)
        text_append(&text, " --only %s", recording->only);
    if (recording->exclude)
        text_append(&text, " --exclude %s", recording->exclude);
    for (size_t i = 0; i < recording->phases.count; i++)
        text_append(&text, "%s%" PRIu32 "-%" PRIu32, i ? "," : " --phase ",
                    recording->phases.of[i].first, recording->phases.of[i].last);
    if (recording->ring)
        text_append(&text, " --ring=%" PRIu64, recording->ring);
    return text.data;
}

static void describe(struct output *output)
{
    char host[256] = "unknown", command[COMMAND_BYTES], date[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    own_command(command);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    char *selected = selection();
    struct trace_info info = tracer.info;
    info.pe = tracer.pe;
    info.pes = trace_pes;
    info.host = host;
    info.command = command;
    info.library = comm_library();
    info.date = date;
    info.profile = tracer.recording.summary;
    info.clock = tracer.clock_text;
    info.routines = trace_routine_count;
    info.routine = trace_routines;
    info.selection = selected ? selected + 1 : "";
    compose_description(output, &info);
    free(selected);
}

/* Bytes that the caller frees, *size of them. NULL: too little memory, or (*size is not 0) room. */
static unsigned char *describe_run(size_t *size)
{
    unsigned char *bytes = malloc(DESCRIPTION_BYTES);
    *size = 0;
    if (!bytes)
        return NULL;
    struct output output = {bytes, bytes + DESCRIPTION_BYTES, false};
    describe(&output);
    *size = (size_t)(output.next - bytes);
    if (!output.full)
        return bytes;
    free(bytes);
    return NULL;
}

/* ---- The folder of a job: no other job of the command takes it ---- */

/* The value that the command gave; NULL: there is no command. */
static const char *command(void)
{
    return getenv(FORMAT_JOBS_VARIABLE);
}

static void make_mark(const char *folder)
{
    char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
    snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, folder);
    int descriptor = open(mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    /* If the value is missing, the next command takes the folder for an old one, too. */
    if (write(descriptor, command(), strlen(command())) < 0)
        errno = 0;
    close(descriptor);
}

/* False: the name of this job's folder is too long. */
static bool job_path(char *path, size_t size, int job)
{
    return snprintf(path, size, FORMAT_JOB, tracer.recording.folder, job) < (int)size;
}

/* Whether another job may be making or removing this folder, or it is none of a job at all. */
static bool has_no_mark(const char *folder)
{
    char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
    snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, folder);
    return access(folder, F_OK) == 0 && access(mark, F_OK) != 0;
}

static int claim_further(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int patience = PATIENCE, moments = MOMENTS;
    char path[PATH_MAX];
    for (int job = 2; job < MOST_JOBS && job_path(path, sizeof path, job); job++) {
        while ((folder_is_old_job(path, command()) && patience-- > 0) ||
               (has_no_mark(path) && moments-- > 0))
            nanosleep(&moment, NULL);
        if (mkdir(path, 0777) == 0) {
            tracer_say("this is job %d of one command; its trace goes to %s", job, path);
            make_mark(path);
            return job;
        }
        if (errno != EEXIST)
            break;
    }
    return 1;
}

/* Which of the jobs of one command this is: from the second one on, each has a folder of its own.
 * PE 0. Errors are not reported here: making files in the folder fails later. */
static int claim_folder(void)
{
    const char *folder = tracer.recording.folder;
    char path[PATH_MAX];
    if (!command() || !file_make_folder(folder) ||
        snprintf(path, sizeof path, "%s/" FORMAT_CLAIM, folder, command()) >= (int)sizeof path)
        return 1;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0 || errno != EEXIST ? 1 : claim_further();
}

/* Whether to remove a file from the folder: one of a PE, or one that a killed command has left. */
static bool is_left_over(int folder, const char *name, int first_pe)
{
    if (folder_kept_because(folder, name))
        return false;
    if (strncmp(name, FORMAT_PASSING, strlen(FORMAT_PASSING)) == 0)
        return !strstr(name, command()) && !strstr(name, "new-");
    return folder_pe_of(name) < 0 || folder_pe_of(name) >= first_pe;
}

static void clear(const char *folder, int first_pe)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (is_left_over(dirfd(directory), entry->d_name, first_pe))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

/* The trace of that job has begun: the first one removes what is left of earlier commands, of PEs
 * from this one on. PE 0. */
static void claim_replace(int job, int first_pe)
{
    char path[PATH_MAX];
    if (!command() || job > 1)
        return;
    clear(tracer.recording.folder, first_pe);
    for (job = 2; job_path(path, sizeof path, job) && access(path, F_OK) == 0; job++)
        if (folder_is_old_job(path, command())) {
            clear(path, 0);
            rmdir(path); /* if there is nothing else in it */
        }
}

/* ---- Beginning ---- */

__attribute__((constructor)) static void loaded(void)
{
    trace_clocks_loaded();
}

/* What keeps a PE from tracing. */
struct problem {
    char *text; /* to be freed; NULL: there is none */
    bool
        wrong; /* a setting of the user is wrong, so the program ends; otherwise it runs untraced */
};

static struct problem no_memory(void)
{
    return (struct problem){text_format("out of memory"), false};
}

static struct problem prepare(void)
{
    char problem[512], word[TRACE_WORD_BYTES];
    bool good = recording_from_environment(&tracer.recording, problem, sizeof problem);
    const char *const lists[] = {"SHMEMTRACE_ONLY", tracer.recording.only, "SHMEMTRACE_EXCLUDE",
                                 tracer.recording.exclude};
    for (size_t i = 0; good && i < 4; i += 2)
        if (trace_list_unknown(lists[i + 1], trace_routines, trace_routine_count, word)) {
            good = false;
            snprintf(problem, sizeof problem,
                     "%s: there is no class or routine %s in this library; " TRACE_LIST_HELP,
                     lists[i], word);
        }
    if (!good)
        return (struct problem){text_format("%s", problem), true};
    trace_results = tracer.recording.results;
    trace_values = tracer.recording.values;
    const unsigned depth = tracer.recording.callsites;
    if (!plan_routines() || !save_prepare() || (depth > 1 && !stacks_keep(depth)))
        return no_memory();
    char *refusal = tracer.recording.counters ? phases_count(tracer.recording.counters) : NULL;
    return (struct problem){refusal, refusal};
}

/* Agrees whether any PE has a problem; the first such PE prints it. A wrong setting ends the job.
 * together: PEs can communicate. True: there is no problem. */
static bool agree(const struct problem *problem, bool together)
{
    int64_t most[] = {problem->text ? -tracer.pe : INT64_MIN, problem->wrong};
    if (together)
        comm_allreduce_int(comm_world(), COMM_MAX, most, 2);
    if (problem->text && most[0] == -tracer.pe) {
        tracer_say(problem->wrong ? "%s" : "%s; nothing is traced, the program goes on",
                   problem->text);
        /* Tells the command that there will be no trace, and that the reason was printed. */
        const char *folder = getenv("SHMEMTRACE_OUTPUT");
        if (folder && command())
            make_mark(folder);
    }
    if (most[1]) {
        shmem_global_exit(2);
        _exit(2);
    }
    return most[0] == INT64_MIN;
}

static struct problem create_file(int job)
{
    struct problem problem = {NULL, false};
    size_t size;
    unsigned char *description = describe_run(&size);
    if (description)
        problem.text = file_create(job, description, size, &problem.wrong);
    else if (size)
        problem.text = file_problem("the description does not fit", "load fewer libraries");
    else
        problem = no_memory();
    free(description);
    return problem;
}

/* Makes the files of all PEs, first that of PE 0: if it cannot write, nobody does, and an earlier
 * trace stays. False: this PE has no file. */
static bool create_files(bool together)
{
    struct problem problem = {NULL, false};
    int64_t job = tracer.pe == 0 ? claim_folder() : 1;
    if (tracer.pe == 0) {
        problem = create_file((int)job);
        if (!problem.text)
            claim_replace((int)job, together ? 1 : trace_pes);
    }
    if (together) {
        if (!agree(&problem, true))
            return false;
        comm_broadcast(comm_world(), &job, sizeof job);
    }
    if (tracer.pe > 0)
        problem = create_file((int)job);
    return agree(&problem, false);
}

/* Whether this PE is traced from now on. */
static bool start_together(void)
{
    struct problem problem = prepare();
    const bool together = comm_attach();
    bool traced = agree(&problem, together);
    if (traced) {
        together ? trace_clocks_start() : trace_clocks_start_alone();
        places_find();
        trace_clocks_measure_cost();
        traced = create_files(together);
    }
    if (together)
        comm_detach();
    free(problem.text);
    return traced;
}

struct trace_thread *trace_started(unsigned routine)
{
    if (tracer.pid)
        return NULL;
    comm_steady(); /* programs need not end the library by shmem_finalize */
    tracer.pid = getpid();
    tracer.pe = shmem_my_pe();
    trace_pes = shmem_n_pes();
    if (!start_together())
        return NULL;
    thread_watch();
    ending_watch();
    tracer.traced = true;
    tracer_begin(recording_wants_phase(&tracer.recording, 0) ? 0 : OFF_PHASE);
    modules_write();
    /* The first event is the library's start, before all this. */
    struct trace_thread *thread = trace_begin_otherwise(routine);
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (thread && !own->profile)
        own->encoder.time = own->encoder.base = own->journals[0]->base = tracer.loaded;
    return thread;
}

/* ---- End ---- */

/* The library may not survive its own end. */
void trace_finishing(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (tracer.pid && !tracer.traced)
        trace_clocks_finish(); /* other PEs may be, and count on this one */
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return;
    tracer_leave_call(); /* a handler of a signal may end the program */
    if (thread)
        thread->common.inside = true;
    int64_t begin = (int64_t)trace_now();
    trace_clocks_finish();
    comm_steady(); /* what was loaded since */
    if (thread && !thread->profile) {
        struct position last =
            journal_find(journal_current(thread), thread->common.next, UINT64_MAX);
        thread_skip_to(thread, last.time + ((int64_t)trace_now() - begin));
    }
    if (thread)
        thread->common.inside = false;
    phases_end();
    modules_write();
    tracer_save("finalize", SAVE_TO_KEEP);
}

void trace_finished(void)
{
    tracer_save("finalize", SAVE_LAST);
}

void trace_exiting(int status)
{
    (void)status;
    phases_end();
    modules_write();
    tracer_save("global_exit", SAVE_LAST);
}
