/* Clock synchronization: the algorithms, and what each PE knows afterwards. */
#include "clock/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/timer.h"
#include "comm/comm.h"

/* Words of an exchange that are requests; readings are larger numbers. */
#define WORD_ASK 1
#define WORD_END (-1)
/* Round trips of a check. */
#define CHECK_EXCHANGES 10
/* Round trips that may pass without improvement. Less patience suffices where an exchange only has
 * to be compatible with equal clocks. */
#define VERIFY_PATIENCE 8
#define COMPARE_PATIENCE 100
/* Rates that differ by a smaller share are one rate, which two processes measured. */
#define ALIKE 1e-4
/* Most round trips of an exchange, so that it ends even if round trips improve again and again. */
#define MOST_EXCHANGES 2000
#define HISTORY 256

/* ---- What time stamps say about two clocks ---- */

struct clock_map clock_map_identity(void)
{
    return (struct clock_map){0, 0, 1};
}

/* base + distance * ratio. Only distance * (ratio - 1) is computed in double, so that long
 * distances lose no ticks. */
static int64_t stretch(int64_t base, int64_t distance, double ratio)
{
    return base + distance + (int64_t)llround((double)distance * (ratio - 1));
}

int64_t clock_map_apply(const struct clock_map *map, int64_t reading)
{
    return stretch(map->to, reading - map->from, map->ratio);
}

int64_t clock_map_invert(const struct clock_map *map, int64_t reading)
{
    return stretch(map->from, reading - map->to, 1 / map->ratio);
}

struct clock_map clock_map_compose(const struct clock_map *inner, const struct clock_map *outer)
{
    return (struct clock_map){inner->from, clock_map_apply(outer, inner->to),
                              inner->ratio * outer->ratio};
}

void bounds_begin(struct bounds *bounds, double ratio)
{
    *bounds = (struct bounds){.ratio = ratio};
}

void bounds_add(struct bounds *bounds, int64_t before, int64_t remote, int64_t after)
{
    if (bounds->exchanges == 0) {
        bounds->local = before;
        bounds->remote = remote;
    }
    /* Local ticks from the moment of the remote base to this reading. */
    double way = (double)(remote - bounds->remote) / bounds->ratio;
    double low = (double)(before - bounds->local) - way;
    double high = (double)(after - bounds->local) - way;
    double trip = (double)(after - before);
    bounds->since_improved++;
    if (bounds->exchanges == 0 || trip < bounds->smallest) {
        bounds->smallest = trip;
        bounds->since_improved = 0;
    }
    if (bounds->exchanges == 0 || low > bounds->high || high < bounds->low) {
        bounds->low = low;
        bounds->high = high;
    } else {
        bounds->low = fmax(bounds->low, low);
        bounds->high = fmin(bounds->high, high);
    }
    bounds->exchanges++;
}

struct clock_map bounds_map(const struct bounds *bounds)
{
    double middle = (bounds->low + bounds->high) / 2;
    return (struct clock_map){bounds->local + (int64_t)llround(middle), bounds->remote,
                              bounds->ratio};
}

double bounds_half(const struct bounds *bounds)
{
    return (bounds->high - bounds->low) / 2;
}

/* Student's t, two-sided 1 %, by degrees of freedom; between the entries the larger value. */
static double t_limit(double degrees)
{
    static const struct {
        double degrees, limit;
    } table[] = {{2, 9.925},  {3, 5.841},  {4, 4.604},  {5, 4.032},  {6, 3.707},  {8, 3.355},
                 {10, 3.169}, {15, 2.947}, {20, 2.845}, {30, 2.750}, {60, 2.660}, {120, 2.617}};
    double limit = INFINITY;
    for (size_t i = 0; i < sizeof table / sizeof *table && table[i].degrees <= degrees; i++)
        limit = table[i].limit;
    return limit;
}

