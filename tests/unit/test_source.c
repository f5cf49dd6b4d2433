/* Scripts and their includes are found, read and refused as documented. */
#include "front_end.h"

#include <sys/stat.h>

static char *path_of(const char *name)
{
    return text_format("%s/%s", folder, name);
}

static void assert_file(const struct source *source, int file, const char *name, const char *text)
{
    size_t length;
    const char *found = source_text(source, file, &length);

    assert_string_equal(source_name(source, file), name);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(found, text, length);
}

TEST(opens_a_path)
{
    struct source *source;
    char *path = path_of("a.ski"), *error;

    write_file("a.ski", "x = 1\n");
    source = source_open(path, NULL, 0, &error);
    assert_non_null(source);
    assert_null(error);
    assert_file(source, 0, path, "x = 1\n");
    assert_int_equal(source_file_count(source), 1);
    source_release(source);
    free(path);
}

TEST(looks_here_then_in_the_folders)
{
    const char *const search[] = {"none", "first", "second"};
    struct source *source;
    char *error;

    mkdir("first", 0700);
    mkdir("second", 0700);
    write_file("second/b.ski", "second");
    source = source_open("b.ski", search, 3, &error);
    assert_file(source, 0, "second/b.ski", "second");
    source_release(source);

    write_file("first/b.ski", "first");
    source = source_open("b.ski", search, 3, &error);
    assert_file(source, 0, "first/b.ski", "first");
    source_release(source);

    write_file("b.ski", "here");
    source = source_open("b.ski", search, 3, &error);
    assert_file(source, 0, "b.ski", "here");
    source_release(source);

    assert_null(source_open("./second/none.ski", search, 3, &error));
    assert_text(error, "cannot read script './second/none.ski': No such file or directory");
}

TEST(says_why_it_cannot_read)
{
    const char *const search[] = {"first", "second"};
    char *error;

    assert_null(source_open("none.ski", search, 2, &error));
    assert_text(error, "cannot read script 'none.ski': No such file or directory; looked in the "
                       "current directory, first, second");
    assert_null(source_open("none.ski", NULL, 0, &error));
    assert_text(error, "cannot read script 'none.ski': No such file or directory");
    assert_null(source_open("first", search, 2, &error));
    assert_text(error, "cannot read script 'first': Is a directory");
    assert_null(source_open("/dev/zero", NULL, 0, &error));
    assert_text(error, "cannot read script '/dev/zero': this is no script but a binary file");

    size_t large = 5 << 20;
    char *comment = calloc(large + 1, 1);
    assert_non_null(comment);
    memset(comment, '#', large);
    write_file("large.ski", comment);
    free(comment);
    assert_null(source_open("large.ski", NULL, 0, &error));
    assert_text(error, "cannot read script 'large.ski': larger than 4 MiB, so it is not a script");
}

TEST(reads_standard_input)
{
    int saved = dup(STDIN_FILENO);
    struct source *source;
    char *error;

    write_file("in.ski", "from stdin");
    assert_non_null(freopen("in.ski", "r", stdin));
    source = source_open("-", NULL, 0, &error);
    assert_file(source, 0, "<stdin>", "from stdin");
    source_release(source);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

TEST(includes_stand_beside_the_main_script)
{
    struct source *source;
    char *error, *absolute = path_of("first/c.inc");

    write_file("first/m.ski", "main");
    write_file("first/c.inc", "inc");
    source = source_open("first/m.ski", NULL, 0, &error);
    assert_int_equal(source_include(source, "c.inc", &error), 1);
    assert_file(source, 1, "first/c.inc", "inc");
    assert_int_equal(source_include(source, "c.inc", &error), 1);
    assert_int_equal(source_include(source, "m.ski", &error), 0);
    assert_int_equal(source_include(source, absolute, &error), 2);
    assert_int_equal(source_include(source, "none.inc", &error), -1);
    assert_text(error, "cannot read the include 'first/none.inc': No such file or directory");
    assert_int_equal(source_include(source, "/dev/zero", &error), -1);
    assert_text(error, "cannot read the include '/dev/zero': not a regular file");
    assert_int_equal(source_file_count(source), 3);
    source_release(source);
    free(absolute);
}

TEST(given_texts_are_added_once)
{
    struct source *source = source_from_text("t", "x", 1);
    char *error;

    assert_int_equal(source_add_text(source, "--set", "x=1"), 1);
    assert_int_equal(source_add_text(source, "--set", "x=2"), 2);
    assert_int_equal(source_add_text(source, "--set", "x=1"), 1);
    assert_file(source, 2, "--set", "x=2");
    assert_int_equal(source_include(source, "--set", &error), -1);
    free(error);
    source_release(source);
}

static void assert_line(const struct source *source, int number, const char *line)
{
    size_t length;
    const char *found = source_line(source, 0, number, &length);

    assert_int_equal(length, strlen(line));
    assert_memory_equal(found, line, length);
}

TEST(finds_lines)
{
    struct source *source = source_from_text("t", "one\r\n\ntwo\r\nlast", 15);

    assert_line(source, 1, "one");
    assert_line(source, 2, "");
    assert_line(source, 3, "two");
    assert_line(source, 4, "last");
    assert_line(source, 5, "");
    assert_line(source, 99, "");
    source_release(source);
    source = source_from_text("t", "", 0);
    assert_line(source, 1, "");
    source_release(source);
}

TEST(drops_a_byte_order_mark)
{
    struct source *source = source_from_text("t", "\xef\xbb\xbfx", 4);

    assert_file(source, 0, "t", "x");
    source_release(source);
}

TEST(checksum_is_of_the_script_alone)
{
    struct source *a = source_from_text("t", "a", 1), *b = source_from_text("t", "b", 1);
    unsigned long long sum = source_checksum(a);

    assert_true(sum == 0xaf63dc4c8601ec8cULL); /* FNV-1a of "a" */
    assert_true(sum != source_checksum(b));
    source_add_text(a, "--set", "x=1");
    assert_true(source_checksum(a) == sum);
    source_release(a);
    source_release(b);
}

TEST(packs_and_unpacks)
{
    struct source *source = source_from_text("first/t", "a\0b", 3), *copy;
    size_t bytes, length;
    void *packed;
    char *error;

    assert_int_equal(source_include(source, "c.inc", &error), 1);
    source_add_text(source, "--set", "x=1");
    packed = source_pack(source, &bytes);
    copy = source_unpack(packed, bytes);
    free(packed);
    assert_int_equal(source_file_count(copy), 3);
    assert_string_equal(source_name(copy, 0), "first/t");
    assert_memory_equal(source_text(copy, 0, &length), "a\0b", 3);
    assert_int_equal(length, 3);
    assert_file(copy, 1, "first/c.inc", "inc");
    assert_file(copy, 2, "--set", "x=1");
    assert_true(source_checksum(copy) == source_checksum(source));
    assert_int_equal(source_include(copy, "c.inc", &error), 1);
    assert_int_equal(source_add_text(copy, "--set", "x=1"), 2);
    assert_int_equal(source_include(copy, "m.ski", &error), -1);
    assert_text(error, "cannot read the include 'first/m.ski': PE 0 has not read it");
    source_release(source);
    source_release(copy);
}

TEST_GROUP(make_folder, remove_folder)
