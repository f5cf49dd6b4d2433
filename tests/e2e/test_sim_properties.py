#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 600
"""shmemsim keeps what it promises of any program: more latency never takes less time, a network without cost
leaves the bursts, neither the order of files nor a repetition changes a byte; and what it cannot replay or
read is refused with a reason, never a crash or a hang."""

import glob
import json
import os
import random
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, SAMPLE, Tap, in_parallel, run
from made_runs import HEAP, Program, Simulator, mixed_program, ps, random_program

tap = Tap()
sim = Simulator()
PROGRAMS = 4 if SAMPLE else 20
MUTANTS = 40 if SAMPLE else 300


def test_latency():
    chance = random.Random(7)
    good, shown = True, None
    for _ in range(PROGRAMS):
        trace = sim.trace(random_program(chance))
        for model in ("paper", "loggp"):
            times = [sim.predict(trace, "--model", model, latency=f"{latency} ns", overhead="30 ns", gap="20 ns")
                     for latency in (0, 1, 700, 50000)]
            ends = [found["run_time"] if isinstance(found, dict) else -1 for found in times]
            if ends != sorted(ends) or ends[0] < 0:
                good, shown = False, (trace, model, ends, times)
    tap.ok(good, f"more latency never takes less time, in {PROGRAMS} programs", shown)


def test_no_cost():
    chance = random.Random(8)
    for pes in (1, 3, 5):
        program, path = Program(pes), 0
        for _ in range(4):
            phase = [0] * pes
            for pe in range(pes):
                for _ in range(3):
                    burst = chance.randrange(5000)
                    program.put(pe, chance.randrange(pes), 1000, burst)
                    phase[pe] += burst
            last = [chance.randrange(100) for _ in range(pes)]
            program.barrier(last)
            path += max(map(sum, zip(phase, last)))
        for model in ("paper", "loggp"):
            found = sim.predict(program, "--model", model, bandwidth="infinite", latency="0 ns", inside="infinite",
                                inside_latency="0 ns")
            tap.equal((ps(found["run_time"]), ps(found["critical_path"]["compute"])), (path * 1000,) * 2,
                      f"{model}: without costs {pes} PEs take their longest bursts", found)


def test_same_bytes():
    chance = random.Random(9)
    program = random_program(chance, 7)
    for pe in range(7):
        program.call(pe, "shmem_long_atomic_fetch_add", chance.randrange(50), peer=0, target=HEAP, value=1)
        program.call(pe, "shmem_set_lock", chance.randrange(50), target=HEAP)
        program.call(pe, "shmem_clear_lock", chance.randrange(50), target=HEAP)
    machine, trace = sim.machine(lanes=2), sim.trace(program)
    files = sorted(glob.glob(os.path.join(sim.path(trace), "*.trace")))
    moved = sim.name("moved")
    os.mkdir(sim.path(moved))
    for path in files[::-1]:
        shutil.copy(path, sim.path(moved))
    for how in ("fifo", "fair"):
        options = ("--json", "--per-pe", f"--contention={how}", machine)
        first = sim.run(*options, trace)
        others = [sim.run(*options, *files) for files in ([trace], files, files[::-1], [moved])]
        tap.ok(first.status == 0 and all(other.out == first.out for other in others),
               f"{how}: the same trace gives the same bytes, in whatever order its files are", first)


def path_is_whole(found):
    """The parts of the critical path are the run time, and what is no call is what was computed on it."""
    path = found["critical_path"]
    return sum(ps(part["time"]) for part in path["parts"]) == ps(found["run_time"]) and ps(path["compute"]) == sum(
        ps(part["time"]) for part in path["parts"] if part["name"] == "computing")


