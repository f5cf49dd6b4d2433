/* The lexer finds tokens, their places, and every lexical error. */
#include "front_end.h"

#include "ski/lexer.h"

static void append_token(struct text *out, const struct source *source, const struct token *token)
{
    if (token->where.file != 0)
        text_append(out, "%s:", source_name(source, token->where.file));
    text_append(out, "%d:%d%s ", token->where.line, token->where.column,
                token->starts_line ? "*" : "");
    if (token->kind == TOKEN_EOF)
        text_append(out, "EOF");
    else if (token->kind == TOKEN_INTEGER)
        text_append(out, "%lld", (long long)token->integer);
    else if (token->kind == TOKEN_REAL)
        text_append(out, "%.17g", token->real);
    else if (token->kind == TOKEN_BAD)
        text_append(out, "BAD");
    else if (token->kind == TOKEN_STRING)
        text_append(out, "\"%.*s\"", (int)token->length, token->text);
    else if (token->kind == TOKEN_NAME)
        text_append(out, "%.*s", (int)token->length, token->text);
    else
        text_append(out, "%s", token_kind_name(token->kind));
    text_append(out, "\n");
}

/* All tokens of the bytes as lines "line:column token", a star after the place when the token is
 * the first of its line, and then the errors. */
static char *tokens_of_bytes(const char *bytes, size_t length, bool places, bool includes)
{
    struct source *source = source_from_text("t", bytes, length);
    struct diag *diag = diag_create(source);
    struct lexer *lexer = lexer_create(source, diag, 0, includes);
    struct text out = {0};
    struct token token;
    char *errors;

    do {
        size_t begin = out.length, mark;

        token = lexer_next(lexer);
        append_token(&out, source, &token);
        mark = begin + (size_t)(strchr(out.data + begin, ' ') - (out.data + begin));
        if (!places) {
            char *rest = text_format("%s", out.data + mark + 1);

            out.length = begin;
            text_append(&out, "%s", rest);
            free(rest);
        }
    } while (token.kind != TOKEN_EOF);
    token = lexer_next(lexer);
    assert_int_equal(token.kind, TOKEN_EOF);
    errors = error_lines(diag);
    text_append(&out, "%s", errors);
    free(errors);
    lexer_release(lexer);
    diag_release(diag);
    source_release(source);
    return text_take(&out);
}

static void check(const char *script, const char *expected)
{
    assert_text(tokens_of_bytes(script, strlen(script), true, true), expected);
}

/* Without places. */
static void check_values(const char *script, const char *expected)
{
    assert_text(tokens_of_bytes(script, strlen(script), false, true), expected);
}

TEST(places_and_lines)
{
    check("", "1:1 EOF\n");
    check("  \n\t\n", "1:1 EOF\n");
    check("a b\n\tc\n\n", "1:1* a\n1:3 b\n2:2* c\n2:2 EOF\n");
    check("a # b \"c\n#\n#", "1:1* a\n1:1 EOF\n");
    check("a\r\nb\r\n#c\r\nd\r", "1:1* a\n2:1* b\n4:1* d\n4:1 EOF\n");
}

TEST(every_operator)
{
    check_values("< > <= >= == != <> + - * / % & | ~ = ( ) [ ] { } , : ...",
                 "'<'\n'>'\n'<='\n'>='\n'=='\n'!='\n'!='\n'+'\n'-'\n'*'\n'/'\n'%'\n'&'\n'|'\n'~'\n"
                 "'='\n'('\n')'\n'['\n']'\n'{'\n'}'\n','\n':'\n'...'\nEOF\n");
    check("a<=b<c==-1", "1:1* a\n1:2 '<='\n1:4 b\n1:5 '<'\n1:6 c\n1:7 '=='\n1:9 '-'\n1:10 1\n"
                        "1:10 EOF\n");
    check_values("[.]", "'['\n'.'\n']'\nEOF\n");
}

