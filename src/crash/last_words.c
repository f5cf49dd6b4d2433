/*
 * Last words of a PE, sent to PE 0 over TCP.
 */
#define _GNU_SOURCE /* accept4 */
#include "crash/last_words.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/process.h"

#define SEND_SECONDS 0.5
#define READ_SECONDS 0.2 /* for the words of a PE that has connected */
#define BACKLOG 64

/* A message, as its bytes are sent. */
struct message {
    uint64_t key;
    int32_t pe, status;
    char text[LAST_WORDS_LONGEST];
};

static struct {
    int listener; /* 0: none */
    uint64_t key;
    struct last_words_place place; /* where this PE sends its words to */
    int pe;
    atomic_flag sent;
} words = {.sent = ATOMIC_FLAG_INIT};

/* Listens for connections of one address family. Returns the port, or 0. */
static in_port_t listen_at(struct sockaddr *any, socklen_t size)
{
    int descriptor = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } own;
    socklen_t own_size = sizeof own;
    int off = 0;

    if (descriptor < 0)
        return 0;
    if (any->sa_family == AF_INET6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(descriptor, any, size) != 0 || listen(descriptor, BACKLOG) != 0 ||
        getsockname(descriptor, &own.any, &own_size) != 0) {
        close(descriptor);
        return 0;
    }
    words.listener = descriptor;
    return any->sa_family == AF_INET6 ? own.v6.sin6_port : own.v4.sin_port;
}

static void add_address(struct last_words_place *place, const void *address, size_t size)
{
    if (place->count < LAST_WORDS_ADDRESSES)
        memcpy(place->addresses[place->count++].bytes, address, size);
}

/* Adds the addresses of all interfaces that are up and that other nodes can reach. */
static void add_addresses(struct last_words_place *place, in_port_t port, bool both)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || (one->ifa_flags & IFF_LOOPBACK))
            continue;
        if (one->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in address = *(const struct sockaddr_in *)(const void *)one->ifa_addr;
            address.sin_port = port;
            add_address(place, &address, sizeof address);
        } else if (both && one->ifa_addr->sa_family == AF_INET6) {
            struct sockaddr_in6 address = *(const struct sockaddr_in6 *)(const void *)one->ifa_addr;
            address.sin6_port = port;
            /* Link-local addresses need the number of an interface, which differs from node to
             * node. */
            if (!IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr))
                add_address(place, &address, sizeof address);
        }
    }
    freeifaddrs(all);
}

void last_words_listen(struct last_words_place *place)
{
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6};
    struct sockaddr_in any4 = {.sin_family = AF_INET};

    memset(place, 0, sizeof *place);
    if (getrandom(&words.key, sizeof words.key, 0) != (ssize_t)sizeof words.key)
        return;
    place->key = words.key;
    in_port_t port = listen_at((struct sockaddr *)&any6, sizeof any6);
    bool both = port != 0;
    if (!port)
        port = listen_at((struct sockaddr *)&any4, sizeof any4);
    if (port)
        add_addresses(place, port, both);
}

void last_words_know(const struct last_words_place *place, int pe)
{
    words.place = *place;
    words.pe = pe;
}

void last_words_close(void)
{
    if (words.listener)
        close(words.listener);
    words.listener = 0;
    words.place.count = 0;
}

/* Whether the descriptor is ready for the events (of poll()) before a moment of wall_seconds(). */
static bool ready_by(int descriptor, short events, double end)
{
    for (;;) {
        double left = end - wall_seconds();
        struct pollfd wait = {.fd = descriptor, .events = events};
        int ready = poll(&wait, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
        if (ready > 0)
            return (wait.revents & events) != 0;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

static bool connect_by(int descriptor, const struct sockaddr *address, double end)
{
    socklen_t size =
        address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int error = 0;
    socklen_t error_size = sizeof error;
    if (connect(descriptor, address, size) == 0)
        return true;
    return errno == EINPROGRESS && ready_by(descriptor, POLLOUT, end) &&
           getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0;
}

void last_words_send(int status, const char *text)
{
    if (words.place.count == 0 || atomic_flag_test_and_set(&words.sent))
        return;
    struct message message = {.key = words.place.key, .pe = words.pe, .status = status};
    snprintf(message.text, sizeof message.text, "%s", text);
    double begin = wall_seconds(), share = SEND_SECONDS / words.place.count;
    for (uint32_t i = 0; i < words.place.count; i++) {
        struct sockaddr_storage address;
        memcpy(&address, words.place.addresses[i].bytes, sizeof words.place.addresses[i].bytes);
        int descriptor = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (descriptor < 0)
            continue;
        bool sent =
            connect_by(descriptor, (const struct sockaddr *)&address, begin + (i + 1) * share) &&
            send(descriptor, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message;
        close(descriptor);
        if (sent)
            return;
    }
}

/* Reads a complete message; false unless it has the right key. */
static bool read_message(int descriptor, struct message *message)
{
    double end = wall_seconds() + READ_SECONDS;
    size_t got = 0;
    while (got < sizeof *message && ready_by(descriptor, POLLIN, end)) {
        ssize_t more = read(descriptor, (char *)message + got, sizeof *message - got);
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    return got == sizeof *message && message->key == words.key;
}

int last_words_receive(double seconds, int *status, char *text, size_t size)
{
    double end = wall_seconds() + seconds;
    /* A peer that connects and sends nothing must not keep this PE from ending, so `end` also
     * limits the peers that already wait in the queue. */
    while (words.listener && ready_by(words.listener, POLLIN, end)) {
        struct message message;
        int descriptor = accept4(words.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        bool good = descriptor >= 0 && read_message(descriptor, &message);
        if (descriptor >= 0)
            close(descriptor);
        if (good) {
            message.text[LAST_WORDS_LONGEST - 1] = '\0';
            *status = message.status;
            snprintf(text, size, "%s", message.text);
            return message.pe;
        }
        if (wall_seconds() >= end)
            break;
    }
    return -1;
}
