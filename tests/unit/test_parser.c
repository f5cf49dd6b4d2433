/* The parser follows every grammar rule, and finds every syntax error with its place. */
#include "front_end.h"

/* ---- trees as text ---- */

static const char *const operators[] = {
    [OP_OR] = "or",         [OP_AND] = "and",          [OP_BIT_OR] = "|",     [OP_BIT_AND] = "&",
    [OP_EQUAL] = "==",      [OP_NOT_EQUAL] = "!=",     [OP_LESS] = "<",       [OP_GREATER] = ">",
    [OP_LESS_EQUAL] = "<=", [OP_GREATER_EQUAL] = ">=", [OP_ADD] = "+",        [OP_SUBTRACT] = "-",
    [OP_MULTIPLY] = "*",    [OP_DIVIDE] = "/",         [OP_MODULO] = "%",     [OP_NEGATE] = "neg",
    [OP_PLUS] = "pos",      [OP_NOT] = "not",          [OP_COMPLEMENT] = "~",
};

static const struct tree *dumped;

static void dump_expr(struct text *out, const struct expr *expr);

static void dump_exprs(struct text *out, struct expr **items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_append(out, " ");
        dump_expr(out, items[i]);
    }
}

static void dump_expr(struct text *out, const struct expr *expr)
{
    if (!expr) {
        text_append(out, "NULL");
        return;
    }
    switch (expr->kind) {
    case EXPR_INTEGER:
        text_append(out, "%lld", (long long)expr->integer);
        break;
    case EXPR_REAL:
        text_append(out, "%#.3g", expr->real);
        break;
    case EXPR_STRING:
        text_append(out, "'%s'", expr->text);
        break;
    case EXPR_NAME:
        assert_string_equal(dumped->symbols[expr->symbol], expr->text);
        text_append(out, "%s", expr->text);
        break;
    case EXPR_CALL:
        text_append(out, "%s(", expr->text);
        dump_exprs(out, expr->args, expr->count);
        text_append(out, ")");
        break;
    case EXPR_ARRAY:
        text_append(out, "{");
        dump_exprs(out, expr->args, expr->count);
        text_append(out, "}");
        break;
    case EXPR_UNARY:
    case EXPR_BINARY:
        assert_int_equal(expr->count, expr->kind == EXPR_UNARY ? 1 : 2);
        text_append(out, "(%s", operators[expr->op]);
        dump_exprs(out, expr->args, expr->count);
        text_append(out, ")");
        break;
    }
}

static void dump_list(struct text *out, const struct stmt_list *list);

static const char *symbol(const struct stmt *stmt)
{
    return stmt->symbol < 0 ? "?" : dumped->symbols[stmt->symbol];
}

static void dump_loop(struct text *out, const struct stmt *stmt)
{
    text_append(out, "%s %s ", stmt->kind == STMT_AUTOREFINE ? "autorefine" : "for", symbol(stmt));
    dump_expr(out, stmt->from);
    text_append(out, "..");
    if (stmt->to)
        dump_expr(out, stmt->to);
    if (stmt->step) {
        text_append(out, stmt->multiplicative ? " step*" : " step ");
        dump_expr(out, stmt->step);
    }
    if (stmt->multiple_of) {
        text_append(out, " of ");
        dump_expr(out, stmt->multiple_of);
    }
}

static void dump_stmt(struct text *out, const struct stmt *stmt)
{
    text_append(out, "[");
    switch (stmt->kind) {
    case STMT_ASSIGN:
        text_append(out, "%s = ", symbol(stmt));
        dump_expr(out, stmt->expr);
        break;
    case STMT_CALL:
        dump_expr(out, stmt->expr);
        break;
    case STMT_PRINT:
        text_append(out, "print");
        break;
    case STMT_PRINT_ALL:
        text_append(out, "print_all");
        break;
    case STMT_FLUSH:
        text_append(out, "flush");
        break;
    case STMT_MEASURE:
        text_append(out, "measure ");
        dump_expr(out, stmt->set);
        text_append(out, " : ");
        dump_expr(out, stmt->expr);
        break;
    case STMT_ASSERT:
        text_append(out, "assert");
        break;
    case STMT_FOR:
    case STMT_AUTOREFINE:
        dump_loop(out, stmt);
        break;
    case STMT_FOR_LIST:
        text_append(out, "for %s in", symbol(stmt));
        break;
    case STMT_FOR_CALL:
        text_append(out, "for %s in ", symbol(stmt));
        dump_expr(out, stmt->expr);
        break;
    case STMT_IF:
        text_append(out, "if ");
        dump_expr(out, stmt->expr);
        break;
    case STMT_BLOCK:
        text_append(out, "block '%s'", stmt->text);
        break;
    }
    dump_exprs(out, stmt->list, stmt->list_count);
    dump_list(out, &stmt->body);
    if (stmt->otherwise.count > 0)
        text_append(out, " else");
    dump_list(out, &stmt->otherwise);
    text_append(out, "]");
}

