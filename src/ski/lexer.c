/* Splits the text of a script and its includes into tokens. */
#include "ski/lexer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Includes of includes can multiply; this limits what they expand to. */
#define EXPANSION_LIMIT ((size_t)16 << 20)
#define INCLUDE_COST 1024

/* A file being read. */
struct frame {
    int file;
    const char *text;
    size_t length, at;
    int line;
    size_t line_start;
    size_t copied; /* up to where the text is in expanded; past at after an @include */
    int last_token_line;
    int long_string_line; /* where the last string of several lines began */
};

struct lexer {
    struct source *source;
    struct diag *diag;
    bool includes, incomplete;
    struct frame frames[LEXER_INCLUDE_DEPTH];
    int depth;
    size_t included;
    struct position last;
    struct text expanded;
};

/* Longest first. A spelling of another language is an error, and is then taken for what it means.
 */
static const struct spelling {
    const char *text;
    enum token_kind kind;
    const char *mistake;
} spellings[] = {
    {"...", TOKEN_DOTS, NULL},
    {"<=", TOKEN_LESS_EQUAL, NULL},
    {">=", TOKEN_GREATER_EQUAL, NULL},
    {"==", TOKEN_EQUAL, NULL},
    {"!=", TOKEN_NOT_EQUAL, NULL},
    {"<>", TOKEN_NOT_EQUAL, NULL},
    {"=<", TOKEN_LESS_EQUAL, "'=<' is not an operator: write '<='"},
    {"=>", TOKEN_GREATER_EQUAL, "'=>' is not an operator: write '>='"},
    {":=", TOKEN_ASSIGN, "':=' is not an operator: write '='"},
    {"&&", TOKEN_AND, "'&&' is not an operator: write 'and'"},
    {"||", TOKEN_OR, "'||' is not an operator: write 'or'"},
    {"**", TOKEN_STAR, "'**' is not an operator: write power(x, y)"},
    {"..", TOKEN_DOTS, "'..' is not an operator: write '...' for a loop without end"},
    {"!", TOKEN_NOT, "'!' is not an operator: write 'not'"},
    {"^", TOKEN_STAR, "'^' is not an operator: write power(x, y)"},
    {"<", TOKEN_LESS, NULL},
    {">", TOKEN_GREATER, NULL},
    {"+", TOKEN_PLUS, NULL},
    {"-", TOKEN_MINUS, NULL},
    {"*", TOKEN_STAR, NULL},
    {"/", TOKEN_SLASH, NULL},
    {"%", TOKEN_PERCENT, NULL},
    {"&", TOKEN_AMPERSAND, NULL},
    {"|", TOKEN_BAR, NULL},
    {"~", TOKEN_TILDE, NULL},
    {"=", TOKEN_ASSIGN, NULL},
    {"(", TOKEN_LEFT_PAREN, NULL},
    {")", TOKEN_RIGHT_PAREN, NULL},
    {"[", TOKEN_LEFT_BRACKET, NULL},
    {"]", TOKEN_RIGHT_BRACKET, NULL},
    {"{", TOKEN_LEFT_BRACE, NULL},
    {"}", TOKEN_RIGHT_BRACE, NULL},
    {",", TOKEN_COMMA, NULL},
    {":", TOKEN_COLON, NULL},
    {".", TOKEN_DOT, NULL},
};

static const struct {
    const char *text, *remedy;
} remedies[] = {
    {";", "statements need no separator: remove it"},
    {"\\", "a statement continues on the next line without it"},
    {"'", "write strings in double quotes"},
    {"\xe2\x80\x9c", "write strings in plain double quotes"},
    {"\xe2\x80\x9d", "write strings in plain double quotes"},
    {"\xe2\x80\x9e", "write strings in plain double quotes"},
    {"\xe2\x80\x93", "the minus sign is '-'"},
    {"\xe2\x80\x94", "the minus sign is '-'"},
    {"\xe2\x88\x92", "the minus sign is '-'"},
    {"\xc3\x97", "the multiplication sign is '*'"},
    {"\xe2\x89\xa4", "write '<='"},
    {"\xe2\x89\xa5", "write '>='"},
    {"\xe2\x89\xa0", "write '!='"},
    {"\xc2\xa0", "this is a no-break space: write a plain one"},
};

