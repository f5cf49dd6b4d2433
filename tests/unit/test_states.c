/* States of simulated machines are found where they exist, and seldom where they do not. */
#include <math.h>
#include <stdlib.h>

#include "stats/states.h"
#include "unit/unit.h"

#define MOST 1000
#define ROOM 8

static struct states_control controls[MOST];
static struct states_state found[ROOM];

/* Hand-overs only. */
static struct states_control control(double at, double value)
{
    return (struct states_control){at, {{value, NAN}}};
}

#define KNOWN(value)                                                                               \
    {                                                                                              \
        .of = { {value, 0, INFINITY}, {NAN, 0, INFINITY} }                                         \
    }

static size_t state_of(double value, size_t count)
{
    return states_of(&(struct states_values){{value, NAN}}, found, count);
}

static double uniform(void)
{
    return (rand() + 0.5) / ((double)RAND_MAX + 1);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* A machine with up to three costs, in each of which it stays for a random time. */
struct machine {
    double costs[3];
    size_t count;
    double dwell, every; /* seconds, mean */
    double spread;       /* of a control, natural logarithm */
    double disturbed;    /* share of controls that take 1.3 to 5 times as long */
    double correlation;  /* of neighbours */
    double drift;        /* by the end, natural logarithm */
};

/* Fills share[] with the shares of the time that were spent on each cost. */
static void run(const struct machine *m, size_t n, double *share)
{
    size_t now = 0;
    double memory = normal(), at = 0, until = -m->dwell * log(uniform());
    for (size_t i = 0; i < 3; i++)
        share[i] = 0;
    for (size_t i = 0; i < n; i++) {
        double step = m->every * (0.5 + uniform());
        at += step;
        while (m->count > 1 && at > until) {
            now = (now + 1 + (size_t)(uniform() * (double)(m->count - 1))) % m->count;
            until -= m->dwell * log(uniform());
        }
        share[now] += step;
        memory = m->correlation * memory + sqrt(1 - m->correlation * m->correlation) * normal();
        double x = m->spread * memory + m->drift * (double)i / (double)n;
        if (uniform() < m->disturbed)
            x += log(1.3 + 3.7 * uniform());
        controls[i] = control(at, m->costs[now] * exp(x));
    }
    for (size_t i = 0; i < 3; i++)
        share[i] /= at;
}

/* One cost is one state, however noisy, and whatever earlier runs knew. */
TEST(one_cost)
{
    static const struct machine machines[] = {
        {{1e-7}, 1, 1, 0.01, 0.03, 0.05, 0, 0},   {{1e-7}, 1, 1, 0.01, 0.05, 0.05, 0, 0},
        {{1e-7}, 1, 1, 0.01, 0.10, 0.05, 0, 0},   {{1e-7}, 1, 1, 0.01, 0.15, 0.05, 0, 0},
        {{1e-7}, 1, 1, 0.01, 0.05, 0.05, 0, 0.1}, {{1e-7}, 1, 1, 0.01, 0.05, 0.05, 0.8, 0},
        {{1e-7}, 1, 1, 0.01, 0.10, 0.05, 0.8, 0},
    };
    static const struct states_state known[] = {KNOWN(1e-7), KNOWN(2.7e-7)};
    static const size_t sizes[] = {1, 4, 8, 12, 20, 60, 250, MOST};
    double share[3];
    srand(1);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int wrong = 0, wrong_known = 0, trials = sizes[k] < 100 ? 300 : 100;
            for (int trial = 0; trial < trials; trial++) {
                run(&machines[m], sizes[k], share);
                wrong += states_find(controls, sizes[k], NULL, 0, found, ROOM) != 1;
                wrong_known += states_find(controls, sizes[k], known, 2, found, ROOM) != 1;
            }
            if (wrong > trials / 100 + 1 || wrong_known > trials / 100 + 1)
                fail_msg("machine %zu, %zu controls: %d and %d of %d wrong", m, sizes[k], wrong,
                         wrong_known, trials);
        }
}

