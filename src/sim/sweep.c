/* Reads changes of a machine, and makes machines that have them. */
#include "sim/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/model.h"

/* ---- What is changed ---- */

/* The buses or kinds of nodes that an option names, or all that it can change. */
static bool take_target(struct machine_text *text, struct sweep *sweep,
                        const struct machine *machine)
{
    struct word name = text->word;
    const char *next = name.text + name.length;
    const struct key *bus = sim_machine_key(false, sweep->option),
                     *node = sim_machine_key(true, sweep->option);
    size_t buses = machine->bus_count, kinds = machine->kind_count, found = 0;
    const bool named = !word_ends(&name) && next[strspn(next, " \t")] == '=',
               all = !named || word_is(&name, "buses") || word_is(&name, "nodes");
    /* Without a name buses, if they have the key. What atomics take is a key of nodes, unless a bus
     * has it, too. */
    bool of_buses = bus && bus->at != offsetof(struct medium, way.atomic);
    for (size_t i = 0; bus && i < buses; i++)
        of_buses = of_buses || machine->buses[i].way.atomic >= 0;
    if (all) {
        of_buses = named ? word_is(&name, "buses") : of_buses;
        sweep->count = of_buses ? buses : kinds;
    }
    for (size_t i = 0; !all && i < buses + kinds; i++) {
        if (!word_is(&name, i < buses ? machine->buses[i].name : machine->kinds[i - buses].name))
            continue;
        found++;
        of_buses = i < buses;
        sweep->first = of_buses ? i : i - buses;
        sweep->count = 1;
    }
    if (!all && found != 1)
        return sim_text_error(
            text, &name,
            found ? "\"%.*s\" are several in the machine description; give each bus "
                    "and node its own name there"
                  : "there is no bus or node \"%.*s\" in the machine description; it "
                    "names them behind bus and node, buses= and nodes= are all",
            (int)name.length, name.text);
    sweep->of = of_buses ? SWEEP_BUSES : SWEEP_NODES;
    sweep->key = of_buses ? bus : node;
    if (!sweep->key)
        return sim_text_error(text, &name, "only %s have %s; name one of them",
                              bus ? "buses" : "nodes", sweep->option);
    if (sweep->count == 0)
        return sim_text_error(text, &name,
                              "no bus is described; for what is inside nodes write nodes=");
    if (named) {
        sim_text_next(text);
        sim_text_next(text);
        sweep->label = text_format("%s of %.*s", sweep->option, (int)name.length, name.text);
    } else {
        sweep->label = memory_text(sweep->option);
    }
    return true;
}

/* ---- Values ---- */

/* What a change does: gives the machine what the setting says, or only looks at its values. */
struct change {
    const struct key *key;
    const struct setting *setting; /* NULL: changes nothing */
    bool any;                      /* value is more than 0 */
    bool impossible;               /* no machine can have one of the new values */
};

/* twice: it is a latency there and back. 0 costs nothing or means "any number", and less a default:
 * a factor changes neither. */
static void change_member(struct change *change, void *member, bool twice)
{
    const struct setting *setting = change->setting;
    enum quantity quantity = change->key->quantity;
    double before = sim_member_number(quantity, member);
    change->any = change->any || before > 0;
    if (!setting || (setting->factor && before <= 0))
        return;
    double value = setting->value * (twice ? 2 : 1);
    if (setting->factor)
        value = quantity == QUANTITY_RATE ? before / setting->number : before * setting->number;
    if (setting->added)
        value += before > 0 ? before : 0;
    if ((setting->factor || setting->added) && !is_in_range(change->key, value))
        change->impossible = true;
    else
        sim_member_set(quantity, member, value);
}

/* All values of the machine that a sweep changes: of its buses or nodes, and of what classes of
 * calls cost there, if these have such a value. */
