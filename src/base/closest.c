/* The closest of several names, by edit distance. */
#include "base/closest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define NAME_BYTES 64

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) count EDIT, differences in case 1. */
#define EDIT 1000

static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][NAME_BYTES + 1];

    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (int)k * EDIT;
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = (int)i * EDIT;
        for (size_t k = 1; k <= b_length; k++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[k - 1]);
            int replace = a[i - 1] == b[k - 1] ? 0 : same ? 1 : EDIT;

            row[k] = min_int(above[k - 1] + replace, min_int(above[k], row[k - 1]) + EDIT);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = min_int(row[k], above2[k - 2] + EDIT);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *closest_name(const char *name, const char *const *candidates, size_t count)
{
    size_t length = strlen(name);
    int edits = length <= 2 ? 0 : length <= 5 ? 1 : length <= 8 ? 2 : 3;
    int best = edits * EDIT + EDIT;
    const char *closest = NULL;

    if (length > NAME_BYTES)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        int found;

        if (other > NAME_BYTES || other > length + 3 || length > other + 3 ||
            strcmp(name, candidates[i]) == 0)
            continue;
        found = distance(name, length, candidates[i], other);
        if (found < best) {
            best = found;
            closest = candidates[i];
        }
    }
    return closest;
}
