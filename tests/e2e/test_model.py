#!/usr/bin/env python3
# LONG
# PLAIN
"""scripts/skampi-model fits from programmed results the overheads, latencies, gaps and bandwidths that they were made
from, finds pieces where there are some, knows how accurate its numbers are, and shmemsim reads what it writes."""

import json
import math
import os
import random
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run, scratch_directory
from made_results import HEADER, point, state, write
from made_runs import HEAP, Program, Simulator, ps

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import piecewise

MODEL = os.path.join(ROOT, "scripts/skampi-model")
INSIDE, BETWEEN, MIXED = "on one node", "on several nodes", "on several nodes, mixed"
SIZES = [2 ** power for power in range(3, 23)]
SEEDS = 100
US, NS = 1e-6, 1e-9
TIME_UNITS = {"ps": 1e-12, "ns": NS, "us": US, "ms": 1e-3, "s": 1.0}
RATE_UNITS = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12}
SIZE_UNITS = {"B": 1, "KiB": 1024, "MiB": 1048576}
tap = Tap()
folder = scratch_directory()


# ---- Descriptions, read by this test's own parser ----


def units(words):
    """Numbers with their units as numbers: seconds, seconds a byte, bytes."""
    words, values = list(words), []
    while words:
        word = words.pop(0)
        following = words[0] if words else None
        for table, convert in ((TIME_UNITS, lambda x, u: x * u), (RATE_UNITS, lambda x, u: 1 / (x * u)),
                               (SIZE_UNITS, lambda x, u: x * u)):
            if following in table and re.fullmatch(r"[\d.e+-]+", word):
                values.append(convert(float(word), table[words.pop(0)]))
                break
        else:
            values.append(0.0 if word == "infinite" else word)
    return values


def block(words):
    """[(key..., value or block)] up to the }, which is taken."""
    entries, head = [], []
    while words:
        word = words.pop(0)
        if word == "}":
            break
        if word == "{":
            entries.append((*head, block(words)))
            head = []
        else:
            head.append(word)
            if isinstance(word, float) or len(head) == 2 and head[0] in ("count", "cores", "bus", "progress", "iput", "iget", "quiet") \
                    and words[:1] != ["{"]:
                entries.append(tuple(head))
                head = []
    return entries


def parsed(text):
    """{("node", "host"): {"latency": ..., ("cost", "put"): [piece, ...]}, ("collective", ...): {pes: [piece, ...]}}"""
    def pieces(entries):
        found = []
        for key, value in entries:
            if key == "from":
                found.append({"from": value})
            elif not found:
                found.append({"from": 0, key: value})
            else:
                found[-1][key] = value
        return found

    text = re.sub(r"#.*|^model .*|\+- [^}\n]*", "", text, flags=re.MULTILINE)
    result = {key: (re.findall(rf"^{key} (\w+) *$", text, re.MULTILINE) or [other])[-1]
              for key, other in (("locks", "first"), ("unlock", None))}
    words = units(re.sub(r"^(un)?locks? \w+ *$", "", text, flags=re.MULTILINE).split())
    for *head, body in block(words):
        if head[0] == "collective":
            result[tuple(head)] = {int(pes): pieces(rows) for _, pes, rows in body}
        else:
            result[tuple(head)] = {entry[0] if len(entry) == 2 else entry[:2]: entry[-1] if len(entry) == 2 else
                                   pieces(entry[-1]) for entry in body}
    return result


# ---- Machines that are programmed ----


