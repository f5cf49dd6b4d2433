/* Splits the text of a script and its includes into tokens. */
#include "ski/lexer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Includes of includes can multiply; this limits what they expand to. */
#define EXPANSION_LIMIT ((size_t)16 << 20)
#define INCLUDE_COST 1024

/* A file and the place in it. */
struct cursor {
    int file;
    const char *at, *end; /* what is left of its text, which a NUL byte follows */
    int line;
    const char *line_start;
    const char *copied; /* as far as the expanded text goes; beyond `at` after an @include */
    int last_token_line;
    int long_string_line; /* where the last string of several lines began */
};

struct lexer {
    struct source *source;
    struct diag *diag;
    bool includes, incomplete;
    struct cursor cursors[LEXER_INCLUDE_DEPTH];
    int depth;
    size_t included;
    struct position last;
    struct text expanded;
};

/* What tokens are in a script. The first that is no mistake is how messages show a kind. Operators:
 * the longest come first, since the first match wins. A spelling of another language (&&) is
 * reported as an error, and then read as the token that it stands for. */
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
    {"and", TOKEN_AND, NULL},
    {"autorefine", TOKEN_AUTOREFINE, NULL},
    {"begin", TOKEN_BEGIN, NULL},
    {"diagram", TOKEN_DIAGRAM, NULL},
    {"do", TOKEN_DO, NULL},
    {"else", TOKEN_ELSE, NULL},
    {"elseif", TOKEN_ELSEIF, NULL},
    {"end", TOKEN_END, NULL},
    {"fi", TOKEN_FI, NULL},
    {"flush", TOKEN_FLUSH, NULL},
    {"for", TOKEN_FOR, NULL},
    {"if", TOKEN_IF, NULL},
    {"in", TOKEN_IN, NULL},
    {"measure", TOKEN_MEASURE, NULL},
    {"measurement", TOKEN_MEASUREMENT, NULL},
    {"method", TOKEN_METHOD, NULL},
    {"multipleof", TOKEN_MULTIPLEOF, NULL},
    {"not", TOKEN_NOT, NULL},
    {"od", TOKEN_OD, NULL},
    {"or", TOKEN_OR, NULL},
    {"print", TOKEN_PRINT, NULL},
    {"print_all", TOKEN_PRINT_ALL, NULL},
    {"result", TOKEN_RESULT, NULL},
    {"step", TOKEN_STEP, NULL},
    {"then", TOKEN_THEN, NULL},
    {"to", TOKEN_TO, NULL},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Names of tokens ---- */

static const struct spelling *spelling_of(enum token_kind kind)
{
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (spellings[i].kind == kind && !spellings[i].mistake)
            return &spellings[i];
    return NULL;
}

const char *token_kind_name(enum token_kind kind)
{
    static char quoted[32];
    const struct spelling *spelling = spelling_of(kind);

    if (!spelling)
        return kind == TOKEN_EOF      ? "the end of the script"
               : kind == TOKEN_NAME   ? "a name"
               : kind == TOKEN_STRING ? "a string"
                                      : "a number";
    snprintf(quoted, sizeof quoted, "'%s'", spelling->text);
    return quoted;
}

const char *token_keyword(enum token_kind kind)
{
    return kind > TOKEN_BAD && kind < TOKEN_LESS ? spelling_of(kind)->text : NULL;
}

bool token_says(const struct token *token, const char *word)
{
    return token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}

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

/* ---- The place in a file ---- */

static struct position here(const struct cursor *cursor)
{
    return (struct position){cursor->file, cursor->line,
                             (int)(cursor->at - cursor->line_start) + 1};
}

/* A token of one byte that begins here. */
static struct token token_here(const struct cursor *cursor, enum token_kind kind)
{
    return (struct token){.kind = kind, .where = here(cursor), .text = cursor->at, .length = 1};
}

#define DIGITS "0123456789"

/* How many letters and digits follow, or digits. */
static size_t count_word(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" DIGITS);
}

static size_t count_digits(const char *text)
{
    return strspn(text, DIGITS);
}

static struct cursor *top(struct lexer *lexer)
{
    return &lexer->cursors[lexer->depth - 1];
}

static void push(struct lexer *lexer, int file)
{
    struct cursor *cursor = &lexer->cursors[lexer->depth++];

    size_t length;
    const char *text = source_text(lexer->source, file, &length);

    *cursor = (struct cursor){.file = file,
                              .at = text,
                              .end = text + length,
                              .line = 1,
                              .line_start = text,
                              .copied = text};
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        diag_error(lexer->diag, here(cursor), "this is UTF-16 text: save it as UTF-8 or ASCII");
        cursor->end = text;
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

static void copy_until(struct lexer *lexer, struct cursor *cursor, const char *end)
{
    if (end <= cursor->copied)
        return;
    text_append_bytes(&lexer->expanded, cursor->copied, (size_t)(end - cursor->copied));
    cursor->copied = end;
}

static void new_line(struct cursor *cursor)
{
    cursor->at++;
    cursor->line++;
    cursor->line_start = cursor->at;
}

static void skip_line(struct cursor *cursor)
{
    const char *end = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));

    cursor->at = end ? end : cursor->end;
}

