"""How much a point counts: how often an application makes the calls that it measures, and what it spends in them."""

import json
import math
import re
import subprocess
from typing import NamedTuple

from . import kinds, launching, results, users_json
from .cli import Error

SECONDS = 60
NEAR = 2  # factor by which the size of a call may differ from that of the point that stands for it
SMALL = 8    # bytes: up to here all sizes are near to each other
# Start and end of a program are no communication.
SETUP = ("start_pes", "shmem_init", "shmem_init_thread", "shmem_finalize", "shmem_global_exit")
SIMPLE = ("int", "iterations", "rank")   # types of parameters that script and weights fill in
# A line of a script of skampi-script. What follows the colon is the call as results state it; nothing: it is not measured.
LINE = re.compile(r"^\s*# weight (\w+) bytes=(\d+) calls=(\d+) seconds=(\S+) waiting=(\S+) on (\d+) PEs:(.*)$")

TYPE = re.compile(r"^(shmem_(?:ctx_)?)(?:(?:[su]?char|u?short|u?int|u?long|u?longlong|u?int\d+|size|ptrdiff|float|double|longdouble|"
                  r"complex[fd])(?:_|$))?")


class Use(NamedTuple):
    """Calls of a routine with about as many bytes, of all PEs together."""
    routine: str
    bytes: int
    calls: int
    seconds: float
    waiting: float = 0.0   # of the seconds: for other PEs
    functions: tuple = ()  # names of functions that measure it, the one that fits best first
    call: str = ""         # what measures it, as results state it, where that is known

    def line(self, pes):
        return (f"# weight {self.routine} bytes={self.bytes} calls={self.calls} seconds={self.seconds:.6g} "
                f"waiting={self.waiting:.6g} on {pes} PEs: {self.call}").rstrip()

    def is_near(self, size):
        larger, smaller = max(size, self.bytes), min(size, self.bytes)
        return not self.bytes or larger <= SMALL or 0 < larger <= NEAR * smaller


class Weights:
    """All points count alike; learn() and of() are those of all kinds of weights."""

    def learn(self, measured):
        """Takes note of Results that are measured."""

    def of(self, _result):
        """How much a point counts where only ratios are known: seconds of an application."""
        return 1.0


class GivenWeights(Weights):
    """{key of a point, or name of a function: weight}; others count nothing."""

    def __init__(self, path, of):
        self.path, self.given = path, of

    def of(self, result):
        return self.given.get(result.key, self.given.get(str(result.function), 0.0))

    def calls(self, measured):
        """({key: calls}, [Use] that none of the Results measures, seconds of all)"""
        found = {result.key: self.of(result) for result in measured if self.of(result) > 0}
        there = {name for result in measured for name in (result.key, str(result.function))}
        return found, [Use(name, 0, weight, math.nan) for name, weight in self.given.items() if weight and name not in there], math.nan


class TracedWeights(Weights):
    """Of an application: the time of all its calls of a routine counts for the functions that measure it, at the measured
    size that is nearest to theirs."""

    def __init__(self, path, uses, pes):
        self.path, self.uses, self.pes, self.sizes = path, uses, pes, {}

    def learn(self, measured):
        for result in measured:
            self.sizes.setdefault(str(result.function), set()).add(result.record.get("bytes") or 0)

    def of(self, result):
        function, own = str(result.function), result.record.get("bytes") or 0
        return sum(use.seconds for use in self.uses if function in use.functions
                   and own == min(self.sizes[function], key=lambda size: _distance(size, use.bytes)))

    def calls(self, measured):
        """({key: calls}, [Use] that none of the Results measures, seconds of all). A call counts at one point only."""
        by_function, by_call, found, lacking = {}, {}, {}, []
        for result in measured:
            by_function.setdefault(str(result.function), []).append(result)
            by_call.setdefault(str(result.call), []).append(result)
        for use in self.uses:
            key = self._key_of(use, by_function, by_call)
            if key is None:
                lacking.append(use)
            else:
                found[key] = found.get(key, 0) + use.calls
        return found, lacking, math.fsum(use.seconds for use in self.uses)

    def _key_of(self, use, by_function, by_call):
        choices = [by_call.get(use.call, [])] + [by_function.get(function, []) for function in use.functions]
        for number, choice in enumerate(choices):
            own = [result for result in choice if result.pes == self.pes] or choice
            near = [result for result in own if number == 0 or use.is_near(result.record.get("bytes") or 0)]
            if near:
                return min(near, key=lambda result: _distance(result.record.get("bytes") or 0, use.bytes)).key
        return None


