"""What the ground-truth tests share: the programmed network, cost formulas, measuring with skampi."""

import ast
import functools
import math
import operator
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support" / "lib"))
import harness  # noqa: E402

ROOT = Path(harness.ROOT)
BUILD = Path(harness.build_directory())
TRUTH = ROOT / "tests" / "truth"


def require():
    """Ends the test where it makes no sense."""
    if harness.build_config().get("SKAMPI_SHMEM") == "0":
        harness.skip_all("built without OpenSHMEM")
    if "sanitize" in harness.program():
        harness.skip_all("times of an instrumented program mean nothing")
    if harness.cores() < 2:
        harness.skip_all("needs two processors")


# ---- Building what the Makefile does not ----


def compiled(target, sources, *flags):
    """Compiles the sources to target unless that is newer than all that it is made from."""
    inputs = [*sources, *TRUTH.glob("**/*.h")]
    if target.exists() and all(target.stat().st_mtime >= i.stat().st_mtime for i in inputs):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    stored = BUILD / "flags"
    command = stored.read_text() if stored.exists() else f"{os.environ.get('CC', 'oshcc')} -O2"
    subprocess.run(
        [*shlex.split(command), "-Itests", "-o", unfinished, *sources, *flags, "-ldl"],
        check=True,
        timeout=120,
        cwd=ROOT,
    )
    unfinished.replace(target)
    return target


def library():
    sources = sorted((TRUTH / "network").glob("*.c"))
    return compiled(BUILD / "tests/libnetwork.so", sources, "-shared", "-fPIC")


def program(name):
    return compiled(BUILD / "tests" / name, [TRUTH / "programs" / f"{name}.c"])


def with_functions(name):
    """skampi with other measurement functions: programs/NAME.c has the list of families."""
    flags, command = ((BUILD / file).read_text() for file in ("flags", "commands"))
    parts = [BUILD / "src/command/main.o", BUILD / "libskampi.a"]
    libraries = shlex.split(command)[len(shlex.split(flags)):]
    return compiled(BUILD / "tests" / name, [TRUTH / "programs" / f"{name}.c", *parts], *libraries)


# ---- The programmed network ----


class Network:
    """Costs in nanoseconds, as in the comment of network/network.c; `others` are those that stand
    for themselves, by name. schedule: (seconds, factor) of each state that the network is in, in
    turns from `start` on, which is a time.monotonic(). large: bytes from which puts and gets have costs of
    their own. clock="simulated": times are as programmed
    however busy the machine is, and `noise` and `seed` say how they spread."""

    def __init__(self, post, wire, quiet, fence=700, progress="self", bcast=None, schedule=(),
                 start=0, clock=None, noise=None, seed=None, large=None, **others):
        self.post, self.wire, self.quiet, self.fence = post, wire, quiet, fence
        self.progress, self.bcast, self.others = progress, bcast, others
        self.schedule, self.start, self.large = schedule, start, large
        self.clock = {"clock": clock, "noise": noise, "seed": seed}

    def __str__(self):
        return f"{self.post:g}/{self.wire:g}/{self.quiet:g}, progress by {self.progress}"

    @property
    def full(self):
        return self.post + self.wire + self.quiet

    @property
    def hidden(self):
        """Wire time that has not passed when a quiet comes long after the post."""
        return 0 if self.progress == "self" else self.wire

    def slower(self, factor):
        """The same with all costs multiplied."""
        kind, _, time = (self.bcast or "").partition(":")
        return Network(
            *(factor * cost for cost in (self.post, self.wire, self.quiet, self.fence)),
            progress=self.progress,
            bcast=f"{kind}:{factor * float(time)}" if time else None,
            schedule=self.schedule,
            start=self.start,
            large=self.large,
            **self.clock,
            **{name: factor * cost for name, cost in self.others.items()},
        )

    def environment(self):
        names = ["post", "wire", "quiet", "fence", "progress", "bcast", "large"]
        given = {name: getattr(self, name) for name in names} | self.others | self.clock
        if self.schedule:
            given |= {"schedule": "/".join(f"{seconds:g}:{factor:.9g}"
                                           for seconds, factor in self.schedule),
                      "start": f"{self.start:.6f}"}
        costs = ",".join(f"{name}={value}" for name, value in given.items() if value is not None)
        return {"LD_PRELOAD": library(), "SKAMPI_TRUTH": costs}

    def costs(self, pes):
        """The variables of cost formulas; docs/method.md explains them to authors."""
        names = {name: getattr(self, name) for name in ("post", "wire", "quiet", "fence", "hidden")}
        names |= self.others | {"n": pes, "window": WINDOW}
        if self.bcast is not None:
            kind, time = self.bcast.split(":")
            # From the root's start to the end of the PE that is last, and of the root.
            names["broadcast"] = float(time) * (1 if kind == "flat" else pes - 1)
            names["broadcast_root"] = float(time) * (pes - 1 if kind == "linear" else 1)
        return names