/* Two and three costs are found with their values and shares, and controls belong to theirs. */
TEST(several_costs)
{
    static const struct machine machines[] = {
        {{6e-8, 7.8e-8}, 2, 0.1, 0.001, 0.03, 0.05, 0, 0},
        {{6e-8, 7.8e-8}, 2, 1, 0.01, 0.05, 0.05, 0, 0},
        {{6e-8, 7.8e-8}, 2, 10, 0.1, 0.05, 0.05, 0, 0},
        {{6e-8, 9e-8}, 2, 1, 0.01, 0.10, 0.05, 0, 0},
        {{6e-8, 16e-8}, 2, 0.1, 0.01, 0.10, 0.05, 0, 0},
        {{6e-8, 16e-8}, 2, 1, 0.1, 0.15, 0.05, 0, 0},
        {{6e-8, 16e-8}, 2, 0.05, 0.05, 0.05, 0, 0, 0}, /* no stays: its share is enough */
        {{6e-8, 16e-8, 50e-8}, 3, 1, 0.01, 0.05, 0.05, 0.5, 0.1},
    };
    srand(2);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        int right = 0, trials = 0;
        /* What is shorter than three controls is not seen. */
        double tolerance = machines[m].dwell < 2 * machines[m].every ? 0.15 : 0.03;
        while (trials < 100) {
            double share[3];
            run(&machines[m], MOST, share);
            size_t count = machines[m].count;
            if (share[0] < 0.1 || share[1] < 0.1 || (count > 2 && share[2] < 0.1))
                continue;
            trials++;
            bool good = states_find(controls, MOST, NULL, 0, found, ROOM) == count;
            for (size_t i = 0; good && i < count; i++)
                good = fabs(found[i].share - share[i]) < tolerance &&
                       fabs(log(found[i].of[0].value / machines[m].costs[i])) < 0.11 &&
                       state_of(machines[m].costs[i], count) == i;
            right += good;
        }
        if (right < 95)
            fail_msg("machine %zu: %d of 100 right", m, right);
    }
}

/* One broad level, 115 to 190 ns, beside a narrow one is one. */
TEST(broad)
{
    srand(3);
    int right = 0;
    for (int trial = 0; trial < 200; trial++) {
        for (size_t i = 0; i < 400; i++) {
            double value = i / 50 % 2 ? 115e-9 + 75e-9 * uniform() : 61e-9;
            controls[i] = control(0.01 * (double)i, value * exp(0.03 * normal()));
        }
        right += states_find(controls, 400, NULL, 0, found, ROOM) == 2 &&
                 fabs(found[0].share - 0.5) < 0.02 && found[1].of[0].low > 65e-9 &&
                 found[1].of[0].low < 112e-9;
    }
    assert_true(right >= 198);
}

/* Fills controls[] from `first` with n of this value, 3 % spread, 0.1 s apart. */
static size_t stay(size_t first, size_t n, double value)
{
    for (size_t i = first; i < first + n; i++)
        controls[i] = control(0.1 * (double)i, value * (i % 3 ? 1 : i % 2 ? 0.97 : 1.03));
    return first + n;
}

TEST(few)
{
    assert_int_equal(states_find(controls, 0, NULL, 0, found, ROOM), 0);
    stay(stay(0, 1, 6e-8), 1, 16e-8);
    assert_int_equal(states_find(controls, 2, NULL, 0, found, 0), 0);
    assert_int_equal(states_find(controls, 1, NULL, 0, found, ROOM), 1);
    assert_true(found[0].of[0].low == 0 && isinf(found[0].of[0].high) && found[0].share == 1);
    assert_true(found[0].count == 1 && found[0].known == 0);
    assert_int_equal(states_find(controls, 2, NULL, 0, found, ROOM), 1);
    /* Three of seven may be a disturbance, four of eight are not; levels of earlier runs confirm.
     */
    stay(stay(0, 4, 6e-8), 4, 16e-8);
    assert_int_equal(states_find(controls, 7, NULL, 0, found, ROOM), 1);
    assert_int_equal(states_find(controls, 8, NULL, 0, found, ROOM), 2);
    static const struct states_state known[] = {KNOWN(6.2e-8), KNOWN(15e-8)};
    assert_int_equal(states_find(controls, 7, known, 2, found, ROOM), 2);
    assert_int_equal(states_find(controls, 8, NULL, 0, found, 1), 1);
    /* Two levels that take turns from control to control persist nowhere: they are no states. */
    for (size_t i = 0; i < 8; i++)
        stay(i, 1, i % 2 ? 16e-8 : 6e-8);
    assert_int_equal(states_find(controls, 8, NULL, 0, found, ROOM), 1);
    stay(0, 100, 6e-8);
    for (size_t i = 0; i < 100; i++)
        controls[i].values.of[0] = 6e-8;
    assert_int_equal(states_find(controls, 100, NULL, 0, found, ROOM), 1);
    assert_true(found[0].of[0].value == 6e-8);
}

