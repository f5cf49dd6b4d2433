/* The engine's pure rules: when to stop, how windows grow, what fits, what is subtracted. */
#include <math.h>
#include <stdlib.h>

#include "engine/buffers.h"
#include "engine/measurement.h"
#include "engine/samples.h"
#include "unit/unit.h"

TEST(hard_limit)
{
    const struct {
        int most;
        size_t limit;
    } wanted[] = {{33, 50}, {32, 48}, {1, 4}}; /* 33: floor(49.5 + 0.5) */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct settings settings = settings_default();
        settings.max_repetitions = wanted[i].most;
        assert_int_equal(aim_of(&settings, false).limit, wanted[i].limit);
    }
}

static bool enough(const struct settings *settings, const double *m, size_t n)
{
    int passes = 0;
    struct aim aim = aim_of(settings, false);
    return stop_enough(&aim, n, stop_reached(&aim, m, n, 0), &passes);
}

TEST(classic_rule)
{
    struct settings settings = settings_default();
    settings.min_repetitions = 4;
    settings.max_repetitions = 8;
    settings.max_relative_standard_error = 0.10;
    /* 8 9 11 12: mean 10, squares 10, error sqrt(10 / 12) = 0.913: 9.1 % */
    double m[] = {8, 9, 11, 12, 1000, 2000, 3000, 4000};
    assert_false(enough(&settings, m, 3));
    assert_true(enough(&settings, m, 4));
    settings.max_relative_standard_error = 0.09;
    assert_false(enough(&settings, m, 4));
    assert_false(enough(&settings, m, 7));
    assert_true(enough(&settings, m, 8)); /* the maximum, however bad */
    double nothing[] = {NAN, NAN, NAN, NAN};
    assert_false(enough(&settings, nothing, 4));
}

/* Twice in a row, with thirty at least, and no end before the median is known. */
TEST(median_rule)
{
    struct settings settings = settings_default();
    settings.stop_rule = STOP_MEDIAN_INTERVAL;
    settings.median_width = 0.05;
    double m[2000], turns[2000];
    for (int i = 0; i < 2000; i++) {
        m[i] = 100 + (i * 7919 % 101) * 0.1; /* 100 to 110, evenly */
        turns[i] = i % 40 < 20 ? 100 : 200;
    }
    int passes = 0;
    struct aim aim = aim_of(&settings, false);
    assert_false(stop_enough(&aim, 29, stop_reached(&aim, m, 29, 0), &passes));
    assert_false(stop_reached(&aim, m, 29, 0));
    assert_true(stop_reached(&aim, m, 40, 0));
    assert_false(stop_enough(&aim, 40, stop_reached(&aim, m, 40, 0), &passes));
    assert_true(stop_enough(&aim, 60, stop_reached(&aim, m, 60, 0), &passes));
    settings.median_width = 0.001;
    aim = aim_of(&settings, false);
    passes = 0;
    assert_false(stop_enough(&aim, 60, stop_reached(&aim, m, 60, 0), &passes));
    assert_int_equal(passes, 0);
    assert_int_equal(aim.limit, 1000);
    assert_true(stop_enough(&aim, 1000, stop_reached(&aim, m, 1000, 0), &passes));
    /* Neighbours that are alike say less: narrow when shuffled, not in this order. */
    settings.median_width = 0.5;
    aim = aim_of(&settings, false);
    assert_false(stop_reached(&aim, turns, 120, 0));
    assert_int_equal(stop_grown_batch(&aim, 8, 100), 50);
    settings.stop_rule = STOP_STANDARD_ERROR;
    aim = aim_of(&settings, false);
    assert_int_equal(stop_grown_batch(&aim, 8, 100), 8);
}

/* Within a share of the median on each side, the error of what is subtracted included, whatever the
 * rule of the script is. */
TEST(precision)
{
    struct settings settings = settings_default();
    settings.precision = 0.02;
    double m[2000], low, high;
    for (int i = 0; i < 2000; i++)
        m[i] = 100 + (i * 7919 % 101) * 0.1; /* 100 to 110, evenly: the median is 105 */
    struct aim aim = aim_of(&settings, true);
    assert_true(aim.precise);
    assert_true(stop_median_interval(&aim, m, 100, 0, &low, &high) < aim.width);
    assert_true(low < 105 && high > 105);
    assert_false(stop_reached(&aim, m, 29, 0));
    assert_true(stop_reached(&aim, m, 100, 0));
    assert_true(stop_reached(&aim, m, 100, 0.5));
    /* 1.96 * 1.1 is more than 2 % of 105. */
    assert_false(stop_reached(&aim, m, 100, 1.1));
    assert_true(isnan(stop_median_interval(&aim, m, 0, 0, &low, &high)));
    assert_false(aim_of(&settings, false).precise);
    assert_false(aim_of(&settings, false).median);
}

