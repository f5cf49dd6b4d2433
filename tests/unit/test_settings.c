/* The table of settings: every row is sound, and reaches its member. */
#include <stdlib.h>
#include <string.h>

#include "settings/table.h"
#include "unit/unit.h"

static const struct setting *row_of(const char *function)
{
    const struct setting *row = setting_rows;

    while (strcmp(row->function, function) != 0)
        row++;
    return row;
}

static size_t words_of(const struct setting *setting)
{
    size_t count = 0;

    while (setting->words && setting->words[count].name)
        count++;
    return count;
}

TEST(rows_are_sound)
{
    for (size_t i = 0; i < setting_row_count; i++) {
        const struct setting *row = &setting_rows[i];

        assert_true(strlen(row->help) > 0 && strlen(row->function) > 0);
        assert_true(row->place < sizeof(struct settings));
        assert_true(row->high == 0 || row->low < row->high);
        assert_true(row->type != SETTING_WORD || row->words || !row->argument);
        assert_true(!row->words || row->initial < (double)words_of(row));
        if (row->type == SETTING_REAL && !row->initially)
            assert_true(setting_contains(row, row->initial));
    }
}

TEST(defaults_are_those_of_the_table)
{
    struct settings settings = settings_default();

    assert_int_equal(settings.min_repetitions, 8);
    assert_true(settings.max_relative_standard_error == 0.1);
    assert_int_equal(settings.synchronization, SYNCHRONIZE_WINDOW);
    assert_int_equal(settings.warm_up, 1);
    assert_true(settings.buffer_cycling && settings.adaptive_warm_up && !settings.levels);
    assert_int_equal(settings.buffer_bytes, 1 << 20);
    assert_int_equal(settings.clock.patience, 100);
    assert_true(settings.rounds_spread == ROUNDS_SPREAD_DEFAULT);
    assert_null(settings.memory_info);
}

/* Equal settings have equal hashes, and each member counts. */
TEST(every_member_is_stored_and_hashed)
{
    const struct settings initial = settings_default();

    for (size_t i = 0; i < setting_row_count; i++) {
        const struct setting *row = &setting_rows[i];
        struct settings settings = initial;

        if (row->type == SETTING_INFO)
            continue;
        if (row->type == SETTING_TEXT)
            setting_store_text(row, &settings, "elsewhere");
        else if (row->type == SETTING_REAL)
            setting_store_real(row, &settings, row->initial + 0.5);
        else
            setting_store_integer(row, &settings, row->initial == 0 ? 1 : 0);
        /* The rows of functions without arguments may choose the default. */
        if (row->argument)
            assert_true(settings_hash(&settings) != settings_hash(&initial));
        setting_store_initial(row, &settings);
        if (row->argument)
            assert_true(settings_hash(&settings) == settings_hash(&initial));
    }
}

TEST(ranges_hold)
{
    const struct setting *share = row_of("set_mpiperf_trim"), *flag = row_of("set_levels"),
                         *rule = row_of("set_window_rule");
    int64_t low, high;
    char *text;

    assert_true(setting_contains(share, 0.25) && !setting_contains(share, 0) &&
                !setting_contains(share, 0.5) && !setting_contains(share, 0.0 / 0.0));
    assert_true(setting_contains(row_of("set_watchdog"), 0) &&
                !setting_contains(row_of("set_watchdog"), 1e308 * 10));
    setting_limits(flag, &low, &high);
    assert_true(low == 0 && high == 1);
    setting_limits(row_of("set_skampi_buffer"), &low, &high);
    assert_true(low == 0 && high == INT64_MAX);
    text = setting_range(share);
    assert_string_equal(text, "more than 0 and less than 0.5");
    free(text);
    assert_int_equal(setting_word_find(rule->words, "round_time"), WINDOW_ROUND_TIME);
    assert_int_equal(setting_word_find(rule->words, "all"), -1);
    assert_string_equal(setting_arrival_name(ARRIVAL_LINEAR), "linear");
    text = setting_word_list(rule->words, "\"", "and");
    assert_string_equal(text, "\"classic\", \"mpiperf\", \"round_time\" and \"dissemination\"");
    free(text);
}

TEST(help_says_everything)
{
    static const struct {
        const char *function, *help;
    } wanted[] = {
        {"set_skampi_buffer", "(bytes) size of the buffer; without it, a measurement that needs "
                              "more gets more, outside of loops to ...; default 1 MiB"},
        {"choose_barrier_synchronization", "() PEs start after a barrier"},
        {"set_cache_state",
         "(state) of the caches when a repetition starts: \"warm\", \"cold\"; default \"warm\""},
        {"set_arrival_skew",
         "(who, seconds) who comes late to a collective routine that starts by the clock: "
         "\"none\", \"one\" (the last rank), \"linear\" (rank i by its share i/(n-1)); default "
         "\"none\". seconds: by how much; default 0 s"},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *help = setting_help(row_of(wanted[i].function));

        assert_string_equal(help, wanted[i].help);
        free(help);
    }
}