/* A burst of disturbed controls is no state; one of the same share that stays is. */
TEST(bursts)
{
    size_t n = 0;
    for (int i = 0; i < 20; i++)
        n = stay(stay(n, 38, 1e-7), 2, 3e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 1);
    assert_true(fabs(found[0].of[0].value - 1e-7) < 1e-9);
    n = stay(stay(stay(0, 300, 1e-7), 40, 3e-7), 460, 1e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 2);
    assert_true(fabs(found[1].share - 0.05) < 0.005);
    assert_int_equal(found[1].count, 40);
    n = stay(stay(stay(0, 300, 1e-7), 6, 3e-7), 494, 1e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 1);
}

/* Other programs take the processor away for some ms: no state, however often. */
TEST(interrupted)
{
    srand(3);
    for (size_t i = 0; i < 400; i++) {
        bool lost = i % 40 >= 26;
        controls[i] = control((double)i * 0.01, (lost ? 4e-3 : 1e-7) * exp(0.05 * normal()));
    }
    assert_int_equal(states_find(controls, 400, NULL, 0, found, ROOM), 1);
    assert_true(fabs(found[0].of[0].value / 1e-7 - 1) < 0.05);
}

/* A set that is looked at twice every 3 s, on a machine that has changed its state by then: what is
 * that far away does not smooth a control. */
TEST(seldom)
{
    srand(4);
    for (size_t i = 0; i < 64; i++)
        controls[i] = control((double)(i / 2) * 3 + (double)(i % 2) * 0.01,
                              ((i / 2) % 2 == 0 ? 1e-7 : 3e-7) * exp(0.02 * normal()));
    assert_int_equal(states_find(controls, 64, NULL, 0, found, ROOM), 2);
    assert_true(fabs(found[0].share - 0.5) < 0.05);
}

/* Less than 15 % apart is one state, a slope is one, and so is a slow way up. */
TEST(not_apart)
{
    size_t n = 0;
    for (int i = 0; i < 10; i++)
        n = stay(stay(n, 20, 1e-7), 20, 1.12e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 1);
    n = 0;
    for (int i = 0; i < 10; i++)
        n = stay(stay(n, 20, 1e-7), 20, 1.25e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 2);
    for (size_t i = 0; i < 400; i++)
        stay(i, 1, 1e-7 * exp((double)i / 400));
    assert_int_equal(states_find(controls, 400, NULL, 0, found, ROOM), 1);
    /* Two ends with a fast, but not sudden way between them. */
    for (size_t i = 0; i < 200; i++)
        stay(i, 1, 1e-7 * exp(i < 90 ? 0 : i >= 110 ? 0.6 : 0.03 * (double)(i - 90)));
    assert_int_equal(states_find(controls, 200, NULL, 0, found, ROOM), 1);
}

/* Stays everywhere between two levels make one of all, unless they are rare. */
TEST(filled)
{
    size_t n = 0;
    for (size_t i = 0; i < 20; i++) {
        double between = 1e-7 * (1 + 0.5 * ((double)(7 * i % 20) + 0.5) / 20);
        n = stay(stay(stay(n, 15, 1e-7), 20, between), 15, 1.5e-7);
    }
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 1);
    for (size_t i = 15; i < n; i += 50)
        stay(i, 18, 1e-7);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 2);
}

