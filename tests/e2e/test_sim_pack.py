#!/usr/bin/env python3
# LONG
# PLAIN
"""Packed traces: every reader and exporter finds in them what it finds in the folder, with 16,384 PEs and few open
files, too; unpacked they are the same bytes; and packs that are damaged anywhere are refused with the reason."""

import glob
import json
import os
import random
import resource
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import Tap, build_config, run
from made_runs import HEAP, Program, Simulator, build_writer, command

tap = Tap()
sim = Simulator()
HEAD, ENTRY = struct.Struct("<8sIIQII"), struct.Struct("<QQII")
MACHINE = sim.machine(nodes=8)


def crc32c(data):
    """As RFC 3720, B.4 has it, bit by bit."""
    value = 0xffffffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
    return value ^ 0xffffffff


def contents(folder):
    found = {}
    for path in glob.glob(os.path.join(sim.path(folder), "*")):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = file.read()
    return found


def recorded():
    """Calls with teams and waits, of which files are opened again while they are replayed."""
    program = Program(5)
    for pe in range(5):
        program.put(pe, (pe + 1) % 5, 1000 * pe, burst=100)
        program.call(pe, "shmem_long_p", peer=(pe + 2) % 5, target=HEAP + 8, value=1)
    for pe in range(5):
        program.call(pe, "shmem_long_wait_until", at=20000, target=HEAP + 8, comparison=0, value=1)
    program.barrier(700)
    return sim.trace(program)


def packed(trace, name=None):
    name = name or sim.name("run") + ".pack"
    done = sim.run("pack", trace, "-o", name)
    tap.ok(done.status == 0 and not done.out and not done.err, "packed", done)
    return name


def test_readers(trace, pack):
    for words in (["dump"], ["dump", "--csv", "--pe", "3"], ["summary"], ["summary", "--json"], ["check"],
                  ["merge", "--csv"]):
        both = [sim.made.command(*words, name) for name in (trace, pack)]
        out = [done.out.replace(name, "") for done, name in zip(both, (trace, pack))]
        tap.ok(both[0].status == both[1].status == 0 and out[0] == out[1] and out[0],
               f"shmemtrace {' '.join(words)} prints the same", both)
    exporters = [("chrome", "--chrome"), ("paraver", "--paraver")]
    if build_config().get("SKAMPI_OTF2") == "1":
        exporters.append(("otf2", "--otf2"))
    for kind, option in exporters:
        for name, to in ((trace, "folder"), (pack, "packed")):
            done = sim.made.command("export", option, f"{kind}-{to}", name)
            tap.ok(done.status == 0, f"export to {kind} from the {to}", done)
    with open(sim.path("chrome-folder"), "rb") as a, open(sim.path("chrome-packed"), "rb") as b:
        tap.ok(a.read() == b.read(), "... are the same")
    for options in ((), ("--model", "loggp", "--contention", "--per-pe")):
        both = [sim.run("--json", *options, MACHINE, name) for name in (trace, pack)]
        tap.ok(both[0].status == 0 and both[0].out == both[1].out, "shmemsim predicts the same", both)
    parts = [f"{pack}/pe-{pe:05}.trace" for pe in (3, 0, 4, 1, 2)]
    tap.equal(sim.run("--json", MACHINE, *parts).out, sim.run("--json", MACHINE, trace).out,
              "files in a pack are named as if it were a folder")
    one = sim.made.command("dump", "--csv", parts[0])
    tap.ok({row["pe"] for row in traces.events_of(one.out)} == {"3"}, "... also one of them", one)
    for simulated, name in (("sim-folder", trace), ("sim-pack", pack)):
        tap.ok(sim.run("--trace", simulated, MACHINE, name).status == 0, "--trace")
    tap.equal(contents("sim-pack"), contents("sim-folder"), "the simulated runs are the same")
    whatif = [sim.run("what-if", "--latency", "x1,x7", MACHINE, name).out for name in (trace, pack)]
    tap.ok(whatif[0] and whatif[0] == whatif[1], "so are those of what-if", whatif)