class Made:
    """Results of a machine: pieces of (from, o, L, bytes a second), quiet, and so on; times in seconds."""

    def __init__(self, placement=INSIDE, pieces=((0, 0.1 * US, 0.8 * US, 10e9),), quiet=40 * NS, fence=30 * NS,
                 wait=50 * NS, gap=0.0, busy=0.2 * US, each=False, receive=0.0, asks=False, header=0, waited=0.0, noise=0.0, seed=1, left_out=(), **point_members):
        self.placement, self.pieces, self.quiet, self.fence, self.wait = placement, pieces, quiet, fence, wait
        self.gap, self.busy, self.each, self.waited, self.left_out = gap, busy, each, waited, left_out
        self.receive, self.asks, self.header = receive, asks, header
        self.noise, self.random, self.members = noise, random.Random(seed), point_members

    def piece(self, size):
        return [piece for piece in self.pieces if piece[0] <= size][-1]

    def add(self, function, time, pes=2, **arguments):
        if function in self.left_out:
            return []
        time *= math.exp(self.random.gauss(0, self.noise)) if self.noise else 1
        placed = {"size": pes, "members": f"0-{pes - 1}", "placement": self.placement}
        return [point(function, function, arguments, time, **{"pe_set": placed, **self.members})]

    def transfers(self):
        points = []
        for size in SIZES:
            _, o, latency, rate = self.piece(size)
            way = 2 * latency + size / rate
            # The target handles the put, and then the question; the latency is receiving, and nothing else.
            put = o + 2 * self.receive + latency + size / rate if self.asks else o + way
            points += self.add("Shmem_Put_Simple", put, count=size)
            points += self.add("Shmem_Put_Call", o + size / rate, count=size)
            points += self.add("Shmem_Get_Simple", 2 * o + way, count=size)
            posts = max(o, (self.header + size) / rate) if size <= 64 else o  # many in a row wait for the line
            points += self.add("Shmem_Put_Nonblocking_Post_Single", posts, count=size)
            points += self.add("Shmem_Put_Nonblocking_Full_Single", put + self.quiet, count=size)
            points += self.add("Shmem_Get_Nonblocking_Post_Single", 2 * o, count=size)
            points += self.add("Shmem_Get_Nonblocking_Full_Single", 2 * o + way + self.quiet, count=size)
        return points

    def others(self):
        _, o, latency, rate = self.pieces[0]
        step = max(o, self.gap, (self.header + 8) / rate if self.header else 0)
        one_way = lambda count: (o + (count + 1) * self.receive + latency if self.asks else
                                 (count - 1) * step + o + 2 * latency) + self.quiet
        points = [one for count in (8, 64) for one in
                  self.add("Shmem_Put_Nonblocking_Pairs_Rate", one_way(count) / count, count=8, window=count)]
        # Both begin to handle what has come when they have sent all. Then they ask.
        both_ways = (129 * (o + self.receive) + latency if self.asks else
                     128 * (step + self.receive) + latency if self.receive else 128 * step + 2 * latency) + self.quiet
        points += self.add("Shmem_Put_Nonblocking_Pairs_Rate", both_ways / 128, count=8, window=128, directions=2)
        fetch = o + 2 * latency + self.busy
        return (points + self.add("Shmem_Atomic_Fetch_Add_Long", fetch) +
                self.add("Shmem_Atomic_Fetch_Add_Long_Contended", max(fetch, 2 * self.busy)) +
                self.add("Shmem_Set_Lock", 2 * fetch) + self.add("Shmem_Clear_Lock", 3 * fetch) +
                self.add("Shmem_Quiet", self.quiet) + self.add("Shmem_Fence", self.fence) +
                self.add("Shmem_Wait_Until", self.wait) + self.computing(2 * o + 2 * latency, fetch))

    def strided(self):
        """Elements as one message, or one after the other; and what is no strided call, which is not to count."""
        points = []
        for elements in (8, 64):
            _, o, latency, rate = self.piece(8 if self.each else 8 * elements)
            busy = o + 8 / rate
            one = o + 8 * elements / rate + 2 * latency
            put = elements * max(busy, self.gap) + o + 8 / rate - max(busy, self.gap) + 2 * latency if self.each else one
            get = elements * (2 * o + 8 / rate + 2 * latency) if self.each else o + one
            for way, factor in (("iput", 1), ("elements", 100)):
                members = {"element_bytes": 8, "block": 1, "count": elements, "way": way}
                points += [{**one, "bytes": 8 * elements} for function, time in
                           (("Shmem_Strided_Put", put + self.quiet), ("Shmem_Strided_Get", get))
                           for one in self.add(function, factor * time, **members)]
        return points

    def computing(self, get, fetch):
        """A get and an atomic on a PE that waits inside the library, then computes: `waited` is the share of the rest
        of the computation, 7/8 of it, that they wait."""
        return [one for seconds in (0.0, 0.01) for one in
                self.add("Shmem_Get_Target_Computes", get + self.waited * seconds * 7 / 8, count=8,
                         computation=seconds) +
                self.add("Shmem_Atomic_Fetch_Add_Long_Target_Computes", fetch + self.waited * seconds * 7 / 8,
                         computation=seconds)]

    def collectives(self, times, pes=2):
        """times: {function: (start, bytes a second)}"""
        return [one for function, (start, rate) in times.items() for size in (SIZES[:10] if rate else [0])
                for one in self.add(function, start + (size / rate if rate else 0), pes, count=size)]

    def all(self):
        return self.transfers() + self.strided() + self.others()


BARRIER = 1 * US  # also at the end of each run
NO_BARRIER = "collective barrier table { pes 2 { time 0 ns } }\n"
COLLECTIVES = {"Shmem_Barrier_Consecutive": (BARRIER, 0), "Shmem_Bcast_All_Synchro": (2 * US, 1e9),
               "Shmem_Reduce_Sum_Long_Consecutive": (3 * US, 2e9), "Shmem_Fcollect_Consecutive": (4 * US, 3e9), "Shmem_Collect_Consecutive": (6 * US, 3e9),
               "Shmem_Alltoall_Consecutive": (5 * US, 4e9)}


def tool(*arguments):
    return run([MODEL, *map(str, arguments)], cwd=folder)


def made(name, points, **header):
    return write(os.path.join(folder, name), points, header=header)


def hosts(*pes):
    return {"node_count": len(pes), "pes": sum(pes),
            "nodes": [{**HEADER["nodes"][0], "name": f"node{i}", "pes": count} for i, count in enumerate(pes)]}


def near(got, wanted, relative=1e-3):
    return isinstance(got, float) and abs(got - wanted) <= relative * abs(wanted) + 1e-12


def piece_is(piece, start, o, latency, gap, rate):
    return (piece["from"] == start and near(piece["overhead"], o) and near(piece["latency"], latency)
            and near(piece["gap"], gap) and near(piece["bandwidth"], 1 / rate))


# ---- The fit ----

TWO = ((0, 1 * US, 10e9), (8192, 3 * US, 12e9))  # from, start, bytes a second


def curve(pieces, noise, seed):
    chance = random.Random(seed)
    of = lambda size: [piece for piece in pieces if piece[0] <= size][-1]
    return [(size, (of(size)[1] + size / of(size)[2]) * math.exp(chance.gauss(0, noise))) for size in SIZES]


