/* Adds calls up, and writes the sums. */
#include "trace/runtime/tracer.h"

#include <stdlib.h>

#define FIRST_ROWS 256
#define ROW_MOST_BYTES (8 * 2 * NUMBER_MOST_BYTES)

struct row {
    uint32_t routine, phase;
    int64_t peer;
    uint64_t calls, bytes; /* no calls: free */
    int64_t ticks, most;
};

/* Open addressing; grown by the thread that adds, when half full. */
struct profile {
    struct row *rows;
    size_t size, used; /* size: a power of 2 */
};

struct profile *profile_create(void)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return NULL;
    profile->size = FIRST_ROWS;
    profile->rows = calloc(profile->size, sizeof *profile->rows);
    if (profile->rows)
        return profile;
    free(profile);
    return NULL;
}

static struct row *find_row(struct row *rows, size_t size, unsigned routine, uint32_t phase,
                            int64_t peer)
{
    uint64_t key = ((uint64_t)routine << 48 ^ (uint64_t)phase << 24 ^ (uint64_t)peer) *
                   UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(key >> 32) & (size - 1);
    while (rows[at].calls &&
           (rows[at].routine != routine || rows[at].phase != phase || rows[at].peer != peer))
        at = (at + 1) & (size - 1);
    return &rows[at];
}

static void grow(struct profile *profile)
{
    struct row *rows = calloc(profile->size * 2, sizeof *rows), *old = profile->rows;
    if (!rows)
        return;
    for (size_t i = 0; i < profile->size; i++)
        if (old[i].calls)
            *find_row(rows, profile->size * 2, old[i].routine, old[i].phase, old[i].peer) = old[i];
    profile->rows = rows;
    profile->size *= 2;
    free(old);
}

bool profile_add(struct profile *profile, unsigned routine, uint32_t phase, int64_t peer,
                 uint64_t bytes, int64_t ticks)
{
    if (profile->used * 2 >= profile->size)
        grow(profile);
    struct row *row = find_row(profile->rows, profile->size, routine, phase, peer);
    if (row->calls == 0) {
        if (profile->used + 1 == profile->size) { /* one must stay free */
            static atomic_flag said = ATOMIC_FLAG_INIT;
            if (!atomic_flag_test_and_set(&said))
                tracer_say("out of memory for more routines, phases and peers; calls of these are "
                           "lost");
            return false;
        }
        row->routine = routine;
        row->phase = phase;
        row->peer = peer;
        profile->used++;
    }
    row->bytes += bytes;
    row->ticks += ticks;
    row->most = ticks > row->most ? ticks : row->most;
    row->calls++;
    return true;
}

uint64_t profile_write(const struct profile *profile, uint32_t thread, off_t *end, uint64_t *calls)
{
    struct file_records records;
    file_begin_records(&records, BLOCK_PROFILE, thread, end);
    for (size_t i = 0; i < profile->size; i++) {
        const struct row *row = &profile->rows[i];
        if (!row->calls)
            continue;
        struct output *output = file_next_record(&records, ROW_MOST_BYTES, row->calls);
        give_number(output, row->routine);
        give_number(output, row->phase);
        give_signed(output, row->peer);
        give_number(output, row->calls);
        give_number(output, row->bytes);
        give_signed(output, row->ticks);
        give_signed(output, row->most);
        *calls += row->calls;
    }
    return file_end_records(&records);
}
