"""States of the machine: which one a result belongs to, and which states of several files are the same.

The engine measures controls (the hand-over of a word between PEs, an addition) beside the batches of a
measurement, and derives the states of a run from them: docs/results.md. A state is a range of each of its
controls. Values of controls are seconds.
"""

import itertools
import math
from typing import NamedTuple

from .. import statistics

NAN = math.nan
HAND_OVER, ADDITION, SHARED = "hand_over", "addition", "hand_over_shared"
WORDS = {HAND_OVER: "hand-over", ADDITION: "addition"}  # as people read them: those that state records have
ALL_WORDS = {HAND_OVER: "hand-over", SHARED: "hand-over in shared memory", ADDITION: "addition"}
NEAR = 1.2  # states of two files whose values differ by less are one


class Range(NamedTuple):
    """A control in a state."""
    value: float  # its median; NaN: not known
    low: float    # a control c is inside if low <= c < high; None: no bound
    high: float

    @property
    def bounded(self):
        return self.low is not None or self.high is not None

    def holds(self, control):
        return (self.low is None or self.low <= control) and (self.high is None or control < self.high)


class State(NamedTuple):
    """One state of a run, for one set of PEs."""
    number: int     # from 1, within its set
    members: str    # PEs of the set; "": the file does not say
    pes: int        # how many; None: the file does not say
    controls: dict  # {name: Range}: HAND_OVER, but with one PE, and ADDITION
    share: float    # of the time of the run
    seconds: float  # spent in it; NaN: the file does not say
    known: bool     # earlier runs have seen it
    new: bool       # earlier runs were given, and none has seen it

    def holds(self, record):
        """Whether a result, or a part of one, is in the state: each control in its range. Without one of
        them it is in none."""
        values = [record.get(name) for name in self.controls]
        return None not in values and all(map(Range.holds, self.controls.values(), values))

    @property
    def values(self):
        """{name: median of the control}"""
        return {name: control.value for name, control in self.controls.items()}


class StateValue(NamedTuple):
    """What a point has in one state. NaN: not known."""
    count: int  # repetitions, or rounds
    median: float
    median_low: float = NAN
    median_high: float = NAN
    next_low: float = NAN
    next_high: float = NAN
    between: float = NAN


def _known(value):
    return NAN if value is None else value


def state_of(record):
    """The State of a state record."""
    controls = {name: Range(_known(record[name]["value"]), record[name].get("low"), record[name].get("high"))
                for name in ALL_WORDS if record.get(name)}
    return State(record["state"], record.get("members") or "", record.get("pes"), controls,
                 _known(record.get("share")), _known(record.get("seconds")), bool(record.get("known")),
                 bool(record.get("new")))


def controls_for(pes):
    """Names of the controls that the states of a set of this many PEs come from."""
    return (ADDITION,) if pes == 1 else (HAND_OVER, ADDITION)


def told_by(states):
    """Names of the controls in which these states differ: all controls for which some state has a bound or, if no state has
    one, the first control that is known."""
    return _bounded(states) or _first(states)


def _bounded(states):
    return tuple(name for name in ALL_WORDS if any(
        state.controls[name].bounded for state in states if name in state.controls))


def _first(states):
    return tuple(name for name in ALL_WORDS if any(name in state.controls for state in states))[:1]


def sets_of(states):
    """The states of each set of PEs, by its members; by their number where these are not stated."""
    sets = {}
    for state in states:
        sets.setdefault(state.members or state.pes, []).append(state)
    return sets


def several(states):
    """The states of the sets of PEs that were in more than one state: only such states must be told apart."""
    return [state for states in sets_of(states).values() if sum(state.share != 0 for state in states) > 1
            for state in states]


def set_text(state):
    """In words whose state it is."""
    return f"PEs {state.members}" if state.members else f"{state.pes} PEs"


def states_for(pe_set, states):
    """The states of a result's set."""
    members, size = pe_set.get("members"), pe_set.get("size")
    sets = sets_of(states)
    if members and members in sets:
        return sets[members]
    # .sko files name neither the members of a result nor, if there is one set only, the members of that set.
    fitting = [states for states in sets.values() if not (members and states[0].members)
               and (size is None or states[0].pes in (None, size))]
    return fitting[0] if len(fitting) == 1 else []


def find(states, record):
    """The number of the state in which the controls of a result, or of one of its parts, lie. None: there is
    none, or the record lacks a control."""
    return next((state.number for state in states if state.holds(record)), None)


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
    number: int    # from 1, ascending by the product of the values
    pes: int
    values: dict   # {control: median of those of the files}
    told: tuple    # names of the controls in which the common states of as many PEs differ
    share: float   # of the time of all the files' runs

    @property
    def kind(self):
        """States of different kinds are never the same state."""
        return _kind(self.values, self.pes)


class _Source(NamedTuple):
    """A state, and the file and set that it is from: one of these has no state twice."""
    file: int
    state: State

    @property
    def place(self):
        return self.file, self.state.members or self.state.pes


