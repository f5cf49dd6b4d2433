/* A row for each kind of traffic. */
#include "engine/rates.h"

#include <math.h>

/* What each link carries for each byte of the operation (nccl-tests, doc/PERFORMANCE.md). */
enum bus { BUS_NONE, BUS_ONE, BUS_OTHERS, BUS_TWICE };

static const struct row {
    const char *bytes;
    int copies; /* of the reported bytes; 0: one for each rank */
    int messages;
    enum bus bus;
} rows[MOVES_COUNT] = {
    [MOVES_UNSTATED] = {"none", 0, 0, BUS_NONE},
    [MOVES_NOTHING] = {"none", 0, 0, BUS_NONE},
    [MOVES_MESSAGE] = {"the reported size", 1, 1, BUS_NONE},
    [MOVES_BOTH_WAYS] = {"twice the reported size", 2, 2, BUS_NONE},
    [MOVES_TO_ALL] = {"the reported size", 1, 1, BUS_ONE},
    [MOVES_BLOCKS] = {"the reported size times the PEs", 0, 1, BUS_OTHERS},
    [MOVES_SHARES] = {"the reported size", 1, 1, BUS_OTHERS},
    [MOVES_REDUCED] = {"the reported size", 1, 1, BUS_TWICE},
};

struct rates_words rates_words(const struct measurement *function)
{
    static const char *const messages[] = {"none", "1", "2"};
    static const char *const buses[] = {"none", "1", "(n - 1) / n", "2 (n - 1) / n"};
    const struct row *row = &rows[function->moves];
    return (struct rates_words){row->bytes, messages[row->messages], buses[row->bus]};
}

struct result_rates rates_of(const struct measurement *function, size_t pes, int64_t bytes,
                             double seconds)
{
    const struct row *row = &rows[function->moves];
    const double n = (double)pes, buses[] = {NAN, 1, (n - 1) / n, 2 * (n - 1) / n};
    if (row->messages == 0 || function->quantity != QUANTITY_TIME || bytes <= 0 || !(seconds > 0))
        return (struct result_rates){NAN, NAN, NAN};
    double bandwidth = (row->copies > 0 ? row->copies : n) * (double)bytes / seconds;
    return (struct result_rates){.bandwidth = bandwidth,
                                 .bus_bandwidth = bandwidth * buses[row->bus],
                                 .rate = row->messages / seconds};
}