static const struct {
    const char *name;
    int shift;
} units[] = {{"kb", 10}, {"kB", 10},  {"KB", 10}, {"KiB", 10}, {"mb", 20},
             {"MB", 20}, {"MiB", 20}, {"gb", 30}, {"GB", 30},  {"GiB", 30}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct frame *top(struct lexer *lexer)
{
    return &lexer->frames[lexer->depth - 1];
}

/* The byte i after the reading position; NUL after the end. */
static char peek(const struct frame *frame, size_t i)
{
    return frame->at + i < frame->length ? frame->text[frame->at + i] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct position here(const struct frame *frame)
{
    return (struct position){frame->file, frame->line, (int)(frame->at - frame->line_start) + 1};
}

static void push(struct lexer *lexer, int file)
{
    struct frame *frame = &lexer->frames[lexer->depth++];

    *frame = (struct frame){.file = file, .line = 1};
    frame->text = source_text(lexer->source, file, &frame->length);
    if (frame->length >= 2 &&
        (memcmp(frame->text, "\xff\xfe", 2) == 0 || memcmp(frame->text, "\xfe\xff", 2) == 0)) {
        diag_error(lexer->diag, here(frame), "this is UTF-16 text: save it as UTF-8 or ASCII");
        frame->length = 0;
    }
}

struct lexer *lexer_create(struct source *source, struct diag *diag, int file, bool includes)
{
    struct lexer *lexer = memory_zeroed(1, sizeof *lexer);

    lexer->source = source;
    lexer->diag = diag;
    lexer->includes = includes;
    push(lexer, file);
    lexer->last = here(top(lexer));
    return lexer;
}

void lexer_release(struct lexer *lexer)
{
    text_release(&lexer->expanded);
    free(lexer);
}

const char *lexer_expanded(const struct lexer *lexer, size_t *length)
{
    *length = lexer->expanded.length;
    return lexer->expanded.length > 0 ? lexer->expanded.data : "";
}

bool lexer_incomplete(const struct lexer *lexer)
{
    return lexer->incomplete;
}

static void copy_until(struct lexer *lexer, struct frame *frame, size_t end)
{
    if (end <= frame->copied)
        return;
    text_append_bytes(&lexer->expanded, frame->text + frame->copied, end - frame->copied);
    frame->copied = end;
}

static void new_line(struct frame *frame)
{
    frame->at++;
    frame->line++;
    frame->line_start = frame->at;
}

static void skip_line(struct frame *frame)
{
    const char *end = memchr(frame->text + frame->at, '\n', frame->length - frame->at);

    frame->at = !end ? frame->length : (size_t)(end - frame->text);
}

/* ---- includes ---- */

/* "a -> b -> c", the files being read and then name. */
static char *include_chain(const struct lexer *lexer, const char *name)
{
    struct text chain = {0};

    for (int i = 0; i < lexer->depth; i++)
        text_append(&chain, "%s -> ", source_name(lexer->source, lexer->frames[i].file));
    text_append(&chain, "%s", name);
    return text_take(&chain);
}

static bool is_open(const struct lexer *lexer, int file)
{
    for (int i = 0; i < lexer->depth; i++)
        if (lexer->frames[i].file == file)
            return true;
    return false;
}

static void include_file(struct lexer *lexer, const char *path, struct position where)
{
    static const char too_long[] = "all includes together are longer than 16 MiB";
    char *error = NULL, *chain = NULL;
    size_t length;
    int file;

    lexer->incomplete = true;
    if (lexer->included > EXPANSION_LIMIT) {
        diag_error(lexer->diag, where, "%s", too_long);
        return;
    }
    file = source_include(lexer->source, path, &error);
    if (file < 0) {
        diag_error(lexer->diag, where, "%s", error);
        free(error);
        return;
    }
    source_text(lexer->source, file, &length);
    chain = include_chain(lexer, source_name(lexer->source, file));
    if (is_open(lexer, file))
        diag_error(lexer->diag, where, "this file includes itself: %s", chain);
    else if (lexer->depth == LEXER_INCLUDE_DEPTH)
        diag_error(lexer->diag, where, "includes are nested more than %d files deep: %s",
                   LEXER_INCLUDE_DEPTH, chain);
    else if ((lexer->included += length + INCLUDE_COST) > EXPANSION_LIMIT)
        diag_error(lexer->diag, where, "%s", too_long);
    else {
        lexer->incomplete = false;
        push(lexer, file);
    }
    free(chain);
}

/* Takes the line of an @include out of the expanded text if nothing else is on it. */
static void cut_include(struct lexer *lexer, struct frame *frame, size_t from, size_t to)
{
    size_t begin = from, end = to;

    while (begin > frame->line_start && isblank((unsigned char)frame->text[begin - 1]))
        begin--;
    while (end < frame->length && strchr(" \t\r", frame->text[end]) && frame->text[end] != '\0')
        end++;
    if (begin == frame->line_start && end < frame->length && frame->text[end] == '\n') {
        from = begin;
        to = end + 1;
    }
    copy_until(lexer, frame, from);
    if (frame->copied < to)
        frame->copied = to;
}

/* At an '@'. Reads the directive and enters the file. */
static void read_directive(struct lexer *lexer)
{
    struct frame *frame = top(lexer);
    struct position keyword = here(frame), where;
    size_t start = frame->at, length = 1, begin;
    bool was_incomplete = lexer->incomplete;
    char *path;

    while (is_letter(peek(frame, length)) || is_digit(peek(frame, length)))
        length++;
    if (length != 8 || memcmp(frame->text + start, "@include", 8) != 0) {
        diag_error(lexer->diag, keyword,
                   "unknown directive '%.*s': the only one is @include \"file\"",
                   (int)(length < 40 ? length : 40), frame->text + start);
        frame->at += length;
        return;
    }
    frame->at += length;
    while (peek(frame, 0) == ' ' || peek(frame, 0) == '\t')
        frame->at++;
    lexer->incomplete = true;
    if (peek(frame, 0) != '"') {
        diag_error(lexer->diag, keyword,
                   "@include needs the name of a file in double quotes, on the same line");
        return;
    }
    where = here(frame);
    begin = ++frame->at;
    while (frame->at < frame->length && !strchr("\"\n", peek(frame, 0)))
        frame->at++;
    if (peek(frame, 0) != '"') {
        diag_error(lexer->diag, where, "the name of the included file has no closing '\"'%s",
                   peek(frame, 0) == '\0' && frame->at < frame->length ? ": it contains a NUL byte"
                                                                       : "");
        skip_line(frame);
        return;
    }
    path = text_format("%.*s", (int)(frame->at - begin), frame->text + begin);
    frame->at++;
    cut_include(lexer, frame, start, frame->at);
    if (!lexer->includes)
        diag_error(lexer->diag, keyword, "@include is not allowed here");
    else if (*path == '\0')
        diag_error(lexer->diag, where, "@include needs the name of a file");
    else {
        include_file(lexer, path, where);
        lexer->incomplete = lexer->incomplete || was_incomplete;
    }
    free(path);
}

/* ---- tokens ---- */

static struct token token_begin(const struct frame *frame, enum token_kind kind)
{
    return (struct token){
        .kind = kind, .where = here(frame), .text = frame->text + frame->at, .length = 1};
}

static size_t count_word(const struct frame *frame, size_t from)
{
    size_t i = from;

    while (is_letter(peek(frame, i)) || is_digit(peek(frame, i)))
        i++;
    return i - from;
}

static size_t count_digits(const struct frame *frame, size_t from)
{
    size_t i = from;

    while (is_digit(peek(frame, i)))
        i++;
    return i - from;
}

static struct token read_word(struct frame *frame)
{
    struct token token = token_begin(frame, TOKEN_NAME);

    token.length = count_word(frame, 0);
    for (int kind = 0; kind < TOKEN_KINDS; kind++)
        if (token_keyword((enum token_kind)kind) &&
            token_says(&token, token_keyword((enum token_kind)kind)))
            token.kind = (enum token_kind)kind;
    frame->at += token.length;
    return token;
}

static bool read_digits(const char *digits, size_t count, int base, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = is_digit(digits[i]) ? digits[i] - '0' : tolower(digits[i]) - 'a' + 10;

        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

static bool apply_unit(const char *unit, size_t length, bool *in_range, int64_t *value)
{
    for (size_t i = 0; i < COUNT(units); i++) {
        if (strlen(units[i].name) != length || memcmp(units[i].name, unit, length) != 0)
            continue;
        if (__builtin_mul_overflow(*value, (int64_t)1 << units[i].shift, value))
            *in_range = false;
        return true;
    }
    return false;
}

static struct token bad_number(struct lexer *lexer, struct frame *frame, struct token token,
                               size_t length, const char *why)
{
    int shown = (int)(length < 40 ? length : 40);

    diag_error(lexer->diag, token.where, "bad number '%.*s': %s", shown, token.text, why);
    token.kind = TOKEN_BAD;
    token.length = length;
    frame->at += length;
    return token;
}

static struct token read_hexadecimal(struct lexer *lexer, struct frame *frame)
{
    struct token token = token_begin(frame, TOKEN_INTEGER);
    size_t word = count_word(frame, 2), digits = 0;

    while (isxdigit((unsigned char)peek(frame, 2 + digits)))
        digits++;
    if (digits == 0 || digits < word)
        return bad_number(lexer, frame, token, 2 + word,
                          "0x must be followed by hexadecimal digits, without a unit");
    if (!read_digits(token.text + 2, digits, 16, &token.integer))
        return bad_number(lexer, frame, token, 2 + digits,
                          "the largest integer is 9223372036854775807");
    token.length = 2 + digits;
    frame->at += token.length;
    return token;
}

/* Length of an exponent "e+10" at i, 0 when there is none. */
static size_t count_exponent(const struct frame *frame, size_t i)
{
    size_t sign = peek(frame, i + 1) == '+' || peek(frame, i + 1) == '-';
    size_t digits;

    if (peek(frame, i) != 'e' && peek(frame, i) != 'E')
        return 0;
    digits = count_digits(frame, i + 1 + sign);
    return digits > 0 ? 1 + sign + digits : 0;
}

static struct token read_number(struct lexer *lexer, struct frame *frame)
{
    struct token token = token_begin(frame, TOKEN_INTEGER);
    size_t digits = count_digits(frame, 0), length = digits, word;
    bool in_range, unit = false;

    if (peek(frame, 0) == '0' && (peek(frame, 1) == 'x' || peek(frame, 1) == 'X'))
        return read_hexadecimal(lexer, frame);
    if (peek(frame, length) == '.' && peek(frame, length + 1) != '.') {
        token.kind = TOKEN_REAL;
        length += 1 + count_digits(frame, length + 1);
    }
    if (count_exponent(frame, length) > 0) {
        token.kind = TOKEN_REAL;
        length += count_exponent(frame, length);
    }
    word = count_word(frame, length);
    if (token.kind == TOKEN_REAL) {
        if (word > 0)
            return bad_number(lexer, frame, token, length + word,
                              "a double has no unit; put a space before any other word");
        if (peek(frame, length) == '.' && is_digit(peek(frame, length + 1)))
            return bad_number(lexer, frame, token, length + 1 + count_word(frame, length + 1),
                              "it has two dots");
        token.real = strtod(token.text, NULL);
        if (isinf(token.real))
            return bad_number(lexer, frame, token, length, "it is too large for a double");
    } else {
        in_range = read_digits(token.text, digits, 10, &token.integer);
        unit = word > 0 && apply_unit(token.text + length, word, &in_range, &token.integer);
        if (word > 0 && !unit)
            return bad_number(lexer, frame, token, length + word,
                              "the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb GB GiB "
                              "(2^30); put a space before any other word");
        length += word;
        if (!in_range)
            return bad_number(lexer, frame, token, length,
                              "the largest integer is 9223372036854775807");
    }
    token.length = length;
    frame->at += length;
    return token;
}

static struct token read_string(struct lexer *lexer, struct frame *frame)
{
    struct token token = token_begin(frame, TOKEN_STRING);
    const char *begin = token.text + 1;
    size_t left = frame->length - frame->at - 1;
    const char *end = memchr(begin, '"', left);

    token.text = begin;
    frame->at++;
    if (!end) {
        if (frame->long_string_line > 0)
            diag_error(lexer->diag, token.where,
                       "this string does not end: its closing '\"' is missing, or that of the "
                       "string that begins on line %d",
                       frame->long_string_line);
        else
            diag_error(lexer->diag, token.where,
                       "this string does not end: its closing '\"' is missing");
        skip_line(frame);
        token.length = (size_t)(frame->text + frame->at - begin);
        return token;
    }
    token.length = (size_t)(end - begin);
    if (memchr(begin, '\0', token.length))
        diag_error(lexer->diag, token.where, "this string contains a NUL byte");
    while (frame->text + frame->at < end) {
        if (peek(frame, 0) != '\n') {
            frame->at++;
            continue;
        }
        frame->long_string_line = token.where.line;
        new_line(frame);
    }
    frame->at++;
    return token;
}

/* A string in single quotes, if it ends in its line. */
static bool read_single_quoted(struct lexer *lexer, struct frame *frame, struct token *token)
{
    size_t i = 1;

    while (peek(frame, i) != '\'' && peek(frame, i) != '\n' && peek(frame, i) != '\0')
        i++;
    if (peek(frame, i) != '\'')
        return false;
    *token = token_begin(frame, TOKEN_STRING);
    diag_error(lexer->diag, token->where, "write strings in double quotes: \"...\"");
    token->text++;
    token->length = i - 1;
    frame->at += i + 1;
    return true;
}

/* Reports a character that begins no token, and skips it with all such bytes that follow. */
static void reject(struct lexer *lexer, struct frame *frame)
{
    unsigned char c = (unsigned char)peek(frame, 0);
    const char *at = frame->text + frame->at;
    const char *remedy = NULL;
    size_t shown = 1;

    for (size_t i = 0; i < COUNT(remedies) && !remedy; i++) {
        size_t length = strlen(remedies[i].text);

        if (length <= frame->length - frame->at && memcmp(at, remedies[i].text, length) == 0)
            remedy = remedies[i].remedy;
    }
    if (c >= 0x80)
        while (((unsigned char)peek(frame, shown) & 0xc0) == 0x80 && shown < 4)
            shown++;
    if (remedy)
        diag_error(lexer->diag, here(frame), "illegal character '%.*s': %s", (int)shown, at,
                   remedy);
    else if (c == '\0')
        diag_error(lexer->diag, here(frame), "NUL byte: a script is plain text");
    else if (c == '\r')
        diag_error(lexer->diag, here(frame), "carriage return that does not end a line");
    else if (iscntrl(c) || (c >= 0x80 && shown == 1))
        diag_error(lexer->diag, here(frame), "illegal byte 0x%02x", c);
    else if (c >= 0x80)
        diag_error(lexer->diag, here(frame),
                   "illegal character '%.*s': only strings and comments may contain characters "
                   "other than ASCII",
                   (int)shown, at);
    else
        diag_error(lexer->diag, here(frame), "illegal character '%c'", c);
    frame->at += shown;
    while ((unsigned char)peek(frame, 0) >= 0x80 ||
           (frame->at < frame->length && peek(frame, 0) == '\0'))
        frame->at++;
}

static bool read_operator(struct lexer *lexer, struct frame *frame, struct token *token)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const struct spelling *spelling = &spellings[i];
        size_t length = strlen(spelling->text);

        if (length > frame->length - frame->at ||
            memcmp(frame->text + frame->at, spelling->text, length) != 0)
            continue;
        *token = token_begin(frame, spelling->kind);
        token->length = length;
        if (spelling->mistake)
            diag_error(lexer->diag, token->where, "%s", spelling->mistake);
        frame->at += length;
        return true;
    }
    return false;
}

/* Leaves an included file that is read to its end. */
static void pop(struct lexer *lexer)
{
    struct text *expanded = &lexer->expanded;

    copy_until(lexer, top(lexer), top(lexer)->length);
    if (expanded->length > 0 && expanded->data[expanded->length - 1] != '\n')
        text_append_bytes(expanded, "\n", 1);
    lexer->depth--;
}

/* Skips what separates tokens. False when no character is left at all. */
static bool skip_space(struct lexer *lexer)
{
    while (true) {
        struct frame *frame = top(lexer);
        char c = peek(frame, 0);

        if (frame->at >= frame->length) {
            if (lexer->depth == 1)
                return false;
            pop(lexer);
        } else if (c == '\n') {
            new_line(frame);
        } else if (c == ' ' || c == '\t') {
            frame->at++;
        } else if (c == '\r' && (peek(frame, 1) == '\n' || frame->at + 1 == frame->length)) {
            frame->at++;
        } else if (c == '#') {
            skip_line(frame);
        } else if (c == '/' && (peek(frame, 1) == '/' || peek(frame, 1) == '*')) {
            diag_error(lexer->diag, here(frame), "a comment begins with '#'");
            skip_line(frame);
        } else if (c == '@') {
            read_directive(lexer);
        } else {
            return true;
        }
    }
}

static bool read_token(struct lexer *lexer, struct token *token)
{
    struct frame *frame = top(lexer);
    char c = peek(frame, 0);

    if (is_letter(c))
        *token = read_word(frame);
    else if (is_digit(c) || (c == '.' && is_digit(peek(frame, 1))))
        *token = read_number(lexer, frame);
    else if (c == '"')
        *token = read_string(lexer, frame);
    else if (c == '\'' && read_single_quoted(lexer, frame, token))
        return true;
    else
        return read_operator(lexer, frame, token);
    return true;
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {.kind = TOKEN_EOF};
    struct frame *frame;

    while (skip_space(lexer)) {
        frame = top(lexer);
        if (!read_token(lexer, &token)) {
            reject(lexer, frame);
            continue;
        }
        copy_until(lexer, frame, frame->at);
        token.starts_line = frame->last_token_line != token.where.line;
        frame->last_token_line = frame->line;
        token.expanded_end = lexer->expanded.length;
        lexer->last = token.where;
        return token;
    }
    frame = top(lexer);
    copy_until(lexer, frame, frame->length);
    token.where = lexer->last;
    token.text = "";
    token.expanded_end = lexer->expanded.length;
    return token;
}
