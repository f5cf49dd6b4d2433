/* Runs a program under the tracer: options, folder, library, launcher. */
#define _GNU_SOURCE /* realpath */
#include "trace/command/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/format.h"
#include "trace/read/read.h"
#include "trace/recording.h"

#ifndef SKAMPI_LIBRARY_DIR
#define SKAMPI_LIBRARY_DIR "/usr/local/lib"
#endif
#define LIBRARY "libshmemtrace.so"
#define USAGE_COLUMNS 90

/* Statuses of shells for what cannot be started. */
enum { STATUS_WRONG = 2, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("shmemtrace: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return STATUS_WRONG;
}

/* Ends a paragraph. */
static void print_classes(void)
{
    int column = printf("Classes of routines are");
    for (size_t i = 0; i < TRACE_CLASSES; i++) {
        const char *name = trace_class_names[i];
        if (column + (int)strlen(name) > USAGE_COLUMNS - 2) {
            putchar('\n');
            column = printf("%s", name);
        } else {
            column += printf(" %s", name);
        }
        column += printf("%s", i + 1 < TRACE_CLASSES ? "," : ".\n");
    }
}

static void usage(void)
{
    puts("Usage: shmemtrace [record] [OPTION...] LAUNCHER... PROGRAM [ARGUMENT...]\n"
         "\n"
         "Runs an OpenSHMEM program, which need not be recompiled, and writes a trace of its "
         "calls:\n"
         "one file per PE, in a folder. The exit status is that of the launcher.\n"
         "\n"
         "  shmemtrace oshrun -np 4 ./app\n"
         "  shmemtrace -o run1 --exclude synchronization,shmem_int_p srun -n 64 ./app input\n");
    for (size_t i = 0; i < recording_row_count; i++) {
        const struct recording_row *row = &recording_rows[i];
        char option[64];
        snprintf(option, sizeof option, row->argument == ARGUMENT_OPTIONAL ? "%s[=%s]" : "%s %s",
                 row->option, row->placeholder ? row->placeholder : "");
        printf("  %-20s %s\n", option, row->help);
    }
    puts("  -h, --help           this text\n"
         "\n"
         "SIZE is a number of bytes; K, M or G may follow it.");
    print_classes();
    puts("Each option can also be set by an environment variable, for programs that you start "
         "with\nLD_PRELOAD=libshmemtrace.so or link with -Wl,--no-as-needed -lshmemtrace:");
    for (size_t i = 0; i < recording_row_count; i++)
        printf("  %-20s %s\n", recording_rows[i].option, recording_rows[i].variable);
}

/* ---- Names of programs ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* Launchers of Open MPI, and those that may be. */
static const char *const open_mpi[] = {"oshrun", "shmemrun", "orterun", "prterun", "prun", NULL};
static const char *const perhaps_open_mpi[] = {"mpirun", "mpiexec", NULL};
static const char *const other_launchers[] = {"srun", "aprun", "jsrun", "sh", "bash", NULL};

/* Whether a word without a slash is what a shell would start. */
static bool is_on_path(const char *word)
{
    const char *path = getenv("PATH");
    while (path && *path && !strchr(word, '/')) {
        char candidate[PATH_MAX];
        struct stat status;
        int length = (int)strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", length, path, word);
        if (stat(candidate, &status) == 0 && S_ISREG(status.st_mode) &&
            access(candidate, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* Whether what follows an option cannot be its argument: another option, or the command. */
static bool is_no_argument(const struct recording_row *row, const char *word)
{
    struct stat status;
    if (word[0] == '-' || is_one_of(word, open_mpi) || is_one_of(word, perhaps_open_mpi) ||
        is_one_of(word, other_launchers))
        return true;
    return strcmp(row->option, RECORDING_FOLDER_OPTION) == 0 && stat(word, &status) != 0 &&
           is_on_path(word);
}

/* ---- Options ---- */

/* The row of an option; its argument, if it is in the same word, in *argument. */
static size_t find_row(const char *word, const char **argument)
{
    size_t length = strcspn(word, "="), i = 0;
    *argument = word[length] ? word + length + 1 : NULL;
    while (i < recording_row_count && (strlen(recording_rows[i].option) != length ||
                                       strncmp(recording_rows[i].option, word, length) != 0))
        i++;
    return i;
}

static bool set_variable(size_t row, const char *text)
{
    return setenv(recording_rows[row].variable, text, 1) == 0;
}

/* Takes options up to the first word that is none, whose index is returned; 0: refused. */
static int take_options(int argc, char **argv, struct recording *recording)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *argument, *word = argv[i];
        if (strcmp(word, "--") == 0)
            return i + 1;
        size_t row = find_row(word, &argument);
        if (row == recording_row_count) {
            refuse("unknown option %s; shmemtrace record -h shows all of them", word);
            return 0;
        }
        enum recording_argument wants = recording_rows[row].argument;
        if (wants == ARGUMENT_NONE && argument) {
            refuse("%s: this option takes no argument", word);
            return 0;
        }
        if (wants == ARGUMENT_NEEDED && !argument && i + 1 < argc) {
            if (is_no_argument(&recording_rows[row], argv[i + 1])) {
                const char *wanted = recording_rows[row].placeholder;
                refuse("%s: the argument %s is missing: %s is an option or a program (%s=%s if you "
                       "mean it)",
                       word, wanted, argv[i + 1], word, argv[i + 1]);
                return 0;
            }
            argument = argv[++i];
        }
        /* --ring 8M: no launcher's name begins with a digit. */
        if (wants == ARGUMENT_OPTIONAL && !argument && i + 1 < argc &&
            isdigit((unsigned char)argv[i + 1][0]))
            argument = argv[++i];
        if (wants == ARGUMENT_NEEDED && !argument) {
            refuse("%s: the argument %s is missing", word, recording_rows[row].placeholder);
            return 0;
        }
        const char *text = argument ? argument : "1", *wrong = recording_set(recording, row, text);
        if (wrong) {
            refuse("%s %s: %s", recording_rows[row].option, text, wrong);
            return 0;
        }
        if (!set_variable(row, text)) {
            refuse("out of memory");
            return 0;
        }
    }
    return i;
}

/* ---- Folder ---- */

/* What keeps a file from being replaced: completes "holds pe-00000.trace, "; NULL: nothing. */
static const char *kept_because(int folder, const char *name)
{
    static const char foreign[] = "which is no trace";
    int pe, length = 0;
    if (strcmp(name, FORMAT_JOB_MARK) == 0)
        return NULL;
    if (sscanf(name, "pe-%d.trace%n", &pe, &length) != 1 || length == 0 || name[length])
        return foreign;
    int descriptor = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const char *reason = descriptor < 0 || !format_may_replace(descriptor) ? foreign
                         : flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
                             ? "which a running program is writing"
                             : NULL;
    if (descriptor >= 0)
        close(descriptor);
    return reason;
}

/* An old trace in the folder goes; anything else stays, and is a reason not to use the folder.
 * Returns 0, or the status. */
static int clear_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return refuse("%s: %s; name another folder with -o", folder, strerror(errno));
    int status = 0;
    for (int pass = 0; pass < 2 && status == 0; pass++) {
        rewinddir(directory);
        for (struct dirent *entry; status == 0 && (entry = readdir(directory));) {
            const char *name = entry->d_name;
            if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                continue;
            const char *reason = pass == 0 ? kept_because(dirfd(directory), name) : NULL;
            if (reason)
                status =
                    refuse("%s: holds %s, %s; name another folder with -o", folder, name, reason);
            if (pass == 1 && unlinkat(dirfd(directory), name, 0) != 0)
                status =
                    refuse("%s/%s: %s; name another folder with -o", folder, name, strerror(errno));
        }
    }
    closedir(directory);
    return status;
}

/* Those of further jobs of an earlier command. Returns 0, or the status. */
static int remove_jobs(const char *folder)
{
    for (int job = 2;; job++) {
        char path[PATH_MAX], mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
        if (snprintf(path, sizeof path, FORMAT_JOB, folder, job) >= (int)sizeof path ||
            access(path, F_OK) != 0)
            return 0;
        snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, path);
        if (access(mark, F_OK) != 0)
            continue; /* somebody has named it so */
        int status = clear_folder(path);
        if (status)
            return status;
        if (rmdir(path) != 0)
            return refuse("%s: %s; name another folder with -o", path, strerror(errno));
    }
}

/* path: its absolute name; made: it was not there. */
static int prepare_folder(const char *folder, char *path, bool *made)
{
    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return refuse("%s: %s; name another folder with -o", folder, strerror(errno));
    int status = clear_folder(folder);
    if (status)
        return status;
    if (access(folder, W_OK) != 0 || !realpath(folder, path))
        return refuse("%s: %s; name another folder with -o", folder, strerror(errno));
    status = remove_jobs(path);
    if (status)
        return status;
    return setenv("SHMEMTRACE_OUTPUT", path, 1) == 0 && setenv(FORMAT_JOBS_VARIABLE, "1", 1) == 0
               ? 0
               : refuse("out of memory");
}

/* ---- Library ---- */

/* Beside this program where it was built, else where it was installed. */
static bool find_library(char *path, size_t size)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = '\0';
    static const char *const places[] = {"", "../lib/"};
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        char candidate[PATH_MAX + 32], whole[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%s/%s" LIBRARY, own, places[i]);
        if (realpath(candidate, whole) && access(whole, R_OK) == 0) {
            snprintf(path, size, "%s", whole);
            return true;
        }
    }
    snprintf(path, size, "%s/" LIBRARY, SKAMPI_LIBRARY_DIR);
    return access(path, R_OK) == 0;
}

