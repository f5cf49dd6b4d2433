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
#define FROM                                                                                       \
    {                                                                                              \
        "from", QUANTITY_SIZE, .at = offsetof(struct cost_piece, from)                             \
    }
static const struct key piece_keys[] = {{"overhead", QUANTITY_TIME, PIECE(overhead)},
                                        {"latency", QUANTITY_TIME, PIECE(latency)},
                                        {"gap", QUANTITY_TIME, PIECE(gap)},
                                        {"receive", QUANTITY_TIME, PIECE(receive)},
                                        {"answer", QUANTITY_TIME, PIECE(answer)},
                                        {"bandwidth", QUANTITY_RATE, PIECE(per_byte)},
                                        FROM,
                                        {0}};
static const struct key latency_key[] = {{"latency", QUANTITY_TIME, PIECE(latency), .needed = true},
                                         {0}};
static const struct key overhead_key[] = {
    {"overhead", QUANTITY_TIME, PIECE(overhead), .needed = true}, {0}};

/* Left out: as the bus or node, whose own values may come later. */
#define LEFT_OUT (-1)

static const struct way left_out = {.latency = LEFT_OUT,
                                    .overhead = LEFT_OUT,
                                    .gap = LEFT_OUT,
                                    .receive = LEFT_OUT,
                                    .answer = LEFT_OUT,
                                    .per_byte = LEFT_OUT};

/* After an error in its name: moves to the word after a block. */
static void skip_block(struct machine_text *text)
{
    size_t depth = 0;
    if (!word_is(&text->word, "{") && !word_is(&text->word, "}"))
        sim_text_next(text);
    if (!word_is(&text->word, "{"))
        return;
    do {
        depth += word_is(&text->word, "{");
        depth -= depth > 0 && word_is(&text->word, "}");
        sim_text_next(text);
    } while (depth > 0 && !word_ends(&text->word));
}

/* "cost CLASS { ... }" of a bus or node. */
static void take_cost(struct machine_text *text, void *member)
{
    struct way *way = member;
    struct word name = text->word;
    size_t class = 0;
    while (class < COST_CLASSES && !word_is(&name, cost_names[class]))
        class ++;
    if (!way->costs)
        way->costs = memory_zeroed(1, sizeof *way->costs);
    if (class == COST_CLASSES || way_has(way, class)) {
        if (class < COST_CLASSES)
            sim_text_error(text, &name, "cost %s is given twice", cost_names[class]);
        else
            sim_text_error(text, &name,
                           "give put, get, put-nbi, get-nbi, atomic, lock, unlock, lock-held, "
                           "hand-over, connect, quiet, fence or wait");
        skip_block(text);
        return;
    }
    sim_text_next(text);
    const bool latency = class == COST_HAND_OVER || class == COST_CONNECT;
    const struct key *keys = latency                 ? latency_key
                             : class < COST_MESSAGES ? piece_keys
                                                     : overhead_key;
    sim_take_pieces(text, &name, keys, &left_out, &way->costs->of[class]);
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
            for (const struct key *key = piece_keys; key->quantity != QUANTITY_SIZE; key++) {
                void *member = (char *)piece + key->at;
                if (sim_member_number(key->quantity, member) < 0)
                    sim_member_set(key->quantity, member,
                                   sim_member_number(key->quantity, (const char *)&own + key->at));
            }
        }
    }
}

/* ---- Tables of collectives ---- */

static const struct key time_keys[] = {{"time", QUANTITY_TIME, PIECE(latency), .needed = true},
                                       {"bandwidth", QUANTITY_RATE, PIECE(per_byte)},
                                       {"last", QUANTITY_TIME, PIECE(overhead)},
                                       FROM,
                                       {0}};