TEST(every_keyword)
{
    check_values("begin end measurement method diagram result to step print print_all flush for do "
                 "od in measure if then else elseif fi and or not multipleof autorefine",
                 "'begin'\n'end'\n'measurement'\n'method'\n'diagram'\n'result'\n'to'\n'step'\n"
                 "'print'\n'print_all'\n'flush'\n'for'\n'do'\n'od'\n'in'\n'measure'\n'if'\n'then'\n"
                 "'else'\n'elseif'\n'fi'\n'and'\n'or'\n'not'\n'multipleof'\n'autorefine'\nEOF\n");
    check_values("For END print_ all_print assert include _x1 x_Y9",
                 "For\nEND\nprint_\nall_print\nassert\ninclude\n_x1\nx_Y9\nEOF\n");
}

TEST(integers)
{
    check_values("0 7 012 9223372036854775807", "0\n7\n12\n9223372036854775807\nEOF\n");
    check_values("0x337 0xfF 0X10 0x7fffffffffffffff", "823\n255\n16\n9223372036854775807\nEOF\n");
    check_values("1kb 1kB 1KB 1KiB", "1024\n1024\n1024\n1024\nEOF\n");
    check_values("2mb 2MB 2MiB", "2097152\n2097152\n2097152\nEOF\n");
    check_values("3gb 3GB 3GiB 012kb", "3221225472\n3221225472\n3221225472\n12288\nEOF\n");
    check_values("2GB-1", "2147483648\n'-'\n1\nEOF\n");
    check_values("8589934591GB", "9223372035781033984\nEOF\n");
    check_values("1... 1 ...", "1\n'...'\n1\n'...'\nEOF\n");
}

TEST(doubles)
{
    check_values(".5 5. 1.5 1.5e3 2.e-6 .5E+1", "0.5\n5\n1.5\n1500\n1.9999999999999999e-06\n5\n"
                                                "EOF\n");
    check_values("1e5 1e-3 1E2 012e1", "100000\n0.001\n100\n120\nEOF\n");
    check_values("1e-999", "0\nEOF\n");
}

TEST(bad_numbers)
{
    static const char *const words[] = {"64b",  "1f",  "5k",    "10Mb", "1KIB", "1e",
                                        "1e+",  "2x",  "1_000", "3to",  "1gib", "1kbx",
                                        "1kb2", "0b1", "1e5kB", "1.5kb"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *script = text_format("a\n  %s b", words[i]);
        char *tokens = tokens_of_bytes(script, strlen(script), true, true);
        char *number =
            text_format("2:3: bad number '%.*s", (int)(strcspn(words[i], "+")), words[i]);

        assert_non_null(strstr(tokens, "1:1* a\n2:3* BAD\n"));
        assert_non_null(strstr(tokens, number));
        assert_non_null(
            strstr(tokens, strchr(words[i], '.') || strstr(words[i], "e5")
                               ? "a double has no unit; put a space before any other word"
                               : "units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb "
                                 "GB GiB (2^30)"));
        free(number);
        free(tokens);
        free(script);
    }
    check(" 64b c",
          "1:2* BAD\n1:6 c\n1:6 EOF\n"
          "1:2: bad number '64b': the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb "
          "GB GiB (2^30); put a space before any other word\n");
    check("0xg",
          "1:1* BAD\n1:1 EOF\n"
          "1:1: bad number '0xg': 0x must be followed by hexadecimal digits, without a unit\n");
    check("0x",
          "1:1* BAD\n1:1 EOF\n"
          "1:1: bad number '0x': 0x must be followed by hexadecimal digits, without a unit\n");
    check("0x10kb",
          "1:1* BAD\n1:1 EOF\n"
          "1:1: bad number '0x10kb': 0x must be followed by hexadecimal digits, without a unit\n");
    check("1.2.3", "1:1* BAD\n1:1 EOF\n1:1: bad number '1.2.3': it has two dots\n");
    check("1e999", "1:1* BAD\n1:1 EOF\n1:1: bad number '1e999': it is too large for a double\n");
}

