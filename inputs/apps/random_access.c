/*
 * Adds numbers to random places of a table that is spread over the PEs, by atomic operations. Now
 * and then a PE also draws a ticket from another one; no ticket may be drawn twice.
 */
#include "app.h"

#define TICKET_EVERY 8 /* updates */

struct update {
    long place, ticket_of;
    long value;
};

static struct update update_of(long index, long size, long bits)
{
    uint64_t random = app_random(1, (uint64_t)index);
    return (struct update){
        .place = (long)(random % (uint64_t)size),
        .ticket_of = (long)(app_random(2, (uint64_t)index) % (uint64_t)size),
        .value = (long)(app_random(3, (uint64_t)index) >> (64 - bits)),
    };
}

static uint64_t checksum_of(long place, long value)
{
    return app_random((uint64_t)value, (uint64_t)place);
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, long size, long steps, long bits)
{
    long *table = calloc((size_t)size, sizeof *table);
    uint64_t sum = 0;
    if (!table)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < steps; i++) {
        struct update update = update_of(i, size, bits);
        table[update.place] =
            (long)((unsigned long)table[update.place] + (unsigned long)update.value);
    }
    for (long i = 0; i < size; i++)
        sum += checksum_of(i, table[i]);
    free(table);
    return sum;
}

int main(int argc, char **argv)
{
    long size = 4096, steps = 4000, bits = 6;
    const struct app_option options[] = {
        {"size", &size, 1, 1L << 30, "numbers in the table, on all PEs together"},
        {"steps", &steps, 0, LONG_MAX / 2, "updates of all PEs together"},
        {"bits", &bits, 1, 64, "bits of the numbers that are added"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("random_access", argv, options);
    if (app.pe == 0)
        printf("random_access: table of %ld, %ld updates of %ld bits, %d PEs\n", size, steps, bits,
               app.pes);

    long *table = app_memory(&app, (size_t)((size + app.pes - 1) / app.pes) * sizeof *table);
    long *tickets = app_memory(&app, sizeof *tickets);
    CALL(shmem_barrier_all)();

    long drawn = 0;
    long last[app.pes]; /* tickets of each PE */
    for (int pe = 0; pe < app.pes; pe++)
        last[pe] = -1;
    for (long i = app_first(&app, steps, app.pe); i < app_first(&app, steps, app.pe + 1); i++) {
        struct update update = update_of(i, size, bits);
        int pe = app_owner(&app, size, update.place);
        CALL(shmem_long_atomic_add)
        (&table[update.place - app_first(&app, size, pe)], update.value, pe);
        if (i % TICKET_EVERY == 0) {
            pe = app_owner(&app, size, update.ticket_of);
            long ticket = CALL(shmem_long_atomic_fetch_inc)(tickets, pe);
            if (ticket <= last[pe])
                app_fail(&app, 1, "ticket %ld of PE %d was drawn twice", ticket, pe);
            last[pe] = ticket;
            drawn++;
        }
    }
    CALL(shmem_barrier_all)();

    long first = app_first(&app, size, app.pe);
    uint64_t mine = 0;
    for (long i = first; i < app_first(&app, size, app.pe + 1); i++)
        mine += checksum_of(i, table[i - first]);
    uint64_t missing = app_sum(&app, (uint64_t)drawn) - app_sum(&app, (uint64_t)*tickets);
    uint64_t sum = app_sum(&app, mine) + missing;
    return app_end(&app, sum, app.pe == 0 ? expected(&app, size, steps, bits) : 0);
}
