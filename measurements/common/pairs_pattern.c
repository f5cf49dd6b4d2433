/*
 * Who works on whom in patterns of many ranks, and whether their data arrived.
 */
#include "measurements/common/pairs_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With random targets, an iteration of a function without windows has this many operations, so that
 * it reaches several targets. */
#define TARGETS_IN_A_ROW 16

static const struct {
    const char *name;
    char number; /* O: an offset must follow, S: a seed may, R: one to MOST_NUMBERS numbers must */
} kinds[PATTERNS] = {
    [PATTERN_HALF] = {"half", 0},
    [PATTERN_OFFSET] = {"offset", 'O'},
    [PATTERN_NEIGHBOURS] = {"neighbours", 0},
    [PATTERN_RANDOM] = {"random", 'S'},
    [PATTERN_ROUND] = {"round", 'R'},
    [PATTERN_TO_ONE] = {"to_one", 0},
    [PATTERN_FROM_ONE] = {"from_one", 0},
    [PATTERN_TARGETS] = {"targets", 'S'},
};

/* ---- A tournament, by the circle method ---- */

/* Rounds in which each of `count` players meets each other one. This number is odd: it is also how
 * many players turn in the circle. */
static int64_t rounds_of(int64_t count)
{
    return count < 2 ? 0 : count % 2 ? count : count - 1;
}

int64_t tournament_rounds(int size, int64_t group)
{
    if (group > size || size % group)
        return 0;
    return rounds_of(group) + group * rounds_of(size / group);
}

/* The opponent of one of `count` in a round from 0, by the circle method (Kirkman 1847): the last
 * of an even count stays, the others turn; a and b meet in the round that is a + b modulo those.
 * -1: none, with an odd count. */
static int64_t opponent(int64_t place, int64_t count, int64_t round)
{
    int64_t turning = rounds_of(count), last = turning, other;
    if (place == last) /* twice the other is the round, modulo an odd number */
        return (round % 2 ? round + turning : round) / 2;
    other = (round - place + turning) % turning;
    if (other == place)
        other = last;
    return other < count ? other : -1;
}

/* The rank that this one meets in a round, from 1 on; -1: it rests. First rounds inside of groups,
 * then those between them, in which each rank of a group meets each of the other before groups
 * change. */
static int tournament_met(int rank, int size, int64_t group, int64_t round)
{
    int64_t inside = rounds_of(group), mine = rank / group, own = rank % group;
    if (round <= inside) {
        int64_t other = opponent(own, group, round - 1);
        return other < 0 ? -1 : (int)(mine * group + other);
    }
    int64_t turn = (round - 1 - inside) % group;
    int64_t theirs = opponent(mine, size / group, (round - 1 - inside) / group);
    if (theirs < 0)
        return -1;
    int64_t step = mine < theirs ? turn : group - turn;
    return (int)(theirs * group + (own + step) % group);
}

/* ---- Arguments ---- */

/* Numbers of a pattern: the first is an offset, a seed or a round, from 1 on; of a round, a seed
 * from 0 on and a size of groups follow. */
#define MOST_NUMBERS 3
struct numbers {
    int64_t value[MOST_NUMBERS];
};

/* Parses numbers separated by colons, as they follow a pattern's name, at most `most`; false if the
 * text holds anything else. */
static bool parse_numbers(const char *text, int most, struct numbers *numbers)
{
    for (int i = 0; i < most; i++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        numbers->value[i] = strtoll(text, &end, 10);
        if (numbers->value[i] == LLONG_MAX || (numbers->value[i] == 0 && i != 1))
            return false;
        if (*end == '\0')
            return true;
        if (*end != ':')
            return false;
        text = end + 1;
    }
    return false;
}

/* PATTERNS: it is none. */
static enum pattern parse_pattern(const char *text, struct numbers *numbers)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *numbers = (struct numbers){{1, 0, 1}};
    for (int kind = 0; kind < PATTERNS; kind++) {
        const char *name = kinds[kind].name;
        char number = kinds[kind].number;
        if (strlen(name) != length || strncmp(name, text, length) != 0)
            continue;
        bool good =
            colon ? number && parse_numbers(colon + 1, number == 'R' ? MOST_NUMBERS : 1, numbers)
                  : number == 0 || number == 'S';
        return good ? (enum pattern)kind : PATTERNS;
    }
    return PATTERNS;
}

