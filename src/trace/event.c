/* Names of the classes of routines, and lists by which users select routines, PEs and phases. */
#include "trace/event.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_class_names[TRACE_CLASSES] = {
    "put",     "get",  "nonblocking", "atomic", "collective", "synchronization",
    "context", "lock", "memory",      "setup",  "query"};

bool trace_list_is_valid(const char *list)
{
    size_t length = strlen(list);
    return length > 0 && list[0] != ',' && list[length - 1] != ',' && !strstr(list, ",,") &&
           !strpbrk(list, " \t\n");
}

/* Copies the first word of a list, and moves the list to the next one. False at the end. */
static bool next_word(const char **list, char word[TRACE_WORD_BYTES])
{
    if (!*list || !**list)
        return false;
    size_t length = strcspn(*list, ","),
           copied = length < TRACE_WORD_BYTES ? length : TRACE_WORD_BYTES - 1;
    memcpy(word, *list, copied);
    word[copied] = '\0';
    *list += length + ((*list)[length] == ',');
    return true;
}

static bool word_names(const char *word, const struct trace_routine *routine)
{
    static const char prefix[] = "shmem_";
    const char *name = routine->name;
    size_t skipped = strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    return strcmp(word, trace_class_names[routine->class]) == 0 || fnmatch(word, name, 0) == 0 ||
           fnmatch(word, name + skipped, 0) == 0;
}

bool trace_list_names(const char *list, const struct trace_routine *routine)
{
    char word[TRACE_WORD_BYTES];
    while (next_word(&list, word))
        if (word_names(word, routine))
            return true;
    return false;
}

bool trace_list_unknown(const char *list, const struct trace_routine *routines, size_t count,
                        char word[TRACE_WORD_BYTES])
{
    while (next_word(&list, word)) {
        size_t i = 0, class = 0;
        while (class < TRACE_CLASSES && strcmp(trace_class_names[class], word) != 0)
            class ++;
        while (i < count && !word_names(word, &routines[i]))
            i++;
        if (i == count && class == TRACE_CLASSES)
            return true;
    }
    return false;
}

/* ---- Numbers ---- */

static bool take_decimal(const char **text, uint32_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    *number = (uint32_t)value;
    *text = end;
    return !errno && value <= UINT32_MAX;
}

bool trace_list_range(const char **list, struct trace_range *range)
{
    const char *at = *list;
    if (!take_decimal(&at, &range->first))
        return false;
    range->last = range->first;
    if (*at == '-') {
        at++;
        if (!take_decimal(&at, &range->last) || range->last < range->first)
            return false;
    }
    if (*at && (*at != ',' || !at[1]))
        return false;
    *list = at + (*at == ',');
    return true;
}

bool trace_ranges_hold(const struct trace_range *ranges, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return true;
    return count == 0;
}
