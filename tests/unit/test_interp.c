/* LINK: tests/support/stub/stub_engine.c tests/support/stub/stub_functions.c */
/* The interpreter does what the language reference says: statements, loops, errors while running.
 */
#include "interpreter.h"

/* ---- Scopes ---- */

TEST(blocks_have_their_own_variables)
{
    check_on(0, 1, 1,
             "x = 1\n"
             "begin measurement \"a\" print x x = x + 1 print x x = x + 1 print x end measurement\n"
             "begin measurement \"b\" print x end measurement\n"
             "x = 5\n"
             "begin measurement \"c\" print x end measurement\n",
             "begin a\n#P[0] 1\n#P[0] 2\n#P[0] 3\nend\n"
             "begin b\n#P[0] 1\nend\n"
             "begin c\n#P[0] 5\nend\n");
}

/* Which variable is read is decided by the text, not by what was executed. */
TEST(the_text_decides)
{
    check_on(
        0, 1, 1,
        "x = 1\n"
        "begin measurement \"a\" for i = 1 to 3 do print x x = x + 1 print x od end measurement",
        "begin a\n#P[0] 1\n#P[0] 2\n#P[0] 1\n#P[0] 2\n#P[0] 1\n#P[0] 2\nend\n");
}

TEST(loop_variables_are_local)
{
    check_on(0, 1, 1,
             "i = 7\n"
             "begin measurement \"a\" for i = 1 to 2 do od print i end measurement\n"
             "begin measurement \"b\" print i end measurement\n",
             "begin a\n#P[0] 3\nend\nbegin b\n#P[0] 7\nend\n");
}

TEST(variables_may_be_called_like_functions)
{
    check_printed("comm = comm(2) print comm, get_comm_size(comm)", "[0, 1]2");
}

TEST(globals_know_each_other)
{
    check_on(0, 3, 3,
             "tasks = get_np() MAXSIZE = 1kb c = comm(tasks - 1)\n"
             "begin measurement \"a\" print tasks, \" \", MAXSIZE / 16, \" \", c end measurement",
             "begin a\n#P[0] 3 64 [0, 1]\nend\n");
}

/* ---- print ---- */

TEST(formats)
{
    check_printed("print 1, \" \", 2.5, \" \", \"text\", \" \", {1, 2, 3}, \" \", {}",
                  "1 2.5 text [1, 2, 3] []");
    check_printed("print 1.0 print 0.1 + 0.2 print 1.0e20 print -7 / 2 print -0.5",
                  "1.0|0.30000000000000004|1e+20|-3|-0.5");
    check_printed("print MPI_COMM_WORLD, comm(2), MPI_COMM_NULL, comm_from_to(1, 1)",
                  "MPI_COMM_WORLD[0, 1]MPI_COMM_NULL[]");
    check_printed("print 2GB-1 print -2*3+1 print 2 < 3 print not 0 == 1", "2147483647|-5|1|1");
}

TEST(lines_of_strings_stay_comments)
{
    check_printed("print \"a\nb\"", "a|b");
    check_printed("print \"a\r\nb\"", "a|b");
    check_printed("print \"a\rb\tc\"", "a?b\tc");
}

/* Strings end up in names of blocks, columns, notes and messages, all of them lines. */
TEST(no_string_breaks_a_line)
{
    check_on(0, 1, 1,
             "begin measurement \"a\nb\tc\"\n"
             "for s in [\"d\ne\"] do measure comm(1) : Fake_Arguments(1, 1, s, {}) od\n"
             "end measurement\n",
             "begin a?b?c\n"
             "measure s=d?e Fake_Arguments(i=1, x=1.0, text=\"d?e\", items=[]) on [0]\n"
             "end\n");
    check_fatal("assert(0, \"a\033b\nc\")", 1, "t.ski:2:1: error: assertion failed: a?b\nc", "");
}

