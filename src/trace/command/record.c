/* Runs a program under the tracer: options, folder, library, launcher. */
#define _GNU_SOURCE /* pipe2, realpath */
#include "trace/command/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "trace/folder.h"
#include "trace/format.h"
#include "trace/read/files.h"
#include "trace/read/read.h"
#include "trace/recording.h"

#ifndef SKAMPI_LIBRARY_DIR
#define SKAMPI_LIBRARY_DIR "/usr/local/lib"
#endif
#define LIBRARY "libshmemtrace.so"
#define SEPARATORS " :" /* of LD_PRELOAD, which has no quotes */

/* Statuses of shells for what cannot be started. */
enum { STATUS_WRONG = 2, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

char *record_classes(void)
{
    struct text classes = {0};
    for (size_t i = 0; i < TRACE_CLASSES; i++)
        text_append(&classes, "%s %s", i ? "," : "Classes of routines are", trace_class_names[i]);
    text_append(&classes, ".");
    return text_take(&classes);
}

static void usage(void)
{
    terminal_fold_begin(false);
    puts("Usage: shmemtrace [record] [OPTION...] LAUNCHER... PROGRAM [ARGUMENT...]\n"
         "\n"
         "Runs an OpenSHMEM program, which need not be recompiled, and writes a trace of its "
         "calls:\n"
         "one file per PE, in a folder. The exit status is that of the launcher.\n"
         "\n"
         "  shmemtrace oshrun -np 4 ./app\n"
         "  shmemtrace -o run1 --exclude synchronization,shmem_int_p srun -n 64 ./app input\n");
    struct manual_option *options = memory_zeroed(recording_row_count + 1, sizeof *options);
    for (size_t i = 0; i < recording_row_count; i++)
        options[i] = recording_rows[i].option;
    options[recording_row_count] =
        (struct manual_option){.name = "-h, --help", .help = "this text"};
    manual_help(options, recording_row_count + 1);
    free(options);
    puts("\n"
         "SIZE is a number of bytes; K, M or G may follow it.\n");
    char *classes = record_classes();
    printf("%s\n\n", classes);
    free(classes);
    puts("Each option can also be set by an environment variable, for programs that you start "
         "with\nLD_PRELOAD=libshmemtrace.so or link with -Wl,--no-as-needed -lshmemtrace:");
    for (size_t i = 0; i < recording_row_count; i++)
        printf("  %-20s  %s\n", recording_rows[i].option.name, recording_rows[i].variable);
    terminal_fold_end();
}

/* One line on standard error; returns 2. */
__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    terminal_line("shmemtrace", format, arguments);
    va_end(arguments);
    return 2;
}

/* ---- Launchers and other programs in a command line ---- */

static const char *const open_mpi[] = {"oshrun", "shmemrun", "orterun", "prterun", "prun", NULL};
static const char *const perhaps_open_mpi[] = {"mpirun", "mpiexec", NULL};
static const char *const others[] = {"srun", "aprun", "jsrun", "sh", "bash", NULL};
static const char *const *const launchers[] = {open_mpi, perhaps_open_mpi, others};
#define LISTS (sizeof launchers / sizeof *launchers)

#define MOST_NAMES 64
#define USUAL_PATH "/bin:/usr/bin" /* as execvp() has it */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* Whether the word is a launcher, of Open MPI or another library, judged by its name. */
static bool programs_is_launcher(const char *word)
{
    for (size_t i = 0; i < LISTS; i++)
        if (is_one_of(word, launchers[i]))
            return true;
    return false;
}

/* Launchers of Open MPI pass on only the variables named with -x, and programs on other hosts get
 * no others. Launchers called mpirun or mpiexec are asked for their version. */
static bool programs_is_open_mpi(const char *launcher)
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

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Whether a shell would start the word: an executable file, or the name of one on the path. */
static bool programs_exists(const char *word)
{
    const char *path = getenv("PATH");
    if (strchr(word, '/'))
        return is_executable(word);
    for (const char *at = path ? path : USUAL_PATH; *word; at++) {
        char candidate[PATH_MAX];
        int length = (int)strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s%s%s", length, at, length ? "/" : "", word);
        if (is_executable(candidate))
            return true;
        at += length;
        if (!*at)
            break;
    }
    return false;
}

/* "; did you mean ...", or another hint for a word that is neither a program nor a command. The
 * caller frees it. */
