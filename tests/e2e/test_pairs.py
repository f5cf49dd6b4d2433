#!/usr/bin/env python3
# TIMEOUT: 240
"""Traffic of many ranks and round trips of pairs, by OpenSHMEM and MPI: every pattern on odd numbers of PEs,
with no data and with odd sizes; what makes no sense is refused; data that get lost are noticed; threads need
--threads."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import SAMPLE, Tap, in_parallel, measuring, refused, skampi, skip_all

FEW = """set_min_repetitions(4)
set_max_repetitions(4)
set_max_relative_standard_error(1.0)
choose_barrier_synchronization()
"""
OPENSHMEM = [f"Shmem_{routine}_Pairs" for routine in ("Put", "Put_Nonblocking", "Get", "Get_Nonblocking")]
MPI_TRIPS = ("Barrier", "Flag", "Fetch_and_op", "Message")
PATTERNS = ['"half"', '"neighbours"', '"random:4"', '"round:1:5"', '"to_one"', '"from_one"', '"targets:9"']

# Call, words of the message.
REFUSED = [
    ('Shmem_Put_Pairs_Full(8, "halves", 0, 1, 1)', "pattern must be"),
    ('Shmem_Put_Pairs_Full(8, "offset", 0, 1, 1)', "pattern must be"),
    ('Shmem_Put_Pairs_Full(8, "half", 0, 3, 1)', "at most 2"),
    ('Shmem_Put_Pairs_Full(8, "half", 0, 0, 1)', "at least 1"),
    ('Shmem_Put_Pairs_Full(-8, "half", 0, 1, 1)', "at least 0"),
    ('Shmem_Put_Pairs_Rate(8, "half", 0, 1, 0, 1)', "at least 1"),
    ('Shmem_Put_Pairs_Rate(8, "half", 0, 1, 3000000000, 1)', "at most 2147483647"),
    ('Shmem_Put_Pairs_Full(8, "targets", 0, 2, 1)', "one direction"),
    ('Put_Pairs_Flush(8, "half", 0, 1, 1, "dynamic")', "memory must be"),
    ('Shmem_Round_Trip_Put_Put_Flag(8, "to_one", 0, 1)', "pattern must be"),
    ('Round_Trip_Put_Put_Flag(8, "to_one", 0, 1)', "pattern must be"),
    ('Round_Trip_Put_Put_Flag(8, "half", 0, 1, "dynamic")', "memory must be"),
    ('Round_Trip_Send_Recv(3000000000, "half", 0, 1)', "at most 2147483647"),
]
# Of 3 PEs, which depends on the set: the script goes on.
LEFT_OUT = [
    ('Shmem_Put_Pairs_Full(8, "offset:1", 0, 1, 1)', "multiple of 2 PEs"),
    ('Shmem_Put_Pairs_Full(8, "half", 2, 1, 1)', "at most 1"),
    ('Put_Pairs_Flush(8, "from_one", 3, 1, 1)', "at most 2"),
    ('Put_Pairs_Flush(8, "round:4", 0, 1, 1)', "rounds 1 to 3"),
]

# Blocks of 100 bytes get lost, not what skampi itself sends; and who must notice it.
LOSING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#define LOSING(name)                                                                        \
    void name(void *to, const void *from, size_t bytes, int pe)                             \
    {                                                                                       \
        static void (*real)(void *, const void *, size_t, int);                             \
        if (!real)                                                                          \
            real = dlsym(RTLD_NEXT, #name);                                                 \
        if (bytes != 100)                                                                   \
            real(to, from, bytes, pe);                                                      \
    }
LOSING(shmem_putmem)
LOSING(shmem_putmem_nbi)
LOSING(shmem_getmem)
LOSING(shmem_getmem_nbi)
int MPI_Put() { return 0; }
int MPI_Get() { return 0; }
"""
LOST = ['Shmem_Put_Pairs_Fence(100, "half", 0, 2, 3)',
        'Shmem_Put_Nonblocking_Pairs_Rate(100, "targets:1", 0, 1, 8, 3)',
        'Shmem_Get_Pairs_Full(100, "from_one", 0, 1, 3)',
        'Shmem_Get_Nonblocking_Pairs_Rate(100, "to_one", 0, 2, 3, 3)',
        'Shmem_Round_Trip_Put_Put_Flag(100, "half", 0, 3)',
        'Shmem_Round_Trip_Get_Get_Barrier(100, "half", 0, 3)',
        'Round_Trip_Put_Put_Message(100, "half", 0, 3)',
        'Round_Trip_Put_Get_Fetch_and_op(100, "half", 0, 3)',
        'Round_Trip_Get_Get_Barrier(100, "half", 0, 3)',
        'Put_Pairs_Rate(100, "half", 0, 1, 3, 3)',
        'Get_Pairs_Flush_Local(100, "half", 0, 1, 3)']


