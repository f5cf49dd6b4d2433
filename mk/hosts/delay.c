/*
 * A switch with long cables: makes a TAP device in each of several network namespaces and hands on
 * every packet a constant time after it came, optionally no faster than a given rate.
 *
 *     delay [-s PORT:PORT:US] [-l PORT:PORT:PERCENT] [-m MTU] DELAY_US RATE_MBIT DEVICE
 *           NAMESPACE...
 *
 * -s: packets between the two ports take so much longer, and those behind them wait; -l: this share
 * of them is lost; MTU: what whoever gives the devices their addresses will set. DELAY_US: one-way
 * delay between any two of them; RATE_MBIT: of each host's cable, in either direction; 0:
 * unlimited. NAMESPACE: a file, as /proc/PID/ns/net; each gets a device of that name. Port i (from
 * 1) must have the hardware address 02:00:00:00:00:i (i in one byte, in hexadecimal). Prints
 * "ready" when all devices exist, then works until it is killed.
 */
#define _GNU_SOURCE /* ppoll, setns */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cables.h"

#define FRAME ((size_t)mtu + 128) /* bytes, more than any packet has */
#define QUEUE 4096                /* packets under way from a port: more than a TCP window */
#define BATCH 64                  /* packets read before those that are due are looked at again */
#define LATEST_NS 50000           /* that a sleep may last too long and still be made up for */
#define LONG_NS                                                                                    \
    1000000 /* of longer delays a late sleep is a small part: do not keep awake for it */

struct packet {
    int64_t due;
    int size;
    unsigned char *data;
};

/* Packets from a port become due in the order in which they came. */
struct port {
    int fd;
    int64_t sending, receiving; /* until when the cable is busy, from and to the host */
    unsigned first, count;      /* of the queue */
    struct packet *queue;
};

static struct port ports[PORTS];

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "delay: %s%s: %s\n", what, which, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void open_port(struct port *port, const char *device, const char *namespace)
{
    int home = open("/proc/self/ns/net", O_RDONLY), there = open(namespace, O_RDONLY);
    if (home < 0 || there < 0 || setns(there, CLONE_NEWNET) != 0)
        fail("cannot enter ", namespace);
    port->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (port->fd < 0)
        fail("cannot open ", "/dev/net/tun");
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    if (ioctl(port->fd, TUNSETIFF, &request) != 0)
        fail("cannot make TAP device ", device);
    if (setns(home, CLONE_NEWNET) != 0)
        fail("cannot leave ", namespace);
    close(home);
    close(there);
    port->queue = malloc(QUEUE * sizeof *port->queue);
    unsigned char *data = malloc(QUEUE * FRAME);
    if (!port->queue || !data)
        fail("no memory", "");
    for (int i = 0; i < QUEUE; i++)
        port->queue[i].data = data + (size_t)i * FRAME;
}

/* The port that a packet goes to, or NULL: to all others. */
static struct port *target_of(const struct packet *packet)
{
    static const unsigned char prefix[] = {2, 0, 0, 0, 0};
    if (memcmp(packet->data, prefix, sizeof prefix) != 0)
        return NULL;
    int port = packet->data[sizeof prefix];
    return port >= 1 && port <= port_count ? &ports[port - 1] : NULL;
}

static int number_of(const struct port *port)
{
    return (int)(port - ports) + 1;
}

/* Other packets in each run: xorshift (Marsaglia 2003). */
static bool is_lost(const struct port *from, const struct port *to)
{
    static uint32_t x;
    if (!x)
        x = (uint32_t)now_ns() | 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return to && x < lost[number_of(from)][number_of(to)];
}

static void schedule(struct port *from, struct packet *packet, int64_t now)
{
    struct port *to = target_of(packet);
    int64_t start = now > from->sending ? now : from->sending;
    if (to && to->receiving > start)
        start = to->receiving;
    from->sending = start + (int64_t)((packet->size + PREAMBLE) * ns_per_byte);
    if (to)
        to->receiving = from->sending;
    packet->due = from->sending + delay_ns;
    if (to)
        packet->due += slower_ns[number_of(from)][number_of(to)];
}