static char *programs_advice(const char *word, const char *const *commands, int count)
{
    const char *names[MOST_NAMES];
    size_t known = 0;
    for (int i = 0; i < count && known < MOST_NAMES; i++)
        names[known++] = commands[i];
    for (size_t i = 0; i < LISTS; i++)
        for (const char *const *name = launchers[i]; *name && known < MOST_NAMES; name++)
            names[known++] = *name;
    if (trace_is(word))
        return text_format("to read that trace: shmemtrace summary %s", word);
    if (access(word, F_OK) == 0)
        return memory_text("it is there, but cannot be executed");
    if (strcmp(word, "help") == 0)
        return memory_text("shmemtrace -h lists the commands");
    const char *closest = closest_name(word, names, known);
    return closest ? text_format("did you mean %s?", closest)
                   : memory_text("shmemtrace -h lists the commands");
}

/* ---- Options ---- */

/* Whether the word after an option cannot be its argument, since it is another option or the
 * command. */
static bool is_no_argument(const struct recording_row *row, const char *word)
{
    return word[0] == '-' || programs_is_launcher(word) ||
           (strcmp(row->option.name, RECORDING_FOLDER_OPTION) == 0 && !strchr(word, '/') &&
            access(word, F_OK) != 0 && programs_exists(word));
}

/* The number of an option's row. *argument is its argument, if the word has one after a =. */
static size_t find_row(const char *word, const char **argument)
{
    size_t length = strcspn(word, "="), i = 0;
    *argument = word[length] ? word + length + 1 : NULL;
    while (i < recording_row_count && (strlen(recording_rows[i].option.name) != length ||
                                       strncmp(recording_rows[i].option.name, word, length) != 0))
        i++;
    return i;
}

/* The argument of an option that is a word of its own; NULL: it has none. */
static const char *next_argument(const struct manual_option *option, const char *word)
{
    /* --ring 8M: no launcher's name begins with a digit. */
    bool possible = option->value && (!option->optional || isdigit((unsigned char)word[0]));
    return possible ? word : NULL;
}

/* Takes options. Returns the index of the first word that is no option, or -2 after an error. */
static int take_options(int argc, char **argv, struct recording *recording)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *argument, *word = argv[i];
        if (strcmp(word, "--") == 0)
            return i + 1;
        size_t number = find_row(word, &argument);
        if (number == recording_row_count)
            return -refuse("unknown option %s; shmemtrace record -h shows all of them", word);
        const struct recording_row *row = &recording_rows[number];
        if (!row->option.value && argument)
            return -refuse("%s: this option takes no argument", word);
        if (!argument && i + 1 < argc && (argument = next_argument(&row->option, argv[i + 1]))) {
            if (is_no_argument(row, argument))
                return -refuse("%s: the argument %s is missing: %s is an option or a program "
                               "(%s=%s if you mean it)",
                               word, row->option.value, argument, word, argument);
            i++;
        }
        if (!argument && row->option.value && !row->option.optional)
            return -refuse("%s: the argument %s is missing", word, row->option.value);
        argument = argument ? argument : "1";
        const char *wrong = recording_set(recording, number, argument);
        if (wrong)
            return -refuse("%s %s: %s", row->option.name, argument, wrong);
        if (setenv(row->variable, argument, 1) != 0)
            return -refuse("out of memory");
    }
    return i;
}

/* ---- The folder of the trace, before and after recording ---- */

#define OTHER_FOLDER "name another folder with -o"

struct destination {
    char folder[PATH_MAX]; /* absolute */
    char command[40];      /* value of FORMAT_JOBS_VARIABLE */
    bool made;             /* the command has made the folder */
};

/* Anything but an old trace is a reason not to use the folder. */
static int check_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(directory));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        const char *reason = folder_kept_because(dirfd(directory), name);
        if (reason)
            status = refuse("%s: holds %s, %s; " OTHER_FOLDER, folder, name, reason);
    }
    closedir(directory);
    return status;
}

/* Checks folders of further jobs of an earlier command. */
static int check_jobs(const char *folder)
{
    char path[PATH_MAX];
    int status = 0;
    for (int job = 2; status == 0; job++) {
        if (snprintf(path, sizeof path, FORMAT_JOB, folder, job) >= (int)sizeof path ||
            access(path, F_OK) != 0)
            break;
        if (folder_is_old_job(path, NULL)) /* otherwise it is no trace, but has the name of one */
            status = check_folder(path);
    }
    return status;
}

/* Checks whether a trace can be written to the folder. Leaves an old trace to the library, which
 * replaces it. Sets the variables that tell the library of the folder. Status 0, or 2 after one
 * line on standard error. */
