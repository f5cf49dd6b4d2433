/* LINK: tests/support/stub/stub_tables.c */
/* The checker finds every error of names, arities, types and loops, with its place, and suggests
 * what was meant. */
#include "front_end.h"

#include "engine/measurement.h"
#include "ski/builtins.h"
#include "ski/script.h"

static struct parsed check_bytes(const char *script, size_t length, const char *assignment)
{
    struct parsed checked = parse_bytes(script, length);

    if (assignment)
        tree_override(checked.tree, checked.source, checked.diag, assignment);
    tree_check(checked.tree, checked.diag);
    return checked;
}

static void check(const char *script, const char *expected)
{
    struct parsed checked = check_bytes(script, strlen(script), NULL);

    assert_text(error_lines(checked.diag), expected);
    release(&checked);
}

static void check_override(const char *script, const char *assignment, const char *expected)
{
    struct parsed checked = check_bytes(script, strlen(script), assignment);

    assert_text(error_lines(checked.diag), expected);
    release(&checked);
}

/* Statements in a block; their lines count from 1. */
static void check_body(const char *body, const char *expected)
{
    char *script = text_format("begin measurement \"b\" %s\nend measurement\n", body);

    check(script, expected);
    free(script);
}

/* ---- names ---- */

TEST(names_must_have_a_value)
{
    check("x = 1\ny = x + x", "");
    check("x = x", "1:5: 'x' has no value yet: it is assigned later, on line 1\n");
    check("x = 1\n\ny = 2 + xx\n", "3:9: unknown name 'xx'\n");
    check("count = 1\ny = cuont\nz = COUNT", "2:5: unknown name 'cuont': did you mean 'count'?\n"
                                             "3:5: unknown name 'COUNT': did you mean 'count'?\n");
    check("y = late\nlate = 1", "1:5: 'late' has no value yet: it is assigned later, on line 2\n");
    check("y = MPI_COMM_WORLD", "");
    check("y = MPI_COM_WORLD",
          "1:5: unknown name 'MPI_COM_WORLD': did you mean 'MPI_COMM_WORLD'?\n");
    check("MPI_COMM_WORLD = 1\ny = MPI_COMM_WORLD + 1", "");
    check("y = sqrt", "1:5: 'sqrt' is a function: call it as sqrt(...)\n");
    check("y = Shmem_Barrier",
          "1:5: 'Shmem_Barrier' is a function: call it as Shmem_Barrier(...)\n");
    check("comm = comm(2)\ny = get_comm_size(comm)", "");
    check("y = sqrt(a)\nsqrt(b)\nx = {c}\nassert(d, \"text\")\n",
          "1:10: unknown name 'a'\n2:6: unknown name 'b'\n3:6: unknown name 'c'\n4:8: unknown name "
          "'d'\n");
}

TEST(locals_belong_to_their_block)
{
    check("begin measurement \"a\" x = 1 y = x end measurement\n"
          "begin measurement \"b\" y = x\nx = 2 y = x end measurement\n"
          "y = x",
          "2:27: 'x' is local to the block on line 1: assign it again here, or before the "
          "blocks\n"
          "4:5: 'x' is local to the block on line 2: assign it again here, or before the "
          "blocks\n");
    check("x = 1 begin measurement \"a\" x = x + 1 x = x + 1 end measurement\n"
          "begin measurement \"b\" print x end measurement y = x",
          "");
    check_body("for i = 1 to 2 do f = i od print i, f", "");
    check_body("if 1 then a = 1 else b = 2 fi print a, b", "");
    check_body("for i in [1] do od for j in range(1, 2) do od print i, j", "");
    check_body("for i = i to 2 do od", "1:31: unknown name 'i'\n");
    check_body("for i = 1 to 2 do print x x = 1 od", "1:47: unknown name 'x'\n");
    check_body("for i in [1] do od\nprint I", "2:7: unknown name 'I': did you mean 'i'?\n");
}

static const struct expr *printed(const struct stmt *stmt)
{
    return stmt->list[0];
}

