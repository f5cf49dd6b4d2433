/* Names factors, chooses the levels of each, and puts them into force. */
#include "engine/factors.h"

#include <stdlib.h>
#include <string.h>

#include "base/location.h"
#include "base/memory.h"
#include "base/text.h"
#include "comm/comm.h"
#include "settings/table.h"
#include "stats/factorial.h"

/* Valid repetitions of a probe: few, since probes are many. */
#define REPETITIONS 8
/* What malloc() promises, and so what the addresses of most programs are multiples of. */
#define GRAIN 16
#define LINE 64

/* ---- Names ---- */

static const char *const factor_names[FACTORS] = {
    [FACTOR_RELATIVE] = "relative",   [FACTOR_SOURCE] = "source", [FACTOR_TARGET] = "target",
    [FACTOR_CYCLING] = "cycling",     [FACTOR_BEFORE] = "before", [FACTOR_ORDER] = "order",
    [FACTOR_PLACEMENT] = "placement", [FACTOR_CACHE] = "cache"};

const char *factor_name(enum factor factor)
{
    return factor_names[factor];
}

static char *unknown(const char *name)
{
    struct text all = {0};
    for (int i = 0; i < FACTORS; i++)
        text_append(&all, "%s%s", i ? ", " : "", factor_names[i]);
    if (strcmp(name, "environment") == 0) {
        text_release(&all);
        return memory_text("a launch has one environment only: skampi campaign --factor "
                           "environment tries several");
    }
    const char *closest = closest_name(name, factor_names, FACTORS);
    char *error = text_format("there is no factor %s%s%s%s there are %s", name,
                              closest ? ": did you mean " : ";", closest ? closest : "",
                              closest ? "?" : "", all.data);
    text_release(&all);
    return error;
}

unsigned factors_parse(const char *list, char **error)
{
    unsigned found = 0;
    for (*error = NULL; list && !*error;) {
        size_t length = strcspn(list, ",");
        char *name = memory_text_part(list, length);
        int factor = 0;
        while (factor < FACTORS && strcmp(factor_names[factor], name) != 0)
            factor++;
        if (factor < FACTORS)
            found |= 1u << factor;
        else
            *error = unknown(name);
        free(name);
        list = list[length] ? list + length + 1 : NULL;
    }
    if (*error)
        return 0;
    return found ? found : (1u << FACTORS) - 1;
}

struct setup setup_usual(void)
{
    struct setup setup;
    for (int factor = 0; factor < FACTORS; factor++)
        setup.of[factor] = factor == FACTOR_ORDER ? 0 : -1;
    return setup;
}

/* ---- PEs on processors ---- */

/* As they were started; the i-th PE of a node on its i-th processor; and so on. */
enum { ORDER_STARTED, ORDER_ASCENDING, ORDER_REVERSED, ORDER_ROTATED, ORDER_SPREAD, ORDERS };

static const char *const order_names[ORDERS] = {"PEs as started", "PEs in the order of processors",
                                                "PEs in reverse order", "PEs rotated by one",
                                                "PEs spread over processors"};

static int largest_node(void)
{
    int most = 0;
    for (int node = 0; node < comm_node_count(); node++)
        most = comm_node_size(node) > most ? comm_node_size(node) : most;
    return most;
}

/* NULL, or why no order but the one at the start is possible. */
static const char *order_refusal(void)
{
    int first, bound = comm_bound_pes(), here = largest_node();
    if (comm_oversubscribed_anywhere())
        return "PEs share processors";
    if (bound != 0 && bound != comm_pes())
        return "some PEs are bound to a processor and others are not";
    if (bound > 0 && here == 1)
        return "each node has one PE with one processor";
    if (bound == 0 && comm_cpus_of(0, &first) < 2)
        return "it is not known which processors PEs may use";
    return NULL;
}

