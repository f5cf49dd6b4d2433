/*
 * Ranks that load the machine while others are measured: their parts, the flood, and its data.
 */
#include "measurements/common/aggressors.h"

#include <math.h>
#include <string.h>

#include "measurements/common/collective.h"
#include "measurements/common/pairs_pattern.h"

/* Operations of a flood that are under way at the same time. */
#define WINDOW 16
/* Each of the two blocks of a stream: more than any private cache has. */
#define STREAM_BYTES ((size_t)16 << 20)
/* Places in the memory of a rank that all flood: with more aggressors some share one. */
#define MOST_PLACES 64

enum flood_target { ON_NEXT, ON_LAST_VICTIM, ON_LAST };

struct aggressor {
    enum flooding flooding;
    enum flood_target flooded;
    int fewest; /* ranks apart from the victims */
    const char *does;
};

/* In the order of the words of the parameter. */
static const struct aggressor table[] = {
    {FLOOD_NONE, ON_NEXT, 0, "nothing"},
    {FLOOD_PUT, ON_NEXT, 2, "puts to the next one"},
    {FLOOD_GET, ON_NEXT, 2, "gets from the next one"},
    {FLOOD_PUT, ON_LAST_VICTIM, 1, "puts to the last victim"},
    {FLOOD_PUT, ON_LAST, 2, "puts to the last rank"},
    {FLOOD_COPY, ON_NEXT, 1, "copies in memory of their own"},
};

/* ---- Arguments ---- */

static const struct aggressor *find(const struct run *run)
{
    return &table[run_word(run, "aggressors")];
}

static int64_t victims_of(const struct run *run)
{
    return run_integer(run, "victims", 2);
}

const char *load_check(const struct run *run)
{
    static const char *const too_few[] = {
        NULL, "needs at least 3 PEs, and one more than victims: the aggressor",
        "needs at least 4 PEs, and two more than victims: aggressors that work on each other"};
    const struct aggressor *aggressor = find(run);
    int64_t others = run->size - victims_of(run);
    if (others < 0)
        return "victims must be at most the size of the communicator";
    return others < aggressor->fewest ? too_few[aggressor->fewest] : NULL;
}

static enum pair_action pair_action_of(enum load_action action)
{
    return action == LOAD_FETCH_ADD ? PAIR_FETCH_ADD : action == LOAD_GET ? PAIR_GET : PAIR_PUT;
}

static bool moves(const struct aggressor *aggressor)
{
    return aggressor->flooding == FLOOD_PUT || aggressor->flooding == FLOOD_GET;
}

/* How many of the `others` ranks, which are no victims, flood. */
static int64_t flooders(const struct aggressor *aggressor, int64_t others)
{
    if (aggressor->flooding == FLOOD_NONE)
        return 0;
    return aggressor->flooded == ON_LAST ? others - 1 : others;
}

/* Places in a rank's memory that others flood. */
static size_t places_of(const struct aggressor *aggressor, int64_t others)
{
    if (!moves(aggressor) || others < aggressor->fewest)
        return 0;
    int64_t places = aggressor->flooded == ON_NEXT ? 1 : flooders(aggressor, others);
    return places < MOST_PLACES ? (size_t)places : MOST_PLACES;
}

