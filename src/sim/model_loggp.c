/*
 * LogGP (Alexandrov, Ionescu, Schauser and Scheiman): latency L, overhead o of the caller's
 * processor, gap g between messages, and G for each byte, which is 1 / bandwidth. Transfers go on
 * while the caller computes; quiet waits until their acknowledgments are back. The overhead of the
 * processor that receives is a part of the latency, so that a message alone takes L.
 */
#include "sim/model.h"

static int64_t without(int64_t time, int64_t part)
{
    return time > part ? time - part : 0;
}

static struct phases transfer(const struct message *message)
{
    const struct way *way = message->way;
    struct phases phases = {.issue = way->overhead,
                            .gap = way->gap,
                            .wire = bytes_take(way, message->bytes),
                            .receive = way->receive,
                            .answer = way->answer,
                            .returns = RETURNS_ISSUED};
    if (message->get) {
        int64_t there = round_trip(way) / 2;
        phases.request = without(there, way->receive);
        phases.flight = without(round_trip(way) - there, way->answer);
    } else {
        phases.flight = without(way->latency, way->receive);
        phases.acknowledge = without(way->latency, way->answer);
    }
    if (message->blocking)
        phases.returns = message->get ? RETURNS_ARRIVED : RETURNS_SENT;
    return phases;
}

static struct service atomic(const struct atomic *atomic)
{
    const struct way *way = atomic->way;
    int64_t there = round_trip(way) / 2,
            busy = atomic->busy >= 0 ? atomic->busy : bytes_take(way, atomic->bytes),
            longer = without(way->receive, busy);
    return (struct service){.issue = way->overhead,
                            .request = without(there, longer),
                            .service = busy + longer,
                            .back = without(round_trip(way) - there, way->answer),
                            .answer = way->answer,
                            .returns_issued = !atomic->fetching || !atomic->blocking,
                            .received = way->receive > 0 || way->answer > 0};
}

static int64_t order(enum order order, int64_t own)
{
    (void)order;
    return own;
}

/* Each step is a message: the processors at both ends, and what is between them. */
static int64_t collective(const struct together *together)
{
    const struct way *way = together->way;
    return collective_steps(together,
                            2 * way->overhead + way->latency + bytes_take(way, together->bytes));
}

const struct model loggp_model = {
    .name = "loggp",
    .help = "LogGP: overhead, gap, latency and bandwidth; transfers overlap with computing",
    .transfer = transfer,
    .atomic = atomic,
    .order = order,
    .collective = collective,
    .one_interface = true,
    .receives = true,
};