TEST(batches)
{
    struct settings settings = settings_default();
    settings.min_repetitions = 8;
    assert_int_equal(stop_next_batch(&settings, 8, false, true, 0), 8);
    assert_int_equal(stop_next_batch(&settings, 4, true, true, 4), 8);
    assert_int_equal(stop_next_batch(&settings, 8, true, false, 4), 8);
    assert_int_equal(stop_next_batch(&settings, 8, true, false, 5), 4);
    assert_int_equal(stop_next_batch(&settings, 4, true, false, 4), 4);
    settings.min_repetitions = 2;
    assert_int_equal(stop_next_batch(&settings, 2, false, false, 0), 4);
}

TEST(windows)
{
    double width = stop_next_window(0, 4, 4, 10);
    assert_true(fabs(width - 3) < 1e-12);             /* 1.5 * 10 / 5 */
    assert_true(stop_next_window(3, 2, 8, 100) == 3); /* a quarter is tolerated */
    assert_true(fabs(stop_next_window(3, 3, 8, 9) - 6) < 1e-12);
    assert_true(fabs(stop_next_window(3, 3, 8, 90) - 15) < 1e-12);
}

/* gamma used / k, but never below gamma times a window in which too many did not fit: runs of which
 * each third takes 3 where the others take 1, and the last takes 1, would never fit. */
TEST(mpiperf_windows)
{
    struct settings settings = settings_default();
    const struct window_rules *rules = &settings.window;
    assert_true(fabs(stop_mpiperf_window(rules, 0, 4, 4, 40, 0) - 11) < 1e-12); /* stage 0 */
    assert_true(stop_mpiperf_window(rules, 11, 2, 8, 1000, 10) == 11); /* a quarter is tolerated */
    assert_true(fabs(stop_mpiperf_window(rules, 11, 3, 8, 160, 10) - 22) < 1e-12);
    /* The formula alone: 1.1 (7 * 20 + 1) / 8 = 19.4, less than there was. */
    assert_true(fabs(stop_mpiperf_window(rules, 20, 3, 8, 7 * 20 + 1, 10) - 22) < 1e-12);
    settings.window.growth = 1.05;
    double window = 1.5, before;
    for (int stage = 0; stage < 40 && window < 3; stage++, window = before) {
        before = stop_mpiperf_window(rules, window, 3, 8, 7 * window + 1, 1);
        assert_true(before > window);
    }
    assert_true(window >= 3);
    settings.window.growth = 1.1;
    assert_true(stop_mpiperf_window(rules, 44, 0, 8, 400, 10) == 44);
    assert_true(stop_mpiperf_window(rules, 45, 0, 8, 400, 10) == 22.5);
    assert_true(stop_mpiperf_window(rules, 45, 0, 8, 400, 0) == 45); /* nothing valid so far */
}

TEST(alignment)
{
    for (size_t a = 1; a <= 4096; a *= 2)
        for (uintptr_t address = 4096; address < 4096 + 3 * a; address++) {
            uintptr_t aligned = buffers_align(address, a);
            assert_true(aligned >= address && aligned - address < 2 * a);
            assert_true(aligned % a == 0 && aligned % (2 * a) != 0);
        }
}

TEST(fit)
{
    struct settings settings = settings_default();
    settings.buffer_bytes = 1000;
    const struct measurement shmem = {.api = API_OPENSHMEM}, none = {.api = API_NONE};
    struct run run = {
        .function = &shmem, .settings = &settings, .demand = {.local = 1000, .remote = 1000000}};
    assert_int_equal(buffers_need(&run), 1000);
    run.function = &none;
    run.demand.local = 0;
    assert_int_equal(buffers_need(&run), 0);
}

/* SKaMPI 5: 64 KiB are enough for two messages of 4096 integers, twice. */
TEST(classic_fit)
{
    struct settings settings = settings_default();
    const struct measurement mpi = {.api = API_MPI};
    struct run run = {
        .function = &mpi, .settings = &settings, .demand = {.local = 4 * 4096, .remote = 4 * 4096}};
    assert_int_equal(buffers_need(&run), 65536);
    settings.buffer_cycling = false;
    assert_int_equal(buffers_need(&run), 32768 + 128 - 256);
    settings.send_alignment = 16;
    settings.receive_alignment = 24;
    assert_int_equal(buffers_need(&run), 32768 + 80 - 8 * 48);
    run.demand = (struct demand){0};
    assert_int_equal(buffers_need(&run), 0);
    run.demand.remote = SIZE_MAX;
    assert_int_equal(buffers_need(&run), SIZE_MAX);
    run.demand = (struct demand){.local = SIZE_MAX / 2, .remote = SIZE_MAX / 2};
    assert_int_equal(buffers_need(&run), SIZE_MAX);
}