/* "pes N { ... }"; false: what follows cannot be understood. */
static bool take_row(struct machine_text *text, struct time_table *table)
{
    static const struct key pes = {.name = "pes", .quantity = QUANTITY_COUNT, .most = MOST_PES};
    if (!word_is(&text->word, "pes"))
        return sim_text_error(text, &text->word,
                              "give the times of so many PEs: pes 2 { time 1.5 us }");
    sim_text_next(text);
    struct word at = text->word;
    struct time_row row = {0};
    if (!sim_take_exactly(text, &pes, &row.pes))
        return false;
    int before = table->count ? table->rows[table->count - 1].pes : 0;
    if (row.pes <= before)
        sim_text_error(text, &at, "PEs must ascend; the row before is of %d", before);
    sim_take_pieces(text, &at, time_keys, &(struct way){.overhead = LEFT_OUT}, &row.pieces);
    memory_append(table->rows, table->count, row);
    return true;
}

/* "linear" or "log", if that is the current word. */
static bool take_shape(struct machine_text *text, enum shape *shape)
{
    bool linear = word_is(&text->word, "linear");
    if (!linear && !word_is(&text->word, "log"))
        return false;
    *shape = linear ? SHAPE_LINEAR : SHAPE_LOGARITHMIC;
    sim_text_next(text);
    return true;
}

/* What follows "table", which the machine then has. NULL: that is an error. */
static const struct time_table *take_table(struct machine_text *text, struct word at)
{
    struct machine *machine = text->machine;
    struct time_table *table = memory_zeroed(1, sizeof *table);
    memory_append(machine->tables, machine->table_count, table);
    table->beyond = SHAPE_LOGARITHMIC;
    take_shape(text, &table->beyond);
    if (!word_is(&text->word, "{")) {
        sim_text_error(text, &text->word,
                       "give linear, log, or the rows of the table between { and }");
        return NULL;
    }
    sim_text_next(text);
    while (in_block(text))
        if (!take_row(text, table))
            return NULL;
    if (word_ends(&text->word))
        sim_text_error(text, &at, "the table does not end; close it with }");
    else if (table->count == 0)
        sim_text_error(text, &at, "the table has no rows; add pes N { time ... }");
    else if (table->rows[table->count - 1].pes < 2)
        sim_text_error(text, &at, "the table has no row of 2 PEs or more");
    sim_text_next(text);
    return table;
}

/* ---- Buses and nodes ---- */

/* The name behind "bus" or "node". */
static bool take_name(struct machine_text *text, struct word *name)
{
    *name = text->word;
    if (word_ends(name) || name->text[0] == '{' || name->text[0] == '}')
        return sim_text_error(text, name, "a name is missing");
    sim_text_next(text);
    return true;
}

/* What buses and nodes have. */
#define MEDIUM(member) .at = offsetof(struct medium, member)
#define WAY_KEYS                                                                                   \
    {"bandwidth", QUANTITY_RATE, MEDIUM(way.per_byte), .needed = true},                            \
        {"latency", QUANTITY_TIME, MEDIUM(way.latency), .needed = true},                           \
        {"overhead", QUANTITY_TIME, MEDIUM(way.overhead)},                                         \
        {"gap", QUANTITY_TIME, MEDIUM(way.gap)}, {"header", QUANTITY_SIZE, MEDIUM(way.header)},    \
        {"receive", QUANTITY_TIME, MEDIUM(way.receive)},                                           \
        {"answer", QUANTITY_TIME, MEDIUM(way.answer)},                                             \
        {"interrupt", QUANTITY_TIME, MEDIUM(way.interrupt)},                                       \
        {"first-interrupt", QUANTITY_TIME, MEDIUM(way.first_interrupt)},                           \
        {"atomic", QUANTITY_TIME, MEDIUM(way.atomic)},                                             \
        CHOICE("iput", offsetof(struct medium, way.iput_each), "together", "each",                 \
               STRIDED_REMEDY),                                                                    \
        CHOICE("iget", offsetof(struct medium, way.iget_each), "together", "each",                 \
               STRIDED_REMEDY),                                                                    \
        CHOICE("quiet", offsetof(struct medium, way.asks), "waits", "asks",                        \
               "give waits: for answers alone, or asks: by a message to each PE")