struct drift drift_fit(const struct drift_point *points, size_t n)
{
    struct drift drift = {0, INFINITY, false, 0};
    double time = 0, offset = 0, tt = 0, to = 0, residual = 0;
    for (size_t i = 0; i < n; i++) {
        time += points[i].time / (double)n;
        offset += points[i].offset / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        tt += (points[i].time - time) * (points[i].time - time);
        to += (points[i].time - time) * (points[i].offset - offset);
    }
    drift.intercept = offset;
    if (n < 4 || tt <= 0)
        return drift;
    drift.slope = to / tt;
    drift.intercept = offset - drift.slope * time;
    for (size_t i = 0; i < n; i++) {
        double off = points[i].offset - drift.intercept - drift.slope * points[i].time;
        residual += off * off;
    }
    drift.error = sqrt(residual / (double)(n - 2) / tt);
    drift.significant = fabs(drift.slope) > t_limit((double)n - 2) * drift.error;
    return drift;
}

bool drift_confirmed(const struct drift *first, const struct drift *second)
{
    /* 2.576 is the normal quantile of 1 % (two-sided): the fits have enough points for it. */
    return first->significant && second->significant && first->slope * second->slope > 0 &&
           fabs(first->slope - second->slope) <= 2.576 * 2 * hypot(first->error, second->error);
}

/* ---- What this PE knows ---- */

/* What both clocks showed at one moment, from the fastest of several exchanges. */
struct sample {
    int64_t before, remote, after;
};

/* What this PE knows. Global, as the communication library is: there is one per process. */
static struct {
    struct clock_map map; /* own timer to global time */
    double rate;          /* global ticks per second; timers of other machines have other rates */
    double bound;         /* seconds */
    bool shared; /* this PE has the clock of its partner, its partner that of the next one, up to PE
                    0 */
    bool all_shared;
    bool drifting;
    /* The samples that the map was learned from: own timer and the partner's global time. */
    struct sample *history; /* HISTORY of them, on PEs that learned one */
    int samples;
    double nominal; /* nominal ticks of the partner per own tick */
} own = {.map = {0, 0, 1}, .rate = 1, .shared = true, .all_shared = true};

int64_t sync_to_local(int64_t global)
{
    return clock_map_invert(&own.map, global);
}

int64_t sync_to_global(int64_t local)
{
    return clock_map_apply(&own.map, local);
}

double sync_seconds(int64_t global)
{
    return (double)global / own.rate;
}

double sync_offset(void)
{
    int64_t now = timer_now(), global = clock_map_apply(&own.map, now);
    /* Both clocks are counters of one kind, and differ only in rates that are known to some parts
     * in a million. Over the time since they began, this error alone would make milliseconds, so
     * take the difference of the readings. */
    if (fabs(timer_in_use->ticks_per_second / own.rate - 1) < ALIKE)
        return sync_seconds(global - now);
    /* Both terms are large: as doubles they would lose nanoseconds after days. */
    return (double)((long double)global / own.rate -
                    (long double)now / timer_in_use->ticks_per_second);
}

/* ---- One pair ---- */

/* A word of 0 would mean that nothing has arrived. Words that are told are combined with this one,
 * which is no count of ticks and no double that occurs (it is the denormal one next to -0). */
#define NEVER (INT64_MIN + 1)

/* What a PE tells a partner before it answers questions. */
struct greeting {
    double rate;  /* of the clock that answers, its timer or global time (ticks per second) */
    double bound; /* error bound of its global time (seconds) */
};

/* A PE's model, for PEs that have its clock. */
struct model {
    struct clock_map map;
    double bound;
};

/* Words go strictly to and fro. The answering PE begins: it serves one asking PE at a time, and its
 * word says whose turn it is. Then each question is followed by its answer. */
static void begin_answers(int pe)
{
    comm_word_send(pe, COMM_ANSWER, WORD_ASK);
}

static void await_turn(void)
{
    comm_word_receive(COMM_ANSWER);
}