static void dump_list(struct text *out, const struct stmt_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        dump_stmt(out, list->items[i]);
}

/* ---- what a script becomes ---- */

static char *tree_text(const struct tree *tree)
{
    struct text out = {0};

    dumped = tree;
    dump_list(&out, &tree->top);
    return text_take(&out);
}

/* The script has no error and becomes that tree. */
static void check_tree(const char *script, const char *expected)
{
    struct parsed parsed = parse(script);

    assert_text(error_lines(parsed.diag), "");
    assert_text(tree_text(parsed.tree), expected);
    release(&parsed);
}

static void check_errors(const char *script, const char *expected)
{
    struct parsed parsed = parse(script);

    assert_text(error_lines(parsed.diag), expected);
    release(&parsed);
}

static void check_body(const char *body, const char *expected)
{
    char *script = text_format("begin measurement \"b\"\n%s\nend measurement", body);
    char *tree = text_format("[block 'b'%s]", expected);

    check_tree(script, tree);
    free(tree);
    free(script);
}

/* Lines count from the first of the body. */
static void check_body_errors(const char *body, const char *expected)
{
    char *script = text_format("begin measurement \"b\" %s\nend measurement\n", body);

    check_errors(script, expected);
    free(script);
}

static void check_expr(const char *expr, const char *expected)
{
    char *script = text_format("x = %s", expr);
    char *tree = text_format("[x = %s]", expected);

    check_tree(script, tree);
    free(tree);
    free(script);
}

/* ---- expressions ---- */

TEST(operands)
{
    check_expr("1", "1");
    check_expr("1.5", "1.50");
    check_expr("\"a b\"", "'a b'");
    check_expr("\"a\r\nb\"", "'a\nb'");
    check_expr("y", "y");
    check_expr("f()", "f()");
    check_expr("f(1, g(2), \"c\")", "f( 1 g( 2) 'c')");
    check_expr("{}", "{}");
    check_expr("{1, 1+1, y}", "{ 1 (+ 1 1) y}");
    check_expr("(((1)))", "1");
    check_expr("2GB-1", "(- 2147483648 1)");
    check_expr("assert", "assert");
    check_expr("assert(1)", "assert( 1)");
}

TEST(binary_operators)
{
    static const char *const levels[][5] = {{"or"},     {"and"},        {"|"},
                                            {"&"},      {"==", "!="},   {"<", ">", "<=", ">="},
                                            {"+", "-"}, {"*", "/", "%"}};
    size_t count = sizeof levels / sizeof *levels;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            for (int a = 0; levels[i][a]; a++)
                for (int b = 0; levels[k][b]; b++) {
                    const char *first = levels[i][a], *second = levels[k][b];
                    char *script = text_format("1 %s 2 %s 3", first, second);
                    char *tree = i < k ? text_format("(%s 1 (%s 2 3))", first, second)
                                       : text_format("(%s (%s 1 2) 3)", second, first);

                    check_expr(script, tree);
                    free(script);
                    free(tree);
                }
    check_expr("1 <> 2", "(!= 1 2)");
    check_expr("(1+2)*3", "(* (+ 1 2) 3)");
    check_expr("1-(2-3)", "(- 1 (- 2 3))");
}

