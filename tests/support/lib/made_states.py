"""Result files of machines that were in several states, for tests of scripts.

    points = [in_rounds(point("b", "Shmem_Barrier", {}, 2e-7), [2e-7, 5e-7, 2.1e-7], [1, 2, 1])]
    write("a.json", points, states=states_of({1: 0.67, 2: 0.33}))
"""

import math
import os
import sys

from harness import ROOT
from made_results import records, write_records

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools.statistics import rounds_of

HAND_OVER = {1: 61e-9, 2: 164e-9, 3: 400e-9}  # seconds, by state


def states_of(shares, values=None, members="0-1", pes=2, seconds=60.0):
    """State records, which records() of made_results puts to the end. shares: of the time, by state. values:
    of the control, by state; half-way between them, on a logarithmic scale, is the bound."""
    values = values or HAND_OVER
    numbers = sorted(shares)
    bounds = [math.sqrt(values[a] * values[b]) for a, b in zip(numbers, numbers[1:])]
    return [{"record": "state", "state": number, "members": members, "pes": pes, "control": "hand_over",
             "value": values[number], "low": low, "high": high, "share": shares[number],
             "seconds": seconds * shares[number], "known": False, "new": False}
            for number, low, high in zip(numbers, [None, *bounds], [*bounds, None])]


def controls_of(states, members="0-1", pes=2, seconds=0.1, values=None):
    """A controls record. states: at each time, so many seconds after each other; None: nothing was measured
    then."""
    control = [None if state is None else (values or HAND_OVER)[state] * (1 + 0.001 * (i % 5))
               for i, state in enumerate(states)]
    return {"record": "controls", "members": members, "pes": pes, "at": [seconds * i for i in range(len(states))],
            "hand_over": control, "hand_over_shared": control, "addition": [3e-10] * len(states),
            "copy": [None] * len(states)}


def write_states(path, points, more):
    """A whole file of these points; more: state and controls records."""
    lines = records(points)
    lines[-1:-1] = more
    return write_records(path, lines)


def plain(value):
    return value if math.isfinite(value) else None


def in_rounds(point, medians, states):
    """The point's rounds record: medians of rounds, and the state of each (0: several)."""
    entries = []
    for number in sorted(set(states) - {0}):
        own = rounds_of([median for median, state in zip(medians, states) if state == number])
        entries.append({"state": number, "rounds": own.count, "median": own.median,
                        "median_low": plain(own.low), "median_high": plain(own.high), "reached": own.reached,
                        "next_low": plain(own.next_low), "next_high": plain(own.next_high),
                        "between": plain(own.between)})
    whole = rounds_of(medians)
    return {**point, "record": "rounds", "rounds": whole.count, "median": whole.median,
            "median_low": plain(whole.low), "median_high": plain(whole.high), "reached": whole.reached,
            "next_low": plain(whole.next_low), "next_high": plain(whole.next_high),
            "between": plain(whole.between), "medians": list(medians), "states": entries,
            "round_states": list(states)}


def in_state(point, state, values=None):
    """The point's result, measured in this state."""
    return {**point, "hand_over": (values or HAND_OVER)[state]}


def in_parts(point, parts):
    """The point's result whose repetitions lie in several states. parts: {state: median}."""
    return {**point, "hand_over": HAND_OVER[min(parts)], "parts": [
        {"hand_over": HAND_OVER[state], "valid": 20, "median": median, "p25": median * 0.98,
         "p75": median * 1.02} for state, median in sorted(parts.items())]}