TEST(text_and_arrays_do_not_fill_the_memory)
{
    check_fatal("a = alloc_int_array(1000000) b = alloc_int_array(50000)", 2,
                "t.ski:2:34: error: ", "all arrays together");
    check_fatal("a = alloc_int_array(1000000) b = dims_create(1, a)", 2,
                "t.ski:2:34: error: ", "all arrays together");
    check_fatal("a = alloc_int_array(1048576) b = {1}", 2,
                "t.ski:2:34: error: ", "all arrays together");
    check_fatal("a = alloc_int_array(1000000) print a, a", 2,
                "t.ski:2:39: error: ", "this prints more than");
    char *body = text_format("s = \"%01000000d\"\nfor i = 1 to 1000 do print s od", 0);

    check_fatal(body, 2, "t.ski:3:22: error: ", "without a flush");
    free(body);
    check_fatal("a = alloc_int_array(1000000)\n"
                "for x in [a] do measure comm(1) : Shmem_Barrier() od",
                2, "t.ski:3:17: error: ", "longer than 1 MiB");
    check_fatal("measure comm(1) : Fake_Arguments(1, 1, \"\", alloc_int_array(1000000))", 2,
                "t.ski:2:1: error: ", "longer than 1 MiB");
    /* What is no longer used does not count. */
    check("for i = 1 to 3 do a = 0 a = alloc_int_array(1048576) od", "");
}

TEST(named_values_keep_their_name)
{
    check_printed("c = MPI_COMM_SELF print c for d in [MPI_COMM_WORLD, comm(1)] do print d od",
                  "MPI_COMM_SELF|MPI_COMM_WORLD|[0]");
    check_printed("c = MPI_COMM_SELF for c in range(1, 3) do print c od", "1|2");
    check_printed("MPI_COMM_WORLD = comm(2) print MPI_COMM_WORLD", "[0, 1]");
}

TEST(every_pe_prints)
{
    check_on(3, 4, 4, "begin measurement \"a\" print get_comm_rank(comm2(3, 0)) end measurement",
             "begin a\n#P[3] 0\nend\n");
    check_on(1, 4, 4, "begin measurement \"a\" print get_comm_rank(comm2(3, 0)) end measurement",
             "begin a\n#P[1] -1\nend\n");
}

TEST(flushes)
{
    check("print 1 print_all 2 flush", "#P[0] 1\n#P[0] 2\nflush\nflush\n");
}

/* ---- Loops and conditions ---- */

TEST(arithmetic_loops)
{
    check_printed("for i = 1 to 12 step *sqrt(2) do print i od print i", "1|2|3|4|6|8|11|16");
    check_printed("for i = 1 to 23 step *sqrt(2) multipleof 4 do print i od", "0|4|8|12|16");
    check_printed("for i = 3 to 1 step -1 do print i i = 100 od print i", "3|2|1|0");
    check_printed("n = 3 s = 1 for i = 1 to n step s do print i n = 1 s = 0 od", "1|2|3");
    check_printed("for i = 1 to 2 do for i = 5 to 6 do print i od print i od", "5|6|7|5|6|7");
    check_printed("for i = 5 to 1 do print i od print \"none\"", "none");
}

/* The stub's times have a kink at 50: the extra points go there, and to no point twice. */
TEST(refinement)
{
    check("autorefine x = 1.0 to 2.0 step 0.5 do print x od print x",
          "sort\nkey 1\n#P[0] 1.0\nkey 1.5\n#P[0] 1.5\nkey 2\n#P[0] 2.0\nsorted\n#P[0] 2.5\n");
    struct text log = {0};
    static const int sweep_and_extra[] = {0, 40, 80, 120, 60, 20, 70, 30};

    text_append(&log, "sort\n");
    for (size_t i = 0; i < sizeof sweep_and_extra / sizeof *sweep_and_extra; i++) {
        int x = sweep_and_extra[i];

        text_append(&log, "key %d\n#P[0] %d\n", x, x);
        text_append(&log, "measure count=%d Shmem_Put_Round(count=%d, iterations=1) on [0, 1]\n", x,
                    x);
    }
    text_append(&log, "sorted\n#P[0] 160\n");
    check("autorefine count = 0 to 120 step 40 do print count measure comm(2) : "
          "Shmem_Put_Round(count, 1) od print count",
          log.data);
    text_release(&log);
}