TEST(prefix_operators)
{
    check_expr("-2*3+1", "(+ (neg (* 2 3)) 1)");
    check_expr("-2-3", "(- (neg 2) 3)");
    check_expr("+2%3+1", "(+ (pos (% 2 3)) 1)");
    check_expr("-2 < 3", "(< (neg 2) 3)");
    check_expr("2*-3+1", "(+ (* 2 (neg 3)) 1)");
    check_expr("2*-3*4", "(* 2 (neg (* 3 4)))");
    check_expr("2 - -3", "(- 2 (neg 3))");
    check_expr("--2", "(neg (neg 2))");
    check_expr("not a == b", "(== (not a) b)");
    check_expr("not a and b", "(and (not a) b)");
    check_expr("~a*b", "(* (~ a) b)");
    check_expr("not ~not a", "(not (~ (not a)))");
    check_expr("not -2 + 3", "(+ (not (neg 2)) 3)");
    check_expr("-not a * b", "(neg (* (not a) b))");
    check_expr("-(2)", "(neg 2)");
}

TEST(expression_errors)
{
    check_errors("x =\n", "1:3: expected an expression after '=', found the end of the script\n");
    check_errors("x = 1 +\ny = 2",
                 "2:3: expected a statement, found '='; is the line before incomplete?\n");
    check_errors("x = * 2", "1:5: expected an expression after '=', found '*'\n");
    check_errors("x = (1\ny = 2", "2:1: expected ')' after number 1, found name 'y'\n");
    check_errors("x = f(1 2)\n", "1:9: expected ',' or ')' after number 1, found number 2\n");
    check_errors("x = f(1,)\n", "1:9: expected an expression after ',', found ')'\n");
    check_errors("x = f(\n", "1:6: expected an expression after '(', found the end of the "
                             "script\n");
    check_errors("x = {1; 2}\n",
                 "1:7: illegal character ';': statements need no separator: remove it\n");
    check_errors("x = {1 2}\n", "1:8: expected ',' or '}' after number 1, found number 2\n");
    check_errors("x = {1, \"two\nlines\" \"y\"", "2:8: expected ',' or '}' after string "
                                                 "\"two...\", found string \"y\"\n");
    check_errors("x = 1)\n", "1:6: expected a statement, found ')'\n");
    check_errors("x = .\n", "1:5: expected an expression after '=', found '.'\n");
    check_errors("x = to\n", "1:5: expected an expression after '=', found keyword 'to'\n");
    check_errors("x = y[1]\nz = w[\n", "1:6: expected a statement, found '['; elements of arrays "
                                       "are read with int_array_get(array, index)\n"
                                       "2:6: expected a statement, found '['; elements of arrays "
                                       "are read with int_array_get(array, index)\n");
    check_errors("x = f(y[1])\n", "1:8: expected ',' or ')' after name 'y', found '['; elements "
                                  "of arrays are read with int_array_get(array, index)\n");
    check_errors("x = 64b\ny = 1 + 5k\nz = 1",
                 "1:5: bad number '64b': the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb "
                 "GB GiB (2^30); put a space before any other word\n"
                 "2:9: bad number '5k': the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb GB "
                 "GiB (2^30); put a space before any other word\n");
}

/* ---- statements ---- */

TEST(statements_outside_blocks)
{
    check_tree("x = 1 y = 2\nf() g(1,\n2)", "[x = 1][y = 2][f()][g( 1 2)]");
    check_tree("comm = comm(2)", "[comm = comm( 2)]");
    check_tree("assert(x > 1, \"text\")", "[assert (> x 1) 'text']");
    check_tree("assert = 1\nx = assert", "[assert = 1][x = assert]");
    check_tree("begin measurement \"a\" end measurement begin measurement \"\"\nend\nmeasurement",
               "[block 'a'][block '']");
    check_tree("x\n=\n# comment\n5\r\n", "[x = 5]");
}

TEST(print_flush_measure)
{
    check_body("print 1", "[print 1]");
    check_body("print 1, \"a\",\n x+1 print_all y flush",
               "[print 1 'a' (+ x 1)][print_all y][flush]");
    check_body("print a f(b)", "[print a][f( b)]");
    check_body("measure comm(2) : F()", "[measure comm( 2) : F()]");
    check_body("measure c : F(1, n*2)", "[measure c : F( 1 (* n 2))]");
    check_body("measure 1+2 : 3", "[measure (+ 1 2) : 3]"); /* the checker's business */
}

