/*
 * A switch with long cables that the kernel works by itself: makes a BPF program that decides when
 * each packet is delivered, and prints the commands for tc that have it obeyed.
 *
 *     line [-s PORT:PORT:US] [-l PORT:PORT:PERCENT] [-m MTU] [-e US] DELAY_US RATE_MBIT
 *          FOLDER DEVICE...
 *
 * -e: timers are taken to be so late at first (default: measured). The other options and the first
 * two numbers are those of delay.c. DEVICE: the ends of the cables at the
 * switch, in the network namespace of the caller; FOLDER: in a file system for BPF, where the
 * program will be, called "line", and "watch", a program for the other ends of the cables, which
 * sees how late packets come. Port i must be connected to a device with the hardware address
 * 02:00:00:00:00:i, and with that MTU. README.md tells how it works.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "assembler.h"
#include "cables.h"

/* Bytes; a host takes no longer packet. A VLAN tag is allowed. */
#define LONGEST (mtu + HEADER + 4)
#define MOST_UNITS 6000 /* that a filler costs, which is as many bytes longer than that */
#define MOST_FILLERS 64 /* in front of a packet */
#define PACKET (USUAL_MTU + HEADER + PREAMBLE)
#define QUEUE 4096 /* usual packets of full length that may wait for a cable */
#define CREDIT_NS 128000
#define TRIES 4
#define RINGS 100 /* of a timer, to measure how late they come */
#define RING_NS 100000
/* Timers are taken to be no later than this, and shorter times on a cable without a delay to be
 * none. Else a packet would take this time now and none a minute later. */
#define LATEST_NS 25000
#define STEP_NS 100   /* by which a packet changes what is known of timers */
#define QUICK_NS 4000 /* that a filler takes when nothing interrupts it */

/* What the program knows of packets from one port to another. */
struct pair {
    int64_t delay_ns;
    int64_t early_ns; /* the lateness of timers: so much earlier are packets due */
    uint64_t ready;   /* when the class of this pair will have paid for what is in its queue */
    uint32_t lost;
    uint32_t device; /* of the target */
};

/* Until when the cable of a port is busy. */
struct cable {
    uint64_t sending, receiving;
};

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "line: %s%s: %s\n", what, which, strerror(errno));
    exit(1);
}

static int bpf(enum bpf_cmd command, union bpf_attr *attributes)
{
    return (int)syscall(__NR_bpf, command, attributes, sizeof *attributes);
}

/* ---- The program ---- */

/* On the stack; DUE is 0 for packets that need no timer. IP: from the type of the packet to its
 * length. */
enum { MACS = -16, KEY = -20, NOW = -32, FROM = -40, TO = -48, LENGTH = -56, DUE = -64, IP = -72 };

enum { TYPE_AT = 12, IP_TYPE = 0x0800, TRAILER = 8 };

#define SKB(member) offsetof(struct __sk_buff, member)
#define PAIR(member) offsetof(struct pair, member)
#define CABLE(member) offsetof(struct cable, member)

/* r0 = the address of the value that has the key on the stack. */
static void look_up(int map)
{
    set_map(R1, map);
    set(R2, FRAME);
    compute(BPF_ADD, R2, KEY);
    call(BPF_FUNC_map_lookup_elem);
    drop(jump_if(BPF_JEQ, R0, 0));
}

/* Bytes of the packet, from the one with number r2 on, to this place of the stack. */
static void copy_bytes(int place, int count)
{
    set(R1, R6);
    set(R3, FRAME);
    compute(BPF_ADD, R3, place);
    set_number(R4, count);
    call(BPF_FUNC_skb_load_bytes);
    drop(jump_if(BPF_JNE, R0, 0));
}

/* r7 = the pair of ports, r6 the packet. */
static void find_pair(int pairs)
{
    set_number(R2, 0);
    copy_bytes(MACS, 12);
    load(BPF_W, R1, FRAME, MACS);
    emit(BPF_ALU | BPF_END | BPF_TO_BE, R1, 0, 0, 32);
    drop(jump_if(BPF_JNE, R1, 0x02000000));
    load(BPF_B, R1, FRAME, MACS + 4);
    drop(jump_if(BPF_JNE, R1, 0));
    load(BPF_B, R2, FRAME, MACS + 5);
    drop(jump_if(BPF_JGT, R2, port_count));
    load(BPF_B, R1, FRAME, MACS + 11);
    drop(jump_if(BPF_JGT, R1, port_count));
    store(BPF_DW, FRAME, FROM, R1);
    store(BPF_DW, FRAME, TO, R2);
    compute(BPF_MUL, R1, port_count + 1);
    compute_with(BPF_ADD, R1, R2);
    store(BPF_W, FRAME, KEY, R1);
    look_up(pairs);
    set(R7, R0);
    load(BPF_W, R1, R7, PAIR(device));
    drop(jump_if(BPF_JEQ, R1, 0)); /* port 0 */
}

