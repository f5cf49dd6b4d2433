#!/usr/bin/env python3
# BOUND
"""What happens once in a process: start and end of the library, memory, first calls; with a library in
which they cost a known time and memory (tests/support/stub/process.c)."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import ROOT, Tap, in_parallel, measuring, skampi, skip_all
from quiet import Beside

STEP = 0.3  # seconds by which each PE starts and ends later than the one before
FIRST_GET = 5e-3
FIRST_GET_BYTES = 8 << 20
END = re.compile(r"# end of the library, seconds on the PEs of PE 0's node: (.*)")


def first_row(run, name):
    found = run.block(name)
    return found.rows[0] if found and found.rows else None


def last_line(run):
    """The ends of all PEs, which are told in the last line of the file."""
    last = END.fullmatch(run.read("out.sko").rstrip("\n").rpartition("\n")[2])
    return [float(text) for text in last.group(1).split()] if last else []


def test_startup(tap, stub):
    attempts = Beside(tap)
    for _ in attempts:
        run = skampi("set_unit(1.0)\n" + measuring("s", "Startup()"), np=2, args=["-o", "out.sko"],
                     env={"LD_PRELOAD": stub})
        row = first_row(run, "s")
        if not row or run.status != 0:
            break
        ends = last_line(run)
        # A PE that starts or ends late on a busy machine makes up for the step.
        started, ended = (len(seconds) == 2 and abs(seconds[1] - seconds[0] - STEP) < STEP / 2
                          for seconds in (row.per_pe, ends))
        if started and ended:
            break
    if not tap.ok(run.status == 0 and row, "Startup: is measured", run):
        return
    tap.ok(row.reps == 1 and row.time == max(row.per_pe), "Startup: once, the longest in all", run)
    attempts.decide(started, "Startup: the time of each PE, longer on PE 1 by what was programmed", run)
    notes = " ".join(row.notes)
    tap.equal("MPI_Init: " in notes, harness.has("MPI"), "Startup: notes tell MPI's part", run)
    told = re.search(r"shmem_init: (\S+ \w+)", notes)
    tap.ok(told and STEP <= harness.seconds(told.group(1)) < row.time, "Startup: and OpenSHMEM's", run)
    tap.equal(len(ends), 2, "Startup: the last line of the file tells each PE's end", run)
    attempts.decide(ended, "Startup: ... later on PE 1 by what was programmed", run)

    run = skampi(measuring("s", "Startup()", where="comm2(2, 0)"), np=3)
    last = END.fullmatch(run.out.rstrip("\n").rpartition("\n")[2])
    tap.ok(run.status == 0 and last and len(last.group(1).split()) == 3,
           "Startup on some PEs: all ends, on standard output", run)
    run = skampi(measuring("w", "wtime(10)"), np=1)
    tap.ok(run.status == 0 and "end of the library" not in run.out,
           "without Startup() nothing is said of the library's end", run)


def test_memory(tap, stub):
    run = skampi("set_unit(1.0e9)\n"
                 + "".join(measuring(name, f"Memory_Footprint{name}()") for name in ("_Init", "_Peers", ""))
                 + measuring("again", "Memory_Footprint_Peers()"),
                 np=2, args=["-o", "out.sko", "--unit", "ns"], env={"LD_PRELOAD": stub})
    rows = [first_row(run, name) for name in ("_Init", "_Peers", "")]
    if not tap.ok(run.status == 0 and all(rows), "Memory_Footprint: is measured", run):
        return
    init, peers, everything = rows
    tap.ok(all(1e6 < value < 4e9 for row in rows for value in row.per_pe),
           "Memory_Footprint: bytes of each PE, whatever the unit", run)
    grown = [after - before for before, after in zip(init.per_pe, peers.per_pe)]
    tap.ok(all(FIRST_GET_BYTES <= more < 2 * FIRST_GET_BYTES for more in grown),
           "Memory_Footprint_Peers: what the first calls take is in it", f"{grown}\n{run}")
    tap.ok(all(more >= 0 for more in (b - a for a, b in zip(peers.per_pe, everything.per_pe))),
           "Memory_Footprint: the all-to-all comes on top", run)
    tap.ok(all("values in bytes" in note for note in init.notes if note.startswith("conditions")),
           "Memory_Footprint: the conditions tell the unit", run)
    tap.ok(not any("happened before" in note for note in peers.notes)
           and any("had happened before" in note for note in first_row(run, "again").notes),
           "Memory_Footprint: a note when it was not the first time", run)
    shown = harness.run([os.path.join(ROOT, "scripts", "skampi-table"), run.path("out.sko")])
    tap.ok("memory [bytes]" in shown.out, "skampi-table: memory in bytes", shown)

    run = skampi(measuring("blind", "Memory_Footprint()") + measuring("then", "wtime(10)"), np=2,
                 env={"LD_PRELOAD": stub, "STUB_PROCESS": "blind"})
    tap.ok(run.status == 3 and "/proc/self/statm" in run.err and first_row(run, "then"),
           "Memory_Footprint: fails where the system does not tell, and the script goes on", run)


def test_first_calls(tap, stub):
    attempts = Beside(tap)
    for _ in attempts:
        run = skampi("set_unit(1.0)\n" + measuring("first", 'First_Call("get")')
                     + measuring("again", 'First_Call("get")') + measuring("quiet", "Shmem_Quiet(10)")
                     + measuring("engine", 'First_Call("put")'), np=2, env={"LD_PRELOAD": stub})
        first, again, engine = (first_row(run, name) for name in ("first", "again", "engine"))
        if run.status != 0 or not (first and again and engine):
            break
        ratio = re.search(r"took (\S+) times", " ".join(first.notes))
        soon = all(value < 40 * FIRST_GET for value in first.per_pe)
        larger, quick = ratio and float(ratio.group(1)) > 5, again.time < FIRST_GET
        if soon and larger and quick:
            break
    if not tap.ok(run.status == 0 and first and again and engine, "First_Call: is measured", run):
        return
    tap.ok(all(FIRST_GET <= value for value in first.per_pe) and first.reps == 1,
           "First_Call: the first call's time on each PE", run)
    tap.ok(ratio, "First_Call: and how it compares to the second", run)
    attempts.decide(soon and larger, "First_Call: ... which takes much less", run)
    attempts.decide(quick, "First_Call: so does one that is asked for again", run)
    tap.ok(not any("not the first" in note for note in first.notes)
           and any("First_Call or Memory_Footprint had called it" in note for note in again.notes),
           "First_Call: a second one is told from the first", run)
    run = skampi(measuring("memory", "Memory_Footprint()")
                 + "".join(measuring(kind, f'First_Call("{kind}")') for kind in ("alltoall", "sync")), np=2)
    told = [any("not the first" in note for note in first_row(run, kind).notes)
            for kind in ("alltoall", "sync")] if run.status == 0 else run
    tap.equal(told, [True, False], "First_Call: knows what Memory_Footprint has called")
    tap.ok(any("skampi had called it" in note for note in engine.notes)
           and any(note.endswith("may have called it: 1") for note in engine.notes),
           "First_Call: notes tell who may have called it before", run)


def test_connect(tap):
    """That skampi makes a get at its start changes no other first call; what it found is the same however often it is asked."""
    run = skampi("set_unit(1e9)\n" + measuring("connect", "Connect()", "Connect()"), np=2)
    told = [re.findall(r"took (\S+ \w+), the second (\S+ \w+)", " ".join(row.notes)) for row in run.rows]
    tap.ok(run.status == 0 and len(run.rows) == 2 and all(told) and run.rows[0].per_pe == run.rows[1].per_pe,
           "Connect: what was found at the start", run)
    first, second = map(harness.seconds, told[0][0]) if all(told) and told else (0, 0)
    tap.ok(first > 0 and second > 0 and all(0 <= value <= 1.01e9 * first for value in run.rows[0].per_pe),
           "Connect: the first get less the second", run)


def test_refusals(tap):
    cases = (
        (2, "comm(1)", "Connect()", "at least 2 PEs"),
        (2, "MPI_COMM_WORLD", 'First_Call("nothing")', '"barrier_all", "sync"'),
        (2, "comm(1)", 'First_Call("malloc")', "all PEs of the job"),
        (4, "comm2(3, 1)", 'First_Call("broadcast")', "active set"),
        (4, "comm2(3, 1)", "Memory_Footprint()", "active set"))

    def start(case):
        np, where, call, _ = case
        return skampi(measuring("b", call, where=where), np=np)

    for (np, where, call, said), run in in_parallel(cases, start):
        # What depends on the set leaves out this measurement alone.
        status, word = (2, "error:") if where == "MPI_COMM_WORLD" else (3, "warning:")
        errors = [line for line in run.err.splitlines() if word in line]
        tap.ok(run.status == status and len(errors) == 1 and errors[0].startswith("test.ski:2:")
               and said in errors[0], f"{call} on {where} of {np} is refused", run)
    run = skampi(measuring("b", 'First_Call("get")', "Memory_Footprint_Peers()", where="comm2(3, 1)"),
                 np=4)
    tap.ok(run.status == 0 and [len(row.per_pe) for row in run.rows] == [2, 2],
           "what needs no active set works without one", run)


def test_descriptions(tap):
    for name, value, once in (("Memory_Footprint", "bytes", True), ("Startup", "time", True),
                              ("First_Call", "time", True), ("Shmem_Quiet", "time", False)):
        run = skampi(args=["--describe", name], launch=False)
        tap.ok(f"\nvalue: {value}\n" in run.out and ("\nrepetitions: 1" in run.out) == once,
               f"--describe {name}: what the value is", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    if harness.sanitized():
        skip_all("nothing is preloaded before the sanitizer's library")
    tap = Tap()
    stub = preloadable("process.c")
    test_startup(tap, stub)
    test_memory(tap, stub)
    test_first_calls(tap, stub)
    test_connect(tap)
    test_refusals(tap)
    test_descriptions(tap)
    tap.done()


main()