TEST(integers_out_of_range)
{
    static const char *const numbers[] = {"9223372036854775808", "0x8000000000000000",
                                          "8589934592GB", "99999999999999999999kb"};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *script = text_format("x = %s", numbers[i]);
        char *expected = text_format("1:1* x\n1:3 '='\n1:5 BAD\n1:5 EOF\n1:5: bad number '%s': the "
                                     "largest integer is 9223372036854775807\n",
                                     numbers[i]);

        check(script, expected);
        free(expected);
        free(script);
    }
}

TEST(strings)
{
    check("\"\" \"a#b\\\" 'c", "1:1* \"\"\n1:4 \"a#b\\\"\n1:12 c\n1:12 EOF\n"
                               "1:11: illegal character ''': write strings in double quotes\n");
    check("\"one\n two\" x\ny", "1:1* \"one\n two\"\n2:7 x\n3:1* y\n3:1 EOF\n");
    check("a \"\xc3\xa4\" b", "1:1* a\n1:3 \"\xc3\xa4\"\n1:8 b\n1:8 EOF\n");
}

TEST(unterminated_strings)
{
    check("a\n b \"cd\ne f\n", "1:1* a\n2:2* b\n2:4 \"cd\"\n3:1* e\n3:3 f\n3:3 EOF\n"
                               "2:4: this string does not end: its closing '\"' is missing\n");
    check("\"", "1:1* \"\"\n1:1 EOF\n1:1: this string does not end: its closing '\"' is missing\n");
    check("p \"a\np \"b\"\n", "1:1* p\n1:3 \"a\np \"\n2:4 b\n2:5 \"\"\n2:5 EOF\n"
                              "2:5: this string does not end: its closing '\"' is missing, or that "
                              "of the string that begins on line 1\n");
    check("p \"a\np \"b\"\nend\n", "1:1* p\n1:3 \"a\np \"\n2:4 b\n2:5 \"\"\n2:5 EOF\n"
                                   "2:5: this string does not end: its closing '\"' is missing, or "
                                   "that of the string that begins on line 1\n");
}

TEST(spellings_of_other_languages)
{
    check("a\n&& b",
          "1:1* a\n2:1* 'and'\n2:4 b\n2:4 EOF\n2:1: '&&' is not an operator: write 'and'\n");
    check_values("||", "'or'\nEOF\n1:1: '||' is not an operator: write 'or'\n");
    check_values("!a", "'not'\na\nEOF\n1:1: '!' is not an operator: write 'not'\n");
    check_values("=<", "'<='\nEOF\n1:1: '=<' is not an operator: write '<='\n");
    check_values("=>", "'>='\nEOF\n1:1: '=>' is not an operator: write '>='\n");
    check_values(":=", "'='\nEOF\n1:1: ':=' is not an operator: write '='\n");
    check_values("**", "'*'\nEOF\n1:1: '**' is not an operator: write power(x, y)\n");
    check_values("^", "'*'\nEOF\n1:1: '^' is not an operator: write power(x, y)\n");
    check_values(
        "a..b",
        "a\n'...'\nb\nEOF\n1:2: '..' is not an operator: write '...' for a loop without end\n");
    check_values("'abc'", "\"abc\"\nEOF\n1:1: write strings in double quotes: \"...\"\n");
    check("a // b\nc /* d", "1:1* a\n2:1* c\n2:1 EOF\n1:3: a comment begins with '#'\n"
                            "2:3: a comment begins with '#'\n");
}

