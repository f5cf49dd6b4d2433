/* Waits for writes, by a call or by a loop that polls, and for locks. A loop's bursts are no useful
 * computation, and its calls are one wait. */
#include <math.h>
#include <stdlib.h>

#include "trace/explain/step.h"

#define HOLDERS 64 /* of a lock that are kept */
#define FETCHES 3  /* equal fetches in a row that may be a loop */

void wait_start(struct step *step)
{
    flags_write(&step->explain->flags, step->kind, step->event,
                &(struct write){.line = step->number,
                                .call = step->line->call,
                                .time = step->start,
                                .ideal = step->line->ideal});
}

bool wait_for(struct step *step, struct condition condition, double from)
{
    struct line *line = step->line;
    condition.to = step->end;
    if (step->kind->kind == OP_WAIT)
        condition.from = -INFINITY;
    const struct write *write = flags_find(&step->explain->flags, &condition);
    if (!write)
        return false;
    step_ideal(shares_of(step->explain, step->line, step->event->phase), line, write->ideal);
    if (write->line == step->number || write->time <= from)
        return true;
    struct wait wait = step_wait(step, CAUSE_WRITER);
    wait.by = write->line;
    wait.by_call = write->call;
    wait.from = from;
    wait.until = write->time;
    step_add(step, wait, false);
    lines_met(step->explain, step->number, write->line, write->time);
    return true;
}

/* ---- Locks: who held them while others waited ---- */

struct holder {
    uint32_t line;
    struct call call; /* the one that clears the lock */
    double released, ideal;
};

struct lock {
    struct holder holders[HOLDERS]; /* a ring */
    size_t count;
};

static struct lock *lock_of(struct step *step)
{
    int64_t place = event_value(step->event, TRACE_TARGET, 0);
    return table_value(&step->explain->locks, &place, sizeof place, sizeof(struct lock));
}

void lock_start(struct step *step)
{
    if (step->kind->kind != OP_UNLOCK)
        return;
    struct lock *lock = lock_of(step);
    lock->holders[lock->count++ % HOLDERS] =
        (struct holder){step->number, step->line->call, step->start, step->line->ideal};
}

void lock_got(struct step *step, double since)
{
    const struct lock *lock = lock_of(step);
    size_t first = lock->count, oldest = lock->count > HOLDERS ? lock->count - HOLDERS : 0;
    while (first > oldest && lock->holders[(first - 1) % HOLDERS].released > since)
        first--;
    if (lock->count)
        step_ideal(shares_of(step->explain, step->line, step->event->phase), step->line,
                   lock->holders[(lock->count - 1) % HOLDERS].ideal);
    for (size_t i = first; i < lock->count; i++) {
        const struct holder *holder = &lock->holders[i % HOLDERS];
        if (holder->line == step->number)
            continue;
        struct wait wait = step_wait(step, CAUSE_LOCK);
        wait.by = holder->line;
        wait.by_call = holder->call;
        wait.from = since;
        wait.until = fmin(holder->released, step->end);
        step_add(step, wait, true);
        since = fmax(since, wait.until);
    }
}

/* ---- Loops ---- */

static int poll_kind(const struct step *step)
{
    if (step->kind->test)
        return step->kind->kind == OP_LOCK ? POLL_LOCK : POLL_TEST;
    return fetch_bytes(step->kind, step->event) ? POLL_FETCH : POLL_NONE;
}

static bool same_variable(const struct poll *poll, const struct step *step)
{
    const struct trace_event *event = step->event;
    return poll->kind == POLL_TEST || (poll->place == fetch_place(step->kind, event) &&
                                       poll->peer == event_value(event, TRACE_PEER, -1) &&
                                       poll->value == event_value(event, TRACE_VALUE, 0) &&
                                       poll->condition == event_value(event, TRACE_CONDITION, 0));
}

