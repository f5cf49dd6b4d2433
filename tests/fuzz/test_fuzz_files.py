#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""Files of results, campaigns and plots that nobody would write: whatever is in them, each tool ends with a documented status and
an error of its own, never with a traceback; what skampi-convert accepts, it copies without changing a time."""

import argparse
import collections
import contextlib
import copy
import glob
import importlib
import json
import os
import random
import resource
import runpy
import shutil
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import made_results
from harness import ROOT, Tap, build_directory, run, scratch_directory

FINDINGS = os.path.join(ROOT, "tests", "fuzz", "file_findings")
KEPT = os.path.join(build_directory(), "fuzz", "findings")
SCRIPTS = os.path.join(ROOT, "scripts")
SECONDS_FOR_ONE = 30
MEMORY = 3 << 30
VALUES = (None, True, False, 0, -1, 1, 2**31, 2**63, -2**63, 1e308, -1e-308, 0.5, "", "x", "é\u202e", "\x1b[31m", "nan", "1e9999",
          "a" * 5000, [], [[]], {}, {"": None}, [None] * 3)
WORDS = ("nan", "-inf", "---", "-1", "0", "1e308", "9" * 40, "", "#", '"', "'", "\x1b[31m", "é", "\u2028", "{", "=", ",", "x" * 3000)

# ---- What is begun with ----


def made_records():
    times = [1e-6 * (1 + i / 50) for i in range(20)]
    points = [made_results.point("put", "Shmem_Put_Full", {"count": count, "iterations": 5}, count * 1e-9, samples=times)
              for count in (8, 64, 512)]
    rounds = [*map(made_results.over_rounds, points)]
    parts = [{"hand_over": 6e-8 * i, "addition": 3e-10, "valid": i, "median": 1e-7 * i, "p25": None, "p75": 2e-7} for i in (1, 3)]
    points[0].update(hand_over=8e-8, addition=3e-10, parts=parts, counters={"x::y:z=0": {"most": 3, "mean": None}},
                     levels=[{"value": 1.5e-7, "share": 0.6}, {"value": 4.5e-7, "share": 0.4}])
    rounds[0].update(states=[{"state": 1, "rounds": 3, "median": 1.5e-7}], round_states=[1, 0, 1])
    records = made_results.records([*points, *rounds])
    return [*records[:-1], made_results.state(1, 6.1e-8, None, 1e-7, 0.6), made_results.state(2, 1.6e-7, 1e-7, None, 0.4), records[-1]]


def seeds(folder):
    """{kind: texts}."""
    made = made_results.write_records(os.path.join(folder, "made.json"), made_records())
    texts = {"json": [read(made)]}
    for kind in ("sko", "csv"):
        path = os.path.join(folder, f"made.{kind}")
        run([os.path.join(SCRIPTS, "skampi-convert"), made, "-o", path])
        texts[kind] = [read(path)]
    texts["spec"] = [read(path) for path in sorted(glob.glob(os.path.join(ROOT, "inputs", "figures", "*.json")))]
    texts["campaign"] = [json.dumps({
        "script": "my.ski", "launches": 4, "order": "abba", "seed": 1, "program": "/bin/true", "launch": "srun -n {pes}",
        "pes": 2, "environment": {"A": "b"}, "set": ["N=1mb"], "arguments": ["--rounds", "3"], "configurations": [
            {"name": "two"}, {"name": "eight", "pes": 8, "environment": {"C": "d"}, "set": ["N=64kb"]}]})]
    return texts


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


# ---- Mutations ----


def places(value):
    """(container, key) of all that is in a value of JSON."""
    found, left = [], [value]
    while left:
        container = left.pop()
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                left.append(container[key])
    return found


def mutate_value(value, chance):
    """One member is another one, gone, twice there or elsewhere; it stays JSON, so that what lies behind the parser is reached."""
    all_places = places(value)
    if not all_places:
        return
    container, key = chance.choice(all_places)
    way = chance.randrange(6)
    if way < 3:
        container[key] = copy.deepcopy(chance.choice(VALUES))  # else it could come to hold itself
    elif way == 3:
        del container[key]
    elif way == 4:
        other, place = chance.choice(all_places)
        container[key] = json.loads(json.dumps(other[place])) if place in other or isinstance(other, list) else None
    elif isinstance(container, dict):
        container[chance.choice(WORDS)] = container[key]
    else:
        container.append(container[key])


def mutate_json(text, chance):
    lines = [json.loads(line) for line in text.splitlines()] if text.count("\n") > 1 and text[0] == "{" and "\n{" in text \
        else [json.loads(text)]
    for _ in range(chance.choice((1, 1, 2, 5))):
        mutate_value(lines[chance.randrange(len(lines))], chance)
    if chance.randrange(5) == 0:
        lines.insert(chance.randrange(len(lines) + 1), lines[chance.randrange(len(lines))])
    return "".join(json.dumps(line) + "\n" for line in lines)


def mutate_lines(text, chance, separator):
    lines = text.splitlines(keepends=True)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(lines))
        way = chance.randrange(6)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(chance.randrange(len(lines)), lines[at])
        else:
            words = lines[at].split(separator)
            words[chance.randrange(len(words))] = chance.choice(WORDS) if way < 5 else chance.choice(words)
            lines[at] = separator.join(words)
        lines = lines or ["\n"]
    return "".join(lines)


def mutate_bytes(text, chance):
    data = bytearray(text, "utf-8", "surrogateescape")
    for _ in range(chance.choice((1, 4))):
        at = chance.randrange(len(data) + 1)
        way = chance.randrange(3)
        data[at:at + chance.randrange(40) * (way > 0)] = bytes(chance.randrange(256) for _ in range(way % 2 * 3 + 1))
    return data[:chance.randrange(len(data)) if chance.randrange(4) == 0 else None].decode("utf-8", "surrogateescape")


def mutated(kind, text, chance):
    if chance.randrange(5) == 0:
        return mutate_bytes(text, chance)
    if kind in ("sko", "csv"):
        return mutate_lines(text, chance, " " if kind == "sko" else ",")
    return mutate_json(text, chance)


# ---- Tools ----

RESULTS = [("table", "IN"), ("convert", "IN", "-o", "first.json"), ("convert", "IN", "-o", "first.csv"), ("convert", "IN", "-o", "first.sko"),
           ("convert", "IN", "--to", "tidy", "-o", "tidy.csv"), ("report", "IN", "-o", "report.html"), ("compare", "IN", "GOOD", "--seed", "1"),
           ("history", "IN", "GOOD"), ("guidelines", "IN"), ("model", "IN", "-o", "machine.txt"), ("plot", "IN", "--list"),
           ("accept", "--from", "IN")]
TOOLS = {"json": RESULTS, "sko": RESULTS, "csv": RESULTS,
         "spec": [("plot", "GOOD", "--spec", "IN", "-o", "figure.svg")],
         "campaign": [("campaign", "--file", "IN", "--dry-run", "-o", "campaign")]}
STATUSES = range(6)
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # copies of a process have but one thread
MODULES = ("skampi_tools.results", "skampi_tools.cli", "skampi_tools.reading", "numpy")  # loaded once


def start(words, folder):
    """(status, what was printed) of a tool, in a copy of this process, where all modules are there already."""
    child = os.fork()
    if child == 0:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_FOR_ONE, SECONDS_FOR_ONE))
        signal.alarm(10 * SECONDS_FOR_ONE)  # a busy machine gives it less than that
        os.chdir(folder)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False) for number in (1, 2))
        program = os.path.join(SCRIPTS, f"skampi-{words[0]}")
        sys.argv = [program, *words[1:]]
        status = 0
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
            status = 99
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, read(os.path.join(folder, "out")), read(os.path.join(folder, "err"))


def times_of(text):
    """(kind, time) of each result of a JSON file that is whole."""
    found = []
    for line in text.splitlines():
        record = json.loads(line)
        if record["record"] in ("result", "rounds"):
            found.append((record["record"], record.get("time", record.get("median"))))
    return found


def wrong_copy(text, folder):
    """What is wrong with first.json, which skampi-convert has made of this JSON, or ""."""
    copy = read(os.path.join(folder, "first.json"))
    try:
        before = times_of(text)
    except (ValueError, KeyError, TypeError):
        return ""  # a last line that was cut
    return "" if before == times_of(copy) else f"other times: {before}, then {times_of(copy)}"


def problem(kind, words, text, folder):
    """What a tool does wrong with a file in the folder, or ""."""
    place = f"input.{'json' if kind in ('spec', 'campaign') else kind}"
    write(os.path.join(folder, place), text)
    status, out, err = start([{"IN": place, "GOOD": "good.json"}.get(word, word) for word in words], folder)
    if status not in STATUSES or "Traceback" in err:
        return f"skampi-{' '.join(words)}: status {status}\n{err[-1500:]}"
    if status == 2 and not err.strip():
        return f"skampi-{' '.join(words)}: status 2 without a word"
    if any(ord(c) < 32 and c not in "\n\t\r" for c in err):
        return f"skampi-{' '.join(words)}: control characters in {err!r}"
    wrong = wrong_copy(text, folder) if words[-1] == "first.json" and status == 0 and kind == "json" else ""
    return wrong and f"skampi-{' '.join(words)}: {wrong}"


def clean_folder(good):
    folder = scratch_directory()
    shutil.copy(good, os.path.join(folder, "good.json"))
    write(os.path.join(folder, "my.ski"), "set_min_repetitions(4)\n")
    return folder


def keep(kind, text):
    os.makedirs(KEPT, exist_ok=True)
    path = os.path.join(KEPT, f"{abs(hash(text)):016x}.{kind}")
    write(path, text)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=15, help="how long (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of all that is changed")
    options = parser.parse_args()
    tap = Tap()
    sys.path.insert(0, SCRIPTS)
    made = scratch_directory()
    texts = seeds(made)
    folder = clean_folder(os.path.join(made, "made.json"))
    for kind, tools in TOOLS.items():
        for words in tools:
            wrong = problem(kind, words, texts[kind][0], folder)
            tap.ok(not wrong, f"{kind}, as it should be: skampi-{words[0]}", wrong)
    for path in sorted(glob.glob(os.path.join(FINDINGS, "*.*"))):
        kind = path.rpartition(".")[2]
        if kind in TOOLS:
            wrong = [text for words in TOOLS[kind] if (text := problem(kind, words, read(path), folder))]
            tap.ok(not wrong, f"what was found before: {os.path.basename(path)}", "\n".join(wrong))
    chance = random.Random(options.seed)
    found, tried = {}, collections.Counter()
    end = time.monotonic() + options.seconds
    for name in MODULES:
        with contextlib.suppress(ImportError):  # then the tools look for another Python
            importlib.import_module(name)
    while time.monotonic() < end:
        kind = chance.choice(list(TOOLS))
        words = chance.choice(TOOLS[kind])
        text = mutated(kind, chance.choice(texts[kind]), chance)
        wrong = problem(kind, words, text, folder)
        tried[kind] += 1
        if wrong:
            found.setdefault(wrong.splitlines()[-1][:150], f"reproducer: {keep(kind, text)}\n{wrong}")
    tap.ok(not found, f"{options.seconds} s of changed files, --seed {options.seed}, find nothing", "\n".join(found.values()))
    tap.ok(tried, "files tried: " + ", ".join(f"{count} {kind}" for kind, count in sorted(tried.items())))
    tap.done()


main()