def test_pieces():
    for noise in (0.01, 0.05):
        for name, pieces in (("one piece", TWO[:1]), ("two pieces", TWO)):
            wrong = [seed for seed in range(SEEDS)
                     if [p.start for p in piecewise.fit(curve(pieces, noise, seed))] != [p[0] for p in pieces]]
            tap.ok(len(wrong) <= SEEDS // 20, f"{name} with noise of {noise:.0%} are found", wrong)
    tap.equal([p.start for p in piecewise.fit(curve(TWO, 0, 1))], [0, 8192], "two pieces without noise")
    tap.equal([len(piecewise.fit(points)) for points in ([], [(8, 1e-6)], [(8, 1e-6), (8, 2e-6)], [(8, -1), (16, 0)])],
              [0, 1, 1, 0], "few points, and times of 0 or less")
    falling = piecewise.fit([(size, 1e-3 / size) for size in SIZES[:6]])
    tap.ok(all(piece.slope.value >= 0 and piece.intercept.value >= 0 for piece in falling),
           "no bandwidth is negative", falling)


def test_intervals():
    inside = {"start": 0, "slope": 0}
    for seed in range(SEEDS):
        first = piecewise.fit(curve(TWO, 0.02, seed))[0]
        inside["start"] += abs(first.intercept.value - TWO[0][1]) <= first.intercept.error
        last = piecewise.fit(curve(TWO, 0.02, seed))[-1]
        inside["slope"] += abs(last.slope.value - 1 / TWO[1][2]) <= last.slope.error
    tap.ok(all(count >= 0.88 * SEEDS for count in inside.values()), "intervals of 95 % hold what is true", inside)
    wide, narrow = (piecewise.fit(curve(TWO[:1], noise, 7))[0].intercept.relative for noise in (0.05, 0.005))
    tap.ok(wide > 3 * narrow, "they are wider with more noise", (wide, narrow))


# ---- The tool ----


def test_inside():
    machine = Made(pieces=((0, 0.1 * US, 0.8 * US, 10e9), (8192, 0.3 * US, 2 * US, 12e9)), gap=0.2 * US)
    a = made("a.json", machine.all() + machine.collectives(COLLECTIVES))
    done = tool(a, "-o", "a.txt", "--json", "a.out.json", "--plot", "a.svg")
    tap.ok(done.status == 0 and not done.err and not done.out, "everything is measured: no complaint", done)
    with open(os.path.join(folder, "a.txt"), encoding="utf-8") as file:
        text = file.read()
    found = parsed(text)
    node = found.get(("node", "host"), {})
    put = node.get(("cost", "put"), [])
    tap.ok(len(put) == 2 and piece_is(put[0], 0, 0.1 * US, 0.8 * US, 0.2 * US, 10e9)
           and put[1]["from"] == 8192 and near(put[1]["overhead"], 0.3 * US) and near(put[1]["latency"], 2 * US)
           and near(put[1]["bandwidth"], 1 / 12e9), "put: overhead, one latency, gap and bandwidth of both pieces", text)
    get = node.get(("cost", "get"), [])
    tap.ok(len(get) == 2 and piece_is(get[0], 0, 0.2 * US, 1.6 * US, 0, 10e9)
           and piece_is(get[1], 8192, 0.6 * US, 4 * US, 0, 12e9), "get: the latency of there and back", get)
    tap.ok(node.get(("cost", "put-nbi")) and
           piece_is(node[("cost", "put-nbi")][0], 0, 0.1 * US, 0.8 * US, 0.2 * US, 10e9) and
           piece_is(node[("cost", "get-nbi")][1], 8192, 0.6 * US, 4 * US, 0, 12e9),
           "non-blocking forms, without what quiet takes", node)
    tap.ok(near(node["atomic"], 0.2 * US) and near(node[("cost", "atomic")][0]["latency"], 1.6 * US)
           and near(node[("cost", "atomic")][0]["overhead"], 0.1 * US), "an atomic and its target", node)
    fetch = 0.1 * US + 1.6 * US + 0.2 * US
    tap.ok(all(near(node[("cost", name)][0]["latency"], times * fetch - 0.3 * US) and
               near(node[("cost", name)][0]["overhead"], 0.1 * US) for name, times in (("lock", 2), ("unlock", 3))),
           "locks take as long as measured", node)
    tap.ok(all(near(node[("cost", name)][0]["overhead"], wanted) for name, wanted in
               (("quiet", 40 * NS), ("fence", 30 * NS), ("wait", 50 * NS))), "quiet, fence and wait", node)
    tap.ok(near(node["latency"], 0.8 * US) and near(node["bandwidth"], 1 / 12e9) and near(node["overhead"], 0.1 * US)
           and "progress" not in node and ("bus", "network") not in found,
           "the node itself: the latency of small messages, the bandwidth of large ones", node)
    table = found.get(("collective", "broadcast", "table"), {})
    tap.ok(list(table) == [2] and near(table[2][0]["time"], 2 * US) and near(table[2][0]["bandwidth"], 1e-9)
           and near(found[("collective", "barrier", "table")][2][0]["time"], 1 * US), "broadcast and barrier", found)
    tap.ok(near(found.get(("collective", "alltoall", "table", "linear"), {2: [{}]})[2][0].get("time"), 5 * US)
           and ("collective", "collect", "table", "linear") in found and ("collective", "reduce", "table") in found,
           "all-to-all and collect grow by n - 1, others by log2(n)", found)
    tap.equal(text.count("shmemsim extrapolates by"), 6, "each table says what it is extrapolated by")
    with open(os.path.join(folder, "a.out.json"), encoding="utf-8") as file:
        whole = json.load(file)
    residuals = whole["places"]["inside"]["residuals"]["put"]
    tap.ok(len(residuals) == len(SIZES) and all(near(r["predicted"], r["measured"]) for r in residuals)
           and whole["progress"] == "self" and whole["collectives"]["reduce"]["growth"] == "log2(n)",
           "--json: the description gives what was measured", residuals)
    picture = xml.etree.ElementTree.parse(os.path.join(folder, "a.svg")).getroot()
    circles = picture.findall("{http://www.w3.org/2000/svg}circle")
    tap.equal(len(circles), 4 * len(SIZES) + 3 + 2 * 2 + 5 * 10 + 1, "--plot: a dot for each result")
    return text, machine


def test_simulator(text, machine):
    """shmemsim reads all of it, and replays what was measured in the time that it took."""
    sim = Simulator()
    described = sim.write(text)
    for size in (8, 4096, 8192, 1 << 20):
        _, o, latency, rate = machine.piece(size)
        way = 2 * latency + size / rate
        transfer = {"peer": 1, "bytes": size, "target": HEAP + 4096, "source": HEAP}
        atomic = {"peer": 1, "target": HEAP, "value": 1}
        for routine, fields, quiet, seconds in (
                ("shmem_putmem", transfer, True, o + way + machine.quiet), ("shmem_getmem", transfer, False, 2 * o + way),
                ("shmem_putmem_nbi", transfer, True, o + way + machine.quiet),
                ("shmem_int_get_nbi", transfer, True, 2 * o + way + machine.quiet),
                ("shmem_long_atomic_fetch_add", atomic, False,
                 machine.pieces[0][1] + 2 * machine.pieces[0][2] + machine.busy)):
            program = Program(2)
            elements = size // (4 if "int" in routine else 1)
            program.call(0, routine, **({"elements": elements} if "bytes" in fields else {}), **fields)
            if quiet:
                program.call(0, "shmem_quiet")
            found = sim.predict(program, "--model", "loggp", machine=described)
            took = ps(found["run_time"]) * 1e-12 - BARRIER if isinstance(found, dict) else None
            tap.ok(took and near(took, seconds), f"shmemsim: {routine} of {size} B takes as long as measured",
                   f"{took}, measured {seconds}\n{found}")
    program = Program(2)
    program.call(1, "shmem_set_lock", target=HEAP)
    program.call(1, "shmem_clear_lock", target=HEAP)
    found = sim.predict(program, "--model", "loggp", machine=described)
    took = ps(found["run_time"]) * 1e-12 - BARRIER if isinstance(found, dict) else None
    fetch = machine.pieces[0][1] + 2 * machine.pieces[0][2] + machine.busy
    tap.ok(took and near(took, 5 * fetch), "shmemsim: a lock is set and cleared in the time that was measured", f"{took} {fetch} {found}")
    program = Program(2)
    for pe in range(2):
        program.together(pe, "shmem_broadcastmem", elements=512, bytes=512, target=HEAP, source=HEAP)
    found = sim.predict(program, "--model", "loggp", machine=described)
    took = ps(found["run_time"]) * 1e-12 - BARRIER if isinstance(found, dict) else None
    tap.ok(took and near(took, 2 * US + 512 / 1e9), "shmemsim: so does a broadcast", f"{took} {found}")


def test_places():
    inside, between = Made(), Made(BETWEEN, ((0, 0.2 * US, 2 * US, 5e9),), busy=0.5 * US, waited=1.0)
    a = made("in.json", inside.all() + inside.collectives(COLLECTIVES))
    slower = {name: (2 * start, rate) for name, (start, rate) in COLLECTIVES.items()}
    b = made("out.json", between.all() + between.collectives(slower), **hosts(1, 1))
    done = tool(a, b)
    found = parsed(done.out)
    bus, node = found.get(("bus", "network"), {}), found.get(("node", "host"), {})
    tap.ok(near(bus.get("latency"), 2 * US) and near(node.get("latency"), 0.8 * US) and node.get("bus") == "network"
           and node.get("count") == "2" and ("cost", "get-nbi") in bus and ("cost", "get-nbi") in node,
           "inside a node and between nodes: a bus, and two nodes on it", done)
    tap.ok(node.get("progress") == "inside" and near(found[("collective", "barrier", "table")][2][0]["time"], 2 * US),
           "between nodes decides about progress and collectives", done)
    tap.ok(near(bus.get("atomic"), 0.5 * US) and near(node.get("atomic"), 0.2 * US),
           "atomics keep a target as long as those from its node do, and from others", done)
    few = tool(a, made("few.json", between.all(), **hosts(1, 1)))
    tap.ok(not any(head[0] == "collective" for head in parsed(few.out)) and "collectives: barrier" in few.err,
           "collectives inside a node are not taken for those between nodes", few)
    tap.equal(parsed(tool(a, b, "--nodes", 64).out)[("node", "host")]["count"], "64", "--nodes")
    only = tool(b)
    tap.ok(near(parsed(only.out)[("node", "host")]["latency"], 2 * US) and "# Not measured inside a node" in only.out,
           "without results of one node, it is as the bus, and says so", only)
    mixed = made("mixed.json", Made(MIXED).all() + inside.all(), **hosts(2, 1))
    done = tool(mixed)
    tap.ok(done.status == 3 and "several on one of them" in done.err and near(
        parsed(done.out)[("node", "host")]["latency"], 0.8 * US), "mixed sets are left out, with the reason", done)
    refused(made("all-mixed.json", Made(MIXED).all()), words="several on one of them")
    bare = [{**one, "pe_set": {"size": 2}} for one in Made().all()]
    tap.ok(("bus", "network") in parsed(tool(made("bare.json", bare, **hosts(1, 1))).out),
           "sets that do not say where they are: by the hosts of the header")


def test_collectives():
    machine = Made()
    for name, factor, words in (("log2(n)", lambda n: math.log2(n), ("table",)),
                                ("n - 1", lambda n: n - 1.0, ("table", "linear"))):
        points = machine.all()
        for pes in (2, 4, 8, 16):
            points += machine.collectives({"Shmem_Alltoall_Consecutive": (factor(pes) * US, 1e9 / factor(pes))}, pes)
        done = tool(made("growth.json", points))
        table = parsed(done.out).get(("collective", "alltoall", *words), {})
        tap.ok(sorted(table) == [2, 4, 8, 16] and near(table[16][0]["time"], factor(16) * US)
               and near(table[16][0]["bandwidth"], factor(16) * 1e-9)
               and f"extrapolates by {name} (what fits best)" in done.out,
               f"from four numbers of PEs: grows by {name}", done)
    together = machine.collectives({f"Shmem_{name}_Synchro": (9 * US, 0)
                                    for name in ("Reduce_Sum_Long", "Fcollect", "Alltoall")})
    names = ("reduce", "fcollect", "alltoall")
    of = lambda points: {words[1]: table[2][0]["time"] for words, table in parsed(tool(made("rows.json", points)).out).items()
                         if words[0] == "collective" and words[1] in names}
    alone, both = of(machine.all() + together), of(machine.all() + machine.collectives(COLLECTIVES) + together)
    tap.ok(all(near(alone.get(name), 9 * US) for name in names), "calls that start at the same time count", alone)
    tap.ok([round(both.get(name, 0) / US) for name in names] == [3, 4, 5], "... unless calls in a row were measured", both)


def test_late_pe():
    """What a collective takes a PE that comes last, by the smallest lateness that is more than twice the time."""
    machine = Made(BETWEEN)
    def late(name, seconds, own):
        return [{**one, "arrival": "one", "arrival_skew": seconds, "per_pe": [seconds + own, own]} for one in machine.add(name, seconds + own)]
    points = machine.all() + machine.collectives(COLLECTIVES)
    times = {words[1]: table[2][0]["time"] for words, table in parsed(tool(made("all.json", points, **hosts(1, 1))).out).items()
             if words[0] == "collective"}
    for seconds, own in ((1.5, 0.1), (2.5, 0.2), (9, 0.3)):
        points += late("Shmem_Barrier", seconds * times["barrier"], own * times["barrier"])
        points += late("Shmem_Alltoall_Synchro", seconds * times["alltoall"], 0.99 * times["alltoall"])
    found = {words[1]: table[2][0] for words, table in parsed(tool(made("late.json", points, **hosts(1, 1))).out).items()
             if words[0] == "collective"}
    tap.ok(near(found["barrier"].get("last", 0), 0.2 * times["barrier"]) and near(found["barrier"]["time"], times["barrier"]),
           "a late PE finds the messages of the others", found)
    tap.ok("last" not in found["alltoall"] and near(found["alltoall"]["time"], times["alltoall"]),
           "... unless it takes as long as all", found)


def test_atomics():
    """Four PEs on one target take turns, which two do not need."""
    machine = Made(busy=0.6 * US)
    points = machine.all() + machine.add("Shmem_Atomic_Fetch_Add_Long_Contended", 4 * 0.65 * US, 4)
    node = parsed(tool(made("turns.json", points)).out)[("node", "host")]
    tap.ok(near(node["atomic"], 0.65 * US) and near(node[("cost", "atomic")][0]["latency"], 1.55 * US),
           "PEs that take turns say how long an atomic keeps its target", node)


def test_interrupts():
    """What computations lose behind 0, 1 and 4 puts both ways: each put is a message at both ends."""
    machine = Made(BETWEEN)
    losing = lambda *times: [one for window, time in zip((0, 1, 4), times)
                             for one in machine.add("Shmem_Put_Computing_Loses", time, count=8, window=window, computation=0.01)]
    for times, wanted in (((5 * US, 20 * US, 38 * US), {"interrupt": 3 * US * 0.95, "first-interrupt": 9 * US * 0.95}),
                          ((5 * US, 20 * US), {}), ((5 * US,) * 3, {})):
        points = machine.all() + losing(*times)
        bus = parsed(tool(made("losing.json", points, **hosts(1, 1))).out)[("bus", "network")]
        found = {name: bus[name] for name in ("interrupt", "first-interrupt") if name in bus}
        tap.ok(found.keys() == wanted.keys() and all(near(found[name], wanted[name]) for name in wanted),
               f"interrupts from {len(set(times))} times", found)


def test_missing():
    done = tool(made("few.json", Made(left_out=("Shmem_Get_Simple", "Shmem_Fence",
                                                "Shmem_Get_Target_Computes",
                                                "Shmem_Atomic_Fetch_Add_Long_Target_Computes")).all()))
    lines = done.err.splitlines()
    node = parsed(done.out).get(("node", "host"), {})
    tap.ok(done.status == 3 and len(lines) == 1 and "inside a node: get, fence, iget, progress; collectives: barrier, "
           "broadcast, reduce, collect, fcollect, alltoall" in lines[0] and ("cost", "get") not in node
           and ("cost", "fence") not in node and ("cost", "put") in node, "one line names what is missing", done)
    whole = Made().all() + Made().collectives(COLLECTIVES)
    kept = [one for one in whole if one["function"] != "Shmem_Put_Simple" or one["bytes"] <= 64]
    cut = {"record": "missing", "kind": "time limit", "block": "put", "number": 1, "call": "Shmem_Put_Simple(128)",
           "reason": "the time limit has ended", "points": len(whole) - len(kept)}
    path = made("cut.json", kept)
    with open(path, encoding="utf-8") as file:
        *records, end = map(json.loads, file)
    with open(path, "w", encoding="utf-8") as file:
        for record in (*records, cut, {**end, "missing": cut["points"]}):
            file.write(json.dumps(record) + "\n")
    done = tool(path)
    tap.ok(done.status == 3 and f"{cut['points']} of {len(whole)} measurements have no result" in done.err
           and f"put ({cut['points']})" in done.err and ("cost", "put") in parsed(done.out)[("node", "host")],
           "what a file lacks is said, though something was fitted from the rest, and the status tells", done)
    with open(path, "w", encoding="utf-8") as file:
        for record in (*records[:-3], end):
            file.write(json.dumps(record) + "\n")
    done = tool(path)
    tap.ok(done.status == 3 and "are not in the file any more" in done.err, "results that a file has lost are noticed", done)
    gets = [one for one in Made().all() if one["function"] == "Shmem_Get_Simple"]
    tap.ok("progress" not in node, "who makes progress is left out where it was not measured", done)
    half = tool(made("half.json", Made(waited=0.4).all()))
    tap.ok("inside a node: progress" in half.err and "progress" not in parsed(half.out)[("node", "host")],
           "... and where it is not certain", half)
    alone = parsed(tool(made("gets.json", gets)).out)[("node", "host")]
    tap.ok(near(alone["latency"], 0.85 * US, 0.1) and set(alone) == {
        "count", "cores", "latency", "bandwidth", "overhead", "gap", ("cost", "get")}, "gets alone", alone)
    unsure = [{**one, "median_low": one["median"] / 10, "median_high": one["median"] * 10}
              if one["function"] == "Shmem_Wait_Until" else one for one in Made().all()]
    done = tool(made("unsure.json", unsure))
    tap.ok("1 result of calls whose time is not known to 50 %" in done.err and "inside a node: wait" in done.err,
           "what is not known is left out", done)


def test_states():
    slow = Made(pieces=((0, 0.1 * US, 3 * US, 10e9),), hand_over=8 * US, addition=3e-10)
    fast = Made(hand_over=3 * US, addition=3e-10)
    unknown = Made(left_out=("Shmem_Get_Simple",), hand_over=None)
    states = [state(1, 3 * US, None, 5 * US, 0.3), state(2, 8 * US, 5 * US, None, 0.7)]

    def with_states(name, points, states=states):
        path = os.path.join(folder, name)
        write(path, points)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines[:-1], *map(json.dumps, states), lines[-1]]) + "\n")
        return path

    path = with_states("states.json", fast.all() + slow.all())
    for options, latency, words in (((), 3 * US, "state 2 (hand-over 8 µs), 70 % of the time"),
                                    (("--state", 1), 0.8 * US, "state 1 (hand-over 3 µs), 30 % of the time")):
        done = tool(path, *options)
        tap.ok(near(parsed(done.out)[("node", "host")]["latency"], latency) and words in done.out
               and "results of other states" in done.err, f"the state: {words}", done)
    done = tool(with_states("waited.json", fast.all()))
    tap.ok(near(parsed(done.out)[("node", "host")]["latency"], 0.8 * US) and "state 1" in done.out,
           "the state that the results have, even if another one lasted longer", done)
    refused(path, "--state", 5, words="there are the states 1, 2")
    alone = [{**one, "hand_over": 3 * US} if one["function"] == "Shmem_Quiet" else one for one in slow.all()]
    done = tool(with_states("few.json", alone))
    tap.ok("cost quiet" in done.out and "of all states, since most of their results are of others: quiet" in done.err
           and "# Of all states" in done.out, "a class that has no result of the state is described by others", done)
    done = tool(with_states("strict.json", alone), "--state", 2)
    tap.ok("cost quiet" not in done.out and "quiet" in done.err, "... but not if a state was asked for", done)
    serving = Made(BETWEEN, pieces=((0, 5 * US, 200 * US, 10e9),), waited=1.0, hand_over=8 * US, addition=3e-10)
    other = [{**one, "hand_over": 3 * US} if one["arguments"].get("computation") == 0.0 else one for one in serving.all()]
    done = tool(with_states("serving.json", other))
    tap.ok("progress inside" in done.out, "how targets serve counts in whatever state it was measured", done)
    far = Made(BETWEEN, pieces=((0, 1 * US, 200 * US, 1e9),), hand_over=500 * US, addition=3e-10)
    done = tool(with_states("here.json", fast.all(), [state(1, 3 * US)]),
                with_states("there.json", far.all(), [state(1, 500 * US)]))
    latencies = [parsed(done.out).get(key, {}).get("latency", 0) for key in (("node", "host"), ("bus", "network"))]
    tap.ok(near(latencies[0], 0.8 * US) and near(latencies[1], 200 * US) and "other states" not in done.err,
           "hand-overs inside a node and between nodes are not states of one machine", (latencies, done))
    refused(made("stateless.json", unknown.all()), "--state", 1, words="no states")


