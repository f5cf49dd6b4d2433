#!/usr/bin/env python3
# PLAIN
"""shmemsim what-if predicts for each changed machine exactly what a description with these values gives, in every
combination, and refuses values that make no sense or would change nothing."""

import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator

tap = Tap()
sim = Simulator()
DESCRIPTION = """bus fast {{ bandwidth {fast} latency {latency} overhead 100 ns lanes 1 }}
bus slow {{ bandwidth 100 MB/s latency {slow} }}
node big {{ count {count} cores {cores} bandwidth 8 GB/s latency {inside} ratio {ratio} atomic {atomic} bus fast bus slow
  in 1 out {out} }}
node small {{ count 3 cores 2 bandwidth 4 GB/s latency 300 ns ratio {small} bus slow }}
map {map}
"""
VALUES = {"fast": "10 GB/s", "latency": "1 us", "slow": "8 us", "count": 2, "cores": 4, "inside": "200 ns", "ratio": 2,
          "atomic": "50 ns", "out": 1, "small": 1, "map": "round-robin"}


def machine(**changes):
    return sim.write(DESCRIPTION.format(**{**VALUES, **changes}))


def program():
    """Something of everything that machines change, also waits, whose writes are matched in a second pass."""
    pes = 6
    made = Program(pes)
    for pe in range(pes):
        made.put(pe, (pe + 1) % pes, 20000, burst=2000 + 500 * pe)
        made.put(pe, (pe + 3) % pes, 3000, routine="shmem_putmem_nbi")
        made.call(pe, "shmem_long_atomic_fetch_add", 300, peer=0, target=HEAP + 64, value=1)
    made.barrier(700)
    made.call(0, "shmem_long_p", 5000, peer=4, target=HEAP + 8, value=1)
    made.call(4, "shmem_long_wait_until", at=made.now[0] + 50, target=HEAP + 8, comparison=0, value=1)
    for pe in range(pes):
        made.call(pe, "shmem_set_lock", 10, target=HEAP + 128)
        made.call(pe, "shmem_clear_lock", 10, target=HEAP + 128)
    made.barrier()
    return made


TRACE = sim.trace(program())
SINGLE = sim.write("node alone { bandwidth 1 GB/s latency 1 us }\n")
TIMES = ("run_time", "communication", "compute", "waiting")


def study(*options, on=None):
    chosen = () if "--model" in options else ("--model", "paper")
    done = sim.run("what-if", "--json", *chosen, *options, on or machine(), TRACE)
    return json.loads(done.out) if done.status == 0 and not done.err else done


def times(found):
    return [found[name] for name in TIMES]


def test_quantities():
    """Each option, against a description that has the values."""
    cases = [
        ("latency", "fast=x3", {"latency": "3 us"}), ("latency", "fast = 500ns", {"latency": "500 ns"}),
        ("latency", "x0.5", {"latency": "500 ns", "slow": "4 us"}),
        ("latency", "nodes=x10", {"inside": "2 us"}, "small"),
        ("latency", "big=0 s", {"inside": "0 s"}),
        ("bandwidth", "fast=1 GB/s", {"fast": "1 GB/s"}), ("bandwidth", "fast=infinite", {"fast": "infinite"}),
        ("bandwidth", "fast=x0.1", {"fast": "1 GB/s"}), ("ratio", "4", {"ratio": 4, "small": 4}),
        ("ratio", "x2", {"ratio": 4, "small": 2}), ("ratio", "small=0.5", {"small": 0.5}),
        ("atomic", "big=2 us", {"atomic": "2 us"}), ("count", "big=1", {"count": 1}),
        ("cores", "big=x0.25", {"cores": 1}), ("map", "blocks", {"map": "blocks"}),
        ("map", "{ 0 3*1 4 4 }", {"map": "{ 0 3*1 4 4 }"}), ("out", "big=4", {"out": 4}),
        ("pes-per-node", "2", {"cores": 2, "map": "blocks"}),
    ]
    for option, text, changes, *other in cases:
        contention = ("--contention",) if option == "out" else ()
        described = machine(**changes)
        if other:  # the nodes that the description gives no name for
            described = sim.write(DESCRIPTION.format(**{**VALUES, **changes}).replace("latency 300 ns", "latency 3 us"))
        found = study(*contention, f"--{option}", text)
        wanted = sim.predict(TRACE, *contention, machine=described)
        tap.ok(isinstance(found, dict) and isinstance(wanted, dict) and times(found["points"][0]) == times(wanted),
               f"--{option} '{text}' is what a description with that gives", (found, wanted))


