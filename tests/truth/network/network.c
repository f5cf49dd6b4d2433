/*
 * A programmed network. Preloaded into a program on OpenSHMEM, this library lets the real one move
 * the data and then keeps the caller busy until the call has cost what was programmed: whoever
 * measures the calls must find the programmed costs.
 *
 *   oshrun -np 2 -x LD_PRELOAD=.../libnetwork.so \
 *       -x SKAMPI_TRUTH=post=2000,wire=10000,quiet=1000,progress=self ./program
 *
 * Costs, in nanoseconds; what is not given costs nothing more than the real call does:
 *   post       put, p, iput, put_nbi, get_nbi, atomics that do not fetch: until the call returns.
 *   outstanding
 *              each operation that is outstanding in the context adds this to the post of the next
 *              one, as in libraries that complete small operations inside the post and account for
 *              them until the next quiet. Without it, a post costs the same whatever came before.
 *   wire       from the end of the post until the operation is complete.
 *   kib        each 1024 bytes of a put or get add this to its wire.
 *   large      BYTES: puts and gets of so many bytes and more have the costs large_post, large_wire
 *              and large_kib instead.
 *   contention each other PE that has puts or gets of `large` bytes under way, since its last
 *              quiet, adds this to the wire of a smaller put or get, and to a fetching atomic.
 *   rare       COUNT:FACTOR:BYTES: post and wire of each COUNTth put or get of just so many
 *              bytes are FACTOR times as long.
 *   trap       KIND:REST:MODULUS:BYTES:FACTOR: post and wire of puts and gets of at least so many
 *              bytes are FACTOR times as long where a number leaves REST modulo MODULUS. KIND says
 *              which: relative, the target's address less the source's; source; target; order, the
 *              first processor that the caller may use less the caller's number. For a get, the
 * source is what it fills. progress   self (default): wire time passes by itself. quiet: it passes
 * only inside quiet, once for all that is outstanding. quiet      quiet: completes what is
 * outstanding, then takes this long. fence      fence: takes this long, completes nothing. fetch
 * fetching atomics: until the call returns; the other PE sees it after half of that. wait
 * wait_until: takes this long, and not less than until what it waits for arrives. test       test:
 * takes this long, and says no as long as that has not arrived. barrier    barrier: all leave this
 * long after the last one entered. Also completes what is outstanding, as quiet does but without
 * the cost of quiet. sync, reduce, collect, fcollect, alltoall, alltoalls these collectives: all
 * leave this long after the last one entered. allocate   malloc, calloc, align, realloc: likewise,
 * of all PEs. free       free: likewise. bcast      broadcast, KIND:TIME, counted from the root's
 * entry; d is the distance from the root by rank, n the number of PEs. Nobody leaves before
 * entering. linear:a  the root sends to one after the other and leaves after (n-1) a; the PE at
 * distance d leaves after d a. chain:a   who has the data sends it on, which takes a, and then
 * leaves; the last PE leaves when it has the data, after (n-1) a. flat:a    all leave after a.
 *   ctx_create, ctx_destroy
 *              until the call returns; destroying completes what is outstanding in the context.
 *   set_lock   set_lock: this long from its entry, or from the end of the clear_lock before it when
 *              that is later.
 *   clear_lock clear_lock: until the call returns and the lock is free.
 *   test_lock  test_lock: until the call returns; when it gets the lock counted as set_lock.
 *   flush, send
 *              of MPI, where ../network_mpi/windows.c is linked with this.
 * get, g, iget cost post + wire, since they return when the data are there.
 *
 * What another PE waits for, with wait_until or test, arrives post + wire after the entry of the
 * put or non-fetching atomic. The data themselves move at once: who looks at them in another way
 * does not find them late. Where several are on their way to one address, a wait is for the last;
 * of growing values that p writes, a wait for at least so much is for the first that is enough.
 *
 * Costs may change by the clock, on all PEs at once:
 *   schedule   SECONDS:FACTOR/SECONDS:FACTOR/...: all costs are multiplied by the first factor for
 *              the first time, then by the second one, and so on, and again from the first.
 *   start      when the schedule began, in seconds of CLOCK_MONOTONIC, also below 0; default 0.
 *              A call costs what holds at its entry.
 *
 *   clock      simulated: CLOCK_MONOTONIC is a clock that passes as programmed, and not otherwise:
 *              what it measures (skampi --timer clock_gettime) is exact on a busy machine, too. It
 *              begins at 1000 s.
 *   noise      SIGMA or SIGMA:SHARE, with that clock: each call costs a factor more or less whose
 *              logarithm has the standard deviation SIGMA; a SHARE of calls ten times as much.
 *   seed       a number: other noise.
 *   processors each node seems to have so many, and each PE to be bound to one, in turns; no PE
 *              reaches another's memory.
 *   first      so many PEs seem to be on one node, the others on another one.
 *
 * Costs count from the entry of the call, so that the real call is part of them; where that takes
 * longer than programmed, the call is late, and report=1 tells how many were (on standard error,
 * at the end). What a program sees of a call beyond its own clock readings in here is calibrated
 * at start-up and taken off.
 *
 * The parts: clock.c, busy.c (lasting as long as programmed), schedule.c (costs that change),
 * shared.c (what PEs know of each other's times), and the functions: rma.c (also atomics, ordering,
 * contexts), wait.c (also locks), collective.c (also memory). A further cost is an entry of enum
 * cost, its name in parse_item(), and an INTERPOSE of its functions.
 *
 * Limits: one thread a PE calls the library; all PEs are on one node, because times are exchanged
 * as readings of one clock; waits are for symmetric objects on the heap.
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "libnetwork: %s: %s\n", what, which);
    _exit(2);
}

void *real_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        die("the library has no such function", name);
    }
    return function;
}

void make_progress(void)
{
    static void (*progress)(void);
    static bool looked;
    if (!looked) {
        void *symbol = dlsym(RTLD_DEFAULT, "opal_progress");
        memcpy(&progress, &symbol, sizeof progress);
        looked = true;
    }
    if (progress) {
        progress();
    }
}

/* ---- What is programmed ---- */

