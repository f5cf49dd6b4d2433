/* Reads and checks machine descriptions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/machine_text.h"

#define MOST_PES (1 << 24)
#define MOST_KINDS 4096

/* ---- What classes of calls cost ---- */

#define PIECE(member) .at = offsetof(struct cost_piece, way.member)
static const struct key piece_keys[] = {
    {"overhead", QUANTITY_TIME, PIECE(overhead)}, {"latency", QUANTITY_TIME, PIECE(latency)},
    {"gap", QUANTITY_TIME, PIECE(gap)},           {"receive", QUANTITY_TIME, PIECE(receive)},
    {"answer", QUANTITY_TIME, PIECE(answer)},     {"bandwidth", QUANTITY_RATE, PIECE(per_byte)},
};
#define PIECE_KEYS (sizeof piece_keys / sizeof *piece_keys)
static const struct key latency_key[] = {
    {"latency", QUANTITY_TIME, PIECE(latency), .needed = true}};
static const struct key overhead_key[] = {
    {"overhead", QUANTITY_TIME, PIECE(overhead), .needed = true}};

/* Left out: as the bus or node, whose own values may come later. */
#define LEFT_OUT (-1)

static void take_class(struct machine_text *text, const struct word *name,
                       struct cost_pieces *pieces, size_t class)
{
    static const struct way none = {.latency = LEFT_OUT,
                                    .overhead = LEFT_OUT,
                                    .gap = LEFT_OUT,
                                    .receive = LEFT_OUT,
                                    .answer = LEFT_OUT,
                                    .per_byte = LEFT_OUT};
    const bool latency = class == COST_HAND_OVER || class == COST_CONNECT;
    if (!latency && class < COST_MESSAGES) {
        take_pieces(text, name, &(struct keys){KEYS(piece_keys), .more = ", from"}, &none, pieces);
        return;
    }
    pieces->of = memory_resize_array(NULL, 1, sizeof *pieces->of);
    pieces->of[pieces->count++] = (struct cost_piece){.way = none};
    take_block(text, name, &(struct keys){latency ? latency_key : overhead_key, .count = 1},
               pieces->of);
}

/* "cost CLASS { ... }" of a bus or node. False: the current word is no "cost". */
static bool take_cost(struct machine_text *text, struct way *way)
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
    bool twice = class < COST_CLASSES && way_has(way, class);
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
    text_next(text);
    take_class(text, &name, &way->costs->of[class], class);
    return true;
}

/* At the end of a bus or node: what classes left out is as its own. */
static void complete_costs(struct way *way)
{
    for (size_t class = 0; way->costs && class < COST_MESSAGES; class ++) {
        bool answers = class != COST_PUT && class != COST_PUT_NBI;
        struct cost_pieces *pieces = &way->costs->of[class];
        for (size_t i = 0; i < pieces->count; i++) {
            struct cost_piece *piece = &pieces->of[i];
            const struct cost_piece own = {.way = *way};
            piece->way.round_trip = answers && piece->way.latency != LEFT_OUT;
            for (size_t k = 0; k < PIECE_KEYS; k++) {
                enum quantity quantity = piece_keys[k].quantity;
                void *member = (char *)piece + piece_keys[k].at;
                if (member_number(quantity, member) < 0)
                    member_set(quantity, member,
                               member_number(quantity, (const char *)&own + piece_keys[k].at));
            }
        }
    }
}

/* ---- Tables of collectives ---- */

static const struct key time_keys[] = {
    {"time", QUANTITY_TIME, PIECE(latency), .needed = true},
    {"bandwidth", QUANTITY_RATE, PIECE(per_byte)},
};

