/* LINK: tests/support/stub/stub_engine.c tests/support/stub/stub_functions.c */
/* The interpreter does what the language reference says: statements, loops, errors while running.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ski/builtins.h"
#include "ski/diag.h"
#include "ski/script.h"
#include "support/stub/stub_engine.h"
#include "unit/unit.h"

/* ---- Running a script ---- */

struct script {
    struct source *source;
    struct tree *tree;
    struct engine *engine;
    bool show_source;
};

static void run_body(void *argument)
{
    const struct script *script = argument;

    script_run(script->tree, script->source, script->engine, script->show_source);
}

static struct script script_create(const char *text, int pe, int pes, int pes_per_node)
{
    struct script script = {.source = source_from_text("t.ski", text, strlen(text)),
                            .engine = stub_engine_create(pe, pes)};
    struct diag *diag = diag_create(script.source);

    script.tree = parse_script(script.source, diag);
    tree_check(script.tree, diag);
    if (diag_count(diag) > 0) {
        char *errors = diag_text(diag);

        fail_msg("%s", errors);
    }
    diag_release(diag);
    stub_engine_pes_per_node(script.engine, pes_per_node);
    return script;
}

static void script_release(struct script *script)
{
    tree_release(script->tree);
    source_release(script->source);
    stub_engine_release(script->engine);
}

/* The script runs to its end and leaves this log. */
static void check_on(int pe, int pes, int pes_per_node, const char *text, const char *log)
{
    struct script script = script_create(text, pe, pes, pes_per_node);
    bool reached_end = stub_engine_try(script.engine, run_body, &script);

    assert_string_equal(stub_engine_message(script.engine), "");
    assert_true(reached_end);
    assert_string_equal(stub_engine_log(script.engine), log);
    script_release(&script);
}

static char *block_around(const char *body)
{
    return text_format("begin measurement \"b\"\n%s\nend measurement\n", body);
}

/* Checks the log of one block that has this inside. */
static void check(const char *body, const char *log)
{
    char *text = block_around(body), *whole = text_format("begin b\n%send\n", log);

    check_on(0, 4, 4, text, whole);
    free(text);
    free(whole);
}

/* The whole log but for the "#P[0] " in front of lines. */
static void check_printed(const char *body, const char *lines)
{
    struct text log = {0};

    for (const char *line = lines; *line != '\0'; line += strcspn(line, "|") + 1) {
        size_t length = strcspn(line, "|");

        text_append(&log, "#P[0] ");
        text_append_bytes(&log, line, length);
        text_append(&log, "\n");
        if (line[length] == '\0')
            break;
    }
    check(body, log.data);
    text_release(&log);
}

/* The block fails with this status; the message starts with start and contains part. The body
 * begins in line 2. */
static void check_fatal(const char *body, int status, const char *start, const char *part)
{
    char *text = block_around(body);
    struct script script = script_create(text, 0, 4, 2);
    const char *message;

    assert_false(stub_engine_try(script.engine, run_body, &script));
    message = stub_engine_message(script.engine);
    assert_int_equal(stub_engine_status(script.engine), status);
    if (strncmp(message, start, strlen(start)) != 0 || !strstr(message, part))
        fail_msg("expected \"%s\" and \"%s\" in: %s", start, part, message);
    script_release(&script);
    free(text);
}

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

/* ---- Built-in functions ---- */

TEST(sets_by_number)
{
    check_printed("print comm(0), comm(4), comm2(2, 0), comm4(3, 1, 0, 2), comm_from_to(1, 3)",
                  "[][0, 1, 2, 3][2, 0][3, 1, 0, 2][1, 2]");
    check_printed("c = comm4(3, 1, 0, 2) print comm_first_half(c), comm_second_half(c)",
                  "[3, 1][0, 2]");
    check_printed("c = comm(3) print comm_first_half(c), comm_second_half(c), copy_comm(c)",
                  "[0][1, 2][0, 1, 2]");
    check_printed("print comm_strided(1, 2, 2), comm_strided(3, 9, 1), comm_strided(0, 1, 0)",
                  "[1, 3][3][]");
    check_printed("print comm_first_half(comm(1)), comm_second_half(comm(1))", "[][0]");
    check_printed("print is_mpi_comm_null(comm(0)), is_mpi_comm_null(comm(1)),\n"
                  "get_comm_size(comm(3)), get_comm_rank(comm2(1, 0)), get_np(), last_proc()",
                  "103143");
    check_printed("print comm2_max_latency_with_root()", "[0, 3]");
    check_on(0, 1, 1, "begin measurement \"a\" print comm2_max_latency_with_root() end measurement",
             "begin a\n#P[0] [0]\nend\n");
}