TEST(bounds)
{
    for (size_t i = 0; i < 30; i++)
        controls[i] = control((double)i, i < 10 ? 1 : i < 20 ? 4 : 9);
    assert_int_equal(states_find(controls, 30, NULL, 0, found, ROOM), 3);
    assert_true(found[0].of[0].low == 0 && fabs(found[0].of[0].high - 2) < 1e-12);
    assert_true(found[1].of[0].low == found[0].of[0].high && fabs(found[1].of[0].high - 6) < 1e-12);
    assert_true(found[2].of[0].low == found[1].of[0].high && isinf(found[2].of[0].high));
    assert_true(found[0].of[0].value == 1 && found[1].of[0].value == 4 &&
                found[2].of[0].value == 9);
    assert_true(fabs(found[0].share + found[1].share + found[2].share - 1) < 1e-12);
    assert_int_equal(state_of(1.9, 3), 0);
    assert_int_equal(state_of(found[0].of[0].high, 3), 1);
    assert_int_equal(state_of(1e9, 3), 2);
    assert_int_equal(state_of(NAN, 3), 3);
    assert_int_equal(state_of(1, 0), 0);
}

/* Shares are of the time, but a control says nothing about a time without controls. */
TEST(shares)
{
    for (size_t i = 0; i < 40; i++)
        controls[i] =
            i < 20 ? control(0.1 * (double)i, 1e-7) : control(2 + 0.3 * (double)(i - 20), 3e-7);
    assert_int_equal(states_find(controls, 40, NULL, 0, found, ROOM), 2);
    /* 1.9 s and half of 0.1 s, half of that and 5.7 s */
    assert_true(fabs(found[0].share - 1.95 / 7.7) < 1e-9);
    /* The last control of the first state comes 100 s later, as do all of the second: alone among
     * those near in time, it is one of them. */
    for (size_t i = 19; i < 40; i++)
        controls[i].at += 100;
    assert_int_equal(states_find(controls, 40, NULL, 0, found, ROOM), 2);
    assert_true(fabs(found[0].share - (1.8 + 0.5) / (1.8 + 1 + 0.1 + 5.7)) < 1e-9);
    for (size_t i = 0; i < 40; i++)
        controls[i].at = 5;
    assert_int_equal(states_find(controls, 40, NULL, 0, found, ROOM), 2);
    assert_true(fabs(found[0].share - 0.5) < 1e-12);
}

TEST(known)
{
    static const struct states_state earlier[] = {KNOWN(5.5e-8), KNOWN(6.4e-8), KNOWN(7e-8),
                                                  KNOWN(30e-8)};
    size_t n = stay(stay(0, 30, 6.2e-8), 30, 16e-8);
    /* The first state is near three known ones, and is the nearest; the second is far from all. */
    assert_int_equal(states_find(controls, n, earlier, 4, found, ROOM), 2);
    assert_int_equal(found[0].known, 2);
    assert_int_equal(found[1].known, 0);
    /* Of two found levels that are near to a known one, the nearest is it. */
    static const struct states_state between[] = {KNOWN(11e-8)};
    n = stay(stay(0, 60, 10e-8), 60, 13e-8);
    assert_int_equal(states_find(controls, n, between, 1, found, ROOM), 2);
    assert_int_equal(found[0].known, 1);
    assert_int_equal(found[1].known, 0);
    /* Known levels alone make none: they may confirm a short stay, not two controls. */
    static const struct states_state two[] = {KNOWN(6e-8), KNOWN(16e-8)};
    n = stay(stay(stay(0, 100, 6e-8), 5, 16e-8), 100, 6e-8);
    assert_int_equal(states_find(controls, n, NULL, 0, found, ROOM), 1);
    assert_int_equal(states_find(controls, n, two, 2, found, ROOM), 2);
    assert_true(found[0].known == 1 && found[1].known == 2);
    n = stay(stay(stay(0, 100, 6e-8), 2, 16e-8), 100, 6e-8);
    assert_int_equal(states_find(controls, n, two, 2, found, ROOM), 1);
    assert_int_equal(found[0].known, 1);
    /* A value inside a broad level is that level, far from its median, too. */
    for (size_t i = 0; i < 100; i++)
        controls[i].values.of[0] = 1e-7 * (1 + 0.01 * (double)(i % 60));
    static const struct states_state inside[] = {KNOWN(1.57e-7)};
    assert_int_equal(states_find(controls, 100, inside, 1, found, ROOM), 1);
    assert_true(found[0].of[0].value < 1.3e-7 && found[0].known == 1);
}