static bool of_pairs(enum pattern pattern)
{
    return pattern <= PATTERN_ROUND;
}

/* What `pairs` may be at most. */
static int most_pairs(enum pattern pattern, int size)
{
    if (of_pairs(pattern))
        return size / 2;
    return pattern == PATTERN_TARGETS ? size : size - 1;
}

/* What is wrong with the numbers of a pattern on so many PEs, or NULL. */
static const char *check_numbers(enum pattern pattern, const struct numbers *numbers, int size)
{
    static char text[160];
    int64_t number = numbers->value[0], group = numbers->value[2];
    int64_t most = pattern == PATTERN_ROUND ? tournament_rounds(size, group) : 0;
    if (pattern == PATTERN_OFFSET && (number > size / 2 || size % (2 * number) != 0))
        snprintf(text, sizeof text,
                 "an offset of %lld needs a multiple of %llu PEs, and there are %d: take another "
                 "offset, or a set of that size",
                 (long long)number, 2 * (unsigned long long)number, size);
    else if (pattern == PATTERN_ROUND && most == 0)
        snprintf(text, sizeof text,
                 "%d PEs are no groups of %lld: leave the size of groups away, or "
                 "take one that divides them",
                 size, (long long)group);
    else if (pattern == PATTERN_ROUND && number > most)
        snprintf(text, sizeof text, "there is no round %lld: %d PEs%s have rounds 1 to %lld",
                 (long long)number, size, group > 1 ? " in these groups" : "", (long long)most);
    else
        return NULL;
    return text;
}

#define PATTERN_NAMES_OF_PAIRS                                                                     \
    "\"half\", \"offset:K\", \"neighbours\", \"random:SEED\", \"round:K[:SEED[:GROUP]]\""

const char *pairs_check(const struct run *run)
{
    static char text[160];
    struct numbers numbers;
    int size = run->size;
    enum pattern pattern = parse_pattern(run_argument(run, "pattern")->string, &numbers);
    const char *wrong;
    bool pairs_only = !run_find_argument(run, "directions");
    if (pattern == PATTERNS || (pairs_only && !of_pairs(pattern)))
        return pairs_only
                   ? "pattern must be one of " PATTERN_NAMES_OF_PAIRS "; K, SEED and GROUP are "
                     "numbers from 1 on"
                   : "pattern must be one of " PATTERN_NAMES_OF_PAIRS ", \"to_one\", \"from_one\", "
                     "\"targets:SEED\"; K, SEED and GROUP are numbers from 1 on";
    if (size > 1 && (wrong = check_numbers(pattern, &numbers, size)))
        return wrong;
    if (pattern == PATTERN_TARGETS && run_integer(run, "directions", 1) == 2)
        return "with random targets there is only one direction: all ranks work on others anyway";
    int most = most_pairs(pattern, size);
    if (run_integer(run, "pairs", 0) <= most || size < 2)
        return NULL;
    snprintf(text, sizeof text, "pairs may be at most %d with this pattern on %d PEs", most, size);
    return text;
}

/* What the arguments say, without the partners of a random pattern. Where they make no sense, some
 * pattern. `threads` windows count as one. */
static struct pairs pairs_of(const struct run *run)
{
    struct pairs pairs = {.size = run->size};
    struct numbers numbers;
    int size = run->size;
    int64_t window = run_integer(run, "window", 0);
    int64_t threads = run_integer(run, "threads", 1);
    int64_t given = run_integer(run, "pairs", 0);
    pairs.pattern = parse_pattern(run_argument(run, "pattern")->string, &numbers);
    if (pairs.pattern == PATTERNS)
        pairs.pattern = PATTERN_HALF;
    pairs.offset = numbers.value[0];
    pairs.seed = (uint64_t)numbers.value[pairs.pattern == PATTERN_ROUND ? 1 : 0];
    pairs.group = numbers.value[2];
    int64_t groups = size / pairs.group, most = most_pairs(pairs.pattern, size);
    if (pairs.pattern == PATTERN_ROUND) /* first inside of groups, then between them */
        most = pairs.offset <= rounds_of(pairs.group) ? groups * (pairs.group / 2)
                                                      : groups / 2 * pairs.group;
    pairs.pairs = (int)(given == 0 || given > most ? most : given);
    pairs.both = run_integer(run, "directions", 1) == 2;
    pairs.apart = window > 0;
    pairs.window = window > 0                         ? window * threads
                   : pairs.pattern == PATTERN_TARGETS ? TARGETS_IN_A_ROW
                                                      : 1;
    return pairs;
}