TEST(reads_bind_where_they_stand)
{
    static const char script[] = "x = 1\nbegin measurement \"a\"\nprint x x = x + 1 print x\n"
                                 "print MPI_COMM_WORLD end measurement\n"
                                 "begin measurement \"b\" print x end measurement";
    struct parsed checked = check_bytes(script, strlen(script), NULL);
    const struct stmt *a = checked.tree->top.items[1], *b = checked.tree->top.items[2];

    assert_text(error_lines(checked.diag), "");
    assert_false(printed(a->body.items[0])->local);
    assert_false(a->body.items[1]->expr->args[0]->local);
    assert_true(printed(a->body.items[2])->local);
    assert_false(printed(a->body.items[3])->local);
    assert_false(printed(b->body.items[0])->local);
    release(&checked);
}

TEST(missing_includes_excuse_unknown_names)
{
    check("@include \"/dev/null/none.inc\"\nx = y\nz = sqrt(1, 2)",
          "1:10: cannot read the include '/dev/null/none.inc': Not a directory\n"
          "3:13: too many arguments: sqrt takes 1 argument (double), you gave 2\n");
}

/* ---- calls ---- */

TEST(functions_must_exist)
{
    check("x = sqtr(2)", "1:5: unknown function 'sqtr': did you mean 'sqrt'?\n");
    check("x = nowhere(y)", "1:5: unknown function 'nowhere'\n");
    check("x = nowhere(\ny)", "1:5: unknown function 'nowhere'\n2:1: unknown name 'y'\n");
    check("set_unti(1)", "1:1: unknown function 'set_unti': did you mean 'set_unit'?\n");
    check_body("measure comm(2) : Shmem_Put_Ruond(1, 2)",
               "1:41: unknown measurement function 'Shmem_Put_Ruond': did you mean "
               "Shmem_Put_Round?\n");
    check_body("measure comm(2) : put_ruond(1, 2)",
               "1:41: unknown measurement function 'put_ruond': did you mean Shmem_Put_Round?\n");
    check_body("measure comm(2) : set_unti(1)",
               "1:41: unknown measurement function 'set_unti'; skampi --list shows all of them\n");
    check("x = Put_Round(1, 2)",
          "1:5: 'Put_Round' is a measurement function: write 'measure COMMUNICATOR : "
          "Put_Round(...)'\n");
}

/* Scripts may use the names that the command line takes. */
TEST(names_of_functions_and_routines)
{
    check_body("measure comm(2) : shmem_barrier()\nmeasure comm(2) : Put_Round(1, 2)\n"
               "measure comm(2) : shmem_double_put(1, 2)",
               "");
    check_body("measure comm(2) : shmem_barrier_all(8)",
               "1:59: too many arguments: shmem_barrier_all takes 0 arguments, you gave 1\n");
    check_body("measure comm(2) : MPI_Nothing()",
               "1:41: unknown measurement function 'MPI_Nothing'; skampi --list shows all of "
               "them\n");
}

TEST(numbers_of_arguments)
{
    check("x = sqrt()", "1:5: too few arguments: sqrt takes 1 argument (double), you gave 0\n");
    check("x = sqrt(1, 2, 3)",
          "1:13: too many arguments: sqrt takes 1 argument (double), you gave 3\n");
    check("x = get_np(1)", "1:12: too many arguments: get_np takes 0 arguments, you gave 1\n");
    check("x = min_int(1)",
          "1:5: too few arguments: min_int takes 2 arguments (integer, integer), you gave 1\n");
    check("x = largest(1) + largest(1, 2, 3)", "");
    check("x = largest()",
          "1:5: too few arguments: largest takes at least 1 argument (integer, ...), you gave 0\n");
    check_body("measure comm(2) : Shmem_Put_Round(1, 2)", "");
    check_body("measure comm(2) : Shmem_Put_Full_Single(1, 2)",
               "1:41: too few arguments: Shmem_Put_Full_Single takes 3 arguments (count, "
               "iterations, rank), you gave 2\n");
    check_body("measure comm(2) : Shmem_Put_Round(1, 2, 3)",
               "1:63: too many arguments: Shmem_Put_Round takes 2 arguments (count, iterations), "
               "you gave 3\n");
    check_body("measure comm(2) : Shmem_Barrier(1)",
               "1:55: too many arguments: Shmem_Barrier takes 0 arguments, you gave 1\n");
}

