#!/usr/bin/env python3
# LONG
# PLAIN
"""shmemsim --trace writes the predicted run as a trace: every reader and exporter takes it, it holds the calls of
the recorded one, and replayed on the same machine it takes exactly as long."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import SAMPLE, Tap, run
from made_runs import HEAP, Program, Simulator, build_writer, command, ps

tap = Tap()
sim = Simulator()
WAYS = ((), ("--model", "loggp"), ("--model", "loggp", "--contention"),
        ("--model", "loggp", "--contention=fair"))
NET = {"overhead": "200 ns", "gap": "40 ns", "cores": 2, "links": 1, "lanes": 2}


def written(trace, *options, machine):
    """(what is predicted, the folder with the predicted run, or the run that failed)"""
    folder = sim.name("simulated")
    found = sim.predict(trace, "--trace", folder, *options, machine=machine)
    return found, folder


def same_again(trace, what, ways=WAYS, **changes):
    """The predicted run takes as long as predicted, and its PEs end when they did."""
    machine = sim.machine(**{**NET, **changes})
    again = sim.machine(**{**NET, **changes, "ratio": 1})
    folder = None
    for options in ways:
        found, folder = written(trace, *options, machine=machine)
        if not tap.ok(isinstance(found, dict), f"{what} {' '.join(options)}: written", found):
            continue
        replayed = sim.predict(folder, *options, machine=again)
        tap.ok(isinstance(replayed, dict) and
               [ps(pe["end"]) for pe in replayed["per_pe"]] == [ps(pe["end"]) for pe in found["per_pe"]],
               f"{what} {' '.join(options)}: replayed, every PE ends at the same picosecond", (found, replayed))
        checked = sim.made.command("check", folder)
        tap.ok(checked.status == 0 and "all well" in checked.out, f"{what}: shmemtrace check finds it well", checked)
    return folder


def events(trace, pe=None):
    shown = sim.made.command("dump", "--csv", *(() if pe is None else ("--pe", str(pe))), trace)
    return traces.events_of(shown.out)


def calls_of(rows):
    """Without times."""
    return [{name: value for name, value in row.items() if name not in ("start", "duration", "burst")
             and not name.endswith(("_s", "_ticks"))} for row in rows]


def everything():
    """Calls of every kind, on 3 PEs."""
    program = Program(3)
    for pe in range(3):
        program.call(pe, "shmem_malloc", 40, bytes=64, target=HEAP + 4096, flags=1)
        program.put(pe, (pe + 1) % 3, 500, 100, phase=4)
        program.put(pe, (pe + 2) % 3, 300, 10, routine="shmem_putmem_nbi")
        program.get(pe, (pe + 1) % 3, 70, 5)
        program.call(pe, "shmem_fence", 3)
        program.call(pe, "shmem_quiet", 30)
        program.call(pe, "shmem_long_atomic_fetch_add", 10, peer=0, target=HEAP + 8, value=1)
        program.call(pe, "shmem_set_lock", 10, target=HEAP + 32)
        program.call(pe, "shmem_clear_lock", 500, target=HEAP + 32)
    program.barrier([10, 3000, 20])
    return program


def test_calls():
    trace = sim.trace(everything())
    folder = same_again(trace, "calls of all kinds")
    old, new = events(trace), events(folder)
    tap.ok(old and calls_of(old) == calls_of(new), "the calls are those of the recorded run, with their phases",
           (calls_of(old)[:3], calls_of(new)[:3]))
    same_again(trace, "another processor", ways=WAYS[:1], ratio=3)
    found, folder = written(trace, machine=sim.machine())
    starts = [float(row["start_s"] if "start_s" in row else row["start"]) for row in events(folder, 0)]
    tap.ok(isinstance(found, dict) and min(starts) == 0 and max(starts) <= found["run_time"],
           "times count from the end of shmem_init", starts)


def test_polls():
    program = Program(2)
    for _ in range(5):
        program.call(1, "shmem_long_test", 20, target=HEAP + 8, comparison=0, value=1, result=0)
    program.call(0, "shmem_long_p", 400, peer=1, target=HEAP + 8, value=1)
    program.call(1, "shmem_long_test", at=2000, target=HEAP + 8, comparison=0, value=1, result=1)
    for _ in range(9):
        program.call(1, "shmem_long_atomic_fetch", 20, peer=0, target=HEAP + 16)
    program.call(0, "shmem_long_p", at=program.now[1] - 150, peer=0, target=HEAP + 16, value=1)
    for _ in range(4):
        program.call(0, "shmem_long_atomic_fetch", 10, peer=1, target=HEAP + 64)
    program.call(0, "shmem_test_lock", 10, target=HEAP + 32, result=1)
    program.call(0, "shmem_test_lock", 10, target=HEAP + 32, result=0)
    program.call(0, "shmem_clear_lock", 10, target=HEAP + 32)
    program.call(0, "shmem_long_test", 20, target=HEAP + 80, comparison=0, value=1, result=0)
    program.call(0, "shmem_long_test", 20, target=HEAP + 80, comparison=0, value=1, result=0)
    program.put(0, 1, 8, 10)
    program.barrier()
    trace = sim.trace(program)
    for latency in ("10 ns", "1 us", "30 us"):
        folder = same_again(trace, f"polling loops, latency {latency}", ways=WAYS[:2], latency=latency)
    rows = [row["routine"] for row in events(folder, 1)]
    tap.ok(rows.count("shmem_long_test") == 1 and 3 <= rows.count("shmem_long_atomic_fetch") <= 9,
           "a polling loop that waited is one call", rows)


def test_large():
    """More calls than a window, and than a block, has; waits that are matched by times behind these."""
    writer = sim.path("writer")
    build_writer(writer)
    for pattern, pes, rounds in (("mix", 5, 3000), ("ring", 3, 700), ("atomics", 3, 1500)):
        trace = sim.name(pattern)
        os.mkdir(sim.path(trace))
        run([writer, sim.path(trace), pattern, str(pes), str(rounds)])
        folder = same_again(trace, pattern, ways=WAYS[:1] if SAMPLE else WAYS)
        counts = [sum(row["routine"] != "shmem_init" for row in events(name, 1)) for name in (trace, folder)]
        tap.equal(counts[0], counts[1], f"{pattern}: all calls are there")


def test_teams():
    """Their members are in blocks of their own."""
    parts = []
    for pe in range(3):
        parts += [f"pe {pe} 3 1", "event 0 shmem_init 50 100"]
        parts += ["team 1 2 0 0 2 2"] if pe != 1 else []
        parts += [f"event 0 shmem_team_sync {900 + pe} 100 set_start=1 set_stride=0 set_size=2"] if pe != 1 else []
        parts += ["event 0 shmem_finalize 2000 100 flags=1", "end finalize"]
    same_again(sim.trace("\n".join(parts) + "\n"), "teams")


def test_random():
    """Any mixture."""
    for seed in range(3 if SAMPLE else 15):
        chance = random.Random(seed)
        program = Program(chance.randrange(1, 8))
        for _ in range(chance.randrange(1, 8)):
            for pe in range(program.pes):
                for _ in range(chance.randrange(5)):
                    burst, peer = chance.randrange(3000), chance.randrange(program.pes)
                    kind = chance.randrange(5)
                    if kind == 0:
                        program.get(pe, peer, chance.randrange(5000), burst)
                    elif kind == 1:
                        program.call(pe, "shmem_quiet", burst)
                    elif kind == 2:
                        program.call(pe, "shmem_long_atomic_fetch_add", burst, peer=peer, target=HEAP + 8, value=1)
                    else:
                        program.put(pe, peer, chance.randrange(5000), burst,
                                    routine=chance.choice(("shmem_putmem", "shmem_putmem_nbi")))
            program.barrier([chance.randrange(2000) for _ in range(program.pes)])
        same_again(sim.trace(program), f"mixture {seed}", ways=(WAYS[seed % 3],))


def test_readers():
    _, folder = written(sim.trace(everything()), "--model", "loggp", machine=sim.machine(**NET))
    for words in (["dump", "--json"], ["summary"], ["summary", "--json"], ["summary", "--results"], ["merge"], ["check"],
                  ["export", "--chrome", "app.json", "--paraver", "app", "--otf2", sim.name("otf2")]):
        done = sim.made.command(*words, folder)
        tap.ok(done.status == 0, f"shmemtrace {' '.join(words)} reads it", done)
    shown = sim.made.command("dump", "--pe", "1", folder)
    tap.ok("on one-1" in shown.out and "model loggp" in shown.out and "simulated" in shown.out,
           "it says on which node of the machine each PE is, and that it is simulated", shown)


def test_bytes():
    trace, machine = sim.trace(everything()), sim.machine(**NET)
    texts = []
    for _ in range(2):
        _, folder = written(trace, machine=machine)
        texts.append([open(os.path.join(sim.path(folder), name), "rb").read()
                      for name in sorted(os.listdir(sim.path(folder)))])
    tap.ok(len(texts[0]) == 3 and texts[0] == texts[1], "the same input gives the same bytes")


def test_refused():
    trace, machine = sim.trace(everything()), sim.machine()
    for folder, text in ((trace, "not an empty folder"), (machine, "not an empty folder"),
                         ("no/such/place", "No such file or directory")):
        done = sim.run("--trace", folder, machine, trace)
        tap.ok(done.status == 2 and text in done.err and done.err.count("\n") == 1 and not done.out,
               f"--trace {folder} is refused", done)
    os.mkdir(sim.path("empty"))
    done = sim.run("--trace", "empty", machine, trace)
    tap.ok(done.status == 0 and len(os.listdir(sim.path("empty"))) == 3, "an empty folder will do", done)
    stuck = Program(2)
    stuck.together(0)
    done = sim.run("--trace", "stuck", machine, sim.trace(stuck, finalize=False, end="exit"))
    tap.ok(done.status == 1 and "deadlock" in done.err and not os.path.exists(sim.path("stuck")),
           "nothing is left of a run that does not end", done)
    done = sim.run("--trace", "few", sim.machine(nodes=1), trace)
    tap.ok(done.status == 2 and not os.path.exists(sim.path("few")), "nor where PEs have no place", done)


def test_full():
    """A file that may not grow stands for a full disk."""
    big = sim.name("big")
    os.mkdir(sim.path(big))
    run([sim.path("writer"), sim.path(big), "mix", "3", "4000"])
    limited = run(["sh", "-c", f"ulimit -f 20; exec '{command()}' --trace full {sim.machine()} {big}"], cwd=sim.folder)
    tap.ok(limited.status == 1 and "full/pe-00000.trace: cannot be written: File too large" in limited.err
           and not limited.out, "a trace that cannot be written is reported, once", limited)
    tap.ok(not os.path.exists(sim.path("full")), "... and what there is of it is deleted")





for test in (test_large, test_calls, test_polls, test_teams, test_random, test_readers, test_bytes, test_refused, test_full):
    test()
tap.done()
