/* Patterns of many ranks: who works on whom, that all ranks agree on it, and that no two operations
 * share a place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/services.h"
#include "measurements/common/pairs_pattern.h"
#include "unit/unit.h"

#define MOST 9 /* ranks */

static const char *const patterns[] = {
    "half",     "offset:1",  "offset:2", "neighbours", "random:3",    "random",     "to_one",
    "from_one", "targets:5", "round:1",  "round:3:7",  "round:2:0:2", "round:4:5:3"};
#define PATTERN_COUNT (sizeof patterns / sizeof *patterns)

/* Arguments of Shmem_Put_Pairs_Rate, or _Full where the window is 0. */
static const struct measurement *function_for(const char *pattern, int pairs, int directions,
                                              int window, struct value *arguments)
{
    memset(arguments, 0, MEASUREMENT_MAX_PARAMETERS * sizeof *arguments);
    arguments[0].integer = 8;
    arguments[1].string = pattern;
    arguments[2].integer = pairs;
    arguments[3].integer = directions;
    arguments[4].integer = window;
    return measurement_find(window ? "Shmem_Put_Pairs_Rate" : "Shmem_Put_Pairs_Full");
}

static const char *refusal(const char *pattern, int pairs, int directions, int window, int size)
{
    struct value arguments[MEASUREMENT_MAX_PARAMETERS];
    const struct measurement *function =
        function_for(pattern, pairs, directions, window, arguments);
    struct pe_set *set = pe_set_strided(0, 1, size);
    const char *reason = pairs_check(&(const struct run){
        .function = function, .arguments = arguments, .set = set, .size = size});
    pe_set_release(set);
    return reason;
}

/* What pairs_open() allocates lives as long as the program. */
static struct services services;

static struct pairs opened(const char *pattern, int pairs, int directions, int window, int size)
{
    struct value arguments[MEASUREMENT_MAX_PARAMETERS];
    struct run run = {.arguments = arguments, .size = size, .services = &services};
    run.function = function_for(pattern, pairs, directions, window, arguments);
    return pairs_open(&run);
}

/* Each step is on another rank that names this one among its sources, in a place that exists and
 * that no other step has; all steps together are as many as is said. */
static void check_steps(const struct pairs *pairs)
{
    size_t places = pairs_places(pairs);
    char *taken = calloc((size_t)pairs->size * places + 1, 1);
    int64_t all = 0, most = 0;
    for (int rank = 0; rank < pairs->size; rank++) {
        int64_t steps = pairs_steps(pairs, rank);
        all += steps;
        most = steps > most ? steps : most;
        for (int64_t i = 0; i < steps; i++) {
            struct step step = pairs_step(pairs, rank, i);
            int count, first = pairs_sources(pairs, step.target, &count);
            assert_in_range(step.target, 0, pairs->size - 1);
            assert_int_not_equal(step.target, rank);
            assert_true(rank >= first && rank < first + count);
            assert_true(step.place >= 0 && (size_t)step.place < places);
            char *place = &taken[(size_t)step.target * places + (size_t)step.place];
            assert_true(!*place || !pairs->apart);
            *place = 1;
        }
    }
    assert_int_equal(all, pairs_all_steps(pairs));
    assert_int_equal(most, pairs_most_steps(pairs));
    free(taken);
}

TEST(all_ranks_agree)
{
    int checked = 0;
    for (size_t p = 0; p < PATTERN_COUNT; p++)
        for (int size = 2; size <= MOST; size++)
            for (int pairs = 0; pairs <= size; pairs++)
                for (int directions = 1; directions <= 2; directions++)
                    for (int window = 0; window <= 3; window += 3) {
                        if (refusal(patterns[p], pairs, directions, window, size))
                            continue;
                        struct pairs made = opened(patterns[p], pairs, directions, window, size);
                        check_steps(&made);
                        checked++;
                    }
    assert_true(checked > 500);
}

static void check_partners(const char *pattern, int pairs, int size, const int *expected)
{
    struct pairs made = opened(pattern, pairs, 1, 1, size);
    for (int rank = 0; rank < size; rank++) {
        bool first;
        int partner = pairs_partner(&made, rank, &first);
        if (partner != expected[rank])
            fail_msg("%s, %d pairs: the partner of rank %d is %d", pattern, pairs, rank, partner);
        assert_int_equal(pairs_steps(&made, rank), partner > rank);
    }
}

TEST(patterns_are_what_they_are_called)
{
    check_partners("half", 0, 6, (int[]){3, 4, 5, 0, 1, 2});
    check_partners("half", 2, 6, (int[]){3, 4, -1, 0, 1, -1});
    check_partners("half", 0, 7, (int[]){3, 4, 5, 0, 1, 2, -1});
    check_partners("neighbours", 0, 5, (int[]){1, 0, 3, 2, -1});
    check_partners("offset:2", 0, 8, (int[]){2, 3, 0, 1, 6, 7, 4, 5});
    check_partners("offset:2", 3, 8, (int[]){2, 3, 0, 1, 6, -1, 4, -1});
}

