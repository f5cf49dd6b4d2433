#!/usr/bin/env python3
# LONG
# PLAIN
"""scripts/skampi-guidelines finds what is slower than the same made of other operations, where
intervals say so; its rules name functions that there are."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, read_text, run, scratch_directory, unread_status, write_text
from made_results import point, records, write, write_records
from made_states import FOUR, in_parts, in_rounds, in_state, states_of
from skampi_tools.guidelines.rules import read as read_rules

GUIDELINES = os.path.join(ROOT, "scripts/skampi-guidelines")
RULES = os.path.join(ROOT, "scripts/guidelines.json")
tap = Tap()
folder = scratch_directory()


def in_folder(name):
    return os.path.join(folder, name)


def tool(*arguments, **more):
    return run([GUIDELINES, *arguments], cwd=folder, **more)


def save(name, text):
    write_text(in_folder(name), text if isinstance(text, str) else json.dumps(text))
    return name


def checked(points, *arguments):
    write(in_folder("p.json"), points)
    return json.loads(tool("p.json", "--json", "-", *arguments).out)


def sweep(function, times, **arguments):
    """Results at sizes 4, 16, 64, ... of so many seconds."""
    return [point("b", function, {"count": 4 ** (n + 1), **arguments, "iterations": n}, time)
            for n, time in enumerate(times)]


def found(points, *arguments):
    """(rule, size, factor) of each violation."""
    return [(v["rule"], v["left"][0]["arguments"].get("count"), round(v["factor"], 6))
            for v in checked(points, *arguments)["violations"]]


MONOTONE = "larger messages take no less time"
tap.equal(found(sweep("Shmem_Put_Full", [1e-6, 1.1e-6, 2e-6])), [], "times that grow")
tap.equal(found(sweep("Shmem_Put_Full", [3e-6, 4e-6, 2e-6])), [(MONOTONE, 16, 2), (MONOTONE, 4, 1.5)],
          "times that fall: each size against the fastest larger one, the largest factor first")
tap.equal(found(sweep("Shmem_Put_Nonblocking_Quiet", [3e-6, 4e-6, 2e-6])), [], "... not for what is excepted")
tap.equal(found(sweep("Shmem_Put_Full", [1e-6, 4.8e-6])),
          [("four times the size takes no more than four of the size", 16, 1.2)], "split-robust")

overlapping = sweep("Shmem_Put_Full", [1.06e-6, 1e-6])  # intervals of 2 % to both sides
result = checked(overlapping)
tap.ok(not result["violations"] and sum(r["unclear"] for r in result["rules"]) == 1,
       "where intervals overlap nothing is violated, but unclear", result)
tap.equal(len(found(overlapping, "--tolerance", "0%")), 1, "--tolerance")

linear = [point("b", "Shmem_Bcast_All_Synchro", {"count": 64, "root": 0}, 5e-6),
          point("b", "Shmem_Put_One_To_All_Full", {"count": 64, "iterations": 7}, 1e-6),
          point("b", "Shmem_Barrier", {}, 1e-6)]
BROADCAST = "broadcast <= the same by a put to each PE and a barrier"
tap.equal(found(linear), [(BROADCAST, 64, 2.5)], "a sum; PEs less one")
three = [{**p, "pe_set": {"size": 5, "members": "0-4", "placement": "on one node"}} for p in linear]
tap.equal(found(three), [], "... on 5 PEs four puts are needed, and it holds")
tap.equal(found([linear[0], linear[1], three[2]]), [], "operations on other PEs are no match")
tap.equal(found([linear[0], {**linear[1], "arguments": {"count": {"value": 32, "unit": ""}}}, linear[2]]),
          [], "nor those of another size")
tap.equal(found([{**linear[0], "cache": "cold"}, *linear[1:]]), [], "nor those with another cache")

# The wanted rules of the literature, each violated once.
for text, points in (
        ("fcollect <= collect", [point("b", "Shmem_Fcollect_Barrier", {"iterations": 1, "count": 8}, 2e-6),
                                 point("b", "Shmem_Collect_Barrier", {"iterations": 2, "count": 8}, 1e-6)]),
        ("put_nbi and quiet <= put and quiet", sweep("Shmem_Put_Nonblocking_Full", [2e-6])
         + sweep("Shmem_Put_Full", [1e-6])),
        ("get_nbi and quiet <= get and an empty quiet", sweep("Shmem_Get_Nonblocking_Full", [2e-6])
         + sweep("Shmem_Get_Round", [1e-6]) + [point("b", "Shmem_Quiet", {"iterations": 0}, 1e-7)]),
        ("barrier <= quiet and sync", [point("b", "Shmem_Barrier", {}, 3e-6),
                                       point("b", "Shmem_Sync", {}, 1e-6),
                                       point("b", "Shmem_Quiet", {"iterations": 0}, 1e-7)]),
        ("iput of ints <= a loop of p and a quiet",
         sweep("Shmem_Iput_Elements_Round", [9e-6], stride=2, element_bytes=4)
         + [point("b", "Shmem_P_Call", {"iterations": 0}, 1e-6), point("b", "Shmem_Quiet", {}, 1e-6)]),
        ("p <= put of one int", [point("b", "Shmem_P_Full", {"iterations": 0}, 2e-6)]
         + sweep("Shmem_Put_Full", [1e-6])),
        ("contiguous <= strided, of as many bytes", sweep("Shmem_Put_Round", [2e-6])
         + sweep("Shmem_Iput_Round", [1e-6], stride=2)),
        ("reduction for all <= reduction to one, made of gets that count twice, and broadcast",
         sweep("Shmem_Reduce_And_Synchro", [9e-6]) + sweep("Shmem_Get_One_To_All", [1e-6])
         + sweep("Shmem_Bcast_All_Synchro", [1e-6], root=0) + [point("b", "Shmem_Barrier", {}, 1e-6)]),
        ("MPI: reduction to all <= reduction and broadcast",
         [point("b", name, {"count": 8, "datatype": "MPI_INT", **more}, time) for name, more, time in (
             ("Allreduce", {"op": "MPI_SUM"}, 9e-6), ("Reduce", {"op": "MPI_SUM", "root": 0}, 2e-6),
             ("Bcast", {"root": 0}, 2e-6))]),
        ("MPI: broadcast <= scatter and gather to all",
         [point("b", "Bcast", {"count": 8, "datatype": "MPI_INT", "root": 0}, 9e-6)]
         + [point("b", name, {"s_count": 4, "s_datatype": "MPI_INT", "r_count": 4, **more}, 2e-6)
            for name, more in (("Scatter", {"root": 0}), ("Allgather", {}))]),
        ("MPI: gather <= gather to all",
         [point("b", name, {"s_count": 4, "s_datatype": "MPI_INT", **more}, time)
          for name, more, time in (("Gather", {"root": 0}, 9e-6), ("Allgather", {}, 2e-6))]),
        ("elements of 8 bytes <= as many bytes in elements of 4",
         [point("b", "Shmem_Put_Elements_Round", {"count": 4, "element_bytes": 8}, 2e-6),
          point("b", "Shmem_Put_Elements_Round", {"count": 8, "element_bytes": 4}, 1e-6)])):
    tap.ok(any(rule == text for rule, _, _ in found(points)), f"violated: {text}", found(points))

# Intervals: of launches, of rounds, of errors; none.
for number, time in enumerate((2.0e-6, 2.1e-6, 0.9e-6, 2.2e-6, 2.0e-6, 2.1e-6)):
    write(in_folder(f"l{number}.json"), sweep("Shmem_Put_Full", [time, 1e-6]))
files = [f"l{n}.json" for n in range(6)]
for count, violations in ((6, 0), (2, 1), (3, 0)):
    got = json.loads(tool(*files[:count], "--json", "-").out)
    tap.equal(len(got["violations"]), violations, f"{count} launches: {violations} violations", got)
tap.equal(len(json.loads(tool(*[f for f in files if f != "l2.json"], "--json", "-").out)["violations"]), 1,
          "five launches that agree: 1 violation")
rounds = [{**p, "record": "rounds", "rounds": 10, "medians": [p["median"]] * 10, "reached": 0.97}
          for p in sweep("Shmem_Put_Full", [2e-6, 1e-6])]
tap.ok(len(found(rounds)) == 1 and checked(rounds)["cautions"] == [], "rounds")
bare = [{**p, "median_low": None, "median_high": None} for p in sweep("Shmem_Put_Full", [2e-6, 1e-6])]
tap.equal(len(found(bare)), 1, "standard errors, where there is nothing else")
none = [{**p, "standard_error": None} for p in bare]
result = checked(none)
tap.ok(not result["violations"] and result["rules"][0]["undecided"] == 1, "no interval: not decided", result)
result = checked(sweep("Shmem_Put_Full", [2e-6, 0.0, -1e-9]) + [
    {**p, "time": None, "median": None} for p in sweep("Shmem_Get_Round", [1e-6])])
tap.ok(not result["violations"], "times that are not above 0 are not compared", result)
tap.equal(found([{**p, "quantity": "bytes"} for p in sweep("Shmem_Put_Full", [2e-6, 1e-6])]), [],
          "bytes are no times")

# ---- States of the machine: only what was measured in the same one is compared ----


def in_states(points, *arguments, name="s.json", shares=None, values=None):
    lines = records(points)
    lines[-1:-1] = states_of(shares or {1: 0.6, 2: 0.4}, values)
    write_records(in_folder(name), lines)
    return counted(tool(name, "--json", "-", *arguments))


def counted(made_by):
    """What was found, and of which rules anything was."""
    got = json.loads(made_by.out)
    return {"violations": got["violations"], **{
        rule_["rule"]: rule_ for rule_ in got["rules"] if any(rule_[k] for k in ("points", "undecided", "apart"))}}


def barriers(left, right):
    """barrier <= quiet and sync; times of the barrier and of the others, by state."""
    return [made(point("b", function, arguments, 1e-6), times) for function, arguments, times in (
        ("Shmem_Barrier", {}, left), ("Shmem_Sync", {}, right),
        ("Shmem_Quiet", {"iterations": 0}, {state: 1e-9 for state in right}))]


def made(point_, times):
    states = [state for state in times for _ in range(6)]
    return in_rounds(point_, [times[state] * (1 + 0.01 * (n % 6)) for n, state in enumerate(states)], states)


got = in_states(barriers({1: 2e-7, 2: 5e-7}, {1: 2e-7, 2: 5e-7}))
tap.ok(got["violations"] == [] and got["barrier <= quiet and sync"]["points"] == 2,
       "what costs as much in each state is no violation, and each state is checked", got)
# Measured in other shares: overall the barrier has the median of state 2, the others that of state 1.
skewed = barriers({1: 2e-7, 2: 5e-7}, {1: 2e-7, 2: 5e-7})
skewed[0] = in_rounds(point("b", "Shmem_Barrier", {}, 1e-6), [2e-7] * 5 + [5e-7] * 15, [1] * 5 + [2] * 15)
skewed[1] = in_rounds(point("b", "Shmem_Sync", {}, 1e-6), [2e-7] * 15 + [5e-7] * 5, [1] * 15 + [2] * 5)
got = in_states(skewed)
overall = checked([{k: v for k, v in p.items() if k not in ("states", "round_states")} for p in skewed])
tap.ok(got["violations"] == [] and len(overall["violations"]) == 1,
       "other shares of states are no violation; without states they look like one", [got, overall])
got = in_states(barriers({1: 2e-7, 2: 9e-7}, {1: 2e-7, 2: 5e-7}))
tap.ok(len(got["violations"]) == 1 and got["violations"][0]["where"] == "state 2 (hand-over 164 ns)"
       and 1.7 < got["violations"][0]["factor"] < 1.9, "a violation in one state: which", got)
shown = tool("s.json")
tap.ok("Shmem_Barrier() * on 2 PEs, in state 2 (hand-over 164 ns)\n" in shown.out, "... for people", shown)
got = in_states([in_state(point("b", "Shmem_Barrier", {}, 9e-7), 2),
                 in_state(point("b", "Shmem_Sync", {}, 2e-7), 1),
                 in_state(point("b", "Shmem_Quiet", {"iterations": 0}, 1e-9), 1)])
tap.ok(got["violations"] == [] and got["barrier <= quiet and sync"]["apart"] == 1
       and got["barrier <= quiet and sync"]["points"] == 0 and "not compared: 2 points, as "
       "operations were not measured in the same state" in tool("s.json").out,
       "what was measured in different states is not compared, which is said", got)
others = {state: 2e-7 for state in FOUR}
got = in_states(barriers({**others, 2: 9e-7}, others), shares=dict.fromkeys(FOUR, 0.25), values=FOUR)
tap.ok([v["where"] for v in got["violations"]] == ["state 2 (hand-over 61 ns, addition 480 ps)"] and
       got["barrier <= quiet and sync"]["points"] == 4, "a violation in one of four states", got)
falling = [in_state(p, state) for p, state in zip(sweep("Shmem_Put_Full", [4e-6, 2e-6, 1.9e-6]), (2, 1, 1))]
got = in_states(falling)
tap.ok(got["violations"] == [] and got[MONOTONE]["apart"] == 1,
       "times that fall from one state to another", got)
got = in_states(falling, shares={2: 1.0}, name="other.json")
tap.ok(len(got["violations"]) == 1 and "where" not in got["violations"][0],
       "... in a file with one state they are a violation", got)
for number in range(5):
    in_states([in_parts(point("b", "Shmem_Barrier", {}, 1e-6), {1: 2e-7, 2: 9e-7 + number * 1e-9}),
               in_parts(point("b", "Shmem_Sync", {}, 1e-6), {1: 2e-7, 2: 5e-7}),
               in_parts(point("b", "Shmem_Quiet", {"iterations": 0}, 1e-6), {1: 1e-9, 2: 1e-9})],
              name=f"parts{number}.json")
got = counted(tool(*(f"parts{n}.json" for n in range(5)), "--json", "-"))
tap.ok([v["where"] for v in got["violations"]] == ["state 2 (hand-over 164 ns)"],
       "launches whose repetitions lie in several states", got)

# Files that say less than they should.
text = read_text(in_folder("parts0.json")).splitlines(keepends=True)
with open(in_folder("cut.json"), "w", encoding="utf-8") as file:
    file.writelines(text[:-1])
cut = tool("cut.json")
tap.ok(cut.status == 0 and "cut.json: the file is not complete" in cut.err, "a file that was cut off: a warning", cut)

# What people read.
write(in_folder("p.json"), linear + sweep("Shmem_Get_Round", [1e-6, 1e-6]))
shown = tool("p.json")
tap.ok(shown.status == 0 and shown.err == "" and shown.out.startswith(
    "1 violation of 1 rule; ") and f"2.50 times (at least 2.40): {BROADCAST}\n" in shown.out
    and "5.00 µs  Shmem_Bcast_All_Synchro(count=64, root=0) on 2 PEs\n" in shown.out
    and "2.000 µs  Shmem_Put_One_To_All_Full(count=64) + Shmem_Barrier()\n" in shown.out
    and "caution: intervals hold within one run alone" in shown.out, "the text", shown)
tap.ok(re.search(r"\n\nrule +comparisons  violations\n" + re.escape(BROADCAST) + r" +1 +1\n(.* +\d+ +0\n)+\n2\.50",
                 shown.out), "... first a summary by rule, what is violated at its top", shown)
write(in_folder("many.json"), linear + sweep("Shmem_Put_Full", [9e-6, 8e-6, 7e-6, 1e-6]))
shown, everything = tool("many.json"), tool("--all", "many.json")
tap.ok(re.search(re.escape(MONOTONE) + r" +3 +3\n" + re.escape(BROADCAST) + " +1 +1\n", shown.out)
       and re.findall(r"^([\d.]+) times", shown.out, re.MULTILINE) == ["9.00", "2.50"]
       and shown.out.endswith("\n2 more: --all shows them\n"), "the worst violation of each rule, and how many more", shown)
tap.ok(re.findall(r"^([\d.]+) times", everything.out, re.MULTILINE) == ["9.00", "2.50", "8.00", "7.00"]
       and "more:" not in everything.out, "--all: then the rest", everything)
got = json.loads(tool("many.json", "--json", "-").out)
tap.ok(len(got["violations"]) == 4 and len(got["rules"]) > 20
       and [(s["rule"], s["comparisons"], s["violations"], s["worst"] and round(s["worst"], 6))
            for s in got["summary"]] == [
           (MONOTONE, 3, 3, 9), (BROADCAST, 1, 1, 2.5),
           ("four times the size takes no more than four of the size", 3, 0, None)],
       "JSON has the summary besides all violations", got["summary"])
nothing = tool("--rules", RULES, write(in_folder("nothing.json"), []))
tap.ok(nothing.status == 0 and "comparisons" not in nothing.out and nothing.out.startswith("0 violations of 0 rules"),
       "nothing to compare: no summary", nothing)
tap.ok("fcollect <= collect [Shmem_Fcollect_Synchro]: nothing in the files; blocks of equal size" in
       tool("-v", "p.json").out, "-v tells each rule")
tap.equal(tool("--fail", "p.json").status, 1, "--fail with a violation")
tap.equal(unread_status([GUIDELINES, "--fail", "p.json"], folder), 1, "... also if nobody reads it")
write(in_folder("good.json"), sweep("Shmem_Put_Full", [1e-6, 2e-6]))
tap.equal(tool("--fail", "good.json").status, 0, "--fail without")

# Own rules, and what is wrong with them.
save("own.json", {"guidelines": 1, "rules": [{"name": "a", "left": [{"function": "Shmem_Get_Round"}],
                                              "right": [{"function": "Shmem_Get_Round", "times": "0.5"}]}]})
tap.equal(found(sweep("Shmem_Get_Round", [1e-6]), "--rules", "own.json"), [("a", 4, 2)], "--rules")


def rule(**members):
    return {"guidelines": 1, "rules": [{"name": "x", **members}]}


F = [{"function": "f"}]
for given, text in (
        ("", "bad.json:1:1: not JSON: Expecting value"),
        ('{"guidelines": 1,\n "rules": }', "bad.json:2:11: not JSON: Expecting value"),
        ("[" * 100000, "bad.json: nested too deeply"),
        ("[]", "bad.json:1:1: give an object with guidelines, rules"),
        ({"guidelines": 2, "rules": []}, "guidelines: 2, but this tool knows version 1"),
        ({"guidelines": 1}, "bad.json:1:1: rules is missing"),
        ({"guidelines": 1, "rules": [7]}, "rules[0]: give an object"),
        ({"guidelines": 1, "rules": [{}]}, "rules[0]: name is missing"),
        (rule(left=F), "rule 'x': right is missing"),
        (rule(left=F, right=[]), "rule 'x'.right: give a list of objects that is not empty"),
        (rule(left=F, rigth=F), "rule 'x'.rigth: unknown; did you mean right?"),
        (rule(left=F, right=F, x=1), "rule 'x'.x: unknown; there are name, left, right, for, why, tolerance, least_pes"),
        (rule(left=F, right=[{"function": 7}]), "rule 'x'.right[0].function: give a text that is not empty, not 7"),
        (rule(left=F, right=[{"function": "{y}"}]),
         "rule 'x'.right[0].function: the word in braces is not in \"for\""),
        (rule(left=F, right=[{"function": "f", "times": "open('x')"}]), "rule 'x'.right[0].times: "
         "give an expression of numbers, arguments and pes with + - * /, not \"open('x')\""),
        (rule(left=F, right=[{"function": "f", "arguments": {"count": "2**99"}}]), "rule 'x'.right[0].arguments.count: "
         "give an expression of numbers, arguments and pes with + - * /, not \"2**99\""),
        (rule(left=F, right=F, tolerance=-1),
         "rule 'x'.tolerance: give a number from 0 to 1000, not -1"),
        (rule(monotone="count", functions="f"), "rule 'x'.functions: give a list of texts")):
    save("bad.json", given)
    refused = tool("--rules", "bad.json", "good.json")
    found = re.match(r"skampi-guidelines: error: (bad.json:(\d+):(\d+): )?(.*)\n\Z", refused.err)
    said = found and (found[4] if not text.startswith("bad.json") else f"{found[1] or ''}{found[4]}")
    place = open(os.path.join(folder, "bad.json")).read().split("\n")[int(found[2]) - 1][int(found[3]) - 1:] if said == text and found[2] else ""
    name = re.search(r"\.(\w+)$", text.split(": ")[0])
    tap.ok(refused.status == 2 and said == text and (not name or text.startswith("bad.json") or place.startswith(f'"{name[1]}":')),
           f"refused in one line: {text}", refused)
for arguments, text in (
        (("nowhere.json",), "nowhere.json: No such file or directory"),
        (("--rules", "nowhere.json", "good.json"), "nowhere.json: No such file or directory"),
        (("--tolerance", "5", "good.json"),
         "argument --tolerance: 5: give a percentage such as 5%; --help shows all options"),
        (("--json", "/dev/full", "p.json"), "/dev/full: No space left on device")):
    refused = tool(*arguments)
    tap.ok(refused.status == 2 and refused.err == f"skampi-guidelines: error: {text}\n",
           f"refused in one line: {text}", refused)
usage = tool("--help")
tap.ok(usage.status == 0 and usage.out.startswith("usage: skampi guidelines") and "examples:" in usage.out,
       "--help", usage)

# The shipped rules: every function is there, with the arguments that rules name, and is measured by
# the shipped script.
listed = {name: re.findall(r"(\w+)(?=[,)])", arguments) for name, arguments in re.findall(
    r"^(\w+)(\(.*\))$", harness.signatures(), re.MULTILINE)}
rules = read_rules(RULES)
named = [term for rule_ in rules for term in rule_.left + rule_.right]
tap.equal(sorted({t.function for t in named} - set(listed)), [], "the rules' functions are there")
tap.equal([(t.function, name) for t in named for name in t.arguments
           if name not in listed.get(t.function, ())], [], "... and their arguments")
measured = set(re.findall(r": (\w+)\(", read_text(ROOT, "inputs/guidelines.ski")))
names = dict.fromkeys(rule_.name for rule_ in rules if not rule_.monotone)
missing = [name for name in names if not any({t.function for t in r.left + r.right} <= measured
                                             for r in rules if r.name == name)]
tap.equal(missing, [], "guidelines.ski measures what each rule needs, in one form at least")
tap.done()
