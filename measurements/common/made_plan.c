/*
 * The steps of collectives that are made of one-sided operations: trees, recursive doubling,
 * reduce-scatter + allgather, rings.
 */
#include "measurements/common/made_plan.h"

#include <string.h>

#include "engine/measurement.h"

/* The numbers of a rank's words for messages, and of its words for permissions. A step of a tree,
 * or of recursive doubling, over a distance of 2^b ranks has word WORD_UP or WORD_DOWN + b. */
#define BITS 31
enum word {
    WORD_UP,
    WORD_DOWN = WORD_UP + BITS,
    WORD_REST_IN = WORD_DOWN + BITS,
    WORD_REST_OUT,
    WORD_ONE,  /* of rings, and from the root of a flat tree */
    WORD_FLAT, /* from or to each rank */
};

#define NO_PERMISSION (-1)

struct builder {
    const struct made_task *task;
    struct made_plan *plan;
    size_t room;
    int rank; /* of a broadcast: counted from the root on */
};

/* ---- Ranges ---- */

size_t made_vector(const struct made_task *task)
{
    return task->elements * (task->collective == MADE_COLLECT ? (size_t)task->size : 1);
}

/* The first element of a part of the vector: a block of a collect, else one of equal parts, of
 * which the first ones have an element more where they cannot be equal. */
static size_t part_begin(const struct made_task *task, int parts, int part)
{
    size_t all = task->elements, p = (size_t)part, n = (size_t)parts;
    if (task->collective == MADE_COLLECT)
        return p * all;
    return all / n * p + (p < all % n ? p : all % n);
}

/* Parts from `first` up to, and without, `end`. */
static struct made_range parts_of(const struct made_task *task, int parts, int first, int end)
{
    size_t begin = part_begin(task, parts, first);
    return (struct made_range){begin, part_begin(task, parts, end) - begin};
}

static struct made_range whole(const struct made_task *task)
{
    return (struct made_range){0, made_vector(task)};
}

static size_t up(size_t elements, size_t unit)
{
    return elements / unit + (elements % unit > 0);
}

/* The largest part that a ring passes on at once. */
static size_t longest_part(const struct made_task *task)
{
    bool parted = task->collective == MADE_REDUCE || task->algorithm == MADE_SCATTER_ALLGATHER;
    return parted ? up(task->elements, (size_t)task->size) : task->elements;
}

size_t made_pieces(const struct made_task *task)
{
    bool passes = task->algorithm == MADE_RING || task->algorithm == MADE_SCATTER_ALLGATHER;
    bool halves = task->collective == MADE_REDUCE && task->algorithm != MADE_RING;
    if (!passes || halves || task->segment == 0 || task->collective == MADE_BARRIER)
        return 1;
    size_t pieces = up(longest_part(task), task->segment);
    return pieces > 0 ? pieces : 1;
}

static struct made_range piece_of(const struct made_task *task, struct made_range range,
                                  size_t piece)
{
    if (made_pieces(task) == 1)
        return range;
    size_t begin = piece * task->segment;
    if (begin > range.count)
        begin = range.count;
    size_t left = range.count - begin;
    return (struct made_range){range.first + begin, left < task->segment ? left : task->segment};
}

/* ---- Building ---- */