TEST(types_of_arguments)
{
    check("x = sqrt(2) + sqrt(2.5) + atoi(\"2\") + min_int(1.0, 2)", "");
    check("x = min_int(3, 1.5)",
          "1:16: argument 2 of min_int must be a whole number, 1.5 is none\n");
    check("n = 1.5 x = min_int(n, 2) + min_int(sqrt(2), 3)", "");
    check("x = sqrt(\"2\")", "1:10: argument 1 of sqrt must be a number, this is a string\n");
    check("x = min_int(1,\n comm(2))",
          "2:2: argument 2 of min_int must be an integer, this is a communicator\n");
    check("x = atoi(2)", "1:10: argument 1 of atoi must be a string, this is an integer\n");
    check("x = get_comm_size(2.5)",
          "1:19: argument 1 of get_comm_size must be a communicator, this is a double\n");
    check("x = int_array_get({1}, 0) + int_array_get(3, 0)",
          "1:43: argument 1 of int_array_get must be an integer array, this is an integer\n");
    check("x = largest(1, 2, \"3\")",
          "1:19: argument 3 of largest must be an integer, this is a string\n");
    check("x = set_unit(1)\ny = 1 + set_unit(1)\nz = sqrt(set_unit(1))\nset_unit(1)",
          "1:5: set_unit() returns no value\n"
          "2:9: set_unit() returns no value\n"
          "3:10: set_unit() returns no value\n");
    check_body("measure comm(2) : Shmem_Put_Round(1.0, 5 / 2)\n"
               "measure comm(2) : Shmem_Pause(1)\nmeasure comm(2) : Shmem_Pause(1.5)\n"
               "measure comm(2) : Shmem_Named(\"n\", {1})",
               "");
    check_body("measure comm(2) : Shmem_Put_Round(1, \"2\")",
               "1:60: argument 2 of Shmem_Put_Round (iterations) must be an integer, this is a "
               "string\n");
    check_body("measure comm(2) : Shmem_Pause(comm(2))",
               "1:53: argument 1 of Shmem_Pause (seconds) must be a number, this is a "
               "communicator\n");
    check_body("measure comm(2) : Shmem_Named(1, {2})\nmeasure comm(2) : Shmem_Named(\"n\", 2)",
               "1:53: argument 1 of Shmem_Named (name) must be a string, this is an integer\n"
               "2:36: argument 2 of Shmem_Named (sizes) must be an integer array, this is an "
               "integer\n");
}

TEST(arguments_below_their_minimum)
{
    check_body("measure comm(2) : Shmem_Put_Round(-1, 5)",
               "1:57: argument 1 of Shmem_Put_Round (count) must be at least 0\n");
    check_body("measure comm(2) : Shmem_Put_Round(0, 0)", "");
    check_body("measure comm(2) : Shmem_Put_Round(1, -2.6)",
               "1:60: argument 2 of Shmem_Put_Round (iterations) must be a whole number, -2.6 is "
               "none\n");
    check_body("measure comm(2) : Shmem_Put_Round(3 / 2.0, 0)",
               "1:59: argument 1 of Shmem_Put_Round (count) must be a whole number, 1.5 is none\n");
    check_body("measure comm(2) : Shmem_Put_Round(2 - 3, 0)",
               "1:59: argument 1 of Shmem_Put_Round (count) must be at least 0\n");
    check_body("n = 1.5 measure comm(2) : Shmem_Put_Round(n, n * 1.5)", "");
    check_body("measure comm(2) : Shmem_Put_Full_Single(0, 5, 0)",
               "1:63: argument 1 of Shmem_Put_Full_Single (count) must be at least 1\n");
    check_body("measure comm(2) : Shmem_Put_Full_Single(+1, 5, -1)",
               "1:70: argument 3 of Shmem_Put_Full_Single (rank) must be at least 0\n");
    check_body("measure comm(2) : Shmem_Pause(-1.5)", "");
    check_body("measure comm(2) : Shmem_Put_Round(- -1, 5)", "");
}

