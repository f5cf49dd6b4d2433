/* What --state takes, and what it says about everything else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/parts.h"
#include "unit/unit.h"

static struct wanted_state parsed(const char *text)
{
    struct wanted_state wanted;
    char *wrong = state_wanted_parse(text, &wanted);
    if (wrong)
        fail_msg("'%s' is refused: %s", text ? text : "nothing", wrong);
    return wanted;
}

TEST(words)
{
    assert_int_equal(parsed(NULL).kind, WANTED_ANY);
    assert_int_equal(parsed("fastest").kind, WANTED_FASTEST);
    assert_int_equal(parsed(" fastest ").kind, WANTED_FASTEST);
    assert_int_equal(parsed("most").kind, WANTED_MOST);
}

TEST(numbers)
{
    assert_int_equal(parsed("1").kind, WANTED_NUMBER);
    assert_int_equal(parsed("1").number, 1);
    assert_int_equal(parsed(" 12 ").number, 12);
    assert_int_equal(parsed("2147483647").number, 2147483647);
}

static void condition(const char *text, size_t kind, bool below, double limit)
{
    struct wanted_state wanted = parsed(text);
    assert_int_equal(wanted.kind, WANTED_CONDITION);
    assert_true(state_wanted_limits(&wanted, kind) && !state_wanted_limits(&wanted, 1 - kind));
    double found = below ? wanted.limits[kind].below : wanted.limits[kind].above;
    assert_true(fabs(found - limit) < 1e-12 * limit);
    assert_true(below ? wanted.limits[kind].above == 0 : isinf(wanted.limits[kind].below));
}

TEST(conditions)
{
    condition("hand-over<200ns", STATES_HAND_OVER, true, 200e-9);
    condition("hand_over<200ns", STATES_HAND_OVER, true, 200e-9);
    condition(" hand-over > 1.5 us ", STATES_HAND_OVER, false, 1.5e-6);
    condition("addition<.5ns", STATES_ADDITION, true, 0.5e-9);
    condition("addition>2ms", STATES_ADDITION, false, 2e-3);
    condition("hand-over<3s", STATES_HAND_OVER, true, 3);
    condition("hand-over<1e3ns", STATES_HAND_OVER, true, 1e-6);
    condition("addition<300ps", STATES_ADDITION, true, 300e-12);
    condition("hand-over<2us,hand-over<1us", STATES_HAND_OVER, true, 1e-6);
}

static bool meets(const char *text, double hand_over, double addition)
{
    struct wanted_state wanted = parsed(text);
    return state_wanted_meets(&wanted, &(struct states_values){{hand_over, addition}});
}

TEST(met)
{
    assert_true(meets("hand-over<200ns", 100e-9, NAN));
    assert_false(meets("hand-over<200ns", 300e-9, 1e-10));
    assert_false(meets("hand-over>200ns", 100e-9, NAN));
    assert_true(meets("hand-over>200ns", 300e-9, NAN));
    assert_false(meets("hand-over<200ns", NAN, 1e-10));
    assert_false(meets("hand-over>200ns", NAN, 1e-10));
    assert_true(meets("hand-over<200ns, addition<300ps", 100e-9, 280e-12));
    assert_false(meets("hand-over<200ns, addition<300ps", 100e-9, 400e-12));
    assert_false(meets("addition<300ps,hand-over<200ns", 300e-9, 280e-12));
    assert_true(meets("hand-over>100ns,hand-over<200ns", 150e-9, NAN));
    assert_false(meets("hand-over>100ns,hand-over<200ns", 50e-9, NAN));
}

static void refused(const char *text, const char *why)
{
    struct wanted_state wanted;
    char *wrong = state_wanted_parse(text, &wanted);
    if (!wrong || !strstr(wrong, why))
        fail_msg("'%s': '%s' does not say '%s'", text, wrong ? wrong : "accepted", why);
    free(wrong);
}

TEST(wrong_ones)
{
    static const char *const choices[] = {
        "",    " ",  "slowest", "Fastest", "fastest2", "most 1",    "1a",
        "1 2", "-1", "+1",      "1.5",     "fast",     "hand-over", "hand-over=200ns"};
    static const char *const times[] = {
        "hand-over<",       "hand-over<200",     "hand-over<ns",      "hand-over<-200ns",
        "hand-over<0ns",    "hand-over<1e999ns", "hand-over<nan s",   "hand-over<inf s",
        "hand-over<0x10ns", "hand-over<=200ns",  "hand-over<200m",    "hand-over<200nsec",
        "hand-over<2ns 3",  "hand-over<1.2.3ns", "hand-over<1<2ns",   "hand-over<1e-400s",
        "hand-over<ns200",  "hand-over<2,5ns",   "hand-over<200 n s", "hand-over<."};
    static const char *const names[] = {
        "<200ns",          "barrier<200ns",  "hand over<200ns",      "hand-over x<200ns",
        "200ns>hand-over", "hand-over<2ns,", "fastest,hand-over<2ns"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        refused(choices[i], "give fastest, most, the number");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        refused(times[i], "a time above 0 with its unit");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refused(names[i], "about hand-over or addition");
    refused("addition>2ns,addition<1ns", "both above and below");
    refused("0", "numbered from 1");
    refused("2147483648", "numbered from 1");
    refused("99999999999999999999", "numbered from 1");
}