TEST(list_loops)
{
    check_printed("for i in [1, 2.5, \"a\", comm(2)] do print i od", "1|2.5|a|[0, 1]");
    check_printed("for i in [] do print i od print \"none\"", "none");
    check_printed("n = 1 for i in [n, n, n] do print i n = n + 1 od", "1|2|3");
}

TEST(iterator_loops)
{
    check_printed("for i in range(2, 5) do print i od", "2|3|4");
    check_printed("for i in range(5, 2) do print i od print \"none\"", "none");
    check_printed("for i in squares(2, 4) do print i od", "4|9|16");
    check_printed("for i in range(0, 2) do for j in range(0, 2) do print i, j od od",
                  "00|01|10|11");
    check_printed("n = 2 for i in range(0, n) do print i n = 10 od", "0|1");
}

TEST(conditions)
{
    check_printed("for i = 1 to 4 do\n"
                  "  if i == 1 then print \"one\"\n"
                  "  elseif i == 2 then print \"two\"\n"
                  "  elseif i == 3 then print \"three\"\n"
                  "  else print \"many\" fi\n"
                  "od",
                  "one|two|three|many");
    check_printed("if 2 then print 1 fi if 0 then print 2 fi if -1 then print 3 else print 4 fi",
                  "1|3");
    check_printed("if 0.5 < 1 and \"a\" == \"a\" then print \"yes\" fi", "yes");
}

/* ---- measure ---- */

TEST(requests)
{
    check("measure comm2(3, 1) : Shmem_Put_Round(8, 5)\n"
          "measure MPI_COMM_WORLD : Shmem_Barrier()\n"
          "n = -2.6 measure comm(1) : Fake_Arguments(n, 3, \"x y\", {1, 2})",
          "measure Shmem_Put_Round(count=8, iterations=5) on [3, 1]\n"
          "measure Shmem_Barrier() on [0, 1, 2, 3]\n"
          "measure Fake_Arguments(i=-3, x=3.0, text=\"x y\", items=[1, 2]) on [0]\n");
}

TEST(requests_in_loops)
{
    check("for c in [comm(1), MPI_COMM_WORLD] do for count = 1 to 2 do\n"
          "measure c : Shmem_Quiet(count) od od",
          "measure c=[0] count=1 Shmem_Quiet(iterations=1) on [0]\n"
          "measure c=[0] count=2 Shmem_Quiet(iterations=2) on [0]\n"
          "measure c=MPI_COMM_WORLD count=1 Shmem_Quiet(iterations=1) on [0, 1, 2, 3]\n"
          "measure c=MPI_COMM_WORLD count=2 Shmem_Quiet(iterations=2) on [0, 1, 2, 3]\n");
}

TEST(requests_have_a_place)
{
    struct script script = script_create(
        "begin measurement \"a\"\n  measure comm(1) :\n    Shmem_Barrier()\nend measurement\n", 0,
        1, 1);

    assert_true(stub_engine_try(script.engine, run_body, &script));
    assert_string_equal(stub_engine_place(script.engine), "t.ski:2:3");
    script_release(&script);
}

static uint64_t agreed(const char *body, int pe)
{
    char *text = block_around(body);
    struct script script = script_create(text, pe, 4, 4);
    uint64_t tag;

    assert_true(stub_engine_try(script.engine, run_body, &script));
    tag = stub_engine_agreed(script.engine);
    script_release(&script);
    free(text);
    return tag;
}

TEST(pes_agree_on_what_they_measure)
{
    const char *body = "measure comm(2) : Shmem_Quiet(1)";
    const char *varied = "measure comm(2) : Shmem_Quiet(2 + get_comm_rank(MPI_COMM_WORLD))";

    assert_true(agreed(body, 0) == agreed(body, 3));
    assert_true(agreed(varied, 0) != agreed(varied, 3));
    assert_true(agreed(body, 0) != agreed("  measure comm(2) : Shmem_Quiet(1)", 0));
    assert_true(agreed(body, 0) != agreed("measure comm(3) : Shmem_Quiet(1)", 0));
    assert_true(agreed(body, 0) != agreed("measure comm2(1, 2) : Shmem_Quiet(1)", 0));
    assert_true(agreed("flush", 0) != agreed("print 1", 0));
}