TEST(functions_in_their_place)
{
    check("x = Shmem_Put_Round(1, 2)", "1:5: 'Shmem_Put_Round' is a measurement function: write "
                                       "'measure COMMUNICATOR : Shmem_Put_Round(...)'\n");
    check("Shmem_Barrier()", "1:1: 'Shmem_Barrier' is a measurement function: write 'measure "
                             "COMMUNICATOR : Shmem_Barrier(...)'\n");
    check("x = range(1, 2)",
          "1:5: 'range' is an iterator: use it only in 'for NAME in range(...) do'\n");
    check_body("measure comm(2) : sqrt(2)",
               "1:41: 'sqrt' is not a measurement function: it cannot be measured\n");
    check_body("for i in range(1, 2) do od", "");
    check_body("for i in range(1) do od",
               "1:32: too few arguments: range takes 2 arguments (integer, integer), you gave 1\n");
    check_body("for i in range(\"a\", x) do od",
               "1:38: argument 1 of range must be an integer, this is a string\n");
    check_body("for i in sqrt(2) do od", "1:32: 'sqrt' is not an iterator and cannot follow 'in'; "
                                         "for a list of values write 'in [...]'\n");
    check_body("for i in Shmem_Barrier() do od",
               "1:32: 'Shmem_Barrier' is not an iterator and cannot follow 'in'; for a list of "
               "values write 'in [...]'\n");
    check_body("for i in rnage(1, 2) do od",
               "1:32: unknown iterator 'rnage': did you mean 'range'?\n");
}

TEST(calls_are_bound)
{
    static const char script[] = "x = sqrt(2) begin measurement \"a\" measure comm(2) : "
                                 "Shmem_Barrier() for i in range(1, 2) do od end measurement";
    struct parsed checked = check_bytes(script, strlen(script), NULL);
    const struct stmt *block = checked.tree->top.items[1];

    assert_ptr_equal(checked.tree->top.items[0]->expr->builtin, builtin_find("sqrt"));
    assert_ptr_equal(block->body.items[0]->set->builtin, builtin_find("comm"));
    assert_ptr_equal(block->body.items[0]->expr->measurement, measurement_find("Shmem_Barrier"));
    assert_null(block->body.items[0]->expr->builtin);
    assert_ptr_equal(block->body.items[1]->expr->builtin, builtin_find("range"));
    release(&checked);
}

/* ---- statements and types ---- */

TEST(what_measure_takes)
{
    check_body("measure MPI_COMM_WORLD : Shmem_Barrier()", "");
    check_body("measure 3 : Shmem_Barrier()",
               "1:31: expected a communicator between 'measure' and ':', such as comm(2); this is "
               "an integer\n");
    check_body("measure comm(2) : 5", "1:41: expected the call of a measurement function after "
                                      "':', such as Shmem_Put_Round(...)\n");
    check_body("measure comm(2) : Shmem_Barrier",
               "1:41: expected the call of a measurement function after ':', such as "
               "Shmem_Barrier(...)\n");
    check_body("measure comm(2) : Shmem_Barrier() + 1",
               "1:57: expected the call of a measurement function after ':', such as "
               "Shmem_Put_Round(...)\n");
}

TEST(operands_must_fit)
{
    check("x = 1 + 2.5 * 3 - 4 / 5\ny = 1 < 2.5 and 1 == 2\nz = \"a\" == \"b\"", "");
    check("x = 1 + \"2\"", "1:7: strings can only be compared with strings, by == and !=\n");
    check("x = 5 %\n2.5\ny = -\"a\"\nz = ~1.5",
          "1:7: this operator needs integers; convert the double with floor(), ceil() or "
          "round()\n"
          "3:5: strings can only be compared with strings, by == and !=\n"
          "4:5: this operator needs integers; convert the double with floor(), ceil() or "
          "round()\n");
    check("x = 1.5 and 1\ny = not 2.5",
          "1:9: and, or and not need integers; compare the double with something, as in x != 0.0\n"
          "2:5: and, or and not need integers; compare the double with something, as in x != "
          "0.0\n");
    check("x = {1, 2.5}\ny = {1, \"a\"}\nz = {}",
          "1:9: an element of an array must be an integer, this is a double\n"
          "2:9: an element of an array must be an integer, this is a string\n");
    check("x = {1}\ny = x + 1",
          "2:7: arrays cannot be operands; get an element with int_array_get()\n");
}

TEST(conditions_are_integers)
{
    check_body("if 1 then fi if 2.5 > 1 then fi", "");
    check_body("if 1.5 then fi",
               "1:26: the condition of 'if' must be an integer, this is a double\n");
    check_body("if 1 then\nelseif \"a\" then fi",
               "2:8: the condition of 'if' must be an integer, this is a string\n");
    check("assert(1 > 2, \"a\")\nassert(1.5, \"a\")\nassert(1, 2)",
          "2:8: the condition of assert must be an integer, this is a double\n"
          "3:11: the text of assert must be a string, this is an integer\n");
}

