/*
 * The experiment of --factors: what do the times of the script's points depend on? Blocks follow
 * each other; in each, every level of every factor is measured once at every point, in random
 * order. A measurement is that of measure(), only short.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "engine/factors.h"
#include "engine/private.h"
#include "engine/watchdog.h"
#include "stats/factorial.h"
#include "stats/random.h"

/* The share of the remaining time that screening may take. The rest is for measuring once more. */
#define SCREENING_SHARE 0.6
/* Fewer have no interval of 95 %. */
#define FEWEST_BLOCKS 6

/* ---- What there is ---- */

/* One measurement of a block. */
struct probe {
    struct factor_row *row;
    size_t level;
};

void factors_record(struct engine *engine, const struct measure_request *request)
{
    if (!engine->factors)
        engine->factors = memory_zeroed(1, sizeof *engine->factors);
    struct factors *factors = engine->factors;
    struct settings cycling = engine->settings;
    struct buffers buffers = engine->bench.buffers;
    struct run run = engine->bench.run;
    cycling.buffer_cycling = true;
    run.settings = &cycling;
    buffers_begin(&buffers, &run);
    memory_append(factors->points, factors->count,
                  (struct factor_point){.kept = point_keep(&engine->describer, request),
                                        .demand = run.demand,
                                        .several_places =
                                            buffers.local.places > 1 || buffers.remote.places > 1});
}

void factors_free(struct engine *engine)
{
    struct factors *factors = engine->factors;
    if (!factors)
        return;
    for (size_t i = 0; i < factors->count; i++)
        point_release(&factors->points[i].kept);
    for (size_t i = 0; i < factors->row_count; i++)
        factor_levels_free(&factors->rows[i]);
    for (size_t i = 0; i < factors->untried_count; i++)
        free(factors->untried[i].reason);
    free(factors->points);
    free(factors->rows);
    free(factors->untried);
    free(factors->together); /* its levels are those of rows */
    free(factors->apart);
    free(factors);
    engine->factors = NULL;
}

static void leave_out(struct factors *factors, enum factor factor, size_t point, const char *reason)
{
    memory_append(factors->untried, factors->untried_count,
                  (struct factor_untried){factor, point, memory_text(reason)});
}

/* ---- One measurement ---- */

static struct setup setup_of(const struct probe *probe)
{
    struct setup setup = setup_usual();
    const struct factor_row *row = probe->row;
    /* The levels of two factors: 0 both fast, 1 the first slow, 2 the second slow, 3 both slow. */
    setup.of[row->factor] = row->levels[row->both ? probe->level & 1 : probe->level].value;
    if (row->both)
        setup.of[row->other] = row->levels[2 + (probe->level >> 1)].value;
    return setup;
}

static enum measure_status measure_point(struct engine *engine, const struct factor_point *point,
                                         const struct setup *setup)
{
    engine->settings = factor_settings(point, setup, &engine->factors->random);
    measure_select_timer(engine, point->kept.timer);
    return measure(engine, &point->kept.request);
}

/* The time of a probe on PE 0, NaN if it has none. Nothing of it reaches the output. Collective. */
static double measure_probe(struct engine *engine, const struct probe *probe,
                            enum measure_status *status)
{
    struct factors *factors = engine->factors;
    const struct factor_point *point = &factors->points[probe->row->point];
    struct setup setup = setup_of(probe), usual = setup_usual();
    int64_t before = setup.of[FACTOR_BEFORE];
    factor_move((int)setup.of[FACTOR_ORDER]);
    if (before >= 0)
        measure_point(engine, &factors->points[before], &usual);
    *status = measure_point(engine, point, &setup);
    if (*status != MEASURE_DONE)
        return NAN;
    const struct buffers *buffers = &engine->bench.buffers;
    if (setup.of[FACTOR_PLACEMENT] == PLACEMENT_MALLOC && point->demand.local &&
        point->demand.remote)
        factors->apart[probe->row->point] =
            (double)((uintptr_t)(buffers->remote.first - buffers->local.first) % FACTOR_PAGE);
    return engine->latest.median > 0 ? engine->latest.median : NAN;
}