static struct change change_members(const struct machine *machine, const struct sweep *sweep,
                                    const struct setting *setting)
{
    struct change change = {.key = sweep->key, .setting = setting};
    struct medium *media = sweep->of == SWEEP_BUSES ? machine->buses : machine->kinds;
    /* Huge where it is no part of the way. */
    size_t in_way = sweep->key->at - offsetof(struct medium, way);
    for (size_t i = sweep->first; i < sweep->first + sweep->count; i++) {
        const struct costs *costs = media[i].way.costs;
        change_member(&change, (char *)&media[i] + sweep->key->at, false);
        for (size_t class = 0; costs && in_way < sizeof(struct way) && class < COST_MESSAGES;
             class ++)
            for (size_t k = 0; k < costs->of[class].count; k++) {
                struct way *way = &costs->of[class].of[k].way;
                change_member(&change, (char *)way + in_way,
                              way->round_trip && in_way == offsetof(struct way, latency));
            }
    }
    return change;
}

static bool take_factor(struct machine_text *text, const struct sweep *sweep,
                        struct setting *setting, const struct machine *machine)
{
    static const struct key key = {.name = "a factor", .quantity = QUANTITY_RATIO};
    const enum quantity quantity = sweep->key->quantity;
    struct word at = text->word;
    text->word.text++;
    text->word.length--;
    setting->factor = true;
    if (!sim_take_exactly(text, &key, &setting->number))
        return false;
    return change_members(machine, sweep, NULL).any ||
           sim_text_error(text, &at,
                          "the machine description gives no %s that a factor could change; give "
                          "values, such as %s",
                          sweep->option,
                          quantity == QUANTITY_TIME   ? "\"1 us\""
                          : quantity == QUANTITY_RATE ? "\"10 GB/s\""
                                                      : "4");
}

static bool take_absolute(struct machine_text *text, struct sweep *sweep, struct setting *setting)
{
    struct key key = *sweep->key;
    union {
        int64_t time;
        double real;
        int count;
    } member;
    key.at = 0;
    if (!sim_take_exactly(text, &key, &member))
        return false;
    setting->value = sim_member_number(key.quantity, &member);
    setting->number = key.quantity == QUANTITY_TIME   ? setting->value / PS_PER_SECOND
                      : key.quantity == QUANTITY_RATE ? PS_PER_SECOND / setting->value
                                                      : setting->value;
    return true;
}

static bool take_setting(struct machine_text *text, struct sweep *sweep, struct setting *setting,
                         const struct machine *machine)
{
    const struct word *word = &text->word;
    if (sweep->of == SWEEP_MAP) {
        struct machine placed = {.nodes = machine->nodes};
        size_t errors = text->error_count;
        sim_machine_take_map(text, &placed);
        free(placed.list);
        return text->error_count == errors;
    }
    bool changes = sweep->of != SWEEP_PES_PER_NODE && word->length > 1,
         factor = changes && word->text[0] == 'x';
    setting->added = changes && word->text[0] == '+' && sweep->key->quantity == QUANTITY_TIME;
    return factor ? take_factor(text, sweep, setting, machine)
                  : take_absolute(text, sweep, setting);
}

static void take_settings(struct machine_text *text, struct sweep *sweep,
                          const struct machine *machine)
{
    for (;;) {
        struct setting setting = {0};
        const char *begin = text->word.text;
        bool good = take_setting(text, sweep, &setting, machine);
        size_t length = (size_t)(text->word.text - begin);
        while (length > 0 && isspace((unsigned char)begin[length - 1]))
            length--;
        setting.text = memory_text_part(begin, length);
        memory_append(sweep->settings, sweep->setting_count, setting);
        if (!good || word_ends(&text->word))
            return;
        if (!word_is(&text->word, ",")) {
            sim_text_error(text, &text->word, "write commas between values");
            return;
        }
        sim_text_next(text);
    }
}

char *sweep_read(struct sweep *sweep, const char *option, const char *given,
                 const struct machine *machine)
{
    static const struct key pes_per_node = {
        .name = "pes-per-node", .quantity = QUANTITY_COUNT, .most = MACHINE_MOST_NODES};
    struct machine_text text = {.apart = ",="};
    char *name = text_format("--%s", option), *errors = NULL;
    *sweep = (struct sweep){.option = option, .unit = ""};
    sim_text_enter_given(&text, name, given);
    if (strcmp(option, "map") == 0) {
        sweep->of = SWEEP_MAP;
    } else if (strcmp(option, pes_per_node.name) == 0) {
        sweep->of = SWEEP_PES_PER_NODE;
        sweep->key = &pes_per_node;
    } else if (take_target(&text, sweep, machine)) {
        sweep->unit = sweep->key->quantity == QUANTITY_TIME   ? "s"
                      : sweep->key->quantity == QUANTITY_RATE ? "B/s"
                                                              : "";
    }
    if (!sweep->label)
        sweep->label = memory_text(option);
    if (text.error_count == 0)
        take_settings(&text, sweep, machine);
    if (text.error_count > 0)
        errors = text_take(&text.errors);
    sim_text_close(&text);
    free(name);
    return errors;
}

