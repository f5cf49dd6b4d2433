/* What collectives take: messages, or measured times. */
#include <math.h>

#include "sim/model.h"

#define MOST_TIME 1e18 /* ps */

static double log_steps(int64_t pes)
{
    double steps = 0;
    while (INT64_C(1) << (int)steps < pes)
        steps++;
    return steps;
}

double shape_steps(enum shape shape, int64_t pes)
{
    return shape == SHAPE_LINEAR ? (double)(pes - 1) : log_steps(pes);
}

static double row_time(const struct time_row *row, uint64_t bytes)
{
    size_t i = row->count - 1;
    while (i > 0 && row->pieces[i].from > bytes)
        i--;
    return (double)row->pieces[i].time + row->pieces[i].per_byte * (double)bytes;
}

/* Between two rows by the logarithm of the PEs; outside all of them from the nearest one. */
static double table_time(const struct together *together)
{
    const struct time_table *table = together->rule.table;
    int64_t pes = together->pes;
    size_t i = 0;
    while (i < table->count && table->rows[i].pes < pes)
        i++;
    if (i < table->count && table->rows[i].pes == pes)
        return row_time(&table->rows[i], together->bytes);
    if (pes == 1)
        return 0;
    if (i == 0 || i == table->count) {
        const struct time_row *nearest = &table->rows[i == table->count ? i - 1 : i];
        return row_time(nearest, together->bytes) * shape_steps(table->beyond, pes) /
               shape_steps(table->beyond, nearest->pes);
    }
    const struct time_row *low = &table->rows[i - 1], *high = &table->rows[i];
    double part = log2((double)pes / low->pes) / log2((double)high->pes / low->pes);
    double from = row_time(low, together->bytes);
    return from + part * (row_time(high, together->bytes) - from);
}

bool collective_extrapolates(const struct together *together)
{
    const struct time_table *table = together->rule.table;
    if (together->rule.shape != SHAPE_TABLE || together->pes == 1)
        return false;
    return together->pes < table->rows[0].pes || together->pes > table->rows[table->count - 1].pes;
}

int64_t collective_steps(const struct together *together, int64_t message)
{
    int64_t pes = together->pes;
    double time = 0;
    switch (together->rule.shape) {
    case SHAPE_LINEAR:
    case SHAPE_LOGARITHMIC:
        time = shape_steps(together->rule.shape, pes) * (double)message;
        break;
    case SHAPE_FACTOR:
        time = pes > 1 ? together->rule.factor * (double)pes * (double)message : 0;
        break;
    case SHAPE_TABLE:
        time = table_time(together);
    }
    return time < MOST_TIME ? (int64_t)(time + 0.5) : (int64_t)MOST_TIME;
}
