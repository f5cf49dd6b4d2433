/* What PEs know of one another. */
#include "trace/check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"

#define MOST_CONTEXTS 16 /* of a PE at once; further ones share the last component */
#define SIGHTINGS 8      /* of one thing that are kept */
/* Bytes of what PEs knew when they wrote flags. */
#define VERSION_BYTES (UINT64_C(64) << 20)
#define VERSIONS_LEAST 4
#define VERSIONS_MOST 1024

/* What a PE knew from a call on. */
struct version {
    uint32_t since;
    struct order_clock clock;
    uint32_t fenced[MOST_CONTEXTS];
};

/* A context in use. */
struct context {
    int64_t number;
    uint32_t completion;
    uint32_t fenced; /* last call before the last fence */
    bool over;
};

struct pe {
    uint32_t now;
    bool changed; /* since the last version */
    struct order_clock clock;
    struct context contexts[MOST_CONTEXTS]; /* the first one is the default context */
    size_t context_count;
    struct version *versions; /* a ring */
    size_t version_count, version_room;
};

/* From a call of an observer on it is known that calls up to a number are delivered. */
struct sighting {
    int pe;
    uint32_t when, number;
};

struct sightings {
    struct sighting of[SIGHTINGS]; /* a ring */
    size_t count;
};

struct order {
    int pes;
    struct pe *pe;
    struct component {
        int pe;
        size_t context; /* index of its contexts */
    } * components;
    size_t component_count, component_room;
    struct table sightings; /* struct sightings */
    struct order_clock least;
};

struct order *order_new(int pes)
{
    struct order *order = memory_zeroed(1, sizeof *order);
    size_t count = 2 * (size_t)pes;
    order->pes = pes;
    order->pe = memory_zeroed((size_t)pes, sizeof *order->pe);
    memory_extend(order->components, count, &order->component_room);
    order->component_count = count;
    for (int i = 0; i < pes; i++) {
        uint32_t completion = (uint32_t)(pes + i);
        order->components[i].pe = order->components[completion].pe = i;
        order->pe[i].changed = true;
        order->pe[i].context_count = 1;
        order->pe[i].contexts[0].completion = completion;
        memory_extend(order->pe[i].clock.of, count, &order->pe[i].clock.room);
    }
    return order;
}

void order_free(struct order *order)
{
    for (int i = 0; i < order->pes; i++) {
        struct pe *pe = &order->pe[i];
        for (size_t k = 0; k < pe->version_room; k++)
            free(pe->versions[k].clock.of);
        free(pe->versions);
        free(pe->clock.of);
    }
    free(order->pe);
    free(order->components);
    table_free(&order->sightings);
    free(order->least.of);
    free(order);
}

/* ---- Clocks ---- */

static uint32_t at(const struct order_clock *clock, uint32_t component)
{
    return component < clock->room ? clock->of[component] : 0;
}

static void join(struct order_clock *to, const struct order_clock *from)
{
    size_t used = from->room; /* room that both would double in turn is not copied */
    while (used && from->of[used - 1] == 0)
        used--;
    if (used)
        memory_extend(to->of, used - 1, &to->room);
    for (size_t i = 0; i < used; i++)
        to->of[i] = to->of[i] > from->of[i] ? to->of[i] : from->of[i];
}

static void set(struct order_clock *clock, uint32_t component, uint32_t number)
{
    memory_extend(clock->of, component, &clock->room);
    if (clock->of[component] < number)
        clock->of[component] = number;
}

uint32_t order_step(struct order *order, int number)
{
    struct pe *pe = &order->pe[number];
    if (pe->now == UINT32_MAX)
        return 0;
    pe->clock.of[number] = ++pe->now;
    return pe->now;
}

uint32_t order_now(const struct order *order, int pe)
{
    return order->pe[pe].now;
}

void order_tell(const struct order *order, int pe, struct order_clock *clock)
{
    join(clock, &order->pe[pe].clock);
}

void order_learn(struct order *order, int pe, const struct order_clock *clock)
{
    join(&order->pe[pe].clock, clock);
    order->pe[pe].changed = true;
}

