/* Who exchanges what with whom in collectives that are made of one-sided operations, on 1 to 64
 * ranks: carried out in random orders, with ranks that are a call ahead, every call has the right
 * result on every rank; and the numbers of rounds and of elements are those of the algorithms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/common/made_plan.h"
#include "unit/unit.h"

#define MOST 64
#define FEW 8 /* ranks up to which everything is tried */
#define CALLS 3
#define TURNS 2

static uint64_t random_state = 1;

static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

/* ---- A machine: ranks that carry out their steps, one at a time, in any order ---- */

struct rank {
    struct made_plan plan;
    size_t at;  /* next step */
    long calls; /* that it has entered */
    bool inside;
    long *target, *landing;
    long words[MOST + 200], permissions[MOST + 200];
};

static struct machine {
    struct made_task task;
    struct made_needs needs;
    bool asks; /* senders wait for permissions; else all ranks end a call before any begins one */
    struct rank ranks[MOST];
} machine;

static const char *title(void)
{
    static char text[200];
    const struct made_task *task = &machine.task;
    snprintf(text, sizeof text, "collective %d by %s, %d ranks, root %d, %zu elements, segment %zu",
             (int)task->collective, made_name(task->collective, task->algorithm), task->size,
             task->root, task->elements, task->segment);
    return text;
}

/* What a rank brings to a call. */
static long value(int rank, long call, size_t element)
{
    return call * 1000000 + (rank + 1) * 1000 + (long)element * 7 % 1000;
}

static long result(int rank, long call, size_t element)
{
    const struct made_task *task = &machine.task;
    long sum = 0;
    switch (task->collective) {
    case MADE_BROADCAST:
        return rank == task->root ? -1 : value(task->root, call, element);
    case MADE_COLLECT:
        return value((int)(element / task->elements), call, element % task->elements);
    default:
        for (int other = 0; other < task->size; other++)
            sum += value(other, call, element);
        return sum;
    }
}

static void set_up(void)
{
    machine.needs = made_needs(&machine.task);
    assert_true(machine.needs.words <= MOST + 200);
    for (int r = 0; r < machine.task.size; r++) {
        struct rank *rank = &machine.ranks[r];
        *rank = (struct rank){0};
        rank->plan = made_plan(&machine.task, r);
        rank->target = calloc(made_vector(&machine.task) + 1, sizeof(long));
        rank->landing = calloc(TURNS * machine.needs.landing + 1, sizeof(long));
        for (size_t i = 0; i < made_vector(&machine.task); i++)
            rank->target[i] = -1;
    }
}

static void tear_down(void)
{
    for (int r = 0; r < machine.task.size; r++) {
        free(machine.ranks[r].plan.steps);
        free(machine.ranks[r].target);
        free(machine.ranks[r].landing);
    }
}

/* The data of the call, in the target already but for those of a broadcast. */
static void enter(int r)
{
    struct rank *rank = &machine.ranks[r];
    const struct made_task *task = &machine.task;
    size_t own = task->collective == MADE_COLLECT ? (size_t)r * task->elements : 0;
    rank->calls++;
    rank->inside = true;
    rank->at = 0;
    for (size_t i = 0; i < task->elements; i++)
        if (task->collective == MADE_COLLECT || task->collective == MADE_REDUCE)
            rank->target[own + i] = value(r, rank->calls, i);
    for (size_t i = 0; i < rank->plan.count; i++) {
        const struct made_step *step = &rank->plan.steps[i];
        if (!step->sends && step->permission >= 0)
            machine.ranks[step->rank].permissions[step->permission] = rank->calls;
    }
}

static void leave(int r)
{
    struct rank *rank = &machine.ranks[r];
    for (size_t i = 0; i < made_vector(&machine.task); i++)
        if (rank->target[i] != result(r, rank->calls, i))
            fail_msg("%s: call %ld, rank %d: element %zu is %ld and should be %ld", title(),
                     rank->calls, r, i, rank->target[i], result(r, rank->calls, i));
    rank->inside = false;
}

static long number_of(const struct rank *rank, const struct made_step *step)
{
    return (rank->calls - 1) * machine.needs.numbers + step->number;
}