static bool differ(double before, double after, double noise)
{
    return states_differ(&(struct states_values){{before, NAN}},
                         &(struct states_values){{after, NAN}},
                         &(struct states_values){{noise, 0}});
}

TEST(differences)
{
    assert_false(differ(1e-7, 1.14e-7, 0));
    assert_true(differ(1e-7, 1.16e-7, 0.01));
    assert_true(differ(1.16e-7, 1e-7, 0.01));
    assert_false(differ(1e-7, 1.4e-7, 0.1));
    assert_true(differ(1e-7, 1.7e-7, 0.1));
    assert_false(differ(0, 1e-7, 0));
    assert_false(differ(1e-7, NAN, 0));
}

/* Neither states nor outliers are noise. */
TEST(spread)
{
    srand(4);
    double share[3];
    static const struct machine steady = {{1e-7}, 1, 1, 0.01, 0.05, 0, 0, 0},
                                changing = {{1e-7, 3e-7}, 2, 0.1, 0.01, 0.05, 0.05, 0, 0};
    run(&steady, MOST, share);
    assert_true(fabs(states_noise(controls, MOST).of[0] - 0.05) < 0.008);
    run(&changing, MOST, share);
    double noise = states_noise(controls, MOST).of[0];
    assert_true(noise > 0.045 && noise < 0.08);
    assert_true(states_noise(controls, 5).of[0] == 0);
    assert_true(states_noise(controls, 0).of[0] == 0);
}

/* ---- Two kinds ---- */

#define SLOW_PROCESSOR 5e-10
#define FAST_PROCESSOR 2.8e-10

/* Whether in this control the hand-over, or the processor, is slow. */
static void two_kinds(size_t n, bool (*far)(size_t), bool (*slow)(size_t))
{
    for (size_t i = 0; i < n; i++) {
        double addition = slow(i) ? SLOW_PROCESSOR : FAST_PROCESSOR;
        double hand_over = (far(i) ? 25e-8 : 7e-8) * (slow(i) ? 1.1 : 1);
        controls[i] = (struct states_control){
            0.02 * (double)i,
            {{hand_over * exp(0.03 * normal()), addition * exp(0.03 * normal())}}};
    }
}

static bool never(size_t i)
{
    (void)i;
    return false;
}

static bool every_100(size_t i)
{
    return i / 100 % 2;
}

static bool every_30(size_t i)
{
    return i / 30 % 2;
}

/* In so few of those that every_100() changes in that they are no state. */
static bool seldom_slow(size_t i)
{
    return i >= 895;
}

static void is_state(size_t index, double hand_over, double addition)
{
    double first = found[index].of[0].value / hand_over,
           second = found[index].of[1].value / addition;
    if (!(fabs(first - 1) < 0.12) || !(fabs(second - 1) < 0.05))
        fail_msg("state %zu: hand-over %g, addition %g", index, found[index].of[0].value,
                 found[index].of[1].value);
}

