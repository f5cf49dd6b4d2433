/*
 * The model of Meswani, Carrington, Snavely and Poole (Tools for Benchmarking, Tracing, and
 * Simulating SHMEM Applications): latency and bandwidth, and nothing else.
 */
#include "sim/model.h"

/* Receiving, which the study does not know, is a part of it. */
static int64_t latency_of(const struct way *way)
{
    return way->latency > way->receive ? way->latency : way->receive;
}

/* Blocking: latency and bytes. Not blocking: latency; the study takes the rest to be hidden. */
static struct phases transfer(const struct message *message)
{
    const struct way *way = message->way;
    if (!message->blocking)
        return (struct phases){.flight = latency_of(way), .returns = RETURNS_ARRIVED};
    return (struct phases){.wire = bytes_take(way, message->bytes),
                           .flight = latency_of(way),
                           .returns = RETURNS_ARRIVED};
}

/* As a blocking transfer of its size, of which the target is busy with the bytes. */
static struct service atomic(const struct atomic *atomic)
{
    const struct way *way = atomic->way;
    return (struct service){.request = latency_of(way),
                            .service =
                                atomic->busy >= 0 ? atomic->busy : bytes_take(way, atomic->bytes)};
}

/* The study has no overheads. */
static int64_t order(enum order order, int64_t own)
{
    (void)order, (void)own;
    return 0;
}

static int64_t collective(const struct together *together)
{
    return collective_steps(together,
                            latency_of(together->way) + bytes_take(together->way, together->bytes));
}

const struct model paper_model = {
    .name = "paper",
    .help = "latency + bytes / bandwidth; non-blocking: latency; quiet, fence: 0",
    .transfer = transfer,
    .atomic = atomic,
    .order = order,
    .collective = collective,
};