/* "pes N { ... }"; false: what follows cannot be understood. */
static bool take_row(struct machine_text *text, struct time_table *table)
{
    static const struct key pes = {.name = "pes", .quantity = QUANTITY_COUNT, .most = MOST_PES};
    if (!word_is(&text->word, "pes")) {
        text_error(text, &text->word, "give the times of so many PEs: pes 2 { time 1.5 us }");
        return false;
    }
    text_next(text);
    struct word at = text->word;
    struct time_row row = {0};
    if (!take_exactly(text, &pes, &row.pes))
        return false;
    int before = table->count ? table->rows[table->count - 1].pes : 0;
    if (row.pes <= before)
        text_error(text, &at, "PEs must ascend; the row before is of %d", before);
    take_pieces(text, &at, &(struct keys){KEYS(time_keys), .more = ", from"}, &(struct way){0},
                &row.pieces);
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

/* What follows "table", which the machine then has. NULL: that is an error. */
static const struct time_table *take_table(struct machine_text *text, struct machine *machine)
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

/* ---- Buses and nodes ---- */

/* The name behind "bus" or "node". */
static bool take_name(struct machine_text *text, struct word *name)
{
    *name = text->word;
    if (word_ends(name) || name->text[0] == '{' || name->text[0] == '}') {
        text_error(text, name, "a name is missing");
        return false;
    }
    text_next(text);
    return true;
}

#define WAY_KEYS(type, member)                                                                     \
    {"bandwidth", QUANTITY_RATE, .at = offsetof(type, member.per_byte), .needed = true},           \
        {"latency", QUANTITY_TIME, .at = offsetof(type, member.latency), .needed = true},          \
        {"overhead", QUANTITY_TIME, .at = offsetof(type, member.overhead)},                        \
        {"gap", QUANTITY_TIME, .at = offsetof(type, member.gap)},                                  \
        {"receive", QUANTITY_TIME, .at = offsetof(type, member.receive)},                          \
        {"answer", QUANTITY_TIME, .at = offsetof(type, member.answer)},                            \
        {"atomic", QUANTITY_TIME, .at = offsetof(type, member.atomic)},                            \
        CHOICE("iput", offsetof(type, member.iput), "together", "each", STRIDED_REMEDY),           \
        CHOICE("iget", offsetof(type, member.iget), "together", "each", STRIDED_REMEDY),           \
        CHOICE("quiet", offsetof(type, member.quiet), "waits", "asks",                             \
               "give waits: for answers alone, or asks: by a message to each PE")
#define CHOICE(option, offset, first, second, text)                                                \
    {                                                                                              \
        .name = option, .quantity = QUANTITY_CHOICE, .at = offset, .words = {first, second},       \
        .remedy = text                                                                             \
    }
#define STRIDED_REMEDY "give together: as one message, or each: every element by itself"

static const struct key bus_keys[] = {
    WAY_KEYS(struct bus, way),
    {"lanes", QUANTITY_COUNT, .at = offsetof(struct bus, lanes), .most = MACHINE_MOST_LINKS},
    {"total", QUANTITY_RATE, .at = offsetof(struct bus, total)},
};
static const struct key node_keys[] = {
    WAY_KEYS(struct node_kind, inside),
    {"count", QUANTITY_COUNT, .at = offsetof(struct node_kind, count), .most = MACHINE_MOST_NODES},
    {"cores", QUANTITY_COUNT, .at = offsetof(struct node_kind, cores), .most = MOST_PES},
    {"in", QUANTITY_COUNT, .at = offsetof(struct node_kind, in_links), .most = MACHINE_MOST_LINKS},
    {"out", QUANTITY_COUNT, .at = offsetof(struct node_kind, out_links),
     .most = MACHINE_MOST_LINKS},
    {"ratio", QUANTITY_RATIO, .at = offsetof(struct node_kind, ratio)},
    CHOICE("progress", offsetof(struct node_kind, progress), "always", "inside",
           "give always, or inside: only in calls of the library"),
};

static bool take_bus_other(struct machine_text *text, void *machine, void *in)
{
    (void)machine;
    return take_cost(text, &((struct bus *)in)->way);
}

const struct key *machine_key(bool node, const char *name)
{
    const struct keys keys = {KEYS(bus_keys)}, of_nodes = {KEYS(node_keys)};
    return key_named(node ? &of_nodes : &keys, &(struct word){NULL, name, strlen(name)});
}

static void take_bus(struct machine_text *text, struct machine *machine)
{
    struct word name;
    struct bus bus = {.way = {.atomic = -1}};
    if (!take_name(text, &name))
        return;
    for (size_t i = 0; i < machine->bus_count; i++)
        if (word_is(&name, machine->buses[i].name))
            text_error(text, &name, "there is a bus of this name already; give each its own");
    if (machine->bus_count == MACHINE_MOST_BUSES)
        text_error(text, &name, "there are more than %d buses", MACHINE_MOST_BUSES);
    take_block(text, &name,
               &(struct keys){KEYS(bus_keys), .other = take_bus_other, .more = ", cost"}, &bus);
    complete_costs(&bus.way);
    if (machine->bus_count == MACHINE_MOST_BUSES) {
        costs_free(&bus.way);
        return;
    }
    bus.name = memory_text_part(name.text, name.length);
    machine->buses =
        memory_resize_array(machine->buses, machine->bus_count + 1, sizeof *machine->buses);
    machine->buses[machine->bus_count++] = bus;
}

/* "bus NAME": one more that nodes of this kind are connected to. */
static void take_connection(struct machine_text *text, const struct machine *machine,
                            struct node_kind *kind)
{
    text_next(text);
    for (size_t i = 0; i < machine->bus_count; i++)
        if (word_is(&text->word, machine->buses[i].name)) {
            kind->buses |= UINT64_C(1) << i;
            text_next(text);
            return;
        }
    text_error(text, &text->word, "there is no bus \"%.*s\" above; describe it before its nodes",
               (int)text->word.length, text->word.text);
    kind->buses = UINT64_MAX; /* no further complaints about it */
    if (!word_ends(&text->word) && !word_is(&text->word, "}"))
        text_next(text);
}

static bool take_node_other(struct machine_text *text, void *machine, void *in)
{
    if (!word_is(&text->word, "bus"))
        return take_cost(text, &((struct node_kind *)in)->inside);
    take_connection(text, machine, in);
    return true;
}

static void take_node(struct machine_text *text, struct machine *machine)
{
    struct word name;
    struct node_kind kind = {.inside = {.atomic = -1}, .ratio = 1, .count = 1};
    if (!take_name(text, &name))
        return;
    take_block(text, &name,
               &(struct keys){KEYS(node_keys), .other = take_node_other, .more = ", bus, cost",
                              .context = machine},
               &kind);
    complete_costs(&kind.inside);
    if (kind.count > MACHINE_MOST_NODES - machine->nodes || machine->kind_count == MOST_KINDS) {
        text_error(text, &name, "there are more than %d nodes, or %d kinds of them",
                   MACHINE_MOST_NODES, MOST_KINDS);
        costs_free(&kind.inside);
        return;
    }
    kind.first = machine->nodes;
    kind.name = memory_text_part(name.text, name.length);
    machine->nodes += kind.count;
    machine->kinds =
        memory_resize_array(machine->kinds, machine->kind_count + 1, sizeof *machine->kinds);
    machine->kinds[machine->kind_count++] = kind;
}

/* ---- Map and collectives ---- */

/* "3" or "16*3": 16 PEs on node 3. */
static bool take_place(struct machine_text *text, struct machine *machine)
{
    struct word word = text->word;
    char copy[64], *end, *rest;
    size_t length = word.length < sizeof copy - 1 ? word.length : sizeof copy - 1;
    memcpy(copy, word.text, length);
    copy[length] = '\0';
    long node = strtol(copy, &end, 10), count = 1;
    if (*end == '*' && end > copy) {
        count = node;
        node = strtol(end + 1, &rest, 10);
        end = rest > end + 1 ? rest : end;
    }
    if (end == copy || *end || count < 1 || node < 0 || node >= MACHINE_MOST_NODES ||
        count > (long)(MOST_PES - machine->list_count)) {
        text_error(text, &word, "give the node of each PE as a number, or N*NODE for N PEs");
        return false;
    }
    if (node >= machine->nodes) {
        text_error(text, &word,
                   "there is no node %ld above; nodes are 0 to %d, in the order in "
                   "which they are described",
                   node, machine->nodes - 1);
        return false;
    }
    machine->list = memory_resize_array(machine->list, machine->list_count + (size_t)count,
                                        sizeof *machine->list);
    for (; count > 0; count--)
        machine->list[machine->list_count++] = (int)node;
    return true;
}

void machine_take_map(struct machine_text *text, struct machine *machine)
{
    struct word at = text->word;
    bool good = true;
    if (word_is(&at, "round-robin") || word_is(&at, "blocks")) {
        machine->placement = word_is(&at, "blocks") ? PLACE_BLOCKS : PLACE_ROUND_ROBIN;
        text_next(text);
        return;
    }
    if (!word_is(&at, "{")) {
        text_error(text, &at, "give round-robin, blocks, or the nodes of all PEs between { and }");
        return;
    }
    machine->placement = PLACE_LIST;
    machine->list_count = 0;
    text_next(text);
    while (!word_ends(&text->word) && !word_is(&text->word, "}")) {
        good = good && take_place(text, machine);
        text_next(text);
    }
    if (word_ends(&text->word))
        text_error(text, &at, "the map does not end; close it with }");
    text_next(text);
}

static void take_collective(struct machine_text *text, struct machine *machine)
{
    struct word name = text->word;
    struct collective_rule rule = {.factor = 1};
    bool any = word_is(&name, "all"), known = any;
    for (size_t i = 0; i < COLLECTIVES; i++)
        known = known || word_is(&name, collective_names[i]);
    if (!known) {
        text_error(text, &name, "give barrier, broadcast, reduce, collect, alltoall or all");
        return;
    }
    text_next(text);
    if (word_is(&text->word, "linear")) {
        rule.shape = SHAPE_LINEAR;
    } else if (word_is(&text->word, "log")) {
        rule.shape = SHAPE_LOGARITHMIC;
    } else if (word_is(&text->word, "factor")) {
        rule.shape = SHAPE_FACTOR;
        text_next(text);
        if (!take_exactly(text, &(struct key){.name = "factor", .quantity = QUANTITY_RATIO},
                          &rule.factor))
            return;
    } else if (word_is(&text->word, "table")) {
        rule.shape = SHAPE_TABLE;
        if (!(rule.table = take_table(text, machine)))
            return;
    } else {
        text_error(text, &text->word, "give linear, log, or factor and a number; or table");
        return;
    }
    if (rule.shape == SHAPE_LINEAR || rule.shape == SHAPE_LOGARITHMIC)
        text_next(text);
    for (size_t i = 0; i < COLLECTIVES; i++)
        if (any || word_is(&name, collective_names[i]))
            machine->collectives[i] = rule;
}

/* "model loggp +- 9 %" */
static void take_model(struct machine_text *text, struct machine *machine)
{
    struct word name;
    double share;
    if (!take_name(text, &name) || !take_share(text, &share))
        return;
    size_t count = machine->model_error_count;
    for (size_t i = 0; i < count; i++)
        if (word_is(&name, machine->model_errors[i].model))
            text_error(text, &name, "the error of this model is given twice");
    machine->model_errors =
        memory_resize_array(machine->model_errors, count + 1, sizeof *machine->model_errors);
    machine->model_errors[machine->model_error_count++] =
        (struct model_error){memory_text_part(name.text, name.length), share};
}

/* ---- All of it ---- */

static void take_include(struct machine_text *text, struct machine *machine)
{
    (void)machine;
    struct word at = text->word;
    if (at.length < 3 || at.text[0] != '"') {
        text_error(text, &at, "give the name of a file: include \"nodes.txt\"");
        return;
    }
    char *path = memory_text_part(at.text + 1, at.length - 2);
    if (!text_enter(text, path))
        text_next(text);
    free(path);
}

/* Statements that are a key and its value, and others. */
static const struct key machine_keys[] = {
    CHOICE("locks", offsetof(struct machine, locks), "first", "spread",
           "give first: all are at PE 0, or spread: they are at all PEs"),
    CHOICE("unlock", offsetof(struct machine, unlock), "completes", "overtakes",
           "give completes: clear_lock waits for what is open in the default context, or "
           "overtakes: it does not"),
};
static const struct statement {
    const char *name;
    void (*take)(struct machine_text *, struct machine *);
} statements[] = {
    {"bus", take_bus},         {"node", take_node},
    {"map", machine_take_map}, {"collective", take_collective},
    {"model", take_model},     {"include", take_include},
};

/* The statement that the word begins, or NULL. */
static const struct statement *statement_of(const struct word *word)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (word_is(word, statements[i].name))
            return &statements[i];
    return NULL;
}

