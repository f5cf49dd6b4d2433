/* Calls that take long because of their targets: a target that computes and has to be in the
 * library, a variable that several change at a time; and quiets that nothing needs. */
#include "trace/explain/step.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define BUCKETS 4096
#define MOSTLY 9 /* times more often */
#define MOST 0.5 /* of a call's time */

/* ---- Targets that compute ---- */

static struct progress *progress_of(struct explain *explain, uint32_t spot)
{
    return memory_element(explain->progress, spot, &explain->progress_room);
}

bool explain_progress_is_late(const struct explain *explain, uint32_t spot)
{
    if (spot >= explain->progress_room)
        return false;
    const struct progress *progress = &explain->progress[spot];
    return progress->with > 0 && progress->with >= MOSTLY * progress->without;
}

bool wait_is_for_another(const struct explain *explain, const struct wait *wait)
{
    return wait->by != NOBODY &&
           (wait->cause != CAUSE_PROGRESS || explain_progress_is_late(explain, wait->call.spot));
}

static void watch(struct step *step, int64_t pe)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    uint32_t target = explain_first_line(explain, pe);
    if (pe == line->pe || target == NOBODY || line->watch_count == WATCHED)
        return;
    if (!explain->lines[target].started || explain->lines[target].over)
        return;
    bool computes = explain->pe[pe].inside == 0;
    struct watch *watch = &line->watches[line->watch_count++];
    *watch = (struct watch){.next = explain->pe[pe].watched,
                            .left = computes ? step->start : INFINITY,
                            .entered = INFINITY,
                            .peer = pe,
                            .computed = computes,
                            .listed = true};
    explain->pe[pe].watched = watch;
}

void targets_enter(struct explain *explain, int pe, double time)
{
    struct watch **at = &explain->pe[pe].watched;
    while (*at) {
        struct watch *watch = *at;
        if (watch->left == INFINITY) {
            at = &watch->next;
            continue;
        }
        watch->entered = time;
        watch->listed = false;
        *at = watch->next;
    }
}

void targets_leave(struct explain *explain, int pe, double time)
{
    for (struct watch *watch = explain->pe[pe].watched; watch; watch = watch->next)
        watch->left = fmin(watch->left, time);
}

static void unlist(struct explain *explain, struct watch *watch)
{
    struct watch **at = &explain->pe[watch->peer].watched;
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
    watch->listed = false;
}

/* True: the call waited for most of its time until its target made one. */
static bool watch_end(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    struct wait wait = step_wait(step, CAUSE_PROGRESS);
    bool computed = false;
    for (size_t i = 0; i < line->watch_count; i++) {
        struct watch *watch = &line->watches[i];
        if (watch->listed)
            unlist(explain, watch);
        computed = computed || watch->computed;
        if (watch->entered == INFINITY || (wait.by != NOBODY && watch->entered < wait.until))
            continue;
        wait.from = watch->left;
        wait.until = watch->entered;
        wait.by = explain_first_line(explain, watch->peer);
    }
    line->watch_count = 0;
    if (wait.by == NOBODY) {
        if (computed)
            progress_of(explain, line->call.spot)->without++;
        return false;
    }
    if (wait.until - wait.from < MOST * (step->end - step->start))
        return false;
    progress_of(explain, line->call.spot)->with++;
    if (step->kind->kind == OP_ATOMIC && !explain_progress_is_late(explain, line->call.spot))
        return false;
    wait.by_call = explain->lines[wait.by].call;
    step_add(step, wait, true);
    return true;
}

/* ---- Contended atomics ---- */

static uint32_t *bucket_of(struct explain *explain, const struct line *line)
{
    const int64_t key[2] = {line->atomic_peer, line->atomic_place};
    if (!explain->atomics)
        explain->atomics = memory_zeroed(BUCKETS, sizeof *explain->atomics);
    return &explain->atomics[hash_bytes(HASH_EMPTY, key, sizeof key) % BUCKETS];
}

