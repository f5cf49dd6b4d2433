#!/usr/bin/env python3
# SERIAL
# TIMEOUT: 420
"""Every measurement function returns what was programmed, on a network with programmed costs.

Two sources say what must come out: TRUTHS below, written from what the functions mean, and the cost
model of each function of OpenSHMEM (`skampi --describe`), so that a new function with a cost model is tested
without a change here; where there are both, they must agree. test_mpi_pairs.py is for those of MPI."""

import collections
import re

import truth
import harness
from harness import SAMPLE, Tap, program, run
from quiet import Attempts

ATTEMPTS = 5
PES = 2
AT_ONCE = 100  # functions in one run

PUTS_AND_GETS = ((2000, 10000, 1000), (500, 3000, 200), (5000, 8000, 3000), (1000, 30000, 2000))


def networks():
    """Each set of costs with both kinds of progress; with one of them, in turns, also costs of all
    other routines, each time others."""
    every = []
    for i, costs in enumerate(PUTS_AND_GETS):
        families = {name: (1 + i / 4) * cost for name, cost in truth.FAMILIES.items()}
        for progress in ("self", "quiet") if i % 2 == 0 else ("quiet", "self"):
            every.append(truth.Network(*costs, progress=progress, bcast="linear:12000", **families))
            families = {"barrier": families["barrier"]}
    return every


NETWORKS = networks()[:1] if SAMPLE else networks()

# What tolerances are strictest for: no PE waits for another one.
APART = {"post", "wire", "hidden", "quiet", "fence", "n", "window"}

# The classic functions, with what they must return by their meaning, or None where that depends on
# the algorithm: then only their own cost formulas tell.
FULL = "post + wire + quiet"
CLASSIC = {
    "Put_Simple Put_Round P_Simple P_Round Iput_Round": "post + wire",
    "Get_Simple Get_Round G_Simple G_Round Iget_Round": "post + wire",
    "Put_Full Put_Full_Single": FULL,
    "Pingpong_Put_Put": None,
    "Quiet": "quiet",
    "Quiet_Put": "wire + quiet",
    "Fence Fence_Put": "fence",
    "Wait_Until": "wait",
    "Test": "test",
    "Malloc Realloc Align Calloc": "allocate",
    "Free": "free",
    "Ctx_Create_Serialized Ctx_Create_Private Ctx_Create_Nostore": "ctx_create",
    "Ctx_Destroy_Serialized Ctx_Destroy_Private Ctx_Destroy_Nostore": "ctx_destroy",
    "Set_Lock": "set_lock",
    "Clear_Lock": "clear_lock",
    "Lock_Test_Busy Lock_Test_Busy_All Lock_Test_Busy_Turns Lock_Test_Busy_Round": "test_lock",
    "Barrier Barrier_Consecutive Barrier_Half Barrier_Half_Consecutive": "barrier",
    "Sync Sync_Consecutive Sync_Half Sync_Half_Consecutive": "sync",
    "Bcast_All Bcast_All_Rounds Bcast_All_SK Bcast_All_SK_time": None,
    "Bcast_All_Synchro": "broadcast",
}
for routine, cost in {
    "Reduce_And": "reduce",
    "Collect": "collect",
    "Fcollect": "fcollect",
    "Alltoall": "alltoall",
    "Alltoalls": "alltoalls",
}.items():
    CLASSIC[f"{routine}_Consecutive {routine}_Barrier {routine}_Synchro"] = cost
for direction in ("Put", "Get"):
    for part, cost in {
        "Post": "post",
        "Full": FULL,
        "Quiet": "wire + quiet",
        "Overlap": "post + hidden + quiet",
    }.items():
        name = f"{direction}_Nonblocking_{part}"
        CLASSIC[f"{name} {name}_Single"] = cost
for atomic in ("Atomic", "Ctx_Atomic"):
    for operation in "Fetch Fetch_Inc Fetch_Add Fetch_And Fetch_Or Fetch_Xor Swap".split():
        CLASSIC[f"{atomic}_{operation}"] = "fetch"
    CLASSIC[f"{atomic}_Compare_Swap_Yes {atomic}_Compare_Swap_No"] = "fetch"
    for operation in "Inc Set Add And Or Xor".split():
        CLASSIC[f"{atomic}_{operation}"] = "post + wire"

CLASSIC = {f"Shmem_{name}": cost for names, cost in CLASSIC.items() for name in names.split()}
WITH_A_MODEL = 90  # of them, at least
COMPLETE = True

TRUTHS = {name: cost for name, cost in CLASSIC.items() if cost}
TRUTHS["Shmem_Put_Call"] = "post"
for direction in ("Put", "Get"):
    name = f"Shmem_{direction}_Nonblocking_Quiet_Delayed"
    TRUTHS[name] = TRUTHS[f"{name}_Single"] = "hidden + quiet"