/* ---- Chance ---- */

/* A number that looks random, but is computed from the arguments: all ranks draw the same one. */
static uint64_t mixed(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + a * 0xd1342543de82ef95u + b * 0xaef17502108ef2d9u + 1;
    for (int i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return x;
}

/* Places 0 to count - 1 in an order drawn by chance. */
static void draw_order(uint64_t seed, uint64_t stream, int count, int *order)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(mixed(seed, (uint64_t)i, stream) % ((uint64_t)i + 1)), place = order[i];
        order[i] = order[other];
        order[other] = place;
    }
}

static void join(struct pairs *pairs, int a, int b)
{
    pairs->partners[a] = b;
    pairs->partners[b] = a;
    pairs->first[a] = true;
}

/* ---- Rounds of a tournament ---- */

/* Groups, and ranks in each group, take places drawn by chance; seed 0: their own. */
static void set_places(const struct pairs *pairs, int *place_of, int *order)
{
    int group = (int)pairs->group, groups = pairs->size / group;
    for (int rank = 0; rank < pairs->size; rank++)
        place_of[rank] = rank;
    if (pairs->seed == 0)
        return;
    draw_order(pairs->seed, 1, group, order);
    int *groups_order = order + group;
    draw_order(pairs->seed, 0, groups, groups_order);
    for (int i = 0; i < groups; i++)
        for (int k = 0; k < group; k++)
            place_of[groups_order[i] * group + order[k]] = i * group + k;
}

/* place_of and order: of size ranks, and of 2 * size. */
static void meet(struct pairs *pairs, int *place_of, int *order)
{
    int left = pairs->pairs;
    set_places(pairs, place_of, order);
    for (int rank = 0; rank < pairs->size; rank++)
        order[place_of[rank]] = rank;
    for (int rank = 0; rank < pairs->size && left > 0; rank++) {
        int met = tournament_met(place_of[rank], pairs->size, pairs->group, pairs->offset);
        if (met < 0 || order[met] < rank)
            continue;
        join(pairs, rank, order[met]);
        left--;
    }
}

struct pairs pairs_open(struct run *run)
{
    struct pairs pairs = pairs_of(run);
    if (pairs.pattern != PATTERN_RANDOM && pairs.pattern != PATTERN_ROUND)
        return pairs;
    size_t size = (size_t)run->size;
    int *order = run_allocate(run, 3 * size, sizeof *order);
    pairs.partners = run_allocate(run, size, sizeof *pairs.partners);
    pairs.first = run_allocate(run, size, sizeof *pairs.first);
    for (size_t rank = 0; rank < size; rank++)
        pairs.partners[rank] = -1;
    if (pairs.pattern == PATTERN_ROUND) {
        meet(&pairs, order, order + size);
        return pairs;
    }
    /* Ranks that are neighbours in an order drawn by chance become pairs. */
    draw_order(pairs.seed, 0, pairs.size, order);
    for (int i = 0; i < pairs.pairs; i++)
        join(&pairs, order[2 * i], order[2 * i + 1]);
    return pairs;
}

/* ---- Who works on whom ---- */