static bool has_order(int order)
{
    int first, here = largest_node(), processors = comm_cpus_of(0, &first);
    bool bound = comm_bound_pes() > 0;
    switch (order) {
    case ORDER_ASCENDING:
        return !bound;
    case ORDER_ROTATED:
        return here > 2;
    case ORDER_SPREAD:
        return !bound && processors > 2 * here;
    default:
        return true;
    }
}

/* The processors that PEs of this node have together, ascending by PE where each has one, and this
 * PE's place among its node's. Returns how many there are. */
static int processors_here(const struct location_pe *started, int *list, int *place)
{
    const struct pe_group *node = comm_own_node();
    bool bound = comm_bound_pes() > 0;
    int count = 0;
    *place = pe_group_rank_of(node, comm_pe());
    for (; bound && count < node->size && count < LOCATION_PROCESSORS; count++)
        comm_cpus_of(pe_group_member(node, count), &list[count]);
    for (int i = 0; !bound && i < LOCATION_PROCESSORS; i++)
        if (started->may_use[i / 64] >> i % 64 & 1)
            list[count++] = i;
    return count;
}

static int processor_for(int order, const int *list, int count, int place)
{
    int here = comm_node_size(comm_node_of(comm_pe())), at = place;
    if (order == ORDER_REVERSED)
        at = here - 1 - place;
    else if (order == ORDER_ROTATED)
        at = (place + 1) % here;
    else if (order == ORDER_SPREAD)
        at = place * count / here;
    return list[at % count];
}

bool factor_move(int order)
{
    static struct location_pe started;
    static int now = -1;
    if (now < 0)
        location_of_self(&started);
    now = now < 0 ? ORDER_STARTED : now;
    if (order == now)
        return true;
    struct location_pe wanted = started;
    if (order != ORDER_STARTED) {
        static int list[LOCATION_PROCESSORS];
        int place, count = processors_here(&started, list, &place);
        int processor = processor_for(order, list, count, place);
        memset(wanted.may_use, 0, sizeof wanted.may_use);
        wanted.may_use[processor / 64] |= UINT64_C(1) << processor % 64;
    }
    int64_t moved = location_move(&wanted);
    now = order;
    comm_allreduce_int(comm_world(), COMM_AND, &moved, 1);
    return moved;
}

/* ---- Levels ---- */

static void add(struct factor_level *levels, size_t *n, int64_t value, char *name)
{
    levels[(*n)++] = (struct factor_level){value, name};
}

static size_t offsets(const struct factor_point *point, bool relative, struct factor_level *levels)
{
    static const int apart[] = {
        0, 4, 8, 16, 32, 48, 64, 528, 2048, FACTOR_PAGE - 16, FACTOR_PAGE - 8};
    static const int begins[] = {
        0, 4, 8, 16, 32, 48, 64, 1024, 2048, 3072, FACTOR_PAGE - LINE, FACTOR_PAGE - 8};
    const int *list = relative ? apart : begins;
    size_t n = 0, count = relative ? sizeof apart / sizeof *apart : sizeof begins / sizeof *begins;
    /* What a put, a get or a message moves may lie anywhere; other data are multiples of 8 bytes.
     */
    const struct measurement *function = point->kept.request.function;
    bool anywhere = function->api == API_MPI || function->local_anywhere;
    for (size_t i = 0; i < count; i++)
        if (list[i] % 8 == 0 || anywhere)
            add(levels, &n, list[i], text_format("%s%d", relative ? "+" : "", list[i]));
    return n;
}

static size_t placements(const struct factor_point *point, struct factor_level *levels,
                         const char **reason)
{
    const struct setting *row = setting_rows;
    size_t n = 0;
    while (strcmp(row->function, "set_buffer_placement") != 0)
        row++;
    for (int kind = PLACEMENT_HEAP; kind < PLACEMENTS; kind++) {
        if (kind == PLACEMENT_NODE)
            continue; /* which one, the script says */
        struct settings settings = point->kept.settings;
        settings.source_placement = (enum placement)kind;
        settings.target_placement = PLACEMENT_DEFAULT;
        const struct run run = {.function = point->kept.request.function,
                                .settings = &settings,
                                .demand = point->demand};
        const char *refusal = buffers_refusal(&run);
        if (refusal)
            *reason = refusal;
        else
            add(levels, &n, kind, memory_text(row->words[kind].name));
    }
    return n;
}