static int destination_prepare(struct destination *to, const char *folder)
{
    to->made = mkdir(folder, 0777) == 0;
    if (!to->made && errno != EEXIST)
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    int status = check_folder(folder);
    if (status)
        return status;
    if (access(folder, W_OK) != 0 || !realpath(folder, to->folder))
        return refuse("%s: %s; " OTHER_FOLDER, folder, strerror(errno));
    status = check_jobs(to->folder);
    if (status)
        return status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(to->command, sizeof to->command, "%lx-%lx-%lx", (long)now.tv_sec, now.tv_nsec,
             (long)getpid());
    return setenv("SHMEMTRACE_OUTPUT", to->folder, 1) == 0 &&
                   setenv(FORMAT_JOBS_VARIABLE, to->command, 1) == 0
               ? 0
               : refuse("out of memory");
}

/* Whether a PE has recorded an event. Opens only as many files as that takes. */
static bool any_event(char **files, long count)
{
    bool found = false;
    for (long i = 0; i < count && !found; i++) {
        char *error = NULL;
        struct trace_file *file = trace_open(files[i], &error);
        if (file)
            found = trace_info(file)->events > 0 || trace_info(file)->profile ||
                    !trace_info(file)->complete;
        trace_close(file);
        free(error);
    }
    return found;
}

/* Says why the folder has no trace, or still an earlier one. */
static void say_nothing_recorded(const char *folder, bool traces)
{
    refuse("nothing was recorded: no program started OpenSHMEM where libshmemtrace.so could see it "
           "(a program without OpenSHMEM or linked statically, calls that were found by dlsym as "
           "Python's ctypes does, or a launcher that does not pass LD_PRELOAD on)%s%s%s",
           traces ? "; " : "", traces ? folder : "", traces ? " has the trace of before" : "");
}

static bool remove_in(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return unlink(path) == 0;
}

/* Removes temporary files after the program has ended, or if it could not be started. If it ran,
 * and nothing was recorded, says why. */
static void destination_tidy(const struct destination *to, bool ran)
{
    char claim[sizeof FORMAT_CLAIM + sizeof to->command], **files, *error = NULL;
    snprintf(claim, sizeof claim, FORMAT_CLAIM, to->command);
    bool began = remove_in(to->folder, claim), refused = remove_in(to->folder, FORMAT_JOB_MARK);
    long count = trace_files(to->folder, &files, &error);
    free(error);
    if (ran && !refused && (!began || count < 0))
        say_nothing_recorded(to->folder, count > 0);
    else if (ran && !refused && !any_event(files, count))
        refuse("%s: no call was recorded; check --only, --exclude and --phase", to->folder);
    if (count < 0 && to->made)
        rmdir(to->folder);
    trace_files_free(files, count);
}

/* ---- The library, which LD_PRELOAD puts into the program ---- */

struct preload {
    char library[PATH_MAX];
    char link[PATH_MAX]; /* link that names the library, removed at the end; "" without one */
};

/* Finds the library next to this program in a build, else where it was installed. Status 0, or 2
 * after one line on standard error, as of the next function. */
static int preload_find(struct preload *preload)
{
    static const char *const places[] = {LIBRARY, "../lib/" LIBRARY};
    char beside[PATH_MAX], *path = preload->library;
    preload->link[0] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (beside_find(beside, places[i]) && realpath(beside, path) && access(path, R_OK) == 0)
            return 0;
    snprintf(path, PATH_MAX, "%s/" LIBRARY, SKAMPI_LIBRARY_DIR);
    if (access(path, R_OK) == 0)
        return 0;
    return refuse("%s is neither beside this program nor in %s: build it with OpenSHMEM and "
                  "python3, or make install",
                  LIBRARY, SKAMPI_LIBRARY_DIR);
}

/* Finds a name of the library that LD_PRELOAD can hold: its path, or a link in the folder of the
 * trace or the folder for temporary files. command is a name for the link that no other command
 * uses. */
static int preload_name(struct preload *preload, const char *folder, const char *command)
{
    const char *const places[] = {folder, getenv("TMPDIR"), "/tmp"};
    if (!strpbrk(preload->library, SEPARATORS))
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || strpbrk(places[i], SEPARATORS) ||
            snprintf(preload->link, PATH_MAX, "%s/" FORMAT_CLAIM ".so", places[i], command) >=
                PATH_MAX)
            continue;
        if (symlink(preload->library, preload->link) == 0)
            return 0;
    }
    preload->link[0] = '\0';
    return refuse("%s: LD_PRELOAD takes no path with a blank or a colon, and no link to it can be "
                  "made in the folder of the trace, in TMPDIR or in /tmp: move it",
                  preload->library);
}

/* Our library follows others in the list. Other libraries' wrappers call the next function of their
 * name, as the rule is; ours call the real library, so wrappers after them would see nothing. */
static char *after_others(const char *others, const char *library)
{
    bool more = others && *others;
    return text_format("%s%s%s", more ? others : "", more ? ":" : "", library);
}