TEST(arithmetic_loops)
{
    check_body("for i = 1 to 10 do od", "[for i 1..10]");
    check_body("for i = a+1 to ... do f() g() od", "[for i (+ a 1)..[f()][g()]]");
    check_body("for i = 10 to 1 step -3 do od", "[for i 10..1 step (neg 3)]");
    check_body("for i = 1 to n step 4 do od", "[for i 1..n step 4]");
    check_body("for i = 1 to n step *sqrt(2) do od", "[for i 1..n step*sqrt( 2)]");
    check_body("for i = 1 to n step *2*2 multipleof 4 do od", "[for i 1..n step*(* 2 2) of 4]");
    check_body("for i = 1 to ... step *2 do for j = 1 to i do od od",
               "[for i 1.. step*2[for j 1..i]]");
    check_body("autorefine i = 1 to 10 step 2 do od", "[autorefine i 1..10 step 2]");
    check_body("for i = 1 to 2 do x = i od", "[for i 1..2[x = i]]");
}

TEST(other_loops)
{
    check_body("for x in [] do od", "[for x in]");
    check_body("for x in [1, \"a\", 2.5] do f(x) od", "[for x in 1 'a' 2.50[f( x)]]");
    check_body("for x in range(1, n) do od", "[for x in range( 1 n)]");
    check_body("for x in names() do print x od", "[for x in names()[print x]]");
}

TEST(branches)
{
    check_body("if a then fi", "[if a]");
    check_body("if a then f() else g() fi", "[if a[f()] else[g()]]");
    check_body("if a then else fi", "[if a]");
    check_body("if a then f() elseif b then g() elseif c then h() else i() fi",
               "[if a[f()] else[if b[g()] else[if c[h()] else[i()]]]]");
    check_body("if a then if b then f() fi else g() fi", "[if a[if b[f()]] else[g()]]");
    check_body("if a then f() else if b then g() fi fi", "[if a[f()] else[if b[g()]]]");
}

TEST(many_blocks)
{
    struct text script = {0};
    struct parsed parsed;

    for (int i = 0; i < 130; i++)
        text_append(&script, "begin measurement \"%d\" x%d = %d end measurement\n", i, i, i);
    parsed = parse(script.data);
    assert_text(error_lines(parsed.diag), "");
    assert_int_equal(parsed.tree->block_count, 130);
    assert_int_equal(parsed.tree->top.count, 130);
    assert_int_equal(parsed.tree->symbol_count, 130);
    for (int i = 0; i < 130; i++) {
        const struct stmt *block = parsed.tree->top.items[i];

        assert_int_equal(atoi(block->text), i);
        assert_int_equal(block->body.items[0]->symbol, i);
    }
    release(&parsed);
    text_release(&script);
}

TEST(places)
{
    struct parsed parsed = parse("begin measurement \"b\"\n"
                                 "  for i = 1 to 2 do\n"
                                 "    x = -y + f(1,\n"
                                 "      2)\n"
                                 "  od\n"
                                 " end measurement\n");
    const struct stmt *block = parsed.tree->top.items[0];
    const struct stmt *loop = block->body.items[0], *assign = loop->body.items[0];
    const struct expr *sum = assign->expr;

    assert_text(diag_place(parsed.source, block->where), "t:1:1");
    assert_text(diag_place(parsed.source, block->end_where), "t:6:2");
    assert_text(diag_place(parsed.source, loop->where), "t:2:3");
    assert_text(diag_place(parsed.source, loop->symbol_where), "t:2:7");
    assert_text(diag_place(parsed.source, assign->where), "t:3:5");
    assert_text(diag_place(parsed.source, sum->where), "t:3:12");
    assert_text(diag_place(parsed.source, sum->args[0]->where), "t:3:9");
    assert_text(diag_place(parsed.source, sum->args[1]->where), "t:3:14");
    assert_text(diag_place(parsed.source, sum->args[1]->args[1]->where), "t:4:7");
    release(&parsed);
}

TEST(source_texts)
{
    struct parsed parsed;

    write_file("x.inc", "x = 1");
    parsed =
        parse("\n \n# first\n@include \"x.inc\"\r\nbegin measurement \"a\"\r\n\n  f()\n"
              "end measurement # of a\n\n\t\ny = 2\nbegin measurement \"b\" end measurement z = "
              "3 begin measurement \"c\" end measurement");
    assert_text(error_lines(parsed.diag), "");
    assert_string_equal(
        parsed.tree->top.items[1]->source_text,
        "# first\nx = 1\nbegin measurement \"a\"\n\n  f()\nend measurement # of a\n");
    assert_string_equal(parsed.tree->top.items[3]->source_text,
                        "y = 2\nbegin measurement \"b\" end measurement\n");
    assert_string_equal(parsed.tree->top.items[5]->source_text,
                        " z = 3 begin measurement \"c\" end measurement\n");
    release(&parsed);
}

