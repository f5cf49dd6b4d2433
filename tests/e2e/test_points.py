#!/usr/bin/env python3
# TIMEOUT: 300
"""Every point that was asked for has a record: a result, or that it is missing, and why."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import harness
from harness import Tap, block, in_parallel, skampi, write_text
from skampi_tools import results
from skampi_tools.report import verdicts

QUICK = """set_min_repetitions(4)
set_max_repetitions(4)
choose_no_synchronization()
"""
FORMATS = ("sko", "csv", "json")
OUTPUTS = [word for suffix in FORMATS for word in ("-o", f"out.{suffix}")]
LISTED = 1000  # of what is left out in a run


def files_of(run):
    return {suffix: results.read(run.path(f"out.{suffix}")) for suffix in FORMATS}


def missing_of(file, name):
    """(kind, first argument, points) of what is missing in a block."""
    return [(r["kind"], re.search(r'\((?:\w+=)?"?(-?\w+)', r["call"]).group(1), r.get("points", 1))
            for r in file.records if r["record"] == "missing" and r.get("block") == name]


def sizes_of(file, name):
    return [r.bytes for r in file.results if r.block == name]


def check_same(tap, files, wanted, name):
    """What is missing by block, in every format."""
    for suffix, file in files.items():
        for within, expected in wanted.items():
            tap.equal(missing_of(file, within), expected, f"{name}: missing in {within}, {suffix}")
        tap.equal(file.missing(), sum(points for expected in wanted.values()
                                      for _, _, points in expected),
                  f"{name}: nothing else is missing, {suffix}")


def test_too_large(tap):
    """MPI's functions would need twice the buffer."""
    function = "Shmem_Put_Full(c, 5)" if harness.has("SHMEM") else None
    if not function:
        tap.skip("too large", "built without OpenSHMEM")
        return
    measure = f"measure comm(2) : {function}"
    huge = (64 << 30) // 8 - 1024 // 8  # that do not fit
    run = skampi(QUICK + "set_skampi_buffer(1kb)\n"
                 + block("list", f"for c in [8, 4096, 16] do {measure} od")
                 + block("iterator", f"for c in range(1023, 1027) do {measure} od")
                 + block("limited", f"for c = 256 to 8kb step *2 do {measure} od")
                 + block("downward", f"for c = 4kb to 256 step *0.5 do {measure} od")
                 + block("open", f"for c = 256 to ... step *2 do {measure} od")
                 + block("nested", f"for a in [1, 2kb, 2] do for b = 256 to ... step *2 do c = a * b "
                                   f"{measure} od od")
                 + block("open first", f"for c = 2kb to ... step *2 do {measure} od")
                 + block("no loop", measure.replace("c,", "2000,"))
                 + block("huge", f"for c = 1016 to 64gb step 8 do {measure} od")
                 + block("after", "measure comm(2) : Shmem_Put_Full(1025, 5)"
                                  "measure comm(2) : Shmem_Put_Full(8, 5)"),
                 np=2, args=OUTPUTS)
    tap.equal(run.status, 3, "too large: status 3", run)
    listed = 2 + 3 + 2 + 1 + 1 + 1 + 1  # before the huge block
    wanted = {
        "list": [("too_large", "4096", 1)],
        "iterator": [("too_large", "1025", 1), ("too_large", "1026", 1)],
        "limited": [("too_large", str(n), 1) for n in (2048, 4096, 8192)],
        "downward": [("too_large", str(n), 1) for n in (4096, 2048)],
        "open": [],
        "nested": [("too_large", str(2048 * 256), 1)],
        "open first": [("too_large", "2048", 1)],
        "no loop": [("too_large", "2000", 1)],
        "huge": [("too_large", str(1032 + 8 * i), 1) for i in range(LISTED - listed)]
                + [("too_large", str(1032 + 8 * (LISTED - listed - 1)), huge - (LISTED - listed))],
        "after": [("too_large", "1025", 1)],
    }
    files = files_of(run)
    check_same(tap, files, wanted, "too large")
    file = files["json"]
    for name, sizes in (("list", [8, 16]), ("limited", [256, 512, 1024]), ("open", [256, 512, 1024]),
                        ("downward", [1024, 512, 256]), ("iterator", [1023, 1024]),
                        ("nested", [256, 512, 1024, 512, 1024]), ("huge", [1016, 1024]),
                        ("after", [8])):
        tap.equal(sizes_of(file, name), sizes, f"too large: what fits is measured, {name}", run)
    tap.equal(file.end["missing"], file.missing(), "too large: the end record counts them")
    reasons = [r["reason"] for r in file.records if r["record"] == "missing"]
    tap.ok(all("set_skampi_buffer gives only 1024" in reason for reason in reasons),
           "too large: every record has its reason", reasons[:3])
    lines = run.err.splitlines()
    places = [line.split(": warning: ")[0] for line in lines if ": warning: " in line]
    tap.ok(len(lines) == len(places) == len(set(places)) == 9,
           "too large: one warning for each measure that left something out", run)