def _kind(controls, pes):
    return tuple(controls), pes


def kind_of(state):
    return _kind(state.controls, state.pes)


def _reach(control):
    """Where other files' values of this Range may lie. A side without a bound reaches as far as the other
    one: a run that has seen nothing slower does not say that everything slower is this state."""
    value, low, high = control
    if low is None and high is not None and min(value, high) > 0:
        low = value * value / high
    elif high is None and low is not None and min(value, low) > 0:
        high = value * value / low
    low, high = value if low is None else low, value if high is None else high
    return min(low, value / NEAR), max(high, value * NEAR)


def _same(a, b):
    """Whether the values of two Ranges are within 20 % of each other, or one inside the other's bounds."""
    low, high = _reach(a)
    if low <= b.value <= high:
        return True
    low, high = _reach(b)
    return low <= a.value <= high


def _one_range(ranges):
    """Whether these can be one control's in one state: all are the same as one in the middle."""
    ranges = sorted(ranges, key=lambda control: control.value)
    middle = {(len(ranges) - 1) // 2, len(ranges) // 2}
    return any(all(_same(ranges[at], other) for other in ranges) for at in middle)


def _one_state(group):
    """Whether these can be one state: they can be one in each control."""
    return all(_one_range([source.state.controls[name] for source in group])
               for name in group[0].state.controls)


def _distance(a, b):
    """Distance of two states of one kind, on a logarithmic scale."""
    def distance(name):
        low, high = sorted((a.controls[name].value, b.controls[name].value))
        return 0.0 if low == high else math.log(high / low) if low > 0 else math.inf
    return math.hypot(*map(distance, a.controls))


def _groups(sources, joined):
    """Sources of one kind, grouped to common states, closest pairs first. Each file (and set) has one at most in a
    group, unless they may be joined."""
    groups = {place: [source] for place, source in enumerate(sources)}  # by the place of its first source
    places = {place: {source.place} for place, source in enumerate(sources)}
    of = list(groups)                                                   # the group of each source
    pairs = sorted((_distance(a.state, b.state), i, j) for j, b in enumerate(sources)
                   for i, a in enumerate(sources[:j]) if joined or a.place != b.place)
    for _, i, j in pairs:
        kept, gone = of[i], of[j]
        if kept != gone and (joined or places[kept].isdisjoint(places[gone])) and _one_state(groups[kept] + groups[gone]):
            groups[kept] += groups.pop(gone)
            places[kept] |= places.pop(gone)
            of = [kept if group == gone else group for group in of]
    return list(groups.values())


def _shares(groups):
    """Share of each group in the time of all runs; in seconds, if all files state them."""
    everything = [source for group in groups for source in group]
    if all(math.isfinite(source.state.seconds) for source in everything):
        weight = lambda source: source.state.seconds
        total = math.fsum(map(weight, everything))
    else:
        weight = lambda source: source.state.share
        total = len({source.place for source in everything})
    return [math.fsum(map(weight, group)) / total if total > 0 else NAN for group in groups]


def _values(group):
    return {name: statistics.median(source.state.controls[name].value for source in group)
            for name in group[0].state.controls}


def _told_apart(groups):
    """Names of the controls in which these common states differ. Each file by itself may have no bounds: then also
    those whose values are further apart than one state's."""
    states = [source.state for group in groups for source in group]
    told = _bounded(states)
    pairs = list(itertools.combinations(map(_values, groups), 2))
    apart = {name for a, b in pairs for name in a if _are_apart(a[name], b[name])}
    if told and all(any(_are_apart(a[name], b[name]) for name in told) for a, b in pairs):
        return told
    return tuple(name for name in ALL_WORDS if name in told or name in apart) or _first(states)


def _are_apart(a, b):
    return max(a, b) > NEAR * min(a, b)


def match_states(lists, joined=False):
    """({(index of the list, members, number): common number}, [CommonState]): which of the States of several
    files, a list each, are the same. They have the same controls and the same number of PEs, and in each control their
    values are within 20 % of each other, or one lies inside the other's bounds. The closest go together first. joined:
    also those of one file (and set), which otherwise has no two states that are the same."""
    kinds = {}
    for index, states in enumerate(lists):
        for state in states:
            if state.controls and all(map(math.isfinite, state.values.values())):
                kinds.setdefault(kind_of(state), []).append(_Source(index, state))
    found = []
    for (_, pes), sources in kinds.items():
        groups = _groups(sources, joined)
        told = _told_apart(groups)
        for group, share in zip(groups, _shares(groups)):
            found.append((CommonState(0, pes, _values(group), told, share), group))
    numbers, common = {}, []
    for number, (state, group) in enumerate(
            sorted(found, key=lambda entry: math.prod(entry[0].values.values())), 1):
        common.append(state._replace(number=number))
        for source in group:
            numbers[source.file, source.state.members, source.state.number] = number
    return numbers, common
