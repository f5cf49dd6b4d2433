/* The parser refuses what is nested too deeply or too long for the stack, and large scripts are
 * quick. */
#include "front_end.h"

static char *repeat(const char *before, const char *item, int count, const char *after)
{
    struct text text = {0};

    text_append(&text, "%s", before);
    for (int i = 0; i < count; i++)
        text_append(&text, "%s", item);
    text_append(&text, "%s", after);
    return text_take(&text);
}

static void check_limit(const char *before, const char *item, const char *middle, const char *end,
                        int fits, const char *error)
{
    for (int count = fits; count <= 100000; count = count == fits ? fits + 1 : count * 10) {
        char *front = repeat(before, item, count, middle), *script = repeat(front, end, count, "");
        struct parsed parsed = parse(script);
        char *errors = error_lines(parsed.diag);

        if (count == fits)
            assert_string_equal(errors, "");
        else if (!strstr(errors, error) || strchr(errors, '\n')[1] != '\0')
            fail_msg("%d: %s", count, errors);
        free(errors);
        release(&parsed);
        free(front);
        free(script);
    }
}

TEST(nesting_is_limited)
{
    check_limit("x = ", "(", "1", ")", 199, "nested too deeply: more than 200 levels\n");
    check_limit("x = ", "-", "1", "", 199, "nested too deeply: more than 200 levels\n");
    check_limit("x = ", "not ", "1", "", 199, "nested too deeply: more than 200 levels\n");
    check_limit("x = ", "f(", "1", ")", 199, "nested too deeply: more than 200 levels\n");
    check_limit("x = ", "{", "1", "}", 199, "nested too deeply: more than 200 levels\n");
    check_limit("x = 1", "+ 1", "", "", 999, "expression too long: more than 999 operators");
}

static char *nested_statements(const char *open, const char *close, int count)
{
    char *body = repeat("begin measurement \"b\"\n", open, count, ""), *script;

    script = repeat(body, close, count, "\nend measurement\nx = )");
    free(body);
    return script;
}

static void check_statement_limit(const char *open, const char *close, int fits)
{
    for (int count = fits; count <= 20000; count = count == fits ? fits + 1 : count * 10) {
        char *script = nested_statements(open, close, count);
        struct parsed parsed = parse(script);
        char *errors = error_lines(parsed.diag);

        if (count == fits)
            assert_non_null(strstr(errors, "expected an expression after '=', found ')'"));
        else
            assert_non_null(strstr(errors, ": nested too deeply: more than 200 levels"));
        assert_int_equal(diag_count(parsed.diag), 1);
        assert_int_equal(parsed.tree->incomplete, count != fits);
        free(errors);
        release(&parsed);
        free(script);
    }
}

TEST(nesting_of_statements_is_limited)
{
    check_statement_limit("for i = 1 to 2 do\n", "od\n", 200);
    check_statement_limit("if 1 then\n", "fi\n", 200);
}

TEST(long_branches_are_limited)
{
    for (int count = 100; count <= 100000; count *= 10) {
        char *body = repeat("begin measurement \"b\"\nif 1 then\n", "elseif 1 then\n", count,
                            "fi end measurement");
        struct parsed parsed = parse(body);
        char *errors = error_lines(parsed.diag);

        if (count == 100)
            assert_string_equal(errors, "");
        else
            assert_non_null(strstr(errors, ": nested too deeply: more than 200 levels\n"));
        free(errors);
        release(&parsed);
        free(body);
    }
}

TEST(large_scripts_are_quick)
{
    struct text script = {0};
    struct parsed parsed;

    for (int i = 0; i < 50000; i++)
        text_append(&script, "name_%d = name_%d\n", i, i + 1);
    parsed = parse(script.data);
    assert_int_equal(parsed.tree->symbol_count, 50001);
    release(&parsed);
    text_release(&script);
}
