/* Keeps chains of threads while they have users, and sums up the calls of threads while these are
 * on the critical path. */
#include "sim/path.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

void path_keep(struct paths *paths, uint32_t hop)
{
    if (hop)
        paths->hops[hop].users++;
}

void path_drop(struct paths *paths, uint32_t hop)
{
    while (hop && --paths->hops[hop].users == 0) {
        uint32_t parent = paths->hops[hop].parent;
        paths->hops[hop].parent = paths->unused;
        paths->unused = hop;
        hop = parent;
    }
}

uint32_t path_station(struct paths *paths, uint32_t thread, int64_t until, uint32_t parent)
{
    uint32_t hop = paths->unused;
    if (hop) {
        paths->unused = paths->hops[hop].parent;
    } else {
        hop = (uint32_t)++paths->count;
        memory_extend(paths->hops, hop, &paths->room);
    }
    paths->hops[hop] = (struct hop){parent, thread, 0, until};
    path_keep(paths, parent);
    if (__builtin_expect(paths->profile != NULL, 0))
        sim_profile_station(paths->profile, thread, until);
    return hop;
}

/* ---- Profiles ---- */

#define NEVER (-1)

/* A thread on its way through its intervals. */
struct walk {
    size_t next, end; /* its next interval, and the end of all of them */
    bool on;          /* it is in the interval before `next` */
    bool leaving;     /* its call makes the station at which the interval ends */
    int64_t joined;   /* when the call began in which it came onto the path (ps), or NEVER */
    int64_t before;   /* ps that this call took of the interval before */
    struct profile_part *parts; /* calls in the interval, by routine */
    size_t count, room;
};

/* ---- Sums ---- */

static void add_part(struct profile *profile, uint32_t pe, uint32_t routine, int64_t time)
{
    const uint32_t key[] = {pe, routine};
    size_t before = profile->count, number = table_number(&profile->keys, key, sizeof key);
    memory_extend(profile->parts, number, &profile->room);
    if (number == before)
        profile->parts[profile->count++] = (struct profile_part){.pe = pe, .routine = routine};
    profile->parts[number].time += time;
}

static void add_call(struct walk *walk, uint32_t routine, int64_t time)
{
    size_t i = 0;
    while (i < walk->count && walk->parts[i].routine != routine)
        i++;
    memory_extend(walk->parts, i, &walk->room);
    if (i == walk->count)
        walk->parts[walk->count++] = (struct profile_part){.routine = routine};
    walk->parts[i].time += time;
}

/* The thread has left its interval: what was no call was computing. */
static void conclude(struct profile *profile, struct walk *walk, const struct interval *interval)
{
    uint32_t pe = (uint32_t)sim_run_pe(profile->run, (int)interval->thread);
    int64_t computing = interval->to - interval->from - walk->before;
    for (size_t i = 0; i < walk->count; i++) {
        add_part(profile, pe, walk->parts[i].routine, walk->parts[i].time);
        computing -= walk->parts[i].time;
    }
    if (computing > 0)
        add_part(profile, pe, PROFILE_COMPUTING, computing);
    walk->count = 0;
    walk->on = false;
}

/* ---- What the replay tells ---- */

static void join(struct walk *walk, int64_t time)
{
    walk->on = true;
    walk->leaving = false;
    walk->joined = time;
    walk->count = 0;
}

static bool begins(const struct interval *interval, int64_t time, uint32_t before, int64_t until)
{
    return interval->before == before && interval->from == until && time < interval->to;
}

/* What a call takes of an interval (ps). */
static int64_t taken(const struct walk *walk, const struct interval *interval, int64_t start,
                     int64_t end)
{
    bool waits = start == walk->joined || start < interval->from;
    int64_t begin = waits ? interval->from : start;
    return end > begin ? end - begin : 0;
}

void sim_profile_follow(struct profile *profile, uint32_t thread, int64_t time, uint32_t before,
                        int64_t until)
{
    struct walk *walk = &profile->walks[thread];
    const struct interval *next = &profile->intervals[walk->next];
    /* Of several stations of a thread at one time, the last one counts. */
    if (walk->on && begins(next - 1, time, before, until)) {
        join(walk, time);
    } else if (walk->next < walk->end && begins(next, time, before, until)) {
        if (walk->on) {
            walk->before = taken(walk, next - 1, time, next[-1].to);
            conclude(profile, walk, next - 1);
        }
        walk->next++;
        join(walk, time);
    }
}

void sim_profile_station(struct profile *profile, uint32_t thread, int64_t until)
{
    struct walk *walk = &profile->walks[thread];
    if (walk->on && profile->intervals[walk->next - 1].to == until)
        walk->leaving = true;
}

void sim_profile_call(struct profile *profile, uint32_t thread, uint16_t routine, int64_t start,
                      int64_t leaves)
{
    struct walk *walk = &profile->walks[thread];
    if (!walk->on)
        return;
    const struct interval *interval = &profile->intervals[walk->next - 1];
    int64_t end = walk->leaving || leaves > interval->to ? interval->to : leaves,
            time = taken(walk, interval, start, end);
    if (walk->before > 0)
        add_part(profile, (uint32_t)sim_run_pe(profile->run, (int)thread), routine, walk->before);
    walk->before = 0;
    walk->joined = NEVER;
    if (time > 0)
        add_call(walk, routine, time);
    if (end == interval->to)
        conclude(profile, walk, interval);
}

/* ---- All of it ---- */

void sim_profile_begin(struct profile *profile, const struct run *run, const struct paths *paths,
                       const struct interval *last, uint32_t hop)
{
    const struct hop *hops = paths->hops;
    const size_t threads = (size_t)run->thread_count;
    struct walk *walks = memory_zeroed(threads, sizeof *walks);
    size_t count = 1;
    walks[last->thread].end++;
    for (uint32_t at = hop; at; at = hops[at].parent, count++)
        walks[hops[at].thread].end++;
    for (size_t i = 0; i < threads; i++) {
        walks[i].end += i ? walks[i - 1].end : 0;
        walks[i].next = walks[i].end;
    }
    *profile = (struct profile){.run = run, .walks = walks};
    profile->intervals = memory_zeroed(count, sizeof *profile->intervals);
    struct interval part = *last;
    for (; hop; hop = hops[hop].parent) {
        part.before = hops[hop].thread;
        part.from = hops[hop].until;
        profile->intervals[--walks[part.thread].next] = part;
        part.thread = part.before;
        part.to = part.from;
    }
    part.before = PROFILE_NOBODY;
    part.from = 0;
    struct walk *first = &walks[part.thread];
    profile->intervals[--first->next] = part;
    first->next++;
    join(first, NEVER);
}

static int compare(const void *a, const void *b)
{
    const struct profile_part *x = a, *y = b;
    return ORDER(x->pe, y->pe) ?: ORDER(y->time, x->time) ?: ORDER(x->routine, y->routine);
}

void sim_profile_end(struct profile *profile)
{
    for (int i = 0; i < profile->run->thread_count; i++) {
        struct walk *walk = &profile->walks[i];
        if (walk->on)
            conclude(profile, walk, &profile->intervals[walk->next - 1]);
        for (; walk->next < walk->end; walk->next++)
            conclude(profile, walk, &profile->intervals[walk->next]);
        free(walk->parts);
    }
    SORT(profile->parts, profile->count, compare);
    free(profile->walks);
    free(profile->intervals);
    table_free(&profile->keys);
}