int pairs_partner(const struct pairs *pairs, int rank, bool *first)
{
    int64_t distance = pairs->pattern == PATTERN_HALF     ? pairs->size / 2
                       : pairs->pattern == PATTERN_OFFSET ? pairs->offset
                                                          : 1;
    if (pairs->partners) {
        *first = pairs->first[rank];
        return pairs->partners[rank];
    }
    /* Blocks of 2 * distance ranks; pairs are counted in the order of their first ranks. */
    int64_t block = rank / (2 * distance), place = rank % (2 * distance);
    *first = place < distance;
    bool complete = (block + 1) * 2 * distance <= pairs->size;
    if (!complete || block * distance + place % distance >= pairs->pairs)
        return -1;
    return *first ? rank + (int)distance : rank - (int)distance;
}

/* How many ranks a rank works on, or work on it (sources), from `other` on. */
static int others_of(const struct pairs *pairs, int rank, bool sources, int *other)
{
    enum pattern of_hub = sources ? PATTERN_TO_ONE : PATTERN_FROM_ONE;
    bool first;
    *other = 0;
    switch (pairs->pattern) {
    case PATTERN_TO_ONE:
    case PATTERN_FROM_ONE:
        if (rank > pairs->pairs || (!pairs->both && (rank == 0) != (pairs->pattern == of_hub)))
            return 0;
        *other = rank == 0;
        return rank == 0 ? pairs->pairs : 1;
    case PATTERN_TARGETS:
        return sources ? pairs->pairs : rank < pairs->pairs && pairs->size > 1;
    default:
        *other = pairs_partner(pairs, rank, &first);
        return *other >= 0 && (first != sources || pairs->both);
    }
}

int64_t pairs_steps(const struct pairs *pairs, int rank)
{
    int other;
    return others_of(pairs, rank, false, &other) * pairs->window;
}

int64_t pairs_all_steps(const struct pairs *pairs)
{
    int64_t directions = pairs->both ? 2 : 1;
    return pairs->pairs * directions * pairs->window;
}

int64_t pairs_most_steps(const struct pairs *pairs)
{
    bool hub =
        pairs->pattern == PATTERN_FROM_ONE || (pairs->pattern == PATTERN_TO_ONE && pairs->both);
    return (hub ? pairs->pairs : 1) * pairs->window;
}

struct step pairs_step(const struct pairs *pairs, int rank, int64_t step)
{
    bool first;
    int target = 0, sources;
    int64_t slot = step, slots = pairs->apart ? pairs->window : 1;
    if (pairs->pattern == PATTERN_TARGETS) {
        uint64_t other =
            mixed(pairs->seed, (uint64_t)rank, (uint64_t)step + 1) % (uint64_t)(pairs->size - 1);
        target = (int)other + ((int)other >= rank);
    } else if (of_pairs(pairs->pattern)) {
        target = pairs_partner(pairs, rank, &first);
    } else if (rank == 0) {
        target = 1 + (int)(step % pairs->pairs);
        slot = step / pairs->pairs;
    }
    int64_t source = rank - pairs_sources(pairs, target, &sources);
    return (struct step){target, source * slots + slot % slots};
}

int pairs_sources(const struct pairs *pairs, int rank, int *count)
{
    int first;
    *count = others_of(pairs, rank, true, &first);
    return first;
}

size_t pairs_places(const struct pairs *pairs)
{
    bool many = pairs->pattern == PATTERN_TARGETS || pairs->pattern == PATTERN_TO_ONE ||
                (pairs->pattern == PATTERN_FROM_ONE && pairs->both);
    return data_product(many ? (size_t)pairs->pairs : 1, pairs->apart ? (size_t)pairs->window : 1);
}

size_t pairs_place_bytes(size_t bytes)
{
    return bytes > SIZE_MAX - LINE ? SIZE_MAX : ROUND_UP(bytes, LINE);
}

#define NAMED_PAIRS 8

void pairs_note(struct run *run, const struct pairs *pairs)
{
    char text[256];
    int named = 0, length = 0;
    bool first;
    if (run->rank != 0 || !of_pairs(pairs->pattern))
        return;
    for (int rank = 0; rank < run->size && named <= NAMED_PAIRS; rank++) {
        int partner = pairs_partner(pairs, rank, &first);
        if (partner < 0 || !first)
            continue;
        if (named++ < NAMED_PAIRS)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, " %d-%d", rank, partner);
    }
    if (length > 0)
        run_note(run, "pairs of ranks: %d:%s%s", pairs->pairs, text,
                 named > NAMED_PAIRS ? " ..." : "");
}