def test_memory(tap):
    """What needs more than --memory is missing; what comes after it is measured in memory given back."""
    if not harness.has("SHMEM"):
        tap.skip("--memory", "built without OpenSHMEM")
        return
    put = "measure comm(2) : Shmem_Put_Full({}, 5)\n"
    run = skampi(QUICK + "set_skampi_buffer(400kb)\n" + block("fits", put.format(8))
                 + "set_skampi_buffer(8kb)\n"
                 + block("own", "for n = 1kb to 4mb step *4096 do measure comm(2) : Shmem_Malloc(2, n) od")
                 + block("open", f"for n = 512 to ... step *4 do {put.format('n')} od")
                 + "set_skampi_buffer(8mb)\n" + block("large", put.format(8))
                 + "set_skampi_buffer(200kb)\n" + block("again", put.format(8)),
                 np=2, args=["--memory", "1mb", *OUTPUTS])
    tap.equal(run.status, 3, "--memory: status 3", run)
    files = files_of(run)
    check_same(tap, files, {"own": [("too_large", "2", 1)], "open": [],
                            "large": [("too_large", "8", 1)]}, "--memory")
    for name, sizes in (("fits", [8]), ("open", [512, 2048, 8192]), ("again", [8])):
        tap.equal(sizes_of(files["json"], name), sizes, f"--memory: what fits is measured, {name}", run)
    reasons = [r["reason"] for r in files["json"].records if r["record"] == "missing"]
    tap.ok(len(reasons) == 2 and all("--memory allows only 1048576" in reason for reason in reasons),
           "--memory: every record has its reason", reasons)
    for wrong in ("0", "-1", "1tb", "mb", "99999999999gb"):
        run = skampi("x = 1\n", np=1, args=["--memory", wrong])
        tap.ok(run.status == 2 and f"--memory {wrong}: give a number of bytes above 0" in run.err,
               f"--memory {wrong} is refused", run)


def test_refused(tap):
    """Sets and ranks that a function cannot work with."""
    shmem, mpi = harness.has("SHMEM"), harness.has("MPI")
    blocks, wanted = "", {}
    if mpi:
        blocks += block("procs", "for procs = 1 to 4 do measure comm(procs) : "
                                 "Win_start(procs, MPI_INT, MPI_INFO_NULL, 0) od")
        wanted["procs"] = [("not_measurable", "1", 1), ("not_measurable", "4", 1)]
        blocks += block("mpi root", "for root = 0 to 3 do measure comm(2) : Bcast(1, MPI_INT, root) od")
        wanted["mpi root"] = [("not_measurable", "1", 1)] * 2
        blocks += block("types", 'for t in [1, MPI_INT, "a", 2.5, comm(1), MPI_SUM, MPI_INFO_NULL] do measure comm(2) : Bcast(9, t, 0) od')
        wanted["types"] = [("not_measurable", "9", 1)] * 6
    if shmem:
        blocks += block("active sets", "for s in [comm2(0, 1), comm2(1, 0), comm(2)] do "
                                       "measure s : Shmem_Bcast_All(7, 4, 0) od")
        wanted["active sets"] = [("not_measurable", "7", 1)]
        blocks += block("root", "for root in [0, 2, 1] do measure comm(2) : "
                                "Shmem_Bcast_All(5, 4, root) od")
        wanted["root"] = [("not_measurable", "5", 1)]
        blocks += block("values", 'for x in [-3, 4, "a"] do measure comm(2) : '
                                  "Shmem_Put_Full(x, 5) od")
        wanted["values"] = [("not_measurable", "-3", 1), ("not_measurable", "a", 1)]
    blocks += block("last", "measure comm(1) : wtime(10)")
    run = skampi(QUICK + blocks, np=3, args=OUTPUTS)
    tap.equal(run.status, 3, "not measurable: status 3", run)
    files = files_of(run)
    for name in wanted:
        for suffix, file in files.items():
            tap.equal(missing_of(file, name), wanted[name], f"not measurable: {name}, {suffix}", run)
    file = files["json"]
    done = {name: len(sizes_of(file, name)) for name in wanted}
    tap.equal(done, {name: {"procs": 2, "mpi root": 2, "types": 1, "active sets": 2, "root": 2,
                            "values": 1}[name] for name in wanted},
              "not measurable: the loops go on", run)
    tap.equal(len(sizes_of(file, "last")), 1, "not measurable: the script goes on", run)
    tap.equal(file.end["missing"], sum(map(len, wanted.values())),
              "not measurable: the end record counts them")
    tap.equal(len(re.findall(r"^test\.ski:\d+:\d+: warning: ", run.err, re.MULTILINE)), len(wanted),
              "not measurable: one warning for each measure", run)