/* ---- Contexts ---- */

static size_t new_context(struct order *order, int pe, size_t index, int64_t number)
{
    struct context *context = &order->pe[pe].contexts[index];
    if (context->completion == 0) {
        context->completion = (uint32_t)order->component_count;
        memory_push(order->components, order->component_count, &order->component_room,
                    (struct component){pe, index});
    }
    context->number = number;
    context->over = false;
    return index;
}

static size_t context_index(struct order *order, int number, int64_t context)
{
    struct pe *pe = &order->pe[number];
    size_t over = 0;
    if (context == 0)
        return 0;
    for (size_t i = 1; i < pe->context_count; i++)
        if (pe->contexts[i].over)
            over = i;
        else if (pe->contexts[i].number == context)
            return i;
    if (over)
        return new_context(order, number, over, context);
    if (pe->context_count == MOST_CONTEXTS)
        return MOST_CONTEXTS - 1;
    return new_context(order, number, pe->context_count++, context);
}

uint32_t order_context(struct order *order, int pe, int64_t context)
{
    return order->pe[pe].contexts[context_index(order, pe, context)].completion;
}

int order_pe(const struct order *order, uint32_t completion)
{
    return order->components[completion].pe;
}

bool order_is_program(const struct order *order, uint32_t completion)
{
    return completion < (uint32_t)order->pes;
}

static struct context *context_of(const struct order *order, uint32_t completion)
{
    const struct component *component = &order->components[completion];
    return &order->pe[component->pe].contexts[component->context];
}

int64_t order_context_number(const struct order *order, uint32_t completion)
{
    return context_of(order, completion)->number;
}

static void quiet(struct pe *pe, size_t index)
{
    struct context *context = &pe->contexts[index];
    context->fenced = pe->now;
    set(&pe->clock, context->completion, pe->now);
    pe->changed = true;
}

void order_quiet(struct order *order, int pe, int64_t context)
{
    quiet(&order->pe[pe], context_index(order, pe, context));
}

void order_quiet_all(struct order *order, int pe)
{
    for (size_t i = 0; i < order->pe[pe].context_count; i++)
        quiet(&order->pe[pe], i);
}

void order_fence(struct order *order, int pe, int64_t context)
{
    order->pe[pe].contexts[context_index(order, pe, context)].fenced = order->pe[pe].now;
    order->pe[pe].changed = true;
}

void order_end_context(struct order *order, int pe, int64_t context)
{
    size_t index = context_index(order, pe, context);
    quiet(&order->pe[pe], index);
    order->pe[pe].contexts[index].over = index > 0;
}

/* ---- Flags ---- */

static size_t most_versions(const struct order *order)
{
    uint64_t bytes = (uint64_t)order->pes * order->component_count * sizeof(uint32_t),
             most = VERSION_BYTES / bytes;
    return most < VERSIONS_LEAST ? VERSIONS_LEAST : most > VERSIONS_MOST ? VERSIONS_MOST : most;
}

void order_keep(struct order *order, int number)
{
    struct pe *pe = &order->pe[number];
    if (!pe->changed)
        return;
    pe->changed = false;
    if (pe->version_count == pe->version_room) {
        size_t most = most_versions(order), room = pe->version_room ? 2 * pe->version_room : 4;
        room = room < most ? room : most;
        if (room > pe->version_room)
            memory_extend(pe->versions, room - 1, &pe->version_room);
    }
    struct version *version = &pe->versions[pe->version_count++ % pe->version_room];
    version->since = pe->now;
    if (version->clock.room)
        memset(version->clock.of, 0, version->clock.room * sizeof *version->clock.of);
    join(&version->clock, &pe->clock);
    for (size_t i = 0; i < pe->context_count; i++)
        version->fenced[i] = pe->contexts[i].fenced;
}

/* What a PE knew at a call; the oldest that is kept if that is forgotten. NULL: nothing yet. */
static const struct version *version_at(const struct pe *pe, uint32_t number)
{
    size_t low = pe->version_count > pe->version_room ? pe->version_count - pe->version_room : 0,
           high = pe->version_count;
    if (low == high)
        return NULL;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (pe->versions[middle % pe->version_room].since <= number)
            low = middle;
        else
            high = middle;
    }
    return &pe->versions[low % pe->version_room];
}

