/* Notices how the program ends, so that what was recorded is on disk when the process is gone. */
#undef _FORTIFY_SOURCE /* it gives the jumps below another name */
#define _GNU_SOURCE    /* SYS_exit_group, RTLD_NEXT */
#include "trace/runtime/tracer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Signals that end a program unless it handles them. Programs that handle those from FIRST_TOOL on
 * mostly do so for other purposes, so nothing is saved then. */
static const int fatal[] = {SIGTERM, SIGINT,  SIGHUP, SIGQUIT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
                            SIGABRT, SIGXCPU, SIGSYS, SIGTRAP, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2};
#define FATAL (sizeof fatal / sizeof *fatal)
#define FIRST_TOOL 11

/* The application's own actions, which follow the tracer's. There are two of each, so that a
 * handler never sees half of a new one. */
static struct {
    struct sigaction actions[2];
    atomic_uint latest;
} wanted[FATAL];
static atomic_bool watching;

typedef int set_action(int number, const struct sigaction *action, struct sigaction *old);

/* Calls the C library's function, whose name the function below has taken. */
static int real_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    static set_action *_Atomic real;
    set_action *function = atomic_load(&real);
    if (!function) {
        void *symbol = dlsym(RTLD_NEXT, "sigaction");
        memcpy(&function, &symbol, sizeof function); /* ISO C has no cast between these */
        atomic_store(&real, function);
    }
    return function(number, action, old);
}

/* The index of a signal in `fatal`; FATAL: it is not there. */
static size_t find_signal(int number)
{
    size_t i = 0;
    while (i < FATAL && fatal[i] != number)
        i++;
    return i;
}

static struct sigaction wanted_action(size_t i)
{
    return wanted[i].actions[atomic_load(&wanted[i].latest) & 1];
}

static void set_wanted(size_t i, const struct sigaction *action)
{
    unsigned next = atomic_load(&wanted[i].latest) + 1;
    wanted[i].actions[next & 1] = *action;
    atomic_store(&wanted[i].latest, next);
}

static void die_of(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    real_sigaction(number, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* The program handles the signal and may go on, or be killed. It must not be held up each time. */
static bool is_worth_saving(size_t i)
{
    static _Atomic time_t latest = -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return i < FIRST_TOOL && atomic_exchange(&latest, now.tv_sec) != now.tv_sec;
}

/* If the program has a handler of its own, it may go on afterwards, and so may the trace. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    static const struct sigaction nothing = {.sa_handler = SIG_DFL};
    char reason[16];
    size_t i = find_signal(number);
    const struct sigaction action = i < FATAL ? wanted_action(i) : nothing;
    bool handled = action.sa_handler != SIG_DFL;
    /* "signal 15"; snprintf is not allowed here. */
    size_t length = strlen(strcpy(reason, "signal "));
    if (number >= 10)
        reason[length++] = (char)('0' + number / 10 % 10);
    reason[length++] = (char)('0' + number % 10);
    reason[length] = '\0';
    if (!handled || is_worth_saving(i))
        tracer_save(reason, handled ? SAVE_FOR_NOW : SAVE_LAST);
    if (handled && action.sa_flags & SA_RESETHAND)
        set_wanted(i, &nothing);
    if (!handled)
        die_of(number);
    else if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else if (action.sa_handler != SIG_IGN)
        action.sa_handler(number);
}

/* Installs the tracer's handler, which calls the application's. */
static void watch_signal(size_t i, const struct sigaction *action)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_mask = action->sa_mask};
    ours.sa_flags = (action->sa_flags & (SA_RESTART | SA_NODEFER)) | SA_SIGINFO | SA_ONSTACK;
    set_wanted(i, action);
    real_sigaction(fatal[i], action->sa_handler == SIG_IGN ? action : &ours, NULL);
}

/* Applications that set handlers later replace each other's, not the tracer's, and never see that.
 * Children, who may share memory with their parent, do as they like. */
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *action,
                                                     struct sigaction *old)
{
    size_t i = find_signal(number);
    bool ours = i < FATAL && atomic_load(&watching) && tracer.pid == getpid();
    struct sigaction was, new = {.sa_handler = SIG_DFL};
    if (action)
        new = *action; /* may be where the old one goes */
    int status = real_sigaction(number, ours || !action ? NULL : &new, &was);
    if (status == 0 && old)
        *old = i < FATAL && was.sa_sigaction == on_signal ? wanted_action(i) : was;
    if (status == 0 && ours && action)
        watch_signal(i, &new);
    return status;
}

typedef void handler(int number);

static handler *set_handler(int number, handler *function, int flags)
{
    struct sigaction action = {.sa_handler = function, .sa_flags = flags}, old;
    if (!(flags & SA_NODEFER))
        sigaddset(&action.sa_mask, number);
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

__attribute__((visibility("default"))) handler *signal(int number, handler *function)
{
    return set_handler(number, function, SA_RESTART);
}

#ifdef __GLIBC__
/* What programs of strict ISO C call instead of signal(). */
__attribute__((visibility("default"))) handler *__sysv_signal(int number, handler *function)
{
    return set_handler(number, function, (int)SA_RESETHAND | SA_NODEFER);
}
#endif

static void on_exit_of_program(void)
{
    if (tracer.pid == getpid()) {
        phases_end();
        modules_write();
    }
    tracer_save("exit", SAVE_LAST);
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
        struct sigaction before;
        if (real_sigaction(fatal[i], NULL, &before) == 0)
            watch_signal(i, &before);
    }
    atomic_store(&watching, true);
}

/* These functions run no handlers of the end of the program. */
__attribute__((visibility("default"))) _Noreturn void _exit(int status)
{
    tracer_save("_exit", SAVE_LAST);
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
#define JUMPS (sizeof jumps / sizeof *jumps)

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
        find_jumps(); /* the constructor of another library may jump before ours has run */
    jumps[which].real(to, value);
    abort();
}

#define JUMP(name, which)                                                                          \
    __attribute__((visibility("default"))) _Noreturn void name(struct __jmp_buf_tag to[1],         \
                                                               int value)                          \
    {                                                                                              \
        jump(which, to, value);                                                                    \
    }

JUMP(longjmp, 0)
JUMP(_longjmp, 1)
JUMP(siglongjmp, 2)
/* What programs call instead of longjmp() with _FORTIFY_SOURCE. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
JUMP(__longjmp_chk, 3)