/* The word after -x. If it sets LD_PRELOAD, our library follows the user's libraries there. */
static char *with_library(const char *word, const char *library, char *preload)
{
    static const char name[] = "LD_PRELOAD=";
    if (strcmp(word, "LD_PRELOAD") == 0)
        return preload; /* the environment's value comes first in it */
    if (strncmp(word, name, strlen(name)) != 0)
        return (char *)(uintptr_t)word;
    return text_format("%s%s", name, after_others(word + strlen(name), library));
}

/* The command "LAUNCHER -x NAME... REST". Each ":" between programs is followed by "-x NAME..."
 * again, since the option holds for one program. */
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

/* Sets LD_PRELOAD. Returns the command, with options that make the launcher pass it on. */
static char **preload_command(const struct preload *preload, char **command, size_t count)
{
    const char *library = preload->link[0] ? preload->link : preload->library;
    char *text = after_others(getenv("LD_PRELOAD"), library);
    if (programs_is_open_mpi(command[0]))
        return with_variables(command, count, library, text_format("LD_PRELOAD=%s", text));
    setenv("LD_PRELOAD", text, 1);
    return command;
}

/* ---- Running it ---- */

static volatile pid_t launcher;

#define TWICE_NS 500000000

/* timeout(1) sends its signal to its command, and then to the whole group, to which the launcher
 * belongs. This process must not pass on a second one: at a second signal, launchers stop waiting
 * for the program and kill it. */
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

/* Passes a signal on to the launcher, unless it is the terminal's, which the launcher gets by
 * itself. */
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

/* Runs the command to its end. Returns the status of wait(). If the command could not be started,
 * *error is the errno of that, else 0. */
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
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* the launcher ends with this process */
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

/* Ends this process as the launcher ended: with its status, or by its signal. */
static int end_as(int end)
{
    if (!WIFSIGNALED(end))
        return WEXITSTATUS(end);
    const struct rlimit none = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(end));
    setrlimit(RLIMIT_CORE, &none); /* if there is to be a core file, the launcher has left one */
    signal(WTERMSIG(end), SIG_DFL);
    raise(WTERMSIG(end));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + WTERMSIG(end);
}

/* Variables in which launchers state how many processes they have started, and which one this is.
 */
static const struct {
    const char *size, *rank;
} launches[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

/* Refuses to run once for each PE, when each would replace the trace of the others. Returns the
 * status with which the process ends: not 0 only on PE 0, since launchers end all others when one
 * fails, perhaps before it has said why. -1: there is no launch. A terminal that srun --pty has
 * opened has these variables, too: there, a launcher or a script with one follows. */
static int refuse_inside_launch(const char *program)
{
    const char *slash = strrchr(program, '/');
    if (programs_is_launcher(slash ? slash + 1 : program) || getenv("SLURM_PTY_PORT") ||
        getenv("SLURM_PTY_WIN_COL"))
        return -1;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const char *size = getenv(launches[i].size), *rank = getenv(launches[i].rank);
        if (!size || atoi(size) < 2)
            continue;
        return rank && atoi(rank) > 0
                   ? 0
                   : refuse("a launcher has started this %s times (%s): put shmemtrace before the "
                            "launcher, as in: shmemtrace oshrun -np %s %s",
                            size, launches[i].size, size, program);
    }
    return -1;
}

int record_main(int argc, char **argv, const char *const *commands, int command_count)
{
    struct recording recording;
    struct destination to;
    struct preload preload;
    char problem[512];
    for (int i = 1; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            usage();
            return 0;
        }
    if (!recording_from_environment(&recording, problem, sizeof problem))
        return refuse("%s", problem);
    int first = take_options(argc, argv, &recording);
    if (first < 0)
        return STATUS_WRONG;
    if (first >= argc)
        return refuse("no program is named: shmemtrace [OPTION...] oshrun -np 4 ./app");
    if (recording.ring && recording.summary)
        return refuse("--ring keeps events, --summary keeps none: give one of them");
    char **command = argv + first;
    if (!programs_exists(command[0]))
        return refuse("%s is neither a command nor a program: %s", command[0],
                      programs_advice(command[0], commands, command_count));
    int refused = refuse_inside_launch(command[0]);
    if (refused >= 0)
        return refused;
    if (preload_find(&preload) != 0 || destination_prepare(&to, recording.folder) != 0)
        return STATUS_WRONG;
    if (preload_name(&preload, to.folder, to.command) != 0) {
        destination_tidy(&to, false);
        return STATUS_WRONG;
    }
    command = preload_command(&preload, command, (size_t)(argc - first));
    int error, end = run(command, &error);
    if (preload.link[0])
        unlink(preload.link);
    destination_tidy(&to, !error);
    if (error) {
        refuse("%s: %s", command[0], strerror(error));
        return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    return end_as(end);
}