static void lose(void)
{
    load(BPF_W, R8, R7, PAIR(lost));
    int never = jump_if(BPF_JEQ, R8, 0);
    call(BPF_FUNC_get_prandom_u32);
    drop(jump_if_register(BPF_JLT, R0, R8));
    land(never);
}

/* r9 = when the packet has left the cable of its host and come into that of the target. Two
 * processors may do so at once; then the cable transmits two packets at a time, which is rare. */
static void transmit(int cables)
{
    load(BPF_DW, R1, FRAME, FROM);
    store(BPF_W, FRAME, KEY, R1);
    look_up(cables);
    set(R8, R0);
    load(BPF_DW, R1, FRAME, TO);
    store(BPF_W, FRAME, KEY, R1);
    look_up(cables);
    load(BPF_DW, R1, R8, CABLE(sending));
    raise_to(R9, R1);
    load(BPF_DW, R1, R0, CABLE(receiving));
    raise_to(R9, R1);
    load(BPF_DW, R1, FRAME, LENGTH);
    compute(BPF_ADD, R1, PREAMBLE);
    set_long(R2, (uint64_t)(ns_per_byte * 65536));
    compute_with(BPF_MUL, R1, R2);
    compute(BPF_RSH, R1, 16);
    compute_with(BPF_ADD, R9, R1);
    store(BPF_DW, R8, CABLE(sending), R9);
    store(BPF_DW, R0, CABLE(receiving), R9);
    load(BPF_DW, R1, FRAME, NOW);
    set(R2, R9);
    compute_with(BPF_SUB, R2, R1);
    set_long(R1, (uint64_t)(QUEUE * PACKET * ns_per_byte));
    drop(jump_if_register(BPF_JSGT, R2, R1));
}

/* What is over before a timer can ring is over now. */
static void forget_short_time(void)
{
    load(BPF_DW, R1, FRAME, NOW);
    set(R2, R1);
    compute(BPF_ADD, R2, LATEST_NS);
    int longer = jump_if_register(BPF_JSGE, R9, R2);
    set(R9, R1);
    land(longer);
}

/* Makes the packet that long. */
static void resize(void)
{
    set(R1, R6);
    set_number(R3, 0);
    call(BPF_FUNC_skb_change_tail);
    drop(jump_if(BPF_JNE, R0, 0));
}

static void send_copy(void)
{
    set(R1, R6);
    load(BPF_W, R2, R7, PAIR(device));
    set_number(R3, 0);
    call(BPF_FUNC_clone_redirect);
}

/* Makes the class and the pair agree, if there has been nothing in the queue for long: since then
 * the class has saved no credit. A filler of one unit tells when it found that out: while
 * send_copy() ran, unless that was interrupted. Without it, what computes here would be early by
 * all that happens until the class looks, and stay so as long as there is something in the queue
 * now and then. */
static void synchronize(int unit_ns)
{
    int done[TRIES];
    load(BPF_DW, R1, R7, PAIR(ready));
    load(BPF_DW, R2, FRAME, NOW);
    compute(BPF_SUB, R2, CREDIT_NS);
    int busy = jump_if_register(BPF_JGT, R1, R2);
    set_number(R2, LONGEST + 1);
    resize();
    for (int i = 0; i < TRIES; i++) {
        call(BPF_FUNC_ktime_get_ns);
        set(R8, R0);
        send_copy();
        call(BPF_FUNC_ktime_get_ns);
        compute_with(BPF_SUB, R8, R0);
        done[i] = jump_if(BPF_JSGT, R8, -QUICK_NS);
    }
    for (int i = 0; i < TRIES; i++)
        land(done[i]);
    compute(BPF_ADD, R0, unit_ns - CREDIT_NS);
    store(BPF_DW, R7, PAIR(ready), R0);
    land(busy);
}

