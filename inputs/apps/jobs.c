/*
 * Jobs wait in several queues, each of which lies on one PE and has a lock. A PE puts jobs into
 * queues and takes the most urgent ones out of them, whoever put those there; so each job is done
 * once, but any PE may do it. Who does a job claims it, adds to a total, keeps a record and draws
 * a ticket, all by atomic operations.
 */
#include "app.h"

#define QUEUES 4 /* each has a lock */
#define LEAD 3   /* jobs that a PE puts into queues before it takes the first */
#define CLASSES 6
#define PRIME UINT64_C(2147483647)
#define FACTOR UINT64_C(16807)

struct job {
    long urgency, number;
};

struct office {
    const struct app *app;
    long jobs, rounds, room; /* places of a queue */
    struct job *queue;       /* of all queues: queue n lies on PE n % PEs */
    long *waiting;           /* jobs, by queue */
    long *lock;              /* by queue */
    long *claimed;           /* of the jobs of this PE: job n lies on PE n % PEs */
    long *total, *record;    /* by class: class n lies on PE n % PEs */
    long *tickets;           /* on PE 0 */
    uint64_t wrong;
};

/* How long a job takes, from a quarter of the rounds to twice as many. */
static long rounds_of(const struct office *office, long job)
{
    long rounds = office->rounds;
    return rounds / 4 + (long)(app_random(3, (uint64_t)job) % (uint64_t)(rounds * 7 / 4 + 1));
}

static uint64_t begin_of(long job)
{
    return 1 + app_random(2, (uint64_t)job) % (PRIME - 1);
}

/* Multiplies step by step; or by squaring, for the check. */
static uint64_t result_of(uint64_t value, long rounds)
{
    for (long i = 0; i < rounds; i++)
        value = value * FACTOR % PRIME;
    return value;
}

static uint64_t result_at_once(uint64_t value, long rounds)
{
    for (uint64_t factor = FACTOR; rounds > 0; rounds /= 2) {
        if (rounds % 2)
            value = value * factor % PRIME;
        factor = factor * factor % PRIME;
    }
    return value;
}

static long queue_of(long job)
{
    return (long)(app_random(1, (uint64_t)job) % QUEUES);
}

static void put_in(const struct office *office, long number)
{
    long n = queue_of(number);
    int pe = (int)(n % office->app->pes);
    struct job job = {(long)(app_random(4, (uint64_t)number) % 1000), number};
    CALL(shmem_set_lock)(&office->lock[n]);
    long waiting = CALL(shmem_long_g)(&office->waiting[n], pe);
    CALL(shmem_putmem)(&office->queue[n * office->room + waiting], &job, sizeof job, pe);
    CALL(shmem_long_p)(&office->waiting[n], waiting + 1, pe);
    CALL(shmem_quiet)();
    CALL(shmem_clear_lock)(&office->lock[n]);
}

/* The most urgent job of a queue, which has at least one: of those that put jobs there, each takes
 * only as many. */
static long take_out(const struct office *office, long n, struct job *jobs)
{
    struct job *queue = office->queue + n * office->room;
    int pe = (int)(n % office->app->pes);
    CALL(shmem_set_lock)(&office->lock[n]);
    long waiting = CALL(shmem_long_g)(&office->waiting[n], pe), best = 0;
    if (waiting < 1 || waiting > office->room)
        app_fail(office->app, 1, "queue %ld has %ld jobs", n, waiting);
    CALL(shmem_getmem)(jobs, queue, (size_t)waiting * sizeof *jobs, pe);
    for (long i = 1; i < waiting; i++)
        if (jobs[i].urgency < jobs[best].urgency)
            best = i;
    if (best != waiting - 1)
        CALL(shmem_putmem)(&queue[best], &jobs[waiting - 1], sizeof *jobs, pe);
    CALL(shmem_long_p)(&office->waiting[n], waiting - 1, pe);
    CALL(shmem_quiet)();
    CALL(shmem_clear_lock)(&office->lock[n]);
    return jobs[best].number;
}

