#!/usr/bin/env python3
# TIMEOUT: 240
"""Traffic of many ranks and round trips of pairs return what was programmed, on a network with programmed
costs, by a simulated clock: in every pattern, discipline and synchronization, on 2 to 7 PEs, by the ranks
that work, for one of them and for all together."""

import truth
from harness import SAMPLE, Tap

ALONE, WAITING = 0.03, 0.05  # tolerances: of puts and gets; where PEs wait for each other
WINDOW = 6
POST, WIRE, QUIET, FENCE, BARRIER = 2000, 10000, 1000, 700, 15000
NETWORK = {"post": POST, "wire": WIRE, "quiet": QUIET, "fence": FENCE}
PREAMBLE = "set_unit(1e9)\nset_controls(0)\nset_min_repetitions(4)\nset_max_repetitions(4)\n"

# Of one operation, by the parts of a name.
POSTED = {"Full": POST + WIRE + QUIET, "Fence": POST + FENCE,
          "Rate": (WINDOW * POST + WIRE + QUIET) / WINDOW}
WAITED = {"": POST + WIRE, "Full": POST + WIRE + QUIET, "Fence": POST + WIRE + FENCE,
          "Rate": POST + WIRE + QUIET / WINDOW}
ROUTINES = {"Put": POSTED, "Put_Nonblocking": POSTED, "Get": WAITED, "Get_Nonblocking": POSTED}

TRIPS = {
    "Put_Put_Barrier": 2 * (POST + WIRE + BARRIER),
    "Put_Get_Barrier": 2 * (POST + WIRE + BARRIER),
    "Get_Get_Barrier": 2 * (POST + WIRE + BARRIER),
    "Put_Put_Flag": 2 * (2 * POST + FENCE + WIRE),
    "Put_Get_Flag": 4 * POST + 3 * WIRE + FENCE,
    "Get_Get_Flag": 4 * (POST + WIRE),
}

# Pattern, pairs, and who works, with one direction and with two, on some number of PEs.
PATTERNS = {
    2: [('"half"', 0, {0}, {0, 1})],
    4: [('"half"', 1, {0}, {0, 2}), ('"offset:2"', 0, {0, 1}, {0, 1, 2, 3}),
        ('"neighbours"', 0, {0, 2}, {0, 1, 2, 3}), ('"to_one"', 2, {1, 2}, {0, 1, 2}),
        ('"from_one"', 0, {0}, {0, 1, 2, 3}), ('"targets:7"', 3, {0, 1, 2}, None)],
    7: [('"half"', 0, {0, 1, 2}, {0, 1, 2, 3, 4, 5}), ('"neighbours"', 2, {0, 2}, {0, 1, 2, 3})],
}


def steps(pattern, pairs, pes, directions):
    """Operations of all ranks in an iteration, for each of the window."""
    most = {"to_one": pes - 1, "from_one": pes - 1, "targets": pes}.get(pattern.strip('"').split(":")[0],
                                                                        pes // 2)
    return (pairs or most) * directions


def hub(pattern, directions):
    """Rank 0 works on several."""
    return "from_one" in pattern or "to_one" in pattern and directions == 2


def traffic(pes):
    """(call, cost, tolerance, who) of traffic."""
    cases = []
    for routine, costs in ROUTINES.items():
        for pattern, pairs, *workers in PATTERNS[pes]:
            for directions, who in enumerate(workers, 1):
                if not who or hub(pattern, directions) and routine != "Put":
                    continue
                common = f"8, {pattern}, {pairs}, {directions}"
                for discipline, cost in costs.items():
                    if discipline == "Rate" and hub(pattern, directions):
                        continue
                    window = f", {WINDOW}" if discipline == "Rate" else ""
                    name = "_".join(filter(None, ("Shmem", routine, "Pairs", discipline)))
                    cases.append((f"{name}({common}{window}, 10)", cost, ALONE, who))
                if not hub(pattern, directions):
                    together = costs["Rate"] / steps(pattern, pairs, pes, directions)
                    cases.append((f"Shmem_{routine}_Pairs_Rate_Together({common}, {WINDOW}, 10)", together,
                                  ALONE, who))
    return cases


def hubs():
    """Rank 0 has a window on each of three ranks, and one quiet."""
    posts = 3 * WINDOW
    alone, all_ = (posts * POST + WIRE + QUIET) / posts, (WINDOW * POST + WIRE + QUIET) / WINDOW
    return [(f'Shmem_Put_Pairs_Rate(8, "from_one", 0, 1, {WINDOW}, 10)', alone, ALONE, {0}),
            (f'Shmem_Put_Pairs_Rate(8, "to_one", 0, 1, {WINDOW}, 10)', all_, ALONE, {1, 2, 3}),
            (f'Shmem_Put_Pairs_Rate_Together(8, "from_one", 0, 1, {WINDOW}, 10)', alone, ALONE, {0})]


def trips(pes):
    cases = []
    for name, cost in TRIPS.items():
        for pattern, pairs, first, _ in PATTERNS[pes]:
            if not any(word in pattern for word in ("one", "targets")):
                cases.append((f"Shmem_Round_Trip_{name}(8, {pattern}, {pairs}, 10)", cost, WAITING, first))
    return cases


def measured(pes, cases, progress):
    network = truth.Network(POST, WIRE, QUIET, FENCE, progress=progress, barrier=BARRIER, wait=100,
                            clock="simulated")
    return truth.run_calls(pes, cases, PREAMBLE, network.environment())


def check(tap, pes, cases, progress):
    truth.check_calls(tap, pes, cases, measured(pes, cases, progress), f"{pes} PEs, progress by {progress}")


def main():
    truth.require()
    tap = Tap()
    if SAMPLE:
        check(tap, 2, traffic(2) + trips(2), "self")
    else:
        for pes in PATTERNS:
            check(tap, pes, traffic(pes) + trips(pes), "self")
        check(tap, 4, hubs(), "self")
        check(tap, 2, traffic(2) + trips(2), "quiet")
    tap.done()


main()