static bool send(int r, const struct made_step *step)
{
    struct rank *rank = &machine.ranks[r], *to = &machine.ranks[step->rank];
    size_t turn = (size_t)(rank->calls % TURNS) * machine.needs.landing;
    if (machine.asks && step->permission >= 0 && rank->permissions[step->permission] < rank->calls)
        return false;
    if (step->adds)
        assert_true(step->landing + step->range.count <= machine.needs.landing);
    for (size_t i = 0; i < step->range.count; i++) {
        size_t from = step->range.first + i;
        long data = machine.task.collective == MADE_BROADCAST && r == machine.task.root
                        ? value(r, rank->calls, from)
                        : rank->target[from];
        if (step->adds)
            to->landing[turn + step->landing + i] = data;
        else
            to->target[from] = data;
    }
    assert_true(step->number <= machine.needs.numbers);
    assert_true(number_of(rank, step) > to->words[step->word]); /* numbers only grow */
    to->words[step->word] = number_of(rank, step);
    return true;
}

static bool receive(int r, const struct made_step *step)
{
    struct rank *rank = &machine.ranks[r];
    size_t turn = (size_t)(rank->calls % TURNS) * machine.needs.landing;
    if (rank->words[step->word] < number_of(rank, step))
        return false;
    for (size_t i = 0; step->adds && i < step->range.count; i++)
        rank->target[step->range.first + i] += rank->landing[turn + step->landing + i];
    return true;
}

static bool all_left(long calls)
{
    for (int r = 0; r < machine.task.size; r++)
        if (machine.ranks[r].inside || machine.ranks[r].calls != calls)
            return false;
    return true;
}

/* The next thing that a rank does: false where it has to wait. */
static bool advance(int r)
{
    struct rank *rank = &machine.ranks[r];
    if (!rank->inside) {
        bool free_targets = machine.asks;
        for (int other = 0; other < machine.task.size && !free_targets; other++)
            free_targets = machine.ranks[other].calls > rank->calls;
        if (rank->calls == CALLS || !(free_targets || all_left(rank->calls)))
            return false;
        enter(r);
        return true;
    }
    if (rank->at == rank->plan.count) {
        leave(r);
        return true;
    }
    const struct made_step *step = &rank->plan.steps[rank->at];
    if (!(step->sends ? send(r, step) : receive(r, step)))
        return false;
    rank->at++;
    return true;
}

/* Which rank goes on: any; or a favourite, as far as it can, so that others are far behind. */
static void carry_out(int favourite)
{
    int size = machine.task.size;
    while (!all_left(CALLS)) {
        int first = favourite >= 0 && draw(8) > 0 ? favourite : draw(size), tried = 0;
        while (tried < size && !advance((first + tried) % size))
            tried++;
        if (tried == size)
            fail_msg("%s: all wait for each other", title());
        for (int more = draw(16); more > 0 && advance((first + tried) % size); more--)
            continue;
    }
}

static void check_order(struct made_task task, bool asks, int favourite)
{
    machine.task = task;
    machine.asks = asks;
    set_up();
    carry_out(favourite);
    tear_down();
}

/* Of many ranks one order, else several. */
static void check_task(struct made_task task)
{
    bool some = task.size > FEW;
    for (int asks = some ? draw(2) : 0; asks <= 1; asks += 1 + some) {
        check_order(task, asks, draw(task.size));
        if (some)
            continue;
        check_order(task, asks, task.root);
        check_order(task, asks, -1);
    }
}

/* With all lengths, or one of them. */
static void check_lengths(struct made_task task)
{
    const size_t lengths[] = {0, 1, 3, (size_t)task.size, (size_t)task.size + 1, 67};
    int count = (int)(sizeof lengths / sizeof *lengths);
    bool some = task.size > FEW || task.collective == MADE_BARRIER;
    for (int i = some ? draw(count) : 0; i < count; i += some ? count : 1) {
        task.elements = task.collective == MADE_BARRIER ? 0 : lengths[i];
        task.root = task.collective == MADE_BROADCAST ? draw(task.size) : 0;
        task.segment = 0;
        check_task(task);
        task.segment = 1 + (size_t)draw(5);
        if (made_pieces(&task) > 1)
            check_task(task);
    }
}

TEST(every_call_is_right_in_any_order)
{
    for (int size = 1; size <= MOST; size++)
        for (int c = 0; c < MADE_COLLECTIVES; c++)
            for (int a = 0; a < MADE_ALGORITHMS; a++)
                if (made_name((enum made_collective)c, (enum made_algorithm)a))
                    check_lengths((struct made_task){.collective = (enum made_collective)c,
                                                     .algorithm = (enum made_algorithm)a,
                                                     .size = size});
}

/* ---- Both sides agree ---- */

