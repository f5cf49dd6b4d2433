/* Intervals of memory in sorted blocks. Each interval ends where the next one begins; the first one
 * begins at 0. Beginnings lie side by side, since they are looked through for each access. */
#include "trace/check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK 64       /* intervals */
#define MOST_OTHERS 64 /* reads and atomics of an interval that are kept */

struct interval {
    uint32_t others;     /* 1 + the first read or atomic since the last write; 0: none */
    struct access write; /* number 0: none */
};

/* A read or an atomic. */
struct other {
    struct access access;
    uint32_t next; /* 1 + its number; 0: none */
};

struct block {
    size_t count;
    uint64_t begin[BLOCK];
    struct interval of[BLOCK];
};

/* Of an interval. Valid until a block is divided or removed. */
struct place {
    size_t block, at;
};

struct shadow {
    struct block **blocks; /* none is empty */
    uint64_t *begins;      /* of the blocks */
    size_t count, block_room, begin_room;
    struct place recent; /* that was found last; it may be gone */
    size_t jump;         /* intervals from the one before to it */
    size_t intervals;
    struct other *others;
    size_t other_count, other_room, others_used;
    uint32_t free; /* 1 + the first free one */
};

/* ---- Reads and atomics of an interval ---- */

static uint32_t other_add(struct shadow *shadow, const struct access *access, uint32_t next)
{
    uint32_t number = shadow->free;
    if (number) {
        shadow->free = shadow->others[number - 1].next;
    } else {
        memory_extend(shadow->others, shadow->other_count, &shadow->other_room);
        number = (uint32_t)++shadow->other_count;
    }
    shadow->others[number - 1] = (struct other){*access, next};
    shadow->others_used++;
    return number;
}

/* Takes the one to which *link leads out of its list. */
static void other_remove(struct shadow *shadow, uint32_t *link)
{
    uint32_t number = *link;
    struct other *other = &shadow->others[number - 1];
    *link = other->next;
    other->next = shadow->free;
    shadow->free = number;
    shadow->others_used--;
}

static void others_clear(struct shadow *shadow, struct interval *interval)
{
    while (interval->others)
        other_remove(shadow, &interval->others);
}

static uint32_t others_copy(struct shadow *shadow, uint32_t from)
{
    uint32_t copy = 0;
    for (; from; from = shadow->others[from - 1].next) {
        struct access access = shadow->others[from - 1].access;
        copy = other_add(shadow, &access, copy);
    }
    return copy;
}

/* ---- Intervals ---- */

static struct interval *interval_at(const struct shadow *shadow, struct place place)
{
    return &shadow->blocks[place.block]->of[place.at];
}

static uint64_t begin_of(const struct shadow *shadow, struct place place)
{
    return shadow->blocks[place.block]->begin[place.at];
}

static bool is_valid(const struct shadow *shadow, struct place place)
{
    return place.block < shadow->count && place.at < shadow->blocks[place.block]->count;
}

static struct place next(const struct shadow *shadow, struct place place)
{
    bool last = place.at + 1 == shadow->blocks[place.block]->count;
    return last ? (struct place){place.block + 1, 0} : (struct place){place.block, place.at + 1};
}

static uint64_t end_of(const struct shadow *shadow, struct place place)
{
    place = next(shadow, place);
    return place.block < shadow->count ? begin_of(shadow, place) : UINT64_MAX;
}

static struct block *insert_block(struct shadow *shadow, size_t at, uint64_t begin)
{
    struct block *block = memory_zeroed(1, sizeof *block);
    size_t behind = shadow->count - at;
    memory_extend(shadow->blocks, shadow->count, &shadow->block_room);
    memory_extend(shadow->begins, shadow->count, &shadow->begin_room);
    memmove(&shadow->blocks[at + 1], &shadow->blocks[at], behind * sizeof *shadow->blocks);
    memmove(&shadow->begins[at + 1], &shadow->begins[at], behind * sizeof *shadow->begins);
    shadow->count++;
    shadow->begins[at] = begin;
    return shadow->blocks[at] = block;
}

