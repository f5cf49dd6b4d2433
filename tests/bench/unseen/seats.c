/*
 * seats.c -- seat reservations for trains, with atomics and locks
 *
 * Each PE keeps the seats of some trains: one bit per leg of the journey.
 * For each customer a PE looks for the earliest connection in the timetable
 * and takes a seat by compare-and-swap, while others may take other legs of
 * it.  When no seat is free, the customer goes to the train's waiting list,
 * which a lock protects.  In the end all books must agree.
 */
#define _POSIX_C_SOURCE 200809L
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRAINS 4 /* of each PE */
#define SEATS 24
#define LEGS 12
#define MAX_PES 64
#define WAITING 64 /* places in a waiting list, used as a ring */
#define HELD 96    /* tickets that a PE holds at most */
#define STATIONS 256
#define CONNECTIONS 60000 /* between them, in the order of departures */

struct Connection {
    short from, to;
    int departure, arrival;
};
struct Ticket {
    int pe, train, seat, legs;
    unsigned long mask;
};

/* on the PE of the train */
static unsigned long seatLegs[TRAINS][SEATS];
static unsigned long news; /* bits of the customers who wait, modulo 64 */
static long soldTickets[TRAINS], soldLegs[TRAINS], latest[TRAINS], longest[TRAINS];
static long waitCount[TRAINS], waitList[TRAINS][WAITING], fare[TRAINS], fareChanges[TRAINS];
/* locks of the waiting lists and fares of all trains, and on PE 0 the next ticket's number */
static long listLock[MAX_PES][TRAINS], fareLock[MAX_PES][TRAINS], nextTicket;

