/* Reads and checks machine descriptions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/machine_costs.h"
#include "sim/machine_value.h"

#define MOST_LIST (1 << 24)
#define MOST_KINDS 4096

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
    {"bandwidth", QUANTITY_RATE, offsetof(type, member.per_byte), 0, true},                        \
        {"latency", QUANTITY_TIME, offsetof(type, member.latency), 0, true},                       \
        {"overhead", QUANTITY_TIME, offsetof(type, member.overhead), 0, false},                    \
        {"gap", QUANTITY_TIME, offsetof(type, member.gap), 0, false},                              \
        {"receive", QUANTITY_TIME, offsetof(type, member.receive), 0, false},                      \
        {"answer", QUANTITY_TIME, offsetof(type, member.answer), 0, false},                        \
    {                                                                                              \
        "atomic", QUANTITY_TIME, offsetof(type, member.atomic), 0, false                           \
    }

static const struct key bus_keys[] = {
    WAY_KEYS(struct bus, way),
    {"lanes", QUANTITY_COUNT, offsetof(struct bus, lanes), MACHINE_MOST_LINKS, false},
    {"total", QUANTITY_RATE, offsetof(struct bus, total), 0, false},
};
static const struct key node_keys[] = {
    WAY_KEYS(struct node_kind, inside),
    {"count", QUANTITY_COUNT, offsetof(struct node_kind, count), MACHINE_MOST_NODES, false},
    {"cores", QUANTITY_COUNT, offsetof(struct node_kind, cores), MOST_LIST, false},
    {"in", QUANTITY_COUNT, offsetof(struct node_kind, in_links), MACHINE_MOST_LINKS, false},
    {"out", QUANTITY_COUNT, offsetof(struct node_kind, out_links), MACHINE_MOST_LINKS, false},
    {"ratio", QUANTITY_RATIO, offsetof(struct node_kind, ratio), 0, false},
};
/* One of two words: 1 or 2; 0 if it is neither, which is an error. */
static int take_word(struct machine_text *text, const char *const words[2], const char *remedy)
{
    int choice = word_is(&text->word, words[0]) ? 1 : word_is(&text->word, words[1]) ? 2 : 0;
    if (choice)
        text_next(text);
    else
        text_error(text, &text->word, "%s", remedy);
    return choice;
}

/* "KEY WORD", as take_word(). before: what was given for the key already, 0: nothing. */
static int take_choice(struct machine_text *text, const char *const words[2], const char *remedy,
                       int before)
{
    struct word key = text->word;
    text_next(text);
    int choice = take_word(text, words, remedy);
    if (choice && before)
        text_error(text, &key, "%.*s is given twice", (int)key.length, key.text);
    return choice;
}

/* How strided calls and quiet go on a bus or inside a node, or what classes of calls cost there. */
static bool take_way_other(struct machine_text *text, struct way *way)
{
    static const char *const words[] = {"together", "each"}, *const quiets[] = {"waits", "asks"};
    if (word_is(&text->word, "quiet")) {
        way->quiet = (enum quiet_way)take_choice(
            text, quiets, "give waits: for answers alone, or asks: by a message to each PE",
            (int)way->quiet);
        return true;
    }
    bool iput = word_is(&text->word, "iput");
    if (!iput && !word_is(&text->word, "iget"))
        return costs_take(text, way);
    enum strided *strided = iput ? &way->iput : &way->iget;
    *strided = (enum strided)take_choice(
        text, words, "give together: as one message, or each: every element by itself",
        (int)*strided);
    return true;
}

static bool take_bus_other(struct machine_text *text, void *machine, void *in)
{
    (void)machine;
    return take_way_other(text, &((struct bus *)in)->way);
}

const struct key *machine_key(bool node, const char *name)
{
    const struct key *keys = node ? node_keys : bus_keys;
    size_t count = node ? sizeof node_keys / sizeof *node_keys : sizeof bus_keys / sizeof *bus_keys;
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
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
               &(struct keys){KEYS(bus_keys), .other = take_bus_other,
                              .more = ", cost, iput, iget, quiet"},
               &bus);
    costs_complete(&bus.way);
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
    static const char *const words[] = {"always", "inside"};
    struct node_kind *kind = in;
    if (word_is(&text->word, "bus"))
        take_connection(text, machine, kind);
    else if (word_is(&text->word, "progress"))
        kind->progress = (enum progress_kind)take_choice(
            text, words, "give always, or inside: only in calls of the library",
            (int)kind->progress);
    else
        return take_way_other(text, &kind->inside);
    return true;
}

static void take_node(struct machine_text *text, struct machine *machine)
{
    struct word name;
    struct node_kind kind = {.inside = {.atomic = -1}, .ratio = 1, .count = 1};
    if (!take_name(text, &name))
        return;
    take_block(text, &name,
               &(struct keys){KEYS(node_keys), .other = take_node_other,
                              .more = ", bus, cost, iput, iget, quiet, progress",
                              .context = machine},
               &kind);
    costs_complete(&kind.inside);
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
        count > (long)(MOST_LIST - machine->list_count)) {
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
        if (!take_ratio(text, "factor", &rule.factor))
            return;
    } else if (word_is(&text->word, "table")) {
        rule.shape = SHAPE_TABLE;
        if (!(rule.table = costs_take_table(text, machine)))
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

static void take_locks(struct machine_text *text, struct machine *machine)
{
    static const char *const words[] = {"first", "spread"};
    machine->locks_spread =
        take_word(text, words, "give first: all are at PE 0, or spread: they are at all PEs") == 2;
}

static void take_unlock(struct machine_text *text, struct machine *machine)
{
    static const char *const words[] = {"completes", "overtakes"};
    machine->unlock_overtakes =
        take_word(text, words,
                  "give completes: clear_lock waits for what is open in the default context, or "
                  "overtakes: it does not") == 2;
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

static const struct statement {
    const char *name;
    void (*take)(struct machine_text *, struct machine *);
} statements[] = {
    {"bus", take_bus},         {"node", take_node},
    {"map", machine_take_map}, {"collective", take_collective},
    {"locks", take_locks},     {"unlock", take_unlock},
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
    struct word word = text->word;
    const struct statement *statement = statement_of(&word);
    size_t errors = text->error_count;
    text_next(text);
    if (statement)
        statement->take(text, machine);
    else
        text_error(text, &word,
                   "\"%.*s\" is not known; there are bus, node, map, collective, locks, unlock, "
                   "model and include",
                   (int)word.length, word.text);
    if (text->error_count > errors) /* of one mistake others would follow */
        while (!word_ends(&text->word) && !statement_of(&text->word))
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