TEST(sets_by_node)
{
    const char *text = "begin measurement \"a\" print comm2_same_node(), comm2_other_node(),\n"
                       "comm_one_per_node(), comm_node(0), comm_node(1), comm_node(9)\n"
                       "end measurement";

    check_on(0, 5, 2, text, "begin a\n#P[0] [0, 1][0, 2][0, 2, 4][0, 1][2, 3][]\nend\n");
    check_on(0, 3, 1, text, "begin a\n#P[0] [][0, 1][0, 1, 2][0][1][]\nend\n");
    check_on(0, 3, 3, text, "begin a\n#P[0] [0, 1][][0][0, 1, 2][][]\nend\n");
}

TEST(sets_that_do_not_exist)
{
    check_fatal("print comm(5)", 2, "t.ski:2:7: error: comm(5): the job has only 4 PEs",
                "start it with at least 5");
    check_fatal("print comm(-1)", 2, "t.ski:2:7: error: comm(): -1 is out of range", "0 to 4");
    check_fatal("print comm2(1, 1)", 2, "t.ski:2:7: error: comm2(): PE 1 is named twice", "");
    check_fatal("print comm4(0, 1, 2, 0)", 2, "t.ski:2:7: error: comm4(): PE 0 is named", "");
    check_fatal("print comm2(0, 4)", 2, "t.ski:2:7: error: comm2(): there is no PE 4", "");
    check_fatal("print comm_from_to(0, 5)", 2, "t.ski:2:7: error: comm_from_to(): 5 is out", "");
    check_fatal("print comm_strided(1, 2, 3)", 2, "t.ski:2:7: error: comm_strided(): 3 is out",
                "0 to 2");
    check_fatal("print comm_strided(4, 1, 1)", 2, "t.ski:2:7: error: comm_strided(): 4 is out", "");
    check_fatal("print comm_strided(0, 0, 1)", 2, "t.ski:2:7: error: comm_strided(): 0 is out", "");
    check_fatal("print comm_rand(5)", 2, "t.ski:2:7: error: comm_rand(5): the job has", "");
}

TEST(random_sets)
{
    struct engine *engine = stub_engine_create(0, 50);
    struct value wanted = value_int(30), set;
    const struct builtin *function = builtin_find("comm_rand");
    struct builtin_call call = {.engine = engine, .builtin = function, .args = &wanted, .count = 1};
    bool shuffled = false;

    for (int i = 0; i < 20; i++) {
        bool seen[50] = {false};

        set = function->call(&call);
        assert_int_equal(pe_set_size(set.as.set), 30);
        for (int rank = 0; rank < 30; rank++) {
            int pe = pe_set_member(set.as.set, rank);

            assert_in_range(pe, 0, 49);
            assert_false(seen[pe]);
            seen[pe] = true;
            shuffled = shuffled || pe != rank;
        }
        value_release(&set);
    }
    assert_true(shuffled);
    stub_engine_release(engine);
}

TEST(random_integers)
{
    check_printed("bad = 0 for i = 1 to 500 do r = get_random_int(-3, 3)\n"
                  "if r < -3 or r > 3 then bad = bad + 1 fi od print bad, get_random_int(4, 4)",
                  "04");
    check_printed("seen = alloc_int_array(3) for i = 1 to 300 do\n"
                  "int_array_set(seen, get_random_int(0, 2), 1) od print seen",
                  "[1, 1, 1]");
    check_fatal("print get_random_int(2, 1)", 2, "t.ski:2:7: error: get_random_int(2, 1)", "");
}