/* Each rank has one partner, whose partner it is; another seed gives other pairs. */
TEST(random_pairs_are_pairs)
{
    int other = 0;
    struct pairs a = opened("random:1", 0, 1, 1, 100), again = opened("random:1", 0, 1, 1, 100),
                 b = opened("random:2", 0, 1, 1, 100);
    for (int rank = 0; rank < 100; rank++) {
        bool first, second;
        int partner = pairs_partner(&a, rank, &first);
        assert_in_range(partner, 0, 99);
        assert_int_equal(pairs_partner(&a, partner, &second), rank);
        assert_int_not_equal(first, second);
        assert_int_equal(pairs_partner(&again, rank, &second), partner);
        other += pairs_partner(&b, rank, &second) != partner;
    }
    assert_true(other > 80);
}

/* In all rounds together each rank meets each other one once; with groups a round is either inside
 * of them or between them; a seed gives others the same. */
static void check_tournament(int size, int group, int seed)
{
    int64_t rounds = tournament_rounds(size, group);
    char *met = calloc((size_t)size * (size_t)size, 1), pattern[64];
    for (int64_t round = 1; round <= rounds; round++) {
        snprintf(pattern, sizeof pattern, "round:%d:%d:%d", (int)round, seed, group);
        struct pairs made = opened(pattern, 0, 1, 1, size);
        int pairs = 0, inside = 0;
        for (int rank = 0; rank < size; rank++) {
            bool first, second;
            int partner = pairs_partner(&made, rank, &first);
            if (partner < 0)
                continue;
            assert_in_range(partner, 0, size - 1);
            assert_int_equal(pairs_partner(&made, partner, &second), rank);
            assert_int_not_equal(first, second);
            assert_false(met[rank * size + partner]);
            met[rank * size + partner] = 1;
            pairs += first;
            inside += first && rank / group == partner / group;
        }
        assert_int_equal(pairs, made.pairs);
        assert_true(inside == 0 || inside == pairs || group == size);
    }
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++)
            assert_int_equal(met[a * size + b], a != b);
    free(met);
}

TEST(rounds_are_a_tournament)
{
    for (int size = 2; size <= 24; size++)
        for (int group = 1; group <= size; group++)
            for (int seed = 0; size % group == 0 && seed <= 9; seed += 9)
                check_tournament(size, group, seed);
    for (int size = 2; size <= 24; size++)
        assert_int_equal(tournament_rounds(size, 1), size % 2 ? size : size - 1);
    assert_int_equal(tournament_rounds(16, 4),
                     15); /* even groups of an even number lose no round */
    check_partners("round:1", 0, 4, (int[]){3, 2, 1, 0});
    check_partners("round:2", 0, 4, (int[]){1, 0, 3, 2});
    check_partners("round:1:0:2", 0, 4, (int[]){1, 0, 3, 2});
    check_partners("round:1", 1, 5, (int[]){-1, 4, -1, -1, 1});
    /* As scripts/skampi_tools/accept/tournament.py draws it, too. */
    check_partners("round:1:7", 0, 6, (int[]){3, 2, 1, 0, 5, 4});
    check_partners("round:4:5:3", 0, 6, (int[]){3, 4, 5, 0, 1, 2});
    assert_non_null(strstr(refusal("round:6", 0, 1, 1, 6), "rounds 1 to 5"));
    assert_non_null(strstr(refusal("round:1:0:4", 0, 1, 1, 6), "no groups of 4"));
    assert_non_null(strstr(refusal("round:1:0:99999999999", 0, 1, 1, 6), "no groups"));
    assert_non_null(strstr(refusal("round:1", 4, 1, 1, 6), "at most 3"));
}

/* Of 8 ranks, each is the target of its share, about. */
TEST(random_targets_are_spread)
{
    int hits[8] = {0};
    struct pairs made = opened("targets:1", 0, 1, 1000, 8);
    for (int rank = 0; rank < 8; rank++)
        for (int64_t i = 0; i < pairs_steps(&made, rank); i++)
            hits[pairs_step(&made, rank, i).target]++;
    for (int rank = 0; rank < 8; rank++)
        assert_in_range(hits[rank], 850, 1150);
}

TEST(what_makes_no_sense_is_refused)
{
    assert_null(refusal("half", 3, 2, 1, 7));
    assert_non_null(strstr(refusal("half", 4, 1, 1, 7), "at most 3"));
    assert_non_null(strstr(refusal("offset:2", 0, 1, 1, 6), "multiple of 4 PEs"));
    assert_non_null(strstr(refusal("offset:9223372036854775806", 0, 1, 1, 6), "multiple"));
    assert_non_null(strstr(refusal("to_one", 7, 1, 1, 7), "at most 6"));
    assert_non_null(strstr(refusal("targets:1", 0, 2, 1, 7), "one direction"));
    for (size_t i = 0; i < 14; i++) {
        static const char *const wrong[] = {"",         "halves",       "offset",    "offset:0",
                                            "half:2",   "random:x",     "random:-1", "offset:2x",
                                            "round",    "round:0",      "round:1:x", "round:1:0:0",
                                            "round:1:", "round:1:0:2:3"};
        const char *said = refusal(wrong[i], 0, 1, 1, 8);
        if (!said || !strstr(said, "pattern must be"))
            fail_msg("the pattern \"%s\" is not refused", wrong[i]);
    }
}

/* What cannot be counted is more than fits. */
TEST(demands_saturate)
{
    struct value arguments[MEASUREMENT_MAX_PARAMETERS];
    const struct measurement *function = function_for("targets:1", 0, 1, INT_MAX, arguments);
    struct run run = {.function = function, .arguments = arguments, .size = 1000};
    arguments[0].integer = INT64_MAX / 2;
    function->demand(&run);
    assert_true(run.demand.remote == SIZE_MAX);
}
