/*
 * Sums of where the time went.
 */
#include "engine/accounting.h"

#include "comm/comm.h"
#include "output/output.h"

void accounting_print(const struct accounting *own, struct output *output)
{
    double sums[] = {own->sync, own->comm, own->wait, own->over, own->total};
    comm_allreduce(comm_world(), COMM_SUM, sums, 5);
    if (!output)
        return;
    static const char *const names[] = {"clock synchronization", "measured operations",
                                        "waiting for starts", "repetitions left out"};
    double total = sums[4] > 0 ? sums[4] : 1;
    output_comment(output, "time accounting, seconds summed over %d PEs:", comm_pes());
    double rest = sums[4];
    for (int i = 0; i < 4; i++) {
        output_comment(output, "  %-22s %9.3f %5.1f%%", names[i], sums[i], 100 * sums[i] / total);
        rest -= sums[i];
    }
    output_comment(output, "  %-22s %9.3f %5.1f%%", "everything else", rest, 100 * rest / total);
    output_comment(output, "  %-22s %9.3f %5.1f%%", "measure statements", sums[4], 100.0);
}
