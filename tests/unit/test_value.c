/* Values of the language follow its rules: operators, conversions, arrays and how they are printed.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "objects/value.h"
#include "unit/unit.h"

/* ---- Printing ---- */

/* Takes the value over. */
static void check_text(struct value v, const char *expected)
{
    char *text = value_text(&v);

    assert_string_equal(text, expected);
    free(text);
    value_release(&v);
}

TEST(texts)
{
    struct value three = value_array(TYPE_INT, 3);
    struct int_array *array = three.array;
    struct value named = value_set(pe_set_strided(0, 1, 4));

    array->items[1] = -2;
    named.constant = "MPI_COMM_WORLD";
    check_text(value_int(INT64_MIN), "-9223372036854775808");
    check_text(value_string("a\nb"), "a\nb");
    check_text(value_string(""), "");
    check_text(three, "[0, -2, 0]");
    check_text(value_array(TYPE_INT, 0), "[]");
    check_text(value_set(pe_set_strided(1, 2, 3)), "[1, 3, 5]");
    check_text(value_set(pe_set_strided(0, 1, 0)), "[]");
    check_text(named, "MPI_COMM_WORLD");
}

TEST(texts_of_doubles)
{
    check_text(value_real(0), "0.0");
    check_text(value_real(-0.0), "-0.0");
    check_text(value_real(1), "1.0");
    check_text(value_real(-2.5), "-2.5");
    check_text(value_real(0.1), "0.1");
    check_text(value_real(0.1 + 0.2), "0.30000000000000004");
    check_text(value_real(100000), "100000.0");
    check_text(value_real(1234567.25), "1234567.25");
    check_text(value_real(0.0001), "0.0001");
    check_text(value_real(0.00002), "2e-05");
    check_text(value_real(1e15), "1000000000000000.0");
    check_text(value_real(1e16), "1e+16");
    check_text(value_real(1.5e300), "1.5e+300");
    check_text(value_real(DBL_MAX), "1.7976931348623157e+308");
    check_text(value_real(5e-324), "5e-324");
    check_text(value_real(2.0 / 3), "0.6666666666666666");
}

TEST(doubles_read_back)
{
    uint64_t seed = 12345;

    for (int i = 0; i < 20000; i++) {
        double x;
        struct value v;
        char *text;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&x, &seed, sizeof x);
        if (!isfinite(x))
            continue;
        if (i % 2 == 0)
            x = fmod(x, 1e18);
        v = value_real(x);
        text = value_text(&v);
        assert_true(strtod(text, NULL) == x);
        assert_non_null(strpbrk(text, ".e"));
        free(text);
    }
}

/* ---- Sharing ---- */

TEST(copies_share)
{
    struct value a = value_array(TYPE_INT, 2), b = value_copy(&a);
    struct value s = value_string("text"), t = value_copy(&s);
    struct value c = value_set(pe_set_create((int[]){2, 0, 1}, 3)), d = value_copy(&c);

    b.array->items[1] = 7;
    assert_int_equal(a.array->items[1], 7);
    value_release(&a);
    assert_int_equal(a.type, TYPE_VOID);
    assert_int_equal(b.array->items[1], 7);
    value_release(&b);
    value_release(&s);
    assert_string_equal(t.string, "text");
    value_release(&t);
    value_release(&c);
    assert_int_equal(pe_set_member(d.set, 0), 2);
    value_release(&d);
    value_release(&d);
}

TEST(copies_keep_the_name)
{
    struct value v = value_set(pe_set_strided(0, 1, 1)), copy;

    v.constant = "MPI_COMM_SELF";
    copy = value_copy(&v);
    assert_string_equal(copy.constant, "MPI_COMM_SELF");
    value_release(&v);
    value_release(&copy);
    assert_null(copy.constant);
}

/* ---- Conversion ---- */

static void check_rounded(double x, int64_t expected)
{
    struct value v = value_real(x);

    assert_null(value_convert(&v, TYPE_INT));
    assert_int_equal(v.type, TYPE_INT);
    assert_true(v.integer == expected);
}

static void check_unroundable(double x)
{
    struct value v = value_real(x);

    assert_non_null(value_convert(&v, TYPE_INT));
    assert_int_equal(v.type, TYPE_REAL);
}