def test_strided():
    """How strided calls go is found out, and shmemsim says of them what was measured."""
    for each, gap in ((False, 0.0), (True, 0.0), (True, 3 * US)):
        machine, sim = Made(each=each, gap=gap), Simulator()
        done = tool(made("strided.json", machine.all() + machine.collectives(COLLECTIVES)), "--json", "strided.out.json")
        node, way = parsed(done.out).get(("node", "host"), {}), "each" if each else "together"
        tap.equal((node.get("iput"), node.get("iget")), (way, way), f"strided calls, {way}", done)
        with open(os.path.join(folder, "strided.out.json"), encoding="utf-8") as file:
            place = json.load(file)["places"]["inside"]
        tap.equal(place["strided"], {"iput": way, "iget": way}, "... --json", place)
        program = Program(2)
        program.call(0, "shmem_double_iget", peer=1, elements=64, bytes=512, target=0, source=HEAP, target_stride=1,
                     source_stride=2)
        found = sim.predict(program, "--model", "loggp", machine=sim.write(done.out))
        took = ps(found["run_time"]) * 1e-12 - BARRIER if isinstance(found, dict) else None
        measured = next(one["time"] for one in machine.strided()
                        if one["function"] == "Shmem_Strided_Get" and one["bytes"] == 512)
        tap.ok(took and near(took, measured), "shmemsim: a strided get takes as long as measured", (took, measured))
    done = tool(made("half.json", Made(each=True, left_out=("Shmem_Strided_Get",)).all()))
    node = parsed(done.out)[("node", "host")]
    tap.ok((node.get("iput"), node.get("iget")) == ("each", "each") and "iget" not in done.err,
           "where one of the two was not measured, it is as the other", done)
    one = Made()
    done = tool(made("elements.json", [p for p in one.all() if p["arguments"].get("way", {}).get("value") != "iput"]))
    tap.ok("iput, iget" in done.err and "iput" not in re.sub("#.*", "", done.out),
           "calls of one element say nothing about strided ones", done)