#define CHOICE(option, offset, first, second, text)                                                \
    {                                                                                              \
        .name = option, .quantity = QUANTITY_CHOICE, .at = offset, .words = {first, second},       \
        .remedy = text                                                                             \
    }
#define STRIDED_REMEDY "give together: as one message, or each: every element by itself"

/* "bus NAME": one more that nodes of a kind are connected to. */
static void take_connection(struct machine_text *text, void *member)
{
    uint64_t *buses = member;
    const struct machine *machine = text->machine;
    for (size_t i = 0; i < machine->bus_count; i++)
        if (word_is(&text->word, machine->buses[i].name)) {
            *buses |= UINT64_C(1) << i;
            sim_text_next(text);
            return;
        }
    sim_text_error(text, &text->word,
                   "there is no bus \"%.*s\" above; describe it before its nodes",
                   (int)text->word.length, text->word.text);
    *buses = UINT64_MAX; /* no further complaints about it */
    if (in_block(text))
        sim_text_next(text);
}

static const struct key bus_keys[] = {
    WAY_KEYS,
    {"lanes", QUANTITY_COUNT, MEDIUM(lanes), .most = MACHINE_MOST_LINKS},
    {"total", QUANTITY_RATE, MEDIUM(total)},
    {"cost", MEDIUM(way), .take = take_cost},
    {0},
};
static const struct key node_keys[] = {
    WAY_KEYS,
    {"count", QUANTITY_COUNT, MEDIUM(count), .most = MACHINE_MOST_NODES},
    {"cores", QUANTITY_COUNT, MEDIUM(cores), .most = MOST_PES},
    {"in", QUANTITY_COUNT, MEDIUM(in_links), .most = MACHINE_MOST_LINKS},
    {"out", QUANTITY_COUNT, MEDIUM(out_links), .most = MACHINE_MOST_LINKS},
    {"ratio", QUANTITY_RATIO, MEDIUM(ratio)},
    CHOICE("progress", offsetof(struct medium, progress_inside), "always", "inside",
           "give always, or inside: only in calls of the library"),
    {"bus", MEDIUM(buses), .take = take_connection},
    {"cost", MEDIUM(way), .take = take_cost},
    {0},
};

const struct key *sim_machine_key(bool node, const char *name)
{
    return sim_key_named(node ? node_keys : bus_keys, &(struct word){NULL, name, strlen(name)});
}

static void take_bus(struct machine_text *text, void *into)
{
    struct machine *machine = into;
    struct word name;
    struct medium bus = {.way = {.atomic = -1}};
    if (!take_name(text, &name))
        return;
    for (size_t i = 0; i < machine->bus_count; i++)
        if (word_is(&name, machine->buses[i].name))
            sim_text_error(text, &name, "there is a bus of this name already; give each its own");
    if (machine->bus_count == MACHINE_MOST_BUSES)
        sim_text_error(text, &name, "there are more than %d buses", MACHINE_MOST_BUSES);
    sim_take_block(text, &name, bus_keys, &bus);
    complete_costs(&bus.way);
    if (machine->bus_count == MACHINE_MOST_BUSES) {
        costs_free(&bus.way);
        return;
    }
    bus.name = memory_text_part(name.text, name.length);
    memory_append(machine->buses, machine->bus_count, bus);
}

