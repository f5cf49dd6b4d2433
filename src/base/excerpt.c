/* Shows the line of a text in which something is wrong, and where. */
#include "base/excerpt.h"

#include <ctype.h>

/* At most this many bytes of a line are shown, with the caret near the middle. */
#define SHOWN_BYTES 120

/* Length of the UTF-8 sequence at s, or 1 and *valid = false. */
static size_t character_length(const char *s, size_t left, bool *valid)
{
    unsigned char lead = (unsigned char)*s;
    size_t length = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : 2;

    *valid = lead < 0x80 || (lead >= 0xc2 && lead < 0xf5 && length <= left);
    for (size_t i = 1; i < length && *valid; i++)
        *valid = ((unsigned char)s[i] & 0xc0) == 0x80;
    return *valid ? length : 1;
}

/* Appends the character at s to the line as shown, and as much space to the caret line. */
static size_t show_character(const char *s, size_t left, struct text *line, struct text *caret)
{
    bool valid;
    size_t length = character_length(s, left, &valid);

    if (*s == '\t') {
        text_append_bytes(line, "\t", 1);
        text_append_bytes(caret, "\t", 1);
        return 1;
    }
    if (!valid || iscntrl((unsigned char)*s))
        text_append_bytes(line, "?", 1);
    else
        text_append_bytes(line, s, length);
    text_append_bytes(caret, " ", 1);
    return length;
}

static bool continues_character(const char *text, size_t i, size_t length)
{
    return i > 0 && i < length && ((unsigned char)text[i] & 0xc0) == 0x80;
}

void excerpt_append(struct text *out, const char *text, size_t length, size_t at)
{
    size_t first = 0, last = length;
    struct text line = {0}, caret = {0};

    if (at > length)
        at = length;
    if (length > SHOWN_BYTES) {
        if (at > SHOWN_BYTES / 2)
            first = at - SHOWN_BYTES / 2;
        if (length - first > SHOWN_BYTES)
            last = first + SHOWN_BYTES;
        while (continues_character(text, first, at))
            first++;
        while (last > at && continues_character(text, last, length))
            last--;
    }
    if (first > 0) {
        text_append(&line, "...");
        text_append(&caret, "   ");
    }
    for (size_t i = first; i < last;) {
        struct text ignored = {0};

        i += show_character(text + i, last - i, &line, i < at ? &caret : &ignored);
        text_release(&ignored);
    }
    text_append(out, "%s%s\n%s^\n", line.length > 0 ? line.data : "", last < length ? "..." : "",
                caret.length > 0 ? caret.data : "");
    text_release(&line);
    text_release(&caret);
}
