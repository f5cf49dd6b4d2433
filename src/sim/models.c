/* The models: what puts, gets, atomics and collectives take. */
#include <math.h>
#include <string.h>

#include "sim/model.h"

#define MOST_TIME 1e18 /* ps */

static int64_t bounded(double time)
{
    return time < MOST_TIME ? (int64_t)(time + 0.5) : (int64_t)MOST_TIME;
}

static int64_t bytes_take(const struct way *way, uint64_t bytes)
{
    return bounded(way->per_byte * (double)bytes);
}

/* How long an atomic keeps its target busy. */
static int64_t service_of(const struct message *message)
{
    return message->busy >= 0 ? message->busy : bytes_take(message->way, message->bytes);
}

/* ---- LogGP ----
 *
 * By Alexandrov, Ionescu, Schauser and Scheiman: latency L, overhead o of the caller's processor,
 * gap g between messages, and G for each byte, which is 1 / bandwidth. Transfers go on while the
 * caller computes; quiet waits until their acknowledgments are back. The overhead of the processor
 * that receives is a part of the latency, so that a message alone takes L. */

static int64_t without(int64_t time, int64_t part)
{
    return time > part ? time - part : 0;
}

/* How long a message of so many bytes keeps the interface of its sender busy at least. */
static int64_t interface_takes(const struct way *bus, uint64_t bytes)
{
    return bus->header ? bounded(bus->per_byte * (double)(bus->header + bytes)) : 0;
}

static int64_t longer_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static struct phases loggp_put(const struct message *message)
{
    const struct way *way = message->way;
    return (struct phases){.issue = way->overhead,
                           .gap =
                               longer_of(way->gap, interface_takes(message->bus, message->bytes)),
                           .back = interface_takes(message->bus, 0),
                           .wire = bytes_take(way, message->bytes),
                           .flight = without(way->latency, way->receive),
                           .receive = way->receive,
                           .acknowledge = without(way->latency, way->answer),
                           .answer = way->answer,
                           .returns = message->blocking ? RETURNS_SENT : RETURNS_ISSUED};
}

static struct phases loggp(const struct message *message)
{
    const struct way *way = message->way;
    if (message->kind == MESSAGE_PUT)
        return loggp_put(message);
    const bool atomic = message->kind == MESSAGE_ATOMIC;
    const int64_t both = way->round_trip ? way->latency : 2 * way->latency, there = both / 2,
                  service = atomic ? service_of(message) : 0,
                  longer = without(way->receive, service); /* than the service: what remains */
    struct phases phases = {.issue = way->overhead,
                            .request = without(there, longer),
                            .receive = service + longer,
                            .flight = without(both - there, way->answer),
                            .answer = way->answer,
                            .gap = interface_takes(message->bus, 0),
                            .returns = RETURNS_ISSUED,
                            .received = way->receive > 0 || way->answer > 0};
    phases.back = phases.gap;
    if (!atomic) {
        phases.gap = longer_of(way->gap, phases.gap);
        phases.wire = bytes_take(way, message->bytes);
        phases.back = longer_of(phases.wire, interface_takes(message->bus, message->bytes));
    }
    if (message->blocking && (!atomic || message->fetching))
        phases.returns = atomic ? RETURNS_KNOWN : RETURNS_ARRIVED;
    return phases;
}

/* The processors at both ends, and what is between them. */
static int64_t loggp_step(const struct way *way, uint64_t bytes)
{
    return 2 * way->overhead + way->latency + bytes_take(way, bytes);
}

/* ---- The paper ----
 *
 * Meswani, Carrington, Snavely and Poole, Tools for Benchmarking, Tracing, and Simulating SHMEM
 * Applications: latency and bandwidth, and nothing else. */

/* Receiving, which the study does not know, is a part of it. */
static int64_t paper_latency(const struct way *way)
{
    return longer_of(way->latency, way->receive);
}

/* Blocking: latency and bytes. Not blocking: latency; the study takes the rest to be hidden. An
 * atomic is as a blocking transfer of its size, of which the target is busy with the bytes. */
static struct phases paper(const struct message *message)
{
    const int64_t latency = paper_latency(message->way);
    if (message->kind == MESSAGE_ATOMIC)
        return (struct phases){
            .request = latency, .receive = service_of(message), .returns = RETURNS_KNOWN};
    return (struct phases){.wire = message->blocking ? bytes_take(message->way, message->bytes) : 0,
                           .flight = latency,
                           .returns = RETURNS_ARRIVED};
}