/* Intervals of a block from one number on, to a number of a block. */
static void move(struct block *to, size_t number, const struct block *from, size_t first,
                 size_t count)
{
    memmove(&to->begin[number], &from->begin[first], count * sizeof *to->begin);
    memmove(&to->of[number], &from->of[first], count * sizeof *to->of);
}

struct shadow *shadow_new(void)
{
    struct shadow *shadow = memory_zeroed(1, sizeof *shadow);
    insert_block(shadow, 0, 0)->count = shadow->intervals = 1;
    return shadow;
}

void shadow_free(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->count; i++)
        free(shadow->blocks[i]);
    free(shadow->blocks);
    free(shadow->begins);
    free(shadow->others);
    free(shadow);
}

/* The last one of sorted beginnings that is not after a byte. Without branches, which processors
 * would guess wrong. */
static size_t search(const uint64_t *begins, size_t count, uint64_t byte)
{
    const uint64_t *low = begins;
    for (size_t half; count > 1; count -= half) {
        half = count / 2;
        low = low[half] <= byte ? low + half : low;
    }
    return (size_t)(low - begins);
}

/* The interval that holds a byte. Often it is as far from the last one as that was from the one
 * before: elements of a strided access have as many intervals between them. */
static struct place find(struct shadow *shadow, uint64_t byte)
{
    struct place last = shadow->recent, place = {last.block, last.at + shadow->jump};
    if (last.block < shadow->count && place.at >= shadow->blocks[last.block]->count)
        place = (struct place){last.block + 1, place.at - shadow->blocks[last.block]->count};
    if (!is_valid(shadow, place) || begin_of(shadow, place) > byte ||
        byte >= end_of(shadow, place)) {
        place.block = search(shadow->begins, shadow->count, byte);
        const struct block *block = shadow->blocks[place.block];
        place.at = search(block->begin, block->count, byte);
        if (place.block == last.block)
            shadow->jump = place.at - last.at;
    }
    return shadow->recent = place;
}

/* The interval that begins with a byte, which may be divided for that. */
static struct place cut(struct shadow *shadow, uint64_t byte)
{
    struct place place = find(shadow, byte);
    struct block *block = shadow->blocks[place.block];
    if (block->begin[place.at] == byte)
        return place;
    if (block->count == BLOCK) {
        const size_t half = BLOCK / 2;
        struct block *second = insert_block(shadow, place.block + 1, block->begin[half]);
        move(second, 0, block, half, half);
        block->count = second->count = half;
        if (place.at >= half) {
            place = (struct place){place.block + 1, place.at - half};
            block = second;
        }
    }
    move(block, place.at + 1, block, place.at, block->count++ - place.at);
    place.at++;
    block->begin[place.at] = byte;
    block->of[place.at].others = others_copy(shadow, block->of[place.at].others);
    shadow->intervals++;
    return place;
}

/* Takes blocks out that have no intervals any more, from one on. */
static void remove_empty(struct shadow *shadow, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < shadow->count; i++) {
        struct block *block = shadow->blocks[i];
        if (block->count == 0) {
            free(block);
            continue;
        }
        shadow->begins[kept] = block->begin[0];
        shadow->blocks[kept++] = block;
    }
    shadow->count = kept;
}

/* Removes what follows an interval and begins before `end`, which an interval begins with. */
static void merge_until(struct shadow *shadow, struct place place, uint64_t end)
{
    bool emptied = false;
    struct place from = {place.block, place.at + 1};
    for (; from.block < shadow->count; from = (struct place){from.block + 1, 0}) {
        struct block *block = shadow->blocks[from.block];
        size_t to = from.at;
        for (; to < block->count && block->begin[to] < end; to++)
            others_clear(shadow, &block->of[to]);
        move(block, from.at, block, to, block->count - to);
        block->count -= to - from.at;
        shadow->intervals -= to - from.at;
        shadow->begins[from.block] = block->begin[0];
        emptied = emptied || block->count == 0;
        if (block->count > from.at)
            break;
    }
    if (emptied)
        remove_empty(shadow, place.block);
}

