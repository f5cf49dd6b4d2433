#!/usr/bin/env python3
# TIMEOUT: 300
"""Every measurement function on 1, 2 and 4 PEs, on the world and on parts of it."""

import ctypes
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, in_parallel, skampi, skip_all

# Few repetitions: what is tested here is what a result looks like, not how exact it is.
PREAMBLE = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""
BYTES = 5  # no multiple of the collective routines' elements
ITERATIONS = 3
ELEMENT = 4  # bytes of the elements in functions that take their size
# In which the count parameter of a function says that it is counted.
ELEMENTS = {"4-byte element": 4, **{name: ctypes.sizeof(getattr(ctypes, f"c_{name.replace(' ', '')}"))
                                    for name in ("short", "int", "long", "long long", "float",
                                                 "double")}}
# What costs something on the network of test_iterations().
PROGRAMMED = ("post", "quiet", "fence", "fetch", "wait", "test", "barrier", "sync", "reduce",
              "collect", "fcollect", "alltoall", "alltoalls", "allocate", "free", "ctx_create",
              "ctx_destroy", "set_lock", "clear_lock", "test_lock")
SMALL_BLOCK = 4  # bytes, where a function that frees is not told the size


class Function:
    """What --list and --describe say about a measurement function."""

    def __init__(self, name, parameters, description):
        self.name = name
        self.parameters = parameters
        lines = dict(line.split(": ", 1) for line in description.splitlines() if ": " in line)
        self.who = lines["who"]
        self.minimum_pes = int(re.search(r"\d+", lines["PEs"]).group())
        self.api, _, self.api_version = lines["API"].partition(" ")
        self.supported = lines["supported"] == "yes"
        self.known_defect = lines["supported"].startswith("no: known defect")
        self.too_new = lines["supported"].startswith("no: needs ")
        self.cost = lines.get("cost", "")
        whole = re.search(r"rounded up to whole (.*?)s \[bytes\]", description)
        self.element = ELEMENTS.get(whole[1], 1) if whole else 1
        self.once = "repetitions" in lines  # it cannot be repeated

    def call(self, rank=0, count=BYTES, iterations=ITERATIONS):
        values = {"iterations": iterations, "count": count, "nb": count, "root": rank,
                  "size": count, "alignment": 64, "therank": rank, "stride": 3,
                  "element_bytes": ELEMENT, "contexts": 2, "kind": '"put"', "seconds": 0.001,
                  "low": 1e-6, "high": 2e-6, "dwell": 1e-3, "slow": 2e-6, "fast": 1e-6, "calls": 3,
                  "step": 1e-6, "name": '"clock_gettime"', "clock": '""'}
        return f"{self.name}({', '.join(str(values[name]) for name in self.parameters)})"

    def has_rank(self):
        return bool({"root", "therank"} & set(self.parameters))

    def collective(self):
        return re.match(r"Shmem_(Barrier|Sync|Bcast|Collect|Fcollect|Alltoall|Reduce)|"
                        "Memory_Footprint$", self.name) is not None

    def of_all_pes(self):
        """Whether no PE of the job can stay out of it."""
        return re.match(r"Shmem_(Malloc|Calloc|Align|Realloc|Free)", self.name) is not None

    def size(self):
        if re.match(r"Shmem_[PG]_", self.name):
            return 4
        if "element_bytes" in self.parameters:
            return BYTES * ELEMENT
        if "_Atomic_" in self.name:
            return 8 if re.search("_(Long|Double)", self.name) else 4
        if self.of_all_pes():
            block = BYTES if "size" in self.parameters else SMALL_BLOCK
            return block * (BYTES if "nb" in self.parameters else 1)
        if not {"count", "nb"} & set(self.parameters):
            return 0
        return -(-BYTES // self.element) * self.element

    def reporting(self, size, rank):
        """Ranks that have a column of their own."""
        if self.who == "all":
            return set(range(size))
        if self.who == "all but rank 0":
            return set(range(1, size))
        if self.who.startswith("ranks 0, 2, 4"):
            return set(range(0, 2 * max(1, size // 2), 2))
        if self.who == "all but the last rank":
            return set(range(size - 1))
        return {0} if self.who == "rank 0" else {rank}


def read_functions():
    listed = skampi(args=["--list"], launch=False)
    functions = []
    for name, parameters in re.findall(r"^(\w+)\((.*)\)$", listed.out, re.MULTILINE):
        description = skampi(args=["--describe", name], launch=False)
        functions.append(Function(name, re.findall(r"\w+ (\w+)", parameters), description.out))
    return functions


def script(cases):
    """One block a case, its number the name."""
    return PREAMBLE + "".join(
        f'begin measurement "{number}"\n  measure {where} : {call}\nend measurement\n'
        for number, (where, call) in enumerate(cases))


def problems_of(block, function, size, rank):
    """What is wrong with the block's only result."""
    if not block or not block.ended:
        return "no complete block"
    if len(block.rows) != 1:
        return f"{len(block.rows)} result lines"
    row = block.rows[0]
    wrong = []
    if row.bytes != function.size():
        wrong.append(f"{row.bytes} bytes, wanted {function.size()}")
    if not (row.reps == 1 if function.once else 4 <= row.reps <= 12):
        wrong.append(f"{row.reps} repetitions")
    if row.error < 0:
        wrong.append(f"error {row.error}")
    columns = {i for i, value in enumerate(row.per_pe) if value is not None}
    if len(row.per_pe) != size or columns != function.reporting(size, rank):
        wrong.append(f"columns {row.per_pe}")
    # Several PEs may take turns in being the slowest: then the mean of the slowest is above all.
    elif row.time + 0.001 * abs(row.time) < max(v for v in row.per_pe if v is not None):
        wrong.append(f"time {row.time} is not that of the slowest PE")
    conditions = [note for note in row.notes if note.startswith("conditions: ")]
    if len(conditions) != 1 or not conditions[0].startswith(
            f"conditions: {size} PE{'s' if size > 1 else ''} "):
        wrong.append(f"conditions {conditions}")
    return "; ".join(wrong)


def test_sets(tap, functions, np, sets):
    """sets: (name, expression, size, whether collectives work there, ranks to try)."""
    cases, expected = [], []
    for name, expression, size, active, ranks in sets:
        for function in functions:
            if function.minimum_pes > size or (function.collective() and not active) or (
                    function.of_all_pes() and size < np):
                continue
            for rank in ranks if function.has_rank() else [0]:
                cases.append((expression, function.call(rank)))
                expected.append((name, function, size, rank))
    run = skampi(script(cases), np=np, timeout=100)
    tap.equal(run.status, 0, f"{np} PEs: exit status", run)
    tap.equal(run.err, "", f"{np} PEs: nothing on standard error")
    tap.equal(run.unparsed, [], f"{np} PEs: every line is a result or a comment")
    for number, (name, function, size, rank) in enumerate(expected):
        block = run.block(str(number))
        wrong = problems_of(block, function, size, rank)
        tap.ok(not wrong, f"{np} PEs, {name}: {cases[number][1]}",
               "\n".join([wrong] + [r.line for r in block.rows] if block else [wrong]))


def test_numbers_of_pes(tap, functions):
    test_sets(tap, functions, 1, [("world", "MPI_COMM_WORLD", 1, True, [0])])
    test_sets(tap, functions, 2, [("world", "MPI_COMM_WORLD", 2, True, [0, 1])])
    test_sets(tap, functions, 4, [
        ("world", "MPI_COMM_WORLD", 4, True, [2]),
        ("comm(2)", "comm(2)", 2, True, [1]),
        ("comm_from_to(1, 4)", "comm_from_to(1, 4)", 3, True, [2]),
        ("comm2(3, 1)", "comm2(3, 1)", 2, False, [1]),
    ])


def test_refusals(tap, functions):
    """What cannot be measured on a set is left out, with the place and the reason."""
    refused = [(f, 4, "comm2(3, 1)", "active set") for f in functions
               # The reductions come from one list.
               if f.collective() and (f.element == 2 or "Reduce" not in f.name)]
    refused += [(f, 2, "comm(1)", "all PEs of the job") for f in functions if f.of_all_pes()]
    refused += [(f, 1, "MPI_COMM_WORLD", "at least 2 PEs") for f in functions if f.minimum_pes > 1]
    runs = in_parallel(refused, lambda case: skampi(script([(case[2], case[0].call())]), np=case[1]))
    for (function, np, expression, reason), run in runs:
        name = f"{function.name} on {expression} of {np}"
        tap.equal(run.status, 3, f"{name} ends the job with status 3", run)
        tap.ok(not run.rows, f"{name} is not measured", run)
        lines = [line for line in run.err.splitlines() if ": warning: " in line]
        tap.ok(len(lines) == 1 and re.match(r"test\.ski:5:\d+: warning: ", lines[0])
               and function.name in lines[0] and reason in lines[0],
               f"{name}: the message says where and why, once", run)


def test_chosen_iterations(tap, functions):
    """0 iterations leave their number to the engine, which says what it chose."""
    several = [f for f in functions if "iterations" in f.parameters]
    run = skampi(script([("MPI_COMM_WORLD", f.call(1, iterations=0)) for f in several]), np=2)
    tap.equal(run.status, 0, "0 iterations: exit status", run)
    for number, function in enumerate(several):
        block = run.block(str(number))
        wrong = problems_of(block, function, 2, 1)
        notes = [note for row in block.rows for note in row.notes] if block else []
        chosen = [int(m.group(1)) for m in (re.match(r"iterations chosen: (\d+)$", note)
                                            for note in notes) if m]
        tap.ok(not wrong and len(chosen) == 1 and chosen[0] >= 1,
               f"{function.name}: chooses the iterations", f"{wrong}\n{notes}")


def test_acknowledging_tasks(tap):
    call = f"Shmem_Bcast_All_SK({ITERATIONS}, 4, 1)"
    text = PREAMBLE + "".join(
        f'set_sk_tasks({tasks})\nbegin measurement "{tasks}"\n'
        f"measure MPI_COMM_WORLD : {call}\nend measurement\n" for tasks in (0, 1, 2, 3, 99))
    run = skampi(text, np=4)
    tap.equal(run.status, 0, "set_sk_tasks: exit status", run)
    for tasks in (0, 1, 2, 3, 99):
        rows = run.block(str(tasks)).rows if run.block(str(tasks)) else []
        tap.equal([[v is not None for v in row.per_pe] for row in rows],
                  [[False, True, False, False]], f"set_sk_tasks({tasks}): the root reports", run)
        told = [note for row in rows for note in row.notes if "acknowledge" in note]
        wanted = f"{tasks} of 3 ranks acknowledge (set_sk_tasks)"
        tap.equal(told, [wanted] if 0 < tasks < 3 else [],
                  f"set_sk_tasks({tasks}): a note says who acknowledges")
        # Never: a broadcast with its acknowledgment takes more than ten steps of any clock here.
        tap.ok(not any("timer's resolution" in note for row in rows for note in row.notes),
               f"set_sk_tasks({tasks}): regions that time nothing are no reason for a doubt",
               [row.notes for row in rows])


def misses_iterations(functions, np):
    """What is wrong with each function's iterations, on a network where each operation takes a
    known time at least: a block cannot be shorter than its operations, and what is reported is the
    time of one."""
    library = os.path.join(harness.build_directory(), "tests", "libnetwork.so")
    cost_ns, iterations, repetitions = 50000, 80, 4
    cases = [("MPI_COMM_WORLD", f.call(0, iterations=iterations)) for f in functions]
    run = skampi("set_unit(1.0e9)\nchoose_no_synchronization()\n" + script(cases), np=np,
                 timeout=100,
                 env={"LD_PRELOAD": library,
                      "SKAMPI_TRUTH": f"wire=0,bcast=flat:{cost_ns},"
                                      + ",".join(f"{cost}={cost_ns}" for cost in PROGRAMMED)})
    problems = {}
    for number, function in enumerate(functions):
        block = run.block(str(number))
        if not block or not block.ended or len(block.rows) != 1:
            problems[function.name] = f"no result\n{run}"
            continue
        after = run.comments[run.comments.index(f'# end result "{number}"') + 1]
        seconds = float(re.match(r"# duration = ([\d.]+) sec", after).group(1))
        shortest = repetitions * iterations * cost_ns * 1e-9
        if seconds < 0.6 * shortest:
            problems[function.name] = f"{seconds} s for {shortest} s of operations"
        # PEs that wait for each other may take any time on a busy machine.
        elif ((np == 1 or not function.collective())
              and block.rows[0].time > iterations / 2 * cost_ns):
            problems[function.name] = f"not the time of one: {block.rows[0].line}"
    return problems


def test_iterations(tap, functions, np):
    """As many operations as asked for. On as few PEs as possible, since PEs that wait for each
    other in each iteration take long on a busy machine, and once more where something was wrong:
    there the network itself may be off."""
    if not os.path.isfile(os.path.join(harness.build_directory(), "tests", "libnetwork.so")):
        tap.skip("iterations", "the programmed network is not built")
        return
    # A broadcast to nobody costs nothing there.
    several = [f for f in functions if "iterations" in f.parameters and f.api == "OpenSHMEM"
               and f.name != "Shmem_Lock_Contended_Wait"  # waits depend on all PEs
               and (2 if f.name in ("Shmem_Bcast_All_Rounds", "Shmem_Bcast_All_Consecutive")
                    else max(1, f.minimum_pes)) == np]
    problems = {f.name: "" for f in several}
    for _ in range(3):
        problems = misses_iterations([f for f in several if f.name in problems], np)
        if not problems:
            break
    for function in several:
        tap.ok(function.name not in problems, f"{function.name}: does all iterations, reports one",
               problems.get(function.name))


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    functions = read_functions()
    tap.ok(len(functions) >= 38, f"--list names the functions ({len(functions)})")
    expected = {"none": True, "OpenSHMEM": True, "MPI": harness.has("MPI")}
    tap.equal([f.name for f in functions if f.supported != expected[f.api]
               and not (f.known_defect or f.too_new)],
              [], "all that the libraries here have are supported")
    # What OpenSHMEM 1.5 brought has a test of its own.
    # Those of MPI have tests of their own.
    functions = [f for f in functions if f.supported and f.api_version != "1.5"
                 and (f.api != "MPI" or f.name == "Wtime")]
    test_numbers_of_pes(tap, functions)
    test_chosen_iterations(tap, functions)
    test_acknowledging_tasks(tap)
    test_iterations(tap, functions, 1)
    test_iterations(tap, functions, 2)
    test_refusals(tap, functions)
    tap.done()


if __name__ == "__main__":
    main()