def test_unpack(trace, pack):
    done = sim.run("unpack", pack)
    tap.ok(done.status == 0 and contents(pack[:-len(".pack")]) == contents(trace), "unpacked: the same bytes", done)
    os.mkdir(sim.path("empty"))
    done = sim.run("unpack", pack, "--output", "empty/")
    tap.ok(done.status == 0 and contents("empty") == contents(trace), "... into a given folder that is empty", done)
    done = run(["sh", "-c", f"'{command()}' pack -o - {trace}/ > piped"], cwd=sim.folder)
    with open(sim.path("piped"), "rb") as a, open(sim.path(pack), "rb") as b:
        tap.ok(done.status == 0 and a.read() == b.read(), "packed to standard output: the same bytes", done)
    some = shutil.copytree(sim.path(trace), sim.path("some"))
    os.remove(os.path.join(some, "pe-00001.trace"))
    with open(os.path.join(some, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("not of the trace\n")
    done = sim.run("pack", "some")
    tap.ok(done.status == 0 and os.path.exists(sim.path("some.pack")), "the pack is called after the folder", done)
    tap.equal(sim.made.command("dump", "--csv", "some.pack").out, sim.made.command("dump", "--csv", "some").out,
              "a PE may be missing")
    done = sim.run(MACHINE, "some.pack")
    tap.ok(done.status == 2 and "give all of one run" in done.err, "... which shmemsim refuses", done)


def test_refused(trace, pack):
    with open(sim.path("text.pack"), "w", encoding="utf-8") as file:
        file.write("nothing")
    os.mkdir(sim.path("bare"))
    for words, said in (
            (("pack", "nowhere"), "nowhere: No such file"), (("pack", "bare"), "no trace is in this folder"),
            (("pack", pack), "is no folder"), (("pack", trace, trace), "one trace at a time"),
            (("pack", "--best", trace), "unknown or ambiguous option"), (("pack", trace, "-o", "bare"), "cannot be written"),
            (("pack", trace, "-o", f"{trace}/pe-00001.trace"), "is read, too"), (("unpack",), "name a pack"),
            (("unpack", pack, "-o", trace), "not an empty folder"), (("unpack", "piped"), "-o DIR"),
            (("unpack", "text.pack"), "is no pack"), (("unpack", "nowhere.pack"), "No such file"),
            ((MACHINE, f"{pack}/pe-00005.trace"), "there is no PE 5 in this pack"),
            ((MACHINE, "text.pack/pe-00000.trace"), "neither a folder nor a pack"),
            (("-o", pack, MACHINE, pack), "is read, too")):
        done = sim.run(*words)
        tap.ok(done.status == 2 and said in done.err and done.err.count("\n") == 1, f"refused: {' '.join(words)}", done)
    tap.ok(contents(trace) == ORIGINAL, "nothing has changed")
    if os.path.exists("/dev/full"):
        done = sim.run("pack", trace, "-o", "/dev/full")
        tap.ok(done.status == 1 and "cannot be written" in done.err and os.path.exists("/dev/full"),
               "full disks are noticed", done)


def refused_everywhere(name, path, statuses=(1, 2)):
    """By a reader, shmemsim and unpack; in one line."""
    target = sim.name("into")
    for done in (sim.made.command("check", path), sim.run(MACHINE, path), sim.run("unpack", path, "-o", target)):
        good = done.status in statuses and "pack" in done.err and done.err.count("\n") == 1
        if not good or os.path.exists(sim.path(target)):
            return tap.ok(False, name, done)
    return True


def test_damaged(pack):
    with open(sim.path(pack), "rb") as file:
        data = file.read()
    index = HEAD.size + 5 * ENTRY.size
    chance = random.Random(7)
    bad = sim.path("bad.pack")

    def write(content):
        with open(bad, "wb") as file:
            file.write(content)

    good = True
    for size in (*range(8, index, 29), index, index + 1, len(data) // 2, len(data) - 1):
        write(data[:size])
        good = good and refused_everywhere(f"cut at byte {size}", "bad.pack")
    tap.ok(good, "packs that are cut anywhere are refused")
    for at in range(8, index, 5):
        write(data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:])
        good = good and refused_everywhere(f"changed at byte {at}", "bad.pack")
    tap.ok(good, "so are those in which a byte of the head or index is another")
    write(data + b"x")
    refused_everywhere("something follows", "bad.pack")
    # Right checksums around impossible values.
    magic, version, files, size, zero, _ = HEAD.unpack(data[:HEAD.size])
    entries = [list(ENTRY.unpack(data[HEAD.size + i * ENTRY.size:][:ENTRY.size])) for i in range(files)]

    def made(version=version, files=files, size=size, change=None):
        head = HEAD.pack(magic, version, files, size, zero, 0)[:-4]
        changed = [list(entry) for entry in entries]
        if change:
            entry, place, value = change
            changed[entry][place] = value
        rows = [ENTRY.pack(*entry[:3], 0)[:-4] for entry in changed]
        return b"".join(part + struct.pack("<I", crc32c(part)) for part in (head, *rows)) + data[index:]

    tap.ok(made() == data, "a pack is made as documented")
    for how in ({"version": 2}, {"files": 0}, {"files": 2**32 - 1}, {"files": 4}, {"files": 6}, {"size": 2**63},
                {"size": 40}, {"change": (0, 0, 0)}, {"change": (1, 0, 2**63)}, {"change": (1, 0, entries[0][0])},
                {"change": (2, 1, 2**64 - 1)}, {"change": (2, 1, entries[2][1] - 1)}, {"change": (2, 2, 2**32 - 1)},
                {"change": (2, 2, 1)}, {"change": (4, 1, 0)}):
        write(made(**how))
        good = good and refused_everywhere(f"impossible: {how}", "bad.pack")
    tap.ok(good, "and those that are impossible")
    write(data[:-5] + b"?" + data[-4:])
    done = sim.run(MACHINE, "bad.pack")
    tap.ok(done.status == 1 and "bad.pack/pe-00004.trace: damaged at byte" in done.err,
           "damage within a file is found as in a folder", done)


def test_large():
    writer, pes = sim.path("writer"), 16384
    build_writer(writer)
    os.mkdir(sim.path("large"))
    run([writer, sim.path("large"), "mix", str(pes), "1"])
    machine = sim.write("bus b { bandwidth 10 GB/s latency 1 us }\n"
                        "node n { count 512 cores 32 bandwidth 20 GB/s latency 300 ns bus b }\n")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, limit[1]))
    try:
        pack = packed("large")
        found = [sim.run("--json", machine, name) for name in ("large", pack)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    tap.ok(found[0].status == 0 and found[0].out == found[1].out and json.loads(found[0].out)["pes"] == pes,
           f"{pes} PEs, with 32 open files", found[1].err)
    with open(sim.path("large/pe-12345.trace"), "rb") as file:
        wanted = file.read()
    with open(sim.path(pack), "rb") as file:
        file.seek(HEAD.size + 12345 * ENTRY.size)
        at, size, number, _ = ENTRY.unpack(file.read(ENTRY.size))
        file.seek(at)
        tap.ok(number == 12345 and file.read(size) == wanted, "... each file is where the index says")


TRACE = recorded()
ORIGINAL = contents(TRACE)
PACK = packed(TRACE)
test_readers(TRACE, PACK)
test_unpack(TRACE, PACK)
test_refused(TRACE, PACK)
test_damaged(PACK)
test_large()
tap.done()
