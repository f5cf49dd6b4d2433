/* What strided puts and gets take, on machines that move their elements one by one. */
#include "sim/takes.h"

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

/* As one transfer that begins and ends as `count` in a row, each of which begins when the one
 * before has returned and the interface is free. Exact for blocking calls without contention. */
static struct phases in_a_row(const struct phases *one, uint64_t count, bool get)
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

bool strided_goes_each(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    const struct way *way = machine_way(replay->machine, replay->threads[step->thread].node,
                                        replay->threads[op->peer].node);
    bool each = (op->kind == OP_PUT ? way->iput : way->iget) == STRIDED_EACH;
    return each && op->place > 1 && op->flags & OP_BLOCKING;
}

struct phases phases_of_strided(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (!strided_goes_each(replay, step))
        return phases_of_bytes(replay, step, op->bytes);
    struct phases one = phases_of_bytes(replay, step, op->bytes / op->place);
    return in_a_row(&one, op->place, op->kind != OP_PUT);
}
