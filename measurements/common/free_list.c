/*
 * A free list in the order of offsets: first fit, neighbours merged.
 */
#include "measurements/common/free_list.h"

#define END (-1)

size_t free_list_rounded(size_t bytes)
{
    size_t lines = (bytes + FREE_LIST_LINE - 1) / FREE_LIST_LINE;
    return (lines ? lines : 1) * FREE_LIST_LINE;
}

void free_list_start(struct free_list *list, struct hole *entries, int parts, size_t bytes)
{
    list->entries = entries;
    for (int i = 0; i <= parts; i++)
        entries[i].next = i < parts ? i + 1 : END;
    list->first = 0;
    list->unused = entries[0].next;
    entries[0] = (struct hole){0, bytes, END};
}

/* The link that leads to the hole after `before`; END: to the first one. */
static int *link_after(struct free_list *list, int before)
{
    return before == END ? &list->first : &list->entries[before].next;
}

/* Takes the hole after `before` off the list. */
static void drop_after(struct free_list *list, int before)
{
    int *link = link_after(list, before), dropped = *link;
    *link = list->entries[dropped].next;
    list->entries[dropped].next = list->unused;
    list->unused = dropped;
}

size_t free_list_take(struct free_list *list, size_t bytes)
{
    size_t wanted = free_list_rounded(bytes);
    int before = END, at = list->first;
    while (at != END && list->entries[at].bytes < wanted) {
        before = at;
        at = list->entries[at].next;
    }
    if (at == END)
        return FREE_LIST_NONE;
    struct hole *hole = &list->entries[at];
    size_t offset = hole->offset;
    hole->offset += wanted;
    hole->bytes -= wanted;
    if (hole->bytes == 0)
        drop_after(list, before);
    return offset;
}

static size_t end_of(const struct hole *hole)
{
    return hole->offset + hole->bytes;
}

void free_list_give(struct free_list *list, size_t offset, size_t bytes)
{
    int before = END, after = list->first;
    while (after != END && list->entries[after].offset < offset) {
        before = after;
        after = list->entries[after].next;
    }
    int given;
    if (before != END && end_of(&list->entries[before]) == offset) {
        given = before;
        list->entries[given].bytes += free_list_rounded(bytes);
    } else {
        given = list->unused;
        list->unused = list->entries[given].next;
        list->entries[given] = (struct hole){offset, free_list_rounded(bytes), after};
        *link_after(list, before) = given;
    }
    if (after != END && end_of(&list->entries[given]) == list->entries[after].offset) {
        list->entries[given].bytes += list->entries[after].bytes;
        drop_after(list, given);
    }
}

bool free_list_is_whole(const struct free_list *list, size_t bytes)
{
    return list->first != END && list->entries[list->first].offset == 0 &&
           list->entries[list->first].bytes == bytes;
}