/* Waits for a question for each word of a struct of 8-byte members, and answers with the word. */
static void tell(int pe, const void *words, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(int64_t)) {
        int64_t word;
        memcpy(&word, (const char *)words + at, sizeof word);
        comm_word_receive(COMM_QUESTION);
        comm_word_send(pe, COMM_ANSWER, word ^ NEVER);
    }
}

static void take(int pe, void *words, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(int64_t)) {
        comm_word_send(pe, COMM_QUESTION, WORD_ASK);
        int64_t word = comm_word_receive(COMM_ANSWER) ^ NEVER;
        memcpy((char *)words + at, &word, sizeof word);
    }
}

static void greet(int pe, bool global)
{
    struct greeting greeting = {global ? own.rate : timer_in_use->ticks_per_second, own.bound};
    tell(pe, &greeting, sizeof greeting);
}

/* Answers with readings of its own timer, or with global time, until the asking PE has enough. */
static void answer_questions(int pe, bool global)
{
    while (comm_word_receive(COMM_QUESTION) != WORD_END) {
        int64_t now = timer_now();
        comm_word_send(pe, COMM_ANSWER, global ? sync_to_global(now) : now);
    }
}

static void answer_globally(int pe, void *context)
{
    (void)context;
    begin_answers(pe);
    greet(pe, true);
    answer_questions(pe, true);
}

static void end_questions(int pe)
{
    comm_word_send(pe, COMM_QUESTION, WORD_END);
}

/* One question and answer. */
static struct sample exchange(int pe)
{
    struct sample sample = {.before = timer_now()};
    comm_word_send(pe, COMM_QUESTION, WORD_ASK);
    sample.remote = comm_word_receive(COMM_ANSWER);
    sample.after = timer_now();
    return sample;
}

/* Makes one exchange, and adds it to the bounds; *best keeps the fastest one so far. */
static void ask(int pe, struct bounds *bounds, struct sample *best)
{
    struct sample sample = exchange(pe);
    if (best &&
        (bounds->exchanges == 0 || (double)(sample.after - sample.before) < bounds->smallest))
        *best = sample;
    bounds_add(bounds, sample.before, sample.remote, sample.after);
}

/* Makes one exchange of which both sides are in global time, and adds it to the bounds. */
static struct sample ask_globally(int pe, struct bounds *bounds)
{
    struct sample sample = exchange(pe);
    bounds_add(bounds, sync_to_global(sample.before), sample.remote, sync_to_global(sample.after));
    return sample;
}

static void ask_patiently(int pe, struct bounds *bounds, int patience)
{
    do
        ask(pe, bounds, NULL);
    while (bounds->since_improved < (size_t)patience && bounds->exchanges < MOST_EXCHANGES);
}

static void remember(const struct sample *sample)
{
    if (!own.history)
        own.history = memory_allocate(HISTORY * sizeof *own.history);
    if (own.samples == HISTORY) {
        /* Forget the older half: drift changes over time. */
        memmove(own.history, own.history + HISTORY / 2, HISTORY / 2 * sizeof *own.history);
        own.samples = HISTORY / 2;
    }
    own.history[own.samples++] = *sample;
}

/* ---- Drift ---- */

/* Offsets in seconds at the samples from..to, against a partner without drift. */
static size_t points_of(int from, int to, struct drift_point *points)
{
    const struct sample *base = &own.history[0];
    double rate = timer_in_use->ticks_per_second;
    for (int i = from; i < to; i++) {
        const struct sample *sample = &own.history[i];
        double local =
            (double)(sample->before - base->before) + (double)(sample->after - sample->before) / 2;
        double remote = (double)(sample->remote - base->remote) / own.nominal;
        points[i - from] =
            (struct drift_point){local / rate, (remote - local) / rate,
                                 (double)(sample->after - sample->before) / 2 / rate};
    }
    return (size_t)(to - from);
}

static struct drift fit(int from, int to)
{
    struct drift_point points[HISTORY];
    return drift_fit(points, points_of(from, to, points));
}