static void take_node(struct machine_text *text, void *into)
{
    struct machine *machine = into;
    struct word name;
    struct medium kind = {.way = {.atomic = -1}, .ratio = 1, .count = 1};
    if (!take_name(text, &name))
        return;
    sim_take_block(text, &name, node_keys, &kind);
    complete_costs(&kind.way);
    if (kind.count > MACHINE_MOST_NODES - machine->nodes || machine->kind_count == MOST_KINDS) {
        sim_text_error(text, &name, "there are more than %d nodes, or %d kinds of them",
                       MACHINE_MOST_NODES, MOST_KINDS);
        costs_free(&kind.way);
        return;
    }
    kind.first = machine->nodes;
    kind.name = memory_text_part(name.text, name.length);
    machine->nodes += kind.count;
    memory_append(machine->kinds, machine->kind_count, kind);
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
        count > (long)(MOST_PES - machine->list_count))
        return sim_text_error(text, &word,
                              "give the node of each PE as a number, or N*NODE for N PEs");
    if (node >= machine->nodes)
        return sim_text_error(
            text, &word,
            "there is no node %ld above; nodes are 0 to %d, in the order in which "
            "they are described",
            node, machine->nodes - 1);
    machine->list = memory_resize_array(machine->list, machine->list_count + (size_t)count,
                                        sizeof *machine->list);
    for (; count > 0; count--)
        machine->list[machine->list_count++] = (int)node;
    return true;
}

void sim_machine_take_map(struct machine_text *text, void *into)
{
    struct machine *machine = into;
    struct word at = text->word;
    bool good = true;
    if (word_is(&at, "round-robin") || word_is(&at, "blocks")) {
        machine->placement = word_is(&at, "blocks") ? PLACE_BLOCKS : PLACE_ROUND_ROBIN;
        sim_text_next(text);
        return;
    }
    if (!word_is(&at, "{")) {
        sim_text_error(text, &at,
                       "give round-robin, blocks, or the nodes of all PEs between { and }");
        return;
    }
    machine->placement = PLACE_LIST;
    machine->list_count = 0;
    sim_text_next(text);
    while (in_block(text)) {
        good = good && take_place(text, machine);
        sim_text_next(text);
    }
    if (word_ends(&text->word))
        sim_text_error(text, &at, "the map does not end; close it with }");
    sim_text_next(text);
}

/* What follows the name of a collective. */
static bool take_rule(struct machine_text *text, struct collective_rule *rule)
{
    static const struct key factor = {.name = "factor", .quantity = QUANTITY_RATIO};
    struct word at = text->word;
    if (take_shape(text, &rule->shape))
        return true;
    rule->shape = word_is(&at, "table") ? SHAPE_TABLE : SHAPE_FACTOR;
    if (rule->shape == SHAPE_FACTOR && !word_is(&at, factor.name))
        return sim_text_error(text, &at, "give linear, log, or factor and a number; or table");
    sim_text_next(text);
    if (rule->shape == SHAPE_FACTOR)
        return sim_take_exactly(text, &factor, &rule->factor);
    rule->table = take_table(text, at);
    return rule->table;
}

/* Of collect and fcollect, one that is named counts for the other, too, unless that has its own. */
static void share_rule(struct collective_rule *rules)
{
    struct collective_rule *any = &rules[COLLECTIVE_COLLECT], *same = &rules[COLLECTIVE_FCOLLECT],
                           *from = any->named ? any : same, *to = any->named ? same : any;
    if (any->named == same->named)
        return;
    *to = *from;
    to->named = false;
}

static void take_collective(struct machine_text *text, void *into)
{
    struct machine *machine = into;
    struct word name = text->word;
    const bool all = word_is(&name, "all");
    struct collective_rule rule = {.factor = 1, .named = !all};
    size_t which = 0;
    while (which < COLLECTIVES && !word_is(&name, sim_collective_names[which]))
        which++;
    if (!all && which == COLLECTIVES) {
        sim_text_error(text, &name,
                       "give barrier, broadcast, reduce, collect, fcollect, alltoall or all");
        return;
    }
    sim_text_next(text);
    if (!take_rule(text, &rule))
        return;
    for (size_t i = 0; i < COLLECTIVES; i++)
        if (all || i == which)
            machine->collectives[i] = rule;
    share_rule(machine->collectives);
}

