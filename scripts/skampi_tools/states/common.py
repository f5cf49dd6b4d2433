"""What several files say together about the states of the machine: each state has one number in all of them.

    common = CommonStates(files)
    for number, value in common.values(0, result).items():  # result: of files[0]
        print(common.text(number), value.median)            # "state 2 (hand-over 164 ns, addition 480 ps)"
"""

import math
from collections import Counter

from .. import style
from ..cli import finite
from ..statistics import median
from . import ALL_WORDS, CommonState, StateValue, kind_of, match_states, sets_of, states_for


def control_text(told, values):
    """What a state is known by, as "hand-over 164 ns, addition 480 ps". told: names of controls; values: of the
    controls, by name."""
    return ", ".join(f"{ALL_WORDS[name]} {style.short_time_text(values[name])}" for name in told)


def text_of(named):
    """"state 1 (hand-over 61 ns, addition 285 ps)": states of one number, of sets of several sizes."""
    if named[0] == UNKNOWN:
        return "state not known"
    controls = []
    for name in ALL_WORDS:
        values = sorted(one.values[name] for one in named if name in one.told)
        ends = dict.fromkeys(style.short_time_text(value) for value in values[:1] + values[-1:])
        controls += [f"{ALL_WORDS[name]} {' to '.join(ends)}"] * bool(ends)
    return f"state {named[0].number} ({', '.join(controls)})"


def said_of(named, state):
    """"state 1 (hand-over 61 ns), 60 % of the time": a state of a file under its common number."""
    return f"{text_of([named._replace(values=state.values)])}, {share_text(state)}"


def share_text(state):
    """How much of its run a State took."""
    share = ("only in earlier runs" if not state.share else
             f"{style.percent_text(state.share)} of the time")
    return f"{share}{', new' if state.new else ''}"


def bounds_text(control):
    """"below 100 ns": which values are in a Range; empty without bounds."""
    low, high = (None if end is None else style.short_time_text(end) for end in (control.low, control.high))
    if low and high:
        return f"{low} to {high}"
    return f"below {high}" if high else f"above {low}" if low else ""


def differ(named):
    """Whether these named states are more than one state of a set of PEs."""
    found = {}
    for one in named:
        found.setdefault(one.kind, set()).add(one.number)
    return any(len(numbers) > 1 for numbers in found.values())


def joined(values):
    """The StateValue of several states that count as one: the median over their repetitions, or rounds, each of which is
    taken to have the median of its state."""
    if len(values) == 1:
        return values[0]
    return StateValue(sum(value.count or 0 for value in values),
                      median([value.median for value in values for _ in range(value.count or 1)]))


UNKNOWN = CommonState(0, 0, {}, (), 0.0)  # of what has no state, between what has one


class CommonStates:
    """files: ResultFiles. to_compare: of each the States that it is compared by (independent.py). .states has them by one
    number in all; in .named they are numbered from 1 for sets of each size, as people are told of them: the states of a
    single file keep their own numbers, also if it has sets of several sizes."""

    def __init__(self, files, to_compare=None):
        self.files = files
        self.lists = to_compare or [file.states for file in files]
        self.numbers, found = match_states(self.lists, joined=to_compare is not None)
        self.states = {state.number: state for state in found}
        sizes = Counter()
        self.named = {}
        for number, state in sorted(self.states.items()):  # ascending by values
            sizes[state.kind] += 1
            self.named[number] = state._replace(number=sizes[state.kind])

    def of(self, index, members, number):
        """The named state of a file's state; None where it has no value."""
        return self.named.get(self.numbers.get((index, members, number)))

    def parts(self, index, result):
        """[(named state, StateValue, medians of its rounds)] of a result of this file."""
        rounds = self.of_rounds(index, result)
        return [(self.named[number], value,
                 [median for median, where in zip(result.medians, rounds) if where == number])
                for number, value in self.values(index, result).items()]

    def _of_set(self, index, result):
        """{number in this file: common number} of the states of the result's PEs."""
        return {own.number: self.numbers[index, own.members, own.number]
                for own in states_for(result.pe_set, self.files[index].states)
                if (index, own.members, own.number) in self.numbers}

    def values(self, index, result):
        """{common number: StateValue} of a result of this file; {} where it is not known."""
        numbers, found = self._of_set(index, result), {}
        for number, value in result.by_state().items():
            if number in numbers:
                found.setdefault(numbers[number], []).append(value)
        return {number: joined(values) for number, values in found.items()}

    def of_rounds(self, index, result):
        """The common number of each of the result's medians; None: several, or not known."""
        numbers = self._of_set(index, result)
        return [numbers.get(number) for number in result.round_states]

    def alone(self, number):
        """Whether there is no other state of as many PEs."""
        return sum(state.kind == self.states[number].kind for state in self.states.values()) == 1

    def text(self, number):
        return text_of([self.states[number]])

    def share(self, number, indices):
        """Share of the time of these files that was spent in the state, from 0 to 1. Each file has the same weight. Files
        whose PEs have other states, or none, do not count."""
        kind = self.states[number].kind
        shares = []
        for index in indices:
            for members, states in sets_of(self.lists[index]).items():
                if kind_of(states[0]) == kind:
                    shares.append(sum(own.share for own in states if own.share > 0 and
                                      self.numbers.get((index, members, own.number)) == number))
        return sum(shares) / len(shares) if shares else 0.0


