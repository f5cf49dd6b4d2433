/*
 * skampi's own communication on very many PEs, in one process and in virtual time:
 *
 *     many_pes CALLS PES PES_PER_NODE
 *
 * Each PE is a coroutine. It runs the product's own code: comm.c, nodes.c, start.c, hand_over.c and
 * sync.c are compiled into this file, and a message layer that counts messages takes the place of
 * OpenSHMEM below them. What the engine calls between the start and the end is played from CALLS,
 * lines "step NAME" and "broadcast|reduction|gather|scan|dissemination BYTES all|set|nodes"; a step
 * is engine, point or end, which a real run has printed
 * (-d 256). Prints a line for each step: its name, messages and bytes of all PEs, most messages
 * that a PE sends, virtual seconds, bytes that a PE gets at most.
 *
 * Costs: a message leaves after OVERHEAD and its bytes, and arrives LATENCY later; its receiver
 * needs OVERHEAD. As over OpenSHMEM, the next message on a link waits until the one before is
 * acknowledged.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#undef SKAMPI_MPI
#define SKAMPI_MPI 0
/* Hosts are told apart by their name alone. */
#define gethostname simulated_hostname
static int simulated_hostname(char *name, size_t size);

#include "clock/sync.c"
#include "comm/comm.c"
#include "comm/hand_over.c"
#include "comm/nodes.c"
#include "comm/start.c"

#define STACK_BYTES (32 << 10)
#define MOST_CALLS 1000
#define MOST_STEPS 16
/* Seconds; of a message between nodes, and within one. */
#define OVERHEAD 0.2e-6
#define LATENCY 1e-6
#define LATENCY_WITHIN 0.2e-6
#define SECONDS_PER_BYTE 0.1e-9
#define READING 20e-9
#define POLL 100e-6
/* Ports of signals come after those of messages. */
#define SIGNALS 1000

struct message {
    struct message *next;
    int from, key; /* key: port and group */
    int64_t number;
    double arrival;
    size_t bytes;
    char data[];
};

/* When the last message on a link was taken. */
struct ack {
    struct ack *next;
    int key;
    double time;
};

/* The product's state is one per process, so it is exchanged with the PE. */
struct state {
    __typeof__(comm) comm;
    __typeof__(nodes) nodes;
    __typeof__(near) near;
    __typeof__(own) own;
};

struct simulated {
    jmp_buf place; /* where it goes on */
    struct state state;
    double now; /* true time */
    struct message *inbox;
    struct ack *acks;
    struct {
        int64_t word;
        double arrival;
    } words[2];
    bool begun, waiting;
    int step;
    int64_t sent, got_bytes; /* in this step */
};

static struct step {
    char name[64];
    int64_t messages, bytes, most_sent, most_got;
    double ends;
} steps[MOST_STEPS];
static int step_count;

static struct call {
    int step; /* to which it belongs */
    char what, where;
    size_t bytes;
} calls[MOST_CALLS];
static size_t call_count;

static int pes, per_node;
static struct simulated *all, *self;
static char *stacks;
static jmp_buf scheduler;
static int *queue; /* PEs that can go on; a ring */
static size_t queue_first, queue_count;

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "many_pes: PE %td: %s\n", self ? self - all : -1, what);
    exit(1);
}

/* ---- Coroutines ---- */

static void enqueue(int pe)
{
    all[pe].waiting = false;
    queue[(queue_first + queue_count++) % (size_t)pes] = pe;
}

static void wait_for_others(void)
{
    self->waiting = true;
    if (_setjmp(self->place) == 0)
        _longjmp(scheduler, 1);
}