TEST(headers_of_loops)
{
    check_body("for i = 1 to 2.5 step *sqrt(2) multipleof 4 do od", "");
    check_body("for i = \"1\" to 2 do od",
               "1:31: the start of a loop must be a number, this is a string\n");
    check_body("for i = 1 to comm(2) do od",
               "1:36: the end of a loop must be a number, this is a communicator\n");
    check_body("for i = 1 to 2 step {1} do od",
               "1:43: the step of a loop must be a number, this is an integer array\n");
    check_body("for i = 1 to 2 step *2 multipleof 1.5 do od",
               "1:57: the number after 'multipleof' must be an integer, this is a double\n");
    check_body("for i = 1 to 2 step *2 multipleof 0 do od",
               "1:57: the number after 'multipleof' must be at least 1\n");
    check_body("for i = 1 to 2 step 0 do od", "1:43: a loop with step 0 never ends\n");
    check_body("for i = 1 to 2 step -0.0 do od", "1:43: a loop with step 0 never ends\n");
    check_body("n = 1 for i = n to n step 0 do od", "1:49: a loop with step 0 never ends\n");
    check_body("n = 1 for i = n to n step *1 do od",
               "1:50: a loop with step *1 never ends; use a factor > 1 to move away from 0, < 1 to "
               "approach it\n");
    check_body("n = 1 for i = 0 to n step *2 do od",
               "1:50: a loop that starts at 0 and multiplies never ends; start at 1 or use a step "
               "without *\n");
    check_body("n = 1 for i = n to ... step -1 do od",
               "1:51: a loop to ... must go upward; use a step > 0 or give an end\n");
    check_body("for i = 1 to -4 step *0.5 do od",
               "1:45: a loop with a factor < 1 approaches 0 but never reaches this end; give an "
               "end on the same side of 0 as the start\n");
    check_body("n = 1 for i = n to -4 step *0.5 do od for i = 8 to n step *0.5 do od", "");
    check_body("for i = 1 to 2 step set_unit(1) do od", "1:43: set_unit() returns no value\n");
}

TEST(autorefine_does_not_nest)
{
    static const char message[] =
        ": 'autorefine' cannot be inside another 'autorefine': write 'for'\n";
    char *one = text_format("2:1%s", message);
    char *two = text_format("2:1%s3:3%s", message, message);

    check_body("autorefine i = 1 to 2 do od autorefine j = 1 to 2 do od", "");
    check_body("for i = 1 to 2 do autorefine j = 1 to 2 do for k = 1 to 2 do od od od", "");
    check_body("autorefine i = 1 to 2 do\nautorefine j = 1 to 2 do od od", one);
    check_body("autorefine i = 1 to 2 do for k in [1] do if 1 then\nautorefine j = 1 to 2 do\n"
               "  autorefine l = 1 to 2 do od od fi od od autorefine m = 1 to 2 do od",
               two);
    free(one);
    free(two);
}

/* Where a variable's type is certain it counts, and nowhere else. */
TEST(types_of_variables)
{
    check("x = \"a\"\ny = x * 2\nx = 1\nz = x * 2",
          "2:7: strings can only be compared with strings, by == and !=\n");
    check_body("c = 3\nmeasure c : Shmem_Barrier()",
               "2:9: expected a communicator between 'measure' and ':', such as comm(2); this is "
               "an integer\n");
    check(
        "x = \"a\" begin measurement \"b\" print 1\nprint x * 2 x = 1 print x * 2 end measurement\n"
        "y = x * 2",
        "2:9: strings can only be compared with strings, by == and !=\n"
        "3:7: strings can only be compared with strings, by == and !=\n");
    check_body("for i = 1.5 to 2 do\nprint i % 2 od",
               "2:9: this operator needs integers; convert the double with floor(), ceil() or "
               "round()\n");
    check_body("for s in [\"a\", \"b\"] do\nprint s * 2 od",
               "2:9: strings can only be compared with strings, by == and !=\n");
    check_body("for i in range(1, 2) do print i % 2 od", "");
    /* may be either */
    check_body("if get_np() then x = 1 else x = \"a\" fi print x * 2", "");
    check_body("x = 1 if get_np() then x = \"a\" fi print x * 2", "");
    check_body("x = \"a\" for i = 1 to 2 do if i == 2 then print x * 2 fi x = 1 od", "");
    check_body("x = \"a\" for i = 1 to 2 do x = 1 od print x * 2", "");
    check_body("for x in [1, \"a\"] do if get_np() then print x * 2 fi od print x * 2", "");
    check_body("x = 1 for x in [\"a\"] do od print x * 2", "");
    check_body("for i = 1 to 3 do i = \"a\" od print i * 2", "");
}