# Constants that no set of PEs could go with.
NEVER = [("MPI", 'Win_memory(1, 8, "none")', '"shared"'),
         ("MPI", "Send_Recv(1, MPI_INT, 40000, MPI_INT)", None),
         ("MPI", "Reduce(1, MPI_DOUBLE, MPI_BAND, 0)", "MPI_BAND"),
         ("SHMEM", 'First_Call("dance")', None),
         ("SHMEM", "Shmem_Put_Full(-1, 5)", "at least 0")]


def test_never(tap):
    cases = [(call, words) for need, call, words in NEVER if harness.has(need)
             and not call.startswith("Send_Recv")]
    for (call, words), run in in_parallel(cases, lambda case: skampi(
            QUICK + block("b", f"measure comm(2) : {case[0]}"), np=2)):
        tap.equal(run.status, 2, f"{call}: a constant that never works is an error", run)
        errors = [line for line in run.err.splitlines() if ": error: " in line]
        tap.ok(len(errors) == 1 and errors[0].startswith("test.ski:5:") and (words or "") in errors[0],
               f"{call}: one message with its place", run)


def test_open_loops(tap):
    """All broadcasts, whose data are in the receive buffer alone."""
    if not harness.has("MPI"):
        tap.skip("open loops over broadcasts", "built without MPI")
        return
    listed = harness.signatures("*cast*")
    calls = re.findall(r"^(\w+)\(int count, datatype datatype, int root\)", listed, re.MULTILINE)
    tap.ok({"Bcast", "Bcast_using_Send_Recv", "Ibcast_Full"} <= set(calls),
           "there are broadcasts", listed)
    run = skampi(QUICK + "set_skampi_buffer(1kb)\n" + "".join(
        block(name, f'if is_supported("{name}") then for count = 1 to ... step *sqrt(2) do '
                    f"measure comm_all : {name}(count, MPI_INT, 0) od fi") for name in calls).replace(
                        "comm_all", "MPI_COMM_WORLD"), np=2, args=["-o", "out.json"])
    tap.equal((run.status, run.err), (0, ""), "open loops over broadcasts end", run)
    file = results.read(run.path("out.json"))
    tap.equal((file.missing(), file.end["missing"]), (0, 0), "they leave out nothing")
    most = {name: max(sizes_of(file, name), default=0) for name in calls}
    tap.ok(all(size in (0, 492, 696, 512, 360) or 256 <= size <= 1024 for size in most.values())
           and most["Bcast"] > 0, "they go on until the buffer is full", most)