# Each function is measured once with the first and once with the last of its arguments.
ARGUMENTS = {
    "count": (8, 1024),
    "nb": (8, 1024),
    "size": (16, 64),  # of calloc with nb elements: zeroing must not take longer than programmed
    "stride": (1, 3),
    "element_bytes": (4, 8),
    "iterations": (5, 20),
    "therank": (0, 1),
    "root": (0, 0),
    "pattern": ('"half"', '"neighbours"'),
    "pairs": (0, 1),
    "directions": (1, 2),
    "window": (truth.WINDOW, truth.WINDOW),
    "victims": (2, 2),  # others: test_load.py
    "aggressors": ('"none"', '"none"'),
}
# Nanoseconds that the processors themselves take to hand over, in their slow state, too: it is not programmed.
HAND_OVER = 500
STRIDED = (8, 24)  # elements: each takes its time, which must not be longer than programmed
OTHERWISE = {"int": (8, 8), "double": (1e-5, 1e-5), "string": ('""', '""')}

tap = Tap()


def tolerance(name, formula, cost, network):
    """1 % of the truth, or 3 % where PEs wait for each other or costs are of many kinds; of the overlap
    2 % of the whole operation, of which it is a part; of what is handed over a constant more. Not less than one step of the clock; where the computation between post and quiet is taken off, which is
    twice as long as the whole operation, 0.1 % of that more."""
    if "_Overlap" in name:
        return 0.02 * network.full
    if "_Handed_Over" in name:
        return 0.03 * cost + HAND_OVER
    apart = set(re.findall(r"[a-z_]+", formula)) <= APART
    step = truth.clock_step() + (0.002 * network.full if "_Delayed" in name else 0)
    return max((0.01 if apart else 0.03) * cost, step)


def skampi_says(*options):
    """Standard output of skampi without a launcher."""
    return run([program(), *options]).out


class Function:
    def __init__(self, name):
        self.name = name
        description = skampi_says("--describe", name)
        model = re.search(r"^\s*cost:[ \t]*(\S.*)$", description, re.MULTILINE)
        by_mpi = re.search(r"^API: MPI\b", description, re.MULTILINE)
        self.model = model.group(1).strip() if model and not by_mpi else None
        self.formula = TRUTHS.get(name, self.model)
        self.supported = "supported: yes" in description
        signature = re.search(rf"{re.escape(name)} *\(([^)]*)\)", description)
        without_defaults = re.sub(r' = (\{[^}]*\}|"[^"]*"|[^,]*)', "", signature.group(1)) if signature else ""
        self.parameters = [tuple(words.split()) for words in without_defaults.split(",") if words.strip()]

    def block(self):
        """A measurement block of a script."""
        strided = {"stride", "element_bytes"} & {name for _, name in self.parameters}
        choices = [STRIDED if strided and name == "count" else ARGUMENTS.get(name) or OTHERWISE[kind]
                   for kind, name in self.parameters]
        lines = [f'begin measurement "{self.name}"']
        lines += [
            f"measure comm({PES}) : {self.name}({', '.join(str(choice[i]) for choice in choices)})"
            for i in range(self.row_count())
        ]
        return "\n".join([*lines, "end measurement", ""])

    def row_count(self):
        return 2 if self.parameters else 1

    def keys(self):
        """As numbered() gives them to the function's rows."""
        return [(self.name, i + 1) for i in range(self.row_count())]

    def cost(self, network):
        """FormulaError when the network does not have all that the formula is about."""
        return truth.evaluate(self.formula, network.costs(PES))


def functions():
    """All functions with a known truth."""
    names = [function["name"] for function in harness.functions()]
    every = {name: Function(name) for name in names}
    for function in every.values():
        if function.formula and not function.supported:
            tap.skip(function.name, "not supported here")
    return every, [f for f in every.values() if f.formula and f.supported]


def measure(chosen, network):
    """Rows of all functions, some functions in each run; what a failed run had to say is a note."""
    rows = []
    for first in range(0, len(chosen), AT_ONCE):
        script = "\n".join(
            [
                "set_skampi_buffer(64KB)",
                "set_unit(1e9)",
                "set_max_relative_standard_error(0.03)",
                "set_max_repetitions(16)",
                *(function.block() for function in chosen[first : first + AT_ONCE]),
            ]
        )
        try:
            rows += truth.measure(script, PES, network.environment())
        except truth.RunFailed as error:
            tap.note(f"{network}: {error}")
    return rows


def numbered(rows):
    """Rows by block, and which of the block's rows it is."""
    seen = collections.Counter()
    for row in rows:
        seen[row.block] += 1
        yield (row.block, seen[row.block]), row