/* Each of their values was asked for. */
TEST(limited_loops_go_on)
{
    check("set_skampi_buffer(4)\n"
          "for i = 1 to 2 do for count = 2 to 10 step *2 do\n"
          "measure comm(2) : Shmem_Put_Full(count, 1)\n"
          "measure comm(2) : Shmem_Quiet(count)\n"
          "print \"rest\" od print count od",
          "measure i=1 count=2 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure i=1 count=2 Shmem_Quiet(iterations=2) on [0, 1]\n"
          "#P[0] rest\n"
          "measure i=1 count=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure i=1 count=4 Shmem_Quiet(iterations=4) on [0, 1]\n"
          "#P[0] rest\n"
          "measure i=1 count=8 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure i=1 count=8 Shmem_Quiet(iterations=8) on [0, 1]\n"
          "#P[0] rest\n"
          "#P[0] 16\n"
          "measure i=2 count=2 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure i=2 count=2 Shmem_Quiet(iterations=2) on [0, 1]\n"
          "#P[0] rest\n"
          "measure i=2 count=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure i=2 count=4 Shmem_Quiet(iterations=4) on [0, 1]\n"
          "#P[0] rest\n"
          "measure i=2 count=8 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure i=2 count=8 Shmem_Quiet(iterations=8) on [0, 1]\n"
          "#P[0] rest\n"
          "#P[0] 16\n");
    check("set_skampi_buffer(4)\n"
          "for count = 8 to 1 step *0.5 do measure comm(2) : Shmem_Put_Full(count, 1) od",
          "measure count=8 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure count=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure count=2 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure count=1 Shmem_Put_Full(count=1, iterations=1) on [0, 1]\n");
}

TEST(lists_leave_out_what_is_too_large)
{
    check("set_skampi_buffer(4)\n"
          "for count in [8, 1] do measure comm(2) : Shmem_Put_Full(count, 1) od\n"
          "for count in range(4, 7) do measure comm(2) : Shmem_Put_Full(count, 1) od\n"
          "for count = 1 to 2 do for c in [1, 2] do\n"
          "  if c == 1 then measure comm(2) : Shmem_Put_Full(8, 1) fi od od\n"
          "measure comm(2) : Shmem_Put_Full(8, 1)",
          "measure count=8 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure count=1 Shmem_Put_Full(count=1, iterations=1) on [0, 1]\n"
          "measure count=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure count=5 Shmem_Put_Full(count=5, iterations=1) on [0, 1] too large\n"
          "measure count=6 Shmem_Put_Full(count=6, iterations=1) on [0, 1] too large\n"
          "measure count=1 c=1 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure count=2 c=1 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n"
          "measure Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large\n");
}

/* 8 to 64 GiB in steps of 8: nobody waits for billions of rounds. */
TEST(what_is_too_much_to_list_is_counted)
{
    struct script script = script_create("begin measurement \"b\" set_skampi_buffer(8)\n"
                                         "for count = 8 to 64gb step 8 do\n"
                                         "measure comm(2) : Shmem_Put_Full(count, 1)\n"
                                         "measure comm(2) : Shmem_Put_Round(count, 1) od\n"
                                         "end measurement",
                                         0, 2, 2);

    assert_true(stub_engine_try(script.engine, run_body, &script));
    const char *log = stub_engine_log(script.engine);

    /* Values 2 to 501 are listed, 1 and the rest is 8589934592 - 501. */
    assert_non_null(strstr(log, "measure count=4008 Shmem_Put_Round(count=4008, iterations=1) on "
                                "[0, 1] too large\nmissing 17179868182 more\nend\n"));
    script_release(&script);
}