def test_arguments(tap):
    """As existing scripts call the delayed ones."""
    if not harness.has("MPI"):
        tap.skip("arguments of the classic functions", "built without MPI")
        return
    calls = ["Win_fence_close_delayed(8, MPI_INT, MPI_INFO_NULL, 2, 10)",
             "Win_start_delayed_post(8, MPI_INT, MPI_INFO_NULL, 0, 10, 1)",
             "Win_complete_delayed_wait(8, MPI_INT, MPI_INFO_NULL, 0, 1, 10)",
             "Win_wait_delayed_complete(8, MPI_INT, MPI_INFO_NULL, 0, 1, 10)",
             "Win_test(8, MPI_INT, MPI_INFO_NULL, 0, 1)",
             "Win_test_delayed(8, MPI_INT, MPI_INFO_NULL, 0, 1, 10)",
             "Win_test_delayed(8, MPI_INT, MPI_INFO_NULL, 0, 0, 10)",
             "delayed_Alltoall(8, MPI_INT, 8, MPI_INT, 0.00001, 1)",
             "delayed_Gather(8, MPI_INT, 8, MPI_INT, 0, 0.00001, 1)"]
    run = skampi(QUICK + block("b", "\n".join(f"measure comm(2) : {call}" for call in calls)), np=2)
    tap.equal((run.status, run.err, len(run.rows)), (0, "", len(calls)),
              "delayed functions take the arguments of existing scripts", run)


def test_heap(tap):
    """A symmetric heap that is too small for one measurement."""
    if not harness.has("SHMEM"):
        tap.skip("a small symmetric heap", "built without OpenSHMEM")
        return
    small = {"SHMEM_SYMMETRIC_HEAP_SIZE": "8M", "SHMEM_SYMMETRIC_SIZE": "8M"}
    put = "measure MPI_COMM_WORLD : Shmem_Put_Full({}, 5)"
    run = skampi(QUICK + "set_skampi_buffer(64kb)\n" + block("before", put.format(8))
                 + "set_skampi_buffer(64mb)\n" + block("large", put.format(8) + "\n" + put.format(16))
                 + block("open", "for count = 8 to ... step *2 do " + put.format("count") + " od")
                 + "set_skampi_buffer(64kb)\n" + block("after", put.format(64)),
                 np=2, args=OUTPUTS, env=small)
    tap.equal(run.status, 3, "a small heap: status 3", run)
    files = files_of(run)
    check_same(tap, files, {"before": [], "large": [("failed", "8", 1), ("failed", "16", 1)],
                            "open": [("failed", "8", 1)], "after": []}, "a small heap")
    tap.equal([sizes_of(files["json"], name) for name in ("before", "large", "after")],
              [[8], [], [64]], "a small heap: the rest is measured", run)
    reasons = [r["reason"] for r in files["json"].records if r["record"] == "missing"]
    variable = r"SHMEM_SYMMETRIC_(HEAP_)?SIZE"
    tap.ok(all(re.search(r"needs 1342\d{5} bytes of symmetric memory", reason)
               and re.search(variable, reason) for reason in reasons),
           "a small heap: bytes and the variable are named", reasons)


def test_ends(tap):
    """Nobody knows how much is missing when a run is ended before its time."""
    body = block("a", "measure comm(1) : wtime(10)") + block(
        "b", "set_max_repetitions(1000000) set_max_relative_standard_error(0.0) "
             "for i = 1 to 100 do measure comm(1) : wtime(10) od")
    cases = {
        "SIGTERM": lambda: stopped(QUICK + body, "TERM"),
        "crash": lambda: stopped(QUICK + body, "SEGV"),
        "an error": lambda: skampi(QUICK + block("a", "measure comm(1) : wtime(10) x = 1 / (get_np() - "
                                                 "get_np())"), np=1, args=OUTPUTS),
        "time limit": lambda: skampi(QUICK + body, np=1, args=[*OUTPUTS, "--time-limit", "5"]),
        "time limit in an open loop": lambda: skampi(
            QUICK + body.replace("100 do measure comm(1) : wtime(10)",
                                 "... do measure comm(1) : wtime(i)"),
            np=1, args=[*OUTPUTS, "--time-limit", "5"]),
        "the end": lambda: skampi(QUICK + block("a", "measure comm(1) : wtime(10)"), np=1,
                                  args=OUTPUTS),
    }
    for name, run in zip(cases, [start() for start in cases.values()]):
        with open(run.path("out.json"), encoding="utf-8") as lines:
            end = json.loads(lines.readlines()[-1])
        known = name in ("the end", "time limit")
        if known:
            tap.equal((end["results"] + end["missing"], "missing_at_least" in end),
                      (101 if name == "time limit" else 1, False), f"{name}: counted", end)
        else:
            tap.ok(end["missing"] is None and end["missing_at_least"] >= 0,
                   f"{name}: the number of missing results is unknown", end)
        for suffix in ("sko", "json"):
            file = results.read(run.path(f"out.{suffix}"))
            told = next(x for x in verdicts.check_results(file) if x.check == "Nothing is missing")
            if name == "the end":
                tap.equal((told.state, told.text), ("ok", "every measurement has a result"),
                          f"{name}: the report says that nothing is missing, {suffix}")
            else:
                tap.ok(told.state == "doubtful" and "every measurement" not in told.text
                       and (known or "more may be" in told.text),
                       f"{name}: the report says that results are missing, {suffix}", told)
            tap.equal(verdicts.missing_text([file]) == "none missing", name == "the end",
                      f"{name}: so does its summary, {suffix}", verdicts.missing_text([file]))
            tap.equal(file.end.get("missing"), end.get("missing"), f"{name}: {suffix} reads the same")
            converted = run.path("converted.json")
            results.write(file, converted, "json")
            tap.equal(results.read(converted).end.get("missing"), end.get("missing"),
                      f"{name}: converted, {suffix}")