def calls():
    """Each routine, discipline, pattern and direction."""
    found = []
    for pattern in PATTERNS:
        for directions in (1,) if "targets" in pattern else (1, 2):
            common = f"{pattern}, 0, {directions}"
            for number, name in enumerate(OPENSHMEM):
                size = (0, 1, 63, 1000)[(number + directions) % 4]
                found += [f"{name}_Full({size}, {common}, 3)", f"{name}_Fence({size}, {common}, 40)",
                          f"{name}_Rate({size}, {common}, 5, 3)",
                          f"{name}_Rate_Together({size}, {common}, 5, 3)"]
            for name in ("Put", "Get"):
                found += [f"{name}_Pairs_Flush(65, {common}, 3)",
                          f"{name}_Pairs_Flush_Local(7, {common}, 40)",
                          f'{name}_Pairs_Rate(1000, {common}, 5, 3, "create")',
                          f"{name}_Pairs_Rate_Together(0, {common}, 5, 3)"]
            found += [f"Isend_Irecv_Pairs_Rate(1000, {common}, 5, 3)",
                      f"Isend_Irecv_Pairs_Rate_Together(0, {common}, 1, 3)"]
    return found


def trips():
    sizes = [(0, '"half"'), (1, '"neighbours"'), (1000, '"random:2"')]
    found = [f"{prefix}Round_Trip_{trip}_{how}({size}, {pattern}, 0, 3)"
             for trip in ("Put_Put", "Put_Get", "Get_Get")
             for prefix, how in [("Shmem_", "Barrier"), ("Shmem_", "Flag"), *(("", how) for how in MPI_TRIPS)]
             for size, pattern in sizes]
    found += [f"Round_Trip_Send_Recv({size}, {pattern}, 0, 3)" for size, pattern in sizes]
    return found + [f'Round_Trip_Put_Get_{how}(100, "half", 0, 3, "{memory}")'
                    for how in MPI_TRIPS for memory in ("create", "shared")]


def threaded(threads):
    return [f"Shmem_Ctx_{routine}_Pairs_Rate_Threads(100, {pattern}, 0, 1, {threads}, 4, 3)"
            for routine in ("Put", "Put_Nonblocking", "Get", "Get_Nonblocking")
            for pattern in ('"half"', '"from_one"', '"targets:1"')]


def test_all(tap, pes, preamble="", where="comm(get_np())"):
    """Everything is measured, its data are right."""
    lines = calls() + trips()
    run = skampi(FEW + preamble + measuring("b", *lines, where=where), np=pes, timeout=100)
    said = [line for line in run.err.splitlines() if re.search(": (error|warning): ", line)]
    tap.equal((run.status, said), (0, []), f"{pes} PEs {preamble}: status", run)
    tap.equal(len(run.rows), len(lines), f"{pes} PEs {preamble}: all are measured", run)


def test_threads(tap):
    without = skampi(measuring("b", *threaded(2)), np=2)
    tap.equal((without.status, len(without.rows)), (3, 0), "threads need an option", without)
    tap.ok("start skampi with --threads" in without.out, "... which the reason names", without)
    lines = [line for threads in (1, 2, 5) for line in threaded(threads)]
    for pes in (2, 3):
        run = skampi(FEW + measuring("b", *lines), np=pes, args=["--threads"], timeout=100)
        tap.equal((run.status, len(run.rows)), (0, len(lines)), f"threads on {pes} PEs", run)


def test_refusals(tap):
    runs = in_parallel(REFUSED, lambda case: refused(measuring("b", case[0])))
    for (call, words), run in runs:
        errors = [line for line in run.err.splitlines() if ": error: " in line]
        tap.ok(run.status == 2 and len(errors) == 1 and words in errors[0], f"refused: {call}", run)
    run = skampi(FEW + measuring("b", *(call for call, _ in LEFT_OUT)), np=3)
    for call, words in LEFT_OUT:
        tap.ok(words in run.err, f"left out on 3 PEs: {call}", run)
    tap.equal((run.status, len(run.rows)), (3, 0), "... and the status says so")
    alone = skampi(measuring("b", calls()[0], trips()[0]), np=1)
    tap.equal((alone.status, alone.err.count("at least 2 PEs")), (3, 2), "one PE is too few", alone)


def test_lost(tap):
    library = preloadable(LOSING)
    run = skampi(measuring("b", *LOST), np=3, env={"LD_PRELOAD": library})
    tap.equal((run.status, [row.line for row in run.rows]), (3, []), "what gets lost is not measured", run)
    for call in LOST:
        name = call.split("(", maxsplit=1)[0]
        tap.ok(re.search(rf"{name}.*wrong data.*not written", run.out + run.err), f"lost: {call}", run)


def main():
    if not harness.has("SHMEM") or not harness.has("MPI"):
        skip_all("needs OpenSHMEM and MPI")
    tap = Tap()
    test_all(tap, 3)
    if not SAMPLE:
        test_all(tap, 2)
        test_all(tap, 7)
        test_all(tap, 2, 'set_cache_state("cold")\n')
        test_all(tap, 4, 'set_verify("every")\n', "comm_from_to(1, 4)")
        test_refusals(tap)
        test_lost(tap)
        test_threads(tap)
    tap.done()


main()
