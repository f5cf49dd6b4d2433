/* The script that a command line stands for: its text, and what is wrong with names and values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/command.h"
#include "command/list.h"
#include "engine/functions.h"
#include "engine/measurement.h"
#include "ski/function_names.h"
#include "ski/script.h"
#include "unit/unit.h"

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static struct command_words words_of(const char *const *words)
{
    struct command_words command = {.words = words};
    while (words[command.count])
        command.count++;
    return command;
}

/* The text without comments; errors are the text, too. */
static char *script_of(const struct command_words *command)
{
    char *error, *script = command_script(command, &error);
    struct text kept = {0};
    if (!script)
        return error;
    assert_null(error);
    for (char *line = script, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        if (*line != '#' && end > line)
            text_append(&kept, "%.*s\n", (int)(end - line), line);
    }
    free(script);
    return text_take(&kept);
}

static void check(struct command_words command, const char *expected)
{
    char *text = script_of(&command);
    assert_string_equal(text, expected);
    free(text);
}

static void check_words(const char *const *words, const char *expected)
{
    check(words_of(words), expected);
}

TEST(values_for_a_first_try_are_the_default)
{
    check_words(WORDS("Shmem_Put_Round"), "begin measurement \"Shmem_Put_Round\"\n"
                                          "  measure MPI_COMM_WORLD : Shmem_Put_Round(1024, 0)\n"
                                          "end measurement\n");
    check_words(WORDS("Neighbor_alltoall"),
                "begin measurement \"Neighbor_alltoall\"\n"
                "  measure topology_cartesian(MPI_COMM_WORLD, {get_np()}, {1}, 0) : "
                "Neighbor_alltoall(256, MPI_INT, 256, MPI_INT)\n"
                "end measurement\n");
}

TEST(parameters_are_given_by_name)
{
    check_words(WORDS("Bcast", "count=1kb", "root=1", "datatype=MPI_DOUBLE"),
                "begin measurement \"Bcast\"\n"
                "  measure MPI_COMM_WORLD : Bcast(1kb, MPI_DOUBLE, 1)\n"
                "end measurement\n");
    check_words(WORDS("root=0:3", "Bcast", "datatype=MPI_INT,mpi_type_vector(2, 1, 4, MPI_INT)"),
                "begin measurement \"Bcast\"\n"
                "  for root = 0 to 3 step 1 do\n"
                "    for datatype in [MPI_INT, mpi_type_vector(2, 1, 4, MPI_INT)] do\n"
                "      measure MPI_COMM_WORLD : Bcast(256, datatype, root)\n"
                "    od\n"
                "  od\n"
                "end measurement\n");
    check_words(
        WORDS("First_Call_MPI", "kind=Bcast,Barrier"),
        "begin measurement \"First_Call_MPI\"\n"
        "  for kind in [\"Bcast\", \"Barrier\"] do\n"
        "    measure MPI_COMM_WORLD : First_Call_MPI(kind, 8192, \"elsewhere\", \"rank 0\")\n"
        "  od\n"
        "end measurement\n");
}

TEST(one_name_sets_both_sides)
{
    check_words(WORDS("Alltoall", "count=8", "r_datatype=MPI_CHAR"),
                "begin measurement \"Alltoall\"\n"
                "  measure MPI_COMM_WORLD : Alltoall(8, MPI_INT, 8, MPI_CHAR)\n"
                "end measurement\n");
}

TEST(sizes_are_bytes)
{
    struct command_words command = words_of(WORDS("Shmem_Get_Simple", "Allreduce"));
    command.sizes = "8:1mb";
    command.pes = "2,4";
    command.iterations = "7";
    check(command, "begin measurement \"Shmem_Get_Simple\"\n"
                   "  for pes in [2, 4] do\n"
                   "    for count = 8 to 1mb step *2 do\n"
                   "      measure comm(pes) : Shmem_Get_Simple(count, 7)\n"
                   "    od\n"
                   "  od\n"
                   "end measurement\n"
                   "begin measurement \"Allreduce\"\n"
                   "  for pes in [2, 4] do\n"
                   "    for bytes = 8 to 1mb step *2 multipleof mpi_type_size(MPI_INT) do\n"
                   "      measure comm(pes) : Allreduce(bytes / mpi_type_size(MPI_INT), MPI_INT, "
                   "MPI_SUM)\n"
                   "    od\n"
                   "  od\n"
                   "end measurement\n");
    command = words_of(WORDS("Shmem_Put_Elements_Full", "element_bytes=8"));
    command.sizes = "64, 1kb + 8";
    check(command, "begin measurement \"Shmem_Put_Elements_Full\"\n"
                   "  for bytes in [64, 1kb + 8] do\n"
                   "    measure MPI_COMM_WORLD : Shmem_Put_Elements_Full(bytes / 8, 8, 0)\n"
                   "  od\n"
                   "end measurement\n");
}

