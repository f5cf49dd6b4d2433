/* Lines from chunks of a file. */
#include "known/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct lines *lines_open(FILE *stream, size_t most_kept, size_t longest)
{
    struct lines *lines = memory_zeroed(1, sizeof *lines);
    lines->stream = stream;
    lines->most_kept = most_kept;
    lines->longest = longest;
    return lines;
}

static void keep(struct lines *lines, const char *bytes, size_t count)
{
    lines->length += count;
    if (count > lines->most_kept - lines->kept)
        count = lines->most_kept - lines->kept;
    if (lines->kept + count >= lines->room) {
        lines->room = 2 * (lines->kept + count) + 1;
        lines->text = memory_resize(lines->text, lines->room);
    }
    memcpy(lines->text + lines->kept, bytes, count);
    lines->kept += count;
    lines->text[lines->kept] = '\0';
}

bool lines_next(struct lines *lines)
{
    lines->kept = lines->length = 0;
    lines->ended = false;
    lines->number++;
    keep(lines, "", 0);
    while (!lines->ended && lines->length <= lines->longest) {
        if (lines->at == lines->filled) {
            lines->at = 0;
            lines->filled = fread(lines->chunk, 1, LINES_CHUNK, lines->stream);
            if (lines->filled == 0)
                return lines->length > 0;
        }
        char *begin = lines->chunk + lines->at;
        char *newline = memchr(begin, '\n', lines->filled - lines->at);
        size_t count = newline ? (size_t)(newline - begin) : lines->filled - lines->at;
        keep(lines, begin, count);
        lines->at += count + (newline != NULL);
        lines->ended = newline;
    }
    return lines->length <= lines->longest;
}

void lines_close(struct lines *lines)
{
    free(lines->text);
    free(lines);
}