static void wake(int pe)
{
    if (all[pe].waiting)
        enqueue(pe);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- The clock: wrong by another offset on each node ---- */

static int64_t read_clock(void)
{
    self->now += READING;
    return (int64_t)((self->now + 10 + (self - all) / per_node % 97) * 1e9);
}

static struct timer simulated_timer = {
    .name = "simulated", .now = read_clock, .ticks_per_second = 1e9, .shared = true};
struct timer *timer_in_use = &simulated_timer;
bool timer_is_tsc = false;

int64_t timer_ticks(double seconds)
{
    return (int64_t)(seconds * simulated_timer.ticks_per_second);
}

/* ---- Links ---- */

static double latency_to(int pe)
{
    return pe / per_node == (self - all) / per_node ? LATENCY_WITHIN : LATENCY;
}

/* Sends; returns when it arrives. */
static double send_bytes(int to_pe, size_t bytes)
{
    self->now += OVERHEAD + (double)bytes * SECONDS_PER_BYTE;
    self->sent++;
    steps[self->step].messages++;
    steps[self->step].bytes += (int64_t)bytes;
    return self->now + latency_to(to_pe);
}

static struct message **find(struct simulated *pe, int from, int key)
{
    struct message **place = &pe->inbox;
    while (*place && ((*place)->from != from || (*place)->key != key))
        place = &(*place)->next;
    return place;
}

static void deliver(int to_pe, int key, int64_t number, const void *data, size_t bytes)
{
    struct message *message = memory_allocate(sizeof *message + bytes);
    *message = (struct message){.from = comm_pe(),
                                .key = key,
                                .number = number,
                                .arrival = send_bytes(to_pe, bytes),
                                .bytes = bytes};
    if (bytes)
        memcpy(message->data, data, bytes);
    struct message **end = &all[to_pe].inbox;
    while (*end)
        end = &(*end)->next;
    *end = message;
    wake(to_pe);
}

static void take_message(int from_pe, int key, int64_t number, void *data, size_t bytes)
{
    struct message **place;
    while (!*(place = find(self, from_pe, key)))
        wait_for_others();
    struct message *message = *place;
    if (message->number != number || message->bytes != bytes)
        broken("another message than was expected");
    self->now = later(self->now, message->arrival) + OVERHEAD;
    self->got_bytes += (int64_t)bytes;
    if (bytes)
        memcpy(data, message->data, bytes);
    *place = message->next;
    free(message);
}

static int key_of(bool world, int port)
{
    return 2 * port + world;
}

static struct ack *ack_of(struct simulated *pe, int key)
{
    struct ack *ack = pe->acks;
    while (ack && ack->key != key)
        ack = ack->next;
    if (!ack) {
        ack = memory_zeroed(1, sizeof *ack);
        *ack = (struct ack){pe->acks, key, 0};
        pe->acks = ack;
    }
    return ack;
}

void link_send(int to_pe, const struct link_end *end, bool first, const void *data, size_t bytes)
{
    int key = key_of(end->world, end->port);
    while (!first && *find(&all[to_pe], comm_pe(), key))
        wait_for_others();
    if (!first)
        self->now = later(self->now, ack_of(self, key_of(end->world, end->ack))->time);
    deliver(to_pe, key, end->number, data, bytes);
}

void link_receive(int from_pe, const struct link_end *end, void *data, size_t bytes)
{
    take_message(from_pe, key_of(end->world, end->port), end->number, data, bytes);
    ack_of(&all[from_pe], key_of(end->world, end->ack))->time = self->now + latency_to(from_pe);
    wake(from_pe);
}

void link_signal(int to_pe, bool world, int round, int64_t number)
{
    deliver(to_pe, key_of(world, SIGNALS + round), number, NULL, 0);
}

void link_await_signal(int from_pe, bool world, int round, int64_t number)
{
    take_message(from_pe, key_of(world, SIGNALS + round), number, NULL, 0);
}

void comm_word_send(int to_pe, enum comm_word channel, int64_t word)
{
    if (all[to_pe].words[channel].word)
        broken("a word would overwrite another one");
    all[to_pe].words[channel].word = word;
    all[to_pe].words[channel].arrival = send_bytes(to_pe, sizeof word);
    wake(to_pe);
}

int64_t comm_word_receive(enum comm_word channel)
{
    while (self->words[channel].word == 0)
        wait_for_others();
    int64_t word = self->words[channel].word;
    self->words[channel].word = 0;
    self->now = later(self->now, self->words[channel].arrival) + OVERHEAD;
    return word;
}

/* ---- What else the product asks of a library and of the machine ---- */

int comm_pe(void)
{
    return (int)(self - all);
}

int comm_pes(void)
{
    return pes;
}

void comm_poll(void)
{
    self->now += POLL;
}

static int simulated_hostname(char *name, size_t size)
{
    /* Digits, since printf() takes more of a stack than all else. */
    size_t at = 0;
    for (ptrdiff_t node = (self - all) / per_node; node > 0 && at + 1 < size; node /= 10)
        name[at++] = (char)('0' + node % 10);
    name[at] = '\0';
    return 0;
}

size_t link_start(int *argc, char ***argv, struct library_start *cost)
{
    (void)argc, (void)argv, (void)cost;
    return 0;
}

bool link_attach(void)
{
    return true;
}

double link_finish(void)
{
    return 0;
}

_Noreturn void comm_abort(int status)
{
    (void)status;
    broken("aborted");
}

const char *comm_library(void)
{
    return "simulated";
}

/* No shared memory, and nobody dies. */
void comm_yield(unsigned turn)
{
}

void yield_enable(bool sharing)
{
}

void comm_quiet(void)
{
}

void *tally_offer(size_t bytes, struct tally_offer *offer)
{
    *offer = (struct tally_offer){0, -1};
    return NULL;
}

void last_words_close(void)
{
}

void last_words_listen(struct last_words_place *place)
{
}

void last_words_know(const struct last_words_place *place, int pe)
{
}

void board_create(size_t places, struct tally_offer *offer)
{
}

void board_join(const struct tally_offer *offer, size_t places, int place, int pe)
{
}

/* ---- What a PE does ---- */

static void end_step(void)
{
    struct step *step = &steps[self->step++];
    if (self->sent > step->most_sent)
        step->most_sent = self->sent;
    if (self->got_bytes > step->most_got)
        step->most_got = self->got_bytes;
    step->ends = later(step->ends, self->now);
    self->sent = self->got_bytes = 0;
}

static void keep_left(void *left, const void *right)
{
    (void)left, (void)right;
}

static const struct pe_group *group_of(const struct call *call)
{
    static struct pe_group set;
    set = pe_group_strided(0, 1, pes);
    return call->where == 'a' ? comm_world() : call->where == 's' ? &set : comm_node_leaders();
}

static void play(const struct call *call)
{
    const struct pe_group *group = group_of(call);
    bool root = comm_pe() == 0;
    if (pe_group_rank_of(group, comm_pe()) < 0)
        return;
    char *data = memory_zeroed(call->bytes + 1, 1);
    switch (call->what) {
    case 'b':
        comm_broadcast(group, data, call->bytes);
        break;
    case 'r':
        comm_allreduce_int(group, COMM_MAX, (int64_t *)(void *)data, call->bytes / 8);
        break;
    case 'g': {
        char *gathered = root ? memory_zeroed((size_t)group->size, call->bytes) : NULL;
        comm_gather(group, data, call->bytes, gathered);
        free(gathered);
        break;
    }
    case 's':
        comm_scan(group, data, call->bytes, keep_left);
        break;
    case 'd':
        comm_dissemination_barrier(group);
        break;
    default:
        broken("unknown collective");
    }
    free(data);
}

/* The calls of one step. */
static void play_step(const char *name)
{
    char where = 'a';
    if (strcmp(name, steps[self->step].name) != 0)
        broken("steps in another order");
    for (size_t i = 0; i < call_count; i++) {
        if (calls[i].step != self->step)
            continue;
        if (calls[i].where != where && calls[i].where != 'a')
            comm_enter(group_of(&calls[i]));
        where = calls[i].where;
        play(&calls[i]);
    }
}

static void be_a_pe(void)
{
    const struct clock_rules rules = {CLOCK_SYNC_DEFAULT, 100, 20, 10, 0.2, 1};
    struct sync_report report;
    comm_start(NULL, NULL);
    end_step();
    play_step("engine");
    end_step();
    sync_synchronize(&rules, &report);
    if (pes > per_node && report.algorithm != CLOCK_SYNC_HCA)
        broken("clocks of nodes differ, but nobody saw it");
    end_step();
    play_step("point");
    end_step();
    play_step("end");
    comm_finish();
    end_step();
    free(own.history);
    _longjmp(scheduler, 1);
}

/* ---- All of them ---- */

/* On a stack of its own. Only the first switch needs a context, which also saves the mask of
 * signals by a system call. */
static _Noreturn void begin_pe(void)
{
    ucontext_t context;
    self->begun = true;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + (size_t)comm_pe() * STACK_BYTES;
    context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&context, be_a_pe, 0);
    setcontext(&context);
    broken("cannot begin");
}