/* ---- errors of statements ---- */

TEST(empty_scripts)
{
    check_errors("", "1:1: the script is empty: it has no statement\n");
    check_errors("\n\n  # nothing\n", "1:1: the script is empty: it has no statement\n");
    write_file("empty.inc", "# nothing\n");
    check_errors("@include \"empty.inc\"\n", "1:1: the script is empty: it has no statement\n");
    check_errors("@include \"none.inc\"\n",
                 "1:10: cannot read the include 'none.inc': No such file "
                 "or directory\n");
}

TEST(only_in_blocks)
{
    check_errors("x = 1\nfor i = 1 to 2 do\n  print i\nod\ny = 2\n",
                 "2:1: a loop must be inside 'begin measurement \"name\"'\n");
    check_errors(" autorefine i = 1 to 2 do od",
                 "1:2: a loop must be inside 'begin measurement \"name\"'\n");
    check_errors("if 1 then flush fi", "1:1: 'if' must be inside 'begin measurement \"name\"'\n");
    check_errors("print 1", "1:1: 'print' must be inside 'begin measurement \"name\"'\n");
    check_errors("print_all 1", "1:1: 'print_all' must be inside 'begin measurement \"name\"'\n");
    check_errors("flush", "1:1: 'flush' must be inside 'begin measurement \"name\"'\n");
    check_errors("measure c : F()", "1:1: 'measure' must be inside 'begin measurement \"name\"'\n");
    check_errors("x = 1\nprint 1\nend measurement\n",
                 "2:1: 'print' must be inside 'begin measurement \"name\"'\n");
}

TEST(errors_of_blocks)
{
    check_errors("begin \"a\"\nx = 1\nend measurement",
                 "1:7: expected 'measurement' after keyword 'begin', found string \"a\"\n");
    check_errors("begin measurement a\nx = 1\nend measurement",
                 "1:19: expected the name of the measurement in double quotes after keyword "
                 "'measurement', found name 'a'\n");
    check_errors("begin measurement\nx = 1\nend measurement",
                 "2:1: expected the name of the measurement in double quotes after keyword "
                 "'measurement', found name 'x'\n");
    check_errors("begin measurement \"a\"\nx = 1\n",
                 "2:5: expected 'end measurement' to close the 'begin' on line 1, found the end of "
                 "the script\n");
    check_errors("begin measurement \"a\"\nx = 1\nend\ny = 2",
                 "4:1: expected 'measurement' after keyword 'end', found name 'y'\n");
    check_errors("begin measurement \"a\"\nbegin measurement \"b\"\nend measurement",
                 "2:1: expected 'end measurement' to close the 'begin' on line 1, found keyword "
                 "'begin'\n");
    check_errors("x = 1\nend measurement\ny = 2",
                 "2:1: 'end' without a matching 'begin measurement'\n");
    check_errors("x = 1\n end", "2:2: 'end' without a matching 'begin measurement'\n");
    check_errors("measurement \"a\"\n", "1:1: expected a statement, found keyword 'measurement'\n");
}

