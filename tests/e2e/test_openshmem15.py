#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""Functions of OpenSHMEM 1.5: reported as unsupported where the library is older; and measured, with the
data verified, on 1.5 or on an emulation of it over that library."""

import functools
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import compiling_once
from harness import ROOT, Tap, in_parallel, read_text, run, scratch_directory, skampi, skip_all, tracked_files

STUB = "tests/support/stub/openshmem-1.5"
REASON = r"needs OpenSHMEM 1\.5"
PREAMBLE = """set_min_repetitions(4)
set_max_repetitions(4)
set_max_relative_standard_error(1.0)
"""
VALUES = {"iterations": 3, "count": 5, "root": 1, "therank": 1, "stride": 2, "xrange": 2, "nelems": 5,
          "pattern": '"half"', "pairs": 0, "directions": 2, "window": 2}
# Elements of ints, doubles and bytes: what 5 bytes are rounded up to.
SIZES = {"int": 8, "double": 8, "byte": 5}


# What needs the library's declarations.
LIBRARY = re.compile(r"[</](open)?shmem\.h[>\"]|measurements/common/(openshmem|collective)\.h")


def built(name):
    return read_text(harness.build_directory(), name).strip()


def compiled(sources, *more):
    """(objects of the sources, made with the emulation's headers; what the compiler said where it failed)"""
    flags, folder = shlex.split(built("flags")), scratch_directory()
    compiler = [flags[0], f"-I{STUB}/emulation", *flags[1:], "-O0", *more, "-c", "-o"]

    def compile_one(path):
        target = os.path.join(folder, path.replace("/", "-") + ".o")
        return run([*compiler, target, path], compiling_once(), 100, ROOT), target

    made = [result for _, result in in_parallel(sources, compile_one, width=2)]
    return [target for _, target in made], "".join(done.err for done, _ in made if done.status)


@functools.cache
def on_library():
    """What depends on the library's version, compiled anew."""
    return compiled([path for path in tracked_files("src/comm/*.c", "measurements/*.c") if LIBRARY.search(read(path))])


def build(*more):
    """(the program on the emulation, or None; why it cannot be built)"""
    program = os.path.join(scratch_directory(), "skampi")
    emulation, errors = compiled([f"{STUB}/emulation.c"], *more)
    libraries = shlex.split(built("commands").removeprefix(built("flags")))
    objects, why = on_library()
    directory = harness.build_directory()
    done = run([*shlex.split(built("flags")), "-o", program, *objects, *emulation, f"{directory}/src/command/main.o",
                f"{directory}/libskampi.a", *libraries], cwd=ROOT)
    return program if done.status == 0 else None, why + errors + done.err


def read(path):
    return read_text(ROOT, path)


class Function:
    def __init__(self, described):
        self.name, self.summary = described["name"], described["summary"]
        self.parameters = [parameter["name"] for parameter in described["parameters"]]

    def call(self, **values):
        values = {**VALUES, **values}
        return f"{self.name}({', '.join(str(values[name]) for name in self.parameters)})"

    def size(self):
        if "count" not in self.parameters:
            return 0
        kind = re.search(r"of (?:unsigned )?(int|double|byte)s", self.summary)
        return SIZES[kind.group(1)] if kind else VALUES["count"]

    def columns(self, pes):
        if self.name.endswith("_Single"):
            return {VALUES["therank"]}
        if "_Round_Trip_" in self.name:
            return set(range(pes // 2))
        return {0} if self.name.endswith(("_Pingpong", "_Simple")) else set(range(pes))


def read_functions():
    """All that need 1.5, and those of them that the library here does not have."""
    listed = [function for function in harness.functions() if (function.get("api"), function.get("version")) == ("OpenSHMEM", "1.5")]
    return [Function(function) for function in listed], [
        function["name"] for function in listed
        if re.fullmatch(rf"{REASON}; this program was built with \d\.\d", function.get("unsupported", ""))]


def script(cases, preamble=PREAMBLE):
    return preamble + "".join(
        f'begin measurement "{number}"\n  measure {where} : {call}\nend measurement\n'
        for number, (where, call) in enumerate(cases))


# ---- Without OpenSHMEM 1.5 ----


def test_unsupported(tap, functions):
    asked = "".join(f'print is_supported("{f.name}")\n' for f in functions)
    cases = [*(f.call() for f in functions), "wtime(10)"]
    run = skampi(f'begin measurement "asked"\n{asked}end measurement\n'
                 + script([("MPI_COMM_WORLD", call) for call in cases]), np=2)
    tap.equal(run.status, 3, "measuring what is unsupported: status", run)
    told = [line for line in run.comments if re.match(rf"# unsupported: \w+\(.*\): {REASON}", line)]
    tap.equal(len(told), len(functions), "each measure is answered by a comment with the reason", run)
    tap.equal([row.block for row in run.rows], [str(len(functions))], "the script goes on", run)
    tap.equal(re.findall(r"^#P\[0\] ([01])$", run.out, re.MULTILINE), ["0"] * len(functions),
              "is_supported() says 0")


# ---- On 1.5, or on its emulation ----


def test_sets(tap, program, functions, np, sets):
    """sets: expression and size."""
    cases = [(where, size, f) for where, size in sets for f in functions]
    run = skampi(script([(where, f.call()) for where, _, f in cases]), np=np, executable=program,
                 timeout=100)
    tap.equal(run.status, 0, f"{np} PEs: status", run)
    tap.equal(run.err, "", f"{np} PEs: no message")
    for number, (where, size, function) in enumerate(cases):
        block = run.block(str(number))
        rows = block.rows if block and block.ended else []
        found = [(row.bytes, {i for i, v in enumerate(row.per_pe) if v is not None}, len(row.per_pe))
                 for row in rows]
        tap.equal(found, [(function.size(), function.columns(size), size)],
                  f"{np} PEs, {where}: {function.name}: size and columns")


def test_refusals(tap, program, functions):
    by_name = {function.name: function for function in functions}
    irregular = "a team needs PEs in ascending order at a constant distance"
    large = "at most the size of the communicator"
    cases = (
        (4, "comm2(3, 1)", by_name["Shmem_Team_Sync"].call(), irregular),
        (4, "comm2(3, 1)", by_name["Shmem_Broadcastmem_Synchro"].call(), irregular),
        (4, "comm2(3, 1)", by_name["Shmem_Team_Split_2D"].call(), irregular),
        (2, "comm(2)", by_name["Shmem_Team_Split_Strided"].call(stride=3), large),
        (2, "comm(2)", by_name["Shmem_Team_Split_Strided"].call(stride=0), "at least 1"),
        (2, "comm(2)", by_name["Shmem_Team_Split_2D"].call(xrange=3), large),
        (2, "comm(2)", by_name["Shmem_Collectmem_Synchro"].call(count=2**62), "addressed"),
        (2, "comm(2)", by_name["Shmem_Collectmem_Synchro"].call(count=0), "at least 1"),
        (2, "comm(2)", by_name["Shmem_Team_Broadcast_Synchro"].call(root=2), "ranks 0 to 1"),
        (2, "comm(2)", by_name["Shmem_Test_Any"].call(nelems=0), "at least 1"),
        (2, "comm(2)", by_name["Shmem_Test_Any"].call(nelems=2**31), "may be at most 2147483647"),
        (1, "comm(1)", by_name["Shmem_Put_Signal_Pingpong"].call(), "at least 2 PEs"))

    def refused(case):
        np, where, call, _ = case
        return skampi(script([(where, call)]), np=np, executable=program)

    for (np, where, call, reason), run in in_parallel(cases, refused):
        # What depends on the set leaves out this measurement alone.
        depends = reason in (irregular, large, "ranks 0 to 1", "at least 2 PEs")
        tap.equal(run.status, 3 if depends else 2, f"{call} on {where} of {np} is refused", run)
        word = ": warning: " if depends else ": error: "
        lines = [line for line in run.err.splitlines() if word in line]
        tap.ok(len(lines) == 1 and lines[0].startswith("test.ski:5:") and reason in lines[0],
               f"{call} on {where} of {np}: the message says why", run)


def test_hints(tap, program):
    """Symmetric memory with hints serves as source and as target, and the result says so."""
    for where in ("atomics_remote", "signal_remote"):
        call = f'set_buffer_placement("{where}", "{where}")'
        run = skampi(call + "\n" + script([("comm(2)", "Shmem_Put_Full(1024, 3)"), ("comm(2)", "Shmem_Get_Round(64, 3)")]), np=2,
                     executable=program)
        tap.ok(run.status == 0 and len(run.rows) == 2 and call in run.out, f"{where}: buffers are there, with the right data",
               run)


def test_lost_data(tap, functions):
    """What does not arrive is noticed."""
    losing, errors = build("-DEMULATION_LOSES_DATA")
    if not tap.ok(losing, "the losing emulation is built", errors):
        return
    # Gets are not emulated: they lose nothing.
    moving = [f for f in functions if "count" in f.parameters and "Get_Get" not in f.name]
    run = skampi(script([("comm(2)", f.call()) for f in moving]), np=2, executable=losing)
    tap.equal(run.status, 3, "lost data: status", run)
    tap.equal([row.line for row in run.rows], [], "lost data: no function is measured")


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    functions, unsupported = read_functions()
    tap.ok(len(functions) >= 92, f"{len(functions)} functions need OpenSHMEM 1.5")
    program, errors = harness.program(), ""
    if unsupported:
        tap.equal(unsupported, [function.name for function in functions], "--list says of each which version is needed")
        described = skampi(args=["--describe", unsupported[0]], launch=False)
        tap.ok("\nsupported: no: needs OpenSHMEM 1.5; " in described.out, "... and --describe", described)
        test_unsupported(tap, functions)
        program, errors = build()
    if tap.ok(program, "there is a program with OpenSHMEM 1.5", errors):
        listed = harness.signatures(executable=program)
        tap.ok("unsupported: needs OpenSHMEM" not in listed, "there, nothing needs a later version", listed)
        test_sets(tap, program, functions, 2, [("comm(2)", 2)])
        # Ranks 0 and 3 are no active set, and have a team.
        test_sets(tap, program, functions, 4, [("comm(4)", 4), ("comm2(0, 3)", 2)])
        test_refusals(tap, program, functions)
        test_hints(tap, program)
        run = skampi(harness.with_few_repetitions(read("inputs/openshmem15.ski")), np=2, executable=program,
                     args=["--set", "MAXSIZE=8", "--set", "iterations=2"])
        tap.equal(run.status, 0, "openshmem15.ski: status", run)
        tap.equal([block.name for block in run.blocks if not block.rows], [],
                  "openshmem15.ski: every block has results", run)
        if unsupported:
            test_lost_data(tap, functions)
    tap.done()


main()