/* Whether both plans mean one message by these steps. */
static bool same(const struct made_step *a, const struct made_step *b)
{
    return a->range.first == b->range.first && a->range.count == b->range.count &&
           a->adds == b->adds && a->landing == b->landing && a->word == b->word &&
           a->number == b->number && a->permission == b->permission;
}

/* Each message that one rank sends is one that the other waits for, in the same order; and no two
 * ranks write to the same word. */
static void check_sides(void)
{
    int writer[MOST][MOST + 200];
    memset(writer, -1, sizeof writer);
    set_up();
    for (int r = 0; r < machine.task.size; r++)
        for (int to = 0; to < machine.task.size; to++) {
            const struct made_plan *from = &machine.ranks[r].plan, *there = &machine.ranks[to].plan;
            size_t k = 0;
            for (size_t i = 0; i < from->count; i++) {
                const struct made_step *step = &from->steps[i];
                if (!step->sends || step->rank != to)
                    continue;
                assert_int_not_equal(r, to);
                while (k < there->count && (there->steps[k].sends || there->steps[k].rank != r))
                    k++;
                if (k == there->count || !same(step, &there->steps[k++]))
                    fail_msg("%s: what %d sends to %d is not what that one waits for", title(), r,
                             to);
                if (writer[to][step->word] != -1 && writer[to][step->word] != r)
                    fail_msg("%s: %d and %d write to word %d of %d", title(), r,
                             writer[to][step->word], step->word, to);
                writer[to][step->word] = r;
            }
            while (k < there->count && (there->steps[k].sends || there->steps[k].rank != r))
                k++;
            if (k < there->count)
                fail_msg("%s: %d waits for a message that %d does not send", title(), to, r);
        }
    tear_down();
}

TEST(senders_and_receivers_agree)
{
    for (int size = 1; size <= MOST; size++)
        for (int c = 0; c < MADE_COLLECTIVES; c++)
            for (int a = 0; a < MADE_ALGORITHMS; a++)
                if (made_name((enum made_collective)c, (enum made_algorithm)a)) {
                    machine.task = (struct made_task){.collective = (enum made_collective)c,
                                                      .algorithm = (enum made_algorithm)a,
                                                      .size = size,
                                                      .root = c == MADE_BROADCAST ? size / 2 : 0,
                                                      .elements = c == MADE_BARRIER ? 0 : 37,
                                                      .segment = 2};
                    check_sides();
                }
}

/* ---- Rounds and elements ---- */

/* Rounds until the last rank has left, each message taking one round and sending nothing: the
 * longest chain of messages. */
static int rounds_of(struct made_task task)
{
    static int done[MOST], arrived[MOST][MOST + 200][2 * MOST];
    static size_t at[MOST];
    int last = 0;
    bool moved = true;
    machine.task = task;
    set_up();
    memset(done, 0, sizeof done);
    memset(at, 0, sizeof at);
    while (moved) {
        moved = false;
        for (int r = 0; r < task.size; r++) {
            struct rank *rank = &machine.ranks[r];
            for (; at[r] < rank->plan.count; at[r]++, moved = true) {
                const struct made_step *step = &rank->plan.steps[at[r]];
                if (step->sends) {
                    machine.ranks[step->rank].words[step->word] = step->number;
                    arrived[step->rank][step->word][step->number] = done[r] + 1;
                } else if (rank->words[step->word] < step->number) {
                    break;
                } else if (arrived[r][step->word][step->number] > done[r]) {
                    done[r] = arrived[r][step->word][step->number];
                }
            }
            if (done[r] > last)
                last = done[r];
        }
    }
    tear_down();
    return last;
}

static size_t elements_sent(struct made_task task)
{
    size_t most = 0;
    machine.task = task;
    set_up();
    for (int r = 0; r < task.size; r++) {
        size_t sent = 0;
        const struct made_plan *plan = &machine.ranks[r].plan;
        for (size_t i = 0; i < plan->count; i++)
            if (plan->steps[i].sends)
                sent += plan->steps[i].range.count;
        if (sent > most)
            most = sent;
    }
    tear_down();
    return most;
}

static int log_up(int n)
{
    int log = 0;
    while (1 << log < n)
        log++;
    return log;
}