/* The map through the samples if the clocks drift by slope, and its error bound (seconds). */
static struct clock_map learn(double slope, double *bound)
{
    struct bounds bounds;
    bounds_begin(&bounds, own.nominal * (1 + slope));
    for (int i = 0; i < own.samples; i++)
        bounds_add(&bounds, own.history[i].before, own.history[i].remote, own.history[i].after);
    *bound = bounds_half(&bounds) / timer_in_use->ticks_per_second;
    return bounds_map(&bounds);
}

/* Takes samples over the next seconds, evenly spread. */
static void collect(int pe, const struct clock_rules *rules, double seconds, int points)
{
    int64_t start = timer_now();
    for (int i = 0; i < points; i++) {
        int64_t due = start + timer_ticks(seconds * i / (points > 1 ? points - 1 : 1));
        for (unsigned turn = 0; timer_now() < due; turn++) {
            comm_poll();
            comm_yield(turn);
        }
        struct bounds bounds;
        struct sample best = {0, 0, 0};
        bounds_begin(&bounds, own.nominal);
        for (int exchange = 0; exchange < rules->fit_exchanges; exchange++)
            ask(pe, &bounds, &best);
        remember(&best);
    }
}

/* Learns the partner's global time: offset, and drift where two independent fits over the long
 * spread agree that there is one. */
static void learn_drift(int pe, const struct clock_rules *rules, double *round_trip)
{
    struct greeting greeting;
    take(pe, &greeting, sizeof greeting);
    int points = rules->fit_points < HISTORY / 4 ? rules->fit_points : HISTORY / 4;
    double slope = 0;
    own.nominal = greeting.rate / timer_in_use->ticks_per_second;
    own.samples = 0;
    own.drifting = false;
    collect(pe, rules, rules->spread, points);
    if (fit(0, own.samples).significant) {
        int from = own.samples;
        collect(pe, rules, rules->long_spread, points);
        struct drift first = fit(from, own.samples);
        if (first.significant) {
            int second_from = own.samples;
            collect(pe, rules, rules->long_spread, points);
            struct drift second = fit(second_from, own.samples);
            own.drifting = drift_confirmed(&first, &second);
        }
    }
    end_questions(pe);
    if (own.drifting)
        slope = fit(0, own.samples).slope;
    own.map = learn(slope, &own.bound);
    own.bound += greeting.bound;
    double smallest = INFINITY;
    for (int i = 0; i < own.samples; i++)
        smallest = fmin(smallest, (double)(own.history[i].after - own.history[i].before));
    *round_trip = timer_seconds((int64_t)smallest);
}

/* ---- Orders of exchanges ---- */

/* In a tree by ranks, the partner of a rank is the rank without its highest bit: the partners of
 * round k are the ranks below 2^k, which know the time by then. */
static int highest_bit(int rank)
{
    return 31 - __builtin_clz((unsigned)rank);
}

static int rounds_of(const struct pe_group *group)
{
    return group->size > 1 ? highest_bit(group->size - 1) + 1 : 0;
}

/* Calls ask_one with the partner's PE, then answer_one with each PE whose partner this PE is.
 * Returns the number of rounds of the tree. */
static int walk_tree(const struct pe_group *group, void (*ask_one)(int pe, void *),
                     void (*answer_one)(int pe, void *), void *context)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    if (rank > 0)
        ask_one(pe_group_member(group, rank - (1 << highest_bit(rank))), context);
    for (int64_t bit = rank > 0 ? (int64_t)2 << highest_bit(rank) : 1; rank + bit < size; bit *= 2)
        answer_one(pe_group_member(group, rank + (int)bit), context);
    return rounds_of(group);
}

struct errand {
    const struct clock_rules *rules;
    struct sync_report *report;
};

static void learn_from(int pe, void *context)
{
    const struct errand *errand = context;
    await_turn();
    learn_drift(pe, errand->rules, &errand->report->own_round_trip);
}