static size_t caches(const struct factor_point *point, struct factor_level *levels,
                     const char **reason)
{
    struct settings settings = point->kept.settings;
    size_t n = 0;
    settings.cache_state = CACHE_COLD;
    const struct run run = {
        .function = point->kept.request.function, .settings = &settings, .demand = point->demand};
    *reason = buffers_refusal(&run);
    if (*reason)
        return 0;
    add(levels, &n, CACHE_WARM, memory_text("warm"));
    add(levels, &n, CACHE_COLD, memory_text("cold"));
    return n;
}

/* The point itself, and the first and the last of the others. */
static size_t calls_before(const struct factors *factors, size_t point, struct factor_level *levels)
{
    size_t n = 0, first = point == 0, last = factors->count - 1 - (point == factors->count - 1);
    const struct factor_point *points = factors->points;
    add(levels, &n, (int64_t)point, memory_text("after itself"));
    add(levels, &n, (int64_t)first, text_format("after %s", points[first].kept.request.text));
    if (last != first)
        add(levels, &n, (int64_t)last, text_format("after %s", points[last].kept.request.text));
    return n;
}

static size_t orders(struct factor_level *levels, const char **reason)
{
    size_t n = 0;
    *reason = order_refusal();
    for (int order = 0; !*reason && order < ORDERS; order++)
        if (has_order(order))
            add(levels, &n, order, memory_text(order_names[order]));
    return n;
}

/* NULL, or why buffers have no address that could be chosen. */
static const char *address_refusal(enum factor factor, const struct factor_point *point)
{
    bool source = point->demand.local > 0, target = point->demand.remote > 0;
    if (point->kept.settings.source_placement == PLACEMENT_MALLOC ||
        point->kept.settings.target_placement == PLACEMENT_MALLOC)
        return "malloc() says where its buffers lie: place them elsewhere (set_buffer_placement)";
    if (factor == FACTOR_RELATIVE && !(source && target))
        return "it has no two buffers";
    if ((factor == FACTOR_SOURCE && !source) || (factor == FACTOR_TARGET && !target))
        return "it has no such buffer";
    return NULL;
}

static const char *cycling_refusal(const struct factor_point *point)
{
    if (point->kept.settings.cache_state == CACHE_COLD)
        return "cold buffers are always fresh ones";
    if (point->kept.request.function->one_place || !point->several_places)
        return "its buffer has one place: make it larger (set_skampi_buffer)";
    return NULL;
}

/* NULL, or why the point has no times that levels could be told apart by. */
static const char *point_refusal(const struct factor_point *point)
{
    const struct measurement *function = point->kept.request.function;
    if (function->timing == TIMING_ONCE)
        return "it happens once in a run";
    if (function->quantity != QUANTITY_TIME || function->any_sign)
        return "its value is no time that is above 0";
    return NULL;
}

static size_t levels_of(const struct factors *factors, struct factor_row *row, const char **reason)
{
    const struct factor_point *point = &factors->points[row->point];
    struct factor_level *levels = row->levels;
    enum factor factor = row->factor;
    bool buffers = point->demand.local > 0 || point->demand.remote > 0;
    size_t n = 0;
    *reason = point_refusal(point);
    if (!*reason && !buffers && factor != FACTOR_BEFORE && factor != FACTOR_ORDER)
        *reason = "it has no buffers";
    if (*reason)
        return 0;
    switch (factor) {
    case FACTOR_RELATIVE:
    case FACTOR_SOURCE:
    case FACTOR_TARGET:
        *reason = address_refusal(factor, point);
        return *reason ? 0 : offsets(point, factor == FACTOR_RELATIVE, levels);
    case FACTOR_CYCLING:
        *reason = cycling_refusal(point);
        if (*reason)
            return 0;
        add(levels, &n, 0, memory_text("the same buffers"));
        add(levels, &n, 1, memory_text("cycling buffers"));
        return n;
    case FACTOR_BEFORE:
        *reason = "there is one point only: measure several sizes or functions";
        return factors->count < 2 ? 0 : calls_before(factors, row->point, levels);
    case FACTOR_ORDER:
        return orders(levels, reason);
    case FACTOR_PLACEMENT:
        return placements(point, levels, reason);
    default:
        return caches(point, levels, reason);
    }
}

