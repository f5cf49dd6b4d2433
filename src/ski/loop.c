/* The values of an arithmetic loop. */
#include "ski/loop.h"

#include <float.h>
#include <math.h>

/* Hidden steps in a row that may leave the visible value as it is. With more steps, the next
 * visible value may be years away, so the loop ends with an error. */
#define ROUNDS_LIMIT 10000000

/* Most values that loop_remaining() counts one by one; it estimates longer loops. */
#define REMAINING_LIMIT 1000000

static bool is_number(const struct value *v)
{
    return v->type == TYPE_INT || (v->type == TYPE_REAL && isfinite(v->real));
}

/* Whether a shrinking value can never pass the end: it comes close to 0, and reaches it only by
 * rounding. */
static bool is_end_out_of_reach(const struct loop *loop)
{
    double end = value_real_of(&loop->end) * (value_real_of(&loop->start) > 0 ? 1 : -1);
    bool rounds = loop->start.type == TYPE_INT || loop->multiple_of > 0;

    return end < 0 || (end == 0 && !rounds);
}

static const char *begin_multiplicative(struct loop *loop)
{
    double start = value_real_of(&loop->start), factor = value_real_of(&loop->step);

    if (factor <= 0)
        return "the factor of a loop must be > 0";
    if (factor == 1)
        return "a loop with step *1 never ends; use a factor > 1 to move away from 0, < 1 to "
               "approach it";
    if (start == 0)
        return "a loop that starts at 0 and multiplies never ends; start at 1 or use a step "
               "without *";
    loop->upward = (start > 0) == (factor > 1);
    if (loop->unlimited && (start < 0 || factor < 1))
        return "a loop to ... must grow; start above 0 with a factor > 1 or give an end";
    if (factor < 1 && is_end_out_of_reach(loop))
        return "a loop with a factor < 1 approaches 0 but never reaches this end; give an end on "
               "the same side of 0 as the start";
    return NULL;
}

const char *loop_begin(struct loop *loop)
{
    if (!is_number(&loop->start) || !is_number(&loop->step) ||
        (!loop->unlimited && !is_number(&loop->end)))
        return "start, end and step of a loop must be numbers";
    if (loop->multiple_of < 0)
        return "multipleof needs an integer > 0";
    loop->start.constant = NULL; /* later values are not that constant, so do not print its name */
    loop->hidden = loop->visible = loop->start;
    loop->rounds = 0;
    loop->started = false;
    if (loop->multiplicative)
        return begin_multiplicative(loop);
    loop->upward = value_real_of(&loop->step) > 0;
    if (value_real_of(&loop->step) == 0)
        return "a loop with step 0 never ends";
    if (loop->unlimited && !loop->upward)
        return "a loop to ... must go upward; use a step > 0 or give an end";
    return NULL;
}

/* The nearest multiple, the lower of two; false when it needs more than 64 bits. */
static bool round_to_multiple(int64_t hidden, int64_t multiple, int64_t *rounded)
{
    int64_t above = hidden % multiple;

    if (above < 0)
        above += multiple;
    if (above > multiple - above)
        return !__builtin_add_overflow(hidden, multiple - above, rounded);
    return !__builtin_sub_overflow(hidden, above, rounded);
}

/* How far a double may lie from the end and still count as the end: as much as rounding errors add
 * up to, and far less than a step. */
static double tolerance(const struct loop *loop)
{
    double end = fabs(value_real_of(&loop->end)), step = fabs(value_real_of(&loop->step));
    double spacing = step;

    if (loop->start.type == TYPE_INT)
        spacing = 1;
    else if (loop->multiplicative)
        spacing = end * fmin(fabs(step - 1), 1);
    return fmax(1e-6 * spacing, 4 * DBL_EPSILON * end);
}

/* False when the visible value needs more than 64 bits. */
static bool make_visible(const struct loop *loop, struct value *visible)
{
    double multiple = (double)loop->multiple_of;

    *visible = loop->start;
    if (loop->start.type == TYPE_INT && loop->hidden.type == TYPE_INT) {
        visible->integer = loop->hidden.integer;
        return loop->multiple_of == 0 ||
               round_to_multiple(loop->hidden.integer, loop->multiple_of, &visible->integer);
    }
    double hidden = value_real_of(&loop->hidden);

    if (loop->multiple_of > 0)
        hidden = ceil(hidden / multiple - 0.5) * multiple + 0.0; /* no -0.0 */
    if (loop->start.type == TYPE_INT)
        return value_round(hidden, &visible->integer);
    if (!loop->unlimited && loop->multiple_of == 0 &&
        fabs(hidden - value_real_of(&loop->end)) <= tolerance(loop))
        hidden = value_real_of(&loop->end);
    visible->real = hidden;
    return isfinite(hidden);
}

