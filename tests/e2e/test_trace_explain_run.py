#!/usr/bin/env python3
# LONG
"""shmemtrace explain on traces of a program in which the cause of waits is planted by an argument: it is found, with many
of its seconds, and the PE that is late. Judged by shares only: the planted PE sleeps, so that
a busy machine makes its delays longer, not shorter."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import Tap, run, scratch_directory
from traces import TRACE, compiled, recorded

ROUNDS, MS = 5, 60
PROGRAM = r"""
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long flag, lock, sync_[SHMEM_REDUCE_SYNC_SIZE], from = 1, to, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1];
int main(int argc, char **argv)
{
    const char *cause = argv[1];
    int pe, pes, rounds = atoi(argv[2]), ms = atoi(argv[3]);
    (void)argc;
    for (size_t i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync_[i] = SHMEM_SYNC_VALUE;
    shmem_init();
    pe = shmem_my_pe();
    pes = shmem_n_pes();
    for (int round = 1; round <= rounds; round++) {
        shmem_barrier_all();
        if (!strcmp(cause, "lock")) {
            shmem_set_lock(&lock);
            usleep(ms * 1000);
            shmem_clear_lock(&lock);
            continue;
        }
        if (pe == pes - 1)
            usleep(ms * 1000);
        if (!strcmp(cause, "reduction"))
            shmem_long_sum_to_all(&to, &from, 1, 0, 0, pes, work, sync_);
        else if (pe == pes - 1)
            for (int peer = 0; peer < pe && !strcmp(cause, "writer"); peer++)
                shmem_long_p(&flag, round, peer);
        else if (!strcmp(cause, "writer"))
            shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    }
    shmem_finalize();
    return 0;
}
"""
# Cause as the program is told it, and as it is named, the routine in which PEs wait.
CAUSES = {"barrier": ("wait at barrier", "shmem_barrier_all"),
          "writer": ("late writer", "shmem_long_wait_until"),
          "reduction": ("imbalance before a collective", "shmem_long_sum_to_all"),
          "lock": ("lock queue", "shmem_set_lock")}
program = compiled(PROGRAM)
tap = Tap()
for pes in (2, 4):
    for word, (cause, routine) in CAUSES.items():
        folder = scratch_directory()
        done = recorded(pes, [program, word, str(ROUNDS), str(MS)], cwd=folder)
        trace = os.path.join(folder, TRACE)
        told = run([traces.command(), "explain", "--json", "explained.json", trace], cwd=folder)
        if done.status or told.status:
            tap.ok(False, f"{word} on {pes} PEs: recorded and explained", f"{done}\n{told}")
            continue
        with open(os.path.join(folder, "explained.json"), encoding="utf-8") as file:
            found = json.load(file)
        # Of the lock PEs hold it for MS in turn; else all but one wait for the last PE. Where it waits is the
        # next barrier, which the last round lacks. On a busy machine the others may be late, too.
        planted = (ROUNDS - 1) * MS * 1e-3 * (sum(range(pes)) if word == "lock" else pes - 1)
        rows = [row for row in found["findings"] if row["cause"] == cause and row["in"]["routine"] == routine]
        late = {pe for row in rows for pe in row["late"]}
        waited = sum(row["waited"] for row in rows)
        tap.ok(rows and waited > 0.3 * planted and (word == "lock" or str(pes - 1) in late)
               and rows[0] in [row for row in found["findings"] if row["cause"] != "communication"][:3],
               f"{word} on {pes} PEs: {cause} in {routine} is found", f"{planted} s\n{told}")
tap.done()