/* ---- Includes ---- */

static void include_file(struct lexer *lexer, const char *path, struct position where)
{
    static const char too_long[] = "all includes together are longer than 16 MiB";
    struct text chain = {0}; /* "a -> b -> c": the files being read, and this one */
    bool is_open = false;
    char *error = NULL;
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
    for (int i = 0; i < lexer->depth; i++) {
        text_append(&chain, "%s -> ", source_name(lexer->source, lexer->cursors[i].file));
        is_open = is_open || lexer->cursors[i].file == file;
    }
    text_append(&chain, "%s", source_name(lexer->source, file));
    if (is_open)
        diag_error(lexer->diag, where, "this file includes itself: %s", chain.data);
    else if (lexer->depth == LEXER_INCLUDE_DEPTH)
        diag_error(lexer->diag, where, "includes are nested more than %d files deep: %s",
                   LEXER_INCLUDE_DEPTH, chain.data);
    else if ((lexer->included += length + INCLUDE_COST) > EXPANSION_LIMIT)
        diag_error(lexer->diag, where, "%s", too_long);
    else {
        lexer->incomplete = false;
        push(lexer, file);
    }
    text_release(&chain);
}

/* Takes the line of an @include out of the expanded text if nothing else is on it. */
static void cut_include(struct lexer *lexer, struct cursor *cursor, const char *from)
{
    const char *begin = from, *to = cursor->at, *end = to + strspn(to, " \t\r");

    while (begin > cursor->line_start && isblank((unsigned char)begin[-1]))
        begin--;
    if (begin == cursor->line_start && *end == '\n') {
        from = begin;
        to = end + 1;
    }
    copy_until(lexer, cursor, from);
    if (cursor->copied < to)
        cursor->copied = to;
}