/* Each combination is a state, in the order of the product; a control is in one of them. */
TEST(combinations)
{
    srand(5);
    two_kinds(900, every_100, every_30);
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 4);
    is_state(0, 7e-8, FAST_PROCESSOR);
    is_state(1, 7e-8, SLOW_PROCESSOR);
    is_state(2, 25e-8, FAST_PROCESSOR);
    is_state(3, 25e-8, SLOW_PROCESSOR);
    double sum = 0;
    for (size_t i = 0; i < 4; i++)
        sum += found[i].share;
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t i = 0; i < 900; i++) {
        size_t right = (every_100(i) ? 2 : 0) + (every_30(i) ? 1 : 0);
        assert_int_equal(states_of(&controls[i].values, found, 4), right);
    }
    /* Half a control tells nothing. */
    assert_int_equal(states_of(&(struct states_values){{7e-8, NAN}}, found, 4), 4);
    assert_int_equal(states_find(controls, 900, NULL, 0, found, 2), 2);
}

/* What changes together makes two states, not four. */
TEST(together)
{
    srand(6);
    two_kinds(900, every_100, every_100);
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 2);
    is_state(0, 7e-8, FAST_PROCESSOR);
    is_state(1, 27e-8, SLOW_PROCESSOR);
    two_kinds(900, never, every_100);
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 2);
    is_state(1, 7e-8, SLOW_PROCESSOR);
    assert_true(isinf(found[0].of[0].high) && isfinite(found[0].of[1].high));
    two_kinds(900, never, never);
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 1);
    /* A combination that hardly ever comes is none. */
    two_kinds(900, every_100, every_30);
    for (size_t i = 0; i < 900; i++)
        if (every_100(i))
            controls[i].values.of[1] = seldom_slow(i) ? SLOW_PROCESSOR : FAST_PROCESSOR;
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 3);
}

/* With one PE there are only additions; what lacks one of two kinds does not count. */
TEST(one_kind)
{
    srand(7);
    two_kinds(900, never, every_100);
    for (size_t i = 0; i < 900; i++)
        controls[i].values.of[0] = NAN;
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 2);
    assert_true(isnan(found[0].of[0].value) && found[1].of[1].value > 1.5 * FAST_PROCESSOR);
    assert_int_equal(states_of(&controls[0].values, found, 2), 0);
    assert_int_equal(states_of(&controls[100].values, found, 2), 1);
    two_kinds(900, every_100, never);
    for (size_t i = 0; i < 900; i += 3)
        controls[i].values.of[0] = NAN;
    assert_int_equal(states_find(controls, 900, NULL, 0, found, ROOM), 2);
    assert_int_equal(found[0].count + found[1].count, 600);
}

/* A known state is the same in both kinds, or it is another one. */
TEST(known_combinations)
{
    static const struct states_state earlier[] = {
        {.of = {{7e-8, 0, 15e-8}, {FAST_PROCESSOR, 0, INFINITY}}},
        {.of = {{26e-8, 15e-8, INFINITY}, {FAST_PROCESSOR, 0, INFINITY}}},
        {.of = {{26e-8, 15e-8, INFINITY}, {9e-10, 0, INFINITY}}}};
    srand(8);
    two_kinds(900, every_100, every_30);
    assert_int_equal(states_find(controls, 900, earlier, 3, found, ROOM), 4);
    assert_int_equal(found[0].known, 1);
    assert_int_equal(found[1].known, 0);
    assert_int_equal(found[2].known, 2);
    assert_int_equal(found[3].known, 0);
}

TEST(differences_of_two)
{
    const struct states_values before = {{7e-8, 3e-10}}, noise = {{0.02, 0.1}};
    assert_false(states_differ(&before, &(struct states_values){{7e-8, 4e-10}}, &noise));
    assert_true(states_differ(&before, &(struct states_values){{7e-8, 6e-10}}, &noise));
    assert_true(states_differ(&before, &(struct states_values){{9e-8, 3e-10}}, &noise));
    assert_false(states_differ(&before, &(struct states_values){{NAN, 3e-10}}, &noise));
    assert_false(states_are_known(&(struct states_values){{NAN, NAN}}));
    assert_true(states_are_known(&(struct states_values){{NAN, 1}}));
    struct states_values mean = states_between(&before, &(struct states_values){{28e-8, NAN}});
    assert_true(fabs(mean.of[0] - 14e-8) < 1e-15 && isnan(mean.of[1]));
}