def wrong(rows, expected, network):
    """Texts of the rows that are not what is expected(name), by name and number."""
    texts = {}
    for key, row in numbered(rows):
        formula, cost = expected(row.block)
        if not truth.close(row.time, cost, tolerance(row.block, formula, cost, network)):
            texts[key] = f"{row.block}: {row.line.strip()}: {row.time:g} ns instead of {cost:g}"
    return texts


def expectation(chosen, network):
    """Formula and cost, by name."""
    return {f.name: (f.formula, f.cost(network)) for f in chosen}.__getitem__


def check_network(chosen, network):
    """All functions on one network; one check for each. What is wrong is measured again, and is
    wrong if it is so each time. Returns the rows of the first time that was no failure."""
    expected = expectation(chosen, network)
    first, right, texts = [], set(), {}
    attempts = Attempts(tap, ATTEMPTS)
    unsettled = chosen
    for attempt in attempts:
        if attempt > 1:
            tap.note(f"{network}, attempt {attempt}, measured again:")
            tap.note("\n".join(text for key, text in texts.items() if key not in right))
        rows = measure(unsettled, network)
        first = first or rows
        found = wrong(rows, expected, network)
        right |= {key for key, row in numbered(rows)} - set(found)
        texts |= found
        unsettled = [function for function in chosen if not right.issuperset(function.keys())]
        if not unsettled:
            break
    for function in chosen:
        missing = [key for key in function.keys() if key not in right]
        problems = [texts.get(key, "no result") for key in missing]
        attempts.decide(not problems, f"{function.name}, {network}", "\n".join(problems))
    return first


def check_checker(rows, chosen, network):
    """What is beside the truth must not pass: what was measured right, against costs that are higher
    by 3 %, or as much as the tolerance makes necessary, ..."""
    costs = expectation(chosen, network)
    off = wrong(rows, costs, network)
    right = [row for key, row in numbered(rows) if key not in off]

    def beside(name):
        formula, cost = costs(name)
        return formula, cost + max(0.03 * cost, 2.5 * tolerance(name, formula, cost, network))

    passing = len(right) - len(wrong(right, beside, network))
    tap.ok(right and passing == 0, f"{network}: more than the truth is not what was measured")


def check_other_network(chosen, network):
    """... and a network that is 5 % slower than the truth that it is compared with; where 3 % are
    allowed, a measurement may pass by chance, but not each time."""
    # What is allowed for these may be more than 5 % of themselves.
    passing = [function for function in chosen
               if "_Overlap" not in function.name and "_Handed_Over" not in function.name]
    expected = expectation(chosen, network)
    for _ in range(ATTEMPTS):
        rows = measure(passing, network.slower(1.05))
        off = {name for name, _ in wrong(rows, expected, network)}
        passing = [function for function in passing if function.name not in off]
        if not passing:
            break
    tap.equal([function.name for function in passing], [],
              f"{network}: a network 5 % slower is noticed")


def check_models(every, chosen):
    """What --describe says is what TRUTHS say. Returns those functions whose truth can be used."""
    for name in TRUTHS:
        if COMPLETE or name in every:
            tap.ok(name in every, f"{name} is listed")
    usable = []
    for function in chosen:
        error = "differs from the truth"
        known = [network for network in NETWORKS if can(function, network)] or NETWORKS[:1]
        try:
            truths = [function.cost(network) for network in known]
            usable.append(function)
            models = [truth.evaluate(function.model or "", n.costs(PES)) for n in known]
            agree = truths == models
        except truth.FormulaError as problem:
            agree, error = False, problem
        tap.ok(agree, f"{function.name}: the cost model {function.model}", error)
    return usable


def can(function, network):
    """Whether the network has all that the function's formula is about."""
    try:
        function.cost(network)
    except truth.FormulaError:
        return False
    return True


def check_classic(every):
    """All of them are there, and how many are tested here."""
    missing = [name for name in CLASSIC if name not in every]
    modelled = [name for name in CLASSIC if name in every and every[name].model]
    tap.note(f"{len(CLASSIC)} classic functions, {len(missing)} missing, {len(modelled)} with a model")
    if COMPLETE:
        tap.ok(len(CLASSIC) == 110 and not missing, "the classic functions", missing)
        tap.ok(len(modelled) >= WITH_A_MODEL, f"{WITH_A_MODEL} of them have a cost model", modelled)


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
    check_classic(every)
    usable = check_models(every, chosen)
    for network in NETWORKS:
        chosen = [function for function in usable if can(function, network)]
        rows = check_network(chosen, network)
        if network is NETWORKS[0]:
            check_checker(rows, chosen, network)
            check_other_network(chosen, network)
    tap.done()


if __name__ == "__main__":
    main()
