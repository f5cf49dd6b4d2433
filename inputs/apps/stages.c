/*
 * A stream of blocks goes through all PEs, each of which smooths them and passes them on: a put of
 * the block, a fence, a flag. A ring of slots lets blocks be under way at the same time; a flag
 * back tells that a slot is free again.
 */
#include "app.h"

#define CHECKED 16 /* of so many blocks one is computed again */

struct stream {
    long size, slots, sweeps;
    unsigned *blocks; /* of all slots */
    long *full;       /* by slot: blocks that have come so far */
    long *free;       /* by slot: blocks of this PE that the next one has taken */
};

static void make_block(unsigned *block, long size, long number)
{
    for (long i = 0; i < size; i++)
        block[i] = (unsigned)app_random((uint64_t)number, (uint64_t)i);
}

static unsigned sum_of(const unsigned *block, long size)
{
    unsigned sum = 0;
    for (long i = 0; i < size; i++)
        sum += block[i];
    return sum;
}

/* What leaves an element goes to the next one, so that the sum stays. */
static void smooth(unsigned *block, long size, long sweeps)
{
    for (long sweep = 0; sweep < sweeps; sweep++) {
        unsigned wraps = block[size - 1] / 3;
        for (long i = size - 1; i > 0; i--)
            block[i] += block[i - 1] / 3 - block[i] / 3;
        block[0] += wraps - block[0] / 3;
    }
}

/* Takes the block from its slot, when it has come. */
static void take(const struct app *app, const struct stream *stream, unsigned *block, long number)
{
    long slot = number % stream->slots, round = number / stream->slots + 1;
    CALL(shmem_long_wait_until)(&stream->full[slot], SHMEM_CMP_GE, round);
    memcpy(block, stream->blocks + slot * stream->size, (size_t)stream->size * sizeof *block);
    CALL(shmem_long_p)(&stream->free[slot], round, app->pe - 1);
}

/* Puts the block to the next PE, when the slot there is free. */
static void pass(const struct app *app, const struct stream *stream, const unsigned *block,
                 long number)
{
    long slot = number % stream->slots, round = number / stream->slots + 1;
    CALL(shmem_long_wait_until)(&stream->free[slot], SHMEM_CMP_GE, round - 1);
    CALL(shmem_uint_put)
    (stream->blocks + slot * stream->size, block, (size_t)stream->size, app->pe + 1);
    CALL(shmem_fence)();
    CALL(shmem_long_p)(&stream->full[slot], round, app->pe + 1);
}

/* Whether a block that left the last PE is wrong. */
static bool is_wrong(const struct app *app, const struct stream *stream, const unsigned *block,
                     unsigned *again, long number)
{
    make_block(again, stream->size, number);
    if (sum_of(again, stream->size) != sum_of(block, stream->size))
        return true;
    if (number % CHECKED)
        return false;
    for (int pe = 0; pe < app->pes; pe++)
        smooth(again, stream->size, stream->sweeps);
    return memcmp(again, block, (size_t)stream->size * sizeof *block) != 0;
}

int main(int argc, char **argv)
{
    long steps = 400;
    struct stream stream = {.size = 64, .slots = 8, .sweeps = 100};
    const struct app_option options[] = {
        {"size", &stream.size, 1, 1L << 30, "numbers in a block"},
        {"steps", &steps, 0, LONG_MAX / 2, "blocks"},
        {"slots", &stream.slots, 1, 1L << 20, "blocks under way from one PE to the next"},
        {"sweeps", &stream.sweeps, 0, LONG_MAX / 2, "how often each PE smooths a block"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("stages", argv, options);
    if (app.pe == 0)
        printf("stages: %ld blocks of %ld numbers, %ld slots, %ld sweeps, %d PEs\n", steps,
               stream.size, stream.slots, stream.sweeps, app.pes);

    stream.blocks = app_memory(&app, (size_t)(stream.slots * stream.size) * sizeof(unsigned));
    stream.full = app_memory(&app, (size_t)stream.slots * sizeof *stream.full);
    stream.free = app_memory(&app, (size_t)stream.slots * sizeof *stream.free);
    unsigned *block = calloc((size_t)stream.size, sizeof *block);
    unsigned *again = calloc((size_t)stream.size, sizeof *again);
    if (!block || !again)
        app_fail(&app, 1, "no memory for a block; make --size smaller");
    CALL(shmem_barrier_all)();

    uint64_t passed = 0, wrong = 0;
    for (long number = 0; number < steps; number++) {
        if (app.pe == 0)
            make_block(block, stream.size, number);
        else
            take(&app, &stream, block, number);
        smooth(block, stream.size, stream.sweeps);
        if (app.pe < app.pes - 1) {
            pass(&app, &stream, block, number);
        } else {
            passed++;
            wrong += is_wrong(&app, &stream, block, again, number);
        }
    }
    CALL(shmem_barrier_all)();
    free(again);
    free(block);
    uint64_t sum = app_sum(&app, passed + (wrong << 32));
    return app_end(&app, sum, (uint64_t)steps);
}