def mixed_one(number):
    """None, or the promise that a program does not keep."""
    threads = (1, 1, 2, 3)[number % 4]
    ordered = number % 3 == 0
    chance = random.Random(1000 + number)
    trace = sim.trace(mixed_program(chance, threads, ordered))
    files = glob.glob(os.path.join(sim.path(trace), "*.trace"))
    chance.shuffle(files)
    for options in (("--model", "paper"), ("--model", "loggp"), ("--model", "loggp", "--contention")):
        machine = sim.machine(latency="700 ns", overhead="30 ns", gap="20 ns", links=1, cores=2)
        options += ("--json", "--per-pe")
        done = [sim.run(*options, machine, *given) for given in ([trace], [trace], files)]
        if done[0].status != 0 or any(other.out != done[0].out for other in done[1:]):
            return trace, options, done
        if not path_is_whole(json.loads(done[0].out)):
            return trace, options, done[0]
        free = sim.predict(trace, *options, bandwidth="infinite", latency="0 ns", inside="infinite",
                           inside_latency="0 ns")
        if ps(free["run_time"]) != ps(free["critical_path"]["compute"]) or free["communication"] != free["waiting"]:
            return trace, options, free
        if ordered or "--contention" in options:
            continue
        times = [sim.predict(trace, *options, latency=f"{latency} ns", overhead="30 ns", gap="20 ns")
                 for latency in (0, 3, 700, 50000)]
        ends = [found["run_time"] if isinstance(found, dict) else -1 for found in times]
        if ends != sorted(ends) or ends[0] < 0:
            return trace, options, ends, times
    return None


def test_mixed():
    """The same of programs with threads, sets, contexts, strided calls, signals, polling loops, and with locks."""
    count = 8 if SAMPLE else 48
    wrong = [found for found in map(mixed_one, range(count)) if found]
    tap.ok(not wrong, f"{count} programs of all kinds of calls keep all of this", wrong[:1])


def refused(name, text, wanted, status=2, machine=None):
    done = sim.run(machine or sim.machine(), sim.trace(text))
    tap.ok(done.status == status and wanted in done.err and not done.out and done.err.count("\n") == 1,
           f"refused: {name}", done)


def test_refused():
    def small(pes=1, **how):
        return Program(pes).scenario(**how)

    refused("--limit reached", small() .replace("pe 0 1 1", "pe 0 1 1\ndropped 7"), "--ring")
    refused("--only", "selection --only put\n" + small(), "was recorded with --only put")
    refused("a trace that does not begin with shmem_init",
            "pe 0 1 1\nevent 0 shmem_quiet 10 10\nend finalize\n", "does not begin with the start")
    refused("--summary", "pe 0 1 1\nprofile shmem_quiet -1 1 0 5 5\nend finalize\n", "record without --summary")
    refused("a killed program", small().replace("end finalize\n", ""), "does not say how the program ended")
    refused("a signal", small(end="signal 15"), "was ended by signal 15")
    refused("missing PEs", small().replace("pe 0 1 1", "pe 0 2 1"), "give all of one run")
    program = Program(1)
    program.put(0, 5, 8)
    refused("a PE that is not there", program.scenario(), "a PE that is not there")
    program = Program(2)
    program.call(0, "shmem_team_sync", set_start=3, set_stride=0, set_size=2)
    refused("an unknown team", program.scenario(), "not in the trace")
    program = Program(2)
    program.together(0)
    program.together(1, "shmem_broadcastmem", elements=8, bytes=8, target=HEAP, source=HEAP)
    refused("calls that do not match", program.scenario(), "do not match", 1)
    program = Program(9)
    refused("more PEs than cores", program.scenario(), "describe more nodes or cores")
    trace = sim.trace(Program(2))
    with open(os.path.join(sim.path(trace), "pe-00001.trace"), "r+b") as file:
        file.seek(-3, os.SEEK_END)
        file.write(b"\xff\xff\xff")
    done = sim.run(sim.machine(), trace)
    tap.ok(done.status == 1 and "checksum of a block is wrong" in done.err, "refused: a damaged file", done)


def test_deadlock():
    program = Program(3)
    program.together(0)
    program.call(1, "shmem_long_wait_until", at=5000, target=HEAP, comparison=0, value=1)
    program.together(1)
    program.call(2, "shmem_set_lock", target=HEAP + 64)
    program.call(2, "shmem_long_wait_until", at=6000, target=HEAP, comparison=0, value=1)
    program.call(0, "shmem_long_p", 500, peer=2, target=HEAP, value=1)
    program.call(0, "shmem_set_lock", target=HEAP + 64)
    done = sim.run(sim.machine(), sim.trace(program))
    tap.ok(done.status == 1 and "deadlock" in done.err and
           re.search(r"PE 0 in shmem_barrier_all at \S+ s waits for PE 2; PE 2 in shmem_long_wait_until at \S+ s "
                     r"waits for PE 0$", done.err.strip()), "a deadlock is reported with its cycle", done)