/* 0 is what functions of one operation do anyway. */
TEST(iterations_need_a_parameter)
{
    struct command_words command = words_of(WORDS("Allreduce"));
    command.iterations = "0";
    check(command, "begin measurement \"Allreduce\"\n"
                   "  measure MPI_COMM_WORLD : Allreduce(256, MPI_INT, MPI_SUM)\n"
                   "end measurement\n");
    command.iterations = "5";
    check(command,
          "--iterations 5: Allreduce has no parameter iterations; it has count, datatype, op");
}

/* A name means no other type and no other routine; types of OpenSHMEM have a word in names. */
TEST(routines_are_what_they_say)
{
    static const char *const types[][2] = {{"short", ""},
                                           {"int", "_Int"},
                                           {"long", "_Long"},
                                           {"longlong", "_Longlong"},
                                           {"float", "_Float"},
                                           {"double", "_Double"},
                                           {"complexf", "_Complexf"}};
    static const char *const operations[][2] = {{"and", "And"}, {"or", "Or"},     {"xor", "Xor"},
                                                {"sum", "Sum"}, {"prod", "Prod"}, {"min", "Min"},
                                                {"max", "Max"}};
    const struct measurement *found;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
            char *routine = text_format("shmem_%s_%s_to_all", types[t][0], operations[o][0]);
            char *name = text_format("Shmem_Reduce_%s%s_Barrier", operations[o][1], types[t][1]);
            const struct measurement *wanted = measurement_find(name);
            assert_int_equal(alias_find(routine, &found, 1) > 0, wanted != NULL);
            if (wanted)
                assert_string_equal(found->name, name);
            free(routine);
            free(name);
        }
    for (size_t i = 0; measurement_at(i); i++)
        assert_ptr_equal(function_meant(measurement_at(i)->name), measurement_at(i));
}