/* Learns only the offset of the partner's global time. */
static void learn_offset(int pe, void *context)
{
    const struct errand *errand = context;
    await_turn();
    struct greeting greeting;
    struct bounds bounds;
    take(pe, &greeting, sizeof greeting);
    bounds_begin(&bounds, greeting.rate / timer_in_use->ticks_per_second);
    ask_patiently(pe, &bounds, errand->rules->patience);
    end_questions(pe);
    own.map = bounds_map(&bounds);
    own.bound = bounds_half(&bounds) / timer_in_use->ticks_per_second + greeting.bound;
    errand->report->own_round_trip = timer_seconds((int64_t)bounds.smallest);
}

static void run_linear(struct errand *errand)
{
    int n = comm_pes();
    errand->report->rounds = n - 1;
    if (comm_pe() > 0)
        learn_offset(0, errand);
    for (int pe = 1; comm_pe() == 0 && pe < n; pe++)
        answer_globally(pe, NULL);
}

/* Maps from a PE's clock to that of the PE before it compose along the ring. */
static void compose(void *left, const void *right)
{
    struct model *a = left;
    const struct model *b = right;
    a->map = clock_map_compose(&b->map, &a->map);
    a->bound += b->bound;
}

/* The phase in which a PE asks the one before it. */
static int ring_phase(int pe, int n)
{
    if (pe == 0)
        return n % 2 == 1 ? 2 : 1;
    return pe % 2 == 1 ? 0 : 1;
}

/* All pairs of neighbours in two phases, even ranks answering first, the pair (0, n - 1) in the
 * second, or in a third one when n is odd (MPIPerf, section 5). */
static void run_ring(struct errand *errand)
{
    int n = comm_pes(), pe = comm_pe(), before = (pe + n - 1) % n, behind = (pe + 1) % n;
    struct model step = {clock_map_identity(), 0}, closing = step;
    own.map = clock_map_identity();
    own.bound = 0;
    if (n == 1)
        return;
    for (int phase = 0; phase < 3; phase++) {
        if (phase == ring_phase(pe, n)) {
            learn_offset(before, errand);
            *(pe == 0 ? &closing : &step) = (struct model){own.map, own.bound};
            own.bound = 0; /* neighbours learn this clock, not a global time, so it has no error */
        }
        if (phase == ring_phase(behind, n)) {
            begin_answers(behind);
            greet(behind, false);
            answer_questions(behind, false);
        }
    }
    errand->report->rounds = n % 2 == 1 ? 3 : 2;
    comm_scan(comm_world(), &step, sizeof step, compose);
    own.map = step.map;
    own.bound = step.bound;
    /* A time that is mapped once around the ring, back to PE 0, should not change; the difference
     * is the closure. */
    int64_t now = timer_now(), round[2] = {0, 0};
    if (pe == 0) {
        round[0] = now;
        round[1] = clock_map_apply(&closing.map, now); /* on the last PE's clock */
    }
    comm_broadcast(comm_world(), round, sizeof round);
    double off = pe == n - 1 ? sync_seconds(sync_to_global(round[1]) - round[0]) : NAN;
    comm_allreduce(comm_world(), COMM_MAX, &off, 1);
    errand->report->closure = off;
}

/* ---- Hierarchical ---- */

/* Finds out whether this PE has its partner's clock: a difference of 0 must lie in the bounds of an
 * exchange. */
static void verify_shared(int pe, void *context)
{
    const struct errand *errand = context;
    await_turn();
    struct greeting greeting;
    int64_t partner_shares;
    struct bounds bounds;
    take(pe, &greeting, sizeof greeting);
    take(pe, &partner_shares, sizeof partner_shares);
    bounds_begin(&bounds, greeting.rate / timer_in_use->ticks_per_second);
    ask_patiently(pe, &bounds, VERIFY_PATIENCE);
    end_questions(pe);
    struct clock_map map = bounds_map(&bounds);
    double off = fabs((double)(map.to - map.from)), half = bounds_half(&bounds);
    own.shared = partner_shares && timer_in_use->shared && bounds.ratio == 1 && off <= half + 1;
    errand->report->own_round_trip = timer_seconds((int64_t)bounds.smallest);
    errand->report->own_bound = half / timer_in_use->ticks_per_second;
}