TEST(unclosed_loops_and_branches)
{
    check_body_errors("\nfor i = 1 to 2 do\n  f(i)",
                      "4:1: expected 'od' to close the 'for' on line 2, found keyword 'end'\n");
    check_body_errors("\nautorefine i = 1 to 2 do",
                      "3:1: expected 'od' to close the 'autorefine' on line 2, found keyword "
                      "'end'\n");
    check_body_errors("\nif a then\nf()",
                      "4:1: expected 'fi' to close the 'if' on line 2, found keyword 'end'\n");
    check_body_errors("\nfor i = 1 to 2 do\nif a then\nf()\nod\nflush",
                      "5:1: expected 'fi' to close the 'if' on line 3, found keyword 'od'\n");
    check_body_errors("\nif a then\nfor i = 1 to 2 do\nelse\nf() fi\nflush",
                      "4:1: expected 'od' to close the 'for' on line 3, found keyword 'else'\n");
    check_body_errors("\nif a then f()\nelse if b then g()\nfi",
                      "5:1: expected 'fi' to close the 'if' on line 2, found keyword 'end'; 'else "
                      "if' begins another 'if', write 'elseif'\n");
    check_body_errors("\nfor i = 1 to 2 do\nf()\nend\nflush",
                      "4:1: expected 'od' to close the 'for' on line 2, found keyword 'end'\n");
    check_body_errors("\nf()\nod\nfi\nelse\nelseif a then\nflush",
                      "3:1: 'od' without a matching 'for'\n"
                      "4:1: 'fi' without a matching 'if'\n"
                      "5:1: 'else' without a matching 'if'\n"
                      "6:1: 'elseif' without a matching 'if'\n");
    check_body_errors("\nif a then\nelse\nelse\nf()\nelseif b then\nfi",
                      "4:1: this 'else' comes after the 'else' of the 'if' on line 2\n"
                      "6:1: this 'elseif' comes after the 'else' of the 'if' on line 2\n");
    check_errors("begin measurement \"b\"\nfor i = 1 to 2 do\nif a then\n  print \"x\" # last\n\n",
                 "4:9: expected 'fi' to close the 'if' on line 3, found the end of the script\n");
}

TEST(errors_of_loop_headers)
{
    check_body_errors("\nfor 5 = 1 to 2 do f() od",
                      "2:5: expected the name of a variable after keyword 'for', found number 5\n");
    check_body_errors("\nfor step = 1 to 2 do f() od",
                      "2:5: expected the name of a variable after keyword 'for', found keyword "
                      "'step'\n");
    check_body_errors("\nfor i 1 to 2 do f() od",
                      "2:7: expected '=' or 'in' after name 'i', found number 1\n");
    check_body_errors("\nfor i == 1 to 2 do f() od",
                      "2:7: expected '=' or 'in' after name 'i', found '=='; '==' compares, to "
                      "assign write '='\n");
    check_body_errors("\nfor i = 1, 2 do f() od",
                      "2:10: expected 'to' after number 1, found ','\n");
    check_body_errors("\nfor i = to 2 do f() od",
                      "2:9: expected an expression after '=', found keyword 'to'\n");
    check_body_errors("\nfor i = 1 to do f() od",
                      "2:14: expected an expression after keyword 'to', found keyword 'do'\n");
    check_body_errors("\nfor i = 1 to 2\n  f()\nod\nflush",
                      "3:3: expected 'do' after number 2, found name 'f'\n");
    check_body_errors("\nfor i = 1 to 2 step do f() od",
                      "2:21: expected an expression after keyword 'step', found keyword 'do'\n");
    check_body_errors("\nfor i = 1 to 2 step 3 multipleof 4 do f() od",
                      "2:23: 'multipleof' needs a step that multiplies: step *FACTOR multipleof "
                      "NUMBER\n");
    check_body_errors("\nfor i = 1 to 2 multipleof 4 do f() od",
                      "2:16: expected 'do' after number 2, found keyword 'multipleof'\n");
    check_body_errors("\nfor i in [1, 2 do f() od",
                      "2:16: expected ',' or ']' after number 2, found keyword 'do'\n");
    check_body_errors("\nfor i in [1 2] do f() od",
                      "2:13: expected ',' or ']' after number 1, found number 2\n");
    check_body_errors("\nfor i in list do f() od",
                      "2:10: expected a list '[...]' or an iterator 'name(...)' after keyword "
                      "'in', found name 'list'\n");
    check_body_errors("\nautorefine i in [1] do f() od",
                      "2:14: 'autorefine' needs a range of numbers: autorefine x = 1 to 10 do\n");
    check_body_errors(
        "\nfor i = 1 to 2 step *0x multipleof 4 do od\nflush",
        "2:22: bad number '0x': 0x must be followed by hexadecimal digits, without a unit\n");
}