TEST(names_are_found)
{
    static const char *const same[][2] = {
        {"MPI_Allreduce", "Allreduce"},
        {"allreduce", "Allreduce"},
        {"put_round", "Shmem_Put_Round"},
        {"shmem_getmem", "Shmem_Get_Round"},
        {"shmem_double_sum_to_all", "Shmem_Reduce_Sum_Double_Barrier"},
        {"shmem_short_sum_to_all", "Shmem_Reduce_Sum_Barrier"},
        {"shmem_putmem_nbi", "Shmem_Put_Nonblocking_Post"},
        {"shmem_int32_atomic_and", "Shmem_Atomic_And"},
        {"shmem_double_iput", "Shmem_Iput_Round"},
        {"shmem_quiet", "Shmem_Quiet"},
        {"SHMEM_PUT_ROUND", "Shmem_Put_Round"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct command_words typed = words_of(WORDS(same[i][0], same[i][1]));
        struct command_words alone = words_of(WORDS(same[i][1]));
        char *a = script_of(&typed), *b = script_of(&alone);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
}

TEST(names_are_refused)
{
    struct command_words command = words_of(WORDS("Bcast"));
    check_words(WORDS("Shmem_Put_Ruond"),
                "unknown measurement function Shmem_Put_Ruond: did you mean Shmem_Put_Round?");
    check_words(WORDS("shmem_double_p"),
                "unknown measurement function shmem_double_p: did you mean "
                "Shmem_P_Full, Shmem_P_Call or Shmem_P_Round?");
    check_words(WORDS("Shmem_Put_{Round,Full}", "count=8", "count=9"),
                "count=9: count is given twice; give a list, such as count=8,64");
    check_words(WORDS("my.ski"), "my.ski is no measurement function; if it is a script: -i my.ski");
    check_words(WORDS("Nothing*"),
                "no measurement function matches Nothing*; skampi --list shows them");
    check_words(WORDS("count=8"),
                "no measurement function: name one, such as Shmem_Put_Round, or a script "
                "with -i FILE");
    check_words(WORDS("Bcast", "cuont=8"), "cuont=8: Bcast has no parameter cuont: did you mean "
                                           "count?; it has count, datatype, root");
    check_words(WORDS("Bcast", "count=8", "count=9"),
                "count=9: count is given twice; give a list, such as count=8,64");
    command.sizes = "8:9:10";
    check(command,
          "--sizes 8:9:10: write the step of a range as a factor or a difference: *10 or +10");
    command.sizes = "8,";
    check(command,
          "--sizes 8,: a value is missing: give one, such as 8, a list, such as 8,64,1kb, or "
          "a range, such as 8:1mb");
    command.sizes = "8:9,10";
    check(command,
          "--sizes 8:9,10: give a list, such as 8,64,1kb, or a range, such as 8:1mb, not both");
    command = words_of(WORDS("Shmem_Barrier"));
    command.sizes = "8";
    check(command, "--sizes 8: no parameter of Shmem_Barrier is a size");
    command = words_of(WORDS("Bcast", "count=8"));
    command.sizes = "8";
    check(command, "--sizes 8 and count=8 both set count of Bcast: give one of them");
}

/* Whatever the function: its script is one that the checker accepts. */
TEST(every_function_has_a_script)
{
    const struct measurement *function;
    for (size_t i = 0; (function = measurement_at(i)); i++) {
        struct command_words command = words_of(WORDS(function->name));
        command.pes = "1:2";
        char *error, *script = command_script(&command, &error);
        assert_non_null(script);
        struct source *source = source_from_text(SOURCE_COMMAND_LINE, script, strlen(script));
        struct diag *diag = diag_create(source);
        struct tree *tree = parse_script(source, diag);
        tree_check(tree, diag);
        if (diag_count(diag) > 0)
            fail_msg("%s: %s%s", function->name, script, diag_text(diag));
        tree_release(tree);
        diag_release(diag);
        source_release(source);
        free(script);
    }
}

/* A fold stands for as many names as it says, and each of them exists. */
static size_t unfold(const char *name, const char *done)
{
    const char *open = strchr(name, '{');
    size_t found = 0;
    if (!open) {
        char *complete = text_format("%s%s", done, name);
        if (!measurement_find(complete))
            fail_msg("there is no %s", complete);
        free(complete);
        return 1;
    }
    const char *close = strchr(open, '}');
    for (const char *at = open + 1, *end; at <= close; at = end + 1) {
        end = at + strcspn(at, ",}");
        char *so_far =
            text_format("%s%.*s%.*s", done, (int)(open - name), name, (int)(end - at), at);
        found += unfold(close + 1, so_far);
        free(so_far);
    }
    return found;
}

TEST(folds_are_exact)
{
    size_t lines_of_reductions = 0;
    for (size_t f = 0; measurement_families[f]; f++) {
        const struct measurement *members[512];
        struct list_line lines[512];
        size_t count = 0, unfolded = 0;
        for (const struct measurement *at = measurement_families[f]; at->name; at++)
            members[count++] = measurement_find(at->name);
        size_t folded = list_fold(members, count, true, lines);
        if (strcmp(measurement_family_names[f], "reduction") == 0)
            lines_of_reductions = folded;
        for (size_t i = 0; i < folded; i++) {
            size_t names = unfold(lines[i].name, "");
            assert_int_equal(names, lines[i].count);
            unfolded += names;
            free(lines[i].name);
            free(lines[i].summary);
        }
        assert_int_equal(unfolded, count);
        assert_int_equal(list_fold(members, count, false, lines), count);
        for (size_t i = 0; i < count; i++) {
            free(lines[i].name);
            free(lines[i].summary);
        }
    }
    assert_int_equal(lines_of_reductions, 6);
}