/* ---- Launcher ---- */

/* Launchers of Open MPI pass on what they are told to with -x alone, and programs of other hosts
 * get nothing else. Others of the same names say who they are. */
static bool is_open_mpi(const char *launcher)
{
    const char *slash = strrchr(launcher, '/'), *name = slash ? slash + 1 : launcher;
    char command[PATH_MAX + 64], line[256] = "";
    if (!is_one_of(name, perhaps_open_mpi))
        return is_one_of(name, open_mpi);
    if (strchr(launcher, '\''))
        return false;
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", launcher);
    FILE *version = popen(command, "r");
    if (!version)
        return false;
    if (!fgets(line, sizeof line, version))
        line[0] = '\0';
    pclose(version);
    return strstr(line, "Open MPI") || strstr(line, "OpenRTE") || strstr(line, "PRRTE");
}

/* The library before others that are preloaded anyway. */
static char *preload_text(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    bool more = others && *others;
    return text_format("%s%s%s", library, more ? ":" : "", more ? others : "");
}

/* What follows -x: our library before the one that the user preloads there. */
static char *with_library(const char *word, const char *library, char *preload)
{
    static const char name[] = "LD_PRELOAD=";
    if (strcmp(word, "LD_PRELOAD") == 0)
        return preload; /* holds what the environment has */
    if (strncmp(word, name, strlen(name)) != 0)
        return (char *)(uintptr_t)word;
    return text_format("%s%s:%s", name, library, word + strlen(name));
}