WINDOW = 4  # operations, in functions with such a parameter

# Costs of the routines that are neither puts nor gets nor the like, each different from all others.
FAMILIES = {
    "fetch": 8000,
    "wait": 2500,
    "test": 2200,
    "barrier": 15000,
    "sync": 9000,
    "reduce": 11000,
    "collect": 13000,
    "fcollect": 12000,
    "alltoall": 14000,
    "alltoalls": 16000,
    "allocate": 20000,
    "free": 18000,
    "ctx_create": 6500,
    "ctx_destroy": 7000,
    "set_lock": 10000,
    "clear_lock": 8500,
    "test_lock": 6000,
}


def launch(pes, command, environment=None, timeout=120):
    """Runs a program on that many PEs."""
    # Through env, because launchers differ in what they pass on, and must not be preloaded.
    variables = [f"{name}={value}" for name, value in (environment or {}).items()]
    argv = harness.launch_line(pes, ["env", *variables, *map(str, command)])
    return harness.launched(argv, harness.launch_environment(), timeout)


def run_calls(pes, calls, preamble, environment):
    """Measures calls, each (text, cost in ns, tolerance, ranks that report), in blocks "0", "1" and so on."""
    path = harness.scratch_directory() + "/calls.ski"
    harness.write_text(path, preamble + "".join(f'begin measurement "{i}"\nmeasure comm({pes}) : {call}\nend measurement\n'
                                                for i, (call, *_) in enumerate(calls)))
    return launch(pes, [harness.program(), "-i", path, "--timer", "clock_gettime"], environment, 110)


def check_calls(tap, pes, calls, run, what):
    """Each has its cost, on its ranks."""
    tap.equal((run.status, len(run.rows)), (0, len(calls)), what, run)
    rows = {row.block: row for row in run.rows}
    for number, (call, cost, tolerance, who) in enumerate(calls):
        row = rows.get(str(number))
        found = row.time if row else math.nan
        columns = row and {i for i, value in enumerate(row.per_pe) if value is not None}
        tap.ok(close(found, cost, tolerance * cost) and columns == who,
               f"{call} on {pes}: {cost:g} ns, by {who}", f"{found:g} ns, by {columns}")


# ---- Cost formulas: numbers, names, + - * /, parentheses, max(), min() ----

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
FUNCTIONS = {"max": max, "min": min}


class FormulaError(Exception):
    pass


def evaluate(formula, names):
    """The value of a formula in the given variables."""

    def value(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            function = FUNCTIONS.get(node.func.id)
            if function and len(node.args) >= 2 and not node.keywords:
                return function(*map(value, node.args))
        raise FormulaError(f"no cost formula: {formula!r}, near {ast.unparse(node)!r}")

    try:
        return value(ast.parse(formula.strip(), mode="eval").body)
    except (SyntaxError, ZeroDivisionError) as error:
        raise FormulaError(f"no cost formula: {formula!r}: {error}") from error


# ---- Measuring with skampi ----


class RunFailed(Exception):
    pass


def measure(script, pes=2, environment=None, timeout=120, program=None, options=()):
    """The result lines of a script given as text. RunFailed unless skampi, or a program like it, exits
    with 0."""
    path = Path(harness.scratch_directory()) / "truth.ski"
    path.write_text(script)
    run = launch(pes, [program or harness.program(), "-i", path, *options], environment, timeout)
    if run.status != 0:
        raise RunFailed(str(run))
    return run.rows


@functools.cache
def clock_step():
    """ns; 10 on most virtual machines, more where reading the processor's counter takes longer."""
    run = harness.run([harness.program(), "--timers"])
    steps = dict(re.findall(r"^(\w+) +([\d.]+) .*yes$", run.out, re.MULTILINE))
    return max(10, float(steps.get("tsc") or steps["clock_gettime"]))


def close(value, truth, tolerance):
    return math.isfinite(value) and abs(value - truth) <= tolerance