TEST(illegal_characters)
{
    static const char nul[] = "a \0\0 b\n\"c\0\"#\0\nd";

    check("a; b", "1:1* a\n1:4 b\n1:4 EOF\n"
                  "1:2: illegal character ';': statements need no separator: remove it\n");
    check("a\n $ b", "1:1* a\n2:4* b\n2:4 EOF\n2:2: illegal character '$'\n");
    check("a \\\nb",
          "1:1* a\n2:1* b\n2:1 EOF\n"
          "1:3: illegal character '\\': a statement continues on the next line without it\n");
    check("a\rb", "1:1* a\n1:3 b\n1:3 EOF\n1:2: carriage return that does not end a line\n");
    check("\f", "1:1 EOF\n1:1: illegal byte 0x0c\n");
    check("\xe4 x", "1:3* x\n1:3 EOF\n1:1: illegal byte 0xe4\n");
    check("a \xc3\xa4\xc3\xb6 b", "1:1* a\n1:8 b\n1:8 EOF\n1:3: illegal character '\xc3\xa4': only "
                                  "strings and comments may contain characters other than ASCII\n");
    check("5 \xe2\x80\x93 3", "1:1* 5\n1:7 3\n1:7 EOF\n"
                              "1:3: illegal character '\xe2\x80\x93': the minus sign is '-'\n");
    check("\xe2\x80\x9c",
          "1:1 EOF\n1:1: illegal character '\xe2\x80\x9c': write strings in plain double quotes\n");
    check("# \xe4\xc3 \x01\n", "1:1 EOF\n");
    check("@foo x", "1:6* x\n1:6 EOF\n"
                    "1:1: unknown directive '@foo': the only one is @include \"file\"\n");
    assert_text(tokens_of_bytes(nul, sizeof nul - 1, true, true),
                "1:1* a\n1:6 b\n2:1* \"c\"\n3:1* d\n3:1 EOF\n"
                "1:3: NUL byte: a script is plain text\n2:1: this string contains a NUL byte\n");
}

TEST(byte_order_marks)
{
    check("\xef\xbb\xbfx", "1:1* x\n1:1 EOF\n");
    check("x \xef\xbb\xbf", "1:1* x\n1:1 EOF\n1:3: illegal character '\xef\xbb\xbf': only strings "
                            "and comments may contain characters other than ASCII\n");
    assert_text(tokens_of_bytes("\xff\xfex\0=\0", 6, true, true),
                "1:1 EOF\n1:1: this is UTF-16 text: save it as UTF-8 or ASCII\n");
}

TEST(includes)
{
    write_file("a.inc", "b = 1 # no newline");
    write_file("c.inc", "# comments only\n\n");
    check("x @include \"a.inc\" y\nz\n",
          "1:1* x\na.inc:1:1* b\na.inc:1:3 '='\na.inc:1:5 1\n1:20 y\n"
          "2:1* z\n2:1 EOF\n");
    check("x\n@include\t \"c.inc\"\n", "1:1* x\n1:1 EOF\n");
    check("@include \"a.inc\"\n@include \"a.inc\"",
          "a.inc:1:1* b\na.inc:1:3 '='\na.inc:1:5 1\na.inc:1:1* b\na.inc:1:3 '='\na.inc:1:5 1\n"
          "a.inc:1:5 EOF\n");
    check("@include \"c.inc\"", "1:1 EOF\n");
}

TEST(bad_includes)
{
    static const char nul[] = "@include \"a\0b\"";

    check("x\n  @include \"none.inc\" y",
          "1:1* x\n2:23* y\n2:23 EOF\n2:12: cannot read the include "
          "'none.inc': No such file or directory\n");
    check("  @include\n\"a.inc\"",
          "2:1* \"a.inc\"\n2:1 EOF\n1:3: @include needs the name of a file "
          "in double quotes, on the same line\n");
    check("@include a.inc", "1:10* a\n1:11 '.'\n1:12 inc\n1:12 EOF\n1:1: @include needs the "
                            "name of a file in double quotes, on the same line\n");
    check("@include",
          "1:1 EOF\n1:1: @include needs the name of a file in double quotes, on the same line\n");
    check("@include \"a.inc\nx", "2:1* x\n2:1 EOF\n1:10: the name of the included file has no "
                                 "closing '\"'\n");
    check("@include \"\" x", "1:13* x\n1:13 EOF\n1:10: @include needs the name of a file\n");
    check("@included \"a.inc\"", "1:11* \"a.inc\"\n1:11 EOF\n1:1: unknown directive '@included': "
                                 "the only one is @include \"file\"\n");
    assert_text(tokens_of_bytes(nul, sizeof nul - 1, true, true),
                "1:1 EOF\n1:10: the name of the included file has no closing '\"': it contains a "
                "NUL byte\n");
    assert_text(tokens_of_bytes("@include \"a.inc\" x", 18, true, false),
                "1:18* x\n1:18 EOF\n1:1: @include is not allowed here\n");
}

