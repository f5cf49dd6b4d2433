/* Adds what calls took in the trace beyond its description, and notes what they take. */
#include "sim/surplus.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/state.h"

#define MOST_SAMPLES 8192 /* kept of a class */

static bool is_lock(const struct op *op)
{
    return op->kind == OP_LOCK || op->kind == OP_TRY_LOCK || op->kind == OP_UNLOCK;
}

static bool completes(const struct op *op)
{
    return op->kind == OP_QUIET || op->kind == OP_FENCE;
}

static size_t class_of_call(const struct replay *replay, const struct step *step, bool open)
{
    const struct op *op = step->op;
    const struct thread *self = &replay->threads[step->thread];
    struct surplus_class class;
    memset(&class, 0, sizeof class); /* a key has no other bytes */
    class.routine = op->routine;
    class.kind = open ? SURPLUS_OPEN : SURPLUS_CALL;
    if (is_lock(op))
        class.between = self->node != replay->threads[replay_lock_home(replay, step)].node;
    else if (op_moves(op))
        class.between = self->node != replay->threads[op->peer].node;
    if (op_moves(op) && self->first) {
        class.kind = SURPLUS_FIRST;
        class.routine = UINT16_MAX;
    } else if ((op_moves(op) || op->kind == OP_TOGETHER) && op->bytes) {
        class.digits = 64 - (uint32_t)__builtin_clzll(op->bytes);
    }
    return table_number(&replay->surplus->classes, &class, sizeof class);
}

int64_t surplus_of(const struct replay *replay, const struct step *step, bool open)
{
    const struct op *op = step->op;
    const struct thread *self = &replay->threads[step->thread];
    if (op->kind == OP_START || op->kind == OP_REST || op->kind == OP_CYCLE)
        return 0;
    size_t class = class_of_call(replay, step, open);
    if (class >= replay->surplus->count)
        return 0;
    return llround(replay->surplus->rows[class].surplus /
                   machine_kind(replay->machine, (int)self->node)->ratio);
}

/* ---- Noting ---- */

struct samples *samples_of(struct comparison *comparison, size_t number)
{
    memory_extend(comparison->samples, number, &comparison->room);
    return &comparison->samples[number];
}

static void keep(struct samples *samples, struct sample sample)
{
    if (!samples->of)
        samples->of = memory_zeroed(MOST_SAMPLES, sizeof *samples->of);
    if (samples->count == MOST_SAMPLES) {
        samples->count /= 2;
        for (size_t i = 0; i < samples->count; i++)
            samples->of[i] = samples->of[2 * i];
        samples->every *= 2;
    }
    samples->every += samples->every == 0;
    if (samples->compared++ % samples->every == 0)
        samples->of[samples->count++] = sample;
}

/* PEs leave a collective one after the other. The one that came last has waited for nobody, so it
 * takes least. True when all have left. */
static bool all_left(struct comparison *comparison, int64_t size, struct sample *sample)
{
    struct sample *least = &comparison->least;
    if (comparison->left++ == 0)
        *least = *sample;
    least->took = fmin(least->took, sample->took);
    least->takes = fmin(least->takes, sample->takes);
    *sample = *least;
    comparison->left = comparison->left < size ? comparison->left : 0;
    return comparison->left == 0;
}

/* A quiet waits for what the PE has begun itself, which is not waiting for others. */
static void note(struct replay *replay, const struct step *step, int64_t takes, int64_t waited)
{
    const struct op *op = step->op;
    int64_t took = replay->streams.took[op - replay->streams.windows];
    bool alone = waited <= 0 || completes(op);
    if (took < 0)
        return;
    size_t class = class_of_call(replay, step, completes(op) && waited > 0);
    struct samples *samples = samples_of(replay->comparison, class);
    struct sample sample = {(double)took, (double)takes};
    samples->calls++;
    samples->waits = op->kind == OP_WAIT || op->kind == OP_LOCK;
    if (op->kind == OP_TOGETHER)
        alone =
            all_left(replay->comparison, set_of(&replay->run->reader.sets, op->peer).size, &sample);
    if (alone)
        keep(samples, sample);
}

int64_t surplus_end(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    const struct op *op = step->op;
    int64_t surplus = surplus_of(replay, step, completes(op) && waited > 0),
            earliest = completes(op) && !replay->libraries ? step->start : step->start + waited;
    if (op_moves(op))
        surplus = op->flags & OP_BLOCKING || surplus < 0 ? 0 : surplus - replay->surplus_before;
    leaves = later(leaves + surplus, surplus < 0 ? earliest : leaves);
    if (replay->comparison)
        note(replay, step, leaves - step->start, waited);
    return leaves;
}
