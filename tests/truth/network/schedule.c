/*
 * Costs that change by the clock: the network is in one state after the other, on all PEs at once.
 */
#define _GNU_SOURCE
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_STATES 16
/* Ticks are compared in every call, the clock is read this often. */
#define LOOK_NS 200000
/* What an outlier takes longer. */
#define OUTLIER 10

static struct state {
    double seconds, factor;
} states[MOST_STATES];
static size_t state_count, current;
static double start, cycle; /* seconds of CLOCK_MONOTONIC; of all states together */
static int64_t programmed[COSTS], programmed_outstanding;

static struct {
    double sigma, outliers;
} noise;
static uint64_t random_state = 88172645463325252;

static double monotonic_seconds(void)
{
    if (network.simulated) {
        return (double)simulated_now() * 1e-9;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double parse_number(const char *text, char **end, char separator)
{
    double value = strtod(text, end);
    if (*end == text || (**end != separator && **end != '\0') || !(value > 0 && value < 1e9)) {
        die("schedule is SECONDS:FACTOR/SECONDS:FACTOR...", text);
    }
    return value;
}

void schedule_parse(const char *text)
{
    for (char *end; *text != '\0'; text = *end == '\0' ? end : end + 1) {
        if (state_count == MOST_STATES) {
            die("too many states", "raise MOST_STATES");
        }
        states[state_count].seconds = parse_number(text, &end, ':');
        text = *end == ':' ? end + 1 : end;
        states[state_count].factor = parse_number(text, &end, '/');
        cycle += states[state_count++].seconds;
    }
}

void schedule_start(const char *text)
{
    char *end;
    start = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(start)) {
        die("start is a number of seconds", text);
    }
}

/* Uniform over [0, 1). */
static double draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static double noise_factor(void)
{
    if (noise.sigma == 0 && noise.outliers == 0) {
        return 1;
    }
    double normal = -6;
    for (int i = 0; i < 12; i++) {
        normal += draw();
    }
    return exp(noise.sigma * normal) * (draw() < noise.outliers ? OUTLIER : 1);
}

void noise_parse(const char *text)
{
    char *end;
    noise.sigma = parse_number(text, &end, ':');
    if (*end == ':') {
        noise.outliers = parse_number(end + 1, &end, ':');
    }
}

void noise_seed(const char *text)
{
    random_state += (uint64_t)atoll(text) * 0x9e3779b97f4a7c15;
    for (int i = 0; i < 20; i++) {
        draw();
    }
}

static void apply(size_t state)
{
    double factor = states[state].factor * noise_factor();
    current = state;
    network.factor = factor;
    for (int cost = 0; cost < COSTS; cost++) {
        if (programmed[cost] >= 0) {
            network.cost[cost] = (int64_t)((double)programmed[cost] * factor + 0.5);
        }
    }
    network.outstanding = (int64_t)((double)programmed_outstanding * factor + 0.5);
}

void schedule_look(int64_t now)
{
    if (network.simulated) {
        simulated_waits();
    }
    double place = fmod(monotonic_seconds() - start, cycle);
    place = place < 0 ? place + cycle : place;
    size_t state = 0;
    while (state + 1 < state_count && place >= states[state].seconds) {
        place -= states[state++].seconds;
    }
    if (state != current || noise.sigma > 0 || noise.outliers > 0) {
        apply(state);
    }
    double left = fmin((states[state].seconds - place) * 1e9, LOOK_NS);
    network.look = network.simulated ? 0 : now + (int64_t)(left * ticks_per_ns);
}

void schedule_begin(void)
{
    if (state_count == 0 && !network.simulated) {
        network.look = INT64_MAX;
        return;
    }
    if (state_count == 0) {
        states[state_count++] = (struct state){1, 1};
        cycle = 1;
    }
    for (int cost = 0; cost < COSTS; cost++) {
        programmed[cost] = network.cost[cost];
    }
    programmed_outstanding = network.outstanding;
    apply(0);
    schedule_look(ticks_now());
}