/* Every place lies in its block, keeps its alignment, and they do not overlap. */
TEST(cycling)
{
    struct settings settings = settings_default();
    settings.buffer_bytes = 4096;
    enum { ROOM = 4096 + 4096 + 2 * BUFFER_GUARD + 4 * 32 }; /* gaps come on top */
    static unsigned char local[ROOM], remote[ROOM], scratch[128];
    for (size_t bytes = 0; bytes <= 4096; bytes += 37) {
        struct buffers buffers = {
            .local.memory = local, .remote.memory = remote, .scratch.memory = scratch};
        struct run run = {.function = &(struct measurement){0},
                          .settings = &settings,
                          .demand = {.local = bytes, .remote = bytes}};
        buffers_begin(&buffers, &run);
        unsigned char *last = NULL;
        for (int i = 0; i < 200; i++) {
            buffers_next(&buffers, &run);
            assert_true(run.local - BUFFER_GUARD >= local);
            assert_true(run.local + bytes + BUFFER_GUARD <= local + sizeof local);
            assert_true(run.remote - BUFFER_GUARD >= remote);
            assert_true(run.remote + bytes + BUFFER_GUARD <= remote + sizeof remote);
            assert_true((uintptr_t)run.local % 32 == 0 && (uintptr_t)run.local % 64 != 0);
            assert_int_equal(run.local - local - (buffers.local.first - local),
                             run.remote - remote - (buffers.remote.first - remote));
            if (last && bytes > 0 && bytes * 2 + 128 <= 4096)
                assert_true(run.local >= last + bytes + BUFFER_GUARD ||
                            run.local + bytes + BUFFER_GUARD <= last);
            last = run.local;
        }
        settings.buffer_cycling = false;
        buffers_begin(&buffers, &run);
        buffers_next(&buffers, &run);
        last = run.local;
        buffers_next(&buffers, &run);
        assert_ptr_equal(last, run.local);
        settings.buffer_cycling = true;
    }
}

static double noise(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += rand() / (RAND_MAX + 1.0);
    return sum - 6; /* about normal, variance 1 */
}

static struct reference mean_of(const struct reference *a, const struct reference *b)
{
    struct references both = {0};
    references_add(&both, a);
    references_add(&both, b);
    return references_mean(&both);
}

/* A cost of 20 with noise, measured before and after, as seldom as may be: the mean is found, and
 * the stated error covers what it is off by. */
TEST(subtraction_of_noise)
{
    srand(7);
    int covered = 0, runs = 1000;
    double sum = 0;
    for (int run = 0; run < runs; run++) {
        double before[4], after[4];
        for (int i = 0; i < 4; i++) {
            before[i] = 20 + noise();
            after[i] = 20 + noise();
        }
        struct reference a = reference_of(before, 4), b = reference_of(after, 4);
        struct reference both = mean_of(&a, &b);
        sum += both.mean;
        covered += fabs(both.mean - 20) <= 2 * sqrt(both.variance);
    }
    assert_true(fabs(sum / runs - 20) < 0.05);
    if (covered < runs * 9 / 10)
        fail_msg("only %d of %d references lie within twice their error", covered, runs);
}

/* Conditions that changed between the references show in the error. */
TEST(subtraction_of_drift)
{
    double before[8], after[8];
    for (int i = 0; i < 8; i++) {
        before[i] = 20 + 0.01 * i;
        after[i] = 30 + 0.01 * i;
    }
    struct reference a = reference_of(before, 8), b = reference_of(after, 8);
    struct reference both = mean_of(&a, &b);
    assert_true(fabs(both.mean - 25.035) < 1e-9);
    assert_true(fabs(sqrt(both.variance) - 5) < 0.01);
}

/* The more often it is measured, the better it is known, and each time counts alike. */
TEST(subtraction_of_many)
{
    srand(7);
    int covered = 0, runs = 1000;
    struct references references;
    for (int run = 0; run < runs; run++) {
        references = (struct references){0};
        for (int k = 0; k < 50; k++) {
            double values[8];
            for (int i = 0; i < 8; i++)
                values[i] = 20 + noise();
            struct reference reference = reference_of(values, 8);
            references_add(&references, &reference);
        }
        struct reference mean = references_mean(&references);
        covered += fabs(mean.mean - 20) <= 2 * sqrt(mean.variance);
        assert_true(sqrt(mean.variance) < 0.1);
    }
    assert_in_range(covered, runs * 93 / 100, runs);
    references = (struct references){0};
    assert_true(references_mean(&references).mean == 0);
}

/* ---- What notes say of them ---- */

static void expect_text(double subtracted, double time, const char *expected)
{
    struct result_subtracted much = reference_much("a put", subtracted, time);
    char *text = reference_text(&much);
    assert_string_equal(text, expected);
    free(text);
}

TEST(subtracted_shares_are_plain_numbers)
{
    expect_text(1.2345e-8, 2.4e-8, "subtracted: a put, 12.3 ns (51 % of the result)");
    expect_text(1e-5, 1.001e-5, "subtracted: a put, 10 us (100 % of the result)");
    expect_text(3e-5, -1e-5, "subtracted: a put, 30 us (more than the result)");
    struct result_subtracted little = reference_much("a put", 1e-9, 1e-6);
    assert_null(little.what);
    assert_null(reference_text(&little));
}

TEST(plain_numbers_of_measurements)
{
    assert_string_equal(plain_time(1.2345e-6).text, "1.23 us");
    assert_string_equal(plain_time(4.6e-7).text, "460 ns");
    assert_string_equal(plain_time(2).text, "2 s");
    assert_string_equal(plain_number(12345.6).text, "12300");
    assert_string_equal(plain_share(0.125).text, "12.5 %");
}
