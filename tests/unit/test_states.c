/* States of simulated machines: how often those that exist are found, and others are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/states.h"

#define MOST 2000
#define ROOM 8

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
static void run(const struct machine *m, size_t n, struct states_control *controls, double *share)
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
        controls[i] = (struct states_control){at, m->costs[now] * exp(x)};
    }
    for (size_t i = 0; i < 3; i++)
        share[i] /= at;
}

static void one_cost(void **state)
{
    (void)state;
    static const struct machine machines[] = {
        {{1e-7}, 1, 1, 0.01, 0.03, 0.05, 0, 0},
        {{1e-7}, 1, 1, 0.01, 0.15, 0.05, 0, 0},
        {{1e-7}, 1, 1, 0.01, 0.05, 0.05, 0, 0.1},
    };
    static const size_t sizes[] = {4, 20, 60, 300};
    static struct states_control controls[MOST];
    struct states_level found[ROOM];
    double share[3];
    srand(1);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int wrong = 0;
            for (int trial = 0; trial < 500; trial++) {
                run(&machines[m], sizes[k], controls, share);
                wrong += states_find(controls, sizes[k], NULL, 0, found, ROOM) != 1;
            }
            if (wrong > 5)
                fail_msg("machine %zu, %zu controls: %d wrong", m, sizes[k], wrong);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cost),
    };
    return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