def test_descriptions():
    good = "bus b { bandwidth 1 GB/s latency 1 us }\nnode n { count 2 bandwidth 1 GB/s latency 1us bus b }\n"
    trace = sim.trace(Program(2))
    for text, place, wanted in (
            ("bus b { bandwith 1 GB/s latency 1 us }", "1:9", "there are bandwidth, latency"),
            ("bus b { bandwidth 1 latency 1 us }", "1:21", "needs a unit"),
            ("bus b { bandwidth 1 GB/s latency -1 us }", "1:34", "such as 1.5 us"),
            ("bus b { bandwidth 1 GB/s }", "1:5", "b has no latency"),
            ("bus b { bandwidth 1 GB/s latency 1 us latency 2 us }", "1:39", "given twice"),
            ("bus b bandwidth 1 GB/s", "1:7", "{ is missing"),
            (good + "node m { bandwidth 1 GB/s latency 1 us }", "4:1", "no bus in common"),
            (good + "node m { bandwidth 1 GB/s latency 1 us bus c }", "3:44", 'no bus "c"'),
            (good + "map { 0 2 }", "3:9", "there is no node 2"),
            (good + "map { 0 x }", "3:9", "N*NODE"),
            (good + "collective all cubic", "3:16", "linear, log, or factor"),
            (good + 'include "none"', "3:9", "cannot be read"),
            (good + "nodes 3", "3:1", "there are bus, node"),
            (good + "node q { ratio 0 bandwidth 1 GB/s latency 1 us bus b }", "3:16", "ratio needs"),
            ("# nothing", "2:1", "no node is described"),
            (good + 'include "x', "3:9", "does not end"),
            (good + "node m { bandwidth 1 GB/s", "3:6", "close it with }")):
        name = sim.write(text + "\n")
        done = sim.run(name, trace)
        first = done.err.splitlines() or [""]
        column = int(place.split(":")[1])
        tap.ok(done.status == 2 and first[0].startswith(f"{name}:{place}: error:") and wanted in done.err and
               len(first) >= 3 and first[2] == " " * (column - 1) + "^", f"bad description: {wanted}", done)
    inner = sim.write(good)
    os.makedirs(sim.path("folder"), exist_ok=True)
    sim.write(f'include "../{inner}"\nmap {{ 2*1 }}\n', "folder/outer")
    found = sim.run("--json", "folder/outer", trace)
    tap.ok(found.status == 0 and found.out.count('"node":1') == 2, "a description includes another one", found)
    loop = sim.name("loop")
    sim.write(f'include "{loop}"\n', loop)
    done = sim.run(loop, trace)
    tap.ok(done.status == 2 and "include itself" in done.err, "files that include themselves are refused", done)
    for args, wanted in ((["--model", "x", "m"], "loggp and paper"), (["--bad"], "unknown or ambiguous option"), ([], "name a machine"),
                         (["--model"], "needs a value"), ([inner, "nowhere"], "nowhere")):
        done = sim.run(*args)
        tap.ok(done.status == 2 and wanted in done.err, f"shmemsim {' '.join(args)}", done)
    same = sim.run("-o", inner, inner, trace, "--force")
    tap.ok(same.status == 2 and "is read, too" in same.err, "the description is not overwritten", same)
    full = sim.run("-o", "/dev/full", inner, trace)
    tap.ok(full.status == 1 and "cannot be written" in full.err, "a full disk is noticed", full)


# ---- Hostile traces ----

def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def repaired(data):
    """With the checksums of what it holds now, as far as it can be followed."""
    data = bytearray(data)
    if len(data) < 24:
        return data
    size, = struct.unpack_from("<I", data, 12)
    if 24 + size + 256 > len(data):
        return data
    struct.pack_into("<I", data, 16, crc32c(data[8:16] + data[24:24 + size]))
    at = 24 + size
    struct.pack_into("<I", data, at, crc32c(data[at + 4:at + 256]))
    at += 256
    while at + 48 <= len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        if at + 48 + size > len(data):
            break
        struct.pack_into("<I", data, at + 4, crc32c(data[at + 8:at + 48 + size]))
        at += 48 + size
    return data


def mutated(data, chance):
    data = bytearray(data)
    size, = struct.unpack_from("<I", data, 12)
    blocks = 24 + size + 256
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(blocks + 48, len(data)) if chance.randrange(4) else chance.randrange(24, len(data))
        if chance.randrange(12) == 0:
            del data[at:]
            break
        data[at] = chance.choice((0, 1, 255, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)))
    return repaired(data)


