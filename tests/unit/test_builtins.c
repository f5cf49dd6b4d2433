/* LINK: tests/support/stub/stub_engine.c tests/support/stub/stub_functions.c */
/* Built-in functions compute, set and refuse what the language reference says. */
#include "interpreter.h"

#include "ski/builtins.h"

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
        assert_int_equal(pe_set_size(set.set), 30);
        for (int rank = 0; rank < 30; rank++) {
            int pe = pe_set_member(set.set, rank);

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
