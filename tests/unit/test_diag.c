/* Error messages have their place, the line and a caret under the right column. */
#include "front_end.h"

#include "base/text.h"

static struct source *source_of(const char *text)
{
    return source_from_text("t", text, strlen(text));
}

TEST(shows_line_and_caret)
{
    struct source *source = source_of("one\n\tx = %d\r\n");

    assert_text(diag_format(source, (struct position){0, 2, 6}, "wrong"),
                "t:2:6: error: wrong\n\tx = %d\n\t    ^\n");
    assert_text(diag_place(source, (struct position){0, 2, 6}), "t:2:6");
    source_release(source);
}

TEST(caret_counts_characters)
{
    struct source *source = source_of("\"\xc3\xa4\xe2\x82\xac\" \x01\xff x\n");

    assert_text(diag_format(source, (struct position){0, 1, 12}, "wrong"),
                "t:1:12: error: wrong\n\"\xc3\xa4\xe2\x82\xac\" ?? x\n        ^\n");
    source_release(source);
}

TEST(empty_lines_are_not_shown)
{
    struct source *source = source_of("");

    assert_text(diag_format(source, (struct position){0, 1, 1}, "empty"), "t:1:1: error: empty\n");
    source_release(source);
}

/* The caret must stand below the same character however far the line is shifted. */
TEST(long_lines_are_shortened_around_the_caret)
{
    char line[1001];

    for (int i = 0; i < 1000; i++)
        line[i] = (char)('a' + i % 26);
    line[1000] = '\0';
    for (int column = 1; column <= 1000; column++) {
        struct source *source = source_of(line);
        char *text = diag_format(source, (struct position){0, 1, column}, "x");
        char *shown = strchr(text, '\n') + 1;
        char *caret_line = strchr(shown, '\n') + 1;
        char *caret = strchr(caret_line, '^');

        assert_non_null(caret);
        assert_true(caret_line - shown < 130);
        assert_int_equal(shown[caret - caret_line], line[column - 1]);
        free(text);
        source_release(source);
    }
}

TEST(long_lines_are_not_cut_within_a_character)
{
    struct text line = {0};

    for (int i = 0; i < 200; i++)
        text_append(&line, "\xe2\x82\xac");
    for (int column = 1; column <= 600; column += 7) {
        struct source *source = source_of(line.data);
        char *text = diag_format(source, (struct position){0, 1, column}, "x");

        assert_null(strchr(text, '?'));
        free(text);
        source_release(source);
    }
    text_release(&line);
}

TEST(one_error_a_line)
{
    struct source *source = source_of("a\nb\n");
    struct diag *diag = diag_create(source);

    assert_true(diag_wants(diag, (struct position){0, 2, 1}));
    diag_error(diag, (struct position){0, 2, 1}, "%s %d", "first", 1);
    assert_false(diag_wants(diag, (struct position){0, 2, 5}));
    diag_error(diag, (struct position){0, 2, 5}, "second");
    diag_error(diag, (struct position){0, 1, 1}, "third");
    assert_int_equal(diag_count(diag), 2);
    assert_text(diag_text(diag), "t:1:1: error: third\na\n^\nt:2:1: error: first 1\nb\n^\n");
    diag_release(diag);
    source_release(source);
}

TEST(sorted_by_file_and_line)
{
    struct source *source = source_of("a\n");
    struct diag *diag = diag_create(source);
    int file = source_add_text(source, "--set", "b");

    diag_error(diag, (struct position){file, 1, 1}, "later");
    diag_error(diag, (struct position){0, 1, 1}, "earlier");
    assert_text(diag_text(diag), "t:1:1: error: earlier\na\n^\n"
                                 "--set:1:1: error: later\nb\n^\n");
    diag_release(diag);
    source_release(source);
}

TEST(no_errors_no_text)
{
    struct source *source = source_of("a\n");
    struct diag *diag = diag_create(source);

    assert_int_equal(diag_count(diag), 0);
    assert_text(diag_text(diag), "");
    diag_release(diag);
    source_release(source);
}

static char *report_lines(int count)
{
    struct source *source = source_of("");
    struct diag *diag = diag_create(source);
    char *text;

    for (int line = 1; line <= count; line++) {
        diag_error(diag, (struct position){0, line, 1}, "x");
        diag_error(diag, (struct position){0, line, 2}, "same line");
    }
    text = diag_text(diag);
    assert_int_equal(diag_count(diag), count < DIAG_LIMIT ? count : DIAG_LIMIT);
    assert_int_equal(diag_wants(diag, (struct position){0, 1000, 1}), count < DIAG_LIMIT);
    diag_release(diag);
    source_release(source);
    return text;
}

TEST(at_most_twenty)
{
    char *text = report_lines(20);

    assert_null(strstr(text, "too many"));
    assert_non_null(strstr(text, "t:20:1: error: x\n"));
    free(text);
    text = report_lines(21);
    assert_null(strstr(text, "t:21"));
    assert_string_equal(strstr(text, "skampi: "),
                        "skampi: too many errors, the rest is not shown\n");
    free(text);
}

TEST(control_characters_in_messages)
{
    struct source *source = source_of("a\n");
    struct diag *diag = diag_create(source);
    char *text;
    char big[2000];

    diag_error(diag, (struct position){0, 1, 1}, "bad '\x1b[2J'\nnote");
    assert_text(diag_text(diag), "t:1:1: error: bad '?[2J'\nnote\na\n^\n");
    memset(big, 'y', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    diag_error(diag, (struct position){0, 2, 1}, "%s", big);
    text = diag_text(diag);
    assert_true(strlen(text) < 800);
    assert_non_null(strstr(text, "yyy...\n"));
    free(text);
    diag_release(diag);
    source_release(source);
}

static const char *closest(const char *name)
{
    static const char *const names[] = {"Shmem_Put_Round",
                                        "Shmem_Get_Round",
                                        "iterations",
                                        "MAXSIZE",
                                        "print",
                                        "sqrt",
                                        "np",
                                        "NP",
                                        "end"};

    return closest_name(name, names, sizeof names / sizeof *names);
}

TEST(did_you_mean)
{
    char giant[200];

    assert_string_equal(closest("Shmem_Put_Ruond"), "Shmem_Put_Round");
    assert_string_equal(closest("Shmem_Gut_Round"), "Shmem_Put_Round"); /* the first of equals */
    assert_string_equal(closest("shmem_get_round"), "Shmem_Get_Round");
    assert_string_equal(closest("iteration"), "iterations");
    assert_string_equal(closest("maxsize"), "MAXSIZE");
    assert_string_equal(closest("pritn"), "print");
    assert_string_equal(closest("sqtr"), "sqrt");
    assert_string_equal(closest("Np"), "np");
    assert_string_equal(closest("edn"), "end");
    assert_null(closest("n"));
    assert_null(closest("nq"));
    assert_null(closest("itrtns"));
    assert_string_equal(closest("np"), "NP"); /* never the name itself */
    assert_null(closest("sqrt"));
    memset(giant, 'x', sizeof giant - 1);
    giant[sizeof giant - 1] = '\0';
    assert_null(closest(giant));
    assert_null(closest_name("x", NULL, 0));
}