def refused(*arguments, words):
    done = tool(*arguments)
    tap.ok(done.status == 2 and words in done.err and len(done.err.splitlines()) == 1 and not done.out,
           f"refused: {words}", done)


def test_receiving():
    """What windows in both directions take longer than in one, where targets serve others inside their calls."""
    for waited, receive, wanted in ((1.0, 0.3 * US, 0.3 * US), (1.0, 0.0, None), (0.0, 0.3 * US, None)):
        machine = Made(BETWEEN, receive=receive, waited=waited)
        done = tool(made("receive.json", machine.all(), **hosts(1, 1)))
        found = parsed(done.out).get(("bus", "network"), {})
        tap.ok(near(found["receive"], wanted) if wanted else "receive" not in found,
               f"receiving: {receive} s, {'inside calls' if waited else 'always'}", done)
        if not wanted:
            continue
        times = ("time", "median", "median_low", "median_high")
        launches = [made(f"receive{i}.json", [{**one, **{name: factor * one[name] for name in times}}
                                              if "window" in one["arguments"] else one for one in machine.all()], **hosts(1, 1))
                    for i, factor in enumerate((1, 1.3, 0.9))]
        several = parsed(tool(*launches).out).get(("bus", "network"), {})
        tap.ok(near(several["receive"], wanted), "... of several launches the median counts", several)
        sim, program = Simulator(), Program(2)
        for pe in range(2):
            for _ in range(128):
                program.call(pe, "shmem_putmem_nbi", peer=1 - pe, elements=8, bytes=8, target=HEAP, source=HEAP + 64)
            program.call(pe, "shmem_quiet")
        took = sim.predict(program, "--model", "loggp", machine=sim.write(done.out + NO_BARRIER))
        measured = next(one for one in machine.others() if "directions" in one["arguments"])
        tap.ok(isinstance(took, dict) and near(took["run_time"], 128 * measured["time"]),
               "... shmemsim takes as long as measured", f"{took} {measured}")