TEST(conversions)
{
    struct value v = value_int(3);

    assert_null(value_convert(&v, TYPE_REAL));
    assert_int_equal(v.type, TYPE_REAL);
    assert_true(v.real == 3.0);
    check_rounded(2.4, 2);
    check_rounded(2.5, 3);
    check_rounded(-2.4, -2);
    check_rounded(-2.5, -3);
    check_rounded(-2.6, -3);
    check_rounded(0.49999999999999994, 0);
    check_rounded(-0x1p63, INT64_MIN);
    check_rounded(0x1.fffffffffffffp62, 9223372036854774784);
    check_unroundable(0x1p63);
    check_unroundable(-1e19);
    check_unroundable(INFINITY);
    check_unroundable(NAN);
}

TEST(impossible_conversions)
{
    static const enum value_type types[] = {TYPE_INT, TYPE_REAL, TYPE_STRING, TYPE_COMM,
                                            TYPE_INT_ARRAY};

    for (size_t to = 0; to < 5; to++) {
        struct value values[5] = {value_int(1), value_real(1), value_string("1"),
                                  value_set(pe_set_strided(0, 1, 1)), value_array(TYPE_INT, 1)};

        for (size_t from = 0; from < 5; from++) {
            bool possible = from == to || (from < 2 && to < 2);

            assert_int_equal(!value_convert(&values[from], types[to]), possible);
            assert_int_equal(values[from].type, possible ? types[to] : types[from]);
            value_release(&values[from]);
        }
    }
}

/* ---- Operators ---- */

static void check_integers(enum operator op, int64_t a, int64_t b, int64_t expected)
{
    struct value x = value_int(a), y = value_int(b), v;

    assert_null(value_operate(op, &x, op >= OP_NEGATE ? NULL : &y, &v));
    assert_int_equal(v.type, TYPE_INT);
    assert_true(v.integer == expected);
}

static void check_refused(enum operator op, int64_t a, int64_t b, const char *reason)
{
    struct value x = value_int(a), y = value_int(b), v;
    const char *error = value_operate(op, &x, op >= OP_NEGATE ? NULL : &y, &v);

    assert_non_null(error);
    assert_non_null(strstr(error, reason));
}

TEST(integers)
{
    check_integers(OP_ADD, 2, 3, 5);
    check_integers(OP_SUBTRACT, 2, 3, -1);
    check_integers(OP_MULTIPLY, -4, 3, -12);
    check_integers(OP_DIVIDE, -7, 2, -3);
    check_integers(OP_MODULO, -7, 2, -1);
    check_integers(OP_MODULO, 7, -2, 1);
    check_integers(OP_MODULO, INT64_MIN, -1, 0);
    check_integers(OP_BIT_AND, 12, 10, 8);
    check_integers(OP_BIT_OR, 12, 10, 14);
    check_integers(OP_AND, 2, 4, 1);
    check_integers(OP_AND, 2, 0, 0);
    check_integers(OP_OR, 0, 0, 0);
    check_integers(OP_OR, 0, -1, 1);
    check_integers(OP_EQUAL, 3, 3, 1);
    check_integers(OP_NOT_EQUAL, 3, 3, 0);
    check_integers(OP_LESS, -1, 0, 1);
    check_integers(OP_GREATER, -1, 0, 0);
    check_integers(OP_LESS_EQUAL, 4, 4, 1);
    check_integers(OP_GREATER_EQUAL, 3, 4, 0);
    check_integers(OP_NEGATE, 5, 0, -5);
    check_integers(OP_PLUS, 5, 0, 5);
    check_integers(OP_NOT, 5, 0, 0);
    check_integers(OP_NOT, 0, 0, 1);
    check_integers(OP_COMPLEMENT, 0, 0, -1);
    check_integers(OP_SUBTRACT, (int64_t)2 << 30, 1, 2147483647);
}

