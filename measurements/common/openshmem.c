/*
 * Routines of OpenSHMEM as tables hold them, users' contexts, and teams of PE sets.
 */
#include "measurements/common/openshmem.h"

/* ---- Routines ---- */

int size_log2(size_t power)
{
    int log2 = 0;
    while (power > 1) {
        power /= 2;
        log2++;
    }
    return log2;
}

#if SKAMPI_SHMEM

/* By the logarithm of the bytes in an element. */
block_function *const sized_put[] = {shmem_put8, shmem_put16, shmem_put32, shmem_put64,
                                     shmem_put128};
block_function *const sized_get[] = {shmem_get8, shmem_get16, shmem_get32, shmem_get64,
                                     shmem_get128};
block_function *const sized_put_nbi[] = {shmem_put8_nbi, shmem_put16_nbi, shmem_put32_nbi,
                                         shmem_put64_nbi, shmem_put128_nbi};
block_function *const sized_get_nbi[] = {shmem_get8_nbi, shmem_get16_nbi, shmem_get32_nbi,
                                         shmem_get64_nbi, shmem_get128_nbi};
strided_function *const sized_iput[] = {shmem_iput8, shmem_iput16, shmem_iput32, shmem_iput64,
                                        shmem_iput128};
strided_function *const sized_iget[] = {shmem_iget8, shmem_iget16, shmem_iget32, shmem_iget64,
                                        shmem_iget128};

#endif

#if SKAMPI_SHMEM_1_5

/* Static, so symmetric. */
static uint64_t counted;

void put_signal(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

void put_signal_nbi(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal_nbi(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

#endif

/* ---- Contexts, and the cost of an empty quiet ---- */

#if SKAMPI_SHMEM

bool contexts_create(struct user_contexts *contexts, int count, long options)
{
    while (contexts->count < count &&
           shmem_ctx_create(options, &contexts->handles[contexts->count]) == 0)
        contexts->count++;
    return contexts->count == count;
}

void contexts_destroy(struct user_contexts *contexts)
{
    for (int i = 0; i < contexts->count; i++)
        shmem_ctx_destroy(contexts->handles[i]);
    contexts->count = 0;
}

bool contexts_open(struct run *run, struct user_contexts *contexts, int count, long options)
{
    contexts->handles = run_allocate(run, (size_t)count, sizeof *contexts->handles);
    bool good = contexts_create(contexts, count, options);
    if (!good)
        run_fail(run, "rank %d could create only %d of %d contexts", run->rank, contexts->count,
                 count);
    /* Nobody may leave while others wait for it in the rest of the set-up. */
    return run_max(run, !good) == 0;
}

static double puts_and_quiets(struct run *run, void *target, int pe, const shmem_ctx_t *context,
                              bool twice)
{
    const unsigned char byte = 0;
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        if (context) {
            shmem_ctx_putmem(*context, target, &byte, sizeof byte, pe);
            shmem_ctx_quiet(*context);
            if (twice)
                shmem_ctx_quiet(*context);
        } else {
            shmem_putmem(target, &byte, sizeof byte, pe);
            shmem_quiet();
            if (twice)
                shmem_quiet();
        }
    }
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

double empty_quiet(struct run *run, void *target, int pe, const shmem_ctx_t *context)
{
    /* The first call may find the place cold. */
    const unsigned char byte = 0;
    shmem_putmem(target, &byte, sizeof byte, pe);
    shmem_quiet();
    double once = puts_and_quiets(run, target, pe, context, false);
    return puts_and_quiets(run, target, pe, context, true) - once;
}

#endif

/* ---- Teams ---- */

const char *team_check(const struct run *run)
{
    int start, stride;
    return pe_set_regular(run->set, &start, &stride) && stride > 0
               ? NULL
               : "a team needs PEs in ascending order at a constant distance";
}

#if SKAMPI_SHMEM_1_5

static void prepare(struct run *run)
{
    struct team_state *state = run->state;
    int start, stride;
    state->team = SHMEM_TEAM_INVALID;
    /* Of the world, so that a function finds the same kind of team on every set. */
    if (pe_set_regular(run->set, &start, &stride) &&
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, run->size, NULL, 0,
                                 &state->team) != 0)
        state->team = SHMEM_TEAM_INVALID;
}

bool team_set_up(struct run *run)
{
    shmem_team_t team = team_of(run);
    bool good = team != SHMEM_TEAM_INVALID && shmem_team_my_pe(team) == run->rank &&
                shmem_team_n_pes(team) == run->size;
    if (!good)
        run_fail(run,
                 "shmem_team_split_strided gave rank %d another team than that of the communicator",
                 run->rank);
    /* All go on or none: what follows needs them all. */
    return run_max(run, !good) == 0;
}

static void tear_down(struct run *run)
{
    struct team_state *state = run->state;
    if (state->team != SHMEM_TEAM_INVALID)
        shmem_team_destroy(state->team);
    state->team = SHMEM_TEAM_INVALID;
}

#endif

const struct measurement team_common = {
    API_OPENSHMEM_1_5,
#if SKAMPI_SHMEM_1_5
    .state_bytes = sizeof(struct team_state),
#endif
    .check = team_check,
    .prepare = WITH_SHMEM_1_5(prepare),
    .setup = WITH_SHMEM_1_5(team_set_up),
    .teardown = WITH_SHMEM_1_5(tear_down),
};
