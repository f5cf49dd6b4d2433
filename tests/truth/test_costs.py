#!/usr/bin/env python3
# SERIAL
# TIMEOUT: 300
"""Every measurement function returns what was programmed, on a network with programmed costs.

Two sources say what must come out: TRUTHS below, written from what the functions mean, and the cost
model of each function (`skampi --describe`), so that a new function with a cost model is tested
without a change here; where there are both, they must agree."""

import collections
import math
import re

import truth
from harness import Tap, program, run

RETRIES = 2
PES = 2

NETWORKS = [
    truth.Network(post, wire, quiet, progress=progress, barrier=15000, bcast="linear:12000")
    for post, wire, quiet in (
        (2000, 10000, 1000),
        (500, 3000, 200),
        (5000, 8000, 3000),
        (1000, 30000, 2000),
    )
    for progress in ("self", "quiet")
]

FULL = "post + wire + quiet"
TRUTHS = {
    "Shmem_Put_Simple": "post + wire",
    "Shmem_Put_Round": "post + wire",
    "Shmem_Put_Full": FULL,
    "Shmem_Put_Full_Single": FULL,
    "Shmem_Put_Call": "post",
    "Shmem_Get_Simple": "post + wire",
    "Shmem_Get_Round": "post + wire",
    "Shmem_Quiet": "quiet",
    "Shmem_Quiet_Put": "wire + quiet",
    "Shmem_Fence": "fence",
    "Shmem_Fence_Put": "fence",
}
for direction in ("Put", "Get"):
    for part, formula in {
        "Post": "post",
        "Full": FULL,
        "Quiet": "wire + quiet",
        "Quiet_Delayed": "hidden + quiet",
        "Overlap": "post + hidden + quiet",
    }.items():
        name = f"Shmem_{direction}_Nonblocking_{part}"
        TRUTHS[name] = TRUTHS[f"{name}_Single"] = formula

# Loops over arguments; the other parameters are constant.
LOOPS = {"count": (8, 1024), "nb": (8, 1024), "iterations": (5, 20)}
CONSTANTS = {"therank": 0, "root": 0}
OTHERWISE = 8

tap = Tap()


def tolerance(name, cost, network):
    """1 % of the truth; of the overlap 2 % of the whole operation, of which it is a part. Not less
    than one step of the clock, which is 10 ns on many virtual machines."""
    if "_Overlap" in name:
        return 0.02 * network.full
    return max(0.01 * cost, 10)


def skampi_says(*options):
    """Standard output of skampi without a launcher."""
    return run([program(), *options]).out


class Function:
    def __init__(self, name):
        self.name = name
        description = skampi_says("--describe", name)
        model = re.search(r"^\s*cost:[ \t]*(\S.*)$", description, re.MULTILINE)
        self.model = model.group(1).strip() if model else None
        self.formula = TRUTHS.get(name, self.model)
        self.supported = "supported: yes" in description
        signature = re.search(rf"{re.escape(name)} *\(([^)]*)\)", description)
        parameters = signature.group(1).split(",") if signature else []
        self.parameters = [words.split()[-1] for words in parameters if words.strip()]

    def block(self):
        """A measurement block of a script."""
        loops = [parameter for parameter in self.parameters if parameter in LOOPS]
        arguments = [
            parameter if parameter in LOOPS else str(CONSTANTS.get(parameter, OTHERWISE))
            for parameter in self.parameters
        ]
        lines = [f'begin measurement "{self.name}"']
        lines += [f"for {loop} in [{', '.join(map(str, LOOPS[loop]))}] do" for loop in loops]
        lines += [f"measure comm({PES}) : {self.name}({', '.join(arguments)})"]
        lines += ["od"] * len(loops)
        return "\n".join([*lines, "end measurement", ""])

    def row_count(self):
        return math.prod(len(LOOPS.get(parameter, (0,))) for parameter in self.parameters)


def functions():
    """All functions with a known truth."""
    names = re.findall(r"^(\w+)\(", skampi_says("--list"), re.MULTILINE)
    every = {name: Function(name) for name in names}
    for function in every.values():
        if function.formula and not function.supported:
            tap.skip(function.name, "not supported here")
    return every, [f for f in every.values() if f.formula and f.supported]


def measure(chosen, network):
    script = "\n".join(
        [
            "set_skampi_buffer(64KB)",
            "set_unit(1e9)",
            "set_max_relative_standard_error(0.03)",
            *(function.block() for function in chosen),
        ]
    )
    return truth.measure(script, PES, network.environment())


def key(row):
    return (row.block, *row.vars.items())