TEST(errors_of_other_statements)
{
    check_body_errors("\nif a = 5 then f() fi",
                      "2:6: expected 'then' after name 'a', found '='; to compare, write '=='\n");
    check_body_errors("\nif a\nf()\nfi", "3:1: expected 'then' after name 'a', found name 'f'\n");
    check_body_errors("\nif then fi",
                      "2:4: expected an expression after keyword 'if', found keyword 'then'\n");
    check_body_errors("\nmeasure F()\nflush",
                      "2:9: the communicator or the function is missing: write 'measure "
                      "COMMUNICATOR : FUNCTION(...)'\n");
    check_body_errors("\nmeasure c flush", "2:11: expected ':' after name 'c', found keyword "
                                           "'flush'\n");
    check_body_errors("\nmeasure c :\nflush",
                      "3:1: expected an expression after ':', found keyword 'flush'\n");
    check_body_errors("\nprint\nflush",
                      "3:1: expected an expression after keyword 'print', found keyword 'flush'\n");
    check_body_errors("\nprint 1,\nflush",
                      "3:1: expected an expression after ',', found keyword 'flush'\n");
    check_body_errors("\npritn 1\nflush",
                      "2:1: unknown statement 'pritn': did you mean 'print'?\n");
    check_body_errors("\nPrint a", "2:1: unknown statement 'Print': did you mean 'print'?\n");
    check_body_errors("\n size bar\nflush", "2:7: expected '=' or '(' after name 'size', found "
                                            "name 'bar'\n");
    check_body_errors("\n size\nflush",
                      "2:2: a name alone is not a statement: expected '=' or '(' after 'size'\n");
    check_body_errors("\nfoo == 5\nflush", "2:5: expected '=' or '(' after name 'foo', found '=='; "
                                           "'==' compares, to assign write '='\n");
    check_body_errors("\nfoo += 5\nflush",
                      "2:5: expected '=' or '(' after name 'foo', found '+'; there is no such "
                      "assignment, write x = x + 1\n");
    check_body_errors("\n 5\nflush", "2:2: expected a statement, found number 5\n");
    check_body_errors("\n \"abc\"\nflush", "2:2: expected a statement, found string \"abc\"\n");
    check_body_errors("\nto = 5\nflush", "2:1: keyword 'to' cannot be the name of a variable\n");
    check_body_errors("\nmethod = 5\nresult = 1\ndiagram = 2",
                      "2:1: keyword 'method' cannot be the name of a variable\n"
                      "3:1: keyword 'result' cannot be the name of a variable\n"
                      "4:1: keyword 'diagram' cannot be the name of a variable\n");
    check_body_errors("\nassert(1)\nassert(1, 2, 3)\nassert()",
                      "2:1: assert takes a condition and a text: assert(n > 1, \"why\")\n"
                      "3:1: assert takes a condition and a text: assert(n > 1, \"why\")\n"
                      "4:1: assert takes a condition and a text: assert(n > 1, \"why\")\n");
    check_body_errors("\nx = 1;\ny = 2;",
                      "2:6: illegal character ';': statements need no separator: remove it\n"
                      "3:6: illegal character ';': statements need no separator: remove it\n");
}

/* Every error of several, and none that follows from another. */
TEST(goes_on_behind_errors)
{
    struct parsed parsed;

    parsed = parse("x = \ny = 2\nf(1 2)\nz = 3\n"
                   "begin measurement \"b\"\n"
                   "  if x = 5 then\n    print 1 fi\n"
                   "  for i = 1 too 5 do\n    pritn i\n    f(i\n    g(i)\n  od\n"
                   "  size bar baz\n  w = 4\n"
                   "end measurement\nlast = 5\n");
    assert_text(error_lines(parsed.diag),
                "2:3: expected a statement, found '='; is the line before incomplete?\n"
                "3:5: expected ',' or ')' after number 1, found number 2\n"
                "6:8: expected 'then' after name 'x', found '='; to compare, write '=='\n"
                "8:13: expected 'to' after number 1, found name 'too'\n"
                "9:5: unknown statement 'pritn': did you mean 'print'?\n"
                "11:5: expected ',' or ')' after name 'i', found name 'g'\n"
                "13:8: expected '=' or '(' after name 'size', found name 'bar'\n");
    assert_text(tree_text(parsed.tree),
                "[x = y][NULL][z = 3][block 'b'[if x[print 1]][for i 1..[NULL][g( i)]][w = "
                "4]][last = 5]");
    release(&parsed);
}

TEST(errors_in_includes)
{
    write_file("bad.inc", "a = 1\nb = )\nc = 2\n");
    write_file("open.inc", "begin measurement \"b\"\n  for i = 1 to 2 do\n");
    check_errors("x = )\n@include \"bad.inc\"\ny = )\n",
                 "1:5: expected an expression after '=', found ')'\n"
                 "3:5: expected an expression after '=', found ')'\n"
                 "bad.inc:2:5: expected an expression after '=', found ')'\n");
    check_errors(
        "x = @include \"open.inc\"",
        "open.inc:1:1: expected an expression after '=', "
        "found keyword 'begin'\n"
        "open.inc:2:18: expected 'od' to close the 'for' on line 2, found the end of the script\n");
}