/* ---- Data ---- */

/* Verifies a function that puts: each place of this rank holds the data of the rank that puts
 * there, and poison if none does. */
static bool verify_places(struct run *run, const struct pairs *pairs, const unsigned char *memory,
                          size_t bytes)
{
    size_t place = pairs_place_bytes(bytes), places = pairs_places(pairs);
    int count, first = pairs_sources(pairs, run->rank, &count);
    int *from = memory_zeroed(places, sizeof *from); /* 1 + the rank; 0: none */
    bool good = true;
    for (int source = first; source < first + count; source++)
        for (int64_t i = 0; i < pairs_steps(pairs, source); i++) {
            struct step step = pairs_step(pairs, source, i);
            if (step.target == run->rank)
                from[step.place] = source + 1;
        }
    for (size_t i = 0; good && i < places; i++) {
        const unsigned char *at = memory + i * place;
        good = from[i] > 0
                   ? data_verify(run, "what another rank put here", at, bytes, from[i] - 1) &&
                         data_verify_untouched(run, "the memory behind a put", at + bytes,
                                               place - bytes)
                   : data_verify_untouched(run, "memory that no rank puts to", at, place);
    }
    free(from);
    return good;
}

/* Verifies a function that gets: it has a place for each step of this rank. */
static bool verify_steps(struct run *run, const struct pairs *pairs, const unsigned char *memory,
                         size_t bytes)
{
    size_t place = pairs_place_bytes(bytes);
    int64_t steps = pairs_steps(pairs, run->rank);
    bool good = true;
    for (int64_t i = 0; good && i < steps; i++) {
        const unsigned char *at = memory + (size_t)i * place;
        good = data_verify(run, "what was got from another rank", at, bytes,
                           pairs_step(pairs, run->rank, i).target) &&
               data_verify_untouched(run, "the memory behind a get", at + bytes, place - bytes);
    }
    return good;
}

bool pairs_verify(struct run *run, const struct pairs *pairs, bool get, const unsigned char *there)
{
    size_t bytes = run->demand.reported;
    return (get ? verify_steps(run, pairs, run->local, bytes)
                : verify_places(run, pairs, there, bytes)) &&
           data_verify(run, "the source", get ? there : run->local, bytes, run->rank);
}

/* ---- Families of puts and gets ---- */

bool pairs_gets(const struct run *run)
{
    return ((const struct pairs_traffic *)run->function->variant)->get;
}

struct pairs_work pairs_work_open(struct run *run)
{
    struct pairs_work work = {.pairs = pairs_open(run)};
    size_t place = pairs_place_bytes(run->demand.reported);
    work.steps = pairs_steps(&work.pairs, run->rank);
    work.calls = run_allocate(run, (size_t)work.steps, sizeof *work.calls);
    for (int64_t i = 0; i < work.steps; i++) {
        struct step step = pairs_step(&work.pairs, run->rank, i);
        work.calls[i].rank = step.target;
        work.calls[i].pe = pe_set_member(run->set, step.target);
        if (pairs_gets(run))
            work.calls[i].here = (size_t)i * place;
        else
            work.calls[i].there = (size_t)step.place * place;
    }
    pairs_note(run, &work.pairs);
    return work;
}

void pairs_demand_traffic(struct run *run)
{
    struct pairs pairs = pairs_of(run);
    size_t bytes = (size_t)run_integer(run, "count", 0), place = pairs_place_bytes(bytes);
    size_t steps = data_product((size_t)pairs_most_steps(&pairs), place);
    size_t places = data_product(pairs_places(&pairs), place);
    bool get = pairs_gets(run);
    run->demand.local = get ? steps : bytes;
    run->demand.remote = get ? bytes : places;
    run->demand.reported = bytes;
}

void pairs_fill_traffic(struct run *run)
{
    data_fill(run, pairs_gets(run), run->remote);
}

bool pairs_verify_traffic(struct run *run)
{
    const struct pairs_work *work = run->state;
    return pairs_verify(run, &work->pairs, pairs_gets(run), run->remote);
}