/* ---- Accesses ---- */

static bool conflict(const struct access *a, const struct access *b)
{
    return (a->does | b->does) & ACCESS_WRITES && !(a->does & b->does & ACCESS_ATOMIC);
}

/* Whether it makes all earlier accesses old. */
static bool replaces(const struct access *access)
{
    return access->does & ACCESS_WRITES && !(access->does & ACCESS_ATOMIC);
}

static void meet(const struct access *before, const struct access *access, uint64_t begin,
                 uint64_t end, const struct shadow_caller *caller)
{
    if (before->number && conflict(before, access) && !caller->ordered(caller->context, before))
        caller->race(caller->context, before, begin, end);
}

/* Puts a read or an atomic into the list. One of its kind that is ordered before it need not stay:
 * whoever comes after the new one comes after that, too. */
static void add(struct shadow *shadow, struct interval *interval, const struct access *access,
                const struct shadow_caller *caller)
{
    size_t count = 0;
    for (uint32_t *link = &interval->others; *link;) {
        struct other *other = &shadow->others[*link - 1];
        bool same = other->access.does == access->does;
        if (same && other->access.completion == access->completion) {
            other->access = *access;
            return;
        }
        if ((same && caller->ordered(caller->context, &other->access)) || ++count >= MOST_OTHERS)
            other_remove(shadow, link);
        else
            link = &other->next;
    }
    interval->others = other_add(shadow, access, interval->others);
}

static void access_interval(struct shadow *shadow, struct interval *interval, uint64_t begin,
                            uint64_t end, const struct access *access,
                            const struct shadow_caller *caller)
{
    meet(&interval->write, access, begin, end, caller);
    for (uint32_t i = interval->others; i; i = shadow->others[i - 1].next)
        meet(&shadow->others[i - 1].access, access, begin, end, caller);
    if (replaces(access))
        others_clear(shadow, interval);
    else
        add(shadow, interval, access, caller);
}

void shadow_access(struct shadow *shadow, uint64_t begin, uint64_t end, const struct access *access,
                   const struct shadow_caller *caller)
{
    if (begin >= end)
        return;
    struct place first = find(shadow, begin);
    bool whole = begin_of(shadow, first) == begin && end_of(shadow, first) == end;
    if (!whole) {
        cut(shadow, end);
        first = cut(shadow, begin);
    }
    struct place place = first;
    for (uint64_t from = begin, until = end; from < end; from = until) {
        if (!whole)
            until = end_of(shadow, place);
        access_interval(shadow, interval_at(shadow, place), from, until, access, caller);
        place = next(shadow, place);
    }
    if (!replaces(access))
        return;
    interval_at(shadow, first)->write = *access;
    if (!whole)
        merge_until(shadow, first, end);
}

size_t shadow_size(const struct shadow *shadow)
{
    return shadow->intervals + shadow->others_used;
}

static bool is_empty(const struct interval *interval)
{
    return interval->write.number == 0 && interval->others == 0;
}

void shadow_forget(struct shadow *shadow, const struct shadow_caller *caller)
{
    bool empty = false; /* the interval before */
    shadow->intervals = 0;
    for (size_t i = 0; i < shadow->count; i++) {
        struct block *block = shadow->blocks[i];
        size_t kept = 0;
        for (size_t k = 0; k < block->count; k++) {
            struct interval *interval = &block->of[k];
            if (interval->write.number && caller->ordered(caller->context, &interval->write))
                interval->write = (struct access){0};
            for (uint32_t *link = &interval->others; *link;)
                if (caller->ordered(caller->context, &shadow->others[*link - 1].access))
                    other_remove(shadow, link);
                else
                    link = &shadow->others[*link - 1].next;
            if (is_empty(interval) && empty)
                continue;
            empty = is_empty(interval);
            move(block, kept++, block, k, 1);
        }
        block->count = kept;
        shadow->intervals += kept;
    }
    remove_empty(shadow, 0);
}