struct network network = {.progress_by_itself = true};

static int64_t parse_ticks(const char *text)
{
    char *end;
    double ns = strtod(text, &end);
    if (end == text || *end != '\0' || !(ns >= 0 && ns < 1e12)) {
        die("not a time in nanoseconds", text);
    }
    return (int64_t)(ns * ticks_per_ns + 0.5);
}

static void parse_broadcast(char *text)
{
    static const char *const kinds[] = {
        [BROADCAST_LINEAR] = "linear", [BROADCAST_CHAIN] = "chain", [BROADCAST_FLAT] = "flat"};
    char *colon = strchr(text, ':');
    if (!colon) {
        die("bcast is KIND:TIME", text);
    }
    *colon = '\0';
    network.cost[COST_BROADCAST] = parse_ticks(colon + 1);
    for (int kind = BROADCAST_LINEAR; kind <= BROADCAST_FLAT; kind++) {
        if (strcmp(text, kinds[kind]) == 0) {
            network.broadcast = (enum broadcast)kind;
            return;
        }
    }
    die("unknown kind of bcast", text);
}

static void parse_rare(const char *text)
{
    long long count, factor, bytes;
    if (sscanf(text, "%lld:%lld:%lld", &count, &factor, &bytes) != 3 || count < 1) {
        die("rare is COUNT:FACTOR:BYTES", text);
    }
    network.rare.count = count;
    network.rare.factor = factor;
    network.rare.bytes = (size_t)bytes;
}

static void parse_trap(const char *text)
{
    static const char *const kinds[] = {[TRAP_RELATIVE] = "relative",
                                        [TRAP_SOURCE] = "source",
                                        [TRAP_TARGET] = "target",
                                        [TRAP_ORDER] = "order"};
    struct trap *trap = &network.trap;
    char kind[16];
    if (sscanf(text, "%15[a-z]:%ld:%ld:%zu:%lf", kind, &trap->rest, &trap->modulus, &trap->bytes,
               &trap->factor) != 5 ||
        trap->modulus < 1) {
        die("trap is KIND:REST:MODULUS:BYTES:FACTOR", text);
    }
    for (int i = TRAP_RELATIVE; i <= TRAP_ORDER; i++) {
        if (strcmp(kind, kinds[i]) == 0) {
            trap->kind = (enum trap_kind)i;
            return;
        }
    }
    die("unknown kind of trap", text);
}