def test_header():
    """A line that is slower than libraries: small posts in a row take longer by what their bytes take."""
    for rate, header in ((12.5e6, 112), (12.5e6, 0), (10e9, 112)):
        machine = Made(BETWEEN, pieces=((0, 6 * US, 30 * US, rate),), header=header, waited=1.0)
        done = tool(made("header.json", machine.all(), **hosts(1, 1)), "--json", "header.out.json")
        found, wanted = parsed(done.out)[("bus", "network")], header if rate < 1e9 else 0
        tap.ok(abs(found.get("header", 0) - wanted) <= 1 and found["gap"] == 0 and ("receive" in found) == (wanted > 0),
               f"header {wanted} B at {rate / 1e6:g} MB/s", done)
        if not wanted:
            continue
        tap.ok(near(found["receive"], 6 * US), "... then receiving takes as long as posting", found)
        sim, program = Simulator(), Program(2)
        for _ in range(64):
            program.call(0, "shmem_putmem_nbi", peer=1, elements=8, bytes=8, target=HEAP, source=HEAP + 64)
        program.call(0, "shmem_quiet")
        took = sim.predict(program, "--model", "loggp", machine=sim.write(done.out + NO_BARRIER))
        measured = next(one for one in machine.others() if one["arguments"].get("window", {}).get("value") == 64)
        tap.ok(isinstance(took, dict) and near(took["run_time"], 64 * measured["time"], 0.01),
               "... shmemsim takes as long as measured", f"{took} {measured}")