/* "model loggp +- 9 %", and "model loggp threads +- 20 %" for runs with several threads */
static void take_model(struct machine_text *text, void *into)
{
    struct machine *machine = into;
    struct word name;
    double share;
    if (!take_name(text, &name))
        return;
    const bool threads = word_is(&text->word, "threads");
    if (threads)
        sim_text_next(text);
    if (!sim_take_share(text, &share))
        return;
    for (size_t i = 0; i < machine->model_error_count; i++)
        if (word_is(&name, machine->model_errors[i].model) &&
            threads == machine->model_errors[i].threads)
            sim_text_error(text, &name, "the error of this model is given twice");
    memory_append(machine->model_errors, machine->model_error_count,
                  (struct model_error){memory_text_part(name.text, name.length), threads, share});
}

/* ---- All of it ---- */

static void take_include(struct machine_text *text, void *into)
{
    (void)into;
    struct word at = text->word;
    if (at.length < 3 || at.text[0] != '"') {
        sim_text_error(text, &at, "give the name of a file: include \"nodes.txt\"");
        return;
    }
    char *path = memory_text_part(at.text + 1, at.length - 2);
    if (!sim_text_enter(text, path))
        sim_text_next(text);
    free(path);
}

static const struct key statements[] = {
    {"bus", .take = take_bus},
    {"node", .take = take_node},
    {"map", .take = sim_machine_take_map},
    {"collective", .take = take_collective},
    CHOICE("locks", offsetof(struct machine, locks_spread), "first", "spread",
           "give first: all are at PE 0, or spread: they are at all PEs"),
    CHOICE("unlock", offsetof(struct machine, unlock_overtakes), "completes", "overtakes",
           "give completes: clear_lock waits for what is open in the default context, or "
           "overtakes: it does not"),
    {"model", .take = take_model},
    {"include", .take = take_include},
    {0},
};

static void take_statement(struct machine_text *text)
{
    struct word word = text->word;
    const struct key *statement = sim_key_named(statements, &word);
    size_t errors = text->error_count;
    sim_text_next(text);
    if (!statement)
        sim_unknown_key(text, &word, statements);
    else if (statement->take)
        statement->take(text, text->machine);
    else
        sim_take_value(text, statement, text->machine);
    if (text->error_count > errors) /* of one mistake others would follow */
        while (!word_ends(&text->word) && !sim_key_named(statements, &text->word))
            sim_text_next(text);
}

/* Nodes of any two kinds have a bus in common, and so do those of one kind. */
static void check_connections(struct machine_text *text, const struct machine *machine)
{
    for (size_t i = 0; i < machine->kind_count; i++)
        for (size_t k = i; k < machine->kind_count; k++) {
            const struct medium *a = &machine->kinds[i], *b = &machine->kinds[k];
            if ((i != k || a->count > 1) && !(a->buses & b->buses)) {
                sim_text_error(text, &text->word,
                               "nodes %s and %s have no bus in common; name one in "
                               "both: bus NAME",
                               a->name, b->name);
                return;
            }
        }
}

struct machine *sim_machine_read(const char *path, const struct variation *variation, char **error)
{
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    struct machine_text text = {.variation = variation, .machine = machine};
    for (size_t i = 0; i < COLLECTIVES; i++)
        machine->collectives[i] = (struct collective_rule){
            i < COLLECTIVE_COLLECT ? SHAPE_LOGARITHMIC : SHAPE_LINEAR, 1, NULL, false};
    if (sim_text_enter(&text, path)) {
        while (!word_ends(&text.word))
            take_statement(&text);
        if (machine->nodes == 0 && text.error_count == 0)
            sim_text_error(&text, &text.word,
                           "no node is described; add node NAME { bandwidth ... "
                           "latency ... }");
        if (text.error_count == 0)
            check_connections(&text, machine);
    }
    *error = text.error_count ? text_take(&text.errors) : NULL;
    sim_text_close(&text);
    if (!*error)
        return machine;
    sim_machine_free(machine);
    return NULL;
}
