/* The second pass: what each line does, in the order of time, and what it waits for: writes, by a
 * call or by a loop that polls; locks; and whoever comes last to a collective. A loop's bursts are
 * no useful computation, and its calls are one wait. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/explain/step.h"
#include "trace/read/reader.h"

#define HOLDERS 64     /* of a lock that are kept */
#define FETCHES 3      /* equal fetches in a row that may be a loop */
#define MOST_OPEN 1024 /* collectives by which PEs of a set may be apart */

/* ---- Writes ---- */

/* The line has waited from then on. */
static void wait_for(struct step *step, struct condition condition, double from)
{
    struct line *line = step->line;
    condition.to = step->end;
    if (step->kind->kind == OP_WAIT)
        condition.from = -INFINITY;
    const struct write *write = flags_find(&step->explain->flags, &condition);
    if (!write)
        return;
    step_ideal(step->explain, line, step->event->phase, write->ideal);
    if (write->line == step->number || write->time <= from)
        return;
    struct wait wait = step_wait(step, CAUSE_WRITER);
    wait.by = write->line;
    wait.by_call = write->call;
    wait.from = from;
    wait.until = write->time;
    step_add(step, wait, false);
    lines_met(step->explain, step->number, write->line, write->time);
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

static void lock_got(struct step *step, double since)
{
    const struct lock *lock = lock_of(step);
    size_t first = lock->count, oldest = lock->count > HOLDERS ? lock->count - HOLDERS : 0;
    while (first > oldest && lock->holders[(first - 1) % HOLDERS].released > since)
        first--;
    if (lock->count)
        step_ideal(step->explain, step->line, step->event->phase,
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
static void forget_loop(struct step *step)
{
    struct line *line = step->line;
    struct shares *shares = explain_shares_of(step->explain, line, step->event->phase);
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
    forget_loop(step);
    loop.end = poll->to;
    line->call = poll->call;
    wait_for(&loop, condition, poll->from);
    step_push(&loop, poll->from, poll->to, poll->call);
    line->call = next;
}

/* Whether the call goes on with a loop; else the loop before it has ended. Before the burst counts.
 */
static bool poll_goes_on(struct step *step)
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

/* At the end of each call; true: the loop's time was added to the past already. */
static bool poll_end(struct step *step)
{
    struct line *line = step->line;
    const int kind = poll_kind(step);
    const struct poll before = line->poll;
    const bool loops = before.kind != POLL_NONE;
    if (kind == POLL_NONE && !loops)
        return false;
    if (kind != POLL_NONE && kind != POLL_FETCH && !test_failed(step->kind, step->event)) {
        /* What was tested is there. */
        if (loops) {
            forget_loop(step);
            line->poll.kind = POLL_NONE;
        }
        if ((loops ? (int)before.kind : kind) == POLL_LOCK)
            lock_got(step, loops ? before.from : step->start);
        else if (loops)
            wait_for(step, flags_condition(step->kind, line->pe, step->event), before.from);
        if (loops)
            step_push(step, before.from, step->end, line->call);
        return loops;
    }
    if (!loops)
        poll_begin(step, kind);
    line->poll.calls += kind != POLL_NONE;
    line->poll.to = step->end;
    line->poll.call = line->call;
    line->poll.phase = step->event->phase;
    if (loops)
        stretch(line, step->end);
    return loops;
}

/* ---- Collectives: who came last ---- */

struct arrival {
    uint32_t line, phase;
    struct call call;
    double start, end, ideal;
};

struct meeting {
    struct arrival *arrivals;
    size_t count;
};

struct meetings {
    struct turns turns;
    bool given_up; /* members are missing */
};

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    return ORDER(x->start, y->start) ?: ORDER(x->line, y->line);
}

/* The last one that came before this one left. */
static size_t last_before(const struct meeting *meeting, const struct arrival *arrival)
{
    size_t last = meeting->count - 1;
    while (last > 0 && meeting->arrivals[last].start > arrival->end)
        last--;
    return last;
}

static void met(struct step *step, struct meeting *meeting)
{
    struct explain *explain = step->explain;
    bool collective = trace_source_routine(step->source, step->event)->class == TRACE_COLLECTIVE;
    enum cause cause = collective ? CAUSE_COLLECTIVE : CAUSE_BARRIER;
    double ideal = 0, time = meeting->arrivals[0].start;
    qsort(meeting->arrivals, meeting->count, sizeof *meeting->arrivals, compare_arrivals);
    for (size_t i = 0; i < meeting->count; i++) {
        const struct arrival *arrival = &meeting->arrivals[i],
                             *last = &meeting->arrivals[last_before(meeting, arrival)];
        ideal = arrival->ideal > ideal ? arrival->ideal : ideal;
        time = arrival->start;
        if (last->line == arrival->line || last->start <= arrival->start)
            continue;
        step_add(step,
                 (struct wait){.line = arrival->line,
                               .by = last->line,
                               .call = arrival->call,
                               .by_call = last->call,
                               .cause = cause,
                               .phase = arrival->phase,
                               .from = arrival->start,
                               .until = last->start},
                 false);
    }
    bool all = (int64_t)meeting->count == explain->pes;
    for (size_t i = 0; i < meeting->count; i++) {
        const struct arrival *arrival = &meeting->arrivals[i];
        struct line *line = &explain->lines[arrival->line];
        all = all && arrival->end >= time;
        if (arrival->end >= time)
            step_ideal(explain, line, arrival->phase, ideal);
    }
    for (size_t i = 0; i + 1 < meeting->count && !all; i++)
        lines_met(explain, meeting->arrivals[i].line, meeting->arrivals[meeting->count - 1].line,
                  time);
    if (all)
        explain->all_met = time;
}

static struct meeting *meeting_at(const struct meetings *set, uint64_t number)
{
    return turns_at(&set->turns, number, sizeof(struct meeting));
}

static void give_up(struct meetings *set)
{
    for (uint64_t i = set->turns.first; i < set->turns.last; i++)
        free(meeting_at(set, i)->arrivals);
    turns_free(&set->turns);
    *set = (struct meetings){.given_up = true};
}

static void meet_start(struct step *step)
{
    struct explain *explain = step->explain;
    struct set_call call;
    if (trace_source_set(step->source, step->event, &call) != SET_KNOWN || call.member < 0)
        return;
    struct trace_set members = set_of(&explain->reader->sets, call.set);
    if (members.size > explain->line_count)
        return; /* some are not in the trace */
    struct meetings *set = memory_element(explain->meetings, call.set, &explain->meeting_room);
    if (set->given_up)
        return;
    struct turns *turns = &set->turns;
    struct meeting *meeting =
        meeting_at(set, turns_take(turns, members.size, call.member, sizeof *meeting));
    if (turns->last - turns->first > MOST_OPEN) {
        give_up(set);
        return;
    }
    if (!meeting->arrivals)
        meeting->arrivals = memory_zeroed((size_t)members.size, sizeof *meeting->arrivals);
    meeting->arrivals[meeting->count++] =
        (struct arrival){step->number, step->event->phase, step->line->call,
                         step->start,  step->end,          step->line->ideal};
    if (meeting->count == (size_t)members.size)
        met(step, meeting);
    while (turns->first < turns->last &&
           meeting_at(set, turns->first)->count == (size_t)members.size)
        free(meeting_at(set, turns->first++)->arrivals);
}

void meetings_free(struct explain *explain)
{
    for (size_t i = 0; i < explain->meeting_room; i++)
        give_up(&explain->meetings[i]);
    free(explain->meetings);
}

/* ---- Calls begin and end ---- */

/* What the line computed before the call. */
static void burst(struct step *step, double since)
{
    struct line *line = step->line;
    double useful = explain_within(step->explain, since, step->start);
    bool loops = poll_goes_on(step);
    struct shares *shares = explain_shares_of(step->explain, line, step->event->phase);
    shares->useful += useful;
    line->ideal += useful;
    shares->ideal += useful;
    if (loops) {
        line->poll.useful += useful;
        stretch(line, step->start);
    } else {
        past_push(
            step->explain, line,
            (struct segment){.start = since,
                             .end = step->start,
                             .ordinal = line->call.ordinal,
                             .activity = activity(true, line->call.spot, step->event->phase)});
    }
}

static void begin(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    uint32_t spot = spot_of(explain, step->source, step->event);
    if (line->started)
        burst(step, line->ended);
    line->started = true;
    line->begun = step->start;
    memory_extend(line->spent, spot, &line->spent_room);
    line->call = (struct call){spot, ++line->spent[spot].calls};
    line->call_waits = 0;
    if (step->number == 0 && !call_polls(step->kind, step->event))
        explain_iterations_note(explain->iterations, spot, step->start);
    if (explain->pe[line->pe].inside++ == 0)
        targets_enter(explain, line->pe, step->start);
    if (step->kind->kind == OP_UNLOCK) {
        struct lock *lock = lock_of(step);
        lock->holders[lock->count++ % HOLDERS] =
            (struct holder){step->number, line->call, step->start, line->ideal};
    }
    flags_write(
        &explain->flags, step->kind, step->event,
        &(struct write){
            .line = step->number, .call = line->call, .time = step->start, .ideal = line->ideal});
    target_start(step);
    meet_start(step);
}

static void end(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    if (--explain->pe[line->pe].inside == 0)
        targets_leave(explain, line->pe, step->end);
    target_end(step);
    bool loops = poll_end(step);
    if (step->kind->kind == OP_WAIT && !step->kind->test)
        wait_for(step, flags_condition(step->kind, line->pe, step->event), step->start);
    if (step->kind->kind == OP_LOCK && !step->kind->test)
        lock_got(step, step->start);
    if (!loops)
        step_push(step, step->start, step->end, line->call);
    if (step->kind->kind == OP_QUIET)
        line->quiet = loops || !(step->end > step->start) ? 0 : line->past.last;
    explain_shares_of(step->explain, step->line, step->event->phase)->elapsed +=
        explain_within(explain, line->ended, step->end);
    line->ended = step->end;
    line->over = line->over || step->kind->end;
}

void follow(struct explain *explain)
{
    struct merge *merge = merge_open(explain->reader, true);
    struct merge_event next;
    explain->all_met = -INFINITY;
    while (merge_next(merge, &next)) {
        struct line *line = explain_line(explain, next.source, next.event);
        if (!line || line->over)
            continue;
        struct step step = {
            .explain = explain,
            .source = next.source,
            .event = next.event,
            .kind = kinds_find(&explain->kinds, next.source, next.event),
            .number = (uint32_t)(line - explain->lines),
            .line = line,
            .start = next.end ? line->begun : next.seconds,
            .end =
                next.end ? next.seconds : trace_seconds(next.source->file, event_end(next.event)),
        };
        if (next.end)
            end(&step);
        else
            begin(&step);
        explain->events += next.end;
    }
    merge_close(merge);
}