TEST(arithmetic)
{
    check_printed("print sqrt(16), cbrt(27.0), sqr(3), log2(8), log10(1000), power(2, 10)",
                  "4.03.09.03.03.01024.0");
    check_printed("print floor(2.7), ceil(2.2), round(2.5), round(-2.5), floor(-2.5), ceil(3)",
                  "233-3-33");
    check_printed("print modulo(-7, 3), min_int(2, -1), max_int(2, -1), atoi(\" 42 \")", "-1-1242");
    check_printed("print log(1)", "0.0");
    check_fatal("print log(0)", 2, "t.ski:2:7: error: log(): no result for 0", "");
    check_fatal("print power(10, 400)", 2, "t.ski:2:7: error: power(): no result", "");
    check_fatal("print floor(1.0e30)", 2, "t.ski:2:7: error: floor(): 1e+30 is too large", "");
    check_fatal("print modulo(1, 0)", 2, "t.ski:2:7: error: modulo(): division by zero", "");
    check_fatal("print atoi(\"12x\")", 2,
                "t.ski:2:7: error: atoi(): \"12x\" is not a 64-bit integer", "");
    check_fatal("print atoi(\"\")", 2, "t.ski:2:7: error: atoi(): \"\" is not a 64-bit integer",
                "");
    check_fatal("print atoi(\"99999999999999999999\")", 2, "t.ski:2:7: error: atoi()", "64-bit");
    check_fatal("for i in squares(4000000000, 4000000001) do od", 2, "t.ski:2:10: error: squares()",
                "64 bits");
}

TEST(arrays)
{
    check_printed(
        "a = alloc_int_array(3) b = a int_array_set(b, 1, 7) print a, int_array_get(a, 1)",
        "[0, 7, 0]7");
    check_printed(
        "print dims_create(12, {0, 0}), dims_create(12, {0, 2, 0}), dims_create(7, {0}),\n"
        "dims_create(16, {0, 0, 0}), dims_create(6, {2, 3}), dims_create(1, {0, 0})",
        "[4, 3][3, 2, 2][7][4, 2, 2][2, 3][1, 1]");
    check_fatal(
        "print int_array_get({1, 2}, 2)", 2,
        "t.ski:2:7: error: int_array_get(): there is no element 2; the array has 2, counted from 0",
        "");
    check_fatal("print int_array_get({1, 2}, -1)", 2, "t.ski:2:7: error: int_array_get()", "-1");
    check_fatal("int_array_set({}, 0, 1)", 2,
                "t.ski:2:1: error: int_array_set(): there is no element 0", "the array has 0");
    check_fatal("print alloc_int_array(-1)", 2, "t.ski:2:7: error: alloc_int_array(): -1", "");
    check_fatal("print dims_create(12, {5, 0})", 2, "t.ski:2:7: error: dims_create()", "5");
    check_fatal("print dims_create(12, {2, 3})", 2, "t.ski:2:7: error: dims_create()", "2");
    check_fatal("print dims_create(0, {0})", 2, "t.ski:2:7: error: dims_create()", "0");
}

TEST(the_environment)
{
    setenv("SKAMPI_TEST_DIRECTORY", "/some/where", 1);
    unsetenv("SKAMPI_TEST_UNSET");
    check_printed("print get_env(\"SKAMPI_TEST_DIRECTORY\")", "/some/where/");
    check_fatal("print get_env(\"SKAMPI_TEST_UNSET\")", 2,
                "t.ski:2:7: error: get_env(): ", "SKAMPI_TEST_UNSET is not set");
    check_printed("print is_supported(\"Shmem_Barrier\"), is_supported(\"Fake_Unsupported\"),\n"
                  "is_supported(\"Nothing\")",
                  "100");
    check("print_time_accounting_info() init_time_accounting()", "accounting\naccounting reset\n");
}

TEST(processor_names)
{
    struct script script = script_create(
        "begin measurement \"a\" print mpi_processor_names() end measurement", 2, 4, 4);

    assert_true(stub_engine_try(script.engine, run_body, &script));
    assert_non_null(strstr(stub_engine_log(script.engine), "#P[2] # rank      2: "));
    script_release(&script);
}

