"""Result files of machines that were in several states, for tests of scripts.

    points = [in_rounds(point("b", "Shmem_Barrier", {}, 2e-7), [2e-7, 5e-7, 2.1e-7], [1, 2, 1])]
    write("a.json", points, states=states_of({1: 0.67, 2: 0.33}))
"""

import math

from made_results import range_of, records, write_records
from skampi_tools.statistics import rounds_of

HAND_OVER = {1: 61e-9, 2: 164e-9, 3: 400e-9}  # seconds, by state
# Where both controls tell: hand-over and addition.
FOUR = {1: (61e-9, 285e-12), 2: (61e-9, 480e-12), 3: (164e-9, 285e-12), 4: (164e-9, 480e-12)}


def controls_in(state, values=None):
    """Both controls in a state, by name. values: by state the hand-over, or (hand-over, addition)."""
    value = (values or HAND_OVER)[state]
    return dict(zip(("hand_over", "addition"), value if isinstance(value, tuple) else (value, 3e-10)))


def _range(value, values):
    """Half-way between neighbours, on a logarithmic scale, are the bounds."""
    low, high = max((v for v in values if v < value), default=None), min((v for v in values if v > value), default=None)
    return range_of(value, low and math.sqrt(low * value), high and math.sqrt(high * value))


def states_of(shares, values=None, members="0-1", pes=2, seconds=60.0):
    """State records, which records() of made_results puts to the end. shares: of the time, by state. values:
    of the controls, by state."""
    controls = {number: controls_in(number, values) for number in sorted(shares)}
    return [{"record": "state", "state": number, "members": members, "pes": pes,
             **{name: _range(value, [others[name] for others in controls.values()]) for name, value in own.items()},
             "share": shares[number], "seconds": seconds * shares[number], "known": False, "new": False}
            for number, own in controls.items()]


def controls_of(states, members="0-1", pes=2, seconds=0.1, values=None):
    """A controls record. states: at each time, so many seconds after each other; None: nothing was measured
    then."""
    at = [{} if state is None else controls_in(state, values) for state in states]
    hand_over, addition = ([own[name] * (1 + 0.001 * (i % 5)) if own else None for i, own in enumerate(at)]
                           for name in ("hand_over", "addition"))
    return {"record": "controls", "members": members, "pes": pes, "at": [seconds * i for i in range(len(states))],
            "hand_over": hand_over, "hand_over_shared": hand_over, "addition": addition,
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
    return {**point, **controls_in(state, values)}


def in_parts(point, parts, values=None):
    """The point's result whose repetitions lie in several states. parts: {state: median}."""
    return {**in_state(point, min(parts), values), "parts": [
        {**controls_in(state, values), "valid": 20, "median": median, "p25": median * 0.98, "p75": median * 1.02}
        for state, median in sorted(parts.items())]}
