#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "support/stub/simulated_pes.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"

#define READING_SECONDS 20e-9
#define POLL_SECONDS 100e-6
#define MESSAGE_SECONDS 30e-9
#define SLOT_BYTES 128
#define CHANNELS 2
#define TIME_LIMIT 60

static const double rates[] = {1e9, 2.6e9}; /* of two kinds of machine */

struct message {
    int64_t word;
    double arrival;
};

/* Shared by all processes; the rest is each one's own. */
struct meeting {
    pthread_barrier_t barrier;
    struct {
        double time;
        unsigned char bytes[SLOT_BYTES];
    } slots[SIMULATED_MOST];
};

static const struct simulated_pes *world;
static struct meeting *meeting;
static int pipes[SIMULATED_MOST][CHANNELS][2];
static int self;
static double now; /* true time, seconds */

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "simulated PE %d: %s\n", self, what);
    _exit(3);
}

/* ---- Clocks ---- */

static struct timer simulated_timer = {.name = "simulated"};
struct timer *timer_in_use = &simulated_timer;
bool timer_is_tsc = false;

/* From -1 to 1, the same whoever asks. */
static double fixed(int number, int salt)
{
    uint32_t x = (uint32_t)number * 2654435761u + (uint32_t)salt * 40503u + 1;
    for (int i = 0; i < 5; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return (double)x / UINT32_MAX * 2 - 1;
}

static int clock_of(int pe)
{
    return world->shared ? pe / world->pes_per_node : pe;
}

static double rate_of(int pe)
{
    return rates[clock_of(pe) % 2];
}

static int64_t reading(int pe, double time)
{
    int clock = clock_of(pe);
    double wrong = 100 + world->offsets * fixed(clock, 1);
    double drift = clock == 0 ? 0 : world->drifts * fixed(clock, 2);
    return (int64_t)llround((time + wrong + drift * time) * rate_of(pe));
}

static int64_t read_clock(void)
{
    now += READING_SECONDS;
    return reading(self, now);
}

int64_t timer_ticks(double seconds)
{
    return (int64_t)(seconds * timer_in_use->ticks_per_second);
}

void simulated_sleep(double seconds)
{
    now += seconds;
}

double simulated_error(void)
{
    return (double)(sync_to_global(reading(self, now)) - reading(0, now)) / rate_of(0);
}

/* ---- Communication ---- */

int comm_pe(void)
{
    return self;
}

int comm_pes(void)
{
    return world->pes;
}

const struct pe_group *comm_world(void)
{
    static struct pe_group group;
    group = pe_group_strided(0, 1, world->pes);
    return &group;
}

int comm_node_of(int pe)
{
    return pe / world->pes_per_node;
}

int comm_node_count(void)
{
    return comm_node_of(world->pes - 1) + 1;
}

const struct pe_group *comm_node_leaders(void)
{
    static struct pe_group group;
    group = pe_group_strided(0, world->pes_per_node, comm_node_count());
    return &group;
}

const struct pe_group *comm_own_node(void)
{
    static struct pe_group group;
    int first = self / world->pes_per_node * world->pes_per_node, behind = world->pes - first;
    group = pe_group_strided(first, 1, behind < world->pes_per_node ? behind : world->pes_per_node);
    return &group;
}

void comm_poll(void)
{
    now += POLL_SECONDS;
}

void comm_yield(unsigned turn)
{
    (void)turn;
}

_Noreturn void comm_abort(int status)
{
    (void)status;
    broken("aborted");
}

static double delay_to(int pe)
{
    double delay = world->delay * (comm_node_of(pe) == comm_node_of(self) ? 0.1 : 1);
    delay *= 1 + world->asymmetry * (pe > self ? 1 : -1);
    delay += world->jitter * rand() / RAND_MAX;
    if (rand() % 20 == 0)
        delay += world->interruptions * rand() / RAND_MAX;
    return delay;
}

void comm_word_send(int to_pe, enum comm_word channel, int64_t word)
{
    now += MESSAGE_SECONDS;
    struct message message = {word, now + delay_to(to_pe)};
    if (write(pipes[to_pe][channel][1], &message, sizeof message) != sizeof message)
        broken("cannot send");
}

int64_t comm_word_receive(enum comm_word channel)
{
    struct message message;
    if (read(pipes[self][channel][0], &message, sizeof message) != sizeof message)
        broken("cannot receive");
    now = fmax(now, message.arrival) + MESSAGE_SECONDS;
    return message.word;
}

/* All come, leave something, and look at what the others left; time goes on together. */
static void meet(const void *mine, size_t bytes)
{
    if (bytes > SLOT_BYTES)
        broken("raise SLOT_BYTES");
    meeting->slots[self].time = now;
    memcpy(meeting->slots[self].bytes, mine, bytes);
    pthread_barrier_wait(&meeting->barrier);
    for (int pe = 0; pe < world->pes; pe++)
        now = fmax(now, meeting->slots[pe].time);
}

static void part(void)
{
    pthread_barrier_wait(&meeting->barrier);
}

void comm_barrier(const struct pe_group *group)
{
    (void)group;
    meet("", 0);
    part();
}

void comm_broadcast(const struct pe_group *group, void *data, size_t bytes)
{
    (void)group;
    meet(data, bytes);
    memcpy(data, meeting->slots[0].bytes, bytes);
    part();
}

void comm_allreduce(const struct pe_group *group, enum comm_operation op, double *values, size_t n)
{
    (void)group;
    if (op != COMM_MAX)
        broken("knows the maximum only");
    meet(values, n * sizeof *values);
    for (int pe = 0; pe < world->pes; pe++)
        for (size_t i = 0; i < n; i++) {
            double value;
            memcpy(&value, meeting->slots[pe].bytes + i * sizeof value, sizeof value);
            values[i] = fmax(values[i], value);
        }
    part();
}

void comm_allreduce_int(const struct pe_group *group, enum comm_operation op, int64_t *values,
                        size_t n)
{
    (void)group;
    if (op != COMM_AND)
        broken("knows the logical and only");
    meet(values, n * sizeof *values);
    for (int pe = 0; pe < world->pes; pe++)
        for (size_t i = 0; i < n; i++) {
            int64_t value;
            memcpy(&value, meeting->slots[pe].bytes + i * sizeof value, sizeof value);
            values[i] = values[i] && value;
        }
    part();
}

void comm_scan(const struct pe_group *group, void *value, size_t bytes,
               void (*combine)(void *left, const void *right))
{
    (void)group;
    unsigned char sum[SLOT_BYTES];
    meet(value, bytes);
    memcpy(sum, meeting->slots[0].bytes, bytes);
    for (int pe = 1; pe <= self; pe++)
        combine(sum, meeting->slots[pe].bytes);
    memcpy(value, sum, bytes);
    part();
}

/* ---- Processes ---- */

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        broken("no memory");
    return memory;
}