static void answer_sharing(int pe, void *context)
{
    (void)context;
    int64_t shared = own.shared;
    begin_answers(pe);
    greet(pe, false);
    tell(pe, &shared, sizeof shared);
    answer_questions(pe, false);
}

#define WORD_SHARED 2

static void take_model(int pe)
{
    struct model model;
    take(pe, &model, sizeof model);
    own.map = model.map;
    own.bound = model.bound;
}

/* Tells the partner whether this PE takes its model or learns its own. */
static bool announce_sharing(int pe)
{
    await_turn();
    comm_word_send(pe, COMM_QUESTION, own.shared ? WORD_SHARED : WORD_ASK);
    comm_word_receive(COMM_ANSWER);
    return own.shared;
}

/* A PE that shares the clock of the node's first PE takes that PE's model; other PEs learn their
 * own. */
static void learn_in_node(int pe, void *context)
{
    const struct errand *errand = context;
    if (announce_sharing(pe)) {
        take_model(pe);
        own.bound +=
            errand->report->own_bound; /* known from the exchange that verified the clock */
    } else {
        learn_drift(pe, errand->rules, &errand->report->own_round_trip);
    }
}

static void teach_in_node(int pe, void *context)
{
    (void)context;
    begin_answers(pe);
    int64_t kind = comm_word_receive(COMM_QUESTION);
    comm_word_send(pe, COMM_ANSWER, WORD_ASK);
    if (kind == WORD_SHARED) {
        struct model model = {own.map, own.bound};
        tell(pe, &model, sizeof model);
    } else {
        greet(pe, true);
        answer_questions(pe, true);
    }
}

/* Finds out which PEs of a node have one clock. */
static void find_shared(struct errand *errand)
{
    own.shared = true;
    errand->report->rounds = walk_tree(comm_own_node(), verify_shared, answer_sharing, errand);
    int64_t all = own.shared && comm_node_count() == 1;
    comm_allreduce_int(comm_world(), COMM_AND, &all, 1);
    own.all_shared = all;
}

/* Of its node. */
static bool is_leader(void)
{
    return pe_group_member(comm_own_node(), 0) == comm_pe();
}

static void run_hca(struct errand *errand)
{
    own.map = clock_map_identity();
    /* Learning takes a fixed time in each round, so all PEs of one round learn side by side. */
    if (is_leader())
        walk_tree(comm_node_leaders(), learn_from, answer_globally, errand);
    errand->report->rounds += rounds_of(comm_node_leaders()) +
                              walk_tree(comm_own_node(), learn_in_node, teach_in_node, errand);
}

/* ---- Synchronizing ---- */