static int largest_power(int n)
{
    int power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

static int bit_number(int bit)
{
    int number = 0;
    while (bit >>= 1)
        number++;
    return number;
}

static void add(struct builder *b, struct made_step step)
{
    const struct made_task *task = b->task;
    step.rank = (step.rank + task->root) % task->size;
    step.number = step.number > 0 ? step.number : 1;
    memory_extend(b->plan->steps, b->plan->count, &b->room);
    b->plan->steps[b->plan->count++] = step;
}

/* One message, of which this rank does its side. With `word` alone it needs no permission. */
static void move(struct builder *b, bool sends, int rank, struct made_range range, int word,
                 int permission)
{
    add(b,
        (struct made_step){
            .sends = sends, .rank = rank, .range = range, .word = word, .permission = permission});
}

/* As above, but the data land at an element, and are added. */
static void move_and_add(struct builder *b, bool sends, int rank, struct made_range range, int word,
                         size_t landing)
{
    add(b, (struct made_step){.sends = sends,
                              .rank = rank,
                              .range = range,
                              .word = word,
                              .adds = true,
                              .landing = landing,
                              .permission = NO_PERMISSION});
}

/* One message of what goes up a tree, or to and fro: a reduction's data land and are added, of a
 * collect that range is passed on. */
static void bring(struct builder *b, bool sends, int rank, struct made_range range, int word,
                  size_t landing)
{
    if (b->task->collective == MADE_REDUCE)
        move_and_add(b, sends, rank, whole(b->task), word, landing);
    else if (b->task->collective == MADE_COLLECT)
        move(b, sends, rank, range, word, word);
    else
        move(b, sends, rank, whole(b->task), word, NO_PERMISSION);
}

/* ---- Flat tree: rank 0 and all others; a collect needs no tree ---- */

static void flat_up(struct builder *b)
{
    const struct made_task *task = b->task;
    bool root = b->rank == 0;
    for (int from = root ? 1 : b->rank; from < (root ? task->size : b->rank + 1); from++)
        bring(b, !root, root ? from : 0, whole(task), WORD_FLAT + from,
              (size_t)(from - 1) * task->elements);
}

static void flat_down(struct builder *b)
{
    const struct made_task *task = b->task;
    bool root = b->rank == 0, early = task->collective == MADE_BROADCAST;
    for (int to = root ? 1 : b->rank; to < (root ? task->size : b->rank + 1); to++)
        move(b, root, root ? to : 0, whole(task), WORD_ONE, early ? WORD_FLAT + to : NO_PERMISSION);
}

/* All sends come first, so that none waits for a message. */
static void flat_collect(struct builder *b)
{
    const struct made_task *task = b->task;
    int n = task->size;
    struct made_range own = parts_of(task, n, b->rank, b->rank + 1);
    for (int i = 1; i < n; i++) {
        int to = (b->rank + i) % n;
        move(b, true, to, own, WORD_FLAT + b->rank, WORD_FLAT + to);
    }
    for (int i = 1; i < n; i++) {
        int from = (b->rank - i + n) % n;
        move(b, false, from, parts_of(task, n, from, from + 1), WORD_FLAT + from,
             WORD_FLAT + b->rank);
    }
}

/* ---- Binomial tree: the parent of a rank is the rank without its lowest bit ---- */

/* What comes from the subtree of a child whose lowest bit that is. */
static struct made_range subtree(const struct made_task *task, int child, int bit)
{
    int end = child + bit < task->size ? child + bit : task->size;
    return parts_of(task, task->size, child, end);
}

static void binomial_up(struct builder *b)
{
    const struct made_task *task = b->task;
    for (int bit = 1, k = 0; bit < task->size; bit *= 2, k++) {
        bool sends = b->rank & bit;
        int child = sends ? b->rank : b->rank + bit, other = sends ? b->rank - bit : child;
        if (child < task->size)
            bring(b, sends, other, subtree(task, child, bit), WORD_UP + k,
                  (size_t)k * task->elements);
        if (sends)
            return;
    }
}

/* All to everybody, or where it is scattered to each subtree its part. The largest subtree comes
 * first. */
static void binomial_down(struct builder *b)
{
    const struct made_task *task = b->task;
    bool scatters = task->algorithm == MADE_SCATTER_ALLGATHER;
    bool early = task->collective == MADE_BROADCAST;
    int lowest = b->rank & -b->rank, bit = lowest > 0 ? lowest : 2 * largest_power(task->size);
    if (b->rank > 0)
        move(b, false, b->rank - lowest, scatters ? subtree(task, b->rank, lowest) : whole(task),
             WORD_DOWN + bit_number(lowest),
             early ? WORD_DOWN + bit_number(lowest) : NO_PERMISSION);
    for (bit /= 2; bit > 0; bit /= 2) {
        int child = b->rank + bit, word = WORD_DOWN + bit_number(bit);
        if (child < task->size)
            move(b, true, child, scatters ? subtree(task, child, bit) : whole(task), word,
                 early ? word : NO_PERMISSION);
    }
}

/* ---- Recursive doubling among a power of two ---- */

struct doubling {
    int power, rest; /* ranks that take part; that are left out */
    int place;       /* of this rank among those that take part; -1: it is left out */
};

static struct doubling doubling_of(const struct builder *b)
{
    int power = largest_power(b->task->size), rest = b->task->size - power;
    bool paired = b->rank < 2 * rest;
    int place = !paired ? b->rank - rest : b->rank % 2 == 0 ? b->rank / 2 : -1;
    return (struct doubling){power, rest, place};
}

/* The rank at a place; all ranks from there up to that of the next place stand behind it. */
static int rank_at(const struct doubling *d, int place)
{
    return place < d->rest ? 2 * place : place + d->rest;
}

/* Ranks that are left out give what they have to the rank before. landing: behind all others. */
static void rest_in(struct builder *b, const struct doubling *d, size_t landing)
{
    const struct made_task *task = b->task;
    bool sends = d->place < 0;
    int odd = sends ? b->rank : b->rank + 1, other = sends ? b->rank - 1 : odd;
    if (b->rank < 2 * d->rest)
        bring(b, sends, other, parts_of(task, task->size, odd, odd + 1), WORD_REST_IN, landing);
}

static void rest_out(struct builder *b, const struct doubling *d)
{
    if (b->rank < 2 * d->rest)
        move(b, d->place >= 0, d->place >= 0 ? b->rank + 1 : b->rank - 1, whole(b->task),
             WORD_REST_OUT, NO_PERMISSION);
}

/* What the group of 2^k places has of a collect that a place belongs to. */
static struct made_range group(const struct builder *b, const struct doubling *d, int place,
                               int bit)
{
    int first = place & ~(bit - 1);
    return parts_of(b->task, b->task->size, rank_at(d, first), rank_at(d, first + bit));
}

static void doubling(struct builder *b)
{
    const struct made_task *task = b->task;
    struct doubling d = doubling_of(b);
    size_t elements = task->elements;
    rest_in(b, &d, (size_t)bit_number(d.power) * elements);
    for (int bit = 1, k = 0; d.place >= 0 && bit < d.power; bit *= 2, k++) {
        int other = d.place ^ bit, rank = rank_at(&d, other), word = WORD_UP + k;
        for (int receives = 0; receives <= 1; receives++)
            bring(b, !receives, rank, group(b, &d, receives ? other : d.place, bit), word,
                  (size_t)k * elements);
    }
    rest_out(b, &d);
}

/* ---- Reduce-scatter by recursive halving, then allgather by recursive doubling ---- */

/* Elements at most of a part that a rank keeps when groups of 2 bit places are halved. */
static size_t half_room(const struct made_task *task, int power, int bit)
{
    return (size_t)bit * up(task->elements, (size_t)power);
}

static struct made_range share(const struct made_task *task, int power, int place, int bit)
{
    int first = place & ~(bit - 1);
    return parts_of(task, power, first, first + bit);
}

static void halving(struct builder *b)
{
    const struct made_task *task = b->task;
    struct doubling d = doubling_of(b);
    size_t landing = 0;
    rest_in(b, &d, half_room(task, d.power, d.power));
    for (int bit = d.power / 2; d.place >= 0 && bit > 0; bit /= 2) {
        int other = d.place ^ bit, rank = rank_at(&d, other), word = WORD_UP + bit_number(bit);
        move_and_add(b, true, rank, share(task, d.power, other, bit), word, landing);
        move_and_add(b, false, rank, share(task, d.power, d.place, bit), word, landing);
        landing += half_room(task, d.power, bit);
    }
    for (int bit = 1; d.place >= 0 && bit < d.power; bit *= 2) {
        int other = d.place ^ bit, rank = rank_at(&d, other), word = WORD_DOWN + bit_number(bit);
        move(b, true, rank, share(task, d.power, d.place, bit), word, NO_PERMISSION);
        move(b, false, rank, share(task, d.power, other, bit), word, NO_PERMISSION);
    }
    rest_out(b, &d);
}

/* ---- Rings: what comes from the rank before goes on to the next one ---- */

/* The item'th message around the ring: in each round each rank passes on a part, piece by piece. */
static void pass(struct builder *b, bool sends, size_t item, size_t added_rounds, bool early)
{
    const struct made_task *task = b->task;
    int n = task->size, sender = sends ? b->rank : (b->rank + n - 1) % n;
    size_t pieces = made_pieces(task), round = item / pieces;
    int part = (sender + n - (int)(round % (size_t)n)) % n;
    struct made_range range = piece_of(task, parts_of(task, n, part, part + 1), item % pieces);
    add(b, (struct made_step){.sends = sends,
                              .rank = sends ? (b->rank + 1) % n : sender,
                              .range = range,
                              .adds = round < added_rounds,
                              .landing = range.first,
                              .word = WORD_ONE,
                              .number = (long)item + 1,
                              .permission = early && item == 0 ? WORD_ONE : NO_PERMISSION});
}

/* A reduction adds in the first n - 1 rounds, then each part is complete on one rank. After a
 * scatter, messages go from the root around to the rank before it: the root has everything. The
 * first pieces go out before any is waited for, so that each one is on its way while the next is
 * added. */
static void ring(struct builder *b)
{
    const struct made_task *task = b->task;
    size_t once = (size_t)task->size - 1, pieces = made_pieces(task);
    size_t added = task->collective == MADE_REDUCE ? once : 0, items = (once + added) * pieces;
    bool scattered = task->collective == MADE_BROADCAST, early = added == 0;
    bool sends = !scattered || b->rank < task->size - 1, receives = !scattered || b->rank > 0;
    for (size_t item = 0; sends && item < pieces && item < items; item++)
        pass(b, true, item, added, early);
    for (size_t item = 0; item < items; item++) {
        if (receives)
            pass(b, false, item, added, early);
        if (sends && item + pieces < items)
            pass(b, true, item + pieces, added, early);
    }
}

/* From the root along all ranks, piece by piece. */
static void chain(struct builder *b)
{
    const struct made_task *task = b->task;
    size_t pieces = made_pieces(task);
    for (size_t piece = 0; piece < pieces; piece++)
        for (int sends = 0; sends <= 1; sends++)
            if (sends ? b->rank + 1 < task->size : b->rank > 0)
                add(b, (struct made_step){.sends = sends,
                                          .rank = sends ? b->rank + 1 : b->rank - 1,
                                          .range = piece_of(task, whole(task), piece),
                                          .word = WORD_ONE,
                                          .number = (long)piece + 1,
                                          .permission = piece == 0 ? WORD_ONE : NO_PERMISSION});
}

/* ---- Barriers ---- */

static void dissemination(struct builder *b)
{
    int n = b->task->size;
    for (int bit = 1, k = 0; bit < n; bit *= 2, k++) {
        move(b, true, (b->rank + bit) % n, whole(b->task), WORD_UP + k, NO_PERMISSION);
        move(b, false, (b->rank - bit + n) % n, whole(b->task), WORD_UP + k, NO_PERMISSION);
        if (bit > n / 2)
            break;
    }
}

/* A token goes round twice: back at rank 0, all have come; then all are told. */
static void token(struct builder *b)
{
    int n = b->task->size;
    for (long number = 1; n > 1 && number <= 2; number++) {
        struct made_step step = {.word = WORD_ONE, .number = number, .permission = NO_PERMISSION};
        step.rank = (b->rank + n - 1) % n;
        if (b->rank > 0)
            add(b, step);
        step.rank = (b->rank + 1) % n;
        step.sends = true;
        if (number == 1 || b->rank < n - 1)
            add(b, step);
        step.rank = n - 1;
        step.sends = false;
        if (number == 1 && b->rank == 0)
            add(b, step);
    }
}

/* ---- All of them ---- */

static const struct {
    const char *name; /* as scripts have it; NULL: there is none */
    void (*parts[2])(struct builder *);
} ways[MADE_COLLECTIVES][MADE_ALGORITHMS] = {
    [MADE_BARRIER] = {[MADE_FLAT] = {"flat", {flat_up, flat_down}},
                      [MADE_BINOMIAL] = {"binomial", {binomial_up, binomial_down}},
                      [MADE_DOUBLING] = {"recursive_doubling", {doubling}},
                      [MADE_DISSEMINATION] = {"dissemination", {dissemination}},
                      [MADE_RING] = {"ring", {token}}},
    [MADE_BROADCAST] = {[MADE_FLAT] = {"flat", {flat_down}},
                        [MADE_BINOMIAL] = {"binomial", {binomial_down}},
                        [MADE_SCATTER_ALLGATHER] = {"scatter_allgather", {binomial_down, ring}},
                        [MADE_RING] = {"ring", {chain}}},
    [MADE_COLLECT] = {[MADE_FLAT] = {"flat", {flat_collect}},
                      [MADE_BINOMIAL] = {"binomial", {binomial_up, binomial_down}},
                      [MADE_DOUBLING] = {"recursive_doubling", {doubling}},
                      [MADE_RING] = {"ring", {ring}}},
    [MADE_REDUCE] = {[MADE_FLAT] = {"flat", {flat_up, flat_down}},
                     [MADE_BINOMIAL] = {"binomial", {binomial_up, binomial_down}},
                     [MADE_DOUBLING] = {"recursive_doubling", {doubling}},
                     [MADE_SCATTER_ALLGATHER] = {"reduce_scatter_allgather", {halving}},
                     [MADE_RING] = {"ring", {ring}}},
};

const char *made_name(enum made_collective collective, enum made_algorithm algorithm)
{
    return ways[collective][algorithm].name;
}

enum made_algorithm made_find(enum made_collective collective, const char *name)
{
    enum made_algorithm a = 0;
    while (a < MADE_ALGORITHMS &&
           (!ways[collective][a].name || strcmp(ways[collective][a].name, name) != 0))
        a++;
    return a;
}

struct made_plan made_plan(const struct made_task *task, int rank)
{
    struct made_plan plan = {0};
    struct builder b = {
        .task = task, .plan = &plan, .rank = (rank - task->root + task->size) % task->size};
    for (int i = 0; i < 2; i++)
        if (ways[task->collective][task->algorithm].parts[i])
            ways[task->collective][task->algorithm].parts[i](&b);
    return plan;
}

/* ---- Memory ---- */

/* Elements at which messages of one call land. */
static size_t landing_of(const struct made_task *task)
{
    int power = largest_power(task->size);
    size_t bits = (size_t)bit_number(power), rest = task->size > power;
    switch (task->algorithm) {
    case MADE_FLAT:
        return (size_t)(task->size - 1) * task->elements;
    case MADE_BINOMIAL:
    case MADE_DOUBLING:
        return (bits + rest) * task->elements;
    case MADE_SCATTER_ALLGATHER:
        return half_room(task, power, power) + rest * task->elements;
    default:
        return task->elements;
    }
}

struct made_needs made_needs(const struct made_task *task)
{
    bool flat = task->algorithm == MADE_FLAT, reduces = task->collective == MADE_REDUCE;
    size_t rounds = (size_t)(task->size > 1 ? task->size - 1 : 1) * (reduces ? 2 : 1);
    size_t items = task->collective == MADE_BARRIER ? 2 : made_pieces(task) * rounds;
    return (struct made_needs){
        .landing = reduces ? landing_of(task) : 0,
        .words = WORD_FLAT + (flat ? task->size : 0),
        .numbers = (long)items,
    };
}
