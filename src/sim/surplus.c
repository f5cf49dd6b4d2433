/* Adds to calls what they took in the trace beyond the description of its machine, and finds it. */
#include "sim/surplus.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/state.h"

#define MOST_SAMPLES 8192 /* kept of a class */

static size_t class_of_call(const struct replay *replay, const struct step *step, bool open)
{
    const struct op *op = step->op;
    const struct thread *self = &replay->threads[step->thread];
    struct surplus_class class;
    memset(&class, 0, sizeof class); /* a key has no other bytes */
    class.routine = op->routine;
    class.kind = open ? SURPLUS_OPEN : SURPLUS_CALL;
    if (op->kind == OP_LOCK || op->kind == OP_TRY_LOCK || op->kind == OP_UNLOCK)
        class.between = self->node != replay->threads[replay_lock_home(replay, step)].node;
    else if (op_moves(op))
        class.between = self->node != replay->threads[op->peer].node;
    if (op_moves(op) && self->first) {
        class.kind = SURPLUS_FIRST;
        class.routine = UINT16_MAX;
    } else if ((op_moves(op) || op->kind == OP_TOGETHER) && op->bytes) {
        class.digits = 64 - (uint32_t)__builtin_clzll(op->bytes);
    }
    return table_number(&replay->options.surplus->classes, &class, sizeof class);
}

/* ---- Finding it ---- */

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
    if (samples->calls++ % samples->every == 0)
        samples->of[samples->count++] = sample;
}

/* A quiet waits for what the PE has begun itself, which is not waiting for others. */
static void note(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited,
                 int64_t ended, double more)
{
    bool own = step->op->kind == OP_QUIET;
    double others = own ? 0 : (double)waited, took = (double)(ended - step->start) - others;
    size_t class = class_of_call(replay, step, own && waited > 0);
    struct samples *samples = memory_element(replay->options.comparison->samples, class,
                                             &replay->options.comparison->room);
    samples->more += more;
    keep(samples, (struct sample){fmax(took, 0), (double)(leaves - step->start) - others});
}

static struct extra *extra_of(struct extras *extras, size_t ordinal)
{
    memory_extend(extras->of, ordinal, &extras->room);
    extras->count = extras->count > ordinal ? extras->count : ordinal + 1;
    return &extras->of[ordinal];
}

void surplus_lost(struct replay *replay, uint32_t thread, int64_t lost)
{
    struct extras *extras = &replay->options.surplus->extras[thread];
    extra_of(extras, replay_ordinal(replay, thread) + 1)->lost += (float)lost;
}

int64_t surplus_burst(const struct replay *replay, uint32_t thread, int64_t burst)
{
    const struct extras *extras = &replay->options.surplus->extras[thread];
    size_t ordinal = replay_ordinal(replay, thread) + 1;
    if (replay->options.comparison || ordinal >= extras->count)
        return burst;
    int64_t lost = llroundf(extras->of[ordinal].lost);
    return burst > lost ? burst - lost : 0;
}

/* The call ends when it did in the trace. What the tracer added inside it is no surplus, unless it
 * has waited meanwhile. */
static int64_t end_as_recorded(struct replay *replay, const struct step *step, int64_t leaves,
                               int64_t waited)
{
    const struct op *op = step->op;
    int64_t ended = replay->streams.ends[op - replay->streams.windows];
    struct extras *extras = &replay->options.surplus->extras[step->thread];
    size_t ordinal = replay_ordinal(replay, step->thread);
    if (ended == NOT_RECORDED || (ordinal == 0 && op->kind == OP_START))
        return ended == NOT_RECORDED ? leaves : replay->streams.recorded[step->thread].begin_time;
    int pe = (int)replay_pe(replay, step->thread);
    double cost = trace_info(sim_run_program(replay->run, pe)->file)->cost_inside * PS_PER_SECOND,
           more = (double)(ended - leaves) - (waited > 0 ? 0 : cost);
    struct extra *extra = extra_of(extras, ordinal);
    extra->more = (float)more;
    extra->takes = (float)(leaves - step->start);
    if (op->kind != OP_REST)
        note(replay, step, leaves, waited, ended, more);
    return ended;
}

/* ---- Adding it ---- */

/* What a call took less than described is less in proportion where the description of another
 * machine says that it takes less. A call that has waited ends at the earliest when the call of
 * another PE began that ended its waiting. */
static int64_t end_with_extra(const struct replay *replay, const struct step *step, int64_t leaves,
                              int64_t waited)
{
    const struct extras *extras = &replay->options.surplus->extras[step->thread];
    size_t ordinal = replay_ordinal(replay, step->thread);
    if (ordinal >= extras->count)
        return leaves;
    const struct extra extra = extras->of[ordinal];
    int node = (int)replay->threads[step->thread].node;
    double more = extra.more / sim_machine_kind(replay->machine, node)->ratio,
           takes = (double)(leaves - step->start);
    if (more < 0 && takes < extra.takes)
        more *= takes / extra.takes;
    const uint32_t hop = replay->threads[step->thread].hop;
    int64_t ends = leaves + llround(more), least = step->start;
    if (waited > 0 && hop)
        least = later(least, replay->paths.hops[hop].until);
    return step->op->kind == OP_REST ? ends : later(ends, leaves < least ? leaves : least);
}

int64_t surplus_end(struct replay *replay, const struct step *step, int64_t leaves, int64_t waited)
{
    int64_t ends = replay->options.comparison ? end_as_recorded(replay, step, leaves, waited)
                                              : end_with_extra(replay, step, leaves, waited);
    return replay->waiting ? later(ends, replay->now) : ends; /* shared links know no past */
}