def combined(common, indices):
    """State records of these files together, as if they were one run, with the common numbers. Their ranges do not
    overlap, and a control has a bound only where it tells a state from others."""
    sets = {}
    for index in indices:
        for own in common.lists[index]:
            if (number := common.numbers.get((index, own.members, own.number))) is not None:
                sets.setdefault((own.members, kind_of(own)), {}).setdefault(number, []).append(own)
    records = []
    for (members, kind), states in sets.items():
        boxes = _boxes({number: states[number] for number in sorted(states)}, common)
        total = math.fsum(own.seconds for found in states.values() for own in found)
        runs = sum(any((own.members, kind_of(own)) == (members, kind) for own in common.lists[index])
                   for index in indices)
        for number, box in sorted(boxes.items()):
            found, state = states[number], common.states[number]
            seconds = math.fsum(own.seconds for own in found)
            # NaN seconds: each run counts alike.
            share = seconds / total if total > 0 else math.fsum(own.share for own in found) / runs
            known = any(own.known for own in found)
            records.append({
                "record": "state", "state": number, "members": members, "pes": state.pes,
                **{name: {"value": value, "low": box[name][0], "high": box[name][1]}
                   for name, value in state.values.items()},
                "share": finite(share), "seconds": finite(seconds), "known": known,
                "new": not known and any(own.new for own in found)})
    return records


def _boxes(states, common, box=None):
    """{number: {control: (low, high)}}: ranges of the states, which never overlap. states: {number: States of the runs},
    all of them inside the box. The best cut divides the box in two, and each half is divided in turn."""
    names = next(iter(common.states[number].values for number in states))
    box = box or {name: (None, None) for name in names}
    if len(states) == 1:
        return dict.fromkeys(states, box)
    *_, name, bound, numbers = max((cut for name in names for cut in _cuts(states, common, name)), key=lambda cut: cut[:2])
    low, high = box[name]
    below = {number: own for number, own in states.items() if number in numbers}
    above = {number: own for number, own in states.items() if number not in numbers}
    return {**_boxes(below, common, {**box, name: (low, bound)}), **_boxes(above, common, {**box, name: (bound, high)})}


def _cuts(states, common, name):
    """Between neighbours in this control: (whether runs have a bound there, ratio of both values, the control, the bound,
    numbers of the states below it). The bound is the median of the runs' bounds that are there, else half-way between the
    values, on a logarithmic scale."""
    value = {number: common.states[number].values[name] for number in states}
    numbers = sorted(states, key=value.get)
    for place, (lower, upper) in enumerate(zip(numbers, numbers[1:]), 1):
        bounds = [own.controls[name].high for number in numbers[:place] for own in states[number]]
        bounds += [own.controls[name].low for number in numbers[place:] for own in states[number]]
        between = [bound for bound in bounds if bound is not None and value[lower] < bound <= value[upper]]
        yield (bool(between), value[upper] / value[lower] if value[lower] > 0 else math.inf, name,
               median(between) if between else math.sqrt(max(0, value[lower] * value[upper])), numbers[:place])


def shares_of(launches):
    """{common number: share} of a point. launches: of each {common number: StateValue}; each counts alike,
    with its rounds or repetitions in the state."""
    shares, count = {}, 0
    for values in launches:
        counts = {number: value.count or 1 for number, value in values.items()}  # 1: the file does not say
        count += bool(counts)
        for number, own in counts.items():
            shares[number] = shares.get(number, 0) + own / sum(counts.values())
    return {number: share / count for number, share in shares.items()}