def test_quiet_asks():
    """A put takes about a message longer until it is complete than a get, on hosts whose libraries handle messages."""
    o, handled = 1 * US, 2 * US
    left_out = ("Shmem_Strided_Put", "Shmem_Strided_Get")
    of = lambda asks, waited: Made(BETWEEN, pieces=((0, o, handled, 10e9),), receive=handled, asks=asks, waited=waited,
                                   left_out=left_out)
    machine = of(True, 1.0)
    done = tool(made("asks.json", machine.all(), **hosts(1, 1)), "--json", "asks.out.json")
    found = parsed(done.out).get(("bus", "network"), {})
    tap.ok(found.get("quiet") == "asks" and near(found["receive"], handled) and near(found["latency"], handled)
           and near(found[("cost", "put-nbi")][0]["latency"], handled), "quiet asks", done)
    with open(os.path.join(folder, "asks.out.json"), encoding="utf-8") as file:
        place = json.load(file)["places"]["between"]
    tap.ok(place["quiet"] == "asks" and all(near(one["predicted"], one["measured"]) for one in place["residuals"]["put"]),
           "... in JSON, and the description gives what was measured", place)
    sim = Simulator()
    described = sim.write(done.out + "collective barrier table { pes 2 { time 0 ns } }\n")
    for count, both, wanted in ((1, False, o + 2 * handled + handled), (8, False, o + 9 * handled + handled),
                                (128, True, 129 * (o + handled) + handled)):
        program = Program(2)
        for pe in range(1 + both):
            for _ in range(count):
                program.call(pe, "shmem_putmem_nbi", peer=1 - pe, elements=8, bytes=8, target=HEAP, source=HEAP + 64)
            program.call(pe, "shmem_quiet")
        took = sim.predict(program, "--model", "loggp", machine=described)
        tap.ok(isinstance(took, dict) and near(took["run_time"], wanted + machine.quiet),
               f"shmemsim: {count} puts{' in both directions' if both else ''} take as long as measured", f"{took} {wanted}")
    for asks, waited in ((False, 1.0), (True, 0.0)):
        found = parsed(tool(made("asks.json", of(asks, waited).all(), **hosts(1, 1))).out).get(("bus", "network"), {})
        tap.ok(found and "quiet" not in found, f"quiet waits: {'asks' if asks else 'a get takes as long'}, "
               f"{'inside calls' if waited else 'targets serve always'}", found)