/* LAUNCHER -x NAME... REST, with -x NAME... behind each : between programs, too, since it holds for
 * one of them. */
static char **with_variables(char **command, size_t count, const char *library, char *preload)
{
    size_t programs = 1, used = 0;
    for (size_t i = 1; i < count; i++)
        programs += strcmp(command[i], ":") == 0;
    char **words =
        memory_zeroed(count + programs * 2 * (recording_row_count + 2) + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        bool variable = i > 0 && strcmp(command[i - 1], "-x") == 0;
        words[used++] = variable ? with_library(command[i], library, preload) : command[i];
        if (i > 0 && strcmp(command[i], ":") != 0)
            continue;
        words[used++] = "-x";
        words[used++] = preload;
        words[used++] = "-x";
        words[used++] = FORMAT_JOBS_VARIABLE;
        for (size_t k = 0; k < recording_row_count; k++)
            if (getenv(recording_rows[k].variable)) {
                words[used++] = "-x";
                words[used++] = (char *)(uintptr_t)recording_rows[k].variable;
            }
    }
    return words;
}

/* ---- Running it ---- */

static volatile pid_t launcher;

#define TWICE_NS 500000000

/* timeout(1) sends its signal to its command and then to the whole group, which the launcher
 * belongs to: it must not get one more than it would without this process, since launchers stop
 * waiting for the program at one of the next, and kill it. */
static bool is_repeated(int number, pid_t sender)
{
    static int last_number;
    static pid_t last_sender;
    static struct timespec last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed = (now.tv_sec - last.tv_sec) * (int64_t)1000000000 + now.tv_nsec - last.tv_nsec;
    bool same = number == last_number && sender == last_sender && passed < TWICE_NS;
    last_number = number;
    last_sender = sender;
    last = now;
    return same;
}

/* What the terminal sends, the launcher gets, too. */
static void pass_on(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (info->si_code <= 0 && !is_repeated(number, info->si_pid))
        kill(launcher, number);
}