/* All PEs in one order; those of PE 0 count. */
static void shuffle(struct factors *factors, struct probe *probes, size_t n)
{
    size_t *order = memory_zeroed(n + 1, sizeof *order);
    struct probe *before = memory_zeroed(n + 1, sizeof *before);
    random_order(&factors->random, order, n);
    comm_broadcast(comm_world(), order, n * sizeof *order);
    memcpy(before, probes, n * sizeof *before);
    for (size_t i = 0; i < n; i++)
        probes[i] = before[order[i]];
    free(before);
    free(order);
}

/* Whether so many seconds are left, by PE 0's clock. Collective. */
static bool has_time(const struct engine *engine, double seconds)
{
    int64_t has = wall_seconds() + seconds < engine->limit.ends;
    if (engine->limit.seconds > 0)
        comm_broadcast(comm_world(), &has, sizeof has);
    return has;
}

/* Measures every level of the chosen rows once, in random order. Whether there was time for all of
 * them. */
static bool measure_block(struct engine *engine, struct factor_row *rows, size_t count,
                          size_t block)
{
    struct factors *factors = engine->factors;
    struct probe *probes = memory_zeroed(count * FACTOR_LEVELS + 1, sizeof *probes);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < rows[i].count && rows[i].chosen; l++)
            probes[n++] = (struct probe){&rows[i], l};
    shuffle(factors, probes, n);
    bool complete = true;
    for (size_t i = 0; i < n && complete; i++) {
        enum measure_status status;
        struct factor_row *row = probes[i].row;
        row->values[block * row->count + probes[i].level] =
            measure_probe(engine, &probes[i], &status);
        complete = has_time(engine, 0);
    }
    free(probes);
    return complete;
}

/* Measures as many blocks as there is time for. Rows count complete blocks. */
static void measure_blocks(struct engine *engine, struct factor_row *rows, size_t count)
{
    double took = 0;
    for (size_t block = 0; block < FACTOR_BLOCKS; block++) {
        double start = wall_seconds();
        if (!has_time(engine, took) || !measure_block(engine, rows, count, block))
            break;
        took = wall_seconds() - start;
        for (size_t i = 0; i < count; i++)
            rows[i].blocks = rows[i].chosen ? block + 1 : rows[i].blocks;
    }
}

/* Blocks in which a level has no time are left out. PE 0. */
static void keep_complete(struct factor_row *row)
{
    size_t levels = row->count, kept = 0;
    for (size_t b = 0; b < row->blocks; b++) {
        bool complete = true;
        for (size_t l = 0; l < levels; l++)
            complete = complete && row->values[b * levels + l] > 0;
        if (complete)
            memmove(row->values + kept++ * levels, row->values + b * levels,
                    levels * sizeof *row->values);
    }
    row->blocks = kept;
}

/* ---- What can be tried ---- */

static void remove_row(struct factors *factors, size_t at)
{
    struct factor_row *row = &factors->rows[at];
    factor_levels_free(row);
    memmove(row, row + 1, (--factors->row_count - at) * sizeof *row);
}

/* Whether PEs can be put in these orders. */
static bool can_move(const struct factor_row *row)
{
    bool can = true;
    for (size_t l = 0; l < row->count; l++)
        can = factor_move((int)row->levels[l].value) && can;
    factor_move(0);
    return can;
}

/* Adds the factor at each point where it has levels. */
static void plan(struct engine *engine, enum factor factor)
{
    struct factors *factors = engine->factors;
    for (size_t i = 0; i < factors->count; i++) {
        struct factor_row row = {.point = i, .factor = factor, .chosen = true};
        const char *reason;
        bool has = factor_levels(factors, &row, &reason);
        if (has && factor == FACTOR_ORDER && !can_move(&row)) {
            factor_levels_free(&row);
            has = false;
            reason = "the system does not let PEs change their processors";
        }
        if (has)
            memory_append(factors->rows, factors->row_count, row);
        else
            leave_out(factors, factor, i, reason);
    }
}