def test_costs():
    """Classes of calls change with their bus."""
    text = ("bus b {{ bandwidth {b} latency {l} cost put {{ latency {p} from 1 KiB bandwidth {c} }}\n"
            "  cost atomic {{ latency {a} overhead 50 ns }} cost quiet {{ overhead 300 ns }} }}\n"
            "node n {{ count 6 cores 1 bandwidth 8 GB/s latency 100 ns bus b }}\n")
    values = {"b": "4 GB/s", "l": "1 us", "p": "600 ns", "c": "2 GB/s", "a": "3 us"}
    described = sim.write(text.format(**values))
    for option, given, changes in (
            ("latency", "x2", {"l": "2 us", "p": "1200 ns", "a": "6 us"}),
            ("latency", "2 us", {"l": "2 us", "p": "2 us", "a": "4 us"}),
            ("bandwidth", "x0.5", {"b": "2 GB/s", "c": "1 GB/s"}), ("bandwidth", "9 GB/s", {"b": "9 GB/s", "c": "9 GB/s"})):
        found = study("--model", "loggp", f"--{option}", f"x1,{given}", on=described)
        wanted = sim.predict(TRACE, "--model", "loggp", machine=sim.write(text.format(**{**values, **changes})))
        tap.ok(isinstance(found, dict) and isinstance(wanted, dict) and times(found["points"][1]) == times(wanted) and
               times(found["points"][0]) == times(found["as_described"]) != times(wanted),
               f"--{option} '{given}' changes costs of classes, too", (found, wanted))


def test_atomic():
    """What atomics take is of nodes, unless buses say it, too."""
    text = "bus b {{ bandwidth 4 GB/s latency 1 us {bus} }} node n {{ count 6 cores 1 bandwidth 8 GB/s latency 100 ns {node} bus b }}\n"
    at = lambda bus, node: sim.write(text.format(bus=bus and f"atomic {bus}", node=node and f"atomic {node}"))
    for given, (bus, node), (new_bus, new_node) in (
            ("x40", ("", "50 ns"), ("", "2 us")), ("2 us", ("", ""), ("", "2 us")),
            ("x40", ("50 ns", "30 ns"), ("2 us", "30 ns")), ("2 us", ("50 ns", ""), ("2 us", "")),
            ("n=2 us", ("50 ns", ""), ("50 ns", "2 us")), ("b=2 us", ("", "50 ns"), ("2 us", "50 ns"))):
        found = study("--atomic", f"x1,{given}" if given.startswith("x") else given, on=at(bus, node))
        wanted = sim.predict(TRACE, machine=at(new_bus, new_node))
        tap.ok(isinstance(found, dict) and isinstance(wanted, dict) and times(found["points"][-1]) == times(wanted)
               != times(found["as_described"]), f"--atomic '{given}' with '{bus}' at the bus and '{node}' at nodes",
               (found, wanted))


def test_total():
    text = "bus b {{ bandwidth 4 GB/s latency 1 us total {} }} node n {{ count 6 cores 1 bandwidth 8 GB/s latency 1 us bus b }}\n"
    fair = "--contention=fair"
    found = study(fair, "--total", "x1,100 MB/s", on=sim.write(text.format("1 GB/s")))
    wanted = [sim.predict(TRACE, fair, machine=sim.write(text.format(total))) for total in ("1 GB/s", "100 MB/s")]
    tap.ok(isinstance(found, dict) and [times(point) for point in found["points"]] == [times(one) for one in wanted] and
           times(wanted[0]) != times(wanted[1]), "--total is what a description with that gives", (found, wanted))