static void receive(struct port *port)
{
    int64_t now = now_ns();
    for (int i = 0; i < BATCH && port->count < QUEUE; i++) {
        struct packet *packet = &port->queue[(port->first + port->count) % QUEUE];
        ssize_t size = read(port->fd, packet->data, FRAME);
        if (size <= 0)
            return;
        packet->size = (int)size;
        if (is_lost(port, target_of(packet)))
            continue;
        schedule(port, packet, now);
        port->count++;
    }
}

static void deliver(const struct port *from, const struct packet *packet)
{
    const struct port *to = target_of(packet);
    for (int i = 0; i < port_count; i++)
        /* What a device that is down does not take is lost, as on any network. */
        if (&ports[i] != from && (!to || to == &ports[i]) &&
            write(ports[i].fd, packet->data, (size_t)packet->size) < 0)
            continue;
}

/* Delivers what is due; when the next packet is, INT64_MAX when none is under way. */
static int64_t deliver_due(void)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < port_count; i++) {
        struct port *port = &ports[i];
        while (port->count && port->queue[port->first].due <= now_ns()) {
            deliver(port, &port->queue[port->first]);
            port->first = (port->first + 1) % QUEUE;
            port->count--;
        }
        if (port->count && port->queue[port->first].due < next)
            next = port->queue[port->first].due;
    }
    return next;
}

/* How long before its time a sleep should end, so that what happens next is in time: learned from
 * earlier ones, since it is from 1 to 20 us, as the machine and what it is busy with want it. */
static int64_t early_ns;

static void learn_lateness(int64_t late)
{
    if (late > LATEST_NS)
        late = LATEST_NS;
    early_ns = late > early_ns ? late : early_ns - (early_ns - late) / 64;
}

/* Until a packet comes or the time is near. */
static void wait_until(int64_t due, struct pollfd *polled)
{
    for (int i = 0; i < port_count; i++)
        /* A port whose queue is full has to wait: the sender's own queue then holds it back. */
        polled[i] = (struct pollfd){ports[i].count < QUEUE ? ports[i].fd : -1, POLLIN, 0};
    struct timespec timeout, *limit = NULL;
    int64_t wake = due, now = now_ns();
    if (due != INT64_MAX) {
        int64_t early = delay_ns > LONG_NS ? 0 : early_ns;
        wake = due - early > now ? due - early : now;
        timeout = (struct timespec){(wake - now) / 1000000000, (wake - now) % 1000000000};
        limit = &timeout;
    }
    int count = ppoll(polled, (nfds_t)port_count, limit, NULL);
    if (count < 0 && errno != EINTR)
        fail("cannot wait", "");
    if (count == 0 && wake > now)
        learn_lateness(now_ns() - wake);
}

static int usage(void)
{
    fprintf(stderr,
            "usage: delay [-s PORT:PORT:US] [-l PORT:PORT:PERCENT] [-m MTU] DELAY_US RATE_MBIT "
            "DEVICE NAMESPACE...\n");
    return 2;
}

int main(int argc, char **argv)
{
    char **words = read_command_line(argc, argv);
    if (!words)
        return usage();
    for (int i = 0; i < port_count; i++)
        open_port(&ports[i], words[0], words[1 + i]);
    /* The hosts keep all processors busy: without priority packets would wait for them. */
    const struct sched_param priority = {.sched_priority = 10};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        fprintf(stderr, "delay: no real-time priority (%s): packets may come late\n",
                strerror(errno));
        prctl(PR_SET_TIMERSLACK, 1);
    }
    puts("ready");
    fflush(stdout);

    struct pollfd polled[PORTS];
    for (;;) {
        wait_until(deliver_due(), polled);
        for (int i = 0; i < port_count; i++)
            if (polled[i].revents)
                receive(&ports[i]);
    }
}