/* The atomic may have waited for the last one of the others that has ended meanwhile. */
static void atomic_end(struct step *step, bool waited)
{
    struct explain *explain = step->explain;
    struct line *line = step->line, *lines = explain->lines;
    for (uint32_t *at = bucket_of(explain, line); *at;) {
        struct line *other = &lines[*at - 1];
        if (other == line) {
            *at = line->next_atomic;
            continue;
        }
        if (line->atomic_peer == other->atomic_peer && line->atomic_place == other->atomic_place) {
            other->before = step->number;
            other->before_end = step->end;
        }
        at = &other->next_atomic;
    }
    double quickest =
        line->call.spot < explain->quickest_room ? explain->quickest[line->call.spot] : 0;
    if (waited || quickest == 0 || line->before == NOBODY)
        return;
    struct wait wait = step_wait(step, CAUSE_ATOMIC);
    wait.by = line->before;
    wait.from = step->start;
    wait.until = fmin(line->before_end, step->end - quickest);
    step_add(step, wait, false);
}

/* ---- Quiets ---- */

static void note_open(struct step *step)
{
    struct line *line = step->line;
    int64_t pe = event_value(step->event, TRACE_PEER, -1);
    for (size_t i = 0; i < line->open_count; i++)
        if (line->open[i] == pe)
            return;
    if (line->open_count < WATCHED)
        line->open[line->open_count++] = pe;
}

/* The quiet between two puts from the same spot, if nobody waits for what the second one writes. */
static void tell_quiet(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    struct segment *segment = past_segment(&line->past, line->quiet - 1);
    if (!segment || segment->wait || segment->activity >> 63)
        return;
    struct wait wait = step_wait(step, CAUSE_QUIET);
    wait.call = (struct call){activity_spot(segment->activity), segment->ordinal};
    wait.from = segment->start;
    wait.until = segment->end;
    segment->wait = wait_add(explain, wait, false);
}

static void quiet_start(struct step *step)
{
    struct line *line = step->line;
    const struct trace_event *event = step->event;
    bool puts = step->kind->kind == OP_PUT ||
                (step->kind->kind == OP_ATOMIC && !(step->kind->flags & OP_FETCHING));
    if (puts) {
        size_t number = SIZE_MAX;
        bool flag =
            flag_list_next(&step->explain->flags.list, event_value(event, TRACE_PEER, -1),
                           (uint64_t)event_value(event, TRACE_TARGET, 0),
                           (uint64_t)event_value(event, TRACE_BYTES, step->kind->element_bytes),
                           &number) ||
            event_has(event, TRACE_SIGNAL);
        if (line->quiet && line->has_put && line->put.spot == line->call.spot && !flag)
            tell_quiet(step);
        line->put = line->call;
        note_open(step);
    }
    if (step->kind->kind != OP_LOCAL && step->kind->kind != OP_FENCE &&
        step->kind->kind != OP_QUIET) {
        line->has_put = puts;
        line->quiet = 0;
    }
}

void target_start(struct step *step)
{
    struct line *line = step->line;
    line->watch_count = 0;
    if ((step->kind->kind == OP_PUT || step->kind->kind == OP_GET ||
         step->kind->kind == OP_ATOMIC) &&
        step->kind->flags & OP_BLOCKING)
        watch(step, event_value(step->event, TRACE_PEER, -1));
    for (size_t i = 0; step->kind->kind == OP_QUIET && i < line->open_count; i++)
        watch(step, line->open[i]);
    quiet_start(step);
    if (step->kind->kind == OP_ATOMIC && step->kind->flags & OP_BLOCKING) {
        line->atomic_peer = event_value(step->event, TRACE_PEER, -1);
        line->atomic_place = event_value(step->event, TRACE_TARGET, 0);
        line->before = NOBODY;
        uint32_t *bucket = bucket_of(step->explain, line);
        line->next_atomic = *bucket;
        *bucket = step->number + 1;
    }
}

void target_end(struct step *step)
{
    bool waited = watch_end(step);
    if (step->kind->kind == OP_ATOMIC && step->kind->flags & OP_BLOCKING)
        atomic_end(step, waited);
    if (step->kind->kind == OP_QUIET || step->kind->flags & OP_QUIETS)
        step->line->open_count = 0;
}
