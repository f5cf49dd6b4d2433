/* Ways of ending other than shmem_finalize: what was recorded is on disk when the process is gone.
 */
#define _GNU_SOURCE /* SYS_exit_group, RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/runtime_internal.h"

/* Those that end a program that does not expect them. */
static const int fatal[] = {SIGTERM, SIGINT,  SIGHUP, SIGQUIT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
                            SIGABRT, SIGXCPU, SIGSYS, SIGTRAP, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2};
#define FATAL (sizeof fatal / sizeof *fatal)

static struct sigaction before[FATAL];

/* "signal 15"; snprintf is not allowed here. */
static void name_signal(char *text, int number)
{
    size_t length = strlen(strcpy(text, "signal "));
    if (number >= 10)
        text[length++] = (char)('0' + number / 10 % 10);
    text[length++] = (char)('0' + number % 10);
    text[length] = '\0';
}

static void die_of(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigaction(number, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* With a handler of the program's own, it may go on afterwards, and so may the trace. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    size_t i = 0;
    char reason[16];
    while (i + 1 < FATAL && fatal[i] != number)
        i++;
    const struct sigaction *old = &before[i];
    bool handled = old->sa_flags & SA_SIGINFO || old->sa_handler != SIG_DFL;
    name_signal(reason, number);
    tracer_save(reason, !handled);
    if (!handled)
        die_of(number);
    else if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(number, info, context);
    else
        old->sa_handler(number);
}

static void on_exit_of_program(void)
{
    if (tracer.pid == getpid())
        counters_end();
    tracer_save("exit", true);
}

/* A child must not write into its parent's file. */
static void in_child(void)
{
    tracer_stop(OFF_ENDED);
}

void ending_watch(void)
{
    atexit(on_exit_of_program);
    at_quick_exit(on_exit_of_program);
    pthread_atfork(NULL, NULL, in_child);
    for (size_t i = 0; i < FATAL; i++) {
        struct sigaction action = {.sa_sigaction = on_signal};
        if (sigaction(fatal[i], NULL, &before[i]) != 0 ||
            (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_IGN))
            continue;
        action.sa_mask = before[i].sa_mask;
        action.sa_flags =
            (before[i].sa_flags & (SA_RESTART | SA_NODEFER)) | SA_SIGINFO | SA_ONSTACK;
        sigaction(fatal[i], &action, NULL);
    }
}

/* They run no handlers. */
__attribute__((visibility("default"))) _Noreturn void _exit(int status)
{
    tracer_save("_exit", true);
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"))) _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* ---- Jumps out of a call, from the handler of a signal: what follows is no longer inside ---- */

static struct {
    const char *name;
    void (*real)(struct __jmp_buf_tag *, int);
} jumps[] = {{"longjmp", NULL}, {"_longjmp", NULL}, {"siglongjmp", NULL}, {"__longjmp_chk", NULL}};
enum { LONGJMP, UNDERSCORE_LONGJMP, SIGLONGJMP, CHECKED_LONGJMP, JUMPS };

/* dlsym is not for handlers of signals. */
__attribute__((constructor)) static void find_jumps(void)
{
    for (size_t i = 0; i < JUMPS; i++) {
        void *symbol = dlsym(RTLD_NEXT, jumps[i].name);
        memcpy(&jumps[i].real, &symbol, sizeof symbol); /* ISO C has no cast between these */
    }
}

static _Noreturn void jump(size_t which, struct __jmp_buf_tag *to, int value)
{
    tracer_leave_call();
    if (!jumps[which].real)
        find_jumps(); /* another library's constructor jumps */
    jumps[which].real(to, value);
    abort();
}

__attribute__((visibility("default"))) _Noreturn void longjmp(struct __jmp_buf_tag to[1], int value)
{
    jump(LONGJMP, to, value);
}

__attribute__((visibility("default"))) _Noreturn void _longjmp(struct __jmp_buf_tag to[1],
                                                               int value)
{
    jump(UNDERSCORE_LONGJMP, to, value);
}

__attribute__((visibility("default"))) _Noreturn void siglongjmp(sigjmp_buf to, int value)
{
    jump(SIGLONGJMP, to, value);
}

/* What these are with _FORTIFY_SOURCE. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
__attribute__((visibility("default"))) _Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1],
                                                                    int value)
{
    jump(CHECKED_LONGJMP, to, value);
}