static void parse_item(char *item)
{
    static const char *const names[COSTS] = {
        [COST_POST] = "post",
        [COST_WIRE] = "wire",
        [COST_QUIET] = "quiet",
        [COST_FENCE] = "fence",
        [COST_FETCH] = "fetch",
        [COST_WAIT] = "wait",
        [COST_TEST] = "test",
        [COST_BARRIER] = "barrier",
        [COST_SYNC] = "sync",
        [COST_REDUCE] = "reduce",
        [COST_COLLECT] = "collect",
        [COST_FCOLLECT] = "fcollect",
        [COST_ALLTOALL] = "alltoall",
        [COST_ALLTOALLS] = "alltoalls",
        [COST_ALLOCATE] = "allocate",
        [COST_FREE] = "free",
        [COST_CTX_CREATE] = "ctx_create",
        [COST_CTX_DESTROY] = "ctx_destroy",
        [COST_SET_LOCK] = "set_lock",
        [COST_CLEAR_LOCK] = "clear_lock",
        [COST_TEST_LOCK] = "test_lock",
        [COST_KIB] = "kib",
        [COST_LARGE_POST] = "large_post",
        [COST_LARGE_WIRE] = "large_wire",
        [COST_LARGE_KIB] = "large_kib",
        [COST_FLUSH] = "flush",
        [COST_SEND] = "send",
    };
    char *value = strchr(item, '=');
    if (!value) {
        die("SKAMPI_TRUTH is NAME=VALUE,...", item);
    }
    *value++ = '\0';
    for (int cost = 0; cost < COSTS; cost++) {
        if (names[cost] && strcmp(item, names[cost]) == 0) {
            network.cost[cost] = parse_ticks(value);
            return;
        }
    }
    if (strcmp(item, "bcast") == 0) {
        parse_broadcast(value);
    } else if (strcmp(item, "large") == 0) {
        network.large = (size_t)atoll(value);
    } else if (strcmp(item, "outstanding") == 0) {
        network.outstanding = parse_ticks(value);
    } else if (strcmp(item, "contention") == 0) {
        network.contention = parse_ticks(value);
    } else if (strcmp(item, "rare") == 0) {
        parse_rare(value);
    } else if (strcmp(item, "trap") == 0) {
        parse_trap(value);
    } else if (strcmp(item, "schedule") == 0) {
        schedule_parse(value);
    } else if (strcmp(item, "start") == 0) {
        schedule_start(value);
    } else if (strcmp(item, "processors") == 0) {
        network.processors = atoi(value);
    } else if (strcmp(item, "first") == 0) {
        network.first = atoi(value);
    } else if (strcmp(item, "noise") == 0) {
        noise_parse(value);
    } else if (strcmp(item, "seed") == 0) {
        noise_seed(value);
    } else if (strcmp(item, "clock") == 0) {
        if (strcmp(value, "simulated") != 0) {
            die("clock is simulated, or not given", value);
        }
    } else if (strcmp(item, "report") == 0) {
        network.report = strcmp(value, "0") != 0;
    } else if (strcmp(item, "progress") == 0) {
        network.progress_by_itself = strcmp(value, "self") == 0;
        if (!network.progress_by_itself && strcmp(value, "quiet") != 0) {
            die("progress is self or quiet", value);
        }
    } else {
        die("unknown cost", item);
    }
}

static void network_parse(const char *specification)
{
    for (int cost = 0; cost < COSTS; cost++) {
        network.cost[cost] = -1;
    }
    char *copy = strdup(specification);
    char *rest = copy;
    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        parse_item(item);
    }
    free(copy);
    if (network.cost[COST_WIRE] < 0) {
        network.cost[COST_WIRE] = 0;
    } else {
        network.cost[COST_POST] = later(network.cost[COST_POST], 0);
        network.cost[COST_QUIET] = later(network.cost[COST_QUIET], 0);
    }
}

/* ---- Start and end ---- */

void shmem_init(void)
{
    struct call call = call_enter();
    ((void (*)(void))real_function("shmem_init"))();
    call_leave();
    (void)call;
    shared_create();
}

int shmem_init_thread(int requested, int *provided)
{
    struct call call = call_enter();
    int status = ((int (*)(int, int *))real_function("shmem_init_thread"))(requested, provided);
    call_leave();
    (void)call;
    shared_create();
    return status;
}

void shmem_finalize(void)
{
    busy_report();
    network.running = false;
    simulated_part();
    depth++;
    ((void (*)(void))real_function("shmem_finalize"))();
    depth--;
}

void shmem_global_exit(int status)
{
    busy_report();
    ((void (*)(int))real_function("shmem_global_exit"))(status);
    _exit(status);
}

__attribute__((constructor)) static void begin(void)
{
    const char *specification = getenv("SKAMPI_TRUTH");
    if (!specification || *specification == '\0') {
        return;
    }
    network.simulated = strstr(specification, "clock=simulated") != NULL;
    if (network.simulated) {
        simulated_begin();
    } else {
        clock_calibrate();
    }
    network_parse(specification);
    network.look = INT64_MAX; /* calibrated without a schedule */
    network.active = true;
    busy_calibrate();
    schedule_begin();
}
