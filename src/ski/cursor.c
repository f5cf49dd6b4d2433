/* A place in the text of a file being read, and what follows there. */
#include "ski/cursor.h"

char cursor_peek(const struct cursor *cursor, size_t i)
{
    return cursor->at + i < cursor->length ? cursor->text[cursor->at + i] : '\0';
}

bool cursor_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool cursor_is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct position cursor_here(const struct cursor *cursor)
{
    return (struct position){cursor->file, cursor->line,
                             (int)(cursor->at - cursor->line_start) + 1};
}

struct token cursor_token(const struct cursor *cursor, enum token_kind kind)
{
    return (struct token){
        .kind = kind, .where = cursor_here(cursor), .text = cursor->text + cursor->at, .length = 1};
}

size_t cursor_word(const struct cursor *cursor, size_t from)
{
    size_t i = from;

    while (cursor_is_letter(cursor_peek(cursor, i)) || cursor_is_digit(cursor_peek(cursor, i)))
        i++;
    return i - from;
}

size_t cursor_digits(const struct cursor *cursor, size_t from)
{
    size_t i = from;

    while (cursor_is_digit(cursor_peek(cursor, i)))
        i++;
    return i - from;
}
