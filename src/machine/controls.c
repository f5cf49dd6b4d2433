/*
 * Takes controls, and keeps what they said.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "objects/pe_set.h"
#include "stats/stats.h"

/* Shares of the run time that all controls, and finding states in them, may take. They cost up to
 * twice as much, since what is measured after a control finds colder caches. */
#define SHARE 0.04
#define COPY_SHARE 0.01
/* Seconds for controls at the start, when there is no run time yet to take a share of. */
#define ADVANCE 1e-3
/* A control is the median of this many samples. */
#define SAMPLES 5
#define SAMPLE_SECONDS 4e-6
#define MOST_TRIPS 8
/* A hand-over that takes longer is measured less often. */
#define LONG 100e-6
#define ADDITIONS 2000
/* Values of pairs that a reduction brings one by one; of more pairs, the means of groups. */
#define SLOTS 32
/* The copy is between two blocks of the size of a private cache each. */
#define LEAST_COPY ((size_t)256 << 10)
#define MOST_COPY ((size_t)4 << 20)
/* A log that gets longer is thinned out: every second control stays. */
#define LONGEST_LOG 100000
/* Of the time that controls may take: while nothing is measured. The rest is for measurements. */
#define WAITING_PART 0.5

/* States are looked for again when there are this many times as many controls. */
#define GROWTH 1.2

static const struct states_values unknown = {{NAN, NAN}};

const char *machine_unseen(void)
{
    return comm_oversubscribed_anywhere() ? "PEs share processors" : NULL;
}

/* ---- Operations ---- */

/* Seconds one way to a neighbour that echoes, through the library or through shared memory. */
static double hand_over(int partner, int lane, bool shared)
{
    double samples[SAMPLES], begin = wall_seconds();
    long next = COMM_HAND_OVER_FROM;
    int trips = 1;
    size_t n = 0;
    /* The first sample brings the word into the caches, and says how many trips the timer needs. It
     * is used as a sample only if there is no time for another. */
    for (bool first = true; n < SAMPLES; first = false) {
        int64_t start = timer_now();
        comm_hand_over(partner, lane, shared, next, trips);
        double trip = timer_seconds(timer_now() - start) / trips;
        bool is_long = wall_seconds() - begin > LONG;
        next += trips;
        if (!first || is_long)
            samples[n++] = trip / 2;
        if (is_long)
            break;
        if (first && trip < SAMPLE_SECONDS)
            trips = (int)fmin(MOST_TRIPS, ceil(SAMPLE_SECONDS / trip));
    }
    comm_hand_over_stop(partner, lane, shared);
    return stats_median(samples, n);
}

/* Seconds an addition takes that needs the result of the one before. */
static double addition(void)
{
    double samples[SAMPLES];
    uint64_t sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t start = timer_now();
        for (uint64_t j = 0; j < ADDITIONS; j++) {
            sum += j;
            __asm__ volatile("" : "+r"(sum));
        }
        samples[i] = timer_seconds(timer_now() - start) / ADDITIONS;
    }
    return stats_median(samples, SAMPLES);
}

/* ---- All pairs ---- */

/* Logarithms of the values of pairs, added up in slots, and how many are in each. */
struct slots {
    double library[SLOTS], shared[SLOTS], count[SLOTS], reachable[SLOTS];
};

static void add_pair(struct slots *slots, int pair, double library, double shared)
{
    int slot = pair % SLOTS;
    slots->library[slot] += log(library);
    slots->count[slot]++;
    if (!(shared > 0)) /* no shared memory, or shorter than the timer can tell */
        return;
    slots->shared[slot] += log(shared);
    slots->reachable[slot]++;
}

static double median_of_slots(const double *sums, const double *counts)
{
    double means[SLOTS];
    size_t n = 0;
    for (int i = 0; i < SLOTS; i++)
        if (counts[i] > 0)
            means[n++] = exp(sums[i] / counts[i]);
    return n > 0 ? stats_median(means, n) : NAN;
}

/* Rank 2i with rank 2i + 1, then rank 2i + 1 with 2i + 2. */
static void hand_over_all(const struct pe_group *group, struct result_controls *seen)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    struct slots slots = {0};
    for (int lane = 0; lane < COMM_HAND_OVER_LANES && lane + 1 < size; lane++) {
        bool first = rank % 2 == lane;
        int other = first ? rank + 1 : rank - 1;
        if (other < 0 || other >= size)
            continue;
        int partner = pe_group_member(group, other);
        if (!first) {
            comm_hand_over_echo(partner, lane);
            continue;
        }
        bool reachable = comm_hand_over_begin(partner, lane);
        double library = hand_over(partner, lane, false);
        double shared = reachable ? hand_over(partner, lane, true) : NAN;
        add_pair(&slots, rank, library, shared);
        seen->hand_over_slowest = fmax(seen->hand_over_slowest, library);
    }
    if (size > 2)
        comm_allreduce(group, COMM_SUM, (double *)&slots, sizeof slots / 8);
    seen->hand_over = median_of_slots(slots.library, slots.count);
    seen->hand_over_shared = median_of_slots(slots.shared, slots.reachable);
}