TEST(overrides_are_checked)
{
    check_override("a = 1\nb = 2", "b=a*2", "");
    check_override("a = 1\nb = 2", "a=b*2",
                   "--set:1:3: 'b' has no value yet: it is assigned later, on line 2\n");
    check_override("a = 1\nx = sqrt(a)", "a=\"text\"",
                   "2:10: argument 1 of sqrt must be a number, this is a string\n");
    check_override("size = 1", "size=siez", "--set:1:6: unknown name 'siez'\n");
    check_override("n = 1\nsize = 1", "size= sqrt()",
                   "--set:1:7: too few arguments: sqrt takes 1 argument (double), you gave 0\n");
}

TEST(errors_of_parser_and_checker_together)
{
    check("x = (1\ny = nowhere\nz = 1 + \"a\"\nv = x",
          "2:1: expected ')' after number 1, found name 'y'\n"
          "3:7: strings can only be compared with strings, by == and !=\n");
    check_body("for i = 1 too 5 do print i od\nx = )\nprint x\nprint y",
               "1:33: expected 'to' after number 1, found name 'too'\n"
               "2:5: expected an expression after '=', found ')'\n4:7: unknown name 'y'\n");
}

/* ---- whatever comes in ---- */

static const char model[] = "# model\n"
                            "set_unit(1e9) MAXSIZE = 128kb iterations = 0x5\n"
                            "assert(iterations > 2GB-1 or not (1 < .5), \"te\n\txt\")\n"
                            "@include \"/dev/null/x.inc\"\n"
                            "begin measurement \"one\"\r\n"
                            "  np = get_np() comm = comm(2)\n"
                            "  for count = 1 to MAXSIZE/2 step *sqrt(2) multipleof 4 do\n"
                            "    measure comm : Shmem_Put_Round(count, iterations)\n"
                            "  od\n"
                            "  autorefine n = -10 to ... step 2.5e-3 do\n"
                            "    if n == 1 and ~3 <> 4 | 5 & 6 then print \"a\", n, {1, -2}\n"
                            "    elseif n >= 3 then print_all n % 2 - +1 else flush fi\n"
                            "  od\n"
                            "  for c in [comm, MPI_COMM_WORLD, \"x\"] do\n"
                            "    for i in range(1, np) do measure c : Shmem_Barrier() od od\n"
                            "end measurement\n"
                            "begin measurement \"two\" for i = 1 to 2 do for j = i to 3 do x = i * "
                            "j od od end measurement\n";

/* Must neither crash nor hang; every error is within the text, and at most twenty. */
static void survive(const char *bytes, size_t length)
{
    struct parsed checked = check_bytes(bytes, length, "MAXSIZE=iterations*2");
    char *text = diag_text(checked.diag);

    assert_true(diag_count(checked.diag) <= DIAG_LIMIT);
    assert_true(diag_count(checked.diag) == 0 || strstr(text, ": error: "));
    free(text);
    release(&checked);
}

TEST(model_is_valid)
{
    struct parsed checked = check_bytes(model, sizeof model - 1, "MAXSIZE=iterations*2");

    assert_text(error_lines(checked.diag),
                "5:10: cannot read the include '/dev/null/x.inc': Not a directory\n");
    release(&checked);
}

TEST(truncated_scripts)
{
    for (size_t length = 0; length < sizeof model; length++) {
        survive(model, length);
        survive(model + length, sizeof model - 1 - length);
    }
}

/* Sizes that would take for ever if any step were quadratic. */
TEST(unknown_names_are_quick)
{
    struct text script = {0};
    struct parsed checked;

    for (int i = 0; i < 30000; i++)
        text_append(&script, "name_%d = {unknown_%d}%s", i, i, i % 50 ? " " : "\n");
    checked = check_bytes(script.data, script.length, NULL);
    assert_int_equal(diag_count(checked.diag), DIAG_LIMIT);
    release(&checked);
    text_release(&script);
}
