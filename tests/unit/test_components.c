/* Settings of Open MPI are told by their component, whether that is in force; and lists of texts
 * have names. */

#include "base/memory.h"
#include "base/text.h"
#include "comm/choices.h"
#include "unit/unit.h"

static struct named_texts two(void)
{
    struct named_texts texts = {0};
    named_texts_add(&texts, memory_text("pml"), memory_text("ob1"));
    named_texts_add(&texts, memory_text("btl"), memory_text("self a_b vader"));
    return texts;
}

TEST(owners)
{
    static const struct {
        const char *variable;
        bool own;
    } cases[] = {
        {"mpi_yield_when_idle", true},
        {"btl", true},
        {"btl_base_verbose", true},
        {"btl_vader_eager_limit", true},
        {"btl_vade_eager_limit", false},
        {"btl_a_b_eager_limit", true},
        {"btl_a_eager_limit", false},
        {"btl_b_eager_limit", false},
        {"btl_tcp_eager_limit", false},
        {"pml_ucx_priority", false},
        {"pml_ob1", true},
        {"coll_tuned_priority", true}, /* none is noted: linked in */
        {"opal_common_ucx_verbose", false},
        {"plm_rsh_agent", false},
        {"", false},
        {"a_name_without_end_that_is_longer_than_any_framework", false},
        {"anameofaframeworkthatislongerthananyother_b", false},
    };
    struct named_texts choices = two();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(choices_own_variable(&choices, cases[i].variable), cases[i].own);
    named_texts_free(&choices);
}

TEST(lists)
{
    struct named_texts texts = two();
    assert_string_equal(named_texts_find(&texts, "pml")->value, "ob1");
    assert_null(named_texts_find(&texts, "pm"));
    named_texts_add(&texts, memory_text("a"), memory_text("1"));
    named_texts_sort(&texts, 1);
    assert_string_equal(texts.of[0].name, "pml");
    assert_string_equal(texts.of[1].name, "a");
    named_texts_sort(&texts, 0);
    assert_string_equal(texts.of[2].name, "pml");
    named_texts_sort(&texts, 3);
    named_texts_free(&texts);
    assert_int_equal(texts.count, 0);
    named_texts_sort(&texts, 0);
}
