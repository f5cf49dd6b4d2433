/* Reads what classes of calls cost, and tables of what collectives do. */
#include "sim/machine_costs.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/machine_value.h"

#define MOST_PES (1 << 24)

/* ---- Classes ---- */

#define PIECE(member) offsetof(struct cost_piece, way.member)
static const struct key piece_keys[] = {
    {"overhead", QUANTITY_TIME, PIECE(overhead), 0, false},
    {"latency", QUANTITY_TIME, PIECE(latency), 0, false},
    {"gap", QUANTITY_TIME, PIECE(gap), 0, false},
    {"receive", QUANTITY_TIME, PIECE(receive), 0, false},
    {"answer", QUANTITY_TIME, PIECE(answer), 0, false},
    {"bandwidth", QUANTITY_RATE, PIECE(per_byte), 0, false},
};
static const struct key latency_keys[] = {{"latency", QUANTITY_TIME, PIECE(latency), 0, true}};
static const struct key own_keys[] = {{"overhead", QUANTITY_TIME, 0, 0, true}};

/* Left out: as the bus or node, whose own values may come later. */
#define LEFT_OUT (-1)

static void take_class(struct machine_text *text, const struct word *name, struct costs *costs,
                       size_t class)
{
    static const struct way none = {.latency = LEFT_OUT,
                                    .overhead = LEFT_OUT,
                                    .gap = LEFT_OUT,
                                    .receive = LEFT_OUT,
                                    .answer = LEFT_OUT,
                                    .per_byte = LEFT_OUT};
    const struct cost_piece first = {.way = none};
    if (class >= COST_SIZED) {
        take_block(text, name, &(struct keys){KEYS(own_keys)}, &costs->own[class - COST_SIZED]);
        return;
    }
    struct cost_pieces *pieces = &costs->sized[class];
    if (class == COST_HAND_OVER || class == COST_CONNECT) {
        pieces->of = memory_resize_array(NULL, 1, sizeof *pieces->of);
        pieces->of[0] = first;
        pieces->count = 1;
        take_block(text, name, &(struct keys){KEYS(latency_keys)}, pieces->of);
        return;
    }
    pieces->of = take_pieces(text, name, &(struct keys){KEYS(piece_keys), .more = ", from"}, &first,
                             sizeof first, &pieces->count);
}

bool costs_take(struct machine_text *text, struct way *way)
{
    if (!word_is(&text->word, "cost"))
        return false;
    text_next(text);
    struct word name = text->word;
    size_t class = 0;
    while (class < COST_CLASSES && !word_is(&name, cost_names[class]))
        class ++;
    if (!way->costs)
        way->costs = memory_zeroed(1, sizeof *way->costs);
    bool twice = class < COST_CLASSES && way->costs->given >> class & 1;
    if (class == COST_CLASSES)
        text_error(text, &name,
                   "give put, get, put-nbi, get-nbi, atomic, lock, unlock, lock-held, "
                   "hand-over, connect, quiet, fence or wait");
    else if (twice)
        text_error(text, &name, "cost %s is given twice", cost_names[class]);
    if (class == COST_CLASSES || twice) {
        if (!word_is(&text->word, "{") && !word_is(&text->word, "}"))
            text_next(text);
        if (word_is(&text->word, "{"))
            skip_block(text);
        return true;
    }
    way->costs->given |= UINT32_C(1) << class;
    text_next(text);
    take_class(text, &name, way->costs, class);
    return true;
}

void costs_complete(struct way *way)
{
    static const size_t times[] = {offsetof(struct way, latency), offsetof(struct way, overhead),
                                   offsetof(struct way, gap), offsetof(struct way, receive),
                                   offsetof(struct way, answer)};
    for (size_t class = 0; way->costs && class < COST_SIZED; class ++) {
        bool answers = class != COST_PUT && class != COST_PUT_NBI;
        struct cost_pieces *pieces = &way->costs->sized[class];
        for (size_t i = 0; i < pieces->count; i++) {
            struct way *piece = &pieces->of[i].way;
            piece->round_trip = answers && piece->latency != LEFT_OUT;
            for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
                int64_t *time = (int64_t *)((char *)piece + times[k]);
                if (*time == LEFT_OUT)
                    *time = *(const int64_t *)((const char *)way + times[k]);
            }
            if (piece->per_byte < 0)
                piece->per_byte = way->per_byte;
        }
    }
}

/* ---- Tables ---- */

static const struct key time_keys[] = {
    {"time", QUANTITY_TIME, offsetof(struct time_piece, time), 0, true},
    {"bandwidth", QUANTITY_RATE, offsetof(struct time_piece, per_byte), 0, false},
};

/* "pes N { ... }"; false: what follows cannot be understood. */
static bool take_row(struct machine_text *text, struct time_table *table)
{
    static const struct time_piece none = {0};
    if (!word_is(&text->word, "pes")) {
        text_error(text, &text->word, "give the times of so many PEs: pes 2 { time 1.5 us }");
        return false;
    }
    text_next(text);
    struct word at = text->word;
    struct time_row row = {0};
    if (!take_count(text, "pes", MOST_PES, &row.pes))
        return false;
    int before = table->count ? table->rows[table->count - 1].pes : 0;
    if (row.pes <= before)
        text_error(text, &at, "PEs must ascend; the row before is of %d", before);
    row.pieces = take_pieces(text, &at, &(struct keys){KEYS(time_keys), .more = ", from"}, &none,
                             sizeof none, &row.count);
    table->rows = memory_resize_array(table->rows, table->count + 1, sizeof *table->rows);
    table->rows[table->count++] = row;
    return true;
}

static enum shape take_beyond(struct machine_text *text)
{
    enum shape beyond = word_is(&text->word, "linear") ? SHAPE_LINEAR : SHAPE_LOGARITHMIC;
    if (beyond == SHAPE_LINEAR || word_is(&text->word, "log"))
        text_next(text);
    return beyond;
}

const struct time_table *costs_take_table(struct machine_text *text, struct machine *machine)
{
    struct word at = text->word;
    text_next(text);
    struct time_table *table = memory_zeroed(1, sizeof *table);
    machine->tables =
        memory_resize_array(machine->tables, machine->table_count + 1, sizeof *machine->tables);
    machine->tables[machine->table_count++] = table;
    table->beyond = take_beyond(text);
    if (!word_is(&text->word, "{")) {
        text_error(text, &text->word, "give linear, log, or the rows of the table between { and }");
        return NULL;
    }
    text_next(text);
    while (!word_ends(&text->word) && !word_is(&text->word, "}"))
        if (!take_row(text, table))
            return NULL;
    if (word_ends(&text->word))
        text_error(text, &at, "the table does not end; close it with }");
    else if (table->count == 0)
        text_error(text, &at, "the table has no rows; add pes N { time ... }");
    else if (table->rows[table->count - 1].pes < 2)
        text_error(text, &at, "the table has no row of 2 PEs or more");
    text_next(text);
    return table;
}