/* r8 = how many units of time the class has to pay before the packet, which is due at r9. */
static void charge(int unit_ns)
{
    int done[TRIES];
    for (int i = 0; i < TRIES; i++) {
        load(BPF_DW, R0, R7, PAIR(ready));
        load(BPF_DW, R1, FRAME, NOW);
        compute(BPF_SUB, R1, CREDIT_NS);
        raise_to(R1, R0); /* a class saves no more credit */
        set(R8, R9);
        compute_with(BPF_SUB, R8, R1);
        compute(BPF_ADD, R8, unit_ns / 2);
        int ahead = jump_if(BPF_JSGE, R8, 0);
        set_number(R8, 0);
        land(ahead);
        compute(BPF_DIV, R8, unit_ns);
        set(R2, R8);
        compute(BPF_ADD, R2, 1); /* the packet itself */
        compute(BPF_MUL, R2, unit_ns);
        compute_with(BPF_ADD, R2, R1);
        set(R3, R0);
        emit(BPF_STX | BPF_ATOMIC | BPF_DW, R7, R2, PAIR(ready), BPF_CMPXCHG);
        done[i] = jump_if_register(BPF_JEQ, R0, R3);
    }
    for (int i = 0; i < TRIES; i++)
        land(done[i]);
}

/* A packet that is due needs no filler; if others wait, it comes after them. The jump to where it
 * is sent. */
static int pass_if_due(int unit_ns)
{
    load(BPF_DW, R1, FRAME, NOW);
    int later = jump_if_register(BPF_JSGT, R9, R1);
    load(BPF_DW, R2, R7, PAIR(ready));
    compute(BPF_SUB, R1, CREDIT_NS);
    int idle = jump_if_register(BPF_JLE, R2, R1);
    compute(BPF_ADD, R2, unit_ns);
    store(BPF_DW, R7, PAIR(ready), R2);
    land(idle);
    int due = jump();
    land(later);
    return due;
}

/* In front of the packet, of r8 units. */
static void send_fillers(void)
{
    int none = jump_if(BPF_JEQ, R8, 0);
    int few = jump_if(BPF_JLE, R8, MOST_UNITS);
    set(R1, R6);
    set_number(R2, LONGEST + MOST_UNITS);
    resize();
    set_number(R9, MOST_FILLERS);
    int again = length;
    send_copy();
    compute(BPF_SUB, R8, MOST_UNITS);
    compute(BPF_SUB, R9, 1);
    int enough = jump_if(BPF_JLE, R8, MOST_UNITS);
    jump_back_if(BPF_JNE, R9, 0, again);
    set_number(R8, MOST_UNITS);
    land(few);
    land(enough);
    set(R2, R8);
    compute(BPF_ADD, R2, LONGEST);
    resize();
    send_copy();
    land(none);
    load(BPF_DW, R2, FRAME, LENGTH);
    resize();
}

/* r9 = when the class is to send the packet, which is due at r9. */
static void be_early(void)
{
    load(BPF_DW, R1, R7, PAIR(early_ns));
    set(R2, R9);
    compute_with(BPF_SUB, R9, R1);
    load(BPF_DW, R1, FRAME, NOW);
    compute(BPF_ADD, R1, QUICK_NS);
    int timed = jump_if_register(BPF_JSGE, R9, R1);
    set_number(R2, 0);
    land(timed);
    store(BPF_DW, FRAME, DUE, R2);
}

/* Writes behind the packet when it is due, unless that makes it too long. IP cuts that off. */
static void write_due(void)
{
    load(BPF_DW, R1, FRAME, DUE);
    int at_once = jump_if(BPF_JEQ, R1, 0);
    load(BPF_DW, R2, FRAME, LENGTH);
    int too_long = jump_if(BPF_JGT, R2, LONGEST - TRAILER);
    compute(BPF_ADD, R2, TRAILER);
    resize();
    set(R1, R6);
    load(BPF_DW, R2, FRAME, LENGTH);
    set(R3, FRAME);
    compute(BPF_ADD, R3, DUE);
    set_number(R4, TRAILER);
    set_number(R5, 0);
    call(BPF_FUNC_skb_store_bytes);
    drop(jump_if(BPF_JNE, R0, 0));
    land(at_once);
    land(too_long);
}

static void begin_program(int pairs)
{
    length = drop_count = 0;
    set(R6, R1);
    load(BPF_W, R1, R6, SKB(len));
    store(BPF_DW, FRAME, LENGTH, R1);
    find_pair(pairs);
}