TEST(too_many_errors)
{
    struct text script = {0};
    char *errors;
    struct parsed parsed;

    for (int i = 0; i < 25; i++)
        text_append(&script, "x%d = )\n", i);
    parsed = parse(script.data);
    errors = error_lines(parsed.diag);
    assert_non_null(strstr(errors, "20:7: expected an expression"));
    assert_null(strstr(errors, "21:7:"));
    assert_non_null(strstr(errors, "\nskampi: too many errors, the rest is not shown\n"));
    free(errors);
    release(&parsed);
    text_release(&script);
}

/* ---- --set ---- */

static void check_override(const char *script, const char *assignment, const char *tree,
                           const char *errors)
{
    struct parsed parsed = parse(script);

    tree_override(parsed.tree, parsed.source, parsed.diag, assignment);
    assert_text(error_lines(parsed.diag), errors);
    assert_text(tree_text(parsed.tree), tree);
    release(&parsed);
}

TEST(overrides)
{
    check_override("a = 1 b = 2", "b=a*2kb", "[a = 1][b = (* a 2048)]", "");
    check_override("a = 1 f() a = 3", " a = { 7 } ", "[a = { 7}][f()][a = { 7}]", "");
    check_override("a = 1", "a=new", "[a = new]", "");
    check_override("a = 1 begin measurement \"m\" a = 2 end measurement", "a=5",
                   "[a = 5][block 'm'[a = 2]]", "");
    check_override(
        "MAXSIZE = 1 b = 2", "maxsize=5", "[MAXSIZE = 1][b = 2]",
        "--set:1:1: the script assigns no variable 'maxsize' outside its blocks: did you "
        "mean 'MAXSIZE'?\n");
    check_override("a = 1 begin measurement \"m\" c = 2 end measurement", " c=5",
                   "[a = 1][block 'm'[c = 2]]",
                   "--set:1:2: the script assigns no variable 'c' outside its blocks\n");
    check_override("f()", "a=1", "[f()]",
                   "--set:1:1: the script assigns no variable 'a' outside its blocks\n");
}

TEST(bad_overrides)
{
    static const struct {
        const char *assignment, *errors;
    } cases[] = {
        {"", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"a", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"=5", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"a==5", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"5=a", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"to=5", "--set:1:1: expected NAME=EXPRESSION\n"},
        {"a=", "--set:1:2: expected an expression after '=', found the end of the script\n"},
        {"a=1 2", "--set:1:5: expected the end after number 1, found number 2\n"},
        {"a=1 b=2", "--set:1:5: expected the end after number 1, found name 'b'\n"},
        {"a=(1", "--set:1:4: expected ')' after number 1, found the end of the script\n"},
        {"a=64b", "--set:1:3: bad number '64b': the units are kb kB KB KiB (2^10), mb MB MiB "
                  "(2^20), gb GB GiB (2^30); put a space before any other word\n"},
        {"a=\"x", "--set:1:3: this string does not end: its closing '\"' is missing\n"},
        {"a=1;", "--set:1:4: illegal character ';': statements need no separator: remove it\n"},
        {"a=@include \"x\"", "--set:1:3: @include is not allowed here\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_override("a = 1", cases[i].assignment, "[a = 1]", cases[i].errors);
}

TEST(marks_what_is_overridden)
{
    struct parsed parsed = parse("a = 1 b = 2 a = 3");

    tree_override(parsed.tree, parsed.source, parsed.diag, "a=4");
    tree_override(parsed.tree, parsed.source, parsed.diag, "a=5");
    assert_true(parsed.tree->top.items[0]->overridden);
    assert_false(parsed.tree->top.items[1]->overridden);
    assert_true(parsed.tree->top.items[2]->overridden);
    assert_text(tree_text(parsed.tree), "[a = 5][b = 2][a = 5]");
    assert_ptr_not_equal(parsed.tree->top.items[0]->expr, parsed.tree->top.items[2]->expr);
    release(&parsed);
}

TEST_GROUP(make_folder, remove_folder)