static void take_statement(struct machine_text *text, struct machine *machine)
{
    static const struct keys keys = {KEYS(machine_keys)};
    struct word word = text->word;
    const struct statement *statement = statement_of(&word);
    const struct key *key = key_named(&keys, &word);
    size_t errors = text->error_count;
    text_next(text);
    if (statement)
        statement->take(text, machine);
    else if (key)
        take_value(text, key, machine);
    else
        text_error(text, &word,
                   "\"%.*s\" is not known; there are bus, node, map, collective, locks, unlock, "
                   "model and include",
                   (int)word.length, word.text);
    if (text->error_count > errors) /* of one mistake others would follow */
        while (!word_ends(&text->word) && !statement_of(&text->word) &&
               !key_named(&keys, &text->word))
            text_next(text);
}

/* Nodes of any two kinds have a bus in common, and so do those of one kind. */
static void check_connections(struct machine_text *text, const struct machine *machine)
{
    for (size_t i = 0; i < machine->kind_count; i++)
        for (size_t k = i; k < machine->kind_count; k++) {
            const struct node_kind *a = &machine->kinds[i], *b = &machine->kinds[k];
            if ((i != k || a->count > 1) && !(a->buses & b->buses)) {
                text_error(text, &text->word,
                           "nodes %s and %s have no bus in common; name one in "
                           "both: bus NAME",
                           a->name, b->name);
                return;
            }
        }
}

struct machine *machine_read(const char *path, const struct variation *variation, char **error)
{
    struct machine_text text = {.variation = variation};
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    for (size_t i = 0; i < COLLECTIVES; i++)
        machine->collectives[i] = (struct collective_rule){
            i < COLLECTIVE_COLLECT ? SHAPE_LOGARITHMIC : SHAPE_LINEAR, 1, NULL};
    if (text_enter(&text, path)) {
        while (!word_ends(&text.word))
            take_statement(&text, machine);
        if (machine->nodes == 0 && text.error_count == 0)
            text_error(&text, &text.word,
                       "no node is described; add node NAME { bandwidth ... "
                       "latency ... }");
        if (text.error_count == 0)
            check_connections(&text, machine);
    }
    *error = text_take(&text.errors);
    machine->uncertain = text.uncertain;
    machine->uncertain_count = text.uncertain_count;
    machine->has_overhead = text.has_overhead;
    text.uncertain = NULL;
    text.uncertain_count = 0;
    bool wrong = text.error_count > 0;
    text_close(&text);
    if (!wrong) {
        free(*error);
        *error = NULL;
        return machine;
    }
    machine_free(machine);
    return NULL;
}