def test_hand_over():
    wait = 12 * US
    machine = Made(BETWEEN)
    done = tool(made("held.json", machine.all() + machine.add("Shmem_Lock_Handed_Over", wait), **hosts(1, 1)))
    found = parsed(done.out)[("bus", "network")].get(("cost", "hand-over"))
    tap.ok(found and near(found[0]["latency"], wait), "a lock is handed over in as long as measured", done)


def test_connect():
    """First gets of all PEs, of all launches: their median."""
    machine = Made(BETWEEN)
    of = lambda *times: [{**one, "per_pe": list(times)} for one in machine.add("Connect", max(times))]
    files = [made(f"connect{i}.json", machine.all() + of(*times), **hosts(1, 1))
             for i, times in enumerate(((90 * US, 110 * US), (150 * US, 170 * US), (100 * US, 140 * US)))]
    done = tool(*files)
    found = parsed(done.out)[("bus", "network")].get(("cost", "connect"))
    tap.ok(found and near(found[0]["latency"], 120 * US), "connecting takes as long as measured", done)
    program, sim = Program(2), Simulator()
    program.call(0, "shmem_putmem", peer=1, elements=8, bytes=8, target=HEAP, source=HEAP + 64)
    took = [sim.predict(program, machine=sim.write(text)) for text in
            (done.out, re.sub(r"cost connect {[^}]*}", "", done.out))]
    tap.ok(all(isinstance(one, dict) for one in took) and near(took[0]["run_time"] - took[1]["run_time"], 120 * US),
           "... and shmemsim adds it to a first call", took)
    done = tool(made("unconnected.json", machine.all() + of(0.0, 0.0), **hosts(1, 1)))
    tap.ok("cost connect" not in done.out and "took no time" not in done.err, "a library without connections", done)


def test_model_error():
    path = made("error.json", Made().all())
    for options, wanted in (((), ["+- 17 %", "threads +- 110 %"]), (("--model-error", "9.5%"), ["+- 9.5 %"]),
                            (("--model-error", "0%"), []), (("--model-error", "5%,20%"), ["+- 5 %", "threads +- 20 %"])):
        text = tool(path, *options).out
        found = re.findall(r"^model loggp (.*? %)", text, re.MULTILINE)
        tap.equal(found, wanted, f"the error of the model, {options}", text)
    refused(path, "--model-error", "much", words="percentage")


def test_unlock():
    """What clear_lock waits for: by how much longer it takes behind a put that is open for 2 latencies."""
    for placement in (BETWEEN, INSIDE):
        for latency, share, wanted in ((8 * US, 0, "overtakes"), (8 * US, 0.2, "overtakes"), (8 * US, 0.5, "completes"),
                                       (8 * US, 1, "completes"), (0.01 * US, 1, None)):
            machine = Made(placement, pieces=((0, 0.1 * US, latency, 10e9),))
            alone = 3 * (0.1 * US + 2 * latency + machine.busy)
            points = machine.all() + machine.add("Shmem_Put_Clear_Lock", 0.1 * US + alone + share * 2 * latency)
            done = tool(made("unlock.json", points, **(hosts(1, 1) if placement == BETWEEN else {})))
            tap.equal(parsed(done.out)["unlock"], wanted, f"clear_lock, {placement}, {share} of {latency:g} s", done.out)
    plain = parsed(tool(made("plain.json", Made().all())).out)
    tap.equal(plain["unlock"], None, "clear_lock behind a put was not measured")


def test_refused():
    one = Made()
    good = made("good.json", one.all())
    refused(made("nothing.json", one.add("Shmem_Malloc", US)), words="measure with: oshrun -np 2 skampi -i model.ski")
    refused(made("collective.json", one.collectives(COLLECTIVES)), words="no put or get of 2 PEs")
    refused(made("alone.json", [{**p, "pe_set": {"size": 1, "members": "0", "placement": INSIDE}} for p in one.all()]),
            words="no put or get of 2 PEs")
    refused("none.json", words="none.json")
    open(os.path.join(folder, "empty.json"), "w", encoding="utf-8").close()
    refused("empty.json", words="empty")
    for form in ("csv", "sko"):
        run([os.path.join(ROOT, "scripts/skampi-convert"), good, "-o", f"good.{form}"], cwd=folder)
    strip = lambda text: [line.split("#")[0] for line in text.splitlines() if "cores" not in line]
    tap.equal(strip(tool("good.csv").out), strip(tool(good).out), "CSV gives the same, without the header's cores")
    refused("good.sko", words="write JSON")
    refused(good, "--nodes", 4, words="nothing was measured between nodes")
    refused(good, "--plot", "a.png", words=".svg")
    refused(good, "--json", "-", words="give one of them a file")
    refused(good, "--state", 0, words="from 1")
    refused(good, "-o", "no/such/folder", words="no/such/folder")


def main():
    test_pieces()
    test_intervals()
    test_simulator(*test_inside())
    test_places()
    test_collectives()
    test_late_pe()
    test_atomics()
    test_interrupts()
    test_missing()
    test_states()
    test_strided()
    test_receiving()
    test_quiet_asks()
    test_header()
    test_hand_over()
    test_connect()
    test_model_error()
    test_unlock()
    test_refused()
    tap.done()


main()