void sweep_free(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->setting_count; i++)
        free(sweep->settings[i].text);
    free(sweep->settings);
    free(sweep->label);
}

/* ---- Changed machines ---- */

/* Measured collectives have no latency, but so many messages in a row. Who comes last finds
 * messages of the others, unless it takes as long as all. */
static void change_tables(struct machine *machine, const struct sweep *sweep,
                          const struct setting *setting)
{
    bool whole = sweep->of == SWEEP_BUSES
                     ? sweep->count == machine->bus_count
                     : sweep->count == machine->kind_count && machine->bus_count == 0,
         bytes = strcmp(sweep->option, "bandwidth") == 0 && setting->factor,
         twice = strcmp(sweep->option, "overhead") == 0; /* of both ends */
    if (!whole || !(bytes || (setting->added && (twice || strcmp(sweep->option, "latency") == 0))))
        return;
    for (size_t i = 0; i < machine->table_count; i++)
        for (size_t k = 0; k < machine->tables[i]->count; k++) {
            const struct time_row *row = &machine->tables[i]->rows[k];
            double messages =
                sim_shape_steps(machine->tables[i]->beyond, row->pes) * (twice ? 2 : 1);
            for (size_t n = 0; n < row->pieces.count; n++) {
                struct way *takes = &row->pieces.of[n].way;
                const bool as_long = takes->overhead >= takes->latency;
                if (bytes)
                    takes->per_byte /= setting->number;
                else
                    takes->latency += (int64_t)(messages * setting->value);
                takes->overhead = as_long ? takes->latency : takes->overhead;
            }
        }
}

/* Numbers of nodes, after their counts have changed. */
static char *number_nodes(struct machine *machine)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < machine->kind_count; i++) {
        machine->kinds[i].first = (int)nodes;
        nodes += machine->kinds[i].count;
        if (nodes > MACHINE_MOST_NODES)
            return text_format("there are more than %d nodes", MACHINE_MOST_NODES);
        const struct medium *kind = &machine->kinds[i];
        if (kind->count > 1 && !kind->buses)
            return text_format("nodes %s have no bus between them; name one in the machine "
                               "description: bus NAME",
                               kind->name);
    }
    machine->nodes = (int)nodes;
    for (size_t i = 0; i < machine->list_count; i++)
        if (machine->list[i] >= machine->nodes)
            return text_format("the map names node %d, but there are only %d; change the map, too",
                               machine->list[i], machine->nodes);
    return NULL;
}

char *sweep_apply(struct machine *machine, const struct sweep *sweep, size_t number)
{
    const struct setting *setting = &sweep->settings[number];
    bool impossible = false;
    if (sweep->of == SWEEP_MAP) {
        struct machine_text text = {.apart = ","};
        int nodes = machine->nodes;
        machine->nodes = MACHINE_MOST_NODES; /* number_nodes() says if there are fewer now */
        machine->list_count = 0;
        sim_text_enter_given(&text, sweep->option, setting->text);
        sim_machine_take_map(&text, machine);
        sim_text_close(&text);
        machine->nodes = nodes;
    } else if (sweep->of == SWEEP_PES_PER_NODE) {
        const int pes = (int)setting->value;
        machine->placement = PLACE_BLOCKS;
        for (size_t i = 0; i < machine->kind_count; i++)
            if (machine->kinds[i].cores == 0 || machine->kinds[i].cores > pes)
                machine->kinds[i].cores = pes;
    } else {
        impossible = change_members(machine, sweep, setting).impossible;
        change_tables(machine, sweep, setting);
    }
    return impossible ? text_format("that is no %s that a machine can have; choose another factor",
                                    sweep->option)
                      : number_nodes(machine);
}