/* One step of the hidden value; false when it needs more than 64 bits. */
static bool advance(struct loop *loop)
{
    if (loop->hidden.type == TYPE_INT && loop->step.type == TYPE_INT) {
        int64_t *hidden = &loop->hidden.integer, step = loop->step.integer;

        return loop->multiplicative ? !__builtin_mul_overflow(*hidden, step, hidden)
                                    : !__builtin_add_overflow(*hidden, step, hidden);
    }
    /* Multiplied by the number of rounds: adding steps would add up their rounding errors. */
    if (loop->multiplicative)
        loop->hidden = value_real(value_real_of(&loop->hidden) * value_real_of(&loop->step));
    else
        loop->hidden = value_real(value_real_of(&loop->start) +
                                  (double)++loop->rounds * value_real_of(&loop->step));
    return isfinite(loop->hidden.real);
}

static bool is_beyond(const struct value *a, const struct value *b, bool upward, double tolerance)
{
    if (a->type == TYPE_INT && b->type == TYPE_INT)
        return upward ? a->integer > b->integer : a->integer < b->integer;
    return upward ? value_real_of(a) > value_real_of(b) + tolerance
                  : value_real_of(a) < value_real_of(b) - tolerance;
}

/* A value that needs more than 64 bits is beyond any end that fits into 64 bits, so the loop is
 * over without error. A loop without end fails, and one whose end does not fit either. */
static const char *overflow_error(const struct loop *loop)
{
    if (loop->unlimited)
        return "the loop variable overflows: nothing ended the loop";
    if (loop->start.type == TYPE_INT && loop->end.type == TYPE_REAL &&
        fabs(loop->end.real) >= 0x1p63)
        return "the loop variable overflows before it reaches the end; start with a double";
    return NULL;
}

/* Steps until the visible value changes. False when the loop is over, or after an error. */
static bool find_next(struct loop *loop, const char **error)
{
    struct value next;

    for (int i = 0; i < ROUNDS_LIMIT; i++) {
        if (!advance(loop) || !make_visible(loop, &next)) {
            *error = overflow_error(loop);
            return false;
        }
        if (is_beyond(&next, &loop->visible, loop->upward, 0)) {
            loop->visible = next;
            return true;
        }
        if (loop->multiplicative && value_real_of(&loop->step) < 1 && value_real_of(&next) == 0)
            return false; /* it shrinks, and has come to its end */
    }
    *error = "the step is too small to change the loop variable";
    return false;
}

bool loop_next(struct loop *loop, struct value *v, const char **error)
{
    bool found;

    *error = NULL;
    if (loop->started) {
        found = find_next(loop, error);
    } else {
        loop->started = true;
        found = make_visible(loop, &loop->visible);
        if (!found)
            *error = overflow_error(loop);
    }
    *v = loop->visible;
    if (found && !loop->unlimited)
        found = !is_beyond(&loop->visible, &loop->end, loop->upward, tolerance(loop));
    return found;
}

bool loop_grows(const struct loop *loop)
{
    return loop->upward;
}

int64_t loop_remaining(const struct loop *loop)
{
    struct loop rest = *loop;
    struct value v;
    const char *error;

    if (!loop->multiplicative && loop->multiple_of == 0 && loop->step.type == TYPE_INT &&
        loop->visible.type == TYPE_INT && loop->end.type == TYPE_INT) {
        uint64_t step = (uint64_t)loop->step.integer, end = (uint64_t)loop->end.integer;
        uint64_t at = (uint64_t)loop->visible.integer;
        uint64_t n = loop->upward ? (end - at) / step : (at - end) / -step;

        return n < INT64_MAX ? (int64_t)n : INT64_MAX;
    }
    for (int64_t n = 0; n < REMAINING_LIMIT; n++)
        if (!loop_next(&rest, &v, &error))
            return n;
    double least = loop->start.type == TYPE_INT ? fmax(1, (double)loop->multiple_of) : 0;
    double left = value_real_of(&loop->end) - value_real_of(&loop->visible);
    double n = fabs(left / fmax(fabs(value_real_of(&loop->step)), least));

    return loop->multiplicative ? REMAINING_LIMIT : n < 0x1p62 ? (int64_t)n : INT64_MAX;
}

void loop_share(const struct loop *loop, double *begin, double *width)
{
    double start = value_real_of(&loop->start), end = value_real_of(&loop->end),
           step = value_real_of(&loop->step);
    double at = value_real_of(&loop->visible), rounds, done;

    *begin = 0;
    *width = 0.5;
    if (loop->unlimited)
        return;
    if (loop->multiplicative) {
        rounds = end / start > 0 ? floor(log(end / start) / log(step) + 1e-9) + 1 : INFINITY;
        done = log(at / start) / log(step);
    } else {
        rounds = floor((end - start) / step + 1e-9) + 1;
        done = (at - start) / step;
    }
    if (!(rounds >= 1 && isfinite(rounds) && done >= 0))
        return;
    *width = 1 / rounds;
    *begin = fmin(done, rounds - 1) / rounds;
}
