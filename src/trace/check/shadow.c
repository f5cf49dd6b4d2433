/* Intervals of memory in sorted blocks. Each interval ends where the next one begins; the first one
 * begins at 0. Beginnings lie side by side, since they are looked through for each access. */
#include "trace/check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK 64       /* intervals */
#define NEAR 4         /* intervals */
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

struct shadow {
    struct entry {
        uint64_t begin; /* of the block */
        struct block *block;
    } * entries; /* none is empty */
    size_t count, room;
    size_t recent, recent_at; /* the block and the interval that were found last */
    size_t intervals;
    struct other *others;
    size_t other_count, other_room, others_used;
    uint32_t free; /* 1 + the first free one */
};

/* Of an interval. Valid until a block is divided or removed. */
struct place {
    size_t entry, at;
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
    return &shadow->entries[place.entry].block->of[place.at];
}

static uint64_t begin_of(const struct shadow *shadow, struct place place)
{
    return shadow->entries[place.entry].block->begin[place.at];
}

/* False: it was the last one. */
static bool next(const struct shadow *shadow, struct place *place)
{
    if (++place->at < shadow->entries[place->entry].block->count)
        return true;
    place->at = 0;
    return ++place->entry < shadow->count;
}

static uint64_t end_of(const struct shadow *shadow, struct place place)
{
    return next(shadow, &place) ? begin_of(shadow, place) : UINT64_MAX;
}

static struct block *insert_block(struct shadow *shadow, size_t at, uint64_t begin)
{
    struct block *block = memory_zeroed(1, sizeof *block);
    memory_extend(shadow->entries, shadow->count, &shadow->room);
    memmove(&shadow->entries[at + 1], &shadow->entries[at],
            (shadow->count++ - at) * sizeof *shadow->entries);
    shadow->entries[at] = (struct entry){begin, block};
    return block;
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
        free(shadow->entries[i].block);
    free(shadow->entries);
    free(shadow->others);
    free(shadow);
}

/* The interval that holds a byte. */
static struct place find(struct shadow *shadow, uint64_t byte)
{
    const struct entry *entries = shadow->entries;
    size_t low = entries[shadow->recent].begin <= byte ? shadow->recent : 0, high = shadow->count;
    if (low + 1 < high && entries[low + 1].begin > byte)
        high = low + 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (entries[middle].begin <= byte)
            low = middle;
        else
            high = middle;
    }
    shadow->recent = low;
    const uint64_t *begin = entries[low].block->begin;
    size_t first = 0, last = entries[low].block->count, at = shadow->recent_at;
    if (at < last && begin[at] <= byte) { /* mostly the same one, or one of the next */
        first = at;
        last = at + NEAR < last && begin[at + NEAR] > byte ? at + NEAR : last;
    }
    while (last - first > 1) {
        size_t middle = (first + last) / 2;
        if (begin[middle] <= byte)
            first = middle;
        else
            last = middle;
    }
    shadow->recent_at = first;
    return (struct place){low, first};
}

/* Divides an interval at a byte within. The place of the second part. */
static struct place divide(struct shadow *shadow, struct place place, uint64_t byte)
{
    struct block *block = shadow->entries[place.entry].block;
    if (block->count == BLOCK) {
        const size_t half = BLOCK / 2;
        struct block *second = insert_block(shadow, place.entry + 1, block->begin[half]);
        move(second, 0, block, half, half);
        block->count = second->count = half;
        if (place.at >= half) {
            place = (struct place){place.entry + 1, place.at - half};
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

/* Removes what follows an interval and begins before `end`, which an interval begins with. */
static void merge_until(struct shadow *shadow, struct place place, uint64_t end)
{
    size_t from = place.at + 1, first = place.entry + 1, gone = 0;
    for (size_t number = place.entry; number < shadow->count; number++, from = 0) {
        struct block *block = shadow->entries[number].block;
        size_t to = from;
        for (; to < block->count && block->begin[to] < end; to++)
            others_clear(shadow, &block->of[to]);
        move(block, from, block, to, block->count - to);
        block->count -= to - from;
        shadow->intervals -= to - from;
        shadow->entries[number].begin = block->begin[0];
        if (block->count > from)
            break;
        if (block->count == 0) {
            free(block);
            gone++;
        }
    }
    /* Those that are gone follow the interval's own block. */
    if (gone) {
        shadow->count -= gone;
        memmove(&shadow->entries[first], &shadow->entries[first + gone],
                (shadow->count - first) * sizeof *shadow->entries);
        shadow->recent = 0;
    }
}

/* ---- Accesses ---- */

static bool conflict(const struct access *a, const struct access *b)
{
    return (a->does | b->does) & ACCESS_WRITES && !(a->does & b->does & ACCESS_ATOMIC);
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
        const struct other *other = &shadow->others[*link - 1];
        bool older = other->access.does == access->does &&
                     (other->access.completion == access->completion ||
                      caller->ordered(caller->context, &other->access));
        if (older || ++count >= MOST_OTHERS)
            other_remove(shadow, link);
        else
            link = &shadow->others[*link - 1].next;
    }
    interval->others = other_add(shadow, access, interval->others);
}

void shadow_access(struct shadow *shadow, uint64_t begin, uint64_t end, const struct access *access,
                   const struct shadow_caller *caller)
{
    bool replaces = access->does & ACCESS_WRITES && !(access->does & ACCESS_ATOMIC);
    if (begin >= end)
        return;
    struct place place = find(shadow, begin);
    if (begin_of(shadow, place) < begin)
        place = divide(shadow, place, begin);
    for (uint64_t from = begin, until = begin; until < end; from = until) {
        if (from > begin)
            next(shadow, &place);
        until = end_of(shadow, place);
        if (until > end) {
            divide(shadow, place, end);
            until = end;
            place = find(shadow, from);
        }
        struct interval *interval = interval_at(shadow, place);
        meet(&interval->write, access, from, until, caller);
        for (uint32_t i = interval->others; i; i = shadow->others[i - 1].next)
            meet(&shadow->others[i - 1].access, access, from, until, caller);
        if (!replaces)
            add(shadow, interval, access, caller);
    }
    if (!replaces)
        return;
    place = find(shadow, begin);
    struct interval *interval = interval_at(shadow, place);
    others_clear(shadow, interval);
    interval->write = *access;
    merge_until(shadow, place, end);
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
    size_t entries = 0;
    bool empty = false; /* the interval before */
    shadow->intervals = 0;
    for (size_t i = 0; i < shadow->count; i++) {
        struct block *block = shadow->entries[i].block;
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
        if (kept)
            shadow->entries[entries++] = (struct entry){block->begin[0], block};
        else
            free(block);
    }
    shadow->count = entries;
    shadow->recent = 0;
}