def test_combinations():
    lists = (("latency of fast", ["x0.5", "x1", "7 us"]), ("bandwidth of fast", ["10 GB/s", "200 MB/s"]),
             ("map", ["round-robin", "blocks"]))
    options = ("--model", "loggp", "--contention")
    found = study(*options, "--latency", "fast=x0.5, x1,7 us", "--bandwidth", "fast=10 GB/s,200 MB/s",
                  "--map", "round-robin,blocks")
    if not tap.ok(isinstance(found, dict), "several quantities", found):
        return
    tap.equal([[swept["name"], [value["text"] for value in swept["values"]]] for swept in found["swept"]],
              [list(pair) for pair in lists], "what is swept")
    tap.equal([value.get("value", value.get("factor")) for swept in found["swept"] for value in swept["values"]],
              [0.5, 1, 7e-6, 1e10, 2e8, None, None], "... as numbers")
    tap.equal([swept["unit"] for swept in found["swept"]], ["s", "B/s", ""], "... with units")
    tap.equal([tuple(point["values"]) for point in found["points"]],
              list(itertools.product(*(values for _, values in lists))), "every combination, in order")
    wanted = []
    for latency, bandwidth, placement in itertools.product(("500 ns", "1 us", "7 us"), ("10 GB/s", "200 MB/s"),
                                                           ("round-robin", "blocks")):
        wanted.append(times(sim.predict(TRACE, *options, machine=machine(latency=latency, fast=bandwidth,
                                                                         map=placement))))
    tap.equal([times(point) for point in found["points"]], wanted,
              "each is what a description with these values gives, whatever was predicted before")
    described = found["as_described"]
    tap.equal(times(described), times(sim.predict(TRACE, *options, machine=machine())), "so is the unchanged one")
    tap.ok(all(abs(point[f"{name}_change"] - 100 * (point[name] / described[name] - 1)) < 1e-9
               for point in found["points"] for name in TIMES[:2]), "changes are percent of it", found)
    tap.ok(len({point["run_time"] for point in found["points"]}) > 6, "they differ", found["points"])


def test_text():
    given = ("what-if", "--model", "paper", "--latency", "x1,x4", machine(), TRACE)
    text = sim.run(*given)
    found = study("--latency", "x1,x4")
    rows = [line.split() for line in text.out.splitlines()[-3:]]
    last = found["points"][-1]
    tap.ok(text.status == 0 and rows[0][:2] == ["as", "described"] and
           abs(float(rows[0][2]) / found["as_described"]["run_time"] - 1) < 5e-4 and
           rows[1][:3] == ["x1", rows[0][2], "+0.00"] and
           [rows[2][0], rows[2][2]] == ["x4", f"{last['run_time_change']:+.2f}"] and
           abs(float(rows[2][1]) / last["run_time"] - 1) < 5e-4, "the table", text)
    written = sim.run(given[0], "-o", "table", *given[1:])
    with open(sim.path("table"), encoding="utf-8") as file:
        tap.ok(written.status == 0 and not written.out and file.read().split("\n", 2)[2] == text.out.split("\n", 2)[2],
               "-o FILE", written)
    tap.ok("--pes-per-node" in sim.run("what-if", "-h").out, "help")
    for option, wanted in (("-c", "fifo"), ("--contention=fair", "fair")):
        shared = study(option, "--out", "big=1,4")
        tap.equal((shared["contention"], [times(point) for point in shared["points"]]),
                  (wanted, [times(sim.predict(TRACE, option, machine=machine(out=out))) for out in (1, 4)]),
                  f"{option} is {wanted}", shared)