void sync_synchronize(const struct clock_rules *rules, struct sync_report *report)
{
    int64_t start = timer_now();
    *report = (struct sync_report){.algorithm = rules->algorithm, .closure = NAN};
    struct errand errand = {rules, report};
    own.map = clock_map_identity();
    own.bound = 0;
    own.drifting = own.all_shared = own.shared = false;
    own.samples = 0;
    own.rate = timer_in_use->ticks_per_second;
    comm_broadcast(comm_world(), &own.rate, sizeof own.rate);
    comm_barrier(comm_world());
    switch (rules->algorithm) {
    case CLOCK_SYNC_DEFAULT:
    case CLOCK_SYNC_HCA:
        find_shared(&errand);
        if (rules->algorithm == CLOCK_SYNC_DEFAULT && own.all_shared) {
            report->algorithm = CLOCK_SYNC_NONE;
            own.bound = report->own_bound;
        } else {
            report->algorithm = CLOCK_SYNC_HCA;
            run_hca(&errand);
        }
        break;
    case CLOCK_SYNC_NONE:
        find_shared(&errand);
        own.bound = own.all_shared ? report->own_bound : INFINITY;
        break;
    case CLOCK_SYNC_LINEAR:
        run_linear(&errand);
        break;
    case CLOCK_SYNC_RING:
        run_ring(&errand);
        break;
    case CLOCK_SYNC_TREE:
        report->rounds = walk_tree(comm_world(), learn_offset, answer_globally, &errand);
        break;
    }
    report->own_bound = own.bound;
    report->shared = own.all_shared;
    double drift = own.drifting ? fabs(own.map.ratio / own.nominal - 1) : 0;
    double most[] = {own.bound, drift, report->rounds, timer_seconds(timer_now() - start)};
    comm_allreduce(comm_world(), COMM_MAX, most, 4);
    report->bound = most[0];
    report->drift = most[1];
    report->drifting = most[1] > 0;
    report->rounds = (int)most[2];
    report->seconds = most[3];
}

/* ---- Later ---- */

static void check_against(int pe, double *deviation)
{
    struct greeting greeting;
    struct bounds bounds;
    struct sample best = {0, 0, 0};
    take(pe, &greeting, sizeof greeting);
    bounds_begin(&bounds, 1);
    for (int i = 0; i < CHECK_EXCHANGES; i++) {
        struct sample sample = ask_globally(pe, &bounds);
        if (i == 0 || sample.after - sample.before < best.after - best.before)
            best = sample;
    }
    end_questions(pe);
    /* If the clocks agree, a difference of 0 lies within the bounds. */
    struct clock_map map = bounds_map(&bounds);
    double off = fabs((double)(map.to - map.from)) - bounds_half(&bounds);
    *deviation = off > 0 ? off / own.rate : 0;
    if (own.samples == 0)
        return;
    remember(&best);
    if (own.drifting) {
        double ignored;
        own.map = learn(fit(0, own.samples).slope, &ignored);
    }
}

static void check_leader(int pe, void *context)
{
    await_turn();
    check_against(pe, context);
}

/* A PE that has its partner's clock takes over the partner's model, which may have been refined. */
static void check_in_node(int pe, void *context)
{
    if (announce_sharing(pe))
        take_model(pe);
    else
        check_against(pe, context);
}

double sync_check(void)
{
    if (own.all_shared)
        return 0;
    double deviation = 0;
    if (is_leader())
        walk_tree(comm_node_leaders(), check_leader, answer_globally, &deviation);
    walk_tree(comm_own_node(), check_in_node, teach_in_node, &deviation);
    comm_allreduce(comm_world(), COMM_MAX, &deviation, 1);
    return deviation;
}

/* How far this PE's global time is ahead of rank 0's, and the error bound of that (seconds). */
struct comparison {
    double ahead, bound;
};

static void compare(int pe, void *context)
{
    struct comparison *comparison = context;
    await_turn();
    struct comparison partner;
    struct bounds bounds;
    take(pe, &partner, sizeof partner);
    bounds_begin(&bounds, 1);
    do
        ask_globally(pe, &bounds);
    while (bounds.since_improved < COMPARE_PATIENCE && bounds.exchanges < MOST_EXCHANGES);
    end_questions(pe);
    struct clock_map map = bounds_map(&bounds);
    comparison->ahead = partner.ahead + sync_seconds(map.from - map.to);
    comparison->bound = partner.bound + bounds_half(&bounds) / own.rate;
}

static void answer_comparison(int pe, void *context)
{
    begin_answers(pe);
    tell(pe, context, sizeof(struct comparison));
    answer_questions(pe, true);
}

double sync_compare(const struct pe_group *group, double *bound)
{
    struct comparison comparison = {0};
    walk_tree(group, compare, answer_comparison, &comparison);
    *bound = comparison.bound;
    return comparison.ahead;
}
