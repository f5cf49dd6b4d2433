/* The members of a set as text: ranges, and what tells long sets from each other. */
#include <stdlib.h>
#include <string.h>

#include "objects/pe_set.h"
#include "unit/unit.h"

static char *text_of(struct pe_set *set)
{
    char *text = pe_set_text(set);
    pe_set_release(set);
    return text;
}

static void check(struct pe_set *set, const char *expected)
{
    char *text = text_of(set);
    assert_string_equal(text, expected);
    free(text);
}

TEST(ranges)
{
    check(pe_set_strided(0, 1, 4), "0-3");
    check(pe_set_strided(5, 1, 1), "5");
    check(pe_set_create((int[]){0, 1, 2, 8, 5, 4}, 6), "0-2,8,5,4");
    check(pe_set_create(NULL, 0), "");
    check(pe_set_strided(0, 1, 1000000), "0-999999");
}

/* Equal sets have equal texts, others of the same size and with the same ends do not. */
TEST(long_sets)
{
    int members[4096];
    for (int i = 0; i < 4096; i++)
        members[i] = 2 * i;
    char *text = text_of(pe_set_create(members, 4096)), *same = text_of(pe_set_strided(0, 2, 4096));
    members[2000]++;
    char *other = text_of(pe_set_create(members, 4096));

    assert_true(strlen(text) < 40);
    assert_int_equal(strncmp(text, "0,...,8190 #", 12), 0);
    assert_string_equal(text, same);
    assert_string_not_equal(text, other);
    free(text);
    free(same);
    free(other);
}