static size_t sum(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static const struct victim *victim_of(const struct run *run)
{
    return run->function->variant;
}

void load_demand(struct run *run)
{
    enum load_action action = victim_of(run)->action;
    if (action == LOAD_SUM)
        data_demand_bytes(run, ROUND_UP((size_t)run_argument(run, "count")->integer, sizeof(long)));
    else if (action != LOAD_BARRIER)
        pair_demand(run, pair_action_of(action));
    size_t places = places_of(find(run), run->size - victims_of(run));
    size_t place = pairs_place_bytes((size_t)run_argument(run, "flood")->integer);
    run->demand.local = sum(pairs_place_bytes(run->demand.local), place);
    run->demand.remote = sum(pairs_place_bytes(run->demand.remote), data_product(places, place));
}

/* ---- Parts ---- */

static struct load *load_of(const struct run *run)
{
    return run->state;
}

/* Aggressor i is below aggressor (i - 1) / 2, the first one below rank 0. */
static void find_relatives(struct load *load, int rank)
{
    int first = rank == 0 ? 0 : 2 * load->index + 1, most = rank == 0 ? 1 : 2;
    load->parent = load->index > 0 ? load->victims + (load->index - 1) / 2 : 0;
    if (rank > 0 && load->index < 0)
        return;
    for (int i = first; i < first + most && i < load->aggressors; i++)
        load->children[load->child_count++] = load->victims + i;
}

/* In both buffers the aggressors' memory lies after that of the victims, which has the same size in
 * both. */
static void aim(const struct run *run, struct load *load)
{
    const struct aggressor *aggressor = load->aggressor;
    struct flood *flood = &load->flood;
    flood->flooding = aggressor->flooding;
    flood->bytes = (size_t)run_argument(run, "flood")->integer;
    if (!moves(aggressor))
        return;
    size_t place = pairs_place_bytes(flood->bytes);
    flood->here = flood->there = run->demand.local - place;
    int next = load->victims + (load->index + 1) % load->aggressors;
    const int ranks[] = {
        [ON_NEXT] = next, [ON_LAST_VICTIM] = load->victims - 1, [ON_LAST] = run->size - 1};
    flood->rank = ranks[aggressor->flooded];
    flood->pe = pe_set_member(run->set, flood->rank);
    if (aggressor->flooded != ON_NEXT && load->index > 0)
        flood->there += (size_t)(load->index % MOST_PLACES) * place;
}

static bool sum_possible(struct run *);

bool load_open(struct run *run)
{
    struct load *load = load_of(run);
    load->aggressor = find(run);
    load->victims = (int)victims_of(run);
    load->aggressors = (int)flooders(load->aggressor, run->size - load->victims);
    bool floods = run->rank >= load->victims && run->rank - load->victims < load->aggressors;
    load->index = floods ? run->rank - load->victims : -1;
    find_relatives(load, run->rank);
    if (load->aggressors > 0)
        aim(run, load);
    if (floods && load->flood.flooding == FLOOD_COPY) {
        load->stream.from = run_allocate(run, 1, STREAM_BYTES);
        load->stream.to = run_allocate(run, 1, STREAM_BYTES);
        pattern_fill(load->stream.from, STREAM_BYTES, data_key(run, run->rank));
        data_poison(load->stream.to, STREAM_BYTES);
    }
    enum load_action action = victim_of(run)->action;
    return pair_open(run, pair_action_of(action), &load->pair) &&
           (action != LOAD_SUM || sum_possible(run));
}

/* Bytes of one operation; a copy is no longer than the blocks. */
static size_t moved_by(const struct load *load)
{
    bool copies = load->flood.flooding == FLOOD_COPY && load->flood.bytes > STREAM_BYTES;
    return copies ? STREAM_BYTES : load->flood.bytes;
}

void load_tear_down(struct run *run)
{
    struct load *load = load_of(run);
    pair_close(&load->pair);
    if (load->aggressors == 0)
        return;
    double rate = load->seconds > 0 ? load->moved / load->seconds : NAN;
    double most = run_max(run, rate), least = -run_max(run, -rate);
    if (isfinite(most))
        run_note(run, "aggressors: %d, %s, %zu bytes each time, at %.3f to %.3f MB/s each",
                 load->aggressors, load->aggressor->does, moved_by(load), least * 1e-6,
                 most * 1e-6);
}

/* ---- A repetition ---- */

/* The next part of the stream; after the last part comes the first. */
static void copy(struct load *load)
{
    struct stream *stream = &load->stream;
    size_t bytes = moved_by(load);
    if (stream->at > STREAM_BYTES - bytes)
        stream->at = 0;
    memcpy(stream->to + stream->at, stream->from + stream->at, bytes);
    stream->at += bytes;
}

/* How far this rank's part of a repetition is. */
enum progress { BEGINNING, READY, STOPPED };

/* Tells that this rank is flooding, once those below it are; then looks whether it shall stop. */
static enum progress look(struct run *run, const struct load_routines *routines,
                          enum progress progress)
{
    const struct load *load = load_of(run);
    if (progress == READY)
        return routines->told(run, LOAD_STOP, load->repetitions) ? STOPPED : READY;
    if (!routines->told(run, LOAD_READY, load->repetitions * load->child_count))
        return BEGINNING;
    routines->tell(run, load->parent, LOAD_READY);
    return READY;
}

/* It looks in the middle of a window, while operations are on their way: between two windows there
 * shall be no gap. */
static void flood(struct run *run, const struct load_routines *routines)
{
    struct load *load = load_of(run);
    bool copies = load->flood.flooding == FLOOD_COPY;
    double each = (double)moved_by(load);
    enum progress progress = BEGINNING;
    int64_t from = timer_now();
    for (int windows = 0; progress != STOPPED; windows++) {
        for (int i = 0; i < WINDOW; i++) {
            if (copies)
                copy(load);
            else
                routines->flood(run, &load->flood);
            if (windows > 0 && i == WINDOW / 2)
                progress = look(run, routines, progress);
        }
        if (!copies)
            routines->complete(run, &load->flood);
        load->moved += WINDOW * each;
    }
    load->seconds += timer_seconds(timer_now() - from);
    for (int i = 0; i < load->child_count; i++)
        routines->tell(run, load->children[i], LOAD_STOP);
}

static void operate(struct run *run, const struct load_routines *routines, bool timed)
{
    enum load_action action = victim_of(run)->action;
    if (action <= LOAD_FETCH_ADD)
        pair_operate(run, &load_of(run)->pair, timed);
    else
        routines->operate(run, action);
}

/* The operation in front brings data into the caches, and lets victims begin together. The one
 * after a collective ends when all have ended the one that is timed. */
static double endure(struct run *run, const struct load_routines *routines, bool together)
{
    struct load *load = load_of(run);
    while (run->rank == 0 &&
           !routines->told(run, LOAD_READY, load->repetitions * load->child_count))
        ;
    if (together || warm_places(run))
        operate(run, routines, false);
    int64_t from = timer_now();
    operate(run, routines, true);
    double seconds = run_elapsed(run, from, timer_now());
    if (together)
        operate(run, routines, false);
    for (int i = 0; run->rank == 0 && i < load->child_count; i++)
        routines->tell(run, load->children[i], LOAD_STOP);
    return run->rank == 0 || together ? seconds : NAN;
}

double load_run(struct run *run, const struct load_routines *routines)
{
    struct load *load = load_of(run);
    enum victims_part part = victim_of(run)->part;
    const int acting[] = {
        [VICTIM_ALONE] = 1, [VICTIM_ANSWERED] = 2, [VICTIMS_TOGETHER] = load->victims};
    double seconds = NAN;
    load->repetitions++;
    run_start(run);
    if (load->index >= 0)
        flood(run, routines);
    else if (run->rank < acting[part])
        seconds = endure(run, routines, part == VICTIMS_TOGETHER);
    run_stop(run);
    pair_meet(run);
    return seconds;
}

/* ---- The data ---- */

/* The tag of the data with which a rank is flooded. Aggressors of one rank may share places in its
 * memory: all of them send equal data. */
static int tag_of(const struct run *run, int rank)
{
    const struct load *load = load_of(run);
    return run->size + (load->aggressor->flooded == ON_NEXT ? rank : 0);
}

/* The rank that floods a place of this one; -1: none does. */
static int source_of(const struct run *run, const struct load *load, int place)
{
    int before = (load->index + load->aggressors - 1) % load->aggressors;
    if (load->aggressor->flooded == ON_NEXT)
        return load->index >= 0 ? load->victims + before : -1;
    return run->rank == load->flood.rank ? load->victims + place : -1;
}

/* First of the aggressors' part of either buffer. */
static size_t offset_of(const struct run *run, const struct load *load)
{
    return run->demand.local - pairs_place_bytes(load->flood.bytes);
}

static void fill_flooded(struct run *run, unsigned char *remote)
{
    struct load *load = load_of(run);
    struct stream *stream = &load->stream;
    uint64_t own = data_key(run, tag_of(run, run->rank));
    if (load->flood.flooding == FLOOD_COPY && stream->to) {
        stream->proof = stream->at > STREAM_BYTES - moved_by(load) ? 0 : stream->at;
        data_poison(stream->to + stream->proof, moved_by(load));
    }
    if (load->aggressors == 0 || !moves(load->aggressor))
        return;
    size_t offset = offset_of(run, load), bytes = load->flood.bytes;
    bool get = load->flood.flooding == FLOOD_GET;
    data_poison(remote + offset, run->demand.remote - offset);
    data_poison(run->local + offset, run->demand.local - offset);
    pattern_fill((get ? remote : run->local) + offset, bytes, own);
}

static bool verify_puts(struct run *run, const unsigned char *memory)
{
    const struct load *load = load_of(run);
    size_t place = pairs_place_bytes(load->flood.bytes);
    size_t places = places_of(load->aggressor, run->size - load->victims);
    for (int i = 0; i < (int)places; i++) {
        const unsigned char *at = memory + (size_t)i * place;
        int source = source_of(run, load, i);
        bool right =
            source >= 0
                ? data_verify(run, "the flooded memory", at, load->flood.bytes, tag_of(run, source))
                : data_verify_untouched(run, "memory that nobody floods", at, place);
        if (!right)
            return false;
    }
    return true;
}

static bool verify_flooded(struct run *run, const unsigned char *remote)
{
    const struct load *load = load_of(run);
    const struct stream *stream = &load->stream;
    size_t bytes = load->flood.bytes;
    if (load->flood.flooding == FLOOD_COPY)
        return !stream->to ||
               data_verify_equal(run, "the aggressor's copy", stream->to + stream->proof,
                                 stream->from + stream->proof, moved_by(load));
    if (load->aggressors == 0)
        return true;
    size_t offset = offset_of(run, load);
    if (load->flood.flooding == FLOOD_PUT)
        return verify_puts(run, remote + offset) &&
               data_verify(run, "the source of the flood", run->local + offset, bytes,
                           tag_of(run, run->rank));
    bool right = load->index < 0 ? data_verify_untouched(run, "memory that nothing is brought to",
                                                         run->local + offset, bytes)
                                 : data_verify(run, "what the flood brings", run->local + offset,
                                               bytes, tag_of(run, load->flood.rank));
    return right && data_verify(run, "the source of the flood", remote + offset, bytes,
                                tag_of(run, run->rank));
}

/* ---- The victims' sum ---- */

static bool sum_possible(struct run *run)
{
    const unsigned char *target = pair_memory(run, &load_of(run)->pair);
    if (((uintptr_t)run->local | (uintptr_t)target) % sizeof(long))
        return run_fail(run, ALIGNMENT_TEXT, sizeof(long));
    return run->settings->cache_state != CACHE_COLD ||
           run_fail(run,
                    "cannot be measured with cold caches: the operation before the one that is "
                    "timed, which lets the victims begin together, warms them; measure it "
                    "with set_cache_state(\"warm\")");
}

static struct collective_call sum_of(struct run *run, unsigned char *source, unsigned char *target)
{
    static const struct routine longs = {.element = sizeof(long), .operation = &reduction_sum};
    return (struct collective_call){.routine = &longs,
                                    .source = source,
                                    .target = target,
                                    .elements = run->demand.reported / sizeof(long),
                                    .size = load_of(run)->victims,
                                    .rank = run->rank,
                                    .run = run};
}

/* ---- All data ---- */

void load_fill(struct run *run)
{
    struct pair *pair = &load_of(run)->pair;
    enum load_action action = victim_of(run)->action;
    unsigned char *memory = pair_memory(run, pair);
    fill_flooded(run, memory);
    if (action == LOAD_SUM) {
        struct collective_call sum = sum_of(run, run->local, memory);
        data_poison(memory, run->demand.reported);
        reduction_fill(&sum);
    } else if (action != LOAD_BARRIER) {
        pair_fill(run, pair);
    }
    pair_synchronize(run, pair);
}

/* Each of two ranks has what the other one sent. */
static bool verify_trip(struct run *run, const unsigned char *target)
{
    size_t bytes = run->demand.reported;
    bool right = run->rank < 2 ? data_verify(run, "the message", target, bytes, 1 - run->rank)
                               : data_verify_untouched(run, "the memory of others", target, bytes);
    return right && data_verify(run, "the source", run->local, bytes, run->rank);
}

static bool verify_victims(struct run *run, unsigned char *memory)
{
    struct load *load = load_of(run);
    struct collective_call sum;
    switch (victim_of(run)->action) {
    case LOAD_PUT:
    case LOAD_GET:
    case LOAD_FETCH_ADD:
        return pair_verify(run, &load->pair);
    case LOAD_TRIP:
        return verify_trip(run, memory);
    case LOAD_SUM:
        sum = sum_of(run, NULL, memory);
        return run->rank < sum.size
                   ? reduction_check(&sum)
                   : data_verify_untouched(run, "the target of a PE that takes no part", memory,
                                           run->demand.reported);
    case LOAD_BARRIER:
        break;
    }
    return true;
}

bool load_verify(struct run *run)
{
    struct pair *pair = &load_of(run)->pair;
    unsigned char *memory = pair_memory(run, pair);
    return pair_synchronize(run, pair) && verify_victims(run, memory) &&
           verify_flooded(run, memory);
}