TEST(rounds_are_those_of_the_algorithms)
{
    for (int n = 2; n <= MOST; n++) {
        bool power = (n & (n - 1)) == 0;
        int log = log_up(n), floor = power ? log : log - 1, rest = power ? 0 : 2;
        const struct {
            enum made_collective collective;
            enum made_algorithm algorithm;
            int rounds;
        } expected[] = {
            {MADE_BARRIER, MADE_FLAT, 2},
            {MADE_BARRIER, MADE_DOUBLING, floor + rest},
            {MADE_BARRIER, MADE_DISSEMINATION, log},
            {MADE_BARRIER, MADE_RING, 2 * n - 1},
            {MADE_BROADCAST, MADE_FLAT, 1},
            {MADE_BROADCAST, MADE_RING, n - 1},
            {MADE_COLLECT, MADE_FLAT, 1},
            {MADE_COLLECT, MADE_DOUBLING, floor + rest},
            {MADE_COLLECT, MADE_RING, n - 1},
            {MADE_REDUCE, MADE_FLAT, 2},
            {MADE_REDUCE, MADE_DOUBLING, floor + rest},
            {MADE_REDUCE, MADE_SCATTER_ALLGATHER, 2 * floor + rest},
            {MADE_REDUCE, MADE_RING, 2 * (n - 1)},
        };
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            struct made_task task = {.collective = expected[i].collective,
                                     .algorithm = expected[i].algorithm,
                                     .size = n,
                                     .elements = 64};
            int rounds = rounds_of(task);
            /* Without a power of two, not all ranks wait for one that is left out. */
            int fewest = expected[i].rounds - (expected[i].rounds == floor + rest ||
                                                       expected[i].rounds == 2 * floor + rest
                                                   ? rest / 2
                                                   : 0);
            if (rounds > expected[i].rounds || rounds < fewest)
                fail_msg("%s: %d rounds instead of %d", title(), rounds, expected[i].rounds);
        }
        /* A tree is as deep as a number of its ranks has bits. */
        struct made_task tree = {MADE_BROADCAST, MADE_BINOMIAL, .size = n, .elements = 1};
        int deepest = 0;
        for (int rank = 0; rank < n; rank++)
            if (__builtin_popcount((unsigned)rank) > deepest)
                deepest = __builtin_popcount((unsigned)rank);
        assert_int_equal(rounds_of(tree), deepest);
    }
}

/* What makes reduce-scatter + allgather, and rings, right for large vectors: each rank sends twice
 * its vector at most, while recursive doubling sends it in each round. */
TEST(elements_are_those_of_the_algorithms)
{
    for (int n = 2; n <= MOST; n *= 2) {
        size_t each = 10, all = each * (size_t)n, most = 2 * (all - each);
        struct made_task task = {MADE_REDUCE, MADE_DOUBLING, .size = n, .elements = all};
        assert_int_equal(elements_sent(task), (size_t)log_up(n) * all);
        task.algorithm = MADE_SCATTER_ALLGATHER;
        assert_int_equal(elements_sent(task), most);
        task.algorithm = MADE_RING;
        assert_int_equal(elements_sent(task), most);
        task = (struct made_task){MADE_COLLECT, MADE_RING, .size = n, .elements = each};
        assert_int_equal(elements_sent(task), all - each);
        task.algorithm = MADE_DOUBLING;
        assert_int_equal(elements_sent(task), all - each);
    }
}

/* ---- Pieces and names ---- */

TEST(pieces_of_a_ring)
{
    struct made_task task = {MADE_BROADCAST, MADE_RING, .size = 3, .elements = 100};
    assert_int_equal(made_pieces(&task), 1);
    task.segment = 30;
    assert_int_equal(made_pieces(&task), 4);
    task.segment = 100;
    assert_int_equal(made_pieces(&task), 1);
    task.collective = MADE_REDUCE; /* of a third, 34 elements */
    task.segment = 17;
    assert_int_equal(made_pieces(&task), 2);
    task.elements = 0;
    assert_int_equal(made_pieces(&task), 1);
    task.algorithm = MADE_DOUBLING;
    task.elements = 100;
    assert_int_equal(made_pieces(&task), 1);
}

TEST(algorithms_have_names)
{
    assert_int_equal(made_find(MADE_REDUCE, "reduce_scatter_allgather"), MADE_SCATTER_ALLGATHER);
    assert_int_equal(made_find(MADE_REDUCE, "scatter_allgather"), MADE_ALGORITHMS);
    assert_int_equal(made_find(MADE_BROADCAST, "scatter_allgather"), MADE_SCATTER_ALLGATHER);
    assert_int_equal(made_find(MADE_BROADCAST, "recursive_doubling"), MADE_ALGORITHMS);
    assert_int_equal(made_find(MADE_BARRIER, "dissemination"), MADE_DISSEMINATION);
    assert_int_equal(made_find(MADE_COLLECT, ""), MADE_ALGORITHMS);
}