def wrong(rows, expected, network):
    """Texts of the rows that are not what is expected(name), by key()."""
    texts = {}
    for row in rows:
        cost = expected(row.block)
        if not truth.close(row.time, cost, tolerance(row.block, cost, network)):
            texts[key(row)] = f"{row.block} {row.vars}: {row.time:g} ns instead of {cost:g}"
    return texts


def expectation(chosen, network):
    costs = network.costs(PES)
    formulas = {function.name: function.formula for function in chosen}
    return lambda name: truth.evaluate(formulas[name], costs)


def measure_all(chosen, network, complain):
    """Rows and the texts of the wrong ones among them; None when the run failed."""
    try:
        rows = measure(chosen, network)
    except truth.RunFailed as error:
        complain(f"{network}: {error}")
        return None, {}
    return rows, wrong(rows, expectation(chosen, network), network)


def check_network(chosen, network):
    """All functions on one network; one check for each. What is wrong is measured again, and is
    wrong if it is so each time."""
    first, failed = measure_all(chosen, network, tap.note)
    results = collections.Counter(row.block for row in first or [])
    for attempt in range(RETRIES):
        if not failed:
            break
        tap.note(f"{network}, attempt {attempt + 1} of {1 + RETRIES}, measured again:")
        tap.note("\n".join(failed.values()))
        truth.settle()
        again = [function for function in chosen if function.name in {where[0] for where in failed}]
        rows, texts = measure_all(again, network, tap.note)
        if rows is not None:
            right = {key(row) for row in rows} - set(texts)
            failed = {where: texts.get(where, text) for where, text in failed.items()
                      if where not in right}
    for function in chosen:
        texts = [text for where, text in failed.items() if where[0] == function.name]
        if results[function.name] != function.row_count():
            texts.append(f"{results[function.name]} results of {function.row_count()}")
        tap.ok(not texts, f"{function.name}, {network}", "\n".join(texts))
    return first or []


def check_checker(rows, chosen, network):
    """What is beside the truth must not pass: what was measured right, against costs that are higher
    by 3 %, or as much as the tolerance makes necessary, ..."""
    costs = expectation(chosen, network)
    off = wrong(rows, costs, network)
    right = [row for row in rows if key(row) not in off]

    def beside(name):
        return costs(name) + max(0.03 * costs(name), 2.5 * tolerance(name, costs(name), network))

    passing = len(right) - len(wrong(right, beside, network))
    tap.ok(right and passing == 0, f"{network}: more than the truth is not what was measured")


def check_other_network(chosen, network):
    """... and a network that is 5 % slower than the truth that it is compared with."""
    try:
        rows = measure(chosen, network.slower(1.05))
    except truth.RunFailed as error:
        tap.note(error)
        rows = []
    # Overlap has 2 % of the whole operation to go, which may be more than 5 % of itself.
    rows = [row for row in rows if "_Overlap" not in row.block]
    passing = len(rows) - len(wrong(rows, expectation(chosen, network), network))
    tap.ok(rows and passing == 0, f"{network}: a network 5 % slower is noticed")


def check_models(every, chosen):
    """What --describe says is what TRUTHS say. Returns those functions whose truth can be used."""
    for name in TRUTHS:
        tap.ok(name in every, f"{name} is listed")
    usable = []
    for function in chosen:
        error = "differs from the truth"
        try:
            truths = [truth.evaluate(function.formula, n.costs(PES)) for n in NETWORKS]
            usable.append(function)
            agree = truths == [truth.evaluate(function.model or "", n.costs(PES)) for n in NETWORKS]
        except truth.FormulaError as problem:
            agree, error = False, problem
        tap.ok(agree, f"{function.name}: the cost model {function.model}", error)
    return usable


def check_formulas():
    names = {"post": 2, "wire": 10, "n": 4}
    for formula, value in {
        "post + wire * 2": 22,
        "(post + wire) * 2": 24,
        "max(post, wire / 4) - 1": 1.5,
        "-post + max(1, 2, n)": 2,
        "3": 3,
    }.items():
        tap.ok(truth.evaluate(formula, names) == value, f"{formula} is {value}")
    for formula in ("", "post +", "post ** 2", "open('x')", "'a'", "post.real", "1 / 0", "max()"):
        try:
            truth.evaluate(formula, names)
            refused = False
        except truth.FormulaError:
            refused = True
        tap.ok(refused, f"{formula!r} is refused")


def main():
    truth.require()
    check_formulas()
    every, chosen = functions()
    chosen = check_models(every, chosen)
    for network in NETWORKS:
        rows = check_network(chosen, network)
        if network is NETWORKS[0]:
            check_checker(rows, chosen, network)
            check_other_network(chosen, network)
    tap.done()


if __name__ == "__main__":
    main()