/* What happens to packets by default, and to those for which drop() was called. */
static void end_program(int usual, int dropped)
{
    set_number(R0, usual);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    for (int i = 0; i < drop_count; i++)
        land(drops[i]);
    set_number(R0, dropped);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void write_program(int pairs, int cables, int unit_ns)
{
    begin_program(pairs);
    lose();
    call(BPF_FUNC_ktime_get_ns);
    store(BPF_DW, FRAME, NOW, R0);
    set(R9, R0);
    if (ns_per_byte > 0) {
        transmit(cables);
        if (delay_ns < LATEST_NS)
            forget_short_time();
    }
    load(BPF_DW, R1, R7, PAIR(delay_ns));
    compute_with(BPF_ADD, R9, R1);
    be_early();
    load(BPF_DW, R1, FRAME, FROM);
    compute(BPF_OR, R1, 1 << 16);
    store(BPF_W, R6, SKB(priority), R1); /* the class */
    int due = pass_if_due(unit_ns);
    synchronize(unit_ns);
    charge(unit_ns);
    send_fillers();
    write_due();
    land(due);
    /* Not the packet itself: it still counts as being in a queue of the sender, and TCP sends no
     * more than two such packets. */
    send_copy();
    end_program(TC_ACT_STOLEN, TC_ACT_SHOT);
}

/* For packets that come to a host: learns from them how late timers are. In steps of one size, so
 * that half of the packets come early and half late, and a few that come very late do not count. */
static void write_watcher(int pairs)
{
    begin_program(pairs);
    set_number(R2, TYPE_AT);
    copy_bytes(IP, 6);
    load(BPF_H, R1, FRAME, IP);
    emit(BPF_ALU | BPF_END | BPF_TO_BE, R1, 0, 0, 16);
    drop(jump_if(BPF_JNE, R1, IP_TYPE));
    load(BPF_H, R1, FRAME, IP + 4);
    emit(BPF_ALU | BPF_END | BPF_TO_BE, R1, 0, 0, 16);
    load(BPF_DW, R2, FRAME, LENGTH);
    compute(BPF_SUB, R2, TRAILER);
    set(R3, R2);
    compute(BPF_SUB, R3, HEADER);
    drop(jump_if_register(BPF_JNE, R3, R1)); /* nothing is behind the packet */
    copy_bytes(DUE, TRAILER);
    call(BPF_FUNC_ktime_get_ns);
    load(BPF_DW, R1, FRAME, DUE);
    load(BPF_DW, R2, R7, PAIR(early_ns));
    compute(BPF_ADD, R2, STEP_NS);
    int late = jump_if_register(BPF_JSGT, R0, R1);
    compute(BPF_SUB, R2, 2 * STEP_NS);
    land(late);
    drop(jump_if(BPF_JSLT, R2, 0));
    drop(jump_if(BPF_JSGT, R2, LATEST_NS));
    store(BPF_DW, R7, PAIR(early_ns), R2);
    end_program(TC_ACT_UNSPEC, TC_ACT_UNSPEC);
}

/* ---- The kernel ---- */

static int make_map(size_t value, int count)
{
    union bpf_attr attributes = {0};
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = (uint32_t)value;
    attributes.max_entries = (uint32_t)count;
    int map = bpf(BPF_MAP_CREATE, &attributes);
    if (map < 0)
        fail("no maps for BPF", "");
    return map;
}

static void store_pair(int map, int from, int to, int64_t early_ns, uint32_t device)
{
    struct pair pair = {.delay_ns = delay_ns + slower_ns[from][to],
                        .early_ns = early_ns,
                        .lost = lost[from][to],
                        .device = device};
    uint32_t key = (uint32_t)(from * (port_count + 1) + to);
    union bpf_attr attributes = {0};
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uintptr_t)&key;
    attributes.value = (uintptr_t)&pair;
    if (bpf(BPF_MAP_UPDATE_ELEM, &attributes) != 0)
        fail("cannot write to a map for BPF", "");
}

static void load_program(const char *folder, const char *name)
{
    static char text[65536], path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    union bpf_attr attributes = {0};
    attributes.prog_type = BPF_PROG_TYPE_SCHED_CLS;
    attributes.insns = (uintptr_t)code;
    attributes.insn_cnt = (uint32_t)length;
    attributes.license = (uintptr_t) "GPL";
    int program = bpf(BPF_PROG_LOAD, &attributes);
    if (program < 0 && errno == EACCES) {
        attributes.log_buf = (uintptr_t)text;
        attributes.log_size = sizeof text;
        attributes.log_level = 1;
        bpf(BPF_PROG_LOAD, &attributes);
        fprintf(stderr, "%s", text);
        errno = EACCES;
    }
    if (program < 0)
        fail("the kernel does not take the program", "");
    union bpf_attr pin = {0};
    pin.pathname = (uintptr_t)path;
    pin.bpf_fd = (uint32_t)program;
    if (bpf(BPF_OBJ_PIN, &pin) != 0)
        fail("cannot keep the program in ", path);
}

