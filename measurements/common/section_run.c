/*
 * Moving sections between pairs of PEs: the calls of a plan, packing and unpacking, and the data.
 */
#include "measurements/common/section_run.h"

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/common/sized_calls.h"

static bool gets(const struct run *run)
{
    return ((const struct section_kind *)run->function->variant)->get;
}

/* ---- The calls of a plan ---- */

/* The two sides of one operation. */
struct sides {
    unsigned char *target;
    const unsigned char *source;
};

static struct sides sides_of(const struct run *run, int64_t iteration)
{
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    return gets(run) ? (struct sides){local, remote} : (struct sides){remote, local};
}

/* What all places of this repetition are multiples of. */
static struct section_plan plan_of(const struct run *run)
{
    const struct section_state *state = run->state;
    size_t alignment = section_alignment((uintptr_t)run->local | (uintptr_t)run->remote |
                                         run->local_step | run->remote_step);
    return section_plan(&state->section, state->algorithm, alignment);
}

static inline void call_blocks(const struct section_calls *calls, block_function *block,
                               size_t count, struct sides at, int pe)
{
    for (size_t i = 0; i < calls->number; i++, at.target += calls->width, at.source += calls->width)
        block(at.target, at.source, count, pe);
}

static inline void call_strided(const struct section_plan *plan, const struct section_calls *calls,
                                strided_function *strided, struct sides at, int pe)
{
    /* A single element's distance to the next one says nothing, and may be no multiple. */
    bool one = plan->count < 2;
    ptrdiff_t to = one ? 1 : (ptrdiff_t)(plan->strides[SECTION_TARGET] / calls->width);
    ptrdiff_t from = one ? 1 : (ptrdiff_t)(plan->strides[SECTION_SOURCE] / calls->width);
    for (size_t i = 0; i < calls->number; i++, at.target += calls->width, at.source += calls->width)
        strided(at.target, at.source, to, from, plan->count, pe);
}

/* Every call of the plan; get: by the routines that get. */
static void make_calls(const struct section_plan *plan, bool get, struct sides sides, int pe)
{
    if (plan->empty)
        return;
    struct section_walk walk = section_first(plan);
    do {
        for (int i = 0; i < plan->kinds; i++) {
            const struct section_calls *calls = &plan->calls[i];
            struct sides at = {sides.target + walk.offsets[SECTION_TARGET] + calls->first,
                               sides.source + walk.offsets[SECTION_SOURCE] + calls->first};
            if (calls->routine == SECTION_MEM)
                call_blocks(calls, get ? shmem_getmem : shmem_putmem, calls->width, at, pe);
            else if (calls->routine == SECTION_BLOCK)
                call_blocks(calls, (get ? sized_get : sized_put)[size_log2(calls->width)], 1, at,
                            pe);
            else
                call_strided(plan, calls, (get ? sized_iget : sized_iput)[size_log2(calls->width)],
                             at, pe);
        }
    } while (section_next(&walk, 0));
}

/* ---- Packing: both PEs of the pair take part ---- */

static struct section_scratch *scratch_of(const struct run *run)
{
    return (struct section_scratch *)(void *)run->scratch;
}

static void tell(const struct run *run, long *flag)
{
    const struct section_state *state = run->state;
    shmem_fence(); /* what is packed or unpacked is there before the flag */
    shmem_long_p(flag, state->turn, state->pe);
}

static void await(const struct run *run, long *flag)
{
    const struct section_state *state = run->state;
    shmem_long_wait_until(flag, SHMEM_CMP_GE, state->turn);
}

/* Packs, puts, and tells the target, which unpacks and says so. */
static void put_packed(const struct run *run, const struct section_plan *plan, struct sides sides)
{
    const struct section_state *state = run->state;
    struct section_scratch *scratch = scratch_of(run);
    if (state->pair.works) {
        section_copy(&state->pack, scratch->packed, sides.source);
        make_calls(plan, false, (struct sides){scratch->packed, scratch->packed}, state->pe);
        tell(run, &scratch->arrived);
        await(run, &scratch->done);
    } else {
        await(run, &scratch->arrived);
        section_copy(&state->unpack, sides.target, scratch->packed);
        tell(run, &scratch->done);
    }
}