/* In a loop to ..., values of limited loops that grow are not asked for when one did not fit. */
TEST(limited_loops_within_open_ones)
{
    check("set_skampi_buffer(3)\n"
          "for count = 1 to ... do\n"
          "for i = 1 to 4 do measure comm(2) : Shmem_Put_Full(i * count, 1) od od",
          "measure count=1 i=1 Shmem_Put_Full(count=1, iterations=1) on [0, 1]\n"
          "measure count=1 i=2 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure count=1 i=3 Shmem_Put_Full(count=3, iterations=1) on [0, 1]\n"
          "measure count=1 i=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1] too large\n"
          "measure count=2 i=1 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure count=2 i=2 Shmem_Put_Full(count=4, iterations=1) on [0, 1] too large, open\n"
          "measure count=3 i=1 Shmem_Put_Full(count=3, iterations=1) on [0, 1]\n"
          "measure count=3 i=2 Shmem_Put_Full(count=6, iterations=1) on [0, 1] too large, open\n"
          "measure count=4 i=1 Shmem_Put_Full(count=4, iterations=1) on [0, 1] too large, open\n");
}

TEST(loops_without_end)
{
    check("set_skampi_buffer(4)\n"
          "for count = 1 to ... step *2 do measure comm(2) : Shmem_Put_Full(count, 1) od\n"
          "print count",
          "measure count=1 Shmem_Put_Full(count=1, iterations=1) on [0, 1]\n"
          "measure count=2 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure count=4 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure count=8 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large, open\n"
          "#P[0] 8\n");
    /* The outer loop sees no vote, but that nothing was left to measure. */
    check("set_skampi_buffer(4)\n"
          "for i = 2 to ... do for count = 1 to ... do\n"
          "measure comm(2) : Shmem_Put_Full(count * i, 1) od od",
          "measure i=2 count=1 Shmem_Put_Full(count=2, iterations=1) on [0, 1]\n"
          "measure i=2 count=2 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure i=2 count=3 Shmem_Put_Full(count=6, iterations=1) on [0, 1] too large, open\n"
          "measure i=3 count=1 Shmem_Put_Full(count=3, iterations=1) on [0, 1]\n"
          "measure i=3 count=2 Shmem_Put_Full(count=6, iterations=1) on [0, 1] too large, open\n"
          "measure i=4 count=1 Shmem_Put_Full(count=4, iterations=1) on [0, 1]\n"
          "measure i=4 count=2 Shmem_Put_Full(count=8, iterations=1) on [0, 1] too large, open\n"
          "measure i=5 count=1 Shmem_Put_Full(count=5, iterations=1) on [0, 1] too large, open\n");
}

TEST(what_cannot_be_measured_ends_loops_without_end)
{
    check("for count = 1 to ... do measure comm_node(5) : Shmem_Put_Full(count, 1) od\n"
          "for count = 1 to ... do measure comm(2) : Fake_Unsupported(count) od\n"
          "for count = 1 to ... do measure comm(2) : Fake_Failing(count) od",
          "measure count=1 Shmem_Put_Full(count=1, iterations=1) on [] skipped\n"
          "measure count=1 Fake_Unsupported(count=1) on [0, 1] unsupported\n"
          "measure count=1 Fake_Failing(count=1) on [0, 1] failed\n");
}

TEST(refused_arguments_have_their_place)
{
    check_fatal("measure comm(1) :\n Fake_Arguments(10 + 3, 1, \"\", {})", 2,
                "t.ski:3:20: error: Fake_Arguments: 13 is refused", "^");
}

/* What a variable holds, or what depends on the set, is no error of the script. */
TEST(refused_points_are_left_out)
{
    check("for i = 12 to 14 do measure comm(1) : Fake_Arguments(i, 1, \"\", {}) od",
          "measure i=12 Fake_Arguments(i=12, x=1.0, text=\"\", items=[]) on [0]\n"
          "measure i=13 Fake_Arguments(i=13, x=1.0, text=\"\", items=[]) on [0] refused\n"
          "since 13 is refused\n"
          "measure i=14 Fake_Arguments(i=14, x=1.0, text=\"\", items=[]) on [0]\n");
}