static volatile int64_t rang;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void ring(int number)
{
    (void)number;
    rang = now_ns();
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How late timers of the kernel go off on a processor that works: on virtual machines 10 us or
 * more. The lower quartile, and with priority: others may take the processor away from this. */
static int64_t measure_lateness(void)
{
    int64_t late[RINGS];
    timer_t timer;
    const struct sched_param priority = {.sched_priority = 10}, usual = {0};
    sched_setscheduler(0, SCHED_FIFO, &priority);
    signal(SIGALRM, ring);
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0)
        fail("no timer", "");
    for (int i = 0; i < RINGS; i++) {
        int64_t due = now_ns() + RING_NS;
        const struct itimerspec when = {.it_value = {due / 1000000000, due % 1000000000}};
        rang = 0;
        timer_settime(timer, TIMER_ABSTIME, &when, NULL);
        while (!rang)
            continue;
        late[i] = rang - due;
    }
    timer_delete(timer);
    sched_setscheduler(0, SCHED_OTHER, &usual);
    qsort(late, RINGS, sizeof *late, by_size);
    return late[RINGS / 4] < LATEST_NS ? late[RINGS / 4] : LATEST_NS;
}

/* The time that one byte of a filler costs: such that in front of most packets one filler is
 * enough. A divisor of a second, so that the kernel computes with the same. */
static int choose_unit(void)
{
    int64_t longest = 0;
    for (int a = 1; a <= port_count; a++)
        for (int b = 1; b <= port_count; b++)
            if (slower_ns[a][b] > longest)
                longest = slower_ns[a][b];
    double one = (double)(longest + delay_ns + CREDIT_NS) / MOST_UNITS;
    double all = one / MOST_FILLERS + QUEUE * PACKET * ns_per_byte / MOST_UNITS / MOST_FILLERS;
    double least = one > all ? one : all;
    for (int ten = 10; ten <= 10000000; ten *= 10)
        for (int i = 0; i < 3; i++)
            if (ten * (int[]){1, 2, 5}[i] >= least)
                return ten * (int[]){1, 2, 5}[i];
    errno = ERANGE;
    fail("such a delay or rate", "");
}

static int usage(void)
{
    fprintf(stderr,
            "usage: line [-s PORT:PORT:US] [-l PORT:PORT:PERCENT] [-m MTU] [-e US] DELAY_US "
            "RATE_MBIT FOLDER DEVICE...\n");
    return 2;
}

int main(int argc, char **argv)
{
    char **words = read_command_line(argc, argv);
    if (!words)
        return usage();
    char **devices = words + 1;
    int unit_ns = choose_unit();
    int64_t early_ns = late_ns < 0 ? measure_lateness() : late_ns;

    int pairs = make_map(sizeof(struct pair), (port_count + 1) * (port_count + 1));
    int cables = make_map(sizeof(struct cable), port_count + 1);
    for (int to = 1; to <= port_count; to++) {
        uint32_t device = if_nametoindex(devices[to - 1]);
        if (!device)
            fail("no device ", devices[to - 1]);
        for (int from = 1; from <= port_count; from++)
            store_pair(pairs, from, to, early_ns, device);
    }
    write_program(pairs, cables, unit_ns);
    load_program(words[0], "line");
    write_watcher(pairs);
    load_program(words[0], "watch");

    for (int to = 0; to < port_count; to++) {
        const char *device = devices[to];
        printf("qdisc add dev %s root handle 1: stab overhead %d htb\n", device, -LONGEST);
        for (int from = 1; from <= port_count; from++)
            printf("class add dev %s parent 1: classid 1:%x htb rate %dbps burst %d cburst %d "
                   "quantum 1000\n",
                   device, (unsigned)from, 1000000000 / unit_ns, CREDIT_NS / unit_ns,
                   CREDIT_NS / unit_ns);
        printf("qdisc add dev %s clsact\n", device);
        printf("filter add dev %s ingress bpf direct-action object-pinned %s/line\n", device,
               words[0]);
    }
    return 0;
}