static void execute(struct office *office, long job)
{
    int pes = office->app->pes, class = (int)(job % CLASSES);
    long *claimed = &office->claimed[job / pes], *record = &office->record[class];
    if (CALL(shmem_long_atomic_compare_swap)(claimed, 0, 1, (int)(job % pes)) != 0)
        office->wrong++;
    long result = (long)result_of(begin_of(job), rounds_of(office, job));
    CALL(shmem_long_atomic_add)(&office->total[class], result, class % pes);
    long known = CALL(shmem_long_atomic_fetch)(record, class % pes);
    while (known < result) {
        long found = CALL(shmem_long_atomic_compare_swap)(record, known, result, class % pes);
        if (found == known)
            break;
        known = found;
    }
    long ticket = CALL(shmem_long_atomic_fetch_add)(office->tickets, 1, 0);
    office->wrong += ticket < 0 || ticket >= office->jobs;
}

static uint64_t checksum_of(int class, long total, long record)
{
    return app_random((uint64_t)total, (uint64_t)record + (uint64_t) class);
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct office *office)
{
    long total[CLASSES] = {0}, record[CLASSES] = {0};
    uint64_t sum = 2 * (uint64_t)office->jobs; /* tickets and claims */
    for (long job = 0; job < office->jobs; job++) {
        long result = (long)result_at_once(begin_of(job), rounds_of(office, job));
        int class = (int)(job % CLASSES);
        total[class] += result;
        record[class] = result > record[class] ? result : record[class];
    }
    for (int i = 0; i < CLASSES; i++)
        sum += checksum_of(i, total[i], record[i]);
    return sum;
}

int main(int argc, char **argv)
{
    struct office office = {.jobs = 320, .rounds = 200000};
    const struct app_option options[] = {
        {"steps", &office.jobs, 0, 1L << 30, "jobs of all PEs together"},
        {"rounds", &office.rounds, 0, 1L << 30, "computation of a job"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("jobs", argv, options);
    office.app = &app;
    if (app.pe == 0)
        printf("jobs: %ld jobs of %ld rounds, %d PEs\n", office.jobs, office.rounds, app.pes);
    office.room = app.pes * (LEAD + 1);
    office.queue = app_memory(&app, (size_t)(QUEUES * office.room) * sizeof *office.queue);
    office.waiting = app_memory(&app, QUEUES * sizeof *office.waiting);
    office.lock = app_memory(&app, QUEUES * sizeof *office.lock);
    office.claimed = app_memory(&app, (size_t)(office.jobs / app.pes + 1) * sizeof(long));
    office.total = app_memory(&app, CLASSES * sizeof *office.total);
    office.record = app_memory(&app, CLASSES * sizeof *office.record);
    office.tickets = app_memory(&app, sizeof *office.tickets);
    struct job *jobs = calloc((size_t)office.room, sizeof *jobs);
    if (!jobs)
        app_fail(&app, 1, "no memory for a queue");
    CALL(shmem_barrier_all)();

    long first = app_first(&app, office.jobs, app.pe);
    long end = app_first(&app, office.jobs, app.pe + 1);
    for (long i = first; i < end + LEAD; i++) {
        if (i < end)
            put_in(&office, i);
        if (i - LEAD >= first)
            execute(&office, take_out(&office, queue_of(i - LEAD), jobs));
    }
    CALL(shmem_barrier_all)();
    free(jobs);

    uint64_t mine = office.wrong + (uint64_t)*office.tickets;
    for (long job = app.pe; job < office.jobs; job += app.pes)
        mine += (uint64_t)office.claimed[job / app.pes];
    for (int i = app.pe; i < QUEUES; i += app.pes)
        mine += (uint64_t)office.waiting[i];
    for (int i = app.pe; i < CLASSES; i += app.pes)
        mine += checksum_of(i, office.total[i], office.record[i]);
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&office) : 0);
}