TEST(settings_are_set)
{
    struct script script = script_create("set_min_repetitions(3) set_max_repetitions(4)\n"
                                         "set_max_relative_standard_error(0.03)\n"
                                         "set_max_nr_node_times(5) set_unit(1.0e9)\n"
                                         "choose_barrier_synchronization()\n"
                                         "set_run_time(\"global\") set_max_window(2)\n"
                                         "set_watchdog(0) set_max_outstanding(7)\n"
                                         "set_sk_tasks(2) set_timer(\"tsc\")\n"
                                         "set_arrival_skew(\"linear\", 0.001)\n"
                                         "set_skampi_buffer(2MB) set_send_buffer_alignment(64)\n"
                                         "set_recv_buffer_alignment(128) set_cache_size(1024)\n"
                                         "switch_buffer_cycling_off() set_cache_state(\"cold\") "
                                         "set_verify(\"every\")\n"
                                         "use_mpi_alloc_mem(1) set_autorefine_factor(3)\n"
                                         "set_autorefine_tolerance(0.5)\n",
                                         0, 2, 2);
    const struct settings *settings = engine_settings(script.engine);

    assert_true(stub_engine_try(script.engine, run_body, &script));
    assert_int_equal(settings->min_repetitions, 3);
    assert_int_equal(settings->max_repetitions, 4);
    assert_true(settings->max_relative_standard_error == 0.03);
    assert_int_equal(settings->max_nr_node_times, 5);
    assert_true(settings->unit == 1e9);
    assert_int_equal(settings->synchronization, SYNCHRONIZE_BARRIER);
    assert_int_equal(settings->run_time, RUN_TIME_GLOBAL);
    assert_true(settings->max_window == 2);
    assert_true(settings->watchdog == 0);
    assert_int_equal(settings->max_outstanding, 7);
    assert_int_equal(settings->sk_tasks, 2);
    assert_int_equal(settings->arrival, ARRIVAL_LINEAR);
    assert_true(settings->arrival_skew == 0.001);
    assert_int_equal(settings->buffer_bytes, 2 << 20);
    assert_int_equal(settings->send_alignment, 64);
    assert_int_equal(settings->receive_alignment, 128);
    assert_int_equal(settings->cache_bytes, 1024);
    assert_false(settings->buffer_cycling);
    assert_int_equal(settings->cache_state, CACHE_COLD);
    assert_int_equal(settings->verify, VERIFY_EVERY);
    assert_true(settings->autorefine_factor == 3);
    assert_true(settings->autorefine_tolerance == 0.5);
    script_release(&script);
}

/* Values that the text of the script does not show. */
TEST(settings_are_checked)
{
    static const struct {
        const char *call, *value, *error;
    } wrong[] = {
        {"set_min_repetitions(", "0",
         "set_min_repetitions(): 0 is out of range; it must be from 1 to 1000000"},
        {"set_max_repetitions(", "3000000000", "set_max_repetitions(): 3000000000 is out of range"},
        {"set_warm_up(", "0", "set_warm_up(): 0 is out of range; it must be from 1 to 1000000"},
        {"set_unit(", "0", "set_unit(): 0 is out of range; it must be more than 0"},
        {"set_unit(", "\"hours\"", "\"ns\", \"us\", \"ms\" or \"s\""},
        {"set_max_relative_standard_error(", "-0.1", "it must be at least 0"},
        {"set_skampi_buffer(", "-1",
         "set_skampi_buffer(): -1 is out of range; it must be at least 0"},
        {"set_send_buffer_alignment(", "0", "it must be from 1 bytes to 1 GiB"},
        {"set_run_time(", "\"max\"", "set_run_time(): \"max\" is unknown; allowed is \"local\" or"},
        {"set_arrival_skew(\"one\", ", "-1", "set_arrival_skew(): -1 is out of range"},
        {"set_cache_state(", "\"hot\"",
         "set_cache_state(): \"hot\" is unknown; allowed is \"warm\""},
        {"set_verify(", "\"off\"", "\"every\""},
        {"set_timer(", "\"sundial\"", "set_timer(): \"sundial\" cannot be used: no such timer"},
        {"use_mpi_alloc_mem(", "2", "use_mpi_alloc_mem(): 2 is out of range; allowed is 0 to 1"},
        {"set_autorefine_factor(", "0.5", "it must be at least 1"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *script = text_format("x = %s %sx)", wrong[i].value, wrong[i].call);

        check_fatal(script, 2, "t.ski:2:", wrong[i].error);
        free(script);
    }
}

TEST(the_tables_are_sound)
{
    const struct builtin *b;

    for (size_t i = 0; (b = builtin_at(i)); i++) {
        assert_ptr_equal(builtin_find(b->name), b);
        assert_int_equal(b->help[0], '(');
        assert_true(b->parameters.optional <= signature_count(&b->parameters));
        assert_int_equal(b->iterator, b->next ? 1 : 0);
        assert_int_equal(b->iterator, !b->call);
    }
    assert_true(!builtin_find("nothing"));
    assert_non_null(constant_find("MPI_COMM_WORLD"));
    assert_null(constant_find("MPI_UNDEFINED"));
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
