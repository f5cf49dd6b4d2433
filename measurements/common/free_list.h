/*
 * A free list: parts of one segment of memory are taken and given back, without touching the
 * segment itself. The list is kept in the memory of the PE, in the order of offsets; the first hole
 * that is large enough is used, and neighbouring holes become one.
 *
 * PEs that take and give the same sizes in the same order get the same offsets, without
 * communication.
 */
#ifndef SKAMPI_MEASUREMENTS_FREE_LIST_H
#define SKAMPI_MEASUREMENTS_FREE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Sizes are rounded up to multiples of this, so all offsets are aligned to it. */
#define FREE_LIST_LINE 64
#define FREE_LIST_NONE ((size_t)-1)

struct hole {
    size_t offset, bytes;
    int next; /* in the list of holes or of unused entries; -1: the last one */
};

struct free_list {
    struct hole *entries;
    int first, unused;
};

/* Bytes of the segment that a part of `bytes` bytes takes. A part of 0 bytes takes a line, so that
 * each part has an offset of its own. */
size_t free_list_rounded(size_t bytes);

/* A segment of that size (a multiple of FREE_LIST_LINE), of which at most `parts` are in use at a
 * time. entries: room for parts + 1 holes, which stays the caller's. */
void free_list_start(struct free_list *list, struct hole *entries, int parts, size_t bytes);

/* The offset of a part, or FREE_LIST_NONE when no hole is large enough. */
size_t free_list_take(struct free_list *list, size_t bytes);

/* Gives back what free_list_take() returned for as many bytes. */
void free_list_give(struct free_list *list, size_t offset, size_t bytes);

/* Whether all of the segment is one hole. */
bool free_list_is_whole(const struct free_list *list, size_t bytes);

#endif
