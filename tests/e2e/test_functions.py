#!/usr/bin/env python3
# TIMEOUT: 600
"""Every measurement function works on 1, 2 and 4 PEs, on the world and on a part of it, with the values and the
ranges that its descriptor states."""

import json
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
PREAMBLE_LINES = PREAMBLE.count("\n")
BLOCK_LINES = 3
# Functions whose PEs wait for each other, which may take any time on a busy machine.
WAIT_FOR_EACH_OTHER = "Pingpong|Round_Trip|Bcast|Contended|Handed_Over"
INT_MAX = 2**31 - 1
LARGEST = 1 << 20  # a maximum up to which the largest value is measured, too
MOST_CASES = 200  # in a run
MOST_ERRORS = 20  # that are shown
LONGEST_ELEMENT = 16  # bytes, to which a size may be rounded up
# What costs something on the network of test_iterations().
PROGRAMMED = ("post", "quiet", "fence", "fetch", "wait", "test", "barrier", "sync", "reduce",
              "collect", "fcollect", "alltoall", "alltoalls", "allocate", "free", "ctx_create",
              "ctx_destroy", "set_lock", "clear_lock", "test_lock")


class Function:
    """A descriptor, as `--list -f json` prints it."""

    def __init__(self, descriptor):
        self.name = descriptor["name"]
        self.parameters = descriptor["parameters"]
        self.who = descriptor["who"]
        self.pes = descriptor["pes"]
        self.api = descriptor["api"]
        self.topology = descriptor["topology"]
        self.unsupported = descriptor.get("unsupported")
        self.once = descriptor["once"]  # it cannot be repeated
        self.collective = descriptor["synchronized"] and self.who == "all"

    def values(self, others):
        """Parameter name -> value: those for a first try, but for the others."""
        return {p["name"]: others.get(p["name"], p["example"]) for p in self.parameters}

    def call(self, others):
        values = self.values(others)
        quoted = [json.dumps(values[p["name"]]) if p["type"] == "string" else str(values[p["name"]])
                  for p in self.parameters]
        return f"{self.name}({', '.join(quoted)})"

    def of_type(self, *types):
        return [p for p in self.parameters if p["type"] in types]

    def ranks(self, rank):
        return {p["name"]: rank for p in self.of_type("rank")}

    def reporting(self, size, values):
        """Ranks that have a column of their own; None: the descriptor states it in other words."""
        if self.who in values:
            return {int(values[self.who])}
        known = {"all": range(size), "rank 0": [0], "ranks 0 and 1": [0, 1],
                 "all but rank 0": range(1, size), "all but the last rank": range(size - 1)}
        if self.who.startswith("ranks 0, 2, 4"):
            return set(range(0, 2 * max(1, size // 2), 2))
        return set(known[self.who]) if self.who in known else None


class Case:
    def __init__(self, function, size, where="MPI_COMM_WORLD", others=()):
        self.function = function
        self.size = size
        self.values = function.values(dict(others))
        self.call = function.call(dict(others))
        self.where = where
        if function.topology:
            self.where = f"topology_cartesian({where}, {{{size}}}, {{1}}, 0)"


def read_functions():
    return [Function(descriptor) for descriptor in harness.functions()]


def script(cases):
    """One block a case, its number the name."""
    return PREAMBLE + "".join(
        f'begin measurement "{number}"\n  measure {case.where} : {case.call}\nend measurement\n'
        for number, case in enumerate(cases))


def measured(cases, np):
    """(cases, run) of parts that end in time on a busy machine, too."""
    for at in range(0, len(cases), MOST_CASES):
        part = cases[at:at + MOST_CASES]
        yield part, skampi(script(part), np=np, timeout=100)


def messages(run, number):
    """What standard error says about a case."""
    line = PREAMBLE_LINES + BLOCK_LINES * number + 2
    return [text for text in run.err.splitlines() if text.startswith(f"test.ski:{line}:")]


def wrong_size(function, values, size):
    """What is wrong with the size reported, where its parameters tell it."""
    counts = [p for p in function.of_type("int") if p["name"] == "count" and p.get("unit") == "bytes"]
    if not counts:
        return None
    count = int(values["count"])
    return None if count <= size < count + LONGEST_ELEMENT else f"{size} bytes of {count}"


def problems_of(block, case):
    """What is wrong with the block's only result."""
    function = case.function
    if not block or not block.ended:
        return "no complete block"
    if len(block.rows) != 1:
        return f"{len(block.rows)} result lines"
    row = block.rows[0]
    wrong = []
    if wrong_size(function, case.values, row.bytes):
        wrong.append(wrong_size(function, case.values, row.bytes))
    if not (row.reps == 1 if function.once else 4 <= row.reps <= 12):
        wrong.append(f"{row.reps} repetitions")
    if row.error < 0:
        wrong.append(f"error {row.error}")
    columns = {i for i, value in enumerate(row.per_pe) if value is not None}
    reporting = function.reporting(case.size, case.values)
    if len(row.per_pe) != case.size or not columns or columns != (reporting or columns):
        wrong.append(f"columns {row.per_pe}")
    # Several PEs may take turns in being the slowest: then the mean of the slowest is above all.
    elif row.time + 0.001 * abs(row.time) < max(row.per_pe[i] for i in columns):
        wrong.append(f"time {row.time} is not that of the slowest PE")
    conditions = [note for note in row.notes if note.startswith("conditions: ")]
    if len(conditions) != 1 or not conditions[0].startswith(
            f"conditions: {case.size} PE{'s' if case.size > 1 else ''} "):
        wrong.append(f"conditions {conditions}")
    return "; ".join(wrong)


def check_results(tap, all_cases, np, name):
    """Each case has a good result."""
    for cases, run in measured(all_cases, np):
        check_part(tap, run, cases, name)


def check_part(tap, run, cases, name):
    tap.equal(run.status, 0, f"{name}: exit status", run)
    tap.equal(run.err, "", f"{name}: nothing on standard error but progress")
    tap.equal(run.unparsed, [], f"{name}: every line is a result or a comment")
    for number, case in enumerate(cases):
        block = run.block(str(number))
        wrong = problems_of(block, case)
        tap.ok(not wrong, f"{name}: {case.where} : {case.call}",
               "\n".join([wrong] + [row.line for row in block.rows] if block else [wrong]))


def check_results_or_reasons(tap, all_cases, np, name):
    """Each case has a good result, or one message with its place, its name and a reason."""
    found = 0
    for cases, run in measured(all_cases, np):
        check_part_or_reasons(tap, run, cases, name)
        found += sum(not messages(run, number) for number in range(len(cases)))
    tap.ok(found > len(all_cases) / 4, f"{name}: many are measured ({found} of {len(all_cases)})")


def check_part_or_reasons(tap, run, cases, name):
    tap.ok(run.status in (0, 3), f"{name}: exit status", run)
    for number, case in enumerate(cases):
        said = messages(run, number)
        title = f"{name}: {case.where} : {case.call}"
        if not said:
            wrong = problems_of(run.block(str(number)), case)
            tap.ok(not wrong, title, wrong)
            continue
        tap.ok(len(said) == 1 and re.match(rf"test\.ski:\d+:\d+: (warning|error): .*{case.function.name}",
                                           said[0]) and len(said[0].split(": ")) > 3,
               f"{title}: the message has place and reason, once", said)
        block = run.block(str(number))
        tap.ok(not (block and block.rows), f"{title}: there is no result", said)


def test_numbers_of_pes(tap, all_functions, some):
    """With the values for a first try on 1 and 2 PEs, and with the last rank, wherever one is to be given, on 4."""
    for np, functions in ((1, some), (2, all_functions), (4, some)):
        cases = [Case(f, np, others=f.ranks(np - 1) if np == 4 else ()) for f in functions if f.pes <= np]
        # A library of MPI need not be able to do everything with itself.
        alone = [case for case in cases if np == 1 and case.function.api == "MPI"]
        cases = [case for case in cases if case not in alone]
        check_results(tap, cases, np, f"{np} PEs")
        if alone:
            check_results_or_reasons(tap, alone, np, f"{np} PE, MPI")


def test_parts(tap, functions):
    """On a part of the world a function is measured, or the message says why it cannot be: each on one part, those of a
    family, which stand beside each other, on all."""
    cases = []
    for number, function in enumerate(functions):
        parts = [part for part in (("comm(2)", 2), ("comm_from_to(1, 4)", 3), ("comm2(3, 1)", 2)) if function.pes <= part[1]]
        if parts:
            where, size = parts[number % len(parts)]
            cases.append(Case(function, size, where))
    check_results_or_reasons(tap, cases, 4, "parts")


def test_too_few(tap, functions):
    cases = [Case(f, 1, others=f.ranks(0)) for f in functions if f.pes > 1]
    run = skampi(script(cases), np=1)
    tap.equal(run.status, 3, "too few PEs: exit status", run.err[-2000:])
    for number, case in enumerate(cases):
        said = messages(run, number)
        tap.ok(len(said) == 1 and "at least 2 PEs" in said[0],
               f"too few PEs: {case.call} is refused", said)


def minimum_of(parameter):
    return 0 if parameter["type"] == "rank" else parameter["minimum"]


def test_ends_of_ranges(tap, functions):
    """The smallest values are measured, all together since some belong together; and so is each largest
    one that fits into memory. Where more is asked of a value than a range, it stays as it is."""
    cases = []
    for function in functions:
        free = [p for p in function.of_type("int", "iterations", "rank") if "allowed" not in p]
        smallest = {p["name"]: minimum_of(p) for p in free}
        if any(str(value) != function.values({})[name] for name, value in smallest.items()):
            cases.append(Case(function, 2, others=smallest))
        cases += [Case(function, 2, others={p["name"]: p["maximum"]}) for p in free
                  if p.get("maximum", INT_MAX) <= LARGEST]
    check_results(tap, cases, 2, "ends of ranges")


def test_below(tap, functions):
    """A value below the range is an error of the script, found before anything runs."""
    cases = [(Case(f, 2, others={p["name"]: minimum_of(p) - 1}), p) for f in functions
             for p in f.of_type("int", "iterations", "rank")]
    parts = [cases[at:at + MOST_ERRORS] for at in range(0, len(cases), MOST_ERRORS)]
    runs = in_parallel(parts, lambda part: skampi(script([case for case, _ in part]), args=["-n"],
                                                  launch=False))
    for part, run in runs:
        tap.equal(run.status, 2, "below the range: exit status", run.err[-2000:])
        for number, (case, p) in enumerate(part):
            said = messages(run, number)
            tap.ok(len(said) == 1 and f"({p['name']}) must be at least {minimum_of(p)}" in said[0],
                   f"below the range: {case.call}", said)


def test_ranks(tap, functions):
    """A rank that is not in the set is refused; the script goes on. tests/unit/test_descriptors.c does
    the same with other values above their range."""
    cases = [(Case(f, 2, others={p["name"]: 2}), p) for f in functions for p in f.of_type("rank")]
    run = skampi(script([case for case, _ in cases]), np=2, timeout=100)
    tap.equal(run.status, 3, "ranks: exit status", run.err[-2000:])
    tap.equal(run.rows, [], "ranks: there are no results")
    for number, (case, p) in enumerate(cases):
        said = messages(run, number)
        tap.ok(len(said) == 1 and ": warning: " in said[0]
               and f"{p['name']} is 2, but the communicator has only" in said[0],
               f"ranks: {case.call} is refused", said)


def test_chosen_iterations(tap, functions):
    """0 iterations leave their number to the engine, which says what it chose."""
    cases = [Case(f, 2, others={p["name"]: 0}) for f in functions for p in f.of_type("iterations")]
    run = skampi(script(cases), np=2, timeout=100)
    tap.equal(run.status, 0, "0 iterations: exit status", run)
    for number, case in enumerate(cases):
        block = run.block(str(number))
        notes = [note for row in block.rows for note in row.notes] if block else []
        chosen = [int(m.group(1)) for m in (re.match(r"iterations chosen: (\d+)$", note)
                                            for note in notes) if m]
        tap.ok(len(chosen) == 1 and chosen[0] >= 1,
               f"{case.function.name}: chooses the iterations", notes)


def misses_iterations(functions, np):
    """What is wrong with each function's iterations, on a network where each operation takes a
    known time at least: a block cannot be shorter than its operations, and what is reported is the
    time of one."""
    library = os.path.join(harness.build_directory(), "tests", "libnetwork.so")
    cost_ns, iterations, repetitions = 50000, 40, 4
    cases = [Case(f, np, others={p["name"]: iterations for p in f.of_type("iterations")})
             for f in functions]
    run = skampi("set_unit(1.0e9)\nchoose_no_synchronization()\n" + script(cases), np=np,
                 timeout=100,
                 env={"LD_PRELOAD": library,
                      "SKAMPI_TRUTH": f"clock=simulated,wire=0,bcast=flat:{cost_ns},"
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
        elif ((np == 1 or not (function.collective or re.search(WAIT_FOR_EACH_OTHER, function.name)))
              and block.rows[0].time > iterations / 2 * cost_ns):
            problems[function.name] = f"not the time of one: {block.rows[0].line}"
    return problems


def test_iterations(tap, functions):
    """As many operations as asked for, by a simulated clock. Where something is wrong on one PE, on 2: alone, some
    operations cost nothing."""
    if not os.path.isfile(os.path.join(harness.build_directory(), "tests", "libnetwork.so")):
        tap.skip("iterations", "the programmed network is not built")
        return
    several = [f for f in functions if f.of_type("iterations") and f.api == "OpenSHMEM"]
    problems = {f.name: "" for f in several}
    for np in (1, 2):
        left = [f for f in several if f.name in problems]
        possible = [f for f in left if f.pes <= np]
        problems = {f.name: "" for f in left if f not in possible}
        problems.update(misses_iterations(possible, np) if possible else {})
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
    tap.equal([f.name for f in functions if (not f.unsupported) != expected[f.api]
               and not re.match("known defect|needs |several threads", f.unsupported or "")],
              [], "all that the libraries here have are supported")
    functions = [f for f in functions if not f.unsupported]
    some = functions[::8] if harness.SAMPLE else functions
    test_numbers_of_pes(tap, functions, some)
    test_parts(tap, some)
    test_too_few(tap, functions)
    test_ends_of_ranges(tap, some)
    test_below(tap, some)
    test_ranks(tap, some)
    test_chosen_iterations(tap, some)
    test_iterations(tap, some)
    tap.done()


main()