/* Asks the owner to pack, gets what it has packed, and unpacks. */
static void get_packed(const struct run *run, const struct section_plan *plan, struct sides sides)
{
    const struct section_state *state = run->state;
    struct section_scratch *scratch = scratch_of(run);
    if (state->pair.works) {
        shmem_long_p(&scratch->arrived, state->turn, state->pe);
        await(run, &scratch->done);
        make_calls(plan, true, (struct sides){scratch->packed, scratch->packed}, state->pe);
        section_copy(&state->unpack, sides.target, scratch->packed);
    } else {
        await(run, &scratch->arrived);
        section_copy(&state->pack, scratch->packed, sides.source);
        tell(run, &scratch->done);
    }
}

/* ---- One operation ---- */

static void move(struct run *run, const struct section_plan *plan, int64_t iteration)
{
    struct section_state *state = run->state;
    struct sides sides = sides_of(run, iteration);
    if (state->algorithm == SECTION_PACK && !plan->empty) {
        state->turn++;
        if (gets(run))
            get_packed(run, plan, sides);
        else
            put_packed(run, plan, sides);
        return;
    }
    make_calls(plan, gets(run), sides, state->pe);
    if (!gets(run))
        shmem_quiet();
}

/* Whether this rank takes part: of those that are worked on, packing alone needs anything. */
static bool takes_part(const struct run *run)
{
    const struct section_state *state = run->state;
    return state->pair.works || (state->pair.worked_on && state->algorithm == SECTION_PACK);
}

double section_run(struct run *run)
{
    const struct section_state *state = run->state;
    const struct section_plan plan = plan_of(run);
    bool part = takes_part(run);
    if (part && warm_places(run))
        move(run, &plan, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; part && i < run->iterations; i++)
        move(run, &plan, i);
    int64_t stopped = run_stop(run);
    return state->pair.works ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

/* ---- Set-up ---- */

bool section_set_up(struct run *run)
{
    const struct section_kind *kind = run->function->variant;
    struct section_state *state = run->state;
    char text[200];
    kind->read(run, &state->section, &state->algorithm);
    state->pair = half_pair_of_run(run);
    if (state->pair.other >= 0)
        state->pe = pe_set_member(run->set, state->pair.other);
    struct section packed = section_packed(&state->section, SECTION_TARGET);
    state->pack = section_plan(&packed, SECTION_RUNS, 1);
    packed = section_packed(&state->section, SECTION_SOURCE);
    state->unpack = section_plan(&packed, SECTION_RUNS, 1);
    const struct section_plan plan = plan_of(run);
    run_note(run, "calls: %s%s", section_calls_text(&plan, gets(run), text, sizeof text),
             plan.used != state->algorithm ? " (runs instead of what was asked for)" : "");
    return true;
}

/* ---- The data ---- */

void section_fill(struct run *run)
{
    pairs_fill(run, gets(run), run->local, run->remote);
}

/* What the target's memory must be, made element by element: those of the source's pattern, and
 * poison in between. NULL: out of memory. */
static unsigned char *expected(const struct run *run, size_t bytes, int from)
{
    const struct section_state *state = run->state;
    const struct section *section = &state->section;
    size_t source_bytes = section_span(section, SECTION_SOURCE);
    unsigned char *image = malloc(bytes + 1), *source = malloc(source_bytes + 1);
    if (image && source) {
        size_t elements = section_elements(section);
        data_poison(image, bytes);
        pattern_fill(source, source_bytes, data_key(run, from));
        for (size_t i = 0; i < elements; i++)
            memcpy(image + section_offset(section, SECTION_TARGET, i),
                   source + section_offset(section, SECTION_SOURCE, i), section->element);
        free(source);
        return image;
    }
    free(source);
    free(image);
    return NULL;
}

static bool is_right(struct run *run, const unsigned char *memory, size_t bytes, int from)
{
    unsigned char *image = expected(run, bytes, from);
    bool right = image ? data_verify_equal(run, "the target of the section", memory, image, bytes)
                       : run_fail(run, "out of memory to verify %zu bytes", bytes);
    free(image);
    return right;
}

bool section_verify(struct run *run)
{
    return half_pairs_verify(run, gets(run), is_right);
}

#endif
