"""How much a point counts: what an application spends in it."""

import math
import re
import subprocess

from .. import kinds, results
from ..cli import Error, read_json

SECONDS = 60


class Weights:
    """All points count alike; learn() and of() are those of all kinds of weights."""

    def learn(self, measured):
        """Takes note of Results that are measured."""

    def of(self, _result):
        return 1.0


class Given(Weights):
    """{key of a point, or name of a function: weight}; others count nothing."""

    def __init__(self, of):
        self.given = of

    def of(self, result):
        return self.given.get(result.key, self.given.get(str(result.function), 0.0))


class Traced(Weights):
    """Of an application: the time of all its calls of a routine counts for the functions that measure it, at the measured
    size that is nearest to theirs."""

    def __init__(self, spent):
        """spent: {function: {bytes: seconds}}"""
        self.spent, self.sizes = spent, {}

    def learn(self, measured):
        for result in measured:
            self.sizes.setdefault(str(result.function), set()).add(result.record.get("bytes") or 0)

    def of(self, result):
        function, own = str(result.function), result.record.get("bytes") or 0
        return sum(seconds for size, seconds in self.spent.get(function, {}).items()
                   if own == min(self.sizes[function], key=lambda other: abs(math.log((other + 1) / (size + 1)))))


def read(path, program):
    """Weights of {"weights": {point or function: number}}, or of what shmemtrace summary --results says. program: skampi,
    which knows the functions that measure a routine."""
    kind = kinds.kind_of(path)
    if kind and kind.what == kinds.RESULTS[0]:
        return _traced(results.read(path), program)
    value = read_json(path)
    given = value.get("weights") if isinstance(value, dict) else None
    if not isinstance(given, dict) or not given:
        raise Error(f"{path}:1: give an object whose \"weights\" have numbers by point or function, or what "
                    "shmemtrace summary --results has written")
    for name, weight in given.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < 1e30:
            raise Error(f"{path}: {name}: give a number from 0")
    return Given(given)


def _traced(file, program):
    if not file.of_trace():
        raise Error(f"{file.path}: no trace: give what shmemtrace summary --results has written")
    spent = {}
    for result in file.points:
        for function in _functions_of(str(result.function), program):
            own, size = spent.setdefault(function, {}), result.record.get("bytes") or 0
            own[size] = own.get(size, 0.0) + result.mean * result.valid
    return Traced(spent)


def _functions_of(routine, program):
    done = subprocess.run([program, f"--list={routine}"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                          check=False)
    return re.findall(r"^  (\w+)\(", done.stdout.decode(errors="replace"), re.MULTILINE)