/* The levels of a row that can be measured at all: tries each. Collective. */
static void try_levels(struct engine *engine, size_t at)
{
    struct factors *factors = engine->factors;
    struct factor_row *row = &factors->rows[at];
    char *reason = NULL;
    for (size_t l = 0; l < row->count;) {
        enum measure_status status;
        measure_probe(engine, &(struct probe){row, l}, &status);
        if (status == MEASURE_DONE) {
            l++;
            continue;
        }
        free(reason);
        reason = text_format("%s: %s", row->levels[l].name,
                             engine->missing.reason ? engine->missing.reason : "");
        free(row->levels[l].name);
        memmove(&row->levels[l], &row->levels[l + 1], (--row->count - l) * sizeof *row->levels);
    }
    if (row->count < 2) {
        leave_out(factors, row->factor, row->point, reason ? reason : "");
        remove_row(factors, at);
    }
    free(reason);
}

/* Tries all levels of the wanted factors, those that take little time first, and learns what each
 * takes. Collective. */
static void try_factors(struct engine *engine)
{
    struct factors *factors = engine->factors;
    for (int f = 0; f < FACTORS; f++) {
        double start = wall_seconds();
        size_t first = factors->row_count;
        if (!(engine->options.factors & 1u << f))
            continue;
        plan(engine, (enum factor)f);
        for (size_t i = first; i < factors->row_count;) {
            size_t before = factors->row_count;
            if (!has_time(engine, 0)) {
                leave_out(factors, (enum factor)f, factors->rows[i].point, "the time limit");
                remove_row(factors, i);
                continue;
            }
            try_levels(engine, i);
            i += factors->row_count == before;
        }
        factors->cost[f] = wall_seconds() - start;
    }
}

/* ---- How much there is time for ---- */

/* Leaves out the factors that take longest, until the others fit. PE 0's clock decides. */
static void fit_time(struct engine *engine)
{
    struct factors *factors = engine->factors;
    double left = SCREENING_SHARE * (engine->limit.ends - wall_seconds()), sum = 0;
    comm_broadcast(comm_world(), &left, sizeof left);
    comm_broadcast(comm_world(), factors->cost, sizeof factors->cost);
    for (int f = 0; f < FACTORS; f++)
        sum += FACTOR_BLOCKS * factors->cost[f];
    while (sum > left) {
        int longest = 0;
        char text[32];
        for (int f = 1; f < FACTORS; f++)
            if (factors->cost[f] > factors->cost[longest])
                longest = f;
        if (factors->cost[longest] <= 0)
            return;
        char *reason = text_format("it takes about %s s, and --time-limit leaves less for it",
                                   numbers_text(text, FACTOR_BLOCKS * factors->cost[longest], 2));
        for (size_t i = factors->row_count; i-- > 0;)
            if (factors->rows[i].factor == (enum factor)longest) {
                leave_out(factors, factors->rows[i].factor, factors->rows[i].point, reason);
                remove_row(factors, i);
            }
        free(reason);
        sum -= FACTOR_BLOCKS * factors->cost[longest];
        factors->cost[longest] = 0;
    }
}

/* ---- What it says; PE 0 ---- */

/* The effect of each level, and which levels are the slowest and the fastest. */
static void find_effects(struct factor_row *row)
{
    factorial_effects(row->values, row->blocks, row->count, row->effects);
    for (size_t l = 0; l < row->count; l++) {
        row->slowest = row->effects[l] > row->effects[row->slowest] ? l : row->slowest;
        row->fastest = row->effects[l] < row->effects[row->fastest] ? l : row->fastest;
    }
}

static void test_rows(struct factor_row *rows, size_t count, double alpha)
{
    double *p = memory_zeroed(count + 1, sizeof *p);
    for (size_t i = 0; i < count; i++) {
        keep_complete(&rows[i]);
        p[i] = rows[i].p = factorial_p(rows[i].values, rows[i].blocks, rows[i].count);
    }
    factorial_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        struct factor_row *row = &rows[i];
        row->adjusted = p[i];
        row->named = row->adjusted <= alpha;
        find_effects(row);
        factorial_split(row->effects, row->count, row->slow);
    }
    free(p);
}