static void switch_to(struct simulated *pe)
{
    self = pe;
    comm = pe->state.comm;
    nodes = pe->state.nodes;
    near = pe->state.near;
    own = pe->state.own;
    if (_setjmp(scheduler) == 0) {
        if (!pe->begun)
            begin_pe();
        _longjmp(pe->place, 1);
    }
    self->state = (struct state){comm, nodes, near, own};
}

static void run_all(void)
{
    all = memory_zeroed((size_t)pes, sizeof *all);
    queue = memory_zeroed((size_t)pes, sizeof *queue);
    stacks = mmap(NULL, (size_t)pes * STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        broken("no memory for so many PEs");
    const struct state fresh = {comm, nodes, near, own};
    for (int pe = 0; pe < pes; pe++) {
        all[pe].state = fresh;
        enqueue(pe);
    }
    while (queue_count > 0) {
        struct simulated *next = &all[queue[queue_first]];
        queue_first = (queue_first + 1) % (size_t)pes;
        queue_count--;
        switch_to(next);
    }
    for (int pe = 0; pe < pes; pe++)
        if (all[pe].step != step_count)
            broken("some PEs wait for ever");
}

static void read_calls(const char *path)
{
    static const char *const names[] = {"start", "engine", "synchronization", "point", "end"};
    char what[32], rest[32], where[32] = "";
    FILE *file = fopen(path, "r");
    int step = 0;
    for (; step_count < 5; step_count++)
        strcpy(steps[step_count].name, names[step_count]);
    while (file && fscanf(file, "%31s %31s", what, rest) == 2) {
        if (strcmp(what, "step") == 0) {
            for (step = 0; step < step_count && strcmp(steps[step].name, rest) != 0;)
                step++;
            continue;
        }
        if (fscanf(file, "%31s", where) != 1 || call_count == MOST_CALLS || step == step_count)
            broken("cannot read calls");
        calls[call_count++] = (struct call){step, what[0], where[0], strtoul(rest, NULL, 10)};
    }
    if (!file)
        broken("no file of calls");
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 4 || (pes = atoi(argv[2])) < 1 || (per_node = atoi(argv[3])) < 1)
        broken("needs a file of calls, the number of PEs, and that of a node");
    read_calls(argv[1]);
    run_all();
    double before = 0;
    for (int i = 0; i < step_count; i++) {
        printf("%s %lld %lld %lld %lld %.9g\n", steps[i].name, (long long)steps[i].messages,
               (long long)steps[i].bytes, (long long)steps[i].most_sent,
               (long long)steps[i].most_got, steps[i].ends - before);
        before = steps[i].ends;
    }
    return 0;
}