def stopped(script, name):
    """One PE without a launcher, which gets the signal when it measures."""
    folder = harness.scratch_directory()
    write_text(os.path.join(folder, "test.ski"), script)
    return harness.run(["sh", "-c", '"$0" "$@" & for i in $(seq 500); do sleep 0.1; '
                        'grep -q "begin result .b" out.sko && break; done; sleep 0.3; '
                        f'kill -{name} $!; wait $!; true', harness.program(), "-i", "test.ski",
                        *OUTPUTS], cwd=folder, env=harness.launch_environment())


def test_warnings(tap):
    """What is no error, but hardly meant: once, with its place."""
    lines = [
        ("for i = 10 to 1 step @@2 do od", "change the sign"),
        ("for i = 1 to 10 step @@-1 do od", "change the sign"),
        ("for i = 16 to 1 step *@@2 do od", "factor"),
        ("for count = 1 to 8 do measure comm(1) : Shmem_Put_Round(10, @@count) od", "swapped"),
        ("for n = 1 to ... do measure comm(1) : Shmem_Put_Round(10, @@n) od", "swapped"),
        ("for size in [1, 8] do measure comm(1) : Shmem_Bcast_All(@@size, 64, 0) od", "swapped"),
        ("for i = @@5 to 1 do od", "give a step below 0"),
        ("for i = 1 to get_np() - 9 step 1 do od", None),
        ("for i = 10 to 1 step -2 do od", None),
        ("for n = 1 to 8 do measure comm(1) : Shmem_Put_Round(10, n) od", None),
        ("for count in [1, 8] do for iterations in [1, 8] do "
         "measure comm(1) : Shmem_Put_Round(count, iterations) od od", None),
    ]
    body = "\n".join(text for text, _ in lines)
    run = skampi(block("b", body.replace("@@", "")), args=["-n"], launch=False)
    wanted = [(str(i + 2), str(text.index("@@") + 1), words) for i, (text, words) in enumerate(lines)
              if words]
    found = re.findall(r"^test\.ski:(\d+):(\d+): warning: (.*)$", run.err, re.MULTILINE)
    tap.ok(len(found) == len(wanted) and all(
        place[:2] == good[:2] and good[2] in place[2] for place, good in zip(found, wanted)),
        "warnings with their places, no false ones", run)
    tap.equal(run.status, 0, "warnings are no errors", run)
    for np in (1, 3):
        run = skampi(QUICK + block("b", "for i = 10 to 1 step 2 do od\nmeasure comm(1) : wtime(5)"),
                     np=np)
        tap.equal((run.status, len(run.rows), run.err.count("warning: ")), (0, 1, 1),
                  f"a warning is given once, {np} PEs", run)
    for script in harness.tracked_files("inputs/*.ski", "inputs/figures/*.ski"):
        run = skampi(args=["-n", "-i", os.path.join(harness.ROOT, script)], launch=False)
        tap.equal((run.status, run.err), (0, ""), f"{script}: no warning", run)


def main():
    tap = Tap()
    test_warnings(tap)
    test_too_large(tap)
    test_memory(tap)
    test_refused(tap)
    test_never(tap)
    test_open_loops(tap)
    test_arguments(tap)
    test_heap(tap)
    test_ends(tap)
    tap.done()


main()