/* The time of level a over that of level b in the row's blocks. */
static struct factorial_ratio ratio_of(const struct factor_row *row, size_t a, size_t b)
{
    double ratios[FACTOR_BLOCKS];
    size_t levels = row->count;
    for (size_t i = 0; i < row->blocks; i++)
        ratios[i] = row->values[i * levels + a] / row->values[i * levels + b];
    return factorial_ratio(ratios, row->blocks, FACTOR_CONFIDENCE);
}

/* What PE 0 has found: which rows go on, and with which levels. */
static void share_found(struct factors *factors)
{
    for (size_t i = 0; i < factors->row_count; i++) {
        struct factor_row *row = &factors->rows[i];
        int64_t found[] = {row->named, (int64_t)row->slowest, (int64_t)row->fastest};
        comm_broadcast(comm_world(), found, sizeof found);
        row->named = found[0];
        row->slowest = (size_t)found[1];
        row->fastest = (size_t)found[2];
    }
}

/* ---- Once more ---- */

/* The slowest and the fastest level of each factor that was found, in new blocks: the largest of
 * many differences would look larger than it is. Collective. */
static void confirm(struct engine *engine)
{
    struct factors *factors = engine->factors;
    struct factor_row *again = memory_zeroed(factors->row_count + 1, sizeof *again);
    for (size_t i = 0; i < factors->row_count; i++) {
        const struct factor_row *row = &factors->rows[i];
        again[i] = (struct factor_row){
            .point = row->point, .factor = row->factor, .count = 2, .chosen = row->named};
        again[i].levels[0] = row->levels[row->fastest];
        again[i].levels[1] = row->levels[row->slowest];
    }
    measure_blocks(engine, again, factors->row_count);
    for (size_t i = 0; i < factors->row_count && comm_pe() == 0; i++) {
        struct factor_row *row = &factors->rows[i];
        keep_complete(&again[i]);
        row->ratio = again[i].blocks >= FEWEST_BLOCKS ? ratio_of(&again[i], 1, 0)
                                                      : ratio_of(row, row->slowest, row->fastest);
        row->named = row->named && row->ratio.low > 1;
    }
    free(again);
    share_found(factors);
}

/* ---- Two together ---- */

/* The two factors with the largest effects at any point; FACTORS: there is none. PE 0 says. */
static void find_largest(const struct factors *factors, enum factor largest[2])
{
    double most[FACTORS] = {0};
    for (size_t i = 0; i < factors->row_count; i++)
        if (factors->rows[i].named)
            most[factors->rows[i].factor] =
                fmax(most[factors->rows[i].factor], factors->rows[i].ratio.ratio);
    largest[0] = largest[1] = FACTORS;
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < FACTORS; f++)
            if (most[f] > 0 && (k == 0 || f != (int)largest[0]) &&
                (largest[k] == FACTORS || most[f] > most[largest[k]]))
                largest[k] = (enum factor)f;
    comm_broadcast(comm_world(), largest, 2 * sizeof *largest);
}

static const struct factor_row *row_at(const struct factors *factors, size_t point,
                                       enum factor factor)
{
    for (size_t i = 0; i < factors->row_count; i++)
        if (factors->rows[i].point == point && factors->rows[i].factor == factor &&
            factors->rows[i].named)
            return &factors->rows[i];
    return NULL;
}

/* The first decides what the second would choose: malloc() about addresses and places, cold caches
 * about places. */
static bool decides(enum factor first, enum factor second)
{
    if (first == FACTOR_PLACEMENT)
        return second != FACTOR_BEFORE && second != FACTOR_ORDER;
    return first == FACTOR_CACHE && second == FACTOR_CYCLING;
}