bool factor_levels(const struct factors *factors, struct factor_row *row, const char **reason)
{
    row->count = levels_of(factors, row, reason);
    if (row->count < 2)
        factor_levels_free(row);
    return row->count > 0;
}

void factor_levels_free(struct factor_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        free(row->levels[i].name);
    row->count = 0;
}

/* ---- Settings ---- */

/* A place in a page: any multiple of the grain, and the rest. */
static int64_t draw(uint64_t *random, int64_t grain, int64_t rest)
{
    return grain * (int64_t)random_up_to(random, (uint64_t)(FACTOR_PAGE / grain - 1)) + rest;
}

/* Where both begin in their pages. What is not chosen is drawn, so that one factor does not pass
 * for another: where the source is chosen, all distances from it are equally frequent, and where
 * the distance is chosen, all places of the source. Kinds of memory are compared at whole lines. */
static void choose_addresses(const struct setup *setup, uint64_t *random, int64_t *source,
                             int64_t *target)
{
    int64_t relative = setup->of[FACTOR_RELATIVE];
    *source = setup->of[FACTOR_SOURCE];
    *target = setup->of[FACTOR_TARGET];
    if (relative < 0 && *source < 0 && *target < 0) {
        *source = draw(random, LINE, 0);
        *target = draw(random, LINE, 0);
        return;
    }
    if (relative >= 0) {
        if (*source < 0 && *target < 0)
            *source = draw(random, GRAIN, 0);
        if (*source < 0)
            *source = *target + FACTOR_PAGE - relative;
        *target = *source + relative;
    } else if (*target < 0) {
        *target = draw(random, GRAIN, *source % GRAIN);
    } else if (*source < 0) {
        *source = draw(random, GRAIN, *target % GRAIN);
    }
    *source %= FACTOR_PAGE;
    *target %= FACTOR_PAGE;
}

/* Short, and of one time: blocks follow each other faster than the machine changes. */
static void be_quick(struct settings *settings)
{
    settings->precision = 0;
    settings->stop_rule = STOP_STANDARD_ERROR;
    settings->min_repetitions = settings->max_repetitions = REPETITIONS;
    settings->controls = false;
    settings->levels = false;
    settings->verify = VERIFY_LAST;
    settings->max_nr_node_times = 0;
}

struct settings factor_settings(const struct factor_point *point, const struct setup *setup,
                                uint64_t *random)
{
    struct settings settings = point->kept.settings;
    const int64_t *of = setup->of;
    be_quick(&settings);
    if (of[FACTOR_RELATIVE] >= 0 || of[FACTOR_SOURCE] >= 0 || of[FACTOR_TARGET] >= 0 ||
        of[FACTOR_PLACEMENT] >= 0) {
        settings.buffer_cycling = false;
        settings.send_alignment = settings.receive_alignment = FACTOR_PAGE;
        choose_addresses(setup, random, &settings.send_offset, &settings.receive_offset);
    }
    if (of[FACTOR_PLACEMENT] >= 0) {
        settings.source_placement = (enum placement)of[FACTOR_PLACEMENT];
        settings.target_placement = PLACEMENT_DEFAULT;
    }
    if (of[FACTOR_CYCLING] >= 0)
        settings.buffer_cycling = of[FACTOR_CYCLING] > 0;
    if (of[FACTOR_CACHE] >= 0)
        settings.cache_state = (enum cache_state)of[FACTOR_CACHE];
    return settings;
}
