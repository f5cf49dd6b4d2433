#!/usr/bin/env python3
# LONG
# TIMEOUT: 100
"""First_Call_MPI is MPIPerf's table 1: 8,192 bytes, the second call at another address, the ratio of
PE 0; and its variants. A preloaded MPI_Bcast says what it is called with, and is slow at first."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import builds
import harness

if not harness.has("MPI"):
    harness.skip_all("built without MPI")
tap = harness.Tap()

# The last rank is far slower in its first call.
SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int calls;
    static int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);
    int rank, size, bytes;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "MPI_Bcast");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_size(type, &bytes);
    if (rank == 0) fprintf(stderr, "bcast: %p %d\\n", data, count * bytes);
    if (calls++ == 0) usleep(rank == size - 1 ? 990000 : 30000);
    return real(data, count, type, root, comm);
}
"""


def first(arguments):
    run = harness.skampi('set_unit(1e9)\nbegin measurement "f"\n'
                         f"  measure MPI_COMM_WORLD : First_Call_MPI({arguments})\nend measurement\n",
                         np=2, env={"LD_PRELOAD": library})
    calls = re.findall(r"bcast: (\w+) (\d+)", run.err)
    note = re.search(r"the second call: (\S+ \w+), the first took (\S+) times as long \((.*)\)",
                     run.out)
    return run, [int(size) for _, size in calls], [at for at, _ in calls], note


library = builds.preloadable(SLOW)
if not tap.ok(library, "the slow broadcast is built"):
    tap.done()
    sys.exit()
for text, size, same, slowest in (('"Bcast"', 8192, False, False), ('"Bcast", 100', 100, False, False),
                                  ('"Bcast", 8, "same"', 8, True, False),
                                  ('"Bcast", 8192, "elsewhere", "slowest"', 8192, False, True)):
    run, sizes, places, note = first(text)
    tap.ok(run.status == 0 and sizes == [size] * 2, f"{text}: two calls of {size} bytes", run)
    tap.equal(len(set(places)), 1 if same else 2, f"{text}: the second call's address", run)
    ratio = harness.seconds(note[1]) * float(note[2]) if note else 0
    # The first call's time, which the ratio is about: 990 ms on the slowest, 30 ms on PE 0, which
    # does not wait for the other one where the message is short. Far apart, since on a busy machine PE 0
    # may lose its processor for some time.
    long = slowest or (size > 1000 and ratio > 0.9)
    tap.ok(note and (ratio > 0.9) == long and ratio > 0.025, f"{text}: whose ratio", run)
    tap.ok(note and ("slowest" if slowest else "rank 0") in note[3]
           and ("same" if same else "another") in note[3], f"{text}: the note says which", run)
for text, part in (('"Bcast", -1', "at least 0"), ('"Bcast", 8, "there"', "elsewhere"),
                   ('"Bcast", 8, "same", "mean"', "slowest"), ('"Bcast", 4gb', "1 GiB"),
                   ('"Brodcast"', "Allreduce")):
    run, *_ = first(text)
    tap.ok(run.status == 2 and part in run.err, f"{text} is refused", run)
tap.done()