/* The time since the loop began becomes time that the line waits. */
static void forget_loop(struct step *step, struct shares *shares)
{
    struct line *line = step->line;
    past_cut(&line->past, line->poll.mark);
    shares->useful -= line->poll.useful;
    shares->ideal -= line->poll.useful;
    line->ideal -= line->poll.useful;
}

/* Fetches in a row were a loop if somebody wrote what they fetched. */
static void settle(struct step *step)
{
    struct line *line = step->line;
    struct poll *poll = &line->poll;
    const struct condition condition = {.pe = poll->peer,
                                        .place = poll->place,
                                        .flag = {.bytes = poll->bytes, .comparison = -1},
                                        .from = poll->from,
                                        .to = poll->to};
    const struct write *write = poll->kind == POLL_FETCH && poll->calls >= FETCHES
                                    ? flags_find(&step->explain->flags, &condition)
                                    : NULL;
    poll->kind = POLL_NONE;
    if (!write || write->line == step->number)
        return;
    struct step loop = *step;
    struct call next = line->call;
    forget_loop(step, shares_of(step->explain, step->line, step->event->phase));
    loop.end = poll->to;
    line->call = poll->call;
    wait_for(&loop, condition, poll->from);
    step_push(&loop, poll->from, poll->to, poll->call);
    line->call = next;
}

bool poll_goes_on(struct step *step)
{
    struct poll *poll = &step->line->poll;
    if (poll->kind == POLL_NONE)
        return false;
    bool free = step->kind->kind == OP_QUIET || step->kind->kind == OP_FENCE;
    if (free || (poll_kind(step) == (int)poll->kind && same_variable(poll, step)))
        return true;
    settle(step);
    return false;
}

static void stretch(struct line *line, double to)
{
    struct segment *segment =
        line->past.last ? past_segment(&line->past, line->past.last - 1) : NULL;
    if (segment && line->past.last > line->poll.mark)
        segment->end = to;
}

void poll_burst(struct step *step, double useful)
{
    step->line->poll.useful += useful;
    stretch(step->line, step->start);
}

static void poll_begin(struct step *step, int kind)
{
    const struct trace_event *event = step->event;
    struct line *line = step->line;
    line->poll = (struct poll){.kind = (unsigned)kind,
                               .peer = event_value(event, TRACE_PEER, -1),
                               .place = fetch_place(step->kind, event),
                               .value = event_value(event, TRACE_VALUE, 0),
                               .condition = event_value(event, TRACE_CONDITION, 0),
                               .bytes = fetch_bytes(step->kind, event),
                               .mark = line->past.last,
                               .from = step->start};
}

/* What was tested is there. */
static bool poll_succeed(struct step *step)
{
    struct line *line = step->line;
    struct poll poll = line->poll;
    forget_loop(step, shares_of(step->explain, step->line, step->event->phase));
    line->poll.kind = POLL_NONE;
    if (poll.kind == POLL_LOCK)
        lock_got(step, poll.from);
    else
        wait_for(step, flags_condition(step->kind, line->pe, step->event), poll.from);
    step_push(step, poll.from, step->end, line->call);
    return true;
}

bool poll_end(struct step *step)
{
    struct line *line = step->line;
    int kind = poll_kind(step);
    bool failed = kind == POLL_FETCH || test_failed(step->kind, step->event);
    if (kind == POLL_NONE && line->poll.kind == POLL_NONE)
        return false;
    if (kind != POLL_NONE && !failed) {
        if (line->poll.kind != POLL_NONE)
            return poll_succeed(step);
        if (kind == POLL_LOCK)
            lock_got(step, step->start);
        return false;
    }
    bool first = line->poll.kind == POLL_NONE;
    if (first)
        poll_begin(step, kind);
    line->poll.calls += kind != POLL_NONE;
    line->poll.to = step->end;
    line->poll.call = line->call;
    line->poll.phase = step->event->phase;
    if (!first)
        stretch(line, step->end);
    return !first;
}