static struct sightings *sightings_of(struct order *order, bool of_flag, uint32_t completion,
                                      uint32_t thing)
{
    const uint32_t key[] = {of_flag, completion, thing};
    return table_value(&order->sightings, key, sizeof key, sizeof(struct sightings));
}

static void sight(struct order *order, int pe, struct sightings *all, uint32_t number)
{
    const struct sighting *last = &all->of[(all->count - 1) % SIGHTINGS];
    if (all->count && last->pe == pe && last->number >= number)
        return;
    all->of[all->count++ % SIGHTINGS] = (struct sighting){pe, order->pe[pe].now, number};
}

/* Whether a PE knows of a sighting of a call. If one may be forgotten, it does. */
static bool sighted(const struct order *order, int pe, const struct sightings *all, uint32_t number)
{
    size_t kept = all->count < SIGHTINGS ? all->count : SIGHTINGS;
    for (size_t i = 0; i < kept; i++)
        if (all->of[i].number >= number &&
            at(&order->pe[pe].clock, (uint32_t)all->of[i].pe) >= all->of[i].when)
            return true;
    return all->count > SIGHTINGS && all->of[all->count % SIGHTINGS].number >= number;
}

bool order_see(struct order *order, int pe, uint32_t completion, uint32_t number, uint32_t flag,
               int owner)
{
    bool news = false;
    int writer = order_pe(order, completion);
    struct order_clock *clock = &order->pe[pe].clock;
    const struct version *version = version_at(&order->pe[writer], number);
    if (writer != pe && version && at(clock, (uint32_t)writer) < number) {
        order_learn(order, pe, &version->clock);
        set(clock, (uint32_t)writer, number);
        news = true;
    }
    if (!order_is_program(order, completion) && at(clock, completion) < number) {
        struct sightings *sightings = sightings_of(order, true, completion, flag);
        if (!sighted(order, pe, sightings, number)) {
            sight(order, pe, sightings, number);
            news = true;
        }
    }
    for (size_t i = 0; version && i < order->pe[writer].context_count; i++) {
        uint32_t context = order->pe[writer].contexts[i].completion,
                 fenced = version->fenced[i] < number ? version->fenced[i] : number - 1;
        if (at(clock, context) < fenced)
            sight(order, pe, sightings_of(order, false, context, (uint32_t)owner), fenced);
    }
    return news;
}

/* ---- Answers ---- */

bool order_past(const struct order *order, int pe, const struct access *access)
{
    return at(&order->pe[pe].clock, (uint32_t)order_pe(order, access->completion)) >=
           access->number;
}

bool order_complete(struct order *order, int pe, const struct access *access, int owner)
{
    const uint32_t completion = access->completion;
    if (at(&order->pe[pe].clock, completion) >= access->number)
        return true;
    if (order_is_program(order, completion))
        return false;
    if (access->does & ACCESS_REMOTE &&
        sighted(order, pe, sightings_of(order, false, completion, (uint32_t)owner), access->number))
        return true;
    return access->flag &&
           sighted(order, pe, sightings_of(order, true, completion, access->flag), access->number);
}

bool order_fenced(const struct order *order, const struct access *access)
{
    return !order_is_program(order, access->completion) && access->does & ACCESS_REMOTE &&
           context_of(order, access->completion)->fenced >= access->number;
}

void order_least(struct order *order)
{
    memory_extend(order->least.of, order->component_count, &order->least.room);
    for (size_t i = 0; i < order->component_count; i++) {
        uint32_t least = UINT32_MAX;
        for (int pe = 0; pe < order->pes; pe++) {
            uint32_t known = at(&order->pe[pe].clock, (uint32_t)i);
            least = known < least ? known : least;
        }
        order->least.of[i] = least;
    }
}

bool order_everywhere(const struct order *order, const struct access *access)
{
    return at(&order->least, access->completion) >= access->number;
}