static struct Connection timetable[CONNECTIONS];
static struct Ticket held[HELD];
static int firstHeld, numHeld;
/* what this PE did: all PEs together must match what the trains' PEs have */
enum { TICKETS, TAKEN_LEGS, SWAPPED_IN, SWAPPED_OUT, WAITERS, FARES, NUM_SUMS };
static long done[NUM_SUMS], has[NUM_SUMS], allDone[NUM_SUMS], allHave[NUM_SUMS];
static long work[NUM_SUMS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync1[SHMEM_REDUCE_SYNC_SIZE], sync2[SHMEM_REDUCE_SYNC_SIZE];

static unsigned int draw(unsigned int *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed >> 4;
}

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* connection scan: the last connection of the earliest journey, -1 if there is none */
static int earliest(int from, int to, int departure)
{
    int reached[STATIONS], i, last = -1;

    for (i = 0; i < STATIONS; i++)
        reached[i] = 1000000; /* never */
    reached[from] = departure;
    for (i = 0; i < CONNECTIONS; i++) {
        const struct Connection *c = &timetable[i];
        if (reached[c->from] <= c->departure && c->arrival < reached[c->to]) {
            reached[c->to] = c->arrival;
            if (c->to == to)
                last = i;
        }
    }
    return last;
}

/* try to take the legs of a seat: other legs may be taken by others meanwhile */
static int take(int pe, int train, int seat, unsigned long mask)
{
    unsigned long *legs = &seatLegs[train][seat], seen = shmem_ulong_atomic_fetch(legs, pe), now;

    while ((seen & mask) == 0) {
        now = shmem_ulong_atomic_compare_swap(legs, seen, seen | mask, pe);
        if (now == seen)
            return 1;
        seen = now;
    }
    return 0;
}

static void giveBackOldest(void)
{
    struct Ticket *t = &held[firstHeld];

    shmem_ulong_atomic_and(&seatLegs[t->train][t->seat], ~t->mask, t->pe);
    shmem_long_atomic_add(&soldLegs[t->train], -t->legs, t->pe);
    done[TAKEN_LEGS] -= t->legs;
    firstHeld = (firstHeld + 1) % HELD;
    numHeld--;
}

static void sell(struct Ticket t)
{
    long number, before, seen;

    number = shmem_long_atomic_fetch_inc(&nextTicket, 0) + 1;
    before = shmem_long_atomic_swap(&latest[t.train], number, t.pe);
    shmem_long_atomic_inc(&soldTickets[t.train], t.pe);
    shmem_long_atomic_add(&soldLegs[t.train], t.legs, t.pe);
    done[TICKETS]++;
    done[TAKEN_LEGS] += t.legs;
    done[SWAPPED_IN] += number;
    done[SWAPPED_OUT] += before;
    if (t.legs >= LEGS / 2) { /* perhaps it is the longest journey so far */
        seen = 0;
        while (seen < t.legs && (before = shmem_long_atomic_compare_swap(&longest[t.train], seen,
                                                                         t.legs, t.pe)) != seen)
            seen = before;
    }
    if (numHeld == HELD)
        giveBackOldest();
    held[(firstHeld + numHeld++) % HELD] = t;
}

static void enlist(int pe, int train, long customer)
{
    shmem_set_lock(&listLock[pe][train]);
    long count = shmem_long_g(&waitCount[train], pe);
    shmem_long_p(&waitList[train][count % WAITING], customer, pe);
    shmem_long_p(&waitCount[train], count + 1, pe);
    shmem_quiet();
    shmem_clear_lock(&listLock[pe][train]);
    shmem_ulong_atomic_or(&news, 1UL << (customer % 64), pe);
    done[WAITERS]++;
}

/* make the train dearer, unless somebody does so at the moment */
static void raiseFare(int pe, int train)
{
    long old;

    if (shmem_test_lock(&fareLock[pe][train]) != 0)
        return;
    shmem_long_get(&old, &fare[train], 1, pe);
    old += 1 + old / 4096;
    shmem_long_put(&fare[train], &old, 1, pe);
    shmem_quiet();
    shmem_long_atomic_inc(&fareChanges[train], pe);
    shmem_clear_lock(&fareLock[pe][train]);
    done[FARES]++;
}

static void makeTimetable(void)
{
    unsigned int seed = 4711;
    int i;

    for (i = 0; i < CONNECTIONS; i++) {
        struct Connection *c = &timetable[i];
        c->from = (short)(draw(&seed) % STATIONS);
        c->to = (short)((c->from + 1 + (int)(draw(&seed) % 12)) % STATIONS);
        c->departure = i / 24;
        c->arrival = c->departure + 5 + (int)(draw(&seed) % 40);
    }
}

int main(int argc, char *argv[])
{
    int steps = 700, me, npes, i, t, s, bad = 0;
    unsigned int seed;
    double began;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (npes > MAX_PES)
        shmem_global_exit(2);
    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync1[i] = sync2[i] = SHMEM_SYNC_VALUE;
    for (t = 0; t < TRAINS; t++)
        fare[t] = 1000;
    makeTimetable();
    seed = 12345u + 7919u * (unsigned int)me;
    shmem_barrier_all();
    began = nowMs();

    for (s = 0; s < steps; s++) {
        int from = (int)(draw(&seed) % STATIONS), to = (int)(draw(&seed) % STATIONS), tries;
        int last = earliest(from, to, (int)(draw(&seed) % (CONNECTIONS / 48)));
        struct Ticket ticket;

        if (last < 0 || from == to)
            last = s;
        ticket.pe = (last + s) % npes; /* several companies run trains there */
        ticket.train = timetable[last].to % TRAINS;
        i = (int)(draw(&seed) % (LEGS - 1));
        ticket.legs = 1 + (int)(draw(&seed) % (unsigned int)(LEGS - i));
        ticket.mask = ((1UL << ticket.legs) - 1) << i;
        ticket.seat = (int)(draw(&seed) % SEATS);
        for (tries = 0; tries < 4; tries++, ticket.seat = (ticket.seat + 7) % SEATS)
            if (take(ticket.pe, ticket.train, ticket.seat, ticket.mask))
                break;
        if (tries < 4)
            sell(ticket);
        else
            enlist(ticket.pe, ticket.train, (long)s * npes + me);
        if (s % 8 == 7)
            raiseFare(ticket.pe, ticket.train);
    }

    shmem_barrier_all();
    for (t = 0; t < TRAINS; t++) {
        for (i = 0; i < SEATS; i++)
            has[TAKEN_LEGS] += __builtin_popcountl(seatLegs[t][i]);
        bad += soldLegs[t] < 0 || longest[t] > LEGS || waitList[t][0] >= (long)steps * npes;
        has[TAKEN_LEGS] += soldLegs[t]; /* so it is there twice */
        has[TICKETS] += soldTickets[t];
        has[SWAPPED_IN] += latest[t];
        has[WAITERS] += waitCount[t];
        has[FARES] += fareChanges[t];
        bad += fare[t] != 1000 + fareChanges[t];
    }
    shmem_long_sum_to_all(allDone, done, NUM_SUMS, 0, 0, npes, work, sync1);
    shmem_long_sum_to_all(allHave, has, NUM_SUMS, 0, 0, npes, work, sync2);
    bad += (has[WAITERS] > 0) != (news != 0) || allHave[TICKETS] != allDone[TICKETS];
    bad += allHave[TAKEN_LEGS] != 2 * allDone[TAKEN_LEGS];
    bad += allHave[SWAPPED_IN] != allDone[SWAPPED_IN] - allDone[SWAPPED_OUT];
    bad += allHave[WAITERS] != allDone[WAITERS] || allHave[FARES] != allDone[FARES];
    bad += allDone[TICKETS] + allDone[WAITERS] != (long)steps * npes;
    bad += shmem_long_g(&nextTicket, 0) != allDone[TICKETS];
    printf("seats: PE %d, %d customers, sold %ld, %ld wait, %.1f ms, %s\n", me, steps,
           done[TICKETS], done[WAITERS], nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