TEST(includes_of_itself)
{
    write_file("self.inc", "a\n @include \"self.inc\"\nb\n");
    check("@include \"self.inc\" c",
          "self.inc:1:1* a\nself.inc:3:1* b\n1:21* c\n1:21 EOF\nself.inc:2:11: this file includes "
          "itself: t -> self.inc -> self.inc\n");
    write_file("one.inc", "@include \"two.inc\"\n");
    write_file("two.inc", "@include \"one.inc\"\n");
    check("@include \"one.inc\"", "1:1 EOF\ntwo.inc:1:10: this file includes itself: t -> one.inc "
                                  "-> two.inc -> one.inc\n");
}

TEST(at_most_ten_files_at_once)
{
    struct text chain = {0};
    char *expected;

    text_append(&chain, "t");
    for (int i = 1; i <= 10; i++) {
        char *name = text_format("n%d.inc", i),
             *text = text_format("@include \"n%d.inc\"\n", i + 1);

        write_file(name, i < 9 ? text : "x");
        text_append(&chain, " -> %s", name);
        free(name);
        free(text);
    }
    check("@include \"n1.inc\"", "n9.inc:1:1* x\nn9.inc:1:1 EOF\n");
    write_file("n9.inc", "y @include \"n10.inc\" z");
    expected = text_format("n9.inc:1:1* y\nn9.inc:1:22 z\nn9.inc:1:22 EOF\nn9.inc:1:12: includes "
                           "are nested more than 10 files deep: %s\n",
                           chain.data);
    check("@include \"n1.inc\"", expected);
    free(expected);
    text_release(&chain);
}

/* Includes that double on each level must not take for ever. */
TEST(expansion_is_limited)
{
    char *tokens;

    for (int i = 1; i <= 9; i++) {
        struct text text = {0};
        char *name = text_format("m%d.inc", i);

        for (int k = 0; k < 200 && i < 9; k++)
            text_append(&text, "@include \"m%d.inc\"\n", i + 1);
        write_file(name, text.length > 0 ? text.data : "# end\n");
        text_release(&text);
        free(name);
    }
    tokens = tokens_of_bytes("@include \"m1.inc\"", 17, true, true);
    assert_non_null(strstr(tokens, "all includes together are longer than 16 MiB\n"));
    free(tokens);
}

TEST(expanded_text)
{
    static const char script[] = "a # one\n  @include \"e.inc\"  \nb @include \"e.inc\" c\nd\n";
    struct source *source = source_from_text("t", script, sizeof script - 1);
    struct diag *diag = diag_create(source);
    struct lexer *lexer = lexer_create(source, diag, 0, true);
    size_t length;

    write_file("e.inc", "# in\nx");
    assert_int_equal(lexer_next(lexer).expanded_end, 1);
    while (lexer_next(lexer).kind != TOKEN_EOF)
        ;
    assert_false(lexer_incomplete(lexer));
    assert_string_equal(lexer_expanded(lexer, &length), "a # one\n# in\nx\nb # in\nx\n c\nd\n");
    lexer_release(lexer);
    diag_release(diag);
    source_release(source);
}

TEST_GROUP(make_folder, remove_folder)