static int64_t paper_step(const struct way *way, uint64_t bytes)
{
    return paper_latency(way) + bytes_take(way, bytes);
}

/* ---- The list ---- */

const struct model models[] = {
    {.name = "loggp",
     .help = "LogGP: overhead, gap, latency and bandwidth; transfers overlap with computing",
     .takes = loggp,
     .step = loggp_step,
     .has_overheads = true,
     .one_interface = true,
     .receives = true},
    {.name = "paper",
     .help = "latency + bytes / bandwidth; non-blocking: latency; quiet, fence: 0",
     .takes = paper,
     .step = paper_step},
    {.name = NULL},
};

const struct model *model_find(const char *name)
{
    for (const struct model *model = models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

/* ---- Transfers in a row ---- */

/* From the call until the caller goes on. */
static int64_t until_return(const struct phases *one)
{
    int64_t sent = one->issue + one->request + one->wire,
            arrived = sent + one->flight + one->receive;
    switch (one->returns) {
    case RETURNS_ISSUED:
        return one->issue;
    case RETURNS_SENT:
        return sent;
    case RETURNS_ARRIVED:
        return arrived + one->answer;
    default:
        return arrived + one->acknowledge + one->answer;
    }
}

struct phases sim_phases_in_a_row(const struct phases *one, uint64_t count, bool get)
{
    int64_t returns = until_return(one), apart = get || one->gap > one->wire ? one->gap : one->wire;
    int64_t period = returns > apart ? returns : apart;
    struct phases all = *one;
    if ((double)period * (double)(count - 1) > (double)LAST_TIME) {
        all.request = LAST_TIME; /* which is an error then */
        return all;
    }
    int64_t others = period * (int64_t)(count - 1), wires = one->wire * (int64_t)(count - 1);
    all.request += others - wires;
    all.wire += wires;
    all.gap += get ? others : wires;
    return all;
}

/* ---- Collectives: messages, or measured times ---- */

double sim_shape_steps(enum shape shape, int64_t pes)
{
    int steps = 0;
    while (INT64_C(1) << steps < pes)
        steps++;
    return shape == SHAPE_LINEAR ? (double)(pes - 1) : steps;
}

/* last: of the PE that comes last, which may find the messages of the others. */
static double row_time(const struct time_row *row, uint64_t bytes, bool last)
{
    const struct way *takes = cost_piece(&row->pieces, bytes);
    int64_t begin = last && takes->overhead >= 0 && takes->overhead < takes->latency
                        ? takes->overhead
                        : takes->latency;
    return (double)begin + takes->per_byte * (double)bytes;
}

/* Between two rows by the logarithm of the PEs; outside all of them from the nearest one. */
static double table_time(const struct collective_operation *together, bool last)
{
    const struct time_table *table = together->rule.table;
    int64_t pes = together->pes;
    size_t i = 0;
    while (i < table->count && table->rows[i].pes < pes)
        i++;
    if (i < table->count && table->rows[i].pes == pes)
        return row_time(&table->rows[i], together->bytes, last);
    if (pes == 1)
        return 0;
    if (i == 0 || i == table->count) {
        const struct time_row *nearest = &table->rows[i == table->count ? i - 1 : i];
        return row_time(nearest, together->bytes, last) * sim_shape_steps(table->beyond, pes) /
               sim_shape_steps(table->beyond, nearest->pes);
    }
    const struct time_row *low = &table->rows[i - 1], *high = &table->rows[i];
    double part = log2((double)pes / low->pes) / log2((double)high->pes / low->pes);
    double from = row_time(low, together->bytes, last);
    return from + part * (row_time(high, together->bytes, last) - from);
}

bool sim_collective_extrapolates(const struct collective_operation *together)
{
    const struct time_table *table = together->rule.table;
    if (together->rule.shape != SHAPE_TABLE || together->pes == 1)
        return false;
    return together->pes < table->rows[0].pes || together->pes > table->rows[table->count - 1].pes;
}

int64_t sim_collective_time(const struct model *model, const struct collective_operation *together,
                            bool last)
{
    const int64_t pes = together->pes, message = model->step(together->way, together->bytes);
    switch (together->rule.shape) {
    case SHAPE_FACTOR:
        return bounded(pes > 1 ? together->rule.factor * (double)pes * (double)message : 0);
    case SHAPE_TABLE:
        return bounded(table_time(together, last));
    default:
        return bounded(sim_shape_steps(together->rule.shape, pes) * (double)message);
    }
}