TEST(loops_that_would_never_end)
{
    check_fatal("for i = 1 to ... do print i od", 2, "t.ski:2:1: error: ", "measured nothing");
    check_fatal("for i = 1 to ... do measure comm(1) : Shmem_Quiet(i) od", 2,
                "t.ski:2:1: error: ", "need no buffer");
    check_fatal("for i = 1 to ... do measure comm(1) : Shmem_Put_Full(8, i) od", 2,
                "t.ski:2:1: error: ", "more and more");
    check_fatal("n = 0 for i = 1 to 5 step n do od", 2, "t.ski:2:27: error: ", "step 0");
    check_fatal("n = 1 for i = 1 to 5 step *n do od", 2, "t.ski:2:2", "step *1");
    check_fatal("n = 0 for i = n to 5 step *2 do od", 2, "t.ski:2:2", "starts at 0");
    check_fatal("set_skampi_buffer(8589934591GB)\n"
                "for i = 1 to ... step *2 do measure comm(1) : Shmem_Put_Full(1 + i / 2, 1) od",
                2, "t.ski:3:1: error: ", "overflow");
}

TEST(repetitions_must_fit)
{
    check_fatal("set_min_repetitions(50)\nmeasure comm(1) : Shmem_Barrier()", 2,
                "t.ski:3:1: error: the minimum of 50 repetitions is above the maximum of 33", "");
    check("set_min_repetitions(50) set_max_repetitions(60) measure comm(1) : Shmem_Barrier()",
          "measure Shmem_Barrier() on [0]\n");
}

/* ---- Errors at run time ---- */

TEST(errors_have_a_place)
{
    check_fatal("x = 0\nprint 5 / x", 2, "t.ski:3:9: error: division by zero\n", "\nprint 5 / x\n");
    check_fatal("x = 0 print 1 % x", 2, "t.ski:2:15: error: division by zero", "");
    check_fatal("x = 9223372036854775807 y = x + 1", 2, "t.ski:2:31: error: integer overflow", "");
    check_fatal("if 0 then x = 1 fi print x", 2, "t.ski:2:26: error: variable 'x' has no value",
                "");
    check_fatal("x = 5 end measurement begin measurement \"c\"\nif 0 then x = 1 fi print x", 2,
                "t.ski:3:26: error: variable 'x' has no value", "");
    check_fatal("x = 1 if x == 1 then x = 1.5 fi if x then fi", 2,
                "t.ski:2:36: error: ", "a condition must be an integer");
    check_fatal("x = 1 if x then x = \"a\" fi print x + 1", 2,
                "t.ski:2:36: error: ", "strings can only be compared");
    check_fatal("x = 1 if x then x = \"a\" fi print sqrt(x)", 2, "t.ski:2:39: error: ",
                "argument 1 of sqrt(): a number is needed here (given: string)");
    check_fatal("x = 1 if x then x = 0.5 fi print {1, x}", 2,
                "t.ski:2:38: error: ", "an array holds integers (given: double)");
    check_fatal("x = 1 if x then x = 5 fi measure x : Shmem_Barrier()", 2,
                "t.ski:2:34: error: ", "measure needs a communicator");
    check_fatal("m = 0 for i = 1 to 5 step *2 multipleof m do od", 2,
                "t.ski:2:41: error: ", "multipleof needs an integer > 0");
    check_fatal("s = 1 if s then s = \"\" fi for i = s to 5 do od", 2,
                "t.ski:2:35: error: ", "a loop needs a number");
    check_fatal("print sqrt(-1.0)", 2, "t.ski:2:7: error: sqrt(): no result for -1", "");
}

TEST(errors_in_loops_release_everything)
{
    check_fatal("for c in [comm(2)] do for i in range(1, 5) do\n"
                "  s = \"text\" print s, c, {1, 2}, 1 / (i - 2) od od",
                2, "t.ski:3:36: error: division by zero", "");
}

TEST(assertions)
{
    check_printed("assert(1 < 2, \"fine\") print \"on\"", "on");
    check_fatal("x = 3\nassert(x == 4, \"x is wrong\")", 1,
                "t.ski:3:1: error: assertion failed: x is wrong\n", "\n^");
    check_on(0, 2, 2, "assert(get_np() == 2, \"two PEs\")", "");
}

TEST(sources_are_shown)
{
    struct script script =
        script_create("x = 1\nbegin measurement \"a\"\nend measurement\n", 0, 1, 1);

    script.show_source = true;
    assert_true(stub_engine_try(script.engine, run_body, &script));
    assert_non_null(strstr(stub_engine_log(script.engine), "source x = 1\nbegin measurement"));
    script_release(&script);
}