TEST(overflows)
{
    check_refused(OP_ADD, INT64_MAX, 1, "overflow");
    check_refused(OP_SUBTRACT, INT64_MIN, 1, "overflow");
    check_refused(OP_MULTIPLY, (int64_t)1 << 62, 2, "overflow");
    check_refused(OP_DIVIDE, INT64_MIN, -1, "overflow");
    check_refused(OP_NEGATE, INT64_MIN, 0, "overflow");
    check_refused(OP_DIVIDE, 1, 0, "division by zero");
    check_refused(OP_MODULO, 1, 0, "division by zero");
}

static void check_mixed(enum operator op, struct value a, struct value b, struct value expected)
{
    struct value v;

    assert_null(value_operate(op, &a, &b, &v));
    assert_int_equal(v.type, expected.type);
    if (v.type == TYPE_REAL)
        assert_true(v.real == expected.real);
    else
        assert_int_equal(v.integer, expected.integer);
}

TEST(doubles)
{
    struct value v, huge = value_real(1e308), zero = value_real(0), x = value_real(1.5);

    check_mixed(OP_ADD, value_int(1), value_real(0.5), value_real(1.5));
    check_mixed(OP_SUBTRACT, value_real(0.5), value_int(1), value_real(-0.5));
    check_mixed(OP_MULTIPLY, value_real(2), value_int(3), value_real(6));
    check_mixed(OP_DIVIDE, value_int(1), value_real(4), value_real(0.25));
    check_mixed(OP_LESS, value_int(1), value_real(1.5), value_int(1));
    check_mixed(OP_GREATER_EQUAL, value_real(1), value_int(1), value_int(1));
    check_mixed(OP_LESS_EQUAL, value_real(2), value_int(1), value_int(0));
    check_mixed(OP_GREATER, value_real(2), value_real(1), value_int(1));
    check_mixed(OP_EQUAL, value_real(2), value_int(2), value_int(1));
    check_mixed(OP_NOT_EQUAL, value_real(2), value_int(2), value_int(0));
    assert_non_null(value_operate(OP_DIVIDE, &x, &zero, &v));
    assert_non_null(value_operate(OP_ADD, &huge, &huge, &v));
    assert_non_null(value_operate(OP_MULTIPLY, &huge, &huge, &v));
    assert_null(value_operate(OP_NEGATE, &x, NULL, &v));
    assert_true(v.real == -1.5);
    assert_null(value_operate(OP_PLUS, &x, NULL, &v));
    assert_true(v.real == 1.5);
}

/* What value_operate() does and what value_operate_type() foretells, for all types. */
TEST(types_of_operands)
{
    struct value values[5] = {value_int(3), value_real(2.0), value_string("a"),
                              value_set(pe_set_strided(0, 1, 1)), value_array(TYPE_INT, 1)};
    static const char *const integers_only = "integers";

    for (int op = OP_OR; op <= OP_COMPLEMENT; op++)
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 5; j++) {
                const struct value *b = op >= OP_NEGATE ? NULL : &values[j];
                struct value v = value_void();
                const char *error, *foretold;
                enum value_type type = value_operate_type((enum operator)op, values[i].type,
                                                          values[j].type, &foretold);

                error = value_operate((enum operator)op, &values[i], b, &v);
                if (!error) {
                    assert_null(foretold);
                    assert_int_equal(type, v.type);
                } else {
                    assert_string_equal(error, foretold);
                    assert_int_equal(type, TYPE_VOID);
                }
                if (i > 1 || (b && j > 1))
                    assert_int_equal(!error, i == 2 && j == 2 && b &&
                                                 (op == OP_EQUAL || op == OP_NOT_EQUAL));
                if (error && i < 2 && j < 2)
                    assert_non_null(strstr(error, integers_only));
            }
    for (size_t i = 0; i < 5; i++)
        value_release(&values[i]);
}

TEST(strings)
{
    struct value a = value_string("abc"), b = value_string("abd"), c = value_string("ab"), v;

    assert_null(value_operate(OP_EQUAL, &a, &a, &v));
    assert_int_equal(v.integer, 1);
    assert_null(value_operate(OP_EQUAL, &a, &b, &v));
    assert_int_equal(v.integer, 0);
    assert_null(value_operate(OP_NOT_EQUAL, &a, &c, &v));
    assert_int_equal(v.integer, 1);
    value_release(&a);
    value_release(&b);
    value_release(&c);
}
