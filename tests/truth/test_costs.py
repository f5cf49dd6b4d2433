#!/usr/bin/env python3
# TIMEOUT: 240
"""Every measurement function with a cost formula, apart from three, returns exactly what was programmed, on a network with
programmed costs, by a simulated clock. Ways of timing by real clocks: test_costs_real.py.

Two sources say what must come out: TRUTHS below, written from what the functions mean, and the cost
model of each function of OpenSHMEM (`skampi --describe`), so that a new function with a cost model is tested
without a change here; where there are both, they must agree. test_mpi_pairs.py is for those of MPI."""

import collections

import truth
import harness
from harness import SAMPLE, Tap

PES = 2
AT_ONCE = 250  # functions in one run: what a run may take is limited

# Costs of put and get, and how progress is made. Those of all other routines differ from network to network.
NETWORKS = [truth.Network(*costs, progress=progress, bcast="linear:12000", clock="simulated",
                          **{name: (1 + i / 4) * cost for name, cost in truth.FAMILIES.items()})
            for i, (costs, progress) in enumerate([((2000, 10000, 1000), "self"), ((500, 3000, 200), "quiet"),
                                                   ((5000, 8000, 3000), "self"), ((1000, 30000, 2000), "quiet")])]
NETWORKS = NETWORKS[:1] if SAMPLE else NETWORKS

# Of the cost; half a reading of the clock (20 ns): a median may lie between two times that differ by one.
RELATIVE, READING = 1e-4, 10
BESIDE = 0.01  # what is so far from the truth must not pass

# Whether a PE asks for the lock again before another one has seen that it is free is a matter of real time: test_costs_real.py
BY_REAL_CLOCKS = {"Shmem_Lock_Contended", "Shmem_Lock_Handed_Over", "Shmem_Mcs_Handed_Over"}

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
    "size": (16, 64),
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
STRIDED = (8, 24)  # elements
OTHERWISE = {"double": (1e-5, 1e-5), "string": ('""', '""')}  # of others: 8

tap = Tap()


class Function:
    """By its descriptor, as skampi --list states it."""

    def __init__(self, descriptor):
        self.name = descriptor["name"]
        self.model = descriptor.get("cost") if descriptor["api"] != "MPI" else None
        self.formula = TRUTHS.get(self.name, self.model)
        self.supported = "unsupported" not in descriptor
        self.parameters = [(p["type"], p["name"]) for p in descriptor["parameters"]]

    def block(self):
        """A measurement block of a script."""
        strided = {"stride", "element_bytes"} & {name for _, name in self.parameters}
        choices = [STRIDED if strided and name == "count" else ARGUMENTS.get(name) or OTHERWISE.get(kind, (8, 8))
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
    """All functions by name; and those with a known truth."""
    every = {descriptor["name"]: Function(descriptor) for descriptor in harness.functions()}
    for function in every.values():
        if function.formula and not function.supported:
            tap.skip(function.name, "not supported here")
    return every, [f for f in every.values() if f.formula and f.supported]


def measure(chosen, network):
    """Results of all functions, by name and by which of its rows it is; what a failed run had to say is a note."""
    found = {}
    for first in range(0, len(chosen), AT_ONCE):
        script = ("set_skampi_buffer(64KB)\nset_unit(1e9)\nset_controls(0)\nset_min_repetitions(4)\n"
                  "set_max_repetitions(4)\n" + "\n".join(f.block() for f in chosen[first : first + AT_ONCE]))
        try:
            rows = truth.measure(script, PES, network.environment(), options=["--timer", "clock_gettime"])
        except truth.RunFailed as error:
            tap.note(f"{network}: {error}")
            continue
        seen = collections.Counter()
        for row in rows:
            seen[row.block] += 1
            found[row.block, seen[row.block]] = row
    return found


def is_right(row, cost):
    return truth.close(row.time, cost, RELATIVE * cost + READING)


def check_network(chosen, network):
    """All functions on one network, a check for each; and what is beside the truth must not pass."""
    found = measure(chosen, network)
    passing = []
    for function in chosen:
        cost = function.cost(network)
        rows = [found.get(key) for key in function.keys()]
        wrong = [f"{row.line.strip()}: {row.time:g} ns instead of {cost:g}" if row else "no result"
                 for row in rows if not row or not is_right(row, cost)]
        tap.ok(not wrong, f"{function.name}, {network}", "\n".join(wrong))
        passing += [row.line for row in rows
                    if row and any(is_right(row, cost + side * max(BESIDE * cost, 3 * READING)) for side in (-1, 1))]
    tap.equal(passing, [], f"{network}: what is beside the truth by {100 * BESIDE:g} % would not pass")


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
        check_network([function for function in usable if can(function, network) and function.name not in BY_REAL_CLOCKS],
                      network)
    tap.done()


main()