def _distance(size, other):
    return abs(math.log((size + 1) / (other + 1)))


# ---- Reading ----


def read(path, program=None):
    """The Weights of a file: {"weights": {point or function: number}}, a script of shmemtrace script, or of what shmemtrace summary
    --results says. program: skampi, which knows the functions that measure a routine; default: the one beside the scripts."""
    kind = kinds.kind_of(path)
    if kind and kind.what == kinds.RESULTS[0]:
        file = results.read(path)
        if not file.of_trace():
            raise Error(f"{path}: no trace: give what shmemtrace summary --results has written")
        return TracedWeights(path, uses_of(file, lambda routine: tuple(one["name"] for one in measuring(routine, program))),
                      file.header.get("pes"))
    if kind and kind.reader.startswith("oshrun"):
        return _scripted(path)
    top = users_json.read(path)
    given = top.content.get("weights") if isinstance(top.content, dict) else None
    if not isinstance(given, dict) or not given:
        top.refuse("give an object whose \"weights\" have numbers by point or function, what shmemtrace script or "
                   "shmemtrace summary --results has written")
    return GivenWeights(path, {name: weight.must(users_json.is_number(weight.content) and 0 <= weight.content < 1e30, "a number from 0")
                        for name, weight in top.members()["weights"].members().items()})


def _scripted(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [(number, line) for number, line in enumerate(file, 1) if line.lstrip().startswith("# weight ")]
    uses, pes = [], None
    for number, line in lines:
        match = LINE.match(line)
        try:
            routine, size, calls, seconds, waiting, pes, call = match.groups() if match else [None] * 7
            numbers = [float(seconds), float(waiting)]
            if not all(0 <= value < math.inf for value in numbers):
                raise ValueError
        except (TypeError, ValueError):
            raise Error(f"{path}:{number}: not a weight as shmemtrace script writes it: # weight ROUTINE bytes=N calls=N "
                        "seconds=S waiting=S on N PEs: CALL") from None
        call = call.strip()
        uses.append(Use(routine, int(size), int(calls), *numbers, (call.partition("(")[0],) if call else (), call))
    if not uses:
        raise Error(f"{path}: this script states no weights: give one that shmemtrace script has written")
    return TracedWeights(path, uses, int(pes))


def uses_of(file, functions):
    """[Use] of what shmemtrace summary --results has written. functions: the names of functions for a routine."""
    return [Use(str(result.function), result.record.get("bytes") or 0, int(result.valid), result.mean * result.valid,
                functions=functions(str(result.function)))
            for result in file.points if str(result.function) not in SETUP]


def measuring(routine, program=None):
    """Descriptions of the functions that measure a routine and that a call of it can stand for, the best first: of all PEs
    at once, the call alone, collective ones by the clock, with few parameters; of quiet and fence those that have something to complete."""
    done = subprocess.run([program or launching.default_program(), f"--list={routine}", "-f", "json"], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS, check=False)
    lines = done.stdout.decode(errors="replace").splitlines() if done.returncode == 0 else []
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return sorted((one for one in found if one["value"] == "time" and "unsupported" not in one
                   and _base(routine) in map(_base, one.get("routine", "").split())), key=_misfit)


def _base(routine):
    """Its name without a type. skampi also lists functions that only call a routine which nothing measures."""
    return re.sub(r"(?<!^sh)(mem|128|64|32|16|8)(?=_|$)", "", TYPE.sub(r"\1", routine), count=1)


def _misfit(one):
    completes = any(word in one["routine"] for word in ("quiet", "fence"))
    alone = one["name"].endswith("_Put") if completes else not one.get("calls")
    return (one["who"] != "all", one["once"], any(own["type"] not in SIMPLE for own in one["parameters"]), not alone,
            not one["name"].endswith("_Synchro"), len(one["parameters"]))
