/*
 * Preloaded: a process that waits for messages sleeps until one comes, instead of looking for it
 * all the time. So many hosts share a few processors, and what one of them takes hardly depends on
 * the others.
 *
 * Open MPI calls sched_yield() when it has looked everywhere and found nothing. Where it looked are
 * the sockets of its calls of poll() and epoll_wait() that may not wait: sched_yield() waits for
 * these. It also comes back after a moment, since other threads and shared memory may bring
 * something, too.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOCKETS 128
#define SETS 8
#define MOMENT_MS 5
#define SLICE_NS 100000

static _Thread_local struct pollfd sets[SETS], sockets[SOCKETS];
static _Thread_local nfds_t set_count, socket_count;

static int (*real_poll)(struct pollfd *, nfds_t, int);
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);

/* As sched_setattr(2) describes it; headers of older systems have none. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline, period;
};

/* Who asks for short slices gets a processor sooner after sleeping (Linux 6.12 and later); others
 * refuse or ignore it. */
static void ask_for_short_slices(void)
{
    struct attributes own = {.size = sizeof own};
    if (syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0)
        return;
    own.slice_ns = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &own, 0);
}

__attribute__((constructor)) static void begin(void)
{
    *(void **)&real_poll = dlsym(RTLD_NEXT, "poll");
    *(void **)&real_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
    ask_for_short_slices();
}

int poll(struct pollfd *polled, nfds_t count, int timeout)
{
    if (timeout == 0 && count <= SOCKETS) {
        memcpy(sockets, polled, count * sizeof *polled);
        socket_count = count;
    }
    return real_poll(polled, count, timeout);
}

/* What poll() is in programs that were compiled with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *polled, nfds_t count, int timeout, size_t size);
int __poll_chk(struct pollfd *polled, nfds_t count, int timeout, size_t size)
{
    (void)size;
    return poll(polled, count, timeout);
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
    nfds_t i = 0;
    while (i < set_count && sets[i].fd != set)
        i++;
    if (timeout == 0 && i == set_count && set_count < SETS)
        sets[set_count++] = (struct pollfd){set, POLLIN, 0};
    return real_epoll_wait(set, events, most, timeout);
}

/* A set that was closed is forgotten. */
static void forget(const struct pollfd *waited)
{
    nfds_t kept = 0;
    for (nfds_t i = 0; i < set_count; i++)
        if (!(waited[i].revents & POLLNVAL))
            sets[kept++] = sets[i];
    set_count = kept;
}

int sched_yield(void)
{
    struct pollfd all[SETS + SOCKETS];
    memcpy(all, sets, set_count * sizeof *sets);
    memcpy(all + set_count, sockets, socket_count * sizeof *sockets);
    if (real_poll(all, set_count + socket_count, MOMENT_MS) > 0)
        forget(all);
    return 0;
}