static _Noreturn void be(int pe, bool (*body)(void *), void *context)
{
    self = pe;
    now = 1 + fabs(fixed(pe, 3)) * 1e-3;
    srand((unsigned)pe + 1);
    simulated_timer.now = read_clock;
    simulated_timer.ticks_per_second = rate_of(pe);
    simulated_timer.shared = world->shared;
    alarm(TIME_LIMIT); /* a message that never comes must not be waited for */
    _exit(body(context) ? 0 : 1);
}

bool simulate(const struct simulated_pes *pes, bool (*body)(void *context), void *context)
{
    world = pes;
    meeting = shared_memory(sizeof *meeting);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&meeting->barrier, &attributes, (unsigned)pes->pes);
    for (int pe = 0; pe < pes->pes; pe++)
        for (int channel = 0; channel < CHANNELS; channel++)
            if (pipe(pipes[pe][channel]) != 0)
                broken("no pipe");
    pid_t children[SIMULATED_MOST];
    for (int pe = 0; pe < pes->pes; pe++)
        if ((children[pe] = fork()) == 0)
            be(pe, body, context);
    bool good = true;
    for (int pe = 0; pe < pes->pes; pe++) {
        int status;
        good = waitpid(children[pe], &status, 0) > 0 && status == 0 && good;
    }
    for (int pe = 0; pe < pes->pes; pe++)
        for (int channel = 0; channel < CHANNELS; channel++) {
            close(pipes[pe][channel][0]);
            close(pipes[pe][channel][1]);
        }
    munmap(meeting, sizeof *meeting);
    return good;
}
