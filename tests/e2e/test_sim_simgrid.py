#!/usr/bin/env python3
# LONG
# PLAIN
"""shmemsim --platform writes machine descriptions as platforms that SimGrid reads; there, programs of puts and
barriers take as long as shmemsim --contention=fair says, within 1 %."""

import os
import random
import shutil
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run
from made_runs import Program, Simulator

tap = Tap()
sim = Simulator()
# Without SimGrid's corrections for TCP: latency + bytes / bandwidth. Lazy updates, the default of SimGrid 3.32, let
# one of four transfers have all of a link that it shares (the machine with two kinds of nodes); full ones do not.
CM02 = ["--cfg=network/model:CM02", "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1",
        "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0", "--cfg=network/weight-S:0", "--cfg=network/optim:Full",
        "--log=root.thres:error"]
INSIDE = "bandwidth 8 GB/s latency 300 ns"
MACHINES = {
    "one link into and out of each node":
        f"bus net {{ bandwidth 1 GB/s latency 2 us }}\nnode n {{ count 4 cores 4 {INSIDE} in 1 out 1 ratio 2 bus net }}\n",
    "two lanes":
        f"bus net {{ bandwidth 3 GB/s latency 1 us lanes 2 }}\nnode n {{ count 4 cores 2 {INSIDE} bus net out 1 }}\n",
    "a total of a bus, and any number of links":
        f"bus net {{ bandwidth 500 MB/s latency 1 us total 800 MB/s }}\nnode n {{ count 4 {INSIDE} bus net }}\n",
    "nodes of two kinds on two buses":
        "bus some { bandwidth 1 GB/s latency 1 us total 1500 MB/s }\nbus net { bandwidth 1 GB/s latency 1 us }\n"
        f"node a {{ count 2 {INSIDE} out 1 in 2 bus some bus net }}\nnode b {{ count 2 {INSIDE} out 2 in 1 bus net }}\n",
}
PES = 8
MAP = "map { 2*0 2*1 2*2 2*3 }\n"


def hosts_of(platform):
    return [host.get("id") for host in platform.iter("host")]


def platform_of(machine):
    """(the file, what it holds, the run that wrote it)"""
    name = sim.name("platform") + ".xml"
    done = sim.run("--platform", name, machine)
    return name, xml.parse(sim.path(name)).getroot() if done.status == 0 else None, done


def test_file():
    machine = sim.write("bus a<b { bandwidth 1 GB/s latency 1.5 us lanes 3 }\nbus far { bandwidth infinite latency 0 s }\n"
                        'node x&y { count 3 cores 5 ratio 2.5 bandwidth 2 GB/s latency 1 ns out 2 bus a<b bus far }\n'
                        "node z { bandwidth 2 GB/s latency 1 ns bus far }\n")
    _, platform, done = platform_of(machine)
    if not tap.ok(platform is not None and not done.out and not done.err, "a description becomes a platform", done):
        return
    tap.equal((platform.tag, platform.get("version"), hosts_of(platform)),
              ("platform", "4.1", ["x&y-0", "x&y-1", "x&y-2", "z-3"]), "nodes are hosts")
    host = platform.find(".//host")
    tap.equal((host.get("speed"), host.get("core")), ("2500000000f", "5"), "their processors")
    links = {link.get("id"): (link.get("bandwidth"), link.get("latency"), link.get("sharing_policy"))
             for link in platform.iter("link")}
    tap.equal([links.get(name) for name in ("bus:a<b", "bus:a<b:all", "bus:far:all")],
              [("1000000000Bps", "1.5e-06s", "FATPIPE"), ("3000000000Bps", "0s", "SHARED"), None],
              "a bus is what a transfer has, and what all have", links)
    known = set(hosts_of(platform)) | {router.get("id") for router in platform.iter("router")}
    routes = list(platform.iter("route"))
    tap.ok(all(route.get(end) in known for route in routes for end in ("src", "dst")) and
           all(part.get("id") in links for part in platform.iter("link_ctn")) and
           len({(route.get("src"), route.get("dst")) for route in routes}) == len(routes),
           "routes join what there is by links that there are, each once", known)
    wide = sim.run("--platform", "-", sim.write(f"bus b {{ bandwidth 1 GB/s latency 1 us }}\n"
                                                f"node n {{ count 3000 {INSIDE} in 1 out 1 bus b }}\n"))
    tap.ok(wide.status == 0 and wide.out.count("<route ") == 3 * 3000 + 1, "routes grow with the nodes, not with pairs")
    for args, wanted in ((("--platform", "p", machine, "run1"), "reads no trace"), (("--force", "--platform", machine, machine), "is read, too"),
                         (("--platform", "/dev/full", machine), "cannot be written"),
                         (("--platform", "no/such", machine), "cannot be written"), (("--platform",), "needs a value")):
        done = sim.run(*args)
        tap.ok(done.status == (1 if "/dev/full" in args else 2) and wanted in done.err and done.err.count("\n") == 1,
               f"refused: {' '.join(args[:2])}", done)