/* Whether both together take as each by itself lets expect: the product of both effects. PE 0. */
static void test_together(struct factor_row *rows, size_t count)
{
    double *p = memory_zeroed(count + 1, sizeof *p);
    for (size_t i = 0; i < count; i++) {
        struct factor_row *row = &rows[i];
        double pairs[2 * FACTOR_BLOCKS], ratios[FACTOR_BLOCKS];
        keep_complete(row);
        for (size_t b = 0; b < row->blocks; b++) {
            const double *v = row->values + 4 * b;
            pairs[2 * b] = v[0] * v[3];
            pairs[2 * b + 1] = v[1] * v[2];
            ratios[b] = pairs[2 * b] / pairs[2 * b + 1];
        }
        p[i] = row->p = factorial_p(pairs, row->blocks, 2);
        row->ratio = factorial_ratio(ratios, row->blocks, FACTOR_CONFIDENCE);
        find_effects(row);
    }
    factorial_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        rows[i].adjusted = p[i];
        rows[i].named = p[i] <= FACTOR_ALPHA_TOGETHER;
    }
    free(p);
}

static void measure_together(struct engine *engine)
{
    struct factors *factors = engine->factors;
    enum factor largest[2];
    find_largest(factors, largest);
    factors->together = memory_zeroed(factors->count + 1, sizeof *factors->together);
    for (size_t i = 0; largest[1] < FACTORS && i < factors->count; i++) {
        const struct factor_row *a = row_at(factors, i, largest[0]),
                                *b = row_at(factors, i, largest[1]);
        if (!a || !b || decides(largest[0], largest[1]) || decides(largest[1], largest[0]))
            continue;
        factors->together[factors->together_count++] =
            (struct factor_row){.point = i,
                                .factor = a->factor,
                                .other = b->factor,
                                .both = true,
                                .chosen = true,
                                .levels = {a->levels[a->fastest], a->levels[a->slowest],
                                           b->levels[b->fastest], b->levels[b->slowest]},
                                .count = 4};
    }
    measure_blocks(engine, factors->together, factors->together_count);
    if (comm_pe() == 0)
        test_together(factors->together, factors->together_count);
}

/* ---- All of it ---- */

/* Whether a factor that was asked for by name could not be tried at any point. PE 0 says why. */
static bool lacks_listed(const struct engine *engine)
{
    const struct factors *factors = engine->factors;
    unsigned lacking = engine->options.factors_listed ? engine->options.factors : 0;
    for (size_t i = 0; i < factors->row_count; i++)
        lacking &= ~(1u << factors->rows[i].factor);
    for (size_t i = 0; i < factors->untried_count && comm_pe() == 0; i++) {
        const struct factor_untried *untried = &factors->untried[i];
        if (untried->point == 0 && lacking & 1u << untried->factor)
            terminal_message("skampi: warning: --factors: %s is not tried: %s\n",
                             factor_name(untried->factor), untried->reason);
    }
    return lacking != 0;
}

void factors_run(struct engine *engine)
{
    struct factors *factors = engine->factors;
    if (!factors || limit_over(&engine->limit))
        return;
    double start = wall_seconds();
    struct settings settings = engine->settings;
    const char *timer = timer_in_use->name;
    struct output *output = engine->output;
    size_t weight = engine->latest.weight;
    bool incomplete = engine->missing.incomplete, cut_short = engine->limit.cut_short;
    engine->output = NULL;
    engine->missing.silent = true;
    factors->random = engine->seed;
    factors->apart = memory_zeroed(factors->count, sizeof *factors->apart);
    for (size_t i = 0; i < factors->count; i++)
        factors->apart[i] = NAN;
    free(counting_choose(NULL, 0)); /* times are what this is about */
    try_factors(engine);
    fit_time(engine);
    measure_blocks(engine, factors->rows, factors->row_count);
    if (comm_pe() == 0)
        test_rows(factors->rows, factors->row_count, FACTOR_ALPHA);
    share_found(factors);
    confirm(engine);
    measure_together(engine);
    factor_move(0);
    engine->output = output;
    engine->missing.silent = false;
    engine->missing.incomplete = lacks_listed(engine) || incomplete;
    engine->limit.cut_short = cut_short; /* no result of the script has been */
    engine->latest.weight = weight;
    engine->settings = settings;
    measure_select_timer(engine, timer);
    factors->seconds = wall_seconds() - start;
}
