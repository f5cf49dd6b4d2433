/*
 * LogGP (Alexandrov, Ionescu, Schauser and Scheiman): latency L, overhead o of the caller's
 * processor, gap g between messages, and G for each byte, which is 1 / bandwidth. Transfers go on
 * while the caller computes; quiet waits until their acknowledgments are back.
 */
#include "sim/model.h"

static struct phases transfer(const struct message *message)
{
    const struct way *way = message->way;
    struct phases phases = {.issue = way->overhead,
                            .gap = way->gap,
                            .wire = bytes_take(way, message->bytes),
                            .flight = way->latency,
                            .returns = RETURNS_ISSUED};
    if (message->get) {
        phases.request = round_trip(way) / 2;
        phases.flight = round_trip(way) - phases.request;
    } else {
        phases.acknowledge = way->latency;
    }
    if (message->blocking)
        phases.returns = message->get ? RETURNS_ARRIVED : RETURNS_SENT;
    return phases;
}

static struct service atomic(const struct atomic *atomic)
{
    const struct way *way = atomic->way;
    int64_t request = round_trip(way) / 2;
    return (struct service){.issue = way->overhead,
                            .request = request,
                            .service =
                                atomic->busy >= 0 ? atomic->busy : bytes_take(way, atomic->bytes),
                            .back = round_trip(way) - request,
                            .returns_issued = !atomic->fetching || !atomic->blocking};
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
};