/* At an '@'. Reads the directive and enters the file. */
static void read_directive(struct lexer *lexer)
{
    struct cursor *cursor = top(lexer);
    struct position keyword = here(cursor), where;
    const char *start = cursor->at, *name;
    size_t length = 1 + count_word(start + 1);
    bool was_incomplete = lexer->incomplete;

    cursor->at += length;
    if (length != 8 || memcmp(start, "@include", 8) != 0) {
        diag_error(lexer->diag, keyword,
                   "unknown directive '%.*s': the only one is @include \"file\"",
                   (int)(length < 40 ? length : 40), start);
        return;
    }
    cursor->at += strspn(cursor->at, " \t");
    lexer->incomplete = true;
    if (*cursor->at != '"') {
        diag_error(lexer->diag, keyword,
                   "@include needs the name of a file in double quotes, on the same line");
        return;
    }
    where = here(cursor);
    name = ++cursor->at;
    cursor->at += strcspn(name, "\"\n");
    if (*cursor->at != '"') {
        diag_error(lexer->diag, where, "the name of the included file has no closing '\"'%s",
                   *cursor->at == '\0' && cursor->at < cursor->end ? ": it contains a NUL byte"
                                                                   : "");
        skip_line(cursor);
        return;
    }
    char *path = memory_text_part(name, (size_t)(cursor->at++ - name));

    cut_include(lexer, cursor, start);
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

/* ---- Numbers: integers with units, hexadecimal integers, doubles ---- */

static const struct {
    const char *name;
    int shift;
} units[] = {{"kb", 10}, {"kB", 10},  {"KB", 10}, {"KiB", 10}, {"mb", 20},
             {"MB", 20}, {"MiB", 20}, {"gb", 30}, {"GB", 30},  {"GiB", 30}};

static bool read_digits(const char *digits, size_t count, int base, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit =
            isdigit((unsigned char)digits[i]) ? digits[i] - '0' : tolower(digits[i]) - 'a' + 10;

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

bool lexer_integer(const char *text, int64_t *value)
{
    size_t digits = strspn(text, DIGITS);
    bool in_range = digits > 0 && read_digits(text, digits, 10, value);
    const char *unit = text + digits;
    return in_range && (*unit == '\0' || apply_unit(unit, strlen(unit), &in_range, value)) &&
           in_range;
}

/* Length of an exponent "e+10", 0 when there is none. */
static size_t count_exponent(const char *text)
{
    size_t sign, digits;

    if (*text != 'e' && *text != 'E')
        return 0;
    sign = text[1] == '+' || text[1] == '-';
    digits = count_digits(text + 1 + sign);
    return digits > 0 ? 1 + sign + digits : 0;
}

static const char too_large[] = "the largest integer is 9223372036854775807";

/* These read a number to token: its kind, value and length. NULL, or what is wrong. */

static const char *read_hexadecimal(struct token *token)
{
    const char *text = token->text + 2;
    size_t word = count_word(text), digits = strspn(text, DIGITS "abcdefABCDEF");

    token->length = 2 + word;
    if (digits == 0 || digits < word)
        return "0x must be followed by hexadecimal digits, without a unit";
    return read_digits(text, digits, 16, &token->integer) ? NULL : too_large;
}

static const char *read_real(size_t length, struct token *token)
{
    const char *rest = token->text + length;
    size_t word = count_word(rest);

    token->kind = TOKEN_REAL;
    token->length = length + word;
    if (word > 0)
        return "a double has no unit; put a space before any other word";
    if (*rest == '.' && isdigit((unsigned char)rest[1])) {
        token->length += 1 + count_word(rest + 1);
        return "it has two dots";
    }
    token->real = strtod(token->text, NULL);
    return isinf(token->real) ? "it is too large for a double" : NULL;
}

static const char *read_integer(size_t digits, struct token *token)
{
    const char *unit = token->text + digits;
    size_t word = count_word(unit);
    bool in_range = read_digits(token->text, digits, 10, &token->integer);

    token->length = digits + word;
    if (word > 0 && !apply_unit(unit, word, &in_range, &token->integer))
        return "the units are kb kB KB KiB (2^10), mb MB MiB (2^20), gb GB GiB (2^30); put a space "
               "before any other word";
    return in_range ? NULL : too_large;
}

/* The cursor is at a digit, or at a dot with a digit after it. TOKEN_BAD after an error. */
static struct token read_number(struct diag *diag, const struct cursor *cursor)
{
    struct token token = token_here(cursor, TOKEN_INTEGER);
    const char *at = cursor->at, *wrong;
    size_t digits = count_digits(at), length = digits;

    if (at[length] == '.' && at[length + 1] != '.')
        length += 1 + count_digits(at + length + 1);
    length += count_exponent(at + length);
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        wrong = read_hexadecimal(&token);
    else if (length > digits)
        wrong = read_real(length, &token);
    else
        wrong = read_integer(digits, &token);
    if (wrong) {
        diag_error(diag, token.where, "bad number '%.*s': %s",
                   (int)(token.length < 40 ? token.length : 40), token.text, wrong);
        token.kind = TOKEN_BAD;
    }
    return token;
}

/* ---- Other tokens ---- */

static struct token read_word(const struct cursor *cursor)
{
    struct token token = token_here(cursor, TOKEN_NAME);

    token.length = count_word(cursor->at);
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (token_says(&token, spellings[i].text))
            token.kind = spellings[i].kind;
    return token;
}

/* Goes past the string. */
static struct token read_string(struct lexer *lexer, struct cursor *cursor)
{
    struct token token = token_here(cursor, TOKEN_STRING);
    const char *begin = ++cursor->at;
    const char *end = memchr(begin, '"', (size_t)(cursor->end - begin));
    bool open = cursor->long_string_line > 0;

    token.text = begin;
    if (!end && open)
        diag_error(lexer->diag, token.where,
                   "this string does not end: its closing '\"' is missing, or that of the "
                   "string that begins on line %d",
                   cursor->long_string_line);
    else if (!end)
        diag_error(lexer->diag, token.where,
                   "this string does not end: its closing '\"' is missing");
    if (!end) {
        skip_line(cursor);
        token.length = (size_t)(cursor->at - begin);
        /* The rest may be the text of the string or not. Reading it would only report further
         * errors, so leave it out. */
        if (open)
            cursor->at = cursor->end;
        return token;
    }
    token.length = (size_t)(end - begin);
    if (memchr(begin, '\0', token.length))
        diag_error(lexer->diag, token.where, "this string contains a NUL byte");
    while (cursor->at < end)
        if (*cursor->at == '\n') {
            cursor->long_string_line = token.where.line;
            new_line(cursor);
        } else {
            cursor->at++;
        }
    cursor->at++;
    return token;
}

/* A string in single quotes, if it ends in its line. */
static bool read_single_quoted(struct lexer *lexer, struct cursor *cursor, struct token *token)
{
    size_t length = strcspn(cursor->at + 1, "'\n");

    if (cursor->at[1 + length] != '\'')
        return false;
    *token = token_here(cursor, TOKEN_STRING);
    diag_error(lexer->diag, token->where, "write strings in double quotes: \"...\"");
    token->text++;
    token->length = length;
    cursor->at += length + 2;
    return true;
}

/* Reports a character that begins no token, and skips it with all such bytes that follow. */
static void reject(struct lexer *lexer, struct cursor *cursor)
{
    const char *at = cursor->at, *remedy = NULL;
    unsigned char c = (unsigned char)*at;
    struct position where = here(cursor);
    size_t shown = 1;

    for (size_t i = 0; i < COUNT(remedies) && !remedy; i++)
        if (strncmp(at, remedies[i].text, strlen(remedies[i].text)) == 0)
            remedy = remedies[i].remedy;
    if (c >= 0x80)
        while (((unsigned char)at[shown] & 0xc0) == 0x80 && shown < 4)
            shown++;
    if (remedy)
        diag_error(lexer->diag, where, "illegal character '%.*s': %s", (int)shown, at, remedy);
    else if (c == '\0')
        diag_error(lexer->diag, where, "NUL byte: a script is plain text");
    else if (c == '\r')
        diag_error(lexer->diag, where, "carriage return that does not end a line");
    else if (iscntrl(c) || (c >= 0x80 && shown == 1))
        diag_error(lexer->diag, where, "illegal byte 0x%02x", c);
    else if (c >= 0x80)
        diag_error(lexer->diag, where,
                   "illegal character '%.*s': only strings and comments may contain characters "
                   "other than ASCII",
                   (int)shown, at);
    else
        diag_error(lexer->diag, where, "illegal character '%c'", c);
    cursor->at += shown;
    while (cursor->at < cursor->end && ((unsigned char)*cursor->at >= 0x80 || *cursor->at == '\0'))
        cursor->at++;
}

static bool read_operator(struct lexer *lexer, const struct cursor *cursor, struct token *token)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const struct spelling *spelling = &spellings[i];
        size_t length = strlen(spelling->text);

        if (strncmp(cursor->at, spelling->text, length) != 0)
            continue;
        *token = token_here(cursor, spelling->kind);
        token->length = length;
        if (spelling->mistake)
            diag_error(lexer->diag, token->where, "%s", spelling->mistake);
        return true;
    }
    return false;
}