struct result_controls controls_take(struct machine *machine, const struct pe_group *group)
{
    double begin = wall_seconds();
    struct result_controls seen = {NAN, NAN, NAN, addition(), machine->copy};
    if (group->size > 1) {
        hand_over_all(group, &seen);
        double most[] = {seen.hand_over_slowest, seen.addition, seen.copy};
        comm_allreduce(group, COMM_MAX, most, sizeof most / sizeof *most);
        seen.hand_over_slowest = most[0];
        seen.addition = most[1];
        seen.copy = most[2];
    }
    machine->cost = wall_seconds() - begin;
    machine->spent += machine->cost;
    return seen;
}

static size_t private_cache(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    size_t size = bytes > 0 ? (size_t)bytes : 0;
    return size < LEAST_COPY ? LEAST_COPY : size > MOST_COPY ? MOST_COPY : size;
}

/* Copies a block, whose time tells the speed of caches and memory. Its data displace others in the
 * caches. */
static void take_copy(struct machine *machine)
{
    size_t bytes = machine->copy_bytes;
    if (bytes == 0) {
        bytes = machine->copy_bytes = private_cache();
        machine->copy_from = memory_zeroed(bytes, 1);
        machine->copy_to = memory_zeroed(bytes, 1);
        memset(machine->copy_from, 1, bytes);
        memset(machine->copy_to, 1, bytes);
    }
    /* Without what comes once: it would use up what the first controls may take. */
    double begin = wall_seconds();
    int64_t start = timer_now();
    memcpy(machine->copy_to, machine->copy_from, bytes);
    __asm__ volatile("" : : "r"(machine->copy_to) : "memory");
    machine->copy = timer_seconds(timer_now() - start) / (double)bytes;
    machine->copied_at = wall_seconds();
    machine->copy_cost = machine->copied_at - begin;
    machine->spent += machine->copy_cost;
}

/* ---- How often ---- */

bool machine_affordable(const struct machine *machine, double part)
{
    double passed = wall_seconds() - machine->started;
    return machine->spent + machine->cost <= part * SHARE * passed + ADVANCE;
}

static bool is_copy_due(const struct machine *machine)
{
    return machine->copied_at == 0 ||
           wall_seconds() - machine->copied_at > machine->copy_cost / COPY_SHARE;
}

/* ---- What earlier runs have seen ---- */

static uint64_t hash_of(const char *members, int pes)
{
    char *name = text_format("%d:%s", pes, members ? members : "");
    uint64_t hash = hash_text(name);
    free(name);
    return hash;
}

/* Brings what earlier runs have seen from PE 0 to all PEs, before anything is measured.
 * Collective. */
static void know(struct machine *machine, const struct earlier_runs *known)
{
    int64_t count = known ? (int64_t)known->state_count : 0;
    comm_broadcast(comm_world(), &count, sizeof count);
    machine->known_count = (size_t)count;
    machine->known = memory_zeroed((size_t)count + 1, sizeof *machine->known);
    for (size_t i = 0; known && i < known->state_count; i++) {
        const struct known_state *state = &known->states[i];
        struct earlier_state *earlier = &machine->known[i];
        earlier->set = hash_of(state->members, state->pes);
        earlier->number = state->number;
        memcpy(earlier->ranges, state->ranges, sizeof earlier->ranges);
    }
    comm_broadcast(comm_world(), machine->known, (size_t)count * sizeof *machine->known);
}

void controls_begin(struct machine *machine, double started, const struct earlier_runs *earlier)
{
    machine->started = started;
    machine->copy = NAN;
    machine->world = pe_set_strided(0, 1, comm_pes());
    know(machine, earlier);
}

/* In ascending order; those that there is no room for are left out. */
static void add_known(struct control_log *log, const struct earlier_state *earlier)
{
    size_t at = log->known_count;
    if (at == RESULT_STATES_MAX)
        return;
    struct states_state state = {0};
    memcpy(state.of, earlier->ranges, sizeof state.of);
    double rank = states_rank(&state);
    for (; at > 0 && states_rank(&log->known[at - 1]) > rank; at--) {
        log->known[at] = log->known[at - 1];
        log->known_numbers[at] = log->known_numbers[at - 1];
    }
    log->known[at] = state;
    log->known_numbers[at] = earlier->number;
    log->known_count++;
}

static void find_known(const struct machine *machine, struct control_log *log)
{
    if (machine->known_count == 0)
        return;
    char *members = pe_set_text(log->set);
    uint64_t set = hash_of(members, pe_set_size(log->set));
    for (size_t i = 0; i < machine->known_count; i++)
        if (machine->known[i].set == set)
            add_known(log, &machine->known[i]);
    free(members);
}