def test_refused():
    cases = [
        ((), "name what differs"), (("--latency", "x2", "--latency", "x3"), "given twice"),
        (("--latency", "1"), "--latency:1:2: error: latency needs a unit"),
        (("--latency", "1 us,2"), "--latency:1:7: error: latency needs a unit"),
        (("--latency", "fsat=x2"), '--latency:1:1: error: there is no bus or node "fsat"'),
        (("--latency", "1 us 2 us"), "--latency:1:6: error: write commas"),
        (("--latency", ""), "needs a number and a unit"), (("--latency", "x2,"), "needs a number and a unit"),
        (("--latency", "x0"), "a factor needs a number"), (("--latency", "xfast"), "a factor needs a number"),
        (("--latency", "x-1"), "a factor needs a number"), (("--latency", "-1 us"), "needs a number"),
        (("--latency", "x1000000"), None), (("--latency", "slow=x1000000,x1000000"), None),
        (("--latency", "9999 s", "--latency", "fast=x1000"), "choose another factor"),
        (("--bandwidth", "10 us"), "needs a unit"), (("--bandwidth", "0 B/s"), "at least 1 B/s"),
        (("--ratio", "fast=2"), "only nodes have ratio"), (("--lanes", "big=1", "-c"), "only buses have lanes"),
        (("--ratio", "1 us"), "write commas"), (("--cores", "1.5"), "needs an integer"),
        (("--cores", "x0.3"), "choose another factor"), (("--pes-per-node", "x2"), "needs an integer"),
        (("--atomic", "small=x2"), "gives no atomic that a factor could change"),
        (("--gap", "1 us"), "changes nothing without the model loggp"),
        (("--in", "2"), "changes nothing without --contention"),
        (("--total", "1 GB/s", "-c"), "changes nothing without --contention=fair"),
        (("--total", "x2", "--contention=fair"), "gives no total that a factor could change"),
        (("--total", "nodes=1 GB/s", "--contention=fair"), "only buses have total"),
        (("--in", "2", "--contention=some"), "there are fifo and fair"),
        (("--map", "blocks", "--pes-per-node", "2"), "give one of them"),
        (("--map", "nearby"), "--map:1:1: error: give round-robin"), (("--map", "{ 0 9 }"), "there is no node 9"),
        (("--map", "{ 0 0"), "does not end"), (("--map", "{ 0 }"), "the map has nodes for 1 PEs, the trace has 6"),
        (("--map", "{ 6*4 }", "--count", "big=1"), "the map names node 4"),
        (("--cores", "1", "--count", "big=2"), "cores 1, count of big 2: node 0"), (("--count", "1048576"), "more than 1048576"),
        (("--latency", ",".join(["x1"] * 101), "--ratio", ",".join(["x1"] * 100)), "more than 10000 combinations"),
        (("--model", "best", "--ratio", "1"), "--models says more"), (("--latenzy", "x1"), "what-if -h"),
        (("--latency",), "needs a value"), (("--latency", "x1", "-o", TRACE + "/pe-00000.trace"), "is read, too"),
    ]
    described = machine()
    for options, said in cases:
        done = sim.run("what-if", "--model", "paper", described, TRACE, *options)
        if said:
            tap.ok(done.status == 2 and said in done.err and not done.out, f"refused: {' '.join(options)[:60]}", done)
        else:
            tap.ok(done.status == 0, f"taken: {' '.join(options)}", done)
    done = sim.run("what-if", "--latency", "x2", SINGLE, TRACE)
    tap.ok(done.status == 2 and "no bus is described; for what is inside nodes write nodes=" in done.err,
           "refused: latency of buses where there are none", done)
    twice = sim.write("bus a { bandwidth 1 GB/s latency 1 us }\nnode a { count 9 bandwidth 1 GB/s latency 1 us bus a }\n")
    done = sim.run("what-if", "--latency", "a=x2", twice, TRACE)
    tap.ok(done.status == 2 and "give each bus and node its own name" in done.err, "refused: a name of two", done)
    tap.ok(sim.run("what-if", "--latency", "x2").status == 2, "refused: no machine description")


for test in (test_quantities, test_costs, test_atomic, test_total, test_combinations, test_text, test_refused):
    test()
tap.done()