static const int passed[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};

static void pass_signals_on(void)
{
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        struct sigaction before, ours = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
        sigfillset(&ours.sa_mask);
        if (sigaction(passed[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(passed[i], &ours, NULL);
    }
}

/* Runs until its end. Returns what wait() says of it; errno of why it could not be started, if not
 * 0, in *error. */
static int run(char **command, int *error)
{
    int ends[2], end = 0;
    sigset_t all, before;
    *error = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return 0;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const pid_t parent = getpid();
    launcher = fork();
    if (launcher == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* as if it were this process itself */
        if (getppid() != parent)
            _exit(STATUS_NOT_EXECUTABLE);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(command[0], command);
        *error = errno;
        if (write(ends[1], error, sizeof *error) < 0)
            _exit(STATUS_NOT_FOUND);
        _exit(STATUS_NOT_EXECUTABLE);
    }
    if (launcher < 0)
        *error = errno;
    else
        pass_signals_on();
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (launcher > 0) {
        while (read(ends[0], error, sizeof *error) < 0 && errno == EINTR)
            ;
        while (waitpid(launcher, &end, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return end;
}

/* Of all PEs, as far as has to be read to know that there is one. */
static bool any_event(char **files, long count)
{
    bool found = false;
    for (long i = 0; i < count; i++) {
        char *error = NULL;
        struct trace_file *file = found ? NULL : trace_open(files[i], &error);
        if (file)
            found = trace_info(file)->events > 0 || trace_info(file)->profile ||
                    !trace_info(file)->complete;
        trace_close(file);
        free(error);
        free(files[i]);
    }
    return found;
}

/* Whoever finds no trace should know why. */
static void say_if_nothing(const char *folder, bool made)
{
    char **files, *error = NULL;
    long count = trace_files(folder, &files, &error);
    free(error);
    if (count < 0) {
        char mark[PATH_MAX + sizeof FORMAT_JOB_MARK + 1];
        snprintf(mark, sizeof mark, "%s/" FORMAT_JOB_MARK, folder);
        if (unlink(mark) != 0)
            refuse(
                "nothing was recorded: no program started OpenSHMEM where " LIBRARY
                " could see it (a program without OpenSHMEM or linked statically, calls that were "
                "found by dlsym as Python's ctypes does, or a launcher "
                "that does not pass LD_PRELOAD on)");
        if (made)
            rmdir(folder);
        return;
    }
    if (!any_event(files, count))
        refuse("%s: no call was recorded; check --only, --exclude and --phase", folder);
    free(files);
}

/* The same end as the launcher's. */
static int end_as(int end)
{
    if (!WIFSIGNALED(end))
        return WEXITSTATUS(end);
    const struct rlimit none = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(end));
    setrlimit(RLIMIT_CORE, &none); /* it has left one, if there is to be any */
    signal(WTERMSIG(end), SIG_DFL);
    raise(WTERMSIG(end));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + WTERMSIG(end);
}

int record_main(int argc, char **argv)
{
    struct recording recording;
    char library[PATH_MAX], folder[PATH_MAX], problem[512];
    bool made;
    for (int i = 1; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            usage();
            return 0;
        }
    if (!recording_from_environment(&recording, problem, sizeof problem))
        return refuse("%s", problem);
    int first = take_options(argc, argv, &recording);
    if (first == 0)
        return STATUS_WRONG;
    if (first >= argc)
        return refuse("no program is named: shmemtrace [OPTION...] oshrun -np 4 ./app");
    if (recording.ring && recording.summary)
        return refuse("--ring keeps events, --summary keeps none: give one of them");
    if (!find_library(library, sizeof library))
        return refuse("%s is neither beside this program nor in %s: build it with OpenSHMEM and "
                      "python3, or make install",
                      LIBRARY, SKAMPI_LIBRARY_DIR);
    int status = prepare_folder(recording.folder, folder, &made);
    if (status)
        return status;
    char **command = argv + first, *preload = preload_text(library);
    if (is_open_mpi(command[0]))
        command = with_variables(command, (size_t)(argc - first), library,
                                 text_format("LD_PRELOAD=%s", preload));
    else
        setenv("LD_PRELOAD", preload, 1);
    int error, end = run(command, &error);
    if (error) {
        refuse("%s: %s", command[0], strerror(error));
        return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    say_if_nothing(folder, made);
    return end_as(end);
}