def sanitized_command():
    program = sim.path("shmemsim-sanitized")
    sources = [path for folder in ("base", "sim", "stats", "trace", "trace/read")
               for path in sorted(glob.glob(os.path.join(ROOT, "src", folder, "*.c")))]
    built = run([os.environ.get("CC", "gcc"), "-std=gnu11", "-O0", "-g1", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=all", "-I", os.path.join(ROOT, "src"), "-o", program, *sources, "-lm"],
                timeout=1500)
    return program if built.status == 0 else tap.ok(False, "builds under sanitizers", built)


def rich_program(threads=1):
    program = random_program(random.Random(10), 3, threads=threads)
    for pe in range(3):
        program.call(pe, "shmem_test_lock", target=HEAP, result=1)
        program.call(pe, "shmem_set_lock", target=HEAP)
        program.call(pe, "shmem_clear_lock", target=HEAP)
        program.put(pe, 0, 8, routine="shmem_ctx_putmem_nbi", context=3)
        for _ in range(5):
            program.call(pe, "shmem_long_atomic_fetch", peer=0, target=HEAP)
        program.together(pe, "shmem_broadcastmem", elements=8, bytes=8, target=HEAP, source=HEAP)
        for thread in range(1, threads):
            program.put((pe, thread), 0, 8, burst=200, routine="shmem_putmem_nbi")
            program.call((pe, thread), "shmem_quiet")
            program.call((pe, thread), "shmem_set_lock", target=HEAP)
            program.call((pe, thread), "shmem_clear_lock", target=HEAP)
    return program


MEASURED = """bus b { bandwidth 1 GB/s latency 1 us cost put { gap 5 ns from 8 B overhead 5 ns } cost wait { overhead 1 ns } }
node n { count 3 ratio 2 bus b bandwidth 5 kB/s latency 1 us progress inside cost get { from 0 B latency 9 us } }
collective all factor 3
collective broadcast table linear { pes 2 { time 5 us last 2 us from 4 KiB time 9 us bandwidth 1 GB/s } pes 4 { time 8 us } }
map { 2*0 1 }
"""


def test_hostile():
    program = sanitized_command()
    if not program:
        return
    machine, measured = sim.machine(lanes=1), sim.write(MEASURED)
    folders = [sim.path(sim.trace(rich_program(threads))) for threads in (1, 3)]
    originals = []
    for folder in folders:
        for name in (machine, measured):
            whole = run([program, sim.path(name), folder])
            tap.equal(whole.status, 0, "a trace that is right is replayed under sanitizers", whole)
        with open(os.path.join(folder, "pe-00001.trace"), "rb") as file:
            originals.append(file.read())

    def attempt(number):
        folder, data = folders[number // 2 % 2], originals[number // 2 % 2]
        own = os.path.join(sim.folder, f"mutant{number}")
        shutil.copytree(folder, own)
        with open(os.path.join(own, "pe-00001.trace"), "wb") as file:
            file.write(mutated(data, random.Random(number)))
        options = [["--json", "--per-pe", machine], ["--model", "loggp", "--contention", machine],
                   ["--model", "loggp", "--contention=fair", measured],
                   ["--model", "loggp", measured]][number % 4]
        done = run([program, *options, own], timeout=150, cwd=sim.folder)
        shutil.rmtree(own)
        return done

    runs = [done for _, done in in_parallel(range(MUTANTS), attempt)]
    bad = [done for done in runs if done.status not in (0, 1, 2) or "Sanitizer" in done.err or
           "runtime error" in done.err or (done.status and not done.err)]
    tap.ok(not bad, f"{MUTANTS} damaged traces: replayed or refused", bad[0] if bad else None)
    tap.ok({done.status for done in runs} >= {0, 1}, "... both", None)
    with open(sim.path(measured), "rb") as file:
        text = file.read()
    bad = []
    for number in range(MUTANTS // 4):
        local = random.Random(number)
        changed = bytearray(text)
        for _ in range(3):
            changed[local.randrange(len(changed))] = local.choice(b"{}\"#0 9e-\n\0b\xff")
        with open(sim.path("changed"), "wb") as file:
            file.write(changed)
        done = run([program, sim.path("changed"), folder], timeout=150)
        if done.status not in (0, 2) or "Sanitizer" in done.err or "runtime error" in done.err:
            bad.append(done)
    tap.ok(not bad, "changed descriptions: read or refused", bad[0] if bad else None)


for test in (test_latency, test_no_cost, test_same_bytes, test_mixed, test_refused, test_deadlock, test_descriptions,
             test_hostile):
    test()
tap.done()
