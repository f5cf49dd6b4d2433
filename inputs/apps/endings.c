/*
 * Ends in the way that its first argument names, after a known number of puts to the next PE and a
 * barrier. PEs that are not told to end stay in the library.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define FILE_LIMIT (100 * 1024)

static int pe, pes;
static long put_count;
static long *word, *never;
static volatile sig_atomic_t asked;

static void put_all(void)
{
    for (long i = 0; i < put_count; i++)
        shmem_long_p(word, i, (pe + 1) % pes);
}

static void wait_for_ever(void)
{
    for (;;)
        shmem_long_wait_until(never, SHMEM_CMP_NE, 0);
}

static int end_finalize(void)
{
    shmem_finalize();
    return 0;
}

static int end_exit(void)
{
    exit(3);
}

static int end_return(void)
{
    return 3;
}

static int end_global_exit(void)
{
    if (pe == 0)
        shmem_global_exit(4);
    wait_for_ever();
    return 0;
}

static int end_abort(void)
{
    if (pe == 0)
        abort();
    wait_for_ever();
    return 0;
}

/* As launchers end PEs. Open MPI's library catches the first signal, and goes on. */
static int end_term(void)
{
    raise(SIGTERM);
    raise(SIGKILL);
    return 0;
}

static int end_kill(void)
{
    if (pe == pes - 1)
        raise(SIGKILL);
    wait_for_ever();
    return 0;
}

static int end_segv(void)
{
    static int *volatile nowhere;
    if (pe == 0)
        *nowhere = 1;
    wait_for_ever();
    return 0;
}

/* As a batch system does when the time is up. */
static int end_launcher(void)
{
    if (pe == 0)
        kill(getppid(), SIGTERM);
    wait_for_ever();
    return 0;
}

static void ask(int number)
{
    asked = number;
}

/* The application handles the signal itself, and goes on. */
static int end_handled(void)
{
    signal(SIGTERM, ask);
    raise(SIGTERM);
    if (!asked)
        return 5;
    put_all();
    shmem_finalize();
    return 0;
}

static sigjmp_buf before_call;

static void jump_back(int number)
{
    (void)number;
    siglongjmp(before_call, 1);
}

/* Not an end: the application leaves a call that cannot be made, and goes on. */
static int end_jump(void)
{
    const long *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, jump_back);
    if (sigsetjmp(before_call, 1) == 0) {
        shmem_long_put(word, forbidden, 1, pe);
        return 8;
    }
    signal(SIGSEGV, SIG_DFL);
    put_all();
    shmem_finalize();
    return 0;
}

/* Children that end, children that become something else, and children that borrow the memory. Exit
 * handlers are not for them: that of Open MPI does not return. */
static int end_fork(void)
{
    for (volatile int i = 0; i < 3; i++) {
        int status = 1;
        pid_t child = i == 2 ? vfork() : fork();
        if (child == 0 && i != 1)
            _exit(0);
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 6;
    }
    put_all();
    shmem_finalize();
    return 0;
}

static void *run_thread(void *unused)
{
    put_all();
    return unused;
}

/* Threads that have ended before the program does. */
static int end_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0)
            return 7;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_finalize();
    return 0;
}

static void *wait_in_vain(void *unused)
{
    put_all();
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    asked = 1;
    wait_for_ever();
    return unused;
}

/* A thread that is cancelled inside of the library, which is not fit for more then. */
static int end_cancel(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_in_vain, NULL) != 0)
        return 7;
    while (!asked)
        usleep(1000);
    usleep(10000);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    _exit(3);
}

/* No file may grow beyond what is there: as a full disk, but for the error. */
static int end_limit(void)
{
    struct rlimit limit = {.rlim_cur = FILE_LIMIT, .rlim_max = FILE_LIMIT};
    setrlimit(RLIMIT_FSIZE, &limit);
    put_all();
    shmem_finalize();
    return 0;
}

static const struct {
    const char *name;
    int (*end)(void);
} ways[] = {
    {"finalize", end_finalize}, {"exit", end_exit},
    {"return", end_return},     {"global_exit", end_global_exit},
    {"abort", end_abort},       {"term", end_term},
    {"kill", end_kill},         {"segv", end_segv},
    {"launcher", end_launcher}, {"handled", end_handled},
    {"fork", end_fork},         {"threads", end_threads},
    {"file_size", end_limit},   {"jump", end_jump},
    {"cancel", end_cancel},
};

int main(int argc, char **argv)
{
    size_t way = 0, count = sizeof ways / sizeof *ways;
    while (argc == 3 && way < count && strcmp(argv[1], ways[way].name) != 0)
        way++;
    if (argc != 3 || way == count) {
        fprintf(stderr, "usage: endings WAY PUTS\n");
        return 2;
    }
    put_count = atol(argv[2]);
    if (ways[way].end == end_threads || ways[way].end == end_cancel) {
        int provided;
        shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
        if (provided != SHMEM_THREAD_MULTIPLE) {
            printf("no threads\n");
            shmem_global_exit(0);
        }
    } else {
        shmem_init();
    }
    pe = shmem_my_pe();
    pes = shmem_n_pes();
    word = shmem_malloc(sizeof *word);
    never = shmem_calloc(1, sizeof *never);
    put_all();
    shmem_barrier_all();
    return ways[way].end();
}
