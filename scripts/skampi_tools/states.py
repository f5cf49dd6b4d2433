"""States of the machine: which one a result belongs to, and which states of several files are the same.

The engine measures controls (the hand-over of a word between PEs, an addition) beside the batches of a
measurement, and derives the states of a run from them: docs/results.md. Values of controls are seconds.
"""

import math
from typing import NamedTuple

from . import statistics

NAN = math.nan
HAND_OVER, ADDITION = "hand_over", "addition"
WORDS = {HAND_OVER: "hand-over", ADDITION: "addition"}  # as people read them
NEAR = 1.2  # states of two files whose values differ by less are one


class State(NamedTuple):
    """One state of a run, for one set of PEs."""
    number: int     # from 1, within its set
    members: str    # PEs of the set; "": the file does not say
    pes: int        # how many; None: the file does not say
    control: str    # HAND_OVER, or with one PE ADDITION
    value: float    # median of the control
    low: float      # a control c is in the state if low <= c < high; None: no bound
    high: float
    share: float    # of the time of the run
    seconds: float  # the same; NaN: the file does not say
    known: bool     # earlier runs have seen it
    new: bool       # earlier runs were given, and none has seen it

    def holds(self, control):
        return (self.low is None or self.low <= control) and (self.high is None or control < self.high)


class StateValue(NamedTuple):
    """What a point has in one state. NaN: not known."""
    count: int  # repetitions, or rounds
    median: float
    median_low: float = NAN
    median_high: float = NAN
    next_low: float = NAN
    next_high: float = NAN
    between: float = NAN


def state_of(record):
    """The State of a state record."""
    number = {name: NAN if record.get(name) is None else record[name]
              for name in ("value", "share", "seconds")}
    return State(record["state"], record.get("members") or "", record.get("pes"), record["control"],
                 number["value"], record.get("low"), record.get("high"), number["share"],
                 number["seconds"], bool(record.get("known")), bool(record.get("new")))


def control_of(pes):
    """The control that states of a set of so many PEs come from."""
    return ADDITION if pes == 1 else HAND_OVER


def sets_of(states):
    """The states of each set of PEs, by its members; by their number where these are not stated."""
    sets = {}
    for state in states:
        sets.setdefault(state.members or state.pes, []).append(state)
    return sets


def several(states):
    """The states of those sets of PEs that were in more than one: others have nothing to be told apart by."""
    return [state for states in sets_of(states).values() if sum(state.share != 0 for state in states) > 1
            for state in states]


def set_text(state):
    """In words whose state it is."""
    return f"PEs {state.members}" if state.members else f"{state.pes} PEs"


def states_for(pe_set, states):
    """Those states that are of a result's set."""
    members, size = pe_set.get("members"), pe_set.get("size")
    sets = sets_of(states)
    if members and members in sets:
        return sets[members]
    # .sko files do not name the members of a result, nor those of a file's only set.
    fitting = [states for states in sets.values() if not (members and states[0].members)
               and (size is None or states[0].pes in (None, size))]
    return fitting[0] if len(fitting) == 1 else []


def find(states, record):
    """The number of the state in which a result's control, or that of one of its parts, lies. None:
    there is none, or the record has no control."""
    for state in states:
        control = record.get(state.control)
        if control is not None and state.holds(control):
            return state.number
    return None


def parts_by_state(states, parts):
    """{number: StateValue} of a result's parts. Parts that turned out to be of one state are counted
    together; the value is that of the part with most repetitions."""
    found = {}
    for part in parts:
        if (number := find(states, part)) is not None:
            found.setdefault(number, []).append(part)
    values = {}
    for number in sorted(found):
        most = max(found[number], key=lambda part: part["valid"])
        median = most.get("median")
        values[number] = StateValue(sum(part["valid"] for part in found[number]),
                                    NAN if median is None else median)
    return values


# ---- The same state in several files ----


class CommonState(NamedTuple):
    number: int    # from 1, ascending by value
    control: str
    pes: int
    value: float   # median of those of the files
    share: float   # of the time of all the files' runs


class _Source(NamedTuple):
    """A state, and the file and set that it is from: one of these has no state twice."""
    file: int
    state: State

    @property
    def place(self):
        return self.file, self.state.members or self.state.pes


def _reach(state):
    """Where other files' values of this state may lie. A side without a bound reaches as far as the other
    one: that a run has seen nothing slower does not make all that is slower the same."""
    value, low, high = state.value, state.low, state.high
    if low is None and high is not None and min(value, high) > 0:
        low = value * value / high
    elif high is None and low is not None and min(value, low) > 0:
        high = value * value / low
    low, high = value if low is None else low, value if high is None else high
    return min(low, value / NEAR), max(high, value * NEAR)


def _same(a, b):
    """Whether the values of two states are within 20 % of each other, or one inside the other's bounds."""
    low, high = _reach(a)
    if low <= b.value <= high:
        return True
    low, high = _reach(b)
    return low <= a.value <= high


def _one_state(group):
    """Whether these, ascending by value, can be one state: each file (and set) has one at most, so that it has
    none between them, and all are the same as one in the middle."""
    if len({source.place for source in group}) < len(group):
        return False
    middle = {(len(group) - 1) // 2, len(group) // 2}
    return any(all(_same(group[at].state, source.state) for source in group) for at in middle)


def _groups(sources):
    """Sources of one kind, grouped to common states, closest neighbours first."""
    sources = sorted(sources, key=lambda source: source.state.value)
    groups = [[source] for source in sources]
    of = dict(enumerate(groups))  # the group of each source
    gaps = sorted(range(1, len(sources)),
                  key=lambda i: sources[i].state.value / (sources[i - 1].state.value or math.inf))
    for right in gaps:
        a, b = of[right - 1], of[right]
        if _one_state(a + b):
            for at in range(right, right + len(b)):
                of[at] = a
            a += b
            b.clear()
    return [group for group in groups if group]


def _shares(groups):
    """Of each group, of the time of all runs; by the seconds where all files state them."""
    everything = [source for group in groups for source in group]
    weights = {}
    if all(math.isfinite(source.state.seconds) for source in everything):
        total = math.fsum(source.state.seconds for source in everything)
        weights = {source: source.state.seconds for source in everything}
    else:
        total = len({source.place for source in everything})
        weights = {source: source.state.share for source in everything}
    return [math.fsum(weights[source] for source in group) / total if total > 0 else NAN for group in groups]


def match_states(files):
    """({(index of the file, members, number): common number}, [CommonState]): which states of several
    ResultFiles are the same. They have the same control and the same number of PEs; their values are within
    20 % of each other, or one lies inside the other's bounds; and neither file has another state between."""
    kinds = {}
    for index, file in enumerate(files):
        for state in file.states:
            if math.isfinite(state.value):
                kinds.setdefault((state.control, state.pes), []).append(_Source(index, state))
    found = []
    for (control, pes), sources in kinds.items():
        groups = _groups(sources)
        for group, share in zip(groups, _shares(groups)):
            value = statistics.median(source.state.value for source in group)
            found.append((CommonState(0, control, pes, value, share), group))
    numbers, common = {}, []
    for number, (state, group) in enumerate(sorted(found, key=lambda entry: entry[0].value), 1):
        common.append(state._replace(number=number))
        for source in group:
            numbers[source.file, source.state.members, source.state.number] = number
    return numbers, common
