/*
 * A list of texts, each of them once.
 */
#include "engine/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void notes_add(struct notes *notes, char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0) {
            free(text);
            return;
        }
    notes->text = memory_resize(notes->text, (notes->count + 1) * sizeof *notes->text);
    notes->text[notes->count++] = text;
}

void notes_clear(struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){0};
}