/* ---- What was seen ---- */

struct states_values controls_now(const struct control_log *log)
{
    return result_control_values(&log->controls[log->count - 1].seen);
}

struct control_log *machine_log(struct machine *machine, const struct pe_set *set)
{
    for (size_t i = machine->log_count; i > 0; i--)
        if (pe_set_equal(machine->logs[i - 1]->set, set))
            return machine->logs[i - 1];
    struct control_log *log = memory_zeroed(1, sizeof *log);
    log->set = pe_set_reference((struct pe_set *)(uintptr_t)set);
    find_known(machine, log);
    memory_append(machine->logs, machine->log_count, log);
    return log;
}

/* States of earlier runs keep their numbers; the other states get the next ones. */
static void number_states(struct control_log *log)
{
    int next = 1;
    for (size_t i = 0; i < log->known_count; i++)
        next = log->known_numbers[i] >= next ? log->known_numbers[i] + 1 : next;
    for (size_t i = 0; i < log->state_count; i++) {
        size_t known = log->states[i].known;
        log->numbers[i] = known > 0 ? log->known_numbers[known - 1] : next++;
    }
}

static void find_states(struct control_log *log)
{
    struct states_control *series = memory_zeroed(log->count, sizeof *series);
    for (size_t i = 0; i < log->count; i++)
        series[i] = (struct states_control){log->controls[i].at,
                                            result_control_values(&log->controls[i].seen)};
    log->noise = states_noise(series, log->count);
    log->state_count = states_find(series, log->count, log->known, log->known_count, log->states,
                                   RESULT_STATES_MAX);
    log->judged = log->count;
    number_states(log);
    free(series);
}

void controls_add(struct control_log *log, double at, const struct result_controls *seen,
                  size_t *place)
{
    memory_extend(log->controls, log->count, &log->room);
    if (log->count >= LONGEST_LOG) {
        for (size_t i = 0; i < log->count / 2; i++)
            log->controls[i] = log->controls[2 * i + 1];
        log->count /= 2;
        log->judged /= 2;
        *place /= 2;
    }
    log->controls[log->count++] = (struct control){at, *seen};
    if ((double)log->count >= GROWTH * (double)log->judged)
        find_states(log);
}

void controls_judge(struct control_log *log)
{
    if (log->count > log->judged)
        find_states(log);
}

void machine_end(struct machine *machine)
{
    for (size_t i = 0; i < machine->log_count; i++) {
        pe_set_release(machine->logs[i]->set);
        free(machine->logs[i]->controls);
        free(machine->logs[i]);
    }
    free(machine->logs);
    pe_set_release(machine->world);
    free(machine->known);
    free(machine->copy_from);
    free(machine->copy_to);
    free(machine);
}

/* ---- For all who know machine.h ---- */

const struct control *machine_controls(const struct control_log *log, size_t *count)
{
    *count = log->count;
    return log->controls;
}

struct states_values machine_now(const struct machine *machine, const struct control_log *log,
                                 double age)
{
    if (log->count == 0 ||
        wall_seconds() - machine->started - log->controls[log->count - 1].at >= age)
        return unknown;
    return controls_now(log);
}

bool machine_changed(const struct control_log *log, const struct states_values *before,
                     const struct states_values *after)
{
    return states_differ(before, after, &log->noise);
}

void machine_control(struct machine *machine, const struct pe_group *group, struct control_log *log,
                     size_t *place)
{
    struct result_controls seen = controls_take(machine, group);
    if (!log)
        return;
    double begin = wall_seconds();
    controls_add(log, begin - machine->started, &seen, place);
    machine->spent += wall_seconds() - begin;
}

void machine_copy(struct machine *machine, const struct pe_group *group)
{
    int64_t due = is_copy_due(machine);
    comm_broadcast(group, &due, sizeof due);
    if (due)
        take_copy(machine);
}

double machine_control_cost(const struct machine *machine)
{
    return machine->cost;
}

void machine_look(struct machine *machine)
{
    size_t first = 0;
    if (machine_unseen())
        return;
    int64_t due[] = {machine_affordable(machine, WAITING_PART), is_copy_due(machine)};
    comm_broadcast(comm_world(), due, sizeof due);
    if (due[1])
        take_copy(machine);
    if (due[0])
        machine_control(machine, comm_world(),
                        comm_pe() == 0 ? machine_log(machine, machine->world) : NULL, &first);
}

void machine_add(struct machine *machine, const struct pe_set *set, const struct control *taken,
                 size_t count)
{
    size_t first = 0;
    struct control_log *log = machine_log(machine, set);
    for (size_t i = 0; i < count; i++)
        controls_add(log, taken[i].at, &taken[i].seen, &first);
}