/* Skips what separates tokens. False when no character is left at all. */
static bool skip_space(struct lexer *lexer)
{
    while (true) {
        struct cursor *cursor = top(lexer);
        char c = *cursor->at, next = c ? cursor->at[1] : '\0';

        if (cursor->at >= cursor->end) {
            if (lexer->depth == 1)
                return false;
            copy_until(lexer, cursor, cursor->end);
            if (lexer->expanded.length > 0 &&
                lexer->expanded.data[lexer->expanded.length - 1] != '\n')
                text_append_bytes(&lexer->expanded, "\n", 1);
            lexer->depth--; /* the included file is read to its end */
        } else if (c == '\n') {
            new_line(cursor);
        } else if (c == ' ' || c == '\t') {
            cursor->at++;
        } else if (c == '\r' && (next == '\n' || cursor->at + 1 == cursor->end)) {
            cursor->at++;
        } else if (c == '#') {
            skip_line(cursor);
        } else if (c == '/' && (next == '/' || next == '*')) {
            diag_error(lexer->diag, here(cursor), "a comment begins with '#'");
            skip_line(cursor);
        } else if (c == '@') {
            read_directive(lexer);
        } else {
            return true;
        }
    }
}

/* Goes past a token; false at what begins none. */
static bool read_token(struct lexer *lexer, struct token *token)
{
    struct cursor *cursor = top(lexer);
    const char *at = cursor->at;

    if (*at == '"') {
        *token = read_string(lexer, cursor);
        return true;
    }
    if (*at == '\'' && read_single_quoted(lexer, cursor, token))
        return true;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        *token = read_number(lexer->diag, cursor);
    else if (count_word(at) > 0)
        *token = read_word(cursor);
    else if (!read_operator(lexer, cursor, token))
        return false;
    cursor->at += token->length;
    return true;
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {.kind = TOKEN_EOF};
    struct cursor *cursor;

    while (skip_space(lexer)) {
        cursor = top(lexer);
        if (!read_token(lexer, &token)) {
            reject(lexer, cursor);
            continue;
        }
        copy_until(lexer, cursor, cursor->at);
        token.starts_line = cursor->last_token_line != token.where.line;
        cursor->last_token_line = cursor->line;
        token.expanded_end = lexer->expanded.length;
        lexer->last = token.where;
        return token;
    }
    cursor = top(lexer);
    copy_until(lexer, cursor, cursor->end);
    token.where = lexer->last;
    token.text = "";
    token.expanded_end = lexer->expanded.length;
    return token;
}