# ---- In SimGrid ----

def simgrid():
    """The program that runs there, or why there is none."""
    if not shutil.which("g++"):
        return None, "there is no g++"
    if not os.path.exists("/usr/include/simgrid/s4u.hpp"):
        return None, "libsimgrid-dev is not installed"
    program = sim.path("programs")
    built = run(["g++", "-std=c++17", "-O0", "-o", program, os.path.join(ROOT, "tests/support/simgrid/programs.cpp"),
                 "-lsimgrid"], timeout=300)
    if not tap.ok(built.status == 0, "the program for SimGrid is built", built):
        return None, "it is not built"
    return program, None


def random_calls(chance):
    """Calls of each PE, as both simulators take them."""
    calls = []
    for phase in range(3):
        for pe in range(PES):
            for _ in range(chance.randrange(1, 4)):
                if chance.randrange(3) == 0:
                    calls.append(("compute", pe, chance.randrange(1, 20000)))
                calls.append(("put", pe, (pe + chance.randrange(1, PES)) % PES, chance.randrange(1000, 40000)))
        calls += [("barrier", pe) for pe in range(PES)] if phase < 2 else []
    return calls


def predicted(calls, machine):
    """Seconds at the end of each PE; the run when it fails."""
    program, bursts = Program(PES), [0] * PES
    for what, pe, *rest in calls:
        if what == "compute":
            bursts[pe] += rest[0]
            continue
        if what == "put":
            program.put(pe, *rest, burst=bursts[pe])
        else:
            program.together(pe, burst=bursts[pe])
        bursts[pe] = 0
    found = sim.predict(program, "--contention=fair", "--per-pe", machine=machine)
    if not isinstance(found, dict):
        return found
    return [pe["end"] - sum(row["time"] for row in pe["routines"] if row["name"] == "shmem_finalize")
            for pe in found["per_pe"]]


def simulated(program, calls, platform, hosts):
    name = sim.write("".join(f"pe {hosts[pe // 2]}\n" for pe in range(PES)) +
                     "".join(" ".join(map(str, call)) + "\n" for call in calls))
    done = run([program, platform, name, *CM02], cwd=sim.folder, timeout=120)
    return [float(line) for line in done.out.split()] if done.status == 0 else done


def test_agreement():
    program, reason = simgrid()
    for name, text in MACHINES.items():
        if not program:
            tap.skip(f"SimGrid agrees: {name}", reason)
            continue
        chance, machine = random.Random(3), sim.write(text + MAP)
        platform, root, _ = platform_of(machine)
        worst, shown = 0, None
        for _ in range(3):
            calls = random_calls(chance)
            ours, theirs = predicted(calls, machine), simulated(program, calls, platform, hosts_of(root))
            if not isinstance(ours, list) or not isinstance(theirs, list) or len(theirs) != PES:
                worst, shown = 1, (ours, theirs)
                break
            worst, shown = max((max(abs(a - b) / b for a, b in zip(ours, theirs)), (ours, theirs)), (worst, shown),
                               key=lambda pair: pair[0])
        tap.ok(worst <= 0.01, f"SimGrid agrees within 1 %: {name} ({100 * worst:.4f} %)", shown)


test_file()
test_agreement()
tap.done()
